#!/bin/sh
# Which source files compile for Windows, and what stops the others: a survey for
# docs/platforms.md, not a build. It needs gcc-mingw-w64-x86-64 and what the program is built with;
# headers of libraries are those of this system, which say the same on Windows.
#
#   scripts/windows.sh [FOLDER]    build/windows: FOLDER/FILE.log has the compiler's words
set -eu

folder=${1:-build/windows}
include=$folder/include
mkdir -p "$include"
for header in popt jansson jansson_config archive archive_entry yaml utf8proc xxhash uthash utlist \
    curses term unctrl ncurses_dll; do
    find /usr/include -maxdepth 2 -name "$header.h" -exec cp {} "$include" \;
done
cp -r /usr/include/cyaml /usr/include/protobuf-c "$include"
# What is made by the build: `make` first.
made=build/made

good=0 bad=0
for file in src/*/*.c src/*/*/*.c; do
    log=$folder/$(echo "$file" | tr / _).log
    if x86_64-w64-mingw32-gcc -std=c11 -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE -D__USE_MINGW_ANSI_STDIO=1 \
        -Iinclude -Isrc -I"$made" -I"$include" -w -fsyntax-only -fmax-errors=0 "$file" 2>"$log"; then
        good=$((good + 1))
    else
        bad=$((bad + 1))
        echo "$file: $(sed -n 's/.*error: //p' "$log" | sort -u | head -4 | paste -sd';')"
    fi
done
echo "$good of $((good + bad)) files compile"
