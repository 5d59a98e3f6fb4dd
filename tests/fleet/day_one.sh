#!/bin/bash
# What docs/fleet.md says to a cluster, a machine or a registry on day one: looked at, and noted in the file
# DID, but not done. By its name it is apt-get, docker, journalctl, kubectl or systemctl. FLEET is
# scripts/fleet, KUBECTL the real one. Status 1, and why, where something is named that is not there.
set -eu -o pipefail

wrong() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# Kind and name of each document of standard input; all that exists in a namespace is known of these.
documents() {
    python3 -c '
import sys, yaml
for d in yaml.safe_load_all(sys.stdin):
    print("apply", d["kind"], d["metadata"]["name"])'
}

kubectl() {
    local namespace=heapdrift
    case "$*" in
    "apply -k "*) "$KUBECTL" kustomize "$3" | documents >>"$DID" ;;
    "apply -f "*) [[ $3 == */namespace.yaml ]] && documents <"$3" >>"$DID" ;;
    "apply -n $namespace -f -") documents >>"$DID" ;;
    "apply -n $namespace -f "*) documents <"$5" >>"$DID" ;;
    "create secret generic "*" -n $namespace --from-file=pg_service.conf="*)
        # The namespace has to be there.
        grep -qx "apply Namespace $namespace" "$DID"
        grep -q '^\[heapdrift\]$' "${7#*=*=}"
        grep -rq "secretName: $4," heapdrift || wrong "nobody has $4"
        echo "secret $4" >>"$DID"
        ;;
    "create configmap "*" -n $namespace --from-file="*) [[ -s ${6#*=} ]] ;;
    "label configmap "*) ;;
    "create job -n $namespace --from=cronjob/"*) grep -qx "apply CronJob ${5##*/} *" "$DID" ;;
    "rollout status -n $namespace daemonset/"*) grep -qx "apply DaemonSet ${5#*/}" "$DID" ;;
    "logs -n $namespace -l "*) grep -rqF "{${5/=/: }}" heapdrift/agent.yaml ;;
    *) wrong "what is this? $*" ;;
    esac
}

case ${0##*/} in
kubectl) kubectl "$@" ;;
systemctl)
    [[ "$1 $2" == "enable --now" ]]
    unit=$FLEET/systemd/$3
    [[ -e $unit ]] || unit=$unit.service
    grep -q '^WantedBy=' "$unit" || wrong "$3 cannot be enabled"
    echo "enable $3" >>"$DID"
    ;;
journalctl) [[ "$1 $2" == "-u heapdrift-agent" ]] ;;
apt-get) [[ -e $3 ]] || wrong "$3 is not there" ;;
docker)
    # A folder with what the Dockerfile copies, and no secret.
    [[ $1 == push ]] || [[ $(cd "$4" && echo *) == "Dockerfile heapdrift_"*.deb ]] || wrong "$4: $(ls "$4")"
    ;;
esac
