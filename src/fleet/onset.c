/* Finds the build with which a suspect began. Compares runs of builds that were first seen
 * before that one with the others: how likely would this many of the runs with the suspect
 * be among the others by chance?
 *
 * Among all builds that have it, chooses the one whose boundary is least likely chance, not
 * simply the first: one early run that has it by chance must not decide; if no earlier run
 * has it, both are the same. Testing several boundaries makes a small p-value more likely,
 * so it is multiplied by their number (Bonferroni). */
#include "fleet/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Significance level, after correction for all boundaries. */
static const double most_chance = 0.01;

/* --- builds ----------------------------------------------------------------- */

double onset_seen(const struct hd_run_record *run)
{
    return run->count > 0 ? run->times[0] : run->run.started;
}

static int onset_by_name(const void *a, const void *b)
{
    const struct service_build *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Unknown times last. */
static int by_time(const void *a, const void *b)
{
    const struct service_build *x = a, *y = b;
    double s = isnan(x->first_seen) ? INFINITY : x->first_seen;
    double t = isnan(y->first_seen) ? INFINITY : y->first_seen;
    return s != t ? (s > t) - (s < t) : strcmp(x->name, y->name);
}

static int by_name_of_build(const void *a, const void *b)
{
    return onset_by_name(*(const struct service_build *const *)a,
                         *(const struct service_build *const *)b);
}

struct service_builds *onset_builds(const struct hd_run_record *all, size_t len,
                                    struct arena *arena)
{
    struct service_builds *b = arena_alloc(arena, sizeof(*b));
    struct service_build *seen = alloc_zeroed(array_bytes(len, sizeof(*seen)));
    size_t runs = 0, n = 0;
    for (size_t i = 0; i < len; i++)
        if (all[i].run.build != NULL)
            seen[runs++] = (struct service_build){all[i].run.build, onset_seen(&all[i]),
                                                  all[i].judgement == HD_JUDGED,
                                                  all[i].judgement != HD_NOT_JUDGED};
    qsort(seen, runs, sizeof(*seen), onset_by_name);
    /* One of each name, with the first time and the sum of the runs. */
    for (size_t i = 0; i < runs; i++) {
        if (n == 0 || strcmp(seen[n - 1].name, seen[i].name) != 0) {
            seen[n++] = seen[i];
            continue;
        }
        struct service_build *to = &seen[n - 1];
        to->judged += seen[i].judged;
        to->compared += seen[i].compared;
        to->first_seen = fmin(to->first_seen, seen[i].first_seen);
    }
    qsort(seen, n, sizeof(*seen), by_time);
    b->all = arena_array(arena, struct service_build, n);
    b->by_name = arena_array(arena, const struct service_build *, n);
    b->len = n;
    for (size_t i = 0; i < n; i++) {
        b->all[i] = seen[i];
        b->by_name[i] = &b->all[i];
    }
    qsort(b->by_name, n, sizeof(const struct service_build *), by_name_of_build);
    free(seen);
    return b;
}

uint32_t onset_build_of(const struct service_builds *b, const struct hd_run_record *run)
{
    const struct service_build wanted = {.name = run->run.build}, *key = &wanted;
    if (wanted.name == NULL || b->len == 0)
        return NO_BUILD;
    const struct service_build *const *found = bsearch(
        &key, b->by_name, b->len, sizeof(const struct service_build *), by_name_of_build);
    return found != NULL ? (uint32_t)(*found - b->all) : NO_BUILD;
}

/* --- where it began ------------------------------------------------------------ */

static int by_build(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;
    if (x->build != y->build)
        return x->build < y->build ? -1 : 1;
    return (x->run->series > y->run->series) - (x->run->series < y->run->series);
}

/* Runs of a build among which those that show it are. */
static uint64_t runs_of(const struct hd_fleet_suspect *s, const struct service_build *b)
{
    return s->evidence == HD_EVIDENCE_JUDGED ? b->judged : b->compared;
}

/* The builds that show it, and how many runs of each do. */
static void add_builds(struct hd_fleet_suspect *s, const struct hit *hits, size_t count,
                       const struct service_builds *builds, struct arena *arena)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += i == 0 || hits[i].build != hits[i - 1].build;
    s->builds = arena_array(arena, struct hd_fleet_build_count, n);
    for (size_t i = 0; i < count; i++) {
        const struct service_build *b = &builds->all[hits[i].build];
        if (i == 0 || hits[i].build != hits[i - 1].build)
            s->builds[s->build_count++] =
                (struct hd_fleet_build_count){b->name, b->first_seen, runs_of(s, b), 0};
        s->builds[s->build_count - 1].with++;
    }
}

/* The boundary that is least likely chance. One before a build that no run of shows it is
 * never the best: runs without it would be on the wrong side. */
static void find_boundary(struct hd_fleet_suspect *s, const struct hit *hits, size_t count,
                          const struct service_builds *builds)
{
    uint64_t judged = 0, before = 0, before_with = 0; /* of all builds; of earlier ones */
    size_t next = 0;
    for (size_t k = 0; k < builds->len; k++)
        judged += runs_of(s, &builds->all[k]);
    for (size_t k = 0; k < builds->len; k++) {
        bool shows = next < count && hits[next].build == k;
        uint64_t since_with = count - before_with, since = judged - before;
        double p = shows ? chance_log(before_with, before - before_with, since_with,
                                      since - since_with)
                         : 0;
        if (shows && (s->began_with == NULL || p < s->log_chance)) {
            s->began_with = builds->all[k].name;
            s->log_chance = p;
            s->before_with = before_with;
            s->before_without = before - before_with;
            s->since_with = since_with;
            s->since_without = since - since_with;
        }
        for (; next < count && hits[next].build == k; next++)
            before_with++;
        before += runs_of(s, &builds->all[k]);
    }
}

void onset_find(struct hd_fleet_suspect *s, struct hit *hits, size_t count,
                const struct service_builds *builds, struct arena *arena)
{
    qsort(hits, count, sizeof(*hits), by_build);
    while (count > 0 && hits[count - 1].build == NO_BUILD)
        count--;
    s->boundaries = builds->len > 0 ? builds->len - 1 : 0;
    add_builds(s, hits, count, builds, arena);
    if (count > 0) {
        s->first_build = s->builds[0].build;
        find_boundary(s, hits, count, builds);
    }
    s->chance = exp(s->log_chance);
    double tries = s->boundaries > 0 ? (double)s->boundaries : 1;
    if (s->began_with == NULL)
        s->onset = HD_ONSET_UNKNOWN;
    else if (s->log_chance + log(tries) < log(most_chance))
        s->onset = HD_ONSET_NAMED;
    else
        s->onset = s->first_build == builds->all[0].name ? HD_ONSET_FIRST : HD_ONSET_CHANCE;
}
