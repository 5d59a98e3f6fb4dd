#!/usr/bin/env python3
"""How well the ranking does on programs on which no rule was tuned.

    strangers.py [--all-loads] [--seed N] [--keep DIR] [--only NAME[,NAME...]] [--by ...] [-v]
    strangers.py --from DIR [--only ...] [--by ...] [--causes FILE] [-v]

Sixteen programs of strangers/ run twice, like those of packages.py. Nine are healthy and hard
(hard): a store fills for the whole run, so each suspect is false. Rules may be tuned on one half
of the programs, tune; the other, report, is for reporting only. The hash of the name decides.
"""

import sys

import packages
import windows


def build(work):
    return packages.build(work, "Strangers")


if __name__ == "__main__":
    sys.exit(windows.main(windows.Suite("strangers/truth.json", ("slow", "fixed"), build, packages.spread, __doc__, halved=True)))
