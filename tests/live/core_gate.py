#!/usr/bin/env python3
"""Hold a core against a gcdump of the same process in the same state.

    core_gate.py [OPTIONS] CORE GCDUMP

The gcdump was taken first; it forces a collection, so all that it has must be in the core: the
same objects at the same addresses, with the same sizes, types and references; but for what only
finalizers held, which may be gone. The core may have more: garbage, and what the end of the
gcdump's session allocated. Every reference between objects needs the name of its field, and every
static variable of the gcdump its class.

    --list-heap=PROGRAM   what lists objects (build/list-heap)
    --extra=N             how many reachable objects the core may have more (60)
    --moved=SHARE         the process went on between: addresses may differ, and counts of
                          reachable objects by that share, but for the types of --except
    --except=TYPE         a type that is not looked at with --moved; may be repeated
    --same                two cores of one process in one state, however they were taken: neither
                          objects, garbage included, nor references, fields and roots may differ,
                          but for those of stacks
    --no-fields           the first is no core either: fields are not looked at
    -v                    say what each difference is
"""

import argparse
import collections
import subprocess
import sys

# An object of a collectible type keeps this alive, by no field.
LOADER_ALLOCATOR = "System.Reflection.LoaderAllocator"


class Heap:
    """All objects of a snapshot, by address."""

    def __init__(self, program, path):
        self.path = path
        self.types, self.full_names, self.kinds, fields, nodes = {}, {}, {}, {}, []
        listing = subprocess.run([program, path], stdout=subprocess.PIPE, check=True).stdout
        # Names may have any bytes but tabs and line ends.
        for line in listing.decode("latin-1").split("\n"):
            part = line.split("\t")
            if part[0] == "node":
                nodes.append(part[1:])
            elif part[0] == "type":
                self.kinds[part[1]], self.types[part[1]], self.full_names[part[1]] = part[2:5]
            elif part[0] == "field":
                fields[part[1]] = part[2]
        self.address_of = [int(n[2], 16) for n in nodes]
        self.objects = {}  # address: (type, bytes, reachable)
        self.references = {}  # address: [(address, field)]
        self.pseudo = []  # (name, full name, [address])
        self.repeated = []
        for number, type_id, address, size, reachable, *references in nodes:
            targets = []
            for reference in references:
                node, _, field = reference.partition(":")
                targets.append((self.address_of[int(node)], fields[field] if field else None))
            if self.kinds[type_id] != "object":
                self.pseudo.append((self.types[type_id], self.full_names[type_id], targets))
                continue
            address = int(address, 16)
            if address in self.objects:
                self.repeated.append(address)
            self.objects[address] = (self.types[type_id], int(size), reachable == "1")
            self.references[address] = targets

    def statics(self):
        """(field, address of the value): full names of the variables."""
        found = collections.defaultdict(list)
        for name, full_name, targets in self.pseudo:
            if name.startswith(("[static var ", "[thread static var ")):
                for address, _ in targets:
                    field = name.rstrip("]").rsplit(".", 1)[-1].split(" ")[0]
                    found[field, address].append(full_name)
        return found

    def held(self):
        """What roots hold but those of finalizers: these ran soon after the collection."""
        held, todo = set(), []
        for name, _, targets in self.pseudo:
            if "inalizer" not in name:
                todo.extend(a for a, _ in targets if a)
        while todo:
            address = todo.pop()
            if address not in held and address in self.objects:
                held.add(address)
                todo.extend(a for a, _ in self.references[address])
        return held

    def roots(self):
        """(name, address) of each: a thread that runs may have moved, so not what stacks hold."""
        return collections.Counter((name, a) for name, _, all_ in self.pseudo if name != "[local vars]" for a, _ in all_ if a)

    def counts(self):
        return collections.Counter(t for t, _, reachable in self.objects.values() if reachable)


def alike(here, there):
    """Of an object, or of its references: their order tells nothing."""
    if isinstance(here, list) and isinstance(there, list):
        return here == there or collections.Counter(here) == collections.Counter(there)
    return here == there


class Gate:
    def __init__(self, options):
        self.options = options
        self.failures = 0

    def tell(self, wrong, what, examples=()):
        """One line, and some of the examples."""
        examples = list(examples)
        print(f"{'WRONG' if wrong else 'ok   '} {what}")
        for example in examples[: 20 if self.options.verbose else 5] if wrong or self.options.verbose else []:
            print(f"        {example}")
        self.failures += bool(wrong)

    @staticmethod
    def renewed(core, gcdump):
        """Variables whose object is a newer one in the core: the session goes on to its end, and the runtime replaces
        its cache of casts as it fills. (field, address) of the gcdump; two at most."""
        here, there = core.statics(), gcdump.statics()
        newer = {field for field, a in here if a not in gcdump.objects}
        found = [key for key in there if key not in here and key[0] in newer]
        return set(found) if len(found) <= 2 else set()

    def compare_objects(self, core, gcdump):
        held = gcdump.held()
        missing = [f"{a:x} {gcdump.objects[a][0]}" for a in gcdump.objects if a in held and a not in core.objects]
        # Their place may have another object by now.
        replaced = {
            a
            for a in gcdump.objects
            if a in core.objects and a not in held and core.objects[a][:2] != gcdump.objects[a][:2]
        }
        gone = len(replaced) + sum(1 for a in gcdump.objects if a not in held and a not in core.objects)
        self.tell(
            missing,
            f"{len(missing)} of {len(gcdump.objects)} objects are not in the core, "
            f"besides {gone} that finalizers held",
            missing,
        )
        both = [a for a in gcdump.objects if a in core.objects and a not in replaced]
        differ = [
            f"{a:x}: {core.objects[a][:2]} instead of {gcdump.objects[a][:2]}"
            for a in both
            if core.objects[a][:2] != gcdump.objects[a][:2]
        ]
        self.tell(differ, f"{len(differ)} objects have another type or size", differ)
        differ = []
        for a in both:
            here, there = (collections.Counter(t for t, _ in h.references[a]) for h in (core, gcdump))
            # The session goes on to its end, so a variable or two may have a newer object.
            newer = [t for t in here - there if t not in gcdump.objects]
            if here != there and not (newer and len(newer) == sum((here - there).values())):
                differ.append(
                    f"{a:x} {core.objects[a][0]}: only in the core "
                    f"{[f'{x:x}' for x in here - there]}, only in the gcdump {[f'{x:x}' for x in there - here]}"
                )
        self.tell(differ, f"{len(differ)} objects have other references", differ)
        renewed = {a for _, a in self.renewed(core, gcdump)}
        unheld = [a for a in both if a in held and not core.objects[a][2] and a not in renewed]
        self.tell(
            unheld,
            f"{len(unheld)} reachable objects are garbage in the core",
            (f"{a:x} {core.objects[a][0]}" for a in unheld),
        )
        more = [a for a in core.objects if a not in gcdump.objects]
        live = collections.Counter(core.objects[a][0] for a in more if core.objects[a][2])
        extra = sum(live.values())
        self.tell(
            extra > self.options.extra,
            f"{extra} reachable objects are in the core alone, and {len(more) - extra} that are garbage",
            (f"{n} {t}" for t, n in live.most_common()),
        )

    def compare_counts(self, core, gcdump):
        here, there = core.counts(), gcdump.counts()
        differ = []
        for name in sorted(set(here) | set(there)):
            allowed = max(3, self.options.moved * there[name])
            if name not in self.options.skipped and abs(here[name] - there[name]) > allowed:
                differ.append(f"{name}: {here[name]} instead of {there[name]}")
        self.tell(differ, f"{len(differ)} of {len(there)} types have other counts", differ)

    def compare_same(self, one, other):
        def sized(heap):
            return {a: object_[:2] for a, object_ in heap.objects.items()}

        for what, here, there in (
            ("type or size", sized(one), sized(other)),
            ("references", one.references, other.references),
        ):
            differ = [a for a in here.keys() | there.keys() if not alike(here.get(a), there.get(a))]
            self.tell(
                differ,
                f"{len(differ)} of {len(there)} objects differ in {what}",
                (f"{a:x}: {here.get(a)} instead of {there.get(a)}" for a in differ),
            )
        here, there = one.roots(), other.roots()
        differ = list((here - there).items()) + list((there - here).items())
        self.tell(differ, f"{len(differ)} of {len(there)} roots differ", differ)

    def look_at_core(self, core):
        self.tell(core.repeated, f"{len(core.repeated)} addresses have two objects")
        nowhere = [f"{a:x} -> {t:x}" for a, all_ in core.references.items() for t, _ in all_ if t not in core.objects]
        self.tell(nowhere, f"{len(nowhere)} references lead to no object", nowhere)
        named, nameless = 0, collections.Counter()
        for a, references in core.references.items():
            for target, field in references:
                if field is not None:
                    named += 1
                elif core.objects.get(target, ("",))[0] != LOADER_ALLOCATOR:
                    nameless[core.objects[a][0], core.objects.get(target, ("?",))[0]] += 1
        # A dependent handle makes one object refer to another, by no field either: in a table whose
        # keys have one value each.
        instances = collections.Counter(t for t, _, _ in core.objects.values())
        wrong = {pair: n for pair, n in nameless.items() if n > instances[pair[0]]}
        self.tell(
            wrong,
            f"{named} references have the name of a field; {sum(wrong.values())} have none, "
            f"and {sum(nameless.values()) - sum(wrong.values())} are of dependent handles",
            (f"{n} {a} -> {b}" for (a, b), n in (wrong or nameless).items()),
        )

    def compare_statics(self, core, gcdump):
        here, there, renewed = core.statics(), gcdump.statics(), self.renewed(core, gcdump)
        absent = [f"{field} = {a:x} ({there[field, a][0]})" for field, a in there if (field, a) not in here.keys() | renewed]
        self.tell(absent, f"{len(absent)} of {len(there)} static variables of the gcdump are not in the core", absent)
        self.tell(False, f"{len(renewed)} static variables have a newer object", (f"{f} = {a:x}" for f, a in renewed))
        nameless = [n for key in there if key in here for n in here[key] if n.count(".") == 0 or "?" in n]
        self.tell(nameless, f"{len(nameless)} of them have no class", nameless)
        more = [n for key in here if key not in there for n in here[key]]
        self.tell(False, f"{len(more)} static variables are in the core alone", more)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--list-heap", default="build/list-heap")
    parser.add_argument("--extra", type=int, default=60)
    parser.add_argument("--moved", type=float)
    parser.add_argument("--except", dest="skipped", action="append", default=[])
    parser.add_argument("--same", action="store_true")
    parser.add_argument("--no-fields", action="store_true")
    parser.add_argument("-v", dest="verbose", action="store_true")
    parser.add_argument("core")
    parser.add_argument("gcdump")
    options = parser.parse_args()
    gate = Gate(options)
    core, gcdump = (Heap(options.list_heap, p) for p in (options.core, options.gcdump))
    live = sum(reachable for _, _, reachable in core.objects.values())
    print(f"      {len(core.objects)} objects in the core, {live} reachable; {len(gcdump.objects)} in the gcdump")
    if not options.no_fields:
        gate.look_at_core(core)
    if options.same:
        gate.compare_same(core, gcdump)
    elif options.moved is None:
        gate.compare_objects(core, gcdump)
        gate.compare_statics(core, gcdump)
    else:
        gate.compare_counts(core, gcdump)
    return 1 if gate.failures else 0


if __name__ == "__main__":
    sys.exit(main())
