#!/usr/bin/env python3
"""Run a program of aarch64 under qemu's user emulation, and write cores of it.

    qemu_core.py SOCKET qemu-aarch64-static PROGRAM [ARGUMENT...]

Under emulation nobody can be traced, so neither createdump nor gcore work. This asks qemu's own
debugger stub (at SOCKET) for the registers, and the kernel for the memory: guest addresses are
those of the host. It writes what Linux on such a machine would: a core of the whole process, with
NT_PRSTATUS and NT_ARM_TLS of each thread, NT_FILE and NT_AUXV, without the pages of files.

A line "FILE kernel" on descriptor 3 asks for such a core; "FILE" comes back on descriptor 4. "FILE
withheap" and "FILE full" ask for what createdump writes with these options: without NT_ARM_TLS, but
with the assemblies and the symbols of libraries, or with all of them. Threads run on until their registers are known, so the program ought to be
quiet."""
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

EM_AARCH64, ET_CORE, PT_LOAD, PT_NOTE = 183, 4, 1, 4
NT_PRSTATUS, NT_PRPSINFO, NT_AUXV, NT_FILE, NT_ARM_TLS = 1, 3, 6, 0x46494C45, 0x401
PAGE = 4096
NEAR = 1 << 19
SYMBOL_PAGES = 4  # of libcoreclr.so: headers, symbols, hash table
# Where qemu puts no guest on a machine of 64 bits; its own memory lies above.
GUEST_END = 1 << 42
STOP = signal.SIGUSR2  # the runtime handles it not, and the stub keeps it from the program
GDB_STOP = 31          # its number in the protocol


class Stub:
    """qemu's end of the remote protocol of gdb."""

    def __init__(self, path):
        for _ in range(500):
            try:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(path)
                break
            except OSError:
                time.sleep(0.02)
        self.left, self.stops = b"", []
        self.ask("qSupported:xmlRegisters=arm;multiprocess-")

    def send(self, text):
        data = text.encode()
        self.socket.sendall(b"$" + data + b"#%02x" % (sum(data) & 255))

    def receive(self):
        while True:
            found = re.search(rb"\$([^#]*)#..", self.left, re.S)
            if found:
                self.left = self.left[found.end():]
                self.socket.sendall(b"+")
                return found.group(1)
            data = self.socket.recv(1 << 16)
            if not data:
                raise EOFError
            self.left += data

    def ask(self, text):
        """Threads that stop meanwhile have to wait for their answer."""
        self.send(text)
        answer = self.receive()
        while answer[:1] == b"T":
            self.stops.append(answer)
            answer = self.receive()
        return answer

    def go_on(self, text):
        self.send(text)
        return self.stops.pop(0) if self.stops else self.receive()

    def transfer(self, what, name):
        out = b""
        while True:
            part = self.ask(f"qXfer:{what}:read:{name}:{len(out):x},ffb")
            data = re.sub(rb"\}(.)", lambda m: bytes([m.group(1)[0] ^ 0x20]), part[1:], flags=re.S)
            out += data
            if part[:1] != b"m":
                return out

    def number_of(self, name):
        """The number of a register, counted through the descriptions of all."""
        number = -1
        target = self.transfer("features", "target.xml").decode()
        for part in re.findall(r'href="([^"]+)"', target):
            for tag in re.findall(r"<reg [^>]*>", self.transfer("features", part).decode()):
                told = re.search(r'regnum="(\d+)"', tag)
                number = int(told.group(1)) if told else number + 1
                if re.search(r'name="([^"]+)"', tag).group(1) == name:
                    return number
        return None

    def threads(self):
        found, answer = [], self.ask("qfThreadInfo")
        while answer[:1] == b"m":
            found += [t.decode() for t in answer[1:].split(b",")]
            answer = self.ask("qsThreadInfo")
        return found


def mappings(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        for line in file:
            area, rights, offset, _, _, *path = line.split(maxsplit=5)
            start, end = (int(x, 16) for x in area.split("-"))
            if start < GUEST_END:
                yield start, end, rights, int(offset, 16), path[0].strip() if path else ""


def shared_data(pid, start, end, offset):
    """What there is of memory that the runtime maps twice, to write what it executes."""
    folder = f"/proc/{pid}/fd"
    for name in os.listdir(folder):
        if "memfd:doublemapper" not in os.readlink(f"{folder}/{name}"):
            continue
        with open(f"{folder}/{name}", "rb") as file:
            at, last = offset, offset + end - start
            while at < last:
                try:
                    at = os.lseek(file.fileno(), at, os.SEEK_DATA)
                except OSError:
                    break
                hole = min(os.lseek(file.fileno(), at, os.SEEK_HOLE), last)
                if at < hole:
                    yield start + at - offset, start + hole - offset
                at = hole
        break


def written(pid, start, end):
    """Runs of pages that the process has written, of [start, end)."""
    run = None
    with open(f"/proc/{pid}/pagemap", "rb") as file:
        file.seek(start // PAGE * 8)
        entries = file.read((end - start) // PAGE * 8)
    for i, (entry,) in enumerate(struct.iter_unpack("<Q", entries)):
        there = entry >> 62 != 0 and not entry >> 61 & 1
        if there and run is None:
            run = start + i * PAGE
        if not there and run is not None:
            yield run, start + i * PAGE
            run = None
    if run is not None:
        yield run, end


def note(kind, payload, owner=b"CORE"):
    name = owner + b"\0"
    pad = lambda b: b + bytes(-len(b) % 4)
    return struct.pack("<III", len(name), len(payload), kind) + pad(name) + pad(payload)


def thread_notes(stub, thread, pointer):
    stub.ask(f"Hg{thread}")
    registers = bytes.fromhex(stub.ask("g").decode())
    general, status = registers[:33 * 8], struct.unpack_from("<I", registers, 33 * 8)[0]
    tid = int(thread.split(".")[-1], 16)
    head = struct.pack("<iiihxxQQiiii", 0, 0, 0, 0, 0, 0, tid, 0, 0, 0).ljust(112, b"\0")
    out = note(NT_PRSTATUS, head + general + struct.pack("<Q", status) + bytes(8))
    if pointer is not None:
        out += note(NT_ARM_TLS, bytes.fromhex(stub.ask(f"p{pointer:x}").decode()), b"LINUX")
    return out


def pieces(pid, areas, how):
    """Beginning, end, and whether all of it is to be copied."""
    for start, end, rights, offset, name in areas:
        if rights[0] != "r" or name.startswith("["):
            continue
        if "memfd:doublemapper" in name:
            yield from ((a, b, True) for a, b in shared_data(pid, start, end, offset))
        elif name.startswith("/") and (how == "full" or (how == "withheap" and name.endswith(".dll"))):
            yield start, end, True
        elif name.startswith("/"):
            # The kernel keeps the first page of each library, which has its build id.
            if offset == 0:
                first = min(end, start + PAGE * (SYMBOL_PAGES if how == "withheap" else 1))
                yield start, first, True
                start = first
            yield from ((a, b, False) for a, b in written(pid, start, end))
        else:
            yield from ((a, b, False) for a, b in around(pid, start, end))


def around(pid, start, end):
    """What the process has written, with the zeros near it: an array that nobody has written to
    is memory, too."""
    last = None
    for a, b in written(pid, start, end):
        a, b = max(start, a - NEAR), min(end, b + NEAR)
        if last is not None and a <= last[1]:
            last = (last[0], b)
            continue
        if last is not None:
            yield last
        last = (a, b)
    if last is not None:
        yield last


def read_memory(memory, start, end):
    """Behind the end of a mapped file there is nothing."""
    memory.seek(start)
    try:
        return memory.read(end - start)
    except OSError:
        if end - start <= PAGE:
            return bytes(end - start)
        middle = (start + end) // 2 // PAGE * PAGE
        return read_memory(memory, start, middle) + read_memory(memory, middle, end)


def copy(memory, pid, piece, out):
    """With holes for what nobody has touched."""
    start, end, is_file = piece
    begin = out.tell()
    for run, run_end in [(start, end)] if is_file else written(pid, start, end):
        out.seek(begin + run - start)
        out.write(read_memory(memory, run, run_end))
    out.seek(begin + end - start)


def write_core(stub, pid, path, how):
    pointer = stub.number_of("TPIDR_EL0") if how == "kernel" else None
    threads = [thread_notes(stub, t, pointer) for t in stub.threads()]
    auxiliary = stub.transfer("auxv", "")
    os.kill(pid, signal.SIGSTOP)
    areas = list(mappings(pid))
    info = struct.pack("<8xQIIiiii16s80s", 0, 0, 0, pid, 0, 0, 0, b"CoreLab", b"CoreLab")
    named = [a for a in areas if a[4].startswith("/")]
    files = struct.pack("<QQ", len(named), PAGE)
    files += b"".join(struct.pack("<QQQ", a[0], a[1], a[3] // PAGE) for a in named)
    files += b"".join(a[4].encode() + b"\0" for a in named)
    notes = threads[0] + note(NT_PRPSINFO, info) + note(NT_AUXV, auxiliary)
    notes += note(NT_FILE, files) + b"".join(threads[1:])
    segments = list(pieces(pid, areas, how))
    at = 64 + 56 * (len(segments) + 1)
    table = struct.pack("<IIQQQQQQ", PT_NOTE, 0, at, 0, 0, len(notes), 0, 4)
    at = (at + len(notes) + PAGE - 1) // PAGE * PAGE
    for start, end, _ in segments:
        table += struct.pack("<IIQQQQQQ", PT_LOAD, 7, at, start, 0, end - start, end - start, PAGE)
        at += end - start
    head = b"\x7fELF\2\1\1".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", ET_CORE, EM_AARCH64, 1, 0, 64, 0, 0, 64, 56, len(segments) + 1, 0, 0, 0)
    with open(path, "wb") as out, open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        out.write(head + table + notes)
        out.write(bytes(-out.tell() % PAGE))
        for piece in segments:
            copy(memory, pid, piece, out)
        out.truncate(at)
    os.kill(pid, signal.SIGCONT)


def main():
    path, emulator, *program = sys.argv[1:]
    kept = {k: v for k, v in os.environ.items() if k.startswith("DOTNET_") or k == "TMPDIR"}
    child = subprocess.Popen([emulator, "-g", path, *program], close_fds=True,
                             env={"PATH": "/usr/bin:/bin", **kept})
    stub, wanted = Stub(path), []

    def wait_for_orders():
        with open(3, encoding="utf-8", closefd=False) as orders:
            for line in orders:
                wanted.append(line.split())
                os.kill(child.pid, STOP)

    threading.Thread(target=wait_for_orders, daemon=True).start()
    answer = stub.go_on("?")
    try:
        while answer[:1] in b"TS":
            number = int(answer[1:3], 16)
            if number == GDB_STOP and wanted:
                file, how = wanted.pop(0)
                write_core(stub, child.pid, file, how)
                os.write(4, f"{file}\n".encode())
            # SIGTRAP of the beginning is the stub's own.
            pass_on = number not in (5, GDB_STOP)
            answer = stub.go_on(f"C{number:02x}" if pass_on else "c")
    except (EOFError, ConnectionError):
        pass
    sys.exit(child.wait())


main()
