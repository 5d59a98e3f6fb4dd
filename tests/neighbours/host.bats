# The host that the other tests of this folder take place on.
# shellcheck disable=SC2154,SC2030,SC2031 # bats and helper.bash set status, out, err and tmp

load ../cli/helper
load neighbours

setup() {
    begin
    need_host
}

@test "on a private host mallory has no permissions, and root's heapdrift runs" {
    echo kept >"$tmp/kept"
    host 'mallory id -u; mallory cat /etc/shadow || echo refused; ls /run /tmp; cat "$tmp/kept"; echo $$; heapdrift --version'
    status_is 0
    out_matches "^$mallory_id
refused
.*kept
1
heapdrift "
}
