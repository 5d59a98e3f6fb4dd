/* Why instances of some types are alive. */
#include "document/build.h"

#include "ranking/hints.h"
#include "report/text_parts.h"

#include <inttypes.h>

static void add_subject(struct build *b, struct doc_section *s)
{
    const struct hd_roots *roots = &b->r->roots;
    const size_t last = b->r->snapshot_count - 1;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    l->wraps = true;
    build_name(b, doc_piece(b->doc, l, ""),
               roots->matched_count == 1 ? report_shown(b->r, roots->matched[0])
                                         : roots->pattern);
    if (roots->matched_count > 1) {
        text_add_char(&b->words, '(');
        format_count(&b->words, roots->matched_count);
        text_add_string(&b->words, " types)");
        build_end(b, build_break(b, l, "  "));
    }
    for (size_t k = 0; k <= last; k++) {
        text_add_string(&b->words, k > 0 ? "→ " : "");
        format_count(&b->words, roots->instances[k].count);
        if (k == last)
            text_add_string(&b->words,
                            roots->instances[last].count == 1 ? " instance" : " instances");
        build_end(b, build_break(b, l, k > 0 ? " " : "  "));
    }
    if (roots->instances[last].bytes == HD_UNKNOWN)
        return;
    format_size(&b->words, roots->instances[last].bytes);
    build_end(b, build_break(b, l, ", "));
}

static void add_source(struct build *b, struct doc_section *s)
{
    const struct hd_chains *chains = &b->r->roots.chains;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    struct doc_runs *to = doc_piece(b->doc, l, "");
    l->wraps = true;
    if (b->r->roots.born_first > 0) {
        format_count(&b->words, chains->instances);
        text_add_string(&b->words, " of them, ");
        text_born(&b->words, b->r->roots.born_first, b->r->roots.born_last);
        text_add_string(&b->words, ", held in ");
        build_end(b, to);
    } else {
        build_words(b, to, "held in ");
    }
    build_file(b, to, b->r->snapshot_count - 1);
    text_add_string(&b->words, " by");
    if (chains->samples < chains->instances) {
        text_add_string(&b->words, " (shares from ");
        format_count(&b->words, chains->samples);
        text_add_string(&b->words, " sampled instances, 95 % intervals)");
    }
    text_add_char(&b->words, ':');
    build_end(b, to);
}

static void add_example(struct build *b, const struct hd_chain_row *c)
{
    char address[40];
    snprintf(address, sizeof(address), "e.g. 0x%" PRIx64, c->address);
    text_add_string(&b->words, address);
    if (c->generation == HD_GEN_UNKNOWN)
        return;
    text_add_string(&b->words, " in ");
    text_add_string(&b->words, generation_names[c->generation]);
}

static void add_chain(struct build *b, struct doc_chains *to, const struct hd_chain_row *c)
{
    struct doc_chain *chain = build_ladder(b, to, c);
    chain->number = to->len;
    text_add_string(&b->words, root_kind_names[c->chain.kind]);
    build_end(b, build_break(b, &chain->head, "  "));
    if (c->status != HD_CHAIN_UNKNOWN) {
        text_add_string(&b->words, chain_status_names[c->status]);
        build_end(b, build_break(b, &chain->head, "  "));
    }
    if (c->instances != NULL) {
        for (size_t k = 0; k < b->r->snapshot_count; k++) {
            text_add_string(&b->words, k > 0 ? " → " : "");
            format_count(&b->words, c->instances[k]);
        }
        build_end(b, build_break(b, &chain->head, "  "));
    }
    if (c->address == 0)
        return;
    add_example(b, c);
    build_end(b, build_break(b, &chain->head, "  "));
}

/* "3 other chains hold 19 %; --chains=5 shows all" */
static void add_rest(struct build *b, struct doc_chains *to)
{
    const struct hd_chains *chains = &b->r->roots.chains;
    const size_t all = chains->len + chains->omitted;
    char option[64];
    struct doc_runs *runs = doc_piece(b->doc, &to->rest, "");
    format_plural(&b->words, chains->omitted, "other chain");
    text_add_string(&b->words, chains->omitted == 1 ? " holds " : " hold ");
    format_percent(&b->words, chains->omitted_share);
    text_add_string(&b->words, "; ");
    if (chains->available <= chains->len) {
        text_add_string(&b->words, "no more than ");
        snprintf(option, sizeof(option), "%zu", chains->available);
        text_add_string(&b->words, option);
        text_add_string(&b->words, " can be shown");
        build_end(b, runs);
        return;
    }
    build_end(b, runs);
    snprintf(option, sizeof(option), "--chains=%zu", chains->available);
    doc_run(b->doc, runs, DOC_CODE, option);
    build_words(b, runs,
                chains->available == all ? " shows all" : " shows the most frequent");
}

/* --- what to do ------------------------------------------------------------------ */

static bool is_said_above(const struct hd_chains *chains, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (chains->all[k].hint == chains->all[i].hint)
            return true;
    return false;
}

/* "FIX" of all chains, "FIX 1, 3" of some. */
static const char *fix_title(struct build *b, const char *hint)
{
    const struct hd_chains *chains = &b->r->roots.chains;
    struct text of = {0}, title = {0};
    size_t count = 0;
    for (size_t i = 0; i < chains->len; i++)
        if (chains->all[i].hint == hint) {
            text_add_string(&of, count++ > 0 ? ", " : " ");
            format_count(&of, i + 1);
        }
    text_add_string(&title, "FIX");
    text_add_string(&title, count < chains->len ? text_string(&of) : "");
    const char *words = doc_string(b->doc, text_string(&title));
    text_free(&of);
    text_free(&title);
    return words;
}

/* A hint once, however many chains have it. */
static void add_fixes(struct build *b, struct doc_section *s)
{
    const struct hd_chains *chains = &b->r->roots.chains;
    struct doc_facts *facts = NULL;
    for (size_t i = 0; i < chains->len; i++) {
        const struct hint *hint = hint_named(chains->all[i].hint);
        if (hint == NULL || is_said_above(chains, i))
            continue;
        if (facts == NULL)
            facts = &doc_block(b->doc, s, DOC_FACTS)->facts;
        struct doc_line *l = &doc_fact(b->doc, facts, fix_title(b, hint->id))->value;
        l->wraps = true;
        build_fix(b, l, hint);
    }
}

void build_roots(struct build *b)
{
    const struct hd_chains *chains = &b->r->roots.chains;
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    add_subject(b, s);
    add_source(b, s);
    build_selection(b, s);
    struct doc_chains *to = &doc_block(b->doc, s, DOC_CHAINS)->chains;
    for (size_t i = 0; i < chains->len; i++)
        add_chain(b, to, &chains->all[i]);
    if (chains->omitted > 0)
        add_rest(b, to);
    add_fixes(b, s);
}
