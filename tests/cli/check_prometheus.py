"""Check the text exposition format 0.0.4 of Prometheus: check_prometheus.py FILE

Every line is a HELP, a TYPE or a sample; a metric has one of each before its samples, which
follow each other; no two samples have one name and labels; the last line ends."""
import math
import re
import sys

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"'
SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)\}})? (\S+)")

text = open(sys.argv[1], encoding="utf-8", newline="").read()
assert text.endswith("\n") and "\r" not in text
helps, types, seen, done, current = set(), set(), set(), set(), None
for line in text[:-1].split("\n"):
    if line.startswith("# HELP "):
        name = re.fullmatch(rf"# HELP ({NAME}) [^\\]+", line).group(1)
        assert name not in helps, f"{name}: two helps"
        helps.add(name)
    elif line.startswith("# TYPE "):
        name, kind = re.fullmatch(rf"# TYPE ({NAME}) (gauge|counter)", line).groups()
        assert (kind == "counter") == name.endswith("_total"), line
        assert name in helps and name not in types, name
        types.add(name)
        done.add(current)
        current = name
    else:
        found = SAMPLE.fullmatch(line)
        assert found, f"no sample: {line}"
        name, labels, value = found.groups()
        assert name == current and name not in done, f"{name} does not stand together"
        assert (name, labels) not in seen, f"twice: {line}"
        seen.add((name, labels))
        assert value == "+Inf" or math.isfinite(float(value)), line
assert seen, "no sample"
print(f"{len(seen)} samples of {len(types)} metrics")
