# Finds the repository of a directory below the root and says where its parts lie. Reads files, runs nothing of it.
#
# Arguments: the directory relative to the root; "any" or "own" for whose repository it may be; directories outside of
# the root in which parts may lie. Prints fields that end with NUL: "refused", a reason and a path; or "none"; or "bare"
# and a path; or "repository", the facts below, and its configuration as `git config --list -z` writes it.

start=$1
owners=$2
shift 2

say() {
    printf '%s\0' "$@"
    exit 0
}

# real DIRECTORY: sets `found` to its path without links.
real() {
    found=$(cd -P -- "$1" 2>/dev/null && pwd -P && echo .) || return 1
    found=${found%??}
}

allowed() {
    is_within "$1" "$root" && return 0
    for place in $allowed_places; do
        is_within "$1" "$place" && return 0
    done
    return 1
}

allowed_places=
for place; do
    # A list needs a separator: places with a line break in their names are not supported, and so not allowed.
    real "$place" || continue
    case $found in
    *'
'*) continue ;;
    esac
    allowed_places=$allowed_places$found'
'
done
IFS='
'

# plain FILE: it is missing or a regular file; a link could lead outside, and opening a FIFO would wait.
plain() {
    if [ -L "$1" ]; then
        say refused link "$1"
    elif [ -e "$1" ] && [ ! -f "$1" ]; then
        say refused special "$1"
    fi
}

# inner NAME DIRECTORY: sets `found` to its path without links, when that lies where it may.
inner() {
    real "$2" || say refused "$1_missing" "$2"
    allowed "$found" || say refused "$1_outside" "$2"
}

# first_line FILE: sets `line`, of a file that names a directory.
first_line() {
    plain "$1"
    line=$(head -c 4096 <"$1" && echo .) || say refused unreadable "$1"
    line=${line%.}
    line=${line%"${line##*[!
]}"}
}

real "$root/$start" || say refused start_missing "$start"
is_within "$found" "$root" || say refused start_outside "$start"
here=$found
while :; do
    if [ -L "$here/.git" ]; then
        real "$here/.git" || say refused link "$here/.git"
        # Inside the root a link would do no harm, but git never makes one.
        allowed_link=
        for place in $allowed_places; do
            is_within "$found" "$place" && allowed_link=yes
        done
        [ -n "$allowed_link" ] || say refused link "$here/.git"
        gitdir=$found
        break
    elif [ -d "$here/.git" ]; then
        if [ -e "$here/.git/HEAD" ] || [ -L "$here/.git/HEAD" ]; then
            gitdir=$here/.git
            break
        fi
    elif [ -f "$here/.git" ]; then
        first_line "$here/.git"
        case $line in
        'gitdir: /'*) inner gitdir "${line#gitdir: }" ;;
        'gitdir: '?*) inner gitdir "$here/${line#gitdir: }" ;;
        *) say refused gitdir_missing "$here/.git" ;;
        esac
        gitdir=$found
        break
    elif [ -e "$here/.git" ]; then
        say refused special "$here/.git"
    elif [ -f "$here/HEAD" ] && [ -d "$here/objects" ] && [ -d "$here/refs" ]; then
        say bare "$here"
    fi
    [ "$here" != "$root" ] || say none
    here=${here%/*}
    [ -n "$here" ] || here=/
done
inner gitdir "$gitdir"
gitdir=$found

common=$gitdir
plain "$gitdir/commondir"
if [ -f "$gitdir/commondir" ]; then
    first_line "$gitdir/commondir"
    case $line in
    /*) inner commondir "$line" ;;
    ?*) inner commondir "$gitdir/$line" ;;
    *) say refused commondir_missing "$gitdir/commondir" ;;
    esac
    common=$found
fi

if [ "$owners" = own ]; then
    # As git has it: root may also use what the user has who became root.
    user=$(id -u)
    other=$user
    [ "$user" != 0 ] || other=${SUDO_UID:-0}
    for part in "$here" "$here/.git" "$gitdir" "$common"; do
        [ -n "$(find "$part" -prune \( -user "$user" -o -user "$other" \))" ] || say refused owner "$part"
    done
fi

inner objects "$common/objects"
objects=$found
inner refs "$common/refs"
refs=$found
for part in "$gitdir/HEAD" "$gitdir/index" "$common/packed-refs" "$common/config" "$common/shallow" \
    "$common/info/exclude" "$common/info/attributes"; do
    plain "$part"
done
for part in "$common/info" "$common/logs" "$common/reftable" "$objects/info" "$objects/pack"; do
    [ ! -L "$part" ] || say refused link "$part"
done
# Packs, loose objects and refs are regular files wherever git made them.
part=$({
    find "$objects" -maxdepth 2 ! -type f ! -type d
    find "$refs" ! -type f ! -type d
} 2>/dev/null | head -n 1)
[ -z "$part" ] || say refused link "$part"

# borrowed OBJECTS DEPTH: every object directory that this one borrows from must lie where it may, and what it borrows.
borrowed() {
    plain "$1/info/alternates"
    [ -f "$1/info/alternates" ] || return 0
    [ "$2" -gt 0 ] || say refused alternates_deep "$1/info/alternates"
    text=$(head -c 65537 <"$1/info/alternates" && echo .) || say refused unreadable "$1/info/alternates"
    [ "${#text}" -le 65536 ] || say refused alternates_deep "$1/info/alternates"
    for line in ${text%.}; do
        case $line in
        '#'*) continue ;;
        '"'*) say refused alternates_outside "$line" ;;
        /*) real "$line" || continue ;;
        *) real "$1/$line" || continue ;;
        esac
        allowed "$found" || say refused alternates_outside "$line"
        (borrowed "$found" $(($2 - 1)))
    done
}
borrowed_facts=$(borrowed "$objects" 5 | tr '\0' '\n')
if [ -n "$borrowed_facts" ]; then
    set -- $borrowed_facts
    say "$@"
fi

first_line "$gitdir/HEAD"
printf '%s\0' repository "$root" "$here" "$gitdir" "$common" "$objects" "$refs" "$line" "$(git version)"
[ ! -f "$common/config" ] || GIT_DIR=/nonexistent git config --file "$common/config" --no-includes --list -z || exit 98
