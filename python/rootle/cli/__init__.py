"""The command line: `rootle grep|glob|ls|read|call|tools|bench`.

Each command is a module of this package with `arguments(parser)` and `run(args)`; a command imports what it needs when
it runs, so that `rootle --version` costs little more than the interpreter and a search no more than the search.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code: 0 found, 1 nothing found, 2 error, 130 interrupted."""
    args = sys.argv[1:] if argv is None else list(argv)
    try:
        if args[:1] in (["--version"], ["-V"]):
            from rootle import __version__

            sys.stdout.write(f"rootle {__version__}\n")
            sys.stdout.flush()
            return 0
        from rootle.cli.dispatch import dispatch

        return dispatch(args)
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        from rootle.cli.dispatch import output_failed

        return output_failed(error)
