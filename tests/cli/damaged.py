"""A damaged file among snapshots of a folder: python damaged.py HEAPDRIFT FOLDER

Each format, damaged in each way, as the first file, in the middle, as the last: the folder must be
refused as if all of its files were named. Whether a damaged file is one of them shows its name
(.gcdump, ...) or its number, so formats whose suffix says nothing are numbered."""
import bz2
import gzip
import lzma
import os
import shutil
import subprocess
import sys

heapdrift, folder = sys.argv[1:]
COUNT = 4
series = [os.path.abspath(f"fixtures/heap-text/series-{k + 1}.txt") for k in range(COUNT)]
core = os.path.abspath("fixtures/core/net10.core.xz")
minidump = os.path.abspath("fixtures/core/net10-windows.dmp.xz")
trace = os.path.abspath("fixtures/nettrace-real/leak31_first.nettrace.zst")
os.makedirs(folder)
os.chdir(folder)
wrong = []
ran = 0


def run(*args):
    p = subprocess.run([heapdrift, *args], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return p.returncode, p.stdout, p.stderr.decode("utf-8", "replace")


def converted(suffix):
    made = []
    for k, path in enumerate(series):
        status, _, said = run("convert", "-q", path, "-o", f"made{k}{suffix}")
        assert status == 0, said
        with open(f"made{k}{suffix}", "rb") as f:
            made.append(f.read())
        os.remove(f"made{k}{suffix}")
    return made


def read(path):
    with open(path, "rb") as f:
        return f.read()


def zstd(data):
    return subprocess.run(["zstd", "-qc"], input=data, capture_output=True, check=True).stdout


gcdumps, digests, tables, rows = converted(".gcdump"), converted(".digest"), converted(".csv"), converted(".json")
texts = [read(path) for path in series]
# By what the name says: four snapshots, whole. Of traces and cores one is enough, among gcdumps.
FORMATS = {
    "{}.gcdump": gcdumps,
    "app-{}.gcdump.gz": [gzip.compress(d) for d in gcdumps],
    "app-{}.gcdump.xz": [lzma.compress(d) for d in gcdumps],
    "app-{}.gcdump.bz2": [bz2.compress(d) for d in gcdumps],
    "app-{}.gcdump.zst": [zstd(d) for d in gcdumps],
    "{}.digest": digests,
    "{}.digest.zst": [zstd(d) for d in digests],
    "app-{}.txt": texts,
    "app-{}.txt.gz": [gzip.compress(d) for d in texts],
    "2026-11-{}T10:00.csv": tables,
    "heap{}.json": rows,
    "{}": texts,
}
STRANGERS = {"web.nettrace.zst": read(trace), "web.nettrace": subprocess.run(
    ["zstd", "-dqc", trace], capture_output=True, check=True).stdout,
    "web.core.xz": read(core), "web.core": read(core), "web.dmp": read(core), "web.dmp.xz": read(minidump),
    "web.gcdump": gcdumps[0],
    "web.digest": digests[0]}
DAMAGE = {
    "nothing": lambda data: b"",
    "zeros": lambda data: bytes(4096),
    "3 bytes": lambda data: data[:3],
    "10 bytes": lambda data: data[:10],
    "half": lambda data: data[:len(data) // 2],
    "a message": lambda data: b"write: No space left on device\n",
    "a page": lambda data: b"<!DOCTYPE html><title>502 Bad Gateway</title>\n",
    "a dangling link": None,
}
# What is left of these may be read, with a warning: as it is when it is named.
MAY_BE_READ = {"half"}


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)


def damage(path, how, data):
    if how == "a dangling link":
        os.symlink("moved-away", path)
    else:
        put(path, DAMAGE[how](data))


def ask(*args):
    for file in os.listdir():
        if file.startswith("store.db"):
            os.remove(file)
    return run(*args)


def without_next(answer):
    """What comes next is a command with the same arguments: those are not the same."""
    return answer[0], answer[1].split(b"\nnext: ")[0], answer[2]


def expect_as_named(what, how, names, bad, *question):
    global ran
    ran += 1
    found, named = ask(*question, "in"), ask(*question, *[f"in/{name}" for name in names])
    if found[0] != 2 and not (how in MAY_BE_READ and found[0] == named[0]):
        wrong.append(f"{what}: {' '.join(question)}: status {found[0]}, {found[2]!r}")
    elif f"heapdrift: in/{bad}:" not in found[2] and found[0] == 2:
        wrong.append(f"{what}: {' '.join(question)}: the file is not named: {found[2]!r}")
    elif without_next(found) != without_next(named) and how != "a dangling link":
        wrong.append(f"{what}: {' '.join(question)}: named {named[0]}, {named[2]!r}; found {found[0]}, {found[2]!r}")


def try_folder(what, how, files, bad, questions):
    shutil.rmtree("in", ignore_errors=True)
    os.mkdir("in")
    for name, data in files.items():
        if name == bad:
            damage(f"in/{name}", how, data)
        else:
            put(f"in/{name}", data)
    for question in questions:
        expect_as_named(what, how, list(files), bad, *question)


CHECK = [("check", "--strict", "-j1")]
ALL = CHECK + [("diff", "-j1"), ("diff", "-j4", "--tables-only"), ("info",), ("roots", "--type=*"), ("tree",),
               ("report",), ("record", "--store=store.db")]
for form, whole in FORMATS.items():
    files = {form.format(k + 1): data for k, data in enumerate(whole)}
    for how in DAMAGE:
        for place in (1, 2, COUNT):
            bad = form.format(place)
            questions = ALL if how == "nothing" and place == COUNT else CHECK
            try_folder(f"{bad}: {how}", how, files, bad, questions)
for bad, whole in STRANGERS.items():
    for how in DAMAGE:
        for others in ("app-{}.gcdump", "zzz-{}.gcdump"):
            files = dict(sorted([(bad, whole), *((others.format(k + 1), d) for k, d in enumerate(gcdumps))]))
            try_folder(f"{bad} beside {others}: {how}", how, files, bad, CHECK)
print(f"{ran} folders")
print("\n".join(wrong))
sys.exit(len(wrong) > 0)
