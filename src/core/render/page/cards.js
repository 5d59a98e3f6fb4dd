"use strict";
/* What a card has beside its words: bars, and tools for its chains. */

const MANY_BARS = 8;

/* What the program wrote as numbers: of each snapshot, or null. */
function valuesOf(card) {
    const cell = card.querySelector("[data-values]");
    if (!cell) return null;
    return {show: cell.dataset.unit === "bytes" ? size : count, unit: cell.dataset.unit,
        all: cell.dataset.values.split(" ").map((v) => (v === "-" ? null : Number(v)))};
}

/* What each object retains is said where their number is no news. */
function bars({all, show, unit}) {
    const most = Math.max(1, ...all.filter(known)), longest = Math.max(...all.map((n) => show(n).length));
    const columns = all.map((n, k) => {
        const bar = html("i", {});
        bar.style.height = known(n) ? `${(70 * n) / most}%` : "0";
        return html("div", {title: `snapshot ${k + 1}: ${show(n)}`},
            html("span", {class: "value"}, show(n)), bar, html("span", {class: "label"}, String(k + 1)));
    });
    const what = unit === "bytes" ? "retained in each snapshot" : "objects in each snapshot";
    const many = all.length > MANY_BARS || all.length * longest > 48;
    return html("figure", {class: "bars-of"}, html("figcaption", {}, what),
        html("div", {class: many ? "bars many" : "bars", role: "img",
            "aria-label": `${what}: ` + all.map(show).join(", ")}, columns));
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
    const title = held.querySelector("h4, .labelled");
    title.append(html("span", {class: "chain-tools"}, toggle));
    for (const chain of held.querySelectorAll(".chain")) {
        const button = html("button", {type: "button", onclick: () =>
            copy(Array.from(chain.querySelectorAll("li"), fullName).join("\n→ "), button)}, "copy chain");
        (chain.querySelector(".share") || title).append(html("span", {class: "chain-tools"}, button));
    }
}

function cards(report) {
    report.suspects.forEach((suspect, i) => {
        const card = document.getElementById("suspect-" + suspect.rank);
        if (!card) return;
        const values = valuesOf(card);
        card.classList.add("band-" + Math.min(i + 1, MAX_BANDS + 1));
        if (values) card.querySelector("header")?.after(bars(values));
        birthsPicture(suspect, card.querySelector('.said[data-about="survived"]'));
        card.querySelectorAll(".held").forEach(chainTools);
    });
}
