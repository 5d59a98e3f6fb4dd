"""Pages to look at, made of fixtures and of tables that are written here; each once."""
import json
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
HEAPDRIFT = os.environ.get("HEAPDRIFT", os.path.join(ROOT, "build/heapdrift"))

folder = tempfile.TemporaryDirectory(prefix="heapdrift-pages-")


def page_of(name, *arguments):
    """A page, made once."""
    path = os.path.join(folder.name, name + ".html")
    if not os.path.exists(path):
        subprocess.run([HEAPDRIFT, *arguments, "-q", "-o", path], cwd=ROOT, check=True)
    return path


def table_file(name, types, **snapshot):
    path = os.path.join(folder.name, name)
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"schema": "heapdrift-top", "schema_version": 1, "snapshot": snapshot,
                   "types": [{"type": t, "count": c, "bytes": b} for t, c, b in types]}, f)
    return path


def leak():
    return page_of("leak", "report", "fixtures/leaklab/cache")


def two():
    """Of the suspects between these one holds another."""
    return page_of("two", "report", "fixtures/leaklab/cache/0.gcdump.gz", "fixtures/leaklab/cache/5.gcdump.gz")


def two_tables():
    return page_of("two-tables", "report", "--tables-only", "fixtures/leaklab/cache/0.gcdump.gz",
                   "fixtures/leaklab/cache/5.gcdump.gz")


def slow():
    """Few come among many that were there before, and nearly all of them stay."""
    return page_of("slow", "report", "fixtures/leaklab2/tenants-slow")


def hidden():
    return page_of("hidden", "report", "--exclude=*Session*", "fixtures/leaklab/cache")


def followed():
    """Its collector told who stayed."""
    return page_of("followed", "report", "fixtures/followed")


def events():
    return page_of("events", "report", "fixtures/leaklab/events")


def healthy():
    return page_of("healthy", "report", "fixtures/leaklab/none")


def single():
    return page_of("single", "report", "fixtures/leaklab/cache/5.gcdump.gz")


def single_object():
    return page_of("object", "object", "--format=html", "fixtures/leaklab/cache/5.gcdump.gz", "#85986")


def roots():
    return page_of("roots", "roots", "--format=html", "--type=Shop.Sessions.Session", "fixtures/leaklab/cache/5.gcdump.gz")


def info():
    return page_of("info", "info", "--format=html", "fixtures/leaklab/cache")


def good():
    return page_of("good", "report", "fixtures/leaklab2/archive")


def tables():
    return page_of("tables", "report", "--tables-only", "fixtures/leaklab/cache")


def with_values(name, unit, values):
    """The leak's page, in which its suspect has other numbers."""
    with open(leak(), encoding="utf-8") as f:
        page = f.read()
    path = os.path.join(folder.name, name + ".html")
    with open(path, "w", encoding="utf-8") as f:
        f.write(re.sub(r'data-unit="\w+" data-values="[^"]*"', f'data-unit="{unit}" data-values="{values}"', page, count=1))
    return path


def with_process(name, process):
    """The leak's page, of a process with these figures."""
    with open(leak(), encoding="utf-8") as f:
        page = f.read()
    path = os.path.join(folder.name, name + ".html")
    with open(path, "w", encoding="utf-8") as f:
        f.write(re.sub('(id="report-data">)(.*?)(</script>)', lambda m: m[1] + json.dumps(
            {**json.loads(m[2]), "process": process}).replace("<", "\\u003c") + m[3], page, count=1))
    return path


MIB = 1 << 20


def process_of(**changes):
    """Native memory grows, free between objects is unknown, and so is the size in snapshot 3."""
    parts = {"objects": [1, 2, None, 4, 5, 5], "free": [None] * 6, "collector": [20, 19, None, 17, 16, 16],
             "code": [3] * 2 + [None] + [3] * 3, "stacks": [1, 1, None, 1, 1, 1], "files": [30, 30, None, 30, 30, 30],
             "native": [10, 20, None, 40, 50, 60]}
    in_bytes = {key: [n if n is None else n * MIB for n in at] for key, at in parts.items()}
    size_at = [None if k == 2 else sum(at[k] or 0 for at in in_bytes.values()) for k in range(6)]
    return {"size": size_at, "parts": in_bytes, "threads": [7, 7, None, 8, 8, 9], "growth": size_at[5] - size_at[0],
            "explained": 0.08, "where": "native", "within": "of_brk", "outside": True, "hint": "native-memory-grows",
            "holder": None, **changes}


def process():
    return with_process("process", process_of())


def sizes():
    """Types that grow by what is hard to round."""
    near = [round(x * 1024 ** unit) + d for unit in range(6) for d in (-1, 0, 1)
            for x in (1, 1.5, 9.994, 9.995, 9.996, 56.25, 99.94, 99.95, 99.96, 100.5, 101.5, 999.4, 999.5, 1000, 1023.5)]
    grown = sorted({n for n in near if 0 < n < 2 ** 53})
    files = [table_file(f"sizes-{k}.json", [(f"Size{n}", 1, 10 + n * k) for n in grown]) for k in range(2)]
    return page_of("sizes", "report", "-n0", *files)


def size(n):
    """As the page and text write it."""
    unit = 0
    while n >= (999.5 if unit else 1024):
        n, unit = n / 1024, unit + 1
    digits = 0 if unit == 0 else 2 if n < 9.995 else 1 if n < 99.95 else 0
    return f"{n:.{digits}f} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[unit]}"


def bands_of(report, most=6):
    """What the chart of a report has to show, per snapshot."""
    parts = (report["growth"] or {}).get("parts")
    own = [s["own_bytes"] if parts else s["bytes"] for s in report["suspects"]]
    bands = {f"suspect {i}": values for i, values in enumerate(own[:most])}
    heap = report["totals"]["bytes"]
    told = [sum(values) for values in zip(*own[:most])] or [0] * len(heap)
    suspects = parts["suspects"] if parts else [sum(values) for values in zip(*own)] or told
    bands["other suspects"] = [a - b for a, b in zip(suspects, told)]
    if parts:
        bands |= {"pools and threads": parts["pools"], "rest": parts["rest"],
                  "not reachable": [a - b for a, b in zip(heap, report["totals"]["reachable_bytes"])]}
    else:
        bands["rest"] = [a - b for a, b in zip(heap, suspects)]
    return {key: values for key, values in bands.items() if any(values)}


def check():
    path = os.path.join(folder.name, "check.html")
    if not os.path.exists(path):
        subprocess.run([HEAPDRIFT, "check", "--max-growth=1KiB", "--budget=Shop.*=5", "--format=html", "-q",
                        "-o", path, "fixtures/leaklab/cache"], cwd=ROOT, check=False)
    return path


def fleet():
    """Two hosts and a service with a hostile name, from a store, in a folder with a page for the worst run of
    each suspect. The files tell no time but their
    own, which is one and the same where they were just cloned."""
    path = os.path.join(folder.name, "fleet", "index.html")
    store = os.path.join(folder.name, "fleet.db")
    if not os.path.exists(path):
        for service, host, series in (("Shop", "web-1", "cache"), ("Shop", "web-2", "none"),
                                      ("<img src=x onerror=alert(9)>", "\u202ehost", "events")):
            taken = shutil.copytree(os.path.join(ROOT, "fixtures/leaklab", series), os.path.join(folder.name, series))
            for k, name in enumerate(sorted(os.listdir(taken))):
                os.utime(os.path.join(taken, name), (1795219200 + 60 * k,) * 2)
            subprocess.run([HEAPDRIFT, "record", "-q", "--store=" + store, "--service=" + service, "--host=" + host,
                            taken], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([HEAPDRIFT, "fleet", "-q", "--store=" + store, "--since=all", "--min-span=0", "--by=host",
                        "--format=html", "-o", os.path.dirname(path) + "/"], cwd=ROOT, check=True)
    return path


HOSTILE = ["<img src=x onerror=alert(1)>", "</script><script>alert(2)</script>", "\"onmouseover=alert(3) x=\"",
           "A\u202eB.exe\u2066", "line\u2028end\u2029", "'; --", "&lt;b&gt;", "<!--", "]]>", "${alert(4)}",
           "javascript:alert(5)", "=1+1|cmd", "L" + "o" * 1_000_000 + "ng"]


def hostile():
    files = [table_file(f"hostile-{k}.json", [(t, 10 + 40 * k, (10 + 40 * k) * 100) for t in HOSTILE])
             for k in range(4)]
    return page_of("hostile", "report", *files)


def large(types=20000, snapshots=6):
    """Names as long as those of real programs."""
    files = [table_file(f"large-{k}.json", [
        (f"Contoso.Platform.Services.Module{i % 97}.Component{i}Handler<System.String,Contoso.Model.Item{i % 311}>",
         100 + (i * 7919) % 400 + k * (i % 5), (100 + (i * 7919) % 400 + k * (i % 5)) * (24 + 8 * (i % 9)) + (i * k) % 3 * (i % 20 == 0))
        for i in range(types)]) for k in range(snapshots)]
    return page_of(f"large-{types}-{snapshots}", "report", *files)


def many():
    """More suspects than anybody reads, of hostile names."""
    files = [table_file(f"many-{k}.json", [(f"{HOSTILE[i % 12]}{i}", 10 + 40 * k, (10 + (40 + i) * k) * 100) for i in range(74)])
             for k in range(5)]
    return page_of("many", "report", "--min-score=0.1%", "-n0", *files)


def fifty():
    """As many snapshots as there can be, at times that no tick falls on."""
    files = [table_file(f"fifty-{k}.json", [("App.Order", 100 + 90 * k, (100 + 90 * k) * 777), ("System.String", 5000, 9_000_000)],
                        process="shop", pid=4711, host="web-1.example", time=f"2026-11-22T{10 + k // 10}:{k % 10 * 6 + 1:02}:05")
             for k in range(50)]
    return page_of("fifty", "report", *files)


def seconds():
    """Five snapshots, two seconds apart."""
    files = [table_file(f"seconds-{k}.json", [("App.Order", 100 + 90 * k, (100 + 90 * k) * 777)], time=f"2026-11-22T01:03:{3 + 2 * k:02}")
             for k in range(5)]
    return page_of("seconds", "report", *files)


def unknown_bytes():
    files = [table_file(f"unknown-{k}.json", [("App.Order", 100 + 50 * k, None), ("System.String", 5000, None)]) for k in range(4)]
    return page_of("unknown-bytes", "report", *files)


def long_names():
    """Names of 300 characters everywhere, in a chain of twenty and a tree as deep."""
    def name(i):
        return f"Contoso.{'Platform.' * 20}Module{i}<System.String,Contoso.{'Model' * 15}.Item{i}>"[:300]
    paths = []
    for k in range(4):
        paths.append(os.path.join(folder.name, f"long-{k}.txt"))
        objects = 20 + 400 * (k + 1)
        with open(paths[-1], "w", encoding="utf-8") as f:
            f.write("a 2 Shop.exe 7ab86%x\n" % k + "".join(f"t {i + 1:x} {name(i)}\n" for i in range(21)))
            for i in range(20):
                leads_to = range(100 + 20, 100 + objects) if i == 19 else [100 + i + 1]
                f.write(f"o {100 + i:x} {i + 1:x} 40 " + " ".join(f"{to:x}" for to in leads_to) + "\n")
            f.write("".join(f"o {100 + i:x} 15 200\n" for i in range(20, objects)))
            f.write(f"r {100:x} 5 0\n" + "c Shop.exe 7ab87%x\n" % k)
    return page_of("long", "report", *paths)


ALL = {"leak": leak, "events": events, "healthy": healthy, "single": single, "tables": tables, "check": check,
       "slow": slow, "hostile": hostile, "fleet": fleet, "two": two, "two-tables": two_tables, "hidden": hidden,
       "followed": followed, "many": many, "fifty": fifty, "unknown-bytes": unknown_bytes, "long": long_names,
       "object": single_object, "roots": roots, "info": info, "process": process}
