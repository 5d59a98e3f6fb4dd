#!/usr/bin/env python3
"""Pack a folder so that the same files give the same bytes: sorted, all of one moment.

    same-zip.py MOMENT FOLDER FILE.zip

MOMENT: seconds since 1970. The archive has FOLDER's last name in front of every name."""
import pathlib
import sys
import time
import zipfile


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2])
    # To two seconds: that is how zip keeps time.
    moment = time.gmtime(int(sys.argv[1]) // 2 * 2)[:6]
    made = pathlib.Path(sys.argv[3] + ".new")
    with zipfile.ZipFile(made, "w") as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder.parent).as_posix(), moment)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, path.read_bytes(), compresslevel=9)
    made.rename(sys.argv[3])


main()
