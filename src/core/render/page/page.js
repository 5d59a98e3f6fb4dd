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

/* Paper cannot be asked for more: what to do is open on it. */
function unfoldForPaper() {
    let opened = [];
    window.addEventListener("beforeprint", () => {
        opened = [...document.querySelectorAll("details.fix-code:not([open])")];
        for (const fold of opened) fold.open = true;
    });
    window.addEventListener("afterprint", () => { for (const fold of opened) fold.open = false; });
}

/* The chart comes first: it is what the verdict is of. */
function start() {
    const report = data("report-data");
    document.documentElement.classList.add("js");
    themeButton();
    const first = document.querySelector("main > section");
    const types = document.getElementById("types") || document.getElementById("inputs");
    if (report && report.suspects && report.totals) {
        cards(report);
        overTime(report, first);
    }
    sparklines();
    allTypes(ownershipTree(types));
    sectionLinks();
    unfoldForPaper();
    startAddress();
}

start();
