/* Phrases and facts shared by several writers. */
#include "report/text_parts.h"

#include "base/quantity.h"
#include "base/text.h"
#include "heap/place.h"
#include "report/object_words.h"
#include "report/phrases.h"

#include <math.h>
#include <string.h>

/* --- chains -------------------------------------------------------------------- */

/* A chain through a service has forty elements, and its reader looks for three. */
enum { MAX_SHOWN = 8 };

static bool is_pseudo(const struct hd_frame *f)
{
    return f->type_count == 1 && place_is_root(f->types[0]) && f->repeat_max == 1;
}

/* Returns the distance of each frame from the nearest frame that is shown anyway. */
static size_t *distances(const struct hd_chain *c, struct arena *a)
{
    size_t n = c->frame_count, *far = arena_array(a, size_t, n);
    for (size_t i = 0; i < n; i++) {
        bool marked = c->frames[i].is_program || i == c->owner_frame || i + 1 == n;
        far[i] = marked ? 0 : i > 0 ? far[i - 1] + 1 : n;
    }
    for (size_t i = n; i-- > 1;)
        if (far[i - 1] > far[i] + 1)
            far[i - 1] = far[i] + 1;
    return far;
}

/* Shows further frames: the nearest, of two the lower one. */
static void show_nearest(const struct hd_chain *c, struct report_brief *b, size_t from,
                         size_t available)
{
    struct arena scratch = {0};
    size_t *far = distances(c, &scratch);
    for (; available > 0; available--) {
        size_t best = c->frame_count;
        for (size_t i = from; i < c->frame_count; i++)
            if (!b->shown[i] && (best == c->frame_count || far[i] <= far[best]))
                best = i;
        if (best == c->frame_count)
            break;
        b->shown[best] = true;
    }
    arena_free(&scratch);
}

/* Returns the first informative frame: the owner, or the program's own class that has it;
 * the one next to the owner if several. */
static size_t top_of(const struct hd_chain *c)
{
    for (size_t i = c->owner_frame; c->owner_of != NULL && i-- > 0;)
        if (c->frames[i].type_count == 1 && strcmp(c->frames[i].types[0], c->owner_of) == 0)
            return i;
    return c->owner_frame;
}

struct report_brief report_brief_of(const struct hd_chain *c, bool all, struct arena *a)
{
    struct report_brief b = {.first = 0};
    /* Starts with the last of the groups and variables at its beginning. */
    while (b.first + 1 < c->frame_count && is_pseudo(&c->frames[b.first]) &&
           is_pseudo(&c->frames[b.first + 1]))
        b.first++;
    if (all || c->frame_count == 0)
        return b;
    b.shown = arena_array(a, bool, c->frame_count);
    size_t from = b.first + 1, last = c->frame_count - 1, available = MAX_SHOWN;
    bool owned = c->owner_frame != HD_NO_OWNER && c->owner_frame > b.first;
    size_t top = owned ? top_of(c) : 0;
    if (top >= b.first + 3) {
        struct place place = place_of(c->frames[b.first].types[0]);
        b.root_by_kind = is_pseudo(&c->frames[b.first]) && place_is_variable(&place) &&
                         !place_tells(&place);
        from = top;
    }
    b.shown[b.first] = b.shown[last] = true;
    if (owned)
        b.shown[c->owner_frame] = b.shown[top] = true;
    for (size_t i = 0; i <= last; i++)
        available -= b.shown[i];
    show_nearest(c, &b, from, available);
    /* "… 1 more" is as wide as the frame that it replaces. */
    for (size_t i = from; i < last; i++)
        b.shown[i] |= b.shown[i - 1] && b.shown[i + 1];
    return b;
}

static void add_chain_frame(struct text *t, const struct hd_chain_row *c,
                            const struct report_brief *brief, size_t i)
{
    const struct hd_chain *chain = &c->chain;
    if (brief->root_by_kind && i == brief->first) {
        say(t, "[");
        object_add_root_kind(t, chain->kind);
        say(t, " …]");
        return;
    }
    bool named = i == chain->owner_frame && chain->frames[i].type_count == 1;
    if (named && service_names[chain->service] != NULL)
        say(t, service_names[chain->service], " ");
    format_frame(t, &chain->frames[i], true);
}

static size_t add_chain_gap(const struct hd_chain_row *c, const struct report_brief *brief,
                            size_t *i)
{
    size_t gap = 0, n = c->chain.frame_count;
    for (;; ++*i) {
        if (c->frames_omitted > 0 && *i == c->omitted_at)
            gap += c->frames_omitted;
        if (*i >= n || brief->shown == NULL || brief->shown[*i])
            return gap;
        gap++;
    }
}

/* Appends the frames of a chain as one line with arrows, from the first informative one:
 * "[static vars]" before a static variable is not. In a brief chain "… 9 more" replaces
 * omitted frames. */
static void add_chain(struct text *t, const struct hd_chain_row *c)
{
    struct arena scratch = {0};
    struct report_brief brief = report_brief_of(&c->chain, c->in_full, &scratch);
    for (size_t i = brief.first; i < c->chain.frame_count; i++) {
        size_t gap = add_chain_gap(c, &brief, &i);
        say(t, i > brief.first ? " → " : "");
        if (gap > 0)
            say(t, "… ", gap, " more → ");
        add_chain_frame(t, c, &brief, i);
    }
    arena_free(&scratch);
}

void text_brief_share(struct text *t, const struct hd_chain_row *c)
{
    const char *status = chain_status_names[c->status];
    say(t, status != NULL ? status : "", status != NULL ? ", " : "",
        as_percent(c->chain.share));
}

void text_share(struct text *t, const struct hd_chain_row *c)
{
    text_brief_share(t, c);
    if (c->chain.exact || c->chain.share == 0)
        return;
    char interval[48];
    c_snprintf(interval, sizeof(interval), " (%.0f–%.0f %%)", 100 * c->chain.low,
               100 * c->chain.high);
    say(t, interval);
}

/* --- rules --------------------------------------------------------------- */

void text_verdict(struct text *t, const struct hd_report *r)
{
    size_t rules = 0, by_status[HD_FINDING_STATUS_COUNT] = {0};
    for (size_t i = 0, end; i < r->check.rule_count; i = end) {
        end = report_rule_end(&r->check, i);
        by_status[report_rule_status(&r->check, i, end)]++;
        rules++;
    }
    enum hd_finding_status decided = r->check.verdict == HD_FAIL ? HD_FOUND_FAIL
                                     : r->check.verdict == HD_INCONCLUSIVE
                                         ? HD_FOUND_INCONCLUSIVE
                                         : HD_FOUND_PASS;
    size_t n = by_status[decided] +
               (decided == HD_FOUND_PASS ? by_status[HD_FOUND_SUPPRESSED] : 0);
    say(t, n, " of ", as_plural(rules, "rule"),
        decided == HD_FOUND_FAIL   ? n == 1 ? " is over budget" : " are over budget"
        : decided == HD_FOUND_PASS ? " within budget"
                                   : " could not be decided");
    if (by_status[HD_FOUND_SUPPRESSED] > 0)
        say(t, ", ", by_status[HD_FOUND_SUPPRESSED], " suppressed");
}

void text_rule_name(struct text *t, const struct hd_finding *rule)
{
    struct text name = {0};
    phrase_rule(&name, rule);
    say(t, as_name(text_string(&name)));
    /* "type App.Order: App.Order" would be redundant */
    bool is_same = rule->pattern != NULL && rule->title != NULL &&
                   strcmp(rule->pattern, rule->title) == 0;
    if (rule->title != NULL && !is_same)
        say(t, ": ", as_name(rule->title));
    text_free(&name);
}

void text_rule(struct text *t, const struct hd_model *m, const struct hd_finding *rule)
{
    struct text source = {0}, reason = {0};
    if (!phrase_observed(t, rule))
        say(t, "not known");
    say(t, " from ", as_name(heading_file(m->snapshots, m->snapshot_count, rule->first)),
        " to ", as_name(heading_file(m->snapshots, m->snapshot_count, rule->last)),
        "; limit: ");
    phrase_limit(t, rule);
    phrase_source(&source, rule);
    say(t, " (", as_name(text_string(&source)), ")");
    if (phrase_reason(&reason, rule))
        say(t, "; ", as_name(text_string(&reason)));
    text_free(&source);
    text_free(&reason);
}

void text_rule_holder(struct text *t, const struct hd_finding *rule)
{
    if (rule->chains.len > 0)
        add_chain(t, &rule->chains.all[0]);
    else if (rule->holder != NULL)
        format_name(t, rule->holder);
}

void text_rule_fix(struct text *t, const struct hd_model *m, const struct hd_finding *rule)
{
    const struct hd_diff *d = m->diff;
    bool is_known = rule->is_suspect && d->confidence > HD_CONFIDENCE_LOW;
    for (size_t i = 0; is_known && i < d->suspect_count; i++) {
        const struct hint *hint = hint_named(d->suspects[i].hint);
        if (hint == NULL || strcmp(d->suspects[i].type, rule->type) != 0)
            continue;
        say(t, hint->fix, "  ");
        phrase_hint_command(t, hint->id);
        return;
    }
}

const char *text_repository_path(const char *path)
{
    while (strncmp(path, "../", 3) == 0 || strncmp(path, "./", 2) == 0)
        path += path[1] == '.' ? 3 : 2;
    return path;
}

const char *text_warned_file(const struct hd_snapshot_facts *all, size_t count,
                             const struct hd_warning *w)
{
    return w->path != NULL && w->snapshot < count ? heading_file(all, count, w->snapshot)
           : w->path != NULL                      ? path_file_name(w->path)
                                                  : NULL;
}

/* --- growth ------------------------------------------------------------------------ */

struct hd_cell text_gain_cell(const struct hd_diff *d, size_t snapshots,
                              const struct hd_suspect *s)
{
    const struct hd_tally *first = &s->at[0], *last = &s->at[snapshots - 1];
    if (d->by_graph)
        return (struct hd_cell){.kind = HD_CELL_SIZE_CHANGE,
                                .a = s->more < 0 ? (uint64_t)-s->more : 0,
                                .b = s->more < 0 ? 0 : (uint64_t)s->more};
    if (d->types.bytes_known)
        return (struct hd_cell){HD_CELL_SIZE_CHANGE, .a = first->bytes, .b = last->bytes};
    return (struct hd_cell){HD_CELL_COUNT_CHANGE, .a = first->count, .b = last->count};
}

double text_gain_share(const struct hd_diff *d, size_t snapshots,
                       const struct hd_suspect *s)
{
    struct hd_cell c = text_gain_cell(d, snapshots, s);
    const struct hd_tally *all = &d->types.totals[snapshots - 1];
    double whole = (double)(d->types.bytes_known ? all->bytes : all->count);
    return d->by_graph ? s->more_share
           : whole > 0 ? ((double)c.b - (double)c.a) / whole
                       : 0;
}

void text_line(struct text *t, const struct hd_report *r)
{
    if (r->options.min_bytes > 0)
        say(t, as_size(r->options.min_bytes));
    else
        say(t, as_number(100 * r->options.min_share), " % of the heap");
}

struct text_cohorts text_cohorts(const struct hd_cohorts *b, size_t begin, size_t end,
                                 size_t k)
{
    struct text_cohorts c = {0};
    for (size_t j = 0, at = 0; j < end; at += b->count - j++) {
        c.arrived += j >= begin ? b->at[at + k - j] : 0;
        c.survived += j >= begin ? b->at[at + b->count - 1 - j] : 0;
    }
    return c;
}

/* Returns the cohort of the objects that existed at the start of the leak. */
static size_t start_of(const struct hd_cohorts *b)
{
    size_t first = 0;
    while (b->accumulates && first + 1 < b->count && b->snapshot[first] < b->since)
        first++;
    return first;
}

bool text_knows_cohorts(const struct hd_report *r, const struct hd_cohorts *b)
{
    bool exact = r->diff.identity == HD_SAME_BY_EVENTS;
    return b != NULL && b->count >= 3 && (b->accumulates || exact);
}

bool text_shows_cohorts(const struct hd_report *r, const struct hd_cohorts *b)
{
    struct text_cohorts all = {0};
    if (!text_knows_cohorts(r, b))
        return false;
    for (size_t j = start_of(b) + 1; j < b->count; j++) {
        struct text_cohorts c = text_cohorts(b, j, j + 1, j);
        all.arrived += c.arrived;
        all.survived += c.survived;
    }
    /* seven of eight births since survive */
    return r->diff.identity == HD_SAME_BY_EVENTS || 8 * all.survived >= 7 * all.arrived;
}

static void list(struct text *t, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        say(t, i == 0 ? "" : i + 1 == count ? " and " : ", ", numbers[i]);
}

/* With more numbers than this only their sum is readable. */
enum { MAX_STEPS = 6 };

void text_put_cohorts(struct text *t, const struct hd_cohorts *b, bool exact)
{
    uint64_t arrived[SERIES_MAX_SNAPSHOTS], survived[SERIES_MAX_SNAPSHOTS];
    uint64_t all_arrived = 0, all_survived = 0;
    size_t first = start_of(b), steps = b->count - 1 - first;
    bool each = steps <= MAX_STEPS;
    for (size_t i = 0; i < steps; i++) {
        size_t j = first + 1 + i;
        struct text_cohorts c = text_cohorts(b, j, j + 1, j);
        arrived[i] = c.arrived;
        survived[i] = c.survived;
        all_arrived += c.arrived;
        all_survived += c.survived;
    }
    say(t, all_survived == all_arrived ? "all" : exact ? "" : "at least ");
    if (all_survived != all_arrived)
        list(t, each ? survived : &all_survived, each ? steps : 1);
    say(t, " of the ");
    list(t, each ? arrived : &all_arrived, each ? steps : 1);
    say(t, each && steps > 1 ? " added in each step" : " added");
    struct text_cohorts old = text_cohorts(b, 0, first + 1, first);
    if (old.arrived > 0)
        say(t, "; of ", old.arrived, " older ", as_noun(old.arrived, "one"), ", ",
            old.survived < old.arrived ? say_count(old.survived) : say_words("all"));
}

bool text_since(struct text *t, const struct hd_report *r, const struct hd_cohorts *b)
{
    enum { BEFORE_HOUR = 11, TO_MINUTES = 5 };
    char time[CALENDAR_TIME];
    if (b == NULL || !b->accumulates || start_of(b) == 0)
        return false;
    const struct hd_snapshot_facts *from = &r->snapshots[b->since];
    say(t, "since snapshot ", b->since + 1);
    if (!from->clock_is_date || !(fabs(from->clock) < 1e15) ||
        !calendar_time((int64_t)floor(from->clock), time))
        return true;
    time[BEFORE_HOUR + TO_MINUTES] = '\0';
    say(t, " (", time + BEFORE_HOUR, " UTC)");
    return true;
}

void text_born(struct text *t, size_t first, size_t last)
{
    bool old = first == 1;
    say(t,
        old && last == 1 ? "older than snapshot "
        : old            ? "present by snapshot "
        : first == last  ? "new in snapshot "
                         : "new in snapshots ",
        old ? last : first);
    if (!old && first != last)
        say(t, " to ", last);
}

/* Less turnover than this is not mentioned. */
enum { MIN_ARRIVALS = 12 };

bool text_turnover(struct text *t, const struct hd_suspect *s)
{
    const struct hd_cohorts *b = s->cohorts;
    if (b == NULL || !b->turns_over || s->suspicion != HD_SUSPECT_NOT || s->rank == 0 ||
        b->arrived < MIN_ARRIVALS)
        return false;
    say(t, 2 * b->died > b->arrived ? "turnover: " : "the oldest are freed first: ",
        b->arrived, " added, ", b->died, " freed");
    return true;
}

/* --- time ---------------------------------------------------------------- */

bool heading_times_fall(const struct hd_report *r)
{
    bool dated = false, fall = false;
    double last = NAN;
    for (size_t k = 0; k < r->snapshot_count; k++) {
        const struct hd_snapshot_facts *now = &r->snapshots[k];
        if (!isfinite(now->clock))
            continue;
        fall |= now->clock_is_date == dated && now->clock < last;
        dated = now->clock_is_date;
        last = now->clock;
    }
    return fall;
}

double heading_span(const struct hd_report *r)
{
    if (r->snapshot_count < 2 || heading_times_fall(r))
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
    if (span >= shown && span < most)
        say(t, " over ", as_duration((uint64_t)(span + 0.5)));
}

bool heading_add_rate(struct text *t, const struct hd_report *r, const char *begin,
                      uint64_t first, uint64_t last)
{
    const double most = 9e18;
    double rate = heading_per_hour(r, (double)last - (double)first);
    if (last <= first || !(rate >= 1 && rate < most))
        return false;
    say(t, begin, "+", as_size((uint64_t)rate), "/h");
    return true;
}

/* --- where it is from ---------------------------------------------------- */

/* Returns the value of this field of hd_info if it is equal in all snapshots that have it,
 * or NULL; *several: they differ. */
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

/* --- file names ------------------------------------------------------------------ */

/* True if some other path has the same end, from the beginning of a part on. */
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
