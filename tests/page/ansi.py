"""What tmux captured of a terminal, as HTML: python3 ansi.py <SCREEN >PAGE

Knows colours (16, 256, RGB), bold, dim, underlined and reversed, which is all that heapdrift uses."""
import html
import re
import sys

BASIC = ["#1c2128", "#e5534b", "#57ab5a", "#c69026", "#539bf5", "#b083f0", "#39c5cf", "#adbac7",
         "#768390", "#ff938a", "#6bc46d", "#daaa3f", "#6cb6ff", "#dcbdfb", "#56d4dd", "#ffffff"]
GROUND, TEXT = "#14171c", "#e6e9ee"


def colour(n):
    if n < 16:
        return BASIC[n]
    if n >= 232:
        return "#" + f"{8 + 10 * (n - 232):02x}" * 3
    n -= 16
    return "#" + "".join(f"{0 if c == 0 else 55 + 40 * c:02x}" for c in (n // 36, n // 6 % 6, n % 6))


def apply(state, codes):
    while codes:
        code = codes.pop(0)
        if code == 0:
            state.clear()
        elif code in (1, 2, 4, 7):
            state[code] = True
        elif code in (22, 24, 27):
            for k in {22: (1, 2), 24: (4,), 27: (7,)}[code]:
                state.pop(k, None)
        elif code in (38, 48):
            kind = codes.pop(0)
            state[code] = colour(codes.pop(0)) if kind == 5 else "#" + "".join(f"{codes.pop(0):02x}" for _ in range(3))
        elif code in (39, 49):
            state.pop(code - 1, None)
        else:
            for first, key, base in ((30, 38, 0), (40, 48, 0), (90, 38, 8), (100, 48, 8)):
                if first <= code < first + 8:
                    state[key] = colour(code - first + base)


def style(state):
    front, back = state.get(38, TEXT), state.get(48, GROUND)
    if state.get(7):
        front, back = back, front
    return (f"color:{front};background:{back}" + (";font-weight:700" if state.get(1) else "") +
            (";opacity:.65" if state.get(2) else "") + (";text-decoration:underline" if state.get(4) else ""))


state, out = {}, []
for part in re.split(r"(\x1b\[[0-9;]*m)", sys.stdin.read().rstrip("\n")):
    if part.startswith("\x1b["):
        apply(state, [int(n or 0) for n in part[2:-1].split(";")])
    elif part:
        out.append(f'<span style="{style(state)}">{html.escape(part)}</span>')
print(f"<!DOCTYPE html><meta charset=utf-8><body style='margin:0;background:{GROUND}'>"
      "<pre style='margin:16px;font:15px/19px \"DejaVu Sans Mono\",monospace'>" + "".join(out) + "</pre>")
