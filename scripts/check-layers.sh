#!/bin/sh
# Which folder may include which: each line names a folder of src/ and those that it may
# include besides itself. A family of formats includes itself, the front (files that stand
# in src/format) and what the front may, never a sibling.
# Files of windows stand for some of base, collect and cli, and include their headers.
# The program in cli/ includes public headers and its own only, so that every build proves
# that the public interface is enough. heapdrift_NAME.h is for src/NAME and the program.
layers='base
heap base
trace base heap
process base
format base heap trace process
identity base heap
collect base heap trace process identity
series base heap format
chains base heap series
owners base heap series chains
ages base identity series owners
digest base heap series chains owners ages
ranking base heap series chains owners ages
budget base heap series
compare base heap format identity chains owners ages digest
browse base heap format chains compare
store base heap format
fleet base heap series
report base heap format series chains owners ranking budget compare fleet
questions base heap format series owners ranking budget compare browse report
document base heap owners ranking report
render base heap report document
windows base collect cli/explore cli/options cli/guard cli/live cli/terminal'
status=0

complain() {
    [ -z "$1" ] && return
    printf '%s\n' "$1"
    status=1
}

# Includes of files $1 that do not match any of the patterns $2 (a|b).
strangers() {
    # shellcheck disable=SC2086 # a list of files
    grep -nE '^#include "' $1 /dev/null | grep -vE "#include \"($2)\""
}

known=' cli '
while read -r layer below; do
    known="$known$layer "
    lower="heapdrift(_$layer)?\.h"
    for folder in $below; do lower="$lower|$folder/[a-z_0-9]+\.h"; done
    complain "$(strangers "$(echo src/"$layer"/*.[ch])" "$lower|$layer/[a-z_0-9]+\.h")"
    for family in src/"$layer"/*/; do
        [ -d "$family" ] || continue
        name=${family#src/} name=${name%/}
        complain "$(strangers "$(echo "$family"*.[ch])" \
            "$lower|$layer/[a-z_0-9]+\.h|$name/[a-z_0-9]+\.h")"
    done
done <<EOF
$layers
EOF
complain "$(strangers "$(echo src/cli/*.[ch] src/cli/*/*.[ch])" 'heapdrift(_store|_fleet)?\.h|cli/([a-z]+/)?[a-z_]+\.h')"
complain "$(grep -nE '^#include "' include/*.h | grep -vE '"heapdrift(_model|_objects|_store|_fleet)?\.h"')"

# Every folder is in the list.
for folder in src/*/; do
    case "$known" in
    *" $(basename "$folder") "*) ;;
    *) complain "$folder: a layer that scripts/check-layers.sh does not know" ;;
    esac
done
exit $status
