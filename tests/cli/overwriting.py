"""Every option that writes against every file that is read: python overwriting.py HEAPDRIFT FOLDER

The commands and their options are those of --help. What an option does to the file it names is told
here, in USES: one that --help has and USES lacks is an error, so that none is forgotten. Each file
that is written is one that the same command reads, or another that it writes, named in several ways:
that must be refused, in one line, and every file must be what it was."""
import os
import re
import shutil
import stat
import subprocess
import sys

heapdrift, folder = sys.argv[1:]
READ, WRITTEN, STORE = "read", "written", "store"
# By name of the option: what becomes of its file.
USES = {"output": WRITTEN, "baseline-write": WRITTEN, "lock": WRITTEN, "metrics": WRITTEN, "config": READ, "baseline": READ,
        "symbols": READ, "store": STORE}
# Arguments that name files, and all others.
FILES = {"FILE", "DIR", "URL"}
NO_FILES = {"A,B,...", "ADDRESS", "AGE", "BASE", "D", "FORMAT", "I/N", "ID", "K", "KEY", "KIND", "LIST", "N", "N[..N", "NAME", "NAME=VALUE", "N|PCT",
            "PATTERN", "PID", "R", "ROLE", "S", "SECONDS", "SIZE", "SIZE|PCT", "SOCKET", "TIME", "TYPE=N", "UNIT", "VERSION", "WHEN"}
SNAPSHOTS = ["1.txt", "2.txt", "3.txt", "4.txt"]
# How each command is asked, without files of options: what it needs, and the inputs, which stand for SNAPSHOT.
ASKED = {
    "diff": [], "report": [], "tree": [], "explore": [], "top": [], "roots": ["--type=*"], "object": ["1"], "statics": [], "check": [], "record": [],
    "fleet": [], "info": [], "convert": ["--to=gcdump"], "watch": ["4711"], "collect": ["4711"], "ps": [], "store": ["check"],
}
INPUTS = {"diff": SNAPSHOTS, "report": SNAPSHOTS, "tree": SNAPSHOTS, "check": SNAPSHOTS, "record": SNAPSHOTS, "info": SNAPSHOTS,
          "roots": SNAPSHOTS, "top": SNAPSHOTS[:1], "object": SNAPSHOTS[:1], "statics": SNAPSHOTS[:1], "convert": SNAPSHOTS[:1]}
# Commands that put something into a store; the others read one, in the place of files.
RECORDS = {"record", "watch", "collect"}
wrong = []
asked = 0
sources = [os.path.abspath(f"fixtures/heap-text/series-{k}.txt") for k in range(1, 5)]


def run(args, stdin=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "HEAPDRIFT_"))}
    with open(stdin or os.devnull, "rb") as source:
        p = subprocess.run([heapdrift, *args], stdin=source, capture_output=True, check=False, cwd="here", env=environment)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def fresh():
    """A folder with everything in it that a command may read."""
    if os.path.exists("here"):
        os.chmod("here", 0o755)
        shutil.rmtree("here")
    os.mkdir("here")
    for name, source in zip(SNAPSHOTS, sources):
        shutil.copy(source, f"here/{name}")
    with open("here/budgets.yml", "w", encoding="ascii") as f:
        f.write("version: 1\nbudgets: []\n")
    shutil.copy("here/budgets.yml", "here/heapdrift.yml")
    shutil.copy("here/budgets.yml", "here/program")
    with open("here/words", "w", encoding="ascii") as f:
        f.write("-q\n")
    shutil.copy("accepted", "here/accepted")
    shutil.copy("store.db", "here/store.db")
    shutil.copy("1.part", "here/1.part")
    os.mkdir("here/deeper")
    os.symlink("deeper", "here/side")


def state():
    found = {}
    for root, _, names in os.walk("here"):
        for name in names:
            path = os.path.join(root, name)
            if os.path.islink(path):
                found[path] = os.readlink(path)
            elif stat.S_ISREG(os.lstat(path).st_mode):
                with open(path, "rb") as f:
                    found[path] = f.read()
    return found


def aliases(name):
    """Other paths of a file, or of one that is not there; they are made as they are asked for."""
    yield name
    yield f"./deeper/..//{name}"
    yield f"side/../{name}"
    yield os.path.abspath(f"here/{name}")
    os.symlink(name, "here/soft")
    yield "soft"
    os.symlink("soft", "here/softer")
    yield "side/../softer"
    if os.path.exists(f"here/{name}"):
        os.link(f"here/{name}", "here/hard")
        yield "hard"


def options_of(command):
    """(name, argument) of those that take one."""
    _, text, _ = run(["help", command])
    return re.findall(r"^  (?:-\w, |    )--([a-z0-9-]+)\[?=([^\s\]]+)", text, re.M)


def expect_refused(what, args, stdin=None):
    global asked
    asked += 1
    before = state()
    status, out, said = run(args, stdin)
    lines = said.splitlines()
    if status != 2 or out or len(lines) != 1 or not lines[0].endswith("; name another file"):
        wrong.append(f"{what}: {' '.join(args)}: status {status}: {said!r}")
    if state() != before:
        wrong.append(f"{what}: {' '.join(args)}: files changed: "
                     f"{sorted(k for k in before.keys() | state().keys() if before.get(k) != state().get(k))}")


def asking(command, *options, inputs=None):
    given = INPUTS.get(command, []) if inputs is None else inputs
    if command == "object":
        return [command, *options, *given, *ASKED[command]]
    return [command, *ASKED[command], *options, *given]


def may_be_one(command, writes, reads):
    """What is brought up to date in its place."""
    return (writes, reads) == ("baseline-write", "baseline") or (command == "convert" and reads in SNAPSHOTS + ["-", "folder"])


def read_by(command, options):
    """What a command reads: by which name, the file, and the words that make it do so."""
    for name in INPUTS.get(command, []):
        yield name, name, [], None
    if command in INPUTS:
        yield "-", SNAPSHOTS[0], ["-", *INPUTS[command][1:]], "here/" + SNAPSHOTS[0]
    if command == "fleet":
        yield "part", "1.part", ["--merge", "1.part"], None
        yield "the usual store", "heapdrift.db", [], None
    elif command in INPUTS and command not in RECORDS:
        yield "the usual store", "heapdrift.db", ["--run=1"], None
    if command == "check":
        yield "heapdrift.yml", "heapdrift.yml", [], None
    yield "@FILE", "words", ["@words"], None
    for option, argument in options:
        if argument in FILES and USES[option] != WRITTEN:
            name = {"config": "budgets.yml", "baseline": "accepted", "store": "store.db", "symbols": "program"}[option]
            yield option, name, [f"--{option}={name}"], None


def try_command(command):
    options = options_of(command)
    for option, argument in options:
        if argument not in FILES | NO_FILES:
            wrong.append(f"{command} --{option}={argument}: is that a file? Say so in tests/cli/overwriting.py")
        elif argument in FILES and option not in USES:
            wrong.append(f"{command} --{option}={argument}: what becomes of its file? Say so in USES of tests/cli/overwriting.py")
    files = [option for option, argument in options if argument in FILES and option in USES]
    writes = [option for option in files if USES[option] == WRITTEN or (USES[option] == STORE and command in RECORDS)]
    for option in writes:
        for reads, name, words, stdin in read_by(command, options):
            if reads == option or may_be_one(command, option, reads):
                continue
            fresh()
            if name == "heapdrift.db":
                shutil.copy("store.db", "here/heapdrift.db")
            for alias in aliases(name):
                given = [w for w in words if w.startswith(("-", "@"))] if reads != "-" else []
                inputs = None if reads in ("@FILE", "heapdrift.yml", "the usual store") or given else words or None
                if reads == "part":
                    given, inputs = ["--merge"], ["1.part"]
                if reads in ("store", "the usual store") and command not in RECORDS:
                    inputs = []
                expect_refused(f"{command} --{option} on {reads}", asking(command, f"--{option}={alias}", *given, inputs=inputs), stdin)
        for other in writes:
            for is_there in (True, False):
                fresh()
                if is_there and other != option:
                    shutil.copy("here/words", "here/new")
                for alias in aliases("new") if other != option else ():
                    expect_refused(f"{command} --{option} and --{other}", asking(command, f"--{option}={alias}", f"--{other}=new"))


def try_members():
    """Snapshots that were found in a folder, and others that may be replaced there."""
    global asked
    for command in ("diff", "report", "tree", "check", "info", "roots"):
        for option in ("output", "baseline-write") if command == "check" else ("output",):
            fresh()
            os.mkdir("here/in")
            for name in SNAPSHOTS:
                os.rename(f"here/{name}", f"here/in/{name}")
            words = [command, "-q", *ASKED[command], "in"]
            for alias in aliases("in/3.txt"):
                # The report of check stands on standard output before its baseline is written.
                before, (status, _, said) = state(), run([*words, f"--{option}={alias}"])
                asked += 1
                if status != 2 or not said.endswith("is one of the snapshots; name another file\n") or state() != before:
                    wrong.append(f"{command} --{option}={alias} in the folder: status {status}: {said!r}")
            for _ in range(2):
                status, _, said = run([*words, f"--{option}=in/report"])
                asked += 1
                if status == 2:
                    wrong.append(f"{command} --{option}: a report beside the snapshots: {said!r}")


def try_read_only():
    fresh()
    os.chmod("here", 0o555)
    expect_refused("a folder that may not be written", ["diff", "-o", "2.txt", *SNAPSHOTS])
    expect_refused("a folder that may not be written", ["check", "--baseline-write=3.txt", *SNAPSHOTS])
    os.chmod("here", 0o755)


def try_case():
    """There may be a folder that knows no case: of two names that are not there yet, one may then be the other."""
    global asked
    fresh()
    expect_refused("two outputs but for their case", ["check", "-o", "Report", "--baseline-write=report", *SNAPSHOTS])
    shutil.copy("here/words", "here/report")
    if not os.path.exists("here/REPORT"):
        asked += 1
        status, _, said = run(["check", "-q", "-o", "Report", "--baseline-write=report", *SNAPSHOTS])
        if status not in (0, 1):
            wrong.append(f"two files but for their case, one is there: {said!r}")


def try_what_is_right():
    """What may be named twice."""
    global asked
    fresh()
    check = ["check", "-q", *SNAPSHOTS]
    for words in ([*check, "--baseline=accepted", "--baseline-write=accepted"], ["convert", "1.txt", "-o", "1.txt", "--to=heap-text"],
                  [*check, "-o", "/dev/null", "--baseline-write=/dev/null"], [*check, "-o", "new", "--baseline-write=newer"],
                  [*check, "-o", "new", "--baseline-write=newer"], [*check, "-o", "new", "-o", "new"],
                  ["diff", "-q", *SNAPSHOTS, "-o", "budgets.yml"], ["diff", "-q", *SNAPSHOTS, "-o", "heapdrift.yml"],
                  ["record", "-q", "--store=heapdrift.db", *SNAPSHOTS]):
        asked += 1
        status, _, said = run(words)
        if status not in (0, 1):
            wrong.append(f"{' '.join(words)}: status {status}: {said!r}")
    with open("here/accepted", encoding="ascii") as f:
        if "snapshots\t4" not in f.read():
            wrong.append("the baseline was not brought up to date")


def prepare():
    os.makedirs(folder)
    os.chdir(folder)
    os.makedirs("here")
    for words in (["check", "-q", "--baseline-write=../accepted", *sources], ["record", "-q", "--store=../store.db", *sources],
                  ["fleet", "-q", "--store=../store.db", "--shard=1/1", "--since=all", "-o", "../1.part"]):
        status, _, said = run(words)
        assert status in (0, 1), said


prepare()
_, overview, _ = run(["--help"])
commands = re.findall(r"^  ([a-z]+) {2,}", overview, re.M)
for command in commands:
    if command not in ASKED and any(argument in FILES for _, argument in options_of(command)):
        wrong.append(f"{command}: has options that name files: say in ASKED of tests/cli/overwriting.py how it is asked")
    elif command in ASKED:
        try_command(command)
try_members()
try_read_only()
try_case()
try_what_is_right()
print(f"{asked} command lines")
print("\n".join(wrong))
sys.exit(len(wrong) > 0 or asked < 500)
