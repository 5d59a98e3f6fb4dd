#include "report/heading.h"

#include "base/path.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- time ---------------------------------------------------------------- */

double heading_span(const struct hd_report *r)
{
    if (r->snapshot_count < 2)
        return NAN;
    const struct hd_snapshot_facts *first = &r->snapshots[0];
    const struct hd_snapshot_facts *last = &r->snapshots[r->snapshot_count - 1];
    double span = last->clock - first->clock;
    bool one_clock = first->clock_is_date == last->clock_is_date;
    return one_clock && isfinite(span) && span > 0 ? span : NAN;
}

double heading_per_hour(const struct hd_report *r, double growth)
{
    const double hour = 3600, least = 60;
    double span = heading_span(r);
    return span >= least ? growth / span * hour : NAN;
}

void heading_add_span(struct text *t, const struct hd_report *r)
{
    const double shown = 0.5, most = 1e12;
    double span = heading_span(r);
    if (!(span >= shown && span < most))
        return;
    text_add_string(t, " over ");
    format_duration(t, (uint64_t)(span + 0.5));
}

bool heading_add_rate(struct text *t, const struct hd_report *r, const char *begin,
                      uint64_t first, uint64_t last)
{
    const double most = 9e18;
    double rate = heading_per_hour(r, (double)last - (double)first);
    if (last <= first || !(rate >= 1 && rate < most))
        return false;
    text_add_string(t, begin);
    text_add_char(t, '+');
    format_size(t, (uint64_t)rate);
    text_add_string(t, "/h");
    return true;
}

/* --- where it is from ---------------------------------------------------- */

/* The fact of that field of hd_info that all snapshots tell alike, or NULL; *several:
 * they tell different ones. */
static const char *common(const struct hd_report *r, size_t field, bool *several)
{
    const char *found = NULL;
    for (size_t k = 0; k < r->snapshot_count; k++) {
        const char *fact =
            *(const char *const *)((const char *)&r->snapshots[k].info + field);
        if (fact != NULL && found != NULL && strcmp(fact, found) != 0) {
            *several = true;
            return NULL;
        }
        found = fact != NULL ? fact : found;
    }
    return found;
}

static uint64_t common_pid(const struct hd_report *r, bool *several)
{
    uint64_t found = HD_UNKNOWN;
    for (size_t k = 0; k < r->snapshot_count; k++) {
        uint64_t pid = r->snapshots[k].info.pid;
        if (pid != HD_UNKNOWN && found != HD_UNKNOWN && pid != found) {
            *several = true;
            return HD_UNKNOWN;
        }
        found = pid != HD_UNKNOWN ? pid : found;
    }
    return found;
}

bool heading_origin(const struct hd_report *r, struct heading_origin *from)
{
    *from = (struct heading_origin){0};
    from->process = common(r, offsetof(struct hd_info, process), &from->several);
    from->pid = common_pid(r, &from->several);
    bool other = false;
    from->host = common(r, offsetof(struct hd_info, host), &other);
    from->container = common(r, offsetof(struct hd_info, container), &other);
    bool known = from->process != NULL || from->several || from->pid != HD_UNKNOWN ||
                 from->host != NULL || from->container != NULL;
    from->runtime = common(r, offsetof(struct hd_info, runtime), &other);
    return known;
}

/* --- which file ------------------------------------------------------------------ */

/* Whether some other path has the same end, from the beginning of a part on. */
static bool is_end_of_another(const char *end, const struct hd_snapshot_facts *all,
                              size_t count, const char *path)
{
    size_t len = strlen(end);
    for (size_t k = 0; k < count; k++) {
        const char *other = all[k].info.path;
        size_t whole = other != NULL ? strlen(other) : 0;
        if (whole >= len && strcmp(other + whole - len, end) == 0 &&
            (whole == len || other[whole - len - 1] == '/') && strcmp(other, path) != 0)
            return true;
    }
    return false;
}

const char *heading_file(const struct hd_snapshot_facts *all, size_t count, size_t k)
{
    const char *path = all[k].info.path, *end = path_file_name(path);
    while (end > path && is_end_of_another(end, all, count, path))
        for (end--; end > path && end[-1] != '/'; end--)
            ;
    return end;
}
