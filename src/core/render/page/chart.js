"use strict";
/* The heap over time: bands that add up to it, with their names on them, and its objects; and
 * the process, in the bands of its parts. */

const MAX_BANDS = 6;

/* --- what is drawn ----------------------------------------------------------- */

/* Where each snapshot is: by time, by iterations, or by number, as the ranking has it. */
function axis(report) {
    const times = report.snapshots.map((s) => (s.time ? Date.parse(s.time + "Z") : NaN));
    if (report.iterations) return {title: "iterations", at: report.iterations, scale: d3.scaleLinear};
    if (times.every((t, k) => known(t) && (k === 0 || t > times[k - 1])))
        return {title: "time", at: times, scale: d3.scaleUtc};
    return {title: "snapshot", at: times.map((_, k) => k), scale: d3.scaleLinear, whole: true};
}

/* A band per suspect, of what is its own: suspects lie within each other, and bands must not
 * overlap. With what is left they add up to the heap. Only snapshots in which all are known. */
function bands(report) {
    const parts = report.growth && report.growth.parts;
    const all = report.suspects.map((s) => (parts ? s.own_bytes : s.bytes));
    const named = all.slice(0, MAX_BANDS);
    const rows = [];
    report.totals.bytes.forEach((heap, k) => {
        if (!known(heap) || !all.every((v) => known(v[k])) || (parts && !known(parts.rest[k]))) return;
        const row = {k, total: heap};
        const told = d3.sum(named, (v) => v[k]);
        named.forEach((v, i) => { row["s" + i] = v[k]; });
        row.others = parts ? parts.suspects[k] - told : d3.sum(all.slice(MAX_BANDS), (v) => v[k]);
        row.pools = parts ? parts.pools[k] : 0;
        row.rest = parts ? parts.rest[k] : heap - told - row.others;
        row.unreachable = heap - told - row.others - row.pools - row.rest;
        rows.push(row);
    });
    const some = Object.keys(BANDS).filter((key) => rows.some((r) => r[key] > 0));
    return {rows, keys: [...named.map((_, i) => "s" + i), ...some]};
}

/* From above to below, after those of suspects. */
const BANDS = {others: "other suspects", pools: "pools and threads", rest: "rest", unreachable: "not reachable"};
const bandClass = (key) => "band-" + (key in BANDS ? key : Number(key.slice(1)) + 1);

function cardTitle(rank) {
    const card = document.querySelector(`#suspect-${rank} h3, #suspect-${rank} th > .name`);
    return card ? card.textContent : "suspect " + rank;
}

/* Of two suspects of one name each has its rank. */
function bandName(report, key) {
    if (key === "rest" && !report.suspects.length) return "heap";
    if (key in BANDS) return BANDS[key];
    const names = report.suspects.slice(0, MAX_BANDS).map((s) => brief(cardTitle(s.rank)));
    const i = Number(key.slice(1));
    return names.indexOf(names[i]) === names.lastIndexOf(names[i]) ? names[i] : `${report.suspects[i].rank} ${names[i]}`;
}

/* Bands that add up to a whole: per snapshot the total and a number per key; of each key its
 * name and its class; and counts that go along with it. */
function heapBands(report) {
    return {whole: "heap", ...bands(report), name: (key) => bandName(report, key), look: bandClass,
        counts: [["objects", report.totals.objects]]};
}

/* From above to below. The part that keeps growing has the colour of the first suspect. */
const PARTS = {
    native: ["native memory", "band-2"], files: ["mapped files", "band-5"], stacks: ["stacks of threads", "band-3"],
    code: ["compiled code", "band-others"], collector: ["kept by the collector", "band-unreachable"],
    free: ["free between objects", "band-pools"], objects: ["objects", "band-rest"]};

/* Only snapshots whose size is known. A part that is unknown has no band: native memory or the
 * collector's part contains it. */
function processBands(report) {
    const {size: sizes = [], parts: all, threads = [], where} = report.process || {};
    const rows = sizes.map((total, k) => ({k, total})).filter((r) => known(r.total));
    const keys = Object.keys(PARTS).filter((key) => rows.some((r) => all[key][r.k] > 0));
    for (const r of rows) for (const key of keys) r[key] = all[key][r.k];
    return {whole: "process", rows, keys, name: (key) => PARTS[key][0],
        look: (key) => (key === where ? "band-1" : PARTS[key][1]),
        counts: threads.some(known) ? [["threads", threads]] : []};
}

/* --- axes -------------------------------------------------------------------- */

/* Of a font of 12 pixels; a little more than it takes. */
const LETTER = 7;
const textWidth = (text) => LETTER * text.length;

/* Powers of two: 512 KiB, 1 MiB, 1.5 MiB. Five lines at most above zero. */
function sizeTicks(limit) {
    let step = 1;
    while (limit / step > 5) step *= 2;
    return d3.range(0, limit + 1, step).filter((t) => t <= limit);
}

/* As size() has it, but for zeros that say nothing on an axis: 1.50 MiB is 1.5 MiB, and
 * 1000 KiB would be 0.98 MiB. */
const tickText = (t) => size(t).replace(/(\.\d*?)0+ /, "$1 ").replace(/\. /, " ");

/* A time as exactly as the series is long; never within a second. */
function clock(at) {
    const hours = (last(at) - at[0]) / 3.6e6;
    return d3.utcFormat(hours < 1 ? "%H:%M:%S" : hours < 20 ? "%H:%M" : hours < 480 ? "%m-%d %H:%M" : "%Y-%m-%d");
}

/* Rows of several charts that have one axis, each snapshot once. */
function together(...lists) {
    const all = new Map(lists.flat().map((r) => [r.k, r]));
    return [...all.values()].sort((a, b) => a.k - b.k);
}

/* The first and the last snapshot, and between them what has room. */
function timeTicks(x, how, rows, width) {
    const text = how.whole ? (t) => count(t + 1) : how.title === "time" ? clock(how.at) : count;
    const ends = [how.at[rows[0].k], how.at[last(rows).k]];
    const [low, high] = x.range();
    const part = (t) => {
        const wide = textWidth(text(t)), at = x(t);
        const anchor = at + wide / 2 > width ? "end" : "middle";
        const begin = anchor === "end" ? at - wide : at - wide / 2;
        return {t: Number(t), at, text: text(t), anchor, begin, end: begin + wide};
    };
    const taken = ends.map(part);
    if (taken[0].end + LETTER > taken[1].begin) return taken.slice(1);
    const most = Math.max(2, Math.floor((high - low) / (textWidth(text(ends[1])) + 3 * LETTER)));
    for (const t of x.ticks(how.whole ? Math.min(most, how.at.length - 1) : most)) {
        if (how.title === "time" ? t % 1000 !== 0 : !Number.isInteger(Number(t))) continue;
        const next = part(t);
        if (taken.every((other) => next.end + LETTER < other.begin || next.begin > other.end + LETTER))
            taken.push(next);
    }
    return taken;
}

function drawAxis(x, how, rows, width, height) {
    return timeTicks(x, how, rows, width).map((tick) => [
        svg("line", {x1: tick.at, x2: tick.at, y1: height, y2: height + 4, class: "grid"}),
        svg("text", {class: "tick", x: tick.at, y: height + 19, "text-anchor": tick.anchor}, tick.text)]);
}

/* --- names on bands ------------------------------------------------------------ */

/* From this width on the chart has a column for names; it is so wide at most. */
const ROOM_FOR_NAMES = 640;
const NAMES = 224;
const NAME_LINE = 16;

/* In pixels of CSS, of the narrower of A4 and Letter. */
const PAPER = 700;

function cutName(name, most) {
    return name.length <= most ? name : most < 2 ? "" : name.slice(0, most - 1) + "…";
}

/* Beside the end of each band; where bands are thin the names move apart. */
function namesBeside(what, layers, y, right, low, high) {
    const all = layers.map((layer) => {
        const [a, b] = last(layer);
        return {key: layer.key, wanted: (y(a) + y(b)) / 2, bytes: b - a};
    }).filter((n) => n.bytes > 0).sort((a, b) => a.wanted - b.wanted);
    let free = high;
    for (const n of all) {
        n.at = Math.max(n.wanted, free + NAME_LINE / 2);
        free = n.at + NAME_LINE / 2;
    }
    free = low;
    for (const n of all.slice().reverse()) {
        n.at = Math.min(n.at, free - NAME_LINE / 2);
        free = n.at - NAME_LINE / 2;
    }
    const letters = Math.floor((NAMES - 30) / LETTER);
    return all.map((n) => {
        const told = size(n.bytes);
        return [
            svg("path", {class: "lead", d: `M${right + 1},${n.wanted}L${right + 9},${n.at}h4`}),
            svg("rect", {class: what.look(n.key), x: right + 15, y: n.at - 5, width: 10, height: 10, rx: 2}),
            svg("text", {class: "band-name", x: right + 30, y: n.at + 4},
                cutName(what.name(n.key), letters - told.length - 1) + " " + told)];
    });
}

/* On the band, where it is thickest, if it is thick enough there; else the legend has it. */
function namesWithin(what, layers, x, y, how) {
    const at = what.rows.map((r) => x(how.at[r.k]));
    const edge = (layer, px, side) => {
        const i = Math.min(at.length - 2, Math.max(0, d3.bisectRight(at, px) - 1));
        const part = (px - at[i]) / (at[i + 1] - at[i] || 1);
        return y(layer[i][side] + part * (layer[i + 1][side] - layer[i][side]));
    };
    return layers.map((layer) => {
        const name = what.name(layer.key), half = textWidth(name) / 2 + 2;
        let best = null;
        for (let k = 0; k <= 24; k++) {
            const middle = at[0] + half + (k / 24) * (last(at) - at[0] - 2 * half);
            if (middle - half < at[0] - 0.5) break;
            const places = [middle - half, middle - half / 2, middle, middle + half / 2, middle + half];
            const top = Math.max(...places.map((px) => edge(layer, px, 1)));
            const bottom = Math.min(...places.map((px) => edge(layer, px, 0)));
            if (!best || bottom - top > best.room) best = {room: bottom - top, x: middle, y: (top + bottom) / 2};
        }
        return best && best.room >= NAME_LINE
            ? svg("text", {class: "band-name within", x: best.x, y: best.y + 4, "text-anchor": "middle"}, name) : null;
    });
}

/* --- charts ---------------------------------------------------------------------- */

const edges = (width) => ({left: 64, right: width >= ROOM_FOR_NAMES ? NAMES : 12, top: 10, bottom: 26});

/* shown: the rows that the axis is of. */
function areaChart(what, how, width, shown) {
    const {rows, keys} = what;
    const edge = edges(width), beside = width >= ROOM_FOR_NAMES;
    const height = beside ? 240 : 200, inner = height - edge.bottom;
    const x = how.scale(d3.extent(shown, (r) => how.at[r.k]), [edge.left, width - edge.right]);
    const top = d3.max(rows, (r) => r.total) || 1;
    const y = d3.scaleLinear([0, top * 1.03], [inner, edge.top]);
    const area = d3.area().x((d) => x(how.at[d.data.k])).y0((d) => y(d[0])).y1((d) => y(d[1]));
    const layers = d3.stack().keys(keys.slice().reverse())(rows);
    const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true"},
        sizeTicks(top * 1.03).map((t) => [
            svg("line", {x1: edge.left, x2: width - edge.right, y1: y(t), y2: y(t), class: "grid"}),
            svg("text", {class: "tick", x: edge.left - 8, y: y(t) + 4, "text-anchor": "end"}, tickText(t))]),
        layers.map((layer) => svg("path", {class: what.look(layer.key), d: area(layer)})),
        beside ? namesBeside(what, layers, y, width - edge.right, inner, edge.top)
            : namesWithin(what, layers, x, y, how),
        drawAxis(x, how, shown, width, inner));
    return {picture, x, low: inner};
}

function lineChart(report, how, width, others) {
    const rows = report.totals.objects.map((n, k) => ({n, k})).filter((r) => known(r.n));
    const edge = edges(width), shown = together(rows, others);
    const height = 110, inner = height - edge.bottom;
    const x = how.scale(d3.extent(shown, (r) => how.at[r.k]), [edge.left, width - edge.right]);
    const y = d3.scaleLinear([0, (d3.max(rows, (r) => r.n) || 1) * 1.05], [inner, edge.top]);
    const line = d3.line().x((r) => x(how.at[r.k])).y((r) => y(r.n));
    return svg("svg", {viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true"},
        y.ticks(3).map((t) => [
            svg("line", {x1: edge.left, x2: width - edge.right, y1: y(t), y2: y(t), class: "grid"}),
            svg("text", {class: "tick", x: edge.left - 8, y: y(t) + 4, "text-anchor": "end"}, d3.format("~s")(t))]),
        svg("path", {class: "line", d: line(rows)}),
        rows.map((r) => svg("circle", {class: "dot", r: 2.5, cx: x(how.at[r.k]), cy: y(r.n)})),
        drawAxis(x, how, shown, width, inner));
}

/* The numbers of the chart, for who cannot see it or wants them. */
function numbersTable(report, what, how) {
    const name = (r) => snapshotName(report, how, r.k);
    return html("details", {class: "numbers-of"}, html("summary", {}, "Numbers per snapshot"),
        html("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": what.whole + " over time"},
            html("table", {},
                html("thead", {}, html("tr", {}, html("th", {scope: "col"}, how.title),
                    what.counts.map(([title]) => html("th", {scope: "col", class: "number"}, title)),
                    html("th", {scope: "col", class: "number"}, what.whole),
                    what.keys.map((key) => html("th", {scope: "col", class: "number"}, what.name(key))))),
                html("tbody", {}, what.rows.map((r) => html("tr", {},
                    html("th", {scope: "row"}, name(r)),
                    what.counts.map(([, at]) => html("td", {class: "number"}, count(at[r.k]))),
                    html("td", {class: "number"}, size(r.total)),
                    what.keys.map((key) => html("td", {class: "number"}, size(r[key])))))))));
}

function snapshotName(report, how, k) {
    if (how.title === "time") return report.snapshots[k].time.replace("T", " ").replace(/\.\d+$/, "");
    return how.title === "iterations" ? count(how.at[k]) + " iterations" : "snapshot " + (k + 1);
}

/* What is pointed at, by pointer or by arrow keys: the snapshot nearest to it. */
function watchChart(box, report, what, how, state) {
    const tip = html("div", {class: "tip", hidden: true, role: "status"});
    const rule = svg("line", {class: "rule", y1: 10});
    let at = -1;
    const show = (i) => {
        const {chart} = state;
        at = Math.max(0, Math.min(what.rows.length - 1, i));
        const row = what.rows[at], x = chart.x(how.at[row.k]);
        rule.setAttribute("x1", x);
        rule.setAttribute("x2", x);
        rule.setAttribute("y2", chart.low);
        chart.picture.append(rule);
        fill(tip, snapshotName(report, how, row.k), [
            [what.whole, size(row.total)], ...what.counts.map(([title, all]) => [title, count(all[row.k])]),
            ...what.keys.map((key) => [what.name(key), size(row[key])])]);
        place(tip, x + 14, 12);
    };
    const hide = () => { tip.hidden = true; rule.remove(); };
    box.append(tip);
    box.addEventListener("pointermove", (e) => {
        const x = e.clientX - box.getBoundingClientRect().left;
        show(d3.scan(what.rows.map((r) => Math.abs(state.chart.x(how.at[r.k]) - x))));
    });
    box.addEventListener("pointerleave", hide);
    box.addEventListener("blur", hide);
    box.addEventListener("keydown", (e) => {
        if (e.key === "ArrowRight") show(at + 1);
        else if (e.key === "ArrowLeft") show(at < 0 ? Infinity : at - 1);
        else if (e.key === "Escape") hide();
        else return;
        e.preventDefault();
    });
}

/* A section with a chart of bands, its legend and its numbers; below the chart what `more` draws
 * at the same width. */
function bandSection(id, title, before, {report, what, how, shown, more = () => {}}) {
    const state = {}, first = what.rows[0], end = last(what.rows);
    const part = section(id, title, before);
    const box = html("div", {class: "chart", tabindex: "0", role: "group",
        "aria-label": `The ${what.whole} from ${size(first.total)} to ${size(end.total)}, by ${how.title}; ` +
            "arrow keys go through the snapshots"});
    const legend = html("ul", {class: "legend"});
    part.append(box, legend);
    const draw = (width = Math.max(280, box.clientWidth)) => {
        const old = state.chart;
        state.chart = areaChart(what, how, width, shown);
        if (old) old.picture.replaceWith(state.chart.picture);
        else box.prepend(state.chart.picture);
        more(part, width);
    };
    draw();
    legend.append(...what.keys.map((key) => html("li", {},
        html("span", {class: "swatch " + what.look(key)}), html("bdi", {}, what.name(key)),
        ` ${size(first[key])} → ${size(end[key])}`)));
    part.append(numbersTable(report, what, how));
    watchChart(box, report, what, how, state);
    let width = box.clientWidth;
    new ResizeObserver(() => {
        if (box.clientWidth === width) return;
        width = box.clientWidth;
        draw();
    }).observe(box);
    /* As wide as paper, so that letters are as large as those beside it. */
    window.addEventListener("beforeprint", () => draw(PAPER));
    window.addEventListener("afterprint", () => draw());
    return legend;
}

/* The heap, its objects below it, and the process, all by one axis. */
function overTime(report, before) {
    const how = axis(report), heap = heapBands(report), process = processBands(report);
    const shown = together(heap.rows, process.rows);
    if (heap.rows.length > 1) {
        const objects = html("div", {class: "chart"});
        const legend = bandSection("over-time", "Heap over time", before, {report, what: heap, how, shown,
            more: (part, width) => {
                if (!objects.parentNode) part.append(html("p", {class: "note"}, "objects"), objects);
                objects.replaceChildren(lineChart(report, how, width, process.rows));
            }});
        if (report.suspects.some((s) => s.own_bytes && s.retained && last(s.own_bytes) < last(s.retained)))
            legend.after(html("p", {class: "note"}, "A suspect inside another one is counted once, in its own band."));
    }
    if (process.rows.length > 1)
        bandSection("process-over-time", "Process over time", before, {report, what: process, how, shown});
}
