#!/usr/bin/env python3
"""Write a minidump of a process that runs under wine, from outside, as Windows would.

    write_minidump.py [--heap | --mini] [--list] PID OUT

PID is its id on Linux. wine's own MiniDumpWriteDump writes no memory that anybody could use, and
createdump.exe ends in it. So the process is stopped (ptrace), and what its environment block
(TEB, PEB) and its list of modules say is written in the documented format (minidumpapiset.h):
SystemInfo, MiscInfo, ModuleList, ThreadList, and

    (nothing)   Memory64List: all memory that Windows programs see (MiniDumpWithFullMemory)
    --heap      the same without what nobody writes to: images but for their headers and data
                segments (MiniDumpWithPrivateReadWriteMemory, MiniDumpWithDataSegs)
    --mini      MemoryList: stacks alone (MiniDumpNormal)
    --list      MemoryList in place of Memory64List

A thread that waits is on a stack of wine's; what a dump of Windows has of it wine keeps in the
frame of the call.
"""

import argparse
import ctypes
import os
import re
import struct
import sys
import time

PAGE = 4096
PTRACE_GETREGS, PTRACE_ATTACH, PTRACE_DETACH = 12, 16, 17
# user_regs_struct, in its order.
REGISTERS = "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs".split()
# In a CONTEXT, from Rax on; and at which offset in wine's struct syscall_frame.
CONTEXT = "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
FRAME = dict(rax=0, rbx=8, rcx=0x10, rdx=0x18, rsi=0x20, rdi=0x28, r8=0x30, r9=0x38, r10=0x40, r11=0x48, r12=0x50,
             r13=0x58, r14=0x60, r15=0x68, rip=0x70, rsp=0x88, rbp=0x98)
TEB_FRAME = 0x328


def ptrace(request, task, address=None, data=None):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    if libc.ptrace(request, task, address, data) == -1:
        sys.exit(f"ptrace: {os.strerror(ctypes.get_errno())}")


class Process:
    """One that stands still."""

    def __init__(self, pid):
        self.pid = pid
        self.tasks = sorted(int(t) for t in os.listdir(f"/proc/{pid}/task"))
        for task in self.tasks:
            ptrace(PTRACE_ATTACH, task)
            os.waitpid(task, 0x40000000)  # __WALL
        self.memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
        with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
            self.maps = [self.mapping(line) for line in maps]

    @staticmethod
    def mapping(line):
        start, end, flags, path = re.match(r"(\w+)-(\w+) (\S+) \S+ \S+ \S+ *(.*)", line).groups()
        return int(start, 16), int(end, 16), flags, path

    def go_on(self):
        for task in self.tasks:
            ptrace(PTRACE_DETACH, task)
        os.close(self.memory)

    def read(self, address, size):
        return os.pread(self.memory, size, address)

    def number(self, address, form="<Q"):
        return struct.unpack(form, self.read(address, struct.calcsize(form)))[0]

    def text(self, address):
        """A UNICODE_STRING."""
        size, at = self.number(address, "<H"), self.number(address + 8)
        return self.read(at, size).decode("utf-16-le")

    def registers(self, task):
        room = ctypes.create_string_buffer(8 * len(REGISTERS))
        ptrace(PTRACE_GETREGS, task, None, ctypes.cast(room, ctypes.c_void_p))
        return dict(zip(REGISTERS, struct.unpack(f"<{len(REGISTERS)}Q", room.raw)))

    def threads(self):
        """(id, TEB, stack limit, stack base, registers as Windows would have them)"""
        for task in self.tasks:
            registers = self.registers(task)
            teb = registers["gs_base"]
            if not teb or self.number(teb + 0x30) != teb:
                continue
            base, limit = self.number(teb + 8), self.number(teb + 16)
            if not limit <= registers["rsp"] <= base:
                frame = self.number(teb + TEB_FRAME)
                registers.update((name, self.number(frame + at)) for name, at in FRAME.items())
            yield self.number(teb + 0x48, "<I"), teb, limit, base, registers

    def modules(self, teb):
        """(base, size, path), from PEB_LDR_DATA."""
        head = self.number(self.number(teb + 0x60) + 0x18) + 0x10
        at = self.number(head)
        while at != head:
            yield self.number(at + 0x30), self.number(at + 0x40, "<I"), self.text(at + 0x48)
            at = self.number(at)


def sections(process, base):
    """(address, size, writable) of an image."""
    pe = base + process.number(base + 0x3C, "<I")
    count, optional = process.number(pe + 6, "<H"), process.number(pe + 20, "<H")
    for i in range(count):
        at = pe + 24 + optional + 40 * i
        size, address = struct.unpack("<II", process.read(at + 8, 8))
        yield base + address, size, bool(process.number(at + 36, "<I") & 0x80000000)


def ranges_full(process):
    """What Windows programs see: not the libraries of Linux, nor what the kernel maps."""
    for start, end, flags, path in process.maps:
        if flags.startswith("r") and not re.search(r"\.so(\.\d+)*$|^\[v|/wine64|/locale/", path):
            yield start, end


def without(ranges, images):
    """The ranges but for what of images nobody writes to; both by address."""
    for start, end in ranges:
        for first, last in images:
            if last <= start or first >= end:
                continue
            if first > start:
                yield start, first
            start = max(start, last)
        if start < end:
            yield start, end


def ranges_heap(process, modules):
    constant = []
    for base, _, _ in modules:
        constant += [(a, a + (size + PAGE - 1) // PAGE * PAGE) for a, size, writable in sections(process, base) if not writable]
    private = [(s, e) for s, e, flags, path in process.maps if flags.startswith("rw") or (flags.startswith("r") and not path)]
    return without([r for r in ranges_full(process) if r in set(private)], sorted(constant))


class File:
    def __init__(self, streams):
        self.streams = streams
        self.data = bytearray(32 + 12 * streams)
        self.directory = []

    def add(self, data):
        self.data += bytes(-len(self.data) % 8)
        self.data += data
        return len(self.data) - len(data)

    def text(self, text):
        units = text.encode("utf-16-le")
        return self.add(struct.pack("<I", len(units)) + units + b"\0\0")

    def stream(self, kind, data):
        self.directory.append((kind, len(data), self.add(data)))

    def finish(self, flags):
        head = struct.pack("<4sIIIIIQ", b"MDMP", 0x61B1A793, self.streams, 32, 0, int(time.time()), flags)
        table = b"".join(struct.pack("<III", *entry) for entry in self.directory)
        self.data[: 32 + 12 * self.streams] = head + table


def context(registers):
    room = bytearray(1232)
    struct.pack_into("<I", room, 0x30, 0x10000B)  # AMD64, control, integer and floating point
    struct.pack_into("<I", room, 0x44, registers["eflags"] & 0xFFFFFFFF)
    struct.pack_into("<17Q", room, 0x78, *(registers[name] for name in CONTEXT))
    return bytes(room)


def version_of(process, base, size):
    """VS_FIXEDFILEINFO of an image, or zeros."""
    image = process.read(base, size) if size < 1 << 26 else b""
    at = image.find(b"\xBD\x04\xEF\xFE\x00\x00\x01\x00")
    return image[at : at + 52] if at >= 0 else bytes(52)


def write_modules(file, process, modules):
    records = b""
    for base, size, path in modules:
        pe = base + process.number(base + 0x3C, "<I")
        records += struct.pack("<QIIII", base, size, process.number(pe + 88, "<I"), process.number(pe + 8, "<I"), file.text(path))
        records += version_of(process, base, size) + bytes(32)
    file.stream(4, struct.pack("<I", len(modules)) + records)


def write_threads(file, threads):
    records = b""
    for number, teb, limit, base, registers in threads:
        at = file.add(context(registers))
        start = registers["rsp"] if limit <= registers["rsp"] <= base else limit
        # With Memory64List the stack is there, and its place in the file is told as 0.
        records += struct.pack("<IIIIQQIIII", number, 0, 32, 0, teb, start, base - start, 0, 1232, at)
    file.stream(3, struct.pack("<I", len(threads)) + records)


def write_list(file, process, ranges, out):
    """MINIDUMP_MEMORY_DESCRIPTOR, of 32 bits; data behind everything else."""
    table = struct.pack("<I", len(ranges))
    file.stream(5, table + bytes(16 * len(ranges)))
    at = file.directory[-1][2] + 4
    position = len(file.data)
    for i, (start, end) in enumerate(ranges):
        struct.pack_into("<QII", file.data, at + 16 * i, start, end - start, position)
        position += end - start
    write_ranges(file, process, ranges, out)


def write_list64(file, process, ranges, out):
    table = b"".join(struct.pack("<QQ", start, end - start) for start, end in ranges)
    file.stream(9, struct.pack("<QQ", len(ranges), 0) + table)
    struct.pack_into("<Q", file.data, file.directory[-1][2] + 8, len(file.data))
    write_ranges(file, process, ranges, out)


def write_ranges(file, process, ranges, out):
    file.finish(0x41A25 if len(ranges) else 0)
    out.write(file.data)
    for start, end in ranges:
        for at in range(start, end, 1 << 24):
            piece = min(1 << 24, end - at)
            data = process.read(at, piece)
            out.write(data + bytes(piece - len(data)))


def dump(process, options, out):
    threads = list(process.threads())
    modules = list(process.modules(threads[0][1]))
    windows_pid = process.number(threads[0][1] + 0x40, "<I")
    file = File(5)
    file.stream(7, struct.pack("<HHHBBIIIIIHH24x", 9, 6, 0, 2, 1, 10, 0, 20348, 2, file.text(""), 0, 0))
    file.stream(15, struct.pack("<IIIIII", 24, 1, windows_pid, 0, 0, 0))
    write_modules(file, process, modules)
    write_threads(file, threads)
    if options.mini:
        write_list(file, process, [(max(limit, registers["rsp"]) & -8, base) for _, _, limit, base, registers in threads], out)
        return
    ranges = list(ranges_heap(process, modules) if options.heap else ranges_full(process))
    (write_list if options.list else write_list64)(file, process, ranges, out)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--heap", action="store_true")
    parser.add_argument("--mini", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("pid", type=int)
    parser.add_argument("out")
    options = parser.parse_args()
    process = Process(options.pid)
    try:
        with open(options.out, "wb") as out:
            dump(process, options, out)
    finally:
        process.go_on()


if __name__ == "__main__":
    main()
