"""Prove the built wheel: a fresh environment with no Rust on its PATH installs it and runs the README's example."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
COMMAND = """
import asyncio
from rootle.sandbox import LocalSandbox
done = asyncio.run(LocalSandbox(".").exec(["ls"]))
print(done.exit_code, done.stdout, done.tier)
"""


def readme_example() -> str:
    """Take the first Python block of the README, which is the example it opens with."""
    blocks = re.findall(r"```python\n(.*?)```", (REPOSITORY / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    if not blocks:
        raise SystemExit("README.md has no Python example")
    return str(blocks[0])


def main(dist: Path) -> None:
    """Check what is in `dist`, then install and run it."""
    wheels, sdists = sorted(dist.glob("*.whl")), sorted(dist.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sdists) != 1:
        raise SystemExit(f"one wheel and one sdist expected in {dist}: {[path.name for path in (*wheels, *sdists)]}")
    if "-cp311-abi3-" not in wheels[0].name:
        raise SystemExit(f"{wheels[0].name} is no abi3 wheel")
    with tarfile.open(sdists[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = {
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "README.md",
        "rust/rootle-py/Cargo.toml",
        "rust/rootle-exec/Cargo.toml",
        "backend/rootle_backend.py",
        "backend/helper.py",
    } - names
    if missing:
        raise SystemExit(f"the sdist lacks {sorted(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "venv")
        venv.create(environment, with_pip=True)
        python = environment / "bin" / "python"
        # Neither a Rust toolchain nor the source tree can be what makes it work.
        env = {"PATH": f"{environment / 'bin'}:/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8"}
        env |= {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
        probe = subprocess.run(["sh", "-c", "command -v cargo rustc"], env=env, capture_output=True, check=False)
        if probe.returncode == 0:
            raise SystemExit("a Rust toolchain is on the test's PATH: it proves nothing")
        subprocess.run([python, "-m", "pip", "install", "--quiet", wheels[0]], env=env, check=True)
        project = Path(folder, "project")
        project.mkdir()
        (project / "main.py").write_text("def main() -> None:\n    print('hello')\n", encoding="utf-8")
        subprocess.run(["git", "init", "--quiet", project], env=env, check=True)
        done = subprocess.run(
            [python, "-c", readme_example()], env=env, cwd=project, capture_output=True, text=True, check=False
        )
        sys.stdout.write(done.stdout)
        if done.returncode != 0 or "main.py" not in done.stdout:
            raise SystemExit(f"the README's example failed:\n{done.stderr}")
        subprocess.run([environment / "bin" / "rootle", "grep", "def main", project], env=env, check=True)
        done = subprocess.run(
            [python, "-c", COMMAND], env=env, cwd=project, capture_output=True, text=True, check=False
        )
        if done.stdout != "0 b'main.py\\n' subreaper\n":
            raise SystemExit(f"a command did not run under the wheel's helper:\n{done.stdout}{done.stderr}")
    print(f"proved {wheels[0].name}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
