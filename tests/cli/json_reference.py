"""The tables of docs/json.md, made of the schemas: json_reference.py SCHEMA_FOLDER FILE.

They stand in FILE behind a line that says so. Prints FILE as it should be; GOLDEN=accept
writes it."""
import json
import os
import pathlib
import sys

MARK = "<!-- What follows is made of docs/json-schema: GOLDEN=accept bats tests/cli/docs.bats -->\n"
COMMANDS = ["diff", "check", "top", "roots", "tree", "object", "objects", "statics", "info", "ps", "fleet", "record", "store"]
CALLED = {"objects": "object --type"}


def title(name):
    return name.replace("_", " ").capitalize()


def type_of(schema):
    """In words: "integer or null", "array of chain"."""
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
        return " or ".join([f"array of {type_of(schema['items'])}", *kinds[1:]])
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
    known, texts, diff = {}, [], None
    for command in COMMANDS:
        schema = json.loads((folder / f"heapdrift-{command}.json").read_text(encoding="utf-8"))
        diff = schema if command == "diff" else diff
        own = {key: value for key, value in schema["properties"].items()
               if command != "check" or key not in diff["properties"]}
        texts.append(f"### heapdrift {CALLED.get(command, command)}\n\n{schema['description']}\n\n{table({'properties': own})}")
        for name, definition in schema.get("$defs", {}).items():
            known.setdefault((name, json.dumps(definition)), (command, definition))
    names = [name for name, _ in known]
    for (name, _), (command, definition) in sorted(known.items(), key=lambda item: item[0][0]):
        if "properties" in definition:
            heading = title(name) + (f" ({command})" if names.count(name) > 1 and command != "diff" else "")
            texts.append(f"### {heading}\n\n{definition.get('description', '')}\n\n{table(definition)}")
    return "\n".join(texts)


def main():
    folder, document = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = document.read_text(encoding="utf-8")
    made = text.split(MARK)[0] + MARK + "\n" + reference(folder)
    if os.environ.get("GOLDEN") == "accept":
        document.write_text(made, encoding="utf-8")
    elif text != made:
        sys.exit(f"{document} is not what the schemas say: GOLDEN=accept")


if __name__ == "__main__":
    main()
