/* A diff held against rules: the verdict, what was compared, every rule with what was
 * observed and what holds it, the suspects, what to run next. */
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

/* "type MyApp.*: MyApp.Order", and not twice the same. */
static void add_rule_name(struct build *b, const struct hd_finding *f)
{
    struct doc_runs *to = &b->row->cells[b->cell++].words;
    struct text rule = {0};
    phrase_rule(&rule, f);
    const char *name = text_string(&rule), *space = strchr(name, ' ');
    build_name(b, to, name);
    if (f->subject != NULL && (space == NULL || strcmp(space + 1, f->subject) != 0)) {
        build_words(b, to, ": ");
        build_name(b, to, f->subject);
    }
    text_free(&rule);
}

static void add_source(struct build *b, struct doc_line *l, const struct hd_finding *f)
{
    struct text source = {0};
    phrase_source(&source, f);
    build_name(b, doc_piece(b->doc, l, "  "), text_string(&source));
    text_free(&source);
}

/* Which numbers show it, between which snapshots. */
static void add_numbers(struct build *b, const struct hd_finding *f)
{
    struct doc_line *l = &doc_attached(b->doc, b->row, NULL)->line;
    if (f->at != NULL && f->measure == HD_MEASURE_BYTES) {
        format_size(&b->words, f->at[f->first].bytes);
        text_add_string(&b->words, " → ");
        format_size(&b->words, f->at[f->last].bytes);
        build_end(b, doc_piece(b->doc, l, ""));
    } else if (f->at != NULL) {
        format_count(&b->words, f->at[f->first].count);
        text_add_string(&b->words, " → ");
        format_count(&b->words, f->at[f->last].count);
        build_end(b, doc_piece(b->doc, l, ""));
        format_trend(&b->words, f->at, b->r->snapshot_count);
        build_end(b, doc_piece(b->doc, l, "  "));
    }
    struct doc_runs *to = doc_piece(b->doc, l, "  ");
    build_file(b, to, f->first);
    build_words(b, to, " → ");
    build_file(b, to, f->last);
    add_source(b, l, f);
}

/* What the suspects below are, with their chains. */
struct listed {
    UT_hash_handle hh;
    const char *name;
};

static struct listed *list_suspects(const struct build *b, struct arena *scratch)
{
    struct listed *all = NULL;
    for (size_t i = 0; i < b->r->diff.suspects_shown; i++) {
        const struct hd_suspect *s = &b->r->diff.suspects[i];
        struct listed *found = NULL, *next = arena_alloc(scratch, sizeof(*next));
        next->name = s->subject;
        HASH_FIND_STR(all, s->subject, found);
        if (found == NULL && s->chains.len > 0)
            HASH_ADD_KEYPTR(hh, all, next->name, strlen(next->name), next);
    }
    return all;
}

static bool is_listed(const struct listed *all, const char *name)
{
    struct listed *found = NULL;
    if (name != NULL)
        HASH_FIND_STR(all, name, found);
    return found != NULL;
}

/* Of a suspect the table below says it. */
static void add_held_by(struct build *b, const struct hd_finding *f,
                        const struct listed *listed)
{
    if (f->is_suspect || (f->chains.len == 0 && (f->holder == NULL || !f->holder[0])))
        return;
    struct doc_attached *held = doc_attached(b->doc, b->row, "held by");
    struct doc_chains *to = &held->chains;
    held->is_said_below = is_listed(listed, f->subject);
    if (f->chains.len > 0)
        build_chain(b, to, &f->chains.all[0], false);
    else
        build_holder(b, to, f->holder);
}

static void add_reason(struct build *b, const struct hd_finding *f)
{
    struct text reason = {0};
    if (phrase_reason(&reason, f)) {
        struct doc_line *l = &doc_attached(b->doc, b->row, NULL)->line;
        l->wraps = true;
        build_quoted(b, doc_piece(b->doc, l, ""), text_string(&reason));
    }
    text_free(&reason);
}

/* Who reads a failure wants to know why; a pass is one line. */
static void add_rule(struct build *b, struct doc_table *t, const struct hd_finding *f,
                     const struct listed *listed)
{
    build_row(b, t, DOC_ROW);
    doc_run(b->doc, &b->row->cells[b->cell++].words, style_of[f->status],
            rule_status_names[f->status]);
    if (!phrase_observed(&b->words, f))
        text_add_char(&b->words, '-');
    build_cell(b);
    phrase_limit(&b->words, f);
    build_cell(b);
    add_rule_name(b, f);
    add_reason(b, f);
    if (f->status == HD_FOUND_FAIL) {
        add_numbers(b, f);
        add_held_by(b, f, listed);
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
        {.title = "observed", .align = DOC_RIGHT},
        {.title = "limit", .align = DOC_RIGHT},
        {.title = "rule", .is_subject = true, .is_title = true}};
    const struct hd_check *check = &b->r->check;
    struct doc_section *s = doc_topic(b->doc, "Rules", NULL);
    struct doc_table *t = build_table(b, s, columns, sizeof(columns) / sizeof(*columns));
    size_t shown = check->rules_shown;
    struct arena scratch = {0};
    struct listed *listed = list_suspects(b, &scratch);
    for (size_t i = 0; i < shown; i++)
        add_rule(b, t, &check->rules[i], listed);
    HASH_CLEAR(hh, listed);
    arena_free(&scratch);
    if (shown == check->rule_count)
        return;
    build_row(b, t, DOC_REST);
    format_others(&b->words, check->rule_count - shown);
    text_add_string(&b->words, "  -n 0 for all");
    build_cell(b);
}

void build_check(struct build *b)
{
    build_summary(b);
    add_rules(b);
    build_evidence(b);
    build_next(b);
}
