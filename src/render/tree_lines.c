#include "render/tree_lines.h"

#include "base/alloc.h"
#include "base/ascii.h"
#include "render/text_words.h"
#include "report/format_units.h"

#include <stdlib.h>
#include <string.h>

enum {
    GAP = 2,         /* between columns */
    MARK_GAP = 3,    /* in front of remarks */
    NAME_ROOM = 24,  /* that guides leave */
    LEAST_ROOM = 14, /* the same in a narrow place */
    NARROW_BELOW = 80,
    MARKED_ROOM = 14, /* the same for a name with a remark */
    SHORTEST = 4,     /* of a word that was cut */
    READABLE = 14,    /* the same, where frames could be left out instead */
    WIDE_FROM = 100,  /* columns for wide guides */
    MOST_LEVELS = 40  /* with guides, however wide it is */
};

struct drawing {
    const struct doc_table *t;
    const struct tree_look *look;
    struct text *to;
    size_t *widths;   /* per column; 0: not shown */
    size_t left;      /* columns in front of the guides */
    size_t pitch;     /* columns per level */
    size_t levels;    /* with guides */
    bool *is_last;    /* per row: of its siblings */
    bool *goes_on;    /* per level: there are more siblings */
    struct text word; /* scratch */
};

static size_t columns_of(const struct drawing *d, const struct text *t)
{
    return t->len > 0 ? printed_columns(t->data, t->len, d->look->opt->ascii) : 0;
}

static void pad(struct text *t, size_t columns)
{
    for (; columns > 0; columns--)
        text_add_char(t, ' ');
}

/* --- words ---------------------------------------------------------------- */

static void add_colored(struct drawing *d, const struct doc_run *run, const char *s,
                        size_t len)
{
    const char *color = words_color(d->look->opt, run->style);
    text_add_string(d->to, color);
    text_add(d->to, s, len);
    text_add_string(d->to, color[0] != '\0' ? PLAIN : "");
}

static size_t width_of(struct drawing *d, const struct doc_runs *runs)
{
    size_t columns = 0;
    for (size_t i = 0; i < runs->len; i++) {
        text_clear(&d->word);
        d->look->add(&d->word, &runs->all[i]);
        columns += columns_of(d, &d->word);
    }
    return columns;
}

static void add_runs(struct drawing *d, const struct doc_runs *runs)
{
    for (size_t i = 0; i < runs->len; i++) {
        text_clear(&d->word);
        d->look->add(&d->word, &runs->all[i]);
        add_colored(d, &runs->all[i], text_string(&d->word), d->word.len);
    }
}

static size_t sum_of(const size_t *wide, size_t count, size_t most)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += wide[i] < most ? wide[i] : most;
    return sum;
}

/* How many columns the widest words get so that all of them fit: those that need less keep
 * what they have. */
static size_t fair_share(const size_t *wide, size_t count, size_t room)
{
    size_t low = SHORTEST, high = room > low ? room : low;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (sum_of(wide, count, middle) <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void add_shortened(struct drawing *d, const struct doc_run *run, size_t columns)
{
    struct text cut = {0};
    text_clear(&d->word);
    d->look->add(&d->word, run);
    format_shorten(&cut, text_string(&d->word), d->word.len, columns, d->look->opt->ascii);
    add_colored(d, run, text_string(&cut), cut.len);
    text_free(&cut);
}

static bool is_arrow(const struct doc_run *run)
{
    return strcmp(run->text, " → ") == 0 || strcmp(run->text, " ← ") == 0;
}

/* "…" in the place of the runs from one to in front of another. */
static void leave_out(struct doc_runs *runs, unsigned from, unsigned to)
{
    runs->all[from] = (struct doc_run){DOC_ASIDE, "…"};
    memmove(&runs->all[from + 1], &runs->all[to], (runs->len - to) * sizeof(*runs->all));
    runs->len -= to - from - 1;
}

/* A chain says less: its second frame goes, as long as there are three, at last what a
 * variable refers to. False if nothing of that is there. */
static bool shorten_runs(struct doc_runs *runs)
{
    unsigned arrows[3], found = 0;
    for (unsigned i = 0; i < runs->len && found < 3; i++)
        if (is_arrow(&runs->all[i]))
            arrows[found++] = i;
    bool again = found > 1 && arrows[1] == arrows[0] + 2 &&
                 strcmp(runs->all[arrows[0] + 1].text, "…") == 0;
    if (found > 1u + again) {
        leave_out(runs, arrows[0] + 1, arrows[1 + again]);
        return true;
    }
    bool variable = found > 0 && arrows[0] > 3 && strcmp(runs->all[1].text, ": ") == 0;
    if (variable)
        leave_out(runs, 2, arrows[again]);
    return variable;
}

static size_t share_of(struct drawing *d, const struct doc_runs *runs, size_t room,
                       size_t *wide)
{
    for (size_t i = 0; i < runs->len; i++)
        wide[i] = width_of(d, &(struct doc_runs){.all = &runs->all[i], .len = 1});
    return fair_share(wide, runs->len, room);
}

/* Runs in at most that many columns: of a long chain frames behind the first are left out,
 * then the longest words give way, or all but the last. */
static void add_fitting(struct drawing *d, const struct doc_runs *whole, size_t room)
{
    if (width_of(d, whole) <= room) {
        add_runs(d, whole);
        return;
    }
    struct doc_runs copy = {.all = alloc_zeroed(array_bytes(whole->len, sizeof(*copy.all))),
                            .len = whole->len},
                    *runs = &copy;
    memcpy(copy.all, whole->all, array_bytes(whole->len, sizeof(*copy.all)));
    size_t *wide = alloc_zeroed(array_bytes(whole->len, sizeof(*wide))), first = 0;
    size_t most = share_of(d, runs, room, wide);
    while (most < READABLE && shorten_runs(runs))
        most = share_of(d, runs, room, wide);
    if (sum_of(wide, runs->len, most) > room) {
        first = runs->len - 1;
        most = room;
    }
    for (size_t i = first; i < runs->len; i++)
        add_shortened(d, &runs->all[i], most);
    free(wide);
    free(copy.all);
}

/* --- measures ------------------------------------------------------------- */

static const struct doc_runs *cell_of(const struct drawing *d, const struct doc_row *row,
                                      size_t c)
{
    const struct doc_cell *cell = &row->cells[c];
    bool brief = cell->brief != NULL && d->look->opt->width > 0 &&
                 d->look->opt->width < cell->brief->below;
    return brief ? &cell->brief->words : &cell->words;
}

static void measure(struct drawing *d)
{
    const unsigned width = d->look->opt->width;
    for (size_t c = 0; c + 1 < d->t->column_count; c++) {
        const struct doc_column *column = &d->t->columns[c];
        if (column->is_for_pages || (width > 0 && width < column->from_width))
            continue;
        d->widths[c] =
            printed_columns(column->title, strlen(column->title), d->look->opt->ascii);
        for (size_t i = 0; i < d->t->row_count; i++) {
            size_t wide = width_of(d, cell_of(d, &d->t->rows[i], c));
            d->widths[c] = wide > d->widths[c] ? wide : d->widths[c];
        }
        d->left += d->widths[c] + GAP;
    }
    size_t name = width < NARROW_BELOW ? LEAST_ROOM : NAME_ROOM;
    size_t room = width > d->left + name ? width - d->left - name : 0;
    d->pitch = width == 0 || width >= WIDE_FROM ? 3 : 2;
    d->levels = width == 0 || room / d->pitch > MOST_LEVELS ? MOST_LEVELS : room / d->pitch;
    d->levels = d->levels > 2 ? d->levels : 2;
}

/* Who has no sibling below: backwards, since that is known from the end. A row is at most
 * one deeper than the one before, so what is cleared was set one by one. */
static void find_last(struct drawing *d)
{
    unsigned deepest = 0;
    for (size_t i = d->t->row_count; i-- > 0;) {
        unsigned depth = d->t->rows[i].depth;
        for (; deepest > depth; deepest--)
            d->goes_on[deepest] = false;
        d->is_last[i] = !d->goes_on[depth];
        d->goes_on[depth] = true;
        deepest = depth > deepest ? depth : deepest;
    }
}

/* --- lines ---------------------------------------------------------------- */

static void end_line(struct text *to)
{
    while (to->len > 0 && to->data[to->len - 1] == ' ')
        to->len--;
    text_add_char(to, '\n');
}

static void add_titles(struct drawing *d)
{
    const struct doc_run aside = {.style = DOC_ASIDE};
    struct text line = {0};
    for (size_t c = 0; c < d->t->column_count; c++) {
        const struct doc_column *column = &d->t->columns[c];
        bool is_name = c + 1 == d->t->column_count;
        size_t wide =
            printed_columns(column->title, strlen(column->title), d->look->opt->ascii);
        if (!is_name && d->widths[c] == 0)
            continue;
        if (!is_name && column->align == DOC_RIGHT)
            pad(&line, d->widths[c] - wide);
        text_add_string(&line, column->title);
        if (!is_name)
            pad(&line, (column->align == DOC_LEFT ? d->widths[c] - wide : 0) + GAP);
    }
    add_colored(d, &aside, text_string(&line), line.len);
    end_line(d->to);
    text_free(&line);
}

/* In front of a name: levels down to the one above, and the branch. Returns how many
 * columns. */
static size_t add_guides(struct drawing *d, const struct doc_row *row, bool is_last)
{
    struct text line = {0};
    const struct doc_run aside = {.style = DOC_ASIDE};
    bool too_deep = row->depth > d->levels;
    size_t levels = too_deep ? d->levels - 1 : row->depth;
    for (size_t l = 1; l < levels + too_deep; l++) {
        text_add_string(&line, d->goes_on[l] ? "│" : " ");
        pad(&line, d->pitch - 1);
    }
    if (too_deep) {
        text_add_string(&line, "⋮");
        format_count(&line, row->depth - levels);
        text_add_char(&line, ' ');
    }
    if (row->depth > 0) {
        text_add_string(&line, is_last ? "└" : "├");
        text_add_string(&line, d->pitch > 2 ? "─ " : " ");
    }
    add_colored(d, &aside, text_string(&line), line.len);
    size_t columns = columns_of(d, &line);
    text_free(&line);
    return columns;
}

static void add_numbers(struct drawing *d, const struct doc_row *row)
{
    for (size_t c = 0; c + 1 < d->t->column_count; c++) {
        const struct doc_runs *words = cell_of(d, row, c);
        if (d->widths[c] == 0)
            continue;
        size_t room = d->widths[c] - width_of(d, words);
        bool right = d->t->columns[c].align == DOC_RIGHT;
        pad(d->to, right ? room : 0);
        add_runs(d, words);
        pad(d->to, (right ? 0 : room) + GAP);
    }
}

/* How many runs of the remarks fit behind a name that wants so many columns of the room;
 * what they take is added up. One of them always does. */
static size_t remarks_that_fit(struct drawing *d, const struct doc_runs *remark,
                               size_t wanted, size_t room, size_t *taken)
{
    size_t least = wanted < MARKED_ROOM ? wanted : MARKED_ROOM, count = 0;
    *taken = remark->len > 0 ? MARK_GAP : 0;
    for (; count < remark->len; count++) {
        struct doc_runs one = {.all = &remark->all[count], .len = 1};
        size_t wide = width_of(d, &one);
        if (count > 0 && *taken + wide + least > room)
            break;
        *taken += wide;
    }
    return count;
}

static void add_row(struct drawing *d, size_t i)
{
    const struct doc_row *row = &d->t->rows[i];
    const struct doc_runs *name = cell_of(d, row, d->t->column_count - 1);
    struct doc_runs remark = row->remark_count > 0 ? row->remarks[0] : (struct doc_runs){0};
    add_numbers(d, row);
    size_t used = d->left + add_guides(d, row, d->is_last[i]), taken;
    size_t room = d->look->opt->width > used ? d->look->opt->width - used : SHORTEST;
    room = d->look->opt->width == 0 ? SIZE_MAX : room;
    remark.len = (unsigned)remarks_that_fit(d, &remark, width_of(d, name), room, &taken);
    add_fitting(d, name, room > taken + SHORTEST ? room - taken : SHORTEST);
    pad(d->to, remark.len > 0 ? MARK_GAP : 0);
    add_runs(d, &remark);
    end_line(d->to);
}

void tree_lines(struct text *to, const struct doc_table *t, const struct tree_look *look)
{
    struct drawing d = {.t = t, .look = look, .to = to};
    unsigned deepest = 0;
    for (size_t i = 0; i < t->row_count; i++)
        deepest = t->rows[i].depth > deepest ? t->rows[i].depth : deepest;
    d.widths = alloc_zeroed(array_bytes(t->column_count, sizeof(*d.widths)));
    d.is_last = alloc_zeroed(array_bytes(t->row_count, sizeof(*d.is_last)));
    d.goes_on = alloc_zeroed(array_bytes((size_t)deepest + 1, sizeof(*d.goes_on)));
    measure(&d);
    find_last(&d);
    memset(d.goes_on, 0, array_bytes((size_t)deepest + 1, sizeof(*d.goes_on)));
    add_titles(&d);
    for (size_t i = 0; i < t->row_count; i++) {
        add_row(&d, i);
        d.goes_on[t->rows[i].depth] = !d.is_last[i];
    }
    free(d.widths);
    free(d.is_last);
    free(d.goes_on);
    text_free(&d.word);
}
