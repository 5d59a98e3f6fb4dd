# A fleet in files, recorded by concurrent writers. Source it after tests/cli/helper.bash.
# shellcheck shell=bash

MAKE_FLEET=${MAKE_FLEET:-$BATS_TEST_DIRNAME/../../build/make-fleet}

# make_fleet HOSTS SNAPSHOTS: folders $tmp/dumps/host-000, ... with 0.gcdump, ...; and the same as
# digests in $tmp/digests, made one command per file, as a map does.
make_fleet() {
    "$MAKE_FLEET" "$tmp/dumps" "$1" "$2"
    (cd "$tmp/dumps" && find . -name '*.gcdump') | sort >"$tmp/list"
    mkdir "$tmp/digests"
    (cd "$tmp/dumps" && find . -mindepth 1 -type d) | (cd "$tmp/digests" && xargs mkdir)
    xargs -P "$(nproc)" -I{} sh -c '"$1" convert -q --to='"$digest"' "$2/dumps/$3" -o "$2/digests/${3%.gcdump}.'"$digest"'"' \
        sh "$HEAPDRIFT" "$tmp" {} <"$tmp/list"
}

# Maps a dump to its record.
digest=digest

# record URL FOLDER: with the facts that a deployment knows. Leaks are of builds 2 to 4.
record() {
    local host=${2##*-}
    "$HEAPDRIFT" record -q --store="$1" --service=shop --build="1.$((10#$host % 5))" --limit=64MiB "$2" >/dev/null
}

# writer URL I N: record the hosts I, I + N, ...; every third is killed somewhere and done again, every
# fourth is recorded twice.
writer() {
    local host number=0 job
    for host in "$tmp"/digests/*; do
        number=$((number + 1))
        ((number % $3 == $2 % $3)) || continue
        if ((number % 3 == 0)); then
            record "$1" "$host" &
            job=$!
            sleep "0.0$((number % 7))"
            pkill -KILL -P "$job" 2>/dev/null || true
            wait "$job" || true
        fi
        ((number % 4 != 0)) || record "$1" "$host" || return
        record "$1" "$host" || return
    done
}

# writers URL N: N concurrent writers; false if one of them failed.
writers() {
    local i jobs=() failed=0
    for ((i = 0; i < $2; i++)); do
        writer "$1" "$i" "$2" 3>&- &
        jobs+=($!)
    done
    for i in "${jobs[@]}"; do wait "$i" || failed=1; done
    return "$failed"
}

# alone STORE: the same fleet from its full files, by one process for each build, one after the other.
alone() {
    local host
    for host in "$tmp"/dumps/*; do record "$1" "$host" || return; done
}

# same_fleet A B: JSON that is equal byte for byte, except for the number of shards, and for the store
# and its numbers of runs.
same_fleet() { diff <(of_any_store "$1") <(of_any_store "$2"); }
of_any_store() { sed '/^ "shards": /d; /^ *"\(run\|series\|command\)": /d' "$1"; }

window=(--since=2026-10-01 --until=2026-12-01T00:00Z --min-span=1h)
