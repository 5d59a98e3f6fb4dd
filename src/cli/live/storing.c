#include "cli/live/storing.h"

#include "cli/live/run_facts.h"
#include "cli/terminal/messages.h"

#include <math.h>
#include <time.h>

struct store_queue storing_begin(const struct settings *s)
{
    struct store_queue q = {.url = s->store,
                            .keep_seconds = s->keep_seconds,
                            .spread = 1,
                            .quiet = s->quiet,
                            .tells = !s->quiet};
    return q;
}

static void see_facts(struct run_facts *facts, const struct settings *s,
                      const struct stored_process *process)
{
    run_facts_of(facts, s, process->pid);
    if (facts->problem == NULL || s->quiet)
        return;
    begin_message("warning", process->who);
    fputs(": ", stderr);
    end_message(facts->problem);
}

int storing_take(struct collecting *c, const struct settings *s,
                 const struct stored_process *process, struct store_queue *q)
{
    struct hd_memory digest = {0};
    struct run_facts facts = {0};
    /* Before: a process may end behind its snapshot, and what it was called goes with it.
     */
    see_facts(&facts, s, process);
    int status = collecting_digest(c, process->who, &digest);
    uint64_t stopped_us = c->collected.stood_still_us;
    if (status != EXIT_TROUBLE)
        store_queue_add(q, &digest, &facts.run,
                        stopped_us > 0 ? (double)stopped_us / 1e6 : NAN, process->who);
    run_facts_free(&facts);
    return status;
}

bool storing_end(struct collecting *c, struct store_queue *q)
{
    enum { TICK_MS = 250 };
    struct timespec begin, now;
    const time_t most = 30;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    bool is_first = true;
    do {
        if (store_queue_flush(q, is_first))
            break;
        is_first = false;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - begin.tv_sec < most && !collecting_is_stopped(c, TICK_MS));
    store_queue_end(q);
    return q->lost == 0;
}
