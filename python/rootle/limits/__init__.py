"""Every number that bounds what a tool or function takes and gives, in one place.

Names end in their unit where the number has one: `_S` seconds, `_BYTES`, `_CHARS`, `_LINES`. Tools take their defaults
and bounds from here, descriptions print them from the schema, and the core gets them as arguments. The text under each
name is its documentation.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

from rootle.limits.commands import *  # noqa: E402, F403
from rootle.limits.sandboxes import *  # noqa: E402, F403

# --- what is walked ------------------------------------------------------------------------------------------------

SKIP_DIRS: Final[tuple[str, ...]] = (
    ".cache",
    ".direnv",
    ".eggs",
    ".git",
    ".gradle",
    ".hg",
    ".hypothesis",
    ".idea",
    ".jj",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".pnpm-store",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".terraform",
    ".tox",
    ".venv",
    ".yarn",
    "__pycache__",
    "__pypackages__",
    "bower_components",
    "node_modules",
    "site-packages",
    "venv",
)
"""Directories that nobody wants searched; an ignore file's `!name`, or naming one as the start, brings it back."""

IGNORE_FILE_BYTES: Final = 1_000_000
"""The largest ignore file that is read; a larger one is left out with a warning."""

# --- grep ----------------------------------------------------------------------------------------------------------

GREP_DEFAULT_MATCHES: Final = 100
"""Matches given when the caller names no number."""

GREP_MAX_MATCHES: Final = 2_000
"""Most matches that one call gives."""

GREP_MAX_CONTEXT_LINES: Final = 20
"""Most lines of context on either side of a match."""

LINE_CHARS: Final = 400
"""Characters shown of a line that matches; a longer one is clipped around its first match."""

REGEX_STEPS: Final = 1_000_000
"""Backtracking steps that a pattern with look-around or back-references may take at one place."""

REGEX_BYTES: Final = 10_000_000
"""Memory that one compiled pattern may take."""

# --- glob and list_dir ---------------------------------------------------------------------------------------------

GLOB_DEFAULT: Final = 100
"""Paths given when the caller names no number."""

GLOB_MAX: Final = 5_000
"""Most paths that one call gives."""

LIST_DEFAULT_DEPTH: Final = 2
"""Levels listed when the caller names no depth."""

LIST_MAX_DEPTH: Final = 20
"""Deepest level that can be listed."""

LIST_DEFAULT_ENTRIES: Final = 200
"""Entries listed when the caller names no number."""

LIST_MAX_ENTRIES: Final = 5_000
"""Most entries that one call lists."""

# --- read_file -----------------------------------------------------------------------------------------------------

READ_DEFAULT_LINES: Final = 2_000
"""Lines given when the caller names no number."""

READ_MAX_LINES: Final = 20_000
"""Most lines that one call gives."""

READ_LINE_CHARS: Final = 2_000
"""Characters given of one line; the rest is reached with a column."""

READ_CHARS: Final = 100_000
"""Characters that one read gives in all."""

READ_MAX_FILES: Final = 20
"""Most files of one call."""

HASH_BYTES: Final = 64_000_000
"""The largest file whose content hash is taken while it is read."""

COUNT_BYTES: Final = 64_000_000
"""The largest file that is read to its end only to count its lines."""

READ_STATE_MAX_FILES: Final = 1_000
"""Files whose last read is remembered; the longest unused is forgotten first."""

READ_STATE_FILE_BYTES: Final = 1_000_000
"""The largest file whose content is kept after a read, to show later what somebody else changed in it."""

READ_STATE_BYTES: Final = 32_000_000
"""Bytes of such contents in all; the longest unused makes room."""

# --- edits ---------------------------------------------------------------------------------------------------------

EDIT_FILE_BYTES: Final = 64_000_000
"""The largest file that is edited or overwritten."""

EDIT_MAX_EDITS: Final = 200
"""Most edits of one call on one file."""

EDIT_TEXT_CHARS: Final = 20_000_000
"""Longest text that a file can be given, or a diff can have."""

EDIT_WORK: Final = 40_000_000
"""Steps of comparison that finding the place of one edit may take; a step is a few nanoseconds."""

EDIT_SNIPPET_CONTEXT: Final = 3
"""Lines shown before and after each change."""

EDIT_SNIPPET_LINES: Final = 120
"""Lines of changed text that an answer shows in all."""

EDIT_DIFF_LINES: Final = 400
"""Lines of a difference that an answer carries."""

EDIT_HUNKS: Final = 200
"""Hunks and conflicts of one file of a diff that an answer tells of singly; all are counted."""

EDIT_CANDIDATES: Final = 5
"""Places that a refused edit names."""

EDIT_RETRIES: Final = 5
"""How often a diff is applied anew because a file changed between looking and writing."""

EDIT_SHOWN_DIFF_LINES: Final = 60
"""Lines of a difference that the text for the model shows."""

STALE_DIFF_LINES: Final = 40
"""Lines shown of what somebody else changed in a file since it was read."""

EDIT_TIMEOUT_S: Final = 20.0
"""Time limit of an edit that names none; nothing is written after it."""

EDIT_MAX_TIMEOUT_S: Final = 120.0
"""Longest time limit that an edit can be given."""

HASH_LENGTH_BYTES: Final = 32
"""Length of a content hash (BLAKE3)."""

UNDO_ENTRIES: Final = 100
"""Edits that can be taken back, the last one first."""

UNDO_BYTES: Final = 64_000_000
"""Bytes of file content kept for that; the oldest edit is forgotten first."""

# --- time ----------------------------------------------------------------------------------------------------------

SEARCH_TIMEOUT_S: Final = 30.0
"""Time limit of a search, a listing or a read that names none; what was found until then is given."""

SEARCH_MAX_TIMEOUT_S: Final = 600.0
"""Longest time limit that a search can be given."""

PATH_TIMEOUT_S: Final = 10.0
"""How long opening a root, or looking at one path, waits for a file system that does not answer."""

ABORT_POLL_S: Final = 0.02
"""How often the host's abort signal is looked at while a tool waits."""

CANCEL_GRACE_S: Final = 1.0
"""How long a cancelled call may take to end before its caller goes on without it."""

DEADLINE_GRACE_S: Final = 1.0
"""How far past its deadline a tool may go, to hand over what it has, before it is ended."""

# --- words for and from the model ----------------------------------------------------------------------------------

OUTPUT_CHARS: Final = 100_000
"""Characters that one tool's text may have; tools cut at entries or lines and say so."""

ARGUMENT_REPAIRS: Final = 32
"""Corrections made to the arguments of one call before they are refused."""

ARGUMENT_SHOWN_CHARS: Final = 80
"""Characters of a refused argument that an error repeats."""

NEAR_NAMES: Final = 3
"""Near names offered for an unknown tool or parameter."""

PROMPT_FILE_BYTES: Final = 64_000
"""The largest prompt file that is read."""

PROMPT_DESCRIPTION_CHARS: Final = 1_024
"""Longest description of a built-in tool; some providers refuse a longer one."""
