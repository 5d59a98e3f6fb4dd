/* Why instances of some types are alive. */
#include "document/build.h"

#include "ranking/hints.h"
#include "report/text_parts.h"

static void add_subject(struct build *b, struct doc_section *s)
{
    const struct hd_roots *roots = &b->r->roots;
    const size_t last = b->r->snapshot_count - 1;
    const struct hd_tally *now = &roots->instances[last];
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    l->wraps = true;
    SAY(b, doc_piece(b->doc, l, ""),
        run_name(roots->matched_count == 1 ? report_shown(b->r, roots->matched[0])
                                           : roots->pattern));
    if (roots->matched_count > 1)
        PIECE(b, l, "  ", "(", roots->matched_count, " types)");
    for (size_t k = 0; k <= last; k++)
        PIECE(b, l, k > 0 ? " " : "  ", k > 0 ? "→ " : "", roots->instances[k].count,
              k < last          ? ""
              : now->count == 1 ? " instance"
                                : " instances");
    if (now->bytes != HD_UNKNOWN)
        PIECE(b, l, ", ", as_size(now->bytes));
}

static void add_source(struct build *b, struct doc_section *s)
{
    const struct hd_roots *roots = &b->r->roots;
    const struct hd_chains *chains = &roots->chains;
    struct doc_runs *to = build_wrapped(b, s);
    if (roots->born_first > 0) {
        SAY(b, to, chains->instances, " of them, ");
        text_born(&b->words, roots->born_first, roots->born_last);
        SAY(b, to, ", ");
    }
    SAY(b, to, "held in ", run_file(b->r->snapshot_count - 1));
    if (chains->samples < chains->instances)
        SAY(b, to, " by (shares from ", chains->samples,
            " sampled instances, 95 % intervals):");
    else
        SAY(b, to, " by:");
}

static void roots_add_chain(struct build *b, struct doc_chains *to,
                            const struct hd_chain_row *c)
{
    struct doc_chain *chain = build_ladder(b, to, c);
    struct doc_line *head = &chain->head;
    bool known = c->generation != HD_GEN_UNKNOWN;
    chain->number = to->len;
    PIECE(b, head, "  ", root_kind_names[c->chain.kind]);
    if (c->instances != NULL) {
        struct doc_runs *counts = build_break(b, head, "  ");
        for (size_t k = 0; k < b->r->snapshot_count; k++)
            SAY(b, counts, k > 0 ? " → " : "", c->instances[k]);
    }
    if (c->address != 0)
        PIECE(b, head, "  ", "e.g. ", as_hex(c->address), known ? " in " : "",
              known ? generation_names[c->generation] : "");
}

/* "3 other chains hold 19 %; --chains=5 shows all" */
static void add_rest(struct build *b, struct doc_chains *to)
{
    const struct hd_chains *chains = &b->r->roots.chains;
    struct doc_runs *runs = doc_piece(b->doc, &to->rest, "");
    const char *option = arena_printf(&b->doc->arena, "--chains=%zu", chains->available);
    SAY(b, runs, as_plural(chains->omitted, "other chain"), " ",
        chains->omitted == 1 ? "holds" : "hold", " ", as_share(chains->omitted_share),
        "; ");
    if (chains->available <= chains->len)
        SAY(b, runs, "no more than ", as_id(chains->available), " can be shown");
    else
        SAY(b, runs, run_code(option),
            chains->available == chains->len + chains->omitted
                ? " shows all"
                : " shows the most frequent");
}

/* --- what to do ------------------------------------------------------------------ */

/* A hint once, however many chains have it: "FIX" of all chains, "FIX 1, 3" of some. */
static void add_fixes(struct build *b, struct doc_section *s)
{
    const struct hd_chains *chains = &b->r->roots.chains;
    struct doc_facts *facts = NULL;
    struct text title = {0};
    for (size_t i = 0; i < chains->len; i++) {
        const struct hint *hint = hint_named(chains->all[i].hint);
        size_t first = i, count = 0;
        text_clear(&title);
        text_add_string(&title, "FIX");
        for (size_t k = 0; hint != NULL && k < chains->len; k++) {
            if (chains->all[k].hint != chains->all[i].hint)
                continue;
            say(&title, count > 0 ? ", " : " ", k + 1);
            first = count++ == 0 ? k : first;
        }
        if (hint == NULL || first != i)
            continue;
        if (facts == NULL)
            facts = &doc_block(b->doc, s, DOC_FACTS)->facts;
        const char *name = count < chains->len ? text_string(&title) : "FIX";
        struct doc_line *l = &doc_fact(b->doc, facts, name)->value;
        l->wraps = true;
        build_fix(b, l, hint);
    }
    text_free(&title);
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
        roots_add_chain(b, to, &chains->all[i]);
    if (chains->omitted > 0)
        add_rest(b, to);
    add_fixes(b, s);
}
