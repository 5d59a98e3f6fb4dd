#!/usr/bin/env python3
"""How well the ranking does on leaks of real packages that public threads describe.

    packages.py [--all-loads] [--seed N] [--keep DIR] [--only NAME[,NAME...]] [--by ...] [-v]
    packages.py --from DIR [--only ...] [--by ...] [--causes FILE] [-v]

Each program of packages/ runs twice, with the leak (slow: 0.1 to 0.7 % of the heap per step) and
as its package is meant to be used (fixed), at one load (steady, rising, random take turns) or at
all three. What leaks: packages/truth.json. Needs NuGet, the first time; versions float, and a
package may have been mended.
"""

import shutil
import sys

import windows


def build(work, program="Packages"):
    """-> the program, built outside of the tree, which stays clean"""
    folder = program.lower()
    for part in {"services", "packages", folder}:
        shutil.copytree(windows.HERE / part, work / "source" / part)
    good, said = windows.dotnet_build(f"{folder}/{program}.csproj", work)
    if not good:
        sys.exit(said)
    return work / "program" / program


def spread(shares):
    """A step takes two seconds, and little more the more requests it has."""
    return 1.15 if len(set(shares)) == 1 else 1.3


if __name__ == "__main__":
    sys.exit(windows.main(windows.Suite("packages/truth.json", ("slow", "fixed"), build, spread, __doc__)))
