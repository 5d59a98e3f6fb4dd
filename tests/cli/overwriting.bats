# A command must not write its input, or the same file twice.
load helper

@test "no option writes what the same command reads or writes: every option, every file, every way to name it" {
    python tests/cli/overwriting.py "$HEAPDRIFT" "$tmp/files"
}
