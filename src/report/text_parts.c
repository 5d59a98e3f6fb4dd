#include "report/text_parts.h"

#include "base/c_locale.h"
#include "base/path.h"
#include "report/heading.h"
#include "report/phrases.h"

#include <string.h>

static void text_chain_frame(struct text *t, const struct hd_chain_row *c,
                             const struct report_brief *brief, size_t i, bool short_names)
{
    const struct hd_chain *chain = &c->chain;
    if (brief->root_by_kind && i == brief->first) {
        text_add_char(t, '[');
        for (const char *s = root_kind_names[chain->kind]; *s != '\0'; s++) {
            if (*s == '_')
                text_add_char(t, ' ');
            else
                text_add_char(t, *s);
        }
        text_add_string(t, " …]");
        return;
    }
    bool named = i == chain->owner_frame && chain->frames[i].type_count == 1;
    if (named && service_names[chain->service] != NULL) {
        text_add_string(t, service_names[chain->service]);
        text_add_char(t, ' ');
    }
    format_frame(t, &chain->frames[i], short_names);
}

static size_t text_chain_gap(const struct hd_chain_row *c, const struct report_brief *brief,
                             size_t *i)
{
    size_t gap = 0, n = c->chain.frame_count;
    for (;; ++*i) {
        if (c->frames_omitted > 0 && *i == c->omitted_at)
            gap += c->frames_omitted;
        if (*i >= n || brief->shown == NULL || brief->shown[*i])
            return gap;
        gap++;
    }
}

void text_chain(struct text *t, const struct hd_chain_row *c, bool short_names)
{
    struct arena scratch = {0};
    struct report_brief brief = report_brief_of(&c->chain, c->in_full, &scratch);
    for (size_t i = brief.first; i < c->chain.frame_count; i++) {
        size_t gap = text_chain_gap(c, &brief, &i);
        if (i > brief.first)
            text_add_string(t, " → ");
        if (gap > 0) {
            text_add_string(t, "… ");
            format_count(t, gap);
            text_add_string(t, " more → ");
        }
        text_chain_frame(t, c, &brief, i, short_names);
    }
    arena_free(&scratch);
}

/* What became of a chain since the first snapshot, as diff(1) has it. */
static const char *mark(enum hd_chain_status status)
{
    static const char *const marks[HD_CHAIN_STATUS_COUNT] = {[HD_CHAIN_NEW] = "+ ",
                                                             [HD_CHAIN_GONE] = "- ",
                                                             [HD_CHAIN_GROWING] = "^ ",
                                                             [HD_CHAIN_SHRINKING] = "v "};
    return marks[status] != NULL ? marks[status] : "";
}

void text_share(struct text *t, const struct hd_chain_row *c)
{
    text_add_string(t, mark(c->status));
    format_percent(t, c->chain.share);
    if (c->chain.exact || c->chain.share == 0)
        return;
    char interval[48];
    c_snprintf(interval, sizeof(interval), " (%.0f–%.0f %%)", 100 * c->chain.low,
               100 * c->chain.high);
    text_add_string(t, interval);
}

/* --- rules --------------------------------------------------------------- */

void text_verdict(struct text *t, const struct hd_report *r)
{
    size_t rules = 0, by_status[HD_FINDING_STATUS_COUNT] = {0};
    for (size_t i = 0, end; i < r->check.rule_count; i = end) {
        end = report_rule_end(&r->check, i);
        by_status[report_rule_status(&r->check, i, end)]++;
        rules++;
    }
    text_add_string(t, verdict_names[r->check.verdict]);
    text_add_string(t, ": ");
    enum hd_finding_status told = r->check.verdict == HD_FAIL ? HD_FOUND_FAIL
                                  : r->check.verdict == HD_INCONCLUSIVE
                                      ? HD_FOUND_INCONCLUSIVE
                                      : HD_FOUND_PASS;
    size_t n =
        by_status[told] + (told == HD_FOUND_PASS ? by_status[HD_FOUND_SUPPRESSED] : 0);
    format_count(t, n);
    text_add_string(t, " of ");
    format_plural(t, rules, "rule");
    text_add_string(t, told == HD_FOUND_FAIL
                           ? n == 1 ? " is over budget" : " are over budget"
                       : told == HD_FOUND_PASS ? " within budget"
                                               : " could not be decided");
    if (by_status[HD_FOUND_SUPPRESSED] > 0) {
        text_add_string(t, ", ");
        format_count(t, by_status[HD_FOUND_SUPPRESSED]);
        text_add_string(t, " suppressed");
    }
}

void text_rule_name(struct text *t, const struct hd_finding *rule)
{
    struct text name = {0};
    phrase_rule(&name, rule);
    format_name(t, text_string(&name));
    /* "type App.Order: App.Order" says it twice. */
    bool told = rule->pattern != NULL && rule->subject != NULL &&
                strcmp(rule->pattern, rule->subject) == 0;
    if (rule->subject != NULL && !told) {
        text_add_string(t, ": ");
        format_name(t, rule->subject);
    }
    text_free(&name);
}

void text_rule(struct text *t, const struct hd_model *m, const struct hd_finding *rule)
{
    struct text source = {0}, reason = {0};
    if (!phrase_observed(t, rule))
        text_add_string(t, "not known");
    text_add_string(t, " from ");
    format_name(t, heading_file(m->snapshots, m->snapshot_count, rule->first));
    text_add_string(t, " to ");
    format_name(t, heading_file(m->snapshots, m->snapshot_count, rule->last));
    text_add_string(t, "; limit: ");
    phrase_limit(t, rule);
    text_add_string(t, " (");
    phrase_source(&source, rule);
    format_name(t, text_string(&source));
    text_add_char(t, ')');
    if (phrase_reason(&reason, rule)) {
        text_add_string(t, "; ");
        format_name(t, text_string(&reason));
    }
    text_free(&source);
    text_free(&reason);
}

void text_rule_holder(struct text *t, const struct hd_finding *rule)
{
    if (rule->chains.len > 0)
        text_chain(t, &rule->chains.all[0], true);
    else if (rule->holder != NULL)
        format_name(t, rule->holder);
}

const char *text_repository_path(const char *path)
{
    while (strncmp(path, "../", 3) == 0 || strncmp(path, "./", 2) == 0)
        path += path[1] == '.' ? 3 : 2;
    return path;
}

const char *text_warned_file(const struct hd_snapshot_facts *all, size_t count,
                             const struct hd_warning *w)
{
    return w->path != NULL && w->snapshot < count ? heading_file(all, count, w->snapshot)
           : w->path != NULL                      ? path_file_name(w->path)
                                                  : NULL;
}
