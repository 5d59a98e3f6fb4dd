"use strict";
/* What is looked at, in the address: "#memory?zoom=12&find=Session". So it can be sent and
 * kept, and Back undoes it. A file that was opened from disk has no other place for that. */

/* Who shows what the address says: called with its values, after it has changed. */
const viewers = [];

function addressed() {
    const [at, values] = location.hash.slice(1).split(/\?(.*)/s);
    return {at, values: new URLSearchParams(values || "")};
}

/* The address with these values; what is null or empty is left out. */
function addressWith(at, changes) {
    const {values} = addressed();
    for (const [key, value] of Object.entries(changes)) {
        if (value === null || value === "") values.delete(key);
        else values.set(key, value);
    }
    const text = values.toString();
    return "#" + at + (text ? "?" + text : "");
}

/* A step that Back undoes; what goes on in a field that is typed into is one step. */
function remember(at, changes, field) {
    const next = addressWith(at, changes);
    if (next === location.hash) return;
    const goesOn = field !== undefined && history.state !== null && history.state.field === field;
    history[goesOn ? "replaceState" : "pushState"]({field}, "", next);
}

function showAddressed() {
    const {values} = addressed();
    viewers.forEach((view) => view(values));
}

/* Links within the page keep what is looked at, and may change it. */
function follow(event) {
    const link = event.target.closest ? event.target.closest('a[href^="#"]') : null;
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const [at, values] = link.getAttribute("href").slice(1).split(/\?(.*)/s);
    const target = document.getElementById(at);
    if (!target) return;
    event.preventDefault();
    remember(at, Object.fromEntries(new URLSearchParams(values || "")));
    if (values) showAddressed();
    if (target.matches("details")) target.open = true;
    target.scrollIntoView();
    if (target.dispatchEvent(new CustomEvent("arrive", {cancelable: true, detail: Boolean(values)}))) {
        target.tabIndex = -1;
        target.focus({preventScroll: true});
    }
}

/* Once all that can be shown is there. */
function startAddress() {
    document.addEventListener("click", follow);
    window.addEventListener("popstate", showAddressed);
    if (!location.hash.includes("?")) {
        if (addressed().at) document.getElementById(addressed().at)?.scrollIntoView();
        return;
    }
    showAddressed();
    document.getElementById(addressed().at)?.scrollIntoView();
}
