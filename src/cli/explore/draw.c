/* The state on a grid: four lines of headings, the list, what is known of its row, two
 * lines of words and keys. */
#include "cli/explore/view.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_WIDTH = 30,
    LEAST_HEIGHT = 8,
    HEAD_LINES = 4,
    FOOT_LINES = 2,
    HEIGHT_FOR_DETAIL = 20
};

/* Text that is put together, and put on the grid at once. */
struct words {
    struct hd_memory m;
    struct hd_sink to;
};

static void words_begin(struct words *w)
{
    w->m = (struct hd_memory){0};
    w->to = hd_sink_memory(&w->m);
}

static const char *words_of(const struct words *w)
{
    return w->m.bytes != NULL ? w->m.bytes : "";
}

static void words_end(struct words *w)
{
    hd_memory_free(&w->m);
}

/* --- headings -------------------------------------------------------------------- */

static void put_files(const struct explore *e, struct hd_sink to)
{
    const struct hd_model *m = e->model;
    hd_put_name(to, hd_snapshot_file(m, 0));
    if (m->snapshot_count < 2)
        return;
    print_to(to, " … ");
    hd_put_name(to, hd_snapshot_file(m, m->snapshot_count - 1));
    print_to(to, ", %zu snapshots", m->snapshot_count);
}

/* What it all comes to; of one snapshot there is nothing to say but its name. */
static void draw_first_line(const struct explore *e, struct grid *g)
{
    const struct hd_model *m = e->model;
    struct words w;
    words_begin(&w);
    print_to(w.to, " ");
    if (m->diff != NULL) {
        print_to(w.to, "%s", m->diff->headline);
    } else {
        print_to(w.to, "heapdrift  ");
        put_files(e, w.to);
    }
    grid_line(g, 0, false);
    grid_put(g, LOOK_BAR, words_of(&w), g->width, ALIGN_LEFT);
    words_end(&w);
}

static void put_totals(const struct explore *e, struct hd_sink to)
{
    const struct hd_model *m = e->model;
    const struct hd_type_table *t = m->diff != NULL ? &m->diff->types : &m->top->types;
    size_t last = m->snapshot_count - 1;
    if (m->diff != NULL)
        print_to(to, " confidence: %s ", hd_confidence_name(m->diff->confidence));
    print_to(to, " heap ");
    if (last > 0) {
        hd_put_size(to, t->totals[0].bytes);
        print_to(to, " → ");
    }
    hd_put_size(to, t->totals[last].bytes);
    if (last > 0) {
        print_to(to, "  ");
        hd_put_size_change(to, t->totals[0].bytes, t->totals[last].bytes);
    }
    print_to(to, "   objects ");
    if (last > 0) {
        hd_put_count(to, t->totals[0].count);
        print_to(to, " → ");
    }
    hd_put_count(to, t->totals[last].count);
    if (m->diff == NULL)
        return;
    print_to(to, "   ");
    put_files(e, to);
}

/* What is being made meanwhile stands at the right. */
static void draw_second_line(const struct explore *e, struct grid *g)
{
    struct words w, p;
    words_begin(&w);
    words_begin(&p);
    put_totals(e, w.to);
    if (e->objects != NULL && hd_objects_progress(e->objects).making != 0)
        put_progress(e, HD_OBJECTS_ALL, p.to);
    unsigned right = grid_columns(words_of(&p));
    grid_line(g, 1, false);
    grid_put(g, LOOK_PLAIN, words_of(&w),
             right + 2 < g->width ? g->width - right - 1 : g->width, ALIGN_LEFT);
    grid_add(g, LOOK_DIM, words_of(&p));
    words_end(&p);
    words_end(&w);
}

static void draw_tab(struct explore *e, struct grid *g, enum pane p)
{
    static const char *const names[] = {"Suspects", "Tree", "Types"};
    char text[64];
    const struct view *v = e->panes[p];
    bool is_open = e->pane == p;
    const char *format = is_open ? "[%d %s%s]" : " %d %s%s ";
    char count[24] = "";
    if (p == PANE_SUSPECTS && e->model->diff != NULL)
        snprintf(count, sizeof(count), " %zu", e->model->diff->suspect_count);
    else if (p == PANE_TYPES && g->width >= 60)
        snprintf(count, sizeof(count), " %zu", v->kind->rows(e, v));
    snprintf(text, sizeof(text), format, (int)p + 1, names[p], count);
    e->tab_at[p] = g->column;
    grid_add(g, is_open ? LOOK_TAB : LOOK_PLAIN, text);
    e->tab_at[p + 1] = g->column;
}

static void put_mode(const struct explore *e, const struct view *v, struct hd_sink to)
{
    if (v->kind->order == NULL)
        return;
    if (e->app_only)
        print_to(to, "app only, ");
    print_to(to, "by %s ", v->kind->order(e, v));
}

/* Of what is open in front of a pane its name and title. */
static void draw_way(struct explore *e, struct grid *g, unsigned right)
{
    static const char *const names[] = {" Suspects ", " Tree ", " Types "};
    const struct view *v = explore_view(e);
    struct words w;
    words_begin(&w);
    for (unsigned p = 0; p <= PANES; p++)
        e->tab_at[p] = 0;
    grid_add(g, LOOK_PLAIN, names[e->pane]);
    for (unsigned p = e->pane + 1; p <= PANES; p++)
        e->tab_at[p] = g->column;
    print_to(w.to, "› ");
    if (v->kind->title != NULL)
        v->kind->title(e, v, w.to);
    unsigned left = grid_left(g);
    grid_put(g, LOOK_STRONG, words_of(&w), left > right + 1 ? left - right - 1 : left,
             ALIGN_LEFT);
    words_end(&w);
}

/* The panes, or what is open; at the right how it is sorted. */
static void draw_third_line(struct explore *e, struct grid *g)
{
    struct words w;
    words_begin(&w);
    put_mode(e, explore_view(e), w.to);
    unsigned right = grid_columns(words_of(&w));
    grid_line(g, 2, false);
    if (e->top != NULL)
        draw_way(e, g, right);
    for (enum pane p = 0; e->top == NULL && p < PANES; p++)
        draw_tab(e, g, p);
    if (grid_left(g) > right) {
        grid_put(g, LOOK_PLAIN, "", grid_left(g) - right, ALIGN_LEFT);
        grid_add(g, LOOK_DIM, words_of(&w));
    }
    words_end(&w);
}

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

static void draw_heads(struct grid *g, const struct layout *l)
{
    grid_line(g, 3, false);
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

/* Bytes of text for a line of so many columns: up to a blank, if there is one. */
static size_t fit_words(const char *text, unsigned columns)
{
    unsigned used;
    size_t fit = grid_fit(text, columns, &used), cut = fit;
    while (text[fit] != '\0' && cut > 0 && text[cut] != ' ')
        cut--;
    return cut > 0 ? cut : fit > 0 ? fit : strlen(text);
}

/* Lines of words, the first behind so many blanks, the others behind more; what is too long
 * for the last line is cut. Gives the next line. */
static unsigned draw_paragraph(struct grid *g, const char *text, unsigned line,
                               unsigned end, unsigned first, unsigned others)
{
    for (unsigned indent = first; *text != '\0' && line < end; indent = others) {
        unsigned room = g->width > indent + 2 ? g->width - indent - 1 : 1;
        size_t fit = line + 1 < end ? fit_words(text, room) : strlen(text);
        char *part = strndup(text, fit);
        grid_line(g, line++, false);
        grid_put(g, LOOK_PLAIN, "", indent, ALIGN_LEFT);
        grid_put(g, LOOK_PLAIN, part != NULL ? part : "", room, ALIGN_LEFT);
        free(part);
        text += fit;
        while (*text == ' ')
            text++;
    }
    return line;
}

static void draw_empty(const struct explore *e, const struct view *v, struct grid *g)
{
    struct words w;
    words_begin(&w);
    if (v->kind->empty != NULL)
        v->kind->empty(e, v, w.to);
    draw_paragraph(g, words_of(&w), e->list_top + 1, e->list_top + e->list_rows, 2, 2);
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
    draw_heads(g, &l);
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
            line = draw_paragraph(g, words_of(&w), line, end, 1, 10);
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
    static const char *const asked[] = {"", "/", "export to (.md or .csv): ", ""};
    struct words w;
    words_begin(&w);
    enum look look = e->is_error ? LOOK_ERROR : LOOK_PLAIN;
    print_to(w.to, " ");
    if (e->prompt == PROMPT_REPLACE) {
        hd_put_name(w.to, e->file);
        print_to(w.to, " exists. Replace it? y/n ");
    } else if (e->prompt != PROMPT_NONE) {
        print_to(w.to, "%s%s_", asked[e->prompt], e->input);
    } else if (e->message[0] != '\0') {
        hd_put_name(w.to, e->message);
    } else if (e->mark.name != NULL) {
        put_mark(e, w.to);
    }
    grid_line(g, line, false);
    grid_put(g, look, words_of(&w), g->width, ALIGN_LEFT);
    words_end(&w);
}

static void draw_keys(const struct explore *e, struct grid *g, unsigned line)
{
    static const char *const keys[][2] = {
        {"Enter", "open"}, {"Backspace", "back"}, {"Tab", "pane"}, {"/", "search"},
        {"s", "sort"},     {"a", "app only"},     {"d", "Δ/last"}, {"m", "mark"},
        {"e", "export"},   {"?", "keys"},         {"q", "quit"}};
    static const size_t order[] = {9, 10, 0, 1, 2, 3, 4, 5, 6, 7, 8};
    enum { COUNT = sizeof(keys) / sizeof(keys[0]) };
    bool shown[COUNT] = {false};
    unsigned room = g->width > 1 ? g->width - 1 : 0;
    for (size_t i = 0; i < COUNT; i++) {
        unsigned takes =
            grid_columns(keys[order[i]][0]) + 1 + grid_columns(keys[order[i]][1]);
        if (takes + 2 > room)
            continue;
        shown[order[i]] = true;
        room -= takes + 2;
    }
    grid_line(g, line, false);
    grid_add(g, LOOK_PLAIN, " ");
    if (e->prompt != PROMPT_NONE) {
        grid_add(g, LOOK_DIM,
                 e->prompt == PROMPT_REPLACE ? "Esc leaves it as it is"
                                             : "Enter does it  Esc leaves it");
        return;
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (!shown[i])
            continue;
        grid_add(g, LOOK_STRONG, keys[i][0]);
        grid_add(g, LOOK_DIM, " ");
        grid_add(g, LOOK_DIM, keys[i][1]);
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
    e->list_top = HEAD_LINES;
    e->list_rows = detail - HEAD_LINES;
    draw_first_line(e, g);
    draw_second_line(e, g);
    draw_third_line(e, g);
    draw_list(e, g);
    if (details)
        draw_detail(e, g, detail, foot);
    draw_words(e, g, foot);
    draw_keys(e, g, foot + 1);
}
