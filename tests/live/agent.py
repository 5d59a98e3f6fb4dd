#!/usr/bin/env python3
"""One agent for four services of ASP.NET Core on one host, two of which leak.

    agent.py [--minutes N] [--interval S] [--keep DIR] [--seed N]

Every few minutes each of them is replaced: blue and green by turns (both run for a while), or killed and
started again. A peer that says nothing has a socket beside them. Prints what came of it: series, snapshots,
failures, pauses, the memory of the agent each minute, and the services that `heapdrift fleet` names.
Status 1 if a process that lived for two intervals has no series, a snapshot was lost, the agent ended by
itself or had more than 60 MB, or (from ten minutes on) fleet names others than those that leak. HEAPDRIFT is the program under test.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
HEAPDRIFT = os.environ.get("HEAPDRIFT", str(HERE.parents[1] / "build/heapdrift"))
SERVICES = {"shop": "leak", "mail": "leak", "search": "healthy", "cart": "healthy"}
OVERLAP = 15
MAX_MEMORY = 60 << 10


def build(work):
    """Outside of the tree, which stays clean."""
    shutil.copytree(HERE / "node", work / "source")
    env = os.environ | {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1"}
    done = subprocess.run(["dotnet", "build", "-c", "Release", "-o", work / "program", work / "source"], env=env,
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout)
    subprocess.run(["dotnet", "build-server", "shutdown"], env=env, capture_output=True)
    return work / "program/NodeLab"


class Node:
    def __init__(self, work, program, minutes):
        self.program, self.random = program, random.Random(args.seed)
        self.env = os.environ | {"TMPDIR": str(work / "tmp"), "DOTNET_gcServer": "0"}
        (work / "tmp").mkdir()
        self.running = {}
        self.lives = []
        self.last_swap = minutes * 60 - 2 * args.interval - OVERLAP
        self.due = {}

    def start(self, service):
        env = self.env | {"OTEL_SERVICE_NAME": service}
        process = subprocess.Popen([self.program, service, SERVICES[service], "10"], env=env,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        life = {"service": service, "pid": process.pid, "from": time.monotonic()}
        self.lives.append(life)
        return process, life

    def stop(self, one, how=signal.SIGTERM):
        process, life = one
        process.send_signal(how)
        process.wait()
        life["to"] = time.monotonic()

    def begin(self, now):
        for service in SERVICES:
            self.running[service] = [self.start(service)]
            self.plan(service, now)

    def plan(self, service, now):
        most = min(300, args.minutes * 20)
        self.due[service] = now + self.random.uniform(most / 2, most)

    def swap(self, now):
        for service, due in self.due.items():
            if now < due or now > self.last_swap:
                continue
            ones = self.running[service]
            if len(ones) == 2:
                self.stop(ones.pop(0))
                self.plan(service, now)
            elif self.random.random() < 0.5:
                ones.append(self.start(service))
                self.due[service] = now + OVERLAP
            else:
                self.stop(ones.pop(), self.random.choice((signal.SIGTERM, signal.SIGKILL)))
                ones.append(self.start(service))
                self.plan(service, now)

    def end(self):
        for ones in self.running.values():
            for one in ones:
                self.stop(one)


def status_of(pid, name):
    for line in open(f"/proc/{pid}/status", encoding="ascii"):
        if line.startswith(name + ":"):
            return int(line.split()[1])
    return 0


def mute_peer(work):
    """A runtime that never answers, whose program is called as the others are."""
    path = work / "tmp/dotnet-diagnostic-{}-1-socket"
    command = 'exec -a NodeLab-mute "$1" "$2" "${3//\\{\\}/$$}" mute'
    return subprocess.Popen(["bash", "-c", command, "sh", os.path.realpath(sys.executable),
                             HERE.parent / "cli/runtime.py", str(path)], env=os.environ | {"OTEL_SERVICE_NAME": "mute"})


def facts(db):
    rows = sqlite3.connect(db).execute(
        "SELECT service, pid, COUNT(*), SUM(pause_seconds), MAX(pause_seconds), MIN(taken_at), MAX(taken_at) "
        "FROM series JOIN snapshot ON series.id = series_id GROUP BY series.id ORDER BY service, 6").fetchall()
    return [dict(zip(("service", "pid", "count", "paused", "most", "first", "last"), row)) for row in rows]


def gaps(db):
    """Seconds between snapshots of one series, start to start."""
    found, before = [], {}
    for series, taken in sqlite3.connect(db).execute(
            "SELECT series_id, taken_at FROM snapshot ORDER BY series_id, taken_at"):
        if series in before:
            found.append(taken - before[series])
        before[series] = taken
    return sorted(found)


def named_by_fleet(db):
    done = subprocess.run([HEAPDRIFT, "fleet", f"--store={db}", "--since=all", "--min-span=1m", "--format=json"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    report = json.loads(done.stdout)
    return sorted({s["service"] for s in report.get("suspects", [])}), done.stdout


def watch(work, node):
    db = work / "store.db"
    command = [HEAPDRIFT, "watch", "--all", "--name=NodeLab*", f"--store={db}", f"--interval={args.interval}s",
               f"--lock={work / 'lock'}", "--timeout=5", "--no-progress"]
    memory = []
    with open(work / "log", "w", encoding="utf-8") as log:
        agent = subprocess.Popen(command, env=node.env, stderr=log)
    begin = time.monotonic()
    node.begin(0)
    while time.monotonic() - begin < args.minutes * 60 and agent.poll() is None:
        now = time.monotonic() - begin
        node.swap(now)
        if now >= len(memory) * 60:
            memory.append((status_of(agent.pid, "VmRSS"), status_of(agent.pid, "VmHWM")))
            print(f"minute {len(memory) - 1}: agent {memory[-1][0]} kB, at most {memory[-1][1]} kB", flush=True)
        time.sleep(1)
    died = agent.poll() is not None
    agent.send_signal(signal.SIGTERM)
    status = agent.wait()
    node.end()
    return db, died, status, memory


def judge(work, node, outcome):
    db, died, status, memory = outcome
    log = (work / "log").read_text(encoding="utf-8").splitlines()
    series, between = facts(db), gaps(db)
    seen = {s["pid"] for s in series}
    unseen = [l for l in node.lives if l["to"] - l["from"] > 2 * args.interval + 5 and l["pid"] not in seen]
    suspects, report = named_by_fleet(db)
    (work / "fleet.json").write_text(report, encoding="utf-8")
    failures = [line for line in log if "no snapshot" in line or "lost" in line]
    count = sum(s["count"] for s in series)
    print(f"processes {len(node.lives)}, series {len(series)}, snapshots {count}, agent's status {status}")
    print(f"pauses: {sum(s['paused'] or 0 for s in series):.2f} s in all, {max(s['most'] or 0 for s in series):.3f} s at most")
    print(f"between snapshots of a process: {between[0]:.1f} s at least, {between[len(between) // 2]:.1f} s median, "
          f"{between[-1]:.1f} s at most")
    print(f"agent's memory: {memory[0][0]} kB first, {memory[-1][0]} kB last, {max(m[1] for m in memory)} kB at most")
    print("fleet names:", ", ".join(suspects) or "none")
    for line in failures:
        print("failure:", line)
    wrong = [f"{l['service']} (pid {l['pid']}) has no series" for l in unseen]
    wrong += [line for line in failures if "(pid" in line and "NodeLab-mute" not in line and "mute (pid" not in line
              and "exited" not in line]
    if died or status != 0:
        wrong.append(f"the agent ended {'by itself ' if died else ''}with status {status}")
    if between[0] < 0.9 * args.interval:
        wrong.append(f"two snapshots {between[0]:.1f} s apart")
    if max(m[1] for m in memory) > MAX_MEMORY:
        wrong.append(f"the agent had {max(m[1] for m in memory)} kB")
    if args.minutes >= 10 and suspects != sorted(s for s, what in SERVICES.items() if what == "leak"):
        wrong.append(f"fleet names {suspects}")
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="agent-"))
    rogue = None
    try:
        node = Node(work, build(work), args.minutes)
        rogue = mute_peer(work)
        return judge(work, node, watch(work, node))
    finally:
        if rogue is not None:
            rogue.kill()
        if args.keep:
            shutil.copytree(work, args.keep, ignore=shutil.ignore_patterns("tmp", "program", "source"))
        shutil.rmtree(work)


parser = argparse.ArgumentParser()
parser.add_argument("--minutes", type=float, default=float(os.environ.get("AGENT_MINUTES", 3)))
parser.add_argument("--interval", type=float, default=20)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--keep")
args = parser.parse_args()
sys.exit(main())
