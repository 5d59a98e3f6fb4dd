# The first day of a real fleet: a Debian that boots systemd with the package in it, and the image of
# fleets with the permissions of the manifests; both with .NET processes in their own namespaces, and a
# PostgreSQL.
# shellcheck disable=SC2143,SC2190 # $tmp, $status, $out come from the helper
load ../cli/helper
load ../live/lab

# Kept for the next time, since they take minutes to get.
setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    [[ $(id -u) == 0 ]] && command -v mmdebstrap >/dev/null || return 0
    mkdir -p build/packages
    debian bookworm
    debian bookworm-systemd --include=systemd,systemd-sysv,dbus,libstdc++6,libicu72,procps,curl,ca-certificates
}

# debian NAME OPTION...: build/packages/NAME.tar
debian() {
    local tar=build/packages/$1.tar
    [[ -e $tar ]] || { mmdebstrap --quiet --variant=minbase --format=tar "${@:2}" bookworm "$tar.new" >&2 && mv "$tar.new" "$tar"; }
}

setup() {
    begin
    [[ $(id -u) == 0 ]] || skip "needs root for namespaces"
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$tmp"
    need_dotnet
    dotnet=$(dirname "$(readlink -f "$(command -v dotnet)")")
}

teardown() {
    [[ -z ${booted:-} ]] || { kill -TERM "$booted" && wait "$booted"; } || true
    [[ -z ${labs:-} ]] || { kill -KILL "$labs" && wait "$labs"; } 2>/dev/null || true
    [[ -z ${folder:-} ]] || tests/store/postgres.sh stop "$folder"
    [[ -z ${lab_folder:-} ]] || rm -rf "$lab_folder"
}

# need_postgres: $folder is that of one; service_file prints the file with its address.
need_postgres() {
    folder=$(tests/store/postgres.sh start 3>&-) || skip "no PostgreSQL here"
    chmod 777 "$folder"
}
service_file() { printf '%s\n' '[heapdrift]' "host=${1:-$folder}" dbname=heapdrift user=heapdrift password=secret; }
sql() { tests/store/postgres.sh sql "$folder" "$1"; }

# eventually SECONDS COMMAND...
eventually() {
    local end=$((SECONDS + $1))
    until "${@:2}"; do
        [[ $SECONDS -lt $end ]] || return 1
        sleep 0.3
    done
}

# --- a machine --------------------------------------------------------------------------------

# boot: $leader is the pid of its init.
boot() {
    command -v systemd-nspawn >/dev/null || skip "no systemd-nspawn here"
    [[ -e build/packages/bookworm-systemd.tar ]] || skip "no Debian to boot: no mmdebstrap, or no network"
    mkdir "$tmp/root"
    tar -xf build/packages/bookworm-systemd.tar -C "$tmp/root" --exclude='./dev/*'
    cp build/deb/heapdrift_*.deb "$tmp/root/"
    cp -r "$(dirname "$lab")" "$tmp/root/opt/lab"
    chmod -R a+rX "$tmp/root/opt/lab"
    mkdir "$tmp/root/pg"
    systemd-nspawn --quiet --register=no --keep-unit --resolv-conf=copy-host --directory="$tmp/root" \
        --bind-ro="$dotnet:/usr/share/dotnet" --bind="$folder:/pg" --boot >"$tmp/boot" 2>&1 3>&- </dev/null &
    booted=$!
    eventually 60 has_booted || complain "$(<"$tmp/boot")"
}
has_booted() { leader=$(pgrep -P "$booted") && [[ $(inside systemctl is-system-running 2>/dev/null) =~ running|degraded ]]; }

inside() {
    nsenter -t "$leader" -m -u -i -n -p -C env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$@" 3>&- </dev/null
}

# lab_unit NAME USER PROPERTY...: a program as a service of that machine.
lab_unit() {
    local name=$1 user=$2 properties=()
    shift 2
    for property; do properties+=(-p "$property"); done
    inside systemd-run -q --unit="$name" --uid="$user" "${properties[@]}" -E DOTNET_ROOT=/usr/share/dotnet -E HOME=/tmp \
        -E OTEL_SERVICE_NAME="$name" bash -c 'sleep 5000 | exec /opt/lab/LeakLab list'
}

# Sooner than once an hour: edit UNIT SED, as `systemctl edit` would.
edit() {
    local line
    line=$(inside sed -n "s/^ExecStart=/&/; $2; /^ExecStart=/p" "/usr/lib/systemd/system/$1")
    inside mkdir -p "/run/systemd/system/$1.d"
    inside bash -c "printf '[Service]\nExecStart=\n%s\n' '$line' >'/run/systemd/system/$1.d/sooner.conf' && systemctl daemon-reload"
}
says() { [[ $(inside journalctl -o cat --no-pager -u "$1") == *"$2"* ]]; }
log_of() { inside journalctl -o cat --no-pager -u "$1" | tail -20; }

@test "a machine: install, enable, and the unit of the night fails when something leaks" {
    need_postgres
    boot
    inside bash -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /heapdrift_*.deb libpq5' >"$tmp/log" 2>&1 ||
        complain "$(<"$tmp/log")"
    [[ $(inside systemctl is-enabled heapdrift-agent heapdrift-fleet.timer heapdrift-watch@x | sort -u) == disabled ]]
    [[ $(inside systemctl is-active heapdrift-agent heapdrift-fleet heapdrift-fleet.timer | sort -u) == inactive ]]
    inside systemd-analyze verify --man=no /usr/lib/systemd/system/heapdrift-{agent.service,fleet.service,fleet.timer,watch@.service} >"$tmp/verified" 2>&1
    [[ ! -s $tmp/verified ]] || complain "$(<"$tmp/verified")"

    # A service of the user "app", and one that keeps to itself as far as services do.
    inside useradd -u 1654 app
    inside useradd -u 1655 other
    lab_unit shop app
    lab_unit stock other PrivateTmp=yes ProtectSystem=strict NoNewPrivileges=yes

    # In a file: the watch and the nightly job are different users, and share it.
    edit heapdrift-watch@.service 's/--interval=1h/--interval=1s/'
    inside systemctl enable --now -q heapdrift-watch@LeakLab
    eventually 30 says heapdrift-watch@LeakLab "stored in /var/lib/heapdrift/heapdrift.db" || complain "$(log_of heapdrift-watch@LeakLab)"
    inside systemctl start heapdrift-fleet || complain "$(log_of heapdrift-fleet)"
    [[ $(stat -c '%a' "$tmp/root/var/lib/heapdrift/heapdrift.db") == 660 ]]
    # The host is known, and others may read what is for Prometheus.
    ! says heapdrift-fleet host-unknown || complain "$(log_of heapdrift-fleet)"
    inside setpriv --reuid=1655 --clear-groups grep -q '^heapdrift_service_hosts{service="shop"} 1$' /run/heapdrift-fleet/heapdrift.prom
    agent_if_there "stored in /var/lib/heapdrift/heapdrift.db"

    # In a database, with a password that only root can read.
    service_file /pg >"$tmp/service"
    inside install -m 600 /dev/null /etc/heapdrift/writer.conf
    inside install -m 600 /dev/null /etc/heapdrift/keeper.conf
    inside bash -c "tee /etc/heapdrift/writer.conf >/etc/heapdrift/keeper.conf <<<'$(<"$tmp/service")'"
    inside sed -i 's,^HEAPDRIFT_STORE=.*,HEAPDRIFT_STORE=postgresql:///?service=heapdrift,' /etc/heapdrift/store.env
    inside systemctl restart heapdrift-watch@LeakLab
    eventually 30 says heapdrift-watch@LeakLab "stored in postgresql:" || complain "$(log_of heapdrift-watch@LeakLab)"
    inside systemctl start heapdrift-fleet || complain "$(log_of heapdrift-fleet)"
    [[ $(sql "SELECT DISTINCT service, host <> '' FROM series") == "shop|t" ]]
    agent_if_there "stored in postgresql:"

    # A leak.
    local i
    for i in 1 2 3 4; do
        cp "${series[i - 1]}" "$tmp/$i.txt"
        touch -d "$((40 - 10 * i)) hours ago" "$tmp/$i.txt"
    done
    works record -q --store="$(tests/store/postgres.sh url "$folder")" --service=leaky --host=h "$tmp"/[1-4].txt
    inside systemctl start heapdrift-fleet 2>/dev/null && complain "no leak: $(log_of heapdrift-fleet)"
    [[ $(inside systemctl show -P ExecMainStatus heapdrift-fleet) == 1 ]] || complain "$(log_of heapdrift-fleet)"
    [[ $(sql "SELECT count(*) > 0 FROM finding") == t ]]
    inside grep -q '^heapdrift_service_suspects{service="leaky"} [1-9]' /run/heapdrift-fleet/heapdrift.prom

    # A removed service does not run, and a purged one leaves no file.
    inside bash -c 'apt-get purge -y -qq heapdrift' >"$tmp/log" 2>&1 || complain "$(<"$tmp/log")"
    [[ -z $(inside pgrep heapdrift) ]]
    inside find / -xdev -name '*heapdrift*' -not -path '/heapdrift_*' >"$tmp/left"
    [[ ! -s $tmp/left ]] || complain "$(<"$tmp/left")"
}

# agent_if_there WORDS: its status has these words for both, and it answers. Programs without it have no
# --listen.
agent_if_there() {
    [[ $(inside heapdrift watch --help) == *--listen* ]] || return 0
    local pid before
    edit heapdrift-agent.service 's/--interval=1h/--interval=2s/'
    inside systemctl enable --now -q heapdrift-agent
    for pid in $(inside pgrep -x LeakLab); do
        eventually 60 says heapdrift-agent " (pid $pid): $1" || complain "$(log_of heapdrift-agent)"
    done
    inside curl -sf http://127.0.0.1:9464/healthz >/dev/null
    [[ $(inside curl -sf http://127.0.0.1:9464/metrics) == *heapdrift_* ]]
    # An upgrade restarts it.
    before=$(inside systemctl show -P MainPID heapdrift-agent)
    inside bash -c 'dpkg -i /heapdrift_*.deb' >/dev/null 2>&1
    [[ $(inside systemctl is-active heapdrift-agent) == active && $(inside systemctl show -P MainPID heapdrift-agent) != "$before" ]]
    inside systemctl disable --now -q heapdrift-agent
}

# --- the image --------------------------------------------------------------------------------

image() { buildah --storage-driver vfs --root "$BATS_FILE_TMPDIR/store" --runroot "$BATS_FILE_TMPDIR/run" "$@"; }

# need_image: $root is its file system, of the Dockerfile as it is; the base is what Debian has, not what a
# registry has.
need_image() {
    command -v buildah >/dev/null || skip "no buildah here"
    [[ -e build/packages/bookworm.tar ]] || skip "no clean Debian: no mmdebstrap, or no network"
    local base
    base=$(image from scratch)
    image add "$base" build/packages/bookworm.tar / >/dev/null
    image commit -q "$base" docker.io/library/debian:12-slim >/dev/null
    image bud --isolation chroot --pull=never -t heapdrift-store build/container-store >"$tmp/log" 2>&1 || complain "$(<"$tmp/log")"
    image inspect --type image heapdrift-store | jq -e '.OCIv1.config | .Entrypoint == ["/usr/bin/heapdrift"] and .User == "65532:65532"'
    root=$(image mount "$(image from --pull=never localhost/heapdrift-store)")
    mkdir "$root/pg" "$root/metrics"
}

# Three .NET processes: of this namespace, with a /tmp of its own, and in a container.
three_labs() {
    lab_name=HdLab$$
    cat >"$tmp/labs" <<'SH'
as() { exec setpriv --reuid="$1" --regid="$1" --clear-groups --no-new-privs "$LAB" list; }
export -f as
export HOME=/tmp
sleep 5000 | as 1654 &
sleep 5000 | unshare --mount bash -c 'mount -t tmpfs -o mode=1777 tmpfs /tmp && as 1655' &
sleep 5000 | unshare --pid --mount --net --uts --fork --kill-child bash -c \
    'mount --make-rprivate / && mount -t proc proc /proc && mount -t tmpfs -o mode=1777 tmpfs /tmp && hostname pod && HOSTNAME=pod as 1656' &
wait
SH
    # A folder that /tmp of tests does not hide.
    lab_folder=$(mktemp -d /var/tmp/heapdrift-labs-XXXXXX)
    cp -r "$(dirname "$lab")/." "$lab_folder"
    cp "$lab" "$lab_folder/$lab_name"
    chmod -R a+rX "$lab_folder"
    LAB=$lab_folder/$lab_name DOTNET_ROOT=$dotnet unshare --pid --fork --kill-child --mount-proc bash "$tmp/labs" >/dev/null 2>&1 3>&- </dev/null &
    labs=$!
    node=
    eventually 60 all_three
}
all_three() {
    node=$(pgrep -P "$labs") && [[ $(on_node heapdrift ps --format=csv 2>/dev/null | grep -c "$lab_name") == 3 ]]
}
on_node() { nsenter -t "$node" -m -p "${@/#heapdrift/$HEAPDRIFT}"; }

# pod USER CAPABILITIES COMMAND...: in the image, read-only, with /tmp, the secret and the database, and the
# processes of the node, as the kubelet would do it.
pod() {
    local user=$1 rights=$2
    shift 2
    status=0 ran="$* (user $user, $rights)"
    nsenter -t "$node" -p unshare --mount --fork bash -c '
        root=$1 folder=$2 secret=$3 user=$4 rights=$5 && shift 5
        mount --make-rprivate / && mount --bind "$root" "$root" && mount --bind "$secret" "$root/etc/heapdrift" &&
            mount --bind "$folder" "$root/pg" && mount -t tmpfs -o mode=1777 tmpfs "$root/tmp" &&
            mount -t tmpfs -o mode=1777 tmpfs "$root/metrics" &&
            mount -t proc proc "$root/proc" && mount --bind /dev/null "$root/dev/null" && mount -o remount,bind,ro "$root" &&
            PGSERVICEFILE=/etc/heapdrift/pg_service.conf exec chroot "$root" setpriv --reuid="$user" --regid="$user" --clear-groups \
                --inh-caps=-all --bounding-set="$rights" --no-new-privs "$@"' \
        bash "$root" "$folder" "$tmp/secret" "$user" "$rights" "$@" >"$tmp/.out" 2>"$tmp/.err" 3>&- || status=$?
    out=$(<"$tmp/.out")
    err=$(<"$tmp/.err")
}

@test "the image: the agent needs only its two capabilities, a sidecar and the nightly job none" {
    need_postgres
    need_image
    three_labs
    mkdir "$tmp/secret"
    service_file /pg >"$tmp/secret/pg_service.conf"
    chown -R 0:65532 "$tmp/secret"
    chmod 440 "$tmp/secret/pg_service.conf"
    local pid rights store='--store=postgresql:///?service=heapdrift'
    for pid in $(on_node heapdrift ps --format=csv | grep "$lab_name" | cut -d, -f1); do
        pod 0 -all,+dac_override,+sys_ptrace heapdrift collect "$pid" "$store"
        status_is 0
    done
    [[ $(sql "SELECT count(*) FROM series WHERE host <> ''") == 3 ]] || complain "$(sql "SELECT * FROM series")"
    [[ $(sql "SELECT count(*) FROM series WHERE host = 'pod'") == 1 ]]
    # With only one of them it does not reach the one in the container.
    for rights in -all,+dac_override -all,+sys_ptrace; do
        pod 0 "$rights" heapdrift collect "$pid" "$store"
        status_is 2
    done

    agent_of_a_node

    # A sidecar has none, and reaches processes of its user, whatever its own /tmp contains.
    chmod 444 "$tmp/secret/pg_service.conf"
    pid=$(on_node pgrep -u 1654 "$lab_name")
    pod 1654 -all heapdrift collect "$pid" "$store"
    status_is 0
    pod 1655 -all heapdrift collect "$pid" "$store"
    status_is 2
    chmod 440 "$tmp/secret/pg_service.conf"

    # The command of the CronJob, as its user; its push arrives complete.
    pod 65532 -all heapdrift record "$store" --keep=90d
    status_is 0
    pod 65532 -all heapdrift fleet "$store" --since=7d --save --exit-code
    status_is 0
    out_has "$lab_name"
    gateway
    # shellcheck disable=SC2016 # for the shell in there
    pod 65532 -all sh -c 'heapdrift fleet "$1" --since=7d --format=prometheus --output=/metrics/heapdrift.prom && shift && curl "$@"' \
        sh "$store" --fail --silent --show-error --max-time 60 --upload-file /metrics/heapdrift.prom "http://127.0.0.1:$port/metrics/job/heapdrift_fleet"
    kill "$gateway"
    status_is 0
    grep -q '^PUT /metrics/job/heapdrift_fleet$' "$tmp/pushed"
    grep -q "^heapdrift_service_hosts{service=\"$lab_name\"} 2$" "$tmp/pushed"
}

# All of them concurrently, if the program supports it.
agent_of_a_node() {
    [[ $(on_node heapdrift watch --help) == *" --all "* ]] || return 0
    local begin
    begin=$(sql "SELECT max(id) FROM snapshot")
    pod 0 -all,+dac_override,+sys_ptrace timeout --signal=TERM 20 heapdrift watch --all --name="$lab_name" "$store" --interval=2s
    [[ $(sql "SELECT count(DISTINCT series_id) FROM snapshot WHERE id > $begin") == 3 ]] || complain "one is missing"
}

# A push gateway: $port; it writes to $tmp/pushed.
gateway() {
    python3 -c '
import http.server, sys
class Gateway(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        with open(sys.argv[1], "w") as f: print("PUT", self.path, file=f); f.write(body)
        self.send_response(202); self.end_headers()
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Gateway)
open(sys.argv[2], "w").write(str(server.server_port))
server.serve_forever()' "$tmp/pushed" "$tmp/port" 3>&- &
    gateway=$!
    eventually 10 test -s "$tmp/port"
    port=$(<"$tmp/port")
}
