#!/usr/bin/env python3
"""check_layers.py [ROOT]: which room of src/ may include which, and that no files include each other in a circle.

A house is a folder of src/, its rooms are the folders in it. Files of core include each other by room ("heap/graph.h"),
those of the other houses by house ("clr/process/memory.h"). A unit is a .c file with the .h file of its name. Prints
one line for each mistake."""
import pathlib
import re
import sys

# A room, and what it may include apart from its own: rooms, or single headers; the lowest first. "public" is include/.
# The program (cli, commands, live, agent) includes public headers and its own only, so that every build proves that
# the library is enough.
ROOMS = """
core/base: public
core/heap: core/base public
core/trace: core/base core/heap
core/format: core/base core/heap core/trace public
core/identity: core/base core/heap
core/series: core/base core/heap core/format public
core/chains: core/base core/heap core/series
core/owners: core/base core/heap core/series core/chains
core/ages: core/base core/identity core/series core/owners
core/digest: core/base core/heap core/series core/chains core/owners core/ages
core/ranking: core/base core/heap core/series core/chains core/owners core/ages public
core/budget: core/base core/heap core/series public
core/compare: core/base core/heap core/format core/identity core/chains core/owners core/ages core/digest public
core/browse: core/base core/heap core/format core/chains core/compare
core/report: core/base core/heap core/format core/series core/chains core/owners core/ranking core/budget core/compare public
core/questions: core/base core/heap core/format core/series core/owners core/ranking core/budget core/compare core/browse core/report
core/document: core/base core/heap core/owners core/ranking core/report public
core/render: core/base core/heap core/report core/document public
core/cli/terminal: public
core/cli/guard: core/cli/terminal public
core/cli/options: core/cli/terminal core/cli/guard public
core/cli/explore: core/cli/terminal core/cli/guard public
core/cli/commands: core/cli/terminal core/cli/guard core/cli/options core/cli/explore public
core/cli: core/cli/terminal core/cli/guard core/cli/options core/cli/commands public
clr/process: core/base clr
clr/managed: core/base core/heap core/format clr/process public
clr: core/base core/format clr/process clr/managed
collect: core/base core/heap core/trace core/identity clr public
collect/live: core/cli/terminal core/cli/guard core/cli/options core/cli/commands public
collect/commands: core/cli/terminal core/cli/guard core/cli/options core/cli/commands collect/live public
fleet/store: core/base core/heap core/format public
fleet: core/base core/heap core/series core/ranking core/report core/document core/render public
fleet/agent: core/cli/terminal core/cli/guard core/cli/options core/cli/commands collect/live public
fleet/commands: core/cli/terminal core/cli/guard core/cli/options core/cli/commands collect/live fleet/agent public
absent: core/base core/format core/report core/document core/render public
absent/commands: core/cli/terminal core/cli/options public
windows: core/base core/cli core/cli/terminal core/cli/guard core/cli/options core/cli/explore collect collect/live fleet/agent public
"""


def allowed_rooms():
    return {room: set(below.split()) for room, _, below in (line.partition(":") for line in ROOMS.split("\n") if line)}


def room_of(unit, rooms):
    """The room of a path under src/: the longest of the list that it is in; public for include/."""
    folders = unit.split("/")[:-1]
    while folders and "/".join(folders) not in rooms:
        folders.pop()
    return "/".join(folders)


def family(unit, room):
    """The folder of a room that a unit is in: a format is not a neighbour of another."""
    inside = unit[len(room) + 1:].split("/")
    return inside[0] if len(inside) > 1 else ""


def includes_of(root):
    """For each file of src/: its unit, and the units that it includes, as paths under src/; "public/NAME" of include/."""
    for path in sorted(root.glob("src/**/*.[ch]")):
        unit = str(path.relative_to(root / "src").with_suffix(""))
        found = []
        for name in re.findall(r'^#include "([^"]+)\.h"', path.read_text(encoding="utf-8"), re.M):
            for prefix, base in (("public/", "include"), ("core/", "src/core"), ("", "src")):
                if (root / base / (name + ".h")).exists():
                    found.append(prefix + name)
                    break
        yield path, unit, found


def trespasses(root, rooms):
    for path, unit, found in includes_of(root):
        room = room_of(unit, rooms)
        if room == "":
            yield f"{path.relative_to(root)}: a room that scripts/check_layers.py does not have"
            continue
        for other in found:
            there = "public" if other.startswith("public/") else room_of(other, rooms)
            if there == room and family(other, room) not in ("", family(unit, room)):
                yield f"{path.relative_to(root)}: includes {other}.h of a sibling"
            elif there != room and there not in rooms[room] and other not in rooms[room]:
                yield f"{path.relative_to(root)}: includes {other}.h; {room} may not include {there}"


def circles(root):
    """Strongly connected units, by Tarjan's algorithm without recursion."""
    graph = {}
    for _, unit, found in includes_of(root):
        graph.setdefault(unit, set()).update(other for other in found if other != unit and not other.startswith("public/"))
    order, low, stack, on_stack = {}, {}, [], set()
    for start in sorted(graph):
        if start in order:
            continue
        calls = [(start, iter(sorted(graph[start])))]
        order[start] = low[start] = len(order)
        stack.append(start)
        on_stack.add(start)
        while calls:
            unit, rest = calls[-1]
            following = next((other for other in rest if other in graph and (other not in order or other in on_stack)), None)
            if following is None:
                calls.pop()
                if calls:
                    low[calls[-1][0]] = min(low[calls[-1][0]], low[unit])
                if low[unit] == order[unit]:
                    circle = stack[stack.index(unit):]
                    del stack[-len(circle):]
                    on_stack.difference_update(circle)
                    if len(circle) > 1:
                        yield "a circle of files: " + " ".join(sorted(circle))
            elif following in order:
                low[unit] = min(low[unit], order[following])
            else:
                order[following] = low[following] = len(order)
                stack.append(following)
                on_stack.add(following)
                calls.append((following, iter(sorted(graph[following]))))


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else __file__).resolve()
    root = root if arguments else root.parents[1]
    wrong = [*trespasses(root, allowed_rooms()), *circles(root)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
