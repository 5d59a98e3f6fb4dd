/* The state on a grid: headings (draw_head.c), the list, what is known of its row, two
 * lines of words and keys. */
#include "cli/explore/draw_head.h"
#include "cli/explore/view.h"
#include "cli/explore/words.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_WIDTH = 30, LEAST_HEIGHT = 8, FOOT_LINES = 2, HEIGHT_FOR_DETAIL = 20 };

/* --- the list -------------------------------------------------------------------- */

/* Columns that fit, with their widths; one takes what the others leave. */
struct layout {
    struct column all[MOST_COLUMNS];
    size_t from[MOST_COLUMNS]; /* number of the cell */
    size_t len;
    size_t wide; /* number of the one that takes the rest */
};

enum { GUTTER = 2, BETWEEN = 2, MOST_NAME = 80 };

static void lay_out(const struct explore *e, const struct view *v, unsigned width,
                    struct layout *l)
{
    struct column all[MOST_COLUMNS] = {0};
    size_t count = v->kind->columns(e, v, all);
    unsigned used = GUTTER;
    *l = (struct layout){0};
    for (size_t i = 0; i < count; i++) {
        if (all[i].least > width)
            continue;
        used += all[i].width + (l->len > 0 ? BETWEEN : 0);
        if (all[i].width == 0)
            l->wide = l->len;
        l->from[l->len] = i;
        l->all[l->len++] = all[i];
    }
    /* Numbers behind a name stay near it. */
    unsigned rest = width > used ? width - used : 0;
    bool is_last = l->wide + 1 == l->len;
    l->all[l->wide].width = is_last || rest < MOST_NAME ? rest : MOST_NAME;
}

static void draw_columns(struct grid *g, const struct layout *l, unsigned line)
{
    grid_line(g, line, false);
    grid_put(g, LOOK_HEAD, "", GUTTER, ALIGN_LEFT);
    for (size_t i = 0; i < l->len; i++) {
        grid_put(g, LOOK_HEAD, "", i > 0 ? BETWEEN : 0, ALIGN_LEFT);
        grid_put(g, LOOK_HEAD, l->all[i].head, l->all[i].width, l->all[i].align);
    }
    grid_end_line(g, LOOK_HEAD);
}

static void put_name_of(const struct cell *c, unsigned columns, struct hd_sink to)
{
    if (c->kind == CELL_OWNER || (c->kind == CELL_NAME && c->text[0] == '['))
        print_owner(c->text, columns, to);
    else if (c->kind == CELL_NAME)
        hd_put_type(to, c->text, columns);
    else
        cell_print(c, to);
}

/* The wide column: what leads to the name, the name, what stands behind it if that fits. */
static void draw_name(struct grid *g, const struct row *row, const struct cell *c,
                      unsigned width)
{
    enum { LEAST_NAME = 8 };
    unsigned behind = grid_columns(row->tail), begin = g->column;
    struct words w;
    words_begin(&w);
    if (row->lead != NULL) {
        unsigned used = grid_columns(row->lead);
        grid_put(g, LOOK_DIM, row->lead, used < width ? used : width, ALIGN_LEFT);
    }
    unsigned left = width - (g->column - begin);
    if (behind + LEAST_NAME > left)
        behind = 0;
    put_name_of(c, left - behind, w.to);
    unsigned takes = grid_columns(words_of(&w));
    grid_put(g, c->look, words_of(&w), takes < left - behind ? takes : left - behind,
             ALIGN_LEFT);
    if (behind > 0)
        grid_add(g, row->tail_look, row->tail);
    grid_put(g, LOOK_PLAIN, "", width - (g->column - begin), ALIGN_LEFT);
    words_end(&w);
}

static bool is_marked(const struct explore *e, const struct row *row)
{
    return e->mark.name != NULL && row->name != NULL && e->mark.bytes == row->bytes &&
           strcmp(e->mark.name, row->name) == 0;
}

static void draw_row(const struct explore *e, const struct view *v, size_t i,
                     struct grid *g, const struct layout *l)
{
    struct row row = view_row(e, v, i);
    const char *gutter = is_marked(e, &row) ? "* " : i == v->cursor ? "> " : "  ";
    grid_add(g, LOOK_FOUND, gutter);
    for (size_t k = 0; k < l->len; k++) {
        const struct cell *c = &row.cells[l->from[k]];
        grid_put(g, LOOK_PLAIN, "", k > 0 ? BETWEEN : 0, ALIGN_LEFT);
        if (k == l->wide) {
            draw_name(g, &row, c, l->all[k].width);
            continue;
        }
        struct words w;
        words_begin(&w);
        cell_print(c, w.to);
        grid_put(g, c->look, words_of(&w), l->all[k].width, l->all[k].align);
        words_end(&w);
    }
    grid_end_line(g, LOOK_PLAIN);
    row_free(&row);
}

static void draw_empty(const struct explore *e, const struct view *v, struct grid *g)
{
    struct words w;
    words_begin(&w);
    if (v->kind->empty != NULL)
        v->kind->empty(e, v, w.to);
    struct paragraph p = {.text = words_of(&w), .first = 2, .others = 2};
    grid_paragraph(g, &p, e->list_top + (e->list_rows > 2), e->list_top + e->list_rows);
    words_end(&w);
}

/* The cursor stays on the screen. */
static void scroll(const struct explore *e, struct view *v, size_t rows)
{
    size_t most = rows > e->list_rows ? rows - e->list_rows : 0;
    if (v->cursor < v->scroll)
        v->scroll = v->cursor;
    if (v->cursor >= v->scroll + e->list_rows)
        v->scroll = v->cursor - e->list_rows + 1;
    if (v->scroll > most)
        v->scroll = most;
    /* A heading above the first row that can be chosen is seen with it. */
    if (v->scroll == 1 && v->cursor <= 1)
        v->scroll = 0;
}

static void draw_list(struct explore *e, struct grid *g)
{
    struct view *v = explore_view(e);
    struct layout l;
    size_t rows = v->kind->rows(e, v);
    lay_out(e, v, g->width, &l);
    draw_columns(g, &l, e->list_top - 1);
    scroll(e, v, rows);
    if (rows == 0)
        draw_empty(e, v, g);
    for (unsigned i = 0; i < e->list_rows && v->scroll + i < rows; i++) {
        grid_line(g, e->list_top + i, v->scroll + i == v->cursor);
        draw_row(e, v, v->scroll + i, g, &l);
    }
}

/* --- what is known of the row ---------------------------------------------------- */

static void draw_detail(const struct explore *e, struct grid *g, unsigned line,
                        unsigned end)
{
    const struct view *v = explore_view(e);
    bool more = true;
    grid_line(g, line++, false);
    for (unsigned i = 0; i < g->width; i++)
        grid_add(g, LOOK_DIM, "─");
    for (unsigned i = 0; more && line < end; i++) {
        struct words w;
        words_begin(&w);
        more = v->kind->detail(e, v, i, g->width, w.to);
        if (more)
            line = grid_paragraph(
                g, &(struct paragraph){.text = words_of(&w), .first = 1, .others = 10},
                line, end);
        words_end(&w);
    }
}

/* --- words and keys -------------------------------------------------------------- */

/* A tall screen has room for more. */
static unsigned detail_lines(const struct view *v, unsigned height)
{
    unsigned tall = v->kind->tall_detail_lines;
    return height >= EXPLORE_TALL && tall > 0 ? tall : v->kind->detail_lines;
}

static void put_mark(const struct explore *e, struct hd_sink to)
{
    const struct view *v = explore_view(e);
    hd_put_type(to, e->mark.name, 30);
    print_to(to, " is marked");
    if (v->cursor >= v->kind->rows(e, v))
        return;
    struct row row = view_row(e, v, v->cursor);
    if (is_marked(e, &row)) {
        row_free(&row);
        return;
    }
    print_to(to, "; this one has");
    if (row.has_count && e->mark.has_count) {
        print_to(to, " ");
        hd_put_count_change(to, e->mark.count, row.count);
        print_to(to, row.count == e->mark.count ? "as many objects," : " objects,");
    }
    if (row.has_bytes && e->mark.has_bytes) {
        print_to(to, " ");
        hd_put_size_change(to, e->mark.bytes, row.bytes);
    }
    row_free(&row);
}

static void draw_words(const struct explore *e, struct grid *g, unsigned line)
{
    static const char *const asked[] = {"", "/", "save as (.md or .csv): ", ""};
    struct words w;
    words_begin(&w);
    enum look look = e->is_error ? LOOK_ERROR : LOOK_PLAIN;
    print_to(w.to, " ");
    if (e->prompt == PROMPT_REPLACE) {
        hd_put_name(w.to, e->file);
        print_to(w.to, " exists. Replace it? ");
    } else if (e->prompt != PROMPT_NONE) {
        print_to(w.to, "%s%s_", asked[e->prompt], e->input);
    } else if (e->message[0] != '\0') {
        hd_put_name(w.to, e->message);
    } else if (e->objects != NULL && hd_objects_progress(e->objects).making != 0) {
        look = LOOK_DIM;
        put_progress(e, HD_OBJECTS_ALL, w.to);
    } else if (e->mark.name != NULL) {
        put_mark(e, w.to);
    }
    grid_line(g, line, false);
    grid_put(g, look, words_of(&w), g->width, ALIGN_LEFT);
    words_end(&w);
}

/* How to answer what is asked. */
static const char *answers_of(enum prompt prompt)
{
    switch (prompt) {
    case PROMPT_SEARCH:
        return "Enter: search, Esc: cancel";
    case PROMPT_EXPORT:
        return "Enter: save, Esc: cancel, Ctrl-U: clear";
    default:
        return "y: replace, Esc: cancel";
    }
}

/* The way to help and out of here has room first; then what is the view's own. */
static int urgency_of(const struct key_line *line, enum place place)
{
    if (strcmp(line->keys, "?") == 0 || strcmp(line->keys, "q") == 0)
        return 0;
    return key_is_own(line, place) ? 1 : 2;
}

static unsigned key_takes(const struct key_line *line)
{
    return grid_columns(line->key) + 1 + grid_columns(line->word) + 2;
}

/* Whether a line fits beside all that is more urgent or stands before it. */
static bool key_fits(size_t which, enum place place, unsigned room)
{
    const struct key_line *line = &key_lines[which];
    int urgency = urgency_of(line, place);
    for (int u = 0; u <= urgency; u++)
        for (size_t i = 0; i < key_line_count && (u < urgency || i <= which); i++) {
            const struct key_line *other = &key_lines[i];
            if (other->word == NULL || !(other->places & (unsigned)place) ||
                urgency_of(other, place) != u)
                continue;
            if (key_takes(other) <= room)
                room -= key_takes(other);
            else if (i == which && u == urgency)
                return false;
        }
    return true;
}

static void draw_keys(const struct explore *e, struct grid *g, unsigned line)
{
    enum place place = explore_view(e)->kind->place;
    unsigned room = g->width > 1 ? g->width - 1 : 0;
    grid_line(g, line, false);
    grid_add(g, LOOK_PLAIN, " ");
    if (e->prompt != PROMPT_NONE) {
        grid_add(g, LOOK_DIM, answers_of(e->prompt));
        return;
    }
    for (size_t i = 0; i < key_line_count; i++) {
        const struct key_line *k = &key_lines[i];
        if (k->word == NULL || !(k->places & (unsigned)place) || !key_fits(i, place, room))
            continue;
        grid_add(g, LOOK_STRONG, k->key);
        grid_add(g, LOOK_DIM, " ");
        grid_add(g, LOOK_DIM, k->word);
        grid_add(g, LOOK_PLAIN, "  ");
    }
}

/* --- all of it ------------------------------------------------------------------- */

void explore_draw(struct explore *e, struct grid *g, unsigned width, unsigned height)
{
    grid_begin(g, width, height);
    e->width = width;
    e->height = height;
    if (width < LEAST_WIDTH || height < LEAST_HEIGHT) {
        grid_add(g, LOOK_PLAIN, "too small");
        return;
    }
    const struct view *v = explore_view(e);
    bool details = height >= HEIGHT_FOR_DETAIL && v->kind->detail != NULL;
    unsigned foot = height - FOOT_LINES, detail = foot;
    if (details)
        detail -= detail_lines(v, height) + 1;
    e->list_top = head_draw(e, g, detail) + 1;
    e->list_rows = detail - e->list_top;
    draw_list(e, g);
    if (details)
        draw_detail(e, g, detail, foot);
    draw_words(e, g, foot);
    draw_keys(e, g, foot + 1);
}
