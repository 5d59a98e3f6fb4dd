# What files, paths and patterns are called, through every writer; docs/testing.md says what is
# looked at.
load helper

@test "no hostile name reaches a terminal, a parser, a page or a build server as anything but a name" {
    python tests/cli/hostile.py "$HEAPDRIFT" "$tmp/names"
}
