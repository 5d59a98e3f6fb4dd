#!/usr/bin/env python3
"""What it costs a program that its collector is listened to (docs/collect.md): tests/bench/listening.py

Of tests/live/idlab, which needs the .NET SDK. It allocates at three rates, and does the same with
and without a session of `heapdrift collect --count`, in turn, BENCH_RUNS (10) times; medians of the
ratios of what it got done. By the clock the machine has to be idle; per second of its own
processor time it need not. The session is held from one snapshot to the next, which both are outside
of what is measured. HEAPDRIFT is the program under test.
"""

import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAPDRIFT = os.environ.get("HEAPDRIFT", ROOT / "build/heapdrift")
RUNS = int(os.environ.get("BENCH_RUNS", 10))
SECONDS = 4
SETTINGS = {
    "workstation": {},
    "workstation, gen0 of 4 MB": {"DOTNET_GCgen0size": "0x400000"},
    "server": {"DOTNET_gcServer": "1"},
}
# Work between two objects; what rate that is, the table tells.
WORK = (5000, 1000, 0)


class Lab:
    def __init__(self, program, settings):
        self.process = subprocess.Popen([program], env={**os.environ, **settings}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def bench(self, work, seconds=SECONDS):
        """-> objects per second, per second of its processor time, MB and collections per second"""
        self.process.stdin.write(f"{1000 * seconds} bench {work}\n")
        self.process.stdin.flush()
        return [float(n) for n in re.findall(r"([0-9.]+) ", self.process.stdout.readline())]


def spent(pid):
    """-> seconds of processor time, bytes read"""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    read = re.search(r"rchar: (\d+)", pathlib.Path(f"/proc/{pid}/io").read_text())[1]
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK"), int(read)


def listened(lab, work, folder):
    """-> the same as bench(), with what was read and what that took, per second; why it did not last"""
    for old in folder.iterdir():
        old.unlink()
    collector = subprocess.Popen(
        [HEAPDRIFT, "collect", f"--process-id={lab.process.pid}", f"--output={folder / 's.gcdump'}", "--count=2", f"--interval={SECONDS + 3}s"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        while not (folder / "s-1.gcdump").exists():
            if collector.poll() is not None:
                sys.exit(collector.stderr.read())
            time.sleep(0.01)
        before = spent(collector.pid)
        done = lab.bench(work)
        after = spent(collector.pid)
        said = collector.communicate()[1]
    finally:
        collector.kill()
    return done, (after[0] - before[0]) / SECONDS, (after[1] - before[1]) / SECONDS, re.findall("which objects.*", said)


def row(program, name, settings, work, folder):
    lab = Lab(program, settings)
    try:
        lab.bench(work)
        alone, with_it = [], []
        for _ in range(RUNS):
            alone.append(lab.bench(work))
            with_it.append(listened(lab, work, folder))
    finally:
        lab.process.kill()
        lab.process.wait()

    def ratios(i):
        of = sorted(w[0][i] / a[i] for a, w in zip(alone, with_it))
        return f"{statistics.median(of):.3f} ({of[len(of) // 4]:.3f} to {of[-1 - len(of) // 4]:.3f})"

    median = [statistics.median(a[i] for a in alone) for i in range(4)]
    print(f"| {name} | {median[2]:.0f} | {median[3]:.0f} | {ratios(0)} | {ratios(1)} | "
          f"{statistics.median(w[2] for w in with_it) / 1e6:.2f} | {100 * statistics.median(w[1] for w in with_it):.1f} | "
          f"{sum(not w[3] for w in with_it)} of {RUNS} |", flush=True)
    for said in sorted({line for w in with_it for line in w[3]}):
        print(f"{name}: {said}", file=sys.stderr)


def main():
    if not shutil.which("dotnet"):
        print("listening: skipped, no dotnet here")
        return
    program = subprocess.run([ROOT / "tests/live/build-idlab.sh"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    print("| collector | MB/s | collections/s | done, by the clock | done, per processor second | events, MB/s | heapdrift, % of a processor | sessions that lasted |")
    print("|:--|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, settings in SETTINGS.items():
            for work in WORK:
                row(program, name, settings, work, pathlib.Path(folder))


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    main()
