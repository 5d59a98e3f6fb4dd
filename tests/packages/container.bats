# The image, and heapdrift next to a container: the namespaces that Docker and Kubernetes would make.
# shellcheck disable=SC2143,SC2190 # $tmp, $status, $out come from the helper
load ../cli/helper

version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' "$BATS_TEST_DIRNAME/../../include/heapdrift.h")

image() { buildah --storage-driver vfs --root "$tmp/store" --runroot "$tmp/run" "$@"; }

need_namespaces() {
    [[ $(id -u) == 0 ]] || skip "needs root for namespaces"
    unshare --pid --mount --net --fork true 2>/dev/null || skip "no namespaces here"
}

@test "the image builds without a network, and runs" {
    [[ $(id -u) == 0 ]] || skip "needs root"
    command -v buildah >/dev/null || skip "no buildah here"
    image bud --isolation chroot --platform linux/amd64 --timestamp 1790000000 -t heapdrift "build/container" >"$tmp/log" 2>&1
    image inspect --type image heapdrift >"$tmp/image"
    jq -e '.OCIv1.config | .Entrypoint == ["/heapdrift"] and .User == "65532:65532"' "$tmp/image"
    image from --name try localhost/heapdrift
    [[ $(image run --isolation chroot try /heapdrift --version) == "heapdrift $version" ]]
    # A file of another user, read-only; the user of the image is nobody.
    out=$(image run --isolation chroot -v "$PWD/fixtures/heap-text:/data:ro" try /heapdrift before.txt after.txt)
    # In ASCII where the environment names no locale, as that of buildah.
    out_matches "GREW +Orchard\.Page: 10 (→|->) 30 objects"
    # Nothing is in it that was not meant to be.
    local root
    root=$(image mount try)
    [[ $(cd "$root" && find . -type f -not -path './etc/*' -not -path './run/*' | sort | tr '\n' ' ') == \
        "./LICENSE ./THIRD-PARTY-NOTICES ./heapdrift " ]]
}

# A .NET process of the user 1654, in namespaces of its own, with /tmp from outside; $inside is its
# pid there, $outside here. The compiler's server is in every SDK, and lives until it is ended.
beside() {
    need_namespaces
    command -v dotnet >/dev/null || skip "no .NET SDK here"
    local server
    server=$(echo "$(dirname "$(readlink -f "$(command -v dotnet)")")"/sdk/*/Roslyn/bincore/VBCSCompiler.dll)
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$tmp"
    mkdir -p "$tmp/shared" "$tmp/root/tmp" "$tmp/root/proc" "$tmp/root/snapshots"
    chmod 1777 "$tmp/shared"
    chown 1654 "$tmp/root/snapshots"
    cp build/container/amd64/heapdrift "$tmp/root/"
    # Forked children of unshare: the first is pid 1 there.
    unshare --pid --mount --fork --kill-child --mount-proc bash -c '
        mount --bind "$1" /tmp && HOME=/tmp exec setpriv --reuid=1654 --regid=1654 --clear-groups --no-new-privs \
            dotnet "$2" -pipename:heapdrift-test' bash "$tmp/shared" "${server%% *}" >"$tmp/server.log" 2>&1 3>&- &
    unshare=$!
    # Its own socket: a runtime that is asked while it starts never walks its heap.
    local n
    for n in {1..300}; do
        [[ ! -S $tmp/shared/heapdrift-test ]] || break
        sleep 0.2
    done
    [[ -S $tmp/shared/heapdrift-test && -n $(find "$tmp/shared" -name 'dotnet-diagnostic-1-*-socket') ]]
    outside=$(pgrep -P "$unshare")
}

# sidecar NSENTER-OPTION... -- ARG...: heapdrift of an empty root, of the same user, without a network
# and without any capability.
sidecar() {
    local -a enter=()
    while [[ $1 != -- ]]; do enter+=("$1"); shift; done
    shift
    status=0 ran="heapdrift $* (beside it)"
    "${enter[@]}" unshare --mount --net --fork bash -c '
        root=$1 && shift
        mount --bind "$root/../shared" "$root/tmp" && mount -t proc proc "$root/proc" &&
            exec chroot --userspec=1654:1654 --groups= "$root" /heapdrift "$@"' bash "$tmp/root" "$@" \
        >"$tmp/.out" 2>"$tmp/.err" || status=$?
    out=$(<"$tmp/.out")
    err=$(<"$tmp/.err")
}

teardown() {
    if [[ -n ${unshare:-} ]]; then
        kill -KILL "$unshare"
        wait "$unshare" || true
    fi 2>/dev/null
}

@test "with a container that shares its /tmp" {
    beside
    sidecar unshare --pid --fork -- ps --format=csv
    status_is 0
    out_matches $'\n1,'
    sidecar unshare --pid --fork -- collect -p 1 --timeout=200 -o /snapshots/one.gcdump --no-progress
    status_is 0
    HEAPDRIFT=build/static/$(uname -m)/heapdrift works info "$tmp/root/snapshots/one.gcdump"
    out_has "gcdump"
    kill -0 "$outside"
}

@test "with a container whose processes it also sees" {
    beside
    # By nsenter, as shareProcessNamespace and pid: service:NAME do.
    sidecar nsenter --target "$outside" --pid -- ps --format=csv
    status_is 0
    out_has "VBCSCompiler"
    sidecar nsenter --target "$outside" --pid -- watch 1 --timeout=200 --count=2 --interval=1s --output=/snapshots/two --no-progress
    status_is 0
    out_has "2 snapshots"
    [[ -s $tmp/root/snapshots/two/2.gcdump ]]
    kill -0 "$outside"
}

@test "the examples match the tests" {
    python - docs/containers/pod.yaml docs/containers/compose.yaml "$version" <<'PY'
import sys, yaml
pod, compose = (yaml.safe_load(open(name, encoding="utf-8")) for name in sys.argv[1:3])
spec = pod["spec"]
both = {c["name"]: c for c in spec["containers"]}
assert spec["shareProcessNamespace"] is True
assert all({"name": "tmp", "mountPath": "/tmp"} in c["volumeMounts"] for c in both.values())
assert not any("runAsUser" in c.get("securityContext", {}) for c in both.values()), "one user for both"
assert both["heapdrift"]["image"] == f"heapdrift:{sys.argv[3]}"
services = compose["services"]
assert services["heapdrift"]["pid"] == "service:shop"
assert services["heapdrift"]["user"] == services["shop"]["user"]
assert all("tmp:/tmp" in s["volumes"] for s in services.values())
assert services["heapdrift"]["image"] == f"heapdrift:{sys.argv[3]}"
PY
    # The example runs an existing command.
    grep -q -- 'collect, --name=Shop, --count=96, --interval=15m, --output=' docs/containers/pod.yaml
    HEAPDRIFT=build/static/$(uname -m)/heapdrift hd collect --name=NoSuchProgram --count=96 --interval=15m --output="$tmp/shop.gcdump"
    status_is 2
    err_has "NoSuchProgram"
}
