"""What is run while something fails: a command of each kind, and what it needs.

A word may have {in} (a folder of inputs that nobody changes), {out} (a folder with files from
before, made anew for each run), {socket} (of a runtime that plays a trace: tests/cli/runtime.py)
and {pid} (of a process with .NET, where there is one)."""
import dataclasses
import lzma
import os
import shutil
import signal
import subprocess
import sys
import time

HEAP = "fixtures/heap-text"
PAIR = f"{HEAP}/before.txt", f"{HEAP}/after.txt"
SERIES = tuple(f"{HEAP}/series-{i}.txt" for i in (1, 2, 3, 4))
CACHE = tuple(f"fixtures/leaklab/cache/{i}.gcdump.gz" for i in (0, 1, 2))
TRACE = "fixtures/nettrace-real/leak31_first.nettrace.zst"


@dataclasses.dataclass
class Command:
    name: str
    words: tuple
    files: tuple = ()  # that it writes to {out}
    is_exact: bool = True  # the same bytes each time; else what `top` says of the files is
    needs: str = ""  # "runtime" or "process"
    slow: bool = False  # a second or so each: of each kind of fault fewer are tried
    stdin: str = ""


def command(name, *words, **how):
    text = " ".join(words)
    files = tuple(w.rsplit("/", 1)[1] for w in text.split() if "{out}/" in w and "{n}" not in w)
    needs = "runtime" if "{socket}" in text else "process" if "{pid}" in text else ""
    return Command(name, words, **{"files": files, "needs": needs, **how})


COMMANDS = [
    command("top", "top", PAIR[1]),
    command("top-json-file", "top", "--format=json", "-o", "{out}/top.json", PAIR[1]),
    command("diff-text", "diff", "-j1", "-n", "20", *SERIES),
    command("diff-html", "diff", "-j1", "--format=html", "-o", "{out}/diff.html", *PAIR),
    command("diff-json", "diff", "-j1", "--format=json", "-o", "{out}/diff.json", *SERIES),
    command("diff-csv", "diff", "-j1", "--format=csv", *PAIR),
    command("diff-md", "diff", "-j1", "--format=md", "-o", "{out}/diff.md", *PAIR),
    command("diff-threads", "diff", "-j4", *SERIES),
    command("diff-packed", "diff", "-j1", "-q", *CACHE, slow=True),
    command("check-budgets", "check", "-j1", "-c", "{in}/heapdrift.yml", "--format=junit", *PAIR),
    command("check-sarif", "check", "-j1", "--budget=*=2", "--format=sarif", "-o",
            "{out}/check.sarif", *SERIES),
    command("check-baseline", "check", "-j1", "--baseline={in}/baseline.json",
            "--baseline-write", "{out}/baseline.json", "-o", "{out}/check.txt", *SERIES),
    command("roots", "roots", "-j1", "--type=*", "--format=json", PAIR[1]),
    command("tree", "tree", "-j1", "--format=pprof", "-o", "{out}/tree.pb.gz", *PAIR),
    command("tree-text", "tree", "-j1", PAIR[1]),
    command("report", "report", "-o", "{out}/report.html", *PAIR),
    command("info", "info", "--format=json", PAIR[0], "fixtures/gcdump-made/tiny.gcdump",
            "fixtures/dumpheap-stat/managed.txt", "fixtures/nettrace-vectors/F_v6.nettrace",
            "{in}/table.json", "{in}/packed.zip", "{in}/packed.bz2"),
    command("stdin", "top", "-", stdin=PAIR[1]),
    command("folder", "diff", "-j1", "{in}/folder"),
    command("object-core", "object", "{in}/net10.core", "#100", slow=True),
    command("top-core", "top", "{in}/net10.core", slow=True),
    command("core-disk", "info", "{in}/lab.core", needs="core", slow=True),
    command("mapped", "top", "{in}/large.gcdump", slow=True),
    command("to-gcdump", "convert", PAIR[1], "-o", "{out}/after.gcdump"),
    command("to-heap-text", "convert", "fixtures/gcdump-made/tiny.gcdump", "--to=heap-text", "-o",
            "{out}/tiny.txt"),
    command("to-table-csv", "convert", "-o", "{out}/after.csv", PAIR[1]),
    command("to-table-json", "convert", "-o", "{out}/after.json", PAIR[1]),
    command("trace-to-gcdump", "convert", TRACE, "-o", "{out}/trace.gcdump", slow=True),
    command("core-to-gcdump", "convert", "{in}/net10.core", "-o", "{out}/core.gcdump", slow=True),
    command("help", "help", "formats"),
    command("completion", "completion", "bash"),
    command("arguments", "@{in}/words"),
    command("ps", "ps", "--format=csv", needs="process", is_exact=False, slow=True),
    command("collect-trace", "collect", "--diagnostic-port={socket}", "--no-progress", "-o",
            "{out}/a.nettrace", slow=True),
    command("collect", "collect", "--diagnostic-port={socket}", "--no-progress", "-o",
            "{out}/a.gcdump", is_exact=False, slow=True),
    command("collect-series", "collect", "--diagnostic-port={socket}", "--no-progress", "--count=2",
            "--interval=10ms", "-o", "{out}/{n}.gcdump", files=(), is_exact=False, slow=True),
    command("watch", "watch", "--no-keep", "--diagnostic-port={socket}", "--no-progress", "--count=2",
            "--interval=10ms", "--format=csv", slow=True),
    command("collect-live", "collect", "-p", "{pid}", "-q", "-o", "{out}/live.gcdump",
            is_exact=False, slow=True),
    command("collect-direct", "collect", "--direct", "-p", "{pid}", "-q", "-o",
            "{out}/direct.gcdump", is_exact=False, slow=True),
    command("collect-core", "collect", "--core", "-p", "{pid}", "-q", "-o", "{out}/live.core",
            is_exact=False, slow=True),
    command("direct-core", "collect", "--direct", "--core", "-p", "{pid}", "-q", "-o",
            "{out}/direct.core", is_exact=False, slow=True),
]


# --- inputs ------------------------------------------------------------------------------

BUDGETS = """version: 1
budgets:
  - type: "*"
    max_growth: 1.5 %
suppress:
  - type: System.*
    reason: not ours
"""


def large_heap(path):
    """More than a mebibyte, so that it is mapped, and quick to read."""
    with open(path, "w", encoding="utf-8") as to:
        to.write("a 2 App.exe 1\nt 1 App.Order\n")
        for i in range(1, 150_001):
            to.write(f"o {i:x} 1 18 {i:x}\n")
        to.write("r 1 3 0\nc App.exe 2\n")


def make_inputs(program, folder):
    os.makedirs(f"{folder}/folder")
    run = lambda *words: subprocess.run([program, *words], check=True, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
    with open(f"{folder}/heapdrift.yml", "w", encoding="utf-8") as to:
        to.write(BUDGETS)
    with open(f"{folder}/words", "w", encoding="utf-8") as to:
        to.write(f"diff -j1 {' '.join(PAIR)}\n")
    for path in SERIES:
        shutil.copy(path, f"{folder}/folder")
    with lzma.open("fixtures/core/net10.core.xz") as packed, open(f"{folder}/net10.core", "wb") as to:
        shutil.copyfileobj(packed, to)
    large_heap(f"{folder}/large.txt")
    run("convert", f"{folder}/large.txt", "-o", f"{folder}/large.gcdump")
    run("convert", PAIR[1], "-o", f"{folder}/table.json")
    run("check", "--baseline-write", f"{folder}/baseline.json", *SERIES)
    subprocess.run(["zip", "-qj", f"{folder}/packed.zip", PAIR[1]], check=True)
    with open(f"{folder}/packed.bz2", "wb") as to:
        subprocess.run(["bzip2", "-c", PAIR[1]], check=True, stdout=to)
    with open(f"{folder}/played.nettrace", "wb") as to:
        subprocess.run(["zstd", "-dqc", TRACE], check=True, stdout=to)


# --- processes ---------------------------------------------------------------------------

class Runtime:
    """Plays a trace to whoever asks, as a runtime does."""

    LIVES = 60  # seconds; by itself it ends after twice as long

    def __init__(self, folder):
        self.folder, self.socket, self.process = folder, f"{folder}/socket", None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, "tests/cli/runtime.py", self.socket, "play",
             f"{self.folder}/in/played.nettrace"], stderr=subprocess.DEVNULL)
        self.begun = time.monotonic()
        wait_until(lambda: os.path.exists(self.socket))

    def renew(self):
        if time.monotonic() > self.begun + self.LIVES:
            self.stop()
            self.start()

    def stop(self):
        self.process.kill()
        self.process.wait()
        if os.path.exists(self.socket):
            os.unlink(self.socket)


class Lab:
    """A process with .NET, of a copy of the program, which may be cut."""

    def __init__(self, folder, tmp):
        self.folder, self.tmp = folder, tmp
        self.start()

    @staticmethod
    def found(folder, tmp):
        """None where there is no .NET."""
        if shutil.which("dotnet") is None:
            return None
        built = subprocess.run(["tests/live/build-leaklab.sh"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.strip()
        shutil.copytree(os.path.dirname(built), folder)
        return Lab(folder, tmp)

    def start(self):
        self.process = subprocess.Popen(
            [f"{self.folder}/LeakLab", "cache"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, env={**os.environ, "LEAKLAB_GC": "1", "TMPDIR": self.tmp})
        self.process.stdout.readline()
        self.answers()

    @property
    def pid(self):
        return self.process.pid

    def take_core(self, program, path):
        """Of what it has written: pages of its files are on disk only."""
        subprocess.run([program, "collect", "-q", "-p", str(self.pid), "--timeout=300", "-o", path],
                       check=True, env={**os.environ, "TMPDIR": self.tmp})

    def state(self):
        with open(f"/proc/{self.pid}/status", encoding="utf-8") as status:
            lines = dict(line.split(":", 1) for line in status)
        return lines["State"].split()[0], lines["TracerPid"].strip()

    def answers(self):
        self.process.stdin.write("1\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().startswith("done")

    def trouble(self):
        """What is wrong with it after a run, or nothing."""
        if self.process.poll() is not None:
            return f"the process has ended: {self.process.returncode}"
        # The runtime's own createdump goes on when nobody waits for the core any more.
        wait_until(lambda: self.state()[1] == "0" or tracer_name(self.state()[1]) != "createdump")
        state, tracer = self.state()
        if state in "tT" or tracer != "0":
            return f"the process is left in state {state}, traced by {tracer}"
        return ""

    def stop(self):
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()


def tracer_name(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as name:
            return name.read().strip()
    except OSError:
        return ""


def wait_until(what, seconds=20):
    until = time.monotonic() + seconds
    while not what() and time.monotonic() < until:
        time.sleep(0.02)
    return what()
