/* trigger.h - decides whether a snapshot is due because of the memory of a process, in
 * addition to the clock: `watch --at`. Depends only on the given numbers and times.
 *
 * A share of the limit and a size are levels: passing one gives one snapshot, however far
 * it is passed, until memory was five percent below. Growth counts from the last snapshot.
 * With a limit there is another one before it: when memory, extrapolated from the last half
 * minute, would reach it before a snapshot that begins now is finished, including the
 * memory of the collection itself. If that alone exceeds what is left, no snapshot is
 * taken: it would kill the process.
 *
 * The distance between two is at least a hundred times the pause, and half a minute; for
 * the one before the limit ten times, and five seconds. Each snapshot for a rule doubles
 * its distance, up to the interval of the clock, so that a saw tooth around a level does
 * not cost more than that. */
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
        uint64_t bytes; /* for the other kinds */
    } all[MAX_TRIGGERS];
    size_t count;
    double interval; /* between snapshots of the clock, in seconds */
};

/* Parses "80%,1.5GiB,+200MB" into rules, except the interval; NULL, or the expected
 * syntax. */
const char *triggers_parse(const char *text, struct trigger_rules *rules);

/* True if a rule needs the limit. */
bool triggers_have_share(const struct trigger_rules *rules);

/* Current state of the process. */
struct trigger_sight {
    double now;      /* seconds, monotonic clock */
    uint64_t memory; /* bytes; HD_UNKNOWN */
    uint64_t limit;  /* HD_UNKNOWN */
    double pause;    /* of the process for a snapshot, in seconds, from the last one; 0:
                        unknown */
    double duration; /* of a snapshot in seconds */
    uint64_t needed; /* bytes that the process needs for one; 0: --direct, or unknown */
};

/* State per process, for trigger_begin(). */
struct trigger {
    struct {
        bool is_past; /* the level was passed and reported */
        unsigned times;
        double last;
    } rules[MAX_TRIGGERS + 1];
    uint64_t base;        /* memory at the last snapshot; HD_UNKNOWN: no sight yet */
    uint64_t highest;     /* maximum at all snapshots */
    uint64_t seen, limit; /* at the last call */
    double last;          /* try */
    struct {
        double time;
        double memory;
    } samples[TRIGGER_SAMPLES];
    size_t sample_count; /* ever added */
};

/* Starts with a new process, or a successor. */
void trigger_begin(struct trigger *t);

enum trigger_verdict { TRIGGER_NOT_DUE, TRIGGER_DUE, TRIGGER_TOO_LATE };

/* Checks the rules; call it about once a second. *rule: the one that is due,
 * TRIGGER_NEAR_LIMIT for the last before the limit. TRIGGER_TOO_LATE is returned once per
 * passing. */
enum trigger_verdict trigger_see(struct trigger *t, const struct trigger_rules *rules,
                                 const struct trigger_sight *sight, int *rule);

/* Registers a snapshot for a rule, or NO_TRIGGER: the clock. sight is from after it. */
void trigger_taken(struct trigger *t, const struct trigger_rules *rules,
                   const struct trigger_sight *sight, int rule);

/* Registers a failed one: the rule remains due, after a delay. */
void trigger_failed(struct trigger *t, const struct trigger_sight *sight, int rule);

/* Formats a rule as given: "80%". */
void trigger_put(const struct trigger_rules *rules, int rule, char *text, size_t size);

#endif
