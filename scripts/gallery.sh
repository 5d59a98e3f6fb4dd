#!/bin/sh
# The pictures of docs/gallery, made of fixtures: the page, and what a terminal shows.
#
#   scripts/gallery.sh FOLDER
#
# HEAPDRIFT is the program. A picture of a terminal is a tmux pane, as HTML, in a browser.
set -eu

out=$1
here=$(cd "$(dirname "$0")/.." && pwd)
export HEAPDRIFT="${HEAPDRIFT:-$here/build/heapdrift}"
"$here/scripts/install-deps.sh" page
mkdir -p "$out"
work=$(mktemp -d)
session=heapdrift-gallery-$$
trap 'tmux -L "$session" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$here"

# picture PAGE NAME WIDTH HEIGHT [dark]
picture() {
    python3 tests/page/picture.py "$@" "$work/$2.png"
    pngquant --force --strip --output "$work/$2.small.png" 128 "$work/$2.png"
    optipng -quiet -o4 "$work/$2.small.png"
    cp "$work/$2.small.png" "$out/$2.png"
}

# terminal NAME COLUMNS ROWS COMMAND [KEY...]: the screen after the command and these keys.
terminal() {
    name=$1 columns=$2 rows=$3 command=$4
    shift 4
    tmux -L "$session" -f /dev/null new-session -d -x "$columns" -y "$rows" \
        "TERM=xterm-256color PATH=$(dirname "$HEAPDRIFT"):\$PATH; clear; $command; sleep 60"
    sleep 2
    for key in "$@"; do
        tmux -L "$session" send-keys "$key"
        sleep 0.5
    done
    tmux -L "$session" capture-pane -p -e >"$work/$name.ansi"
    tmux -L "$session" kill-server
    python3 tests/page/ansi.py <"$work/$name.ansi" >"$work/$name.html"
    picture "$work/$name.html" "$name" $((columns * 9 + 32)) $((rows * 19 + 32))
}

# The words of the pictures: tests/cli/docs.bats fails when the program prints others.
"$HEAPDRIFT" -q --width=120 fixtures/leaklab/cache >"$out/shown.txt"
"$HEAPDRIFT" report -q fixtures/leaklab/cache -o "$work/report.html"
picture "$work/report.html" page-light 1280 1480
picture "$work/report.html" page-dark 1280 1480 dark
picture "$work/report.html" page-phone 400 1300
terminal diff 120 12 'heapdrift -q fixtures/leaklab/cache'
# Once there is a browser for terminals: where it begins, and one step deeper.
if "$HEAPDRIFT" help explore >/dev/null 2>&1; then
    terminal explore 120 32 'heapdrift explore fixtures/leaklab/cache' Enter
fi
ls -l "$out"
