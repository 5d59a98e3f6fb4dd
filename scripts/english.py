#!/usr/bin/env python3
"""Counts habits that make our English hard to read, so that they become fewer.

    scripts/english.py             print the table
    scripts/english.py HABIT       print the places of a habit, as FILE:LINE: TEXT
    scripts/english.py --check     fail if a count is higher than in scripts/english.txt
    scripts/english.py --update    write the counts to scripts/english.txt

Looks at comments of src, include and tests, strings of src, documents, and names of tests, below the current
folder. A count is of words, not of mistakes: "who" is right for people. Text in `backquotes` is code."""
import bisect
import pathlib
import re
import subprocess
import sys

COUNTS = pathlib.Path("scripts/english.txt")
AREAS = ("src", "include", "strings", "docs", "tests")
MAX_PLACES = 20  # printed of a count that rose

OPENS = r"(?:^|[.;:] )"


def words(*alternatives):
    return rf"\b(?:{'|'.join(alternatives)})\b"


# A clause in place of a noun, a verb of people for code, a number or a noun that is missing, and so on.
HABITS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in {
    "clause-opens": OPENS + words("What", "Whatever", "Who", "Whoever", "Whose") + r"(?![^.\n]*\?)",
    "clause-after-preposition": words("of", "by", "for", "to", "in", "from", "with", "than", "and", "at", "as", "on", "or", "but",
                                      "above", "below", "behind", "beside") + " " + words("what", "whatever", "who", "whoever"),
    "code-tells": words("untold", r"(?:tells?|told|telling)\b(?![^.;\n]{0,40}\b(?:apart|from)\b)"),
    "code-says": words("says?", "said", "saying", "speaks?"),
    "things-stand": words("stands?", "stood", "standing", "lies?", "lay"),
    "things-come": words("comes?", "came", "coming", "goes", "go", "going", "went", "gone"),
    "so-many": words("(?:so|that|as) (?:many|much)"),
    "of-opens": OPENS + r"Of [a-z]",
    "of-them": words("of (?:it|them|these|those|that|such|one)"),
    "negative": words("none", "nobody", "nothing", "nowhere", "neither", "somebody", "anybody",
                      r"(?:is|are|was|were|be) no (?!longer\b|more\b)\w+"),
    "behind-beside": words("behind", "besides?"),
    "code-as-people": words("who", "whoever", "whose", "whom"),
    "stage-adverb": words("anew", "once more", "for ever", "all the same", "none the less", "as a rule", "for want of", "meanwhile",
                          "at once", "the like", "their like", "by itself"),
    "take-keep-give-put": words("takes?", "taken", "took", "taking", "keeps?", "kept", "gives?", "given", "gave", "puts?"),
    "but-for-except": words("but for", "all but", "nothing but", "but (?:of|in|with|those|the first|the last|one)"),
}.items()}

COMMENT_OR_STRING = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
TEST_NAME = re.compile(r'^(?:@test "(.*)" *\{|Test\(\w+, *(\w+))', re.MULTILINE)
NEW_BLOCK = re.compile(r"\s*(?:[*-] |\d+\. |\||#)")


def texts_of_c(source, area):
    """-> area, position, text: comments; strings of src that are more than a word."""
    for found in COMMENT_OR_STRING.finditer(source):
        text = found[0]
        if text[0] == "/":
            yield area, found.start(), re.sub(r"\n\s*\* ?", "\n", text.strip("/*"))
        elif text[0] == '"' and area == "src" and len(text) > 12 and " " in text:
            yield "strings", found.start(), text[1:-1]


def texts_of_document(source):
    """Paragraphs, items of lists and rows of tables, without blocks of code."""
    position, begin, block, in_code = 0, 0, [], False
    for line in source.splitlines(keepends=True) + ["\n"]:
        fence = line.startswith("```")
        if block and (fence or not line.strip() or NEW_BLOCK.match(line)):
            yield "docs", begin, "".join(block)
            block = []
        if not fence and not in_code and line.strip():
            begin = begin if block else position
            block.append(line)
        in_code ^= fence
        position += len(line)


def texts_of_test_names(source):
    for found in TEST_NAME.finditer(source):
        yield "tests", found.start(), (found[1] or found[2]).replace("_", " ")


def files():
    """-> path, function that yields its texts."""
    for area in ("src", "include", "tests"):
        for path in sorted(pathlib.Path(area).rglob("*")):
            if path.suffix in (".c", ".h"):
                yield path, lambda source, area=area: texts_of_c(source, area)
            if area == "tests" and path.suffix in (".c", ".bats"):
                yield path, texts_of_test_names
    for path in sorted([*pathlib.Path().glob("*.md"), *pathlib.Path("docs").rglob("*")]):
        if path.suffix in (".md", ".scd"):
            yield path, texts_of_document


class Habits:
    """All texts of a file and area are searched together, one in a line."""

    def __init__(self):
        self.counts = {name: dict.fromkeys(AREAS, 0) for name in HABITS}
        self.searched = []  # path, area, source, positions of texts in it, their lines joined
        for path, texts_of in files():
            source = path.read_text(encoding="utf-8", errors="replace")
            by_area = {}
            for area, position, text in texts_of(source):
                by_area.setdefault(area, []).append((position, " ".join(re.sub("`[^`]*`", "`", text).split())))
            for area, texts in by_area.items():
                joined = "\n".join(text for _, text in texts)
                self.searched.append((path, area, source, [position for position, _ in texts], joined))
                for name, pattern in HABITS.items():
                    self.counts[name][area] += len(pattern.findall(joined))

    def places(self, habit, only_area=None):
        """-> path, first and last line of the text, the text."""
        for path, area, source, positions, joined in self.searched:
            if only_area in (None, area):
                ends = [m.start() for m in re.finditer(r"\n|\Z", joined)]
                for found in HABITS[habit].finditer(joined):
                    index = bisect.bisect_left(ends, found.end())
                    text = joined.split("\n")[index]
                    first = source.count("\n", 0, positions[index]) + 1
                    after = positions[index + 1] if index + 1 < len(positions) else len(source)
                    yield path, first, min(source.count("\n", 0, after) + 1, first + len(text) // 40 + 1), text

    def table(self):
        yield "# Written by scripts/english.py --update.\n"
        yield f"{'#':<26}" + "".join(f"{area:>9}" for area in AREAS) + "\n"
        for name, counts in self.counts.items():
            yield f"{name:<26}" + "".join(f"{counts[area]:>9}" for area in AREAS) + "\n"


def read_counts():
    lines = (line.split() for line in COUNTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {name: dict(zip(AREAS, map(int, numbers))) for name, *numbers in lines}


def git(*arguments):
    try:
        return subprocess.run(["git", *arguments], capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""


def lines_added():
    """-> {path: numbers of lines} that were added since the counts were written; empty without a repository."""
    added, path = {}, None
    base = git("log", "-1", "--format=%H", "--", str(COUNTS)).strip()
    for line in git("diff", "--unified=0", "--no-color", base).splitlines() if base else ():
        if line.startswith("+++ "):
            path = line[6:]
        elif hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            added.setdefault(path, set()).update(range(first, first + count))
    return added


def check(habits):
    allowed, rose, fell, added = read_counts(), False, 0, None
    for name, counts in habits.counts.items():
        for area, count in counts.items():
            limit = allowed.get(name, {}).get(area, 0)
            fell += max(0, limit - count)
            if count <= limit:
                continue
            rose = True
            print(f"english: {name} in {area}: {count}, {COUNTS} has {limit}")
            added = lines_added() if added is None else added
            new = [f"{path}:{first}: {text[:160]}" for path, first, last, text in habits.places(name, area)
                   if not added.get(str(path), set()).isdisjoint(range(first, last + 1))]
            print("\n".join(new[:MAX_PLACES]), end="\n" if new else "")
    if fell and not rose:
        print(f"english: {fell} fewer than {COUNTS} has: scripts/english.py --update lowers it")
    return 1 if rose else 0


def main():
    wanted = sys.argv[1] if len(sys.argv) == 2 else ""
    if len(sys.argv) > 2 or wanted not in ("", "--check", "--update", *HABITS):
        sys.exit(__doc__)
    habits = Habits()
    if wanted == "--check":
        sys.exit(check(habits))
    if wanted == "--update":
        COUNTS.write_text("".join(habits.table()), encoding="utf-8")
    elif wanted:
        for path, first, _, text in habits.places(wanted):
            print(f"{path}:{first}: {text[:200]}")
    else:
        print("".join(habits.table()), end="")


if __name__ == "__main__":
    main()
