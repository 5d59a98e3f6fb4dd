"""Add allocation sites to digests: add_sites.py FOLDER TYPE PER_STEP STACK...

Each digest of FOLDER, in order of names, gets samples at the largest place of TYPE: PER_STEP more than the one before, the
new ones allocated in its interval. Snapshot k was taken in collection 10 * (k + 1). A STACK is
"Shop.Add@Shop.cs:42 < Shop.Post < -System.Run", the innermost frame first; "-" begins frames that are not the
program's. Samples take turns with stacks. PER_STEP 0: sampled, and nothing found."""
import json
import pathlib
import subprocess
import sys


def escaped(name):
    return "".join(c if " " < c <= "~" and c != "%" else "".join(f"%{b:02x}" for b in c.encode()) for c in name)


def frame_of(text):
    own = not text.startswith("-")
    method, _, place = text.removeprefix("-").partition("@")
    file, _, line = place.rpartition(":")
    return method, own, file, line


def line_of(collection, stacks, objects):
    frames = sorted({frame_of(f) for s in stacks for f in s.split(" < ")})
    outer = sorted([[frames.index(frame_of(f)) for f in reversed(s.split(" < "))], i] for i, s in enumerate(stacks))
    number = {i: n for n, (_, i) in enumerate(outer)}
    words = [f"{0:016x}", collection, len(objects), 0, 102400, len(frames), len(stacks), len(objects)]
    for method, own, file, line in frames:
        words.append(f"0{'=' if own else '-'}{escaped(method)}")
        words += [f"@{line}:{escaped(file)}"] if file else []
    words += ["0:" + ",".join(map(str, way)) for way, _ in outer]
    before = 0
    for place, stack, born in sorted((p, number[s], b) for p, s, b in objects):
        words.append(f"{place - before}.{stack}.{born}")
        before = place
    return " ".join(map(str, words))


def main(folder, type_name, per_step, *stacks):
    for k, path in enumerate(sorted(pathlib.Path(folder).glob("*.digest"))):
        digest = json.loads(subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout)
        types = digest["types"]["name"]
        count = digest["places"]["count"]
        places = [(count[i], i + 1) for i, t in enumerate(digest["places"]["type"]) if types[t] == type_name]
        assert places or k == 0, f"{path} has no place of {type_name}"
        place = max(places)[1] if places else 0
        objects = [(place, i % len(stacks), 10 * (j + 1)) for j in range(1, k + 1) for i in range(int(per_step))]
        digest["sites"] = {"line": line_of(10 * (k + 1), stacks if objects else [], objects)}
        path.write_text(json.dumps(digest, separators=(",", ":"), ensure_ascii=False))


main(*sys.argv[1:])
