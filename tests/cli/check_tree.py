"""Check that all formats of `heapdrift tree` tell the same: check_tree.py PROGRAM ARG...

Sums of every place are computed here, of the JSON; CSV, folded stacks, speedscope and pprof
must have them. The profile of pprof is decoded here too, by the numbers of its format."""
import csv
import gzip
import io
import json
import subprocess
import sys


def run(how, args):
    return subprocess.run([PROGRAM, "tree", "-q", f"--format={how}", *args], check=True, capture_output=True).stdout


def expect(what, got, wanted):
    if got != wanted:
        COMPLAINTS.append(f"{what}: {got}, should be {wanted}")


# --- JSON: its own sums ----------------------------------------------------------------


def check_json(tree):
    nodes = tree["nodes"]
    first, last = tree["compared"]
    for key, own in (("retained", "bytes"), ("objects", "count")):
        sums = [list(node[own]) for node in nodes]
        for i in reversed(range(len(nodes))):
            parent = nodes[i]["parent"]
            expect(f"{key} of node {i}", nodes[i][key], sums[i])
            if parent is not None:
                sums[parent] = [a if a is None else a + b for a, b in zip(sums[parent], sums[i])]
    below = [0] * len(nodes)
    for i, node in reversed(list(enumerate(nodes))):
        if node["stayed"] is None:
            expect(f"stayed of node {i} without the others", nodes[0]["stayed"], None)
            continue
        own = node["stayed"] - below[i]
        expect(f"stayed at node {i} within its {node['count'][last]}", 0 <= own <= node["count"][last], True)
        if node["parent"] is not None:
            below[node["parent"]] += node["stayed"]
    for i, node in enumerate(nodes):
        parent = nodes[node["parent"]] if node["parent"] is not None else None
        expect(f"depth of node {i}", node["depth"], parent["depth"] + 1 if parent else 0)
        expect(f"growth of node {i}", node["growth"], node["retained"][last] - node["retained"][first])


# --- CSV ---------------------------------------------------------------------------------


def check_csv(tree, args):
    rows = list(csv.DictReader(io.StringIO(run("csv", args).decode())))
    expect("rows of CSV", len(rows), len(tree["nodes"]))
    for row, node in zip(rows, tree["nodes"]):
        for key in ("depth", "kind"):
            expect(f"CSV {key}", row[key], str(node[key]))
        expect("CSV growth", int(row["growth"]), node["growth"])
        expect("CSV path", row["path"].rpartition(" → ")[2].lstrip("'"),
               {"heap": "", "others": "[others]"}.get(node["kind"], row["type"].lstrip("'") if row["path"] else ""))
        for key in ("count", "bytes", "objects", "retained"):
            got = [row[f"{key}_{k + 1}"] for k in range(len(node[key]))]
            expect(f"CSV {key}", got, ["" if n is None else str(n) for n in node[key]])


# --- folded stacks ------------------------------------------------------------------------


def tops(tree, key, k):
    return sum(node[key][k] for node in tree["nodes"] if node["parent"] is None)


def check_folded(tree, args):
    first, last = tree["compared"]
    wanted = [tops(tree, "retained", k) for k in sorted({first, last})]
    sums = [0] * len(wanted)
    for line in run("folded", args).decode().splitlines():
        words = line.rsplit(" ", len(sums))
        expect("columns of a folded line", len(words), len(sums) + 1)
        if len(words) == len(sums) + 1:
            sums = [a + int(b) for a, b in zip(sums, words[1:])]
    expect("folded sums", sums, wanted)


# --- speedscope ------------------------------------------------------------------------------


def check_speedscope(tree, args):
    file = json.loads(run("speedscope", args))
    known = [k for k, n in enumerate(tree["nodes"][0]["retained"]) if n is not None]
    expect("profiles", len(file["profiles"]), len(known))
    for k, profile in zip(known, file["profiles"]):
        expect("end of a profile", profile["endValue"], tops(tree, "retained", k))
        stack, at = [], 0
        for event in profile["events"]:
            expect("order of events", event["at"] >= at, True)
            at = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
            else:
                expect("frame that ends", event["frame"], stack.pop())
        expect("open frames", stack, [])


# --- pprof -----------------------------------------------------------------------------------


def varint(data, at):
    n = shift = 0
    while True:
        byte = data[at]
        n |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return n, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def packed(data):
    at = 0
    while at < len(data):
        n, at = varint(data, at)
        yield n - (1 << 64) if n >= 1 << 63 else n


def check_pprof(tree, args):
    data = run("pprof", args)
    expect("time in the header of gzip", data[4:8], b"\0\0\0\0")
    profile = list(fields(gzip.decompress(data)))
    strings = [value.decode() for number, value in profile if number == 6]
    types = [strings[dict(fields(value))[1]] for number, value in profile if number == 1]
    first, last = tree["compared"]
    wanted = {"objects": tops(tree, "objects", last), "space": tops(tree, "retained", last)}
    if first != last:
        wanted["growth_objects"] = wanted["objects"] - tops(tree, "objects", first)
        wanted["growth_space"] = wanted["space"] - tops(tree, "retained", first)
    samples = [dict(fields(value)) for number, value in profile if number == 2]
    sums = [sum(column) for column in zip(*(packed(sample[2]) for sample in samples))]
    expect("sums of pprof", dict(zip(types, sums)), wanted)
    locations = {dict(fields(value))[1] for number, value in profile if number == 4}
    used = {place for sample in samples for place in packed(sample[1])}
    expect("locations that are used and missing", used - locations, set())
    expect("first string", strings[0], "")
    functions = {f[1]: f for f in (dict(fields(value)) for number, value in profile if number == 5)}
    lines = [dict(fields(dict(fields(value))[4])) for number, value in profile if number == 4]
    written = {f"{strings[f[2]]} ({strings[f[4]]}:{line[2]})" for line in lines if 2 in line for f in [functions[line[1]]]}
    expect("lines of code", written, {n["full_name"] for n in tree["nodes"] if n["kind"] == "method"} - {None})


# --- dot ---------------------------------------------------------------------------------------


def check_dot(tree, args):
    text = run("dot", [*args, "-n", "0"]).decode()
    expect("boxes", text.count("[label="), len(tree["nodes"]))
    expect("lines between them", text.count(" -> "), sum(node["parent"] is not None for node in tree["nodes"]))


def main():
    args = sys.argv[2:]
    tree = json.loads(run("json", args))
    check_json(tree)
    for check in (check_csv, check_folded, check_speedscope, check_pprof):
        check(tree, args)
    if "-n" not in args:
        check_dot(tree, args)
    print("\n".join(COMPLAINTS[:20]) or f"{len(tree['nodes'])} places in 6 formats")
    return 1 if COMPLAINTS else 0


PROGRAM = sys.argv[1]
COMPLAINTS = []
sys.exit(main())
