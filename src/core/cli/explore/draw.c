/* Draw the state on a grid: the verdict, whole on the first screen, one line elsewhere; the
 * panes; the list, details of its row, two lines of words and keys. */
#include "cli/explore/explore.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_WIDTH = 30, MIN_HEIGHT = 8, FOOT_LINES = 2, HEIGHT_FOR_DETAIL = 20 };

/* Text that was put together piece by piece. */
static const char *words_of(const struct hd_memory *words)
{
    return words->bytes != NULL ? words->bytes : "";
}

/* --- the verdict ----------------------------------------------------------------- */

enum { MARGIN = 1, AFTER_LABEL = 2 };

/* Colours as in reports: a leak is coloured as one, whatever the verdict. */
static enum look look_of(const struct hd_summary *s, const char *label)
{
    static const enum look looks[] = {[HD_SEVERITY_GOOD] = LOOK_SHRUNK,
                                      [HD_SEVERITY_UNSURE] = LOOK_FOUND,
                                      [HD_SEVERITY_BAD] = LOOK_ERROR};
    static const char *const plain[] = {"FIX", "GREW", "MOST"};
    for (size_t i = 0; label != NULL && i < sizeof(plain) / sizeof(plain[0]); i++)
        if (strcmp(label, plain[i]) == 0)
            return LOOK_STRONG;
    return label != NULL && strcmp(label, "LEAK") == 0 ? LOOK_ERROR : looks[s->severity];
}

static unsigned label_columns(const struct hd_line *all, size_t count)
{
    unsigned most = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned takes = all[i].label != NULL ? grid_columns(all[i].label) : 0;
        most = takes > most ? takes : most;
    }
    return MARGIN + (most > 0 ? most + AFTER_LABEL : 0);
}

/* A line that does not fit as a whole is left out, except the first. */
static unsigned draw_line(struct grid *g, const struct hd_line *l, enum look look,
                          unsigned indent, unsigned line, unsigned end)
{
    bool is_narrow = l->brief != NULL && g->width < l->brief_below;
    struct paragraph p = {.text = is_narrow ? l->brief : l->text,
                          .label = l->label,
                          .label_look = look,
                          .first = indent,
                          .others = indent};
    if (line > 0 && line + grid_paragraph_lines(&p, g->width) > end)
        return line;
    line = grid_paragraph(g, &p, line, end);
    if (l->command == NULL || line >= end || indent + grid_columns(l->command) >= g->width)
        return line;
    p = (struct paragraph){.text = l->command, .first = indent, .others = indent};
    return grid_paragraph(g, &p, line, end);
}

/* The leaks may use the lines up to the end, the facts fewer. */
static unsigned draw_summary(struct grid *g, const struct hd_summary *s, unsigned end,
                             unsigned end_of_facts)
{
    unsigned line = 0, indent = label_columns(s->verdict, s->verdict_len);
    for (size_t i = 0; i < s->verdict_len; i++)
        line = draw_line(g, &s->verdict[i], look_of(s, s->verdict[i].label), indent, line,
                         end);
    indent = label_columns(s->facts, s->fact_len);
    for (size_t i = 0; i < s->fact_len; i++)
        line = draw_line(g, &s->facts[i], LOOK_DIM, indent, line, end_of_facts);
    return line;
}

/* --- the heap -------------------------------------------------------------------- */

/* "heap 1.2 MiB → 5.1 MiB +3.9 MiB objects 12 → 45": those that fit, each as a whole. */
static unsigned draw_totals(const struct explore *e, struct grid *g, unsigned line)
{
    const struct hd_model *m = e->model;
    const struct hd_type_table *table = m->diff != NULL ? &m->diff->types : &m->top->types;
    const struct hd_tally *first = &table->totals[0],
                          *last = &table->totals[m->snapshot_count - 1];
    grid_line(g, line, false);
    for (int bytes = 1; bytes >= 0; bytes--) {
        const struct cell before = bytes ? BYTES(first->bytes) : COUNT(first->count),
                          now = bytes ? BYTES(last->bytes) : COUNT(last->count);
        struct hd_memory w = {0};
        struct hd_sink to = hd_sink_memory(&w);
        PUT(to, bytes ? "heap " : "objects ");
        if (m->snapshot_count > 1)
            PUT(to, "{} → ", before);
        PUT(to, "{}", now);
        if (m->snapshot_count > 1 && bytes)
            PUT(to, "  {}", cell_change(CELL_SIZE_CHANGE, before.a, now.a));
        unsigned blanks = g->column == 0 ? MARGIN : 3;
        if (blanks + grid_columns(words_of(&w)) < grid_left(g)) {
            grid_put(g, LOOK_PLAIN, "", blanks, ALIGN_LEFT);
            grid_add(g, LOOK_PLAIN, words_of(&w));
        }
        hd_memory_free(&w);
    }
    return line + 1;
}

/* On other screens: the inputs and the verdict. */
static unsigned draw_first_line(const struct explore *e, struct grid *g)
{
    const struct hd_model *m = e->model;
    const struct hd_summary *s = m->summary;
    const char *label = s != NULL && s->verdict_len > 0 ? s->verdict[0].label : NULL;
    struct hd_memory w = {0};
    struct hd_sink to = hd_sink_memory(&w);
    PUT(to, " {}  {}", WORD(label != NULL ? label : "heapdrift"),
        NAMED(LOOK_PLAIN, hd_snapshot_file(m, 0)));
    if (m->snapshot_count > 1)
        PUT(to, " … {}, {} snapshots",
            NAMED(LOOK_PLAIN, hd_snapshot_file(m, m->snapshot_count - 1)),
            NUMBER(m->snapshot_count));
    grid_line(g, 0, false);
    grid_put(g, LOOK_BAR, words_of(&w), g->width, ALIGN_LEFT);
    hd_memory_free(&w);
    return 1;
}

/* --- the panes ------------------------------------------------------------------- */

static void draw_tab(struct explore *e, struct grid *g, enum pane p)
{
    static const char *const names[] = {"Suspects", "Tree", "Types", "Process"};
    char text[64];
    const struct view *v = e->panes[p];
    bool is_open = e->pane == p;
    const char *format = is_open ? "[%d %s%s]" : " %d %s%s ";
    char count[24] = "";
    if (p == PANE_SUSPECTS && e->model->diff != NULL)
        snprintf(count, sizeof(count), " %zu", e->model->diff->suspect_count);
    else if (p == PANE_TYPES && g->width >= 60)
        snprintf(count, sizeof(count), " %zu", v->rows);
    snprintf(text, sizeof(text), format, (int)p + 1, names[p], count);
    e->tab_at[p] = g->column;
    grid_add(g, is_open ? LOOK_TAB : LOOK_PLAIN, text);
    e->tab_at[p + 1] = g->column;
}

/* Names and titles of the views open on top of a pane. */
static void draw_way(struct explore *e, struct grid *g, unsigned right)
{
    static const char *const names[] = {" Suspects ", " Tree ", " Types ", " Process "};
    const struct view *v = explore_view(e);
    struct hd_memory w = {0};
    struct hd_sink to = hd_sink_memory(&w);
    for (unsigned p = 0; p <= PANES; p++)
        e->tab_at[p] = 0;
    grid_add(g, LOOK_PLAIN, names[e->pane]);
    for (unsigned p = e->pane + 1; p <= PANES; p++)
        e->tab_at[p] = g->column;
    PUT(to, "› ");
    if (v->kind->title != NULL)
        v->kind->title(v, to);
    unsigned left = grid_left(g);
    grid_put(g, LOOK_STRONG, words_of(&w), left > right + 1 ? left - right - 1 : left,
             ALIGN_LEFT);
    hd_memory_free(&w);
}

/* The panes, or the open views; the sort order at the right. */
static void draw_panes(struct explore *e, struct grid *g, unsigned line)
{
    const struct view *v = explore_view(e);
    struct hd_memory w = {0};
    struct hd_sink to = hd_sink_memory(&w);
    if (v->kind->orders != NULL)
        PUT(to, e->app_only ? "app only, by {} " : "by {} ", WORD(view_order(v)));
    unsigned right = grid_columns(words_of(&w));
    e->tabs_line = line;
    grid_line(g, line, false);
    if (e->top != NULL)
        draw_way(e, g, right);
    for (enum pane p = 0;
         e->top == NULL &&
         p < panes_of(e); /* On which pane there is room for it: the first that one sees. */
         p++)
        draw_tab(e, g, p);
    if (grid_left(g) > right) {
        grid_put(g, LOOK_PLAIN, "", grid_left(g) - right, ALIGN_LEFT);
        grid_add(g, LOOK_DIM, words_of(&w));
    }
    hd_memory_free(&w);
}

/* Draws everything above line `end`, where the list ends; returns the line after the panes.
 * The verdict is never cut while two rows of the list fit; facts leave five. */
static unsigned head_draw(struct explore *e, struct grid *g, unsigned end)
{
    enum { BELOW_VERDICT = 4, BELOW_FACTS = 7 };
    const struct hd_summary *s = e->model->summary;
    unsigned line = 0, most = end > BELOW_VERDICT + 1 ? end - BELOW_VERDICT : 1;
    if (s != NULL && s->verdict_len > 0 && e->top == NULL &&
        e->pane == (e->model->diff != NULL ? PANE_SUSPECTS : PANE_TYPES))
        line = draw_summary(g, s, most, end > BELOW_FACTS ? end - BELOW_FACTS : 0);
    else
        line = draw_totals(e, g, draw_first_line(e, g));
    draw_panes(e, g, line);
    return line + 1;
}

/* --- the list -------------------------------------------------------------------- */

/* Columns that fit, with their widths; one takes what the others leave. */
struct list_layout {
    struct hd_column all[HD_MAX_COLUMNS];
    size_t from[HD_MAX_COLUMNS]; /* number of the cell */
    size_t len;
    size_t wide; /* number of the one that takes the rest */
};

enum { GUTTER = 2, BETWEEN = 2, MAX_NAME = 80 };

static void lay_out(const struct view *v, unsigned width, struct list_layout *l)
{
    struct hd_column all[HD_MAX_COLUMNS] = {0};
    size_t count = v->kind->columns(v, all);
    unsigned used = GUTTER;
    *l = (struct list_layout){0};
    for (size_t i = 0; i < count; i++) {
        if (all[i].from_width > width)
            continue;
        used += all[i].width + (l->len > 0 ? BETWEEN : 0);
        if (all[i].width == 0)
            l->wide = l->len;
        l->from[l->len] = i;
        l->all[l->len++] = all[i];
    }
    /* Numbers after a name are near it. */
    unsigned rest = width > used ? width - used : 0;
    bool is_last = l->wide + 1 == l->len;
    l->all[l->wide].width = is_last || rest < MAX_NAME ? rest : MAX_NAME;
}

static enum align align_of(const struct hd_column *c)
{
    return hd_cell_is_number(c->kind) ? ALIGN_RIGHT : ALIGN_LEFT;
}

/* The wide column: the lead, the name, and the tail if it fits. */
static void draw_name(struct grid *g, const struct row *row, const struct cell *c,
                      unsigned width)
{
    enum { MIN_NAME = 8 };
    unsigned tail_width = grid_columns(row->tail), begin = g->column;
    struct hd_memory w = {0};
    struct hd_sink to = hd_sink_memory(&w);
    if (row->lead != NULL) {
        unsigned used = grid_columns(row->lead);
        grid_put(g, LOOK_DIM, row->lead, used < width ? used : width, ALIGN_LEFT);
    }
    unsigned left = width - (g->column - begin);
    if (tail_width + MIN_NAME > left)
        tail_width = 0;
    if (c->kind == CELL_OWNER || (c->kind == CELL_NAME && c->text[0] == '['))
        print_owner(c->text, left - tail_width, to);
    else if (c->kind == CELL_NAME)
        hd_put_type(to, c->text, left - tail_width);
    else
        cell_print(c, to);
    unsigned takes = grid_columns(words_of(&w));
    grid_put(g, c->look, words_of(&w),
             takes < left - tail_width ? takes : left - tail_width, ALIGN_LEFT);
    if (tail_width > 0)
        grid_add(g, row->tail_look, row->tail);
    grid_put(g, LOOK_PLAIN, "", width - (g->column - begin), ALIGN_LEFT);
    hd_memory_free(&w);
}

static bool is_marked(const struct explore *e, const struct row *row)
{
    return e->mark.name != NULL && row->name != NULL && e->mark.bytes == row->bytes &&
           strcmp(e->mark.name, row->name) == 0;
}

static void draw_row(const struct explore *e, const struct view *v, size_t i,
                     struct grid *g, const struct list_layout *l)
{
    struct row row = view_row(v, i);
    const char *gutter = is_marked(e, &row) ? "* " : i == v->cursor ? "> " : "  ";
    grid_add(g, LOOK_FOUND, gutter);
    for (size_t k = 0; k < l->len; k++) {
        const struct cell *c = &row.cells[l->from[k]];
        grid_put(g, LOOK_PLAIN, "", k > 0 ? BETWEEN : 0, ALIGN_LEFT);
        if (k == l->wide) {
            draw_name(g, &row, c, l->all[k].width);
            continue;
        }
        struct hd_memory w = {0};
        struct hd_sink to = hd_sink_memory(&w);
        cell_print(c, to);
        grid_put(g, c->look, words_of(&w), l->all[k].width, align_of(&l->all[k]));
        hd_memory_free(&w);
    }
    grid_end_line(g, LOOK_PLAIN);
    row_free(&row);
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
    struct list_layout l;
    size_t rows = v->rows;
    lay_out(v, g->width, &l);
    grid_line(g, e->list_top - 1, false);
    grid_put(g, LOOK_HEAD, "", GUTTER, ALIGN_LEFT);
    for (size_t i = 0; i < l.len; i++) {
        grid_put(g, LOOK_HEAD, "", i > 0 ? BETWEEN : 0, ALIGN_LEFT);
        grid_put(g, LOOK_HEAD, l.all[i].title, l.all[i].width, align_of(&l.all[i]));
    }
    grid_end_line(g, LOOK_HEAD);
    scroll(e, v, rows);
    if (rows == 0) {
        struct hd_memory w = {0};
        struct hd_sink to = hd_sink_memory(&w);
        if (v->kind->empty != NULL)
            v->kind->empty(v, to);
        struct paragraph p = {.text = words_of(&w), .first = 2, .others = 2};
        grid_paragraph(g, &p, e->list_top + (e->list_rows > 2), e->list_top + e->list_rows);
        hd_memory_free(&w);
    }
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
        struct hd_memory w = {0};
        struct hd_sink to = hd_sink_memory(&w);
        more = v->kind->detail(v, i, to);
        if (more)
            line = grid_paragraph(
                g, &(struct paragraph){.text = words_of(&w), .first = 1, .others = 10},
                line, end);
        hd_memory_free(&w);
    }
}

/* --- words and keys -------------------------------------------------------------- */

static void put_mark(const struct explore *e, struct hd_sink to)
{
    const struct view *v = explore_view(e);
    hd_put_type(to, e->mark.name, 30);
    PUT(to, " is marked");
    if (v->cursor >= v->rows)
        return;
    struct row row = view_row(v, v->cursor);
    bool other = !is_marked(e, &row);
    PUT(to, other ? "; this one has" : "");
    if (other && row.has_count && e->mark.has_count)
        PUT(to, row.count == e->mark.count ? " {}as many objects," : " {} objects,",
            cell_change(CELL_COUNT_CHANGE, e->mark.count, row.count));
    if (other && row.has_bytes && e->mark.has_bytes)
        PUT(to, " {}", cell_change(CELL_SIZE_CHANGE, e->mark.bytes, row.bytes));
    row_free(&row);
}

static void draw_words(const struct explore *e, struct grid *g, unsigned line)
{
    static const char *const asked[] = {"", "/", "save as (.md or .csv): ", ""};
    struct hd_memory w = {0};
    struct hd_sink to = hd_sink_memory(&w);
    enum look look = e->is_error ? LOOK_ERROR : LOOK_PLAIN;
    PUT(to, " ");
    if (e->prompt == PROMPT_REPLACE) {
        PUT(to, "{} exists. Replace it? ", NAMED(LOOK_PLAIN, e->file));
    } else if (e->prompt != PROMPT_NONE) {
        PUT(to, "{}{}_", WORD(asked[e->prompt]), WORD(e->input));
    } else if (e->message[0] != '\0') {
        hd_put_name(to, e->message);
    } else if (e->objects != NULL && hd_objects_progress(e->objects).making != 0) {
        look = LOOK_DIM;
        put_progress(e, HD_OBJECTS_ALL, to);
    } else if (e->mark.name != NULL) {
        put_mark(e, to);
    }
    grid_line(g, line, false);
    grid_put(g, look, words_of(&w), g->width, ALIGN_LEFT);
    hd_memory_free(&w);
}

/* Keys for help and exit have priority; then the view's own. */
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

/* True if a line fits next to all that are more urgent or precede it. */
static bool key_fits(size_t which, enum place place, unsigned available)
{
    const struct key_line *line = &key_lines[which];
    int urgency = urgency_of(line, place);
    for (int u = 0; u <= urgency; u++)
        for (size_t i = 0; i < key_line_count && (u < urgency || i <= which); i++) {
            const struct key_line *other = &key_lines[i];
            if (other->word == NULL || !(other->places & (unsigned)place) ||
                urgency_of(other, place) != u)
                continue;
            if (key_takes(other) <= available)
                available -= key_takes(other);
            else if (i == which && u == urgency)
                return false;
        }
    return true;
}

static void draw_keys(const struct explore *e, struct grid *g, unsigned line)
{
    static const char *const answers[] = {[PROMPT_SEARCH] = "Enter: search, Esc: cancel",
                                          [PROMPT_EXPORT] =
                                              "Enter: save, Esc: cancel, Ctrl-U: clear",
                                          [PROMPT_REPLACE] = "y: replace, Esc: cancel"};
    enum place place = explore_view(e)->kind->place;
    unsigned available = g->width > 1 ? g->width - 1 : 0;
    grid_line(g, line, false);
    grid_add(g, LOOK_PLAIN, " ");
    if (e->prompt != PROMPT_NONE) {
        grid_add(g, LOOK_DIM, answers[e->prompt]);
        return;
    }
    for (size_t i = 0; i < key_line_count; i++) {
        const struct key_line *k = &key_lines[i];
        if (k->word == NULL || !(k->places & (unsigned)place) ||
            !key_fits(i, place, available))
            continue;
        grid_add(g, LOOK_STRONG, k->key);
        grid_add(g, LOOK_DIM, " ");
        grid_add(g, LOOK_DIM, k->word);
        grid_add(g, LOOK_PLAIN, "  ");
    }
}

/* --- the screen ------------------------------------------------------------------ */

void explore_draw(struct explore *e, struct grid *g, unsigned width, unsigned height)
{
    grid_begin(g, width, height);
    e->width = width;
    e->height = height;
    if (width < MIN_WIDTH || height < MIN_HEIGHT) {
        grid_add(g, LOOK_PLAIN, "too small");
        return;
    }
    const struct view *v = explore_view(e);
    bool details = height >= HEIGHT_FOR_DETAIL && v->kind->detail != NULL;
    unsigned foot = height - FOOT_LINES, detail = foot;
    if (details) /* a tall screen has room for more */
        detail -= 1 + (height >= EXPLORE_TALL && v->kind->tall_detail_lines > 0
                           ? v->kind->tall_detail_lines
                           : v->kind->detail_lines);
    e->list_top = head_draw(e, g, detail) + 1;
    e->list_rows = detail - e->list_top;
    draw_list(e, g);
    if (details)
        draw_detail(e, g, detail, foot);
    draw_words(e, g, foot);
    draw_keys(e, g, foot + 1);
}
