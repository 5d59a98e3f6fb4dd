#!/bin/sh
# A folder may include itself and the folders before it in this list, nothing else.
# The program in cli/ includes heapdrift.h and its own headers only, so that every build
# proves that the public interface is enough.
order='base heap format collect analysis budget report'
status=0

complain() {
    [ -z "$1" ] && return
    printf '%s\n' "$1"
    status=1
}

allowed=
for layer in $order; do
    allowed="$allowed|$layer"
    complain "$(grep -nE '^#include "[a-z]+/' src/"$layer"/*.[ch] |
                grep -vE "#include \"(${allowed#|})/")"
done
complain "$(grep -nE '^#include "' src/cli/*.[ch] | grep -vE '#include "(heapdrift\.h|cli/[a-z_]+\.h)"')"
complain "$(grep -lE '^#include "' include/*.h)"

# Every folder is in the list.
for folder in src/*/; do
    layer=$(basename "$folder")
    case " $order cli " in
    *" $layer "*) ;;
    *) complain "$folder: a layer that scripts/check-layers.sh does not know" ;;
    esac
done
exit $status
