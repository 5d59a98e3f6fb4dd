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

/* What rows add up to, under a name of ours. */
static void add_sum(struct build *b, struct doc_table *t, struct hd_tally *at,
                    const char *last, struct say_part name)
{
    struct hd_type_row sum = {.at = at,
                              .retained = HD_UNKNOWN,
                              .survivors = HD_UNKNOWN,
                              .survivors_low = HD_UNKNOWN};
    build_row(b, t, DOC_ROW);
    build_list_row(b, t, &sum);
    SAY(b, &build_cell_of(b, last)->words, name);
}

static void add_rows(struct build *b, struct doc_section *s,
                     const struct hd_type_table *types, const struct record *r)
{
    struct doc_table *t = build_list(b, s, r);
    for (size_t i = 0; i < types->shown; i++) {
        build_row(b, t, DOC_ROW);
        build_list_row(b, t, &types->rows[i]);
    }
    if (types->others.rows > 0)
        add_sum(b, t, types->others.at, "type", as_others(types->others.rows));
    add_sum(b, t, types->sum.at, "type", say_words(phrase_total(types)));
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
        add_rows(b, s, &r->diff.types, &record_row);
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

void build_top(struct build *b)
{
    const struct hd_type_table *types = &b->r->top.types;
    const struct hd_info *info = &b->r->snapshots[0].info;
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
    add_rows(b, s, types, &record_top_row);
}
