#!/usr/bin/env python3
"""Look for the secrets of `CoreLab secrets` in the bytes of a core and of what was made of it.

    secrets.py CORE REDACTED
    secrets.py NAME           print the text of one: for the command line and the environment

Each place has its own (tests/live/corelab/Secrets.cs). In CORE every one has to be found, or the
search is worth nothing; in REDACTED none may be, not even eight bytes of it.
"""

import base64
import hashlib
import re
import struct
import sys

TEXTS = """static string builder chars bytes base64 large pinned key exception garbage freed stack thread-static
    native-ansi native-wide native variable-set variable argument""".split()
# Of an attribute, a constant, a literal, the data of the assembly.
LITERALS = """tk9d1f4c7a60e5b83f1207 tk5b82e1f0936c4da71e58 tke47a0c36d851f92b7d03 tk2f96b08e5d73ca4160be""".split()
NUMBERS = """static-number stack-number thread-static-number long double decimal struct boxed nullable
    vector""".split()
BLOBS = {"static-guid": 16, "guid": 16}
THREAD_NAME = "thread-name"  # cut to what the system takes


def digest(name):
    return hashlib.sha256(name.encode()).digest()


def text_of(name):
    return "tk" + digest(name)[:10].hex()


def spellings(text):
    """As bytes: UTF-8, UTF-16, and base64 of the first wherever it begins."""
    plain = text.encode()
    yield plain
    yield text.encode("utf-16-le")
    for lead in range(3):
        encoded = base64.b64encode(bytes(lead) + plain)
        yield encoded[4 if lead else 0 : -4]
        yield encoded[4 if lead else 0 : -4].decode().encode("utf-16-le")


def secrets():
    """By name all spellings of each."""
    found = {name: list(spellings(text_of(name))) for name in TEXTS}
    found.update((text, list(spellings(text))) for text in LITERALS)
    found[THREAD_NAME] = list(spellings(text_of(THREAD_NAME)[:15]))
    for name in NUMBERS:
        found[name] = [digest(name)[:8]]
    for name, size in BLOBS.items():
        found[name] = [digest(name)[:size]]
    ticks = 3155378975999999999  # DateTime.MaxValue
    number, = struct.unpack("<q", digest("time")[:8])
    found["time"] = [struct.pack("<q", (number & (2**63 - 1)) % ticks)]
    # An enum of four bytes each.
    found["enums"] = [digest("enums")[:16]]
    found["constant-number"] = [struct.pack("<q", 0x5EC2E7A1B2C3D4E5)]
    return found


def found_in(data, spelled):
    """Names and places of what has eight bytes of a secret."""
    pieces = {}
    for name, all_of_it in spelled.items():
        for spelling in all_of_it:
            for i in range(len(spelling) - 7):
                pieces.setdefault(spelling[i : i + 8], name)
    # Of text of two bytes each every second piece begins with a zero, as most of a dump does.
    for match in re.finditer(rb"[^\0]", data):
        piece = data[match.start() : match.start() + 8]
        if piece in pieces:
            yield pieces[piece], piece, match.start()


def main():
    if len(sys.argv) == 2:
        print(text_of(sys.argv[1]))
        return 0
    with open(sys.argv[1], "rb") as file:
        core = file.read()
    with open(sys.argv[2], "rb") as file:
        redacted = file.read()
    spelled, status = secrets(), 0
    for name, all_of_it in spelled.items():
        if not any(s in core for s in all_of_it):
            print(f"{name}: not in {sys.argv[1]}: it was not planted")
            status = 1
    for name, piece, at in found_in(redacted, spelled):
        print(f"{name}: {piece!r} at {at:#x} of {sys.argv[2]}")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
