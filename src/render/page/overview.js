"use strict";
/* The heap over time, and what a card has beside its words. */

const MOST_BANDS = 6;

/* --- over time --------------------------------------------------------------- */

/* Where each snapshot stands: by time, by iterations, or by number, as the ranking has it. */
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
    const named = all.slice(0, MOST_BANDS);
    const rows = [];
    report.totals.bytes.forEach((heap, k) => {
        if (!known(heap) || !all.every((v) => known(v[k])) || (parts && !known(parts.rest[k]))) return;
        const row = {k, total: heap};
        const told = d3.sum(named, (v) => v[k]);
        named.forEach((v, i) => { row["s" + i] = v[k]; });
        row.others = parts ? parts.suspects[k] - told : d3.sum(all.slice(MOST_BANDS), (v) => v[k]);
        row.pools = parts ? parts.pools[k] : 0;
        row.rest = parts ? parts.rest[k] : heap - told - row.others;
        row.unreachable = heap - told - row.others - row.pools - row.rest;
        rows.push(row);
    });
    const some = ["others", "pools"].filter((key) => rows.some((r) => r[key] > 0));
    const keys = [...named.map((_, i) => "s" + i), ...some, "rest"];
    return {rows, keys: rows.some((r) => r.unreachable > 0) ? [...keys, "unreachable"] : keys};
}

const BANDS = {rest: "rest", others: "other suspects", pools: "pools and threads", unreachable: "not reachable"};
const bandClass = (key) => "band-" + (key in BANDS ? key : Number(key.slice(1)) + 1);

function cardTitle(rank) {
    const card = document.querySelector(`.card[data-rank="${rank}"] h3`);
    return card ? card.textContent : "suspect " + rank;
}

function bandName(report, key) {
    if (key === "rest" && !report.suspects.length) return "heap";
    return BANDS[key] || brief(cardTitle(report.suspects[Number(key.slice(1))].rank));
}

function tickSize(limit) {
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500];
    let unit = 1;
    while (unit * 1024 <= limit) unit *= 1024;
    if (limit / unit < 2 && unit > 1) unit /= 1024;
    const step = steps.find((s) => limit / unit / s <= 5) || 1000;
    return d3.range(0, limit + 1, step * unit).filter((t) => t <= limit);
}

/* A time as exactly as the series is long; never within a second. */
function clock(at) {
    const hours = (last(at) - at[0]) / 3.6e6;
    return d3.utcFormat(hours < 1 ? "%H:%M:%S" : hours < 20 ? "%H:%M" : hours < 480 ? "%m-%d %H:%M" : "%Y-%m-%d");
}

function drawAxis(x, how, width, height) {
    const most = Math.max(2, Math.floor(width / 110));
    const ticks = x.ticks(how.whole ? Math.min(most, how.at.length - 1) : most)
        .filter((t) => (how.title === "time" ? t % 1000 === 0 : Number.isInteger(t)));
    const text = how.whole ? (t) => count(t + 1) : how.title === "time" ? clock(how.at) : count;
    return ticks.map((t) => [
        svg("line", {x1: x(t), x2: x(t), y1: height, y2: height + 4, class: "grid"}),
        svg("text", {x: x(t), y: height + 17, "text-anchor": x(t) > width - 40 ? "end" : "middle"}, text(t))]);
}

function areaChart(report, how, width) {
    const {rows, keys} = bands(report);
    const edge = {left: 64, right: 12, top: 10, bottom: 24};
    const height = 230, inner = height - edge.bottom;
    const x = how.scale(d3.extent(rows, (r) => how.at[r.k]), [edge.left, width - edge.right]);
    const top = d3.max(rows, (r) => r.total) || 1;
    const y = d3.scaleLinear([0, top * 1.03], [inner, edge.top]);
    const area = d3.area().x((d) => x(how.at[d.data.k])).y0((d) => y(d[0])).y1((d) => y(d[1]));
    const layers = d3.stack().keys(keys.slice().reverse())(rows);
    const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true"},
        tickSize(top * 1.03).map((t) => [
            svg("line", {x1: edge.left, x2: width - edge.right, y1: y(t), y2: y(t), class: "grid"}),
            svg("text", {x: edge.left - 8, y: y(t) + 4, "text-anchor": "end"}, size(t))]),
        layers.map((layer) => svg("path", {class: bandClass(layer.key), d: area(layer)})),
        drawAxis(x, how, width, inner));
    return {picture, x, rows, keys, height};
}

function lineChart(report, how, width) {
    const rows = report.totals.objects.map((n, k) => ({n, k})).filter((r) => known(r.n));
    const edge = {left: 64, right: 12, top: 10, bottom: 24};
    const height = 110, inner = height - edge.bottom;
    const x = how.scale(d3.extent(rows, (r) => how.at[r.k]), [edge.left, width - edge.right]);
    const y = d3.scaleLinear([0, (d3.max(rows, (r) => r.n) || 1) * 1.05], [inner, edge.top]);
    const line = d3.line().x((r) => x(how.at[r.k])).y((r) => y(r.n));
    return svg("svg", {viewBox: `0 0 ${width} ${height}`, height, "aria-hidden": "true"},
        y.ticks(3).map((t) => [
            svg("line", {x1: edge.left, x2: width - edge.right, y1: y(t), y2: y(t), class: "grid"}),
            svg("text", {x: edge.left - 8, y: y(t) + 4, "text-anchor": "end"}, d3.format("~s")(t))]),
        svg("path", {class: "line", d: line(rows)}),
        rows.map((r) => svg("circle", {class: "dot", r: 2.5, cx: x(how.at[r.k]), cy: y(r.n)})),
        drawAxis(x, how, width, inner));
}

/* The numbers of the chart, for who cannot see it or wants them. */
function numbersTable(report, chart, how) {
    const name = (r) => snapshotName(report, how, r.k);
    return html("details", {}, html("summary", {}, "the numbers"),
        html("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "heap over time"},
            html("table", {},
                html("thead", {}, html("tr", {}, html("th", {scope: "col"}, how.title),
                    html("th", {scope: "col", class: "number"}, "objects"),
                    html("th", {scope: "col", class: "number"}, "heap"),
                    chart.keys.map((key) => html("th", {scope: "col", class: "number"}, bandName(report, key))))),
                html("tbody", {}, chart.rows.map((r) => html("tr", {},
                    html("th", {scope: "row"}, name(r)),
                    html("td", {class: "number"}, count(report.totals.objects[r.k])),
                    html("td", {class: "number"}, size(r.total)),
                    chart.keys.map((key) => html("td", {class: "number"}, size(r[key])))))))));
}

function snapshotName(report, how, k) {
    if (how.title === "time") return report.snapshots[k].time.replace("T", " ").replace(/\.\d+$/, "");
    return how.title === "iterations" ? count(how.at[k]) + " iterations" : "snapshot " + (k + 1);
}

/* What is pointed at, by pointer or by arrow keys: the snapshot nearest to it. */
function watchChart(box, report, how, state) {
    const tip = html("div", {class: "tip", hidden: true, role: "status"});
    const rule = svg("line", {class: "rule", y1: 10, y2: 206});
    let at = -1;
    const show = (i) => {
        const {chart} = state;
        at = Math.max(0, Math.min(chart.rows.length - 1, i));
        const row = chart.rows[at], x = chart.x(how.at[row.k]);
        rule.setAttribute("x1", x);
        rule.setAttribute("x2", x);
        chart.picture.append(rule);
        fill(tip, snapshotName(report, how, row.k), [
            ["heap", size(row.total)], ["objects", count(report.totals.objects[row.k])],
            ...chart.keys.map((key) => [bandName(report, key), size(row[key])])]);
        place(tip, x + 14, 12);
    };
    const hide = () => { tip.hidden = true; rule.remove(); };
    box.append(tip);
    box.addEventListener("pointermove", (e) => {
        const x = e.clientX - box.getBoundingClientRect().left;
        show(d3.scan(state.chart.rows.map((r) => Math.abs(state.chart.x(how.at[r.k]) - x))));
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

function overTime(report, before) {
    const how = axis(report), state = {};
    const first = bands(report).rows;
    if (first.length < 2) return;
    const part = section("over-time", "Heap over time", before);
    const box = html("div", {class: "chart", tabindex: "0", role: "group",
        "aria-label": `The heap from ${size(first[0].total)} to ${size(last(first).total)}, by ${how.title}; ` +
            "arrow keys tell each snapshot"});
    const objects = html("div", {class: "chart"});
    const legend = html("ul", {class: "legend"});
    part.append(legend, box, html("p", {class: "note"}, "objects"), objects);
    const draw = () => {
        const width = Math.max(280, box.clientWidth);
        const old = state.chart;
        state.chart = areaChart(report, how, width);
        if (old) old.picture.replaceWith(state.chart.picture);
        else box.prepend(state.chart.picture);
        objects.replaceChildren(lineChart(report, how, width));
    };
    draw();
    legend.append(...state.chart.keys.map((key) => html("li", {},
        html("span", {class: "swatch " + bandClass(key)}), html("bdi", {}, bandName(report, key)),
        ` ${size(first[0][key])} → ${size(last(first)[key])}`)));
    if (report.suspects.some((s) => s.own_bytes && s.retained && last(s.own_bytes) < last(s.retained)))
        legend.after(html("p", {class: "note"}, "A suspect within another one is counted once, in its own band."));
    part.append(numbersTable(report, state.chart, how));
    watchChart(box, report, how, state);
    let width = box.clientWidth;
    new ResizeObserver(() => {
        if (box.clientWidth === width) return;
        width = box.clientWidth;
        draw();
    }).observe(box);
}

/* --- cards ------------------------------------------------------------------- */

const MANY_BARS = 8;

// The counts that tell why it is a suspect: of the whole heap or, where these tell another story,
// of the places that hold it. As hd_suspect_counts() has it.
function toldCounts(suspect) {
    const ranked = (suspect.held ?? []).map((n, k) => k).filter((k) => known(suspect.held[k]));
    if (!ranked.length) return suspect.count;
    const growth = (values) => values[ranked.at(-1)] - values[ranked[0]];
    const isGrowthOf = (part, all) => (all > 0 ? part > all / 2 : all === part);
    const here = growth(suspect.held), whole = growth(suspect.count);
    return here > 0 && (!isGrowthOf(here, whole) || !isGrowthOf(whole, here)) ? suspect.held : suspect.count;
}

function bars(values) {
    const most = Math.max(1, ...values.filter(known));
    const all = values.map((n, k) => {
        const bar = html("i", {});
        bar.style.height = known(n) ? `${(70 * n) / most}%` : "0";
        return html("div", {title: `snapshot ${k + 1}: ${count(n)}`},
            html("span", {class: "value"}, count(n)), bar, html("span", {class: "label"}, String(k + 1)));
    });
    return html("div", {class: values.length > MANY_BARS ? "bars many" : "bars", role: "img",
        "aria-label": "objects per snapshot: " + values.map(count).join(", ")}, all);
}

const fullName = (frame) =>
    Array.from(frame.childNodes, (n) =>
        n.querySelector && n.querySelector(".full") ? n.querySelector(".full").textContent : n.textContent)
        .join("").trim();

function chainTools(held) {
    const toggle = html("button", {type: "button", "aria-pressed": "false", onclick: () => {
        const full = held.classList.toggle("in-full");
        toggle.setAttribute("aria-pressed", String(full));
    }}, "full names");
    const title = held.querySelector("h4");
    title.append(html("span", {class: "chain-tools"}, toggle));
    for (const chain of held.querySelectorAll(".chain")) {
        const button = html("button", {type: "button", onclick: () =>
            copy(Array.from(chain.querySelectorAll("li"), fullName).join("\n→ "), button)}, "copy chain");
        (chain.querySelector(".share") || title).append(html("span", {class: "chain-tools"}, button));
    }
}

function cards(report) {
    report.suspects.forEach((suspect, i) => {
        const card = document.querySelector(`.card[data-rank="${suspect.rank}"]`);
        if (!card) return;
        card.classList.add("band-" + Math.min(i + 1, MOST_BANDS + 1));
        card.id = "suspect-" + suspect.rank;
        card.querySelector("header").after(bars(toldCounts(suspect)));
        birthsPicture(suspect, card.querySelector('.said[data-about="stayed"]'));
        card.querySelectorAll(".held").forEach(chainTools);
    });
}
