#!/usr/bin/env python3
"""size.py PROGRAM BUILD SNAPSHOT...: lines of code of each house and room, and what a diff of the snapshots runs.

Lines are cloc's: C and headers, without comments and blank lines. PROGRAM was built with counters (gcov) in BUILD; its
files and functions are those of src/ that one `diff` enters at least once."""
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def lines_of_files():
    said = subprocess.run(["cloc", "--quiet", "--json", "--by-file", "--include-lang=C,C/C++ Header", "src", "include"],
                          cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {name: entry["code"] for name, entry in json.loads(said).items() if name not in ("header", "SUM")}


def print_rooms(lines):
    """A house with its rooms, each with its units: a .c file with its header."""
    houses = collections.defaultdict(lambda: collections.defaultdict(list))
    for name in lines:
        parts = pathlib.PurePath(name).parts
        house = parts[1] if parts[0] == "src" else "include"
        folders = parts[2:-1]
        room = "/".join(folders[:2]) if folders[:1] in (("cli",), ("format",)) else "/".join(folders[:1])
        houses[house][room].append(name)
    print(f"{'house, room':24} {'lines':>7} {'files':>6}")
    for house, rooms in sorted(houses.items(), key=lambda item: -sum(map(lines.get, sum(item[1].values(), [])))):
        names = sum(rooms.values(), [])
        print(f"{house:24} {sum(map(lines.get, names)):7,} {len(names):6,}")
        for room, files in sorted(rooms.items(), key=lambda item: -sum(map(lines.get, item[1]))):
            if len(rooms) > 1:
                print(f"  {room or '(itself)':22} {sum(map(lines.get, files)):7,} {len(files):6,}")
    print(f"{'all':24} {sum(lines.values()):7,} {len(lines):6,}")


def functions_run(program, build, snapshots):
    """For each file of src/ the functions that a diff of the snapshots enters."""
    for counts in build.glob("src/**/*.gcda"):
        counts.unlink()
    subprocess.run([program, "diff", "--no-sandbox", *snapshots], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    counted = [str(path.resolve()) for path in sorted(build.glob("src/**/*.gcda"))]
    entered = collections.defaultdict(set)
    for first in range(0, len(counted), 50):
        said = subprocess.run(["gcov", "--json-format", "--stdout", *counted[first:first + 50]], cwd=ROOT,
                              capture_output=True, text=True, check=True).stdout
        for line in filter(None, said.split("\n")):
            for file in json.loads(line)["files"]:
                name = os.path.relpath(ROOT / file["file"], ROOT)
                if name.startswith("src/"):
                    entered[name].update(f["name"] for f in file["functions"] if f["execution_count"] > 0)
    return {name: names for name, names in entered.items() if names}


def main(program, build, *snapshots):
    print_rooms(lines_of_files())
    entered = functions_run(program, pathlib.Path(build), snapshots)
    print(f"\na diff of {len(snapshots)} snapshots runs {sum(map(len, entered.values())):,} functions in {len(entered)} files")
    rooms = collections.Counter("/".join(pathlib.PurePath(name).parts[1:3]) for name in entered)
    print("  " + ", ".join(f"{room} {count}" for room, count in rooms.most_common()))


if __name__ == "__main__":
    main(*sys.argv[1:])
