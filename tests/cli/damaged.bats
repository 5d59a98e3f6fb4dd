# Folders with a damaged snapshot in them, which is none of "other files": a full disk makes
# these.
load helper

@test "a damaged snapshot in a folder is refused as if it were named: each format, damage and place" {
    python tests/cli/damaged.py "$HEAPDRIFT" "$tmp/folders"
}
