"""Hold the manifests of winget against what its schema 1.10.0 asks, as far as they use it.

check_winget.py FOLDER VERSION URL ZIP

FOLDER has heapdrift.heapdrift*.yaml; ZIP is what they are about, and will be in the folder URL. No
other property is allowed than those that are used."""
import hashlib
import pathlib
import re
import sys
import zipfile

import jsonschema
import yaml

IDENTIFIER = {"type": "string", "pattern": r'^[^.\s\\/:*?"<>|]{1,32}(\.[^.\s\\/:*?"<>|]{1,32}){1,7}$', "maxLength": 128}
LOCALE = {"const": "en-US"}
COMMAND = {"type": "string", "pattern": "^[^ ]+$", "maxLength": 40}
FOUR_NUMBERS = {"type": "string", "pattern": r"^\d{1,5}(\.\d{1,5}){0,3}$"}


def words(most, least=1):
    return {"type": "string", "minLength": least, "maxLength": most}


def manifest(kind, properties):
    every = {"PackageIdentifier": IDENTIFIER, "PackageVersion": {"type": "string", "pattern": r'^[^\\/:*?"<>|]+$', "maxLength": 128},
             "ManifestType": {"const": kind}, "ManifestVersion": {"const": "1.10.0"}}
    return {"type": "object", "properties": every | properties, "required": list(every | properties), "additionalProperties": False}


def record(**properties):
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def some(item, most):
    return {"type": "array", "items": item, "minItems": 1, "maxItems": most, "uniqueItems": True}


SCHEMAS = {
    ".yaml": manifest("version", {"DefaultLocale": LOCALE}),
    ".installer.yaml": manifest("installer", {
        "Platform": some({"enum": ["Windows.Desktop", "Windows.Universal"]}, 2), "MinimumOSVersion": FOUR_NUMBERS,
        "InstallerType": {"const": "zip"}, "NestedInstallerType": {"const": "portable"},
        "NestedInstallerFiles": some(record(RelativeFilePath=words(512), PortableCommandAlias=COMMAND), 1),
        "Commands": some(COMMAND, 16), "ReleaseDate": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"},
        "Installers": some(record(Architecture={"enum": ["x64"]},
                                  InstallerUrl={"type": "string", "pattern": r"^https?://\S+$", "maxLength": 2048},
                                  InstallerSha256={"type": "string", "pattern": "^[A-F0-9]{64}$"}), 1)}),
    ".locale.en-US.yaml": manifest("defaultLocale", {
        "PackageLocale": LOCALE, "Publisher": words(256, 2), "PackageName": words(256, 2), "License": words(512, 3),
        "ShortDescription": words(256, 3), "Description": words(10000, 3), "Moniker": words(40), "Tags": some(words(40), 16)}),
}


def read(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search("@[A-Z0-9]+@", text), f"{path}: not filled in"
    # Everything is a string there, dates and versions too.
    return yaml.load(text, yaml.BaseLoader)


def main(folder, version, url, archive):
    found = {path.name.removeprefix("heapdrift.heapdrift"): path for path in pathlib.Path(folder).glob("heapdrift.heapdrift*.yaml")}
    assert set(found) == set(SCHEMAS), sorted(found)
    manifests = {suffix: read(path) for suffix, path in found.items()}
    for suffix, schema in SCHEMAS.items():
        jsonschema.validate(manifests[suffix], schema)
        assert manifests[suffix]["PackageIdentifier"] == "heapdrift.heapdrift" and manifests[suffix]["PackageVersion"] == version
    installer = manifests[".installer.yaml"]
    where = installer["Installers"][0]
    assert where["InstallerUrl"] == f"{url}/{pathlib.Path(archive).name}", where
    assert where["InstallerSha256"].lower() == hashlib.sha256(pathlib.Path(archive).read_bytes()).hexdigest(), "another zip"
    program = installer["NestedInstallerFiles"][0]["RelativeFilePath"]
    with zipfile.ZipFile(archive) as files:
        assert program.replace("\\", "/") in files.namelist(), f"the zip has no {program}"


main(*sys.argv[1:])
