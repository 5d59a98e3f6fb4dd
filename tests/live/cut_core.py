#!/usr/bin/env python3
"""Cut a core, or a minidump of write_minidump.py, down to what heapdrift looks at, for fixtures.

    cut_core.py [--exact] [--heapdrift=PROGRAM] CORE OUT COMMAND [COMMAND...]

Every COMMAND ("top -n0", "roots --type=Shop.Session"; a word with a slash is another program) is
run on the core, which is put in place of a word CORE, or behind it; pages that one of them looks at are kept, others become zeros or go: a valid ELF core of some
megabytes, nearly all of it compressible. The same commands say the same of what comes out; that
is checked. With --exact parts of 64 bytes are kept instead of pages, which halves it and takes
minutes. OUT ending in .xz is compressed.

The core has to be larger than 16 MiB (smaller files are not mapped), and taken of a program that
is not on this disk any more, so that nothing is read from its files. What the process was given
in its environment may be in it: run it with env -i.
"""

import argparse
import lzma
import os
import shlex
import struct
import subprocess
import sys
import tempfile

PAGE = 4096
PT_LOAD, PT_NOTE = 1, 4


def build_tracer(folder):
    path = os.path.join(folder, "touched.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "touched.c")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True)
    return path


def run(heapdrift, command, core, **environment):
    words = shlex.split(command)
    if "/" not in words[0]:
        # The tracer writes its list when the program ends, which the sandbox would refuse.
        words = [heapdrift, *words, "-j1", "--no-sandbox"]
    words = [core if w == "CORE" else w for w in words] if "CORE" in words else [*words, core]
    done = subprocess.run(words, env={**os.environ, **environment}, stdout=subprocess.PIPE, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{shlex.join(words)}: status {done.returncode}")
    return done.stdout


def touched_pages(heapdrift, core, commands, exact):
    """By page of the file, a bit for each 64 bytes."""
    pages = {}
    with tempfile.TemporaryDirectory() as folder:
        tracer, listed = build_tracer(folder), os.path.join(folder, "pages")
        for command in commands:
            run(
                heapdrift,
                command,
                core,
                LD_PRELOAD=tracer,
                TOUCHED_FILE=core,
                TOUCHED_LIST=listed,
                TOUCHED_EXACT=" ".join(f"{a}-{b}" for a, b in exact),
            )
        with open(listed, encoding="ascii") as lines:
            for line in lines:
                page, parts = line.split()
                pages[int(page)] = pages.get(int(page), 0) | int(parts, 16)
    return pages


def kept_of(page, parts):
    """The page with zeros in place of what nobody looked at."""
    return b"".join(page[i : i + 64] if parts >> i // 64 & 1 else bytes(len(page[i : i + 64])) for i in range(0, len(page), 64))


def program_headers(data):
    count, = struct.unpack_from("<H", data, 56)
    offset, = struct.unpack_from("<Q", data, 32)
    if count == 0xFFFF:
        sections, = struct.unpack_from("<Q", data, 40)
        count, = struct.unpack_from("<I", data, sections + 44)
    return [struct.unpack_from("<IIQQQQQQ", data, offset + 56 * i) for i in range(count)]


def runs_of(headers):
    """Segments that follow on in memory, together: [[header]]."""
    runs = []
    for header in sorted((h for h in headers if h[0] == PT_LOAD and h[5] > 0), key=lambda h: h[3]):
        if runs and runs[-1][-1][3] + runs[-1][-1][5] == header[3]:
            runs[-1].append(header)
        else:
            runs.append([header])
    return runs


def pages_of(header):
    _, _, offset, _, _, size, _, _ = header
    if offset % PAGE != 0:
        sys.exit("a segment does not begin with a page of the file")
    return range(offset // PAGE, (offset + size + PAGE - 1) // PAGE)


def zeroed(data, pages, offset, size):
    """Bytes of the file with zeros in place of what nobody looked at."""
    first, last = offset // PAGE, (offset + size - 1) // PAGE
    whole = b"".join(
        kept_of(data[PAGE * n : PAGE * n + PAGE], pages[n]) if n in pages else bytes(PAGE) for n in range(first, last + 1)
    )
    return whole[offset - first * PAGE :][:size]


def cut_minidump(data, pages):
    """Its list of memory is the last stream, and the memory the rest of the file."""
    count, directory = struct.unpack_from("<II", data, 8)
    entries = [struct.unpack_from("<III", data, directory + 12 * i) for i in range(count)]
    place, at = next((directory + 12 * i, rva) for i, (kind, _, rva) in enumerate(entries) if kind == 9)
    ranges, position = struct.unpack_from("<QQ", data, at)
    runs = []
    for i in range(ranges):
        address, size = struct.unpack_from("<QQ", data, at + 16 + 16 * i)
        if not runs or runs[-1][-1][0] + runs[-1][-1][1] != address:
            runs.append([])
        runs[-1].append((address, size, position))
        position += size
    kept = [r for run in runs if any(n in pages for _, size, o in run for n in range(o // PAGE, (o + size - 1) // PAGE + 1)) for r in run]
    head = bytearray(data[:at])
    struct.pack_into("<I", head, place + 4, 16 + 16 * len(kept))
    head += struct.pack("<QQ", len(kept), at + 16 + 16 * len(kept))
    head += b"".join(struct.pack("<QQ", address, size) for address, size, _ in kept)
    return bytes(head) + b"".join(zeroed(data, pages, offset, size) for _, size, offset in kept)


def cut(data, pages):
    if data[:4] == b"MDMP":
        return cut_minidump(data, pages)
    headers = program_headers(data)
    out_headers, bodies = [], []
    for kind, flags, offset, _, _, size, _, align in headers:
        if kind == PT_NOTE:
            out_headers.append((PT_NOTE, flags, 0, size, align))
            bodies.append(data[offset : offset + size])
    # What is at one end of a run tells how far it goes, so all of it stays, though as zeros.
    for run_of_headers in runs_of(headers):
        if not any(p in pages for header in run_of_headers for p in pages_of(header)):
            continue
        for _, flags, offset, address, _, size, _, _ in run_of_headers:
            out_headers.append((PT_LOAD, flags, address, size, PAGE))
            kept = bytearray(size)
            for page in range(0, size, PAGE):
                if (offset + page) // PAGE in pages:
                    whole = data[offset + page : offset + min(page + PAGE, size)]
                    kept[page : page + PAGE] = kept_of(whole, pages[(offset + page) // PAGE])
            bodies.append(bytes(kept))
    position = 64 + 56 * len(out_headers)
    table, contents = b"", b""
    for (kind, flags, address, size, align), body in zip(out_headers, bodies):
        gap = -position % PAGE if kind == PT_LOAD else 0
        contents += bytes(gap) + body
        position += gap
        table += struct.pack("<IIQQQQQQ", kind, flags, position, address, 0, size, size, align)
        position += len(body)
    head = bytearray(data[:64])
    struct.pack_into("<Q", head, 32, 64)  # program headers
    struct.pack_into("<Q", head, 40, 0)  # no sections
    struct.pack_into("<HHHHH", head, 54, 56, len(out_headers), 64, 0, 0)
    return bytes(head) + table + contents


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--heapdrift", default="build/heapdrift")
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("core")
    parser.add_argument("out")
    parser.add_argument("commands", nargs="+")
    options = parser.parse_args()
    core = os.path.realpath(options.core)
    with open(core, "rb") as file:
        data = file.read()
    exact = [(0, len(data) // PAGE + 1)] if options.exact else []
    small = cut(data, touched_pages(options.heapdrift, core, options.commands, exact))
    with open(options.out, "wb") as file:
        file.write(lzma.compress(small, preset=9 | lzma.PRESET_EXTREME) if options.out.endswith(".xz") else small)
    with tempfile.TemporaryDirectory() as folder:
        # Of the same name, which is in what is printed.
        copy = os.path.join(folder, os.path.basename(core))
        with open(copy, "wb") as file:
            file.write(small)
        for command in options.commands:
            before, after = run(options.heapdrift, command, core), run(options.heapdrift, command, copy)
            if before.replace(core.encode(), b"") != after.replace(copy.encode(), b""):
                sys.exit(f"{command} says something else of {options.out}")
    print(f"{len(small)} bytes, {os.path.getsize(options.out)} in {options.out}")


if __name__ == "__main__":
    main()
