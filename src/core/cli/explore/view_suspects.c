/* Show the result of the ranking: suspects, then rows below the threshold. */
#include "cli/explore/explore.h"
#include "cli/guard/allocate.h"

#include <stdlib.h>
#include <string.h>

enum order { BY_RANK, BY_RETAINED, BY_COUNT, BY_NAME };

struct suspects {
    struct view view;
    const struct hd_suspect **rows; /* those that are shown, in their order */
    size_t len;
    size_t real; /* number of suspects among these; the others are below the threshold */
};

static const struct suspects *suspects_of(const struct view *v)
{
    return (const struct suspects *)v;
}

/* --- numbers --------------------------------------------------------------------- */

/* The gain, or the retained size at the end. */
static struct hd_column second_column(const struct explore *e, enum hd_list list)
{
    struct hd_column all[HD_MAX_COLUMNS];
    hd_list_columns(e->model, list, all);
    return all[1];
}

static enum hd_list suspects_list(const struct explore *e)
{
    return e->last ? HD_LIST_LAST_SUSPECTS : HD_LIST_SUSPECTS;
}

/* True if the counted type is another one, often the entry of a table that is the
 * title. */
static bool counts_another(const struct hd_suspect *s)
{
    return strcmp(s->counted, s->title) != 0;
}

/* --- order ----------------------------------------------------------------------- */

/* second is the column for BY_RETAINED. */
static uint64_t suspects_key_of(const struct explore *e, const struct hd_column *second,
                                const struct hd_suspect *s, unsigned order)
{
    if (order != BY_RETAINED)
        return order == BY_COUNT ? s->at[last_snapshot(e)].count : 0;
    struct hd_cell c = second->cell(e->model, s);
    if (e->last)
        return c.a + 1;
    return c.b > c.a && c.b != HD_UNKNOWN ? c.b - c.a : 0;
}

/* Appends rows of all, in sorted order. */
static void suspects_add_rows(struct suspects *s, const struct hd_suspect *all,
                              size_t count)
{
    const struct explore *e = s->view.e;
    struct hd_column second = second_column(e, suspects_list(e));
    struct view_slot *slots = zeroed(count, sizeof(*slots));
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        if (!e->app_only || !hd_type_is_framework(all[i].title))
            slots[len++] = (struct view_slot){
                .key = suspects_key_of(e, &second, &all[i], s->view.order),
                .name = s->view.order == BY_NAME ? all[i].title : "",
                .i = i};
    view_sort(slots, len);
    for (size_t i = 0; i < len; i++)
        s->rows[s->len++] = &all[slots[i].i];
    free(slots);
}

static void suspects_refresh(struct view *v)
{
    struct suspects *s = (struct suspects *)v;
    const struct explore *e = v->e;
    const struct hd_diff *d = e->model->diff;
    free(s->rows);
    s->rows = NULL;
    v->rows = s->len = s->real = 0;
    if (d == NULL)
        return;
    s->rows = zeroed(d->suspect_count + d->below_threshold_count, sizeof(void *));
    suspects_add_rows(s, d->suspects, d->suspect_count);
    s->real = s->len;
    suspects_add_rows(s, d->below_threshold, d->below_threshold_count);
    /* One more for the line above the rows below the threshold. */
    v->rows = s->len + (s->len > s->real);
}

/* --- rows ------------------------------------------------------------------------ */

static size_t suspects_columns(const struct view *v, struct hd_column *all)
{
    return view_list_columns(v->e, suspects_list(v->e), all);
}

static const struct hd_suspect *at(const struct suspects *s, size_t i)
{
    return i == s->real ? NULL : s->rows[i > s->real ? i - 1 : i];
}

/* If there is space; the details of the row always have it. */
static void put_counted(const struct explore *e, const struct hd_suspect *s,
                        struct row *row)
{
    enum { WIDE = 100, MAX_SHOWN = 24 };
    struct hd_memory name = {0};
    if (e->width < WIDE || !counts_another(s))
        return;
    hd_put_type(hd_sink_memory(&name), hd_report_shown(e->report, s->counted), MAX_SHOWN);
    snprintf(row->tail, sizeof(row->tail), "  count of %s", name.bytes);
    row->tail_look = LOOK_DIM;
    hd_memory_free(&name);
}

static void suspects_row(const struct view *v, size_t i, struct row *row)
{
    enum { NAME = 4 };
    const struct explore *e = v->e;
    const struct hd_suspect *s = at(suspects_of(v), i);
    if (s == NULL) {
        row->is_heading = true;
        row->cells[NAME] = WORD_AS(LOOK_DIM, "below the threshold:");
        return;
    }
    row->name = s->title;
    row->shown = hd_report_shown(e->report, s->title);
    row->count = s->at[last_snapshot(e)].count;
    row->bytes = second_column(e, HD_LIST_LAST_SUSPECTS).cell(e->model, s).a;
    row->has_count = row->has_bytes = true;
    view_list_cells(e, suspects_list(e), s, row);
    row->cells[NAME].look = i < suspects_of(v)->real ? LOOK_STRONG : LOOK_PLAIN;
    put_counted(e, s, row);
}

static void suspects_empty(const struct view *v, struct hd_sink to)
{
    const struct hd_diff *d = v->e->model->diff;
    PUT(to, d == NULL ? "Nothing to compare: one snapshot. 2: dominator tree, 3: all types."
            : v->e->app_only && d->suspect_count > 0
                ? "No type of the program keeps growing. `a` shows all."
                : "No suspects. 2: dominator tree, 3: all types by growth.");
}

/* --- cohorts ---------------------------------------------------------------- */

/* More would not be readable as a sentence. */
enum { MAX_COHORTS = 8, BETWEEN = 2 };

static uint64_t cohort_at(const struct hd_cohorts *b, size_t j, size_t k)
{
    size_t begin = j * b->count - j * (j - 1) / 2; /* after count, count - 1, ... values */
    return b->at[begin + k - j];
}

/* Cell k of a line; line 0 has the numbers of snapshots, line j + 1 is of cohort j. */
static const char *cell_of(const struct hd_cohorts *b, size_t line, size_t k,
                           struct hd_memory *text)
{
    text->size = 0;
    if (line == 0)
        hd_put_count(hd_sink_memory(text), b->snapshot[k] + 1);
    else if (k + 1 >= line)
        hd_put_count(hd_sink_memory(text), cohort_at(b, line - 1, k));
    return text->size > 0 ? text->bytes : "";
}

static const char *cohort_name(const struct hd_cohorts *b, size_t line,
                               struct hd_memory *text)
{
    text->size = 0;
    if (line > 1)
        PUT(hd_sink_memory(text), "new in {}", COUNT(b->snapshot[line - 1] + 1));
    return line == 0 ? "snapshot" : line == 1 ? "older" : text->bytes;
}

/* Columns of text in column i of all lines, from 0 on: the names, then the snapshots. */
static unsigned cohorts_width(const struct hd_cohorts *b, size_t i)
{
    struct hd_memory text = {0};
    unsigned most = 0;
    for (size_t line = 0; line <= b->count; line++) {
        unsigned wide = grid_columns(i == 0 ? cohort_name(b, line, &text)
                                            : cell_of(b, line, i - 1, &text));
        most = wide > most ? wide : most;
    }
    hd_memory_free(&text);
    return most;
}

unsigned cohorts_lines(const struct hd_cohorts *b, unsigned columns)
{
    if (b == NULL || b->count > MAX_COHORTS)
        return 0;
    unsigned all = cohorts_width(b, 0);
    for (size_t i = 1; i <= b->count; i++)
        all += BETWEEN + cohorts_width(b, i);
    return all <= columns ? (unsigned)b->count + 1 : 0;
}

void cohorts_line(const struct hd_cohorts *b, unsigned i, struct hd_sink to)
{
    struct hd_memory text = {0};
    const char *name = cohort_name(b, i, &text);
    print_to(to, "%s%*s", name, (int)(cohorts_width(b, 0) - grid_columns(name)), "");
    for (size_t k = 0; k < b->count; k++) {
        const char *cell = cell_of(b, i, k, &text);
        print_to(to, "%*s%s", (int)(BETWEEN + cohorts_width(b, k + 1) - grid_columns(cell)),
                 "", cell);
    }
    hd_memory_free(&text);
}

/* --- facts of a suspect ---------------------------------------------------------- */

/* Columns of "held by ", and empty margins. */
enum { LABEL = 9, MARGINS = 2 };

static void put_counts(const struct explore *e, const struct hd_suspect *s,
                       const struct hd_tally *all, size_t count, unsigned available,
                       struct hd_sink to)
{
    struct hd_memory name = {0};
    if (counts_another(s))
        PUT(hd_sink_memory(&name), "{}: ", SHORT(hd_report_shown(e->report, s->counted)));
    unsigned takes = name.bytes != NULL ? grid_columns(name.bytes) : 0;
    PUT(to, "count    {}", WORD(name.bytes != NULL ? name.bytes : ""));
    print_counts(all, count, takes < available ? available - takes : available, to);
    hd_memory_free(&name);
}

static void put_frame(const struct hd_frame *f, struct hd_sink to)
{
    if (f->type_count == 1 && f->repeat_max <= 1 && f->field == NULL)
        hd_put_short_type(to, f->shown[0] != NULL ? f->shown[0] : f->types[0]);
    else
        hd_put_frame(to, f);
}

/* Prints the chain of most instances; else the path in the tree. */
static void put_holder(const struct hd_suspect *s, bool whole, struct hd_sink to)
{
    const struct hd_chain *c = s->chains.len > 0 ? &s->chains.all[0].chain : NULL;
    for (size_t i = 0; c == NULL && i < s->holder_len; i++)
        PUT(to, i > 0 ? " → {}" : "{}", SHORT(s->holder[i]));
    bool from_owner = !whole && c != NULL && c->owner_frame < c->frame_count;
    size_t owner = from_owner ? c->owner_frame : 0;
    if (owner > 1) /* the path to it has little information, and needs space */
        PUT(to, "… {} more → ", NUMBER(owner));
    for (size_t i = owner > 1 ? owner : 0; c != NULL && i < c->frame_count; i++) {
        PUT(to, i > owner || (i > 0 && owner < 2) ? " → " : "");
        if (c->frames_skipped > 0 && i == c->skipped_at)
            PUT(to, "… → ");
        put_frame(&c->frames[i], to);
    }
}

static bool is_held(const struct hd_suspect *s)
{
    return s->chains.len > 0 || s->holder_len > 0;
}

static bool put_cohorts(const struct explore *e, const struct hd_suspect *s,
                        struct hd_sink to)
{
    struct hd_memory text = {0};
    bool has_text = hd_put_cohorts(hd_sink_memory(&text), e->report, s);
    if (has_text)
        PUT(to, "survived {}", WORD(text.bytes));
    hd_memory_free(&text);
    return has_text;
}

/* Returns the lines about survivors: a sentence, and on a tall screen its numbers. */
static unsigned cohort_section_lines(const struct explore *e, const struct hd_suspect *s,
                                     unsigned available)
{
    struct hd_memory nowhere = {0};
    bool has_text = put_cohorts(e, s, hd_sink_memory(&nowhere));
    bool in_full =
        e->height >= EXPLORE_TALL && hd_report_has_cohorts(e->report, s->cohorts);
    hd_memory_free(&nowhere);
    return has_text ? 1 + (in_full ? cohorts_lines(s->cohorts, available) : 0) : 0;
}

/* A line for each step of each chain: line i of all. */
static bool put_ladder(const struct hd_suspect *s, unsigned i, struct hd_sink to)
{
    for (size_t k = 0; k < s->chains.len; k++) {
        const struct hd_chain *c = &s->chains.all[k].chain;
        if (i == 0) {
            PUT(to, "held by  {} of the instances:", PERCENT(c->share));
            return true;
        }
        i--;
        if (i < c->frame_count) {
            print_to(to, "%*s%s", (int)(LABEL + (i < 40 ? i : 40)), "", i > 0 ? "└ " : "");
            put_frame(&c->frames[i], to);
            return true;
        }
        i -= (unsigned)c->frame_count;
    }
    return false;
}

/* Lines of which code made it: a sentence, and on a tall screen the ways to it. */
static unsigned site_lines(const struct explore *e, const struct hd_suspect *s)
{
    enum { MAX_WAYS = 6 };
    const struct hd_allocations *a = s->allocated;
    size_t ways = a != NULL && e->height >= EXPLORE_TALL ? a->node_count : 0;
    return a != NULL ? 1 + (unsigned)(ways < MAX_WAYS ? ways : MAX_WAYS) : 0;
}

static void put_site(const struct hd_suspect *s, unsigned i, unsigned available,
                     struct hd_sink to)
{
    if (i == 0) {
        PUT(to, "made in  ");
        hd_put_allocated(to, s, available);
        return;
    }
    const struct hd_site_node *n = &s->allocated->nodes[i - 1];
    print_to(to, "%*s", (int)(LABEL + 2 * (n->depth < 20 ? n->depth : 20)), "");
    PUT(to, "{} ", COUNT(n->samples));
    hd_put_site_node(to, n);
}

/* Prints line i of: survivors, the code that allocated them, and what keeps them alive. */
static bool put_stay(const struct explore *e, const struct hd_suspect *s, unsigned i,
                     unsigned available, struct hd_sink to)
{
    unsigned cohort_rows = cohort_section_lines(e, s, available);
    if (i < cohort_rows && i > 0) {
        print_to(to, "%*s", LABEL, "");
        cohorts_line(s->cohorts, i - 1, to);
        return true;
    }
    if (i < cohort_rows)
        return put_cohorts(e, s, to);
    i -= cohort_rows;
    unsigned sites = site_lines(e, s);
    if (i < sites) {
        put_site(s, i, available, to);
        return true;
    }
    i -= sites;
    if (e->height >= EXPLORE_TALL && s->chains.len > 0)
        return put_ladder(s, i, to);
    if (i > 0 || !is_held(s))
        return false;
    PUT(to, "held by  ");
    put_holder(s, false, to);
    return true;
}

static bool suspects_detail(const struct view *v, unsigned i, struct hd_sink to)
{
    enum { FIRST_LINES = 3 };
    const struct explore *e = v->e;
    const struct suspects *all = suspects_of(v);
    const struct hd_suspect *s = v->cursor < v->rows ? at(all, v->cursor) : NULL;
    unsigned available = e->width > LABEL + MARGINS ? e->width - LABEL - MARGINS : 0;
    if (s == NULL)
        return false;
    if (i >= FIRST_LINES)
        return put_stay(e, s, i - FIRST_LINES, available, to);
    if (i == 0) {
        /* In full on a tall screen; else in one line, for the more informative lines
         * below. */
        const char *name = hd_report_shown(e->report, s->type);
        PUT(to, "type     ");
        if (e->height >= EXPLORE_TALL)
            hd_put_name(to, name);
        else
            hd_put_type(to, name, available);
    } else if (i == 1) {
        struct hd_tally counts[HD_MAX_SNAPSHOTS];
        put_counts(e, s, counts, hd_suspect_counts(s, e->model->snapshot_count, counts),
                   available, to);
    } else {
        PUT(to, "score    {} of the heap", PERCENT(s->score_share));
        if (s->per_iteration != HD_UNKNOWN)
            PUT(to, ", exactly {} per iteration", COUNT(s->per_iteration));
        if (s->hint != NULL)
            PUT(to, "; see heapdrift help hint {}", WORD(s->hint));
    }
    return true;
}

static bool suspects_chain(const struct view *v, size_t i, struct hd_sink to)
{
    const struct hd_suspect *s = at(suspects_of(v), i);
    if (s == NULL || !is_held(s))
        return false;
    put_holder(s, true, to);
    return true;
}

static void suspects_enter(struct view *v, size_t i)
{
    struct explore *e = v->e;
    const struct hd_suspect *s = at(suspects_of(v), i);
    if (s == NULL)
        return;
    if (tree_view_show(e->panes[PANE_TREE], s->rank)) {
        e->pane = PANE_TREE;
        e->opened_from_suspects = true;
        return;
    }
    explore_open(e, instances_view(e, s->type, hd_report_shown(e->report, s->type)));
}

static void suspects_release(struct view *v)
{
    free(((struct suspects *)v)->rows);
}

static const struct view_kind kind = {
    .name = "suspects",
    .place = IN_SUSPECTS,
    .columns = suspects_columns,
    .row = suspects_row,
    .empty = suspects_empty,
    .detail = suspects_detail,
    .chain = suspects_chain,
    .detail_lines = 7,
    .tall_detail_lines = 22,
    .enter = suspects_enter,
    .orders = (const char *const[][2]){{"score", "score"},
                                       {"retained", "Δretained"},
                                       {"count", "count"},
                                       {"name", "name"},
                                       {NULL}},
    .refresh = suspects_refresh,
    .free = suspects_release,
};

struct view *suspects_view(struct explore *e)
{
    return view_new(e, &kind, sizeof(struct suspects));
}
