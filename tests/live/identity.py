#!/usr/bin/env python3
"""Whether it is right which objects are which: against numbers that stand in the objects.

identity.py PROGRAM FOLDER HOW [COUNT]

Starts PROGRAM (idlab) and has it do UNITS of work between snapshots, collecting as HOW says; reads
the numbers of its objects from its memory while it rests. Snapshots are gcdumps whose events are
followed, and a core beside each of the same heap. With HOW "direct" they are cores alone, whose
heap nobody collected before.

Prints, for each source, kind and age, how many survived, were found (recall), and of what was
called a survivor the share that is (precision). *Young* came since the snapshot before.
HEAPDRIFT and LIST_HEAP name the programs. Status 1 where LEAST is not reached."""
import collections
import glob
import os
import struct
import subprocess
import sys
import time

UNITS = 400
INTERVALS = (3.0, 6.0, 15.0)  # seconds; the next where the machine is too busy for one
HEAPDRIFT = os.environ.get("HEAPDRIFT", "heapdrift")
LIST_HEAP = os.environ.get("LIST_HEAP", "build/list-heap")
SOURCES = ("unknown", "order", "contents", "events")
KINDS = ("objects", "strings", "arrays")

# Recall and precision that are asked for, in all settings. Settings that are read again look like
# those before: they are most of what is wrong among the young, except by events.
ALL = {kind: {"old": (0.999, 0.999), "young": (0.999, 0.999)} for kind in KINDS}
LEAST = {
    "gcdump, events": ALL,
    "gcdump, order": {
        "objects": {"old": (0.96, 0.97), "young": (0.84, 0.89)},
        "strings": {"old": (0.975, 0.99), "young": (0.86, 0.88)},
        "arrays": {"old": (0.975, 0.99), "young": (0.84, 0.83)},
    },
    "core, contents": {
        "objects": {"old": (0.965, 0.98), "young": (0.87, 0.92)},
        "strings": {"old": (0.98, 0.999), "young": (0.90, 0.92)},
        "arrays": {"old": (0.98, 0.999), "young": (0.87, 0.84)},
    },
}
# Where only young generations are collected, fewer of the young are found, but by events.
LESS_BY_GEN1 = 0.12
FEWEST = 200  # survivors of a kind and age: of fewer nothing is told


def listed(path):
    """node -> (type, address, bytes)"""
    types, nodes = {}, {}
    out = subprocess.run([LIST_HEAP, path], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        w = line.split("\t")
        if w[0] == "type":
            types[w[1]] = w[3] if w[2] == "object" else None
        elif w[0] == "node" and types[w[2]] and w[5] == "1":
            nodes[int(w[1])] = (types[w[2]], int(w[3], 16), int(w[4]))
    return nodes


def pairs(older, newer):
    """source -> {node: node of the newer}"""
    found, now = {}, None
    out = subprocess.run([LIST_HEAP, older, newer], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        w = line.split("\t")
        if w[0] == "same":
            now = found[SOURCES[int(w[1])]] = {}
        else:
            now[int(w[1])] = int(w[2])
    return found


def kind_of(name):
    return "objects" if name.startswith("IdLab.") else "strings" if name == "System.String" else "arrays"


class TooSlow(Exception):
    """The program was still at work when a snapshot was taken, or its collector was."""


def numbers(pid, nodes):
    """address -> who it is: a number, a text, or the owner that alone refers to it, and where."""
    found, owned, unread = {}, collections.defaultdict(list), 0
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        kinds = {address: name for name, address, _ in nodes.values()}
        for name, address, size in nodes.values():
            if name.startswith("IdLab."):
                memory.seek(address + 8)
                words = [w for (w,) in struct.iter_unpack("<Q", memory.read(size - 16))]
                ids = [w for w in words if w >> 48 == 0x1D00]
                for at, word in enumerate(words):
                    if ids and kinds.get(word) in ("System.String", "Byte[]", "Int32[]", "System.Byte[]", "System.Int32[]"):
                        owned[word].append((ids[0], at))
                if ids:
                    found[address] = ids[0]
                unread += not ids and name[6:].isidentifier()
            elif name == "System.String" and size < 200:
                memory.seek(address + 8)
                data = memory.read(size - 8)
                (units,) = struct.unpack_from("<I", data)
                text = data[4:4 + 2 * units].decode("utf-16-le", "replace")
                if "#" in text:
                    found[address] = text
    if unread > 0:
        raise TooSlow
    for address, owners in owned.items():
        if len(owners) == 1:
            found.setdefault(address, owners[0])
    return found


class Program:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def work(self, units, how):
        self.process.stdin.write(f"{units} {how}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def core(self, path):
        """Older runtimes (.NET 8) have none: then order and events are all that is judged."""
        subprocess.run([HEAPDRIFT, "collect", str(self.pid), "--direct", "-o", path, "--quiet"], check=False)

    def end(self):
        self.process.kill()
        self.process.wait()


def record(path, folder, how, count, interval):
    """Who is who, per snapshot, while one process follows its events."""
    program, watch, known, rested = Program(path), None, [], 0.0
    try:
        program.work(4 * UNITS, how)
        watch = subprocess.Popen([HEAPDRIFT, "collect", str(program.pid), "-o", folder + "/s.gcdump", f"--count={count}",
                                  f"--interval={interval}s", "--no-progress", "-v"], stderr=subprocess.PIPE, text=True)
        for k in range(1, count + 1):
            snapshot = f"{folder}/s-{k}.gcdump"
            while not os.path.exists(snapshot):
                if watch.poll() is not None:
                    sys.exit(watch.stderr.read())
                time.sleep(0.02)
            if time.monotonic() - rested < 0.7:
                raise TooSlow
            known.append(numbers(program.pid, listed(snapshot)))
            program.core(f"{folder}/s-{k}.core")
            if k < count:
                program.work(UNITS, how)
            rested = time.monotonic()
        for line in watch.communicate()[1].splitlines():
            if "which objects" in line or "unknown-type" in line:
                print(line)
        return known
    finally:
        if watch is not None:
            watch.kill()
            watch.wait()
        program.end()


def record_cores(path, folder, count):
    program, known = Program(path), []
    try:
        program.work(4 * UNITS, "none")
        for k in range(1, count + 1):
            program.core(f"{folder}/s-{k}.core")
            known.append(numbers(program.pid, listed(f"{folder}/s-{k}.core")))
            program.work(UNITS, "none")
        return known
    finally:
        program.end()


def record_in_time(path, folder, how, count):
    if how == "direct":
        return record_cores(path, folder, count)
    for interval in INTERVALS:
        try:
            return record(path, folder, how, count, interval)
        except TooSlow:
            for old in glob.glob(folder + "/s-*"):
                os.unlink(old)
    sys.exit("the machine is too busy")


class Tally:
    survived = right = called = 0

    def recall(self):
        return self.right / max(1, self.survived)

    def precision(self):
        return self.right / max(1, self.called)


def judge(tallies, nodes, who, after):
    """nodes: of both; who: by address of the snapshot before these, and of both."""
    old = set(who[0].values())
    of = [{n: who[i + 1][a] for n, (_, a, _) in nodes[i].items() if a in who[i + 1]} for i in (0, 1)]
    there = set(of[1].values())
    for n, number in of[0].items():
        t = tallies[kind_of(nodes[0][n][0]), "old" if number in old else "young"]
        t.survived += number in there
        t.called += n in after and after[n] in of[1]
        t.right += n in after and of[1].get(after[n]) == number


def main():
    program, folder, how = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    known = record_in_time(program, folder, how, count)
    good, sources = True, collections.defaultdict(lambda: collections.defaultdict(Tally))
    for form in ("core", "gcdump"):
        if not os.path.exists(f"{folder}/s-{count}.{form}"):
            continue
        all_nodes = [listed(f"{folder}/s-{k}.{form}") for k in range(1, count + 1)]
        for k in range(1, count - 1):
            for source, after in pairs(f"{folder}/s-{k + 1}.{form}", f"{folder}/s-{k + 2}.{form}").items():
                judge(sources[f"{form}, {source}"], all_nodes[k:k + 2], known[k - 1:k + 2], after)
    for source, tallies in sources.items():
        for (kind, age), t in sorted(tallies.items()):
            recall, precision = LEAST.get(source, {}).get(kind, {}).get(age, (0, 0))
            if how == "gen1" and age == "young" and "events" not in source:
                recall = max(0, recall - LESS_BY_GEN1)
            enough = t.survived >= FEWEST and t.recall() >= recall and t.precision() >= precision
            good = good and enough
            print(f"{source:16} {kind:8} {age:6} survived {t.survived:6} recall {t.recall():.4f} precision {t.precision():.4f}"
                  + ("" if enough else f": less than {recall} and {precision} of {FEWEST}"))
    for source in LEAST:
        if source not in sources and (how != "direct" or source.startswith("core")):
            print(f"{source}: nothing is known")
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
