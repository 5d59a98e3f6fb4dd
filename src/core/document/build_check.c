/* Build the report of a check: the verdict, the comparison, every rule with the observed
 * growth and what keeps it alive, the suspects, the next commands. */
#include "document/build.h"

#include "base/hash.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <string.h>

static const enum doc_style style_of[HD_FINDING_STATUS_COUNT] = {
    [HD_FOUND_PASS] = DOC_GOOD,
    [HD_FOUND_FAIL] = DOC_BAD,
    [HD_FOUND_SUPPRESSED] = DOC_WORDS,
    [HD_FOUND_INCONCLUSIVE] = DOC_UNSURE};

/* "type MyApp.*: MyApp.Order", without repetition. */
static void add_rule_name(struct build *b, const struct hd_finding *f)
{
    struct text rule = {0};
    phrase_rule(&rule, f);
    const char *name = text_string(&rule), *space = strchr(name, ' ');
    bool twice = f->title == NULL || (space != NULL && strcmp(space + 1, f->title) == 0);
    if (twice)
        CELL(b, run_name(name));
    else
        CELL(b, run_name(name), ": ", run_name(report_shown(b->r, f->title)));
    text_free(&rule);
}

static void add_source(struct build *b, struct doc_line *l, const struct hd_finding *f)
{
    struct text source = {0};
    phrase_source(&source, f);
    SAY(b, doc_piece(b->doc, l, "  "), run_name(text_string(&source)));
    text_free(&source);
}

/* Adds the snapshots with the decisive numbers. */
static void add_numbers(struct build *b, const struct hd_finding *f)
{
    struct doc_line *l = &doc_attached(b->doc, b->row, NULL)->line;
    if (f->at != NULL && f->measure == HD_MEASURE_BYTES) {
        SAY(b, doc_piece(b->doc, l, ""), as_size(f->at[f->first].bytes), " → ",
            as_size(f->at[f->last].bytes));
    } else if (f->at != NULL) {
        SAY(b, doc_piece(b->doc, l, ""), f->at[f->first].count, " → ",
            f->at[f->last].count);
        format_trend(&b->words, f->at, b->r->snapshot_count);
        build_end(b, doc_piece(b->doc, l, "  "));
    }
    SAY(b, doc_piece(b->doc, l, "  "), run_file(f->first), " → ", run_file(f->last));
    add_source(b, l, f);
}

/* The suspects below that have chains, by their titles. */
struct listed_suspect {
    UT_hash_handle hh;
};

/* The table below has the chains of suspects. */
static void add_held_by(struct build *b, const struct hd_finding *f,
                        const struct listed_suspect *listed_suspect)
{
    struct listed_suspect *found = NULL;
    if (f->is_suspect || (f->chains.len == 0 && (f->holder == NULL || !f->holder[0])))
        return;
    struct doc_attached *held = doc_attached(b->doc, b->row, "held by");
    if (f->title != NULL)
        HASH_FIND_STR(listed_suspect, f->title, found);
    held->is_said_below = found != NULL;
    if (f->chains.len > 0)
        build_chain(b, &held->chains, &f->chains.all[0], false);
    else
        build_holder(b, &held->chains, f->holder);
}

/* A failure needs its reason; a pass is one line. */
static void add_rule(struct build *b, struct doc_table *t, const struct hd_finding *f,
                     const struct listed_suspect *listed_suspect)
{
    struct text reason = {0};
    build_row(b, t, DOC_ROW);
    CELL_AS(b, style_of[f->status], rule_status_names[f->status]);
    CELL(b, phrase_observed(&b->words, f) ? "" : "-");
    phrase_limit(&b->words, f);
    CELL(b, "");
    add_rule_name(b, f);
    if (phrase_reason(&reason, f))
        ATTACHED(b, NULL, run_quoted(text_string(&reason)));
    text_free(&reason);
    if (f->status == HD_FOUND_FAIL) {
        add_numbers(b, f);
        add_held_by(b, f, listed_suspect);
    } else {
        struct doc_attached *from = doc_attached(b->doc, b->row, NULL);
        from->is_for_pages = true;
        add_source(b, &from->line, f);
    }
}

static void add_rules(struct build *b)
{
    static const struct doc_column columns[] = {
        {.title = ""},
        {RIGHT("observed")},
        {RIGHT("limit")},
        {.title = "rule", .is_subject = true, .is_title = true}};
    const struct hd_check *check = &b->r->check;
    struct doc_table *t = TABLE(b, doc_topic(b->doc, "Rules", NULL), columns);
    size_t shown = check->rules_shown;
    struct arena scratch = {0};
    struct listed_suspect *listed_suspect = NULL, *found;
    for (size_t i = 0; i < b->r->diff.suspects_shown; i++) {
        const struct hd_suspect *s = &b->r->diff.suspects[i];
        HASH_FIND_STR(listed_suspect, s->title, found);
        if (found != NULL || s->chains.len == 0)
            continue;
        found = arena_alloc(&scratch, sizeof(*found));
        HASH_ADD_KEYPTR(hh, listed_suspect, s->title, strlen(s->title), found);
    }
    for (size_t i = 0; i < shown; i++)
        add_rule(b, t, &check->rules[i], listed_suspect);
    HASH_CLEAR(hh, listed_suspect);
    arena_free(&scratch);
    if (shown == check->rule_count)
        return;
    build_row(b, t, DOC_REST);
    CELL(b, as_others(check->rule_count - shown), "  -n 0 for all");
}

void build_check(struct build *b)
{
    build_summary(b);
    add_rules(b);
    build_evidence(b);
    build_next(b);
}
