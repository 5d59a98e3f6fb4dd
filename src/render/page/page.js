"use strict";
/* Puts the parts together: what is here stands in the page anyway, for who has no
 * JavaScript; this adds what can be looked at more closely. */

function themeButton() {
    const root = document.documentElement;
    const dark = () => root.dataset.theme
        ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    /* A page opened from disk may not be allowed to remember. */
    const memory = (act) => { try { return act(localStorage); } catch { return null; } };
    const kept = memory((m) => m.getItem("heapdrift-theme"));
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
    const button = html("button", {type: "button", class: "button theme", onclick: () => {
        root.dataset.theme = dark() ? "light" : "dark";
        memory((m) => m.setItem("heapdrift-theme", root.dataset.theme));
        show();
    }});
    const show = () => { button.textContent = dark() ? "light colours" : "dark colours"; };
    show();
    document.querySelector(".brand").append(button);
}

function sectionLinks() {
    const nav = document.querySelector("nav[aria-label=sections]");
    for (const part of document.querySelectorAll("main > section[id]"))
        if (!part.matches(".static-types, .static-tree"))
            nav.append(html("a", {href: "#" + part.id}, part.querySelector("h2").textContent));
    nav.hidden = nav.childElementCount < 2;
}

/* Behind what the report says first: the rules, or the suspects, or the types. */
function start() {
    const report = data("report-data");
    document.documentElement.classList.add("js");
    themeButton();
    const first = document.querySelector("main > section:not(.plain)");
    const types = document.getElementById("types") || document.getElementById("inputs");
    if (report && report.suspects && report.totals) {
        cards(report);
        overTime(report, first);
    }
    sparklines();
    ownershipTree(types);
    allTypes();
    sectionLinks();
}

start();
