# Removes what a clone left that was ended too fast to do it itself. Arguments: as the first two of clone.sh.

rest=$1
made=./.rootle-clone-$2
while :; do
    case $rest in
    */*) ;;
    *) break ;;
    esac
    cd -P -- "./${rest%%/*}" 2>/dev/null || exit 0
    is_within "$PWD" "$root" || exit 0
    rest=${rest#*/}
done
[ -d "$made" ] && [ ! -L "$made" ] || exit 0
first=
[ ! -f "$made/first" ] || IFS= read -r first <"$made/first"
rm -rf -- "$made"
[ -n "$first" ] && is_within "$PWD" "$first" || exit 0
while [ "$PWD" != "${first%/*}" ] && [ "$PWD" != / ]; do
    gone=$PWD
    cd .. && rmdir -- "$gone" 2>/dev/null || exit 0
done
