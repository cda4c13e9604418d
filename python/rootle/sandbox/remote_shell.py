"""Shell text for a machine that has only POSIX tools: how a command is started there, recognised, and ended.

The text that starts a command is read from standard input, so that neither its arguments nor its variables stand in a
process list or meet the bound on one argument; what follows on standard input is the command's own. The command becomes
the process that the transport started, which therefore tells exactly how it ended. All that it starts carries
`ROOTLE_EXEC_ID` in its environment, by which it is found (on Linux) whatever group and session it went to.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rootle.errors import InvalidArgument
from rootle.sandbox.headtail import HeadTail

__all__ = ["Refused", "Stream", "end_text", "reader", "start_text"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

_START = r"""
n=@NONCE@ w=0
if [ -d /proc/$$ ]; then
  w=$(ROOTLE_EXEC_WATCH=$n sh -c @WATCH@ sh $$ $PPID @LIMIT@ $n </dev/null >/dev/null 2>&1 & echo $!)
fi
printf '\n%s %s %s\n' $n $$ $w; printf '\n%s %s %s\n' $n $$ $w >&2
r=@ROOT@
cd -- "$r" 2>/dev/null && r=$(pwd -P) && cd -- @CWD@ 2>/dev/null || {
  [ -e @CWD@ ] && printf '%s file\n' $n >&2 || printf '%s cwd\n' $n >&2; exit 125
}
case $(pwd -P)/ in "${r%/}"/*) ;; *) printf '%s outside\n' $n >&2; exit 125;; esac
@EXPORTS@
export ROOTLE_EXEC_ID=$n
set -- @ARGV@
f=127
case $1 in
  */*) [ -e "$1" ] && f=126; [ -f "$1" ] && [ -x "$1" ] && f=0;;
  *) IFS=:
     for d in $PATH; do
       [ -f "${d:-.}/$1" ] && { [ -x "${d:-.}/$1" ] && f=0 && break; f=126; }
     done
     unset IFS;;
esac
[ $f = 0 ] || { printf '%s %s\n' $n $f >&2; exit 125; }
@PREFIX@
unset n r d f w
exec "$@"
"""

# A process that outlives the connection. It ends the command when that is lost, or nobody else did. Its group is the
# command's, which it therefore kills last.
_WATCH = r"""
trap '' HUP INT TERM
p=$1 s=$2 t=$3 n=$4
while [ $t -gt 0 ]; do
  sleep 1; t=$((t - 1))
  if [ $s != 0 ] && [ ! -d /proc/$s ]; then break; fi
  [ -d /proc/$p ] || exit 0
done
found() {
  for f in $(grep -zslF "ROOTLE_EXEC_ID=$n" /proc/[0-9]*/environ); do f=${f#/proc/}; echo ${f%/environ}; done
}
for signal in TERM CONT KILL KILL; do
  for f in $(found); do kill -s $signal $f 2>/dev/null; done
  if [ $signal = CONT ]; then kill -s TERM -- -$p 2>/dev/null; sleep 1; fi
done
kill -s KILL -- -$p 2>/dev/null
"""

_END = r"""
n=@NONCE@ p=@PID@ w=@WATCHER@
found() {
  for f in $(grep -zslF "ROOTLE_EXEC_ID=$n" /proc/[0-9]*/environ); do f=${f#/proc/}; echo ${f%/environ}; done
}
living() {
  [ -n "$(found)" ] || { [ $p != 0 ] && kill -0 -- -$p 2>/dev/null; }
}
signal() {
  [ $p != 0 ] && kill -s $1 -- -$p 2>/dev/null
  for f in $(found); do kill -s $1 $f 2>/dev/null; done
}
within() {
  t=$1
  while living; do
    [ $t -gt 0 ] || return 1
    sleep 0.02 2>/dev/null || { sleep 1; t=$((t - 50)); }
    t=$((t - 1))
  done
}
[ $w = 0 ] || kill -s KILL $w 2>/dev/null
if within @SETTLE@; then
  echo $n 0
else
  signal TERM; signal CONT
  within @GRACE@ || {
    k=@KILL@
    while living; do
      [ $k -gt 0 ] || break
      signal KILL; within 2; k=$((k - 2))
    done
  }
  echo $n $(found | wc -l)
fi
"""


class Refused(Exception):
    """The start text started no command: `reason` is "cwd", "file", "outside", or the exit code "127" or "126"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def reader(length: int) -> str:
    """Give the command line that reads a text of that length and follows it; every login shell understands it."""
    return f"exec /bin/sh -c 'eval \"$(dd bs=1 count={length} 2>/dev/null)\"'"


def start_text(
    *, nonce: str, root: str, cwd: str, env: Mapping[str, str], argv: Sequence[str], limit_s: float
) -> bytes:
    """Give the text that becomes a command.

    Args:
        nonce: Letters and digits that nobody can guess: the command's id, and the mark of what the text itself prints.
        root: The directory that the command must not be started outside of.
        cwd: The directory to run in; relative to the root.
        env: Variables to set.
        argv: The program and its arguments.
        limit_s: Seconds after which the command is ended there, if nobody did before.

    Raises:
        InvalidArgument: For what no process can be given.
    """
    if not argv or not argv[0]:
        raise InvalidArgument.of("argv names no program", name="argv")
    if any("\0" in one for one in argv):
        raise InvalidArgument.of("argv contains a NUL character", name="argv")
    exports, odd = [], []
    for name, value in env.items():
        if not name or "=" in name or "\0" in name + value:
            raise InvalidArgument.of(f"{name!r} cannot be set", name="env")
        if _NAME.match(name):
            exports.append(f"export {name}={shlex.quote(value)}")
        else:
            odd.append(shlex.quote(f"{name}={value}"))
    if odd and "=" in argv[0]:
        raise InvalidArgument.of(f"{argv[0]!r} cannot be run with a variable that no shell can name", name="argv")
    # A shell cannot export these; `env` can.
    prefix = f'set -- env {" ".join(odd)} "$@"' if odd else ":"
    parts = {
        "NONCE": nonce,
        "ROOT": shlex.quote(root),
        "CWD": shlex.quote(cwd),
        "WATCH": shlex.quote(_WATCH),
        "LIMIT": str(int(limit_s) + 1),
        "EXPORTS": "\n".join(exports),
        "ARGV": shlex.join(argv),
        "PREFIX": prefix,
    }
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], _START).encode(errors="surrogateescape")


def end_text(*, nonce: str, pid: int, watcher: int, settle_s: float, grace_s: float, kill_s: float) -> str:
    """Give the text that ends what a command left, and prints the nonce and how many processes it could not end."""
    ticks = {"SETTLE": settle_s, "GRACE": grace_s, "KILL": kill_s}
    parts = {
        "NONCE": nonce,
        "PID": str(pid),
        "WATCHER": str(watcher),
        **{name: str(int(time * 50)) for name, time in ticks.items()},
    }
    return re.sub("@([A-Z]+)@", lambda found: parts[found[1]], _END)


@dataclass
class Stream:
    """One output stream of a command that a start text began: what came before its mark is not the command's."""

    nonce: str
    kept: HeadTail
    pid: int | None = None
    watcher: int = 0
    before: bytes = b""
    first: bytes = b""
    """The first bytes of the command's own, enough to see a refusal."""

    def feed(self, data: bytes) -> bytes:
        """Take bytes, and give those that are the command's."""
        if self.pid is None:
            self.before += data
            found = re.search(rb"\n%s (\d+) (\d+)\n" % self.nonce.encode(), self.before)
            if found is None:
                self.before = self.before[-65536:]
                return b""
            self.pid, self.watcher = int(found[1]), int(found[2])
            self.before, data = self.before[: found.start()], self.before[found.end() :]
        if len(self.first) < 100:
            self.first += data[:100]
        self.kept.push(data)
        return data

    def check(self, exit_code: int | None) -> None:
        """Raise Refused when the start text ended instead of the command."""
        found = re.match(rb"%s (\w+)\n" % self.nonce.encode(), self.first)
        if exit_code == 125 and found is not None:
            raise Refused(found[1].decode())
