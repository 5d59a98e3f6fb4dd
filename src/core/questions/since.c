#include "questions/since.h"

#include "base/error.h"
#include "report/report.h"

#include <string.h>

static bool can_be_born(const struct hd_comparison *c, const struct hd_options *opt,
                        struct hd_error *err)
{
    if (opt->born_first == 0 || opt->born_last < opt->born_first)
        return fail(err, HD_USAGE, "snapshots are numbered from 1");
    if (c->count < 2)
        return fail(err, HD_USAGE, "new objects need two snapshots to compare");
    return opt->born_last <= c->count ||
           fail(err, HD_USAGE, "no snapshot %u: there are %zu", opt->born_last, c->count);
}

static bool align(struct series *s, const struct hd_comparison *c,
                  const struct hd_options *opt, struct arena *scratch, struct hd_error *err)
{
    struct series_question ask = {report_selection(opt), HD_BY_TYPE, NULL};
    struct series_warnings none = {0};
    return series_align(s, c->snaps, c->count, &ask, scratch, &none, err);
}

static bool has_last(const struct series *s, const struct hd_comparison *c)
{
    return s->usable_count > 0 && s->usable[s->usable_count - 1] + 1 == c->count;
}

bool since_find(struct since *since, struct hd_comparison *c, const struct hd_options *opt,
                struct hd_error *err)
{
    struct arena scratch = {0};
    struct series s;
    bool ok = true;
    *since = (struct since){0};
    if (c->count > 1) {
        ok = align(&s, c, opt, &scratch, err);
        if (ok && s.usable_count > 1 && has_last(&s, c)) {
            memcpy(since->snapshot, s.usable, sizeof(since->snapshot));
            ok = steps_ages(c, &s, &since->ages, err);
        }
    }
    arena_free(&scratch);
    return ok;
}

bool since_find_born(struct since *since, struct hd_comparison *c,
                     const struct hd_options *opt, struct hd_error *err)
{
    struct arena scratch = {0};
    struct series s;
    *since = (struct since){0};
    bool ok = can_be_born(c, opt, err) && align(&s, c, opt, &scratch, err) &&
              steps_ages(c, &s, &since->ages, err);
    bool known = ok && has_last(&s, c);
    if (ok && (!known || since->ages.source == HD_SAME_UNKNOWN))
        ok = fail(err, HD_USAGE, "which objects are new is unknown: %s",
                  known ? steps_why_unknown(&s)
                        : "the last snapshot cannot be compared with the others");
    if (ok) {
        memcpy(since->snapshot, s.usable, sizeof(since->snapshot));
        /* The wanted snapshots among those that can be compared; none of them may be there.
         */
        struct since_range range = {1, 0};
        for (size_t i = s.usable_count; i-- > 0;)
            if (s.usable[i] + 1 >= opt->born_first && s.usable[i] + 1 <= opt->born_last) {
                range.first = (unsigned char)i;
                range.last = range.last < i ? (unsigned char)i : range.last;
            }
        since->born = range;
    }
    arena_free(&scratch);
    return ok;
}

void since_free(struct since *since)
{
    ages_free(&since->ages);
}
