"""Take apart what build servers are given, so that tests can run it.

ci_files.py steps ACTION FOLDER [INPUT=VALUE...]   of a composite action: FOLDER/1.sh, 1.env, ...
ci_files.py blocks GUIDE FOLDER                    code blocks of a guide: FOLDER/01-bash, ...
ci_files.py pipelines FOLDER                       whether the YAML blocks there are what the
                                                   servers take; says which ones it saw
ci_files.py workflow FILE                          whether our own workflow runs .ci/run, and may
                                                   do nothing else"""
import os
import pathlib
import re
import shlex
import sys

import yaml


def fail(text):
    sys.exit(f"ci_files: {text}")


def expand(text, inputs):
    """The kinds of expression that our action uses: inputs, and whose repository it is of."""
    done = re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: inputs[m.group(1)], text)
    done = done.replace("${{ github.action_repository }}", os.environ.get("ACTION_REPOSITORY", ""))
    if "${{" in done:
        fail(f"an expression that is not known: {text}")
    return done


def steps(action, folder, *given):
    action = yaml.safe_load(pathlib.Path(action).read_text(encoding="utf-8"))
    if set(action) != {"name", "description", "inputs", "outputs", "runs"}:
        fail(f"keys are {list(action)}")
    inputs = {}
    for name, entry in action["inputs"].items():
        if not entry.get("description") or not isinstance(entry.get("default", ""), str):
            fail(f"input {name} needs a description, and text as default")
        inputs[name] = entry.get("default", "")
    for word in given:
        name, _, value = word.partition("=")
        if name not in inputs:
            fail(f"no input {name}")
        inputs[name] = value
    ids = {step.get("id") for step in action["runs"]["steps"]}
    for name, entry in action["outputs"].items():
        match = re.fullmatch(r"\$\{\{ steps\.(\w+)\.outputs\.(\w+) \}\}", entry["value"])
        if not match or match.group(1) not in ids or not entry.get("description"):
            fail(f"output {name} is {entry}")
    if action["runs"]["using"] != "composite":
        fail("no composite action")
    scripts = [step for step in action["runs"]["steps"] if "uses" not in step]
    for step in action["runs"]["steps"]:
        # What others made gets files and names, and nothing to run.
        if "uses" in step and (step["uses"] != "actions/upload-artifact@v4" or set(step) != {"name", "if", "uses", "with"}):
            fail(f"a step of others: {step}")
    for number, step in enumerate(scripts, 1):
        # A composite action has to name the shell; expressions in scripts can be injected into.
        if step["shell"] != "bash" or "${{" in step["run"] or not set(step) <= {"name", "id", "shell", "env", "run"}:
            fail(f"step {number}: {step}")
        base = pathlib.Path(folder)
        (base / f"{number}.sh").write_text(step["run"], encoding="utf-8")
        (base / f"{number}.env").write_text(
            "".join(f"export {k}={shlex.quote(expand(v, inputs))}\n" for k, v in step.get("env", {}).items()),
            encoding="utf-8")


def blocks(guide, folder):
    text = pathlib.Path(guide).read_text(encoding="utf-8")
    # Blocks in lists are indented; the fence says by how much.
    found = re.findall(r"^( *)```(\w*)\n(.*?)^\1```$", text, re.MULTILINE | re.DOTALL)
    for number, (indent, language, body) in enumerate(found, 1):
        lines = [line.removeprefix(indent) for line in body.splitlines(keepends=True)]
        name = f"{number:02}-{language or 'text'}"
        (pathlib.Path(folder) / name).write_text("".join(lines), encoding="utf-8")
    print(len(found))


def scripts_of(node, key):
    """Every text of that key below node, however deep: what a server gives to a shell."""
    if isinstance(node, dict):
        for name, value in node.items():
            if name == key and isinstance(value, str):
                yield value
            elif name == key and isinstance(value, list):
                yield "\n".join(value) + "\n"
            else:
                yield from scripts_of(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from scripts_of(value, key)


def github(workflow):
    for name, job in workflow["jobs"].items():
        if "runs-on" not in job or not job["steps"]:
            fail(f"GitHub: job {name} needs runs-on and steps")
        for step in job["steps"]:
            if ("uses" in step) == ("run" in step):
                fail(f"GitHub: a step uses or runs: {step}")
            if not re.search(r"^\./|@", step.get("uses", "@")):
                fail(f"GitHub: which version of {step['uses']}?")
    return scripts_of(workflow, "run")


def azure(pipeline):
    if "vmImage" not in pipeline["pool"]:
        fail("Azure: pool needs vmImage")
    for step in pipeline["steps"]:
        if len({"script", "bash", "task"} & set(step)) != 1:
            fail(f"Azure: a step is script, bash or task: {step}")
        if "task" in step and not re.fullmatch(r"\w+@\d+", step["task"]):
            fail(f"Azure: which version of {step['task']}?")
    results = [s["inputs"] for s in pipeline["steps"] if s.get("task") == "PublishTestResults@2"]
    if [r["testResultsFormat"] for r in results] != ["JUnit"] or not results[0]["testResultsFiles"].endswith(".xml"):
        fail("Azure: results are published as JUnit")
    return scripts_of(pipeline, "bash")


def gitlab(pipeline):
    (job,) = pipeline.values()
    # Without `when` the report of a failed job is not kept.
    if not job["artifacts"]["reports"]["junit"].endswith(".xml") or job["artifacts"]["when"] != "always":
        fail("GitLab: a JUnit report that is kept always")
    return scripts_of(job, "script")


def pipelines(folder):
    seen = []
    for path in sorted(pathlib.Path(folder).glob("*-yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        # `on` is true for YAML 1.1.
        if "jobs" in content and (True in content or "on" in content):
            kind, scripts = "github", github(content)
        elif "pool" in content:
            kind, scripts = "azure", azure(content)
        elif "budgets" in content or "process" in content:
            kind, scripts = "budgets", []
        elif all(isinstance(job, dict) and "script" in job for job in content.values()):
            kind, scripts = "gitlab", gitlab(content)
        else:
            fail(f"{path}: a pipeline of which server?")
        seen.append(kind)
        path.rename(path.with_name(f"{path.name}-{kind}"))
        for number, script in enumerate(scripts, 1):
            path.with_name(f"{path.name}-{kind}-{number}.sh").write_text(script, encoding="utf-8")
    print(" ".join(seen))


def workflow(file):
    content = yaml.safe_load(pathlib.Path(file).read_text(encoding="utf-8"))
    when = content.get("on", content.get(True))
    if not {"push", "pull_request"} <= set(when):
        fail(f"{file}: runs on {list(when)}")
    # What strangers send is run: nothing that it could write with, and no secret.
    text = yaml.safe_dump(content)
    if content.get("permissions") != {"contents": "read"} or "secrets." in text or "pull_request_target" in when:
        fail(f"{file}: may do more than read")
    if "github." not in content["concurrency"]["group"]:
        fail(f"{file}: one change would wait for another")
    scripts = list(github(content))
    if any("${{" in script for script in scripts):
        fail(f"{file}: an expression in a script can be injected into")
    if ".ci/run" not in (script.strip() for script in scripts):
        fail(f"{file}: does not run .ci/run")


if __name__ == "__main__":
    {"steps": steps, "blocks": blocks, "pipelines": pipelines, "workflow": workflow}[sys.argv[1]](*sys.argv[2:])
