#!/usr/bin/env python3
"""The shares that README.md and docs/accuracy.md state are those of the tables in docs/accuracy.md.

Of windows of five and six snapshots, the last two of each cell. Prints what differs; status 1.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def rows(section):
    """-> {first cell: [[numbers of a cell], ...]}"""
    found = {}
    for line in section.splitlines():
        cells = [cell.strip(" *") for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) > 2:
            found[cells[0]] = [[int(n) for n in re.findall(r"\d+", cell)] for cell in cells[1:]]
    return found


def share(parts, of):
    return round(100 * sum(sum(cell[-2:]) for cell in parts) / sum(sum(cell[-2:]) for cell in of))


def main():
    accuracy = (ROOT / "docs/accuracy.md").read_text()
    readme = " ".join((ROOT / "README.md").read_text().split())
    sections = re.split(r"^## ", accuracy, flags=re.M)
    strange = next(s for s in sections if s.startswith("Programs that no rule"))
    tuned = next(s for s in sections if s.startswith("Programs that the rules"))
    table, wrong = rows(strange), []

    def states(text, pattern, *values):
        stated = re.search(pattern, " ".join(text.replace("*", "").split()))
        if stated is None or [int(n) for n in stated.groups()] != list(values):
            wrong.append(f"{pattern}: {values} by the table, {stated and stated.groups()} stated")

    # The first table has numbers of windows, the second shares of those of five and six snapshots.
    slow, used, fills = (table[key] for key in ("slow leak: found", "package used rightly: LEAK", "a store that fills: LEAK"))
    found, rightly, filling = ([share([cell], row[:1]) for cell in row[1:]] for row in (slow, used, fills))
    states(strange, r"slow leak first \| \d+ % \| (\d+) % \| (\d+) %", *found)
    states(strange, r"LEAK where a store fills \| \d+ % \| (\d+) % \| (\d+) %", *filling)
    states(strange, r"(\d+) windows of five and six snapshots are", sum(slow[0][-2:]))
    states(readme, r"name (\d+) % of slow leaks", found[0])
    states(readme, r"in (\d+) % of the windows of packages used rightly, and in (\d+) % where", rightly[0], filling[0])

    parts = [rows(tuned)[f"{kind}, {by}"] for kind in ("packages", "services") for by in ("counts", "order", "events")]
    windows = [parts[0][0], parts[3][0]]
    by = [share([parts[k][1], parts[k + 3][1]], windows) for k in (2, 1, 0)]
    states(tuned, r"that is (\d+) % of the slow leaks by events, (\d+) % by order, (\d+) % by counts", *by)
    states(tuned, r"\((\d+) overlapping windows of (\d+) runs\)", sum(sum(w[-2:]) for w in windows), sum(w[-1] for w in windows))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


sys.exit(main())
