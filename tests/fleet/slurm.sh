#!/bin/sh
# A Slurm of our own for tests: munged, slurmctld and two node daemons on this machine, in a
# temporary folder, as a user that is not root, without systemd and without control groups.
#
#   folder=$(tests/fleet/slurm.sh start)         make one and wait for its nodes; prints its folder
#   tests/fleet/slurm.sh run FOLDER COMMAND...   as its user, with its configuration (sbatch, squeue)
#   tests/fleet/slurm.sh stop FOLDER             end it, wait for it, and remove the folder
#
# Status 77 where no Slurm is installed (scripts/install-deps.sh fleet).
set -eu

PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || {
        echo "no Slurm here ($program): scripts/install-deps.sh fleet" >&2
        exit 77
    }
done

# Who is root becomes nobody.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        HOME=$folder setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
    else
        "$@"
    fi
}

# A port that nobody listens at now, and the two behind it.
free_port() {
    python3 - <<'END'
import random, socket
while True:
    first = random.randrange(20000, 60000)
    try:
        for port in range(first, first + 3):
            with socket.socket() as s:
                s.bind(("127.0.0.1", port))
    except OSError:
        continue
    print(first)
    break
END
}

write_configuration() {
    user=$(as_user id -un)
    port=$(free_port)
    cat >"$folder/slurm.conf" <<END
ClusterName=heapdrift
SlurmctldHost=localhost
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=5
MinJobAge=300
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
MailProg=/bin/true
NodeName=node1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=$(nproc) RealMemory=65536
NodeName=node2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=$(nproc) RealMemory=65536
PartitionName=all Nodes=node1,node2 Default=YES MaxTime=INFINITE State=UP
END
}

start() {
    folder=$(mktemp -d /tmp/heapdrift-slurm-XXXXXX)
    chmod 755 "$folder"
    mkdir "$folder/state" "$folder/munge"
    head -c 128 /dev/urandom >"$folder/munge/key"
    chmod 600 "$folder/munge/key"
    chmod 700 "$folder/munge"
    [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$folder"
    write_configuration
    export SLURM_CONF="$folder/slurm.conf"
    (
        cd "$folder"
        as_user munged --key-file="$folder/munge/key" --socket="$folder/munge.socket" \
            --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
        as_user slurmctld -c
        as_user slurmd -N node1
        as_user slurmd -N node2
    ) >"$folder/start" 2>&1 3>&- </dev/null
    tries=0
    while [ "$(sinfo -h -t idle -o %D 2>/dev/null)" != 2 ]; do
        tries=$((tries + 1))
        if [ $tries -gt 300 ]; then
            cat "$folder"/start "$folder"/*.log >&2
            stop
            exit 1
        fi
        sleep 0.1
    done
    echo "$folder"
}

# One that ended and that nobody waited for is still in the list.
has_program() {
    [ "$(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline" | wc -c)" -gt 0 ]
} 2>/dev/null

# Jobs end with it.
stop() {
    SLURM_CONF="$folder/slurm.conf" as_user scancel --user="$(as_user id -un)" >/dev/null 2>&1 || true
    for file in "$folder"/slurmctld.pid "$folder"/slurmd-*.pid "$folder"/munge/pid; do
        [ -s "$file" ] || continue
        pid=$(cat "$file")
        kill "$pid" 2>/dev/null || continue
        tries=0
        while has_program "$pid"; do
            tries=$((tries + 1))
            [ $tries -le 100 ] || kill -KILL "$pid" 2>/dev/null || true
            sleep 0.1
        done
    done
    rm -rf "$folder"
}

what=${1:-}
folder=${2:-}
[ "$what" = start ] || [ -f "$folder/slurm.conf" ] || {
    echo "usage: $0 start | run FOLDER COMMAND... | stop FOLDER" >&2
    exit 2
}
case $what in
start) start ;;
run)
    shift 2
    export SLURM_CONF="$folder/slurm.conf"
    as_user "$@"
    ;;
stop) stop ;;
*)
    echo "usage: $0 start | run FOLDER COMMAND... | stop FOLDER" >&2
    exit 2
    ;;
esac
