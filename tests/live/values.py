#!/usr/bin/env python3
"""Hold the values that a core shows against what the program printed of itself.

    values.py [--heapdrift=PROGRAM] CORE TOLD

TOLD has what CoreLab answers to "values": a line NAME=VALUE for each value of Values.cs. Numbers
are compared as numbers, so that digits of one version of .NET are not those of another; all else
as text. Every line must have its value, and the other way round.
"""

import argparse
import json
import re
import subprocess
import sys


def ask(options, *arguments):
    command = [options.heapdrift, *arguments, "-q", "--format=json", options.core]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def look_at(options, address):
    command = [options.heapdrift, "object", "-q", "-n0", "--values", "--format=json", options.core, address]
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def text_of(value, member):
    """As the program prints it."""
    if value is None:
        return None
    if member is not None:
        return member
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def value_of(field):
    if field["no_value"]:
        return "null"
    if field["kind"] != "reference":
        return text_of(field["value"], field["member"])
    if field["to"] is None:
        return "null"
    if field["text"] is not None:
        return field["text"]
    return text_of(field["to"]["value"], field["to"]["member"])


def values_of(options, address):
    """NAME: (value, type) of all fields, those of arrays with their elements."""
    found = {}
    for field in look_at(options, address)["fields"]:
        value = value_of(field)
        if value is None and field["to"] is not None:
            for name, (inner, inner_type) in values_of(options, field["to"]["address"]).items():
                found[field["name"] + name] = (inner, inner_type)
        else:
            found[field["name"]] = (value, field["type"])
    return found


NUMBER = re.compile(r"-?(\d+(\.\d+)?(E[+-]\d+)?|NaN|Infinity)$", re.IGNORECASE)


def same(here, there, of_type):
    if here == there:
        return True
    # Addresses are numbers to programs, and hexadecimal to people.
    if there.startswith("0x"):
        return int(here) % 2**64 == int(there, 16)
    is_real = of_type is not None and re.search(r"System\.(Single|Double|Half)\b", of_type)
    if is_real and NUMBER.match(here) and NUMBER.match(there):
        return float(here) == float(there) or str(float(here)) == str(float(there))
    return False


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--heapdrift", default="build/heapdrift")
    parser.add_argument("core")
    parser.add_argument("told")
    options = parser.parse_args()
    with open(options.told, encoding="utf-8") as file:
        told = dict(line.rstrip("\n").split("=", 1) for line in file)
    objects = ask(options, "object", "--type=Shop.AllValues")["objects"]
    shown = values_of(options, objects[0]["address"])
    statics = ask(options, "statics", "--values", "-n0", "--type=Shop.StaticValues")
    for variable in statics["statics"]:
        # Only the thread that printed them has set them.
        name = "static " + variable["field"]["name"]
        shown[name] = (value_of(variable["field"]), variable["field"]["type"])
    never = ask(options, "statics", "-n0", "--type=Shop.Untouched")["statics"]
    wrong = [
        f"{name}: {shown.get(name, ('nothing',))[0]} instead of {value}"
        for name, value in told.items()
        if name not in shown or not same(shown[name][0] or "", value, shown[name][1])
    ]
    wrong += [f"{name}: {value} is more than was told" for name, (value, _) in shown.items() if name not in told]
    wrong += [f"{v['field']['name']} has a value" for v in never if v["set"]]
    if len(never) != 2:
        wrong.append(f"{len(never)} variables of a class that was not used, instead of 2")
    print(f"      {len(told)} values, {len(wrong)} of them wrong")
    for line in wrong:
        print(f"WRONG {line}")
    return 1 if wrong or len(told) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
