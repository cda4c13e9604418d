"""What runs in the sandbox: scripts for a POSIX `sh`."""

from __future__ import annotations

from rootle.workspace.remote.commit_script import COMMIT, REMOVE, REMOVE_EMPTY
from rootle.workspace.remote.shell import BEGIN, SHOW

__all__ = [
    "COMMIT",
    "COUNT",
    "FETCH",
    "LINES",
    "LIST",
    "LOOK",
    "PROBE",
    "RECORD_EACH",
    "REMOVE",
    "REMOVE_EMPTY",
    "SEARCH",
    "SEND_READABLE",
    "SEND_RULES",
    "SLICE",
]

PROBE = (
    BEGIN
    + r"""
has() { command -v "$1" >/dev/null 2>&1; }
printf 'root\0%s\0' "$root"
for tool in rg grep find xargs stat readlink head tail wc cat sha256sum mv ln chmod chown mkdir rm rmdir; do
  has "$tool" && printf 'tool\0%s\0' "$tool"
done
has rg && printf 'rg\0%s\0' "$(rg --no-config --version 2>/dev/null | head -n 1)"
has find && [ "$(find . -maxdepth 0 -printf 'x' 2>/dev/null)" = x ] && printf 'can\0find -printf\0'
has find && [ -n "$(find . -mindepth 0 -maxdepth 0 -print0 2>/dev/null | tr -d '\000')" ] &&
  printf 'can\0find -print0\0'
has xargs && [ "$(printf 'a\0b' | xargs -0 printf '%s.' 2>/dev/null)" = a.b. ] && printf 'can\0xargs -0\0'
has stat && [ -n "$(stat -c %f . 2>/dev/null)" ] && printf 'can\0stat -c\0'
has readlink && [ -n "$(readlink -f . 2>/dev/null)" ] && printf 'can\0readlink -f\0'
has grep && [ "$(printf 'ab\n' | grep -lZE -e 'a(b|c)' 2>/dev/null | tr '\000' .)" = '(standard input).' ] &&
  printf 'can\0grep -Z\0'
has grep && printf 'ab\n' | grep -qE -e 'a(b|c)' 2>/dev/null && printf 'can\0grep -E\0'
printf 'end\0\0'
"""
)

# Sizes before and after tell whether what is between them is what it seems to be.
_SEND = r"""
line_feed='
'
sizes() {
  case $* in
    *"$line_feed"*) for f do wc -c <"$f"; done ;;
    *) wc -c -- "$@" ;;
  esac 2>/dev/null
  printf '\0'
}
printf 'files\0%s\0' "$#"
printf '%s\0' "$@"
sizes "$@"
cat -- "$@" 2>/dev/null
printf '\0'
sizes "$@"
"""

_SEND_RULES = (
    r"""
n=$#
for f do
  case $f in */.git) f=$f/info/exclude ;; esac
  [ -f "$f" ] && [ -r "$f" ] && set -- "$@" "$f"
done
shift "$n"
[ $# -gt 0 ] || exit 0
"""
    + _SEND
)

_RECORD_EACH = r"""
printf 'batch\0%s\0' "$#"
printf '%s\0' "$@"
stat -c '%f %s %y|%z|%a %i %d %h' -- "$@" 2>/dev/null
printf '\0'
for f do
  if [ -L "$f" ]; then
    printf 'link\0'
    if [ -d "$f" ]; then printf d; elif [ -f "$f" ]; then printf f; elif [ -e "$f" ]; then printf o; else printf N; fi
    printf '\0'
    readlink -n -- "$f" 2>/dev/null
    printf '\0'
  fi
done
exit 0
"""

# What `look` says of a path: whether and where it is, without leaving the root. Most paths lead through no link, and
# then no program need be asked.
_LOOK_ONE = r"""
resolve() {
  case /$1/ in */../*) links=yes ;; *) links=no ;; esac
  if [ "$links" = no ]; then
    step=.
    set -f
    IFS=/
    for name in ${1#./}; do
      step=$step/$name
      [ -L "$step" ] && links=yes
    done
    IFS=' '
    set +f
  fi
  if [ "$links" = yes ]; then
    real=$(readlink -f -- "$1" 2>/dev/null; printf x)
    real=${real%x}
    real=${real%"$line_feed"}
  elif [ "$1" = . ] || [ "$1" = ./. ]; then
    real=$root
  else
    real=${root%/}/${1#./}
  fi
}
look() {
  path=$1 link=- rest= state=found record=
  bare=${path%/}
  while [ "$bare" != "${bare%/}" ]; do bare=${bare%/}; done
  [ -L "$bare" ] && link=l
  near=$bare
  if [ ! -e "$path" ] && [ ! -L "$path" ]; then
    state=missing
    while [ ! -e "$near" ] && [ ! -L "$near" ] && [ "$near" != . ]; do near=${near%/*}; done
    rest=${bare#"$near"}
  fi
  resolve "$near"
  [ -n "$real" ] || { [ "$state" = found ] && state=loop; }
  case $real/ in
    "${root%/}"/*) real=${real#"${root%/}"} ;;
    *) [ "$state" = loop ] || state=outside; real= ;;
  esac
  [ "$state" = found ] && [ ! -e "$path" ] && state=dangling
  case $state in found | missing) record=$(show ".$real" 2>/dev/null) ;; esac
  printf 'look\0%s\0%s\0%s\0%s\0%s\0' "$state" "$link" "$real" "$rest" "$record"
  if [ "$link" = l ]; then
    show "$bare" 2>/dev/null
    printf '\0'
    readlink -n -- "$bare" 2>/dev/null
    printf '\0'
  fi
}
"""

LOOK = (
    BEGIN
    + SHOW
    + _LOOK_ONE
    + r"""
max=$1
shift
for e do
  decode "$e"
  look "$decoded"
  if [ "$state" = found ] && [ "$max" -gt 0 ] && [ -f ".$real" ]; then
    size=${record#* }
    size=${size%% *}
    if [ "$size" -le "$max" ] && [ -r ".$real" ]; then
      printf 'content\0'
      cat <".$real"
      # What it is now tells whether that was all of one version.
      printf '\0%s\0' "$(show ".$real" 2>/dev/null)"
    fi
  fi
done
printf 'end\0'
"""
)
"""Arguments: root, "find" or "stat", bytes of the largest content to send, paths."""

LIST = (
    BEGIN
    + SHOW
    + _LOOK_ONE
    + r"""
cap=$1 depth=$2 rules=$3 max=$4 batch=$5 send=$6 skips=$7
shift 7
set -f
limit=
[ "$depth" -eq 0 ] || limit="-maxdepth $depth"
{
  for e do
    decode "$e"
    look "$decoded"
    [ "$state" = found ] && [ -d ".$real" ] || continue
    top=.$real/
    if [ "$how" = find ]; then
      find "$top" -mindepth 1 $limit -printf '%y%Y %s %T@ %C@ %m %i %D %n %P\0%l\0' -type d \( $skips \) -prune
    else
      find "$top" -mindepth 1 $limit -type d \( $skips \) -prune -print0 -o -mindepth 1 -print0 |
        xargs -0 sh -c "$batch" sh || printf 'failed\0'
    fi
    printf 'over\0\0'
    [ "$rules" = yes ] || continue
    find "$top" $limit -type d -name .git -prune -print0 -o -mindepth 1 -type d \( $skips \) -prune -o \
      \( -name .gitignore -o -name .ignore -o -name .rootleignore \) \( -type l -o -size -"$max"c \) -print0 \
      2>/dev/null | xargs -0 sh -c "$send" sh
    up=$real
    while [ -n "$up" ]; do
      up=${up%/*}
      sh -c "$send" sh ".$up/.rootleignore" ".$up/.ignore" ".$up/.gitignore" ".$up/.git"
    done
  done
  printf 'end\0'
} | head -c "$cap"
"""
)
"""Arguments: root, "find" or "stat", bytes to print at most, levels (0: all), "yes" for ignore files too, bytes of
the largest ignore file, two scripts, which directories are not entered as conditions of find, starts."""

_SEND_READABLE = (
    r"""
n=$#
for f do
  if [ -f "$f" ] && [ -r "$f" ]; then set -- "$@" "$f"; elif [ -e "$f" ]; then printf 'denied\0%s\0' "$f"; fi
done
shift "$n"
[ $# -gt 0 ] || exit 0
"""
    + _SEND
)

FETCH = (
    BEGIN
    + r"""
xargs -0 sh -c "$1" sh
printf 'end\0'
"""
)
"""Arguments: root, the script that sends. Input: paths, each with a NUL byte behind it."""

SEARCH = (
    BEGIN
    + r"""
tool=$1
shift
case $tool in
  rg) xargs -0 rg "$@" -- ;;
  grep)
    # Marks of UTF-16 and UTF-32: such files are searched by rootle.
    little=$(printf '^\377\376')
    big=$(printf '\376\377')
    xargs -0 grep -E "$@" -e "$little" -e "$big" --
    ;;
esac
printf 'end\0'
"""
)
"""Arguments: root, "rg" or "grep", its options and patterns. Input: paths, each with a NUL byte behind it."""

LINES = (
    BEGIN
    + r"""
tool=$1
decode "$2"
file=$decoded cap=$3
shift 3
case $tool in
  rg) rg --no-config --no-heading --no-filename -n -b --color never --text --no-ignore --hidden "$@" -- "$file" ;;
  grep) grep -h -n -b -a -E "$@" -- "$file" ;;
esac | head -c "$cap"
"""
)
"""Arguments: root, "rg" or "grep", file, bytes to print at most, options and patterns."""

SLICE = (
    BEGIN
    + r"""
decode "$1"
file=$decoded line=$2 window=$3
[ -f "$file" ] || exit 71
size=$(wc -c <"$file")
skip=0
[ "$line" -le 1 ] || skip=$(head -n "$((line - 1))" "$file" | wc -c)
printf 'slice\0%s\0%s\0%s\0' "$((size))" "$((skip))" "$(tail -c 1 "$file" | tr '\n\000' 'nz')"
tail -c "+$((skip + 1))" "$file" | head -c "$window"
"""
)
"""Arguments: root, file, first line wanted, bytes wanted."""

COUNT = (
    BEGIN
    + r"""
decode "$1"
[ -f "$decoded" ] || exit 71
wc -l <"$decoded"
"""
)
"""Arguments: root, file. How many line feeds it has."""

RECORD_EACH = _RECORD_EACH
SEND_RULES = _SEND_RULES
SEND_READABLE = _SEND_READABLE
