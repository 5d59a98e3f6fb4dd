#!/usr/bin/env python3
"""How well the ranking does on leaks of real packages that public threads describe.

    packages.py [--all-loads] [--keep DIR] [--only NAME[,NAME...]] [-v]
    packages.py --from DIR [--only ...] [-v]

Each program of packages/ runs twice, with the leak (slow: 0.1 to 0.7 % of the heap per step) and
as its package is meant to be used (fixed), at one load (steady, rising, random take turns) or at
all three. Of its six snapshots every window of 3 to 6 in a row is judged:

    found        the culprit is a suspect, and the first
    later        a suspect, but not the first
    missed       no suspect; of these, unsaid: the report says with high confidence that nothing
                 leaks, though the culprit had risen in every step
    beside       a suspect that is not the culprit, nor goes along with it
    false        a program that is fixed has a suspect

    --keep DIR   keep the series there: NAME-slow-LOAD/1.gcdump ... and NAME-fixed-LOAD
    --from DIR   judge series that were kept; run nothing
    -v           a line per window, with what stood first

Status 1 if a slow program does not leak (its culprit rises in every step) or a fixed one does:
versions float, and a package may have been mended. The ranking is told and not judged.
HEAPDRIFT is the program under test. What leaks: packages/truth.json. Needs NuGet, the first time.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HEAPDRIFT = os.environ.get("HEAPDRIFT", HERE.parents[1] / "build/heapdrift")
TRUTH = json.loads((HERE / "packages/truth.json").read_text())
TAKEN = 6
SIZES = (3, 4, 5, 6)
# Per cent of a step's units: the warm-up, which is four such steps, then the six.
LOADS = {
    "steady": (100,) * 7,
    "rising": (60, 75, 105, 115, 145, 150, 185),
    "random": (100, 55, 180, 75, 200, 50, 140),
}
WORDS = {"slow": ("found", "later", "missed", "unsaid", "beside"), "fixed": ("false",)}


def build(folder):
    """-> the program, built outside of the tree, which stays clean"""
    for part in ("services", "packages"):
        shutil.copytree(HERE / part, folder / "source" / part)
    environment = dict(os.environ, DOTNET_CLI_TELEMETRY_OPTOUT="1", DOTNET_NOLOGO="1")
    made = subprocess.run(
        ["dotnet", "build", "--configuration=Release", f"--output={folder / 'program'}", folder / "source/packages/Packages.csproj"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if made.returncode:
        sys.exit(made.stdout)
    return folder / "program/Packages"


def record(program, name, kind, load, seed, folder):
    """Six snapshots of a run in folder."""
    truth = TRUTH[name]
    command = [program, name, f"--seed={seed}", f"--rate={truth['slow']}"] + ["--leak"] * (kind == "slow")
    folder.mkdir(parents=True)
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def answer(word):
        said = process.stdout.readline()
        if not said.startswith(word):
            sys.exit(f"{name}: '{said.strip()}' instead of '{word}'")

    def serve(units, snapshot):
        process.stdin.write(f"{units}\n")
        process.stdin.flush()
        answer("done")
        subprocess.run([HEAPDRIFT, "collect", "-q", f"--process-id={process.pid}", "-o", snapshot], check=True, stdout=subprocess.DEVNULL)

    try:
        answer("ready")
        units = [truth["units"] * share // 100 for share in LOADS[load]]
        # The first snapshot makes the runtime allocate: not counted.
        serve(4 * units[0], folder / "warm.gcdump")
        (folder / "warm.gcdump").unlink()
        for k in range(1, TAKEN + 1):
            serve(units[k], folder / f"{k}.gcdump")
    finally:
        process.kill()
        process.wait()


def is_any(name, patterns):
    return any(name.startswith(p[:-1]) if p.endswith("*") else name == p for p in patterns)


def risen(counts):
    return all(a < b for a, b in zip(counts, counts[1:]))


class Window:
    """What the report of some snapshots in a row says."""

    def __init__(self, name, kind, files):
        truth = TRUTH[name]
        report = json.loads(subprocess.run(
            [HEAPDRIFT, "diff", "-q", "--format=json", "--rows=0", "--chains=1", "--samples=1", *files],
            check=True, stdout=subprocess.PIPE).stdout)
        suspects = report["suspects"]
        guilty = [self.is_guilty(s, truth["primary"] + truth["links"]) for s in suspects]
        counts = [t["count"] for t in report["types"] if t["type"] == truth["primary"][0]]
        self.risen = any(map(risen, counts))
        self.confidence = report["confidence"]
        self.first = (suspects + report["minor"] + [None])[0]
        self.hint = bool(suspects) and self.first["hint"] in truth["hints"]
        if kind == "fixed":
            self.outcome = "false" if suspects else "clean"
        elif guilty and guilty[0]:
            self.outcome = "found"
        else:
            self.outcome = "later" if any(guilty) else "missed"
        self.beside = kind == "slow" and not all(guilty)
        self.unsaid = not suspects and kind == "slow" and self.confidence == "high" and self.risen

    @staticmethod
    def is_guilty(suspect, patterns):
        """By its own name, or by what it hangs on: strings are of whom they belong to."""
        names = [suspect["type"], suspect["subject"], *suspect["also"], *suspect["holder"][-2:]]
        return any(is_any(name, patterns) for name in names)

    def told(self):
        first = f"{self.first['type']} {100 * self.first['score_share']:.2f} %" if self.first else "-"
        return f"{self.outcome} {self.confidence}{' risen' if self.risen else ''}: {first}"


def judge(name, kind, load, folder, tally, verbose):
    """-> whether the series is what it should be: the culprit rises in every step, or does not"""
    files = [folder / f"{k}.gcdump" for k in range(1, TAKEN + 1)]
    for size in SIZES:
        for first in range(TAKEN - size + 1):
            window = Window(name, kind, files[first:first + size])
            tally[name, kind, size, "windows"] += 1
            tally[name, kind, size, window.outcome] += 1
            tally[name, kind, size, "unsaid"] += window.unsaid
            tally[name, kind, size, "beside"] += window.beside
            tally[name, kind, size, "hint"] += window.outcome == "found" and window.hint
            if verbose:
                print(name, kind, load, f"{first + 1}-{first + size}", window.told(), file=sys.stderr)
    # The last is of all six.
    if window.risen != (kind == "slow"):
        print(f"{name} {kind} {load}: its culprit {'rises' if window.risen else 'does not rise'} in every step", file=sys.stderr)
    return window.risen == (kind == "slow")


def table(names, tally):
    """Per program and in all, for 3 to 6 snapshots: 'found · ... of windows'."""
    def cell(rows, kind, word):
        got = [sum(tally[n, kind, s, word] for n in rows) for s in SIZES]
        return " · ".join(map(str, got))

    columns = [(kind, word) for kind in WORDS for word in WORDS[kind]]
    columns.insert(1, ("slow", "hint"))
    names = [n for n in names if any(tally[n, kind, TAKEN, "windows"] for kind in WORDS)]
    print("In windows of 3 · 4 · 5 · 6 snapshots:\n")
    print("| program | windows, slow | " + " | ".join(w for _, w in columns[:-1]) + " | windows, fixed | false |")
    print("| --- |" + " ---: |" * (len(columns) + 2))
    for title, rows in [(n, [n]) for n in names] + [("all", names)]:
        cells = [cell(rows, kind, word) for kind, word in columns]
        print(f"| {title} | {cell(rows, 'slow', 'windows')} | " + " | ".join(cells[:-1]) +
              f" | {cell(rows, 'fixed', 'windows')} | {cells[-1]} |")


def series(arguments, names, folder):
    """-> (name, kind, load, folder) of each series, recorded when it is asked for"""
    if arguments.source:
        for made in sorted(pathlib.Path(arguments.source).iterdir()):
            named = re.fullmatch(r"(\w+)-(slow|fixed)-(\w+)", made.name)
            if named and named[1] in names and (made / f"{TAKEN}.gcdump").exists():
                yield *named.groups(), made
        return
    program = build(folder)
    kept = pathlib.Path(arguments.keep or folder / "series")
    for i, name in enumerate(sorted(TRUTH)):
        for j, kind in enumerate(WORDS):
            loads = list(LOADS) if arguments.all_loads else [list(LOADS)[(i + j) % len(LOADS)]]
            for load in loads if name in names else ():
                made = kept / f"{name}-{kind}-{load}"
                shutil.rmtree(made, ignore_errors=True)
                record(program, name, kind, load, 1 + i + 100 * j, made)
                yield name, kind, load, made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all-loads", action="store_true")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--from", metavar="DIR", dest="source")
    parser.add_argument("--only", metavar="NAME[,NAME...]")
    parser.add_argument("-v", dest="verbose", action="store_true")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else sorted(TRUTH)
    if not set(names) <= set(TRUTH) or arguments.keep and arguments.source:
        parser.error("there is: " + " ".join(sorted(TRUTH)))
    if not arguments.source and not shutil.which("dotnet"):
        print("skipped: no dotnet here; --from DIR judges series that were kept")
        return 0
    tally = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        right = [judge(*one, tally, arguments.verbose) for one in series(arguments, names, pathlib.Path(folder))]
    table(names, tally)
    return 0 if right and all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
