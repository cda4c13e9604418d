"""Random trees with ignore files: a listing through a sandbox gives what a local walk gives."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rootle import Workspace
from rootle.sandbox import LocalSandbox
from rootle.workspace import SandboxBackend

NAMES = ["a", "b.py", ".h", "node_modules", "build", "x y", "c\n", "*", "é", "[q]", "-r"]
RULES = ["a", "*.py", "!b.py", "build/", "/a", "!node_modules", "x?y", "**/c*", "!.h", "\\*", "a/**", "*/", "!*/"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)
IGNORE = st.tuples(
    st.lists(st.sampled_from(NAMES), max_size=2),
    st.sampled_from([".gitignore", ".ignore", ".rootleignore", ".git/info/exclude"]),
    st.lists(st.sampled_from(RULES), max_size=3),
)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Give one directory for all trees: each client asks its sandbox only once what it has."""
    directory = Path(tempfile.mkdtemp())
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(scope="module")
def spaces(place: Path) -> tuple[Workspace, Workspace]:
    """Give the two workspaces that are compared."""
    return Workspace(place), Workspace(backend=SandboxBackend(LocalSandbox(place)))


def grow(place: Path, files: list[str], rules: list[tuple[list[str], str, list[str]]]) -> None:
    """Make the tree; what does not fit to what is there is left out."""
    for child in place.iterdir():
        shutil.rmtree(child) if child.is_dir() and not child.is_symlink() else child.unlink()
    wanted = [(name, "needle\n") for name in files]
    wanted += [("/".join([*names, kind]), "".join(f"{line}\n" for line in lines)) for names, kind, lines in rules]
    for name, text in wanted:
        path = place / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        except OSError:
            continue


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    files=st.lists(PATHS, max_size=8),
    rules=st.lists(IGNORE, max_size=4),
    hidden=st.booleans(),
    no_ignore=st.booleans(),
    depth=st.sampled_from([None, 1, 2]),
    glob=st.sampled_from([(), ("*.py",), ("a/**",), (".h",)]),
    skip=st.sampled_from([None, (), ("a",)]),
)
def test_walk_and_glob_and_grep(
    place: Path,
    spaces: tuple[Workspace, Workspace],
    files: list[str],
    rules: list[tuple[list[str], str, list[str]]],
    hidden: bool,
    no_ignore: bool,
    depth: int | None,
    glob: tuple[str, ...],
    skip: tuple[str, ...] | None,
) -> None:
    """The same paths, in the same order, for every choice of rules."""
    grow(place, files, rules)
    local, remote = spaces
    options = {"hidden": hidden, "no_ignore": no_ignore, "skip_dirs": skip}
    expected = local.walk(glob=glob, max_depth=depth, **options)  # type: ignore[arg-type]
    found = remote.walk(glob=glob, max_depth=depth, **options)  # type: ignore[arg-type]
    assert found.paths == expected.paths
    assert found.complete
    pattern = glob or ("*",)
    assert (
        remote.glob(pattern, sort="path", **options).paths  # type: ignore[arg-type]
        == local.glob(pattern, sort="path", **options).paths  # type: ignore[arg-type]
    )
    matches = [(match.path, match.line) for match in local.grep("needle", glob=glob, **options).matches]  # type: ignore[arg-type]
    assert [(match.path, match.line) for match in remote.grep("needle", glob=glob, **options).matches] == matches  # type: ignore[arg-type]
