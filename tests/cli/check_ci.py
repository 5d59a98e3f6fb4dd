"""Hold what a check wrote for build servers against each other: check_ci.py SCHEMA FOLDER...

A FOLDER has out.json, out.xml (JUnit) and out.sarif of one run. The SARIF is valid under
SCHEMA. Verdict, rules and findings are the same in all three."""
import json
import pathlib
import sys
import xml.etree.ElementTree as xml

from jsonschema import Draft202012Validator

BADNESS = ["pass", "suppressed", "inconclusive", "fail"]
OUTCOME = {"pass": "system-out", "suppressed": "skipped", "inconclusive": "skipped", "fail": "failure"}
KIND = {"pass": "pass", "suppressed": "fail", "inconclusive": "open", "fail": "fail"}


def by_rule(findings):
    """Status of each rule, the worst of its findings. Findings of one rule stand together,
    and no two rules have the same name and limit."""
    rules = {}
    for f in findings:
        name = f"{f['rule']} {f['limit']}"
        rules[name] = max(rules.get(name, "pass"), f["status"], key=BADNESS.index)
    return rules


def junit_complaints(tree, findings):
    suites, suite = tree.getroot(), tree.getroot().find("testsuite")
    cases = suite.findall("testcase")
    rules = by_rule(findings)
    expected = [OUTCOME[status] for status in rules.values()]
    if [case[0].tag for case in cases] != expected:
        yield f"outcomes are {[case[0].tag for case in cases]}, should be {expected}"
    for key, tag in (("tests", None), ("failures", "failure"), ("skipped", "skipped")):
        count = len(cases) if tag is None else expected.count(tag)
        for node in (suites, suite):
            if node.get(key) not in (str(count), None):
                yield f"{node.tag} has {key}={node.get(key)}, should be {count}"
    names = [p.get("name") for p in suite.find("properties")]
    if names != [f"snapshot.{i + 1}" for i in range(len(names) - 1)] + ["confidence"]:
        yield f"properties are {names}"
    for case, (name, status) in zip(cases, rules.items()):
        if case[0].tag == "skipped" and not case[0].get("message").startswith(status + ": "):
            yield f"{name} is skipped as {case[0].get('message')}"


def sarif_complaints(sarif, findings, warnings):
    results = sarif["runs"][0]["results"]
    if len(results) != len(findings):
        yield f"{len(results)} results for {len(findings)} findings"
    for result, f in zip(results, findings):
        if result["kind"] != KIND[f["status"]]:
            yield f"{f['rule']}: {result['kind']} for {f['status']}"
        if ("suppressions" in result) != (f["status"] == "suppressed"):
            yield f"{f['rule']}: suppressions of what is {f['status']}"
        has_line = bool(result["locations"]) and "physicalLocation" in result["locations"][0]
        if has_line != (f["source"] not in ("option", "default")):
            yield f"{f['rule']}: a line of a file for {f['source']}"
        line = f["source"].rpartition(":")[2]
        if has_line and str(result["locations"][0]["physicalLocation"]["region"]["startLine"]) != line:
            yield f"{f['rule']}: another line than {f['source']}"
    prints = [r["partialFingerprints"]["ruleAndSubject/v1"] for r in results]
    subjects = {(f["rule"], f["subject"], f["unit"], f["limit"]) for f in findings}
    if len(set(prints)) != len(subjects):
        yield f"{len(set(prints))} fingerprints for {len(subjects)} findings"
    notes = sarif["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    # What would have shown is a remark on a pass.
    notes = [n for n in notes if n["descriptor"]["id"] != "would-show"]
    if [n["descriptor"]["id"] for n in notes] != [w["code"] for w in warnings]:
        yield f"notifications {notes} for warnings {warnings}"


def complaints(folder, validator):
    result = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    sarif = json.loads((folder / "out.sarif").read_text(encoding="utf-8"))
    for error in validator.iter_errors(sarif):
        yield f"SARIF: {error.json_path}: {error.message}"
    yield from junit_complaints(xml.parse(folder / "out.xml"), result["rules"])
    yield from sarif_complaints(sarif, result["rules"], result["warnings"])
    worst = max(by_rule(result["rules"]).values(), key=BADNESS.index)
    if result["verdict"] != worst.replace("suppressed", "pass"):
        yield f"verdict {result['verdict']}, the worst rule is {worst}"


def main():
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator, found = Draft202012Validator(schema), []
    for folder in map(pathlib.Path, sys.argv[2:]):
        found += [f"{folder}: {text}" for text in complaints(folder, validator)]
    print("\n".join(found[:50]) if found else f"{len(sys.argv) - 2} runs agree")
    return 1 if found or len(sys.argv) == 2 else 0


if __name__ == "__main__":
    sys.exit(main())
