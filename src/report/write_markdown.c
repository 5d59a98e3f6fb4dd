/* Markdown for a ticket or a pull request: a line that sums it up, tables, chains in
 * code blocks. The first line is a comment by which a bot finds its own text again. */
#include "base/c_locale.h"
#include "report/heading.h"
#include "report/markdown.h"
#include "report/phrases.h"
#include "report/text_growth.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <string.h>

static void add_range(struct text *t, const struct tally *at, size_t count)
{
    human_count(t, at[0].count);
    text_add_string(t, " → ");
    human_count(t, at[count - 1].count);
}

static void add_warnings(struct text *t, const struct hd_report *r)
{
    for (size_t i = 0; i < r->warning_count; i++) {
        const struct hd_warning *w = &r->warnings[i];
        text_add_string(t, i == 0 ? "\n" : "");
        text_add_string(t, "> **");
        text_add_string(t, w->code);
        text_add_string(t, "** ");
        if (w->path != NULL)
            markdown_code(t, text_file_name(w->path));
        text_add_string(t, w->path != NULL ? ": " : "");
        markdown_plain(t, w->message);
        if (w->count != HD_UNKNOWN && w->count > 1) {
            text_add_string(t, " (");
            human_count(t, w->count);
            text_add_string(t, " times)");
        }
        text_add_string(t, i + 1 < r->warning_count ? "  \n" : "\n");
    }
}

/* --- chains -------------------------------------------------------------- */

static void add_chain(struct text *t, const struct report_chain *c)
{
    text_add_string(t, "```\n");
    text_share(t, c);
    text_add_string(t, "\n");
    struct arena scratch = {0};
    struct report_brief brief = report_brief_of(&c->chain, c->in_full, &scratch);
    size_t first = brief.shown != NULL ? brief.first : 0;
    for (size_t i = first; i < c->chain.frame_count; i++) {
        size_t gap = text_chain_gap(c, &brief, &i);
        if (gap > 0) {
            text_add_string(t, "  … ");
            human_count(t, gap);
            text_add_string(t, " more\n");
        }
        text_add_string(t, i == first ? "    " : "  → ");
        text_chain_frame(t, c, &brief, i, false);
        human_young(t, &c->chain.frames[i]);
        text_add_char(t, '\n');
    }
    text_add_string(t, "```\n");
    arena_free(&scratch);
}

static void add_chains(struct text *t, const struct report_chains *all)
{
    for (size_t i = 0; i < all->len; i++)
        add_chain(t, &all->all[i]);
    if (all->omitted == 0)
        return;
    human_plural(t, all->omitted, "other chain");
    text_add_string(t, all->omitted == 1 ? " holds " : " hold ");
    human_percent(t, all->omitted_share);
    text_add_string(t, ".\n");
}

/* --- diff ---------------------------------------------------------------- */

static void add_hint(struct text *t, const struct report_suspect *s)
{
    struct text place = {0};
    text_hint_place(&place, hint_named(s->hint));
    text_add_string(t, "\n**");
    human_count(t, s->rank);
    text_add_string(t, ".** ");
    markdown_plain(t, hint_named(s->hint)->sentence);
    text_add_string(t, " (");
    markdown_code(t, text_string(&place));
    text_add_string(t, ")\n");
    text_free(&place);
}

static void add_summary(struct text *t, const struct hd_report *r)
{
    size_t n = r->snapshot_count;
    text_add_string(t, "**heapdrift**: ");
    human_count(t, r->diff.suspect_count);
    text_add_string(t, r->diff.suspect_count == 1 ? " suspect in " : " suspects in ");
    human_count(t, n);
    text_add_string(t, " snapshots");
    heading_add_span(t, r);
    text_add_string(t, " (");
    markdown_code(t, text_file_name(r->snapshots[0].info.path));
    text_add_string(t, n > 2 ? " … " : " → ");
    markdown_code(t, text_file_name(r->snapshots[n - 1].info.path));
    text_add_string(t, "), heap ");
    human_size(t, report_table(r)->totals[0].bytes);
    text_add_string(t, " → ");
    human_size(t, report_table(r)->totals[n - 1].bytes);
    if (report_table(r)->bytes_known) {
        text_add_string(t, " (");
        human_size_delta(t, report_table(r)->totals[0].bytes,
                         report_table(r)->totals[n - 1].bytes);
        heading_add_rate(t, r, ", ", report_table(r)->totals[0].bytes,
                         report_table(r)->totals[n - 1].bytes);
        text_add_char(t, ')');
    }
    text_add_string(t, ", objects ");
    add_range(t, report_table(r)->totals, n);
    text_add_string(t, ", confidence: **");
    text_add_string(t, confidence_names[r->diff.confidence]);
    text_add_string(t, "**");
    struct text origin = {0};
    heading_add_origin(&origin, r, 0);
    if (origin.len > 0) {
        text_add_string(t, "  \n");
        markdown_plain(t, text_string(&origin));
    }
    text_add_char(t, '\n');
    text_free(&origin);
}

static void add_remarks(struct text *t, const struct hd_report *r,
                        const struct report_suspect *s)
{
    for (size_t i = 0; i < s->also_count; i++) {
        text_add_string(t, i == 0 ? " with " : ", ");
        markdown_code(t, report_shown(r, s->also[i]));
    }
    if (s->basis == BASIS_TYPE)
        text_add_string(t, ", held in changing places");
    if (s->per_iteration != HD_UNKNOWN) {
        text_add_string(t, ", exactly ");
        human_count(t, s->per_iteration);
        text_add_string(t, " per iteration");
    } else if (s->step_most > 0) {
        text_add_string(t, ", ");
        text_steady(t, s);
    }
}

static void add_suspect_rows(struct text *t, const struct hd_report *r,
                             const struct report_suspect *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct report_suspect *s = &all[i];
        text_add_string(t, "| ");
        human_count(t, s->rank);
        text_add_string(t, " | ");
        text_gain(t, r, s);
        text_add_string(t, " | ");
        human_percent(t, text_gain_share(r, s));
        text_add_string(t, " | ");
        add_range(t, s->at, r->snapshot_count);
        text_add_string(t, " | ");
        human_trend(t, s->at, r->snapshot_count);
        text_add_string(t, " | ");
        markdown_code(t, report_shown(r, s->subject));
        if (strcmp(s->subject, s->type) != 0) {
            text_add_string(t, " in ");
            markdown_code(t, report_shown(r, s->type));
        }
        add_remarks(t, r, s);
        text_add_string(t, " |\n");
    }
}

static void add_suspects(struct text *t, const struct hd_report *r)
{
    if (r->diff.fit_count < 2) {
        text_add_string(
            t, "\nInconclusive: fewer than two of the snapshots can be compared.\n");
        return;
    }
    if (r->diff.no_match != NULL) {
        text_add_string(t, "\nNone: ");
        struct text why = {0};
        phrase_no_match(&why, r->options.by, r->diff.no_match);
        markdown_plain(t, text_string(&why));
        text_free(&why);
        text_add_string(t, "\n");
    } else if (r->diff.suspect_count == 0) {
        bool nothing =
            r->diff.hidden_count + r->diff.minor_count + r->diff.pooled_count == 0;
        text_add_string(
            t, r->diff.hidden_count > 0
                   ? "\nNo type that is shown grows by more than the limit, at its latest "
                     "rate.\n"
               : nothing ? "\nNo type keeps growing.\n"
                         : "\nNo type grows by more than the limit, at its latest rate.\n");
        if (r->diff.growth.is_open) {
            text_add_string(t, "But ");
            phrase_open_growth(t, r->diff.growth.rest_share);
            text_add_string(t, ".\n");
        }
        if (r->diff.growth.has_stopped) {
            text_add_string(t, "But ");
            phrase_has_stopped(t, r->diff.growth.stopped_share);
            text_add_string(t, " See below.\n");
        }
    }
    if (r->diff.hidden_count > 0) {
        text_add_string(t, "\n");
        text_hidden_suspects(t, r);
    }
    if (r->diff.suspect_count == 0)
        return;
    size_t shown = r->diff.suspects_shown;
    text_add_string(t, "\n### Suspects\n\n");
    text_add_string(t, r->diff.by_graph
                           ? "What keeps growing, with all that it retains.\n\n"
                           : "Ranked by growth of shallow bytes; what owns them is "
                             "unknown.\n\n");
    text_add_string(t, r->diff.by_graph
                           ? "| # | retains | of heap | count | trend | type |\n"
                       : report_table(r)->bytes_known
                           ? "| # | bytes | of heap | count | trend | type |\n"
                           : "| # | objects | of heap | count | trend | type |\n");
    text_add_string(t, "|---:|---:|---:|---:|---|---|\n");
    add_suspect_rows(t, r, r->diff.suspects, shown);
    for (size_t i = 0; i < shown; i++) {
        const struct report_suspect *s = &r->diff.suspects[i];
        if (s->hint != NULL)
            add_hint(t, s);
        if (s->chains.len == 0)
            continue;
        text_add_string(t, "\n**");
        human_count(t, s->rank);
        text_add_string(t, ".** ");
        markdown_code(t, report_shown(r, s->type));
        text_add_string(t, " is held by\n\n");
        add_chains(t, &s->chains);
    }
}

static void add_type_row(struct text *t, const struct hd_report *r, const char *name,
                         const struct tally *at)
{
    const struct tally *last = &at[r->snapshot_count - 1];
    text_add_string(t, "| ");
    human_delta(t, at->count, last->count);
    text_add_string(t, " | ");
    add_range(t, at, r->snapshot_count);
    text_add_string(t, " | ");
    human_size_delta(t, at->bytes, last->bytes);
    text_add_string(t, " | ");
    text_add_string(t, name);
    text_add_string(t, " |\n");
}

static void add_types(struct text *t, const struct hd_report *r)
{
    const struct report_table *types = report_table(r);
    char line[160];
    snprintf(line, sizeof(line),
             "\n<details><summary>Types by growth (%zu of %zu)</summary>\n\n", types->shown,
             types->len);
    text_add_string(t, line);
    text_add_string(t, "| Δcount | count | Δbytes | type |\n|---:|---:|---:|---|\n");
    struct text name = {0};
    for (size_t i = 0; i < types->shown; i++) {
        text_clear(&name);
        markdown_code(&name, report_shown(r, types->rows[i].type));
        add_type_row(t, r, text_string(&name), types->rows[i].at);
    }
    if (types->others.rows > 0) {
        text_clear(&name);
        human_others(&name, types->others.rows);
        add_type_row(t, r, text_string(&name), types->others.at);
    }
    add_type_row(t, r, "**total**", types->sum.at);
    text_add_string(t, "\n</details>\n");
    text_free(&name);
}

static void add_growth(struct text *t, const struct hd_report *r)
{
    const struct report_growth *g = &r->diff.growth;
    if (!g->known || g->bytes <= 0)
        return;
    text_add_string(t, "\nOf the growth of ");
    human_size(t, (uint64_t)g->bytes);
    text_add_string(t, " (");
    human_percent(t, g->share);
    text_add_string(t, " of the reachable heap): ");
    text_growth_parts(t, g);
    text_add_string(t, ".\n");
}

/* Not growing any more: no suspects, and no reason to be sure of that. */
static void add_stopped(struct text *t, const struct hd_report *r)
{
    size_t shown = r->diff.stopped_shown;
    if (r->diff.stopped_count == 0)
        return;
    text_add_string(t, "\n### Grew, and stayed\n\nNot growing any more: a cache that is "
                       "full, a start that is over, or a leak whose load stopped.\n\n"
                       "| gained | of heap | count | type |\n|---:|---:|---:|---|\n");
    for (size_t i = 0; i < shown; i++) {
        const struct report_stopped *s = &r->diff.stopped[i];
        text_add_string(t, "| ");
        human_size_signed(t, (int64_t)(s->growth + 0.5));
        text_add_string(t, " | ");
        human_percent(t, s->share);
        text_add_string(t, " | ");
        text_stopped_counts(t, r, s);
        text_add_string(t, " | ");
        markdown_code(t, report_shown(r, s->subject));
        if (strcmp(s->subject, s->type) != 0) {
            text_add_string(t, " in ");
            markdown_code(t, report_shown(r, s->type));
        }
        text_add_string(t, " |\n");
    }
}

/* What the order of the suspects comes from. */
static void add_scores(struct text *t, const struct hd_report *r)
{
    size_t shown = r->diff.suspects_shown;
    if (shown == 0 || !r->diff.by_graph)
        return;
    text_add_string(t, "\n<details><summary>Scores</summary>\n\n"
                       "| # | score | of heap | tau | basis | suspect by |\n"
                       "|---:|---:|---:|---:|---|---|\n");
    for (size_t i = 0; i < shown; i++) {
        const struct report_suspect *s = &r->diff.suspects[i];
        char tau[32];
        c_snprintf(tau, sizeof(tau), "%.2f", s->tau);
        text_add_string(t, "| ");
        human_count(t, s->rank);
        text_add_string(t, " | ");
        human_size(t, (uint64_t)(s->score + 0.5));
        text_add_string(t, " | ");
        human_percent(t, s->score_share);
        text_add_string(t, " | ");
        text_add_string(t, tau);
        text_add_string(t, " | ");
        text_add_string(t, ranking_basis_names[s->basis]);
        text_add_string(t, " | ");
        text_add_string(t, suspicion_names[s->suspicion]);
        text_add_string(t, " |\n");
    }
    text_add_string(t, "\n</details>\n");
}

static void add_diff(struct text *t, const struct hd_report *r)
{
    add_summary(t, r);
    text_selection(t, r);
    add_growth(t, r);
    add_suspects(t, r);
    add_stopped(t, r);
    add_scores(t, r);
    add_types(t, r);
}

/* --- check --------------------------------------------------------------- */

static void add_rule_row(struct text *t, const struct report_rule *f)
{
    struct text words = {0};
    static const char *const marks[RULE_STATUS_COUNT] = {[RULE_PASS] = "✅ pass",
                                                         [RULE_FAIL] = "❌ **fail**",
                                                         [RULE_SUPPRESSED] = "suppressed",
                                                         [RULE_INCONCLUSIVE] =
                                                             "❔ inconclusive"};
    text_add_string(t, "| ");
    text_add_string(t, marks[f->status]);
    text_add_string(t, " | ");
    phrase_rule(&words, f);
    markdown_code(t, text_string(&words));
    text_add_string(t, " | ");
    if (f->subject != NULL)
        markdown_code(t, f->subject);
    text_add_string(t, " | ");
    if (!phrase_observed(t, f))
        text_add_char(t, '-');
    text_add_string(t, " | ");
    phrase_limit(t, f);
    text_add_string(t, " | ");
    text_clear(&words);
    phrase_source(&words, f);
    markdown_code(t, text_string(&words));
    text_add_string(t, " | ");
    text_clear(&words);
    if (phrase_reason(&words, f))
        markdown_cell(t, text_string(&words));
    text_add_string(t, " |\n");
    text_free(&words);
}

static void add_rules(struct text *t, const struct hd_report *r)
{
    size_t shown = r->check.rules_shown;
    text_add_string(t, "\n### Rules\n\n"
                       "| status | rule | type | observed | limit | from | reason |\n"
                       "|---|---|---|---:|---:|---|---|\n");
    for (size_t i = 0; i < shown; i++)
        add_rule_row(t, &r->check.rules[i]);
    if (shown < r->check.rule_count) {
        text_add_string(t, "| | | ");
        human_others(t, r->check.rule_count - shown);
        text_add_string(t, " | | | | |\n");
    }
    for (size_t i = 0; i < shown; i++) {
        const struct report_rule *f = &r->check.rules[i];
        /* Suspects have theirs below. */
        if (f->status != RULE_FAIL || f->chains.len == 0 || f->is_suspect)
            continue;
        text_add_string(t, "\n");
        markdown_code(t, f->subject);
        text_add_string(t, " is held by\n\n");
        add_chains(t, &f->chains);
    }
}

static void add_check(struct text *t, const struct hd_report *r)
{
    text_add_string(t, "**heapdrift check**: ");
    text_verdict(t, r);
    text_add_string(t, "\n");
    add_rules(t, r);
    text_add_string(t, "\n");
    add_diff(t, r);
}

/* --- the others ---------------------------------------------------------- */

static void add_top_row(struct text *t, uint64_t count, uint64_t bytes)
{
    text_add_string(t, "| ");
    human_count(t, count);
    text_add_string(t, " | ");
    human_size(t, bytes);
    text_add_string(t, " | ");
}

static void add_top(struct text *t, const struct hd_report *r)
{
    text_add_string(t, "**heapdrift top** ");
    markdown_code(t, text_file_name(r->snapshots[0].info.path));
    text_add_string(t, ": ");
    human_count(t, report_table(r)->totals[0].count);
    text_add_string(t, " objects, ");
    human_size(t, report_table(r)->totals[0].bytes);
    text_add_string(t, "\n\n");
    text_selection(t, r);
    text_add_string(t, "| count | bytes | type |\n|---:|---:|---|\n");
    size_t shown = report_table(r)->shown;
    for (size_t i = 0; i < shown; i++) {
        add_top_row(t, report_table(r)->rows[i].at->count,
                    report_table(r)->rows[i].at->bytes);
        markdown_code(t, report_shown(r, report_table(r)->rows[i].type));
        text_add_string(t, " |\n");
    }
    if (shown < report_table(r)->len) {
        const struct tally *others = report_table(r)->others.at;
        add_top_row(t, others->count, others->bytes);
        human_others(t, report_table(r)->len - shown);
        text_add_string(t, " |\n");
    }
    add_top_row(t, report_table(r)->sum.at->count, report_table(r)->sum.at->bytes);
    text_add_string(t, phrase_total(report_table(r)));
    text_add_string(t, " |\n");
}

static void add_roots(struct text *t, const struct hd_report *r)
{
    size_t n = r->snapshot_count;
    text_add_string(t, "**heapdrift roots** ");
    markdown_code(t, r->roots.matched_count == 1 ? r->roots.matched[0] : r->roots.pattern);
    text_add_string(t, ": ");
    human_count(t, r->roots.instances[n - 1].count);
    text_add_string(t, " instances in ");
    markdown_code(t, text_file_name(r->snapshots[n - 1].info.path));
    text_add_string(t, " are held by");
    if (r->roots.chains.samples < r->roots.chains.instances) {
        text_add_string(t, " (shares of ");
        human_count(t, r->roots.chains.samples);
        text_add_string(t, " sampled ones, with 95 % intervals)");
    }
    text_add_string(t, "\n\n");
    add_chains(t, &r->roots.chains);
}

static void add_info(struct text *t, const struct hd_report *r)
{
    text_add_string(t, "| file | format | objects | bytes | types | reachable |\n"
                       "|---|---|---:|---:|---:|---:|\n");
    for (size_t k = 0; k < r->snapshot_count; k++) {
        const struct report_snapshot *s = &r->snapshots[k];
        text_add_string(t, "| ");
        markdown_code(t, text_file_name(s->info.path));
        text_add_string(t, " | ");
        if (s->error.status != HD_OK) {
            text_add_string(t, "cannot be used: ");
            if (s->error.kind != NULL) {
                text_add_string(t, s->error.kind);
                text_add_string(t, ": ");
            }
            markdown_code(t, s->error.message);
            text_add_string(t, " | | | | |\n");
            continue;
        }
        text_add_string(t, s->info.format);
        text_add_char(t, ' ');
        add_top_row(t, s->info.objects, s->info.bytes);
        human_count(t, s->info.types);
        text_add_string(t, " | ");
        human_count(t, s->info.reachable_objects);
        text_add_string(t, " |\n");
    }
}

static void add_processes(struct text *t, const struct hd_report *r)
{
    text_add_string(t, "| pid | name | runtime | user | command | problem |\n"
                       "|---:|---|---|---|---|---|\n");
    for (size_t i = 0; i < r->processes.count; i++) {
        const struct hd_process *p = &r->processes.all[i];
        const char *cells[] = {p->name, p->runtime, p->user, p->command, p->problem};
        char pid[24];
        snprintf(pid, sizeof(pid), "| %" PRIu64, p->pid);
        text_add_string(t, pid);
        for (size_t c = 0; c < sizeof(cells) / sizeof(*cells); c++) {
            text_add_string(t, " | ");
            if (cells[c] != NULL)
                markdown_code(t, cells[c]);
        }
        text_add_string(t, " |\n");
    }
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    static void (*const add[])(struct text *, const struct hd_report *) = {
        [REPORT_DIFF] = add_diff,   [REPORT_TOP] = add_top,
        [REPORT_ROOTS] = add_roots, [REPORT_INFO] = add_info,
        [REPORT_CHECK] = add_check, [REPORT_PROCESSES] = add_processes};
    struct text t = {0};
    (void)opt;
    text_add_string(&t, "<!-- heapdrift -->\n");
    add[r->kind](&t, r);
    add_warnings(&t, r);
    out_text(o, &t);
    text_free(&t);
}

const struct writer write_markdown = {
    .name = "md",
    .summary = "Markdown, for a ticket or a pull request",
    .write = write,
};
