"""The error classes: complete, told apart, readable, and fit to travel."""

from __future__ import annotations

import builtins
import copy
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rootle import errors
from rootle.errors import (
    FileOperationError,
    PathNotFound,
    RootleError,
    ToolExecutionError,
    ToolRetryError,
    UserAbortError,
    all_errors,
)

RUST = Path(__file__).parent.parent / "rust/rootle-base/src/error.rs"
# Variants whose class has another name; Interrupted is raised by Python itself.
RENAMED = {"Cancelled": "UserAbortError", "Internal": "RootleInternalError", "Interrupted": None, "Io": "IoFailed"}

# class: kind, builtin, code
TREE: dict[str, tuple[type[Exception], type[Exception], str]] = {
    "AddressRefused": (ToolRetryError, PermissionError, "address_refused"),
    "AlreadyExists": (ToolRetryError, FileExistsError, "already_exists"),
    "AmbiguousMatch": (ToolRetryError, LookupError, "ambiguous_match"),
    "CloneFailed": (ToolExecutionError, Exception, "clone_failed"),
    "CommitIncomplete": (FileOperationError, OSError, "commit_incomplete"),
    "DeadlineExceeded": (ToolRetryError, TimeoutError, "deadline_exceeded"),
    "FileOperationError": (RootleError, Exception, "file_operation_error"),
    "FileTooLarge": (ToolRetryError, OSError, "file_too_large"),
    "GitFailed": (ToolExecutionError, Exception, "git_failed"),
    "HostNotFound": (ToolRetryError, LookupError, "host_not_found"),
    "InvalidArgument": (ToolRetryError, ValueError, "invalid_argument"),
    "InvalidCursor": (ToolRetryError, ValueError, "invalid_cursor"),
    "InvalidEdit": (ToolRetryError, ValueError, "invalid_edit"),
    "InvalidGlob": (ToolRetryError, ValueError, "invalid_glob"),
    "InvalidPatch": (ToolRetryError, ValueError, "invalid_patch"),
    "InvalidPath": (ToolRetryError, ValueError, "invalid_path"),
    "InvalidPattern": (ToolRetryError, ValueError, "invalid_pattern"),
    "InvalidPrompt": (RootleError, ValueError, "invalid_prompt"),
    "InvalidTool": (RootleError, TypeError, "invalid_tool"),
    "IoFailed": (FileOperationError, OSError, "io_failed"),
    "IsADirectory": (ToolRetryError, IsADirectoryError, "is_a_directory"),
    "NoTestRunner": (ToolRetryError, LookupError, "no_test_runner"),
    "NotADirectory": (ToolRetryError, NotADirectoryError, "not_a_directory"),
    "NotARegularFile": (ToolRetryError, OSError, "not_a_regular_file"),
    "NotARepository": (ToolRetryError, LookupError, "not_a_repository"),
    "NotEditable": (ToolRetryError, ValueError, "not_editable"),
    "NothingToUndo": (ToolRetryError, LookupError, "nothing_to_undo"),
    "PathEscapesRoot": (ToolRetryError, PermissionError, "path_escapes_root"),
    "PathNotFound": (ToolRetryError, FileNotFoundError, "path_not_found"),
    "PatternTooLarge": (ToolRetryError, ValueError, "pattern_too_large"),
    "PermissionDenied": (FileOperationError, PermissionError, "permission_denied"),
    "ProtectedPath": (ToolRetryError, PermissionError, "protected_path"),
    "RepositoryRefused": (ToolRetryError, PermissionError, "repository_refused"),
    "RootGone": (FileOperationError, FileNotFoundError, "root_gone"),
    "RootleError": (RootleError, Exception, "rootle_error"),
    "RootleInternalError": (RootleError, Exception, "rootle_internal_error"),
    "SandboxUnavailable": (ToolExecutionError, Exception, "sandbox_unavailable"),
    "StaleFile": (ToolRetryError, OSError, "stale_file"),
    "SymlinkLoop": (ToolRetryError, OSError, "symlink_loop"),
    "TextNotFound": (ToolRetryError, LookupError, "text_not_found"),
    "TooManyJobs": (ToolRetryError, Exception, "too_many_jobs"),
    "ToolExecutionError": (RootleError, Exception, "tool_execution_error"),
    "ToolRetryError": (RootleError, Exception, "tool_retry_error"),
    "UnencodableText": (ToolRetryError, ValueError, "unencodable_text"),
    "UnknownFileType": (ToolRetryError, ValueError, "unknown_file_type"),
    "UnknownJob": (ToolRetryError, LookupError, "unknown_job"),
    "UnknownTool": (ToolRetryError, LookupError, "unknown_tool"),
    "UnreadFile": (ToolRetryError, PermissionError, "unread_file"),
    "UnsafeEdit": (ToolRetryError, ValueError, "unsafe_edit"),
    "Unwritable": (FileOperationError, PermissionError, "unwritable"),
    "UserAbortError": (RootleError, Exception, "user_abort_error"),
    "WriteUnsettled": (FileOperationError, TimeoutError, "write_unsettled"),
}
EVERY = pytest.mark.parametrize("error", all_errors(), ids=lambda error: error.__name__)


def test_every_error_is_in_the_table() -> None:
    """A class without a row here fails, and so does a row without a class."""
    assert [error.__name__ for error in all_errors()] == sorted(TREE)


def test_every_error_is_drawn_in_the_tree() -> None:
    """The drawing at the top of the module names each class and its builtin."""
    drawing = (errors.__doc__ or "").split("`str()`")[0]
    for name, (_, builtin, _) in TREE.items():
        also = "" if builtin is Exception else rf"\s+also {builtin.__name__}\b"
        assert re.search(rf"\b{name}{also}", drawing), name


def test_every_error_of_the_core_has_a_class() -> None:
    """One class for each variant of the core's error type."""
    body = RUST.read_text().split("pub enum Error {")[1]
    variants = re.findall(r"^    (\w+)(?: \{|,)$", body, flags=re.MULTILINE)
    assert len(variants) > 15
    for variant in variants:
        name = RENAMED.get(variant, variant)
        assert name is None or name in TREE, variant


@EVERY
def test_error_is_of_its_kind(error: type[RootleError]) -> None:
    """Kind, builtin and code are as the table says."""
    kind, builtin, code = TREE[error.__name__]
    assert issubclass(error, kind)
    assert issubclass(error, builtin)
    assert error.code == code


@EVERY
def test_error_of_keeps_the_message_and_the_facts(error: type[RootleError]) -> None:
    """`of` puts hint and suggestions in their places and sets nothing of the operating system's."""
    made = error.of('"x" is wrong', path="x", operation="open", suggestions=["y", "z"], hint="Try again.")
    assert made.message == '"x" is wrong'
    assert made.suggestions == ("y", "z")
    assert made.hint == "Try again."
    assert made.details["path"] == "x"
    if not isinstance(made, ToolExecutionError):
        assert str(made) == '"x" is wrong. Did you mean "y" or "z"? Try again.'
    if isinstance(made, OSError):
        assert (made.errno, made.strerror, made.filename) == (None, None, None)


@EVERY
@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda e: pickle.loads(pickle.dumps(e))])
def test_error_travels(error: type[RootleError], travel: object) -> None:
    """A copy or a pickle is the same in everything that can be read of it."""
    made = error.of("wrong", path="x", kind="fifo", suggestions=["y"])
    made.add_note("a note")
    again = travel(made)  # type: ignore[operator]
    assert type(again) is error
    assert (str(again), again.args, vars(again)) == (str(made), made.args, vars(made))


class Unpicklable(Exception):
    """Cannot be rebuilt from its args."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def test_original_error_that_cannot_be_pickled_becomes_its_description() -> None:
    """The error that holds it travels all the same."""
    again = pickle.loads(pickle.dumps(ToolExecutionError("count", "failed", Unpicklable(1, 2))))
    assert str(again.original_error) == "Unpicklable: 1 and 2"
    assert again.tool_name == "count"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ToolRetryError("no"), "no"),
        (ToolRetryError("no", "Do this."), "no. Do this."),
        (ToolRetryError("Really?", suggestions=["a"]), 'Really? Did you mean "a"?'),
        (ToolRetryError("no", suggestions="abc"), 'no. Did you mean "a", "b" or "c"?'),
        (ToolRetryError(), "ToolRetryError"),
        (UserAbortError("aborted"), "aborted"),
        (ToolExecutionError("bash", "no shell", OSError(2, "x")), "bash failed: no shell"),
        (FileOperationError("read", "a.py", "disk error"), 'read of "a.py" failed: disk error'),
    ],
)
def test_error_reads_as_sentences(error: RootleError, text: str) -> None:
    """What `str` gives is for a model."""
    assert str(error) == text


def test_hard_failures_keep_their_parts() -> None:
    """The constructors of the two hard kinds take their parts by position."""
    cause = ValueError("x")
    failed = ToolExecutionError("bash", "no shell", cause)
    broken = FileOperationError("read", "a.py", "disk error", cause)
    assert (failed.tool_name, failed.message, failed.original_error) == ("bash", "no shell", cause)
    assert (broken.operation, broken.path, broken.message) == ("read", "a.py", "disk error")
    assert broken.original_error is cause


def test_error_without_a_hint_has_its_class_hint() -> None:
    """A hint that is given wins over the class's."""
    assert "inside the root" in str(errors.PathEscapesRoot.of("x"))
    assert errors.PathEscapesRoot.of("x", hint="Other.").hint == "Other."


def test_error_can_be_caught_as_its_builtin() -> None:
    """Callers who know nothing of rootle catch what they know."""
    with pytest.raises(builtins.FileNotFoundError):
        raise PathNotFound.of("gone", path="x")


def test_errors_and_limits_are_light() -> None:
    """Importing them loads nothing heavy."""
    code = (
        "import sys, rootle.errors, rootle.limits; print(sorted({'asyncio', 'pydantic', 'pickle'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
