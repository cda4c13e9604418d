"""The script that puts files in their places, and the one that removes what was prepared for it."""

from __future__ import annotations

from rootle.workspace.remote.shell import BEGIN, SHOW

__all__ = ["COMMIT", "REMOVE", "REMOVE_EMPTY"]

COMMIT = (
    BEGIN
    + SHOW
    + r"""
nonce=$1 many=$2
shift 2
each() {
  step=$1
  shift
  at=0
  while [ $# -gt 0 ]; do
    kind=$1 expect=$4 mode=$5 source=$6 size=$7
    decode "$2"
    path=$decoded
    decode "$3"
    target=$path
    [ "$kind" = rename ] && target=$decoded
    temp=${target%/*}/.rootle-remote-$nonce-$at.tmp
    old=${path%/*}/.rootle-remote-$nonce-$at.old
    "$step" || return 1
    at=$((at + 1))
    shift 7
  done
}
failed() { printf 'failed\0%s\0%s\0' "$1" "$at"; return 1; }
prepare() {
  [ "$kind" = remove ] && return 0
  mkdir -p -- "${target%/*}" 2>/dev/null || { failed directory; return; }
  real=$(cd -P -- "${target%/*}" && printf '%s' "$PWD"; printf x)
  real=${real%x}
  case $real/ in "${root%/}"/*) ;; *) failed outside; return ;; esac
  case $source in
    none) return 0 ;;
    input) if [ "$mode" = - ]; then cat >"$temp"; else (umask 077; cat >"$temp"); fi 2>/dev/null ||
      { failed unwritable; return; } ;;
  esac
  [ "$(($(wc -c <"$temp")))" -eq "$size" ] || { failed size; return; }
  if [ -e "$path" ] && ! [ -O "$path" ]; then
    chown "$(stat -c %u:%g -- "$path")" "$temp" 2>/dev/null || printf 'notice\0owner\0%s\0' "$at"
  fi
  [ "$mode" = - ] || chmod "$mode" "$temp" 2>/dev/null || { failed unwritable; return; }
}
check() {
  if [ "$kind" = create ]; then
    [ ! -e "$path" ] && [ ! -L "$path" ] || { failed exists; return; }
    return 0
  fi
  [ -f "$path" ] && [ ! -L "$path" ] || { failed stale; return; }
  [ -w "$path" ] || { failed denied; return; }
  if [ "$expect" != - ]; then
    sum=$(sha256sum <"$path")
    [ "${sum%% *}" = "$expect" ] || { failed stale; return; }
  fi
  [ "$kind" != rename ] || { [ ! -e "$target" ] && [ ! -L "$target" ]; } || { failed exists; return; }
}
keep_old() {
  [ "$many" = no ] || ln -- "$path" "$old" 2>/dev/null || cp -p -- "$path" "$old" 2>/dev/null
}
place() {
  # A hard link fails where something is, a rename does not.
  if ln -- "$1" "$2" 2>/dev/null; then rm -f -- "$1"; else [ ! -e "$2" ] && mv -- "$1" "$2" 2>/dev/null; fi
}
apply() {
  case $kind in
    create) place "$temp" "$path" || { failed exists; return; } ;;
    write) keep_old && mv -f -- "$temp" "$path" 2>/dev/null || { failed unwritable; return; } ;;
    remove) keep_old && rm -f -- "$path" 2>/dev/null || { failed unwritable; return; } ;;
    rename)
      keep_old || { failed unwritable; return; }
      if [ "$source" = none ]; then place "$path" "$target"; else place "$temp" "$target" && rm -f -- "$path"; fi ||
        { failed exists; return; }
      ;;
  esac
}
put_back() {
  [ "$at" -lt "$reached" ] || return 0
  case $kind in
    create) rm -f -- "$path" ;;
    *) mv -f -- "$old" "$path" && { [ "$kind" != rename ] || rm -f -- "$target"; } ;;
  esac || printf 'left\0%s\0' "$at"
}
clean() { rm -f -- "$temp" "$old"; }
tell() {
  [ "$kind" = remove ] || show "$target" 2>/dev/null
  printf '\0'
}
trap 'each clean "$@"' EXIT
trap 'exit 72' HUP INT TERM
if each prepare "$@" && each check "$@"; then
  if each apply "$@"; then
    printf 'done\0'
    each tell "$@"
  else
    reached=$at
    [ "$many" = no ] || each put_back "$@"
  fi
fi
printf 'end\0'
"""
)
"""Arguments: root, "find" or "stat", a nonce, "yes" when there are several changes, and seven for each change: its
kind (create, write, remove, rename), path, new path, SHA-256 or "-", mode or "-", where its content is ("input",
"file" for the temporary file, "none"), and how long."""

REMOVE = (
    BEGIN
    + r"""
for e do
  decode "$e"
  rm -f -- "$decoded"
done
"""
)
"""Arguments: root, files."""

REMOVE_EMPTY = (
    BEGIN
    + r"""
at=0
for e do
  decode "$e"
  rmdir -- "$decoded" 2>/dev/null && printf 'gone\0%s\0' "$at"
  at=$((at + 1))
done
printf 'end\0'
"""
)
"""Arguments: root, directories."""
