// Hold Kubernetes manifests, as JSON documents on standard input, one a line, against
// Kubernetes' own schemas, which kubernetes-models has as compiled code, or those of the
// Prometheus operator.
//
//     python3 -c '…' <sidecar.yaml | node tests/fleet/manifests.js NODE_MODULES
//
// Those schemas allow what they do not know, as the API does. So that a slip of the pen is
// found, this looks which fields the schema asks for: one that it never asks for it does not
// know.
"use strict";
const fs = require("fs");
const path = require("path");

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

const operator = "ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1";

function folder(name) {
    return path.resolve(process.argv[2], name, "_schemas");
}

function schemaOf(doc) {
    if (doc.apiVersion === "monitoring.coreos.com/v1")
        return path.join(folder("@kubernetes-models/prometheus-operator"), `${operator}${doc.kind}.js`);
    const group = doc.apiVersion.includes("/") ? doc.apiVersion.replace(".k8s.io", "") : `core/${doc.apiVersion}`;
    const name = group.split("/").map((w) => w[0].toUpperCase() + w.slice(1)).join("");
    return path.join(folder("kubernetes-models"), `IoK8sApi${name}${doc.kind}.js`);
}

// Where the schema takes any names: their values are strings, of which it looks at each.
async function complaints(doc) {
    const file = schemaOf(doc);
    if (!fs.existsSync(file)) return [`there is no ${doc.apiVersion} ${doc.kind}`];
    const loaded = await import(file);    // CommonJS or a module
    const { validate } = loaded.validate ? loaded : loaded.default;
    if (!validate(doc))
        return validate.errors.map((e) => `data${e.instancePath} ${e.message ?? e.keyword} ${JSON.stringify(e.params)}`);
    const seen = new Set();
    validate(watched(doc, "", seen));
    return [...fields(doc, "")].filter((f) => !seen.has(f)).map((f) => `${f}: no such field`);
}

async function main() {
    let status = 0;
    for (const line of fs.readFileSync(0, "utf8").split("\n").filter((l) => l !== "")) {
        const doc = JSON.parse(line);
        const found = await complaints(doc);
        for (const c of found) console.log(`${doc.kind} ${doc.metadata?.name}: ${c}`);
        if (found.length > 0) status = 1;
        else console.log(`${doc.apiVersion} ${doc.kind} ${doc.metadata.name}: valid`);
    }
    process.exitCode = status;
}

main();
