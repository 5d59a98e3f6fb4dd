#!/usr/bin/env python3
"""The memory of `watch --store` over many snapshots of one process with a heap of 3 MB.

sidecar_memory.py PROGRAM COUNT [MOST]: PROGRAM is LeakLab, or the id of a process. Prints the resident memory of the sidecar
every tenth snapshot, in kB, and the most that it ever had. Status 1 where that exceeds MOST kB, or
where it grows: the least of the second half may not be 2 MB more than that of the first.
HEAPDRIFT names the program, ARGS more arguments of `watch`."""
import os
import shlex
import subprocess
import sys
import tempfile
import time

HEAPDRIFT = os.environ.get("HEAPDRIFT", "heapdrift")
ARGS = shlex.split(os.environ.get("ARGS", ""))
INTERVAL = os.environ.get("INTERVAL", "300ms")
GROWTH = 2000  # kB


def status_of(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        fields = dict(line.split(":", 1) for line in f)
    return {key: int(fields[key].split()[0]) for key in ("VmRSS", "VmHWM")}


program, count = sys.argv[1], int(sys.argv[2])
most = int(sys.argv[3]) if len(sys.argv) > 3 else 1 << 30
lab, pid = None, program
if not program.isdigit():
    lab = subprocess.Popen([program, "list"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "LEAKLAB_CATALOG": "2500", "LEAKLAB_RATE": "0", "LEAKLAB_GC": "1"})
    pid = lab.stdout.readline().split()[1]
    lab.stdin.write("20\n")
    lab.stdin.flush()
    lab.stdout.readline()
with tempfile.TemporaryDirectory() as folder:
    sidecar = subprocess.Popen(
        [HEAPDRIFT, "watch", "--process-id", pid, "--store", f"{folder}/store.db", "--lock", f"{folder}/lock",
         "--interval", INTERVAL, *ARGS], stderr=subprocess.PIPE, text=True)
    stored, seen = 0, []
    for line in sidecar.stderr:
        if stored == 0 and "MiB, in" in line:
            print(line.strip(), flush=True)
        if ": stored in" not in line:
            continue
        stored += 1
        if stored % 10 == 0 or stored == 1:
            time.sleep(0.05)  # it rests behind the line
            seen.append(status_of(sidecar.pid)["VmRSS"])
            print(stored, seen[-1], flush=True)
        if stored == count:
            break
    peak = status_of(sidecar.pid)["VmHWM"]
    sidecar.terminate()
    sidecar.wait()
if lab:
    lab.stdin.close()
    lab.wait()
half = len(seen) // 2
print(f"{stored} snapshots: {seen[0]} kB after the first, {seen[-1]} kB after the last, at rest {max(seen)} kB at most, peak {peak} kB")
assert stored == count
assert peak <= most, f"more than {most} kB"
assert min(seen[half:]) - min(seen[:half]) <= GROWTH, "it grows"
