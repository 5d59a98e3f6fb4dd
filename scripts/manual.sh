#!/bin/sh
# The manual page's source with the heads of its options, which the program's help tells:
#
#   scripts/manual.sh PROGRAM docs/heapdrift.1.scd >heapdrift.1.scd
#
# A line "%option NAME COMMAND..." becomes "*-n*, *--rows*=_N_ (diff, top)" with the commands
# whose help says the same as that of COMMAND; without text below it, it gets that of help.
# "%option+ ..." has the text of help before the text below it.
# An option that no line names, or two, is an error.
set -eu
program=$1 page=$2

commands=$("$program" help | awk '/^examples:/ { exit } /^  [a-z]/ { print $1 }')
for command in $commands; do
    "$program" help "$command" | awk -v command="$command" '
        /^  (-.,|   ) --/ {
            letter = substr($0, 3, 1) == "-" ? substr($0, 4, 1) : ""
            rest = substr($0, 9)
            match(rest, /^[a-z0-9-]+/)
            name = substr(rest, 1, RLENGTH)
            rest = substr(rest, RLENGTH + 1)
            at = index(rest, "  ")
            value = substr(rest, 1, at - 1)
            rest = substr(rest, at)
            sub(/^ +/, "", rest)
            print command "\t" name "\t" letter "\t" value "\t" rest
        }'
done | awk -F '\t' '
    function fail(what) {
        print "scripts/manual.sh: " what | "cat >&2"
        failed = 1
        exit 1
    }
    function head(key,    h) {
        h = "*--" name[key] "*"
        if (letter[key] != "")
            h = "*-" letter[key] "*, " h
        value = argument[key]
        gsub(/[A-Z][A-Z,.]*/, "_&_", value)
        return h value
    }
    function sentence(key,    text) {
        text = help[key]
        gsub(/[*]/, "\\*", text)
        sub(/^-/, "\\-", text) # no item of a list
        return "\t" toupper(substr(text, 1, 1)) substr(text, 2) (text ~ /[.]$/ ? "" : ".")
    }
    # Commands whose help tells that option in the same words.
    function cover(option, command,    key, i, c) {
        key = command SUBSEP option
        if (!(key in help))
            fail(command " has no option --" option)
        for (i = 1; i <= commands; i++) {
            c = all[i] SUBSEP option
            if (!(c in help) || help[c] != help[key] || argument[c] != argument[key])
                continue
            if (c in covered)
                fail("--" option " of " all[i] " stands in the page twice")
            covered[c] = 1
            of[i] = 1
        }
    }
    FNR == NR {
        key = $1 SUBSEP $2
        if (!($1 in seen))
            all[++commands] = $1
        seen[$1] = 1
        name[key] = $2
        letter[key] = $3
        argument[key] = $4
        help[key] = $5
        next
    }
    pending != "" {
        if ($0 !~ /^\t/)
            print sentence(pending)
        pending = ""
    }
    /^%option[+]? / {
        count = split($0, word, " ")
        split("", of)
        for (w = 3; w <= count; w++)
            cover(word[2], word[w])
        list = ""
        n = 0
        for (i = 1; i <= commands; i++)
            if (i in of)
                list = list (n++ > 0 ? ", " : "") all[i]
        pending = word[3] SUBSEP word[2]
        print head(pending) (n <= 7 ? " (" list ")" : "")
        if (word[1] == "%option+") {
            print sentence(pending)
            pending = ""
        }
        next
    }
    { print }
    END {
        if (failed)
            exit 1
        for (key in help)
            if (!(key in covered)) {
                split(key, part, SUBSEP)
                print "scripts/manual.sh: " FILENAME " lacks --" part[2] " of " part[1] | "cat >&2"
                failed = 1
            }
        exit failed
    }' - "$page"
