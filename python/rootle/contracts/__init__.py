"""What the parts agree on, without any part's code.

- `Backend` is where a workspace's tree is; `SandboxClient` is how a tree on another machine is reached.
- `CallContext` is what one tool call carries: abort signal, progress, deadline, and the host's say in edits.
- `ReadState` remembers what was read, so that a stale edit is noticed and an unchanged file is not read twice.
- `AfterEdit` is told of every edit; `ContentPart` is a piece of a result that is more than text.
"""

from rootle.contracts.backend import Backend
from rootle.contracts.commands import CommandResult, SupportsStreaming, SupportsSupervision
from rootle.contracts.content import ContentPart, ImagePart, TextPart
from rootle.contracts.context import AbortSignal, CallContext, Progress, current_context
from rootle.contracts.edits import (
    Action,
    ActionRefused,
    AfterEdit,
    Confirm,
    Edit,
    Replacement,
    Undoable,
    as_replacements,
    is_temporary,
    tell_after_edit,
)
from rootle.contracts.read_state import Fingerprint, ReadRecord, ReadState
from rootle.contracts.sandbox import ExecResult, SandboxClient

__all__ = [
    "AbortSignal",
    "Action",
    "ActionRefused",
    "AfterEdit",
    "Backend",
    "CallContext",
    "CommandResult",
    "Confirm",
    "ContentPart",
    "Edit",
    "ExecResult",
    "Fingerprint",
    "ImagePart",
    "Progress",
    "ReadRecord",
    "ReadState",
    "Replacement",
    "SandboxClient",
    "SupportsStreaming",
    "SupportsSupervision",
    "TextPart",
    "Undoable",
    "as_replacements",
    "current_context",
    "is_temporary",
    "tell_after_edit",
]
