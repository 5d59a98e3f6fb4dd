#include "base/error.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Mark the types of the last snapshot that are meant. */
static bool *match_types(struct hd_report *r, const struct hd_snapshot *snap,
                         const struct hd_options *opt)
{
    bool *wanted = arena_array(&r->arena, bool, snap->type_count);
    r->matched = arena_array(&r->arena, const char *, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        wanted[t] = type->kind == TYPE_OBJECT && type->raw.count > 0 &&
                    report_shows(opt, type->name);
        if (wanted[t])
            r->matched[r->matched_count++] = report_string(r, type->name);
    }
    qsort(r->matched, r->matched_count, sizeof(*r->matched), by_bytes);
    return wanted;
}

static const char *join_patterns(struct hd_report *r, const struct hd_options *opt)
{
    struct text joined = {0};
    for (size_t i = 0; i < opt->type_count; i++) {
        if (i > 0)
            text_add_char(&joined, ' ');
        text_add_string(&joined, opt->types[i]);
    }
    const char *s = report_string(r, text_string(&joined));
    text_free(&joined);
    return s;
}

/* How many instances each snapshot has; needs no graph. */
static void count_instances(struct hd_report *r, struct hd_snapshot *const *snaps,
                            size_t count, const struct hd_options *opt)
{
    r->totals = arena_array(&r->arena, struct tally, count);
    for (size_t k = 0; k < count; k++) {
        for (type_id t = 0; t < snaps[k]->type_count; t++) {
            const struct type *type = &snaps[k]->types[t];
            if (type->kind != TYPE_OBJECT || !report_shows(opt, type->name))
                continue;
            struct tally at = series_tally(snaps[k], type, report_selection(opt));
            r->totals[k].count += at.count;
            r->totals[k].bytes += at.bytes;
        }
    }
}

static bool can_answer(const struct hd_report *r, struct hd_snapshot *const *snaps,
                       size_t count, enum selection selection, struct hd_error *err)
{
    const struct hd_snapshot *last = snaps[count - 1];
    unsigned blamed = (unsigned)count;
    bool ok = true;
    for (size_t k = 0; ok && k < count; k++) {
        ok = series_can_select(snaps[k], selection, err);
        blamed = (unsigned)k + 1;
    }
    if (ok && last->graph == NULL)
        ok = fail(err, HD_USAGE, "root chains need references, which a %s does not have",
                  last->info.format);
    else if (ok && !last->info.has_roots)
        ok = fail(err, HD_USAGE,
                  "no root keeps anything alive here, so there are no chains");
    else if (ok && r->matched_count == 0)
        ok = fail(err, HD_USAGE, "no type matches %s; `heapdrift top` lists them",
                  r->pattern);
    if (!ok && err != NULL)
        err->snapshot = blamed;
    return ok;
}

struct hd_report *hd_report_roots(struct hd_snapshot *const *snaps, size_t count,
                                  const struct hd_options *opt, struct hd_error *err)
{
    if (count == 0 || count > HD_MAX_SNAPSHOTS || opt == NULL || opt->type_count == 0) {
        fail(err, HD_USAGE, "roots takes a type and 1 to %d snapshots", HD_MAX_SNAPSHOTS);
        return NULL;
    }
    struct hd_report *r = report_new(REPORT_ROOTS, opt);
    struct hd_snapshot *last = snaps[count - 1];
    enum selection selection = report_selection(opt);
    r->pattern = join_patterns(r, opt);
    struct chain_query query = {match_types(r, last, opt), selection};
    if (!can_answer(r, snaps, count, selection, err)) {
        hd_report_free(r);
        return NULL;
    }
    report_add_snapshots(r, snaps, count);
    count_instances(r, snaps, count, opt);
    struct arena scratch = {0};
    struct chain_options how = {.samples = opt->samples, .seed = opt->seed};
    struct walk walk = walk_graph(last, &scratch);
    r->chains =
        report_chains_of(r, last, chains_find(last, &walk, &query, 1, &how, &scratch));
    arena_free(&scratch);
    return r;
}
