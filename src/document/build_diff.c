/* What grew: what was compared, the suspects, the types by growth, what to run next. */
#include "document/build.h"
#include "heap/place.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <string.h>

/* Where there is room for more than a screen. */
enum { MORE = DOC_ON_DETAILED_LINES | DOC_ON_PAGES };

/* --- types --------------------------------------------------------------- */

/* "kept" is how many of the first snapshot's instances are certainly still there. */
enum {
    TYPE_COLUMNS = 7,
    KEPT_COLUMN = 4,
    ROOM_FOR_COUNTS = 60,
    ROOM_FOR_TREND = 70,
    ROOM_FOR_STATUS = 90,
    ROOM_FOR_KEPT = 100
};

static bool knows_survivors(const struct hd_report *r)
{
    for (size_t i = 0; i < r->diff.types.len; i++)
        if (r->diff.types.rows[i].survivors != HD_UNKNOWN)
            return true;
    return false;
}

static struct doc_table *add_type_table(struct build *b, struct doc_section *s)
{
    struct doc_column columns[TYPE_COLUMNS] = {
        {.title = "Δcount", .align = DOC_RIGHT},
        {.title = "count", .align = DOC_RIGHT, .from_width = ROOM_FOR_COUNTS},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {.title = "Δbytes", .align = DOC_RIGHT},
        {.title = "kept", .align = DOC_RIGHT, .from_width = ROOM_FOR_KEPT},
        {.title = "", .from_width = ROOM_FOR_STATUS},
        {.title = report_unit(b->r), .is_subject = true}};
    bool kept = knows_survivors(b->r);
    if (!kept)
        memmove(&columns[KEPT_COLUMN], &columns[KEPT_COLUMN + 1],
                (TYPE_COLUMNS - KEPT_COLUMN - 1) * sizeof(*columns));
    return build_table(b, s, columns, kept ? TYPE_COLUMNS : TYPE_COLUMNS - 1);
}

/* Where order tells who stayed, some are missed and some are taken for others. */
static const char *how_sure(const struct hd_report *r, const struct hd_type_row *row)
{
    if (r->diff.identity == HD_SAME_BY_EVENTS)
        return "";
    bool about = r->diff.identity != HD_SAME_UNKNOWN || row->survivors_low != HD_UNKNOWN;
    return about ? "≈ " : "≥ ";
}

static void add_kept(struct build *b, const struct hd_type_row *row)
{
    if (row != NULL && row->survivors != HD_UNKNOWN && row->survivors > 0 &&
        row->at[0].count > 0) {
        text_add_string(&b->words, how_sure(b->r, row));
        format_percent(&b->words, (double)row->survivors / (double)row->at[0].count);
    }
    build_cell(b);
}

static void add_change(struct build *b, uint64_t first, uint64_t last)
{
    if (first == last || first == HD_UNKNOWN || last == HD_UNKNOWN)
        build_cell(b);
    else
        build_cell_change(b, last > first);
}

/* row is NULL for a sum. */
static void add_type_row(struct build *b, struct doc_table *t, struct hd_tally first,
                         struct hd_tally last, const struct hd_type_row *row)
{
    build_row(b, t, DOC_ROW);
    format_delta(&b->words, first.count, last.count);
    add_change(b, first.count, last.count);
    format_count(&b->words, first.count);
    text_add_string(&b->words, " → ");
    format_count(&b->words, last.count);
    build_cell(b);
    if (row != NULL)
        build_cell_trend(b, row->at, b->r->snapshot_count);
    else
        build_cell(b);
    format_size_delta(&b->words, first.bytes, last.bytes);
    add_change(b, first.bytes, last.bytes);
    if (t->column_count == TYPE_COLUMNS)
        add_kept(b, row);
    build_cell_words(b, row != NULL ? series_status_names[row->status] : "");
}

static void add_sums_row(struct build *b, struct doc_table *t, const struct hd_sum *sum,
                         const char *name)
{
    add_type_row(b, t, sum->at[0], sum->at[b->r->snapshot_count - 1], NULL);
    build_cell_words(b, name);
}

static void add_type_rows(struct build *b, struct doc_section *s)
{
    const struct hd_type_table *types = &b->r->diff.types;
    const size_t last = b->r->snapshot_count - 1;
    struct doc_table *t = add_type_table(b, s);
    for (size_t i = 0; i < types->shown; i++) {
        const struct hd_type_row *row = &types->rows[i];
        add_type_row(b, t, row->at[0], row->at[last], row);
        build_cell_type(b, row->type);
    }
    if (types->others.rows > 0) {
        struct text name = {0};
        format_others(&name, types->others.rows);
        add_sums_row(b, t, &types->others, text_string(&name));
        text_free(&name);
    }
    add_sums_row(b, t, &types->sum, phrase_total(types));
}

static const char *order_of_types(struct build *b, size_t shown)
{
    const struct hd_report *r = b->r;
    const char *order = r->options.sort == HD_SORT_NAME ? "by name"
                        : r->options.sort == HD_SORT_RETAINED && r->diff.by_graph
                            ? "by growth of what they retain"
                            : "by growth";
    char note[96];
    snprintf(note, sizeof(note), "%s", order);
    if (shown < r->diff.types.len)
        snprintf(note, sizeof(note), "%s; top %zu of %zu, -n 0 shows all", order, shown,
                 r->diff.types.len);
    return doc_string(b->doc, note);
}

static void add_types(struct build *b)
{
    static const char *const titles[] = {[HD_BY_TYPE] = "Types",
                                         [HD_BY_NAMESPACE] = "Namespaces",
                                         [HD_BY_MODULE] = "Modules",
                                         [HD_BY_HOLDER] = "Holders"};
    const struct hd_report *r = b->r;
    struct doc_section *s =
        doc_topic(b->doc, titles[r->options.by], order_of_types(b, r->diff.types.shown));
    if (r->diff.types.len > 0) {
        add_type_rows(b, s);
        return;
    }
    text_add_string(&b->words, "None.");
    build_paragraph(b, s);
}

/* Whether rows were asked for, so that lines have them without -v. */
static bool asks_for_rows(const struct hd_options *opt)
{
    return opt->rows != HD_DEFAULT_ROWS || opt->sort != HD_SORT_DEFAULT ||
           opt->by != HD_BY_TYPE || opt->type_count + opt->exclude_count > 0 ||
           opt->app_only;
}

void build_evidence(struct build *b)
{
    size_t first = b->doc->section_count;
    build_diff_head(b);
    build_suspects(b);
    build_stopped(b);
    build_native(b);
    if (b->r->kind == HD_REPORT_DIFF)
        add_types(b);
    for (; first < b->doc->section_count; first++) {
        struct doc_section *s = &b->doc->sections[first];
        s->is_long = true;
        if (s->only == 0 && !asks_for_rows(&b->r->options))
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

/* What grew, and then stayed as large: no suspects, and no reason to be sure of that. */

/* "1,251 → 2,751" and the bars between, of the snapshots that could be compared. */
static void add_stopped_counts(struct build *b, const struct hd_stopped *s)
{
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    size_t n = 0;
    for (size_t k = 0; k < b->r->snapshot_count; k++)
        if (s->count[k] != HD_UNKNOWN)
            at[n++] = (struct hd_tally){.count = s->count[k]};
    format_count(&b->words, n > 0 ? at[0].count : HD_UNKNOWN);
    text_add_string(&b->words, " → ");
    format_count(&b->words, n > 0 ? at[n - 1].count : HD_UNKNOWN);
    build_cell(b);
    build_cell_trend(b, at, n);
}

static void add_stopped_row(struct build *b, struct doc_table *t,
                            const struct hd_stopped *s)
{
    build_row(b, t, DOC_ROW);
    format_size_signed(&b->words, (int64_t)(s->growth + 0.5));
    build_cell(b);
    format_percent(&b->words, s->share);
    build_cell(b);
    add_stopped_counts(b, s);
    build_cell_type(b, s->subject);
    if (strcmp(s->subject, s->type) != 0) {
        struct doc_runs *to = doc_remark(b->doc, b->row);
        build_words(b, to, "(");
        build_type(b, to, s->type);
        build_words(b, to, ")");
    }
    /* Beside suspects it is worth one line. */
    if (b->r->diff.suspect_count == 0 && s->holder_len > 0)
        build_path(b, &doc_attached(b->doc, b->row, "held by")->chains, s->holder,
                   s->holder_len);
}

void build_stopped(struct build *b)
{
    enum { ROOM_FOR_SHARE = 60 };
    static const struct doc_column columns[] = {
        {.title = "gained", .align = DOC_RIGHT},
        {.title = "of heap", .align = DOC_RIGHT, .from_width = ROOM_FOR_SHARE},
        {.title = "count", .align = DOC_RIGHT},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {.title = "type", .is_subject = true, .is_title = true}};
    const struct hd_diff *d = &b->r->diff;
    char note[96] = "not suspects";
    if (d->stopped_count == 0)
        return;
    size_t shown = d->stopped_shown;
    if (shown < d->stopped_count)
        snprintf(note, sizeof(note), "not suspects; top %zu of %zu, -n 0 shows all", shown,
                 d->stopped_count);
    struct doc_section *s = doc_topic(b->doc, "Leveled off", doc_string(b->doc, note));
    struct doc_table *t = build_table(b, s, columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < shown; i++)
        add_stopped_row(b, t, &d->stopped[i]);
}

/* --- outside the heap -------------------------------------------------------------- */

/* What piles up and holds memory that no snapshot shows: its number, and what it usually
 * is. */

static void add_native_row(struct build *b, struct doc_table *t, const struct hd_native *n)
{
    build_row(b, t, DOC_ROW);
    format_count(&b->words, n->first);
    text_add_string(&b->words, " → ");
    format_count(&b->words, n->last);
    build_cell(b);
    build_cell_trend(b, n->at, b->r->snapshot_count);
    build_cell_words(b, n->what);
    build_cell_type(b, n->type);
    build_hint(b, n->hint);
}

void build_native(struct build *b)
{
    static const struct doc_column columns[] = {
        {.title = "count", .align = DOC_RIGHT},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {.title = ""},
        {.title = "type", .is_subject = true, .is_title = true}};
    const struct hd_diff *d = &b->r->diff;
    if (d->native_count == 0)
        return;
    struct doc_section *s =
        doc_topic(b->doc, "Outside the heap",
                  "more in every step; the memory they hold is not counted");
    struct doc_table *t = build_table(b, s, columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < d->native_count; i++)
        add_native_row(b, t, &d->native[i]);
}
