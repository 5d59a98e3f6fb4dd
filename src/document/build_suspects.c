/* The suspects of a diff and of a check: what keeps growing, what holds it, and what it
 * usually is; what scores less, and what buffer pools hold. */
#include "document/build.h"

#include "base/c_locale.h"
#include "heap/async_names.h"
#include "ranking/hints.h"
#include "report/phrases.h"

#include "report/text_parts.h"

#include <math.h>
#include <string.h>

/* Columns that the words above them tell as well go first. */
enum { SUSPECT_COLUMNS = 11, ROOM_FOR_SHARE = 60, ROOM_FOR_TREND = 70 };

/* --- sentences -------------------------------------------------------------- */

static void add_no_match(struct build *b, struct doc_section *s)
{
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    struct doc_runs *to = doc_piece(b->doc, l, "");
    build_words(b, to, "None: ");
    struct text why = {0};
    phrase_no_match(&why, b->r->options.by, b->r->diff.no_match);
    build_quoted(b, to, text_string(&why));
    text_free(&why);
}

/* True if there is nothing to rank, after saying so. */
static bool add_none(struct build *b, struct doc_section *s)
{
    const struct hd_diff *d = &b->r->diff;
    bool hidden = d->hidden_count > 0;
    if (d->usable_count < 2) {
        text_add_string(&b->words,
                        "Inconclusive: fewer than two of the snapshots can be compared.");
        build_paragraph(b, s);
        return true;
    }
    if (d->no_match != NULL) {
        add_no_match(b, s);
        return true;
    }
    if (d->suspect_count + d->minor_count + d->pooled_count == 0) {
        hidden |= d->types.len == 0 && b->r->found.diff.types.len > 0;
        text_add_string(&b->words, hidden ? "None of the types shown keeps growing."
                                   : d->growth.is_open ? "None."
                                                       : "None: nothing keeps growing.");
        build_paragraph(b, s);
        return true;
    }
    if (d->suspect_count > 0)
        return false;
    text_add_string(&b->words, hidden ? "None of the types shown" : "None: no ");
    text_add_string(&b->words, hidden ? "" : report_unit(b->r));
    text_add_string(&b->words, " grows by ");
    text_line(&b->words, b->r);
    text_add_string(&b->words, " or more at its current rate.");
    build_paragraph(b, s);
    return false;
}

static void add_hidden(struct build *b, struct doc_section *s)
{
    const size_t hidden = b->r->diff.hidden_count;
    if (hidden == 0)
        return;
    format_plural(&b->words, hidden, "suspect");
    text_add_string(&b->words, hidden == 1 ? " is" : " are");
    text_add_string(&b->words, " not shown: --type, --exclude or --app-only hides ");
    text_add_string(&b->words, hidden == 1 ? "it." : "them.");
    build_paragraph(b, s);
}

/* --- rows ------------------------------------------------------------------ */

/* "(with String and 2 others)" */
static void add_also(struct build *b, struct doc_runs *to, const struct hd_suspect *s)
{
    enum { NAMED = 2 };
    size_t named = s->also_count > NAMED + 1 ? NAMED : s->also_count;
    build_words(b, to, "(with ");
    for (size_t i = 0; i < named; i++) {
        bool is_last = i + 1 == s->also_count;
        build_words(b, to, i == 0 ? "" : is_last ? " and " : ", ");
        build_type(b, to, s->also[i]);
    }
    if (named < s->also_count) {
        text_add_string(&b->words, " and ");
        format_count(&b->words, s->also_count - named);
        text_add_string(&b->words, " others");
    }
    build_words(b, to, ")");
}

/* "(with 5 holders below it)" */
static void add_below(struct build *b, struct doc_runs *to, const struct hd_suspect *s)
{
    text_add_string(&b->words, "(with ");
    format_plural(&b->words, s->also_count, "holder");
    text_add_string(&b->words, " below it)");
    build_end(b, to);
}

/* What the ranking found growing, if the title is another; what goes along; the rate. */
static void add_remarks(struct build *b, const struct hd_suspect *s)
{
    struct async_method m;
    if (strcmp(s->subject, s->type) != 0 || async_method_of(&m, s->type)) {
        struct doc_runs *to = doc_remark(b->doc, b->row);
        build_words(b, to, "(");
        build_type(b, to, s->type);
        build_words(b, to, ")");
    }
    if (s->also_count > 0 && b->r->options.by == HD_BY_HOLDER)
        add_below(b, doc_remark(b->doc, b->row), s);
    else if (s->also_count > 0)
        add_also(b, doc_remark(b->doc, b->row), s);
    if (text_turnover(&b->words, s))
        build_end(b, doc_remark(b->doc, b->row));
    if (text_since(&b->words, b->r, s->births))
        build_end(b, doc_remark(b->doc, b->row));
    if (s->basis == HD_BASIS_TYPE)
        build_words(b, doc_remark(b->doc, b->row), "held by different owners over time");
    if (s->per_iteration != HD_UNKNOWN) {
        text_add_string(&b->words, "exactly ");
        format_count(&b->words, s->per_iteration);
        text_add_string(&b->words, " per iteration");
        build_end(b, doc_remark(b->doc, b->row));
    } else if (s->step_most > 0) {
        text_steady(&b->words, s);
        build_end(b, doc_remark(b->doc, b->row));
    }
}

/* Whoever looks the type up in the table of types finds other numbers there. */
static void add_whole_count(struct build *b, const struct hd_suspect *s)
{
    text_add_string(&b->words, "at this location; heap-wide ");
    format_count(&b->words, s->at[0].count);
    text_add_string(&b->words, " → ");
    format_count(&b->words, s->at[b->r->snapshot_count - 1].count);
    build_end(b, doc_remark(b->doc, b->row));
}

static void add_score(struct build *b, double score)
{
    bool bytes = b->r->diff.types.bytes_known;
    if (score < 0.5)
        text_add_string(&b->words, bytes ? "<1 B" : "<1");
    else if (bytes)
        format_size(&b->words, (uint64_t)(score + 0.5));
    else
        format_count(&b->words, (uint64_t)(score + 0.5));
}

/* Where the order comes from. */
static void add_details(struct build *b, const struct hd_suspect *s)
{
    char tau[32];
    add_score(b, s->score);
    build_cell(b);
    format_percent(&b->words, s->score_share);
    build_cell(b);
    c_snprintf(tau, sizeof(tau), "%.2f", s->tau);
    build_cell_words(b, tau);
    build_cell_words(b, ranking_basis_names[s->basis]);
    build_cell_words(b,
                     s->suspicion != HD_SUSPECT_NOT ? suspicion_names[s->suspicion] : "");
}

/* What bars are drawn of, a value per snapshot: the counts that the row tells or, where one
 * object came and went on growing, what it retains. */
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

static void add_row(struct build *b, struct doc_table *t, const struct hd_suspect *s)
{
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    size_t n;
    build_row(b, t, DOC_ROW);
    b->row->is_suspect = s->suspicion != HD_SUSPECT_NOT && s->rank > 0;
    if (s->rank > 0)
        format_count(&b->words, s->rank);
    build_cell(b);
    text_gain(&b->words, b->r, s);
    if (b->row->is_suspect)
        build_cell_change(b, true);
    else
        build_cell(b);
    format_percent(&b->words, text_gain_share(b->r, s));
    build_cell(b);
    n = hd_suspect_counts(s, b->r->snapshot_count, at);
    format_count(&b->words, at[0].count);
    text_add_string(&b->words, " → ");
    format_count(&b->words, at[n - 1].count);
    build_cell(b);
    if (b->page != NULL)
        b->row->cells[b->cell].chart = chart_of(b, s, at, n);
    build_cell_trend(b, at, n);
    add_details(b, s);
    build_cell_title(b, s->subject);
    add_remarks(b, s);
    if (s->counts_place)
        add_whole_count(b, s);
}

static void add_births(struct build *b, const struct hd_births *births)
{
    if (!text_shows_births(b->r, births))
        return;
    struct doc_line *l = &doc_attached(b->doc, b->row, "survived")->line;
    l->wraps = true;
    text_births(&b->words, births, b->r->diff.identity == HD_SAME_BY_EVENTS);
    build_end(b, doc_piece(b->doc, l, ""));
}

/* A page has room for every frame; a line says those that say most. */
static void add_ladder(struct build *b, struct doc_chains *to, const struct hd_chain_row *c)
{
    build_ladder(b, to, c);
}

static void add_line(struct build *b, struct doc_chains *to, const struct hd_chain_row *c)
{
    build_chain(b, to, c, true);
}

static void add_held_by(struct build *b, const struct hd_chains *chains)
{
    if (chains->len == 0 && chains->omitted == 0)
        return;
    bool page = b->page != NULL; /* lines have just said who stayed */
    const char *label = page && chains->of_stayed ? "survivors are held by" : "held by";
    struct doc_chains *to = &doc_attached(b->doc, b->row, label)->chains;
    for (size_t i = 0; i < chains->len; i++)
        (page ? add_ladder : add_line)(b, to, &chains->all[i]);
    if (chains->omitted == 0)
        return;
    format_percent(&b->words, chains->omitted_share);
    build_end(b, doc_piece(b->doc, &to->rest, ""));
    text_add_string(&b->words, "in ");
    format_plural(&b->words, chains->omitted, "other chain");
    build_end(b, doc_piece(b->doc, &to->rest, "  "));
}

void build_fix(struct build *b, struct doc_line *l, const struct hint *hint)
{
    build_marked(b, doc_piece(b->doc, l, ""), hint->fix);
    phrase_hint_command(&b->words, hint->id);
    doc_run(b->doc, doc_piece(b->doc, l, "  "), DOC_CODE, text_string(&b->words));
    text_clear(&b->words);
}

void build_hint(struct build *b, const char *id)
{
    const struct hint *hint = hint_named(id);
    if (hint == NULL)
        return;
    struct doc_attached *a = doc_attached(b->doc, b->row, "fix");
    struct doc_line *l = &a->line;
    a->hint = hint->id;
    l->wraps = true;
    if (b->page != NULL) /* it has the text */
        build_marked(b, doc_piece(b->doc, l, ""), hint->fix);
    else
        build_fix(b, l, hint);
}

/* --- groups ---------------------------------------------------------------- */

static void add_others(struct build *b, struct doc_table *t, size_t others)
{
    if (others == 0)
        return;
    build_row(b, t, DOC_REST);
    b->row->is_below = true;
    format_others(&b->words, others);
    build_cell(b);
}

/* Rows under a line of their own. */
struct group {
    struct hd_suspect *const *rows;
    size_t len, shown; /* the first ones; the others are only counted */
};

static void add_group(struct build *b, struct doc_table *t, const struct group *g)
{
    build_row(b, t, DOC_GROUP);
    build_cell(b);
    for (size_t i = 0; i < g->shown; i++)
        add_row(b, t, g->rows[i]);
    add_others(b, t, g->len - g->shown);
}

/* What scores less; a few of them. */
static void add_minor(struct build *b, struct doc_table *t)
{
    enum { MOST_MINOR = 5 };
    const struct hd_diff *d = &b->r->diff;
    struct arena scratch = {0};
    struct hd_suspect **rows = arena_array(&scratch, struct hd_suspect *, d->minor_count);
    size_t most = b->r->options.rows != 0 ? MOST_MINOR : d->minor_count;
    struct group g = {.rows = rows};
    for (size_t i = 0; i < d->minor_count; i++)
        if (!report_has_stopped(d, d->minor[i].type))
            rows[g.len++] = &d->minor[i];
    g.shown = g.len < most ? g.len : most;
    text_add_string(&b->words, "below ");
    text_line(&b->words, b->r);
    text_add_string(&b->words, " at the current rate");
    if (g.len > 0)
        add_group(b, t, &g);
    text_clear(&b->words);
    arena_free(&scratch);
}

/* Buffers that pools hold are free for use and follow the peak load. */
static void add_pooled(struct build *b, struct doc_table *t)
{
    const struct hd_diff *d = &b->r->diff;
    struct arena scratch = {0};
    struct hd_suspect **rows = arena_array(&scratch, struct hd_suspect *, d->pooled_count);
    for (size_t i = 0; i < d->pooled_count; i++)
        rows[i] = &d->pooled[i];
    struct group g = {rows, d->pooled_count, d->pooled_count};
    text_add_string(&b->words, "held by buffer pools, not ranked");
    if (d->pooled_count > 0)
        add_group(b, t, &g);
    text_clear(&b->words);
    arena_free(&scratch);
}

static const char *what_it_gained(const struct hd_report *r)
{
    return r->diff.by_graph ? "Gained from the first to the last snapshot, including "
                              "everything only these objects keep alive."
                            : "Gained from the first to the last snapshot.";
}

static void add_table(struct build *b, struct doc_section *s)
{
    const struct hd_diff *d = &b->r->diff;
    /* Of tables it is the growth of shallow bytes, or of counts. */
    const char *size = d->by_graph ? "retains" : d->types.bytes_known ? "bytes" : "objects";
    const struct doc_column columns[SUSPECT_COLUMNS] = {
        {.title = "#", .align = DOC_RIGHT},
        {.title = size, .align = DOC_RIGHT, .meaning = what_it_gained(b->r)},
        {.title = "of heap", .align = DOC_RIGHT, .from_width = ROOM_FOR_SHARE},
        {.title = "count", .align = DOC_RIGHT},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {.title = "score",
         .align = DOC_RIGHT,
         .is_detail = true,
         .meaning =
             "The order: retained bytes gained that no growing owner above explains, at "
             "the rate of the second half of the series, reduced for growth that goes "
             "back and forth."},
        {.title = "of heap", .align = DOC_RIGHT, .is_detail = true, .is_for_pages = true},
        {.title = "tau",
         .align = DOC_RIGHT,
         .is_detail = true,
         .is_for_pages = true,
         .meaning = "How steadily it grows, from -1 to 1: 1 means that every snapshot has "
                    "more than the one before it."},
        {.title = "basis",
         .is_detail = true,
         .is_for_pages = true,
         .meaning =
             "What grows. graph: a place in the dominator tree; type: a whole type, held "
             "by different owners over time; table: shallow bytes of a type."},
        {.title = "suspect by",
         .is_detail = true,
         .is_for_pages = true,
         .meaning =
             "Why it is a suspect. size: a large score; steady: nearly the same gain in "
             "every step; age: what was added in every step is still alive."},
        {.title = report_unit(b->r), .is_subject = true, .is_title = true}};
    struct doc_table *t = build_table(b, s, columns, SUSPECT_COLUMNS);
    t->details = "Scores";
    size_t shown = d->suspects_shown;
    for (size_t i = 0; i < shown; i++) {
        add_row(b, t, &d->suspects[i]);
        add_births(b, d->suspects[i].births);
        add_held_by(b, &d->suspects[i].chains);
        build_hint(b, d->suspects[i].hint);
    }
    add_others(b, t, d->suspect_count - shown);
    add_minor(b, t);
    add_pooled(b, t);
}

/* Of graphs what a row retains and its score are both bytes, and either may be larger. */
static const char *basis(const struct hd_report *r)
{
    return r->options.by == HD_BY_HOLDER ? "by growth of the shallow bytes they hold"
           : r->diff.by_graph            ? "by score, the growth at the current rate; "
                                           "retains: what they gained, including everything "
                                           "only they keep alive"
           : r->diff.types.bytes_known
               ? "by growth of shallow bytes; owners are unknown"
               : "by growth of counts; bytes and owners are unknown";
}

void build_suspects(struct build *b)
{
    const struct hd_diff *d = &b->r->diff;
    struct doc_section *s = doc_topic(b->doc, "Suspects", NULL);
    if (d->suspect_count + d->minor_count + d->pooled_count > 0)
        s->remark = basis(b->r);
    if (!add_none(b, s))
        add_table(b, s);
    add_hidden(b, s);
}
