"""The numbers of commands, of the tools that are made of them, and of trees that are reached through them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# --- commands ------------------------------------------------------------------------------------------------------

EXEC_TIMEOUT_S: Final = 120.0
"""Time limit of a command that names none."""

EXEC_MAX_TIMEOUT_S: Final = 3_600.0
"""Longest time limit that a command can be given."""

EXEC_OUTPUT_BYTES: Final = 1_000_000
"""Bytes of each output stream that are kept: the first quarter and the last three quarters of them."""

EXEC_SPILL_BYTES: Final = 256_000_000
"""Bytes of a file that takes the whole output of a command."""

EXEC_FILE_BYTES: Final = 256_000_000
"""The largest file that a sandbox's `read_file` and `write_file` take."""

EXEC_GRACE_S: Final = 0.25
"""Between asking a command's processes to end (SIGTERM) and killing them, at its time limit."""

EXEC_CANCEL_GRACE_S: Final = 0.1
"""The same when the call is cancelled or interrupted, or the host is gone."""

EXEC_SETTLE_S: Final = 0.2
"""After a command's own end, for what it left running to end by itself before it is ended."""

EXEC_DRAIN_S: Final = 0.2
"""How long output is still read after the end, when a process that was kept holds it open."""

EXEC_KILL_S: Final = 2.0
"""How long processes that were killed may take to disappear before they are reported as left."""

EXEC_SPILL_AGE_S: Final = 86_400.0
"""Age at which files of whole outputs are removed."""

# --- what tools say of commands -------------------------------------------------------------------------------------

COMMAND_SHOWN_BYTES: Final = 30_000
"""Bytes of a command's output that a tool's text shows: the first quarter and the last three quarters of them."""

COMMAND_SHOWN_CHARS: Final = 60_000
"""Characters that such a part of the output may have once control characters are written as escapes."""

COMMAND_TOLD_CHARS: Final = 2_000
"""Characters of a command's own text that its result repeats."""

COMMAND_CHARS: Final = 20_000_000
"""Longest text of a command or program, and of its input."""

COMMAND_ARGUMENT_BYTES: Final = 100_000
"""The longest command given to a remote shell as an argument; a longer one goes through its input."""

COMMAND_PROGRESS_S: Final = 0.1
"""How often the host is told of new output while a command runs."""

COMMAND_PROGRESS_CHARS: Final = 10_000
"""Characters of output that one such report holds; what is left comes with the next."""

COMMAND_SEQUENCE_CHARS: Final = 8_192
"""Longest escape sequence that is taken for one; a longer one is text."""

BENIGN_SCRIPT_CHARS: Final = 20_000
"""The longest command that is looked through for what its exit code means."""

JOBS_MAX: Final = 16
"""Background jobs of one workspace that run at one time."""

JOBS_KEPT: Final = 64
"""Commands of one workspace whose output can be asked for after their end; the oldest is forgotten first."""

JOBS_KEPT_BYTES: Final = 1_000_000_000
"""Bytes of such outputs in all; the oldest is forgotten, and its file removed, first."""

JOB_WAIT_MAX_S: Final = 600.0
"""Longest time that one call waits for output of a job."""

JOB_POLL_S: Final = 0.05
"""How often a job's output is looked at while a call waits for it."""

JOB_ANSWER_S: Final = 0.5
"""How long a call that sends input waits for an answer to it when it names no time."""

JOB_STDIN_S: Final = 5.0
"""How long a job may take to read what is sent to its input; what is left then was not sent."""

JOB_CLOSE_S: Final = 3.0
"""How long closing a toolbox waits for its jobs to end."""

# --- git and networks ----------------------------------------------------------------------------------------------

RESOLVE_TIMEOUT_S: Final = 10.0
"""How long the name of a host may take to be resolved."""

# --- runs of tests -------------------------------------------------------------------------------------------------

TESTS_TIMEOUT_S: Final = 600.0
"""Time limit of a run of tests that names none."""

TESTS_OUTPUT_BYTES: Final = 64_000_000
"""Bytes of a test runner's output that are looked at; beyond them the middle is missing."""

TESTS_REPORT_BYTES: Final = 64_000_000
"""The largest machine report of a test runner that is read."""

TESTS_PROBE_BYTES: Final = 1_000_000
"""Bytes that the look at what a directory holds may give."""

TESTS_PROBE_TIMEOUT_S: Final = 20.0
"""How long that look, reading a report, or removing it may take."""

TESTS_FAILURES: Final = 50
"""Failed tests that an answer names; all are counted."""

TESTS_FAILURES_KEPT: Final = 1_000
"""Failed tests that are kept of a run's output or report; all are counted."""

TESTS_MESSAGE_CHARS: Final = 1_500
"""Characters of what one failed test says."""

TESTS_MESSAGES_CHARS: Final = 20_000
"""Characters of such messages that the text for the model shows in all; the other tests are only named."""

TESTS_TAIL_CHARS: Final = 6_000
"""Characters of the output's end that an answer carries."""

TESTS_LINE_CHARS: Final = 1_000
"""Characters that are looked at of one line of a runner's output."""

TESTS_BLOCK_CHARS: Final = 8_000
"""Characters that are looked at of what a runner says of one test."""

TESTS_MARKS: Final = 200_000
"""Lines of a runner's output that are looked at closely."""

GIT_TIMEOUT_S: Final = 30.0
"""Time limit of looking at a repository that names none."""

GIT_MAX_TIMEOUT_S: Final = 600.0
"""Longest time limit that looking at a repository can be given."""

GIT_FACTS_BYTES: Final = 1_000_000
"""The largest configuration of a repository that is read."""

GIT_ERROR_CHARS: Final = 2_000
"""Characters of what git says of a failure that are repeated."""

DIFF_BYTES: Final = 50_000
"""Bytes of difference that an answer shows which names no other number."""

DIFF_MAX_BYTES: Final = 80_000
"""Most bytes of difference that one answer can be given."""

DIFF_TABLE_BYTES: Final = 16_000_000
"""Bytes of names and counts of changed files that are read."""

DIFF_FILES: Final = 5_000
"""Changed files that an answer carries; all that were read are counted."""

DIFF_SHOWN_FILES: Final = 200
"""Changed files that the text for the model lists."""

DIFF_PATHS: Final = 200
"""Most paths that a difference can be limited to."""

DIFF_CONTEXT_LINES: Final = 3
"""Unchanged lines around each change."""

DIFF_MAX_CONTEXT_LINES: Final = 1_000
"""Most unchanged lines around each change."""

UNTRACKED_BYTES: Final = 4_000_000
"""Bytes of names of untracked files that are read."""

UNTRACKED_SHOWN: Final = 10
"""Untracked files that are named; all that were read are counted."""

CLONE_TIMEOUT_S: Final = 300.0
"""Time limit of a clone that names none."""

CLONE_MAX_TIMEOUT_S: Final = 3_600.0
"""Longest time limit that a clone can be given."""

CLONE_DEPTH: Final = 1_000_000
"""Most commits of history that a clone can be limited to."""

CLONE_REDIRECTS: Final = 5
"""Most redirects of a server that a clone follows; each one is checked like the first address."""

CLONE_STALL_S: Final = 30.0
"""How long a server may send next to nothing before a clone is given up."""

CLONE_CLEANUP_S: Final = 10.0
"""How long removing what a cancelled clone left may take."""
