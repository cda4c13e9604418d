# Runs git on a directory made here, which borrows a repository's objects and refs, has a copy of its index, and nothing
# else of it: what its configuration says, git never learns.
#
# Arguments: work tree, git directory, common directory, objects, refs, content of HEAD, configuration, the most bytes
# of output, and git's own arguments.

tree=$1
gitdir=$2
common=$3
objects=$4
refs=$5
head=$6
config=$7
most=$8
shift 8

# What a run left that was killed outright: links and a copy of an index.
set +f
for old in "$TMPDIR"/rootle-git.*; do
    [ ! -d "$old" ] || [ -L "$old" ] || find "$old" -prune -user "$(id -u)" -mmin +1440 -exec rm -rf -- {} +
done
set -f

made=$(mktemp -d "$TMPDIR/rootle-git.XXXXXXXXXX") || exit 96
trap 'rm -rf -- "$made"' EXIT
trap 'exit 143' HUP INT TERM
printf '%s\n' "$head" >"$made/HEAD"
printf '%s' "$config" >"$made/config"
borrow() {
    set --
    for part in "$objects:objects" "$refs:refs"; do
        case ${part%:*} in
        */"${part##*:}") set -- "$@" "${part%:*}" ;;
        *) ln -s -- "${part%:*}" "$made/${part##*:}" || return 1 ;;
        esac
    done
    for part in "$common/packed-refs" "$common/shallow"; do
        [ ! -f "$part" ] || [ -L "$part" ] || set -- "$@" "$part"
    done
    for part in "$common/info" "$common/logs" "$common/reftable"; do
        [ ! -d "$part" ] || [ -L "$part" ] || set -- "$@" "$part"
    done
    set +f
    for part in "$gitdir"/sharedindex.*; do
        [ ! -f "$part" ] || [ -L "$part" ] || set -- "$@" "$part"
    done
    set -f
    [ $# = 0 ] || ln -s -- "$@" "$made/" || return 1
    # Through a link git would write the index, as it does whenever the times of files are not those it knows. The copy
    # keeps the time: a file that is as new as the index may have changed after git looked at it.
    [ ! -f "$gitdir/index" ] || [ -L "$gitdir/index" ] || cp -p -- "$gitdir/index" "$made/index"
}
borrow || exit 96
cd -P -- "$tree" || exit 96

# When `head` has enough, git meets a closed pipe and stops: what is not shown is not worked out either.
exec 3>&1
ended=$({
    {
        git --git-dir="$made" --work-tree="$tree" --no-pager "$@" 3>&- 4>&-
        echo $? >&4
    } | head -c "$most" >&3
} 4>&1)
exit "$ended"
