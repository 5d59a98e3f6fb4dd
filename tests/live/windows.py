"""What the ranking makes of series whose leak is known, window by window: packages.py, services.py.

Of the six snapshots of a run every window of 3 to 6 in a row is judged:

    found        the culprit is a suspect, and the first
    later        a suspect, but not the first
    missed       no suspect; of these, unsaid: the report says with high confidence that nothing
                 leaks, though the culprit had risen in every step
    beside       a suspect that is not the culprit, nor goes along with it
    false        a program that is healthy has a suspect

and that by what is known of who stayed (docs/identity.md):

    events       as the files are: the collector told it, where they were collected in one session
    order        the same files without what the collector told
    counts       nothing: --no-ages

    --all-loads        each program at all three loads (steady, rising, random), not at one
    --keep DIR         keep the series there: NAME-KIND-LOAD/1.gcdump ...
    --from DIR         judge series that were kept; run nothing
    --only NAME[,...]  these programs only
    --by SOURCE[,...]  judge so (events); of several there is a table each, and one of all
    --seed N           another run of the same programs (0)
    --causes FILE      for each window that is not right: the suspects that should not be there, or
                       what is known of the culprit, and which rule that comes from
    -v                 a line per window, with what stood first

Status 1 if a program does not leak that should (its culprit rises in every step) or one leaks
that should not. The ranking is told and not judged. HEAPDRIFT is the program under test.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import one_session

HERE = pathlib.Path(__file__).resolve().parent
TAKEN = 6
SIZES = (3, 4, 5, 6)
# Per cent of a step's units: the warm-up, which is four such steps, then the six.
LOADS = {
    "steady": (100,) * 7,
    "rising": (60, 75, 105, 115, 145, 150, 185),
    "random": (100, 55, 180, 75, 200, 50, 140),
}
SOURCES = {"counts": ["--no-ages"], "order": [], "events": []}
LEAKING, HEALTHY = ("found", "hint", "later", "missed", "unsaid", "beside"), ("false",)


class Suite:
    """Programs that leak or not, and what is known of them.

    kinds are the words for a run with the leak and for one without; build(folder) gives the
    program; spread(shares) how much longer than the first step the longest may take."""

    def __init__(self, truth, kinds, build, spread, help):
        self.truth = json.loads((HERE / truth).read_text())
        self.kinds, self.build, self.spread, self.help = kinds, build, spread, help

    def record(self, program, name, kind, load, seed, folder):
        truth = self.truth[name]
        command = [program, name, f"--seed={seed}", f"--rate={truth['slow']}"] + ["--leak"] * (kind == self.kinds[0])
        units = [truth["units"] * share // 100 for share in LOADS[load]]
        units[0] *= 4
        one_session.record(command, units, self.spread(LOADS[load]), folder)
        said = (folder / "said").read_text()
        if said:
            print(f"{folder.name}: {said}", end="", file=sys.stderr)


def dotnet_build(project, folder, *options):
    """-> whether it went well, and what was said; the program is in folder/program"""
    environment = dict(os.environ, DOTNET_CLI_TELEMETRY_OPTOUT="1", DOTNET_NOLOGO="1")
    made = subprocess.run(
        ["dotnet", "build", "--configuration=Release", f"--output={folder / 'program'}", *options, folder / "source" / project],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return made.returncode == 0, made.stdout


# --- one window ----------------------------------------------------------------------

def is_any(name, patterns):
    return any(name.startswith(p[:-1]) if p.endswith("*") else name == p for p in patterns)


def risen(counts):
    return all(a < b for a, b in zip(counts, counts[1:]))


def is_guilty(suspect, patterns):
    """By its own name, or by what it hangs on: strings are of whom they belong to."""
    names = [suspect["type"], suspect["subject"], *suspect["also"], *(suspect["holder"] or [])[-2:]]
    return any(is_any(name, patterns) for name in names)


class Window:
    """What the report of some snapshots in a row says."""

    def __init__(self, truth, leaks, files, by):
        report = json.loads(subprocess.run(
            [one_session.HEAPDRIFT, "diff", "-q", "--threads=1", "--format=json", "--rows=0", "--chains=1", "--samples=1", *SOURCES[by], *files],
            check=True, stdout=subprocess.PIPE).stdout)
        guilty_names = truth["primary"] + truth["links"]
        self.by = report.get("identity") or "counts"
        self.suspects, rows = report["suspects"], report["suspects"] + report["minor"]
        self.guilty = [is_guilty(s, guilty_names) for s in self.suspects]
        counts = [t["count"] for t in report["types"] if t["type"] == truth["primary"][0]]
        self.counts = counts[0] if counts else []
        self.risen = any(map(risen, counts))
        self.confidence = report["confidence"]
        self.first = (rows + [None])[0]
        self.culprit = next((s for s in rows if is_guilty(s, guilty_names)), None)
        self.hint = bool(self.suspects) and self.first["hint"] in truth.get("hints", ())
        if not leaks:
            self.outcome = "false" if self.suspects else "clean"
        elif self.guilty and self.guilty[0]:
            self.outcome = "found"
        else:
            self.outcome = "later" if any(self.guilty) else "missed"
        self.beside = leaks and not all(self.guilty)
        self.unsaid = leaks and not self.suspects and self.confidence == "high" and self.risen

    def told(self):
        first = f"{self.first['type']} {100 * self.first['score_share']:.2f} %" if self.first else "-"
        return f"{self.outcome} {self.confidence}{' risen' if self.risen else ''}: {first}"

    def causes(self):
        """What should not be so, a line each."""
        wrong = [row for row, guilty in zip(self.suspects, self.guilty) if self.outcome == "false" or not guilty]
        for row in wrong:
            yield ("false" if self.outcome == "false" else "beside") + ": " + explained(row)
        if self.outcome == "missed":
            culprit = explained(self.culprit) if self.culprit else f"in no row, counts {self.counts}"
            yield f"{'unsaid' if self.unsaid else 'missed'} ({self.confidence}): {culprit}"


def explained(row):
    """A row of the ranking, and by which rule it is a suspect or is none."""
    births = row["births"]
    if births:
        kept = (f"{births['verdict']} age {births['age']} came {births['came']} went {births['went']} "
                f"chance {births['chance']:.2g} cohorts {[c['count'] for c in births['cohorts']]}")
    else:
        kept = "no births"
    named = f"{row['subject']} ({row['type']})" if row["subject"] != row["type"] else row["type"]
    return (f"{named} by {row['suspect'] or 'none'} {100 * row['score_share']:.2f} % tau {row['tau']:.2f} "
            f"counts {row['count']} {kept.replace('None', '-')} at {' > '.join((row['holder'] or [])[-3:])}")


# --- series --------------------------------------------------------------------------

def without_told(folder, work):
    """Snapshots as if they had been collected one at a time: nobody knows that key."""
    made = work / "order" / folder.name
    made.mkdir(parents=True)
    for k in range(1, TAKEN + 1):
        file = (folder / f"{k}.gcdump").read_bytes()
        (made / f"{k}.gcdump").write_bytes(file.replace(b"heapdrift: same 1 ", b"heapdrift: same - "))
    return made


def windows():
    return [(size, first) for size in SIZES for first in range(TAKEN - size + 1)]


def judge(suite, one, sources, work, tally, arguments):
    """-> whether the series is what it should be: the culprit rises in every step, or does not"""
    name, kind, load, folder = one
    leaks = kind == suite.kinds[0]
    places = {by: without_told(folder, work) if by == "order" else folder for by in sources}

    def window(by, size, first):
        files = [places[by] / f"{k}.gcdump" for k in range(first + 1, first + size + 1)]
        return Window(suite.truth[name], leaks, files, by)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = [(by, *w) for by in sources for w in windows()]
        answers = list(pool.map(lambda a: window(*a), asked))
    for (by, size, first), w in zip(asked, answers):
        where = f"{name} {kind} {load} {first + 1}-{first + size} {by}"
        if by != w.by:
            print(f"{where}: judged by {w.by}", file=sys.stderr)
        for key in ((name, "any"), ("all", "any"), ("all", load)):
            cell = (by, *key, leaks, size)
            tally[(*cell, "windows")] += 1
            tally[(*cell, w.outcome)] += 1
            tally[(*cell, "unsaid")] += w.unsaid
            tally[(*cell, "beside")] += w.beside
            tally[(*cell, "hint")] += w.outcome == "found" and w.hint
        if arguments.verbose:
            print(where, w.told(), file=sys.stderr)
        for cause in w.causes() if arguments.causes else ():
            arguments.causes.write(f"{where} {cause}\n")
    if "order" in places:
        shutil.rmtree(places["order"])
    # The last is of all six; counts do not depend on who stayed.
    rises = answers[-1].risen
    if rises != leaks:
        print(f"{name} {kind} {load}: its culprit {'rises' if rises else 'does not rise'} in every step", file=sys.stderr)
    return rises == leaks


def series(suite, arguments, names, work):
    """-> (name, kind, load, folder) of each series, recorded when it is asked for"""
    if arguments.source:
        kinds = "|".join(suite.kinds)
        for made in sorted(pathlib.Path(arguments.source).iterdir()):
            named = re.fullmatch(rf"(\w+)-({kinds})-(\w+)", made.name)
            if named and named[1] in names and (made / f"{TAKEN}.gcdump").exists():
                yield *named.groups(), made
        return
    program = suite.build(work)
    kept = pathlib.Path(arguments.keep or work / "series")
    for i, name in enumerate(sorted(suite.truth)):
        for j, kind in enumerate(suite.kinds):
            loads = list(LOADS) if arguments.all_loads else [list(LOADS)[(i + j) % len(LOADS)]]
            for load in loads if name in names else ():
                made = kept / f"{name}-{kind}-{load}"
                shutil.rmtree(made, ignore_errors=True)
                suite.record(program, name, kind, load, 1000 * arguments.seed + 1 + i + 100 * j, made)
                yield name, kind, load, made


# --- tables --------------------------------------------------------------------------

def cell(tally, by, name, load, leaks, word):
    return " · ".join(str(tally[by, name, load, leaks, s, word]) for s in SIZES)


def row(tally, title, *key, leaking):
    cells = [cell(tally, *key, True, word) for word in ("windows", *leaking)]
    cells += [cell(tally, *key, False, word) for word in ("windows", *HEALTHY)]
    print(f"| {title} | " + " | ".join(cells) + " |")


def head(first, suite, leaking):
    print(f"| {first} | windows, {suite.kinds[0]} | " + " | ".join(leaking) + f" | windows, {suite.kinds[1]} | false |")
    print("| --- |" + " ---: |" * (len(leaking) + 3))


def tables(suite, names, sources, tally):
    leaking = [w for w in LEAKING if w != "hint" or any("hints" in t for t in suite.truth.values())]
    shown = [n for n in names if any(k[1] == n for k in tally)]
    for by in sources:
        print(f"By {by}, in windows of 3 · 4 · 5 · 6 snapshots:\n")
        head("program", suite, leaking)
        for name in [*shown, "all"]:
            row(tally, name, by, name, "any", leaking=leaking)
        print()
    if len(sources) == 1:
        return
    print("All of them:\n")
    head("by, load", suite, leaking)
    loads = [load for load in (*LOADS, "constant") if any(k[2] == load for k in tally)]
    for by in sources:
        for load in [*loads, "any"]:
            row(tally, f"{by}, {load}", by, "all", load, leaking=leaking)


# --- the whole -----------------------------------------------------------------------

def sources_of(text):
    sources = text.split(",")
    if not set(sources) <= set(SOURCES):
        raise argparse.ArgumentTypeError("there is: " + " ".join(SOURCES))
    return sources


def options(suite):
    parser = argparse.ArgumentParser(description=suite.help + __doc__.split("\n", 1)[1], formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all-loads", action="store_true")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--from", metavar="DIR", dest="source")
    parser.add_argument("--only", metavar="NAME[,NAME...]")
    parser.add_argument("--by", metavar="SOURCE[,SOURCE...]", type=sources_of, default=["events"])
    parser.add_argument("--seed", metavar="N", type=int, default=0)
    parser.add_argument("--causes", metavar="FILE", type=argparse.FileType("w"))
    parser.add_argument("-v", dest="verbose", action="store_true")
    return parser


def main(suite):
    parser = options(suite)
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else sorted(suite.truth)
    if not set(names) <= set(suite.truth) or arguments.keep and arguments.source:
        parser.error("there is: " + " ".join(sorted(suite.truth)))
    if not arguments.source and not shutil.which("dotnet"):
        print("skipped: no dotnet here; --from DIR judges series that were kept")
        return 0
    tally = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        right = [judge(suite, one, arguments.by, work, tally, arguments) for one in series(suite, arguments, names, work)]
    tables(suite, names, arguments.by, tally)
    return 0 if right and all(right) else 1
