#!/usr/bin/env python3
"""Processor time of heapdrift beside the present dotnet-gcdump: make bench-official, or
tests/bench/official.py BUILD_DIR

Runs all commands in turn and prints a Markdown table: the median of user and of all
processor time, and the median ratio of each run to the run of `dotnet-gcdump report` in
the same round. The heaps are made, of BENCH_OBJECTS (3 * 10^6), or FILES="OLDER NEWER";
the small series is fixtures/leaklab/cache. BENCH_RUNS (12) rounds count, after one that
warms the page cache.

Status: 0; 1 if a ratio is above its gate; 2 if something cannot be run."""
import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

TREE = Path(__file__).resolve().parents[2]
OFFICIAL = TREE / "build" / "peers" / "tools" / "dotnet-gcdump"
SERIES = TREE / "fixtures" / "leaklab" / "cache"


def run(command):
    """Seconds of processors: user, and all."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    child.stderr.close()
    if child.returncode != 0:
        sys.stderr.buffer.write(errors)
        sys.exit(2)
    return used.ru_utime, used.ru_utime + used.ru_stime


def made_heaps(build, folder):
    """The same heap twice; the newer one has a sixteenth more objects."""
    objects = int(os.environ.get("BENCH_OBJECTS", 3000000))
    paths = [str(folder / name) for name in ("0.gcdump", "1.gcdump")]
    for step, path in enumerate(paths):
        subprocess.run(
            [build / "make-heap", str(objects), path, f"--step={step}", f"--leak={objects // 16}"], check=True
        )
    return paths


def commands(build, folder):
    """Name, command, the name of what it is compared with, gate."""
    older, newer = os.environ.get("FILES", "").split() or made_heaps(build, folder)
    small = sorted(SERIES.glob("*.gcdump.gz"))
    last = folder / "last.gcdump"
    last.write_bytes(gzip.decompress(small[-1].read_bytes()))
    official, program = str(OFFICIAL), str(build / "heapdrift")
    one, six = "dotnet-gcdump report", "dotnet-gcdump report, small"
    return [
        (one, [official, "report", newer], one, None),
        ("table: top --tables-only", [program, "top", "-j1", "--tables-only", newer], one, 0.1),
        ("top --format=csv", [program, "top", "-j1", "--format=csv", newer], one, 0.6),
        ("top", [program, "top", "-j1", newer], "top --format=csv", 1.25),
        ("diff --no-ages", [program, "diff", "-j1", "--no-ages", older, newer], one, 1.2),
        ("diff", [program, "diff", "-j1", older, newer], one, 2.0),
        (six, [official, "report", str(last)], six, None),
        ("diff of six small snapshots", [program, "diff", "-j1", *map(str, small)], six, 1.0),
    ]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rounds = int(os.environ.get("BENCH_RUNS", 12))
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        rows = commands(Path(sys.argv[1]).resolve(), Path(folder))
        used = {name: [] for name, _, _, _ in rows}
        for i in range(rounds + 1):
            for name, command, _, _ in rows:
                times = run(command)
                if i > 0:
                    used[name].append(times)
    print(f"medians of {rounds} runs in turn; load average {os.getloadavg()[0]:.1f}\n")
    print("| what | user | processor | ratio | of | gate | ok |\n| --- | --: | --: | --: | --- | --: | --- |")
    for name, _, base, gate in rows:
        ratio = median(a[1] / b[1] for a, b in zip(used[name], used[base]))
        user, processor = (1e3 * median(all_of) for all_of in zip(*used[name]))
        row = f"| {name} | {user:.0f} ms | {processor:.0f} ms |"
        if gate is None:
            print(row, "| | | |")
            continue
        failed |= ratio > gate
        print(row, f"{ratio:.2f} | {base} | ≤ {gate} | {'yes' if ratio <= gate else 'NO'} |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
