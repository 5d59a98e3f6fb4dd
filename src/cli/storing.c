#include "cli/storing.h"

#include "cli/messages.h"
#include "cli/run_facts.h"

#include <math.h>
#include <time.h>

struct store_queue storing_begin(const struct collecting *c, const struct settings *s)
{
    struct store_queue q = {.url = s->store,
                            .keep_seconds = s->keep_seconds,
                            .spread = 1,
                            .quiet = s->quiet,
                            .tells = c->lines || c->progress};
    return q;
}

int storing_take(struct collecting *c, const struct settings *s, const char *who,
                 struct store_queue *q)
{
    struct hd_memory digest = {0};
    int status = collecting_digest(c, who, &digest);
    if (status == EXIT_TROUBLE)
        return status;
    const struct hd_collected *got = &c->collected;
    double pause = got->stood_still_us > 0 ? (double)got->stood_still_us / 1e6 : NAN;
    struct run_facts facts = {0};
    run_facts_of(&facts, s, got->pid);
    if (facts.problem != NULL && !s->quiet) {
        begin_message("warning", who);
        fputs(": ", stderr);
        end_message(facts.problem);
    }
    store_queue_add(q, &digest, &facts.run, pause, who);
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
