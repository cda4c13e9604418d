"""Build the helper executable that commands run under, and put it into the Python package.

It is linked statically where the C library allows: it starts in half the time then, on any Linux. Only this module
knows how it is built; the build backend and the Makefile use it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
NAME = "rootle-exec-helper"
PLACE = REPOSITORY / "python/rootle/_bin" / NAME


def target() -> str:
    """Give the platform to build for: cargo's own setting, else the compiler's host."""
    if chosen := os.environ.get("CARGO_BUILD_TARGET"):
        return chosen
    said = subprocess.run(["rustc", "-vV"], check=True, capture_output=True, text=True).stdout
    found = re.search(r"^host: (\S+)$", said, re.MULTILINE)
    if found is None:
        raise SystemExit("rustc -vV names no host")
    return found[1]


def compiled(platform: str, flags: str) -> Path | None:
    """Build for `platform` with the compiler flags given; None if that fails."""
    command = ["cargo", "build", "--release", "--quiet", "--package", "rootle-exec", "--bin", NAME]
    command += ["--no-default-features", "--target", platform]
    own = os.environ.get("RUSTFLAGS", "")
    done = subprocess.run(
        [*command, "--message-format", "json-render-diagnostics"],
        cwd=REPOSITORY,
        env={**os.environ, "RUSTFLAGS": f"{own} {flags}".strip()},
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    found = re.findall(r'"executable":"([^"]+)"', done.stdout)
    return Path(found[-1]) if done.returncode == 0 and found else None


def build() -> Path:
    """Build the helper and give its place in the package."""
    platform = target()
    executable = compiled(platform, "-C target-feature=+crt-static") or compiled(platform, "")
    if executable is None:
        raise SystemExit(f"{NAME} does not build")
    PLACE.parent.mkdir(exist_ok=True)
    # Renamed into place: the one that is there may be running.
    fresh = PLACE.with_suffix(".new")
    shutil.copyfile(executable, fresh)
    fresh.chmod(0o755)
    fresh.replace(PLACE)
    return PLACE


if __name__ == "__main__":
    sys.stdout.write(f"{build()}\n")
