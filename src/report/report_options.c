/* What a caller asks for, and what is usual. */
#include "base/options.h"
#include "report/report.h"
#include "report/text_parts.h"

#include <string.h>

void hd_set_default_options(struct hd_options *opt, size_t size)
{
    const struct hd_options usual = {.size = size,
                                     .rows = HD_DEFAULT_ROWS,
                                     .min_share = usual_line.share,
                                     .min_steady_share = usual_line.steady_share,
                                     .chains = 3,
                                     .samples = 32,
                                     .depth = HD_USUAL_DEPTH,
                                     .least_kept_share = 0.005};
    memset(opt, 0, size);
    memcpy(opt, &usual, size < sizeof(usual) ? size : sizeof(usual));
}

bool report_options(struct hd_options *ours, const struct hd_options *theirs,
                    struct hd_error *err)
{
    if (theirs != NULL)
        return options_copy(ours, sizeof(*ours), OPTIONS_END(struct hd_options, exact),
                            theirs, err);
    *ours = hd_default_options();
    return true;
}

/* --- what the snapshots allow ------------------------------------------------ */

static bool can_find_garbage(const struct hd_snapshot *snap)
{
    return snap->info.has_owners && !snap->read.tables_only;
}

/* A digest was folded without regard to fields. */
static bool parts_fields(const struct hd_snapshot *snap)
{
    return snap->info.has_fields && snap->digest == NULL;
}

static bool all_have_fields(struct hd_snapshot *const *snaps, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!parts_fields(snaps[k]))
            return false;
    return true;
}

void report_choose_objects(struct hd_report *r, const struct hd_comparison *c,
                           struct hd_options *opt)
{
    if (!opt->reachable && comparison_leaves_garbage(c))
        opt->reachable = r->leaves_garbage = true;
    r->wants_fields = opt->fields;
    opt->fields = opt->fields && all_have_fields(c->snaps, c->count);
    r->options.reachable = opt->reachable;
    r->options.fields = opt->fields;
}

static void warn_garbage(struct hd_report *r, struct hd_snapshot *const *snaps,
                         size_t count, size_t k)
{
    size_t other = 0;
    while (other < count && can_find_garbage(snaps[other]))
        other++;
    if (other == count || !can_find_garbage(snaps[k])) {
        report_warn(r, WARN_GARBAGE_COUNTED, k);
        return;
    }
    struct text t = {0};
    text_add_string(&t, "garbage is counted too: ");
    text_add_string(&t, heading_file(r->snapshots, r->snapshot_count, other));
    text_add_string(&t, " does not tell what the roots reach");
    report_warn_text(r, WARN_GARBAGE_COUNTED, k, &t);
}

static bool names_by_class(const struct hd_snapshot *snap)
{
    return snap->info.has_fields && snap->digest == NULL && !snap->read.plain_names;
}

/* Opened together, files are brought to one form; who opened them apart may not know. */
static void warn_names(struct hd_report *r, struct hd_snapshot *const *snaps, size_t count)
{
    for (size_t k = 1; k < count; k++) {
        if (!snaps[0]->info.has_roots || !snaps[k]->info.has_roots ||
            names_by_class(snaps[k]) == names_by_class(snaps[0]))
            continue;
        report_warn(r, WARN_NAMES_DIFFER, names_by_class(snaps[k]) ? k : 0);
        return;
    }
}

/* Of one, so that it is said once. */
static void warn_digests(struct hd_report *r, struct hd_snapshot *const *snaps,
                         size_t count)
{
    size_t k = 0;
    while (k < count && (snaps[k]->digest == NULL || !snaps[k]->info.has_owners))
        k++;
    bool tells = r->kind == HD_REPORT_DIFF || r->kind == HD_REPORT_ROOTS;
    if (k < count && tells && r->options.chains > 0)
        report_warn(r, WARN_STORED_SAMPLES, k);
}

void report_warn_objects(struct hd_report *r, struct hd_snapshot *const *snaps,
                         size_t count)
{
    for (size_t k = 0; !r->options.reachable && k < count; k++)
        if (snaps[k]->info.holds_garbage)
            warn_garbage(r, snaps, count, k);
    warn_names(r, snaps, count);
    warn_digests(r, snaps, count);
    for (size_t k = 0; r->wants_fields && k < count; k++)
        if (!parts_fields(snaps[k]))
            report_warn(r, WARN_FIELDS_UNKNOWN, k);
}

enum ownership_fields report_ownership_fields(const struct hd_options *opt)
{
    return opt->fields ? OWNERSHIP_PARTS_FIELDS
           : opt->tree ? OWNERSHIP_TELLS_FIELDS
                       : OWNERSHIP_NO_FIELDS;
}
