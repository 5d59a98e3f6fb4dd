# Hostile names of files, paths and patterns, through every writer; docs/testing.md lists the checks.
load helper

@test "no hostile name reaches a terminal, a parser, a page or a build server as anything but a name" {
    python tests/cli/hostile.py "$HEAPDRIFT" "$tmp/names"
}
