"""Fetches the version pairs of the manifest with the ordinary clients (pip, npm, go) into a cache, never into the tree.

    python -m benches.editgold.sources            # fetch all, print what was found

The cache is `$ROOTLE_EDITGOLD_CACHE`, else `rootle-editgold` in the user's cache directory.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Source", "cache_dir", "manifest", "tree"]

_MANIFEST = Path(__file__).with_name("manifest.toml")


@dataclass(frozen=True, slots=True)
class Source:
    """A pair of versions of one package."""

    kind: str
    name: str
    old: str
    new: str
    split: str
    quota: int


def manifest() -> list[Source]:
    """Read the pinned pairs."""
    return [Source(**entry) for entry in tomllib.loads(_MANIFEST.read_text(encoding="utf-8"))["source"]]


def cache_dir() -> Path:
    """Give the directory of everything that is fetched or built."""
    named = os.environ.get("ROOTLE_EDITGOLD_CACHE")
    if named:
        return Path(named).absolute()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rootle-editgold"


def tree(source: Source, version: str) -> Path | None:
    """Give the folder with one version's files, fetched where it is not there yet; None where it cannot be had here."""
    if source.kind == "stdlib":
        return _standard_library(version)
    target = cache_dir() / "trees" / f"{source.kind}-{source.name.replace('/', '+')}-{version}"
    if target.is_dir():
        return target
    fetch = _FETCH[source.kind]
    print(f"fetching {source.name} {version} ({source.kind}) ...", file=sys.stderr)
    target.parent.mkdir(parents=True, exist_ok=True)
    # Unpacked beside its place and renamed, so that an interrupted fetch never passes for a whole tree.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix="fetch-") as scratch:
        try:
            top = fetch(Path(scratch), source.name, version)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"note: {source.name} {version} cannot be fetched: {error}", file=sys.stderr)
            return None
        top.rename(target)
    return target


def _pip(scratch: Path, name: str, version: str) -> Path:
    """Fetch the source archive, else the wheel."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    # `download` has the archive's build backend give its metadata; a wheel is taken where that fails.
    for choice in (["--no-binary", name], ["--only-binary", ":all:"]):
        done = subprocess.run(
            [*pip, *choice, "-d", str(scratch), f"{name}=={version}"], capture_output=True, check=False
        )
        if done.returncode == 0:
            break
    return _unpack(scratch)


def _npm(scratch: Path, name: str, version: str) -> Path:
    command = ["npm", "pack", "--silent", "--ignore-scripts", f"{name}@{version}"]
    subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.DEVNULL)
    return _unpack(scratch)


def _go(scratch: Path, name: str, version: str) -> Path:
    environment = {**os.environ, "GOMODCACHE": str(scratch / "modules"), "GOFLAGS": "-modcacherw", "GONOSUMDB": "*"}
    command = ["go", "mod", "download", "-json", f"{name}@{version}"]
    done = subprocess.run(command, cwd=scratch, env=environment, check=True, stdout=subprocess.PIPE)
    return Path(json.loads(done.stdout)["Dir"])


def _unpack(scratch: Path) -> Path:
    archives = [path for path in scratch.iterdir() if path.is_file()]
    if not archives:
        raise OSError("the client fetched nothing")
    target = scratch / "tree"
    if archives[0].suffix in {".zip", ".whl"}:
        with zipfile.ZipFile(archives[0]) as archive:
            archive.extractall(target)
    else:
        with tarfile.open(archives[0]) as archive:
            archive.extractall(target, filter="data")
    entries = list(target.iterdir())
    return entries[0] if len(entries) == 1 and entries[0].is_dir() else target


def _standard_library(version: str) -> Path | None:
    """Find the standard library of an interpreter of exactly this version: on the PATH, else one that pyenv keeps."""
    minor = ".".join(version.split(".")[:2])
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions" / version / "bin" / "python"
    for program in (shutil.which(f"python{minor}"), str(pyenv)):
        if not program or not os.access(program, os.X_OK):
            continue
        ask = "import platform, sysconfig; print(platform.python_version()); print(sysconfig.get_paths()['stdlib'])"
        done = subprocess.run(
            [program, "-I", "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
        )
        found, _, folder = done.stdout.strip().partition("\n")
        if done.returncode == 0 and found == version:
            return Path(folder)
    return None


_FETCH: dict[str, Callable[[Path, str, str], Path]] = {"pip": _pip, "npm": _npm, "go": _go}


def main() -> None:
    """Fetch every pair."""
    for source in manifest():
        found = [tree(source, version) for version in (source.old, source.new)]
        verdict = "ok" if all(found) else "missing"
        print(f"{source.split:<9} {source.name:<40} {source.old:>9} -> {source.new:<9} {verdict}")


if __name__ == "__main__":
    main()
