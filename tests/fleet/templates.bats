# What stands in scripts/fleet is what shells, Kubernetes, systemd, Grafana and Prometheus take. The
# schemas of Kubernetes are those of the npm package kubernetes-models, put there by make check-slurm.

load ../cli/helper

MODELS=${MODELS:-build/fleet-tests/node_modules}

@test "shell scripts are clean, and say how they are used" {
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
    local file
    for file in scripts/fleet/kubernetes/*.yaml docs/containers/pod.yaml; do
        documents "$file" | node tests/fleet/manifests.js "$MODELS"
    done
    sed 's/readOnlyRootFilesystem/readOnlyRootFileSystem/' scripts/fleet/kubernetes/fleet-job.yaml >"$tmp/slip.yaml"
    run bash -c "$(declare -f documents python); documents '$tmp/slip.yaml' | node tests/fleet/manifests.js '$MODELS'"
    [[ $status == 1 && $output == *"/securityContext/readOnlyRootFileSystem: no such field"* ]]
    sed 's/completions: 8/completions: eight/' scripts/fleet/kubernetes/fleet-job.yaml >"$tmp/slip.yaml"
    run bash -c "$(declare -f documents python); documents '$tmp/slip.yaml' | node tests/fleet/manifests.js '$MODELS'"
    [[ $status == 1 && $output == *"data/spec/completions must be integer"* ]]
}

# A line of JSON for each.
documents() { python -c 'import json, sys, yaml
for d in yaml.safe_load_all(open(sys.argv[1])): print(json.dumps(d))' "$1"; }

@test "containers have no more rights than they need" {
    local file
    for file in scripts/fleet/kubernetes/*.yaml; do
        documents "$file" | python -c '
import json, sys
def pods(x):
    if isinstance(x, dict):
        if "containers" in x: yield x
        for v in x.values(): yield from pods(v)
for line in sys.stdin:
    for pod in pods(json.loads(line)):
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"]["type"] == "RuntimeDefault"
        for c in pod["containers"] + pod.get("initContainers", []):
            assert "limits" in c["resources"], c["name"]
            if not c["image"].startswith("heapdrift"): continue
            s = c["securityContext"]
            assert s["readOnlyRootFilesystem"] and not s["allowPrivilegeEscalation"] and s["capabilities"]["drop"] == ["ALL"]
            assert not any("PASSWORD" in e["name"] for e in c.get("env", []))'
    done
}

@test "manifests and units can keep what they promise, and a promise that is broken is found" {
    python tests/fleet/promises.py scripts/fleet/kubernetes/*.yaml scripts/fleet/systemd/* docs/containers/pod.yaml
    local file change wanted count=0
    while IFS='|' read -r file change wanted; do
        cp "scripts/fleet/$file" "$tmp"
        sed -i "$change" "$tmp/${file##*/}"
        ! cmp -s "scripts/fleet/$file" "$tmp/${file##*/}" || complain "nothing changed: $change"
        run python tests/fleet/promises.py "$tmp/${file##*/}"
        [[ $status == 1 && $output == *"$wanted"* ]] || complain "$change: $output"
        count=$((count + 1))
    done <<'LINES'
kubernetes/sidecar.yaml|/automountServiceAccountToken/d|a token of the cluster
kubernetes/cronjob.yaml|s/Token: false/Token: true/|a token of the cluster
kubernetes/sidecar.yaml|s/while :/if true/|its pod is not ready
kubernetes/sidecar.yaml|s/ --memory=400MB//|nothing keeps it below its limit
kubernetes/sidecar.yaml|s/--memory=400MB/--memory=900MB/|not below its limit of memory
kubernetes/sidecar.yaml|s/heapdrift_writer/INSERT and SELECT/|needs the role heapdrift_writer
kubernetes/sidecar.yaml|s/heapdrift_writer/heapdrift_author/|names a role that store grant does not make
kubernetes/sidecar.yaml|s/^          volumeMounts:/          livenessProbe: {exec: {command: [x]}}\n&/|a probe
kubernetes/sidecar.yaml|s/defaultMode: 0440/defaultMode: 0444/|a secret
kubernetes/cronjob.yaml|s/values: .1./values: [2]/|status 1 is a verdict
kubernetes/cronjob.yaml|s/for Grafana/for Prometheus/|promises Prometheus
kubernetes/cronjob.yaml|/activeDeadlineSeconds/d|a job without an end
kubernetes/fleet-job.yaml|s/until="$until"/until=2026-11-22/|a date
kubernetes/fleet-job.yaml|/activeDeadlineSeconds/d|a job without an end
kubernetes/fleet-job.yaml|s,/parts/$JOB,/parts,|what an earlier job left
systemd/heapdrift-fleet.service|s,%t,%S,;s/Runtime/State/|below a folder that nobody else may enter
systemd/heapdrift-fleet.service|/Preserve/d|goes when the service ends
systemd/heapdrift-fleet.service|s/DirectoryMode=0755/DirectoryMode=0700/|nobody else may enter
systemd/heapdrift-fleet.service|s,-o %t/heapdrift-fleet,-o %t/other,|metrics are written to
LINES
    [[ $count == 19 ]]
}

# script FILE NAME: what that container does, with its folders below $tmp.
script() { python tests/fleet/promises.py --script "scripts/fleet/kubernetes/$1" "$2" | sed "s,/parts/,$tmp/parts/,"; }

@test "a sidecar that ends is begun again, and SIGTERM reaches it and waits for it" {
    mkdir "$tmp/bin"
    # The first ends at once, as one that may not write to its store; the next takes its time at the end.
    cat >"$tmp/bin/heapdrift" <<'END'
#!/bin/bash
echo "begin $*" >>"$LOG"
[[ $(grep -c begin "$LOG") -gt 2 ]] || exit 2
trap 'sleep 0.3; echo end >>"$LOG"; exit 0' TERM
while :; do sleep 0.05; done
END
    printf '#!/bin/bash\nexec /bin/sleep "$(awk "BEGIN { print ($1 < 1) ? $1 : 0.05 }")"\n' >"$tmp/bin/sleep"
    chmod +x "$tmp"/bin/*
    LOG=$tmp/log PATH=$tmp/bin:$PATH sh -c "$(script sidecar.yaml heapdrift)" 3>&- &
    local pod=$!
    for _ in {1..200}; do [[ $(grep -c begin "$tmp/log" 2>/dev/null) -lt 3 ]] || break; sleep 0.05; done
    sleep 0.2
    kill -TERM "$pod"
    wait "$pod"
    [[ $(grep -c begin "$tmp/log") == 3 && $(tail -1 "$tmp/log") == end ]]
    grep -q -- "^begin watch --name=Shop --store=postgresql:///?service=heapdrift --interval=1h " "$tmp/log"
}

# A store with something of the last week, and a folder in which an earlier job left a part.
@test "the parts of a job are its own, of one window, and added up by the first" {
    local i jobs=() begin
    for i in {0..9}; do
        printf 'a 2 App.exe 1\nt 1 App.Order\no 1 1 %x\nr 1 3 0\nc App.exe 2\n' "$((i + 16))" >"$tmp/$i.txt"
        touch -d "$((i + 1)) hours ago" "$tmp/$i.txt"
        works record -q --store="$tmp/store.db" --service=shop --host="h$((i % 5))" "$tmp/$i.txt"
    done
    mkdir -p "$tmp/parts/old"
    echo stale >"$tmp/parts/old/3.part"
    # As if the others began some seconds later than the first of them.
    mkdir "$tmp/bin"
    ln -s "$HEAPDRIFT" "$tmp/bin/heapdrift"
    script fleet-job.yaml heapdrift >"$tmp/script"
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
        for file in scripts/fleet/kubernetes/*.yaml; do
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
        if "command" in c:
            for found in re.findall(r"heapdrift ((?:watch|fleet) .*?)(?: &)?\n", c["args"][0].replace("\\\n", "")): print(re.sub(r"\"\$[^\"]*\"(/\S*)?", "1", found.replace("\"$until\"", "2026-11-22").replace("$part/$PARTS", "1/1").replace("\"$folder\"/*.part", "")))
        elif c["image"].startswith("heapdrift"):
            print(shlex.join(c["args"]))'
        done
        sed -n 's/^ExecStart=.usr.bin.heapdrift //p' scripts/fleet/systemd/*.service | sed 's/\${STORE}/x.db/; s/%[itS]/x/'
    )
    [[ $count -ge 8 ]] || complain "$count command lines"
}

@test "systemd takes the units, and calls them little exposed" {
    command -v systemd-analyze >/dev/null || skip "no systemd-analyze here"
    local unit
    for unit in scripts/fleet/systemd/*; do
        sed "s,/usr/bin/heapdrift,$HEAPDRIFT," "$unit" >"$tmp/${unit##*/}"
    done
    cp "$tmp/heapdrift-watch@.service" "$tmp/heapdrift-watch@Shop.service"
    run systemd-analyze verify --man=no "$tmp/heapdrift-watch@Shop.service" "$tmp/heapdrift-fleet.service" "$tmp/heapdrift-fleet.timer"
    [[ $status == 0 && $output == "" ]] || complain "$output"
    # 10 is everything allowed; what is below 3 is "OK".
    for unit in heapdrift-watch@Shop.service heapdrift-fleet.service; do
        run systemd-analyze security --offline=yes --threshold=25 "$tmp/$unit"
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
