"""What manifests and units promise, and whether they can keep it: promises.py FILE...

    promises.py FILE...             complaints, a line each; status 1 if there is one
    promises.py --script FILE NAME  the shell script of the container of that name"""
import pathlib
import re
import sys

complaints = []
SANDBOX = ["seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"]


def pods(value, kind=None):
    """Every pod, with the kind of what makes it and that itself."""
    if isinstance(value, list):
        for v in value:
            yield from pods(v, kind)
    if isinstance(value, dict):
        kind = value.get("kind", kind)
        if "containers" in value:
            yield kind, value
        for v in value.values():
            yield from pods(v, kind)


def jobs(value):
    """Every specification of a job: that which has a limit of failures."""
    if isinstance(value, dict):
        if "backoffLimit" in value:
            yield value
        for v in value.values():
            yield from jobs(v)


def containers(pod):
    return pod.get("initContainers", []) + pod["containers"]


def words(container):
    return " ".join(container.get("command", []) + container.get("args", []))


def is_ours(container):
    return re.search(r"(^|/)heapdrift", container["image"]) is not None


def check_pod(say, kind, pod):
    if not any(is_ours(c) for c in containers(pod)):
        return
    if pod.get("automountServiceAccountToken") is not False:
        say("a token of the cluster, which nothing here needs, is put into the pod")
    for volume in pod.get("volumes", []):
        if "secret" in volume:
            check_secret(say, pod, volume)
    if pod.get("hostPID") and kind != "DaemonSet":
        say("sees the processes of its node")
    for c in filter(is_ours, containers(pod)):
        check_container(say, kind, pod, c)


def check_secret(say, pod, volume):
    """Who has it can read it, and nobody else."""
    having = [c for c in containers(pod) if volume["name"] in (m["name"] for m in c.get("volumeMounts", []))]
    mode = volume["secret"].get("defaultMode")
    if not having or not all(is_ours(c) for c in having):
        say("a secret that another container has")
    if mode not in (0o440, 0o444) or mode == 0o444 and "fsGroup" in pod.get("securityContext", {}):
        say("a secret that others than the group may read")
    for c in having:
        is_root = c["securityContext"].get("runAsUser") == 0
        if mode == 0o440 and not is_root and "fsGroup" not in pod.get("securityContext", {}):
            say(f"{c['name']}: a secret that it cannot read")


def check_container(say, kind, pod, c):
    if kind == "Deployment" and "while" not in words(c):
        say(f"{c['name']}: when it exits its pod is not ready, and gets no requests")
    if kind != "DaemonSet" and any(probe in c for probe in ("readinessProbe", "startupProbe", "livenessProbe")):
        say(f"{c['name']}: a probe by which it takes its pod down")
    if re.search(r"\d{4}-\d\d-\d\d", words(c) + str(c.get("env", ""))):
        say(f"{c['name']}: a date, which is over one day")
    memory = re.search(r"--memory=(\d+)MB", words(c))
    if "watch" in words(c) and memory is None:
        say(f"{c['name']}: nothing keeps it below its limit of memory")
    limit = re.fullmatch(r"(\d+)([MG])i", c["resources"]["limits"]["memory"])
    if memory and limit and int(memory[1]) * 10**6 >= int(limit[1]) << {"M": 20, "G": 30}[limit[2]]:
        say(f"{c['name']}: --memory is not below its limit of memory")


def check_job(say, job):
    pod = job["template"]["spec"]
    everything = " ".join(words(c) for c in containers(pod))
    if "activeDeadlineSeconds" not in job:
        say("a job without an end")
    judges = [c for c in containers(pod) if "--exit-code" in words(c)]
    for c in judges:
        rules = job.get("podFailurePolicy", {}).get("rules", [])
        if job["backoffLimit"] > 0 and not any(
                rule["action"] == "FailJob" and rule["onExitCodes"]["containerName"] == c["name"]
                and rule["onExitCodes"]["operator"] == "In" and rule["onExitCodes"]["values"] == [1]
                for rule in rules):
            say(f"{c['name']}: status 1 is a verdict, and it is asked for again")
        if pod["restartPolicy"] != "Never":
            say("a verdict is asked for again by the kubelet")
    shared = [v["name"] for v in pod.get("volumes", []) if "persistentVolumeClaim" in v]
    if shared and "$JOB" not in everything:
        say("what an earlier job left is taken for its own")


def check_promises(say, text, commands, roles):
    """What comments say is there."""
    comments = " ".join(re.findall(r"#(.*)", text))
    if "Prometheus" in comments and "--format=prometheus" not in commands:
        say("promises Prometheus something, and writes nothing for it")
    needs = {"heapdrift_writer": re.search(r"\bwatch\b|heapdrift record [^-]", commands),
             "heapdrift_keeper": re.search(r"--save|--keep", commands)}
    for role, needed in needs.items():
        if needed and "pg_service.conf" in text and role not in comments:
            say(f"does not say that its database user needs the role {role}")
    for role in re.findall(r"heapdrift_\w+", comments):
        if role not in roles:
            say(f"names a role that docs/store.md does not make: {role}")


def check_unit(say, text):
    entries = re.findall(r"^(\w+)=(.*)$", text, re.M)
    setting = {}
    for key, value in entries:
        setting.setdefault(key, []).append(value)
    told = re.findall(r"--collector\.textfile\.directory=(\S+?)\)", text)
    written = [m for v in setting.get("ExecStart", []) for m in re.findall(r"-o (\S+)/[^/ ]+", v)]
    if told != written[:len(told)]:
        say(f"metrics are written to {written}, and told to be in {told}")
    for folder in written:
        root, _, name = folder.partition("/")
        kind = {"%t": "Runtime", "%S": "State"}.get(root)
        if kind is None or setting.get(f"{kind}Directory") != [name]:
            say(f"{folder} is not made")
        elif setting.get("DynamicUser") == ["yes"] and kind != "Runtime":
            say(f"{folder} of a dynamic user is below a folder that nobody else may enter")
        elif setting.get(f"{kind}DirectoryMode") != ["0755"]:
            say(f"nobody else may enter {folder}")
        elif kind == "Runtime" and setting.get("RuntimeDirectoryPreserve") != ["yes"]:
            say(f"{folder} goes when the service ends")
    if "ExecStart" in setting:
        check_surroundings(say, {key: " ".join(values) for key, values in setting.items()})


def check_surroundings(say, setting):
    """What was seen under a real systemd to stop the program or to blind it."""
    watches = " watch " in setting["ExecStart"]
    if watches and setting.get("ProtectHostname", "no") == "yes":
        say("with a host name of its own it knows that of no process")
    if watches and (setting.get("PrivateTmp") != "no" or setting.get("ProtectProc", "default") != "default"):
        say("does not see sockets in /tmp, or processes")
    if watches and (setting["MemoryMax"] != "1G" or "--memory=800MB" not in setting["ExecStart"]):
        say("nothing keeps it below its limit of memory")
    if watches and setting.get("OOMScoreAdjust", "0") == "0":
        say("a service may be killed for memory that this has")
    if not all(call in setting["SystemCallFilter"].split() for call in SANDBOX):
        say("its own sandbox is not allowed")
    if "PGPASSFILE" in setting["Environment"]:
        say("systemd 254 lets a group read credentials, and libpq ignores such a password file")
    loaded = [c.split(":")[0] for c in setting["LoadCredential"].split()]
    if loaded != [c.split(":")[0] for c in setting.get("SetCredential", "").split()]:
        say("does not start without a file that SQLite does not need")
    if "/var/lib/heapdrift" not in setting["ReadWritePaths"]:
        say("cannot write to a store in a file")


def check(path):
    text = path.read_text(encoding="utf-8")

    def say(what):
        complaints.append(f"{path.name}: {what}")
    roles = (pathlib.Path(__file__).parents[2] / "docs/store.md").read_text(encoding="utf-8")
    if path.suffix != ".yaml":
        check_unit(say, text)
        return
    documents = load(path)
    commands = " ".join(words(c) for d in documents for _, p in pods(d) for c in containers(p))
    for d in documents:
        for kind, pod in pods(d):
            check_pod(say, kind, pod)
        for job in jobs(d):
            check_job(say, job)
    if "#" in text and commands:    # what kustomize puts out has no comments
        check_promises(say, text, commands, roles)


def load(path):
    import yaml
    return list(yaml.safe_load_all(path.read_text(encoding="utf-8")))


if sys.argv[1] == "--script":
    for document in load(pathlib.Path(sys.argv[2])):
        for _, pod in pods(document):
            for c in containers(pod):
                if c["name"] == sys.argv[3]:
                    print(c["args"][0])
    sys.exit()
for name in sys.argv[1:]:
    check(pathlib.Path(name))
for line in complaints:
    print(line)
sys.exit(len(complaints) > 0)
