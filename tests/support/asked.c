#include "support/asked.h"

#include "compare/comparison.h"

#include <string.h>

struct hd_report *ask_diff(struct hd_snapshot *const *snaps, size_t count,
                           const struct hd_options *opt, struct hd_error *err)
{
    struct hd_comparison *c = hd_comparison_of(snaps, count, NULL);
    struct hd_report *r = hd_report_diff(c, opt, err);
    hd_comparison_free(c);
    return r;
}

struct hd_report *ask_check(struct hd_snapshot *const *snaps, size_t count,
                            const struct hd_options *opt, const struct hd_budgets *b,
                            struct hd_error *err)
{
    struct hd_comparison *c = hd_comparison_of(snaps, count, NULL);
    struct hd_report *r = hd_report_check(c, opt, b, err);
    hd_comparison_free(c);
    return r;
}

struct hd_report *ask_roots(struct hd_snapshot *const *snaps, size_t count,
                            const struct hd_options *opt, struct hd_error *err)
{
    struct hd_comparison *c = hd_comparison_of(snaps, count, NULL);
    struct hd_report *r = hd_report_roots(c, opt, err);
    hd_comparison_free(c);
    return r;
}

struct hd_report *ask_objects(struct hd_snapshot *const *snaps, size_t count,
                              const struct hd_options *opt, struct hd_error *err)
{
    struct hd_comparison *c = hd_comparison_of(snaps, count, NULL);
    struct hd_report *r = hd_report_objects(c, opt, err);
    hd_comparison_free(c);
    return r;
}

struct hd_report *ask_statics(struct hd_snapshot *const *snaps, size_t count,
                              const struct hd_options *opt, struct hd_error *err)
{
    struct hd_comparison *c = hd_comparison_of(snaps, count, NULL);
    struct hd_report *r = hd_report_statics(c, opt, err);
    hd_comparison_free(c);
    return r;
}

struct hd_report *ask_tree(struct hd_snapshot *const *snaps, size_t count,
                           const struct hd_options *opt, struct hd_error *err)
{
    struct hd_comparison *c = hd_comparison_of(snaps, count, NULL);
    struct hd_report *r = hd_report_tree(c, opt, err);
    hd_comparison_free(c);
    return r;
}

struct hd_report *ask_top(struct hd_snapshot *snap, const struct hd_options *opt,
                          struct hd_error *err)
{
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_report *r = hd_report_top(c, opt, err);
    hd_comparison_free(c);
    return r;
}

struct hd_report *ask_info(const struct hd_info_entry *entries, size_t count)
{
    struct hd_comparison *c = hd_comparison_of(NULL, 0, NULL);
    c->entries = arena_array(&c->arena, struct hd_info_entry, count);
    memcpy(c->entries, entries, count * sizeof(*entries));
    c->entry_count = count;
    struct hd_report *r = hd_report_info(c);
    hd_comparison_free(c);
    return r;
}
