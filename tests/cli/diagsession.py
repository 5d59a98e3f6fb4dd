"""Writes a .diagsession as Visual Studio does, or one that is wrong in a given way.

usage: diagsession.py OUT FAULT SNAPSHOT...

The snapshots are in order of time; their GUIDs are not. FAULT is "none" or a key of the
functions below, each of which changes the manifest or the members.
"""

import json
import random
import sys
import zipfile

out, fault, *files = sys.argv[1:]
draw = random.Random(4)


def guid():
    digits = f"{draw.getrandbits(128):032X}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


guids = sorted((guid() for _ in files), reverse=True)
members = [(f"{g}/{g}.gcdump", open(f, "rb").read()) for g, f in zip(guids, files)]
snapshots = [
    {"SnapshotTime": k * 10**10, "ProcessId": 7,
     "Heaps": [{"Type": "PROFILER_MANAGED", "GCDumpFileName": f"{g}.gcdump"}]}
    for k, g in enumerate(guids)
]
manifest = {"Version": 1, "IsManagedEnabled": True, "Snapshots": snapshots}
# FILETIMEs: resources are added in the order of the snapshots.
metadata = "<Package><Content>" + "".join(
    f'<Resource CompressionOption="norm" Id="{{{g}}}" IsDirectoryOnDisk="false" Name="{g}.gcdump" '
    f'ResourcePackageUriPrefix="{g}" TimeAddedUTC="{131935199847269229 + k}" Type="MemoryProfiler.GCDump" />'
    for k, g in enumerate(guids)) + "</Content></Package>"


def heap(k):
    return snapshots[k]["Heaps"][0]


if fault == "shuffled":
    draw.shuffle(snapshots)
elif fault == "missing":
    del members[1]
elif fault == "doubled":
    heap(1)["GCDumpFileName"] = heap(0)["GCDumpFileName"]
    del members[1]
elif fault == "outside":
    heap(1)["GCDumpFileName"] = "../../etc/" + heap(1)["GCDumpFileName"]
elif fault == "absolute":
    heap(1)["GCDumpFileName"] = "/etc/passwd"
elif fault == "ambiguous":
    members.append(("elsewhere/" + heap(1)["GCDumpFileName"], members[0][1]))
elif fault == "two-processes":
    snapshots[3]["ProcessId"] = 9
elif fault == "no-times":
    for one in snapshots:
        del one["SnapshotTime"]
elif fault == "large":
    manifest["Padding"] = "x" * 100_000_000
elif fault == "deep":
    manifest = None

text = json.dumps(manifest)
if fault == "deep":
    text = '{"Snapshots": ' + "[" * 100_000
elif fault == "no-json":
    text = text[: len(text) // 2]
elif fault == "many":
    text = json.dumps({"Snapshots": [{"SnapshotTime": k, "Heaps": [{"GCDumpFileName": "x"}]}
                                     for k in range(15_000)]})
if fault == "entities":
    metadata = ('<!DOCTYPE a [<!ENTITY a "' + "x" * 1000 + '"><!ENTITY b "' + "&a;" * 10_000
                + '">]>' + metadata.replace('Name="', 'Name="&b;'))

with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
    for name, data in members:
        z.writestr(name, data)
    if fault not in ("metadata-only", "entities", "bare"):
        z.writestr("7F1C2A11-0000-4000-8000-0000000000AA/manifest.json", text)
    if fault not in ("no-times", "bare", "no-json", "large", "deep", "many"):
        z.writestr("metadata.xml", metadata)
    z.writestr("[Content_Types].xml", "<Types/>")
    z.writestr("F0/sc.user_aux.etl", bytes(5000))
