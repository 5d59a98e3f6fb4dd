"use strict";
/* Who came when, and who of them stayed: a suspect's cohorts as layers over the snapshots. */

/* Of more snapshots a column is too narrow for its number, and a legend too long to read. */
const MAX_COHORTS = 8;
/* Of more than that no gap is worth its room. */
const MANY_COLUMNS = 16;

/* Cohorts by the snapshots that were compared: what came when, and how many are left in each. */
function cohortsOf(births) {
    const snapshots = births.cohorts.map((c) => c.first_seen);
    return {snapshots, all: births.cohorts.map((c, j) => ({
        j, at: snapshots.map((k) => c.count[k] ?? 0), came: c.count[c.first_seen],
        stayed: last(snapshots.map((k) => c.count[k] ?? 0)),
        name: (j === 0 ? "came before snapshot " : "new in snapshot ") + (c.first_seen + 1)}))};
}

function stayedWords({came, stayed, j}, n) {
    if (j === n - 1 || came === 0) return count(came);
    return `${count(came)}, ` + (stayed === came ? "all still there"
        : stayed > came ? `now ${count(stayed)}` : stayed === 0 ? "none still there" : `${count(stayed)} still there`);
}

/* The older, the stronger. */
function shade(mark, cohort, n) {
    mark.style.setProperty("--share", `${Math.round(100 - (65 * Math.max(0, cohort.j - 1)) / Math.max(1, n - 2))}%`);
    return mark;
}

/* Columns that stand on a line, and between them what goes on from one to the next. */
function layers(cohorts, n, y, x, wide) {
    const sums = new Array(n).fill(0), marks = [];
    for (const cohort of cohorts) {
        const part = svg("g", {class: cohort.j === 0 ? "cohort old" : "cohort", "data-cohort": cohort.j},
            svg("title", {}, `${cohort.name}: ${stayedWords(cohort, n)}`));
        const low = sums.slice();
        cohort.at.forEach((value, k) => { sums[k] += value; });
        for (let k = cohort.j; k + 1 < n; k++) {
            const [a, b] = [x(k) + wide, x(k + 1)];
            part.append(svg("path", {class: "goes-on", d: `M${a},${y(sums[k])}L${b},${y(sums[k + 1])}` +
                `L${b},${y(low[k + 1])}L${a},${y(low[k])}Z`}));
        }
        for (let k = cohort.j; k < n; k++)
            if (cohort.at[k] > 0)
                part.append(svg("rect", {class: "column", x: x(k), width: wide, y: y(sums[k]),
                    height: y(low[k]) - y(sums[k])}));
        marks.push(shade(part, cohort, n));
    }
    return {marks, sums};
}

/* What came above the line; below it, on a scale of their own, the old ones: there may be a
 * hundred times as many. */
function birthsChart({snapshots, all}, width) {
    const n = snapshots.length, [old, ...young] = all;
    const most = Math.max(1, ...snapshots.map((_, k) => d3.sum(young, (c) => c.at[k])));
    const mostOld = Math.max(...old.at), strip = mostOld > 0 ? 26 : 0;
    const line = 150, floor = line + (strip ? strip + 6 : 0), height = floor + 18;
    const step = width / n, wide = n > MANY_COLUMNS ? step : Math.min(56, step * 0.55);
    const x = (k) => (k + 0.5) * step - wide / 2;
    const up = d3.scaleLinear([0, most], [line, 18]), down = d3.scaleLinear([0, mostOld || 1], [floor, floor - strip]);
    const told = (k) => n <= MAX_COHORTS || k === 0 || k === n - 1;
    const anchor = (k) => (n <= MAX_COHORTS ? "middle" : k === 0 ? "start" : "end");
    const side = (k) => (n <= MAX_COHORTS ? (k + 0.5) * step : k === 0 ? 0 : width);
    const fresh = layers(young, n, up, x, wide);
    return svg("svg", {class: n > MANY_COLUMNS ? "dense" : null, viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true"},
        fresh.marks, strip ? layers([old], n, down, x, wide).marks : [],
        svg("line", {class: "grid", x1: 0, x2: width, y1: line + 0.5, y2: line + 0.5}),
        snapshots.map((number, k) => told(k) ? [
            k === 0 ? null : svg("text", {class: "value", x: side(k), y: up(fresh.sums[k]) - 5, "text-anchor": anchor(k)},
                count(fresh.sums[k])),
            svg("text", {x: side(k), y: height - 3, "text-anchor": anchor(k)}, String(number + 1))] : null));
}

/* In the order of the layers, from above. */
function birthsLegend({all}) {
    const n = all.length, some = all.filter((c) => c.came > 0 || c.stayed > 0);
    const ends = [some.find((c) => c.j > 0), some.at(-1)];
    const shown = n <= MAX_COHORTS ? some : some.filter((c) => c.j === 0 || ends.includes(c));
    return html("ul", {class: "legend"}, shown.reverse().map((c) => html("li", {},
        shade(html("span", {class: c.j === 0 ? "swatch cohort old" : "swatch cohort"}), c, n),
        `${c.name}${c.j === 0 ? ", below the line" : ""}: ${stayedWords(c, n)}`)));
}

/* The triangle itself, for who cannot see it or wants the numbers; it adds up to the objects. */
function birthsTable({snapshots, all}) {
    const cells = (values, from) => values.map((v, k) =>
        html("td", {class: "number"}, k < from ? "" : count(v)));
    return html("details", {}, html("summary", {}, "Numbers per snapshot"),
        html("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "who came when, and who stayed"},
            html("table", {},
                html("thead", {}, html("tr", {}, html("th", {scope: "col"}, "still there in snapshot"),
                    snapshots.map((k) => html("th", {scope: "col", class: "number"}, String(k + 1))))),
                html("tbody", {}, all.map((c) => html("tr", {},
                    html("th", {scope: "row"}, c.name), cells(c.at, c.j))),
                    html("tr", {}, html("th", {scope: "row"}, "together"),
                        cells(snapshots.map((_, k) => d3.sum(all, (c) => c.at[k])), 0))))));
}

/* Below the sentence that says it: where there is none, the numbers are not to be trusted. */
function birthsPicture(suspect, said) {
    if (!said || !suspect.births) return;
    const cohorts = cohortsOf(suspect.births), n = cohorts.snapshots.length;
    const words = cohorts.all.map((c) => `${c.name}: ${stayedWords(c, n)}`).join("; ");
    const picture = html("div", {class: "chart births", role: "img", "aria-label": words});
    const draw = () => picture.replaceChildren(birthsChart(cohorts, Math.min(544, Math.max(200, picture.clientWidth))));
    said.append(html("div", {class: "stayed"}, picture, birthsLegend(cohorts)), birthsTable(cohorts));
    draw();
    let width = picture.clientWidth;
    new ResizeObserver(() => {
        if (picture.clientWidth === width) return;
        width = picture.clientWidth;
        draw();
    }).observe(picture);
}
