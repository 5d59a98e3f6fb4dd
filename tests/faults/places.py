"""Places in which the program finds less than it is used to: a small disk, no /proc, no /tmp, a
folder that nobody may write to, limits; and files that are cut while they are mapped.

What is mounted needs root; it is seen in the mount namespace of the sweep only."""
import os
import resource
import subprocess

from program import Fault
from classes import CLASSES, counts_of, preloaded

# What the disk, a file, the memory may take; a step of a fifth from one to the next.
MIN_DISK, MAX_DISK = 4096, 1 << 20
MIN_FILE, MAX_FILE = 64, 1 << 20
MIN_MEMORY, MAX_MEMORY = 30 << 20, 400 << 20


def steps(least, most, sweep):
    factor = 2 if sweep.chosen.few else 1.2
    while least < most:
        yield int(least)
        least *= factor


def can_mount():
    return os.environ.get("FAULTS_APART") == "yes"


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def unmount(folder):
    subprocess.run(["umount", "-l", folder], check=True)


def in_shell(text, script, **how):
    return Fault(text, before=("unshare", "-m", "sh", "-ec", f'{script}; exec "$@"', "sh"), **how)


# --- what there is of the file system ----------------------------------------------------------

def full_disk(sweep, command, _):
    if not can_mount():
        return
    for folder in sweep.program.out, sweep.program.tmp:
        if folder == sweep.program.tmp and command.needs == "process":
            continue  # its socket is there
        for size in steps(MIN_DISK, MAX_DISK, sweep):
            # A page for each file from before.
            pages = size // 4096 + len(command.files)
            mount("-t", "tmpfs", "-o", f"size={pages * 4096}", "tmpfs", folder)
            try:
                yield Fault(f"{pages} pages of disk for {os.path.basename(folder)}")
            finally:
                unmount(folder)


def missing(sweep, command, _):
    """No /proc, one without other processes, no /tmp, nothing that may be written to."""
    if not can_mount():
        return
    out, tmp = sweep.program.out, sweep.program.tmp
    yield in_shell("empty /proc", "mount -t tmpfs none /proc")
    yield in_shell("no folder for temporary files", "mount -t tmpfs -o ro none /tmp",
                   env={"TMPDIR": "/nowhere"})
    yield in_shell("no /dev", "exec 9<>/dev/null; mount -t tmpfs none /dev")
    yield in_shell("a folder that may not be written to",
                   f"mount --bind {out} {out}; mount -o remount,ro,bind {out}")
    if command.needs != "process":
        yield in_shell("a TMPDIR that may not be written to",
                       f"mount --bind {tmp} {tmp}; mount -o remount,ro,bind {tmp}")


# --- limits --------------------------------------------------------------------------------------

def limit(which, value):
    def set_it():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(which, (value, value))
    return set_it


def limits(sweep, command, _):
    for size in steps(MIN_FILE, MAX_FILE, sweep):
        yield Fault(f"files of at most {size} bytes", limits=limit(resource.RLIMIT_FSIZE, size),
                    hits_output=True, hits_errors=size < 4096)
    for count in range(3, 16):
        yield Fault(f"at most {count} open files", limits=limit(resource.RLIMIT_NOFILE, count),
                    may_end_otherwise=count < 4)
    for size in steps(MIN_MEMORY, MAX_MEMORY, sweep):
        yield Fault(f"at most {size} bytes of address space", limits=limit(resource.RLIMIT_AS, size),
                    may_end_otherwise=size < (60 << 20))


# --- files that are cut --------------------------------------------------------------------------

def cut(sweep, command, _):
    """Each file that is mapped is emptied as soon as it is. They come from a spare copy."""
    below = {"CUT_BELOW": sweep.program.folder}
    if command.needs not in ("", "core"):
        return
    for n in range(1, counts_of(sweep, command, **below)[2] + 1):
        with sweep.program.spare():
            fault = preloaded(sweep, f"cut file no. {n}", CUT_AT=str(n), **below)
            fault.behind = ("--no-sandbox",)
            yield fault


CLASSES.update({"disk": full_disk, "missing": missing, "limits": limits, "cut": cut})
