#include "report/text_growth.h"

#include "base/c_locale.h"
#include "base/calendar.h"

#include <math.h>

static const struct hd_tally *last_of(const struct hd_report *r, const struct hd_tally *at)
{
    return &at[r->snapshot_count - 1];
}

void text_gain(struct text *t, const struct hd_report *r, const struct hd_suspect *s)
{
    if (r->diff.by_graph)
        format_size_signed(t, s->more);
    else if (r->diff.types.bytes_known)
        format_size_delta(t, s->at[0].bytes, last_of(r, s->at)->bytes);
    else
        format_delta(t, s->at[0].count, last_of(r, s->at)->count);
}

double text_gain_share(const struct hd_report *r, const struct hd_suspect *s)
{
    const struct hd_tally *last = last_of(r, s->at),
                          *all = last_of(r, r->diff.types.totals);
    if (r->diff.by_graph)
        return s->more_share;
    double gain = r->diff.types.bytes_known ? (double)last->bytes - (double)s->at[0].bytes
                                            : (double)last->count - (double)s->at[0].count;
    double whole = (double)(r->diff.types.bytes_known ? all->bytes : all->count);
    return whole > 0 ? gain / whole : 0;
}

void text_line(struct text *t, const struct hd_report *r)
{
    char share[32];
    if (r->options.min_bytes > 0) {
        format_size(t, r->options.min_bytes);
        return;
    }
    c_snprintf(share, sizeof(share), "%g %% of the heap", 100 * r->options.min_share);
    text_add_string(t, share);
}

struct text_cohorts text_cohorts(const struct hd_births *b, size_t begin, size_t end,
                                 size_t k)
{
    struct text_cohorts c = {0};
    for (size_t j = 0, at = 0; j < end; at += b->count - j++) {
        c.came += j >= begin ? b->at[at + k - j] : 0;
        c.stayed += j >= begin ? b->at[at + b->count - 1 - j] : 0;
    }
    return c;
}

/* The cohort that stands for what was there when it began. */
static size_t start_of(const struct hd_births *b)
{
    size_t first = 0;
    while (b->keeps && first + 1 < b->count && b->snapshot[first] < b->since)
        first++;
    return first;
}

/* Seven of eight that came since are there. */
static bool nearly_all_stayed(const struct hd_births *b)
{
    struct text_cohorts all = {0};
    for (size_t j = start_of(b) + 1; j < b->count; j++) {
        struct text_cohorts c = text_cohorts(b, j, j + 1, j);
        all.came += c.came;
        all.stayed += c.stayed;
    }
    return 8 * all.stayed >= 7 * all.came;
}

bool text_knows_births(const struct hd_report *r, const struct hd_births *b)
{
    bool exact = r->diff.identity == HD_SAME_BY_EVENTS;
    return b != NULL && b->count >= 3 && (b->keeps || exact);
}

bool text_tells_births(const struct hd_report *r, const struct hd_births *b)
{
    bool exact = r->diff.identity == HD_SAME_BY_EVENTS;
    return text_knows_births(r, b) && (exact || nearly_all_stayed(b));
}

static void list(struct text *t, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add_string(t, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        format_count(t, numbers[i]);
    }
}

static void all_or(struct text *t, uint64_t stayed, uint64_t came)
{
    if (stayed == came)
        text_add_string(t, "all");
    else
        format_count(t, stayed);
}

/* Who reads more numbers than this adds them up. */
enum { MOST_STEPS = 6 };

void text_births(struct text *t, const struct hd_births *b, bool exact)
{
    uint64_t came[SERIES_MAX_SNAPSHOTS], stayed[SERIES_MAX_SNAPSHOTS];
    uint64_t all_came = 0, all_stayed = 0;
    size_t first = start_of(b), steps = b->count - 1 - first;
    bool each = steps <= MOST_STEPS;
    for (size_t i = 0; i < steps; i++) {
        size_t j = first + 1 + i;
        struct text_cohorts c = text_cohorts(b, j, j + 1, j);
        came[i] = c.came;
        stayed[i] = c.stayed;
        all_came += c.came;
        all_stayed += c.stayed;
    }
    text_add_string(t, "of ");
    list(t, each ? came : &all_came, each ? steps : 1);
    text_add_string(t, each && steps > 1 ? " that came in each step " : " that came ");
    if (all_stayed == all_came)
        text_add_string(t, "all");
    else {
        text_add_string(t, exact ? "" : "at least ");
        list(t, each ? stayed : &all_stayed, each ? steps : 1);
    }
    text_add_string(t, " are still there");
    struct text_cohorts old = text_cohorts(b, 0, first + 1, first);
    if (old.came == 0)
        return;
    text_add_string(t, "; of ");
    format_count(t, old.came);
    text_add_string(t, old.came == 1 ? " older one " : " older ones ");
    all_or(t, old.stayed < old.came ? old.stayed : old.came, old.came);
}

bool text_since(struct text *t, const struct hd_report *r, const struct hd_births *b)
{
    enum { BEFORE_HOUR = 11, TO_MINUTES = 5 };
    char time[CALENDAR_TIME];
    if (b == NULL || !b->keeps || start_of(b) == 0)
        return false;
    const struct hd_snapshot_facts *from = &r->snapshots[b->since];
    text_add_string(t, "since snapshot ");
    format_count(t, b->since + 1);
    if (!from->clock_is_date || !(fabs(from->clock) < 1e15) ||
        !calendar_time((int64_t)floor(from->clock), time))
        return true;
    text_add_string(t, " (");
    text_add(t, time + BEFORE_HOUR, TO_MINUTES);
    text_add_string(t, " UTC)");
    return true;
}

void text_born(struct text *t, size_t first, size_t last)
{
    bool old = first == 1;
    text_add_string(t, old && last == 1 ? "from before snapshot "
                       : old            ? "there by snapshot "
                       : first == last  ? "new in snapshot "
                                        : "new in snapshots ");
    format_count(t, old ? last : first);
    if (old || first == last)
        return;
    text_add_string(t, " to ");
    format_count(t, last);
}

/* Fewer that come and go are no turnover worth a word. */
enum { FEWEST_COMINGS = 12 };

bool text_turnover(struct text *t, const struct hd_suspect *s)
{
    const struct hd_births *b = s->births;
    if (b == NULL || !b->turns_over || s->suspicion != HD_SUSPECT_NOT || s->rank == 0 ||
        b->came < FEWEST_COMINGS)
        return false;
    bool as_many = 2 * b->went > b->came;
    text_add_string(t, as_many ? "as many go as come: " : "the oldest go first: ");
    format_count(t, b->came);
    text_add_string(t, " came, ");
    format_count(t, b->went);
    text_add_string(t, " went");
    return true;
}

void text_steady(struct text *t, const struct hd_suspect *s)
{
    text_add_string(t, "steady: +");
    format_count(t, s->step_least);
    if (s->step_most > s->step_least) {
        text_add_string(t, "–");
        format_count(t, s->step_most);
    }
    text_add_string(t, " every step");
}
