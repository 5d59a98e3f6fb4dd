# Layout of text: width, characters, colors.
load helper

# Commands that print tables, chains, facts, verdicts, holders.
shown=(
    "diff -q fixtures/leaklab/events"
    "diff -q --by=holder fixtures/heap-text/series-1.txt fixtures/heap-text/series-4.txt"
    "check -q --max-score=50% fixtures/heap-text/before.txt fixtures/heap-text/after.txt"
    "top fixtures/leaklab/events/5.gcdump.zst"
    "roots -t Shop.Orders.Order fixtures/leaklab/events/5.gcdump.zst"
    "object fixtures/leaklab/cache/1.gcdump.gz 0x7f5d2193ec88"
    "info fixtures/leaklab/events/5.gcdump.zst"
)

# widest: the columns of the longest line of $out, without commands to copy.
widest() {
    local line most=0
    while IFS= read -r line; do
        [[ $line == "next: "* || ${#line} -le $most ]] || most=${#line}
    done <<<"$out"
    echo "$most"
}

@test "no line is wider than --width or COLUMNS, in a pipe, in UTF-8 and in ASCII" {
    local args columns ascii
    for args in "${shown[@]}"; do
        for columns in 80 130; do
            for ascii in "" --ascii; do
                hd $args --width=$columns $ascii
                [[ $status == 0 || $args == check* ]]
                [[ $(widest) -le $columns ]] || complain "$(widest) columns instead of $columns"
                local wide=$out
                COLUMNS=$columns hd $args $ascii
                out_is "$wide"
            done
        done
    done
}

@test "--width counts before COLUMNS, and that before the terminal" {
    works -q fixtures/leaklab/events --width=80
    local narrow=$out
    works -q fixtures/leaklab/events
    local whole=$out
    [[ $narrow != "$whole" ]]
    COLUMNS=200 works -q fixtures/leaklab/events --width=80
    out_is "$narrow"
    COLUMNS=80 works -q fixtures/leaklab/events --width 0
    out_is "$whole"
    COLUMNS=80 on_terminal 200 -q --color=never fixtures/leaklab/events
    out_is "$narrow"
    on_terminal 200 -q --color=never --width=80 fixtures/leaklab/events
    out_is "$narrow"
    on_terminal 80 -q --color=never fixtures/leaklab/events
    out_is "$narrow"
}

@test "an invalid COLUMNS is ignored" {
    local columns
    works -q "${pair[@]}"
    local whole=$out
    for columns in "" 0 abc -80 +80 " 80" "80 " 80x 8e1 0x50 1000001 99999999999999999999999; do
        COLUMNS=$columns works -q "${pair[@]}"
        out_is "$whole"
    done
    COLUMNS=1000000 works -q "${pair[@]}"
    out_is "$whole"
}

@test "every width is taken, from 1 to 1,000,000" {
    local args columns ascii
    for args in "${shown[@]}"; do
        for columns in 1 8 30 1000000; do
            for ascii in "" --ascii; do
                hd $args --width=$columns $ascii
                [[ ($status == 0 || $args == check*) && -n $out ]] || complain "it should work"
            done
        done
    done
    for columns in 1000001 -1 x "" 4294967296; do
        hd top --width="$columns" "$before"
        fails_with "--width=$columns: must be a whole number from 0 to 1,000,000"
    done
}

@test "--ascii is text without other characters, and does not affect formats for programs" {
    local format args utf8
    printf 'type,count,bytes\nCaf\u00e9.Gr\u00f6\u00dfe,3,30\nA.B,1,2\n\u65e5\u672c,3,4\n' >"$tmp/1.csv"
    sed 's/3,/7,/' "$tmp/1.csv" >"$tmp/2.csv"
    for args in "diff -q $tmp/1.csv $tmp/2.csv" "diff -q ${pair[*]}" "top $tmp/1.csv" \
        "check -q --max-growth=1% ${pair[*]}"; do
        for format in text md csv tsv json; do
            hd $args --format=$format
            utf8=$out
            grep -qP '[^\x00-\x7f]' <<<"$utf8" || [[ $args != *tmp* ]]
            hd $args --format=$format --ascii
            if [[ $format == text ]]; then
                ! LC_ALL=C grep -qP '[^\x00-\x7f]' <<<"$out" || complain "more than ASCII"
            else
                out_is "$utf8"
            fi
            local ascii=$out
            LC_ALL=C hd $args --format=$format
            out_is "$ascii"
            [[ $format != text ]] || continue
            COLUMNS=40 hd $args --format=$format --width=20 --color=always
            out_is "$utf8"
        done
    done
    works top --ascii "$tmp/1.csv"
    out_has 'Caf\u{e9}.Gr\u{f6}\u{df}e'
    out_has '\u{65e5}\u{672c}'
    works diff -q --ascii -n 1 --width=90 fixtures/leaklab/cache
    out_has '0 -> 6,000  .:=+%#  Shop.Sessions.Session'
    out_has '-> VolatileNode<String,Session>[] -> Node<String,Session> x1-3'
    out_has '0.gcdump.gz ... 5.gcdump.gz'
    # Columns are still aligned.
    out_matches $'\n''\+/-count            count  trend    \+/-bytes           type'$'\n'' \+35,541  2,480 -> 38,021  \.=\+\*%#  \+1.87 MiB  growing  System.String'
}

@test "a locale without UTF-8 gets ASCII, a missing one that of its name" {
    local locale utf8=' → ' ascii=' -> '
    for locale in C POSIX en_US.ISO-8859-1 xx_YY xx_YY.latin1; do
        LC_ALL=$locale works diff -q "${pair[@]}"
        ! LC_ALL=C grep -qP '[^\x00-\x7f]' <<<"$out" || complain "$locale should be ASCII"
    done
    for locale in C.UTF-8 C.utf8 xx_YY.UTF-8 xx_YY.utf8 de_DE.UTF-8@euro; do
        LC_ALL=$locale works diff -q "${pair[@]}"
        out_has "$utf8"
        # LC_ALL counts before LC_CTYPE, that before LANG.
        LC_ALL='' LC_CTYPE=$locale LANG=C works diff -q "${pair[@]}"
        out_has "$utf8"
        LC_ALL='' LC_CTYPE='' LANG=$locale works diff -q "${pair[@]}"
        out_has "$utf8"
        LC_ALL=C LC_CTYPE=$locale LANG=$locale works diff -q "${pair[@]}"
        out_has "$ascii"
    done
    LC_ALL='' LC_CTYPE='' LANG='' works diff -q "${pair[@]}"
    out_has "$ascii"
}

@test "messages are ASCII where text is" {
    local none=$tmp/$'caf\u00e9'
    hd top "$none"
    fails_with "$none: No such file or directory"
    LC_ALL=C hd top "$none"
    fails_with "$tmp/caf\\u{e9}: No such file or directory"
    hd top --ascii "$none"
    fails_with "$tmp/caf\\u{e9}: No such file or directory"
    LC_ALL=C hd $'caf\u00e9'
    fails_with 'no command or file is called caf\u{e9}; see `heapdrift --help`'
}

@test "only terminals that are known to have colours get them" {
    local term
    for term in xterm xterm-256color screen tmux-256color linux rxvt alacritty foo-color vt100; do
        TERM=$term on_terminal 200 diff -q "${pair[@]}"
        out_has $'\e['
    done
    for term in dumb '' unknown no-such-terminal; do
        TERM=$term on_terminal 200 diff -q "${pair[@]}"
        out_lacks $'\e'
        TERM=$term works diff -q --color=always "${pair[@]}"
        out_has $'\e['
    done
    unset TERM
    on_terminal 200 diff -q "${pair[@]}"
    out_lacks $'\e'
}
