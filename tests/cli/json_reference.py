"""Generates docs/json-reference.md from the schemas: json_reference.py SCHEMA_FOLDER FILE.

Fails if FILE differs; GOLDEN=accept writes FILE instead."""
import json
import os
import pathlib
import sys

HEAD = """# JSON reference

<!-- Generated from docs/json-schema: GOLDEN=accept bats tests/cli/docs.bats -->

Every key of `--format=json` except `schema`, `schema_version` and `tool_version`, which every object has. How to call, the rules for
null and examples: [JSON, CSV and TSV](json.md).

"""
COMMANDS = ["diff", "check", "top", "roots", "tree", "object", "objects", "statics", "info", "ps", "fleet", "record", "store"]
CALLED = {"objects": "object --type"}


def title(name):
    return name.replace("_", " ").capitalize()


def type_of(schema):
    """Returns the type in words: "integer or null", "array of [chain](#chain)"."""
    if "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        return f"[{name.replace('_', ' ')}](#{title(name).lower().replace(' ', '-')})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        names = schema["enum"]
        words = ", ".join("null" if name is None else f"`{name}`" for name in names)
        return words if len(names) < 9 else "string"
    if "oneOf" in schema or "anyOf" in schema:
        return " or ".join(type_of(choice) for choice in schema.get("oneOf", schema.get("anyOf")))
    kinds = schema.get("type", "any")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if kinds[0] == "array":
        item = type_of(schema["items"])
        return "array of " + (f"({item})" if " or " in item else item) + (", or null" if "null" in kinds else "")
    return " or ".join(kinds)


def rows(schema, prefix=""):
    for key, value in schema["properties"].items():
        if prefix == "" and key in ("schema", "schema_version", "tool_version"):
            continue
        words = value.get("description", "").replace("|", "\\|")
        yield f"| `{prefix}{key}` | {type_of(value)} | {words} |"
        inner = value.get("items", value) if "properties" not in value else value
        if "properties" in inner:
            yield from rows(inner, f"{prefix}{key}.")


def table(schema):
    return "\n".join(["| key | type | |", "| --- | --- | --- |", *rows(schema)]) + "\n"


def reference(folder):
    known, diff = {}, None
    texts = [HEAD + "Commands: " + ", ".join(f"[{CALLED.get(name, name)}](#heapdrift-{CALLED.get(name, name).replace(' ', '-')})"
                                              for name in COMMANDS) + ". The objects that they share follow in order of their names.\n"]
    for command in COMMANDS:
        schema = json.loads((folder / f"heapdrift-{command}.json").read_text(encoding="utf-8"))
        diff = schema if command == "diff" else diff
        own = {key: value for key, value in schema["properties"].items()
               if command != "check" or key not in diff["properties"]}
        texts.append(f"## heapdrift {CALLED.get(command, command)}\n\n{schema['description']}\n\n{table({'properties': own})}")
        for name, definition in schema.get("$defs", {}).items():
            known.setdefault((name, json.dumps(definition)), (command, definition))
    names = [name for name, _ in known]
    for (name, _), (command, definition) in sorted(known.items(), key=lambda item: item[0][0]):
        if "properties" in definition:
            heading = title(name) + (f" ({command})" if names.count(name) > 1 and command != "diff" else "")
            texts.append(f"## {heading}\n\n{definition.get('description', '')}\n\n{table(definition)}")
    return "\n".join(texts)


def main():
    folder, document = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    made = reference(folder)
    if os.environ.get("GOLDEN") == "accept":
        document.write_text(made, encoding="utf-8")
    elif document.read_text(encoding="utf-8") != made:
        sys.exit(f"{document} differs from the schemas: GOLDEN=accept writes it")


if __name__ == "__main__":
    main()
