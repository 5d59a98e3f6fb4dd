"""Check what documents say: check_docs.py links FILE... | csv FILE TABLE... | files FILE...
    | versions HEADER FILE...

links: every relative link leads to a file that is there and, of Markdown, to a heading.
csv:   the header of each TABLE (NAME=PATH) is what the row of NAME in FILE's table of headers lists.
files: sources, tests and scripts that a document names are there; src/*.c stands for several.
versions: ranges of .NET that begin with the oldest that is read end with the newest one of HEADER's constants: of Linux,
       of minidumps, or of Windows, the last one that is named before, or else after, or that the document is about."""
import csv
import fnmatch
import pathlib
import re
import sys


def without_blocks(text):
    return re.sub(r"^(```+|~~~+).*?^\1", "", text, flags=re.S | re.M)


def slug(heading):
    """As GitHub makes it."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower()).replace(" ", "-")


def anchors(path):
    names, times = set(), {}
    for heading in re.findall(r"^#{1,6} (.*)$", without_blocks(path.read_text(encoding="utf-8")), flags=re.M):
        name = slug(heading)
        times[name] = times.get(name, -1) + 1
        names.add(f"{name}-{times[name]}" if times[name] else name)
    return names


def check_links(files):
    for path in map(pathlib.Path, files):
        for link in re.findall(r"\]\(([^)\s]+)\)", without_blocks(path.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, anchor = link.partition("#")
            target = path.parent / name if name else path
            if not target.exists():
                yield f"{path}: {link}: no such file"
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                yield f"{path}: {link}: no such heading"


def check_csv(document, tables):
    rows = dict(re.findall(r"^\| `([a-z]+)` \| (.*) \|$",
                           pathlib.Path(document).read_text(encoding="utf-8").split("## CSV")[1], flags=re.M))
    for name, path in (table.split("=", 1) for table in tables):
        with open(path, encoding="utf-8", newline="") as f:
            header = next(csv.reader(f))
        # Remarks in brackets name things in code as well; of several snapshots the second one begins, and a
        # command may have several tables.
        told = re.findall(r"`(\w+)`", re.sub(r"\([^()]*\)", "", rows[name]))
        goes_on = told[-1].endswith("_2")
        tables_told = [told[i:i + len(header)] for i in range(len(told))]
        if told != header[:len(told)] if goes_on else header not in tables_told:
            yield f"{document}: {name}: the header is {', '.join(header)}, not {', '.join(told)}"


# Where a name without its folder may lie, and what a name in a document looks like.
FOLDERS = [".ci", ".github", "docs", "fixtures", "include", "scripts", "src", "tests"]
NAMED = re.compile(r"(?:(?:\.ci|\.github|docs|fixtures|include|scripts|src|tests)/[\w.*/-]+|[\w*-]+\.(?:[ch]|bats|py))")


def check_files(documents):
    there = [path for folder in FOLDERS for path in pathlib.Path(folder).rglob("*")]
    names = {path.name for path in there}
    # elf.h is not ours.
    for path in there:
        if path.parts[0] == "src" and path.suffix in (".c", ".h"):
            names |= set(re.findall(r"^#include <(?:\w+/)*(.*)>", path.read_text(encoding="utf-8"), flags=re.M))
    for document in documents:
        text = without_blocks(pathlib.Path(document).read_text(encoding="utf-8"))
        for name in sorted(set(filter(NAMED.fullmatch, re.findall(r"`([^`\n]+)`", text)))):
            found = any(pathlib.Path().glob(name)) if "/" in name else fnmatch.filter(names, name)
            if not found:
                yield f"{document}: {name}: no such file"


def check_versions(header, documents):
    constants = dict(re.findall(r"^#define RUNTIME_(\w+) (\d+)$", pathlib.Path(header).read_text(encoding="utf-8"), flags=re.M))
    ranges = re.compile(rf"\.NET (?:Core 3\.0|{constants['OLDEST']}) to (?:\.NET )?(\d+)")
    for document in documents:
        text, end = pathlib.Path(document).read_text(encoding="utf-8"), 0
        for found in ranges.finditer(text):
            line_begin, line_end = text.rfind("\n", 0, found.start()) + 1, text.find("\n", found.end())
            before, after = text[max(line_begin, end):found.start()], text[found.end():line_end]
            systems = [re.findall(r"Linux|Windows|minidump", part, flags=re.I) for part in (before, after)]
            named = (systems[0][-1:] or systems[1][:1] or [document])[0].lower()
            newest = constants["NEWEST_MINIDUMP" if "minidump" in named else "NEWEST_WINDOWS" if "windows" in named else "NEWEST"]
            if found[1] != newest:
                yield f"{document}: {found[0]}: the newest is {newest}"
            end = found.end()


def main():
    kind, *rest = sys.argv[1:]
    checks = {"links": lambda: check_links(rest), "csv": lambda: check_csv(rest[0], rest[1:]),
              "files": lambda: check_files(rest), "versions": lambda: check_versions(rest[0], rest[1:])}
    wrong = list(checks[kind]())
    print("\n".join(wrong), file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
