"""Digests of series against the snapshots that they are of, as a user asks: every command says
the same, but for what a digest cannot know.

    tests/cli/equal_digests.py PROGRAM FOLDER...

Each folder is a series. Prints a line of TAP for each, with sizes. Status 1 if an answer differs or is missing."""
import json
import os
import subprocess
import sys
import tempfile

# What differs by what a digest is, and survivors, which it estimates where nobody followed the
# objects: then who stayed is left out.
DIFFERS = {"path", "format", "has_graph", "address", "source_xxh3", "xxh3", "files"}
# Which chains are of what came and stayed, or of what is in gen2, only objects tell; a digest has
# samples of all.
CHAINS = {"chains", "chains_of"}
QUESTIONS = [
    ["diff", "-n0", "-v", "--no-ages"],
    ["diff", "--gen2", "--no-ages"],
    ["diff", "--reachable", "--no-ages"],
    ["diff", "--by=holder", "-n0"],
    ["check", "--max-growth=1%", "--max-score=1%", "--no-ages"],
    ["diff", "--tables-only"],
]
# Of a series whose objects were followed, and of some neighbours of it.
OF_AGES = [["tree"], ["diff", "-n0", "-v"], ["diff", "--reachable"], ["check", "--max-growth=1%", "--max-score=1%"]]
OF_THE_LAST = [["top", "-n0"], ["top", "--tables-only"], ["top", "--by=holder", "-n0"], ["top", "--reachable"], ["tree"], ["info"]]

NO_GENERATIONS = "--gen2: this snapshot has no generations"


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def known(value, exact, few):
    """The part in which both have to agree; exact: survivors are no estimates; few: chains are of some."""
    if isinstance(value, dict):
        return {k: known(v, exact, few) for k, v in value.items()
                if k not in DIFFERS and (exact or not k.startswith(("survivors", "stayed")))
                and not (few and k in CHAINS)}
    if isinstance(value, list):
        return [known(v, exact, few) for v in value if not (isinstance(v, dict) and v.get("code") == "stored-samples")]
    return value


def differences(a, b, where=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            yield from differences(a.get(key), b.get(key), f"{where}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{where}[{i}]")
    # Messages name files, which are called otherwise.
    elif a != b and not where.endswith(".message"):
        yield where, a, b


def same(program, words, files, digests, exact=False):
    whole, small = (run(program, *words, "--format=json", *all) for all in (files, digests))
    told = [f"status {whole[0]} and {small[0]}: {small[2]}"] if whole[0] != small[0] else []
    # Two refusals are not two equal answers.
    told += [f"no answer, status {status}: {message.strip()}" for status, output, message in (whole, small)
             if not output and not ("--gen2" in words and NO_GENERATIONS in message)]
    if whole[1] and small[1]:
        few = exact or "--gen2" in words
        pair = [known(json.loads(output[1]), exact, few) for output in (whole, small)]
        if exact and any(report.get("identity", "events") != "events" for report in pair):
            told.append("who stayed is not known")
        told += [f"{where}: {b} instead of {a}" for where, a, b in differences(*pair)]
    for line in told[:5]:
        print(f"  {' '.join(words)}: {line[:200]}")
    return not told


def convert(program, files, below):
    """Digests, which know of each other; None if one cannot be made."""
    digests = [os.path.join(below, f"d-{i + 1}.digest" if len(files) > 1 else "d.digest") for i in range(len(files))]
    status, _, message = run(program, "convert", "-q", *files, "-o", os.path.join(below, "d.digest"))
    if status != 0:
        print(f"  {message}")
    return digests if status == 0 else None


def were_followed(program, files):
    told = json.loads(run(program, "info", "--format=json", *files)[1])["snapshots"]
    return len(files) > 1 and all(snapshot["identity"] for snapshot in told[1:])


def compare(program, number, folder):
    files = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                   if any(kind in name for kind in (".gcdump", ".nettrace", ".core", ".txt")))
    with tempfile.TemporaryDirectory() as below:
        digests = convert(program, files, below)
        if digests is None:
            print(f"not ok {number} {folder}: no digests", flush=True)
            return False
        equal = [same(program, words, files, digests) for words in QUESTIONS if len(files) > 1]
        equal += [same(program, words, files[-1:], digests[-1:]) for words in OF_THE_LAST]
        if were_followed(program, files):
            equal += [same(program, words, files[i:], digests[i:], True) for words in OF_AGES for i in (0, 1)]
        size = sum(map(os.path.getsize, digests)) // len(digests)
        print(f"{'ok' if all(equal) else 'not ok'} {number} {folder}: {len(files)} snapshots, {size} bytes per digest", flush=True)
        return all(equal)


def main():
    program, folders = sys.argv[1], sys.argv[2:]
    return 0 if all([compare(program, number, folder) for number, folder in enumerate(folders, 1)]) else 1


if __name__ == "__main__":
    sys.exit(main())
