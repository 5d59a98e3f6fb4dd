"""A neighbour who wants harm: a process that passes for a .NET runtime, and plays a trick on whoever
looks at it.

    stranger.py [TRICK=VALUE]... HABIT FILE...

HABIT and FILE are those of tests/cli/runtime.py; it listens at dotnet-diagnostic-PID-START-socket in
TMPDIR or /tmp. Those that mount need namespaces of their own (unshare -Urm). Tricks:

    open=FOLDER/NAME   holds what is there open, and hides the folder behind it: /proc has it as /NAME
    map=FILE           maps a file
    hide=FILE:TARGET   mounts an empty folder over that of FILE, with a link FILE to TARGET
    fuse=FOLDER        mounts a file system there that answers nothing
    terminal=FILE      makes a terminal, links FILE to it as hide does, and says on stdout when a session
                       has it
    flip=FOLDER:DIR    as soon as somebody connects FOLDER is a link to DIR; says on stdout what of its own
                       comes into DIR
    turn=FILE:TARGET   exchanges FILE and a link to TARGET all the time
    lock=PID           locks the folder of that process in /proc
    listen=FOLDER      listens there, whatever TMPDIR says
"""
import ctypes
import fcntl
import mmap
import os
import pty
import runpy
import socket
import struct
import subprocess
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
kept = []


def say(*words):
    print(*words, flush=True)


def mount(kind, folder, options=b""):
    if libc.mount(kind.encode(), folder.encode(), kind.encode(), 0, options) != 0:
        raise OSError(ctypes.get_errno(), "mount " + folder)


def hold_open(path):
    kept.append(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    subprocess.check_call(["umount", "-l", os.path.dirname(path)])


def map_file(path):
    with open(path, "rb") as file:
        kept.append(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))


def hide(path, target):
    mount("tmpfs", os.path.dirname(path))
    if target == "fifo":
        os.mkfifo(path)
    elif target == "folder":
        os.mkdir(path)
    elif target == "socket":
        kept.append(socket.socket(socket.AF_UNIX))
        kept[-1].bind(path)
    else:
        os.symlink(target, path)


def fuse(folder):
    device = os.open(os.environ.get("FUSE", "/dev/fuse"), os.O_RDWR)
    kept.append(device)
    mount("fuse", folder, b"fd=%d,rootmode=40000,user_id=%d,group_id=%d" % (device, os.getuid(), os.getgid()))
    # The first request is answered, since nothing else is sent before; then none is.
    unique = os.read(device, 1 << 17)[8:16]
    answer = struct.pack("<IIIIHHIIHHII24x", 7, 31, 0, 0, 0, 0, 1 << 16, 1, 0, 0, 0, 0)
    os.write(device, struct.pack("<Ii", 16 + len(answer), 0) + unique + answer)


def watch_terminal(path):
    master, slave = pty.openpty()
    kept.append(slave)
    hide(path, os.ttyname(slave))

    def look():
        while True:
            try:
                fcntl.ioctl(master, 0x5429, bytes(4))  # TIOCGSID
                say("a session has the terminal")
                return
            except OSError:
                time.sleep(0.001)
    threading.Thread(target=look, daemon=True).start()


def flip(folder, target):
    os.symlink(target, folder + ".link")
    accept = socket.socket.accept
    first = threading.Event()

    def accept_and_flip(self):
        answer = accept(self)
        if not first.is_set():
            libc.renameat2(-100, folder.encode(), -100, (folder + ".link").encode(), 2)
            first.set()
        return answer

    def look():
        first.wait()
        while True:
            for entry in os.scandir(target):
                try:
                    if entry.stat(follow_symlinks=False).st_uid == os.getuid():
                        say("mine is", entry.path)
                        os._exit(0)
                except OSError:
                    pass
    socket.socket.accept = accept_and_flip
    threading.Thread(target=look, daemon=True).start()


def turn(path, target):
    os.symlink(target, path + ".link")
    call = (-100, path.encode(), -100, (path + ".link").encode(), 2)

    def exchange():
        while True:
            libc.renameat2(*call)
            time.sleep(0.0002)
    threading.Thread(target=exchange, daemon=True).start()


def lock(pid):
    kept.append(os.open("/proc/" + pid, os.O_RDONLY))
    fcntl.flock(kept[-1], fcntl.LOCK_EX)


tricks = {"open": hold_open, "map": map_file, "hide": lambda v: hide(*v.split(":")), "fuse": fuse,
          "terminal": watch_terminal, "turn": lambda v: turn(*v.split(":")), "flip": lambda v: flip(*v.split(":")), "lock": lock,
          "listen": lambda v: os.environ.__setitem__("TMPDIR", v)}
rest = sys.argv[1:]
while "=" in rest[0]:
    name, value = rest.pop(0).split("=", 1)
    tricks[name](value)
with open("/proc/self/stat") as stat:
    started = stat.read().rsplit(")", 1)[1].split()[19]
runtime = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli", "runtime.py")
path = "%s/dotnet-diagnostic-%d-%s-socket" % (os.environ.get("TMPDIR", "/tmp"), os.getpid(), started)
sys.argv = [runtime, path] + rest
runpy.run_path(runtime, run_name="__main__")
