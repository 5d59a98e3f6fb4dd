/* List the keys: those of the view below, then those of all views. */
#include "cli/explore/explore.h"

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
    {IN_OBJECTS, "/", "open an address (0x7f…) or the object with a number", NULL, NULL,
     "/"},
    {IN_OBJECT, "Enter →  l", "open the object, or the list if the row has several",
     "Enter", "open", "l"},
    {IN_OBJECT, "v", "core dumps: show the text of strings, which may be secret", NULL,
     NULL, "v"},
    {IN_HELP, "Enter →  l ?", "close this help", "Enter", "close", "l?"},
    {IN_LISTS, "s", "sort by the next column", "s", "sort", "s"},
    {IN_SUSPECTS | IN_TYPES, "c", "copy the name of the type", "c", "copy", "c"},
    {IN_TREE, "c", "copy the path to this place", "c", "copy", "c"},
    {IN_OBJECTS | IN_OBJECT, "c", "copy the address", "c", "copy", "c"},
    {IN_SUSPECTS | IN_OBJECT, "C", "copy the chain from the root", NULL, NULL, "C"},

    {EVERYWHERE, "Esc Backspace ←  h", "back", "Esc", "back", "h"},
    {EVERYWHERE, "Tab  1 2 3 4", "suspects, tree, types, process", "Tab", "pane", "1234"},
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
    static const char *const names[] = {
        [IN_SUSPECTS] = "Suspects", [IN_TREE] = "Tree",         [IN_TYPES] = "Types",
        [IN_OBJECTS] = "Objects",   [IN_OBJECT] = "One object", [IN_HELP] = "Help",
        [IN_PROCESS] = "Process"};
    return names[place];
}

/* --- help ------------------------------------------------------------------------ */

enum { KEY_LINES = sizeof(key_lines) / sizeof(key_lines[0]) };

/* Each part is below a heading, which is NULL. */
struct help {
    struct view view;
    enum place place;
    const struct key_line *lines[2 + KEY_LINES];
};

static size_t help_columns(const struct view *v, struct hd_column *all)
{
    (void)v;
    all[0] = (struct hd_column){"key", "key", HD_CELL_WORD, .width = 20};
    all[1] = (struct hd_column){"", "what", HD_CELL_WORD, .width = 0};
    return 2;
}

static void help_row(const struct view *v, size_t i, struct row *row)
{
    const struct help *h = (const struct help *)v;
    const struct key_line *line = h->lines[i];
    row->is_heading = line == NULL;
    row->name = line != NULL ? line->what : i == 0 ? place_name(h->place) : "In every view";
    row->cells[0] =
        line != NULL ? WORD_AS(LOOK_STRONG, line->keys) : WORD_AS(LOOK_HEAD, row->name);
    if (line != NULL)
        row->cells[1] = WORD(line->what);
}

static void help_title(const struct view *v, struct hd_sink to)
{
    (void)v;
    PUT(to, "Help");
}

static void help_enter(struct view *v, size_t i)
{
    (void)i;
    explore_back(v->e);
}

/* Words of ours. */
static bool help_copied(const struct view *v, size_t i, struct hd_sink to)
{
    (void)v, (void)i, (void)to;
    return false;
}

static bool help_key(struct view *v, uint32_t key)
{
    return key == '?' && explore_back(v->e);
}

static const struct view_kind kind = {
    .name = "help",
    .place = IN_HELP,
    .columns = help_columns,
    .row = help_row,
    .title = help_title,
    .copied = help_copied,
    .enter = help_enter,
    .key = help_key,
};

struct view *help_view(struct explore *e)
{
    struct help *h = view_new(e, &kind, sizeof(*h));
    h->place = explore_view(e)->kind->place;
    for (int own = 1; own >= 0; own--) {
        h->view.rows++;
        for (size_t i = 0; i < key_line_count; i++)
            if (own ? key_is_own(&key_lines[i], h->place)
                    : key_lines[i].places == EVERYWHERE)
                h->lines[h->view.rows++] = &key_lines[i];
    }
    view_go(&h->view, 0);
    return &h->view;
}
