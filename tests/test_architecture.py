"""The shape of the code: who may import whom, how long a file may be, what names are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
PACKAGE = REPOSITORY / "python/rootle"
MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = [
    path
    for folder in ("python", "rust", "tests", "benches")
    for path in sorted((REPOSITORY / folder).rglob("*"))
    if path.suffix in (".py", ".rs") and "target" not in path.parts
]

# A module imports from its own layer or from one below (a smaller number). The longest prefix counts.
LAYERS = {
    "rootle": 9,
    "rootle.__main__": 9,
    "rootle.cli": 8,
    "rootle.bench": 8,
    "rootle.adapters": 8,
    "rootle.compat": 8,
    "rootle.toolbox": 7,
    "rootle.tools": 6,
    "rootle.primitives": 5,
    "rootle.editing": 5,
    "rootle.reports": 5,
    "rootle.sandbox": 5,
    "rootle.commands": 5,
    "rootle.testruns": 5,
    "rootle.lsp": 5,
    "rootle.web": 5,
    "rootle.git": 5,
    "rootle.workspace": 4,
    "rootle.framework": 4,
    "rootle.contracts": 3,
    "rootle.notices": 2,
    "rootle.rendering": 2,
    "rootle.results": 2,
    "rootle.options": 1,
    "rootle.limits": 1,
    "rootle.errors": 1,
    "rootle._core": 0,
}
LINES_MAX = 400
BANNED = {"common", "helpers", "manager", "misc", "util", "utils"}


def module_name(path: Path) -> str:
    """Give the dotted name of a module of the package."""
    parts = ("rootle", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer(module: str) -> int:
    """Give the layer of a module, or fail when it has none."""
    parts = module.split(".")
    for length in range(len(parts), 1, -1):
        if (found := LAYERS.get(".".join(parts[:length]))) is not None:
            return found
    assert module == "rootle", f"{module} stands in no layer: add it to LAYERS"
    return LAYERS["rootle"]


def imports(tree: ast.AST) -> Iterator[str]:
    """Go through the modules of rootle that are imported when the code runs, also inside functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "rootle")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "rootle":
            for alias in node.names:
                deeper = f"{node.module}.{alias.name}"
                is_module = (PACKAGE.parent / deeper.replace(".", "/")).with_suffix(".py").exists()
                yield deeper if is_module or deeper in LAYERS else node.module
        yield from imports(node)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_down(path: Path) -> None:
    """Nothing imports from a layer above its own, and tools do not import one another."""
    name = module_name(path)
    for imported in imports(ast.parse(path.read_text())):
        if imported == "rootle":
            continue  # Its version and lazy names; what they stand for is imported where it is used.
        assert layer(imported) <= layer(name), f"{name} imports {imported}, which stands above it"
        if name.startswith("rootle.tools."):
            assert not imported.startswith("rootle.tools"), f"{name} imports the tool {imported}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_file_is_not_too_long(path: Path) -> None:
    """A file that needs more lines has more than one purpose."""
    assert len(path.read_text().splitlines()) <= LINES_MAX


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_file_is_named_for_its_purpose(path: Path) -> None:
    """Names that say nothing are not used."""
    assert not BANNED & {path.stem, path.parent.name}


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_public_names_are_sorted(path: Path) -> None:
    """`__all__` has constants, then classes, then the rest, each by name, and nothing twice."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
            assert names == sorted(set(names), key=lambda name: (not name.isupper(), not name[0].isupper(), name))


def test_core_knows_no_python() -> None:
    """Only the binding crate depends on PyO3."""
    for manifest in sorted((REPOSITORY / "rust").glob("*/Cargo.toml")):
        if manifest.parent.name != "rootle-py":
            assert "pyo3" not in manifest.read_text(), manifest
