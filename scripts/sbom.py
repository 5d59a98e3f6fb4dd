#!/usr/bin/env python3
"""What a static program is made of, as SPDX 2.3 in JSON: its bill of materials.

    sbom.py VERSION MOMENT ARCH FOLDER >heapdrift-VERSION-ARCH.spdx.json

FOLDER has the program, and packages.tsv, in which scripts/notices.sh says what the linker
took something of: package of Debian, version, licence, files. The same program gives the same
bytes; MOMENT is seconds since 1970."""
import datetime
import hashlib
import json
import pathlib
import re
import sys
import urllib.parse

# What stands behind a package's version in its address. For Windows it is built of Debian's sources.
QUALIFIERS = {"x86_64": "?arch=amd64", "aarch64": "?arch=arm64", "windows-x86_64": ""}

PUBLIC_DOMAIN = "liblzma has been put in the public domain by its authors."


def parts_of(folder):
    """Package, version, licence, files: what is in the program."""
    table = (folder / "packages.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines()]
    if not rows or any(len(row) != 4 or not all(row) for row in rows):
        sys.exit(f"sbom: {folder}/packages.tsv is no table of package, version, licence, files")
    return sorted(rows)


def library(package, found, licence, files, qualifiers):
    where = urllib.parse.quote(found, safe="")
    return {
        "SPDXID": f"SPDXRef-Package-{re.sub(r'[^A-Za-z0-9.-]', '-', package)}",
        "name": package,
        "versionInfo": found,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "comment": f"Of it: {files}. Its notices stand in THIRD-PARTY-NOTICES.",
        "primaryPackagePurpose": "LIBRARY",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{urllib.parse.quote(package, safe='')}@{where}{qualifiers}",
        }],
    }


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(program_version, moment, arch, folder):
    program = folder / ("heapdrift.exe" if arch.startswith("windows-") else "heapdrift")
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    name = f"heapdrift-{program_version}-{arch}"
    top = {
        "SPDXID": "SPDXRef-Package-heapdrift",
        "name": "heapdrift",
        "versionInfo": program_version,
        "packageFileName": program.name,
        "supplier": "NOASSERTION",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "MIT",
        "copyrightText": "NOASSERTION",
        "primaryPackagePurpose": "APPLICATION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:generic/heapdrift@{program_version}"}],
    }
    rows = parts_of(folder)
    parts = [library(*row, QUALIFIERS[arch]) for row in rows]
    # Headers that are code, and the script of the page, come in without the linker.
    kinds = ["STATIC_LINK" if ".a" in row[3] else "CONTAINS" for row in rows]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{digest}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(moment, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: heapdrift-sbom-{program_version}"],
        },
        "packages": [top, *parts],
        "relationships": [
            relation("SPDXRef-DOCUMENT", "DESCRIBES", top["SPDXID"]),
            *(relation(top["SPDXID"], kind, part["SPDXID"]) for kind, part in zip(kinds, parts)),
        ],
        "hasExtractedLicensingInfos": [{
            "licenseId": "LicenseRef-public-domain", "name": "public domain", "extractedText": PUBLIC_DOMAIN}],
    }


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    arch = sys.argv[3]
    if arch not in QUALIFIERS:
        sys.exit(f"sbom: {arch}: no such platform")
    json.dump(document(sys.argv[1], int(sys.argv[2]), arch, pathlib.Path(sys.argv[4])), sys.stdout, indent=2)
    print()


main()
