#!/usr/bin/env python3
"""Six snapshots of a program that works in steps, in one session of `heapdrift collect --count`.

    one_session.py [--spread=X] [--units=A,B,...] FOLDER PROGRAM ARGUMENT...

So what the collector says between them is kept: who stayed is known exactly. The program obeys
lines as those of services/ and packages/ do: "ready", then for a number of units "done".
A is the warm-up, B comes before the first snapshot, and so on. collect keeps the time, and each
step has to be over before its snapshot begins. So the interval follows from how long the
first step takes; X is how much longer the longest may be. Where that was too short for a busy
machine all is done again with twice as much.

Into FOLDER: 1.gcdump ..., `iterations` (units so far, a line per snapshot), and `said`, in which
collect tells why it does not know who stayed, where that is so. HEAPDRIFT is what collects.
"""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
HEAPDRIFT = os.environ.get("HEAPDRIFT", HERE.parents[1] / "build/heapdrift")


class TooSlow(Exception):
    """A snapshot was begun, perhaps, while the program was at work, or that was its end: .NET 10
    does not survive it where contexts are being unloaded (plugins)."""


class Ended(Exception):
    """The program is no more."""


class Program:
    def __init__(self, command):
        self.name = " ".join(map(str, command[1:3]))
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.answer("ready")

    def answer(self, word):
        said = self.process.stdout.readline()
        if said == "":
            raise Ended(f"{self.name} has ended")
        if not said.startswith(word):
            raise RuntimeError(f"{self.name}: '{said.strip()}' instead of '{word}'")

    def serve(self, units):
        """-> how long that took"""
        begin = time.monotonic()
        try:
            self.process.stdin.write(f"{units}\n")
            self.process.stdin.flush()
        except BrokenPipeError as why:
            raise Ended(f"{self.name} has ended") from why
        self.answer("done")
        return time.monotonic() - begin

    def end(self):
        # A web server takes SIGTERM as a wish.
        self.process.kill()
        self.process.wait()


def wait_for(path, collector):
    while not path.exists():
        if collector.poll() is not None and not path.exists():
            raise Ended(collector.stderr.read())
        time.sleep(0.02)
    return time.monotonic()


def steps(program, units, interval, folder):
    """The snapshots behind all but the first of these units, which were served already."""
    count = len(units)
    collector = subprocess.Popen(
        [HEAPDRIFT, "collect", f"--process-id={program.process.pid}", f"--output={folder / 's.gcdump'}",
         f"--count={count}", f"--interval={interval * 1000:.0f}ms", "--no-progress", "-v"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        rested, there = [time.monotonic()], []
        for k in range(1, count + 1):
            there.append(wait_for(folder / f"s-{k}.gcdump", collector))
            if k < count:
                program.serve(units[k])
                rested.append(time.monotonic())
        said = collector.communicate()[1]
    except Ended as why:
        raise TooSlow(str(why)) from why
    finally:
        collector.kill()
    took = [float(s) for s in re.findall(r"MiB, in ([0-9.]+) s", said)]
    if len(took) != count or any(t - s < r for t, s, r in zip(there[1:], took[1:], rested[1:])):
        raise TooSlow("the machine is too busy")
    (folder / "said").write_text("".join(line + "\n" for line in said.splitlines() if "which objects" in line))
    for k in range(1, count + 1):
        (folder / f"s-{k}.gcdump").rename(folder / f"{k}.gcdump")


def try_once(command, units, spread, slower, folder):
    program = Program(command)
    try:
        program.serve(units[0])
        first = program.serve(units[1])
        steps(program, units[1:], 1.5 + 1.3 * spread * slower * first, folder)
    finally:
        program.end()


def record(command, units, spread, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for slower in (1, 2, 4):
        try:
            try_once(command, units, spread, slower, folder)
            break
        except TooSlow as why:
            reason = why
            for made in folder.glob("s-*.gcdump"):
                made.unlink()
    else:
        raise RuntimeError(f"no series: {reason}")
    served = [sum(units[:k + 1]) for k in range(1, len(units))]
    (folder / "iterations").write_text("".join(f"{n}\n" for n in served))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spread", type=float, default=1)
    parser.add_argument("--units", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    # So that no program is left behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        record(arguments.program, list(map(int, arguments.units.split(","))), arguments.spread, arguments.folder)
    except (RuntimeError, Ended) as wrong:
        sys.exit(str(wrong))


if __name__ == "__main__":
    main()
