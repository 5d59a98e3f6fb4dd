#!/usr/bin/env python3
"""Whether each example of docs/hints.md gets the hint that it is an example of.

    hints.py [--only NAME[,NAME...]] [--jobs N] [--keep DIR] [-v]
    hints.py --from DIR [--only ...] [-v]

The code of each "Before" becomes a class of one program, together with what drivers.txt has of that
name: who calls it, and what it leaves open. It runs at a steady rate; `watch` takes four snapshots,
which know from the collector what stayed, and `collect` three more, files only. Of each series:

    right     the first suspect has the hint of the section
    half      another suspect has it
    wrong     the first suspect has another hint
    none      it has no hint
    missed    there is no suspect: how many are found is what check-leaks is about

One series of each example has to be right, and none may be wrong.

    --only NAME[,...]  these sections only
    --jobs N           programs at a time (3)
    --keep DIR         keep the series there: NAME/watch/1.gcdump ..., NAME/files/1.gcdump ...
    --from DIR         judge series that were kept; run nothing
    -v                 a line per series: the first suspects with their hints

Status 1 if an example is not as it has to be. HEAPDRIFT is the program under test. Needs the .NET SDK,
and NuGet the first time.
"""

import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tests/live"))
import windows  # noqa: E402
from one_session import HEAPDRIFT  # noqa: E402

# Three files are few: which are suspects is not what is asked here, and so they are compared by counts.
SERIES = {"watch": [], "files": ["--no-ages", "--min-score=0.1%"]}
# Sections whose example cannot get its hint here, and why.
NOT_RUN = {
    "native-aot-static": "needs a build by Native AOT: tests/live/native_aot.bats",
    "com-object-not-released": "needs COM, that is, Windows",
    **dict.fromkeys(("native-memory-grows", "malloc-arenas", "mapped-files-kept", "heap-fragmented", "collector-keeps"),
                    "is of the process, and no suspect has it"),
}
# Another hint is right, too.
ALSO_RIGHT = {"conditional-weak-table": ("static-collection", "what keeps the keys alive, which the section says to find")}
# Of these nothing is said in the first minute: MemoryCache scans for what has expired once in that time.
SECONDS_APART = {"cache-without-limit": 21}
NO_LEAK = {
    "array-pool-not-returned": "what is not returned is collected: nothing grows",
    "query-per-constant": "EF Core keeps 1,024 queries, of which this has fewer",
}
USINGS = """using System.Collections.Concurrent;
using Shop;
using static Shop.Work;
"""


# --- from the document to a program --------------------------------------------------

def examples_of(page):
    """-> the code below "Before:" of each section, by name"""
    found = {}
    for section in page.split("\n## ")[1:]:
        name, text = section.split("\n", 1)
        found[name] = re.search(r"^Before:\n\n```csharp\n(.*?)^```$", text, re.M | re.S)[1]
    return found


def drivers_of(text):
    return {name: code for name, code in re.findall(r"^# (\S+)\n(.*?)(?=^# |\Z)", text, re.M | re.S)}


def indented(code, by=4):
    return "".join(" " * by + line if line.strip() else line for line in code.splitlines(True))


def are_types(code):
    """Whether there are classes and nothing else, which are of a namespace then."""
    return all(re.match(r"[{}]|//|(sealed |public |static )*(class|interface|record) ", line)
               for line in code.splitlines() if line and not line[0].isspace())


def class_name(name):
    return "".join(word.capitalize() for word in re.split("[-/]", name))


def source_of(name, before, driver):
    usings = "".join(re.findall(r"^using [\w.]+;\n", driver, re.M))
    driver = re.sub(r"^using [\w.]+;\n", "", driver, flags=re.M)
    outside = ""
    if "    //Before\n" in driver:
        driver = driver.replace("    //Before\n", indented(before))
    elif are_types(before):
        outside = before + "\n"
    else:
        driver = before + driver
    return (f"{usings}{USINGS}\nnamespace Shop.{class_name(name)};\n\n{outside}"
            f"public sealed class Example : Shop.Example\n{{\n{indented(driver)}}}\n")


def write_sources(folder, examples, drivers):
    for file in ("Hints.csproj", "Kit.cs", "Db.cs", "Program.cs"):
        shutil.copy(HERE / file, folder)
    rows = []
    for name, driver in drivers.items():
        (folder / f"{class_name(name)}.cs").write_text(source_of(name, examples.get(name, ""), driver))
        rows.append(f'        "{name}" => new Shop.{class_name(name)}.Example(),\n')
    (folder / "Examples.cs").write_text(
        "static class Examples\n{\n    public static Shop.Example Make(string name) => name switch\n    {\n"
        + "".join(rows) + "        _ => throw new ArgumentException(name),\n    };\n}\n")


def build(work, examples, drivers):
    """-> the program, built outside of the tree, which stays clean"""
    source = work / "source"
    source.mkdir(parents=True)
    write_sources(source, examples, drivers)
    good, said = windows.dotnet_build("Hints.csproj", work)
    if not good:
        sys.exit("\n".join(sorted({line for line in said.splitlines() if "error" in line})))
    return work / "program/Hints"


# --- one series ----------------------------------------------------------------------

def heapdrift(*arguments):
    return subprocess.run([HEAPDRIFT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def collect(pid, name, folder):
    """Two series of the same program: with what the collector says in between, and without."""
    heapdrift("watch", str(pid), "--count=4", f"--interval={SECONDS_APART.get(name, 2)}s", "-o", folder / "watch", "--format=json")
    (folder / "files").mkdir()
    for k in range(1, 4):
        heapdrift("collect", str(pid), "-o", folder / f"files/{k}.gcdump", "--no-progress")
        time.sleep(2)


def record(program, name, folder):
    folder.mkdir(parents=True)
    with open(folder / "said", "w") as said, subprocess.Popen(
            [program, name], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True) as process:
        try:
            process.stdout.readline()
            time.sleep(3)
            collect(process.pid, name, folder)
        finally:
            process.kill()


def report_of(folder, flags):
    files = sorted(folder.glob("*.gcdump"))
    if len(files) < 3:
        return None
    answer = heapdrift("diff", "-q", "--threads=1", "--format=json", *flags, *files)
    return json.loads(answer.stdout) if answer.stdout else None


def judge(name, report):
    if report is None:
        return "not recorded"
    name = name.split("/")[0]
    hints = [s["hint"] for s in report["suspects"]]
    all_hints = hints + [n["hint"] for n in report["native"]]
    if name in NO_LEAK:  # it fills a cache, which grows until then: no leak must be claimed
        return "wrong" if report["headline"].startswith("LEAK") else "right"
    if all_hints and all_hints[0] in (name, *ALSO_RIGHT.get(name, ())[:1]):
        return "right"
    if name in all_hints:
        return "half"
    return "missed" if not hints else "none" if hints[0] is None else "wrong"


# --- the whole -----------------------------------------------------------------------

def told(report):
    rows = [(f"{s['subject']} ({s['type']})", s["hint"]) for s in report["suspects"][:3]]
    rows += [(n["what"], n["hint"]) for n in report["native"][:2]]
    return "; ".join(f"{name}: {hint}" for name, hint in rows) or "no suspect"


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME[,NAME...]")
    parser.add_argument("--jobs", metavar="N", type=int, default=3)
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--from", metavar="DIR", dest="source")
    parser.add_argument("-v", dest="verbose", action="store_true")
    return parser


def series(arguments, names, work, examples, drivers):
    """The folders of the series, recorded unless they are there."""
    if arguments.source:
        return pathlib.Path(arguments.source)
    kept = pathlib.Path(arguments.keep or work / "series").resolve()
    program = build(work, examples, drivers)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name in names:
            shutil.rmtree(kept / name, ignore_errors=True)
        list(pool.map(lambda name: record(program, name, kept / name), names))
    return kept


def tell(names, kept, verbose):
    """-> the examples that are not as they have to be"""
    outcomes = {}
    for name in names:
        for by, flags in SERIES.items():
            report = report_of(kept / name / by, flags)
            outcomes[name, by] = judge(name, report)
            if verbose and report:
                print(f"{name} {by} {outcomes[name, by]}: {told(report)}", file=sys.stderr)
        print(f"| {name} | " + " | ".join(outcomes[name, by] for by in SERIES) + " |")
    for by in SERIES:
        counts = collections.Counter(outcomes[name, by] for name in names)
        print(f"{by}: " + ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())))
    return [name for name in names
            if "right" not in (of := [outcomes[name, by] for by in SERIES]) or "wrong" in of]


def main():
    arguments = options().parse_args()
    examples = examples_of((ROOT / "docs/hints.md").read_text())
    drivers = drivers_of((HERE / "drivers.txt").read_text())
    missing = set(examples) - set(drivers) - set(NOT_RUN)
    if missing:
        sys.exit("drivers.txt has nothing of: " + " ".join(sorted(missing)))
    names = arguments.only.split(",") if arguments.only else [n for n in drivers if n not in NOT_RUN]
    if not arguments.source and not shutil.which("dotnet"):
        print("skipped: no dotnet here")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        kept = series(arguments, names, pathlib.Path(folder), examples, drivers)
        print("| example | by watch | by files |\n| --- | --- | --- |")
        wrong = tell(names, kept, arguments.verbose)
    for name, why in {**NOT_RUN, **NO_LEAK}.items():
        print(f"{name}: {why}")
    for name, (hint, why) in ALSO_RIGHT.items():
        print(f"{name}: {hint} is right, too: {why}")
    if wrong:
        print("not as they have to be: " + " ".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
