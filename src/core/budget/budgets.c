#include "budget/budgets.h"

#include "base/error.h"
#include "base/input.h"
#include "base/quantity.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const budget_total_names[HD_TOTAL_COUNT + 1] = {[HD_TOTAL_BYTES] = "bytes",
                                                            [HD_TOTAL_OBJECTS] = "objects",
                                                            [HD_TOTAL_REACHABLE_BYTES] =
                                                                "reachable_bytes"};

const char *const budget_process_names[HD_PROCESS_NUMBER_COUNT + 1] = {
    [HD_PROCESS_SIZE] = "size",
    [HD_PROCESS_RESIDENT] = "resident",
    [HD_PROCESS_PRIVATE] = "private",
    [HD_PROCESS_NATIVE] = "native",
    [HD_PROCESS_FRAGMENTED] = "fragmented",
    [HD_PROCESS_THREADS] = "threads",
    [HD_PROCESS_HANDLES] = "handles"};

enum hd_measure budget_process_measure(enum hd_process_number number)
{
    bool is_count = number == HD_PROCESS_THREADS || number == HD_PROCESS_HANDLES;
    return is_count ? HD_MEASURE_COUNT : HD_MEASURE_BYTES;
}

struct hd_budgets *hd_budgets_new(void)
{
    struct hd_budgets *b = alloc_zeroed(sizeof(*b));
    b->today = INT64_MIN;
    return b;
}

void hd_budgets_free(struct hd_budgets *b)
{
    if (b == NULL)
        return;
    free(b->rules);
    free(b->suppressions);
    baseline_free(&b->baseline);
    arena_free(&b->arena);
    free(b);
}

void hd_budgets_set_time(struct hd_budgets *b, int64_t seconds)
{
    b->today = calendar_day_of(seconds);
}

void hd_budgets_accept(struct hd_budgets *b)
{
    b->accepts = true;
}

/* --- limits -------------------------------------------------------------- */

bool limit_lacks_unit(const char *s, const struct rule *rule)
{
    enum { LESS_THAN_ANYBODY_MEANS = 1024 };
    const struct hd_limit *limit = &rule->limit;
    return rule->measure != HD_MEASURE_COUNT && !limit->relative && limit->amount > 0 &&
           limit->amount < LESS_THAN_ANYBODY_MEANS &&
           strspn(s, "0123456789. ") == strlen(s);
}

const char *limit_parse(const char *s, enum hd_measure measure, struct hd_limit *limit)
{
    *limit = (struct hd_limit){0};
    if (s[0] == '-')
        return "a limit that is not negative: how much may be added";
    limit->relative = quantity_percent(s, &limit->percent);
    if (limit->relative)
        return NULL;
    if (measure == HD_MEASURE_COUNT)
        return quantity_count(s, &limit->amount)
                   ? NULL
                   : "a number such as 200, or a share such as 5%";
    return hd_size_from_text(s, &limit->amount)
               ? NULL
               : "a size such as 10MiB, or a share such as 5%";
}

double limit_amount(const struct hd_limit *limit, double base)
{
    return limit->relative ? limit->percent * base / 100 : (double)limit->amount;
}

/* --- rules --------------------------------------------------------------- */

static bool is_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* If there are several budgets for one type only the first is used, whatever it limits;
 * others may limit the same thing in several ways. */
static bool repeats(const struct rule *a, const struct rule *b)
{
    if (a->kind != b->kind || !is_same(a->pattern, b->pattern) || a->entry == b->entry)
        return false;
    return a->kind == HD_RULE_TYPE ||
           (a->total == b->total && a->per == b->per && a->measure == b->measure);
}

bool budgets_add_rule(struct hd_budgets *b, const struct rule *rule, struct hd_error *err)
{
    for (size_t i = 0; i < b->rule_count; i++) {
        if (!repeats(&b->rules[i], rule))
            continue;
        const char *name = rule_name(rule->kind, rule->total, rule->pattern, &b->arena);
        const struct hd_limit *there = &b->rules[i].limit, *limit = &rule->limit;
        /* 1024 objects are not 1 KiB. */
        bool same = b->rules[i].measure == rule->measure &&
                    there->relative == limit->relative && there->amount == limit->amount &&
                    there->percent == limit->percent;
        if (rule->path == NULL && same)
            return true;
        if (rule->path == NULL)
            return fail(err, HD_USAGE, "two budgets for %s; keep one", name);
        /* An option overrides the file. */
        if (b->rules[i].path == NULL)
            return true;
        return fail_at_line(err, rule->line, "duplicate-rule",
                            "%s already has a budget on line %" PRIu64
                            "; put all its limits there",
                            name, b->rules[i].line);
    }
    if (b->rule_count >= BUDGETS_MAX_RULES)
        return fail_at_line(err, rule->line, "too-many", "more than %d budgets",
                            BUDGETS_MAX_RULES);
    b->rules = grow(b->rules, b->rule_count, &b->rule_cap, sizeof(*b->rules));
    b->rules[b->rule_count++] = *rule;
    b->entries = rule->entry >= b->entries ? rule->entry + 1 : b->entries;
    return true;
}

const char *rule_name(enum hd_rule_kind kind, enum hd_total total, const char *pattern,
                      struct arena *a)
{
    switch (kind) {
    case HD_RULE_TOTAL:
        return arena_printf(a, "total %s", budget_total_names[total]);
    case HD_RULE_TYPE:
        return arena_printf(a, "type %s", pattern);
    case HD_RULE_HOLDER:
        return arena_printf(a, "holder %s", pattern);
    case HD_RULE_PROCESS:
        return arena_printf(a, "process %s", pattern);
    case HD_RULE_SUSPECTS:
        break;
    }
    return "suspects any";
}

bool suppression_has_expired(const struct hd_budgets *b, const struct suppression *s)
{
    return s->expires && b->today > s->until;
}

/* --- options ------------------------------------------------------------- */

/* TYPE=N: names may have an equals sign, limits do not. */
static const char *split_budget(struct hd_budgets *b, struct rule *rule, const char *value)
{
    const char *equals = strrchr(value, '=');
    if (equals == NULL || equals == value)
        return "TYPE=N, a type or a pattern and how many instances may be added";
    rule->kind = HD_RULE_TYPE;
    rule->pattern = arena_strdup(&b->arena, value, (size_t)(equals - value));
    uint64_t n;
    double percent;
    bool is_size = !quantity_count(equals + 1, &n) &&
                   !quantity_percent(equals + 1, &percent) &&
                   hd_size_from_text(equals + 1, &n);
    rule->measure = is_size ? HD_MEASURE_BYTES : HD_MEASURE_COUNT;
    return limit_parse(equals + 1, rule->measure, &rule->limit);
}

bool hd_budgets_add_option(struct hd_budgets *b, const char *name, const char *value,
                           struct hd_error *err)
{
    struct rule rule = {.entry = b->entries};
    bool is_budget = strcmp(name, "budget") == 0;
    if (strcmp(name, "max-growth") == 0) {
        rule.measure = HD_MEASURE_BYTES;
    } else if (strcmp(name, "max-growth-objects") == 0) {
        rule.total = HD_TOTAL_OBJECTS;
    } else if (strcmp(name, "max-process-growth") == 0) {
        rule.kind = HD_RULE_PROCESS;
        rule.process = HD_PROCESS_SIZE;
        rule.pattern = budget_process_names[HD_PROCESS_SIZE];
        rule.measure = HD_MEASURE_BYTES;
    } else if (strcmp(name, "max-score") == 0) {
        rule.kind = HD_RULE_SUSPECTS;
        rule.measure = HD_MEASURE_SCORE;
    } else if (!is_budget) {
        return fail(err, HD_USAGE, "no budget is called %s", name);
    }
    const char *wrong = is_budget ? split_budget(b, &rule, value)
                                  : limit_parse(value, rule.measure, &rule.limit);
    if (wrong != NULL)
        return fail(err, HD_USAGE, "--%s=%.80s: must be %s", name, value, wrong);
    const char *limit = rule.kind == HD_RULE_TYPE ? strrchr(value, '=') + 1 : value;
    rule.lacks_unit = limit_lacks_unit(limit, &rule);
    return budgets_add_rule(b, &rule, err);
}

/* --- the baseline -------------------------------------------------------- */

bool hd_budgets_read_baseline(struct hd_budgets *b, const char *path, struct hd_error *err)
{
    struct input_options opt = {.max_memory = UINT64_C(1) << 30};
    if (b->baseline.snapshots > 0)
        return fail(err, HD_USAGE, "only one baseline can be subtracted");
    struct input *in = input_open(arena_strdup(&b->arena, path, strlen(path)), &opt, err);
    if (in == NULL)
        return false;
    struct bytes all;
    bool ok =
        input_all(in, &all, err) &&
        baseline_parse(&b->baseline, (const char *)all.data, all.size, &b->arena, err);
    input_close(in);
    if (!ok)
        baseline_free(&b->baseline);
    return ok;
}
