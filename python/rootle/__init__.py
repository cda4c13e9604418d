"""The hands of a coding agent: file and search tools that see one directory and nothing above it.

`Toolbox(root)` gives an agent its tools; `grep`, `glob`, `walk`, `read` and `list_dir` are the same operations as plain
functions. Names are imported on first use, so that `import rootle` costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rootle._core import CancelToken
    from rootle.contracts import Replacement
    from rootle.editing import apply_edit, apply_edits, apply_patch, locate
    from rootle.framework import Observation, base_tool, file_tool
    from rootle.git.numstat import parse_numstat
    from rootle.primitives import glob, grep, list_dir, read, walk
    from rootle.testruns import RunSummary, parse_test_runner_output
    from rootle.toolbox import Toolbox
    from rootle.workspace import Workspace
    from rootle.workspace.aio import AsyncWorkspace

__version__ = "0.1.0"

_WHERE = {
    "AsyncWorkspace": "rootle.workspace.aio",
    "CancelToken": "rootle._core",
    "Observation": "rootle.framework",
    "Replacement": "rootle.contracts",
    "RunSummary": "rootle.testruns",
    "Toolbox": "rootle.toolbox",
    "Workspace": "rootle.workspace",
    "apply_edit": "rootle.editing",
    "apply_edits": "rootle.editing",
    "apply_patch": "rootle.editing",
    "base_tool": "rootle.framework",
    "file_tool": "rootle.framework",
    "glob": "rootle.primitives",
    "grep": "rootle.primitives",
    "list_dir": "rootle.primitives",
    "locate": "rootle.editing",
    "parse_numstat": "rootle.git.numstat",
    "parse_test_runner_output": "rootle.testruns",
    "read": "rootle.primitives",
    "walk": "rootle.primitives",
}

__all__ = [
    "AsyncWorkspace",
    "CancelToken",
    "Observation",
    "Replacement",
    "RunSummary",
    "Toolbox",
    "Workspace",
    "__version__",
    "apply_edit",
    "apply_edits",
    "apply_patch",
    "base_tool",
    "file_tool",
    "glob",
    "grep",
    "list_dir",
    "locate",
    "parse_numstat",
    "parse_test_runner_output",
    "read",
    "walk",
]


def __getattr__(name: str) -> object:
    module = _WHERE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
