#!/usr/bin/env python3
"""How well the ranking does on the slow leaks of eight services that it was not made for.

    services.py [--all-loads] [--seed N] [--keep DIR] [--only NAME[,NAME...]] [--by ...] [-v]
    services.py --from DIR [--only ...] [--by ...] [--causes FILE] [-v]

Each program of services/ runs twice, with its bug (leak) and without (healthy), at one load
(steady, rising, random take turns) or at all three. What leaks: services/truth.json. Fast leaks,
and what iterations tell, are the affair of services.sh.
"""

import shutil
import sys

import windows


def build(work):
    """-> the program, built outside of the tree, which stays clean; without efcore, if need be"""
    for with_package in ("true", "false"):
        shutil.rmtree(work / "source", ignore_errors=True)
        shutil.copytree(windows.HERE / "services", work / "source")
        good, said = windows.dotnet_build("plugin/Reports.csproj", work, f"-p:WithEfCore={with_package}")
        if good or "error NU" not in said:
            break
        print("efcore: skipped, its package cannot be restored", file=sys.stderr)
    if not good:
        sys.exit(said)
    return work / "program/Services"


def spread(shares):
    return max(shares[2:]) / shares[1]


if __name__ == "__main__":
    sys.exit(windows.main(windows.Suite("services/truth.json", ("leak", "healthy"), build, spread, __doc__)))
