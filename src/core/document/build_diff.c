/* What grew: what was compared, the suspects, the types by growth, what to run next. And
 * what takes the space in one snapshot. */
#include "document/build.h"
#include "heap/place.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where there is room for more than a screen. */
enum { MORE = DOC_ON_DETAILED_LINES | DOC_ON_PAGES, ROOM_FOR_TREND = 70 };

/* --- types --------------------------------------------------------------- */

/* A change of that from first to last. */
static void add_change(struct build *b, uint64_t first, uint64_t last,
                       void (*format)(struct text *, uint64_t, uint64_t))
{
    bool known = first != HD_UNKNOWN && last != HD_UNKNOWN;
    format(&b->words, first, last);
    CELL_AS(b,
            !known || first == last ? DOC_WORDS
            : last > first          ? DOC_MORE
                                    : DOC_LESS,
            "");
}

/* How many of the first snapshot's instances are certainly still there. Where order tells
 * who stayed, some are missed and some are taken for others. */
static void add_kept(struct build *b, const struct hd_type_row *row)
{
    const struct hd_diff *d = &b->r->diff;
    bool about = d->identity != HD_SAME_UNKNOWN || row->survivors_low != HD_UNKNOWN;
    bool known = row->survivors != HD_UNKNOWN && row->survivors > 0 && row->at[0].count > 0;
    if (known)
        CELL(b,
             d->identity == HD_SAME_BY_EVENTS ? ""
             : about                          ? "≈ "
                                              : "≥ ",
             as_percent((double)row->survivors / (double)row->at[0].count));
    else
        CELL(b, "");
}

/* row is NULL for a sum. */
static void add_type_row(struct build *b, struct doc_table *t, const struct hd_tally *at,
                         const struct hd_type_row *row)
{
    const struct hd_tally *last = &at[b->r->snapshot_count - 1];
    build_row(b, t, DOC_ROW);
    add_change(b, at->count, last->count, format_delta);
    CELL(b, at->count, " → ", last->count);
    if (row != NULL)
        build_cell_trend(b, row->at, b->r->snapshot_count);
    else
        CELL(b, "");
    add_change(b, at->bytes, last->bytes, format_size_delta);
    if (row != NULL)
        add_kept(b, row);
    else
        CELL(b, "");
    CELL(b, row != NULL ? series_status_names[row->status] : "");
}

static void add_type_rows(struct build *b, struct doc_section *s)
{
    const struct hd_type_table *types = &b->r->diff.types;
    bool knows_survivors = false;
    for (size_t i = 0; i < types->len; i++)
        knows_survivors |= types->rows[i].survivors != HD_UNKNOWN;
    const struct doc_column columns[] = {
        {RIGHT("Δcount")},
        {RIGHT("count"), .from_width = 60},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {RIGHT("Δbytes")},
        {RIGHT("kept"), .from_width = 100, .is_absent = !knows_survivors},
        {.title = "", .from_width = 90},
        {.title = report_unit(b->r), .is_subject = true}};
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < types->shown; i++) {
        add_type_row(b, t, types->rows[i].at, &types->rows[i]);
        CELL(b, run_type(types->rows[i].type));
    }
    if (types->others.rows > 0) {
        add_type_row(b, t, types->others.at, NULL);
        CELL(b, as_others(types->others.rows));
    }
    add_type_row(b, t, types->sum.at, NULL);
    CELL(b, phrase_total(types));
}

static const char *order_of_types(struct build *b, size_t shown)
{
    const struct hd_report *r = b->r;
    const char *order = r->options.sort == HD_SORT_NAME ? "by name"
                        : r->options.sort == HD_SORT_RETAINED && r->diff.by_graph
                            ? "by growth of what they retain"
                            : "by growth";
    if (shown == r->diff.types.len)
        return order;
    return arena_printf(&b->doc->arena, "%s; top %zu of %zu, -n 0 shows all", order, shown,
                        r->diff.types.len);
}

static void diff_add_types(struct build *b)
{
    static const char *const titles[] = {[HD_BY_TYPE] = "Types",
                                         [HD_BY_NAMESPACE] = "Namespaces",
                                         [HD_BY_MODULE] = "Modules",
                                         [HD_BY_HOLDER] = "Holders"};
    const struct hd_report *r = b->r;
    struct doc_section *s =
        doc_topic(b->doc, titles[r->options.by], order_of_types(b, r->diff.types.shown));
    if (r->diff.types.len > 0)
        add_type_rows(b, s);
    else
        PARAGRAPH(b, s, "None.");
}

void build_evidence(struct build *b)
{
    const struct hd_options *opt = &b->r->options;
    size_t first = b->doc->section_count;
    /* Whether rows were asked for, so that lines have them without -v. */
    bool asked = opt->rows != HD_DEFAULT_ROWS || opt->sort != HD_SORT_DEFAULT ||
                 opt->by != HD_BY_TYPE || opt->type_count + opt->exclude_count > 0 ||
                 opt->app_only;
    build_diff_head(b);
    build_suspects(b);
    build_stopped(b);
    build_native(b);
    if (b->r->kind == HD_REPORT_DIFF)
        diff_add_types(b);
    for (; first < b->doc->section_count; first++) {
        struct doc_section *s = &b->doc->sections[first];
        s->is_long = true;
        if (s->only == 0 && !asked)
            s->only = MORE;
    }
}

void build_diff(struct build *b)
{
    build_summary(b);
    build_evidence(b);
    build_next(b);
}

/* --- what has stopped growing ------------------------------------------------------ */

/* What grew, and then stayed as large: no suspects, and no reason to be sure of that.
 * Counts and bars are of the snapshots that could be compared. */
static void add_stopped_row(struct build *b, struct doc_table *t,
                            const struct hd_stopped *s)
{
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    size_t n = 0;
    for (size_t k = 0; k < b->r->snapshot_count; k++)
        if (s->count[k] != HD_UNKNOWN)
            at[n++] = (struct hd_tally){.count = s->count[k]};
    build_row(b, t, DOC_ROW);
    CELL(b, as_size_signed((int64_t)(s->growth + 0.5)));
    CELL(b, as_share(s->share));
    CELL(b, n > 0 ? at[0].count : HD_UNKNOWN, " → ", n > 0 ? at[n - 1].count : HD_UNKNOWN);
    build_cell_trend(b, at, n);
    CELL(b, run_type(s->subject));
    if (strcmp(s->subject, s->type) != 0)
        REMARK(b, "(", run_type(s->type), ")");
    /* Beside suspects it is worth one line. */
    if (b->r->diff.suspect_count == 0 && s->holder_len > 0)
        build_path(b, &doc_attached(b->doc, b->row, "held by")->chains, s->holder,
                   s->holder_len);
}

void build_stopped(struct build *b)
{
    static const struct doc_column columns[] = {
        {RIGHT("gained")},
        {RIGHT("of heap"), .from_width = 60},
        {RIGHT("count")},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {.title = "type", .is_subject = true, .is_title = true}};
    const struct hd_diff *d = &b->r->diff;
    const char *note = "not suspects";
    if (d->stopped_count == 0)
        return;
    size_t shown = d->stopped_shown;
    if (shown < d->stopped_count)
        note = arena_printf(&b->doc->arena, "not suspects; top %zu of %zu, -n 0 shows all",
                            shown, d->stopped_count);
    struct doc_table *t = TABLE(b, doc_topic(b->doc, "Leveled off", note), columns);
    for (size_t i = 0; i < shown; i++)
        add_stopped_row(b, t, &d->stopped[i]);
}

/* --- outside the heap -------------------------------------------------------------- */

/* What piles up and holds memory that no snapshot shows: its number, and what it usually
 * is. */
void build_native(struct build *b)
{
    static const struct doc_column columns[] = {
        {RIGHT("count")},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {.title = ""},
        {.title = "type", .is_subject = true, .is_title = true}};
    const struct hd_diff *d = &b->r->diff;
    if (d->native_count == 0)
        return;
    struct doc_section *s =
        doc_topic(b->doc, "Outside the heap",
                  "more in every step; the memory they hold is not counted");
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < d->native_count; i++) {
        const struct hd_native *n = &d->native[i];
        build_row(b, t, DOC_ROW);
        CELL(b, n->first, " → ", n->last);
        build_cell_trend(b, n->at, b->r->snapshot_count);
        CELL(b, n->what);
        CELL(b, run_type(n->type));
        build_hint(b, n->hint);
    }
}

/* --- one snapshot ------------------------------------------------------------------ */

/* "gen2", or "gen1 83 %, gen2 17 %" of count objects; below 1 % is for programs. */
static void add_generation(struct text *t, const struct hd_tally *by_generation, int g,
                           uint64_t count)
{
    enum { SHOWN_FROM = 100 };
    uint64_t here = by_generation[g].count;
    if (here < count / SHOWN_FROM + (count % SHOWN_FROM != 0))
        return;
    say(t, t->len > 0 ? ", " : "", generation_names[g]);
    if (here == count)
        return;
    say(t, " ", as_percent((double)here / (double)count));
}

/* All that have a share; where room is short the one that most objects are in. */
static void add_generations(struct build *b, const struct hd_type_row *row)
{
    enum { ROOM_FOR_ALL = 120 };
    const struct hd_tally *by = row->by_generation;
    int largest = 0;
    for (int g = 1; by != NULL && g < HD_GENERATION_COUNT; g++)
        largest = by[g].count > by[largest].count ? g : largest;
    if (by == NULL || by[largest].count == 0) {
        CELL(b, "-");
        return;
    }
    add_generation(&b->words, by, largest, row->at->count);
    build_end(b, doc_brief(b->doc, &b->row->cells[b->cell], ROOM_FOR_ALL));
    for (int g = 0; g < HD_GENERATION_COUNT; g++)
        add_generation(&b->words, by, g, row->at->count);
    CELL(b, "");
}

static bool has_generations(const struct hd_report *r)
{
    return r->top.types.len > 0 && r->top.types.rows[0].by_generation != NULL;
}

/* row is NULL for a sum. */
static void add_size_row(struct build *b, struct doc_table *t, const struct hd_tally *sum,
                         const struct hd_type_row *row)
{
    const struct hd_type_table *types = &b->r->top.types;
    bool known =
        sum->bytes != HD_UNKNOWN && types->bytes_known && types->totals[0].bytes > 0;
    build_row(b, t, DOC_ROW);
    CELL(b, sum->count);
    CELL(b, as_size(sum->bytes));
    CELL(b, as_share(known ? (double)sum->bytes / (double)types->totals[0].bytes : NAN));
    CELL(b, as_size(row != NULL ? row->retained : HD_UNKNOWN));
    if (row != NULL && has_generations(b->r))
        add_generations(b, row);
    else
        CELL(b, "");
}

void build_top(struct build *b)
{
    const struct hd_type_table *types = &b->r->top.types;
    const struct hd_info *info = &b->r->snapshots[0].info;
    const struct doc_column columns[] = {
        {RIGHT("count")},
        {RIGHT("bytes")},
        {RIGHT("of heap"), .from_width = 60},
        {RIGHT("retained"), .from_width = 70},
        {.title = "generation", .from_width = 100, .is_absent = !has_generations(b->r)},
        {.title = report_unit(b->r), .is_subject = true}};
    build_summary(b);
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    SAY(b, doc_piece(b->doc, l, ""), run_file(0));
    PIECE(b, l, "  ", as_plural(types->totals[0].count, "object"));
    PIECE(b, l, ", ", as_size(types->totals[0].bytes));
    if (info->has_roots && info->reachable_objects != HD_UNKNOWN && info->objects > 0 &&
        !b->r->options.gen2 && (!b->r->options.reachable || b->r->leaves_garbage))
        PIECE(b, l, ", ", as_share((double)info->reachable_objects / (double)info->objects),
              b->r->leaves_garbage ? " of all objects in the file" : " reachable");
    build_selection(b, s);
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < types->shown; i++) {
        add_size_row(b, t, types->rows[i].at, &types->rows[i]);
        CELL(b, run_type(types->rows[i].type));
    }
    if (types->shown < types->len) {
        add_size_row(b, t, types->others.at, NULL);
        CELL(b, as_others(types->len - types->shown));
    }
    add_size_row(b, t, types->sum.at, NULL);
    CELL(b, phrase_total(types));
}
