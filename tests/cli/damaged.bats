# Folders that contain a damaged snapshot, which is not one of "other files": a full disk makes these.
load helper

@test "a damaged snapshot in a folder is refused as if it were named: each format, damage and place" {
    python tests/cli/damaged.py "$HEAPDRIFT" "$tmp/folders"
}
