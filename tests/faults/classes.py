"""Kinds of faults: each is a function that yields them for a command.

System calls are made to fail by strace, which also sees what libc does inside itself;
allocations, short transfers and cut files by tests/support/failing.c."""
import collections
import os
import random
import re
import resource
import signal
import subprocess

from program import Fault

# How many of a kind at most for one command: (usual, slow, of a few).
MOST = {"allocations": (3000, 300, 60), "calls": (5000, 1000, 60), "signals": (300, 150, 24),
        "short": (2000, 200, 20)}

# What a system call can say. Others: EIO.
ERRORS = {
    "read": ("EIO", "EINTR"), "pread64": ("EIO", "EINTR"), "recvfrom": ("ECONNRESET", "EINTR"),
    "recvmsg": ("ECONNRESET", "EINTR"),
    "write": ("EIO", "ENOSPC", "EINTR"), "pwrite64": ("EIO", "ENOSPC", "EINTR"),
    "writev": ("EIO", "ENOSPC"), "sendto": ("EPIPE", "EINTR"), "sendmsg": ("EPIPE", "EINTR"),
    "open": ("EACCES", "EMFILE"), "openat": ("EACCES", "EMFILE", "EINTR"),
    "mmap": ("ENOMEM",), "mremap": ("ENOMEM",), "mprotect": ("ENOMEM",),
    "rename": ("EACCES", "ENOSPC"), "unlink": ("EACCES",), "link": ("EACCES",), "linkat": ("EPERM", "ENOSPC"),
    "newfstatat": ("EACCES", "ENOMEM"), "fstat": ("EIO",), "close": ("EIO", "EINTR"),
    "clone3": ("EAGAIN",), "clone": ("EAGAIN",), "ptrace": ("EPERM", "ESRCH"),
    "process_vm_readv": ("EPERM", "ESRCH"), "connect": ("ECONNREFUSED", "EACCES"),
    "socket": ("EMFILE",), "poll": ("EINTR", "ENOMEM"), "ppoll": ("EINTR",),
    "memfd_create": ("EMFILE", "ENOSYS"), "signalfd4": ("EMFILE",), "mkdir": ("EACCES", "ENOSPC"),
    "wait4": ("EINTR",), "fallocate": ("ENOSPC",), "ftruncate": ("EIO",), "ioctl": ("ENOTTY",),
    "fcntl": ("EINVAL",), "lseek": ("ESPIPE",),
    "brk": (None,),  # has no errors: what it returns is less than what was asked for
}

# Those that cannot fail, that libc does not look at, or whose failure means nothing.
NEVER = {"exit", "exit_group", "execve", "rt_sigreturn", "futex", "set_robust_list", "rseq",
         "arch_prctl", "set_tid_address", "umask", "geteuid", "getuid", "getpid", "gettid", "getppid",
         "restart_syscall", "munmap", "madvise", "kill", "tgkill", "rt_sigprocmask", "rt_sigaction"}

WRITING = ("openat", "write", "fchmod", "close", "linkat", "rename", "unlink", "pread64", "poll", "mkdir")
SIGNALS = ("INT", "TERM", "HUP", "QUIT", "XCPU", "PIPE", "XFSZ")

CALL = re.compile(r"^(\d+) +([a-z0-9_]+)\((.*)")


def sample(items, command, kind, sweep):
    """All, or as many as there may be, evenly."""
    items = list(items)
    most = MOST[kind][2 if sweep.chosen.few else command.slow]
    if len(items) <= most:
        return items
    return [items[i * len(items) // most] for i in range(most)]


# --- system calls --------------------------------------------------------------------------

def strace(log, *how):
    return ("strace", "-f", "-q", "-q", "-o", log, *how)


def calls_of(sweep, command):
    """{name: numbers of the calls that may fail}, of those that a thread makes from main() on, which
    begins by ignoring SIGPIPE. With --sites the first and the last from each place, by its stack."""
    log = f"{sweep.program.folder}/strace"
    sweep.program.run(command, Fault("", before=strace(log, *(("-k",) if sweep.chosen.sites else ()))))
    counts, before = collections.defaultdict(collections.Counter), collections.Counter()
    has_begun, over = False, set()
    numbers, sites = collections.defaultdict(set), {}
    for thread, name, rest, stack in made(log):
        counts[thread][name] += 1
        number = counts[thread][name]
        has_begun = has_begun or (name == "rt_sigaction" and rest.startswith("SIGPIPE"))
        # What --coverage counted is written when all is done.
        if ".gcda" in rest:
            over.add(thread)
        if not has_begun:
            before[name] = number
        # Threads are counted from 1, and with each of them main()'s thread, that is the loader's.
        if number <= before[name] or name in NEVER or thread in over:
            continue
        numbers[name].add(number)
        sites.setdefault((name, stack), [number, number])[1] = number
    if sweep.chosen.sites:
        numbers = collections.defaultdict(set)
        for (name, _), first_and_last in sites.items():
            numbers[name].update(first_and_last)
    return {name: sorted(numbers[name]) for name in sorted(numbers)}


def made(log):
    """The calls in a log of strace: (thread, name, arguments, stack without addresses)."""
    call, stack = None, []
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith(" > "):
                stack.append(line.split(" [")[0])
                continue
            if call:
                yield *call, tuple(stack)
            m = CALL.match(line)
            call, stack = m.groups() if m else None, []
    if call:
        yield *call, tuple(stack)


def injected(sweep, text, name, how):
    log = f"{sweep.program.folder}/injected"
    if os.path.exists(log):
        os.unlink(log)
    # It is faster, and sends no signals.
    fast = () if how.startswith("signal") else ("--seccomp-bpf",)
    return Fault(text, before=strace(log, *fast, "-e", f"trace={name}", "-e", f"inject={name}:{how}"))


def calls(sweep, command, _):
    faults = [(name, n, error) for name, numbers in calls_of(sweep, command).items()
              for n in numbers for error in ERRORS.get(name, ("EIO",))]
    for name, n, error in sample(faults, command, "calls", sweep):
        how = f"error={error}" if error else "retval=0"
        yield injected(sweep, f"{name} {error or 'fails'} no. {n}", name, f"{how}:when={n}")


def after(sweep, fault):
    """What strace did: to which file; None if that call was not made."""
    if not fault.before or fault.before[0] != "strace":
        return fault
    with open(f"{sweep.program.folder}/injected", encoding="utf-8", errors="replace") as log:
        hits = [line for line in log if "(INJECTED" in line or (fault.signal and "--- SIG" in line)]
    if not hits:
        return None
    fault.hits_output = any(re.search(r" (write|writev|close)\(1\b", h) for h in hits)
    fault.hits_errors = any(re.search(r" (write|writev)\(2\b", h) for h in hits)
    return fault


# --- signals -------------------------------------------------------------------------------

def number_of(name):
    return getattr(signal, f"SIG{name}")


def signals(sweep, command, usual):
    """At every call that matters to what is written, and at moments."""
    faults = [(name, n, which) for name, numbers in calls_of(sweep, command).items()
              if name in WRITING for n in numbers for which in SIGNALS]
    for name, n, which in sample(faults, command, "signals", sweep):
        fault = injected(sweep, f"SIG{which} at {name} no. {n}", name, f"signal={which}:when={n}")
        fault.signal = number_of(which)
        fault.limits = no_core
        yield fault
    chance = random.Random(command.name)
    for i in range(6 if sweep.chosen.few else 24):
        which = SIGNALS[i % 4]
        delay = chance.uniform(0, usual.seconds * 1.1)
        yield Fault(f"SIG{which} after {delay * 1000:.1f} ms", limits=no_core,
                    meanwhile=lambda p, d=delay, w=which: interrupt(p, d, w), signal=number_of(which))


def interrupt(process, delay, which):
    try:
        process.wait(timeout=delay)
    except subprocess.TimeoutExpired:
        process.send_signal(number_of(which))


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# --- inside the process ----------------------------------------------------------------------

def preloaded(sweep, text, **env):
    return Fault(text, env={"LD_PRELOAD": sweep.chosen.failing, **env})


def counts_of(sweep, command, **env):
    path = f"{sweep.program.folder}/counts"
    sweep.program.run(command, preloaded(sweep, "", COUNT_TO=path, **env))
    with open(path, encoding="utf-8") as file:
        return [int(n) for n in file.read().split()]


def allocations(sweep, command, _):
    count = counts_of(sweep, command)[0]
    for n in sample(range(1, count + 1), command, "allocations", sweep):
        yield preloaded(sweep, f"allocation no. {n}", FAIL_AT=str(n))


def short(sweep, command, _):
    for n in sample(range(1, counts_of(sweep, command)[1] + 1), command, "short", sweep):
        yield preloaded(sweep, f"short transfer no. {n}", SHORT_AT=str(n))


CLASSES = {"calls": calls, "short": short, "allocations": allocations, "signals": signals}
