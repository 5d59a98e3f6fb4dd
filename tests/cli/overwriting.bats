# What a command writes is nothing that it reads, nor that it writes twice.
load helper

@test "no option writes what the same command reads or writes: every option, every file, every way to name it" {
    python tests/cli/overwriting.py "$HEAPDRIFT" "$tmp/files"
}
