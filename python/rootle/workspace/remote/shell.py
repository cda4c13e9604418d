"""How every script begins.

Nothing is ever put into a script's text. Parameters come as arguments; paths among them have their unusual bytes as
escapes of `printf %b`, so that every client can carry them. Fields of what is printed end in NUL bytes, since names
can have all others.
"""

from __future__ import annotations

__all__ = ["BEGIN", "SHOW"]

BEGIN = r"""
export LC_ALL=C TZ=UTC0
unset CDPATH GREP_OPTIONS GREP_COLORS RIPGREP_CONFIG_PATH POSIXLY_CORRECT
IFS=' '
line_feed='
'
decode() {
  case $1 in
    *\\*) decoded=$(printf %b "$1"; printf x); decoded=${decoded%x} ;;
    *) decoded=$1 ;;
  esac
}
decode "$1"
cd -P -- "$decoded" 2>/dev/null || { printf 'rootle: no root\n' >&2; exit 70; }
root=$PWD
shift
"""
"""The first argument is the root: the script runs in it."""

SHOW = r"""
if [ "$1" = find ]; then
  show() { find "$@" -maxdepth 0 -printf '%y%Y %s %T@ %C@ %m %i %D %n'; }
else
  show() { stat -c '%f %s %y|%z|%a %i %d %h' -- "$@"; }
fi
how=$1
shift
"""
"""The next argument, "find" or "stat", says which of them tells of files."""
