"""A store of a service whose processes live for five hours, on two hosts: short_lives.py HEAPDRIFT STORE FOLDER

Sixteen runs, eight on each host, one after the other; a snapshot an hour. App.Order piles up
by the same rate in each, until the heap is beyond its limit. Files do not tell one process of a
host from the next, so each is recorded as a host of its own, and named by SQL."""
import os
import pathlib
import sqlite3
import subprocess
import sys

heapdrift, store, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
START, HOUR, LIFE, RUNS = 1794700800, 3600, 5, 8
TYPES = "t 1 App.Settings\nt 2 App.Setting\nt 3 App.Orders\nt 4 App.Order\n"


def pool(first, holder, kind, count, size):
    items = range(first + 1, first + 1 + count)
    lines = [f"o {first:x} {holder:x} {16 + 8 * count:x} " + " ".join(f"{i:x}" for i in items)]
    return "\n".join(lines + [f"o {i:x} {kind:x} {size:x}" for i in items]
                     + [f"r {first:x} 4 0 {holder:x}"]) + "\n"


def heap(orders, stamp):
    return (f"a 2 App.exe {stamp:x}\n" + TYPES + pool(1, 1, 2, 100, 64) +
            pool(1000, 3, 4, orders, 96) + "c App.exe 1\n")


for host in range(2):
    for run in range(RUNS):
        here = folder / f"{host}-{run}"
        here.mkdir()
        begun = START + run * LIFE * HOUR + host * 1800
        for k in range(LIFE):
            path, taken = here / f"{k}.txt", begun + 600 + k * HOUR
            path.write_text(heap(10 + 40 * k + host, (taken - START) * 1000 + 1), encoding="ascii")
            os.utime(path, (taken, taken))
        subprocess.run([heapdrift, "record", "-q", f"--store={store}", "--service=Shop", "--build=1.0",
                        f"--host={host}-{run}", "--limit=24000", here], check=True, stdout=subprocess.DEVNULL)

db = sqlite3.connect(store)
for series, name in db.execute("SELECT id, host FROM series").fetchall():
    host, run = name.split("-")
    db.execute("UPDATE series SET host = ?, pid = ?, started_at = ? WHERE id = ?",
               (f"host-{host}", int(run) + 1, START + int(run) * LIFE * HOUR + int(host) * 1800, series))
db.commit()
