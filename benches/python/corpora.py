"""The real trees that are searched: public source archives, fetched once into a cache directory and never committed.

    python -m benches.python.corpora            # fetch all
    python -m benches.python.corpora flask      # fetch one; prints its path

The cache is `$ROOTLE_BENCH_CORPORA`, else `rootle-bench` in the user's cache directory.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CORPORA", "Corpus", "cache_dir", "corpus_path"]

LINUX = "linux-source-6.1"


@dataclass(frozen=True, slots=True)
class Corpus:
    """A tree; `fetch` unpacks it into a directory and gives the folder that is its top."""

    name: str
    folder: str
    words: str
    fetch: Callable[[Path], Path]


def cache_dir() -> Path:
    """Give the directory that holds the trees and the peers' environments."""
    named = os.environ.get("ROOTLE_BENCH_CORPORA")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rootle-bench"


def corpus_path(name: str) -> Path:
    """Give the path of a tree, after fetching it where it is not there yet."""
    corpus = CORPORA[name]
    target = cache_dir() / corpus.folder
    if target.is_dir():
        return target
    print(f"fetching {corpus.words} ...", file=sys.stderr)
    cache_dir().mkdir(parents=True, exist_ok=True)
    # Unpacked beside its place and renamed, so that an interrupted fetch never passes for a whole tree.
    with tempfile.TemporaryDirectory(dir=cache_dir(), prefix="fetch-") as scratch:
        corpus.fetch(Path(scratch)).rename(target)
    return target


def _sdist(package: str, version: str) -> Callable[[Path], Path]:
    """Fetch the source archive of a Python package."""

    def fetch(scratch: Path) -> Path:
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
        subprocess.run(
            [*pip, "--no-deps", "--no-binary", package, "-d", str(scratch), f"{package}=={version}"], check=True
        )
        with tarfile.open(next(scratch.glob("*.tar.gz"))) as archive:
            archive.extractall(scratch / "tree", filter="data")
        return next((scratch / "tree").iterdir())

    return fetch


def _linux(scratch: Path) -> Path:
    """Fetch the kernel's source from Debian; needs apt-get and dpkg-deb, no privileges."""
    for tool in ("apt-get", "dpkg-deb", "tar"):
        if shutil.which(tool) is None:
            raise SystemExit(
                f"{tool} is needed to fetch {LINUX}; or unpack a kernel source of your own at {cache_dir() / LINUX}"
            )
    subprocess.run(["apt-get", "download", "--quiet", LINUX], cwd=scratch, check=True)
    package = next(scratch.glob("*.deb"))
    subprocess.run(["dpkg-deb", "--extract", str(package), str(scratch / "package")], check=True)
    archive = next((scratch / "package").glob("usr/src/*.tar.xz"))
    subprocess.run(["tar", "-xJf", str(archive), "-C", str(scratch)], check=True)
    _drop_packaging_rules(scratch / LINUX / ".gitignore")
    return scratch / LINUX


def _drop_packaging_rules(ignore_file: Path) -> None:
    """Take away what Debian adds at the end: `/*`, which ignores the whole tree."""
    text = ignore_file.read_text(encoding="utf-8")
    start = text.find("#\n# Debian packaging:")
    if start >= 0:
        ignore_file.write_text(text[:start].rstrip("\n") + "\n", encoding="utf-8")


CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus("flask", "flask-3.1.3", "flask 3.1.3, 220 files", _sdist("flask", "3.1.3")),
        Corpus("django", "django-5.2.19", "Django 5.2.19, 6,900 files", _sdist("django", "5.2.19")),
        Corpus(
            "homeassistant",
            "homeassistant-2024.3.3",
            "Home Assistant, 36,500 files",
            _sdist("homeassistant", "2024.3.3"),
        ),
        Corpus("linux", LINUX, "the Linux kernel 6.1, 78,000 files", _linux),
    )
}


def main() -> None:
    """Fetch the trees that are named, or all."""
    for name in sys.argv[1:] or CORPORA:
        print(corpus_path(name))


if __name__ == "__main__":
    main()
