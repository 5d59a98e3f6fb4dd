"""Digests of series against the snapshots that they are of, as a user asks: every command says
the same, but for what a digest cannot know.

    tests/cli/equal_digests.py PROGRAM FOLDER...

Each folder is a series. Prints a line for each, with sizes; status 1 if anything differs."""
import json
import os
import subprocess
import sys
import tempfile

# What differs by what a digest is, and survivors, which it estimates. Of objects it has a
# sample, so who stayed is left out.
DIFFERS = {"path", "format", "has_graph", "address", "source_xxh3", "xxh3", "files"}
QUESTIONS = [
    ["diff", "-n0", "-v", "--no-ages"],
    ["diff", "--gen2", "--no-ages"],
    ["diff", "--reachable", "--no-ages"],
    ["diff", "--by=holder", "-n0"],
    ["check", "--max-growth=1%", "--max-score=1%", "--no-ages"],
    ["tree"],
    ["diff", "--tables-only"],
]
OF_THE_LAST = [["top", "-n0"], ["top", "--tables-only"], ["top", "--by=holder", "-n0"], ["top", "--reachable"], ["tree"], ["info"]]


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def known(value):
    """The part in which both have to agree."""
    if isinstance(value, dict):
        return {k: known(v) for k, v in value.items() if k not in DIFFERS and not k.startswith("survivors")}
    if isinstance(value, list):
        return [known(v) for v in value if not (isinstance(v, dict) and v.get("code") == "stored-samples")]
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


def same(program, words, files, digests):
    whole, small = (run(program, *words, "--format=json", *all) for all in (files, digests))
    told = [f"status {whole[0]} and {small[0]}: {small[2]}"] if whole[0] != small[0] else []
    if whole[1] and small[1]:
        pair = [known(json.loads(output[1])) for output in (whole, small)]
        told += [f"{where}: {b} instead of {a}" for where, a, b in differences(*pair)]
    for line in told[:5]:
        print(f"  {' '.join(words)}: {line[:200]}")
    return not told


def compare(program, folder):
    files = sorted(os.path.join(folder, name) for name in os.listdir(folder)
                   if any(kind in name for kind in (".gcdump", ".nettrace", ".core", ".txt")))
    with tempfile.TemporaryDirectory() as below:
        digests = [os.path.join(below, f"{i}.digest") for i in range(len(files))]
        for file, digest in zip(files, digests):
            status, _, message = run(program, "convert", "-q", file, "-o", digest)
            if status != 0:
                print(f"  {file}: {message}")
                return False
        equal = [same(program, words, files, digests) for words in QUESTIONS if len(files) > 1]
        equal += [same(program, words, files[-1:], digests[-1:]) for words in OF_THE_LAST]
        size = sum(map(os.path.getsize, digests)) // len(digests)
        print(f"{folder}: {len(files)} snapshots, {size} bytes per digest, {'equal' if all(equal) else 'DIFFERENT'}")
        return all(equal)


def main():
    program, folders = sys.argv[1], sys.argv[2:]
    return 0 if all([compare(program, folder) for folder in folders]) else 1


if __name__ == "__main__":
    sys.exit(main())
