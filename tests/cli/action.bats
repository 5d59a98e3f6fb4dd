# The GitHub action: its steps, run as the runner runs them.
load helper

# action INPUT=VALUE...: runs both steps in a workspace of their own, with heapdrift on PATH. Files of
# the runner are in $tmp/runner; $out is the log.
action() {
    rm -rf "$tmp/steps" "$tmp/runner"
    mkdir -p "$tmp/steps" "$tmp/runner/temp" "$tmp/bin" "$tmp/workspace"
    ln -sf "$HEAPDRIFT" "$tmp/bin/heapdrift"
    python tests/cli/ci_files.py steps .github/actions/heapdrift/action.yml "$tmp/steps" "$@"
    status=0 out='' ran="action $*"
    local n root=${action_root:-$PWD}
    for n in 1 2; do
        [[ $status == 0 ]] || continue
        # shellcheck disable=SC1090
        out+=$(
            cd "$tmp/workspace"
            unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL
            . "$tmp/steps/$n.env"
            export PATH=${action_path-$tmp/bin:}$PATH
            export GITHUB_ACTIONS=true RUNNER_OS=${runner_os:-Linux} RUNNER_TEMP=$tmp/runner/temp
            export GITHUB_ACTION_PATH=$root/.github/actions/heapdrift GITHUB_WORKSPACE=$PWD
            export GITHUB_PATH=$tmp/runner/path GITHUB_OUTPUT=$tmp/runner/output.$n
            export GITHUB_STEP_SUMMARY=$tmp/runner/summary.$n
            touch "$GITHUB_PATH" "$GITHUB_OUTPUT" "$GITHUB_STEP_SUMMARY"
            PATH=$(tr '\n' ':' <"$GITHUB_PATH")$PATH
            bash --noprofile --norc -eo pipefail "$tmp/steps/$n.sh" 2>&1
        ) || status=$?
    done
}

output() { sed -n "s/^$1=//p" "$tmp/runner/output.2"; }

# A workspace with a leak, and one without.
workspace() {
    mkdir -p "$tmp/workspace/snapshots"
    cp "fixtures/leaklab/$1"/[1-5].* "$tmp/workspace/snapshots"
    touch "$tmp/workspace/.git"
}

@test "a leak fails the job, and every output is there" {
    workspace events
    printf 'version: 1\nbudgets:\n  - suspects: any\n  - type: "Shop.*"\n    max_growth: 0\n%s\n' \
        'suppress: [{type: "Shop.Orders.*", reason: known}]' >"$tmp/workspace/heapdrift.yml"
    action snapshots=snapshots
    status_is 1
    [[ $(output status) == 1 && $(output verdict) == fail ]]
    out_has "FAIL  "
    out_has "::error file=heapdrift.yml,line="
    # Told once, though the check runs for three files.
    [[ $(grep -c '^budgets  ' <<<"$out") == 1 ]]
    [[ $(grep -c '^<!-- heapdrift -->' "$tmp/runner/summary.2") == 1 ]]
    [[ $(head -1 "$(output report)") == "FAIL  "* ]]
    xmllint --noout --schema docs/ci/junit.xsd "$(output junit)"
    jq -e '.version == "2.1.0"' "$(output sarif)"
    python tests/cli/check_page.py "$(output page)"
    grep -q '<h1 class="verdict bad">' "$(output page)"
}

@test "code scanning gets what fails, and only what has a line" {
    workspace cache
    printf 'version: 1\nbudgets:\n%s\n%s\n%s\n%s\n' '  - {type: "Shop.Sessions.*", max_growth: 0}' \
        '  - {total: objects, max_growth: 99999999}' 'suppress:' \
        '  - {type: "Shop.Sessions.LogEntry*", reason: known}' >"$tmp/workspace/heapdrift.yml"
    action snapshots=snapshots args=$'--max-growth=1KiB\n--min-score=3%'
    status_is 1
    # Passed, suppressed, and the budget of an option are left out.
    [[ $(jq -r '[.. | .uri? // empty] | unique[]' "$(output sarif)") == heapdrift.yml ]]
    jq -e '[.runs[].results[] | select(.kind != "fail" or .suppressions or (.locations | length) == 0)] == []' \
        "$(output sarif)"
    [[ $(jq '.runs[0].results | length' "$(output sarif)") == 1 ]]
    [[ $(xmllint --xpath 'count(//failure)' "$(output junit)") == 2 ]]
}

@test "no leak is a pass" {
    workspace none
    action snapshots=snapshots
    status_is 0
    [[ $(output status) == 0 && $(output verdict) == pass ]]
    out_lacks "::error"
    [[ $(jq '.runs[0].results | length' "$(output sarif)") == 0 ]]
    [[ $(xmllint --xpath 'string(//testsuite/@failures)' "$(output junit)") == 0 ]]
}

@test "too few snapshots: inconclusive, a failure with strict" {
    workspace none
    rm "$tmp/workspace/snapshots/"[3-5].*
    action snapshots=snapshots
    status_is 0
    [[ $(output verdict) == inconclusive ]]
    action snapshots=snapshots strict=true
    status_is 3
    [[ $(output verdict) == inconclusive && $(output status) == 3 && -s $(output junit) ]]
    action snapshots=snapshots strict=perhaps
    status_is 2
    out_has "::error title=heapdrift::strict: true or false, not 'perhaps'"
}

@test "a broken snapshot neither passes nor fails, and leaves no files" {
    workspace none
    echo garbage >"$tmp/workspace/broken.gcdump"
    action snapshots=$'snapshots\nbroken.gcdump'
    status_is 2
    [[ $(output status) == 2 && -z $(output verdict) && -z $(output junit) ]]
    out_has "broken.gcdump"
    out_has "::error title=heapdrift::no check: "
    action snapshots=nowhere
    status_is 2
    action snapshots=
    status_is 2
    out_has "snapshots: name a folder or files"
}

@test "patterns in natural order, names with blanks, no shell expansion" {
    workspace events
    mkdir "$tmp/workspace/a b"
    local k
    for k in 1 2 3 4 5; do mv "$tmp/workspace/snapshots/$k".* "$tmp/workspace/a b/$((k * 3)).gcdump.zst"; done
    action snapshots='a b/*.zst'
    status_is 1
    [[ $(xmllint --xpath 'string(//property[@name="snapshot.4"]/@value)' "$(output junit)") == "a b/12.gcdump.zst" ]]
    action snapshots=$'a b/3.gcdump.zst\na b/6.gcdump.zst\na b/9.gcdump.zst\na b/12.gcdump.zst'
    status_is 1
    action snapshots='$(touch oops); `touch oops` "' args='$(touch oops)'
    status_is 2
    [[ ! -e $tmp/workspace/oops ]]
}

@test "config, baseline and more options" {
    workspace cache
    printf 'version: 1\nbudgets: [{type: "Shop.Sessions.Session", max_growth: 0}]\n' >"$tmp/workspace/other.yml"
    action snapshots=snapshots config=other.yml
    status_is 1
    action snapshots=snapshots config=other.yml args=--baseline-write=accepted
    status_is 0
    [[ -s $tmp/workspace/accepted ]]
    action snapshots=snapshots config=other.yml baseline=accepted
    status_is 0
    [[ $(output verdict) == pass ]]
    action snapshots=snapshots config=missing.yml
    status_is 2
}

@test "version: one that is there is taken, another is refused" {
    workspace none
    local version
    version=$("$HEAPDRIFT" --version)
    action snapshots=snapshots version="${version#heapdrift }"
    status_is 0
    out_has "$version is there"
    action snapshots=snapshots version=99.1.0
    status_is 2
    out_has "::error title=heapdrift::version 99.1.0 is wanted, but this action comes with ${version#heapdrift }"
}

@test "only Linux is supported, with a message for other systems" {
    runner_os=Windows action snapshots=snapshots
    status_is 2
    out_has "the check runs on Linux; upload the snapshots of a Windows job"
}

@test "without heapdrift on PATH it is built from the source of the action" {
    ! command -v heapdrift || skip "heapdrift is installed here"
    workspace events
    mkdir -p "$tmp/root/build"
    cp -a Makefile include src scripts docs .github "$tmp/root/"
    # Files that make has built stay newer than their sources in the copy; only the program is
    # missing.
    if [[ -d build/src ]]; then cp -a build/{src,flags,made,page} "$tmp/root/build/"; fi
    action_root=$tmp/root action_path='' action snapshots=snapshots releases="file://$tmp/nowhere"
    out_has "no release of heapdrift "
    status_is 1
    [[ -x $tmp/root/build/heapdrift && $(output verdict) == fail ]]
    [[ $(<"$tmp/runner/path") == "$tmp/runner/temp/heapdrift/bin" ]]
}

# A release of version $1 in $tmp/releases, with a program that only prints its version.
release() {
    local name
    name=heapdrift-$1-linux-$(uname -m)
    mkdir -p "$tmp/releases/v$1" "$tmp/$name"
    printf '#!/bin/sh\nif [ "$1" = --version ]; then echo "heapdrift %s"; else exec "%s" "$@"; fi\n' "$1" "$HEAPDRIFT" >"$tmp/$name/heapdrift"
    chmod +x "$tmp/$name/heapdrift"
    tar -czf "$tmp/releases/v$1/$name.tar.gz" -C "$tmp" "$name"
    (cd "$tmp/releases/v$1" && sha256sum -- * >"$tmp/SHA256SUMS" && mv "$tmp/SHA256SUMS" .)
}

@test "a released program is taken, of another version than the action's too" {
    ! command -v heapdrift || skip "heapdrift is installed here"
    command -v curl >/dev/null || skip "no curl here"
    workspace events
    release 99.1.0
    action_path='' action snapshots=snapshots version=99.1.0 releases="file://$tmp/releases"
    status_is 1
    out_has "heapdrift 99.1.0"
    [[ $(output verdict) == fail && $(<"$tmp/runner/path") == "$tmp/runner/temp/heapdrift/bin" ]]
    # By the name of the action's repository, as on the runner; the server is a folder.
    mkdir -p "$tmp/server/someone/heapdrift/releases"
    mv "$tmp/releases" "$tmp/server/someone/heapdrift/releases/download"
    GITHUB_SERVER_URL=file://$tmp/server ACTION_REPOSITORY=someone/heapdrift action_path='' \
        action snapshots=snapshots version=99.1.0
    status_is 1
    out_has "heapdrift 99.1.0"
}

@test "a released program that differs from its release is refused" {
    ! command -v heapdrift || skip "heapdrift is installed here"
    command -v curl >/dev/null || skip "no curl here"
    workspace none
    release 99.1.0
    echo more >>"$tmp/releases/v99.1.0/heapdrift-99.1.0-linux-$(uname -m).tar.gz"
    action_path='' action snapshots=snapshots version=99.1.0 releases="file://$tmp/releases"
    status_is 2
    out_has "is not the file that SHA256SUMS of the release says"
    [[ ! -e $tmp/runner/temp/heapdrift/bin ]]
    # A checksum missing from the release is refused, too.
    release 99.1.0
    sed -i 's/heapdrift-/other-/' "$tmp/releases/v99.1.0/SHA256SUMS"
    action_path='' action snapshots=snapshots version=99.1.0 releases="file://$tmp/releases"
    status_is 2
    out_has "is not the file that SHA256SUMS of the release says"
    # A program with another version.
    release 99.1.0
    mv "$tmp/releases/v99.1.0" "$tmp/releases/v99.2.0"
    cd "$tmp/releases/v99.2.0" || return
    mkdir x
    tar -xzf heapdrift-99.1.0-* -C x
    mv x/heapdrift-99.1.0-linux-* "x/heapdrift-99.2.0-linux-$(uname -m)"
    tar -czf "heapdrift-99.2.0-linux-$(uname -m).tar.gz" -C x "heapdrift-99.2.0-linux-$(uname -m)"
    sha256sum ./*.tar.gz | sed 's|\./||' >SHA256SUMS
    cd - >/dev/null || return
    action_path='' action snapshots=snapshots version=99.2.0 releases="file://$tmp/releases"
    status_is 2
    out_has "this is not heapdrift 99.2.0: heapdrift 99.1.0"
}

@test "without a release of another version the action reports its own" {
    ! command -v heapdrift || skip "heapdrift is installed here"
    workspace none
    mkdir "$tmp/releases"
    action_path='' action snapshots=snapshots version=99.1.0 releases="file://$tmp/releases"
    status_is 2
    out_has "no release of heapdrift 99.1.0 at file://$tmp/releases"
    out_has "::error title=heapdrift::version 99.1.0 is wanted, but this action comes with"
    action snapshots=snapshots version='../../etc'
    status_is 2
    out_has "::error title=heapdrift::version: three numbers, as 1.2.3, not '../../etc'"
}

@test "the inputs and outputs that the guide names are those of the action" {
    [[ -s docs/ci.md ]]
    local names name
    names=$(python -c 'import sys, yaml
action = yaml.safe_load(open(sys.argv[1]))
print(*action["inputs"], *action["outputs"])' .github/actions/heapdrift/action.yml)
    for name in $names; do grep -q "^| \`$name\` " docs/ci.md || complain "docs/ci.md says nothing of $name"; done
}
