/* What grew, and then stayed as large: no suspects, and no reason to be sure of that. */
#include "document/build.h"

#include "report/text_growth.h"

#include <string.h>

/* "1,251 → 2,751" and the bars between, of the snapshots that could be compared. */
static void add_counts(struct build *b, const struct hd_stopped *s)
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

static void add_row(struct build *b, struct doc_table *t, const struct hd_stopped *s)
{
    build_row(b, t, DOC_ROW);
    format_size_signed(&b->words, (int64_t)(s->growth + 0.5));
    build_cell(b);
    format_percent(&b->words, s->share);
    build_cell(b);
    add_counts(b, s);
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
    enum { ROOM_FOR_SHARE = 60, ROOM_FOR_TREND = 70 };
    static const struct doc_column columns[] = {
        {.title = "gained", .align = DOC_RIGHT},
        {.title = "of heap", .align = DOC_RIGHT, .from_width = ROOM_FOR_SHARE},
        {.title = "count", .align = DOC_RIGHT},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {.title = "type", .is_subject = true, .is_title = true}};
    const struct hd_diff *d = &b->r->diff;
    char note[96] = "not growing any more; no suspects";
    if (d->stopped_count == 0)
        return;
    size_t shown = d->stopped_shown;
    if (shown < d->stopped_count)
        snprintf(note, sizeof(note),
                 "not growing any more; no suspects; %zu of %zu, -n 0 for all", shown,
                 d->stopped_count);
    struct doc_section *s = doc_section(b->doc, DOC_TOPIC);
    s->title = (struct doc_run){DOC_WORDS, "Grew, and stayed"};
    s->remark = doc_string(b->doc, note);
    struct doc_table *t = build_table(b, s, columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < shown; i++)
        add_row(b, t, &d->stopped[i]);
}
