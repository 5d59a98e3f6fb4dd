"""What the ranking makes of series whose leak is known, window by window: packages.py, services.py,
strangers.py.

Of the six snapshots of a run every window of 3 to 6 in a row is judged:

    found        the culprit is a suspect, and the first
    later        a suspect, but not the first
    missed       no suspect; of these, unsaid: the report says with high confidence that nothing
                 leaks, though the culprit had risen in every step
    beside       a suspect that is not the culprit, nor goes along with it
    false        a program that is healthy has a suspect
    LEAK         the verdict is LEAK; high: with high confidence

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
    --jobs N           record N series side by side (1): programs sleep most of the time
    --misses           after the tables, a line for each cause, program and load
    --causes FILE      for each window that is not right: the suspects that should not be there, or
                       what is known of the culprit, and which rule that comes from
    -v                 a line per window, with what stood first

Status 1 if a program does not leak that should (its culprit rises in every step) or one leaks
that should not. The ranking is told and not judged. HEAPDRIFT is the program under test.
"""

import argparse
import collections
import concurrent.futures
import hashlib
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
LEAKING, HEALTHY = ("found", "hint", "later", "missed", "unsaid", "beside", "LEAK"), ("false", "LEAK", "high")
VERDICTS = ("NO LEAK FOUND", "LEAK", "UNSURE")
# The one kind of run of a program with "hard" in its truth: healthy, but a store fills.
HARD = "hard"


class Suite:
    """Programs that leak or not, and what is known of them.

    kinds are the words for a run with the leak and for one without; build(folder) gives the
    program; spread(shares) how much longer than the first step the longest may take. If halved,
    rules may be tuned on one half of the programs; the other is for reporting only."""

    def __init__(self, truth, kinds, build, spread, help, halved=False):
        self.truth = json.loads((HERE / truth).read_text())
        self.kinds, self.build, self.spread, self.help, self.halved = kinds, build, spread, help, halved

    def kinds_of(self, name):
        return (HARD,) if self.truth[name].get(HARD) else self.kinds

    def half(self, name):
        """Depends on the name alone, which is older than any rule."""
        if not self.halved:
            return "all"
        return "report" if hashlib.sha256(name.encode()).digest()[0] % 2 else "tune"

    def record(self, program, name, kind, load, seed, folder):
        truth = self.truth[name]
        command = [program, name, f"--seed={seed}", f"--rate={truth.get('slow', 1)}", f"--size={truth.get('size', 1)}"]
        command += ["--leak"] * (kind == self.kinds[0])
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


def verdict(report):
    """The first words of the headline."""
    return next((v for v in VERDICTS if report["headline"].startswith(v)), "UNSURE")


class Window:
    """What the report of some snapshots in a row says."""

    def __init__(self, truth, leaks, files, by):
        report = json.loads(subprocess.run(
            [one_session.HEAPDRIFT, "diff", "-q", "--threads=1", "--format=json", "--rows=0", "--chains=1", "--samples=1", *SOURCES[by], *files],
            check=True, stdout=subprocess.PIPE).stdout)
        guilty_names = truth["primary"] + truth["links"] if leaks else []
        self.by = report.get("identity") or "counts"
        self.suspects, rows = report["suspects"], report["suspects"] + report["minor"]
        self.guilty = [is_guilty(s, guilty_names) for s in self.suspects]
        counts = [t["count"] for t in report["types"] if t["type"] == truth["primary"][0]]
        self.counts = counts[0] if counts else []
        self.risen = any(map(risen, counts))
        self.verdict, self.confidence = verdict(report), report["confidence"]
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

    def words(self):
        """The columns of a table that count this window."""
        said = self.verdict == "LEAK"
        flags = {"unsaid": self.unsaid, "beside": self.beside, "hint": self.outcome == "found" and self.hint,
                 "LEAK": said, "high": said and self.confidence == "high"}
        return ["windows", self.outcome, *(word for word, is_so in flags.items() if is_so)]

    def told(self):
        first = f"{self.first['type']} {100 * self.first['score_share']:.2f} %" if self.first else "-"
        return f"{self.outcome} {self.verdict} {self.confidence}{' risen' if self.risen else ''}: {first}"

    def miss(self):
        """The fault, in the same words for each window with this cause; None if there is none."""
        wrong = [named(row) for row, guilty in zip(self.suspects, self.guilty) if not guilty]
        if self.outcome == "false":
            return f"{self.verdict} {self.confidence}: {'; '.join(wrong)}"
        if self.outcome == "missed":
            culprit = named(self.culprit) if self.culprit else "in no row"
            return f"{self.verdict} {self.confidence}, culprit {culprit}" + "".join(f", accused {row}" for row in wrong)
        return f"{self.verdict} {self.confidence}, beside the culprit: {'; '.join(wrong)}" if wrong else None

    def causes(self):
        """What should not be so, a line each."""
        wrong = [row for row, guilty in zip(self.suspects, self.guilty) if self.outcome == "false" or not guilty]
        for row in wrong:
            yield ("false" if self.outcome == "false" else "beside") + ": " + explained(row)
        if self.outcome == "missed":
            culprit = explained(self.culprit) if self.culprit else f"in no row, counts {self.counts}"
            yield f"{'unsaid' if self.unsaid else 'missed'} ({self.confidence}): {culprit}"


def named(row):
    """A row of the ranking, and the rule that makes it a suspect."""
    title = row["subject"] if row["subject"] == row["type"] else f"{row['subject']} ({row['type']})"
    kept = row["births"]["verdict"] if row["births"] else None
    return f"{title} by {row['suspect'] or 'none'}{f' ({kept})' if kept else ''} of {(row['holder'] or ['-'])[-1]}"


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


def judge(suite, one, sources, work, tally, misses, arguments):
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
        half = suite.half(name)
        for key in ((name, "any"), (half, "any"), (half, load)):
            for word in w.words():
                tally[(by, *key, kind, size, word)] += 1
        if w.miss():
            misses[half, by, name, kind, load, w.outcome, w.miss()].update([size])
        if arguments.verbose:
            print(where, w.told(), file=sys.stderr)
        for cause in w.causes() if arguments.causes else ():
            arguments.causes.write(f"{where} {cause}\n")
    if "order" in places:
        shutil.rmtree(places["order"])
    # The last is of all six; counts do not depend on who stayed. A store that fills need not rise.
    rises = answers[-1].risen if kind != HARD else leaks
    if rises != leaks:
        print(f"{name} {kind} {load}: its culprit {'rises' if rises else 'does not rise'} in every step", file=sys.stderr)
    return rises == leaks


def to_record(suite, arguments, names):
    """-> (name, kind, load, seed) of each series"""
    for i, name in enumerate(sorted(suite.truth)):
        for j, kind in enumerate(suite.kinds_of(name)):
            loads = list(LOADS) if arguments.all_loads else [list(LOADS)[(i + j) % len(LOADS)]]
            for load in loads if name in names else ():
                yield name, kind, load, 1000 * arguments.seed + 1 + i + 100 * j


def series(suite, arguments, names, work):
    """-> (name, kind, load, folder) of each series, recorded when it is asked for"""
    if arguments.source:
        kinds = "|".join((*suite.kinds, HARD))
        for made in sorted(pathlib.Path(arguments.source).iterdir()):
            named = re.fullmatch(rf"(\w+)-({kinds})-(\w+)", made.name)
            if named and named[1] in names and (made / f"{TAKEN}.gcdump").exists():
                yield *named.groups(), made
        return
    program = suite.build(work)
    kept = pathlib.Path(arguments.keep or work / "series")

    def record(name, kind, load, seed):
        made = kept / f"{name}-{kind}-{load}"
        shutil.rmtree(made, ignore_errors=True)
        suite.record(program, name, kind, load, seed, made)
        return name, kind, load, made

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        yield from pool.map(lambda one: record(*one), to_record(suite, arguments, names))


# --- tables --------------------------------------------------------------------------

def cells(tally, by, name, load, kind, words):
    return [" · ".join(str(tally[by, name, load, kind, s, word]) for s in SIZES) for word in ("windows", *words)]


def row(tally, suite, title, *key, leaking):
    print(f"| {title} | " + " | ".join(cells(tally, *key, suite.kinds[0], leaking) + cells(tally, *key, suite.kinds[1], HEALTHY)) + " |")


def head(first, suite, leaking):
    print(f"| {first} | windows, {suite.kinds[0]} | " + " | ".join(leaking) + f" | windows, {suite.kinds[1]} | " + " | ".join(HEALTHY) + " |")
    print("| --- |" + " ---: |" * (len(leaking) + len(HEALTHY) + 2))


def hard_table(tally, by, names, half):
    print(f"| program | windows, {HARD} | " + " | ".join(HEALTHY) + " |")
    print("| --- |" + " ---: |" * (len(HEALTHY) + 1))
    for name in [*names, half]:
        print(f"| {name} | " + " | ".join(cells(tally, by, name, "any", HARD, HEALTHY)) + " |")
    print()


def tables(suite, names, sources, tally, half):
    leaking = [w for w in LEAKING if w != "hint" or any("hints" in t for t in suite.truth.values())]
    shown = [n for n in names if suite.half(n) == half and any(k[1] == n for k in tally)]
    hard = [n for n in shown if suite.kinds_of(n) == (HARD,)]
    for by in sources:
        print(f"{'' if half == 'all' else f'Half to {half}, '}By {by}, in windows of 3 · 4 · 5 · 6 snapshots:\n".capitalize())
        head("program", suite, leaking)
        for name in [*(n for n in shown if n not in hard), half]:
            row(tally, suite, name, by, name, "any", leaking=leaking)
        print()
        if hard:
            hard_table(tally, by, hard, half)
    if len(sources) == 1:
        return
    print("All of them:\n")
    head("by, load", suite, leaking)
    loads = [load for load in (*LOADS, "constant") if any(k[2] == load for k in tally)]
    for by in sources:
        for load in [*loads, "any"]:
            row(tally, suite, f"{by}, {load}", by, half, load, leaking=leaking)
    print()


# Columns of the table of shares: index of the kind, counted word, title.
GOALS = ((0, "found", "first"), (0, "missed", "nowhere a suspect"), (0, "unsaid", "missed with high"), (1, "false", "a suspect"),
         (1, "LEAK", "LEAK"), (2, "false", "a suspect"), (2, "LEAK", "LEAK"), (2, "high", "LEAK, high"))


def goals(suite, sources, tally, half):
    def total(by, kind, word):
        return sum(tally[by, half, "any", kind, size, word] for size in SIZES[-2:])

    kinds = (*suite.kinds, HARD)
    print(f"Windows of 5 and 6, {half}:\n")
    print("| by | " + " | ".join(f"{kinds[k]}: {title}" for k, _, title in GOALS) + " |")
    print("| --- |" + " ---: |" * len(GOALS))
    for by in sources:
        shares = [(total(by, kinds[k], word), total(by, kinds[k], "windows")) for k, word, _ in GOALS]
        print(f"| {by} | " + " | ".join(f"{n} of {of}, {100 * n / of:.1f} %" if of else "-" for n, of in shares) + " |")
    print()


def list_misses(misses, half):
    print(f"Misses, {half}, in windows of 3 · 4 · 5 · 6 snapshots:\n")
    for (_, by, name, kind, load, outcome, miss), sizes in sorted((k, v) for k, v in misses.items() if k[0] == half):
        print(f"{name} {kind} {load} {by}: {outcome} " + " · ".join(str(sizes[s]) for s in SIZES) + f": {miss}")
    print()


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
    parser.add_argument("--jobs", metavar="N", type=int, default=1)
    parser.add_argument("--misses", action="store_true")
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
    tally, misses = collections.Counter(), collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        right = [judge(suite, one, arguments.by, work, tally, misses, arguments) for one in series(suite, arguments, names, work)]
    for half in sorted({suite.half(name) for name in names}, reverse=True):
        tables(suite, names, arguments.by, tally, half)
        goals(suite, arguments.by, tally, half)
        if arguments.misses:
            list_misses(misses, half)
    return 0 if right and all(right) else 1
