# Files in scripts/fleet must be valid for shells, Kubernetes, systemd, Grafana and Prometheus. The
# schemas of Kubernetes are those of the npm package kubernetes-models, installed by make check-slurm.

load ../cli/helper

MODELS=${MODELS:-build/fleet-tests/node_modules}

# The operators' files: $made/*.yaml are the manifests, and kubectl's output for the kustomizations: of
# this one alone, as in docs/fleet.md, and of services with the sidecar. Needs no cluster.
setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    made=$BATS_FILE_TMPDIR/made yours=$BATS_FILE_TMPDIR/yours
    export made yours
    mkdir "$made" "$yours"
    cp scripts/fleet/kubernetes/{agent,namespace,nightly,parts,podmonitor}.yaml "$made"
    cp -r scripts/fleet/kubernetes "$yours/heapdrift"
    has_kubectl || return 0
    kubectl kustomize "$yours/heapdrift" >"$made/base.yaml"
    kustomize nightly <<'END'
resources: [../heapdrift]
components: [../heapdrift/push]
images:
  - {name: heapdrift-store, newName: registry.example.com/heapdrift-store}
END
    services >"$yours/services.yaml"
    kustomize sidecar <<'END'
resources: [services.yaml]
components: [../heapdrift/sidecar]
END
}

# kustomize NAME <KUSTOMIZATION: writes the result to $made/NAME.yaml.
kustomize() {
    mkdir "$yours/$1"
    [[ ! -e $yours/services.yaml ]] || cp "$yours/services.yaml" "$yours/$1"
    cat >"$yours/$1/kustomization.yaml"
    kubectl kustomize "$yours/$1" >"$made/$1.yaml"
}

# Two that want the sidecar, and one that does not.
services() {
    local name kind label
    while read -r name kind label; do
        cat <<END
apiVersion: apps/v1
kind: $kind
metadata: {name: $name, labels: {heapdrift: $label}}
spec:
  serviceName: $name
  selector: {matchLabels: {app: $name}}
  template:
    metadata: {labels: {app: $name}}
    spec:
      securityContext: {runAsNonRoot: true, runAsUser: 1654}
      volumes: [{name: data, emptyDir: {}}]
      containers: [{name: $name, image: "shop:1.0"}]
---
END
    done <<'END' | sed '/^kind: Deployment/,/^---/{/serviceName/d}'
shop Deployment sidecar
stock StatefulSet sidecar
other Deployment no
END
}

# Components are of 1.21; Debian 12 has 1.20.
has_kubectl() { [[ $(kubectl version --client 2>/dev/null) =~ v1\.([0-9]+) && ${BASH_REMATCH[1]} -ge 21 ]]; }
need_kubectl() { has_kubectl || skip "no kubectl since 1.21 here"; }

@test "shell scripts are clean, and have a usage text" {
    shellcheck scripts/fleet/*.sh scripts/fleet/slurm/* tests/fleet/*.sh
    local script
    for script in scripts/fleet/parallel.sh scripts/fleet/slurm/*; do
        [[ -x $script ]]
        run "$script"
        [[ $status == 2 && $output == *"${script##*/}"* && $output != *"set -eu"* ]] || complain "$script: $output"
    done
}

@test "manifests are valid by the schemas of Kubernetes, and a slip of the pen is found" {
    [[ -d $MODELS/kubernetes-models ]] || skip "no kubernetes-models here: make check-slurm puts them there"
    rules >"$made/rules.yaml"
    local file change wanted
    for file in "$made"/*.yaml docs/containers/pod.yaml; do
        documents "$file" | node tests/fleet/manifests.js "$MODELS"
    done
    while IFS='|' read -r file change wanted; do
        sed "$change" "$made/$file" >"$tmp/slip.yaml"
        run bash -c "$(declare -f documents python); documents '$tmp/slip.yaml' | node tests/fleet/manifests.js '$MODELS'"
        [[ $status == 1 && $output == *"$wanted"* ]] || complain "$change: $output"
    done <<'LINES'
parts.yaml|s/readOnlyRootFilesystem/readOnlyRootFileSystem/|/securityContext/readOnlyRootFileSystem: no such field
parts.yaml|s/completions: 8/completions: eight/|data/spec/completions type {"type":"integer"}
agent.yaml|s/hostPID/hostPid/|/spec/template/spec/hostPid: no such field
namespace.yaml|s/preemptionPolicy: Never/preemptionPolicy: 1/|data/preemptionPolicy type {"type":"string"}
podmonitor.yaml|s/podMetricsEndpoints/podMetricEndpoints/|/spec/podMetricEndpoints: no such field
rules.yaml|s/expr:/expression:/|required {"missingProperty":"expr"}
LINES
}

# The rules for the Prometheus operator, by the lines of the documentation.
rules() { eval "$(sed -n '/^{$/,/^} | kubectl/p' docs/fleet.md | sed 's,/usr/share/heapdrift,scripts/fleet,; s/ | kubectl.*//')"; }

@test "the sidecar is added to workloads that request it, and to no others" {
    need_kubectl
    documents "$made/sidecar.yaml" | python -c '
import json, sys
pods = {d["metadata"]["name"]: d["spec"]["template"]["spec"] for d in map(json.loads, sys.stdin)}
assert [c["name"] for c in pods["other"]["containers"]] == ["other"] and "shareProcessNamespace" not in pods["other"]
for name in "shop", "stock":
    pod = pods[name]
    assert sorted(c["name"] for c in pod["containers"]) == sorted(["heapdrift", name])
    assert pod["securityContext"] == {"runAsNonRoot": True, "runAsUser": 1654} and pod["shareProcessNamespace"] is True
    assert "data" in [v["name"] for v in pod["volumes"]]
    theirs = next(c for c in pod["containers"] if c["name"] == name)
    assert theirs == {"name": name, "image": "shop:1.0"}, theirs
    # Its user is that of the pod.
    ours = next(c for c in pod["containers"] if c["name"] == "heapdrift")
    assert "runAsUser" not in ours["securityContext"]'
}

@test "the result is in the namespace, has your image, and pushes with the verdict" {
    need_kubectl
    documents "$made/nightly.yaml" | python -c '
import json, sys
docs = [json.loads(line) for line in sys.stdin]
kinds = sorted(d["kind"] for d in docs)
assert kinds == ["CronJob", "DaemonSet", "Namespace", "PriorityClass"], kinds
assert all(d["metadata"]["namespace"] == "heapdrift" for d in docs if d["kind"] in ("CronJob", "DaemonSet"))
images = set()
def look(x):
    if isinstance(x, dict):
        if "image" in x: images.add(x["image"])
        for v in x.values(): look(v)
    if isinstance(x, list):
        for v in x: look(v)
look(docs)
assert images == {"registry.example.com/heapdrift-store:0.1.0"}, images
pod = next(d for d in docs if d["kind"] == "CronJob")["spec"]["jobTemplate"]["spec"]["template"]["spec"]
assert {c["name"] for c in pod["initContainers"]} == {"metrics", "thin"}
assert {c["name"] for c in pod["containers"]} == {"fleet", "push"}'
}

# A line of JSON for each.
documents() { python -c 'import json, sys, yaml
for d in yaml.safe_load_all(open(sys.argv[1])):
    if d is not None: print(json.dumps(d))' "$1"; }

@test "containers have no more rights than they need" {
    local file
    for file in "$made"/*.yaml; do
        documents "$file" | python -c '
import json, sys
def pods(x):
    if isinstance(x, dict):
        if "containers" in x: yield x
        for v in x.values(): yield from pods(v)
for line in sys.stdin:
    for pod in pods(json.loads(line)):
        ours = [c for c in pod["containers"] + pod.get("initContainers", []) if "heapdrift" in c["image"]]
        of_pod = pod.get("securityContext", {})
        # The agent is root for four rights: tests/neighbours/rights.bats, that it needs them.
        is_agent = pod.get("hostPID", False)
        assert not any(pod.get(key) for key in ("hostNetwork", "hostIPC"))
        assert not any("hostPath" in v for v in pod.get("volumes", []))
        for c in ours:
            s = {**of_pod, **c["securityContext"]}
            assert "limits" in c["resources"], c["name"]
            assert s["seccompProfile"]["type"] == "RuntimeDefault"
            assert s["runAsUser"] == 0 if is_agent else s["runAsNonRoot"] is True
            assert s["readOnlyRootFilesystem"] and not s["allowPrivilegeEscalation"] and not s.get("privileged")
            wanted = {"drop": ["ALL"], "add": ["DAC_OVERRIDE", "SETGID", "SETUID", "SYS_PTRACE"]} if is_agent else {"drop": ["ALL"]}
            assert s["capabilities"] == wanted, s["capabilities"]
            assert not any("PASSWORD" in e["name"] for e in c.get("env", []))'
    done
}

@test "manifests and units can keep what they promise, and a promise that is broken is found" {
    python tests/fleet/promises.py "$made"/*.yaml scripts/fleet/kubernetes/sidecar/sidecar.yaml \
        scripts/fleet/systemd/heapdrift* docs/containers/pod.yaml
    local file change wanted count=0
    while IFS='|' read -r file change wanted; do
        cp "scripts/fleet/$file" "$tmp"
        sed -i "$change" "$tmp/${file##*/}"
        ! cmp -s "scripts/fleet/$file" "$tmp/${file##*/}" || complain "nothing changed: $change"
        run python tests/fleet/promises.py "$tmp/${file##*/}"
        [[ $status == 1 && $output == *"$wanted"* ]] || complain "$change: $output"
        count=$((count + 1))
    done <<'LINES'
kubernetes/sidecar/sidecar.yaml|/automountServiceAccountToken/d|a token of the cluster
kubernetes/nightly.yaml|s/Token: false/Token: true/|a token of the cluster
kubernetes/sidecar/sidecar.yaml|s/while :/if true/|its pod is not ready
kubernetes/sidecar/sidecar.yaml|s/ --memory=400MB//|nothing keeps it below its limit
kubernetes/sidecar/sidecar.yaml|s/--memory=400MB/--memory=900MB/|not below its limit of memory
kubernetes/sidecar/sidecar.yaml|s/heapdrift_writer/INSERT and SELECT/|needs the role heapdrift_writer
kubernetes/sidecar/sidecar.yaml|s/heapdrift_writer/heapdrift_author/|names a role that docs/store.md does not make
kubernetes/sidecar/sidecar.yaml|s/^          volumeMounts:/          livenessProbe: {exec: {command: [x]}}\n&/|a probe
kubernetes/sidecar/sidecar.yaml|s/defaultMode: 0444/defaultMode: 0440/|a secret that it cannot read
kubernetes/sidecar/sidecar.yaml|s/defaultMode: 0444/defaultMode: 0555/|a secret that others
kubernetes/sidecar/sidecar.yaml|s/shareProcessNamespace/hostPID: true #/|the processes of its node
kubernetes/agent.yaml|s/800MB/2000MB/|not below its limit of memory
kubernetes/agent.yaml|s/defaultMode: 0440/defaultMode: 0644/|a secret that others
kubernetes/nightly.yaml|/fsGroup/d|a secret that it cannot read
kubernetes/nightly.yaml|s/values: .1./values: [2]/|status 1 is a verdict
kubernetes/nightly.yaml|s/^# Grafana/# Prometheus/|promises Prometheus
kubernetes/nightly.yaml|/activeDeadlineSeconds/d|a job without an end
kubernetes/parts.yaml|s/until="$until"/until=2026-11-22/|a date
kubernetes/parts.yaml|/activeDeadlineSeconds/d|a job without an end
kubernetes/parts.yaml|s,/parts/$JOB,/parts,|what an earlier job left
systemd/heapdrift-fleet.service|s,%t,%S,;s/Runtime/State/;s/^User=.*/DynamicUser=yes/|below a folder that nobody else may enter
systemd/heapdrift-fleet.service|/Preserve/d|goes when the service ends
systemd/heapdrift-fleet.service|s/DirectoryMode=0755/DirectoryMode=0700/|nobody else may enter
systemd/heapdrift-fleet.service|s,-o %t/heapdrift-fleet,-o %t/other,|metrics are written to
systemd/heapdrift-fleet.service|s/ seccomp / /|its own sandbox is not allowed
systemd/heapdrift-fleet.service|/^SetCredential/d|does not start without a file
systemd/heapdrift-fleet.service|s/SERVICEFILE/PASSFILE/|libpq ignores such a password file
systemd/heapdrift-watch@.service|s/^PrivateTmp=no/&\nProtectHostname=yes/|knows that of no process
systemd/heapdrift-watch@.service|s/^PrivateTmp=no/PrivateTmp=yes/|does not see sockets
systemd/heapdrift-agent.service|s/^ProtectProc=.*/ProtectProc=invisible/|does not see sockets
systemd/heapdrift-agent.service|/^OOMScore/d|a service may be killed
systemd/heapdrift-watch@.service|s/ --memory=800MB//|nothing keeps it below its limit
systemd/heapdrift-agent.service|/^ReadWritePaths/s/-.*//|cannot write to a store
LINES
    [[ $count == 33 ]]
}

# script FILE NAME: what that container does, with its folders below $tmp.
script() { python tests/fleet/promises.py --script "scripts/fleet/kubernetes/$1" "$2" | sed "s,/parts/,$tmp/parts/,"; }

@test "a sidecar that ends is begun again, and SIGTERM reaches it and waits for it" {
    mkdir "$tmp/bin"
    # The first ends immediately, as one that may not write to its store; the next needs some time to
    # end.
    cat >"$tmp/bin/heapdrift" <<'END'
#!/bin/bash
echo "begin $*" >>"$LOG"
[[ $(grep -c begin "$LOG") -gt 2 ]] || exit 2
trap 'sleep 0.3; echo end >>"$LOG"; exit 0' TERM
while :; do sleep 0.05; done
END
    printf '#!/bin/bash\nexec /bin/sleep "$(awk "BEGIN { print ($1 < 1) ? $1 : 0.05 }")"\n' >"$tmp/bin/sleep"
    chmod +x "$tmp"/bin/*
    LOG=$tmp/log PATH=$tmp/bin:$PATH sh -c "$(script sidecar/sidecar.yaml heapdrift)" 3>&- &
    local pod=$!
    for _ in {1..200}; do [[ $(grep -c begin "$tmp/log" 2>/dev/null) -lt 3 ]] || break; sleep 0.05; done
    sleep 0.2
    kill -TERM "$pod"
    wait "$pod"
    [[ $(grep -c begin "$tmp/log") == 3 && $(tail -1 "$tmp/log") == end ]]
    grep -q -- "^begin watch --all --store=postgresql:///?service=heapdrift --interval=1h " "$tmp/log"
}

# A store with something of the last week, and a folder in which an earlier job left a part.
@test "the shards of a job are its own, of one window, and merged by the first" {
    local i jobs=() begin
    for i in {0..9}; do
        printf 'a 2 App.exe 1\nt 1 App.Order\no 1 1 %x\nr 1 3 0\nc App.exe 2\n' "$((i + 16))" >"$tmp/$i.txt"
        touch -d "$((i + 1)) hours ago" "$tmp/$i.txt"
        works record -q --store="$tmp/store.db" --service=shop --host="h$((i % 5))" "$tmp/$i.txt"
    done
    mkdir -p "$tmp/parts/old" "$tmp/parts/older"
    touch -d '2 days ago' "$tmp/parts/older"
    echo stale >"$tmp/parts/old/3.part"
    # Simulates that the others began some seconds after the first of them.
    mkdir "$tmp/bin"
    ln -s "$HEAPDRIFT" "$tmp/bin/heapdrift"
    script parts.yaml heapdrift >"$tmp/script"
    export JOB=4711 PARTS=8 STORE=$tmp/store.db
    begin=$(date +%s)
    for i in 3 1 0 2 4 5 6; do
        PATH=$tmp/bin:$PATH JOB_COMPLETION_INDEX=$i sh "$tmp/script" >"$tmp/out.$i" 2>"$tmp/err.$i" 3>&- &
        jobs[i]=$!
    done
    for i in 1 2 3 4 5 6; do wait "${jobs[i]}"; done
    # The last part fails once, and is done again a second later.
    PATH=$tmp/bin:$PATH STORE=$tmp/none/x.db JOB_COMPLETION_INDEX=7 run sh "$tmp/script"
    [[ $status == 2 ]]
    sleep 1
    kill -0 "${jobs[0]}"
    PATH=$tmp/bin:$PATH JOB_COMPLETION_INDEX=7 sh "$tmp/script"
    wait "${jobs[0]}" || complain "$(<"$tmp/err.0")"
    grep -q "^no verdict *5 runs" "$tmp/out.0"
    [[ $(<"$tmp/out.0") != *missing* ]]
    [[ $(ls "$tmp/parts") == old ]]
    [[ $(($(date +%s) - begin)) -lt 60 ]]
}

# Every command line of the templates is one that the program understands.
@test "command lines of manifests and units are understood" {
    local line count=0
    while IFS= read -r line; do
        eval "set -- $line"
        hd "$@" --help
        [[ $status == 0 ]] || complain "$line"
        count=$((count + 1))
    done < <(
        for file in "$made"/*.yaml scripts/fleet/kubernetes/sidecar/sidecar.yaml; do
            documents "$file" | python -c '
import json, re, shlex, sys
def containers(x):
    if isinstance(x, dict):
        yield from x.get("containers", []) + x.get("initContainers", [])
        for v in x.values(): yield from containers(v)
    if isinstance(x, list):
        for v in x: yield from containers(v)
for line in sys.stdin:
    for c in containers(json.loads(line)):
        if "heapdrift" not in c["image"] or c.get("command") == ["curl"]: continue
        if "command" in c:
            for found in re.findall(r"heapdrift ((?:watch|fleet) .*?)(?: &)?\n", c["args"][0].replace("\\\n", "")): print(re.sub(r"\"\$[^\"]*\"(/\S*)?", "1", found.replace("\"$until\"", "2026-11-22").replace("$part/$PARTS", "1/1").replace("\"$folder\"/*.part", "")))
        else:
            print(shlex.join(c["args"]))'
        done
        sed -n 's/^ExecStart=.usr.bin.heapdrift //p' scripts/fleet/systemd/*.service | sed 's/\${HEAPDRIFT_STORE}/x.db/; s/%[itS]/x/'
    )
    [[ $count -ge 10 ]] || complain "$count command lines"
}

# $known is a command line without options that a later version of the program has: where --help knows
# them, they are looked at.
@test "systemd takes the units, and calls them little exposed" {
    command -v systemd-analyze >/dev/null || skip "no systemd-analyze here"
    local unit
    for unit in scripts/fleet/systemd/heapdrift*; do
        sed "s,/usr/bin/heapdrift,$HEAPDRIFT," "$unit" >"$tmp/${unit##*/}"
    done
    cp "$tmp/heapdrift-watch@.service" "$tmp/heapdrift-watch@Shop.service"
    run systemd-analyze verify --man=no "$tmp/heapdrift-agent.service" "$tmp/heapdrift-watch@Shop.service" \
        "$tmp/heapdrift-fleet.service" "$tmp/heapdrift-fleet.timer"
    [[ $status == 0 && $output == "" ]] || complain "$output"
    # 100 is everything allowed; what is below 30 is "OK". The agent is root with four rights.
    for unit in heapdrift-agent.service heapdrift-watch@Shop.service heapdrift-fleet.service; do
        run systemd-analyze security --offline=yes --threshold="$([[ $unit == *agent* ]] && echo 30 || echo 25)" "$tmp/$unit"
        [[ $status == 0 ]] || complain "$output"
    done
    sed -i 's/^ProtectSystem=strict/ProtectSystems=strict/' "$tmp/heapdrift-fleet.service"
    run systemd-analyze verify --man=no "$tmp/heapdrift-fleet.service"
    [[ $output == *"Unknown key"* ]]
}

@test "the Grafana dashboard is whole" {
    python tests/fleet/dashboard.py scripts/fleet/grafana.json
}

@test "Prometheus takes the alerts, and they fire when they should" {
    command -v promtool >/dev/null || skip "no promtool here"
    cp scripts/fleet/prometheus.yml tests/fleet/prometheus_test.yml "$tmp"
    promtool check rules "$tmp/prometheus.yml"
    (cd "$tmp" && promtool test rules prometheus_test.yml)
}

@test "YAML is tidy" {
    command -v yamllint >/dev/null || skip "no yamllint here"
    yamllint -s -d '{extends: default, rules: {line-length: {max: 150}, document-start: disable,
        comments: {min-spaces-from-content: 1}, braces: {max-spaces-inside: 1}}}' scripts/fleet
}

# The commands of docs/fleet.md, unchanged: with a real PostgreSQL, kubectl and promtool; those that need
# a cluster, or a machine, are checked as far as possible.
@test "the first day works as documented" {
    need_kubectl
    local code
    folder=$(tests/store/postgres.sh start 3>&-) || skip "no PostgreSQL here"
    psql -q "postgresql:///postgres?host=$folder&user=heapdrift" -c "DROP DATABASE heapdrift"
    mkdir "$tmp/bin" "$tmp/etc" "$tmp/day"
    ln -s "$HEAPDRIFT" "$tmp/bin/heapdrift"
    # It asks twice for each, at the terminal if there is one.
    printf '#!/bin/sh\nprintf "secret\\nsecret\\n" | exec setsid -w /usr/bin/createuser "$@" >/dev/null\n' >"$tmp/bin/createuser"
    cp tests/fleet/day_one.sh "$tmp/bin/pretend"
    for code in apt-get docker journalctl kubectl systemctl; do ln -s pretend "$tmp/bin/$code"; done
    sed -n '/^## Day one/,/^## [^D]/{/^```bash/,/^```/{/^```/!p}}' docs/fleet.md |
        sed "s,/usr/share/heapdrift,$PWD/scripts/fleet,g; s,/etc/heapdrift,$tmp/etc,g; s,db.example.com,$folder," >"$tmp/script"
    [[ $(grep -c . "$tmp/script") -gt 30 ]]
    cp scripts/fleet/systemd/store.env "$tmp/etc"
    touch "$tmp/day/heapdrift_0.1.0-0upstream1_amd64.deb"
    status=0
    (cd "$tmp/day" && PGUSER=heapdrift FLEET=$OLDPWD/scripts/fleet DID=$tmp/did KUBECTL=$(command -v kubectl) \
        PATH=$tmp/bin:$PATH bash -eu -o pipefail "$tmp/script") >"$tmp/out" 2>&1 || status=$?
    [[ $status == 0 ]] || complain "$(<"$tmp/out")"

    # Nobody else reads a password, and each user may do what it is for.
    [[ $(stat -c %a "$tmp"/{day,etc}/{writer,keeper}.conf | sort -u) == 600 ]]
    works_as writer record --service=shop --host=a "$before"
    hd_as writer fleet --since=all
    status_is 2
    err_has "permission denied"
    works_as keeper fleet --since=all --save
    # The result is valid and complete.
    sort -u "$tmp/did" | diff - <(printf '%s\n' "apply CronJob heapdrift-fleet" "apply DaemonSet heapdrift-agent" \
        "apply Namespace heapdrift" "apply PodMonitor heapdrift-agent" "apply PriorityClass heapdrift-agent" \
        "apply PrometheusRule heapdrift" "enable heapdrift-agent" "enable heapdrift-fleet.timer" \
        "secret heapdrift-keeper" "secret heapdrift-writer" | sort)
}

teardown() { [[ -z ${folder:-} ]] || tests/store/postgres.sh stop "$folder"; }

hd_as() { HEAPDRIFT_STORE=$(sed -n 's/^HEAPDRIFT_STORE=//p' "$tmp/etc/store.env") PGSERVICEFILE=$tmp/etc/$1.conf hd "${@:2}"; }
works_as() {
    hd_as "$@"
    status_is 0
}
