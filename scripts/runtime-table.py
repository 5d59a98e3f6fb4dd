#!/usr/bin/env python3
"""Print the column of a .NET runtime for the table in src/clr/process/runtime_members.h.

    scripts/runtime-table.py LIBCORECLR [--complete OTHER-LIBCORECLR] [--set TYPE.MEMBER=N ...]
    scripts/runtime-table.py LIBCORECLR --differs-from OTHER-LIBCORECLR [--set TYPE.MEMBER=N ...]

Reads the data descriptor out of the ELF file (it stands there as JSON) and keeps of it what
src/clr/process/runtime_members.h asks for. --complete takes what this runtime does not describe
from another one: only for what is known to be the same in both. --set is for what was found in a
dump. Positions in g_dacTable stand in no file either; they too are found by what they point to.
--differs-from prints what one processor has elsewhere than x86-64.

    .NET 10: --set Thread.CachedStackBase=120
             positions: app_domain=20, thread_store=15, free_object=56
             aarch64: --set Thread.CachedStackBase=160; musl has the same as glibc
             Windows (coreclr.dll): --set Thread.CachedStackBase=128; free_object=57
    .NET 9:  --complete that of 10 --set Module.AvailableTypeParams=808
             --set AppDomain.DomainAssemblyList=1824 --set Thread.ThreadLocalDataPtr=928
             --set EEAllocContext.GCAllocationContext=0
             positions: app_domain=21, thread_store=16, free_object=57
             Windows: --set Module.AvailableTypeParams=520 --set AppDomain.DomainAssemblyList=776
             --set Thread.ThreadLocalDataPtr=960, and of EEClass what .NET 10 has; free_object=58
    .NET 8:  --complete that of 10, positions as for 9 but free_object=54, --set for all of ONLY_8 and
             Module.LoaderAllocator=248 Module.DynamicMetadata=1688 Module.AvailableTypeParams=968
             Module.TypeDefToMethodTableMap=752 AppDomain.DomainAssemblyList=2544 Assembly.Module=24
             ThreadStore.FirstThreadLink=160 ThreadStore.ThreadCount=184 Thread.LinkNext=232 Thread.OSId=424
             ParamTypeDesc.TypeArg=8
             Windows: no file tells it; found in dumps (docs/formats/minidump.md); free_object=55

.NET 8 has no descriptor: its offsets were found in dumps of 8.0.31 by what they lead to, and
src/clr/process/runtime_check.c asks of every dump that they do. What to look for, and how another
8.0.x is tried: docs/formats/core-dump.md, "Runtime"."""
import argparse
import json
import re

# As the rows of src/clr/process/runtime_members.h.
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
Thread LinkNext RuntimeThreadLocals ThreadLocalDataPtr OSId CachedStackBase
RuntimeThreadLocals AllocContext
EEAllocContext GCAllocationContext
GCAllocContext Pointer Limit
ThreadLocalData NonCollectibleTlsDataCount NonCollectibleTlsArrayData
TypeDesc TypeAndFlags
ParamTypeDesc TypeArg
DynamicMetadata Size Data
"""
# What those without a descriptor (.NET 8) do not have, and have instead.
SINCE_9 = """
MethodTable.AuxiliaryData EEClass.NumInstanceFields EEClass.NumStaticFields DynamicStaticsInfo.! DynamicStaticsInfo.GCStatics
ThreadStaticsInfo.! ThreadStaticsInfo.GCTlsIndex Module.Base Module.Path Thread.RuntimeThreadLocals Thread.ThreadLocalDataPtr
RuntimeThreadLocals.AllocContext EEAllocContext.GCAllocationContext ThreadLocalData.NonCollectibleTlsDataCount
ThreadLocalData.NonCollectibleTlsArrayData DynamicMetadata.Data
""".split()
ONLY_8 = """
MethodTable MTToken NumVirtuals
EEClass BaseSizePadding FieldsArePacked PackedFields
Module PEAssembly Assembly DomainLocalModule ModuleIndex DynamicEntries DynamicStaticsInfo
PEAssembly PEImage
PEImage Path FlatLayout LoadedLayout
PEImageLayout Base
DomainLocalModule DynamicClassTable DynamicEntries GCStatics DataBlob
ThreadLocalModule DynamicClassTable DynamicEntries GCStatics DataBlob
LoaderAllocator ObjectHandle
Thread AllocContext ThreadLocalBlock
ThreadLocalBlock TLMTable TLMTableSize
DynamicMetadata Buffer
"""

def descriptor(path):
    """The JSON in a libcoreclr.so, or None, and the version that it tells of itself."""
    with open(path, "rb") as file:
        data = file.read()
    text = re.search(rb'\{"version":\d+,"baseline":[^\0]*', data)
    version = re.search(rb"@\(#\)Version ([0-9.]+)", data)
    return json.loads(text.group()) if text else None, version.group(1).decode() if version else "?"


def offset(value):
    return value[0] if isinstance(value, list) else value


def wanted(own, other, found):
    """Offsets by type and member, and which of them are the other's."""
    types, borrowed = {}, []
    for line in (TYPES if own else TYPES.rstrip() + ONLY_8).strip().splitlines():
        name, *members = line.split()
        for member in members:
            if not own and f"{name}.{member}" in SINCE_9:
                continue
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


def difference(own, other, found):
    """What of own stands elsewhere than in other."""
    ours, _ = wanted(own, None, found)
    theirs, _ = wanted(other, None, {})
    return {name: {m: n for m, n in members.items() if theirs.get(name, {}).get(m) != n}
            for name, members in ours.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--complete", metavar="LIBRARY")
    parser.add_argument("--differs-from", metavar="LIBRARY")
    parser.add_argument("--set", action="append", default=[], metavar="TYPE.MEMBER=N")
    options = parser.parse_args()
    found = {name: int(n) for name, n in (item.split("=") for item in options.set)}
    own, version = descriptor(options.library)
    if options.differs_from:
        types = difference(own, descriptor(options.differs_from)[0], found)
    else:
        other, other_version = descriptor(options.complete) if options.complete else (None, None)
        types, borrowed = wanted(own, other, found)
        print(f"# {version}")
        if borrowed:
            print(f"# from {other_version}: {', '.join(borrowed)}")
    for name, members in types.items():
        for member, number in members.items():
            print(f"{name}.{member} {number}")


main()
