"""Break a core:

    break_core.py CORE OUT              as if it was taken during a garbage collection
    break_core.py CORE OUT ADDRESS      take its type from the object at that address

The collector's globals (GcDacVars: version 2, five generations) name the variable that counts who
changes the heap (docs/formats/core-dump.md)."""
import struct
import sys

core = bytearray(open(sys.argv[1], "rb").read())
segments_at, = struct.unpack_from("<Q", core, 32)
count, = struct.unpack_from("<H", core, 56)
segments = [struct.unpack_from("<IIQQQQQQ", core, segments_at + 56 * i) for i in range(count)]
loads = [(s[3], s[5], s[2]) for s in segments if s[0] == 1]


def place(address):
    """Where in the file an address is; None if it is not there."""
    for start, size, at in loads:
        if start <= address < start + size:
            return at + address - start
    return None


def count_of_changes():
    found = []
    for at in range(0, len(core) - 200, 8):
        if core[at] == 2 and struct.unpack_from("<Q", core, at + 16)[0] == 5:
            variable = place(struct.unpack_from("<Q", core, at + 192)[0])
            generation, = struct.unpack_from("<Q", core, at + 8)
            if variable is not None and 0 < generation < 1 << 16:
                found.append(variable)
    assert len(found) == 1, found
    return found[0]


if len(sys.argv) > 3:
    struct.pack_into("<Q", core, place(int(sys.argv[3], 16)), 0x1235)
else:
    struct.pack_into("<I", core, count_of_changes(), 1)
open(sys.argv[2], "wb").write(core)
