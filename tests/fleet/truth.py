"""What fleet says of a fleet whose truth is known: truth.py BUILD [NAME=N...]

The leak of Shop is the first suspect, on the hosts that have it and no others; the build with
which it began is named; the big cache of one host is no suspect of the fleet; no healthy
service is accused. One run over all and the sum of parts, merged in another order, say the
same to the byte."""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

build, options = pathlib.Path(sys.argv[1]), sys.argv[2:]
plan = {"hosts": 200, "days": 30, "builds": 5, "bad": 3, "share": 60} | {
    name: int(n) for name, n in (word.split("=") for word in options)
}
SHARDS = 4
failures = 0


def expect(what, truth, told):
    global failures
    if truth != told:
        failures += 1
        print(f"{what}: {truth} is true, and {told} was told")


def heapdrift(*words):
    return subprocess.run([build / "heapdrift", "fleet", *words], check=True, capture_output=True).stdout


def check(answer):
    leaking = [h for h in range(plan["hosts"]) if h * 37 % 100 < plan["share"]]
    first = answer["suspects"][0]
    expect("the first suspect", ("Shop", "App.Order", False),
           (first["service"], first["type"], first["on_few_hosts"]))
    expect("its hosts", (len(leaking), plan["hosts"]), (first["hosts_with"], first["hosts_judged"]))
    onset = first["onset"]
    expect("the build that began", ("named", f"1.{plan['bad']}.0"), (onset["status"], onset["build"]))
    expect("runs before it that show it", 0, onset["before_with"])
    expect("suspects of the fleet", [("Shop", "App.Order")],
           [(s["service"], s["type"]) for s in answer["suspects"] if not s["on_few_hosts"]])
    few = {(s["service"], s["type"]): s["hosts_with"] for s in answer["suspects"] if s["on_few_hosts"]}
    expect("the cache of one host", 1, few.get(("Shop", "App.CacheEntry")))
    expect("services with a suspect", {"Cart": 0, "Mail": 0, "Shop": 1},
           {s["service"]: s["suspects"] for s in answer["services"]})
    judged = answer["runs"]["judged"] / sum(answer["runs"].values())
    expect("at least nine of ten runs are judged", True, judged >= 0.9)
    others = [s for s in few if s != ("Shop", "App.CacheEntry")]
    return (f"{first['hosts_with']} of {first['hosts_judged']} hosts, log10 of chance "
            f"{onset['log10_chance']:.0f}, {len(others)} accused by accident on few hosts, "
            f"{100 * judged:.1f} % of {sum(answer['runs'].values())} runs judged, "
            f"{answer['snapshots_compared']} snapshots")


def split(whole, folder):
    """The same records in parts, as --shard would have written them: of the part's own
    lines, with headers and hashes made anew by the program."""
    return [subprocess.run([build / "simulate-fleet", "part", folder / f"{i}.part", *options,
                            f"shard={i}", f"shards={SHARDS}"], check=True, capture_output=True)
            and folder / f"{i}.part" for i in range(1, SHARDS + 1)]


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    whole = folder / "whole.part"
    subprocess.run([build / "simulate-fleet", "part", whole, *options], check=True, capture_output=True)
    told = check(json.loads(heapdrift("--merge", whole, "--format=json")))
    if plan["hosts"] < 200:
        parts = split(whole, folder)
        random.Random(1).shuffle(parts)
        heapdrift("--merge", *parts[:2], "-o", folder / "two.part")
        merged = heapdrift("--merge", parts[2], folder / "two.part", parts[3], "--by=host", "-n", "0")
        expect("the sum of parts", heapdrift("--merge", whole, "--by=host", "-n", "0"), merged)
    print(told)
sys.exit(failures > 0)
