"""Check results of heapdrift --format=json: check_json.py SCHEMA_FOLDER FILE...

A FILE holds one result after the other. Each is valid under its schema, has its keys in
the schema's order, and one number per snapshot where there is one per snapshot."""
import json
import pathlib
import sys

from jsonschema import Draft202012Validator


def results(path):
    text, at = pathlib.Path(path).read_text(encoding="utf-8"), 0
    while at < len(text):
        value, end = json.JSONDecoder().raw_decode(text, at)
        yield value
        at = end + len(text[end:]) - len(text[end:].lstrip())


def resolve(schema, value, root):
    if "$ref" in schema:
        return resolve(root["$defs"][schema["$ref"].split("/")[-1]], value, root)
    for choice in schema.get("oneOf", []):
        if Draft202012Validator({**choice, "$defs": root["$defs"]}).is_valid(value):
            return resolve(choice, value, root)
    return schema


def key_order(value, schema, root, where):
    schema = resolve(schema, value, root)
    if isinstance(value, dict) and "properties" in schema:
        keys = list(schema["properties"])
        if list(value) != keys:
            yield f"{where}: keys are {list(value)}, should be {keys}"
        for key, inner in value.items():
            if key in schema["properties"]:
                yield from key_order(inner, schema["properties"][key], root, f"{where}.{key}")
    elif isinstance(value, list) and "items" in schema:
        for i, inner in enumerate(value):
            yield from key_order(inner, schema["items"], root, f"{where}[{i}]")


def lengths(result):
    """Arrays with a number per snapshot."""
    count = len(result.get("snapshots", []))
    rows = [result.get("totals", {})] + [
        row for key in ("suspects", "minor", "pooled", "types") for row in result.get(key, [])
    ]
    for row in rows if result["schema"] in ("heapdrift-diff", "heapdrift-check") else []:
        for key, value in row.items():
            if key not in ("chains", "holder", "also") and isinstance(value, list) and len(value) != count:
                yield f"{row.get('type', 'totals')}: {len(value)} numbers for {count} snapshots"
    for node in result["nodes"] if result["schema"] == "heapdrift-tree" else []:
        for key in ("count", "bytes", "objects", "retained"):
            if len(node[key]) != count:
                yield f"node {node['type']}: {len(node[key])} of {key} for {count} snapshots"
    if result["schema"] == "heapdrift-roots" and len(result["instances"]) != count:
        yield f"{len(result['instances'])} instances for {count} snapshots"


def main():
    schemas = {}
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        schemas[path.stem] = json.loads(path.read_text(encoding="utf-8"))
        Draft202012Validator.check_schema(schemas[path.stem])
    complaints = []
    checked = 0
    for path in sys.argv[2:]:
        for number, result in enumerate(results(path)):
            where = f"{path}, result {number}"
            schema = schemas[result["schema"]]
            for error in Draft202012Validator(schema).iter_errors(result):
                complaints.append(f"{where}: {error.json_path}: {error.message}")
            complaints += key_order(result, schema, schema, f"{where}: $")
            complaints += [f"{where}: {text}" for text in lengths(result)]
            checked += 1
    print("\n".join(complaints[:50]) if complaints else f"{checked} results are valid")
    return 1 if complaints or checked == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
