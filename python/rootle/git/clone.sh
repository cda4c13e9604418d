# Clones into a directory beside the destination and renames it at the end, so that there is all of it or nothing.
#
# Arguments: the destination relative to the root; a name for this clone; the protocol; a host's name for the git
# protocol, or nothing; how ssh is called, or nothing; and git's own arguments, without the directory to clone into.
# Prints fields that end with NUL: "refused", a reason and a path; or "failed", git's end and the redirect that it met;
# or "cloned", the commit, the branch, and whether there are submodules and files of Git LFS.

rest=$1
mark=$2
protocol=$3
virtual_host=$4
ssh=$5
shift 5

say() {
    printf '%s\0' "$@"
    exit 0
}

# Older versions cannot be told the address to connect to, and would not say so.
version=$(git version)
version=${version#git version }
minor=${version#*.}
major=${version%%.*}
[ "$major" -gt 2 ] || { [ "$major" -eq 2 ] && [ "${minor%%[!0-9]*}" -ge 37 ]; } || say refused version "$version"

first=
while :; do
    case $rest in
    */*) ;;
    *) break ;;
    esac
    part=${rest%%/*}
    rest=${rest#*/}
    if [ ! -e "./$part" ] && [ ! -L "./$part" ]; then
        mkdir -- "./$part" || exit 96
        first=${first:-${PWD%/}/$part}
    fi
    cd -P -- "./$part" 2>/dev/null || say refused not_a_directory "$part"
    is_within "$PWD" "$root" || say refused outside "$part"
done
parent=$PWD
[ ! -L "./$rest" ] || say refused link "$rest"
if [ -e "./$rest" ]; then
    [ -d "./$rest" ] && [ -z "$(ls -A "./$rest")" ] || say refused exists "$rest"
fi

# What a clone left that was killed outright has no lock any more; where there are no locks, age tells.
set +f
for old in ./.rootle-clone-*; do
    [ -d "$old" ] && [ ! -L "$old" ] || continue
    if command -v flock >/dev/null; then
        (flock -n 9 && rm -rf -- "$old") 9<"$old"
    elif [ -n "$(find "$old" -prune -mmin +1440)" ]; then
        rm -rf -- "$old"
    fi
done
set -f

made=./.rootle-clone-$mark
finish() {
    cd -P -- "$parent" && rm -rf -- "$made"
    [ -n "$first" ] || return 0
    while [ "$PWD" != "${first%/*}" ] && [ "$PWD" != / ]; do
        gone=$PWD
        cd .. && rmdir -- "$gone" 2>/dev/null || return 0
    done
}
trap finish EXIT
trap 'exit 143' HUP INT TERM
# Another clone that sweeps meets the directory before it is locked, and removes it, or has removed it by now.
for try in 1 2 3 4 5 6 7 8 9 10; do
    mkdir -m 700 -- "$made" || exit 96
    command -v flock >/dev/null || break
    command exec 9<"$made" || continue
    flock 9 || break
    [ ! -d "$made" ] || break
done 2>/dev/null
printf '%s\n' "$first" >"$made/first" || exit 96

export GIT_ALLOW_PROTOCOL="$protocol"
[ -z "$virtual_host" ] || export GIT_OVERRIDE_VIRTUAL_HOST="$virtual_host"
[ -z "$ssh" ] || export GIT_SSH_COMMAND="$ssh" GIT_SSH_VARIANT=ssh
# Headers alone, and those that authorise blotted out: git itself does not say where a redirect leads.
export GIT_TRACE_CURL="$parent/$made/trace" GIT_TRACE_CURL_NO_DATA=1 GIT_TRACE_REDACT=1
git "$@" "$made/tree" >&2
ended=$?
unset -v GIT_TRACE_CURL
if [ "$ended" != 0 ]; then
    redirect=
    if [ -f "$made/trace" ]; then
        redirect=$(sed -n 's/^.*<= [Rr]ecv header: [Ll]ocation:[[:space:]]*//p' "$made/trace" | tail -n 1 | tr -d '\r')
    fi
    printf '%s\0' failed "$ended" "$redirect"
    exit 0
fi

commit=$(git -C "$made/tree" rev-parse --verify --quiet HEAD) || commit=
branch=$(git -C "$made/tree" symbolic-ref --quiet --short HEAD) || branch=
modules=
[ ! -f "$made/tree/.gitmodules" ] || modules=yes
large=
if [ -f "$made/tree/.gitattributes" ] && [ ! -L "$made/tree/.gitattributes" ]; then
    ! grep -q 'filter=lfs' "$made/tree/.gitattributes" || large=yes
fi
if ! mv -T -- "$made/tree" "./$rest" 2>/dev/null; then
    # Not every mv can be told to take the destination for a name.
    [ ! -e "./$rest" ] && [ ! -L "./$rest" ] && mv -- "$made/tree" "./$rest" || say refused exists "$rest"
fi
first=
say cloned "$commit" "$branch" "$modules" "$large"
