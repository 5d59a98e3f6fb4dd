/* What piles up and holds memory that no snapshot shows: its number, and what it usually
 * is. */
#include "document/build.h"

static void add_row(struct build *b, struct doc_table *t, const struct hd_native *n)
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
    enum { ROOM_FOR_TREND = 70 };
    static const struct doc_column columns[] = {
        {.title = "count", .align = DOC_RIGHT},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {.title = ""},
        {.title = "type", .is_subject = true, .is_title = true}};
    const struct hd_diff *d = &b->r->diff;
    if (d->native_count == 0)
        return;
    struct doc_section *s = doc_section(b->doc, DOC_TOPIC);
    s->title = (struct doc_run){DOC_WORDS, "Outside the heap"};
    s->remark = "more in every step; the memory that these hold is not counted";
    struct doc_table *t = build_table(b, s, columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < d->native_count; i++)
        add_row(b, t, &d->native[i]);
}
