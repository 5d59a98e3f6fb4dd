#!/usr/bin/env python3
"""Everything that the program asks of its system fails once, while it does each of its commands.

    faults.py PROGRAM FAILING_SO FOLDER [--class=NAME,...] [--command=PATTERN] [--sites] [--few]

A fault that is harmless changes nothing; any other ends with status 2 and one line, and with no
file half written, none left behind, and none harmed. `make faults` runs all of it, as root where
that is possible: small disks and an empty /proc need a mount namespace."""
import argparse
import collections
import fnmatch
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import classes  # noqa: E402
import places  # noqa: E402, F401
from commands import COMMANDS, Lab, Runtime, make_inputs  # noqa: E402
from program import Fault, Program, judge  # noqa: E402


def own_namespace():
    """Mounts are seen by nobody else, and go with this process."""
    if os.geteuid() != 0 or "FAULTS_APART" in os.environ:
        return "FAULTS_APART" in os.environ
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode != 0:
        return False
    os.environ["FAULTS_APART"] = "yes"
    os.execvp("unshare", ["unshare", "-m", sys.executable, *sys.argv])


def options():
    p = argparse.ArgumentParser()
    p.add_argument("program", type=os.path.abspath)
    p.add_argument("failing", type=os.path.abspath)
    p.add_argument("folder", type=os.path.abspath)
    p.add_argument("--class", dest="classes", default=",".join(classes.CLASSES))
    p.add_argument("--command", default="*")
    p.add_argument("--sites", action="store_true", help="system calls: the first and the last from each place")
    p.add_argument("--few", action="store_true", help="some of each kind")
    p.add_argument("--verbose", action="store_true")
    return p.parse_args()


class Sweep:
    def __init__(self, chosen, program):
        self.chosen, self.program = chosen, program
        self.counts = collections.defaultdict(collections.Counter)
        self.wrong, self.said = [], collections.Counter()

    def usual(self, command):
        first = self.program.run(command, Fault("nothing"))
        second = self.program.run(command, Fault("nothing"))
        verdict, why = judge(command, Fault("nothing"), first, second)
        if verdict != "survived" or first.status not in (0, 1):
            print(f"{command.name}: cannot be judged: {verdict} {why} {first.lines()}", flush=True)
            return None
        return second

    def one(self, command, kind, usual):
        faults = classes.CLASSES[kind](self, command, usual)
        for fault in faults or ():
            result = self.program.run(command, fault)
            fault = classes.after(self, fault)
            if fault is None:
                continue  # the call was not made this time
            verdict, why = judge(command, fault, usual, result)
            trouble = self.program.lab.trouble() if command.needs == "process" else ""
            if trouble:
                verdict, why = "wrong", trouble
            self.count(command, kind, fault, verdict, why)
            if trouble:
                self.program.lab.stop()
                self.program.lab.start()

    def count(self, command, kind, fault, verdict, why):
        self.counts[kind, command.name][verdict] += 1
        if verdict == "wrong":
            self.wrong.append(f"{command.name}: {fault.text}: {why}")
        if verdict == "wrong" or self.chosen.verbose:
            print(f"{verdict}: {command.name}: {fault.text}: {why}", flush=True)
        elif why:
            why = re.sub(r"\d+ bytes", "N bytes", why.replace(self.chosen.folder, ""))
            self.said[f"{fault.text.split(' no. ')[0]}: {why}"] += 1

    def run(self, command):
        usual = self.usual(command)
        if usual is None:
            self.wrong.append(f"{command.name}: cannot be judged")
            return
        begun = time.monotonic()
        for kind in self.chosen.classes.split(","):
            self.one(command, kind, usual)
        print(f"{command.name}: {time.monotonic() - begun:.0f} s", flush=True)

    def table(self):
        kinds = [k for k in classes.CLASSES if any(kind == k for kind, _ in self.counts)]
        names = list(dict.fromkeys(name for _, name in self.counts))
        rows = [["", *kinds, "all"]]
        for name in [*names, "all"]:
            cells = []
            for kind in [*kinds, "all"]:
                c = collections.Counter()
                for (k, n), more in self.counts.items():
                    if (kind in (k, "all")) and (name in (n, "all")):
                        c.update(more)
                wrong = f" ({c['wrong']} WRONG)" if c["wrong"] else ""
                cells.append(f"{sum(c.values())}/{c['survived']}{wrong}")
            rows.append([name, *cells])
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        for row in rows:
            print("  ".join(cell.rjust(width) if i else cell.ljust(width)
                            for i, (cell, width) in enumerate(zip(row, widths))))


def main():
    own_namespace()
    chosen = options()
    os.makedirs(chosen.folder, exist_ok=True)
    for name in "in", "out", "tmp", "lab":
        subprocess.run(["rm", "-rf", f"{chosen.folder}/{name}"], check=True)
    # It may be built again meanwhile.
    shutil.copy(chosen.program, f"{chosen.folder}/heapdrift")
    chosen.program = f"{chosen.folder}/heapdrift"
    make_inputs(chosen.program, f"{chosen.folder}/in")
    program = Program(chosen.program, chosen.folder)
    commands = [c for c in COMMANDS if any(fnmatch.fnmatch(c.name, p) for p in chosen.command.split(","))]
    sweep = Sweep(chosen, program)
    try:
        if any(c.needs == "runtime" for c in commands):
            program.runtime = Runtime(chosen.folder)
        if any(c.needs in ("process", "core") for c in commands):
            program.lab = Lab.found(f"{chosen.folder}/lab", program.tmp)
            if program.lab and any(c.needs == "core" for c in commands):
                program.lab.take_core(chosen.program, f"{chosen.folder}/in/lab.core")
        for command in commands:
            if command.needs not in ("process", "core") or program.lab:
                sweep.run(command)
            else:
                print(f"{command.name}: left out: no .NET here")
    except KeyboardInterrupt:
        sweep.wrong.append("stopped before its end")
    finally:
        for process in program.runtime, program.lab:
            if process:
                process.stop()
    print("\nfaults/of which changed nothing; the others ended with status 2 and one line, or by their signal")
    sweep.table()
    for text, count in sorted(sweep.said.items()):
        print(f"{count:6} {text}")
    for line in sweep.wrong:
        print("WRONG", line)
    return 1 if sweep.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
