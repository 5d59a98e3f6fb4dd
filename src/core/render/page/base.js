"use strict";
/* What all parts of the page use: elements, names, numbers, the clipboard. Text goes in by
 * textContent, and by nothing else: the names in it are those of somebody's program. */

/* An element: attributes, "class" and functions "on...", then children. */
function element(space, tag, attributes, children) {
    const e = space ? document.createElementNS(space, tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
        else e.setAttribute(key, value === true ? "" : value);
    }
    for (const child of children.flat(Infinity))
        if (child !== null && child !== undefined) e.append(child);
    return e;
}

const html = (tag, attributes, ...children) => element(null, tag, attributes, children);
const svg = (tag, attributes, ...children) =>
    element("http://www.w3.org/2000/svg", tag, attributes, children);

/* --- names ------------------------------------------------------------------ */

/* What a browser obeys or does not show is written out: controls, line ends, what turns the
 * direction of writing. */
function visible(name) {
    return name.replace(
        /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
        (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/* "Shop.Sessions." and "Session": a namespace may give way, the class may not. */
function parts(name) {
    if (name.startsWith("[") || name.startsWith("(")) return ["", name];
    const end = name.search(/[<[(]/);
    const dot = (end < 0 ? name : name.slice(0, end)).lastIndexOf(".");
    return [name.slice(0, dot + 1), name.slice(dot + 1)];
}

/* Without any namespace: Dictionary<String,Session>; of a variable with its class. */
function brief(name) {
    const field = /^(\[[a-z -]* var )(.+)\.([^.<>]+)\]$/.exec(name);
    if (field) return field[1] + brief(field[2]) + "." + field[3] + "]";
    return name.replace(/(?:[\p{L}_][\p{L}\p{N}_`]*\.)+(?=[\p{L}_<])/gu, "");
}

/* --- numbers, digit for digit as human.c writes them --------------------------- */

const known = (n) => n !== null && n !== undefined && Number.isFinite(n);
const count = (n) => (known(n) ? n.toLocaleString("en-US") : "-");

/* Half of the last digit goes to the even one, as printf() has it; toFixed() goes up. */
function fixed(n, digits) {
    const scale = 10 ** digits, down = Math.floor(n * scale);
    return n * scale - down === 0.5 && down % 2 === 0 ? (down / scale).toFixed(digits) : n.toFixed(digits);
}

function size(n) {
    if (!known(n)) return "-";
    const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], sign = n < 0 ? "-" : "";
    let unit = 0, left = Math.abs(n);
    if (left < 1024) return sign + fixed(left, 0) + " B";
    for (left /= 1024; left >= 999.5 && unit < units.length - 1; left /= 1024) unit++;
    return sign + fixed(left, left < 9.995 ? 2 : left < 99.95 ? 1 : 0) + " " + units[unit];
}

const signed = (format, n) => (known(n) ? (n > 0 ? "+" : "") + format(n) : "-");
const difference = (a, b) => (known(a) && known(b) ? b - a : null);

function percent(share) {
    if (!known(share)) return "-";
    if (share > 0 && share < 0.0005) return "<0.1 %";
    return fixed(100 * share, share < 0.0995 && share > 0 ? 1 : 0) + " %";
}

const last = (values) => values[values.length - 1];

/* --- what stands in the page --------------------------------------------------- */

function data(id) {
    const e = document.getElementById(id);
    return e ? JSON.parse(e.textContent) : null;
}

/* A section of the page, before another one. */
function section(id, title, before) {
    const e = html("section", {id}, html("h2", {}, title));
    document.querySelector("main").insertBefore(e, before);
    return e;
}

/* --- copying --------------------------------------------------------------------- */

/* A file that was opened from disk may have no clipboard. */
async function copy(text, button) {
    let done = true;
    try {
        await navigator.clipboard.writeText(text);
    } catch {
        const area = html("textarea", {"aria-hidden": "true", class: "aside"});
        area.value = text;
        document.body.append(area);
        area.select();
        done = document.execCommand("copy");
        area.remove();
        button.focus();
    }
    const before = button.dataset.label || button.textContent;
    button.dataset.label = before;
    button.textContent = done ? "copied" : "not allowed";
    setTimeout(() => { button.textContent = before; }, 1500);
}

/* --- a box with numbers beside what is pointed at ---------------------------------- */

/* At x, y within its parent, which is positioned; kept inside it from left to right. */
function place(tip, x, y) {
    const room = tip.parentElement.clientWidth;
    tip.hidden = false;
    tip.style.top = y + "px";
    tip.style.left = Math.max(0, Math.min(x, room - tip.offsetWidth)) + "px";
}

function fill(tip, title, rows) {
    tip.replaceChildren(
        html("b", {}, title),
        html("dl", {}, rows.map(([name, value]) => [html("dt", {}, name), html("dd", {}, value)])));
}
