# Root's agent and its services on a host of neighbours.bash. Source it in the script of `host`.
# shellcheck shell=bash
# shellcheck disable=SC2154 # tmp is of the host

# honest NAME: a service of root's that gives a snapshot when it is asked; $honest is its pid.
honest() {
    OTEL_SERVICE_NAME=$1 LATER=${LATER:-1} bash -c 'exec -a "$1" python3 tests/cli/runtime.py \
        "/tmp/dotnet-diagnostic-$$-1-socket" play "$2"' sh "$1" "$tmp/played.nettrace" >/dev/null 2>&1 &
    honest=$!
    until [[ -S /tmp/dotnet-diagnostic-$honest-1-socket ]]; do sleep 0.05; done
}

# strangers HABIT COUNT [SERVICE]: of mallory; see strangers.py.
strangers() {
    cp -n "$tmp/strangers.py" /tmp/strangers.py
    mallory PEAK="${PEAK:-0}" python3 /tmp/strangers.py "$@" >/tmp/strangers.out 2>&1 &
    within 30 grep -q ready /tmp/strangers.out
}

# agent OPTION...: watches everything, with at most FILES open files; $agent is its pid, /tmp/agent.err
# its output, /tmp/metrics.socket its metrics.
agent() {
    (
        ulimit -n "${FILES:-1024}"
        exec "$HEAPDRIFT" watch --all --store=/tmp/store.db --listen=/tmp/metrics.socket --no-progress "$@"
    ) 2>>/tmp/agent.err &
    agent=$! agent_began=$(date -u +%FT%TZ)
}

kill_agent() {
    kill -TERM "$agent"
    wait "$agent" || true
}

# within SECONDS COMMAND...: until it succeeds; fails if it does not.
within() {
    local end=$((SECONDS + $1))
    shift
    until "$@" 2>/dev/null; do
        [[ $SECONDS -lt $end ]] || { echo "not within its time: $*" >&2; cat /tmp/agent.err >&2; exit 1; }
        sleep 0.1
    done
}

count_of() { grep -cF " $1 (pid" <(grep -F "): stored in" /tmp/agent.err); }

# longest_wait NAME: seconds between two of its snapshots, before the first or after the last.
longest_wait() {
    { echo "$agent_began"; sed -n "s/^heapdrift: \([^ ]*Z\) $1 (pid .*: stored in .*/\1/p" /tmp/agent.err; date -u +%FT%TZ; } |
        date -f - +%s | awk 'NR > 1 && $1 - before > most { most = $1 - before } { before = $1 } END { print +most }'
}

has_stored() { [[ $(count_of "$1") -ge $2 ]]; }

# stored NAME COUNT [SECONDS]: waits until the store has COUNT snapshots of this service.
stored() { within "${3:-30}" has_stored "$1" "$2"; }
said() { within "${2:-30}" grep -qF -- "$1" /tmp/agent.err; }

ask() { curl -s --unix-socket /tmp/metrics.socket "http://heapdrift$1"; }
