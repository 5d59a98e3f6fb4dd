# What stands in scripts/fleet is what shells, Kubernetes, systemd, Grafana and Prometheus take. The
# schemas of Kubernetes are those of the npm package kubernetes-models, put there by make check-slurm.
# shellcheck disable=SC2154,SC2016 # what helper sets; patterns of sed and Python

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
            for found in re.findall(r"exec heapdrift (.*)", c["args"][0]): print(re.sub(r"\$\(\(.*?\)\)|\"?\$[A-Z]+\"?", "1", found.replace("$UNTIL", "2026-11-22")).replace("/parts/*.part", ""))
        elif c["image"].startswith("heapdrift"):
            print(shlex.join(c["args"]))'
        done
        sed -n 's/^ExecStart=.usr.bin.heapdrift //p' scripts/fleet/systemd/*.service | sed 's/\${STORE}/x.db/; s/%[iS]/x/'
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
