/* trigger.h - whether a snapshot is due for the memory of a process, besides the clock:
 * `watch --at`. It looks at numbers and times that it is given, and at nothing else.
 *
 * A share of the limit and a size are levels: passing one is one snapshot, however far it
 * is passed, until memory was five percent below. Growth counts from the last snapshot.
 * With a limit there is one more before it: when memory, as it has been rising for half a
 * minute, would be there before a snapshot that begins now is done, with what the
 * collection itself takes. Where even that is more than what is left, none is taken: it
 * would be the end.
 *
 * Between two lies at least a hundred times the pause, and half a minute; for the one
 * before the limit ten times, and five seconds. Each snapshot for one rule doubles its own
 * distance up to the interval of the clock, so that a saw tooth around a level costs no
 * more than that. */
#ifndef TRIGGER_H
#define TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MAX_TRIGGERS = 8,
    TRIGGER_NEAR_LIMIT = MAX_TRIGGERS,
    NO_TRIGGER = -1,
    TRIGGER_SAMPLES = 32
};

enum trigger_kind { TRIGGER_SHARE, TRIGGER_SIZE, TRIGGER_GROWTH };

struct trigger_rules {
    struct {
        enum trigger_kind kind;
        double share;   /* of the limit, 0 to 1 */
        uint64_t bytes; /* of the other kinds */
    } all[MAX_TRIGGERS];
    size_t count;
    double interval; /* seconds of the clock */
};

/* "80%,1.5GiB,+200MB" into rules, whose interval stays; NULL, or what it should be. */
const char *triggers_parse(const char *text, struct trigger_rules *rules);

/* Whether a rule needs the limit. */
bool triggers_have_share(const struct trigger_rules *rules);

/* What is known of the process now. */
struct trigger_sight {
    double now;      /* seconds, of a clock that only goes forward */
    uint64_t memory; /* bytes; HD_UNKNOWN */
    uint64_t limit;  /* HD_UNKNOWN */
    double pause;    /* seconds that a snapshot stops it, as of the last; 0: unknown */
    double duration; /* seconds until one is done */
    uint64_t needed; /* bytes that the process needs for one; 0: nothing, or unknown */
};

/* Of one process. {0} with trigger_begin(). */
struct trigger {
    struct {
        bool is_past; /* the level was passed, and told */
        unsigned times;
        double last;
    } rules[MAX_TRIGGERS + 1];
    uint64_t base;    /* memory at the last snapshot; HD_UNKNOWN: nothing was seen yet */
    uint64_t highest; /* at any snapshot, as far as there was one */
    uint64_t seen, limit; /* at the last sight */
    double last;          /* try */
    struct {
        double time;
        double memory;
    } samples[TRIGGER_SAMPLES];
    size_t sample_count; /* that were ever added */
};

/* A process that was not seen before, or one that comes in place of another. */
void trigger_begin(struct trigger *t);

enum trigger_verdict { TRIGGER_NOT_DUE, TRIGGER_DUE, TRIGGER_TOO_LATE };

/* Once a second or so. *rule: which one, TRIGGER_NEAR_LIMIT for the last before the limit.
 * TRIGGER_TOO_LATE is told once for each passing. */
enum trigger_verdict trigger_see(struct trigger *t, const struct trigger_rules *rules,
                                 const struct trigger_sight *sight, int *rule);

/* A snapshot was taken for a rule, or NO_TRIGGER: for the clock. sight is what was seen
 * behind it. */
void trigger_taken(struct trigger *t, const struct trigger_rules *rules,
                   const struct trigger_sight *sight, int rule);

/* One for a rule failed: it stays due, after a while. */
void trigger_failed(struct trigger *t, const struct trigger_sight *sight, int rule);

/* A rule as it was written: "80%". */
void trigger_put(const struct trigger_rules *rules, int rule, char *text, size_t size);

#endif
