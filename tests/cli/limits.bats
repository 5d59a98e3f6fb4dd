# Memory and time of inputs that cost more than their size; docs/testing.md has the table.
load helper

@test "no input takes more memory than it may, nor much more time than a harmless one of its size" {
    [[ $HEAPDRIFT != *asan* ]] || skip "the sanitizers take memory of their own"
    python tests/cli/limits.py "$HEAPDRIFT" "$tmp/inputs"
}
