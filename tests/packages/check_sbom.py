"""Hold a bill of materials against what SPDX 2.3 asks of JSON.

check_sbom.py FILE

The standard's own schema and its validator are in no registry that is asked here, so what is
below is written from its text: clauses 6 (document), 7 (packages), 10 (other licences), 11
(relationships), as far as the document uses them; no other property is allowed."""
import json
import re
import sys

import jsonschema

ID = r"^SPDXRef-[A-Za-z0-9.-]+$"
TEXT = {"type": "string", "minLength": 1}


def record(required, optional=()):
    names = dict(required)
    names.update(optional)
    return {"type": "object", "required": list(dict(required)), "properties": names, "additionalProperties": False}


CHECKSUM = record({"algorithm": {"enum": ["SHA1", "SHA256", "SHA512"]}, "checksumValue": {"type": "string", "pattern": "^[0-9a-f]+$"}})
REFERENCE = record({"referenceCategory": {"enum": ["SECURITY", "PACKAGE-MANAGER", "PERSISTENT-ID", "OTHER"]},
                    "referenceType": TEXT, "referenceLocator": {"type": "string", "pattern": r"^pkg:[a-z]+/\S+@\S+$"}})
PACKAGE = record(
    {"SPDXID": {"type": "string", "pattern": ID}, "name": TEXT,
     "downloadLocation": {"type": "string", "pattern": r"^(NOASSERTION|NONE|(https?|git\+https)://\S+)$"}},
    {"versionInfo": TEXT, "packageFileName": TEXT,
     "supplier": {"type": "string", "pattern": r"^(NOASSERTION|(Person|Organization): .+)$"},
     "filesAnalyzed": {"const": False}, "checksums": {"type": "array", "items": CHECKSUM, "minItems": 1},
     "licenseConcluded": TEXT, "licenseDeclared": TEXT, "copyrightText": TEXT, "comment": TEXT,
     "primaryPackagePurpose": {"enum": ["APPLICATION", "LIBRARY"]},
     "externalRefs": {"type": "array", "items": REFERENCE}})
DOCUMENT = record(
    {"spdxVersion": {"const": "SPDX-2.3"}, "dataLicense": {"const": "CC0-1.0"}, "SPDXID": {"const": "SPDXRef-DOCUMENT"},
     "name": TEXT, "documentNamespace": {"type": "string", "format": "uri", "pattern": r"^https?://[^#]+$"},
     "creationInfo": record(
         {"created": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
          "creators": {"type": "array", "minItems": 1,
                       "items": {"type": "string", "pattern": r"^(Person: .+|Organization: .+|Tool: \S+-\S+)$"}}})},
    {"packages": {"type": "array", "items": PACKAGE, "minItems": 1},
     "relationships": {"type": "array", "minItems": 1, "items": record(
         {"spdxElementId": {"type": "string", "pattern": ID}, "relatedSpdxElement": {"type": "string", "pattern": ID},
          "relationshipType": {"enum": ["DESCRIBES", "STATIC_LINK", "CONTAINS"]}})},
     "hasExtractedLicensingInfos": {"type": "array", "items": record(
         {"licenseId": {"type": "string", "pattern": r"^LicenseRef-[A-Za-z0-9.-]+$"}, "extractedText": TEXT}, {"name": TEXT})}})


def main(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    jsonschema.validate(document, DOCUMENT)
    ids = [document["SPDXID"]] + [package["SPDXID"] for package in document["packages"]]
    assert len(set(ids)) == len(ids), "an identifier stands twice"
    for entry in document["relationships"]:
        assert entry["spdxElementId"] in ids and entry["relatedSpdxElement"] in ids, f"leads nowhere: {entry}"
    described = [e for e in document["relationships"] if e["relationshipType"] == "DESCRIBES"]
    assert len(described) == 1 and described[0]["spdxElementId"] == "SPDXRef-DOCUMENT", "what is described?"
    related = {e["relatedSpdxElement"] for e in document["relationships"]}
    assert set(ids) - related == {"SPDXRef-DOCUMENT"}, "a package that nothing leads to"
    own = {entry["licenseId"] for entry in document.get("hasExtractedLicensingInfos", [])}
    used = {ref for package in document["packages"] for ref in re.findall(r"LicenseRef-[\w.-]+", package["licenseDeclared"])}
    assert used == own, f"licences of our own: {used} used, {own} told"


main(sys.argv[1])
