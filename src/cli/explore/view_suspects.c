/* What the ranking found: suspects, then what scores less. */
#include "cli/explore/cohorts.h"
#include "cli/explore/view.h"
#include "cli/guard/allocate.h"

#include <stdlib.h>
#include <string.h>

enum order { BY_RANK, BY_RETAINED, BY_COUNT, BY_NAME, ORDERS };

struct suspects {
    struct view view;
    const struct hd_suspect **rows; /* those that are shown, in their order */
    size_t len;
    size_t real; /* of these so many are suspects, the others minor */
    enum order order;
    struct hd_tally *told; /* of each row: the counts that tell its growth */
    size_t *told_count;    /* how many; snapshots of them per row */
};

static const struct suspects *of(const struct view *v)
{
    return (const struct suspects *)v;
}

/* --- numbers --------------------------------------------------------------------- */

static size_t last_of(const struct explore *e)
{
    return e->model->snapshot_count - 1;
}

/* What it retains: places in the tree, or the bytes of its type. */
static uint64_t bytes_at(const struct hd_suspect *s, size_t k)
{
    return s->retained != NULL ? s->retained[k] : s->at[k].bytes;
}

/* Snapshots that could not be compared tell nothing. */
static uint64_t last_known(const struct explore *e, const struct hd_suspect *s)
{
    for (size_t k = last_of(e) + 1; k-- > 0;)
        if (bytes_at(s, k) != HD_UNKNOWN)
            return bytes_at(s, k);
    return HD_UNKNOWN;
}

/* The type that counts are of. */
static const char *counted_of(const struct hd_suspect *s)
{
    return s->counted;
}

/* What is counted is often the entry of a table, or a part, of what the row is about. */
static bool counts_another(const struct hd_suspect *s)
{
    return strcmp(counted_of(s), s->subject) != 0;
}

/* The gain of reports, as a change from one number to another. */
static void gain_of(const struct explore *e, const struct hd_suspect *s, struct cell *c)
{
    bool by_graph = s->basis != HD_BASIS_TABLE;
    c->kind = CELL_SIZE_CHANGE;
    c->a = by_graph ? (s->more < 0 ? (uint64_t)-s->more : 0) : s->at[0].bytes;
    c->b = by_graph ? (s->more < 0 ? 0 : (uint64_t)s->more) : s->at[last_of(e)].bytes;
    c->look = c->b > c->a ? LOOK_GROWN : c->b < c->a ? LOOK_SHRUNK : LOOK_PLAIN;
}

static uint64_t gained(const struct explore *e, const struct hd_suspect *s)
{
    struct cell c = {0};
    gain_of(e, s, &c);
    return c.b > c.a && c.b != HD_UNKNOWN ? c.b - c.a : 0;
}

/* --- order ----------------------------------------------------------------------- */

struct slot {
    const struct hd_suspect *s;
    uint64_t key;
    bool is_minor;
};

static int compare(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->is_minor != y->is_minor)
        return x->is_minor ? 1 : -1;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    return (x->s->rank > y->s->rank) - (x->s->rank < y->s->rank);
}

static int compare_names(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->is_minor != y->is_minor)
        return x->is_minor ? 1 : -1;
    int names = strcmp(x->s->subject, y->s->subject);
    return names != 0 ? names : (x->s->rank > y->s->rank) - (x->s->rank < y->s->rank);
}

static uint64_t key_of(const struct explore *e, const struct hd_suspect *s,
                       enum order order)
{
    if (order == BY_RETAINED)
        return e->last ? last_known(e, s) + 1 : gained(e, s);
    return order == BY_COUNT ? s->at[last_of(e)].count : 0;
}

static size_t add_rows(const struct explore *e, struct slot *slots, size_t len,
                       const struct hd_suspect *all, size_t count, bool is_minor,
                       enum order order)
{
    for (size_t i = 0; i < count; i++)
        if (!e->app_only || !hd_type_is_framework(all[i].subject))
            slots[len++] = (struct slot){&all[i], key_of(e, &all[i], order), is_minor};
    return len;
}

static void refresh(struct explore *e, struct view *v)
{
    struct suspects *s = (struct suspects *)v;
    const struct hd_diff *d = e->model->diff;
    free(s->rows);
    free(s->told);
    free(s->told_count);
    s->rows = NULL;
    s->told = NULL;
    s->told_count = NULL;
    s->len = s->real = 0;
    if (d == NULL)
        return;
    struct slot *slots = zeroed(d->suspect_count + d->minor_count, sizeof(*slots));
    s->real = add_rows(e, slots, 0, d->suspects, d->suspect_count, false, s->order);
    s->len = add_rows(e, slots, s->real, d->minor, d->minor_count, true, s->order);
    if (s->len > 0)
        qsort(slots, s->len, sizeof(*slots), s->order == BY_NAME ? compare_names : compare);
    s->rows = zeroed(s->len, sizeof(void *));
    for (size_t i = 0; i < s->len; i++)
        s->rows[i] = slots[i].s;
    free(slots);
    size_t snapshots = e->model->snapshot_count;
    s->told = zeroed(s->len * snapshots, sizeof(*s->told));
    s->told_count = zeroed(s->len, sizeof(*s->told_count));
    for (size_t i = 0; i < s->len; i++)
        s->told_count[i] =
            hd_suspect_counts(s->rows[i], snapshots, &s->told[i * snapshots]);
}

static void sort(struct explore *e, struct view *v)
{
    struct suspects *s = (struct suspects *)v;
    s->order = (s->order + 1) % ORDERS;
    refresh(e, v);
}

static const char *order_name(const struct explore *e, const struct view *v)
{
    static const char *const names[] = {"score", "Δretained", "count", "name"};
    return of(v)->order == BY_RETAINED && e->last ? "retained" : names[of(v)->order];
}

/* --- rows ------------------------------------------------------------------------ */

static size_t columns(const struct explore *e, const struct view *v, struct column *all)
{
    bool by_graph = e->model->diff != NULL && e->model->diff->by_graph;
    (void)v;
    all[0] = (struct column){"#", "rank", 3, ALIGN_RIGHT, 0};
    all[1] = e->last ? (struct column){by_graph ? "retained" : "bytes", "retained", 10,
                                       ALIGN_RIGHT, 0}
                     : (struct column){by_graph ? "Δretained" : "Δbytes", "delta", 11,
                                       ALIGN_RIGHT, 0};
    all[2] = e->last ? (struct column){"count", "count", 11, ALIGN_RIGHT, 50}
                     : (struct column){"count", "count", 19, ALIGN_RIGHT, 70};
    unsigned bars = (unsigned)view_bars(e);
    all[3] = (struct column){"trend", NULL,
                             bars < 5    ? 5
                             : bars > 16 ? 16
                                         : bars,
                             ALIGN_LEFT, 60};
    all[4] = (struct column){"suspect", "type", 0, ALIGN_LEFT, 0};
    return 5;
}

/* One more than there are: what scores less stands below a line. */
static size_t rows(const struct explore *e, const struct view *v)
{
    const struct suspects *s = of(v);
    (void)e;
    return s->len + (s->len > s->real);
}

static const struct hd_suspect *at(const struct suspects *s, size_t i)
{
    return i == s->real ? NULL : s->rows[i > s->real ? i - 1 : i];
}

/* Where there is room; what is known of the row tells it always. */
static void put_counted(const struct explore *e, const struct hd_suspect *s,
                        struct row *row)
{
    enum { WIDE = 100, MOST_SHOWN = 24 };
    struct hd_memory name = {0};
    if (e->width < WIDE || !counts_another(s))
        return;
    hd_put_type(hd_sink_memory(&name), hd_report_shown(e->report, counted_of(s)),
                MOST_SHOWN);
    snprintf(row->tail, sizeof(row->tail), "  count of %s", name.bytes);
    row->tail_look = LOOK_DIM;
    hd_memory_free(&name);
}

static void row(const struct explore *e, const struct view *v, size_t i, struct row *row)
{
    const struct hd_suspect *s = at(of(v), i);
    if (s == NULL) {
        row->is_heading = true;
        row->cells[4] = (struct cell){
            .kind = CELL_WORD, .look = LOOK_DIM, .text = "below the threshold:"};
        return;
    }
    size_t last = last_of(e), bars = view_bars(e);
    size_t number = i > of(v)->real ? i - 1 : i, n = of(v)->told_count[number];
    const struct hd_tally *told = &of(v)->told[number * e->model->snapshot_count];
    bars = bars < n ? bars : n;
    row->name = s->subject;
    row->shown = hd_report_shown(e->report, s->subject);
    row->count = s->at[last].count;
    row->bytes = last_known(e, s);
    row->has_count = row->has_bytes = true;
    row->cells[0] = (struct cell){.kind = CELL_COUNT, .a = s->rank};
    if (e->last)
        row->cells[1] = (struct cell){.kind = CELL_SIZE, .a = row->bytes};
    else
        gain_of(e, s, &row->cells[1]);
    row->cells[2] = (struct cell){.kind = e->last ? CELL_COUNT : CELL_FROM_TO,
                                  .a = e->last || n == 0 ? row->count : told[0].count,
                                  .b = n == 0 ? row->count : told[n - 1].count};
    row->cells[3] = (struct cell){.kind = CELL_TREND, .a = bars, .at = told + (n - bars)};
    row->cells[4] = (struct cell){.kind = CELL_NAME,
                                  .text = row->shown,
                                  .look = i < of(v)->real ? LOOK_STRONG : LOOK_PLAIN};
    put_counted(e, s, row);
}

static void empty(const struct explore *e, const struct view *v, struct hd_sink to)
{
    (void)v;
    if (e->model->diff == NULL)
        print_to(
            to,
            "One snapshot: nothing to compare. 2 shows who owns the heap, 3 all types.");
    else
        print_to(to, "%s",
                 e->app_only && e->model->diff->suspect_count > 0
                     ? "No type of the program keeps growing. `a` shows all."
                     : "No suspects. 2 shows who owns the heap, 3 all types by growth.");
}

/* --- what is known of one -------------------------------------------------------- */

/* Columns of "held by  ", and those that nothing stands in. */
enum { LABEL = 9, MARGINS = 2 };

static void put_counts(const struct explore *e, const struct hd_suspect *s,
                       const struct hd_tally *all, size_t count, unsigned room,
                       struct hd_sink to)
{
    struct hd_memory name = {0};
    if (counts_another(s)) {
        hd_put_short_type(hd_sink_memory(&name), hd_report_shown(e->report, counted_of(s)));
        print_to(hd_sink_memory(&name), ": ");
    }
    unsigned takes = name.bytes != NULL ? grid_columns(name.bytes) : 0;
    print_to(to, "count    ");
    if (name.size > 0)
        to.write(to.context, name.bytes, name.size);
    print_counts(all, count, takes < room ? room - takes : room, to);
    hd_memory_free(&name);
}

static void put_frame(const struct hd_frame *f, struct hd_sink to)
{
    if (f->type_count == 1 && f->repeat_max <= 1 && f->field == NULL)
        hd_put_short_type(to, f->shown[0] != NULL ? f->shown[0] : f->types[0]);
    else
        hd_put_frame(to, f);
}

/* The chain that most instances hang from; else the path in the tree. */
static void put_holder(const struct hd_suspect *s, bool whole, struct hd_sink to)
{
    const struct hd_chain *c = s->chains.len > 0 ? &s->chains.all[0].chain : NULL;
    for (size_t i = 0; c == NULL && i < s->holder_len; i++) {
        print_to(to, i > 0 ? " → " : "");
        hd_put_short_type(to, s->holder[i]);
    }
    bool from_owner = !whole && c != NULL && c->owner_frame < c->frame_count;
    size_t owner = from_owner ? c->owner_frame : 0;
    if (owner > 1) /* the way to it says little, and takes the room */
        print_to(to, "… %zu more → ", owner);
    for (size_t i = owner > 1 ? owner : 0; c != NULL && i < c->frame_count; i++) {
        print_to(to, i > owner || (i > 0 && owner < 2) ? " → " : "");
        if (c->frames_skipped > 0 && i == c->skipped_at)
            print_to(to, "… → ");
        put_frame(&c->frames[i], to);
    }
}

static bool is_held(const struct hd_suspect *s)
{
    return s->chains.len > 0 || s->holder_len > 0;
}

static void put_facts(const struct hd_suspect *s, struct hd_sink to)
{
    print_to(to, "score    ");
    hd_put_share(to, s->score_share);
    print_to(to, " of the heap");
    if (s->per_iteration != HD_UNKNOWN) {
        print_to(to, ", exactly ");
        hd_put_count(to, s->per_iteration);
        print_to(to, " per iteration");
    }
    if (s->hint != NULL)
        print_to(to, "; see heapdrift help hint %s", s->hint);
}

static bool put_births(const struct explore *e, const struct hd_suspect *s,
                       struct hd_sink to)
{
    struct hd_memory text = {0};
    bool told = hd_put_births(hd_sink_memory(&text), e->report, s);
    if (told) {
        print_to(to, "stayed   ");
        to.write(to.context, text.bytes, text.size);
    }
    hd_memory_free(&text);
    return told;
}

/* Lines of who stayed: a sentence, and on a tall screen the numbers that it is made of. */
static unsigned birth_lines(const struct explore *e, const struct hd_suspect *s,
                            unsigned room)
{
    struct hd_memory nowhere = {0};
    bool told = put_births(e, s, hd_sink_memory(&nowhere));
    bool in_full =
        e->height >= EXPLORE_TALL && hd_report_tells_births(e->report, s->births);
    hd_memory_free(&nowhere);
    return told ? 1 + (in_full ? cohorts_lines(s->births, room) : 0) : 0;
}

/* A line for each step of each chain: line i of all. */
static bool put_ladder(const struct hd_suspect *s, unsigned i, struct hd_sink to)
{
    for (size_t k = 0; k < s->chains.len; k++) {
        const struct hd_chain *c = &s->chains.all[k].chain;
        if (i == 0) {
            print_to(to, "held by  ");
            hd_put_share(to, c->share);
            print_to(to, " of the instances:");
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

/* In full where there is room; else in one line, since what stands below says more. */
static void put_type(const struct explore *e, const struct hd_suspect *s, unsigned room,
                     struct hd_sink to)
{
    const char *name = hd_report_shown(e->report, s->type);
    print_to(to, "type     ");
    if (e->height >= EXPLORE_TALL)
        hd_put_name(to, name);
    else
        hd_put_type(to, name, room);
}

/* Who stayed, and what holds it: line i of that. */
static bool put_stay(const struct explore *e, const struct hd_suspect *s, unsigned i,
                     unsigned room, struct hd_sink to)
{
    unsigned births = birth_lines(e, s, room);
    if (i < births && i > 0) {
        print_to(to, "%*s", LABEL, "");
        cohorts_line(s->births, i - 1, to);
        return true;
    }
    if (i < births)
        return put_births(e, s, to);
    i -= births;
    if (e->height >= EXPLORE_TALL && s->chains.len > 0)
        return put_ladder(s, i, to);
    if (i > 0 || !is_held(s))
        return false;
    print_to(to, "held by  ");
    put_holder(s, false, to);
    return true;
}

static bool detail(const struct explore *e, const struct view *v, unsigned i,
                   unsigned width, struct hd_sink to)
{
    const struct suspects *all = of(v);
    const struct hd_suspect *s = v->cursor < rows(e, v) ? at(all, v->cursor) : NULL;
    enum { FIRST_LINES = 3 };
    unsigned room = width > LABEL + MARGINS ? width - LABEL - MARGINS : 0;
    if (s == NULL)
        return false;
    if (i >= FIRST_LINES)
        return put_stay(e, s, i - FIRST_LINES, room, to);
    if (i == 0) {
        put_type(e, s, room, to);
    } else if (i == 1) {
        size_t number = v->cursor > all->real ? v->cursor - 1 : v->cursor;
        put_counts(e, s, &all->told[number * e->model->snapshot_count],
                   all->told_count[number], room, to);
    } else {
        put_facts(s, to);
    }
    return true;
}

static bool chain(const struct explore *e, const struct view *v, size_t i,
                  struct hd_sink to)
{
    const struct hd_suspect *s = at(of(v), i);
    (void)e;
    if (s == NULL || !is_held(s))
        return false;
    put_holder(s, true, to);
    return true;
}

static void enter(struct explore *e, struct view *v, size_t i)
{
    const struct hd_suspect *s = at(of(v), i);
    if (s == NULL)
        return;
    if (tree_view_show(e, e->panes[PANE_TREE], s->rank)) {
        e->pane = PANE_TREE;
        e->came_from_suspects = true;
        return;
    }
    explore_open(e, instances_view(e, s->type, hd_report_shown(e->report, s->type)));
}

static void release(struct view *v)
{
    free(((struct suspects *)v)->rows);
    free(((struct suspects *)v)->told);
    free(((struct suspects *)v)->told_count);
}

static const struct view_kind kind = {
    .name = "suspects",
    .place = IN_SUSPECTS,
    .columns = columns,
    .rows = rows,
    .row = row,
    .empty = empty,
    .detail = detail,
    .chain = chain,
    .detail_lines = 7,
    .tall_detail_lines = 22,
    .enter = enter,
    .sort = sort,
    .order = order_name,
    .refresh = refresh,
    .free = release,
};

struct view *suspects_view(const struct explore *e)
{
    (void)e;
    return view_new(&kind, sizeof(struct suspects));
}
