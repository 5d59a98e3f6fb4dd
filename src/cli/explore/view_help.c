/* What keys do: those of the view that it was asked from, then those of all views. */
#include "cli/explore/view.h"

struct help {
    struct view view;
    enum place place;
};

static enum place place_of(const struct view *v)
{
    return ((const struct help *)v)->place;
}

/* --- rows ------------------------------------------------------------------------ */

static size_t own_lines(enum place place)
{
    size_t n = 0;
    for (size_t i = 0; i < key_line_count; i++)
        n += key_is_own(&key_lines[i], place);
    return n;
}

static size_t common_lines(void)
{
    size_t n = 0;
    for (size_t i = 0; i < key_line_count; i++)
        n += key_lines[i].places == EVERYWHERE;
    return n;
}

/* Line i of those that are own, or of those that are not. */
static const struct key_line *line_at(enum place place, bool own, size_t i)
{
    for (size_t k = 0; k < key_line_count; k++) {
        const struct key_line *line = &key_lines[k];
        bool fits = own ? key_is_own(line, place) : line->places == EVERYWHERE;
        if (fits && i-- == 0)
            return line;
    }
    return NULL;
}

static size_t columns(const struct explore *e, const struct view *v, struct column *all)
{
    (void)e;
    (void)v;
    all[0] = (struct column){"key", "key", 20, ALIGN_LEFT, 0};
    all[1] = (struct column){"", "what", 0, ALIGN_LEFT, 0};
    return 2;
}

/* Each part below a heading. */
static size_t rows(const struct explore *e, const struct view *v)
{
    (void)e;
    return 2 + own_lines(place_of(v)) + common_lines();
}

static void row(const struct explore *e, const struct view *v, size_t i, struct row *row)
{
    enum place place = place_of(v);
    size_t own = own_lines(place);
    (void)e;
    row->is_heading = i == 0 || i == own + 1;
    if (row->is_heading) {
        row->name = i == 0 ? place_name(place) : "In every view";
        row->cells[0] =
            (struct cell){.kind = CELL_WORD, .look = LOOK_HEAD, .text = row->name};
        return;
    }
    const struct key_line *line =
        i <= own ? line_at(place, true, i - 1) : line_at(place, false, i - own - 2);
    row->cells[0] =
        (struct cell){.kind = CELL_WORD, .look = LOOK_STRONG, .text = line->keys};
    row->cells[1] = (struct cell){.kind = CELL_WORD, .text = line->what};
    row->name = line->what;
}

static void title(const struct explore *e, const struct view *v, struct hd_sink to)
{
    (void)e;
    (void)v;
    print_to(to, "Help");
}

/* --- keys ------------------------------------------------------------------------ */

static void enter(struct explore *e, struct view *v, size_t i)
{
    (void)v;
    (void)i;
    explore_back(e);
}

/* Words of ours. */
static bool copied(const struct explore *e, const struct view *v, size_t i,
                   struct hd_sink to)
{
    (void)e;
    (void)v;
    (void)i;
    (void)to;
    return false;
}

static bool key(struct explore *e, struct view *v, uint32_t key)
{
    (void)v;
    return key == '?' && explore_back(e);
}

static const struct view_kind kind = {
    .name = "help",
    .place = IN_HELP,
    .columns = columns,
    .rows = rows,
    .row = row,
    .title = title,
    .copied = copied,
    .enter = enter,
    .key = key,
};

struct view *help_view(const struct explore *e)
{
    struct help *h = view_new(&kind, sizeof(*h));
    h->place = explore_view(e)->kind->place;
    view_go(e, &h->view, 0);
    return &h->view;
}
