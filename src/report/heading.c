#include "report/heading.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* --- time ---------------------------------------------------------------- */

double heading_span(const struct hd_report *r)
{
    if (r->snapshot_count < 2)
        return NAN;
    const struct report_snapshot *first = &r->snapshots[0];
    const struct report_snapshot *last = &r->snapshots[r->snapshot_count - 1];
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

/* Two units at most: "45 s", "3 min 20 s", "2 h 10 min", "3 d 4 h". */
static void add_duration(struct text *t, double seconds)
{
    static const struct {
        uint64_t seconds;
        const char *name;
    } units[] = {{86400, " d"}, {3600, " h"}, {60, " min"}, {1, " s"}};
    enum { COUNT = sizeof(units) / sizeof(*units) };
    uint64_t left = (uint64_t)(seconds + 0.5);
    size_t i = 0;
    while (i + 1 < COUNT && left < units[i].seconds)
        i++;
    human_count(t, left / units[i].seconds);
    text_add_string(t, units[i].name);
    uint64_t rest = left % units[i].seconds;
    if (i + 1 == COUNT || rest < units[i + 1].seconds)
        return;
    text_add_char(t, ' ');
    human_count(t, rest / units[i + 1].seconds);
    text_add_string(t, units[i + 1].name);
}

void heading_add_span(struct text *t, const struct hd_report *r)
{
    const double shown = 0.5, most = 1e12;
    double span = heading_span(r);
    if (!(span >= shown && span < most))
        return;
    text_add_string(t, " over ");
    add_duration(t, span);
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
    human_size(t, (uint64_t)rate);
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

/* The next part of the line, behind a separator or on a new line. */
static void add_part(struct text *t, size_t *line, const char *separator,
                     const struct text *part, unsigned width)
{
    if (part->len == 0)
        return;
    bool first = t->len == *line;
    size_t columns = utf8_columns(t->data + *line, first ? 0 : t->len - *line) +
                     strlen(separator) + utf8_columns(part->data, part->len);
    if (!first && width > 0 && columns > width) {
        text_add_string(t, separator[0] == ',' ? ",\n" : "\n");
        *line = t->len;
        text_add_string(t, "  ");
    } else if (!first) {
        text_add_string(t, separator);
    }
    text_add(t, part->data, part->len);
}

static void add_process(struct text *t, const struct hd_report *r)
{
    bool several = false;
    const char *name = common(r, offsetof(struct hd_info, process), &several);
    uint64_t pid = common_pid(r, &several);
    char number[32];
    if (name != NULL)
        human_name(t, name);
    else if (several)
        text_add_string(t, "several processes");
    if (pid == HD_UNKNOWN)
        return;
    snprintf(number, sizeof(number), t->len > 0 ? " (pid %" PRIu64 ")" : "pid %" PRIu64,
             pid);
    text_add_string(t, number);
}

static void make_part(struct text *part, const char *begin, const char *fact, size_t most)
{
    text_clear(part);
    if (fact == NULL)
        return;
    text_add_string(part, begin);
    struct text cut = {0};
    text_add(&cut, fact, strlen(fact) < most ? strlen(fact) : most);
    human_name(part, text_string(&cut));
    text_free(&cut);
}

void heading_add_origin(struct text *t, const struct hd_report *r, unsigned width)
{
    enum { ID_DIGITS = 12, WHOLE = 4096 };
    bool several = false;
    size_t line = t->len, start = t->len;
    struct text part = {0};
    add_process(&part, r);
    add_part(t, &line, "", &part, width);
    make_part(&part, "on ", common(r, offsetof(struct hd_info, host), &several), WHOLE);
    add_part(t, &line, " ", &part, width);
    make_part(&part, "container ", common(r, offsetof(struct hd_info, container), &several),
              ID_DIGITS);
    add_part(t, &line, ", ", &part, width);
    make_part(&part, ".NET ", common(r, offsetof(struct hd_info, runtime), &several),
              WHOLE);
    if (t->len > start)
        add_part(t, &line, ", ", &part, width);
    text_free(&part);
}
