"""Inputs that cost more than their size: python limits.py HEAPDRIFT FOLDER

Each is asked about with --memory, and must be answered or refused within that and 64 MiB more, in
no more processor time than a harmless input of its size takes, times TIMES, plus a second. GNU time
measures, since a process that Python starts begins with the memory of Python."""
import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import zipfile

SLACK, TIMES, LIMIT = 64 << 20, 12, 60 << 20
heapdrift, folder = sys.argv[1:]
os.makedirs(folder)
os.chdir(folder)
full = bool(os.environ.get("HEAPDRIFT_FULL"))
wrong = []


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


def run(args, limit):
    p = subprocess.run(["time", "-q", "-o", "time", "-f", "%U %S %M", heapdrift, args[0], f"--memory={limit}", *args[1:]],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    with open("time", encoding="ascii") as f:
        user, system, kib = f.read().split()
    return p.returncode, float(user) + float(system), int(kib) << 10, p.stderr.decode("utf-8", "replace")


def expect(name, args, harmless, refused, limit=LIMIT, slack=SLACK):
    """refused: a part of the message; None: it may be answered."""
    status, seconds, bytes_used, said = run(args, limit)
    _, usual, _, _ = run(harmless, limit)
    if bytes_used > limit + slack:
        wrong.append(f"{name}: took {bytes_used >> 20} MiB of {limit >> 20}")
    if seconds > TIMES * usual + 1:
        wrong.append(f"{name}: took {seconds:.2f} s, a harmless one {usual:.2f}")
    if status not in (0, 2) or (refused is not None and (status != 2 or refused not in said)):
        wrong.append(f"{name}: status {status}, {said[:200]!r}")
    print(f"{name}: {seconds:.2f} s (harmless {usual:.2f}), {bytes_used >> 20} MiB, status {status}")


def heap(count, types, edges):
    """Heap text: object i of type edges(i) holds."""
    yield b"a 2 x 1\nr 1 1 0\n"
    for t in range(1, types + 1):
        yield b"t %x A.T%x\n" % (t, t)
    for i in range(1, count + 1):
        to = b"".join(b" %x" % e for e in edges(i) if e <= count)
        yield b"o %x %x 1c%s\n" % (i, 1 + i * 2654435761 % types, to)
    yield b"c x 2\n"


def table(rows):
    return b"type,count,bytes\n" + b"".join(b"App.T%d,1,24\n" % i for i in range(rows))


# Harmless: files of about the sizes of the others.
small = put("small.csv.gz", gzip.compress(table(20000)))
budgets = b"version: 1\nbudgets:\n" + b"".join(b"  - type: App.T%d\n    max_growth: 5%%\n" % i for i in range(2000))
put("usual.yml", budgets)
put("one.csv", table(10))
blanks = 40 << 20

# --- compressed ----------------------------------------------------------------------------
bomb = b'[["A",1,1]' + b",[]" * (20 << 20) + b"]"
put("deep.json.gz", gzip.compress(bomb, 6))
expect("json that is many lists", ["top", "deep.json.gz"], ["top", small], "")
put("flat.json.gz", gzip.compress(b'[["A",1,1]' + b',["B",1,1]' * (4 << 20) + b"]", 6))
expect("json of many rows", ["top", "flat.json.gz"], ["top", small], "emory")
name = b"a 2 x 1\nt 1 " + bytes([65]) * (200 << 20)
for suffix, pack in (("gz", lambda b: gzip.compress(b, 6)), ("bz2", bz2.compress), ("xz", lambda b: lzma.compress(b, preset=0))):
    if suffix != "gz" and not full:
        continue
    put(f"name.txt.{suffix}", pack(name))
    expect(f"a name of 200 MiB in {suffix}", ["top", f"name.txt.{suffix}"], ["top", small], "")
put("blank.txt.gz", gzip.compress(b"\n" * blanks, 6))
expect("blank lines", ["top", "blank.txt.gz"], ["top", "flat.json.gz"], "")
objects = b"".join(heap(1500000, 1, lambda i: []))
put("objects.txt.gz", gzip.compress(objects, 1))
expect("objects of heap text", ["top", "objects.txt.gz"], ["top", small], "emory", 20 << 20)
expect("four at once have one limit", ["diff", "-j4"] + ["objects.txt.gz"] * 4, ["top", small], "emory", 40 << 20)

# --- nested --------------------------------------------------------------------------------
nested = table(10)
for _ in range(200):
    nested = gzip.compress(nested, 1)
put("nested.gz", nested)
expect("gzip in gzip", ["top", "nested.gz"], ["top", small], "compressed more than once")
inner = io.BytesIO()
with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.csv", table(10))
    z.writestr("b.csv", table(10))
with zipfile.ZipFile("zip.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("inner.zip", inner.getvalue())
expect("zip in zip", ["top", "zip.zip"], ["top", small], "without a snapshot")
with zipfile.ZipFile("many.zip", "w", zipfile.ZIP_STORED) as z:
    for i in range(20000):
        z.writestr(f"{i}.txt", b"x")
expect("zip of 20,000 files", ["top", "many.zip"], ["top", small], "more than 1000 files")

# --- time ----------------------------------------------------------------------------------
for what, yml in (("brackets", b"[" * 200000), ("braces", b"{a: " * 50000), ("indents", b"- " * 100000),
                  ("blank lines of yml", b"\n" * 250000), ("one line of yml", b"version: 1 # " + b"x" * 250000),
                  ("a list of brackets", b"version: 1\nbudgets: " + b"[" * 40000 + b"]" * 40000)):
    put("hostile.yml", yml)
    expect(what, ["check", "-c", "hostile.yml", "one.csv", "one.csv"], ["check", "-c", "usual.yml", "one.csv", "one.csv"], None)
put("brackets.json", b"[" * 2000000)
expect("brackets of json", ["top", "brackets.json"], ["top", small], "")
put("line.txt", b"a 2 x 1\nt 1 A\no 1 1 8" + b" 1" * 4000000 + b"\nc x 2\n")
expect("a line of 4,000,000 references", ["top", "line.txt"], ["top", "objects.txt.gz"], None)
put("types.csv", table(200000))
expect("200,000 types", ["top", "types.csv"], ["top", small], None, 400 << 20)

# --- what is made of graphs ------------------------------------------------------------------
# Each object is a root: to read it takes four times the graph, and another graph is there already.
def all_roots(count, size):
    yield b"a 2 x 1\nt 1 A.T\n"
    for i in range(1, count + 1):
        yield b"o %x 1 %x\n" % (32 * i, size)
    for i in range(1, count + 1):
        yield b"r %x 3 0\n" % (32 * i)
    yield b"c x 2\n"


for k in (0, 1):
    put(f"roots{k}.txt", b"".join(all_roots(1000000, 0x1a + k)))
expect("10^6 roots", ["diff", "-j1", "--rows=20", "roots0.txt", "roots1.txt"], ["diff", "-j1", "roots0.txt", "roots1.txt"], None, 70 * 10**6, 24 << 20)

# Each object has a way of its own to the roots, as many types as objects above it.
ways = 300000
put("ways.txt", b"".join(heap(ways, 1000, lambda i: [i + 1])))
put("ways2.txt", b"".join(heap(ways + 500, 1000, lambda i: [i + 1])))
two, limit = ["ways.txt", "ways2.txt"], 30 << 20
put("usual.txt", b"".join(heap(ways, 100, lambda i: [2 * i, 2 * i + 1])))
for args in (["diff", *two], ["diff", "-j1", "--rows=20", *two], ["diff", "--by=holder", *two], ["check", "--budget=*=1", *two],
             ["tree", "ways.txt"], ["tree", "--format=json", *two], ["roots", "--type=*", "--exact", *two],
             ["roots", "--type=*", *two], ["top", "ways.txt"], ["convert", "ways.txt", "-o", "ways.gcdump"]):
    expect(" ".join(args[:2]), args, ["roots", "--type=*", "--exact", "usual.txt", "usual.txt"], None, limit)

for line in wrong:
    print("WRONG", line)
sys.exit(bool(wrong))
