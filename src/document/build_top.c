/* What takes the space in one snapshot. */
#include "document/build.h"
#include "report/phrases.h"

static bool has_generations(const struct hd_report *r)
{
    return r->top.types.len > 0 && r->top.types.rows[0].by_generation != NULL;
}

static int largest_generation(const struct hd_tally *by_generation)
{
    int best = 0;
    for (int g = 1; g < HD_GENERATION_COUNT; g++)
        best = by_generation[g].count > by_generation[best].count ? g : best;
    return best;
}

/* "gen2", or "gen1 83 %, gen2 17 %" of count objects; below 1 % is for programs. */
static void add_generation(struct text *t, const struct hd_tally *by_generation, int g,
                           uint64_t count)
{
    enum { SHOWN_FROM = 100 };
    uint64_t here = by_generation[g].count;
    if (here < count / SHOWN_FROM + (count % SHOWN_FROM != 0))
        return;
    text_add_string(t, t->len > 0 ? ", " : "");
    text_add_string(t, generation_names[g]);
    if (here == count)
        return;
    text_add_char(t, ' ');
    format_percent(t, (double)here / (double)count);
}

/* All that have a share; where room is short the one that most objects are in. "-" if not
 * known. */
static void add_generations(struct build *b, const struct hd_type_row *row)
{
    enum { ROOM_FOR_ALL = 120 };
    const struct hd_tally *by = row->by_generation;
    struct doc_cell *cell = &b->row->cells[b->cell];
    int largest = by != NULL ? largest_generation(by) : HD_GEN_UNKNOWN;
    if (by == NULL || by[largest].count == 0) {
        build_cell_words(b, "-");
        return;
    }
    add_generation(&b->words, by, largest, row->at->count);
    build_end(b, doc_brief(b->doc, cell, ROOM_FOR_ALL));
    for (int g = 0; g < HD_GENERATION_COUNT; g++)
        add_generation(&b->words, by, g, row->at->count);
    build_cell(b);
}

/* row is NULL for a sum. */
static void add_row(struct build *b, struct doc_table *t, struct hd_tally sum,
                    const struct hd_type_row *row)
{
    const struct hd_type_table *types = &b->r->top.types;
    build_row(b, t, DOC_ROW);
    format_count(&b->words, sum.count);
    build_cell(b);
    format_size(&b->words, sum.bytes);
    build_cell(b);
    if (sum.bytes != HD_UNKNOWN && types->bytes_known && types->totals[0].bytes > 0)
        format_percent(&b->words, (double)sum.bytes / (double)types->totals[0].bytes);
    else
        text_add_char(&b->words, '-');
    build_cell(b);
    format_size(&b->words, row != NULL ? row->retained : HD_UNKNOWN);
    build_cell(b);
    if (!has_generations(b->r))
        return;
    if (row != NULL)
        add_generations(b, row);
    else
        build_cell(b);
}

static void add_table(struct build *b, struct doc_section *s)
{
    enum { ROOM_FOR_SHARE = 60, ROOM_FOR_RETAINED = 70, ROOM_FOR_GENERATION = 100 };
    const struct hd_type_table *types = &b->r->top.types;
    const struct doc_column generation = {.title = "generation",
                                          .from_width = ROOM_FOR_GENERATION},
                            subject = {.title = report_unit(b->r), .is_subject = true};
    struct doc_column columns[] = {
        {.title = "count", .align = DOC_RIGHT},
        {.title = "bytes", .align = DOC_RIGHT},
        {.title = "of heap", .align = DOC_RIGHT, .from_width = ROOM_FOR_SHARE},
        {.title = "retained", .align = DOC_RIGHT, .from_width = ROOM_FOR_RETAINED},
        has_generations(b->r) ? generation : subject,
        subject};
    struct doc_table *t = build_table(b, s, columns, has_generations(b->r) ? 6 : 5);
    for (size_t i = 0; i < types->shown; i++) {
        add_row(b, t, *types->rows[i].at, &types->rows[i]);
        build_cell_type(b, types->rows[i].type);
    }
    if (types->shown < types->len) {
        add_row(b, t, types->others.at[0], NULL);
        format_others(&b->words, types->len - types->shown);
        build_cell(b);
    }
    add_row(b, t, types->sum.at[0], NULL);
    build_cell_words(b, phrase_total(types));
}

void build_top(struct build *b)
{
    const struct hd_info *info = &b->r->snapshots[0].info;
    const struct hd_tally *total = &b->r->top.types.totals[0];
    build_summary(b);
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    build_file(b, doc_piece(b->doc, l, ""), 0);
    format_plural(&b->words, total->count, "object");
    build_end(b, build_break(b, l, "  "));
    format_size(&b->words, total->bytes);
    build_end(b, build_break(b, l, ", "));
    if (info->has_roots && info->reachable_objects != HD_UNKNOWN && info->objects > 0 &&
        !b->r->options.gen2 && (!b->r->options.reachable || b->r->leaves_garbage)) {
        format_percent(&b->words, (double)info->reachable_objects / (double)info->objects);
        text_add_string(&b->words, b->r->leaves_garbage ? " of all objects in the file"
                                                        : " reachable");
        build_end(b, build_break(b, l, ", "));
    }
    build_selection(b, s);
    add_table(b, s);
}
