"""The numbers of sandboxes, and of trees in one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

BUBBLEWRAP_SCRATCH_BYTES: Final = 1_000_000_000
"""What each scratch directory of a bubblewrap sandbox holds at most; they live in memory."""

BUBBLEWRAP_TRIAL_S: Final = 10.0
"""Time limit of the first command of a bubblewrap sandbox, which finds out whether there can be one."""

POOL_CHECK_S: Final = 10.0
"""Time limit of a pool's health check of a sandbox."""

SSH_CONNECT_S: Final = 20.0
"""Time for connecting to another machine and logging in."""

SSH_KEEPALIVE_S: Final = 15.0
"""Silence on a connection after which the other side is asked for a sign of life."""

HTTP_CONNECT_S: Final = 10.0
"""Time for connecting to a sandbox's HTTP server."""

HTTP_PING_S: Final = 5.0
"""How often the server gives a sign of life while a command runs."""

HTTP_SILENCE_S: Final = 20.0
"""How long the server may say nothing before it is taken for lost."""

HTTP_IDLE_S: Final = 60.0
"""How long the server waits for a request, for the next part of one, or for a client that does not read."""

HTTP_LINGER_S: Final = 1.0
"""How long what a client still sends is taken and dropped after its request was refused."""

HTTP_CONNECTIONS: Final = 256
"""Connections that the server answers at one time; others wait."""

HTTP_HEADER_BYTES: Final = 65_536
"""The largest head of a request."""

HTTP_BODY_BYTES: Final = 64_000_000
"""The largest exec request, with its input."""

HTTP_OUTPUT_BYTES: Final = 64_000_000
"""The most that the server sends of each output stream at a command's end, whatever a request asks for."""

HTTP_LINE_BYTES: Final = 1_000_000
"""The longest event that a client takes."""

HTTP_LIVE_BYTES: Final = 48_000
"""Bytes of output in one piece while a command runs."""

REMOTE_INLINE_BYTES: Final = 2_000_000
"""The largest file that is read with the same command that looks at its path."""

REMOTE_WHOLE_BYTES: Final = 16_000_000
"""The largest file that a read fetches whole, and with that hashes; larger ones are read by ranges."""

REMOTE_RANGE_BYTES: Final = 1_000_000
"""Bytes that a read by ranges fetches first; more follow as long as the lines asked for need them."""

REMOTE_LISTING_BYTES: Final = 128_000_000
"""Bytes of a listing of a tree; what is beyond them is left out, and the result says so."""

REMOTE_FETCH_BYTES: Final = 8_000_000
"""Bytes of files that one command of a search fetches."""

REMOTE_SEARCH_BYTES: Final = 256_000_000
"""Bytes of files that a search fetches in all; what is beyond them is left out, and the result says so."""

REMOTE_REPLICAS: Final = 4
"""Listings of which the form in memory is kept, for when a tree has not changed since."""

REMOTE_SCRATCH_AGE_S: Final = 60.0
"""Age at which a replica that nobody uses is taken for left over."""

REMOTE_GRACE_S: Final = 3.0
"""How long past its time limit a client may take to say that a command met it."""

REMOTE_NAMES_S: Final = 2.0
"""How long it is remembered where a path led, between the steps of one edit."""

REMOTE_SLACK_S: Final = 5.0
"""How much longer than promised another machine may take before it is not waited for any more."""

DOCKER_ANSWER_S: Final = 60
"""How long a container engine may take for an answer."""

DOCKER_QUICK_S: Final = 30.0
"""Time limit of the short scripts by which a container's files are looked at."""
