/* Build the suspects of a diff and of a check: growth, what keeps it alive, the usual
 * cause; rows below the threshold, and buffers of pools. */
#include "document/build.h"

#include "base/text.h"
#include "heap/names.h"
#include "ranking/hints.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <math.h>
#include <string.h>

/* --- sentences -------------------------------------------------------------- */

/* True if the ranking is empty, with a message. */
static bool add_none(struct build *b, struct doc_section *s)
{
    const struct hd_diff *d = &b->r->diff;
    bool hidden = d->hidden_count > 0;
    if (d->usable_count < 2) {
        PARAGRAPH(b, s, "Inconclusive: fewer than two of the snapshots can be compared.");
        return true;
    }
    if (d->no_match != NULL) {
        struct text why = {0};
        phrase_no_match(&why, b->r->options.by, d->no_match);
        SAY(b, doc_piece(b->doc, &doc_block(b->doc, s, DOC_PARAGRAPH)->line, ""),
            "None: ", run_quoted(text_string(&why)));
        text_free(&why);
        return true;
    }
    if (d->suspect_count + d->below_threshold_count + d->pooled_count == 0) {
        hidden |= d->types.len == 0 && b->r->found.diff.types.len > 0;
        PARAGRAPH(b, s,
                  hidden              ? "None of the types shown keeps growing."
                  : d->growth.is_open ? "None."
                                      : "None: nothing keeps growing.");
        return true;
    }
    if (d->suspect_count > 0)
        return false;
    say(&b->words, hidden ? "None of the types shown" : "None: no ",
        hidden ? "" : report_unit(b->r), " grows by ");
    text_line(&b->words, b->r);
    PARAGRAPH(b, s, " or more at its current rate.");
    return false;
}

/* --- rows ------------------------------------------------------------------ */

/* "(with String and 2 others)" */
static void add_also(struct build *b, struct doc_runs *to, const struct hd_suspect *s)
{
    enum { NAMED = 2 };
    size_t named = s->also_count > NAMED + 1 ? NAMED : s->also_count;
    SAY(b, to, "(with ");
    for (size_t i = 0; i < named; i++)
        SAY(b, to,
            i == 0                   ? ""
            : i + 1 == s->also_count ? " and "
                                     : ", ",
            run_type(s->also[i]));
    if (named < s->also_count)
        SAY(b, to, " and ", s->also_count - named, " others)");
    else
        SAY(b, to, ")");
}

/* Adds the type that the ranking found growing, if the title is another; co-retained types;
 * the rate. The numbers of the table of types differ. */
static void add_remarks(struct build *b, const struct hd_suspect *s)
{
    struct async_method m;
    if (strcmp(s->title, s->type) != 0 || async_method_of(&m, s->type))
        REMARK(b, "(", run_type(s->type), ")");
    if (s->also_count > 0 && b->r->options.by == HD_BY_HOLDER)
        REMARK(b, "(with ", as_plural(s->also_count, "holder"), " below it)");
    else if (s->also_count > 0)
        add_also(b, doc_remark(b->doc, b->row), s);
    if (text_turnover(&b->words, s))
        REMARK(b, "");
    if (text_since(&b->words, b->r, s->cohorts))
        REMARK(b, "");
    if (phrase_has_changing_owners(s))
        REMARK(b, "held by different owners over time");
    if (s->per_iteration != HD_UNKNOWN)
        REMARK(b, "exactly ", s->per_iteration, " per iteration");
    else if (s->step_most > 0)
        REMARK(b, "steady: +", as_range(s->step_least, s->step_most), " every step");
    if (s->counts_place)
        REMARK(b, "at this location; heap-wide ", s->at[0].count, " → ",
               s->at[b->r->snapshot_count - 1].count);
}

/* Returns the data for bars, a value per snapshot: the counts of the row or, for a single
 * object that keeps growing, its retained size. */
static struct doc_chart *chart_of(struct build *b, const struct hd_suspect *s,
                                  const struct hd_tally *counts, size_t n)
{
    const size_t all = b->r->snapshot_count;
    bool is_size =
        s->retained != NULL && n > 0 && counts[n - 1].count <= counts[0].count + 1;
    struct doc_chart *chart = arena_alloc(&b->doc->arena, sizeof(*chart));
    double *x = arena_array(&b->doc->arena, double, all);
    double *y = arena_array(&b->doc->arena, double, all);
    double most = 0;
    for (size_t k = 0, i = 0; k < all; k++) {
        bool left_out = s->held != NULL && s->held[k] == HD_UNKNOWN;
        uint64_t value = left_out ? HD_UNKNOWN : is_size ? s->retained[k] : counts[i].count;
        i += !left_out;
        x[k] = (double)k;
        y[k] = value != HD_UNKNOWN ? (double)value : NAN;
        most = y[k] > most ? y[k] : most;
    }
    *chart =
        (struct doc_chart){.x = x, .y = y, .len = all, .most = most, .is_size = is_size};
    return chart;
}

static void suspects_add_row(struct build *b, struct doc_table *t,
                             const struct hd_suspect *s)
{
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    build_row(b, t, DOC_ROW);
    b->row->is_suspect = s->suspicion != HD_SUSPECT_NOT && s->rank > 0;
    build_list_row(b, s);
    if (b->page != NULL)
        build_cell_of(b, "trend")->chart =
            chart_of(b, s, at, hd_suspect_counts(s, b->r->snapshot_count, at));
    add_remarks(b, s);
}

/* A page has space for every frame; a line has the most informative ones. */
static void suspects_add_held_by(struct build *b, const struct hd_chains *chains)
{
    if (chains->len == 0 && chains->omitted == 0)
        return;
    bool page = b->page != NULL; /* lines have just shown the survivors */
    const char *label = page && chains->of_survivors ? "survivors are held by" : "held by";
    struct doc_chains *to = &doc_attached(b->doc, b->row, label)->chains;
    for (size_t i = 0; i < chains->len; i++)
        if (page)
            build_ladder(b, to, &chains->all[i]);
        else
            build_chain(b, to, &chains->all[i], true);
    if (chains->omitted == 0)
        return;
    SAY(b, doc_piece(b->doc, &to->rest, ""), as_share(chains->omitted_share));
    SAY(b, doc_piece(b->doc, &to->rest, "  "), "in ",
        as_plural(chains->omitted, "other chain"));
}

void build_fix(struct build *b, struct doc_line *l, const struct hint *hint)
{
    build_marked(b, doc_piece(b->doc, l, ""), hint->fix);
    phrase_hint_command(&b->words, hint->id);
    SAY_AS(b, doc_piece(b->doc, l, "  "), DOC_CODE, "");
}

void build_hint(struct build *b, const char *id)
{
    const struct hint *hint = hint_named(id);
    if (hint == NULL)
        return;
    struct doc_line *l = build_attached(b, "fix");
    b->row->attached[b->row->attached_count - 1].hint = hint->id;
    if (b->page != NULL) /* it has the text */
        build_marked(b, doc_piece(b->doc, l, ""), hint->fix);
    else
        build_fix(b, l, hint);
}

/* --- groups ---------------------------------------------------------------- */

/* Rows under a line of their own, which is in b->words: the first ones; the others are only
 * counted. Nothing without any. */
static void add_group(struct build *b, struct doc_table *t,
                      const struct hd_suspect *const *rows, size_t len, size_t shown)
{
    if (len > 0) {
        build_row(b, t, DOC_GROUP);
        CELL(b, "");
    }
    for (size_t i = 0; i < shown; i++)
        suspects_add_row(b, t, rows[i]);
    build_others(b, t, len - shown);
    text_clear(&b->words);
}

/* Adds a few rows below the threshold; and buffers that pools hold, which are free for use
 * and follow the peak load. */
static void suspects_add_groups(struct build *b, struct doc_table *t)
{
    enum { MAX_BELOW_THRESHOLD = 5 };
    const struct hd_diff *d = &b->r->diff;
    struct arena scratch = {0};
    const struct hd_suspect **rows = arena_array(
        &scratch, const struct hd_suspect *, d->below_threshold_count + d->pooled_count);
    size_t most = b->r->options.rows != 0 ? MAX_BELOW_THRESHOLD : d->below_threshold_count,
           len = 0;
    for (size_t i = 0; i < d->below_threshold_count; i++)
        if (!report_has_leveled_off(d, d->below_threshold[i].type))
            rows[len++] = &d->below_threshold[i];
    text_add_string(&b->words, "below ");
    text_line(&b->words, b->r);
    text_add_string(&b->words, " at the current rate");
    add_group(b, t, rows, len, len < most ? len : most);
    for (size_t i = 0; i < d->pooled_count; i++)
        rows[i] = &d->pooled[i];
    text_add_string(&b->words, "held by buffer pools, not ranked");
    add_group(b, t, rows, d->pooled_count, d->pooled_count);
    arena_free(&scratch);
}

/* Columns that repeat the words above give way first. */
static void suspects_add_table(struct build *b, struct doc_section *s)
{
    const struct hd_diff *d = &b->r->diff;
    struct doc_table *t = build_list(b, s, &record_suspect);
    t->details = "Scores";
    for (size_t i = 0; i < d->suspects_shown; i++) {
        const struct hd_suspect *suspect = &d->suspects[i];
        suspects_add_row(b, t, suspect);
        if (text_shows_cohorts(b->r, suspect->cohorts)) {
            text_put_cohorts(&b->words, suspect->cohorts, d->identity == HD_SAME_BY_EVENTS);
            ATTACHED(b, "survived", "");
        }
        suspects_add_held_by(b, &suspect->chains);
        build_allocated(b, suspect);
        build_hint(b, suspect->hint);
    }
    build_others(b, t, d->suspect_count - d->suspects_shown);
    suspects_add_groups(b, t);
}

/* With a graph the retained size and the score are both bytes, and either may be larger. */
static const char *basis(const struct hd_report *r)
{
    return r->options.by == HD_BY_HOLDER ? "by growth of the shallow bytes they hold"
           : r->diff.by_graph ? "by score, the growth at the current rate; retains: growth "
                                "including everything only these objects keep alive"
           : r->diff.types.bytes_known
               ? "by growth of shallow bytes; owners are unknown"
               : "by growth of counts; bytes and owners are unknown";
}

void build_suspects(struct build *b)
{
    const struct hd_diff *d = &b->r->diff;
    struct doc_section *s = doc_topic(b->doc, "Suspects", NULL);
    if (d->suspect_count + d->below_threshold_count + d->pooled_count > 0)
        s->remark = basis(b->r);
    if (!add_none(b, s))
        suspects_add_table(b, s);
    if (d->hidden_count > 0)
        PARAGRAPH(b, s, as_plural(d->hidden_count, "suspect"), " ",
                  d->hidden_count == 1 ? "is" : "are",
                  " not shown: --type, --exclude or --app-only hides ",
                  d->hidden_count == 1 ? "it" : "them", ".");
}

/* --- hints -------------------------------------------------------------------------- */

/* Turn a hint's section of docs/hints.md into blocks of a document.
 *
 * The page is a part of the program (hints.S), so that a report by mail and a terminal
 * without a browser have its text too. The parser reads only the Markdown that tests allow
 * there: paragraphs with **words**, `code` and [words](link), and blocks of code. Must not
 * depend on renderers. */

/* --- the page ------------------------------------------------------------- */

extern const char hints_markdown[]; /* ends with a 0 */

/* Returns the start of the text below a heading; NULL if it does not exist. *end is the
 * next heading, or the end of the page. */
static const char *section_of(const char *id, const char **end)
{
    static const char heading[] = "\n## ";
    const size_t len = strlen(id);
    for (const char *at = hints_markdown; (at = strstr(at, heading)) != NULL;) {
        at += sizeof(heading) - 1;
        if (strncmp(at, id, len) != 0 || at[len] != '\n')
            continue;
        *end = strstr(at, heading);
        *end = *end != NULL ? *end : at + strlen(at);
        return at + len;
    }
    return NULL;
}

/* --- words ---------------------------------------------------------------- */

/* Delimiters of a run, and its style. */
struct markup {
    const char *open, *close;
    enum doc_style style;
};

/* Returns the text inside the mark that begins here, up to *to, or NULL. */
static const char *marked(const struct markup *m, const char *s, const char *end,
                          const char **to)
{
    const size_t len = strlen(m->open);
    if (strncmp(s, m->open, len) != 0)
        return NULL;
    *to = strstr(s + len, m->close);
    return *to != NULL && *to < end ? s + len : NULL;
}

static void add_marked(struct build *b, struct doc_runs *to, const char *s, const char *end)
{
    static const struct markup marks[] = {{"**", "**", DOC_STRONG}, {"`", "`", DOC_CODE}};
    static const struct markup label = {"[", "](", DOC_WORDS};
    while (s < end) {
        const char *from = NULL, *until;
        size_t m = 0;
        while (m < 2 && (from = marked(&marks[m], s, end, &until)) == NULL)
            m++;
        if (from != NULL) {
            build_end(b, to);
            text_add(&b->words, from, (size_t)(until - from));
            SAY_AS(b, to, marks[m].style, "");
            s = until + strlen(marks[m].close);
        } else if ((from = marked(&label, s, end, &until)) != NULL) {
            text_add(&b->words, from, (size_t)(until - from));
            s = until + strcspn(until, ")") +
                1; /* the link does not work outside of the page */
        } else {
            text_add(&b->words, *s == '\n' ? " " : s, 1);
            s++;
        }
    }
    build_end(b, to);
}

void build_marked(struct build *b, struct doc_runs *to, const char *words)
{
    add_marked(b, to, words, words + strlen(words));
}

/* --- blocks --------------------------------------------------------------- */

static void add_prose(struct build *b, struct doc_section *s, const char *from,
                      const char *end)
{
    struct doc_line *l = &doc_block(b->doc, s, DOC_PROSE)->line;
    l->wraps = true;
    add_marked(b, doc_piece(b->doc, l, ""), from, end);
}

/* Returns the next occurrence of `what`, or end. */
static const char *until(const char *s, const char *what, const char *end)
{
    const char *found = strstr(s, what);
    return found != NULL && found < end ? found : end;
}

void build_hint_page(struct build *b, struct doc_section *s, const char *id)
{
    static const char fence[] = "```";
    const char *end, *at = id != NULL ? section_of(id, &end) : NULL;
    while (at != NULL && at < end) {
        const char *stop;
        if (*at == '\n') {
            at++;
        } else if (strncmp(at, fence, sizeof(fence) - 1) == 0) {
            struct doc_listing *l = &doc_block(b->doc, s, DOC_LISTING)->listing;
            stop = until(at + 1, "\n```", end);
            at += sizeof(fence) - 1;
            l->language = arena_strdup(&b->doc->arena, at, strcspn(at, "\n"));
            at += strcspn(at, "\n") + 1;
            l->lines = arena_strdup(&b->doc->arena, at, (size_t)(stop + (stop < end) - at));
            at = stop < end ? stop + sizeof(fence) : end;
        } else {
            stop = until(at, "\n\n", end);
            add_prose(b, s, at, stop > at && stop[-1] == '\n' ? stop - 1 : stop);
            at = stop;
        }
    }
}

/* --- documents of their own ------------------------------------------------ */

struct document *document_of_hint(const char *id)
{
    const struct hint *hint = hint_named(id);
    if (hint == NULL)
        return NULL;
    struct build b = {.doc = document_new("heapdrift help hint")};
    struct doc_section *s = doc_section(b.doc, DOC_ITEM);
    s->title = (struct doc_run){DOC_STRONG, hint->id};
    add_prose(&b, s, hint->fix, hint->fix + strlen(hint->fix));
    build_hint_page(&b, s, id);
    text_free(&b.words);
    return b.doc;
}

struct document *document_of_hints(void)
{
    struct build b = {.doc = document_new("heapdrift help hint")};
    struct doc_section *s = doc_section(b.doc, DOC_PLAIN);
    struct doc_facts *all = &doc_block(b.doc, s, DOC_FACTS)->facts;
    for (size_t i = 0; i < hint_count; i++) {
        if (hints[i].id == NULL)
            continue;
        struct doc_line *l = &doc_fact(b.doc, all, hints[i].id)->value;
        l->wraps = true;
        SAY(&b, doc_piece(b.doc, l, ""), hints[i].fix);
    }
    text_free(&b.words);
    return b.doc;
}
