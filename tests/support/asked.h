/* asked.h - questions about snapshots that a test has made. A comparison lives as long as
 * its question. */
#ifndef ASKED_H
#define ASKED_H

#include "heapdrift.h"

struct hd_report *ask_diff(struct hd_snapshot *const *snaps, size_t count,
                           const struct hd_options *opt, struct hd_error *err);
struct hd_report *ask_check(struct hd_snapshot *const *snaps, size_t count,
                            const struct hd_options *opt, const struct hd_budgets *b,
                            struct hd_error *err);
struct hd_report *ask_roots(struct hd_snapshot *const *snaps, size_t count,
                            const struct hd_options *opt, struct hd_error *err);
struct hd_report *ask_objects(struct hd_snapshot *const *snaps, size_t count,
                              const struct hd_options *opt, struct hd_error *err);
struct hd_report *ask_statics(struct hd_snapshot *const *snaps, size_t count,
                              const struct hd_options *opt, struct hd_error *err);
struct hd_report *ask_top(struct hd_snapshot *snap, const struct hd_options *opt,
                          struct hd_error *err);

struct hd_report *ask_tree(struct hd_snapshot *const *snaps, size_t count,
                           const struct hd_options *opt, struct hd_error *err);

/* For files that were opened and files that could not be. */
struct hd_report *ask_info(const struct hd_info_entry *entries, size_t count);

#endif
