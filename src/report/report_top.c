#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    const struct report_type *x = a, *y = b;
    return strcmp(x->type, y->type);
}

static int by_count(const void *a, const void *b)
{
    const struct tally *x = ((const struct report_type *)a)->at;
    const struct tally *y = ((const struct report_type *)b)->at;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return by_name(a, b);
}

/* Rows without bytes stand behind the others, by count. */
static int by_bytes(const void *a, const void *b)
{
    const struct tally *x = ((const struct report_type *)a)->at;
    const struct tally *y = ((const struct report_type *)b)->at;
    uint64_t x_bytes = x->bytes != HD_UNKNOWN ? x->bytes : 0;
    uint64_t y_bytes = y->bytes != HD_UNKNOWN ? y->bytes : 0;
    if (x_bytes != y_bytes)
        return x_bytes < y_bytes ? 1 : -1;
    return by_count(a, b);
}

struct hd_report *hd_report_top(struct hd_snapshot *snap, const struct hd_options *opt,
                                struct hd_error *err)
{
    struct hd_options defaults = hd_default_options();
    opt = opt != NULL ? opt : &defaults;
    struct hd_report *r = report_new(REPORT_TOP, opt);
    struct series_question ask = {report_selection(opt), opt->by, NULL};
    struct series_warnings none = {0};
    struct series s;
    if (!series_align(&s, &snap, 1, &ask, &r->arena, &none, err)) {
        hd_report_free(r);
        return NULL;
    }
    report_add_snapshots(r, &snap, 1);
    r->bytes_known = s.bytes_known;
    r->totals = s.totals;
    r->types = arena_array(&r->arena, struct report_type, s.row_count);
    for (size_t i = 0; i < s.row_count; i++)
        if (report_shows(opt, s.rows[i].name))
            r->types[r->type_count++] = (struct report_type){
                .type = s.rows[i].name, .at = s.rows[i].at, .status = s.rows[i].status};
    qsort(r->types, r->type_count, sizeof(*r->types),
          opt->sort == HD_SORT_NAME    ? by_name
          : opt->sort == HD_SORT_COUNT ? by_count
                                       : by_bytes);
    return r;
}
