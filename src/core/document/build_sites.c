/* Where the objects of suspects were allocated: under each the ways from there up to the
 * callers, with their samples by interval. */
#include "document/build.h"

#include "report/phrases.h"

/* Ways of a suspect: shown in lines, and on a page. */
enum { WAYS_IN_LINES = 12, WAYS_ON_PAGES = 60 };

/* Numbers of more intervals are bars. */
enum { MAX_NUMBERS = 8 };

void build_code(struct build *b, struct doc_runs *to, const struct hd_code *code)
{
    /* Names of types lose their namespaces, and methods would lose their classes. */
    SAY(b, to, run_quoted(code->method));
    if (code->file == NULL)
        return;
    SAY_AS(b, to, DOC_ASIDE, " (", run_quoted(code->file));
    if (code->line != HD_UNKNOWN)
        say(&b->words, ":", as_digits(code->line));
    SAY_AS(b, to, DOC_ASIDE, ")");
}

/* Names by themselves: they have to be escaped. */
static void add_sentence(struct build *b, struct doc_runs *to, const struct sentence *h)
{
    size_t at = 0;
    for (size_t i = 0; i < h->name_count; i++) {
        text_add(&b->words, h->words.data + at, h->names[i].from - at);
        build_end(b, to);
        at = h->names[i].to;
        text_add(&b->words, h->words.data + h->names[i].from, at - h->names[i].from);
        SAY_AS(b, to, DOC_NAME, "");
    }
    text_add(&b->words, h->words.data + at, h->words.len - at);
    build_end(b, to);
}

void build_allocated(struct build *b, const struct hd_suspect *s)
{
    struct sentence h = {0};
    phrase_allocated(&h, s, SIZE_MAX);
    if (h.words.len > 0)
        add_sentence(b, doc_piece(b->doc, build_attached(b, "made in"), ""), &h);
    sentence_free(&h);
}

/* "4 3 4", or bars. */
static void add_intervals(struct build *b, const uint64_t *at)
{
    struct hd_tally bars[HD_MAX_SNAPSHOTS];
    size_t count = 0;
    for (size_t k = 0; at != NULL && k < b->r->snapshot_count; k++)
        if (at[k] != HD_UNKNOWN)
            bars[count++] = (struct hd_tally){.count = at[k]};
    if (count > MAX_NUMBERS) {
        build_cell_trend(b, bars, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        say(&b->words, i > 0 ? " " : "", bars[i].count);
    CELL(b, "");
}

static void add_suspect(struct build *b, struct doc_table *t, const struct hd_suspect *s)
{
    build_row(b, t, DOC_ROW);
    CELL(b, s->allocated->samples);
    add_intervals(b, s->allocated->at);
    struct doc_runs *to = build_next_cell(b);
    SAY_AS(b, to, DOC_STRONG, "suspect ", s->rank);
    SAY(b, to, "  ", run_type(s->title));
    if (phrase_witness(&b->words, s))
        REMARK(b, "");
}

static void add_ways(struct build *b, struct doc_table *t, const struct hd_allocations *a)
{
    size_t most = b->page != NULL ? WAYS_ON_PAGES : WAYS_IN_LINES, shown = 0;
    if (b->r->options.rows == 0)
        most = a->node_count;
    for (; shown < a->node_count && shown < most; shown++) {
        const struct hd_site_node *n = &a->nodes[shown];
        build_row(b, t, DOC_ROW);
        b->row->depth = n->depth + 1;
        CELL(b, n->samples);
        add_intervals(b, n->at);
        struct doc_runs *to = build_next_cell(b);
        for (size_t i = 0; i < n->code_count; i++) {
            if (i > 0)
                SAY_AS(b, to, DOC_ASIDE, " ← ");
            build_code(b, to, &n->codes[i]);
        }
    }
    build_rest(b, t, a->node_count - shown);
}

void build_sites(struct build *b)
{
    static const struct doc_column columns[] = {
        {RIGHT("samples")},
        {.title = "by interval", .from_width = 60},
        {.title = "allocated in ← called by", .is_subject = true, .is_title = true}};
    const struct hd_diff *d = &b->r->diff;
    struct doc_table *t = NULL;
    for (size_t i = 0; i < d->suspects_shown; i++) {
        const struct hd_suspect *s = &d->suspects[i];
        if (s->allocated == NULL || s->allocated->site_count == 0)
            continue;
        if (t == NULL) {
            struct doc_section *in = doc_topic(
                b->doc, "Allocated",
                "samples of allocations that survive, about one in 100 KB; docs/sites.md");
            t = TABLE(b, in, columns);
            t->is_tree = true;
        }
        add_suspect(b, t, s);
        add_ways(b, t, s->allocated);
    }
}
