"use strict";
/* Every type: sorted and filtered here, of which only the rows that can be seen are in the
 * page: 20,000 are as smooth as 20. */

const ROW_HEIGHT = 30;
const ROWS_AROUND = 8;
const STATUS = {r: "growing", e: "new", o: "gone", h: "shrinking", t: "steady", a: "varying"};

/* Columns to rows: what was left out because it repeats is put in again. */
function unpackTypes(packed) {
    const n = packed.points.length;
    return packed.name.map((name, i) => {
        const c = Array.isArray(packed.count[i]) ? packed.count[i] : Array(n).fill(packed.count[i]);
        const b = packed.bytes[i];
        const bytes = Array.isArray(b) ? b : known(b) ? c.map((x) => x * b) : Array(n).fill(null);
        const row = {
            name: visible(name.replace(/\d+/g, (i) => packed.words[i])), framework: packed.framework[i] === "1",
            status: STATUS[packed.status[i]] || "", trend: c, sizes: bytes,
            deltaCount: difference(c[0], last(c)), count: last(c),
            deltaBytes: difference(bytes[0], last(bytes)), bytes: last(bytes)};
        for (const {key, values} of packed.columns) if (values) row[rowKey(key)] = values[i];
        return row;
    });
}

function sparkline(values) {
    const least = Math.min(...values), most = Math.max(...values), n = values.length - 1;
    const y = (v) => (most === least ? 18 : 20 - (18 * (v - least)) / (most - least));
    const d = values.map((v, k) => `${k ? "L" : "M"}${((88 * k) / n + 1).toFixed(1)} ${y(v).toFixed(1)}`).join("");
    return svg("svg", {viewBox: "0 0 90 22", "aria-hidden": "true"}, svg("path", {class: "sparkline", d}));
}

/* As addresses have it. */
const rowKey = (key) => (key === "type" ? "name" : key.replace(/_(.)/g, (_, letter) => letter.toUpperCase()));

const SHOW = {count, size, share: percent,
    "count change": (v) => signed(count, v), "size change": (v) => signed(size, v)};

/* The columns of reports, but for those in which nothing is known. */
function typeColumns(packed) {
    return packed.columns.filter((c) => !c.values || c.values.some(known)).map((c) => ({
        key: rowKey(c.key), title: c.title, kind: c.classes, still: c.kind === "trend",
        show: SHOW[c.kind], number: c.kind in SHOW}));
}

/* A name that leads to its places in the tree, if it has any that are large enough. */
function typeName(name, places) {
    const [space, own] = parts(name);
    const words = [html("span", {class: "ns"}, space), html("span", {class: "own"}, own)];
    if (!places.has(name)) return html("bdi", {title: name}, words);
    const to = "#memory?" + new URLSearchParams({zoom: "", find: `"${name}"`});
    return html("bdi", {title: name}, html("a", {href: to, title: name + ": show it in the tree"}, words));
}

function typeCell(column, row, places) {
    if (column.kind === "type") return html("th", {scope: "row", class: "type"}, typeName(row.name, places));
    const value = row[column.key];
    return html("td", {class: column.kind + (column.number ? " number" : "")},
        column.still ? sparkline(value) : column.show ? column.show(value) : value);
}

/* --- as text ------------------------------------------------------------------- */

/* A spreadsheet does not run it, a line of a log does not command: as --format=csv has it. */
function csvCell(value) {
    const text = /^'*(?:[=+\-@]|::)/.test(value) && typeof value === "string" ? "'" + value : String(value ?? "");
    return /[",\n\r]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

function typesAsCsv(rows, packed) {
    const one = packed.snapshots === 1, keys = packed.columns.map((c) => c.key);
    const head = one ? keys : ["type", "status", "count_first", "bytes_first", "count_last", "bytes_last"];
    const lines = rows.map((r) => one ? keys.map((key) => r[rowKey(key)])
        : [r.name, r.status, r.trend[0], r.sizes[0], r.count, r.bytes]);
    return [head, ...lines].map((line) => line.map(csvCell).join(",") + "\n").join("");
}

function markdownCode(name) {
    const fence = "`".repeat(Math.max(0, ...(name.match(/`+/g) || []).map((s) => s.length)) + 1);
    return fence + (fence.length > 1 ? ` ${name} ` : name).replace(/\|/g, "\\|") + fence;
}

function typesAsMarkdown(rows, columns) {
    const shown = columns.filter((c) => !c.still);
    const line = (cells) => "| " + cells.join(" | ") + " |\n";
    return line(shown.map((c) => c.title)) +
        "|" + shown.map((c) => (c.number ? "---:|" : "---|")).join("") + "\n" +
        rows.map((r) => line(shown.map((c) =>
            c.kind === "type" ? markdownCode(r.name) : c.show ? c.show(r[c.key]) : r[c.key]))).join("");
}

/* --- the table ------------------------------------------------------------------ */

class TypesTable {
    constructor(packed, places) {
        this.rows = unpackTypes(packed);
        this.places = places;
        this.columns = typeColumns(packed);
        this.one = packed.snapshots === 1;
        /* As the report has them. */
        const order = packed.order && rowKey(packed.order);
        this.given = {key: this.columns.some((c) => c.key === order) ? order : null, down: order !== "name"};
        this.sorted = this.given;
        this.shown = this.rows;
        this.words = "";
        this.appOnly = false;
        this.make();
    }

    make() {
        this.heads = this.columns.map((c) => html("th", {scope: "col", class: c.kind + (c.number ? " number" : "")},
            c.still ? html("span", {class: "aside"}, c.title)
                : html("button", {type: "button", onclick: () => this.sort(c)}, c.title)));
        this.body = html("tbody", {});
        this.table = html("table", {class: "types-table"},
            html("caption", {class: "aside"}, "every type; the buttons of the first row sort"),
            html("thead", {}, html("tr", {"aria-rowindex": "1"}, this.heads)), this.body);
        this.scroll = html("div", {class: "types-scroll", tabindex: "0", role: "region",
            "aria-label": "types", onscroll: () => this.draw()}, this.table);
        this.found = html("span", {class: "found", role: "status"});
        new ResizeObserver(() => { this.first = -1; this.draw(); }).observe(this.scroll);
    }

    controls(packed) {
        this.field = html("input", {type: "search", placeholder: "filter, e.g. Session", "aria-label": "filter types",
            oninput: () => { this.words = this.field.value.toLowerCase(); this.choose(); this.keep("filter"); }});
        this.app = html("input", {type: "checkbox", onchange: () => { this.appOnly = this.app.checked; this.choose(); this.keep(); }});
        const markdown = html("button", {type: "button", onclick: () =>
            copy(typesAsMarkdown(this.shown, this.columns), markdown)}, "copy as Markdown");
        const csv = html("button", {type: "button", onclick: () =>
            copy(typesAsCsv(this.shown, packed), csv)}, "copy as CSV");
        return html("div", {class: "controls"}, this.field, html("label", {}, this.app, "app only"), this.found, markdown, csv);
    }

    /* A second press turns it round; numbers begin with the largest, names with A. */
    sort(column) {
        const again = this.sorted.key === column.key;
        this.sorted = {key: column.key, down: again ? !this.sorted.down : Boolean(column.number)};
        this.choose();
        this.keep();
    }

    /* --- in the address */

    keep(field) {
        const {key, down} = this.sorted;
        const isGiven = key === this.given.key && down === this.given.down;
        remember("types", {filter: this.field.value, app: this.appOnly ? "1" : null,
            sort: isGiven || !key ? null : (down ? "-" : "") + key}, field);
    }

    show(values) {
        const [, minus, key] = /^(-?)(\w+)$/.exec(values.get("sort") ?? "") || [];
        const sorted = this.columns.find((c) => c.key === key && !c.still);
        this.sorted = sorted ? {key, down: minus === "-"} : this.given;
        this.field.value = values.get("filter") ?? "";
        this.words = this.field.value.toLowerCase();
        this.app.checked = this.appOnly = values.get("app") === "1";
        this.choose();
    }

    mark() {
        this.heads.forEach((head, i) => {
            if (this.columns[i].key !== this.sorted.key) head.removeAttribute("aria-sort");
            else head.setAttribute("aria-sort", this.sorted.down ? "descending" : "ascending");
        });
    }

    choose() {
        const words = this.words.split(/\s+/).filter(Boolean);
        const {key, down} = this.sorted;
        this.mark();
        this.shown = this.rows.filter((r) => !(this.appOnly && r.framework) &&
            words.every((w) => r.name.toLowerCase().includes(w)));
        if (key && this.sorted !== this.given) {
            const way = down ? -1 : 1;
            const compare = (x, y) => (x < y ? -1 : x > y ? 1 : 0);
            this.shown.sort((a, b) => way * compare(a[key] ?? -Infinity, b[key] ?? -Infinity) || compare(a.name, b.name));
        }
        this.scroll.scrollTop = 0;
        this.first = -1;
        this.draw();
    }

    sum(key) {
        return this.shown.reduce((sum, r) => sum + (r[key] || 0), 0);
    }

    say() {
        const all = this.shown.length === this.rows.length;
        const many = all ? count(this.rows.length) : `${count(this.shown.length)} of ${count(this.rows.length)}`;
        this.found.textContent = this.one ? `${many}: ${size(this.sum("bytes"))}`
            : `${many}: ${signed(count, this.sum("deltaCount"))} objects, ${signed(size, this.sum("deltaBytes"))}`;
    }

    draw() {
        const fit = Math.ceil(this.scroll.clientHeight / ROW_HEIGHT) || 20;
        const top = Math.floor(this.scroll.scrollTop / ROW_HEIGHT);
        const first = Math.max(0, Math.min(top - ROWS_AROUND, this.shown.length - fit));
        if (first === this.first) return;
        this.first = first;
        const end = Math.min(this.shown.length, first + fit + 2 * ROWS_AROUND);
        const space = (rows) => {
            const cell = html("td", {});
            cell.style.height = rows * ROW_HEIGHT + "px";
            return rows > 0 ? html("tr", {class: "space", "aria-hidden": "true"}, cell) : null;
        };
        this.body.replaceChildren(...[space(first), ...this.shown.slice(first, end).map((row, i) =>
            html("tr", {class: row.status ? "status-" + row.status : null, "aria-rowindex": first + i + 2},
                this.columns.map((c) => typeCell(c, row, this.places)))), space(this.shown.length - end)].filter(Boolean));
        this.table.setAttribute("aria-rowcount", this.shown.length + 1);
        this.say();
    }
}

/* Bars of characters, which few fonts have in one size, as lines. */
function sparklines() {
    for (const cell of document.querySelectorAll("td.trend")) {
        const values = Array.from(cell.textContent, (c) => "▁▂▃▄▅▆▇█".indexOf(c));
        if (values.length > 1 && values.every((v) => v >= 0)) cell.replaceChildren(sparkline(values));
    }
}

/* The table of the report itself stays for paper, and for who has no JavaScript. */
function allTypes(tree) {
    const packed = data("types-data");
    if (!packed || packed.name.length === 0) return;
    const table = new TypesTable(packed, new Set(tree ? tree.nodes.flatMap(namesOf) : []));
    const old = document.getElementById("types") || document.querySelector(".static-types");
    let part = old;
    if (!part) {
        part = section("types", "Types", document.getElementById("inputs"));
        document.querySelectorAll("main > .plain > .scroll").forEach((e) => e.classList.add("static-types"));
    }
    const remark = part.querySelector(".remark");
    if (remark && remark.textContent.includes(";"))
        remark.textContent = remark.textContent.split(";")[0];
    part.append(table.controls(packed), table.scroll);
    if (packed.points.length < packed.snapshots)
        part.append(html("p", {class: "note"}, `Trends of ${count(packed.points.length)} of the ` +
            `${count(packed.snapshots)} snapshots, the first and the last among them.`));
    table.choose();
    viewers.push((values) => table.show(values));
}
