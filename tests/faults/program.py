"""A run of the program while something fails, and what must hold of it."""
import contextlib
import dataclasses
import os
import re
import shutil
import signal
import subprocess
import time

from commands import SERIES

PRECIOUS = b"what was there before\n"
TROUBLE = 2


@dataclasses.dataclass
class Result:
    status: int  # negative: the signal that ended it
    out: bytes
    err: bytes
    files: dict  # name in {out} -> bytes
    left: list  # of files that nobody asked for
    seconds: float

    def lines(self):
        text = self.err.decode(errors="replace")
        return re.sub(r"/heapdrift-\w{6}/", "/heapdrift-XXXXXX/", text).splitlines()


@dataclasses.dataclass
class Fault:
    """What to put in front of the program's words and into its environment."""

    text: str  # what failed, for people
    before: tuple = ()
    behind: tuple = ()
    env: dict = dataclasses.field(default_factory=dict)
    limits: object = None  # called in the child
    meanwhile: object = None  # called with the process
    signal: int = 0  # which may end it
    hits_output: bool = False  # so there may be half of it on a pipe
    hits_errors: bool = False  # so nothing may be said
    may_end_otherwise: bool = False  # before main() could look after it


class Program:
    """A program under test in a folder of its own."""

    def __init__(self, program, folder, lab=None, runtime=None):
        self.program, self.folder, self.lab, self.runtime = program, folder, lab, runtime
        self.out, self.tmp = f"{folder}/out", f"{folder}/tmp"
        os.makedirs(self.out, exist_ok=True)
        os.makedirs(self.tmp, exist_ok=True)

    def words(self, command):
        values = {"in": f"{self.folder}/in", "out": self.out, "n": "series",
                  "socket": self.runtime.socket if self.runtime else "",
                  "pid": self.lab.pid if self.lab else 0}
        return [self.program, *(w.format(**values) if "{" in w else w for w in command.words)]

    def clean(self, command):
        for folder in self.out, self.tmp:
            for name in os.listdir(folder):
                path = f"{folder}/{name}"
                if os.path.isdir(path):
                    shutil.rmtree(path)
                elif not name.startswith(("dotnet-diagnostic-", "clr-debug-pipe-")):
                    os.unlink(path)
        for name in command.files:
            with open(f"{self.out}/{name}", "wb") as to:
                to.write(PRECIOUS)

    @contextlib.contextmanager
    def spare(self):
        """Meanwhile copies of all files stand in their places: one may be cut, also one that the
        process with .NET runs from."""
        folders = [f"{self.folder}/{name}" for name in ("in", "lab")]
        paths = [e.path for f in folders if os.path.isdir(f) for e in os.scandir(f) if e.is_file()]
        for path in paths:
            os.rename(path, f"{path}.kept")
            shutil.copy2(f"{path}.kept", path)
        try:
            yield
        finally:
            for path in paths:
                os.replace(f"{path}.kept", path)

    def run(self, command, fault):
        self.clean(command)
        if command.needs == "runtime":
            self.runtime.renew()
        stdin = open(command.stdin, "rb") if command.stdin else subprocess.DEVNULL
        env = {**os.environ, "LC_ALL": "C.UTF-8", "TMPDIR": self.tmp, **fault.env}
        begun = time.monotonic()
        with open(f"{self.folder}/stdout", "wb+") as out, open(f"{self.folder}/stderr", "wb+") as err:
            process = subprocess.Popen([*fault.before, *self.words(command), *fault.behind], stdin=stdin, stdout=out,
                                       stderr=err, env=env, preexec_fn=fault.limits,
                                       start_new_session=True)
            if fault.meanwhile:
                fault.meanwhile(process)
            try:
                status = process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                status = None
            out.seek(0)
            err.seek(0)
            result = Result(status, out.read(), err.read(), {}, [], time.monotonic() - begun)
        if command.name == "ps":
            result.out = self.own_row(result.out)
        self.look(command, result)
        return result

    def own_row(self, out):
        """Others come and go, and all get older."""
        rows = [line.split(b",")[:2] for line in out.splitlines()]
        return b"\n".join(b",".join(row) for row in rows if row[0] == str(self.lab.pid).encode())

    def look(self, command, result):
        for name in sorted(os.listdir(self.out)):
            is_wanted = name in command.files or ("{n}" in str(command.words) and name[0] != ".")
            if is_wanted:
                with open(f"{self.out}/{name}", "rb") as file:
                    result.files[name] = self.gist(command, f"{self.out}/{name}", file.read())
            else:
                result.left.append(name)
        result.left += [n for n in os.listdir(self.tmp)
                        if not n.startswith(("dotnet-diagnostic-", "clr-debug-pipe-"))]

    def gist(self, command, path, content):
        """A file's bytes, or of what differs from run to run whether it is whole."""
        if command.is_exact or content == PRECIOUS:
            return content
        done = subprocess.run([self.program, "top", "-q", "--strict", "--format=csv", path],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if self.lab and command.needs == "process":
            return b"whole" if done.returncode == 0 and done.stdout.count(b"\n") > 100 else done.stderr
        return done.stdout if done.returncode == 0 else done.stderr


# --- what must hold ------------------------------------------------------------------------

def more_lines(usual, result):
    """Lines on stderr that the program does not say without a fault."""
    left = list(usual.lines())
    more = []
    for line in result.lines():
        if line in left:
            left.remove(line)
        elif not is_like(line, left):
            more.append(line)
    return more


def is_like(line, left):
    """Times differ from run to run."""
    for other in left:
        if " in " in line and line.split(" in ")[0] == other.split(" in ")[0]:
            left.remove(other)
            return True
    return False


def same_files(usual, result):
    return all(result.files.get(name) == usual.files[name] for name in usual.files)


def each_a_file(command, more):
    """All inputs are tried, so that one run names each that cannot be read."""
    places = {line.split(": ")[1] for line in more if line.startswith("heapdrift: ") and ": " in line}
    why = min((line.rsplit(": ", 1)[-1] for line in more), key=len, default="")
    most = len(command.words) + len(SERIES)  # of which one may be a folder
    return len(places) == len(more) <= most and all(why in line for line in more)


def unharmed(usual, result):
    """Each file is what it was, or what it becomes, or was not there and is not."""
    return all(content in (PRECIOUS, usual.files.get(name)) for name, content in result.files.items())


def judge(command, fault, usual, result):
    """(verdict, why): "survived" (nothing is lost), "refused" (status 2 and a line), "ended" (by
    its signal), or "wrong"."""
    more = more_lines(usual, result)
    if fault.hits_errors:  # a line may be cut by it; the beginning of one has nothing to say yet
        begun = ["heapdrift: ", *usual.lines()]
        more = [m for m in more if not any(line.startswith(m) for line in begun)]
    if result.status is None:
        return "wrong", "hangs"
    if result.left and not fault.text.startswith("unlink "):  # which nobody can help
        return "wrong", f"leaves {result.left}"
    if not unharmed(usual, result):
        return "wrong", "a file is neither what it was nor what it should be"
    if fault.signal and result.status == -fault.signal:
        # A line may be cut by it.
        more = [m for m in more if not any(line.startswith(m) for line in usual.lines())]
        return ("wrong", f"says {more}") if more else ("ended", "")
    if fault.may_end_otherwise and result.status in (127, -signal.SIGSEGV, -signal.SIGABRT, 1):
        return "ended", "before main()"
    if result.status == TROUBLE and usual.status != TROUBLE:
        if len(more) != 1 and not (fault.hits_errors and not more) and not each_a_file(command, more):
            return "wrong", f"{len(more)} lines: {more}"
        if more and not more[0].startswith("heapdrift: "):
            return "wrong", f"says {more}"
        # What a file is that cannot be read is what info answers.
        if result.out and not fault.hits_output and command.words[0] != "info":
            return "wrong", "status 2 with output"
        return "refused", more[0] if more else ""
    if result.status != usual.status:
        return "wrong", f"status {result.status}: {result.lines()[:3]}"
    if result.out != usual.out:
        return "wrong", f"status {result.status} with other output; {more}"
    if not same_files(usual, result):
        return "wrong", f"status {result.status} with other files; {more}"
    return "survived", "; ".join(more)
