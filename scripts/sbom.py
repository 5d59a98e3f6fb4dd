#!/usr/bin/env python3
"""What a static program is made of, as SPDX 2.3 in JSON: its bill of materials.

    sbom.py VERSION MOMENT ARCH STATIC-FOLDER [SYSROOT] >heapdrift-VERSION-ARCH.spdx.json

STATIC-FOLDER has the program and the linker's map (linked/map), which names every library that a
part was taken of; Debian's database says which package that is. With a SYSROOT, for another
processor, its packages' changelogs say the version. The same program gives the same bytes; MOMENT
is seconds since 1970. A library whose licence stands not below is an error: look it up first."""
import datetime
import gzip
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import urllib.parse

DEBIAN_ARCH = {"x86_64": "amd64", "aarch64": "arm64"}

# Of the parts that are linked, by what stands in the package's copyright file. Not of Debian's
# source package as a whole, which has programs and tests under other licences.
LICENCES = {
    "libarchive-dev": "BSD-2-Clause",
    "libbz2-dev": "bzip2-1.0.6",
    "libc6-dev": "LGPL-2.1-or-later",
    "libcyaml-dev": "ISC",
    "libgcc-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libjansson-dev": "MIT",
    "liblzma-dev": "LicenseRef-public-domain",
    "libncurses-dev": "X11-distribute-modifications-variant",
    "libpopt-dev": "MIT",
    "libprotobuf-c-dev": "BSD-2-Clause",
    "libutf8proc-dev": "MIT AND Unicode-DFS-2015",
    "libxxhash-dev": "BSD-2-Clause",
    "libyaml-dev": "MIT",
    "libzstd-dev": "BSD-3-Clause OR GPL-2.0-only",
    "nettle-dev": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "node-d3": "BSD-3-Clause",
    "node-d3-array": "ISC AND BSD-3-Clause",
    "uthash-dev": "BSD-1-Clause",
    "zlib1g-dev": "Zlib",
}
PUBLIC_DOMAIN = "liblzma has been put in the public domain by its authors."

# What becomes part of the program without a library: headers, and the script of the HTML page.
INCLUDED = ["libxxhash-dev", "uthash-dev"] + [f"node-d3-{part}" for part in (
    "array collection color interpolate format time time-format scale path shape hierarchy".split())]


def fail(text):
    sys.exit(f"sbom: {text}")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})
    return done.stdout if done.returncode == 0 else fail(f"{' '.join(words)}: {done.stderr.strip()}")


def linked(link_map):
    """The archives and objects of others of which the linker took something."""
    text = link_map.read_text(encoding="utf-8", errors="replace")
    # The first part of the map has a line for each member and why; objects are loaded as a whole.
    members = re.findall(r"^(\S+\.a)\(\S+\)$", text, re.MULTILINE)
    objects = re.findall(r"^LOAD (\S+\.o)$", text, re.MULTILINE)
    found = {pathlib.Path(name).resolve() for name in members + objects}
    here = pathlib.Path.cwd().resolve()
    ours = here / "build" / "static"
    return sorted(path for path in found if not path.is_relative_to(ours))


def owner(path, arch, sysroot):
    """The package that a library is of, and the version of what is linked."""
    name = str(path)
    if sysroot and path.is_relative_to(sysroot):
        # The same file of this system's packages has the same owner.
        host = run("gcc", "-dumpmachine").strip()
        name = "/" + str(path.relative_to(sysroot)).replace(f"{arch}-linux-gnu", host)
    # Before /lib and /usr/lib were one, a package may have named the other.
    for candidate in (name, name.removeprefix("/usr")):
        done = subprocess.run(["dpkg-query", "-S", candidate], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":")[0].split(",")[0]
    return fail(f"no package has {name}")


def version(package, sysroot):
    if sysroot:
        for log in ("changelog.Debian.gz", "changelog.gz"):
            path = sysroot / "usr/share/doc" / package / log
            if path.exists():
                return re.search(r"\((\S+)\)", gzip.decompress(path.read_bytes()).decode().split("\n")[0]).group(1)
    return run("dpkg-query", "-W", "-f", "${Version}\n", package).split("\n")[0]


def licence(package):
    plain = re.sub(r"^(lib(?:gcc|stdc\+\+)).*-dev.*", r"\1-dev", package)
    plain = re.sub(r"^libc6-dev-.*-cross$", "libc6-dev", plain)
    if plain not in LICENCES:
        plain = re.sub(r"^node-d3-.*", "node-d3", plain)
    return LICENCES.get(plain) or fail(f"the licence of {package} is not known to this script; see its copyright file")


def library(package, found, arch):
    where = urllib.parse.quote(found, safe="")
    return {
        "SPDXID": f"SPDXRef-Package-{re.sub(r'[^A-Za-z0-9.-]', '-', package)}",
        "name": package,
        "versionInfo": found,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence(package),
        "licenseDeclared": licence(package),
        "copyrightText": "NOASSERTION",
        "comment": "Its notices stand in THIRD-PARTY-NOTICES.",
        "primaryPackagePurpose": "LIBRARY",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{urllib.parse.quote(package, safe='')}@{where}?arch={arch}",
        }],
    }


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def document(program_version, moment, arch, folder, sysroot):
    program = folder / "heapdrift"
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    name = f"heapdrift-{program_version}-{arch}"
    top = {
        "SPDXID": "SPDXRef-Package-heapdrift",
        "name": "heapdrift",
        "versionInfo": program_version,
        "packageFileName": "heapdrift",
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
    kinds = {owner(path, arch, sysroot): "STATIC_LINK" for path in linked(folder / "linked" / "map")}
    if not kinds:
        fail("the map names no library")
    for package in INCLUDED:
        kinds.setdefault(package, "CONTAINS")
    parts = {p: library(p, version(p, sysroot), DEBIAN_ARCH[arch]) for p in sorted(kinds)}
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
        "packages": [top, *parts.values()],
        "relationships": [
            relation("SPDXRef-DOCUMENT", "DESCRIBES", top["SPDXID"]),
            *(relation(top["SPDXID"], kinds[p], part["SPDXID"]) for p, part in parts.items()),
        ],
        "hasExtractedLicensingInfos": [{
            "licenseId": "LicenseRef-public-domain", "name": "public domain", "extractedText": PUBLIC_DOMAIN}],
    }


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    arch = sys.argv[3]
    if arch not in DEBIAN_ARCH:
        fail(f"{arch}: no such processor")
    sysroot = pathlib.Path(sys.argv[5]).resolve() if len(sys.argv) == 6 else None
    made = document(sys.argv[1], int(sys.argv[2]), arch, pathlib.Path(sys.argv[4]), sysroot)
    json.dump(made, sys.stdout, indent=2, ensure_ascii=False)
    print()


main()
