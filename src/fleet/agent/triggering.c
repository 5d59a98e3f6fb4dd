/* watch --at. */
#include "cli/guard/allocate.h"
#include "cli/guard/memory.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "fleet/agent/agent.h"

#include <math.h>
#include <stdio.h>

/* Seconds; the second is for limits that memory is not compared with. */
static const double look_every = 1, limit_every = 10;

/* Memory that a runtime takes for a walk at most, as docs/collect.md has it: since .NET 11
 * it waits for the reader. */
enum { WAITING = 11 };
static const uint64_t most_walked = UINT64_C(1) << 30, most_waiting = UINT64_C(64) << 20;

/* --- what is seen --------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void begin_one(const struct agent *a, struct watched_process *w)
{
    struct run_facts facts;
    struct process_trigger *t = zeroed(1, sizeof(*t));
    w->triggering = t;
    trigger_begin(&t->trigger);
    t->rule = NO_TRIGGER;
    t->group_limit = t->limit = HD_UNKNOWN;
    t->looked = -INFINITY;
    if (a->options->limit > 0) {
        t->limit = a->options->limit;
        return;
    }
    /* Only from the environment: the limit of its group may change. */
    run_facts_of_process(&facts, w->process.pid);
    t->limit = facts.run.limit;
    run_facts_free(&facts);
}

static bool is_limited_by_group(const struct process_trigger *t)
{
    return t->group_limit != HD_UNKNOWN && t->group_limit <= t->limit;
}

/* By its group, if that is what limits it most: then all counts that the kernel counts. The
 * limit of the group is then read at each look, since an older one does not fit what is
 * left now. */
static void see(const struct agent *a, struct watched_process *w,
                struct trigger_sight *sight)
{
    struct process_trigger *t = w->triggering;
    const uint64_t pid = w->process.pid;
    *sight = (struct trigger_sight){.now = seconds_now(),
                                    .memory = memory_resident(a->root, pid),
                                    .pause = isnan(w->pause) ? 0 : w->pause,
                                    .duration = w->seconds};
    if (a->options->limit == 0 &&
        (is_limited_by_group(t) || sight->now - t->looked >= limit_every)) {
        t->group_limit = memory_limit(a->root, pid, NULL);
        t->looked = sight->now;
    }
    sight->limit = smaller(t->limit, t->group_limit);
    uint64_t left = is_limited_by_group(t) ? memory_left(a->root, pid) : HD_UNKNOWN;
    if (left <= t->group_limit && left != HD_UNKNOWN)
        sight->memory = t->group_limit - left;
    if (!a->options->direct)
        sight->needed = smaller(w->objects * TRACE_BYTES,
                                w->process.runtime >= WAITING ? most_waiting : most_walked);
}

/* --- what is done --------------------------------------------------------------------- */

void triggering_begin(struct agent *a)
{
    a->triggers.interval = a->interval;
    if (a->options->at != NULL)
        triggers_parse(a->options->at, &a->triggers);
}

static void tell_blind(const struct agent *a, struct watched_process *w,
                       const struct trigger_sight *sight)
{
    const char *what = NULL;
    if (sight->memory == HD_UNKNOWN)
        what = "memory use is not visible from here, so --at has no effect";
    else if (sight->limit == HD_UNKNOWN && triggers_have_share(&a->triggers))
        what =
            "memory limit is unknown, so a share of it in --at has no effect; give --limit";
    if (what == NULL || w->triggering->blind_reported || a->settings->quiet)
        return;
    w->triggering->blind_reported = true;
    put_message("note", w->process.who, "%s", what);
}

static void triggering_look_at(struct agent *a, struct watched_process *w)
{
    const double mib = 1048576;
    struct trigger_sight sight;
    char name[40];
    int rule;
    if (w->triggering == NULL)
        begin_one(a, w);
    if (w->triggering->rule != NO_TRIGGER)
        return;
    see(a, w, &sight);
    if (w->process.memory == HD_UNKNOWN)
        sight.memory = HD_UNKNOWN;
    tell_blind(a, w, &sight);
    enum trigger_verdict verdict =
        trigger_see(&w->triggering->trigger, &a->triggers, &sight, &rule);
    if (verdict == TRIGGER_TOO_LATE)
        finding_failed(w, WATCH_NEAR_LIMIT,
                       "it uses %.0f of %.0f MiB, and the collection may need %.0f more",
                       (double)sight.memory / mib, (double)sight.limit / mib,
                       (double)sight.needed / mib);
    if (verdict != TRIGGER_DUE)
        return;
    w->triggering->rule = rule;
    w->triggering->clock_due = w->due;
    w->due = fmin(w->due, sight.now);
    if (a->settings->quiet)
        return;
    trigger_put(&a->triggers, rule, name, sizeof(name));
    begin_message(NULL, w->process.who);
    fprintf(stderr, ": a snapshot for its memory, %.0f MiB", (double)sight.memory / mib);
    if (sight.limit != HD_UNKNOWN)
        fprintf(stderr, " of %.0f", (double)sight.limit / mib);
    fprintf(stderr, " (--at=%s)\n", name);
}

void triggering_look(struct agent *a)
{
    double now = seconds_now();
    if (a->triggers.count == 0 || now - a->memory_looked < look_every)
        return;
    a->memory_looked = now;
    for (size_t i = 0; i < a->count; i++)
        if (a->all[i]->is_there && a->all[i] != a->at_work)
            triggering_look_at(a, a->all[i]);
}

/* Triggered snapshots are additional to those of the clock, unless the clock's is due right
 * after. */
void triggering_tried(struct agent *a, struct watched_process *w, bool is_taken)
{
    const double least = 0.1;
    struct process_trigger *t = w->triggering;
    struct trigger_sight sight;
    if (t == NULL)
        return;
    int rule = t->rule;
    t->rule = NO_TRIGGER;
    see(a, w, &sight);
    if (is_taken)
        trigger_taken(&t->trigger, &a->triggers, &sight, rule);
    else if (rule != NO_TRIGGER)
        trigger_failed(&t->trigger, &sight, rule);
    if (rule != NO_TRIGGER && t->clock_due > sight.now + least * a->interval)
        w->due = t->clock_due;
}
