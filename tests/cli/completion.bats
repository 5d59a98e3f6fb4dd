# Completion in bash, zsh and fish: their suggestions.
load helper

# Files to choose from, and the program by its name; ps lists two processes.
files() {
    mkdir -p "$tmp/here/snapshots" "$tmp/bin"
    touch "$tmp/here"/{a.gcdump,b.nettrace.zst,c.txt,d.digest,core.4711,core.c,notes.md,q.part}
    # Commands that would run if a shell expanded them.
    local evil='$(touch pwned)'
    printf '#!/bin/sh\n[ "$1" = ps ] || exec %q "$@"\nprintf %q\n' "$HEAPDRIFT" \
        "pid\tname\truntime\n4711\tShop\t10.0\n4712\t$evil\t10.0\n" >"$tmp/bin/heapdrift"
    chmod +x "$tmp/bin/heapdrift"
    PATH=$tmp/bin:$PATH
    cd "$tmp/here" || return
}

# Input and suggestions, in any order, in every shell. "..." means more.
cases() {
    cat <<'CASES'
heapdrift di|diff
heapdrift c|c.txt check collect completion convert core.4711
heapdrift help fo|formats
heapdrift help hi|hint
heapdrift help hint timer|timer-not-disposed
heapdrift help hint gc-|gc-handle-not-freed
heapdrift help hint rep|reply-never-removed
heapdrift completion |bash fish zsh
heapdrift top |a.gcdump b.nettrace.zst c.txt core.4711 d.digest snapshots
heapdrift diff d|d.digest
heapdrift fleet --merge q|q.part
heapdrift top a|a.gcdump
heapdrift object a|a.gcdump
heapdrift object --val|--values
heapdrift diff --fo|--format
heapdrift diff --format=|csv html json md text tsv
heapdrift diff --format j|json
heapdrift check --format=ju|junit
heapdrift convert --to=|core-dump digest gcdump heap-text table-csv table-json
heapdrift diff --sort |bytes count name retained
heapdrift --sort=b|bytes
heapdrift top --by=|holder module namespace type
heapdrift info --color=|always auto never
heapdrift info --size-base=|10 16
heapdrift watch -o |snapshots
heapdrift watch --interval 3|30s
heapdrift watch -p 471|4711 4712
heapdrift collect --process-id=4711|4711
heapdrift watch --name S|Shop
heapdrift watch Sh|Shop
heapdrift watch 4711 --max-growth=5|5%
CASES
}

# offered: stdin without decorations of shells: sorted, in one line. Text before "=" was typed, a
# description follows a tab, a folder has a slash.
offered() { cut -f1 | sed 's/^--[a-z-]*=\(.\)/\1/; s/[=/ ]*$//; /^$/d' | sort -u | xargs; }

# all_cases OFFERS: what the function prints for every line.
all_cases() {
    local line wanted got
    while IFS='|' read -r line wanted; do
        got=$("$1" "$line" 2>&1 | offered)
        [[ $got == "$wanted" ]] || {
            echo "$line: $wanted expected, not: $got"
            return 1
        }
    done < <(cases)
}

# As bash calls it: words broken at blanks, and at "=" if it is in $breaks.
in_bash() {
    bash -c 'source "$1"
        [[ -z $2 ]] || set -- "$1" "$2" "${3//=/ = }"
        read -ra COMP_WORDS <<<"$3"
        [[ $3 != *" " ]] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _heapdrift
        [[ ${#COMPREPLY[@]} == 0 ]] || printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$tmp/script" "${breaks:-}" "$1"
}

@test "bash completes commands, options, values, files and processes" {
    files
    works completion bash
    echo "$out" >"$tmp/script"
    bash -n "$tmp/script"
    all_cases in_bash
    breaks='=' all_cases in_bash
    [[ $(in_bash "heapdrift top -- -") == "" ]]
    # A name that a shell would run is quoted.
    [[ $(in_bash "heapdrift watch ") == *'\$\(touch\ pwned\)' && ! -e pwned ]]
    # The script is registered, and completes in bash without any other package.
    [[ $(bash -c 'source "$1"; complete -p heapdrift' bash "$tmp/script") == "complete -F _heapdrift heapdrift" ]]
    shellcheck "$tmp/script"
}

in_fish() { HOME=$tmp fish --no-config -c "source $tmp/script; complete -C '$1'"; }

@test "fish completes commands, options, values, files and processes" {
    command -v fish >/dev/null || skip "no fish here"
    files
    works completion fish
    echo "$out" >"$tmp/script"
    fish -n "$tmp/script"
    all_cases in_fish
    [[ ! -e pwned ]]
}

in_zsh() { timeout 600 zsh -f "$tests/complete.zsh" "$tmp/fpath/_heapdrift" "$1"; }

@test "zsh completes commands, options, values, files and processes" {
    command -v zsh >/dev/null || skip "no zsh here"
    local tests=$PWD/tests/cli
    files
    works completion zsh
    mkdir "$tmp/fpath"
    echo "$out" >"$tmp/fpath/_heapdrift"
    zsh -n "$tmp/fpath/_heapdrift"
    if [[ ${HEAPDRIFT_FULL:-} == 1 ]]; then
        all_cases in_zsh
    else
        # A second each.
        [[ $(in_zsh "heapdrift check --format=ju" | offered) == junit ]]
        [[ $(in_zsh "heapdrift watch -p 471" | offered) == "4711 4712" ]]
    fi
    [[ ! -e pwned ]]
}

@test "every command and option that help lists is offered, with its help" {
    local command
    works __complete ""
    for command in $("$HEAPDRIFT" --help | grep -oE '^  [a-z]+' | grep -vxE '  (heapdrift|man)' | sort -u); do
        grep -q "^$command"$'\t.' <<<"$out" || complain "no $command"
    done
    for command in $("$HEAPDRIFT" __complete "" | grep -v '^:' | cut -f1); do
        works __complete "$command" --
        diff <(cut -f1 <<<"$out" | sed 's/=$//' | sort) \
            <("$HEAPDRIFT" help "$command" | grep -oE '^  (-.,|   ) --[a-z0-9-]+' | sed 's/.*--/--/' | sort)
        [[ $(grep -cv $'\t.' <<<"$out") == 0 ]]
    done
}

@test "completion lists its shells" {
    local args
    for args in "" tcsh "bash zsh"; do
        hd completion $args
        fails_with "name a shell: heapdrift completion bash, zsh or fish"
    done
}
