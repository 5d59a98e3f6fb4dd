#include "collect/live/trigger.h"

#include "heapdrift.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double slack = 0.05; /* of a level, that memory has to fall below it */
static const double spare = 0.01; /* of the limit, that is left to chance */
static const double sample_every = 1, window = 30, least_window = 3;
/* "80" is too small for a process: probably a percentage. */
static const uint64_t least_size = UINT64_C(1) << 20;
static const double tick = 2; /* maximum seconds until the next call */

/* --- rules --------------------------------------------------------------------------- */

static bool parse_rule(const char *text, struct trigger_rules *rules)
{
    size_t len = strlen(text), i = rules->count;
    char *end;
    if (i == MAX_TRIGGERS || len == 0)
        return false;
    rules->count++;
    rules->all[i].kind = text[len - 1] == '%' ? TRIGGER_SHARE
                         : text[0] == '+'     ? TRIGGER_GROWTH
                                              : TRIGGER_SIZE;
    if (rules->all[i].kind != TRIGGER_SHARE)
        return hd_size_from_text(text + (text[0] == '+'), &rules->all[i].bytes) &&
               rules->all[i].bytes >= least_size;
    double share = rules->all[i].share = strtod(text, &end) / 100;
    return strspn(text, "0123456789.") == len - 1 && end == text + len - 1 && share > 0 &&
           share < 1;
}

const char *triggers_parse(const char *text, struct trigger_rules *rules)
{
    static const char wanted[] =
        "up to eight of: a share of the memory limit (80%), a size (1.5GiB), growth since "
        "the last snapshot (+200MB)";
    char one[64];
    rules->count = 0;
    for (const char *at = text;; at++) {
        size_t len = strcspn(at, ",");
        if (len >= sizeof(one))
            return wanted;
        memcpy(one, at, len);
        one[len] = '\0';
        if (!parse_rule(one, rules))
            return wanted;
        at += len;
        if (*at == '\0')
            return NULL;
    }
}

bool triggers_have_share(const struct trigger_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rules->all[i].kind == TRIGGER_SHARE)
            return true;
    return false;
}

void trigger_put(const struct trigger_rules *rules, int rule, char *text, size_t size)
{
    if (rule == TRIGGER_NEAR_LIMIT)
        snprintf(text, size, "before the limit");
    else if (rules->all[rule].kind == TRIGGER_SHARE)
        snprintf(text, size, "%.4g%%", 100 * rules->all[rule].share);
    else
        snprintf(text, size, "%s%.4g MiB",
                 rules->all[rule].kind == TRIGGER_GROWTH ? "+" : "",
                 (double)rules->all[rule].bytes / 1048576);
}

/* --- levels -------------------------------------------------------------------------- */

void trigger_begin(struct trigger *t)
{
    *t = (struct trigger){.base = HD_UNKNOWN, .limit = HD_UNKNOWN, .last = -DBL_MAX};
    for (size_t i = 0; i <= MAX_TRIGGERS; i++)
        t->rules[i].last = -DBL_MAX;
}

/* Returns the level in bytes; infinite for growth, and for a share of an unknown limit. */
static double level_of(const struct trigger_rules *rules, size_t i, uint64_t limit)
{
    if (rules->all[i].kind == TRIGGER_SIZE)
        return (double)rules->all[i].bytes;
    if (rules->all[i].kind == TRIGGER_SHARE && limit != HD_UNKNOWN)
        return rules->all[i].share * (double)limit;
    return INFINITY;
}

/* --- the way to the limit ------------------------------------------------------------ */

/* Bytes per second by least squares over the last half minute, from `now` on; 0: too little
 * is known, or it falls. */
static double rate_of(const struct trigger *t, double now)
{
    double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0, oldest = 0;
    for (size_t i = 0; i < TRIGGER_SAMPLES && i < t->sample_count; i++) {
        double x = t->samples[i].time - now, y = t->samples[i].memory;
        if (x < -window)
            continue;
        n++;
        sum_x += x;
        sum_y += y;
        sum_xx += x * x;
        sum_xy += x * y;
        oldest = fmin(oldest, x);
    }
    double spread = n * sum_xx - sum_x * sum_x;
    double rate = spread > 0 ? (n * sum_xy - sum_x * sum_y) / spread : 0;
    return oldest <= -least_window && rate > 0 ? rate : 0;
}

/* --- which --------------------------------------------------------------------------- */

/* True if the minimum distance for that rule has passed. Memory above that of all snapshots
 * is not a saw tooth. */
static bool has_rested(const struct trigger *t, const struct trigger_rules *rules,
                       const struct trigger_sight *sight, int rule)
{
    const unsigned most_doublings = 30;
    bool is_near = rule == TRIGGER_NEAR_LIMIT;
    double distance = is_near ? fmax(5, 10 * sight->pause) : fmax(30, 100 * sight->pause);
    distance = fmin(distance, rules->interval);
    double own = distance;
    unsigned times = t->rules[rule].times;
    bool is_new_growth = !is_near && rules->all[rule].kind == TRIGGER_GROWTH &&
                         sight->memory >= t->highest + rules->all[rule].bytes;
    if (!is_new_growth)
        own = fmin(ldexp(own, (int)(times < most_doublings ? times : most_doublings)),
                   fmax(rules->interval, distance));
    return sight->now - t->last >= distance && sight->now - t->rules[rule].last >= own;
}

/* Returns the highest level that is passed and unreported, else growth; NO_TRIGGER. */
static int passed(const struct trigger *t, const struct trigger_rules *rules,
                  const struct trigger_sight *sight)
{
    const double memory = (double)sight->memory;
    int found = NO_TRIGGER, grown = NO_TRIGGER;
    double highest = 0;
    for (size_t i = 0; i < rules->count; i++) {
        double level = level_of(rules, i, sight->limit);
        if (rules->all[i].kind == TRIGGER_GROWTH) {
            if (memory >= (double)t->base + (double)rules->all[i].bytes)
                grown = (int)i;
        } else if (!t->rules[i].is_past && memory >= level && level > highest) {
            highest = level;
            found = (int)i;
        }
    }
    return found != NO_TRIGGER ? found : grown;
}

/* Uses the memory seen before the snapshot, whose collection may have freed some. */
static void pass_levels(struct trigger *t, const struct trigger_rules *rules,
                        const struct trigger_sight *sight)
{
    uint64_t most = sight->memory > t->seen ? sight->memory : t->seen;
    for (size_t i = 0; i < rules->count; i++)
        t->rules[i].is_past |= (double)most >= level_of(rules, i, sight->limit);
    t->base = sight->memory;
    t->highest = most > t->highest ? most : t->highest;
}

/* A changed limit changes its levels: memory that is no longer above one may pass it
 * again. */
static void see(struct trigger *t, const struct trigger_rules *rules,
                const struct trigger_sight *sight)
{
    size_t newest = (t->sample_count + TRIGGER_SAMPLES - 1) % TRIGGER_SAMPLES;
    double keeps = sight->limit == t->limit ? 1 - slack : 1;
    if (t->base == HD_UNKNOWN)
        t->base = t->highest = sight->memory;
    t->seen = sight->memory;
    if (t->sample_count == 0 || sight->now - t->samples[newest].time >= sample_every) {
        size_t at = t->sample_count++ % TRIGGER_SAMPLES;
        t->samples[at].time = sight->now;
        t->samples[at].memory = (double)sight->memory;
    }
    for (size_t i = 0; i < rules->count; i++)
        if ((double)sight->memory < keeps * level_of(rules, i, sight->limit))
            t->rules[i].is_past = false;
    if (sight->limit != t->limit)
        t->rules[TRIGGER_NEAR_LIMIT].is_past = false;
    t->limit = sight->limit;
}

enum trigger_verdict trigger_see(struct trigger *t, const struct trigger_rules *rules,
                                 const struct trigger_sight *sight, int *rule)
{
    bool near = false, is_too_late = false;
    *rule = NO_TRIGGER;
    if (sight->memory == HD_UNKNOWN || rules->count == 0)
        return TRIGGER_NOT_DUE;
    see(t, rules, sight);
    if (sight->limit != HD_UNKNOWN) {
        /* Bytes used until the end of a snapshot that begins at the next call; a collection
         * may need more than is left. */
        double rate = rate_of(t, sight->now), limit = (double)sight->limit;
        double lead = sight->duration + sight->pause + tick;
        double needed = (double)sight->memory + (double)sight->needed;
        double expected = needed + rate * lead;
        if (expected < (1 - 2 * slack) * limit)
            t->rules[TRIGGER_NEAR_LIMIT].is_past = false;
        near = rate > 0 && expected >= (1 - spare) * limit &&
               !t->rules[TRIGGER_NEAR_LIMIT].is_past;
        is_too_late = sight->needed > 0 && needed >= (1 - spare) * limit;
    }
    *rule = near ? TRIGGER_NEAR_LIMIT : passed(t, rules, sight);
    if (*rule == NO_TRIGGER)
        return TRIGGER_NOT_DUE;
    if (is_too_late) {
        pass_levels(t, rules, sight);
        t->rules[TRIGGER_NEAR_LIMIT].is_past = true;
        return TRIGGER_TOO_LATE;
    }
    return has_rested(t, rules, sight, *rule) ? TRIGGER_DUE : TRIGGER_NOT_DUE;
}

void trigger_failed(struct trigger *t, const struct trigger_sight *sight, int rule)
{
    t->last = sight->now;
    if (rule == NO_TRIGGER)
        return;
    t->rules[rule].times++;
    t->rules[rule].last = sight->now;
}

void trigger_taken(struct trigger *t, const struct trigger_rules *rules,
                   const struct trigger_sight *sight, int rule)
{
    trigger_failed(t, sight, rule);
    if (rule == TRIGGER_NEAR_LIMIT)
        t->rules[rule].is_past = true;
    if (sight->memory != HD_UNKNOWN)
        pass_levels(t, rules, sight);
    else if (rule != NO_TRIGGER)
        t->rules[rule].is_past = true;
}
