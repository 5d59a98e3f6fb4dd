#!/usr/bin/env python3
"""Hold the names of all types of a Native AOT process against those that it has for them.

native_aot.py HEAPDRIFT PROGRAM FOLDER
"""
import csv
import io
import re
import subprocess
import sys

heapdrift, program, folder = sys.argv[1:]


def rows(*arguments):
    out = subprocess.run([heapdrift, "top", "-q", "-n0", "--format=csv", *arguments], check=True, capture_output=True, text=True).stdout
    return [row[0] for row in csv.reader(io.StringIO(out))][1:]


def canonical(names):
    """As heapdrift spells them, by a table of them."""
    table = f"{folder}/names.csv"
    with open(table, "w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["type", "count", "bytes"])
        writer.writerows([name, 1, 24] for name in names)
    return set(rows(table))


def statics():
    """What holds static variables is no type: to ask for it ends the program."""
    listing = subprocess.run(["nm", program + ".dbg"], check=True, capture_output=True, text=True).stdout
    return {int(line.split()[0], 16) for line in listing.splitlines() if "__GCStaticEEType_" in line}


def ask(process, pid, numbers):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        base = int(next(maps).split("-")[0], 16)
    names = []
    for number in numbers:
        process.stdin.write(f"{base + number:x}\n")
        process.stdin.flush()
        names.append(process.stdout.readline().rstrip("\n"))
    return names


def compare(what, found, truth, share):
    named = {name for name in found if not name.startswith(("TypeID(", "<static variables>"))}
    right = named & truth
    print(f"{what}: {len(right)} of {len(truth)} right, wrong: {sorted(named - truth)[:9]}")
    if len(right) < share * len(truth) or (share == 1 and named != right):
        sys.exit(f"{what}: too few of {sorted(truth - named)[:9]}")


def main():
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            process.stdout.readline()
            pid = str(process.pid)
            for name in ("live.gcdump", "plain.nettrace"):
                subprocess.run([heapdrift, "collect", "-q", pid, "-o", f"{folder}/{name}"], check=True)
            plain = f"{folder}/plain.nettrace"
            numbers = [int(re.fullmatch(r"TypeID\(0x([0-9a-f]+)\)", row)[1], 16) for row in rows(plain)]
            asked = sorted(set(numbers) - statics())
            truth = canonical(name for name in ask(process, pid, asked) if name != "?")
        finally:
            process.kill()
    compare("live", rows(f"{folder}/live.gcdump"), truth, 1)
    compare("program", rows(f"--symbols={program}", plain), truth, 1)
    compare("symbols", rows(f"--symbols={program}.dbg", plain), truth, 0.97)


main()
