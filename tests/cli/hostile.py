"""Hostile names through every writer: python hostile.py HEAPDRIFT FOLDER

One table of names (NAMES) becomes types, modules, static variables, the process, files,
patterns and reasons of three gcdumps in which all of it grows, and of tables. Every question is
asked in every format; what is written is looked at as who reads it would: a terminal, a parser of
JSON, XML, CSV, HTML, Markdown, a build server. The same heaps with harmless names tell which
elements a page has. Says what is wrong, and fails."""
import collections
import csv
import html.parser
import io
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import xml.etree.ElementTree

# Lone surrogates are what UTF-16 formats hold: "surrogatepass" writes them.
NAMES = [
    "a\x1b[2Jb", "a\x1b]0;title\x07b", "\x1b[31mred", "bell\x07", "c1\x9b31m", "del\x7f", "cr\rline", "lf\nline",
    "\n# heading\n", "\n::error::first", "tab\tcell", "\x08back", "bidi\u202eabc", "\u2066isolate\u2069", "\u200fmark",
    "zero\u200bwidth\ufeff", "line\u2028separator\u2029", "lone\ud800", "\udc00lone", "\ufffe\uffff", "Größe\U0001f600",
    "=cmd|' /C calc'!A0", "+1+1", "-1-1", "@SUM(A1)", "'=1", "\t=1", "quote\"comma,semi;", '"', ",,,", "'", "''",
    "<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "<!--", "-->", "]]>", "&amp;&lt;&#10;",
    "<b onmouseover=x>", "![](http://x/y.png)", "[x](javascript:alert(1))", "@team", "#12", "http://evil.example/",
    "www.evil.example", "|cell|", "`code`", "``` fence", "*bold*_it_~~no~~", "$math$", "\\", "a\\|b",
    "::error::ann", "::error file=x::y", "##vso[task.complete]x", "##[error]x", "%0A::error::x",
    "yaml: [", "- item", "#comment", "!!tag", "&anchor", "*alias", "{a: b}", "%s%n%x", "$(id)", "a;b 12", "x 12",
    "\"]; evil [label=\"", "\\\"\\n\\l", "../../etc/passwd", " lead", "trail ", "long" + "x" * 10000,
]
FORMATS = ["text", "json", "csv", "tsv", "md", "html"]
TREES = FORMATS + ["folded", "speedscope", "pprof", "dot"]
CHECKS = FORMATS + ["junit", "sarif", "github"]
BIDI = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f" + BIDI + "]")
SGR = re.compile(r"\x1b\[[0-9;]*m")
WEIGHTY = ["h1", "h2", "h3", "h4", "h5", "h6", "script", "style", "img", "a", "iframe", "form", "meta", "link", "table"]
COMMAND = re.compile(r"(?m)^::|##vso\[|##\[")

heapdrift, folder = sys.argv[1:]
wrong = []


# --- snapshots -------------------------------------------------------------------------

def string(s):
    units = s.encode("utf-16-le", "surrogatepass")
    out = b"".join(
        chr(unit).encode("utf-8", "surrogatepass") for unit in struct.unpack(f"<{len(units) // 2}H", units))
    return struct.pack("<i", len(units) // 2) + out


def compressed(n):
    groups = next(g for g in range(1, 6) if -(1 << 7 * g - 1) <= n < 1 << 7 * g - 1)
    return bytes((n >> 7 * i & 0x7F) | (0x80 if i else 0) for i in reversed(range(groups)))


def gcdump(names, instances, process):
    """Of each name a static variable that holds an array with so many objects."""
    types = ["UNDEFINED", "[.NET Roots]", "[static vars]", "System.Object[]"]
    nodes = [(1, 0, [1]), (2, 0, [2 + 2 * i for i in range(len(names))])]
    later = 2 + 2 * len(names)
    objects = []
    for i, name in enumerate(names):
        types += [name, f"[static var {name}.s_{name}]"]
        nodes += [(5 + 2 * i, 0, [len(nodes) + 1]), (3, 64, list(range(later, later + instances)))]
        objects += [(4 + 2 * i, 1000, [])] * instances
        later += instances
    nodes += objects
    blob, offsets = b"\0\0", b""
    for number, (kind, size, to) in enumerate(nodes):
        offsets += struct.pack("<I", len(blob))
        blob += compressed(2 * kind + 1) + compressed(size) + compressed(len(to))
        blob += b"".join(compressed(t - number) for t in to)
    addresses = b"".join(struct.pack("<Q", 0 if size == 0 else 4096 * (i + 1)) for i, (_, size, _) in enumerate(nodes))

    def begin(name, version):
        return b"\4\4\1" + struct.pack("<2i", version, 8 if version == 10 else 0) + string(name) + b"\6"
    graph = begin("Graphs.MemoryGraph", 1) + struct.pack("<qii", sum(n[1] for n in nodes), 0, len(types))
    for name in types:
        graph += string(name) + struct.pack("<i", 0) + string(name)
    graph += struct.pack("<i", len(nodes)) + offsets + struct.pack("<i", len(blob)) + blob
    graph += struct.pack("<i", len(nodes)) + addresses + b"\x08\1\6"
    ticks = 638000000000000000 + instances * 600000000
    dump = b"\x14\0\0\0!FastSerialization.1" + begin("GCHeapDump", 10) + graph
    dump += b"\1" + struct.pack("<2f", 1, 1) + b"\1\1" + struct.pack("<iq", -1, ticks)
    dump += string(process) + string(process) + struct.pack("<iqqi", 7, 0, 0, 0) + b"\x0c" + bytes(4) + b"\1"
    skip = len(dump)
    dump += b"\x0d" + string(process) + b"\6\6"
    table = len(dump)
    dump += struct.pack("<iI", 1, skip) + struct.pack("<I", table)
    return dump + struct.pack("<I", len(dump) - 4)


def put(path, data):
    with open(path, "wb") as f:
        f.write(data)
    return path


# --- what readers see --------------------------------------------------------------------

class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.text, self.code = collections.Counter(), set(), "", 0

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        self.code += tag in ("code", "pre")
        self.tags.update(f"{tag} {name}" for name, _ in attributes)
        self.links.update(value for name, value in attributes if name in ("href", "src") and value[:1] != "#")


    def handle_endtag(self, tag):
        self.code -= tag in ("code", "pre")

    def handle_data(self, data):
        self.text += "" if self.code else data

    def handle_comment(self, data):
        self.text += "|"


def page_of(text):
    page = Page()
    page.feed(text)
    page.close()
    return page


def rendered(text):
    if not shutil.which("cmark-gfm"):
        return ""
    return subprocess.run(["cmark-gfm", "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough"],
                          input=text.encode(), stdout=subprocess.PIPE, check=True).stdout.decode()


def cells_of(text, delimiter):
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter,
                           quoting=csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE))


def look_at(form, data, what, twin):
    """twin is the same answer about the heap with harmless names, or None. Pages and baselines are
    printed to no log, and may hold what a build server would take for a command within a line."""
    def complain(why):
        wrong.append(f"{what}: {why}")
    if form == "pprof":
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return complain(f"is no UTF-8: {error}")
    plain = SGR.sub("", text) if form == "text" else text
    if form in ("tsv", "baseline"):
        plain = plain.replace("\t", " ")
    if form == "csv":  # quoted lines and tabs are what CSV has
        plain = re.sub("[\r\t]", " ", plain)
    found = None if form in ("junit", "html") else CONTROL.search(plain)
    if found or (form not in ("tsv", "baseline", "html") and "\t" in plain):
        complain(f"has a control character: {plain[max(0, found.start() - 30):found.end() + 30]!r}" if found else "tab")
    if form == "github":
        for line in plain.split("\n"):
            if line and not re.match(r"::(error|warning|notice)( [a-z]+=[^:]*)?::", line):
                complain(f"a line of no command of ours: {line[:80]!r}")
    elif form not in ("html", "baseline") and COMMAND.search(plain):
        at = COMMAND.search(plain).start()
        complain(f"has a command of a build server: {plain[at:at + 60]!r}")
    if form in ("json", "sarif", "speedscope"):
        json.loads(text)
    if form == "junit":
        xml.etree.ElementTree.fromstring(text)
        if re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f" + BIDI + "]", text):
            complain("has a control character")
    if form in ("csv", "tsv"):
        rows = cells_of(text, "," if form == "csv" else "\t")
        if len({len(row) for row in rows}) > 1:
            complain(f"rows have {sorted({len(row) for row in rows})} cells")
        for cell in (cell for row in rows for cell in row):
            if cell[:1] in set("=+-@\t\r") and not re.fullmatch(r"-?[0-9.e+]+", cell) and form == "csv":
                complain(f"a formula: {cell[:40]!r}")
    if form == "folded":
        for line in text.splitlines():
            if not re.search(r" [0-9]+( [0-9]+)?$", line):
                complain(f"a line without a number: {line[:60]!r}")
    if form == "dot":
        if shutil.which("dot") and subprocess.run(["dot", "-Tplain"], input=data, stdout=subprocess.DEVNULL,
                                                  stderr=subprocess.DEVNULL, check=False).returncode:
            complain("Graphviz refuses it")
        if re.search(r'(?m)^[^"\n]*"(?:[^"\\\n]|\\.)*$', text):
            complain("a string that does not end in its line")
    if form in ("md", "html"):
        page = page_of(rendered(text) if form == "md" else text)
        other = page_of(rendered(twin) if form == "md" else twin)
        if set(page.tags) - set(other.tags):
            complain(f"elements: {set(page.tags) - set(other.tags)}")
        for tag in WEIGHTY:
            if page.tags[tag] != other.tags[tag]:
                complain(f"{page.tags[tag]} of <{tag}>, not {other.tags[tag]}")
        if page.links != other.links:
            complain(f"links: {page.links - other.links}")
        if form == "md" and re.search(r"@team|#12|://evil", page.text):
            complain("a mention, the number of an issue or an address outside of code")
    return None


# --- questions -----------------------------------------------------------------------------

def run(args, where, env=None):
    return subprocess.run([heapdrift, *args], cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, **(env or {})), check=False)


def ask(args, form, what, more=()):
    """In the folder of hostile names, and in that of harmless ones."""
    answers = []
    for where in ("hostile", "harmless"):
        full = args(where) + list(more) + [f"--format={form}"]
        answers.append(run(full, os.path.join(folder, where)))
    hostile, harmless = answers
    if hostile.returncode not in (0, 1, 3) or hostile.returncode != harmless.returncode:
        wrong.append(f"{what}: status {hostile.returncode} and {harmless.returncode}: {hostile.stderr[-300:]!r}")
        return
    look_at(form, hostile.stdout, what, harmless.stdout.decode("utf-8", "replace"))
    look_at("text", hostile.stderr, what + ", messages", None)


def names_of(where):
    if where == "harmless":
        return [f"App.Harmless{i}" for i in range(len(NAMES))]
    return [f"{name}{i}" if name[-1:] != ";" else f"{name} {i}" for i, name in enumerate(NAMES)]


def make(where):
    path = os.path.join(folder, where)
    os.makedirs(path)
    process = "shop\x1b[2J\n::error::\u202e<b>|@team ![](x)" if where == "hostile" else "shop"
    for k, instances in enumerate((5, 10, 15, 20)):
        put(os.path.join(path, f"{k}.gcdump"), gcdump(names_of(where), instances, process))
    with open(os.path.join(path, "heapdrift.yml"), "w", encoding="utf-8") as f:
        rules = [{"type": f"{n.encode('utf-8', 'replace').decode()[:200]}*", "max_growth_bytes": "1KiB"}
                 for n in names_of(where)[1::9]]
        reasons = [{"type": f"App.Other{i}", "reason": n.encode("utf-8", "replace").decode()[:200]}
                   for i, n in enumerate(names_of(where))]
        json.dump({"version": 1, "budgets": rules, "suppress": reasons[::7]}, f)  # JSON is YAML


def ask_all(short):
    four = [f"{k}.gcdump" for k in range(4)]
    questions = [
        (lambda _: ["diff", "--rows=0", "--min-score=1", "--min-steady=1", *four], FORMATS),
        (lambda _: ["check", "-c", "heapdrift.yml", *four], CHECKS),
        (lambda _: ["tree", "--rows=0", "--depth=9", "3.gcdump"], TREES),
        (lambda _: ["top", "--rows=0", "3.gcdump"], FORMATS),
        (lambda _: ["roots", "--type=*", "--chains=200", "--exact", "3.gcdump"], FORMATS),
        (lambda _: ["info", "-v", *four[:2]], FORMATS),
    ]
    if not short:
        questions += [
            (lambda _: ["diff", "--by=holder", "--rows=0", *four], FORMATS),
            (lambda _: ["diff", "--by=module", "--rows=0", *four], FORMATS),
            (lambda _: ["diff", "--by=namespace", "--rows=0", *four], FORMATS),
            (lambda _: ["tree", "--rows=0", *four], TREES),
            (lambda _: ["check", "--budget=*=1", *four], CHECKS),
        ]
    for args, forms in questions:
        for form in forms:
            ask(args, form, f"{' '.join(args('')[:2])} --format={form}")
        for more in (["--width=40"], ["--width=80", "--color=always"], ["--width=200", "--ascii"], ["--width=0", "-v"]):
            ask(args, "text", f"{args('')[0]} {' '.join(more)}", more)


def ask_by_name():
    """Files, patterns, options that are called so: mostly errors and warnings."""
    where = os.path.join(folder, "hostile")
    for i, name in enumerate(NAMES[:60]):
        word = name.encode("utf-8", "surrogatepass").replace(b"/", b"_")[:120]
        copy = os.path.join(where.encode(), b"f" + word)
        shutil.copy(os.path.join(where, "0.gcdump"), copy)
        for args in ([b"top", b"-n1", b"f" + word], [b"top", b"none" + word], [b"top", b"--type=" + word, b"0.gcdump"],
                     [b"--" + word], [b"top", b"--format=" + word], [b"check", b"--budget=" + word, b"0.gcdump"])[i % 2::2]:
            answer = subprocess.run([heapdrift.encode(), *args], cwd=where, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, check=False)
            look_at("text", answer.stdout, f"{args!r}", None)
            look_at("text", answer.stderr, f"{args!r}, messages", None)
        os.remove(copy)


def write_again():
    """What holds exact names is valid all the same, and gives the same names."""
    where = os.path.join(folder, "hostile")
    for suffix in ("json", "csv", "gcdump", "txt"):
        answer = run(["convert", "3.gcdump", "-o", f"again.{suffix}"], where)
        look_at("text", answer.stderr, f"convert to {suffix}, messages", None)
        again = run(["top", "--rows=0", "--format=json", f"again.{suffix}"], where)
        if answer.returncode or again.returncode:
            wrong.append(f"convert to {suffix}: {answer.stderr!r} {again.stderr!r}")
        else:
            look_at("json", again.stdout, f"converted to {suffix}", None)
        if suffix in ("json", "csv"):
            with open(os.path.join(where, f"again.{suffix}"), "rb") as f:
                look_at(suffix, f.read(), f"convert to {suffix}", None)
    answer = run(["check", "--baseline-write=baseline.json", "--budget=*=1", "0.gcdump", "1.gcdump", "2.gcdump", "3.gcdump"], where)
    if answer.returncode != 0:
        wrong.append(f"baseline: {answer.stderr!r}")
    else:
        with open(os.path.join(where, "baseline.json"), "rb") as f:
            look_at("baseline", f.read(), "baseline", None)


for side in ("hostile", "harmless"):
    make(side)
ask_all(short=not os.environ.get("HEAPDRIFT_FULL"))
ask_by_name()
write_again()
for line in wrong[:40]:
    print(line)
print(f"{len(NAMES)} names: {len(wrong)} outputs are wrong")
sys.exit(bool(wrong))
