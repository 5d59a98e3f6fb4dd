# Runs the instructions in docs/ci.md. Stand-ins replace only missing things: dotnet, a process to
# collect from, the network. heapdrift is installed as in the guide, from a copy of the tree.
# shellcheck disable=SC2012 # $out, $err, $tmp, ... come from the helper and for it
load helper

unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY

# Install once for all tests: the first shell block of the guide.
setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    local all=$BATS_FILE_TMPDIR
    mkdir -p "$all/blocks" "$all/bin" "$all/home" "$all/tree/build" "$all/install"
    python() { if [[ -x /usr/bin/python3 ]]; then /usr/bin/python3 "$@"; else python3 "$@"; fi; }
    python tests/cli/ci_files.py blocks docs/ci.md "$all/blocks" >/dev/null
    python tests/cli/ci_files.py pipelines "$all/blocks" >"$all/pipelines"
    cp -a Makefile include src scripts docs "$all/tree/"
    # Files that make has built stay newer than their sources in the copy.
    if [[ -d build/src ]]; then cp -a build/{src,flags,made,page,heapdrift.1} "$all/tree/build/" 2>/dev/null || true; fi
    stand_ins "$all/bin"
    cd "$all/install" || return
    guide_run "$(block 'git clone')" >"$all/install.log" 2>&1 || {
        cat "$all/install.log"
        return 1
    }
    # The pipelines install as well, and need not compile everything again.
    cp -a heapdrift/build/. "$all/tree/build/"
}

# git copies; dotnet builds a Shop that waits.
stand_ins() {
    cat >"$1/git" <<'SH'
#!/bin/bash
case $1 in
clone) [[ $2 == --depth && $3 == 1 && $# == 5 ]] && cp -a "$4" "$5" ;;
add) [[ -s $2 ]] ;;
*) exit 1 ;;
esac
SH
    cat >"$1/dotnet" <<'SH'
#!/bin/bash
case "$*" in
"build -c Release -o out") mkdir -p out && printf '#!/bin/sh\nexec sleep 60\n' >out/Shop && chmod +x out/Shop ;;
*) exit 1 ;;
esac
SH
    chmod +x "$1"/*
}

# block TEXT: the one shell block of the guide that has it.
block() { grep -lF -- "$1" "$BATS_FILE_TMPDIR"/blocks/*-bash; }

# Stands before the program wherever bash runs: takes the next snapshot of $SERIES.
heapdrift() {
    [[ $1 == collect ]] || {
        command heapdrift "$@"
        return
    }
    type -P heapdrift >/dev/null || {
        echo "heapdrift: command not found" >&2
        return 127
    }
    [[ $2 == -q && $3 == -p && -d /proc/$4 && $5 == -o && $# == 6 ]] || return 1
    local k=${6##*/}
    k=${k%.gcdump}
    cp "$FIXTURES/$SERIES/${k/first/0}.gcdump.gz" "$6"
}

# guide_run FILE: run it as the guide does, in this folder.
guide_run() {
    local added=${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}/github_path
    touch "$added"
    export -f heapdrift
    env HOME="$BATS_FILE_TMPDIR/home" PATH="$BATS_FILE_TMPDIR/bin:$(tr '\n' : <"$added")$PATH" GITHUB_PATH="$added" HEAPDRIFT_REPO="$BATS_FILE_TMPDIR/tree" \
        FIXTURES="$BATS_TEST_DIRNAME/../../fixtures/leaklab" SERIES="${series_taken:-none}" \
        bash -o "${bash_option:-errexit}" "$1"
}

# runs FILE...: sets $status, $out and $err.
runs() {
    status=0 ran=$1
    guide_run "$1" >"$tmp/.out" 2>"$tmp/.err" || status=$?
    out=$(<"$tmp/.out") err=$(<"$tmp/.err")
}

# A repository of a program that has the load script and the budgets.
repository() {
    mkdir -p "$tmp/repository/ci"
    cd "$tmp/repository" || return
    touch .git
    printf '#!/bin/sh\necho "$1" >>load.log\n' >ci/load.sh
    chmod +x ci/load.sh
    cp "$(budgets 1)" heapdrift.yml
    runs "$(block 'cat >ci/snapshots.sh')"
    status_is 0
}

budgets() { find "$BATS_FILE_TMPDIR/blocks" -name '*-budgets' | sort | sed -n "$1p"; }
installed() { PATH="$BATS_FILE_TMPDIR/home/.local/bin:$PATH" "$@"; }

@test "heapdrift is installed as the guide says" {
    [[ $("$BATS_FILE_TMPDIR/home/.local/bin/heapdrift" --version) == "$("$HEAPDRIFT" --version)" ]]
}

@test "plain shell: no leak passes, a leak fails" {
    repository
    runs "$(block 'heapdrift check --strict --iterations=')"
    status_is 0
    out_matches "^PASS  "
    [[ $(ls snapshots) == $'1.gcdump\n2.gcdump\n3.gcdump\n4.gcdump\n5.gcdump' ]]
    # The work before the snapshots matches --iterations.
    [[ $(<load.log) == $'400\n200\n200\n200\n200\n200' ]]
    series_taken=cache runs "$(block 'heapdrift check --strict --iterations=')"
    status_is 1
    out_matches "^FAIL  "
    out_has "2 of 2 rules are over budget"
    shellcheck ci/snapshots.sh
}

@test "an unreachable program is an error, and no process is left" {
    repository
    mkdir -p out
    printf '#!/bin/sh\necho $$ >shop.pid\nexec sleep 60\n' >out/Shop
    # Work is done only when the program is there.
    printf '#!/bin/sh\nuntil [ -s shop.pid ]; do sleep 0.05; done\n' >ci/load.sh
    chmod +x out/Shop
    status=0
    # No heapdrift on PATH.
    PATH=/usr/bin:/bin ci/snapshots.sh snapshots >"$tmp/log" 2>&1 || status=$?
    [[ $status != 0 ]]
    grep -q 'heapdrift: command not found' "$tmp/log"
    sleep 0.2
    # Gone, or a zombie waiting for the container's reaper.
    [[ $(cut -d' ' -f3 "/proc/$(<shop.pid)/stat" 2>/dev/null || echo gone) =~ ^(gone|Z)$ ]]
}

@test "the other shell blocks: actions without the action, baseline, looking closer" {
    repository
    series_taken=cache runs "$(block 'heapdrift check --strict --iterations=')"
    status_is 1
    GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$tmp/summary installed runs "$(grep -lx 'heapdrift check --strict snapshots' "$BATS_FILE_TMPDIR"/blocks/*-bash)"
    status_is 1
    err_has "::error file=heapdrift.yml,line=3,"
    grep -q '<!-- heapdrift -->' "$tmp/summary"
    installed runs "$(block --baseline-write=)"
    status_is 0
    [[ $(grep -c '^PASS  ' <<<"$out") == 2 ]]
    installed runs "$(block 'heapdrift roots')"
    status_is 0
    out_has "s_sessions]"
}

@test "the highest scores of a good version" {
    repository
    mkdir snapshots-of-a-good-version
    local k
    for k in 1 2 3 4 5; do
        cp "$BATS_TEST_DIRNAME/../../fixtures/leaklab/none/$k.gcdump.gz" "snapshots-of-a-good-version/0$k.gcdump"
        cp "$BATS_TEST_DIRNAME/../../fixtures/leaklab/cache/$k.gcdump.gz" "snapshots-of-a-good-version/1$k.gcdump"
    done
    installed runs "$(block 'sort -rn')"
    status_is 0
    [[ $(wc -l <<<"$out") == 3 ]]
    out_matches '^[0-9]+ % .*Session'
}

@test "every shell block of the guide is run by one of these tests" {
    [[ $(find "$BATS_FILE_TMPDIR/blocks" -name '*-bash' | wc -l) == 7 ]]
    local f
    for f in "$BATS_FILE_TMPDIR"/blocks/*-bash "$BATS_FILE_TMPDIR"/blocks/*-[0-9].sh; do
        shellcheck -s bash -e SC2016 "$f"
    done
}

@test "the pipelines are those of three servers, and their budgets can be read" {
    [[ $(<"$BATS_FILE_TMPDIR/pipelines") == "budgets github azure gitlab budgets budgets" ]]
    repository
    series_taken=cache runs "$(block 'heapdrift check --strict --iterations=')"
    cp "$(budgets 3)" heapdrift.yml
    hd check --strict snapshots
    status_is 0
    out_has "SHOP-7: sessions go into a store next month"
    SOURCE_DATE_EPOCH=4102444801 hd check -q --strict snapshots
    status_is 1
}

# pipeline SERVER OPTION: with that option of the shell, its scripts one after the other; $status is that of the last that ran.
pipeline() {
    local script
    : >"$tmp/log"
    for script in "$BATS_FILE_TMPDIR"/blocks/*-"$1"-[0-9].sh; do
        bash_option=$2 runs "$script"
        printf '%s\n%s\n' "$out" "$err" >>"$tmp/log"
        [[ $status == 0 ]] || break
    done
    out=$(<"$tmp/log")
}

@test "GitHub: the snapshots that the action gets" {
    repository
    pipeline github errexit
    status_is 0
    [[ $(ls snapshots | wc -l) == 5 ]]
}

@test "Azure: a leak fails the last step, with results and summary" {
    repository
    # Bash of Azure does not stop at a command that fails: this option is on anyway.
    series_taken=cache pipeline azure braceexpand
    status_is 1
    xmllint --noout --schema "$BATS_TEST_DIRNAME/../../docs/ci/junit.xsd" heapdrift.xml
    out_has "##vso[task.uploadsummary]$PWD/heapdrift.md"
    [[ $(head -1 heapdrift.md) == "<!-- heapdrift -->" ]]
    rm -rf heapdrift
    pipeline azure braceexpand
    status_is 0
}

@test "GitLab: a leak fails the job, with a report" {
    repository
    series_taken=cache pipeline gitlab errexit
    status_is 1
    xmllint --noout --schema "$BATS_TEST_DIRNAME/../../docs/ci/junit.xsd" heapdrift.xml
    rm -rf heapdrift
    pipeline gitlab errexit
    status_is 0
    [[ $(xmllint --xpath 'string(//testsuite/@failures)' heapdrift.xml) == 0 ]]
}

@test "the failure that the guide shows is what the program prints" {
    repository
    series_taken=cache runs "$(block 'heapdrift check --strict --iterations=')"
    local shown
    shown=$(echo "$BATS_FILE_TMPDIR"/blocks/*-console)
    [[ $(head -1 "$shown") == '$ heapdrift check snapshots/' ]]
    hd check snapshots/
    diff -u <(tail -n +2 "$shown") <(echo "$out")
}

@test "links of the guide lead to headings and files that are there" {
    local link
    cd docs
    for link in $(grep -o '](#[^)]*)' ci.md | tr -d ']()#' | sort -u); do
        grep -iq "^##* $(tr - ' ' <<<"$link")$" ci.md || complain "no heading $link"
    done
    for link in $(grep -o '](\([a-z/.]*\)[)#]' ci.md | tr -d ']()#' | sort -u); do
        [[ -e $link ]] || complain "no file $link"
    done
    grep -q 'docs/ci.md' ../README.md
}
