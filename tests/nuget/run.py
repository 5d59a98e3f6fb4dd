#!/usr/bin/env python3
"""Runs the leak tests of the shop in four test frameworks, and says what became of each.

    run.py [--only NAME[,NAME...]] [--runs N] [--serial] [--load] [--blind] [--keep DIR] [--accept]

Beside the frameworks, by their names only: avalonia and aspnet, with tests of programs as they are.

Names of tests say what they must do: Frees_, Busy_ and Waits_ pass, Leaks_ and Refuses_ fail. What fails
says what stands in golden/, in every framework; --accept writes it there; in avalonia and aspnet it
has a chain. A failed leak test has
its page, its report and its snapshots attached, and no run leaves anything of heapdrift in the
temporary folder. The package is that of build/nuget (`make nuget`).

    --runs N     N runs of each; status 1 if any test of any run does not do what it must
    --serial     no two tests at the same time; without it all that the framework can
    --load       with every processor busy
    --blind      diagnostics switched off: each is skipped, and says why
    --keep DIR   results stay there
    --no-build   they are built already; --build-only: build them, with the package as it is now
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GOLDEN = HERE / "golden"
BUILT = ROOT / "build/nuget-tests"
BLIND = "diagnostics of this process are switched off (DOTNET_EnableDiagnostics=0)"
NEVER_LOOK = ("Busy_", "Waits_")


class Project:
    """One framework: how its tests are run, and what is its own in what comes out."""

    def __init__(self, name, prefix, run, parallel, serial, only, failing):
        self.name = name
        # The status after failed tests, different from that of a crash where the platform allows it.
        self.failing = failing
        self.prefix = re.compile(prefix)
        self.run = run
        self.parallel = parallel
        self.serial = serial
        self.only = only

    def command(self, results, serial=False, only=None):
        """-> words; only: part of the name of a test"""
        words = ["dotnet", "test", "--no-build", "--results-directory", str(results), *self.run]
        if only:
            words += self.only(only)
        return words + (self.serial if serial else self.parallel)


def vstest(name, prefix, workers):
    return Project(
        name,
        prefix,
        ["--logger", "trx;LogFileName=results.trx"],
        [],
        ["--", workers],
        lambda part: ["--filter", f"FullyQualifiedName~{part}"],
        failing=1,
    )


def platform(name, prefix, parallel, serial, only):
    run = ["--report-trx", "--report-trx-filename", "results.trx", "--no-progress"]
    return Project(name, prefix, run, parallel, serial, only, failing=2)


def xunit(name):
    return platform(
        name,
        r"^[A-Za-z.]+Exception : ",
        [] if name == "avalonia" else ["--parallel", "all"],
        ["--parallel", "none"],
        lambda part: ["--filter-method", f"*{part}*"],
    )


# Frameworks' libraries change what holds what, and tests that run before one what was there.
WITHOUT_GOLDEN = ("avalonia", "aspnet")
PROJECTS = {
    p.name: p
    for p in (
        xunit("xunit.v3"),
        vstest("nunit", r"^[A-Za-z.]+Exception : ", "NUnit.NumberOfTestWorkers=0"),
        vstest(
            "mstest",
            r"^Test method [\w.]+ threw exception: ?\n[A-Za-z.]+Exception: ",
            "MSTest.Parallelize.Workers=1",
        ),
        platform(
            "tunit",
            r"^(\[Test Failure\] )?[A-Za-z.]+Exception: ",
            [],
            ["--maximum-parallel-tests", "1"],
            lambda part: ["--treenode-filter", f"/*/*/*/*{part}*"],
        ),
        *(xunit(name) for name in WITHOUT_GOLDEN),
    )
}
FRAMEWORKS = [name for name in PROJECTS if name not in WITHOUT_GOLDEN]


def environment(temporary, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("DOTNET_EnableDiag", "COMPlus_", "HEAPDRIFT_RESULTS"))}
    quiet = {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "DOTNET_CLI_USE_MSBUILD_SERVER": "0"}
    # A language of its own, so that messages are the same everywhere.
    return env | quiet | {"TMPDIR": str(temporary), "LC_ALL": "C.UTF-8", "DOTNET_CLI_UI_LANGUAGE": "en"} | more


def build(project, temporary):
    """With the package as it is now: its version is the same each time, and so is the time of its files,
    so that msbuild would take those of the last build for them. -> what went wrong, or ''"""
    shutil.rmtree(BUILT / "packages/heapdrift.testing", ignore_errors=True)
    for source in (HERE / project.name).glob("*.csproj"):
        shutil.rmtree(BUILT / "bin" / source.stem, ignore_errors=True)
    done = subprocess.run(
        ["dotnet", "build", "-nodeReuse:false", "--disable-build-servers", "-v", "quiet"],
        cwd=HERE / project.name,
        env=environment(temporary),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout if done.returncode else ""


DECLARED = re.compile(r"((?: *\[\w+(?:\(.*\))?\]\n)+) *public (?:async )?(?:Task|void) ((?:Frees|Leaks|Busy|Waits|Refuses)_\w+)\(")


def declared(project):
    """-> number of results by test: one, or one for each row of arguments"""
    folders = [project.name] if project.name in WITHOUT_GOLDEN else [project.name, "shared"]
    text = "\n".join(path.read_text() for folder in folders for path in sorted((HERE / folder).glob("*.cs")))
    return {test: max(1, attributes.count("[Row(")) for attributes, test in DECLARED.findall(text)}


class Result:
    def __init__(self, test, outcome, seconds, message, files):
        self.test = test
        self.outcome = outcome
        self.seconds = seconds
        self.message = message
        self.files = files


def seconds(duration):
    """ "00:00:01.2500000" -> 1.25"""
    hours, minutes, rest = (duration or "0:0:0").split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def read(results):
    """-> Results by name of test, of a .trx"""
    found = {}
    space = {"t": "http://microsoft.com/schemas/VisualStudio/TeamTest/2010"}
    root = ElementTree.parse(results / "results.trx").getroot()
    deployment = root.find("t:TestSettings/t:Deployment", space).get("runDeploymentRoot")
    for one in root.iterfind(".//t:UnitTestResult", space):
        # xUnit.net has the class in front, some have arguments behind.
        name = re.search(r"\w+_\w+(\s*\(.*\))?$", one.get("testName"), re.S).group()
        message = one.findtext("t:Output/t:ErrorInfo/t:Message", "", space)
        message = message or one.findtext("t:Output/t:StdOut", "", space)
        folder = results / deployment / "In" / one.get("executionId")
        files = [folder / f.get("path") for f in one.iterfind("t:ResultFiles/t:ResultFile", space)]
        found[name] = Result(name, one.get("outcome"), seconds(one.get("duration")), message, files)
    return found


def plain(message, project, results):
    """A message without what differs from run to run, and from framework to framework."""
    message = project.prefix.sub("", message.replace("\r\n", "\n"), count=1)
    for pattern, put in (
        # NUnit's, of an ArgumentException.
        (r"(\n  ParamName: <null>)?\s*$", ""),
        (re.escape(f"{results}/") + r"|/\S*/TestResults/", "RESULTS/"),
        # Its figures are those of the verdict, and the framework's.
        (r"(?s)\nHEAP\n.*?(?=\nnext:)", "\nHEAP, SUSPECTS ...\n"),
        (r"0x[0-9a-f]{6,}", "ADDRESS"),
        # Shares and totals are of the whole heap, which is the framework's for the most part.
        (r"(?m)^heap  .*$", "heap        TOTALS"),
        (r"(?m)^also  .*\n( {12}.*\n)*", ""),
        # Samples are drawn at random.
        (r"(?m)^allocated  .*\n( {12}.*\n)*", "allocated   SAMPLES\n"),
        (r"[0-9.]+ %(?=  )", "N %"),
        (r"[0-9.]+ %\s+of\s+the\s+heap", "N % of the heap"),
        (r" \(gen[0-2]\)|(?<=ADDRESS) in gen[0-2]", ""),
        # Others have timers too, in the same list.
        (r"TimerQueueTimer\S* ?(×[0-9]+ )?\.?_timerCallback", "TimerQueueTimer ... ._timerCallback"),
        (r"(?<=score )[0-9.]+ % \((.*?)\) +score below .*?(?=  suspects)", r"N % (\1)  score below LIMIT"),
        (r"\n +it grew in every step; --min-steady .*", ""),
        (r"over [0-9.]+ (ms|s|min)\b", "over TIME"),
        (r"\n +observed +limit  rule", "\n  observed  limit  rule"),
    ):
        message = re.sub(pattern, put, message)
    return message + "\n"


def lacks_fields(said, wanted):
    """Whether only the names of fields are missing: a garbage collection between the snapshot and
    the copy of the memory, which has them, moves objects, and then there are none."""

    def is_fieldless(ours, theirs):
        ours, theirs = (re.sub(r" (\.\.\. |×[0-9]+ ?)?(?=\.|$)", "", line) for line in (ours, theirs))
        return ours == theirs or (ours.startswith("    →") and re.fullmatch(re.escape(ours) + r"\.[\w<>]+", theirs))

    pairs = list(zip(said.splitlines(), wanted.splitlines(), strict=False))
    return said.count("\n") == wanted.count("\n") and all(is_fieldless(ours, theirs) for ours, theirs in pairs)


class Check:
    """What is wrong with the results of a run; nothing, if all is well."""

    def __init__(self, project, results, accept):
        self.project = project
        self.results = results
        self.accept = accept
        self.wrong = []
        self.fieldless = 0

    def complain(self, test, what):
        self.wrong.append(f"{self.project.name} {test}: {what}")

    def blind(self, result, printed):
        if result.test.startswith(NEVER_LOOK):
            return
        # TUnit says on the screen only why a test was skipped.
        reason = result.message or printed
        if result.outcome != "NotExecuted" or BLIND not in reason:
            self.complain(result.test, f"{result.outcome}, skipping expected\n{reason}")

    def outcome(self, result, printed):
        wanted = "Passed" if result.test.startswith(("Frees_", *NEVER_LOOK)) else "Failed"
        if result.outcome != wanted:
            reason = result.message or re.search(rf"(?ms)^skipped \S*{re.escape(result.test)}.*?(?=^(skipped|failed|passed) |\Z)", printed)
            self.complain(result.test, f"{result.outcome}, {wanted} expected\n{reason.group() if isinstance(reason, re.Match) else reason}")
        return result.outcome == wanted == "Failed"

    def message(self, result):
        if self.project.name in WITHOUT_GOLDEN:
            if "LeakException" not in result.message or "\n    → " not in result.message:
                self.complain(result.test, f"no chain\n{result.message}")
            return
        golden = GOLDEN / f"{result.test}.txt"
        said = plain(result.message, self.project, self.results)
        wanted = golden.read_text() if golden.exists() else ""
        if said != wanted and lacks_fields(said, wanted):
            self.fieldless += 1
        elif self.accept:
            GOLDEN.mkdir(exist_ok=True)
            golden.write_text(said)
        elif said != wanted:
            lines = difflib.unified_diff(wanted.splitlines(), said.splitlines(), "expected", "said", lineterm="")
            self.complain(result.test, "says something else\n" + "\n".join(lines))

    def files(self, result):
        if not result.test.startswith("Leaks_"):
            if result.files:
                self.complain(result.test, f"has files: {result.files}")
            return
        names = [file.name for file in result.files if file.exists() and file.stat().st_size > 0]
        # xUnit.net would send their bytes around, so there they only lie in the folder of results.
        snapshots = 0 if self.project.name in ("xunit.v3", *WITHOUT_GOLDEN) else 2
        for kind, least in ((".html", 1), (".md", 1), (".gcdump", snapshots)):
            if sum(kind in name for name in names) < least:
                self.complain(result.test, f"{least} {kind} attached expected, has {sorted(names)}")

    def complete(self, results, status):
        """Compares the results with the tests in the sources, and the status with the outcomes."""
        names = [re.sub(r"\s*\(.*", "", name, flags=re.S) for name in results]
        for test, count in declared(self.project).items():
            if names.count(test) < count:
                self.complain(test, f"{names.count(test)} of {count} results")
        wanted = self.project.failing if any(result.outcome == "Failed" for result in results.values()) else 0
        if status != wanted:
            self.complain("", f"status {status}, {wanted} expected")

    def all(self, results, printed, status, blind):
        self.complete(results, status)
        for result in results.values():
            if blind:
                self.blind(result, printed)
            elif self.outcome(result, printed):
                self.message(result)
                self.files(result)
        if not results:
            self.complain("", "no results")


# What the frameworks and the SDK leave there is theirs; VSTest kills a host that is slow to end,
# and a killed runtime cannot delete its sockets.
THEIRS = re.compile(r"dotnet-diagnostic-.*|clr-debug-pipe-.*|NUnit\.Engine|[A-Za-z0-9]{6}|\.dotnet.*|NuGetScratch.*|MSBuildTemp.*|VBCSCompiler.*|[0-9a-f-]{32,64}|[0-9a-f]{32}")


def left(temporary):
    """-> names of what a run has left behind"""
    return sorted(p.name for p in temporary.iterdir() if not THEIRS.fullmatch(p.name))


class Load:
    """Every processor busy, while it lasts."""

    def __init__(self, wanted):
        self.count = os.cpu_count() if wanted else 0

    def __enter__(self):
        self.busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(self.count)]

    def __exit__(self, *_):
        for one in self.busy:
            one.kill()
            one.wait()


def run_once(project, results, temporary, arguments):
    """-> (results by test, seconds, Check)"""
    shutil.rmtree(results, ignore_errors=True)
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    begun = time.monotonic()
    done = subprocess.run(
        project.command(results, arguments.serial),
        cwd=HERE / project.name,
        env=environment(temporary, **({"DOTNET_EnableDiagnostics": "0"} if arguments.blind else {})),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    took = time.monotonic() - begun
    check = Check(project, results, arguments.accept)
    try:
        found = read(results)
    except (OSError, ElementTree.ParseError) as trouble:
        check.complain("", f"{trouble}\n{done.stdout}")
        return {}, took, check
    check.all(found, done.stdout, done.returncode, arguments.blind)
    if left(temporary):
        check.complain("", f"left in the temporary folder: {left(temporary)}")
    return found, took, check


KINDS = (
    ("Frees_a_window", "AssertGoneAsync, nothing left"),
    ("Leaks_a_window_that_a_handler_holds", "AssertGoneAsync, a leak"),
    ("Frees_what_is_bought", "TestAsync, no leak"),
    ("Leaks_orders_by_a_journal", "TestAsync, a leak"),
    ("Frees_and_counts_coupons", "two snapshots, and questions"),
)


class Row:
    """What all runs of a project came to."""

    def __init__(self, project):
        self.project = project
        self.tests = {}
        self.outcomes = {"Frees_": [], "Leaks_": []}
        self.took = []
        self.wrong = 0
        self.fieldless = 0

    def add(self, found, took, check):
        self.took.append(took)
        self.wrong += bool(check.wrong)
        self.fieldless += check.fieldless
        for result in found.values():
            self.tests.setdefault(result.test, []).append(result.seconds)
            for kind, outcomes in self.outcomes.items():
                if result.test.startswith(kind):
                    outcomes.append(result.outcome)

    def found(self):
        """ "9 of 9 leaks, 0 false of 12" """
        leaks, sound = self.outcomes["Leaks_"], self.outcomes["Frees_"]
        return f"{leaks.count('Failed')} of {len(leaks)} leaks, {sound.count('Failed')} false of {len(sound)}"

    def median(self, prefix):
        times = [time for test, all_times in self.tests.items() if test.startswith(prefix) for time in all_times]
        return f"{statistics.median(times):.2f}" if times else ""


def table(rows, runs):
    """Medians of seconds. A test that waits for its turn does so within its time."""
    print(f"\n| project | run | {' | '.join(title for _, title in KINDS)} | found | chains without fields | wrong |")
    print(f"|---|--:|{'--:|' * len(KINDS)}---|--:|--:|")
    for row in rows:
        shop = row.project.name not in WITHOUT_GOLDEN
        cells = [row.median(test if shop else "Frees_" if title.endswith(("left", "no leak")) else "Leaks_")
                 if shop or title.startswith("AssertGone") else "" for test, title in KINDS]
        print(f"| {row.project.name} | {statistics.median(row.took):.1f} | {' | '.join(cells)} | {row.found()} | {row.fieldless} | {row.wrong} of {runs} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(FRAMEWORKS))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--serial", action="store_true")
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("--build-only", action="store_true")
    arguments = parser.parse_args()
    work = pathlib.Path(tempfile.mkdtemp())
    bad, rows = 0, []
    try:
        for project in (PROJECTS[name] for name in arguments.only.split(",")):
            (work / "build").mkdir(exist_ok=True)
            trouble = "" if arguments.no_build else build(project, work / "build")
            if trouble:
                sys.exit(trouble)
            if arguments.build_only:
                continue
            row = Row(project)
            for number in range(arguments.runs):
                results = (arguments.keep or work).resolve() / project.name / str(number)
                with Load(arguments.load):
                    found, time_taken, check = run_once(project, results, work / "temporary", arguments)
                row.add(found, time_taken, check)
                for line in check.wrong:
                    print(f"run {number + 1}: {line}", flush=True)
            rows.append(row)
            bad += row.wrong
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if rows:
        table(rows, arguments.runs)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
