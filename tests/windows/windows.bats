# The program for Windows, under wine: the same output as the program here, byte for byte, for the same
# files. Made by `make check-windows`.
bats_require_minimum_version 1.5.0
load ../cli/helper

WINE=$BATS_TEST_DIRNAME/wine.sh
cache=fixtures/leaklab/cache

# Files are read by several threads, each in its time.
without_times() { sed -e 's/, read in .*//' -e '/^heapdrift: sandbox: /d' "$1" | sort; }

# compare ARG...: both print the same on both outputs, with the same $status. IN is standard input.
compare() {
    local expected=0
    status=0
    "$HEAPDRIFT" "$@" <"${IN:-/dev/null}" >"$tmp/plain-out" 2>"$tmp/plain-err" || expected=$?
    "$WINE" "$@" <"${IN:-/dev/null}" >"$tmp/wine-out" 2>"$tmp/wine-err" || status=$?
    [[ $status == "$expected" ]] || { echo "$*: status $status, not $expected"; cat "$tmp/wine-err"; return 1; }
    cmp "$tmp/plain-out" "$tmp/wine-out" || { echo "$*"; return 1; }
    diff <(without_times "$tmp/plain-err") <(without_times "$tmp/wine-err") || { echo "$*"; return 1; }
}

same() { compare "$@" && { [[ $status != 2 ]] || { echo "$*: it should work"; cat "$tmp/plain-err"; return 1; }; }; }
refused() { compare "$@" && { [[ $status == 2 ]] || { echo "$*: it should not work"; return 1; }; }; }

# each FOLDER: the same for every file in it, alone and all together.
each() {
    compare info "$1"
    local file
    for file in "$1"/*; do
        compare top --format=csv "$file"
    done
}

@test "one file, which needs only Windows" {
    local file=build/windows/heapdrift.exe
    x86_64-w64-mingw32-objdump -p "$file" | sed -n 's/.*DLL Name: //p' | sort >"$tmp/names"
    printf '%s\n' ADVAPI32.dll KERNEL32.dll msvcrt.dll | diff "$tmp/names" -
    # Addresses are random, all 64 bits of them; data is not executable.
    [[ $(x86_64-w64-mingw32-objdump -p "$file") == *HIGH_ENTROPY_VA*DYNAMIC_BASE*NX_COMPAT* ]]
    # No time of its build: the same sources, the same bytes.
    [[ $(TZ=UTC x86_64-w64-mingw32-objdump -p "$file") == *"Time/Date"*"Jan  1 00:00:00 1970"* ]]
    [[ $(stat -c %s "$file") -lt 4000000 ]]
    same --version
    same help formats
}

@test "missing features are reported" {
    local command
    for command in fleet record; do
        status=0
        "$WINE" "$command" >"$tmp/out" 2>"$tmp/err" || status=$?
        [[ $status == 2 && ! -s $tmp/out && $(<"$tmp/err") == "heapdrift: $command is not in heapdrift for Windows" ]]
        "$WINE" help "$command" | grep -q "Not in heapdrift for Windows"
    done
    "$WINE" top -v --no-sandbox "$before" 2>&1 | grep -qx "heapdrift: sandbox: none: --no-sandbox"
    "$WINE" top -v "$before" 2>&1 | grep -qx "heapdrift: sandbox: none: not on Windows"
}

@test "every format of snapshots" {
    local file
    for file in fixtures/{gcdump-made,nettrace-real,type-tables,dumpheap-stat,heap-text}; do
        each "$file"
    done
    same info fixtures/core
    same top fixtures/core/net10.core.xz
    same top fixtures/core/net10-windows.dmp.xz
    same roots --fields --exact --type=System.String fixtures/core/net10.core.xz
}

@test "every command and every format of reports" {
    local format command
    for format in text json csv tsv md html; do
        for command in diff tree info check; do
            same "$command" --format="$format" $cache
        done
        same roots --type=Session --format="$format" $cache
        same top --format="$format" $cache/5.gcdump.gz
        same object --format="$format" $cache/5.gcdump.gz "#1234"
    done
    for format in junit sarif github; do same check --max-growth=1% --format=$format $cache; done
    for format in folded speedscope pprof dot; do same tree --format=$format $cache; done
    same diff -v --by=holder $cache
    same diff --width=60 --ascii --color=always $cache
    same report $cache -o -
    same tree --holders --type=Session fixtures/leaklab/cache/5.gcdump.gz
}

@test "every series of the laboratory, by any number of threads" {
    local folder
    for folder in fixtures/leaklab/*/ fixtures/leaklab2/*/; do
        [[ $folder != */expected/ ]] || continue
        same diff "$folder"
        same check -j4 --format=json "$folder"
    done
    same diff -j1 --format=json $cache
}

@test "packed, in a zip, from standard input, mapped, with little memory" {
    gzip -c "$before" >"$tmp/a.gz"
    zstd -qc "$before" >"$tmp/a.zst"
    xz -c "$before" >"$tmp/a.xz"
    bzip2 -c "$before" >"$tmp/a.bz2"
    (cd "$tmp" && cp "$OLDPWD/$before" b.txt && zip -q a.zip b.txt && zip -q0 stored.zip b.txt && cp b.txt c.txt && zip -q several.zip b.txt c.txt)
    local file
    for file in "$tmp"/a.* "$tmp"/{a,stored}.zip; do
        same top --format=csv "$file"
        IN=$file same top --format=csv -
    done
    refused top "$tmp/several.zip"
    xz -dc fixtures/core/net10.core.xz >"$tmp/net10.core"
    zstd -dqc fixtures/nettrace-real/leak31_first.nettrace.zst >"$tmp/first.nettrace"
    same info "$tmp/net10.core" "$tmp/first.nettrace"
    same top "$tmp/net10.core"
    gzip -dc $cache/5.gcdump.gz >"$tmp/5.gcdump"
    same diff --memory=40MB -j1 "$tmp/net10.core" "$tmp/net10.core"
    refused top --memory=100KB "$tmp/5.gcdump"
    build/make-heap 200000 "$tmp/large.txt" --format=heap-text
    same top "$tmp/large.txt"
    same diff --memory=30MB "$tmp/large.txt" "$tmp/large.txt" "$tmp/large.txt"
}

# Into files of the same name in two folders.
@test "files are written, over what is there, whole or not at all" {
    local name program
    mkdir "$tmp/plain" "$tmp/wine"
    for program in plain wine; do
        run=$HEAPDRIFT
        [[ $program == plain ]] || run=$WINE
        for name in a.gcdump a.txt a.csv a.json; do
            echo "something that is longer than nothing" >"$tmp/$program/$name"
            "$run" convert -q $cache/5.gcdump.gz -o "$tmp/$program/$name"
        done
        (cd "$tmp/$program" && "$run" report -q "$OLDPWD/$cache" -o page.html)
        "$run" check -q $cache --baseline-write="$tmp/$program/baseline" >"$tmp/$program/check"
        "$run" check -q $cache --baseline="$tmp/$program/baseline" >"$tmp/$program/check-baseline"
        status=0
        "$run" convert -q $cache/5.gcdump.gz -o "$tmp/no/such.gcdump" 2>"$tmp/$program/err" || status=$?
        [[ $status == 2 ]]
        GITHUB_STEP_SUMMARY=$tmp/$program/summary "$run" check --max-growth=1% --format=github $cache >"$tmp/$program/github" || true
    done
    diff -r "$tmp/plain" "$tmp/wine"
    [[ $(find "$tmp" -name '.heapdrift-*') == "" ]]
    # An output that is also an input is refused, and kept.
    cp "$before" "$tmp/b.txt"
    refused diff "$tmp/b.txt" "$after" -o "$tmp/b.txt"
    cmp "$before" "$tmp/b.txt"
    # A reader that has read enough is not an error.
    "$WINE" help formats 2>"$tmp/err" | true
    [[ ${PIPESTATUS[0]} == 0 && ! -s $tmp/err ]]
    "$WINE" diff $cache 2>"$tmp/err" | true
    [[ ${PIPESTATUS[0]} == 0 && ! -s $tmp/err ]]
    status=0
    "$WINE" diff $cache >/dev/full 2>"$tmp/err" || status=$?
    [[ $status == 2 && $(<"$tmp/err") == "heapdrift: standard output: No space left on device" ]]
}

@test "budgets, a baseline, and where they are looked for" {
    mkdir -p "$tmp/repository/below"
    cp $cache/*.gz "$tmp/repository/below"
    printf 'version: 1\nbudgets: [{ total: bytes, max_growth: 1%% }]\n' >"$tmp/repository/heapdrift.yml"
    same check --config="$tmp/repository/heapdrift.yml" $cache
    cd "$tmp/repository/below"
    same check -v .
    printf 'version: 1\nbudgets: [{ total: bytes\n' >../heapdrift.yml
    refused check .
    printf 'no_such_key: 1\n' >../heapdrift.yml
    refused check .
}

@test "names that are not ASCII, with blanks, in folders of both slashes" {
    mkdir -p "$tmp/Größe 日本"
    cp "$before" "$tmp/Größe 日本/1 vorher 🌱.txt"
    cp "$after" "$tmp/Größe 日本/2 nachher é.txt"
    same diff "$tmp/Größe 日本"
    same diff --format=json "$tmp/Größe 日本"/*
    (cd "$tmp" && same top "Größe 日本/1 vorher 🌱.txt" && refused top "Größe 日本/3.txt")
    same diff --type='Orchard.P*' "${pair[@]}"
    compare diff --type='Größe\日' "${pair[@]}"
    # A path of Windows is shown as one of elsewhere.
    "$HEAPDRIFT" diff "${pair[@]}" >"$tmp/plain"
    "$WINE" diff "${pair[@]//\//\\}" -o "Z:${tmp//\//\\}\\Größe 日本\\x.txt"
    cmp "$tmp/plain" "$tmp/Größe 日本/x.txt"
    "$WINE" info --format=json "${before//\//\\}" | grep -qF "\"path\": \"$before\""
}

@test "hostile bytes: the same refusals" {
    local family
    for family in gcdump nettrace core text table packed types; do
        mkdir "$tmp/$family"
        tar -xf fixtures/fuzz/$family.tar.xz -C "$tmp/$family" --strip-components=1 --transform 's/:/_/g'
        compare info -j1 "$tmp/$family"
    done
}

@test "a large file that becomes shorter while it is read" {
    build/make-heap 1000000 "$tmp/large.gcdump"
    # On a very busy machine it may be read before it is stopped.
    for _ in 1 2 3 4 5; do
        cp "$tmp/large.gcdump" "$tmp/cut.gcdump"
        "$WINE" top "$tmp/cut.gcdump" >"$tmp/out" 2>"$tmp/err" 3>&- &
        while [[ -d /proc/$! ]] && ! grep -q cut.gcdump "/proc/$!/maps"; do :; done
        truncate -s 4096 "$tmp/cut.gcdump"
        status=0
        wait $! || status=$?
        [[ $status == 0 ]] || break
    done
    [[ $status == 2 && ! -s $tmp/out ]]
    [[ $(<"$tmp/err") == "heapdrift: a snapshot, or a file that a core dump names: was truncated while being read" ]]
}

@test "wrong use" {
    refused --no-such-option
    refused nonsense
    refused diff
    refused diff "$before"
    refused diff "$before" "$tmp/none"
    mkdir "$tmp/bare"
    refused top "$tmp/bare"
    refused top -o "$tmp/bare" "$before"
    refused top "$before" --format=nonsense
    refused check --max-growth=nonsense $cache
    refused top --memory=1 "$before"
    refused diff "@$tmp/none"
    printf -- '--format=csv\n%s\n' "${pair[@]}" >"$tmp/arguments"
    same diff "@$tmp/arguments"
    refused roots --type=None $cache
    same diff --strict "${pair[@]}"
    same diff --exit-code $cache
}

# screens PROGRAM: what a console of 100 × 30 shows after each of some keys. Home and End as tmux sends them are
# unknown to the console of wine 8.
screens() {
    local keys
    tmux -L "heapdrift-$$" new-session -d -x 100 -y 30 "LC_ALL=C.UTF-8 '$1' explore $cache 2>'$tmp/err'"
    for keys in "" "Down Enter" "?" "Escape Tab" "Tab" "G" "PageUp" "g / S e s s Enter" "Enter"; do
        [[ -z $keys ]] || tmux -L "heapdrift-$$" send-keys $keys
        settled
    done
    tmux -L "heapdrift-$$" send-keys C-c
    for keys in {1..50}; do
        tmux -L "heapdrift-$$" has-session 2>/dev/null || return 0
        sleep 0.1
    done
    tmux -L "heapdrift-$$" kill-server
    false
}

# A screen that has not changed for a second.
settled() {
    local screen before=none same=0
    for _ in {1..100}; do
        screen=$(tmux -L "heapdrift-$$" capture-pane -p | sed 's/ *$//')
        [[ -n $screen && $screen == "$before" ]] && same=$((same + 1)) || same=0
        [[ $same -lt 4 ]] || break
        before=$screen
        sleep 0.25
    done
    printf '%s\n---\n' "$screen"
}

@test "explore draws the same screens, and takes the same keys" {
    screens "$HEAPDRIFT" >"$tmp/plain"
    screens "$WINE" >"$tmp/wine"
    diff "$tmp/plain" "$tmp/wine"
    grep -q "Shop.Sessions.Session" "$tmp/wine"
    status=0
    "$WINE" explore $cache >"$tmp/out" 2>"$tmp/err" </dev/null || status=$?
    [[ $status == 2 && $(<"$tmp/err") == "heapdrift: explore needs a console; "* ]]
}
