/* What keys do. */
#include "cli/explore/view.h"

static const struct {
    const char *keys, *what;
} help[] = {
    {NULL, "moving"},
    {"↑ ↓  j k", "a line up, down"},
    {"PgUp PgDn  b Space", "a page up, down"},
    {"Home End  g G", "to the first, the last line"},
    {"Tab  1 2 3", "suspects, tree, types"},
    {"Enter →  l", "deeper: suspect, its place in the tree, its objects, one object"},
    {"Backspace ←  h", "back"},
    {NULL, "the tree"},
    {"→ ←  + -", "open a branch, close it"},
    {"*", "open all below; again: close"},
    {"f", "fold chains of owners into one line, or show each"},
    {NULL, "what is shown"},
    {"/  n N", "search; next match, previous match (objects: an address or a number)"},
    {"s", "sort by the next column"},
    {"a", "only types of the program, or all"},
    {"d", "what changed (Δ), or the last snapshot"},
    {"< >", "objects of the snapshot before, behind"},
    {"v", "one object: strings in its fields, which may be secrets, or not"},
    {"m", "mark this line: others are compared with it"},
    {"e", "export what is listed to a file, .md or .csv"},
    {NULL, "the program"},
    {"mouse", "a click chooses, a second one opens; the wheel scrolls"},
    {"Ctrl-Z  Ctrl-L", "suspend; draw again"},
    {"?  q", "this; quit"},
};

enum { LINES = sizeof(help) / sizeof(help[0]) };

static size_t columns(const struct explore *e, const struct view *v, struct column *all)
{
    (void)e;
    (void)v;
    all[0] = (struct column){"key", "key", 20, ALIGN_LEFT, 0};
    all[1] = (struct column){"", "what", 0, ALIGN_LEFT, 0};
    return 2;
}

static size_t rows(const struct explore *e, const struct view *v)
{
    (void)e;
    (void)v;
    return LINES;
}

static void row(const struct explore *e, const struct view *v, size_t i, struct row *row)
{
    (void)e;
    (void)v;
    bool heading = help[i].keys == NULL;
    row->is_heading = heading;
    row->cells[0] = (struct cell){.kind = CELL_WORD,
                                  .look = heading ? LOOK_HEAD : LOOK_STRONG,
                                  .text = heading ? help[i].what : help[i].keys};
    if (!heading)
        row->cells[1] = (struct cell){.kind = CELL_WORD, .text = help[i].what};
    row->name = help[i].what;
}

static void title(const struct explore *e, const struct view *v, struct hd_sink to)
{
    (void)e;
    (void)v;
    print_to(to, "Keys");
}

static void enter(struct explore *e, struct view *v, size_t i)
{
    (void)v;
    (void)i;
    explore_back(e);
}

static const struct view_kind kind = {
    .name = "keys",
    .columns = columns,
    .rows = rows,
    .row = row,
    .title = title,
    .enter = enter,
};

struct view *keys_view(const struct explore *e)
{
    struct view *v = view_new(&kind, sizeof(*v));
    view_go(e, v, 0);
    return v;
}
