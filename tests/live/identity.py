#!/usr/bin/env python3
"""Whether it is right which objects are which: against numbers that stand in the objects.

identity.py PROGRAM FOLDER HOW [COUNT]

Starts PROGRAM (idlab), follows it by `heapdrift watch`, has it do UNITS of work and collect as HOW
says after each snapshot, and reads the numbers of its objects from its memory while it rests.
Prints, for each kind: survivors, found, wrong. HEAPDRIFT and LIST_HEAP name the programs.
Status 1 unless recall and precision are 0.999 by what the collector said."""
import glob
import os
import struct
import subprocess
import sys
import time

UNITS = 400
INTERVALS = (2.0, 5.0, 12.0)  # seconds; the next where the machine is too busy for one
HEAPDRIFT = os.environ.get("HEAPDRIFT", "heapdrift")
LIST_HEAP = os.environ.get("LIST_HEAP", "build/list-heap")


def listed(*paths):
    """node -> (type, address, bytes); source; node -> node of the next"""
    types, nodes, source, after = {}, {}, None, {}
    out = subprocess.run([LIST_HEAP, *paths], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        w = line.split("\t")
        if w[0] == "type":
            types[w[1]] = w[3] if w[2] == "object" else None
        elif w[0] == "node" and types[w[2]]:
            nodes[int(w[1])] = (types[w[2]], int(w[3], 16), int(w[4]))
        elif w[0] == "same":
            source = int(w[1])
        elif w[0] == "next":
            after[int(w[1])] = int(w[2])
    return nodes, source, after


def number_in(kind, data):
    if kind.startswith("IdLab."):
        for at in range(0, len(data) - 7, 8):
            (n,) = struct.unpack_from("<Q", data, at)
            if n >> 48 == 0x1D00:
                return n
    elif kind == "System.String":
        (units,) = struct.unpack_from("<I", data)
        text = data[4:4 + 2 * units].decode("utf-16-le", "replace")
        if "#" in text:
            return text
    return None


def numbers(pid, path):
    """node -> what stands in it"""
    found = {}
    with open(f"/proc/{pid}/mem", "rb", 0) as memory:
        for node, (kind, address, size) in listed(path)[0].items():
            if kind.startswith("IdLab.") or (kind == "System.String" and size < 200):
                memory.seek(address + 8)
                n = number_in(kind, memory.read(size - 8))
                if n is not None:
                    found[node] = n
    return found


class TooSlow(Exception):
    """The program was still at work, perhaps, when a snapshot was taken."""


def record(program, folder, how, count, interval):
    p = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    watch = None
    try:
        p.stdout.readline()

        def work(units):
            p.stdin.write(f"{units} {how}\n")
            p.stdin.flush()
            return p.stdout.readline()
        work(4 * UNITS)
        watch = subprocess.Popen([HEAPDRIFT, "collect", str(p.pid), "-o", folder + "/s.gcdump", f"--count={count}",
                                  f"--interval={interval}s", "--no-progress", "-v"], stderr=subprocess.PIPE, text=True)
        known, rested = [], 0.0
        for k in range(1, count + 1):
            path = f"{folder}/s-{k}.gcdump"
            while not os.path.exists(path):
                if watch.poll() is not None:
                    sys.exit(watch.stderr.read())
                time.sleep(0.02)
            if time.monotonic() - rested < 1:
                raise TooSlow
            known.append(numbers(p.pid, path))
            if k < count:
                work(UNITS)
            rested = time.monotonic()
        said = watch.communicate()[1]
        for line in said.splitlines():
            if "which objects" in line or "unknown-type" in line:
                print(line)
        return known
    finally:
        if watch is not None:
            watch.kill()
        p.kill()
        p.wait()


def main():
    program, folder, how = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 4
    for interval in INTERVALS:
        try:
            known = record(program, folder, how, count, interval)
            break
        except TooSlow:
            for path in glob.glob(folder + "/s-*.gcdump"):
                os.unlink(path)
    else:
        sys.exit("the machine is too busy")
    good = True
    for k in range(1, count):
        nodes, source, after = listed(f"{folder}/s-{k}.gcdump", f"{folder}/s-{k + 1}.gcdump")
        old, new = known[k - 1], known[k]
        where = {v: n for n, v in new.items()}
        target = listed(f"{folder}/s-{k + 1}.gcdump")[0]
        good = good and source == 3
        for kind in ("IdLab.", "System.String"):
            mine = {n: v for n, v in old.items() if nodes[n][0].startswith(kind)}
            stayed = {n for n, v in mine.items() if v in where}
            called = {n for n in mine if n in after}
            right = {n for n in called if new.get(after[n]) == mine[n]}
            moved = sum(1 for n in right if nodes[n][1] != target[after[n]][1])
            recall, precision = len(right) / max(1, len(stayed)), len(right) / max(1, len(called))
            print(f"{k} source {source} {kind} survivors {len(stayed)} of {len(mine)} found {len(right)} "
                  f"moved {moved} wrong {len(called - right)} recall {recall:.4f} precision {precision:.4f}")
            good = good and len(stayed) > 500 and recall >= 0.999 and precision >= 0.999
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
