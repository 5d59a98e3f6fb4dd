#!/usr/bin/env python3
"""Print the table of a .NET runtime for src/process/runtime_tables.c.

    scripts/runtime-table.py LIBCORECLR [--complete OTHER-LIBCORECLR] [--set TYPE.MEMBER=N ...]
                             [--position NAME=N ...]

Reads the data descriptor out of the ELF file (it stands there as JSON) and keeps of it what
src/process/runtime_descriptor.c asks for. --complete takes what this runtime does not describe
from another one: only for what is known to be the same in both. --set is for what was found in a
dump. Positions in g_dacTable stand in no file either; they too are found by what they point to.

    .NET 10: --position app_domain=20 --position thread_store=15 --position free_object=56
    .NET 9:  --complete that of 10 --set Module.AvailableTypeParams=808
             --set AppDomain.DomainAssemblyList=1824 --set Thread.ThreadLocalDataPtr=928
             --set EEAllocContext.GCAllocationContext=0
             --position app_domain=21 --position thread_store=16 --position free_object=57
docs/formats/core-dump.md, "Runtime"."""
import argparse
import json
import re
import sys
import textwrap

# As members[] in src/process/runtime_descriptor.c.
TYPES = """
MethodTable ! MTFlags BaseSize MTFlags2 ParentMethodTable Module AuxiliaryData EEClassOrCanonMT PerInstInfo
EEClass MethodTable FieldDescList InternalCorElementType NumInstanceFields NumStaticFields
DynamicStaticsInfo ! GCStatics NonGCStatics
ThreadStaticsInfo ! GCTlsIndex NonGCTlsIndex
GenericsDictInfo NumDicts NumTypeArgs
Module Base Path LoaderAllocator DynamicMetadata AvailableTypeParams TypeDefToMethodTableMap TypeRefToMethodTableMap
ModuleLookupMap Next TableData Count SupportedFlagsMask
EETypeHashTable Buckets VolatileEntryValue VolatileEntryNextEntry
AppDomain DomainAssemblyList
ArrayListBase Count FirstBlock
ArrayListBlock Next Size ArrayStart
Assembly Module
ThreadStore FirstThreadLink ThreadCount
Thread LinkNext RuntimeThreadLocals ThreadLocalDataPtr OSId
RuntimeThreadLocals AllocContext
EEAllocContext GCAllocationContext
GCAllocContext Pointer Limit
ThreadLocalData NonCollectibleTlsDataCount NonCollectibleTlsArrayData
TypeDesc TypeAndFlags
ParamTypeDesc TypeArg
DynamicMetadata Size Data
"""
GLOBALS = ["StaticsPointerMask", "NumberOfTlsOffsetsNotUsedInNoncollectibleArray"]
CONTRACTS = ["Loader", "Object", "RuntimeTypeSystem", "Thread"]
WIDTH = 84


def descriptor(path):
    """The JSON in a libcoreclr.so, and the version that it tells of itself."""
    with open(path, "rb") as file:
        data = file.read()
    text = re.search(rb'\{"version":\d+,"baseline":[^\0]*', data)
    version = re.search(rb"@\(#\)Version ([0-9.]+)", data)
    if not text:
        sys.exit(f"{path}: no data descriptor in it")
    return json.loads(text.group()), version.group(1).decode() if version else "?"


def offset(value):
    return value[0] if isinstance(value, list) else value


def wanted(own, other, found):
    """Offsets by type and member, and which of them are the other's."""
    types, borrowed = {}, []
    for line in TYPES.strip().splitlines():
        name, *members = line.split()
        for member in members:
            if f"{name}.{member}" in found:
                types.setdefault(name, {})[member] = found[f"{name}.{member}"]
                continue
            for source in (own, other):
                value = source.get("types", {}).get(name, {}).get(member) if source else None
                if value is None:
                    continue
                types.setdefault(name, {})[member] = offset(value)
                if source is other:
                    borrowed.append(f"{name}.{member}")
                break
    return types, borrowed


def literal(text):
    """Lines of a C string literal."""
    line = ""
    for piece in re.findall(r'[^,{]+,?\{?|[,{]', text):
        piece = piece.replace('"', '\\"')
        if len(line) + len(piece) > WIDTH - 8:
            yield line
            line = ""
        line += piece
    yield line


def comment(version, other_version, borrowed, found):
    text = f"{version}, x86-64."
    if borrowed:
        text += f" From {other_version}: " + ", ".join(borrowed) + "."
    if found:
        text += " Found in a dump: " + ", ".join(found) + "."
    print("    /* " + textwrap.fill(text, 88, subsequent_indent="     * ") + " */\n    {")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--complete", metavar="LIBRARY")
    parser.add_argument("--position", action="append", default=[], metavar="NAME=N")
    parser.add_argument("--set", action="append", default=[], metavar="TYPE.MEMBER=N")
    options = parser.parse_args()
    found = {name: int(n) for name, n in (item.split("=") for item in options.set)}
    own, version = descriptor(options.library)
    other, other_version = descriptor(options.complete) if options.complete else (None, None)
    types, borrowed = wanted(own, other, found)
    values = {name: offset(source["globals"][name]) for source in (other, own) if source
              for name in GLOBALS if name in source["globals"]}
    contracts = {name: own["contracts"][name] for name in CONTRACTS if name in own["contracts"]}
    text = json.dumps({"types": types, "globals": values, "contracts": contracts},
                      separators=(",", ":"))
    comment(version, other_version, borrowed, found)
    print(f"        .major = {version.split('.')[0]},")
    print(f'        .source = "{version}",')
    for position in options.position:
        print("        .{} = {},".format(*position.split("=")))
    print("        .json =")
    lines = list(literal(text))
    for i, line in enumerate(lines):
        print(f'            "{line}"' + ("," if i == len(lines) - 1 else ""))
    print("    },")


main()
