#include "cli/explore/keys.h"

/* Where there is little room the line at the bottom has the first of each place. */
const struct key_line key_lines[] = {
    {IN_SUSPECTS, "Enter →  l", "its place in the tree or, without one, its instances",
     "Enter", "open", "l"},
    {IN_TREE, "Enter", "the objects at this place", "Enter", "open", ""},
    {IN_TREE, "→ ←  l h", "open a branch, close it", "→ ←", "branch", "lh"},
    {IN_TREE, "+ -", "the same", NULL, NULL, "+-"},
    {IN_TREE, "*", "open all branches below, or close them", NULL, NULL, "*"},
    {IN_TREE, "f", "fold single-child chains into one line (… →), or unfold them", "f",
     "fold", "f"},
    {IN_TYPES, "Enter →  l", "the instances of the type", "Enter", "open", "l"},
    {IN_OBJECTS, "Enter →  l", "one object: its chain and its references", "Enter", "open",
     "l"},
    {IN_OBJECTS, "< >", "the same in the previous, the next snapshot", "< >", "snapshot",
     "<>"},
    {IN_OBJECTS, "/", "go to an address (0x7f…) or to an object by its number", NULL, NULL,
     "/"},
    {IN_OBJECT, "Enter →  l", "that object; of several, a list of them", "Enter", "open",
     "l"},
    {IN_OBJECT, "v", "core dumps: show the text of strings, which may be secret", NULL,
     NULL, "v"},
    {IN_HELP, "Enter →  l ?", "close this help", "Enter", "close", "l?"},
    {IN_LISTS, "s", "sort by the next column", "s", "sort", "s"},
    {IN_SUSPECTS | IN_TYPES, "c", "copy the name of the type", "c", "copy", "c"},
    {IN_TREE, "c", "copy the path to this place", "c", "copy", "c"},
    {IN_OBJECTS | IN_OBJECT, "c", "copy the address", "c", "copy", "c"},
    {IN_SUSPECTS | IN_OBJECT, "C", "copy the chain from the root", NULL, NULL, "C"},

    {EVERYWHERE, "Esc Backspace ←  h", "back", "Esc", "back", "h"},
    {EVERYWHERE, "Tab  1 2 3", "suspects, tree, types", "Tab", "pane", "123"},
    {EVERYWHERE, "↑ ↓  j k", "one line up, down", NULL, NULL, "jk"},
    {EVERYWHERE, "PgUp PgDn  b Space", "one page up, down", NULL, NULL, "b "},
    {EVERYWHERE, "Home End  g G", "first line, last line", NULL, NULL, "gG"},
    {EVERYWHERE, "/", "search names, in any case", "/", "search", "/"},
    {EVERYWHERE, "n N", "next match, previous match", NULL, NULL, "nN"},
    {EVERYWHERE, "a", "types of the program only, or all types", "a", "app only", "a"},
    {EVERYWHERE, "d", "change (Δ), or the last snapshot", "d", "Δ/last", "d"},
    {EVERYWHERE, "m", "mark this line; other lines are compared with it", "m", "mark", "m"},
    {EVERYWHERE, "e", "save this list as .md or .csv", "e", "save", "e"},
    {EVERYWHERE, "mouse", "click: choose; click again: open; wheel: scroll", NULL, NULL,
     ""},
    {EVERYWHERE, "Ctrl-L  Ctrl-Z", "redraw; suspend", NULL, NULL, ""},
    {EVERYWHERE, "?", "help for the current view", "?", "help", "?"},
    {EVERYWHERE, "q", "quit", "q", "quit", "q"},
};

const size_t key_line_count = sizeof(key_lines) / sizeof(key_lines[0]);

const char *place_name(enum place place)
{
    switch (place) {
    case IN_SUSPECTS:
        return "Suspects";
    case IN_TREE:
        return "Tree";
    case IN_TYPES:
        return "Types";
    case IN_OBJECTS:
        return "Objects";
    case IN_OBJECT:
        return "One object";
    default:
        return "Help";
    }
}
