"""What can be run of the tests: a suite of the unit tests, a test of the command line, the sweep.

A run is called unit-SUITE, cli-FILE/NUMBER (the tests of a .bats file are counted from 1), sweep, or
faults: system calls that fail while processes are looked at."""
import collections
import os
import re
import signal
import subprocess
import sys

# They build the program themselves, or are about scripts.
WITHOUT_PROGRAM = {"action", "guides", "library", "make", "shop"}
# They build a .NET program and wait for what it does.
LIVE = "a live process:"
# What asks the system for more than files.
COLLECTING = "ps,collect,collect-live,collect-direct,collect-core,direct-core,watch"
MAX_MEMORY = 8 << 30


def suites(program):
    """The suites of the unit tests."""
    listing = subprocess.run([program, "--list"], stdout=subprocess.PIPE, check=True, text=True)
    return sorted({name.partition("/")[0] for name in listing.stdout.split()})


def bats_tests(root):
    """The tests of each file: {file: [description, ...]}."""
    tests = {}
    for name in sorted(os.listdir(os.path.join(root, "tests/cli"))):
        stem, suffix = os.path.splitext(name)
        if suffix == ".bats" and stem not in WITHOUT_PROGRAM:
            with open(os.path.join(root, "tests/cli", name), encoding="utf-8") as file:
                tests[stem] = re.findall(r'^@test "((?:[^"\\]|\\.)*)" \{', file.read(), re.MULTILINE)
    return tests


def finished(command, root, seconds, **variables):
    """Whether a command ends with status 0, in time; what it started ends with it."""
    process = subprocess.Popen(["prlimit", f"--data={MAX_MEMORY}", "--core=0", *command], cwd=root,
                               env={**os.environ, **variables}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


class Tests:
    """The tests of a tree that is built."""

    def __init__(self, root, build="build"):
        self.root = root
        self.build = os.path.join(root, build)
        self.program = os.path.join(self.build, "unit-tests")

    def pass_together(self, runs, seconds, **variables):
        """Whether all these runs pass: of unit tests several at once, of bats those of one file."""
        kind, _, name = runs[0].partition("-")
        if kind == "unit":
            names = "|".join(run.partition("-")[2] for run in runs)
            return finished([self.program, "-j2", "--filter", f"@({names})/*"], self.root, seconds, **variables)
        if kind == "faults":
            folder = os.path.join(self.build, "faults")
            return finished(["sh", "-c", 'exec "$@" >"$0.log" 2>&1', folder, sys.executable,
                             "tests/faults/faults.py", os.path.join(self.build, "heapdrift"), "build/failing.so",
                             folder, "--sites", "--class=calls", f"--command={COLLECTING}"],
                            self.root, seconds, **variables)
        if kind == "sweep":
            return finished([os.path.join(self.build, "sweep"), "--quick", "fixtures"], self.root, seconds, **variables)
        file = name.partition("/")[0]
        command = ["bats", "--formatter", "tap", f"tests/cli/{file}.bats"]
        numbers = [int(run.rpartition("/")[2]) for run in runs]
        if 0 not in numbers:
            descriptions = bats_tests(self.root)[file]
            chosen = [escaped(descriptions[number - 1]) for number in numbers
                      if not descriptions[number - 1].startswith(LIVE)]
            if not chosen:
                return True
            command[1:1] = ["--filter", f"^({'|'.join(chosen)})$"]
        return finished(command, self.root, seconds,
                        HEAPDRIFT=os.path.join(self.build, "heapdrift"), **variables)


def escaped(description):
    """For an extended regular expression; what the shell takes out of the description is any text."""
    plain = re.sub(r"\\(.)", r"\1", description)
    return re.sub(r"[][\\.^$*+?(){}|]", r"\\\g<0>", plain)


def together(runs, seconds_of):
    """What is run at once, the fastest first: unit tests in batches of growing length."""
    units = sorted((run for run in runs if run.startswith("unit-")), key=seconds_of)
    batches, batch, length, limit = [], [], 0.0, 2.0
    for run in units:
        if batch and length + seconds_of(run) > limit:
            batches.append(batch)
            batch, length, limit = [], 0.0, limit * 2
        batch.append(run)
        length += seconds_of(run)
    if batch:
        batches.append(batch)
    files = collections.defaultdict(list)
    for run in runs:
        if run.startswith("cli-"):
            files[run.partition("/")[0]].append(run)
    for file in sorted(files.values(), key=lambda file: sum(map(seconds_of, file))):
        batches.append(file)
    if "sweep" in runs:
        batches.append(["sweep"])
    return batches
