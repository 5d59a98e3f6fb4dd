#!/usr/bin/env python3
"""Change the program in many places, one at a time, and see whether the tests notice.

    mutants.py [--seed=N] [--mutants=N] [--quick] [--again] [--list] MAP

Places are drawn by a seed over all of src/ (tests/mutants/places.py says what is changed), those in
budget, analysis and format three times as often. Each change is made in a copy of the tree,
build/mutants/tree. One that does not compile, or gives the same machine code, does not count:
another one is drawn. The tests that run the changed function, by MAP of covered.py, are run until
one fails: the mutant is dead. Of the command line these are no more than take MAX_CLI seconds. It is
dead as well when a test takes five times as long as
before or 8 GiB.

What became of each is kept in build/mutants/results, so that what was stopped (Ctrl-C) goes on
where it was; --again tries survivors anew, after tests were added, or after --quick, which runs
unit tests only. The draw of a place does not depend on what else is in the sources. build/mutants/report has the figures, and each survivor as a diff."""
import argparse
import collections
import concurrent.futures
import difflib
import filecmp
import glob
import hashlib
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

from places import places_of
from runs import Tests, together

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
OUT = os.path.join(ROOT, "build/mutants")
HEAVY = {"budget": 3, "analysis": 3, "format": 3}
# Tests of the command line that are run for one mutant, the fastest first, in seconds: all that run
# what every command runs would take half an hour.
MAX_CLI = 90
# What a mutant that never ends may take beyond five times what its tests took.
PATIENCE = 60


def folder_of(path):
    return path.split("/")[1]


def drawn(seed):
    """All places with their keys, in the order of the draw."""
    order = []
    for path in sorted(glob.glob("src/**/*.c", root_dir=ROOT, recursive=True)):
        # No test here runs it.
        if folder_of(path) == "windows":
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            source = file.read()
        for place in places_of(path, source):
            key = place.key(source)
            number = int(hashlib.sha256(f"{seed} {key}".encode()).hexdigest()[:13], 16) / 16 ** 13
            order.append((-math.log(number or 1e-16) / HEAVY.get(folder_of(path), 1), key, place))
    taken = set()
    for _, key, place in sorted(order, key=lambda one: one[:2]):
        if (place.path, place.line) not in taken:
            taken.add((place.path, place.line))
            yield key, place


# --- the copy --------------------------------------------------------------------


def copy_tree(to):
    """What git knows or would add, as it is now; what is built there stays."""
    names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    for name in names.split("\0"):
        here, there = os.path.join(ROOT, name), os.path.join(to, name)
        if not name or not os.path.isfile(here):
            continue
        if not os.path.exists(there) or not filecmp.cmp(here, there, shallow=False):
            os.makedirs(os.path.dirname(there), exist_ok=True)
            shutil.copy(here, there)


def machine_code(path):
    plain = path + ".plain"
    subprocess.run(["objcopy", "--strip-debug", path, plain], check=True)
    with open(plain, "rb") as file:
        return hashlib.sha256(file.read()).digest()


class Laboratory:
    """A copy of the tree, and what its tests are known to do without a mutant."""

    def __init__(self, number, options):
        self.tree = os.path.join(OUT, f"tree-{number}")
        self.quick = options.quick
        with open(options.map, encoding="utf-8") as file:
            read = json.load(file)
        self.seconds, self.functions = read["seconds"], read["functions"]
        self.good, self.broken = set(), set()
        copy_tree(self.tree)
        if not self.make("build/heapdrift", "build/unit-tests", "build/sweep", "build/make-heap"):
            sys.exit("the tree does not build")
        original = os.path.join(self.tree, "build/original")
        os.makedirs(original, exist_ok=True)
        for program in ("heapdrift", "unit-tests", "sweep"):
            shutil.copy(os.path.join(self.tree, "build", program), original)
        self.tests, self.original = Tests(self.tree), Tests(self.tree, "build/original")

    def make(self, *targets):
        """Without what the make that runs this said."""
        clean = {name: value for name, value in os.environ.items() if "MAKE" not in name and name != "MFLAGS"}
        command = ["make", "-s", "-j2", "LDFLAGS=-fuse-ld=mold -Wl,--strip-debug", *targets]
        return subprocess.run(command, cwd=self.tree, env=clean, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0

    def runs_for(self, place):
        """Those that run the function, or else anything of the file."""
        functions = self.functions.get(place.path, [])
        around = [runs for first, last, runs in functions if first <= place.line <= last]
        # What is always put into its callers has no counters of its own.
        around = around or [runs for _, _, runs in functions]
        runs = {run for runs in around for run in runs} - self.broken
        chosen = {run for run in runs if run.startswith("unit-")}
        if self.quick:
            return chosen
        spent = 0
        for run in sorted(runs - chosen, key=lambda run: self.seconds.get(run, 0)):
            spent += self.seconds.get(run, 0)
            if spent <= MAX_CLI:
                chosen.add(run)
        return chosen

    def limit(self, runs):
        return PATIENCE + 5 * sum(self.seconds.get(run, 0) for run in runs)

    def passes_without(self, runs):
        """A test that fails for the program as it is says nothing of a mutant."""
        if set(runs) <= self.good:
            return True
        if self.original.pass_together(runs, self.limit(runs)):
            self.good.update(runs)
            return True
        print(f"  fails without a mutant: {' '.join(runs)}", flush=True)
        self.broken.update(runs)
        return False

    def killer(self, place):
        """The tests that fail, or None."""
        built = None
        for runs in together(self.runs_for(place), lambda run: self.seconds.get(run, 0)):
            target = {"unit": "unit-tests", "cli": "heapdrift", "sweep": "sweep"}[runs[0].partition("-")[0]]
            if target != built and not self.make(f"build/{target}"):
                return "the linker"
            built = target
            if not self.tests.pass_together(runs, self.limit(runs)) and self.passes_without(runs):
                return " ".join(runs)
        return None

    def tried(self, place):
        """(outcome, by what) of one mutant."""
        path = os.path.join(self.tree, place.path)
        target = f"build/{place.path[:-2]}.o"
        made, unchanged, times = os.path.join(self.tree, target), os.path.join(self.tree, "unchanged.o"), os.stat(path)
        with open(path, encoding="utf-8") as file:
            source = file.read()
        before = machine_code(made)
        shutil.copy(made, unchanged)
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(place.apply(source))
            if not self.make(target):
                return "invalid", "the compiler"
            if machine_code(made) == before:
                return "same", "the compiler"
            by = self.killer(place)
            return ("killed", by) if by else ("survived", "")
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
            shutil.copy(unchanged, made)


# --- results -----------------------------------------------------------------------


def results_of(path):
    """The last that is known of each key."""
    results = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                one = json.loads(line)
                results[one["key"]] = one
    return results


class Trial:
    """Mutants in the order of the draw, until enough of them count."""

    def __init__(self, options):
        self.options = options
        self.kept = os.path.join(OUT, "results")
        self.results = results_of(self.kept)
        if options.again:
            self.results = {key: one for key, one in self.results.items() if one["outcome"] != "survived"}
        self.order = list(drawn(options.seed))
        self.next = 0
        self.lock = threading.Lock()

    def counted(self):
        """(place, result) of the first of the draw that count, as far as is known."""
        known = ((place, self.results[key]) for key, place in self.order[:self.next] if key in self.results)
        return [one for one in known if one[1]["outcome"] in ("killed", "survived")][:self.options.mutants]

    def take(self):
        with self.lock:
            while self.next < len(self.order) and len(self.counted()) < self.options.mutants:
                key, place = self.order[self.next]
                self.next += 1
                if key not in self.results:
                    return key, place
        return None

    def work(self, number):
        laboratory = Laboratory(number, self.options)
        while (taken := self.take()) is not None:
            key, place = taken
            began = time.monotonic()
            outcome, by = laboratory.tried(place)
            seconds = round(time.monotonic() - began, 1)
            with self.lock:
                self.results[key] = {"key": key, "outcome": outcome, "by": by, "path": place.path,
                                     "line": place.line, "seconds": seconds}
                with open(self.kept, "a", encoding="utf-8") as file:
                    print(json.dumps(self.results[key]), file=file)
                print(f"{len(self.counted()):4} {outcome:9} {place.path}:{place.line} {place.kind}, "
                      f"{seconds} s, {by[:60]}", flush=True)

    def stop(self):
        """After the mutants that are being tried."""
        self.order = self.order[:self.next]

    def run(self):
        workers = len(os.sched_getaffinity(0))
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            for done in [pool.submit(self.work, number) for number in range(workers)]:
                done.result()


def diff_of(place):
    with open(os.path.join(ROOT, place.path), encoding="utf-8") as file:
        source = file.read()
    changed = place.apply(source)
    lines = list(difflib.unified_diff(source.splitlines(), changed.splitlines(), lineterm="", n=2))
    return "\n".join(lines[2:])


def write_report(path, seed, counted):
    """Counted is a list of (place, result)."""
    dead, all_of = collections.Counter(), collections.Counter()
    for place, result in counted:
        for folder in (folder_of(place.path), "all"):
            all_of[folder] += 1
            dead[folder] += result["outcome"] == "killed"
    with open(path, "w", encoding="utf-8") as file:
        print(f"{'folder':<12}{'mutants':>8}{'killed':>8}{'share':>8}   (seed {seed})", file=file)
        for folder in [*sorted(set(all_of) - {"all"}), "all"]:
            share = 100 * dead[folder] / all_of[folder]
            print(f"{folder:<12}{all_of[folder]:>8}{dead[folder]:>8}{share:>7.1f}%", file=file)
        for place, result in counted:
            if result["outcome"] == "survived":
                print(f"\n{place.path}:{place.line}: {place.kind}, {result['key']}\n{diff_of(place)}", file=file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=150)
    parser.add_argument("--quick", action="store_true", help="only by unit tests")
    parser.add_argument("--again", action="store_true", help="try survivors anew")
    parser.add_argument("--list", action="store_true", help="only list what is drawn")
    parser.add_argument("map")
    options = parser.parse_args()

    if options.list:
        for _, (_, place) in zip(range(options.mutants), drawn(options.seed)):
            print(f"{place.path}:{place.line}: {place.kind}\n{diff_of(place)}\n")
        return
    os.makedirs(OUT, exist_ok=True)
    trial = Trial(options)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: trial.stop())
    trial.run()
    counted = trial.counted()
    write_report(os.path.join(OUT, "report"), options.seed, counted)
    with open(os.path.join(OUT, "report"), encoding="utf-8") as file:
        print(file.read().partition("\n\n")[0])


if __name__ == "__main__":
    main()
