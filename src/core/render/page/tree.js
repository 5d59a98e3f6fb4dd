"use strict";
/* Who owns the memory: the ownership tree as an icicle that is zoomed into, and as a table
 * of rows that open. Both show the same nodes, and what is found or marked in one is in the
 * other. */

const LAYER = 26;

/* --- the nodes ------------------------------------------------------------------ */

const ROOT_KINDS = {
    static: "[static vars]", thread_static: "[thread static vars]", strong_handle: "[strong handles]",
    pinned_handle: "[pinned handles]", ref_counted_handle: "[ref-counted handles]",
    dependent_handle: "[dependent handles]", stack: "[stacks]", finalizer: "[finalizer queue]",
    other: "[other roots]", unreachable: "[unreachable]"};

function label(node) {
    if (node.kind === "heap") return "heap";
    if (node.kind === "others")
        return node.others === 1 ? "[1 other]" : `[${count(node.others ?? 0)} others]`;
    return visible(node.type ?? ROOT_KINDS[node.root_kind] ?? node.kind);
}

/* Names that a place has: as people know it, and as files have it. */
const namesOf = (node) => [node.name, node.full].filter(Boolean);

/* The list of JSON as objects with parents and children. */
function unpackTree(packed) {
    const [first, end] = packed.compared;
    const nodes = packed.nodes.map((n, index) => {
        const at = n.retained, objects = n.objects;
        return {index, kind: n.kind, depth: n.depth, name: label(n), full: n.full_name && visible(n.full_name), single: n.single, suspect: n.suspect,
            by: n.field === null ? "" : visible((n.field.startsWith("[") ? "" : ".") + n.field) + " → ",
            retained: at[end] ?? 0, before: at[first] ?? 0, growth: n.growth ?? 0, objects: objects[end] ?? 0,
            objectsBefore: objects[first] ?? 0, own: n.bytes[end], ownCount: n.count[end],
            parent: null, children: []};
    });
    packed.nodes.forEach((n, i) => {
        if (n.parent === null) return;
        nodes[i].parent = nodes[n.parent];
        nodes[n.parent].children.push(nodes[i]);
    });
    return nodes;
}

const fullLabel = (node) => node.by + (node.single ? node.name + " (1 object)" : node.name);
const shortLabel = (node) => node.by + brief(node.name);

function trail(node) {
    const all = [];
    for (let n = node; n; n = n.parent) all.unshift(n);
    return all;
}

/* --- the icicle ------------------------------------------------------------------- */

class Icicle {
    constructor(view) {
        this.view = view;
        this.inside = html("div", {});
        this.box = html("div", {class: "icicle", role: "tree", "aria-label": "ownership tree, widest first",
            onpointerover: (e) => this.point(e.target), onpointerleave: () => this.hide(),
            onclick: (e) => this.press(e.target), onkeydown: (e) => this.key(e)}, this.inside);
        this.inside.addEventListener("focusin", (e) => this.point(e.target, true));
        this.inside.addEventListener("focusout", () => this.hide());
        this.tip = html("div", {class: "tip", hidden: true});
        this.frame = html("div", {class: "chart"}, this.box, this.tip);
        this.drawn = new Map();
    }

    /* What a node is as wide as. Of growth: at least as wide as what grew below it. */
    layout() {
        const byGrowth = this.view.byGrowth;
        const root = d3.hierarchy(this.view.focus, (n) => n.children);
        root.eachAfter((n) => {
            const own = Math.max(0, byGrowth ? n.data.growth : n.data.retained);
            n.value = Math.max(own, d3.sum(n.children || [], (c) => c.value));
        });
        root.sort((a, b) => (a.data.kind === "others") - (b.data.kind === "others") ||
            b.value - a.value || a.data.index - b.data.index);
        d3.partition().size([100, root.height + 1])(root);
        return root;
    }

    /* How strong its colour is, from -100 to 100: by its growth beside the largest one. By the
     * root of that, so that a tenth of the growth can still be seen. Of one snapshot by the
     * bytes of its own. */
    tone(node) {
        if (this.view.one) return (-100 * (node.kind === "others" ? 0 : node.own || 0)) / (node.retained || 1);
        const share = node.growth / this.view.mostGrowth;
        return 100 * Math.sign(share) * Math.min(1, Math.sqrt(Math.abs(share)));
    }

    draw() {
        const pixel = 100 / Math.max(280, this.box.clientWidth || 900);
        const root = this.layout();
        const seen = root.descendants().filter((n) => n.x1 - n.x0 >= 2 * pixel);
        this.box.setAttribute("aria-label", `ownership tree of ${root.data.name}, widest first`);
        const keep = new Map();
        for (const n of seen) keep.set(n.data.index, this.drawNode(n, pixel));
        for (const [index, e] of this.drawn) if (!keep.has(index)) e.remove();
        this.drawn = keep;
        this.at = new Map(seen.map((n) => [n.data.index, n]));
        this.inside.style.setProperty("--layers", d3.max(seen, (n) => n.depth) + 1);
        this.box.classList.toggle("searching", this.view.hits !== null);
        this.rove(this.at.has(this.current) ? this.current : root.data.index);
        this.hide();
    }

    drawNode(n, pixel) {
        const node = n.data;
        const e = this.drawn.get(node.index) || html("div", {role: "treeitem", "data-index": node.index});
        const tone = this.tone(node), wide = n.x1 - n.x0;
        const hit = this.view.hits !== null && this.view.hits.has(node);
        e.className = [tone > 1 ? "up" : tone < -1 ? "down" : "", node.kind === "others" ? "others" : "",
            node.suspect ? "marked band-" + Math.min(node.suspect, 7) : "", hit ? "hit" : ""].join(" ").trim();
        e.style.left = n.x0 + "%";
        e.style.width = wide + "%";
        e.style.setProperty("--layer", n.depth);
        e.style.setProperty("--much", Math.abs(tone).toFixed(0));
        e.textContent = wide > 22 * pixel ? shortLabel(node) : "";
        e.setAttribute("aria-level", n.depth + 1);
        e.setAttribute("aria-label", `${shortLabel(node)}${node.single ? ", 1 object" : ""}, retained ${size(node.retained)}, ` +
            `growth ${signed(size, node.growth)}` + (node.suspect ? `, suspect ${node.suspect}` : ""));
        if (node.children.length) e.setAttribute("aria-expanded", "true");
        if (!e.isConnected) this.inside.append(e);
        return e;
    }

    /* One of them is reached by Tab, the others by arrows. */
    rove(index, focus) {
        for (const [i, e] of this.drawn) e.tabIndex = i === index ? 0 : -1;
        this.current = index;
        if (focus) this.drawn.get(index).focus();
    }

    node(target) {
        const e = target.closest ? target.closest("[role=treeitem]") : null;
        return e ? this.view.nodes[Number(e.dataset.index)] : null;
    }

    point(target, byKey) {
        const node = this.node(target);
        if (!node) return;
        const e = this.drawn.get(node.index);
        fill(this.tip, fullLabel(node), this.view.tell(node));
        const top = e.offsetTop - this.box.scrollTop + LAYER + 6;
        place(this.tip, Math.max(0, e.offsetLeft), top);
        if (byKey) this.rove(node.index);
    }

    hide() {
        this.tip.hidden = true;
    }

    press(target) {
        const node = this.node(target);
        if (node) this.view.zoom(node === this.view.focus && node.parent ? node.parent : node, true);
    }

    /* Down to what it owns, up to its owner, to both sides among those it stands with. */
    key(event) {
        const at = this.at.get(this.current);
        if (!at) return;
        const beside = at.parent ? at.parent.children.filter((n) => this.at.has(n.data.index)) : [at];
        const i = beside.indexOf(at);
        const below = (at.children || []).find((n) => this.at.has(n.data.index));
        const go = (n) => n && this.rove(n.data.index, true);
        const ways = {
            ArrowDown: () => go(below), ArrowUp: () => (at.parent ? go(at.parent) : this.out()),
            ArrowRight: () => go(beside[i + 1]), ArrowLeft: () => go(beside[i - 1]),
            Home: () => go(this.at.get(this.view.focus.index)),
            Enter: () => this.press(this.drawn.get(this.current)), " ": () => this.press(this.drawn.get(this.current)),
            Escape: () => this.out(), Backspace: () => this.out()};
        if (!ways[event.key]) return;
        event.preventDefault();
        ways[event.key]();
    }

    out() {
        if (this.view.focus.parent) this.view.zoom(this.view.focus.parent, true);
    }
}

/* --- the table ---------------------------------------------------------------------- */

class OwnerTable {
    constructor(view) {
        this.view = view;
        this.open = new Set();
        this.body = html("tbody", {});
        const head = (title, number) => html("th", {scope: "col", class: number ? "number" : null}, title);
        const titles = view.one ? ["owner", "retained", "objects", "own bytes"]
            : ["owner", "Δretained", "retained", "objects", "own bytes"];
        this.table = html("table", {role: "treegrid", "aria-label": "ownership tree",
            onkeydown: (e) => this.key(e)},
            html("thead", {}, html("tr", {role: "row"}, titles.map((t, i) => head(t, i > 0)))), this.body);
        this.part = html("details", {class: "grid-part", ontoggle: () => this.draw()},
            html("summary", {}, "As a table"),
            html("div", {class: "grid-scroll", tabindex: "0", role: "group", "aria-label": "ownership tree as a table"}, this.table));
        this.openFirst();
    }

    /* The first levels, and the way to every suspect. */
    openFirst() {
        for (const n of this.view.nodes) {
            if (n.depth < 1) this.open.add(n);
            if (n.suspect) for (let up = n.parent; up; up = up.parent) this.open.add(up);
        }
    }

    shown() {
        const rows = [], left = [this.view.nodes[0]];
        while (left.length) {
            const node = left.pop();
            rows.push(node);
            if (this.open.has(node)) left.push(...node.children.slice().reverse());
        }
        return rows;
    }

    draw() {
        if (!this.part.open) return;
        this.rows = this.shown();
        if (!this.rows.includes(this.current)) this.current = this.rows[0];
        this.body.replaceChildren(...this.rows.map((node) => this.drawRow(node)));
    }

    drawRow(node) {
        const open = this.open.has(node), leaf = node.children.length === 0;
        const whole = this.view.nodes[0];
        const fold = leaf ? html("span", {class: "fold", "aria-hidden": "true"}, "·")
            : html("button", {type: "button", class: "fold", tabindex: "-1", "aria-label": open ? "close" : "open",
                onclick: () => this.toggle(node)}, open ? "▾" : "▸");
        const owner = html("span", {}, fold, html("bdi", {}, fullLabel(node)),
            node.suspect ? html("a", {class: "mark bad", href: "#suspect-" + node.suspect, tabindex: "-1"}, `◀ suspect ${node.suspect}`) : null);
        owner.style.paddingLeft = Math.min(node.depth, 24) * 0.9 + "em";
        const cells = [size(node.retained), count(node.objects), size(node.own)];
        if (!this.view.one) cells.unshift(signed(size, node.growth));
        const row = html("tr", {role: "row", "aria-level": node.depth + 1, "aria-expanded": leaf ? null : String(open),
            tabindex: node === this.current ? "0" : "-1", "data-index": node.index,
            class: this.view.hits && this.view.hits.has(node) ? "hit" : null},
            html("td", {role: "gridcell", class: "owner"}, owner),
            cells.map((c, i) => html("td", {role: "gridcell", class: "number" + (i === cells.length - 3 ? " bar-cell" : "")}, c)));
        row.querySelector(".bar-cell").style.setProperty("--much", whole.retained > 0 ? ((100 * node.retained) / whole.retained).toFixed(1) : 0);
        return row;
    }

    toggle(node, way) {
        const open = way ?? !this.open.has(node);
        if (open) this.open.add(node);
        else this.open.delete(node);
        this.current = node;
        this.draw();
        this.focus();
    }

    focus() {
        const row = this.body.querySelector(`[data-index="${this.current.index}"]`);
        for (const other of this.body.rows) other.tabIndex = other === row ? 0 : -1;
        row.focus();
        row.scrollIntoView({block: "nearest"});
    }

    key(event) {
        const node = this.current, i = this.rows.indexOf(node), open = this.open.has(node);
        const go = (n) => { if (n) { this.current = n; this.focus(); } };
        const ways = {
            ArrowDown: () => go(this.rows[i + 1]), ArrowUp: () => go(this.rows[i - 1]),
            Home: () => go(this.rows[0]), End: () => go(last(this.rows)),
            ArrowRight: () => (node.children.length && !open ? this.toggle(node, true) : go(open ? this.rows[i + 1] : null)),
            ArrowLeft: () => (open && node.children.length ? this.toggle(node, false) : go(node.parent)),
            Enter: () => node.children.length && this.toggle(node)};
        if (!ways[event.key]) return;
        event.preventDefault();
        ways[event.key]();
    }
}

/* --- both, and what steers them ------------------------------------------------------- */

class TreeView {
    constructor(packed) {
        this.packed = packed;
        this.nodes = unpackTree(packed);
        this.one = packed.snapshots.length === 1;
        this.focus = this.nodes[0];
        this.hits = null;
        this.byGrowth = false;
        this.mostGrowth = d3.max(this.nodes.slice(1), (n) => Math.abs(n.growth)) || 1;
        this.path = html("ol", {class: "path", "aria-label": "zoomed into"});
        this.found = html("span", {class: "found", role: "status"});
        this.icicle = new Icicle(this);
        this.table = new OwnerTable(this);
    }

    /* All that is known of a node. */
    tell(node) {
        const whole = this.nodes[0];
        const rows = [["retained", `${size(node.retained)}, ${percent(node.retained / (whole.retained || 1))}`],
            ["objects", count(node.objects)], ["own", `${count(node.ownCount)} objects, ${size(node.own)}`]];
        if (!this.one)
            rows.splice(1, 0, ["growth", signed(size, node.growth)],
                ["first snapshot", `${size(node.before)}, ${count(node.objectsBefore)} objects`]);
        if (node.suspect) rows.push(["suspect", String(node.suspect)]);
        return rows;
    }

    controls() {
        this.field = html("input", {type: "search", placeholder: "search, e.g. Session", "aria-label": "search the tree",
            title: "In quotes it is the whole name: \"System.String\"", oninput: () => {
                this.search(this.field.value);
                this.draw();
                this.keep("find");
            }});
        const choice = (title, byGrowth) => html("label", {}, html("input", {type: "radio", name: "width",
            checked: byGrowth === this.byGrowth, value: title, onchange: () => {
                this.byGrowth = byGrowth;
                this.draw();
                this.keep();
            }}), title);
        this.width = this.one ? null : html("fieldset", {}, html("legend", {}, "width:"),
            choice("retained", false), choice("growth", true));
        const scale = this.one ? null : html("span", {class: "scale"}, "shrank", html("i", {}), "grew");
        return html("div", {class: "controls"}, this.field, this.found, this.width, scale);
    }

    /* Every place whose name has the words; in quotes whose name they are. */
    search(text) {
        const words = text.toLowerCase().trim(), whole = /^"(.+)"$/.exec(words);
        const fits = whole ? (n) => namesOf(n).some((name) => name.toLowerCase() === whole[1])
            : (n) => n.name.toLowerCase().includes(words);
        this.hits = words ? new Set(this.nodes.filter(fits)) : null;
    }

    /* --- in the address */

    keep(field) {
        remember("memory", {zoom: this.focus.index ? String(this.focus.index) : null,
            find: this.field.value, width: this.byGrowth ? "growth" : null}, field);
    }

    /* What somebody else wrote into the address may be anything. */
    show(values) {
        const at = values.get("zoom");
        const zoom = (/^\d{1,9}$/.test(at ?? "") && this.nodes[Number(at)]) || this.nodes[0];
        if (zoom !== this.focus) this.icicle.current = zoom.index;
        this.focus = zoom;
        this.field.value = values.get("find") ?? "";
        this.byGrowth = !this.one && values.get("width") === "growth";
        if (this.width) this.width.querySelector(`[value=${this.byGrowth ? "growth" : "retained"}]`).checked = true;
        this.search(this.field.value);
        this.draw();
    }

    /* To the largest place that was found: into view, and with the focus on it. */
    reveal() {
        const first = d3.greatest(this.hits || [], (n) => n.retained);
        if (!first) return false;
        if (!this.icicle.at.has(first.index) && first.parent) {
            this.focus = first.parent;
            this.draw();
            remember("memory", {zoom: String(first.parent.index)}, "find");
        }
        if (!this.icicle.at.has(first.index)) return false;
        this.icicle.rove(first.index, true);
        return true;
    }

    /* Those that are shown below the zoom, and their share of it; of those within each other the
     * outer one counts. */
    sayFound() {
        let sum = 0, places = 0;
        for (const node of this.hits || []) {
            let up = node, outer = true;
            while (up && up !== this.focus) {
                up = up.parent;
                outer &&= !this.hits.has(up);
            }
            if (!up) continue;
            places++;
            if (outer) sum += node.retained;
        }
        const zoomed = this.focus !== this.nodes[0];
        const some = (n) => `${count(n)} ${n === 1 ? "place" : "places"}`;
        this.found.textContent = !this.hits ? "" : this.hits.size === 0 ? "nowhere"
            : places === 0 ? `not below here; ${some(this.hits.size)} elsewhere`
            : `${some(places)}: ${size(sum)}, ${percent(sum / (this.focus.retained || 1))}` +
                (zoomed ? " of what is shown" : "");
    }

    zoom(node, focus) {
        this.focus = node;
        this.icicle.current = node.index;
        this.icicle.box.scrollTop = 0;
        this.draw();
        this.keep();
        if (focus) this.icicle.rove(node.index, true);
    }

    draw() {
        this.path.replaceChildren(...trail(this.focus).map((n) => html("li", {},
            n === this.focus ? html("span", {"aria-current": "true"}, shortLabel(n))
                : html("button", {type: "button", onclick: () => this.zoom(n)}, shortLabel(n)))));
        this.icicle.draw();
        this.table.draw();
        this.sayFound();
    }
}

function ownershipTree(before) {
    const packed = data("tree-data");
    if (!packed || packed.nodes.length === 0) return null;
    const old = document.getElementById("where-the-memory-is");
    const part = section("memory", "Where the memory is", before);
    if (old) old.classList.add("static-tree");
    const view = new TreeView(packed);
    part.append(html("p", {class: "note"}, view.one
        ? "Each box is what keeps the boxes below it alive, as wide as all that it retains; the stronger its " +
          "colour, the more of that is its own."
        : "Each box is what keeps the boxes below it alive; its colour says how much of it grew."),
        view.controls(), view.path, view.icicle.frame, view.table.part);
    view.draw();
    viewers.push((values) => view.show(values));
    part.addEventListener("arrive", (e) => { if (e.detail && view.reveal()) e.preventDefault(); });
    let width = view.icicle.box.clientWidth;
    new ResizeObserver(() => {
        if (view.icicle.box.clientWidth === width) return;
        width = view.icicle.box.clientWidth;
        view.icicle.draw();
    }).observe(view.icicle.box);
    return view;
}
