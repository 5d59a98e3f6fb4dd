#!/usr/bin/env python3
"""Which tests run which functions of src/: covered.py BUILD

BUILD is a build with --coverage, as `make coverage` makes it. Every suite of the unit tests and
every test of the command line runs by itself, as many side by side as there are processors, with
counters of its own; BUILD/map.json says afterwards which functions each has run, and how long it
took:

    {"seconds": {RUN: N}, "functions": {FILE: [[FIRST LINE, LAST LINE, [RUN, ...]], ...]}}

The counters of all are then added up in BUILD, for gcovr. What is there of an earlier run stays:
without BUILD/runs all are run again."""
import concurrent.futures
import json
import operator
import os
import shutil
import struct
import sys
import time

from runs import Tests, bats_tests, suites

FUNCTION, COUNTS, SUMMARY = 0x01000000, 0x01A10000, 0xA1000000
NOTES, DATA = b"oncg", b"adcg"  # the magic numbers, as little-endian processors write them


def words_of(path, magic):
    """The records of a file of gcov: (tag, bytes). A negative length is that many zeros."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:4] != magic:
        return
    # Magic, version, stamp, checksum; in notes the folder and whether blocks may be unexecuted follow.
    at = 16
    if magic == NOTES:
        at += 4 + struct.unpack_from("<I", data, at)[0] + 4
    while at + 8 <= len(data):
        tag, length = struct.unpack_from("<Ii", data, at)
        at += 8
        yield tag, data[at:at + max(length, 0)]
        at += max(length, 0)


def functions_of(notes):
    """{number: (source, first line, last line)} of one object."""
    found = {}
    for tag, data in words_of(notes, NOTES):
        if tag != FUNCTION:
            continue
        number, = struct.unpack_from("<I", data)
        at = 12
        length, = struct.unpack_from("<I", data, at)
        at += 4 + length + 4  # the name, and whether the compiler made it
        length, = struct.unpack_from("<I", data, at)
        source = data[at + 4:at + 4 + length].rstrip(b"\0").decode()
        first, _, last = struct.unpack_from("<III", data, at + 4 + length)
        found[number] = (source, first, last)
    return found


def executed(counters):
    """Numbers of the functions of which anything was counted."""
    number = None
    for tag, data in words_of(counters, DATA):
        if tag == FUNCTION and len(data) >= 4:
            number, = struct.unpack_from("<I", data)
        elif tag == COUNTS and any(data):
            yield number


def files_below(folder, suffix):
    for path, _, names in os.walk(folder):
        for name in names:
            if name.endswith(suffix):
                yield os.path.relpath(os.path.join(path, name), folder)


class Map:
    def __init__(self, build):
        objects = os.path.join(build, "src")
        self.notes = {path[:-5]: functions_of(os.path.join(objects, path))
                      for path in files_below(objects, ".gcno")}
        self.functions = {}
        self.seconds = {}

    def add(self, run, folder):
        """FOLDER has counters as BUILD/src has notes."""
        for path in files_below(folder, ".gcda"):
            functions = self.notes.get(path[:-5], {})
            for number in executed(os.path.join(folder, path)):
                if number in functions:
                    self.functions.setdefault(functions[number], set()).add(run)

    def written(self, path):
        files = {}
        for (source, first, last), runs in sorted(self.functions.items()):
            files.setdefault(source, []).append([first, last, sorted(runs)])
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"seconds": self.seconds, "functions": files}, file)


def counted(tests, group, runs, folder):
    """Let one run count into a folder of its own; how long it took."""
    done = os.path.join(folder, "seconds")
    if not os.path.exists(done):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        strip = len(tests.build.strip("/").split("/"))
        began = time.monotonic()
        if not tests.pass_together(runs, 3600, GCOV_PREFIX=folder, GCOV_PREFIX_STRIP=str(strip)):
            print(f"{group}: fails where it is counted", flush=True)
        with open(done, "w", encoding="utf-8") as file:
            print(time.monotonic() - began, file=file)
    with open(done, encoding="utf-8") as file:
        return float(file.read())


class Sum:
    """The counters of one object in all runs, by function."""

    def __init__(self, head):
        self.head, self.summary, self.functions = head, b"", {}

    def add(self, path):
        function = None
        for tag, body in words_of(path, DATA):
            if tag == FUNCTION:
                function = self.functions.setdefault(body, []) if body else None
            elif tag == SUMMARY:
                self.summary = body
            elif tag == COUNTS and function is not None and body:
                counts = struct.unpack(f"<{len(body) // 8}q", body)
                # A process that was killed may have left a part.
                if len(counts) > len(function):
                    function[:] = counts
                elif len(counts) == len(function):
                    function[:] = map(operator.add, function, counts)

    def written(self, path):
        with open(path, "wb") as file:
            file.write(self.head)
            file.write(struct.pack("<Ii", SUMMARY, len(self.summary)) + self.summary)
            for function, counts in self.functions.items():
                if not counts:
                    continue  # never run
                file.write(struct.pack("<Ii", FUNCTION, len(function)) + function)
                file.write(struct.pack(f"<Ii{len(counts)}q", COUNTS, 8 * len(counts), *counts))
            file.write(struct.pack("<I", 0))


def add_up(build, folders):
    """The counters of all runs, where gcovr looks for them. gcov-tool would merge two folders at a
    time, and take ten times as long."""
    sums = {}
    for folder in folders:
        for path in files_below(folder, ".gcda"):
            with open(os.path.join(folder, path), "rb") as file:
                head = file.read(16)
            if path not in sums:
                sums[path] = Sum(head)
            if sums[path].head[:12] == head[:12]:  # of the same build
                sums[path].add(os.path.join(folder, path))
    for path, total in sums.items():
        total.written(os.path.join(build, "src", path))


def main():
    build = os.path.abspath(sys.argv[1])
    root = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
    tests = Tests(root, os.path.relpath(build, root))
    groups = {f"unit-{suite}": [f"unit-{suite}"] for suite in suites(tests.program)}
    groups.update({f"cli-{file}": [f"cli-{file}/0"] for file in bats_tests(root)})
    groups["sweep"] = ["sweep"]
    # The longest first: it does little but wait.
    groups = {"faults": ["faults"], **groups}
    folders = {group: os.path.join(build, "runs", group) for group in groups}
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        jobs = {group: pool.submit(counted, tests, group, runs, folders[group])
                for group, runs in groups.items()}
    found = Map(build)
    counted_in = []
    for group, job in jobs.items():
        parts = sorted(part for part in os.listdir(folders[group]) if part.isdigit())
        # What a file of tests does outside of them belongs to all of them.
        for part in (*parts, "."):
            folder = os.path.join(folders[group], part, "src")
            if os.path.isdir(folder):
                run = group if not group.startswith("cli-") else f"{group}/{part.replace('.', '0')}"
                found.seconds[run] = job.result() / max(1, len(parts))
                if group != "faults":  # far too slow to be run for each mutant
                    found.add(run, folder)
                counted_in.append(folder)
    found.written(os.path.join(build, "map.json"))
    add_up(build, counted_in)


if __name__ == "__main__":
    main()
