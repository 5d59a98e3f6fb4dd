#!/usr/bin/env python3
"""Kills a test that waits between its two snapshots, as a build server would: nothing is left.

    killed.py FRAMEWORK host|group

host: the process of the tests, whose heap is looked at; group: it and all that started it. Two
seconds later there is no heapdrift that looked at it, and nothing of heapdrift in the temporary
folder. The projects must be built: run.py does that.
"""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import run

# The pipes of a killed `dotnet test`.
OTHERS = ("CONTROLTOHOST_", "MONITORTOHOST_")
PATIENCE = 2


def wait_for(path, seconds=60):
    """-> the number in the file, when it is there"""
    for _ in range(seconds * 10):
        if path.exists() and path.read_text().isdigit():
            return int(path.read_text())
        time.sleep(0.1)
    sys.exit("the test does not begin")


def collectors(of):
    """-> process ids of those that take snapshots of a process"""
    found = []
    for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes().split(b"\0")
        except OSError:
            continue
        if b"collect" in words and str(of).encode() in words:
            found.append(int(line.parent.name))
    return found


def main(framework, whom):
    work = pathlib.Path(tempfile.mkdtemp())
    temporary, waits = work / "temporary", work / "waits"
    temporary.mkdir()
    tests = subprocess.Popen(
        run.PROJECTS[framework].command(work / "results", only="Waits_"),
        cwd=run.HERE / framework,
        env=run.environment(temporary, SHOP_WAITS=str(waits)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        host = wait_for(waits)
        # Else there would be nothing to be left.
        if not collectors(host) or not any(p.name.startswith("heapdrift-") for p in temporary.iterdir()):
            return f"no heapdrift looks at {host}; the temporary folder has {sorted(os.listdir(temporary))}"
        if whom == "host":
            os.kill(host, signal.SIGKILL)
        else:
            os.killpg(tests.pid, signal.SIGKILL)
        time.sleep(PATIENCE)
        left = [name for name in run.left(temporary) if not name.startswith(OTHERS)]
        return f"left: {left}, processes {collectors(host)}" if left or collectors(host) else None
    finally:
        try:
            os.killpg(tests.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        tests.wait()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in run.PROJECTS or sys.argv[2] not in ("host", "group"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
