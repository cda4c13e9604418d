# What every script here starts with. It stands in the root, and leaves of its surroundings only what git needs:
# programs from outside the root, the certificates that count, and no configuration but what it is given.

set -fu
root=$(pwd -P && echo .) || exit 96
root=${root%??}

# is_within PATH DIRECTORY
is_within() {
    case $2 in
    /) return 0 ;;
    esac
    case $1 in
    "$2" | "$2"/*) return 0 ;;
    esac
    return 1
}

# A directory of the root, or one that is named relative to it, could hold a git of the repository's.
programs=
IFS=:
for place in ${PATH:-/usr/local/bin:/usr/bin:/bin}; do
    case $place in
    /*) ;;
    *) continue ;;
    esac
    cd -P -- "$place" 2>/dev/null || continue
    if [ "$root" = / ] || ! is_within "$PWD" "$root"; then
        programs=${programs:+$programs:}$place
    fi
done
unset -v IFS
cd -P -- "$root" || exit 96
PATH=$programs
export PATH

for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p'); do
    case $name in
    PATH | PWD | TMPDIR | SSH_AUTH_SOCK | GIT_SSL_CAINFO | GIT_SSL_CAPATH | SSL_CERT_DIR | SSL_CERT_FILE | SUDO_UID | ROOTLE_*) ;;
    *) command unset -v "$name" 2>/dev/null || : ;;
    esac
done
# Once more, for the loop may have met a variable of this name.
root=$(pwd -P && echo .)
root=${root%??}

TMPDIR=${TMPDIR:-/tmp}
case $TMPDIR in
/*) ;;
*) TMPDIR=/tmp ;;
esac
if [ "$root" != / ] && is_within "$TMPDIR" "$root"; then
    TMPDIR=/tmp
fi

export HOME=/nonexistent LC_ALL=C TERM=dumb TMPDIR
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_GLOBAL=/dev/null GIT_ATTR_NOSYSTEM=1
export GIT_TERMINAL_PROMPT=0 GIT_ASKPASS= GCM_INTERACTIVE=never GIT_EDITOR=: GIT_SEQUENCE_EDITOR=: GIT_PAGER=cat
export GIT_ALLOW_PROTOCOL= GIT_PROTOCOL_FROM_USER=0 GIT_NO_LAZY_FETCH=1 GIT_LFS_SKIP_SMUDGE=1
export GIT_OPTIONAL_LOCKS=0 GIT_LITERAL_PATHSPECS=1 GIT_CEILING_DIRECTORIES="$root"

command -v git >/dev/null || exit 97
