# Documents held against the program: links, keys, headers, words.
load helper

leak=fixtures/leaklab/cache

@test "every relative link leads to a file, and to a heading in it" {
    python3 tests/cli/check_docs.py links ./*.md docs/*.md docs/*/*.md fixtures/*.md
    # It does find what is wrong.
    printf '# One\n[a](#one) [b](#two) [c](none.md)\n' >"$tmp/wrong.md"
    run python3 tests/cli/check_docs.py links "$tmp/wrong.md"
    [[ $status == 1 && $output == *"#two: no such heading"*"none.md: no such file"* ]]
    [[ $output != *"#one"* ]]
}

@test "sources, tests and scripts that documents name are there" {
    python3 tests/cli/check_docs.py files README.md CONTRIBUTING.md SECURITY.md docs/*.md docs/*/*.md fixtures/*.md
    printf '`main.c` `elf.h` `mian.c` `src/core/base` `src/*/hash.c` `src/bass` `tests/cli/*.rats`\n' >"$tmp/wrong.md"
    run python3 tests/cli/check_docs.py files "$tmp/wrong.md"
    [[ $status == 1 && ${#lines[@]} == 3 && $output == *mian.c:*src/bass:*.rats:* ]]
}

@test "ranges of .NET end with the newest version that was tried" {
    python3 tests/cli/check_docs.py versions src/clr/clr.h README.md docs/*.md docs/*/*.md src/*/*.[ch] src/*/*/*.[ch] src/*/*/*/*.[ch] tests/live/*.bats
    printf '.NET 8 to 3 on Linux, .NET Core 3.0 to 3.\nWindows: .NET 8 to 4\n' >"$tmp/wrong.md"
    run python3 tests/cli/check_docs.py versions src/clr/clr.h "$tmp/wrong.md"
    [[ $status == 1 && ${#lines[@]} == 3 && $output == *"3.0 to 3: the newest is"*"to 4: the newest is"* ]]
    # Dumps of Windows and collection there were not tried with the same.
    printf '#define RUNTIME_%s\n' 'OLDEST 8' 'NEWEST 7' 'NEWEST_MINIDUMP 6' 'NEWEST_WINDOWS 5' >"$tmp/newest.h"
    printf '%s\n' 'Windows minidumps, .NET 8 to 5' 'minidumps of .NET 8 to 6 on Windows' '.NET 8 to 6 on Windows' >"$tmp/wrong.md"
    run python3 tests/cli/check_docs.py versions "$tmp/newest.h" "$tmp/wrong.md"
    [[ $status == 1 && ${#lines[@]} == 2 && $output == *"to 5: the newest is 6"*"to 6: the newest is 5" ]]
}

@test "docs/json-reference.md is generated from the schemas" {
    python3 tests/cli/json_reference.py docs/json-schema docs/json-reference.md
    [ "${GOLDEN-}" = accept ] || {
        sed 's/Canonical name/A name/' docs/json-reference.md >"$tmp/reference.md"
        run python3 tests/cli/json_reference.py docs/json-schema "$tmp/reference.md"
        [[ $status == 1 && $output == *"GOLDEN=accept"* ]]
    }
}

# A table by each command that has one.
make_tables() {
    local by
    hd diff -q --format=csv -o "$tmp/diff.csv" $leak
    hd top -q --format=csv -o "$tmp/top.csv" $leak/5.gcdump.gz
    hd roots -q --format=csv --type='*Session' -o "$tmp/roots.csv" $leak/5.gcdump.gz
    hd object -q --format=csv -o "$tmp/object.csv" $leak/5.gcdump.gz '#53714'
    hd info -q --format=csv -o "$tmp/info.csv" $leak
    hd check -q --format=csv -o "$tmp/check.csv" $leak
    hd tree -q --format=csv -o "$tmp/tree.csv" $leak
    hd ps -q --format=csv -o "$tmp/ps.csv"
    hd record -q --store="$tmp/store.db" --service=Shop --host=web $leak
    for by in service host build; do
        hd fleet -q --store="$tmp/store.db" --since=all --min-span=0 --by=$by --format=csv -o "$tmp/fleet-$by.csv"
    done
}

@test "the headers of CSV are those of docs/json.md" {
    make_tables
    local tables=() command
    for command in diff top roots object info check tree ps; do tables+=("$command=$tmp/$command.csv"); done
    for command in service host build; do tables+=("fleet=$tmp/fleet-$command.csv"); done
    python3 tests/cli/check_docs.py csv docs/json.md "${tables[@]}"
    cut -d, -f1-3 "$tmp/ps.csv" >"$tmp/few.csv"
    run python3 tests/cli/check_docs.py csv docs/json.md info="$tmp/few.csv"
    [[ $status == 1 ]]
}

@test "the recipes of docs/json.md run" {
    mkdir "$tmp/bin" "$tmp/snapshots"
    ln -s "$(realpath "$HEAPDRIFT")" "$tmp/bin/heapdrift"
    ln -s "$PWD"/$leak/*.gz "$tmp/snapshots/"
    sed -n '/^```sh$/,/^```$/{ /^```/!p }' docs/json.md >"$tmp/recipes"
    cd "$tmp"
    PATH=$tmp/bin:$PATH
    heapdrift record -q --store=runs.db --service=Shop --host=web snapshots/*
    local recipe
    while read -r recipe; do
        [[ $recipe != *" info "* ]] || head -c 1000 snapshots/5.gcdump.gz >snapshots/truncated.gcdump.gz
        run bash -c "${recipe/| jq/2>errors | jq}" </dev/null
        [[ $status == 0 ]] || complain "status $status: $recipe" "$output"
        # The store has no run that is long enough for a verdict.
        [[ -n $output || $recipe == *" fleet "* ]] || complain "prints nothing: $recipe"
        rm -f snapshots/truncated.gcdump.gz
    done <recipes
    [ "$(wc -l <recipes)" = 10 ]
}

# Words that an option takes, as the program says when it is given another one.
words_of() {
    hd "$1" "--$2=zebra"
    grep -oE 'must be [a-z0-9, -]* or [a-z0-9-]+$' <<<"$err" | sed 's/must be //; s/ or /, /; s/,//g' || true
}

@test "the words that help lists for an option are all that it takes" {
    local command option line word words tried=0
    cd "$tmp" # options that name files are given the word as well
    for command in diff report tree top roots object check info convert collect watch record fleet ps explore; do
        works help $command
        while read -r option line; do
            option=${option#--}
            words=$(words_of $command "${option%%=*}")
            [[ -n $words ]] || continue
            # "text, json, csv, ...: see" tells where they are.
            [[ $line != *...* && $line != "the same as"* && $line != *"decides" ]] || continue
            tried=$((tried + 1))
            for word in $words; do
                grep -qw -- "$word" <<<"$line" || complain "help $command: --$option: no $word in: $line"
            done
        done < <(grep -oE -- '--[a-z-]+=[A-Z]+ .*' <<<"$out")
    done
    [[ $tried -gt 20 ]]
}

@test "help of watch promises no budgets that it does not look for" {
    works help watch
    out_has "budget file; else heapdrift.yml, if another budget is given"
    works help check
    out_has "default: heapdrift.yml here or in a parent folder"
}

@test "README and the document on accuracy state the shares of its tables" {
    python3 tests/cli/accuracy_figures.py
}

# Lines of a document's blocks, with the status that a remark states; a process to watch is not there.
@test "the commands for scripts and agents run, with the status that is stated" {
    local line wanted page ran_lines=0
    mkdir "$tmp/work"
    cp -r $leak "$tmp/work/snapshots"
    page=$PWD/docs/scripting.md
    cd "$tmp/work" || return
    heapdrift() { "$HEAPDRIFT" "$@"; }
    while IFS= read -r line; do
        [[ $line != *4711* ]] || continue
        wanted=$(sed -nE 's/.* # status ([0-9]).*/\1/p' <<<"$line")
        status=0 ran=$line
        eval "$line" >"$tmp/.out" 2>"$tmp/.err" </dev/null || status=$?
        out=$(<"$tmp/.out") err=$(<"$tmp/.err")
        status_is "${wanted:-0}"
        ran_lines=$((ran_lines + 1))
    done < <(sed -n '/^```/,/^```/p' "$page" | grep -E '^(heapdrift|jq) ')
    [[ $ran_lines -gt 12 ]]
    # A key that is misspelt gives no error, but an empty column.
    jq -e '.suspects[0] | .subject and .counted[-1] and .retained_delta and .hint and .owner and .chains' diff.json
    jq -e '.suspects[0] | .service and .hosts_with and .first_build and .hint and .command and .run == 1' fleet.json
    # The keys of its table are keys of the schema.
    sed -n '/^| key of/,/^$/p' "$page" | sed 1,2d | cut -d'|' -f2 | grep -oE '[a-z_]+' >keys
    [[ $(wc -l <keys) -gt 10 ]]
    while IFS= read -r line; do
        grep -q "\"$line\"" "$OLDPWD/docs/json-schema/heapdrift-check.json" || complain "no key $line"
    done <keys
}

@test "the pictures show what the program prints" {
    works -q --width=120 fixtures/leaklab/cache
    diff -u docs/gallery/shown.txt "$tmp/.out" || complain "\`make gallery\` takes the pictures again"
}
