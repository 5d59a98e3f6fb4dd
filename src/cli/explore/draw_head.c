#include "cli/explore/draw_head.h"

#include "cli/explore/view.h"
#include "cli/explore/words.h"

#include <string.h>

/* --- the verdict ----------------------------------------------------------------- */

enum { MARGIN = 1, BEHIND_LABEL = 2 };

/* On which pane there is room for it: the first that one sees. */
static bool is_opening(const struct explore *e)
{
    return e->top == NULL &&
           e->pane == (e->model->diff != NULL ? PANE_SUSPECTS : PANE_TYPES);
}

/* As reports colour it: a leak is one in whatever comes to a good end, too. */
static enum look look_of(const struct hd_summary *s, const char *label)
{
    static const enum look looks[] = {[HD_TONE_GOOD] = LOOK_SHRUNK,
                                      [HD_TONE_UNSURE] = LOOK_FOUND,
                                      [HD_TONE_BAD] = LOOK_ERROR};
    static const char *const plain[] = {"FIX", "GREW", "MOST"};
    for (size_t i = 0; label != NULL && i < sizeof(plain) / sizeof(plain[0]); i++)
        if (strcmp(label, plain[i]) == 0)
            return LOOK_STRONG;
    return label != NULL && strcmp(label, "LEAK") == 0 ? LOOK_ERROR : looks[s->tone];
}

static unsigned label_columns(const struct hd_line *all, size_t count)
{
    unsigned most = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned takes = all[i].label != NULL ? grid_columns(all[i].label) : 0;
        most = takes > most ? takes : most;
    }
    return MARGIN + (most > 0 ? most + BEHIND_LABEL : 0);
}

/* A line that does not fit as a whole is left out, but for the first. */
static unsigned draw_line(struct grid *g, const struct hd_line *l, enum look look,
                          unsigned indent, unsigned line, unsigned end)
{
    struct paragraph p = {.text = l->text,
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

/* What leaks has the lines up to the end, what bears it out fewer of them. */
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

/* A total of the first snapshot and the last. */
struct total {
    const char *label;
    uint64_t first, last;
    void (*put)(struct hd_sink to, uint64_t n);
    bool has_change;
};

static void put_total(const struct total *t, bool several, struct hd_sink to)
{
    print_to(to, "%s ", t->label);
    if (several) {
        t->put(to, t->first);
        print_to(to, " → ");
    }
    t->put(to, t->last);
    if (!several || !t->has_change)
        return;
    print_to(to, "  ");
    hd_put_size_change(to, t->first, t->last);
}

/* Of these as many as fit, each as a whole. */
static unsigned draw_totals(const struct explore *e, struct grid *g, unsigned line)
{
    const struct hd_model *m = e->model;
    const struct hd_type_table *table = m->diff != NULL ? &m->diff->types : &m->top->types;
    size_t count = m->snapshot_count;
    const struct hd_tally *first = &table->totals[0], *last = &table->totals[count - 1];
    const struct total totals[] = {
        {"heap", first->bytes, last->bytes, hd_put_size, .has_change = true},
        {"objects", first->count, last->count, hd_put_count, .has_change = false}};
    grid_line(g, line, false);
    for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
        struct words w;
        words_begin(&w);
        put_total(&totals[i], count > 1, w.to);
        unsigned takes = grid_columns(words_of(&w));
        unsigned blanks = g->column == 0 ? MARGIN : 3;
        if (blanks + takes < grid_left(g)) {
            grid_put(g, LOOK_PLAIN, "", blanks, ALIGN_LEFT);
            grid_add(g, LOOK_PLAIN, words_of(&w));
        }
        words_end(&w);
    }
    return line + 1;
}

/* Elsewhere: what is open, and what became of it. */
static unsigned draw_first_line(const struct explore *e, struct grid *g)
{
    const struct hd_summary *s = e->model->summary;
    const char *label = s != NULL && s->verdict_len > 0 ? s->verdict[0].label : NULL;
    struct words w;
    words_begin(&w);
    print_to(w.to, " %s  ", label != NULL ? label : "heapdrift");
    put_files(e, w.to);
    grid_line(g, 0, false);
    grid_put(g, LOOK_BAR, words_of(&w), g->width, ALIGN_LEFT);
    words_end(&w);
    return 1;
}

/* --- the panes ------------------------------------------------------------------- */

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
static void draw_panes(struct explore *e, struct grid *g, unsigned line)
{
    struct words w;
    words_begin(&w);
    put_mode(e, explore_view(e), w.to);
    unsigned right = grid_columns(words_of(&w));
    e->tabs_line = line;
    grid_line(g, line, false);
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

/* --- all of it ------------------------------------------------------------------- */

/* The verdict is never cut as long as two rows of the list are left; facts leave five. */
unsigned head_draw(struct explore *e, struct grid *g, unsigned end)
{
    enum { BELOW_VERDICT = 4, BELOW_FACTS = 7 };
    const struct hd_summary *s = e->model->summary;
    unsigned line = 0, most = end > BELOW_VERDICT + 1 ? end - BELOW_VERDICT : 1;
    if (s != NULL && s->verdict_len > 0 && is_opening(e))
        line = draw_summary(g, s, most, end > BELOW_FACTS ? end - BELOW_FACTS : 0);
    else
        line = draw_totals(e, g, draw_first_line(e, g));
    draw_panes(e, g, line);
    return line + 1;
}
