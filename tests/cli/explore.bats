# The browser on a real terminal: tmux, whose screen can be read.
bats_require_minimum_version 1.5.0
load helper

cache=fixtures/leaklab/cache

# Each terminal has a socket of its own: a server that ends takes no new session.
terminals=0
mux() { tmux -L "hd-$$-$BATS_TEST_NUMBER-$terminals" -f /dev/null "$@"; }

# on_screen COLUMNS ROWS ARG...: runs the browser on a terminal of this size. Its status is in
# $tmp/status, its stderr in $tmp/err.
on_screen() {
    command -v tmux >/dev/null || skip "no tmux here"
    need_terminal
    local columns=$1 rows=$2 word line=
    shift 2
    printf -v line ' %q' "$HEAPDRIFT" explore "$@"
    ran="heapdrift explore $*"
    status="" err=""
    terminals=$((terminals + 1))
    mux new-session -d -x "$columns" -y "$rows" \
        "${env:-} $line 2>$tmp/err; echo \$? >$tmp/status; stty -a >$tmp/stty; exec sleep 600" 3>&-
}

teardown() { mux kill-server 2>/dev/null || true; }

# The terminal shows $1 in the end.
waits_for() {
    local _
    for _ in $(tries); do
        out=$(mux capture-pane -p)
        [[ $out == *"$1"* ]] && return
        sleep 0.05
    done
    complain "the screen should show: $1"
}

# press KEY... -- WHAT: presses keys, and waits for this text on the screen.
press() {
    while [[ $1 != -- ]]; do
        mux send-keys "$1"
        shift
    done
    waits_for "$2"
}

# The screen equals tests/cli/golden/$1 as soon as it is stable.
screen_is() {
    local _ last=''
    for _ in $(tries); do
        mux capture-pane -p >"$tmp/.out"
        [[ ${GOLDEN:-} != accept ]] || break
        ! cmp -s "tests/cli/golden/$1" "$tmp/.out" || return 0
        sleep 0.05
    done
    out=$(mux capture-pane -p)
    while [[ $out != "$last" ]]; do
        last=$out
        sleep 0.15
        out=$(mux capture-pane -p)
    done
    printf '%s\n' "$out" >"$BATS_TEST_TMPDIR/.out"
    golden_is "$1"
}

ends_with() {
    local _
    for _ in $(tries); do
        [[ -s $tmp/stty ]] && break
        sleep 0.05
    done
    status=$(<"$tmp/status") err=$(<"$tmp/err")
    status_is "$1"
    grep -q ' echo ' "$tmp/stty" || complain "the terminal should echo again"
}

@test "explore leads from a suspect to one object, at 80 by 24" {
    on_screen 80 24 "$cache"
    waits_for "held by"
    screen_is explore-suspects-80.txt
    press Enter -- "◀ suspect 1"
    screen_is explore-tree-80.txt
    press Enter -- "6 of 6"
    waits_for "Node"
    screen_is explore-instances-80.txt
    press Enter -- "referred to by"
    waits_for "chain from the root"
    screen_is explore-object-80.txt
    press BSpace BSpace BSpace -- "[1 Suspects"
    mux send-keys q
    ends_with 0
}

@test "explore shows survivors: in words, in numbers, in the tree, at every width" {
    env="cd $tmp;" on_screen 80 24 "$PWD/fixtures/followed"
    waits_for "survived all of the 16, 28 and 22"
    screen_is explore-stayed-80.txt
    mux resize-window -x 80 -y 45
    waits_for "new in 4 "
    screen_is explore-stayed-tall.txt
    press Enter -- "◀ suspect 1"
    out_lacks " stayed "
    mux resize-window -x 100 -y 24
    waits_for "  stayed  owner"
    screen_is explore-stayed-tree-100.txt
    mux resize-window -x 120 -y 24
    waits_for "  ██████  "
    screen_is explore-stayed-tree-120.txt
    mux resize-window -x 160 -y 24
    waits_for "Subscription[] → Subscription"
    screen_is explore-stayed-tree-160.txt
    # A file has it whatever the screen shows.
    mux resize-window -x 80 -y 24
    press e C-u -- "save as"
    mux send-keys -l "$tmp/tree.csv"
    press Enter -- " rows"
    [[ $(head -n1 "$tmp/tree.csv") == delta_retained,retained,objects,stayed,owner ]]
    works tree --format=json fixtures/followed
    [[ $(sed -n 2p "$tmp/tree.csv") == *,$(json '.nodes[0].stayed'),heap ]]
    mux send-keys q
    ends_with 0
}

@test "explore fills a large screen, and adapts to a new size" {
    on_screen 200 60 "$cache"
    waits_for "held by"
    screen_is explore-suspects-200.txt
    press 2 -- "[2 Tree]"
    screen_is explore-tree-200.txt
    press 3 -- "[3 Types"
    mux resize-window -x 40 -y 20
    waits_for "? help"
    press j -- "> "
    out_matches $'\n> +'
    mux resize-window -x 20 -y 5
    waits_for "too small"
    mux resize-window -x 100 -y 30
    waits_for "by growth"
    press '?' -- "quit"
    screen_is explore-keys-100.txt
    mux send-keys q
    ends_with 0
}

@test "a click of the mouse opens a pane and chooses a row" {
    env="TERM=xterm-256color" on_screen 80 24 "$cache"
    waits_for "held by"
    # The terminal's input for a press and a release at column 27 of the panes, then line 8.
    local line
    line=$(grep -n -F '[1 Suspects' <<<"$out" | cut -d: -f1)
    mux send-keys -l $'\e[<0;27;'"${line}M"$'\e[<0;27;'"${line}m"
    waits_for "[3 Types"
    mux send-keys -l $'\e[<0;27;8M\e[<0;27;8m'
    waits_for "> "
    out_matches $'\n> +\\+6,000'
    mux send-keys q
    ends_with 0
}

@test "explore searches, sorts and exports" {
    # The sandbox lets it write below the folder that it was started in.
    env="cd $tmp;" on_screen 100 30 "$PWD/$cache"
    waits_for "held by"
    press 3 / L o g E n t r y Enter -- "type     Shop.Sessions.LogEntry"
    press s -- "by Δbytes"
    press e C-u -- "Enter: save"
    mux send-keys -l ../types.csv
    press Enter -- "../types.csv: Permission denied (only below this folder, or with --no-sandbox)"
    press e C-u -- "save as"
    mux send-keys -l "$tmp/types.csv"
    press Enter -- "624 rows"
    head -n1 "$tmp/types.csv" | grep -qx 'delta_count,count,delta_bytes,type'
    works diff --format=csv "$cache"
    [[ $(wc -l <"$tmp/types.csv") == "$(wc -l <<<"$out")" ]]
    mux send-keys q
    ends_with 0
}

@test "explore copies to the clipboard of the terminal, also below tmux" {
    on_screen 80 24 "$cache"
    waits_for "held by"
    mux set-option -g set-clipboard on
    press c -- "copied: Shop.Sessions.Session"
    [[ $(mux show-buffer) == Shop.Sessions.Session ]]
    press Enter c -- "copied: [static vars] → "
    [[ $(mux show-buffer) == "[static vars] → "*"Node<String,Session>" ]]
    press Enter c -- "copied: 0x"
    [[ $(mux show-buffer) == 0x7f5d218f0c28 ]]
    mux send-keys q
    ends_with 0
}

@test "explore gives the terminal back when it is ended" {
    local signal
    for signal in 2 15; do
        rm -f "$tmp/stty" "$tmp/status"
        on_screen 80 24 "$cache"
        waits_for "held by"
        pkill -"$signal" -P "$(mux display-message -p '#{pane_pid}')"
        ends_with $((128 + signal))
        waits_for ""
        out_lacks "held by"
        mux kill-server
    done
}

@test "explore can be suspended and resumed" {
    on_screen 80 24 "$cache"
    waits_for "held by"
    local pid
    pid=$(pgrep -P "$(mux display-message -p '#{pane_pid}')")
    kill -TSTP "$pid"
    sleep 0.2
    kill -CONT "$pid"
    press 3 -- "[3 Types"
    mux send-keys q
    ends_with 0
}

@test "explore takes one snapshot, and tables" {
    on_screen 80 24 "$cache/5.gcdump.gz"
    waits_for "[3 Types"
    press 1 -- "Nothing to compare: one snapshot"
    press 2 -- "heap"
    mux send-keys q
    ends_with 0
    mux kill-server
    rm "$tmp/stty"
    on_screen 80 24 --tables-only "$cache"
    waits_for "19 % of the heap"
    out_lacks "held by"
    press 2 -- "No ownership tree"
    press / x Enter -- "Not found."
    press n N '*' f + - c C m Right Left -- "No ownership tree"
    press 3 Enter -- "no single objects"
    mux send-keys q
    ends_with 0
}

@test "explore needs no colours and no UTF-8" {
    env="NO_COLOR=1 LC_ALL=C" on_screen 80 24 "$cache"
    waits_for "held by"
    press Enter -- "< suspect 1"
    screen_is explore-tree-ascii.txt
    mux send-keys q
    ends_with 0
}

@test "explore without a terminal suggests other commands" {
    hd explore "$cache" </dev/null
    fails_with 'explore needs a terminal; `heapdrift tree` prints instead'
    env="TERM=dumb" on_screen 80 24 "$cache"
    ends_with 2
    [[ $err == *'explore cannot draw on this terminal (TERM); `heapdrift tree` prints instead' ]]
    mux kill-server
    rm "$tmp/stty"
    env="TERM=no-such-terminal" on_screen 80 24 "$cache"
    ends_with 2
    [[ $err == *'explore does not know this terminal (TERM); `heapdrift tree` prints instead' ]]
}

@test "explore reports wrong arguments" {
    on_screen 80 24 "$cache" fixtures/heap-text/bad-number.txt
    ends_with 2
    [[ $err == *"bad-number.txt:"* ]]
    mux kill-server
    rm "$tmp/stty"
    on_screen 80 24 --by=holder "$cache"
    ends_with 2
    [[ $err == *"explore has no option --by"* ]]
}

@test "a run of a store is browsed as its files are" {
    local store=$tmp/s.db
    "$HEAPDRIFT" record -q --store="$store" --service=shop --host=web "$cache" >/dev/null
    on_screen 80 24 --store="$store" --service=shop
    waits_for "LEAK"
    press 3 -- "Δcount"
    out_has "System.String"
    mux send-keys q
    for _ in $(tries); do [[ ! -s $tmp/status ]] || break; sleep 0.05; done
    [[ $(<"$tmp/status") == 0 ]]
    grep -q "note: run 1: shop on web: 6 snapshots" "$tmp/err"
}
