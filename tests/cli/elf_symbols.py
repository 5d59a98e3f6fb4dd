#!/usr/bin/env python3
"""Write an ELF file of 64 bits that has symbols and nothing else, as a .dbg file.

elf_symbols.py OUT <LINES, each an address in hexadecimal, "t" or "b", and a name, as nm has them; with "v" the
name of the type of a method table.
"""
import struct
import sys


def main():
    names, symbols = b"\0", struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    for line in sys.stdin:
        address, kind, name = line.split(maxsplit=2)
        name = name.rstrip("\n")
        if kind == "v":
            name = f"_ZTV{len(name)}{name}"
        code = 2 if kind == "t" else 1
        symbols += struct.pack("<IBBHQQ", len(names), code, 0, 1, int(address, 16), 0)
        names += name.encode() + b"\0"
    sections = 64 + 56
    begin = sections + 3 * 64
    header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\2\1\1", 3, 62, 1, 0, 64, sections, 0, 64, 56, 1, 64, 3, 0)
    segment = struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, 0, 0, 4096)
    table = bytes(64)
    table += struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, begin, len(symbols), 2, 1, 8, 24)
    table += struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, begin + len(symbols), len(names), 0, 0, 1, 0)
    with open(sys.argv[1], "wb") as out:
        out.write(header + segment + table + symbols + names)


main()
