#!/usr/bin/env python3
"""Time and memory of this heapdrift beside another commit's, as ratios with intervals:
make bench-compare BASE=COMMIT, or BASE=COMMIT tests/bench/compare.py BUILD_DIR

Builds BASE in a worktree of its own, outside of this one, and runs both programs in turn on
the same files: made heaps of BENCH_OBJECTS (10^7), and what FILES names, separated by
blanks. BASE with a slash in it may be a program instead, which is run as it is. BENCH_RUNS
(12) pairs count for each command, behind one that warms the page cache and shows whether
both print the same. The table is Markdown, on standard output.

A ratio is the median of those of the pairs: what others do to this machine changes both of a
pair. Its interval is that of the sign test, which asks for no distribution: the ratios
without the k least and the k greatest, k as large as leaves 95 %.

Status: 0; 1 if BENCH_MAX=RATIO is given and the lower end of an interval is above it; 2 if
something could not be run."""
import contextlib
import filecmp
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

TREE = Path(__file__).resolve().parents[2]
TIME = "/usr/bin/time"
SMALL = 40000
CONFIDENCE = 0.95


class Failure(Exception):
    """One line for the person who must act."""


class Used(NamedTuple):
    """What a run used: seconds of processors, user and system; seconds; bytes at most."""

    processor: float
    wall: float
    memory: float


# --- processes ----------------------------------------------------------------


def end_group(child):
    """End a child with all that it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=5)
            return


def call(command, **options):
    """The status of a command, which does not outlive this script."""
    with subprocess.Popen(command, start_new_session=True, stdin=subprocess.DEVNULL, **options) as child:
        try:
            return child.wait()
        except BaseException:
            end_group(child)
            raise


def says(command):
    """What a command prints, None if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def line_of(path, words=()):
    """The first line that has one of the words, or else the last."""
    lines = [line.strip() for line in path.read_text(errors="replace").splitlines() if line.strip()]
    found = (line for line in lines if any(word in line for word in words))
    return next(found, lines[-1] if lines else "nothing was said")


def must(command, errors, what, words=()):
    """A step without which there is nothing to measure."""
    with open(errors, "wb") as sink:
        status = call(command, stdout=sink, stderr=subprocess.STDOUT)
    if status != 0:
        raise Failure(f"{what}: {line_of(errors, words)}")


# --- measuring ----------------------------------------------------------------


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_once(command, folder, out=os.devnull):
    """Memory is what time(1) says: what wait4() does begins with that of the parent, and
    Python is larger than a small heapdrift. time(1) itself takes half a millisecond."""
    most, errors = folder / "memory", folder / "errors"
    with open(out, "wb") as sink, open(errors, "wb") as error_sink:
        used, begin = processor_seconds(), time.perf_counter()
        status = call([TIME, "-q", "-f", "%M", "-o", most, *command], stdout=sink, stderr=error_sink)
        wall, used = time.perf_counter() - begin, processor_seconds() - used
    if status != 0:
        raise Failure(f"status {status}: {line_of(errors)}")
    return Used(used, wall, 1024 * float(most.read_text()))


def run_pairs(programs, arguments, runs, folder):
    """Pairs of what base and the other used, and whether both printed the same. Which is
    first changes from pair to pair."""
    outs = [folder / "base.out", folder / "this.out"]
    for name, program, out in zip(("BASE", "this tree"), programs, outs):
        try:
            run_once([program, *arguments], folder, out)
        except Failure as failure:
            raise Failure(f"{name} {failure}") from None
    same = filecmp.cmp(*outs, shallow=False)
    pairs = []
    for i in range(runs):
        order = (0, 1) if i % 2 == 0 else (1, 0)
        both = {which: run_once([programs[which], *arguments], folder) for which in order}
        pairs.append((both[0], both[1]))
    return pairs, same


def dropped(runs):
    """How many ratios at each end are not of the interval, and what it then holds: that k
    or fewer of so many lie on one side of the median is a matter of coins."""
    below, k = 1, 0
    while 1 - 2 * (below + math.comb(runs, k + 1)) / 2**runs >= CONFIDENCE:
        k += 1
        below += math.comb(runs, k)
    return k, max(0.0, 1 - 2 * below / 2**runs)


def interval(ratios):
    k, _ = dropped(len(ratios))
    ratios = sorted(ratios)
    return median(ratios), ratios[k], ratios[-1 - k]


# --- what is measured ----------------------------------------------------------------


def of_one(label, path):
    for words in ("top -j1", "top -j2", "top --tables-only -j1", "top --tables-only -j2"):
        yield words, label, [*words.split(), path]
    yield "convert --to=digest", label, ["convert", "-q", "--to=digest", path, "-o", "-"]


def of_several(label, paths):
    for words in ("diff -j1", "diff -j2"):
        yield words, label, [*words.split(), *paths]


def made_heaps(make_heap, objects, folder):
    paths = []
    for step in (0, 1):
        paths.append(folder / f"{objects}-{step}.gcdump")
        command = [make_heap, str(objects), paths[-1], f"--step={step}", f"--leak={objects // 16}"]
        must(command, folder / "errors", "make-heap")
    return paths


def cases(make_heap, objects, files, folder):
    """What is done, of what, and the arguments."""
    pair = made_heaps(make_heap, objects, folder)
    small = made_heaps(make_heap, SMALL, folder) if objects != SMALL else pair
    yield from of_one(f"{objects:,} objects", pair[1])
    yield from of_several(f"two of {objects:,} objects", pair)
    yield "diff", f"two of {SMALL:,} objects", ["diff", *small]
    for path in files:
        yield from of_one(path.name, path)
    if len(files) > 1:
        yield from of_several(f"these {len(files)} files", files)


def row(what, label, pairs, same, most):
    """A line of the table, and whether a ratio is above the most for certain."""
    cells, above = [], False
    for field in Used._fields:
        middle, low, high = interval([getattr(this, field) / getattr(base, field) for base, this in pairs])
        slow = most is not None and low > most
        above = above or slow
        text = f"{middle:.3f} ({low:.3f}–{high:.3f})"
        cells.append(f"**{text}**" if slow else text)
    base = Used(*(median(getattr(base, field) for base, _ in pairs) for field in Used._fields))
    cells.append(f"{1e3 * base.processor:.1f} ms, {1e3 * base.wall:.1f} ms, {base.memory / 1e6:.1f} MB")
    cells.append("same" if same else "**differs**")
    print(f"| `{what}` | {label} | {' | '.join(cells)} |", flush=True)
    return above


def headline(base_name, runs):
    this_name = says(["git", "-C", TREE, "describe", "--always", "--dirty"]) or "this tree"
    print(f"{this_name} / {base_name}: medians of the ratios of {runs} pairs of runs, and between brackets where "
          f"the true median is with {100 * dropped(runs)[1]:.0f} % (sign test); {os.cpu_count()} processors, "
          f"load average {os.getloadavg()[0]:.1f}\n")
    print("| what | of | processor time | wall time | most memory | BASE: processor, wall, memory | output |")
    print("| --- | --- | --- | --- | --- | --- | --- |", flush=True)


def compare(programs, base_name, make_heap, settings, folder):
    runs, objects, most, files = settings
    status = 0
    measured = list(cases(make_heap, objects, files, folder))
    headline(base_name, runs)
    for what, label, arguments in measured:
        try:
            pairs, same = run_pairs(programs, arguments, runs, folder)
            if row(what, label, pairs, same, most):
                status = max(status, 1)
        except Failure as failure:
            print(f"| `{what}` | {label} | could not be run: {failure} | | | | |", flush=True)
            status = 2
    return status


# --- the other program ----------------------------------------------------------------


def commit_of(base):
    for tool in ("git", "make"):
        if shutil.which(tool) is None:
            raise Failure(f"needs {tool}")
    commit = says(["git", "-C", TREE, "rev-parse", "--verify", "--quiet", "--end-of-options", base + "^{commit}"])
    if commit is None:
        raise Failure(f"BASE={base}: no such commit here")
    return commit


@contextlib.contextmanager
def worktree(commit, folder):
    """A worktree that is gone afterwards, whatever happens."""
    path = folder / "base"
    git = ["git", "-C", TREE, "worktree"]
    try:
        must([*git, "add", "--quiet", "--detach", path, commit], folder / "errors", "git worktree")
        yield path
    finally:
        ignore_signals()
        # Twice: also where adding it was interrupted, which leaves it locked.
        says([*git, "remove", "--force", "--force", path])


def build(path, folder):
    """As this tree is built, with the variables that make was given."""
    command = [os.environ.get("MAKE", "make"), "--no-print-directory", "-C", path,
               f"-j{len(os.sched_getaffinity(0))}", "BUILD=build", "build/heapdrift"]
    must(command, folder / "errors", "BASE does not build", ("error:", "***"))
    return path / "build/heapdrift"


@contextlib.contextmanager
def base_program(base, folder):
    """The program, and what to call it."""
    if "/" in base and os.path.isfile(base) and os.access(base, os.X_OK):
        yield Path(base).resolve(), base
        return
    commit = commit_of(base)
    with worktree(commit, folder) as path:
        yield build(path, folder), f"{base} ({commit[:10]})" if not commit.startswith(base) else commit[:10]


# --- settings ----------------------------------------------------------------


def number(name, default, kind, least):
    text = os.environ.get(name) or default
    try:
        value = kind(text) if text is not None else None
    except ValueError:
        value = least - 1
    if value is not None and not least <= value < math.inf:
        raise Failure(f"{name}={text}: a number from {least} on is needed")
    return value


def settings_given():
    files = [Path(name).resolve() for name in os.environ.get("FILES", "").split()]
    for path in files:
        if not os.access(path, os.R_OK):
            raise Failure(f"FILES: {path}: cannot be read")
    return (number("BENCH_RUNS", "12", int, 1), number("BENCH_OBJECTS", "10000000", int, 1000),
            number("BENCH_MAX", None, float, 0), files)


def ignore_signals():
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, signal.SIG_IGN)


def stop(which, _):
    ignore_signals()
    raise SystemExit(128 + which)


def main(arguments):
    if len(arguments) != 1:
        raise Failure("usage: BASE=COMMIT compare.py BUILD_DIR")
    program, make_heap = (Path(arguments[0]).resolve() / name for name in ("heapdrift", "make-heap"))
    for tool in (TIME, program, make_heap):
        if not os.access(tool, os.X_OK):
            raise Failure(f"needs {tool}")
    base = os.environ.get("BASE", "")
    if not base:
        raise Failure("BASE=COMMIT is missing: what to compare with")
    settings = settings_given()
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, stop)
    folder = Path(tempfile.mkdtemp(prefix="heapdrift-bench-"))
    try:
        with base_program(base, folder) as (other, base_name):
            return compare((other, program), base_name, make_heap, settings, folder)
    finally:
        ignore_signals()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(print(f"bench-compare: {failure}", file=sys.stderr) or 2)
