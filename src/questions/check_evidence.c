#include "questions/check_evidence.h"

#include "budget/suppression_match.h"
#include "heap/builder.h"
#include "heap/sample.h"
#include "series/series_identity.h"

#include <string.h>

/* --- the ranking --------------------------------------------------------- */

static const struct scored_head *heads_of(struct hd_report *r, const struct hd_suspect *s)
{
    struct scored_head *heads = arena_array(&r->arena, struct scored_head, s->head_count);
    for (size_t i = 0; i < s->head_count; i++)
        heads[i] = (struct scored_head){s->heads[i].holder, s->heads[i].score};
    return heads;
}

/* All that the ranking found, in its order: suspects, then what scores less. */
static struct scored *scored_of(struct hd_report *r, size_t *count)
{
    *count = r->diff.suspect_count + r->diff.minor_count;
    struct scored *all = arena_array(&r->arena, struct scored, *count);
    for (size_t i = 0; i < *count; i++) {
        const struct hd_suspect *s = i < r->diff.suspect_count
                                         ? &r->diff.suspects[i]
                                         : &r->diff.minor[i - r->diff.suspect_count];
        all[i] = (struct scored){.type = s->type,
                                 .subject = s->subject,
                                 .holder = report_join_holder(r, s->holder, s->holder_len),
                                 .heads = heads_of(r, s),
                                 .head_count = s->head_count,
                                 .score = s->score,
                                 .share = s->score_share,
                                 .suspect = i < r->diff.suspect_count,
                                 .steady = s->suspicion == HD_SUSPECT_STEADY ||
                                           s->suspicion == HD_SUSPECT_AGE};
    }
    return all;
}

/* A score is growth of what a row retains (of its bytes or objects, in a table): it is off
 * by what those of the first and the last snapshot are off by. */
static void add_noise_of_scores(struct check_evidence *c, struct scored *all)
{
    const struct series *s = c->ask.types;
    const struct hd_report *r = c->ask.r;
    struct arena scratch = {0};
    struct scored_index by_type = scored_index_of(&c->evidence, &scratch);
    for (size_t i = 0; s->usable_count > 0 && i < s->row_count; i++) {
        const struct series_row *row = &s->rows[i];
        int64_t found =
            row->noise_share != NULL ? scored_index_find(&by_type, row->name) : NO_SCORED;
        if (found == NO_SCORED)
            continue;
        size_t at = (size_t)found, ends[] = {s->usable[0], s->usable[s->usable_count - 1]};
        const uint64_t *retained = at < r->diff.suspect_count
                                       ? r->diff.suspects[at].retained
                                       : r->diff.minor[at - r->diff.suspect_count].retained;
        for (size_t e = 0; e < 2; e++) {
            struct hd_tally t = row->at[ends[e]];
            uint64_t size = retained != NULL            ? retained[ends[e]]
                            : r->diff.types.bytes_known ? t.bytes
                                                        : t.count;
            all[at].noise += row->noise_share[ends[e]] * (double)size;
        }
    }
    arena_free(&scratch);
}

/* What shares of scores are of, in the last snapshot that can be compared. */
static double heap_of(const struct hd_report *r, const struct series *s)
{
    if (s->usable_count == 0)
        return 0;
    size_t last = s->usable[s->usable_count - 1];
    if (!r->diff.types.bytes_known)
        return (double)s->totals[last].count;
    bool reachable = r->diff.by_graph && r->diff.reachable[last].bytes != HD_UNKNOWN;
    return (double)(reachable ? r->diff.reachable[last].bytes : s->totals[last].bytes);
}

/* --- totals -------------------------------------------------------------- */

/* As of any total (measure.c), of what the roots reach. */
static double noise_of_reachable(const struct hd_snapshot *snap, enum selection selection)
{
    double sum = 0;
    for (type_id t = 0; snap->info.sampled && t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        struct hd_tally at = series_tally(snap, type, selection | SELECT_REACHABLE);
        if (type->kind != TYPE_OBJECT)
            continue;
        double off = sample_share(type->count_scale, (double)at.count) * (double)at.bytes;
        sum += off * off;
    }
    return sqrt(sum);
}

/* --- holders ------------------------------------------------------------- */

static bool asks_for(const struct hd_budgets *b, enum hd_rule_kind kind)
{
    for (size_t i = 0; i < b->rule_count; i++)
        if (b->rules[i].kind == kind)
            return true;
    return false;
}

static bool suppression_matches_holders(const struct hd_budgets *b)
{
    for (size_t i = 0; i < b->suppression_count; i++)
        if (b->suppressions[i].holder != NULL &&
            !suppression_has_expired(b, &b->suppressions[i]))
            return true;
    return false;
}

static bool is_sampled(const struct evidence_question *ask)
{
    for (size_t k = 0; k < ask->c->count; k++)
        if (ask->c->snaps[k]->info.sampled)
            return true;
    return false;
}

/* Heads of the ranking are told by holder as it is; of types somebody has to look. */
static bool needs_types_by_holder(const struct evidence_question *ask)
{
    const struct hd_budgets *b = ask->budgets;
    return suppression_matches_holders(b) &&
           (asks_for(b, HD_RULE_TYPE) || b->accepts ||
            (asks_for(b, HD_RULE_SUSPECTS) && is_sampled(ask)));
}

static bool can_tell_holders(const struct evidence_question *ask)
{
    for (size_t k = 0; k < ask->c->count; k++)
        if (!ask->c->snaps[k]->info.has_roots || ask->c->snaps[k]->read.tables_only)
            return false;
    return true;
}

static size_t part_of(const void *context, const char *holder)
{
    const struct check_evidence *c = context;
    return suppression_part(c->ask.budgets, &c->evidence, holder);
}

static bool align(struct check_evidence *c, struct series *s,
                  struct hd_snapshot *const *units, enum hd_unit by, struct hd_error *err)
{
    const struct evidence_question *ask = &c->ask;
    struct series_warnings ignored = {0};
    struct series_question how = {report_selection(ask->opt), by, ask->opt->iterations};
    return series_align(s, units, ask->c->count, &how, &ask->r->arena, &ignored, err);
}

/* A series for each suppression. */
static bool align_parts(struct check_evidence *c, struct hd_error *err)
{
    size_t parts = c->ask.budgets->suppression_count;
    c->suppressed = arena_array(&c->ask.r->arena, struct series, parts);
    for (size_t i = 0; i < parts; i++) {
        struct hd_snapshot **units =
            arena_array(&c->ask.r->arena, struct hd_snapshot *, c->ask.c->count);
        for (size_t k = 0; k < c->ask.c->count; k++)
            units[k] = c->parts[k * parts + i];
        if (!align(c, &c->suppressed[i], units, HD_BY_TYPE, err))
            return false;
    }
    c->evidence.suppressed = c->suppressed;
    return true;
}

/* The same snapshots by holder, where all of them can tell, and types below excused
 * holders. */
static bool add_holders(struct check_evidence *c, struct hd_error *err)
{
    const struct evidence_question *ask = &c->ask;
    const struct hd_budgets *b = ask->budgets;
    bool suppressed = needs_types_by_holder(ask);
    if (!can_tell_holders(ask) || (!asks_for(b, HD_RULE_HOLDER) && !suppressed))
        return true;
    struct holder_parts parts = {b->suppression_count, part_of, c};
    c->part_count = suppressed ? ask->c->count * parts.count : 0;
    c->parts = arena_array(&ask->r->arena, struct hd_snapshot *, c->part_count);
    enum selection selection = report_selection(ask->opt);
    struct hd_snapshot *const *units =
        suppressed ? comparison_holder_parts(ask->c, selection, &parts, c->parts, err)
                   : comparison_holders(ask->c, selection, err);
    if (units == NULL || !align(c, &c->holders, units, HD_BY_HOLDER, err))
        return false;
    c->evidence.holders = &c->holders;
    return !suppressed || align_parts(c, err);
}

/* --- doubts -------------------------------------------------------------- */

static bool has_warning(const struct hd_report *r, enum warning_code code)
{
    for (size_t i = 0; i < r->warning_count; i++)
        if (strcmp(r->warnings[i].code, warning_texts[code].code) == 0)
            return true;
    return false;
}

/* What makes a comparison say nothing about growth. */
static struct hd_reason doubt_about_order(const struct evidence_question *ask)
{
    static const enum hd_reason_code doubts[] = {
        [DOUBT_NONE] = HD_REASON_NONE,
        [DOUBT_OUT_OF_ORDER] = HD_REASON_OUT_OF_ORDER,
        [DOUBT_REPEATS] = HD_REASON_GIVEN_TWICE,
        [DOUBT_RESTARTED] = HD_REASON_RESTARTED,
    };
    if (has_warning(ask->r, WARN_DIFFERENT_PROGRAM))
        return because(HD_REASON_DIFFERENT_PROGRAMS);
    enum series_doubt doubt = identity_doubt(ask->types);
    /* Growth of types that were filtered out does not show. */
    for (size_t k = 0; doubt == DOUBT_NONE && k < ask->c->count; k++)
        if (warnings_find(&ask->c->snaps[k]->warnings, WARN_FILTERED) != NULL)
            return because(HD_REASON_PART_OF_HEAP);
    return because(doubts[doubt]);
}

static struct hd_reason unexplained(const struct hd_growth *g)
{
    return (struct hd_reason){.code = g->is_open ? HD_REASON_UNEXPLAINED : HD_REASON_NONE,
                              .share = g->open_share,
                              .count = g->since};
}

static struct hd_reason stopped(const struct hd_growth *g)
{
    return (struct hd_reason){.code = g->has_stopped ? HD_REASON_STOPPED : HD_REASON_NONE,
                              .share = g->stopped_share};
}

/* What is not shown is not judged. */
static struct hd_reason hidden(const struct evidence_question *ask)
{
    const struct hd_diff *d = &ask->r->diff;
    bool any = false;
    for (size_t i = 0; !any && i < ask->types->row_count; i++)
        any = report_shows_row(ask->r, ask->opt, ask->types->rows[i].name);
    return (struct hd_reason){.code = d->hidden_count > 0 || !any ? HD_REASON_HIDDEN
                                                                  : HD_REASON_NONE,
                              .count = d->hidden_count};
}

static struct hd_reason pools(const struct hd_growth *g)
{
    if (!g->pools_are_told)
        return because(HD_REASON_NONE);
    return (struct hd_reason){.code = g->pools_by_name ? HD_REASON_POOLS_BY_NAME
                                                       : HD_REASON_POOLS,
                              .share = g->pools_share,
                              .bytes = g->pools};
}

static double min_steady(const struct hd_options *opt, double heap)
{
    if (opt->min_steady_bytes > 0)
        return heap > 0 ? (double)opt->min_steady_bytes / heap : 0;
    return opt->min_steady_share;
}

/* What the next collection would free grows with the time since the last one. */
static struct hd_reason only_garbage(const struct evidence_question *ask)
{
    for (size_t k = 0; k < ask->c->count; k++)
        if (warnings_find(&ask->c->snaps[k]->warnings, WARN_DEAD_OBJECTS_ONLY) != NULL)
            return because(HD_REASON_ONLY_GARBAGE);
    return because(HD_REASON_NONE);
}

/* --- all of it ----------------------------------------------------------- */

static bool shows(const void *context, const char *name)
{
    const struct check_evidence *c = context;
    return report_shows_row(c->ask.r, c->ask.opt, name);
}

static bool matches(const void *context, const char *pattern, const char *name)
{
    const struct check_evidence *c = context;
    return report_matches(c->ask.r, pattern, name);
}

bool check_evidence_begin(struct check_evidence *c, const struct evidence_question *ask,
                          struct hd_error *err)
{
    struct hd_report *r = ask->r;
    *c = (struct check_evidence){.ask = *ask};
    struct scored *scored = scored_of(r, &c->evidence.scored_count);
    size_t scored_count = c->evidence.scored_count;
    for (size_t k = 0; k < ask->c->count; k++)
        c->reachable_noise[k] =
            noise_of_reachable(ask->c->snaps[k], report_selection(ask->opt));
    c->evidence = (struct evidence){.types = ask->types,
                                    .reachable = r->diff.reachable,
                                    .reachable_noise = c->reachable_noise,
                                    .scored = scored,
                                    .scored_count = scored_count,
                                    .heap = heap_of(r, ask->types),
                                    .bytes_known = r->diff.types.bytes_known,
                                    .min_share = ask->opt->min_share,
                                    .min_bytes = ask->opt->min_bytes,
                                    .min_steady_bytes = ask->opt->min_steady_bytes,
                                    .unexplained = unexplained(&r->diff.growth),
                                    .stopped = stopped(&r->diff.growth),
                                    .hidden = hidden(ask),
                                    .native = r->diff.native,
                                    .native_count = r->diff.native_count,
                                    .pools = pools(&r->diff.growth),
                                    .doubt = doubt_about_order(ask),
                                    .no_evidence = only_garbage(ask),
                                    .iterations = ask->opt->iterations,
                                    .shows = shows,
                                    .matches = matches,
                                    .context = c};
    c->evidence.min_steady = min_steady(ask->opt, c->evidence.heap);
    add_noise_of_scores(c, scored);
    return add_holders(c, err);
}

void check_evidence_end(struct check_evidence *c)
{
    for (size_t i = 0; i < c->part_count; i++)
        snapshot_free(c->parts[i]);
}
