#!/usr/bin/env python3
"""Compiles the samples of docs/testing-your-code.md and runs them as tests.

    guide.py

All of them pass. A sample with a line marked "// the fix" is compiled a second time, without that
line: then its tests must fail by a leak. The messages that the guide shows must be among those of
the failed tests. The samples of the package's page are among those of the guide. The package is
that of build/nuget (`make nuget`).
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import run

GUIDE = run.ROOT / "docs/testing-your-code.md"
PACKAGE = run.ROOT / "scripts/nuget/testing/README.md"
SAMPLES = run.BUILT / "guide/Samples.cs"
FIX = "// the fix"
USINGS = ("System.Runtime.CompilerServices", "Heapdrift.Testing", "Microsoft.Extensions.DependencyInjection", "Xunit")

# The second message of the guide is of a shop that leaks what its first sample tests.
LEAKING_SHOP = "A_checkout_leaks_nothing"


def blocks(language, document=GUIDE):
    every = re.findall(r"^```([^\n]*)\n(.*?)^```$", document.read_text(), flags=re.M | re.S)
    return [text for of, text in every if of == language]


def split(sample):
    """-> (classes, members of a test class)"""
    begin = re.search(r"^(\[Fact\]|private static )", sample, flags=re.M)
    return (sample[: begin.start()], sample[begin.start() :]) if begin else (sample, "")


def source(samples, space):
    text = ""
    for number, sample in enumerate(samples, 1):
        classes, members = split(sample)
        text += f"namespace {space}\n{{\n{classes}\n}}\n"
        text += f"namespace {space}.Tests\n{{\npublic class Sample{number} : Shop.Tests.Guide\n{{\n{members}}}\n}}\n"
    return text


def without_fix(sample):
    return "".join(line for line in sample.splitlines(keepends=True) if FIX not in line)


def make(samples):
    """The leaking ones have the names that the guide shows."""
    fixed = source(samples, "Shop.Fixed")
    leaking = [without_fix(s) for s in samples if FIX in s]
    leaking += [s.replace("shop.", "leakingShop.") for s in samples if LEAKING_SHOP in s]
    SAMPLES.parent.mkdir(parents=True, exist_ok=True)
    SAMPLES.write_text("".join(f"using {using};\n" for using in USINGS) + fixed + source(leaking, "Shop"))
    return len(leaking)


def plain(message):
    """Without what differs from run to run, and the guide's names of test classes."""
    for pattern, put in (
        (r"/\S*/", "/"),
        (r"Sample\d+|\w+Tests(?=\.)", "CLASS"),
        (r"0x[0-9a-f]+( in gen\d)?", "ADDRESS"),
        (r" \(gen\d\)", ""),
        (r"over [0-9.]+ (ms|s)\b", "over TIME"),
        (r"(?m)^(heap|allocated|also) .*\n", ""),
        # Which rule it is depends on the heap.
        (r"(?sm)^RULES\n.*?^next:", "next:"),
        (r"[0-9.]+ %", "N %"),
        (r"\s+", " "),
    ):
        message = re.sub(pattern, put, message)
    return message.strip()


def read(results):
    """-> (outcome, message) by name with its class"""
    space = {"t": "http://microsoft.com/schemas/VisualStudio/TeamTest/2010"}
    root = ElementTree.parse(results / "results.trx").getroot()
    return {
        one.get("testName"): (one.get("outcome"), one.findtext("t:Output/t:ErrorInfo/t:Message", "", space))
        for one in root.iterfind(".//t:UnitTestResult", space)
    }


def wrong_with(found, leaking, status, project):
    messages = []
    declared = SAMPLES.read_text().count("[Fact]")
    if len(found) != declared:
        yield f"{declared} tests in the samples, {len(found)} results"
    if status != project.failing:
        yield f"status {status}, {project.failing} expected"
    for name, (outcome, message) in found.items():
        fixed = name.startswith("Shop.Fixed.")
        if outcome != ("Passed" if fixed else "Failed"):
            yield f"{name}: {outcome}\n{message}"
        elif not fixed:
            messages.append(message)
            if "LeakException" not in message:
                yield f"{name}: {message}"
    if len(messages) != leaking:
        yield f"{leaking} samples must leak, {len(messages)} did"
    said = [plain(message) for message in messages]
    shown = [text for text in blocks("") + blocks("", PACKAGE) if not text.startswith("dotnet")]
    if not all(any(plain(text) in message for message in said) for text in shown):
        yield "other messages are shown than these:\n" + "\n".join(messages)
    for sample in set(blocks("csharp", PACKAGE)) - set(blocks("csharp")):
        yield f"{PACKAGE}: the guide has no such sample:\n{sample}"


def main():
    work = pathlib.Path(tempfile.mkdtemp())
    project = run.platform("guide", "", ["--parallel", "none"], [], None)
    samples = blocks("csharp")
    leaking = make(samples)
    try:
        (work / "temporary").mkdir()
        trouble = run.build(project, work / "temporary")
        if trouble:
            sys.exit(trouble)
        done = subprocess.run(
            project.command(work),
            cwd=run.HERE / project.name,
            env=run.environment(work / "temporary"),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if not (work / "results.trx").exists():
            sys.exit(done.stdout)
        found = read(work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    wrong = list(wrong_with(found, leaking, done.returncode, project))
    for line in wrong:
        print(line)
    print(f"{len(found)} samples as tests, {leaking} of them leak: {len(wrong)} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
