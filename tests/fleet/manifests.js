// Hold Kubernetes manifests, as JSON documents on standard input, one a line, against
// Kubernetes' own schemas, which kubernetes-models has as compiled code.
//
//     python3 -c '…' <sidecar.yaml | node tests/fleet/manifests.js NODE_MODULES
//
// Those schemas allow what they do not know, as the API does. So that a slip of the pen is
// found, this looks which fields the schema asks for: one that it never asks for it does not
// know.
"use strict";
const { createRequire } = require("module");
const fs = require("fs");
const path = require("path");

const modules = createRequire(path.resolve(process.argv[2], "index.js"));

function watched(value, at, seen) {
    if (value === null || typeof value !== "object") return value;
    if (Array.isArray(value)) return value.map((v, i) => watched(v, `${at}/${i}`, seen));
    const inner = {};
    for (const key of Object.keys(value)) inner[key] = watched(value[key], `${at}/${key}`, seen);
    return new Proxy(inner, {
        get(target, key) {
            if (typeof key === "string") seen.add(`${at}/${key}`);
            return target[key];
        },
    });
}

function* fields(value, at) {
    if (value === null || typeof value !== "object") return;
    for (const [key, inner] of Object.entries(value)) {
        if (!Array.isArray(value)) yield `${at}/${key}`;
        yield* fields(inner, `${at}/${key}`);
    }
}

// Where the schema takes any names: their values are strings, of which it looks at each.
function complaints(doc) {
    const kind = modules(`kubernetes-models/${doc.apiVersion}`)[doc.kind];
    if (kind === undefined) return [`there is no ${doc.apiVersion} ${doc.kind}`];
    const seen = new Set();
    try {
        kind.validate ? kind.validate(doc) : new kind(doc).validate();
    } catch (e) {
        return [e.message];
    }
    const schema = path.join(path.dirname(modules.resolve("kubernetes-models")), "_schemas");
    const group = doc.apiVersion.includes("/") ? doc.apiVersion : `core/${doc.apiVersion}`;
    const name = group.split("/").map((w) => w[0].toUpperCase() + w.slice(1)).join("");
    const { validate } = require(path.join(schema, `IoK8sApi${name}${doc.kind}.js`));
    validate(watched(doc, "", seen));
    return [...fields(doc, "")].filter((f) => !seen.has(f)).map((f) => `${f}: no such field`);
}

let status = 0;
for (const line of fs.readFileSync(0, "utf8").split("\n").filter((l) => l !== "")) {
    const doc = JSON.parse(line);
    const found = complaints(doc);
    for (const c of found) console.log(`${doc.kind} ${doc.metadata?.name}: ${c}`);
    if (found.length > 0) status = 1;
    else console.log(`${doc.apiVersion} ${doc.kind} ${doc.metadata.name}: valid`);
}
process.exitCode = status;
