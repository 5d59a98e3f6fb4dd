"""One number per fact: what text, Markdown, the page and JSON say of a series.

    check_numbers.py PROGRAM SNAPSHOT...

Takes the verdict, the tables, the page and the JSON of the same snapshots and compares what
each says of a suspect (counts, gain, share), of the heap, and of what leveled off. Numbers
of JSON are formatted here, so that the program's formatter is checked as well. Bands of the
chart must be disjoint and add up. Prints what differs; status 1 if anything does.
"""
import html
import json
import re
import subprocess
import sys

UNITS = ["B", "KiB", "MiB", "GiB", "TiB"]
SIZE = r"[+-]?[\d,.]+ (?:B|KiB|MiB|GiB|TiB)"
COUNTS = r"[\d,]+ → [\d,]+"
SHARE = r"<?[\d.]+ %"


def size(n):
    """Three digits, binary units."""
    if n < 1024:
        return f"{n} B"
    value, unit = n / 1024, 1
    while value >= 999.5 and unit + 1 < len(UNITS):
        value /= 1024
        unit += 1
    digits = 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{digits}f} {UNITS[unit]}"


def signed(n):
    return ("+" if n > 0 else "-" if n < 0 else "") + size(abs(n))


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{words}: status {done.returncode}: {done.stderr}")
    return done.stdout


def counts_of(suspect):
    known = [n for n in suspect["counted"] if n is not None]
    return f"{known[0]:,} → {known[-1]:,}"


def gain_of(diff, suspect):
    """What it and all that goes along retain more; of tables its shallow bytes."""
    if suspect["retained_delta"] is not None:
        return signed(suspect["retained_delta"])
    if diff["totals"]["bytes"][-1] is None:
        return None
    return signed(suspect["bytes"][-1] - suspect["bytes"][0])


def text_of(page):
    page = re.sub(r"<script.*?</script>|<style.*?</style>", " ", page, flags=re.S)
    return html.unescape(re.sub(r"<[^>]*>", " ", page))


def verdicts(text):
    """The LEAK and GREW lines, each as one."""
    lines, found = text.split("\n\n")[0].split("\n"), []
    for line in lines:
        if re.match(r"(LEAK|GREW|FAIL) ", line):
            found.append(line)
    return found


class Series:
    def __init__(self, program, paths):
        self.wrong = []
        self.text = run(program, "diff", "-v", "-q", "--width=0", *paths)
        self.brief = run(program, "diff", "-q", *paths)
        self.markdown = run(program, "diff", "-q", "--format=md", *paths)
        self.page = text_of(run(program, "report", "-q", "-o", "-", *paths))
        self.diff = json.loads(run(program, "diff", "-q", "--format=json", "-n", "0", *paths))

    def expect(self, where, fact, wanted, found):
        if wanted != found:
            self.wrong.append(f"{where}: {fact}: {found}, in JSON {wanted}")

    def expect_in(self, where, fact, wanted, text):
        if wanted not in text:
            self.wrong.append(f"{where}: no {fact} {wanted}")

    def check_verdict(self):
        for line, s in zip(verdicts(self.brief), self.diff["suspects"]):
            known = [n for n in s["counted"] if n is not None]
            same = known[-1] <= known[1 if len(known) > 2 else 0]
            counts, sizes = re.search(COUNTS, line), re.findall(SIZE, line)
            if not same:
                self.expect("verdict", "count", counts_of(s), counts and counts[0])
            if gain_of(self.diff, s) is not None:
                self.expect("verdict", "gain", gain_of(self.diff, s), sizes and sizes[0])

    def check_rows(self):
        """Ranked rows of the table, in text and Markdown, and the cards of the page."""
        row = rf"^ *(\d+) +({SIZE}) +({SHARE}) +({COUNTS})"
        cells = rf"^\| (\d+) \| ({SIZE}) \| ((?:&lt;)?[\d.]+ %) \| ({COUNTS})"
        tables = {"text": dict((m[1], m) for m in re.finditer(row, self.text, re.M)),
                  "Markdown": dict((m[1], m) for m in re.finditer(cells, self.markdown, re.M))}
        for s in self.diff["suspects"][:20]:
            for name, table in tables.items():
                m = table.get(str(s["rank"]))
                if m is None:
                    self.wrong.append(f"{name}: no row {s['rank']}")
                    continue
                self.expect(name, f"count of {s['rank']}", counts_of(s), m[4])
                self.expect(name, f"gain of {s['rank']}", gain_of(self.diff, s), m[2])
            self.expect_in("page", f"count of {s['rank']}", counts_of(s), self.page)
            self.expect_in("page", f"gain of {s['rank']}", gain_of(self.diff, s), self.page)

    def check_heap(self):
        totals = self.diff["totals"]["bytes"]
        if totals[0] is None or totals[-1] is None:
            return
        ends = f"{size(totals[0])} → {size(totals[-1])}"
        for name, text in (("text", self.brief), ("Markdown", self.markdown), ("page", self.page)):
            self.expect_in(name, "heap", ends, text)
        growth = signed(totals[-1] - totals[0])
        for name, text in (("text", self.text), ("Markdown", self.markdown), ("page", self.page)):
            self.expect_in(name, "growth of the heap", growth, text)

    def check_level(self):
        for s in self.diff["stopped"][:20]:
            gained = signed(int(s["growth"] + 0.5))
            for name, text in (("text", self.text), ("Markdown", self.markdown), ("page", self.page)):
                self.expect_in(name, f"gain of {s['subject']}", gained, text)

    def check_confidence(self):
        level = self.diff["confidence"]
        for name, text in (("text", self.brief), ("Markdown", self.markdown), ("page", self.page)):
            if not re.search(rf"confidence(\*\*:)?\s+{level}", text):
                self.wrong.append(f"{name}: confidence is not {level}")

    def check_bands(self):
        """What is a suspect's own, and no other's, adds up to the suspects' part, and the
        parts to the reachable heap."""
        growth = self.diff["growth"]
        if growth is None:
            return
        parts = growth["parts"]
        reachable = self.diff["totals"]["reachable_bytes"]
        for k, whole in enumerate(reachable):
            if parts["suspects"][k] is None:
                continue
            own = sum(s["own_bytes"][k] for s in self.diff["suspects"])
            self.expect("bands", f"suspects of {k}", parts["suspects"][k], own)
            self.expect("bands", f"sum of {k}", whole,
                        sum(parts[p][k] for p in ("suspects", "pools", "rest")))
        self.expect("growth", "sum", growth["bytes"],
                    growth["suspects"] + growth["pools"] + growth["rest"])

    def check(self):
        if self.diff["confidence"] is None or "confidence" not in self.brief:
            return self.wrong
        self.check_verdict()
        self.check_rows()
        self.check_heap()
        self.check_level()
        self.check_confidence()
        self.check_bands()
        return self.wrong


def main():
    wrong = Series(sys.argv[1], sys.argv[2:]).check()
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
