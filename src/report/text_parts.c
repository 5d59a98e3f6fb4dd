#include "report/text_parts.h"

#include <string.h>

static void text_chain_frame(struct text *t, const struct report_chain *c, size_t i,
                             bool short_names)
{
    const struct chain *chain = &c->chain;
    if (c->brief.root_by_kind && i == c->brief.first) {
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
    human_frame(t, &chain->frames[i], short_names);
}

static size_t text_chain_gap(const struct report_chain *c, size_t *i)
{
    size_t gap = 0, n = c->chain.frame_count;
    for (;; ++*i) {
        if (c->frames_omitted > 0 && *i == c->omitted_at)
            gap += c->frames_omitted;
        if (*i >= n || c->brief.shown == NULL || c->brief.shown[*i])
            return gap;
        gap++;
    }
}

void text_chain(struct text *t, const struct report_chain *c, bool short_names)
{
    for (size_t i = c->brief.first; i < c->chain.frame_count; i++) {
        size_t gap = text_chain_gap(c, &i);
        if (i > c->brief.first)
            text_add_string(t, " → ");
        if (gap > 0) {
            text_add_string(t, "… ");
            human_count(t, gap);
            text_add_string(t, " more → ");
        }
        text_chain_frame(t, c, i, short_names);
    }
}

/* What became of a chain since the first snapshot, as diff(1) has it. */
static const char *mark(enum chain_status status)
{
    static const char *const marks[CHAIN_STATUS_COUNT] = {[CHAIN_NEW] = "+ ",
                                                          [CHAIN_GONE] = "- ",
                                                          [CHAIN_GROWING] = "^ ",
                                                          [CHAIN_SHRINKING] = "v "};
    return marks[status] != NULL ? marks[status] : "";
}

void text_share(struct text *t, const struct report_chain *c)
{
    text_add_string(t, mark(c->status));
    human_percent(t, c->chain.share);
    if (c->chain.exact)
        return;
    char interval[48];
    snprintf(interval, sizeof(interval), " (%.0f–%.0f %%)", 100 * c->chain.low,
             100 * c->chain.high);
    text_add_string(t, interval);
}

const char *text_total_name(const struct hd_report *r)
{
    struct text_sums shown = text_sum_rows(r, 0, report_table(r)->len);
    const struct tally *first = &report_table(r)->totals[0],
                       *last = &report_table(r)->totals[r->snapshot_count - 1];
    bool all = shown.first_count == first->count && shown.last_count == last->count &&
               shown.first_bytes == first->bytes && shown.last_bytes == last->bytes;
    return all ? "[total]" : "[total shown]";
}

const char *text_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static void add(uint64_t *sum, uint64_t more)
{
    *sum = *sum == HD_UNKNOWN || more == HD_UNKNOWN ? HD_UNKNOWN : *sum + more;
}

struct text_sums text_sum_rows(const struct hd_report *r, size_t first, size_t end)
{
    struct text_sums sums = {0};
    size_t last = r->snapshot_count - 1;
    for (size_t i = first; i < end; i++) {
        const struct tally *at = report_table(r)->rows[i].at;
        add(&sums.first_count, at[0].count);
        add(&sums.last_count, at[last].count);
        add(&sums.first_bytes, at[0].bytes);
        add(&sums.last_bytes, at[last].bytes);
    }
    return sums;
}

/* --- rules --------------------------------------------------------------- */

void text_verdict(struct text *t, const struct hd_report *r)
{
    size_t rules = 0, by_status[RULE_STATUS_COUNT] = {0};
    for (size_t i = 0, end; i < r->check.rule_count; i = end) {
        end = report_rule_end(r, i);
        by_status[report_rule_status(r, i, end)]++;
        rules++;
    }
    text_add_string(t, verdict_names[r->check.verdict]);
    text_add_string(t, ": ");
    enum rule_status told = r->check.verdict == HD_FAIL           ? RULE_FAIL
                            : r->check.verdict == HD_INCONCLUSIVE ? RULE_INCONCLUSIVE
                                                                  : RULE_PASS;
    size_t n = by_status[told] + (told == RULE_PASS ? by_status[RULE_SUPPRESSED] : 0);
    human_count(t, n);
    text_add_string(t, " of ");
    human_plural(t, rules, "rule");
    text_add_string(t, told == RULE_FAIL   ? n == 1 ? " is over budget" : " are over budget"
                       : told == RULE_PASS ? " within budget"
                                           : " could not be decided");
    if (by_status[RULE_SUPPRESSED] > 0) {
        text_add_string(t, ", ");
        human_count(t, by_status[RULE_SUPPRESSED]);
        text_add_string(t, " suppressed");
    }
}

void text_rule_name(struct text *t, const struct report_rule *rule)
{
    human_name(t, rule->rule);
    /* "type App.Order: App.Order" says it twice. */
    size_t words = strcspn(rule->rule, " ");
    if (rule->subject == NULL ||
        (rule->rule[words] == ' ' && strcmp(rule->rule + words + 1, rule->subject) == 0))
        return;
    text_add_string(t, ": ");
    human_name(t, rule->subject);
}

void text_rule(struct text *t, const struct hd_report *r, const struct report_rule *rule)
{
    text_add_string(t, rule->observed != NULL ? rule->observed : "not known");
    text_add_string(t, " from ");
    human_name(t, text_file_name(r->snapshots[rule->first].info.path));
    text_add_string(t, " to ");
    human_name(t, text_file_name(r->snapshots[rule->last].info.path));
    text_add_string(t, "; limit: ");
    text_add_string(t, rule->limit);
    text_add_string(t, " (");
    human_name(t, rule->source);
    text_add_char(t, ')');
    if (rule->reason == NULL)
        return;
    text_add_string(t, "; ");
    human_name(t, rule->reason);
}

void text_rule_holder(struct text *t, const struct report_rule *rule)
{
    if (rule->chains.len > 0)
        text_chain(t, &rule->chains.all[0], true);
    else if (rule->holder != NULL)
        human_name(t, rule->holder);
}

const char *text_repository_path(const char *path)
{
    while (strncmp(path, "../", 3) == 0 || strncmp(path, "./", 2) == 0)
        path += path[1] == '.' ? 3 : 2;
    return path;
}
