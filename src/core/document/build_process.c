/* Build the account of a process: facts of a snapshot, and a table of a series. */
#include "document/build.h"

#include "heap/process_facts.h"
#include "report/phrases.h"
#include "report/process_account.h"

#include <math.h>

/* --- one snapshot ------------------------------------------------------------------- */

/* Facts that are known, in one line: "12 sockets, 30 open files". */
struct known_facts {
    struct build *b;
    const struct hd_process_facts *facts;
    struct doc_facts *to;
    struct doc_line *line; /* NULL: no fact yet */
};

/* Returns the words of the next fact, after a comma if another one precedes it. */
static struct doc_runs *next_fact(struct known_facts *k, const char *name)
{
    if (k->line != NULL)
        return build_break(k->b, k->line, ", ");
    struct doc_runs *runs = build_fact(k->b, k->to, name);
    k->line = &k->to->all[k->to->len - 1].value;
    return runs;
}

static void add_of(struct known_facts *k, const char *name, enum hd_fact fact,
                   const char *what)
{
    uint64_t n = hd_fact(k->facts, fact);
    if (n != HD_UNKNOWN)
        SAY(k->b, next_fact(k, name), as_size(n), what);
}

static void add_of_count(struct known_facts *k, const char *name, enum hd_fact fact,
                         const char *noun)
{
    uint64_t n = hd_fact(k->facts, fact);
    if (n != HD_UNKNOWN)
        SAY(k->b, next_fact(k, name), as_plural(n, noun));
}

static void add_part(struct build *b, struct doc_facts *f, const char *name, uint64_t n,
                     uint64_t size)
{
    FACT(b, f, name, as_size(n), say_if(size > 0, say_words(", ")),
         say_if(size > 0, as_share((double)n / (double)size)));
    f->all[f->len - 1].level = 1;
}

/* Classes of a part follow it in its line. */
static void add_parts(struct build *b, struct doc_facts *f,
                      const struct hd_snapshot_facts *s)
{
    struct hd_process_row *rows;
    size_t len = process_account_of(s, 1, NULL, &rows, &b->doc->arena);
    for (size_t i = 0; i < len && !rows[i].is_count; i++) {
        const uint64_t n = rows[i].at[0];
        if (rows[i].depth == 0)
            FACT(b, f, "memory", as_size(n), " (", n, " bytes)");
        else if (rows[i].depth == 1)
            add_part(b, f, rows[i].name, n, rows[0].at[0]);
        else
            SAY(b,
                build_break(b, &f->all[f->len - 1].value,
                            rows[i - 1].depth == 1 ? ": " : ", "),
                rows[i].name, " ", as_size(n));
    }
}

static void add_kinds(struct build *b, struct doc_facts *f,
                      const struct hd_process_facts *p)
{
    struct known_facts kinds = {b, p, f, NULL};
    add_of(&kinds, "by kind", HD_FACT_PRIVATE, " private");
    add_of(&kinds, "by kind", HD_FACT_FILES, " of files");
    add_of(&kinds, "by kind", HD_FACT_SHARED, " shared");
    add_of(&kinds, "by kind", HD_FACT_SWAPPED, " swapped out");
}

/* A group without a limit has its usage only. */
static void add_limit(struct build *b, struct doc_facts *f,
                      const struct hd_process_facts *p)
{
    uint64_t limit = hd_fact(p, HD_FACT_LIMIT), used = hd_fact(p, HD_FACT_USED);
    struct known_facts group = {b, p, f, NULL};
    add_of(&group, "control group", HD_FACT_USED, " used");
    add_of(&group, "control group", HD_FACT_LIMIT, " limit");
    if (limit != HD_UNKNOWN && used != HD_UNKNOWN && limit > 0)
        SAY(b, next_fact(&group, NULL), as_share((double)used / (double)limit), " of it");
}

/* Names of the most frequent threads; names are the program's. */
static void add_threads(struct build *b, struct doc_facts *f,
                        const struct hd_process_facts *p)
{
    struct known_facts threads = {b, p, f, NULL};
    if (hd_fact(p, HD_FACT_THREADS) != HD_UNKNOWN)
        SAY(b, next_fact(&threads, "threads"), hd_fact(p, HD_FACT_THREADS));
    for (size_t i = 0; i < HD_MAX_THREAD_NAMES && p->threads[i].name[0] != '\0'; i++)
        SAY(b, next_fact(&threads, "threads"), p->threads[i].count, " ",
            run_name(doc_string(b->doc, p->threads[i].name)));
}

static void add_descriptors(struct build *b, struct doc_facts *f,
                            const struct hd_process_facts *p)
{
    static const enum hd_fact kinds[] = {HD_FACT_SOCKETS, HD_FACT_REGULAR, HD_FACT_PIPES,
                                         HD_FACT_OTHERS};
    static const char *const nouns[] = {"socket", "open file", "pipe", "other descriptor"};
    struct known_facts all = {b, p, f, NULL};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (hd_fact(p, kinds[i]) != HD_UNKNOWN)
            SAY(b, next_fact(&all, "descriptors"),
                as_plural(hd_fact(p, kinds[i]), nouns[i]));
}

static void add_collector(struct build *b, struct doc_facts *f,
                          const struct hd_process_facts *p)
{
    struct known_facts gc = {b, p, f, NULL}, fragmented = {b, p, f, NULL};
    add_of(&gc, "collector", HD_FACT_GC_COMMITTED, " committed");
    add_of(&gc, "collector", HD_FACT_GC_FREE, " in free regions");
    add_of_count(&gc, "collector", HD_FACT_GC_HEAPS, "heap");
    add_of_count(&gc, "collector", HD_FACT_PINNED, "pinned object");
    add_of(&fragmented, "fragmented", HD_FACT_FRAGMENTED, "");
    for (enum hd_fact g = HD_FACT_FREE_GEN0; g <= HD_FACT_FREE_POH; g++)
        if (hd_fact(p, g) != HD_UNKNOWN)
            SAY(b, next_fact(&fragmented, "fragmented"),
                generation_names[HD_GEN0 + (g - HD_FACT_FREE_GEN0)], " ",
                as_size(hd_fact(p, g)));
}

static void add_collections(struct build *b, struct doc_facts *f,
                            const struct hd_process_facts *p)
{
    uint64_t pause = hd_fact(p, HD_FACT_GC_PAUSE), gen2 = hd_fact(p, HD_FACT_SINCE_GEN2);
    struct known_facts own = {b, p, f, NULL};
    if (pause != HD_UNKNOWN)
        SAY(b, next_fact(&own, "collections"), "program paused for ",
            as_share((double)pause / 1e6), " of the time");
    if (gen2 != HD_UNKNOWN)
        SAY(b, next_fact(&own, "collections"), "last gen2 ", as_duration(gen2), " earlier");
}

void build_process_facts(struct build *b, struct doc_facts *f,
                         const struct hd_snapshot_facts *s)
{
    add_parts(b, f, s);
    add_kinds(b, f, &s->facts);
    add_limit(b, f, &s->facts);
    add_threads(b, f, &s->facts);
    add_descriptors(b, f, &s->facts);
    add_collector(b, f, &s->facts);
    add_collections(b, f, &s->facts);
}

/* --- a series ------------------------------------------------------------------------ */

void build_process_growth(struct build *b)
{
    const struct hd_process_growth *g = b->r->diff.process;
    const struct hd_model *m = &b->r->model;
    if (g == NULL || m->account_len == 0)
        return;
    struct doc_section *s =
        doc_topic(b->doc, "Process", "memory that is resident or swapped out");
    struct doc_table *t = build_list(b, s, &record_account_row);
    const char *grows = g->where != HD_PART_COUNT ? phrase_part(g->where) : NULL;
    t->is_tree = true;
    for (size_t i = 0; i < m->account_len; i++) {
        build_row(b, t, DOC_ROW);
        b->row->depth = m->account[i].depth;
        build_list_row(b, &m->account[i]);
        if (m->account[i].name == grows)
            REMARK(b, "keeps growing");
    }
}
