#include "cli/live/waiting.h"

#include "cli/guard/allocate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Six weeks of a snapshot an hour of one process; a digest has ten to two hundred
 * kilobytes, so of fifty the bytes are what ends it, after some six hours. */
enum { MOST_WAITING = 1000, MOST_WAITING_BYTES = 64 << 20 };

/* --- one ----------------------------------------------------------------------------- */

static char *own(const char *s)
{
    if (s == NULL)
        return NULL;
    size_t size = strlen(s) + 1;
    return memcpy(more(NULL, size), s, size);
}

/* The process may be gone when it is stored, and with it what was known of it. */
static void own_run(struct hd_run *to, const struct hd_run *run)
{
    struct hd_label *labels = zeroed(run->label_count + 1, sizeof(*labels));
    for (size_t i = 0; i < run->label_count; i++)
        labels[i] = (struct hd_label){own(run->labels[i].name), own(run->labels[i].value)};
    *to = *run;
    to->service = own(run->service);
    to->host = own(run->host);
    to->process = own(run->process);
    to->build = own(run->build);
    to->labels = labels;
}

static void free_run(struct hd_run *run)
{
    for (size_t i = 0; i < run->label_count; i++) {
        free((void *)run->labels[i].name);
        free((void *)run->labels[i].value);
    }
    free((void *)run->labels);
    free((void *)run->service);
    free((void *)run->host);
    free((void *)run->process);
    free((void *)run->build);
}

/* What points to it. */
static struct waiting_snapshot **place_of(struct store_queue *q,
                                          const struct waiting_snapshot *w)
{
    struct waiting_snapshot **at = &q->first;
    while (*at != w)
        at = &(*at)->next;
    return at;
}

void waiting_drop(struct store_queue *q, struct waiting_snapshot *w)
{
    struct waiting_snapshot **at = place_of(q, w);
    *at = w->next;
    q->last = NULL;
    for (struct waiting_snapshot *other = q->first; other != NULL; other = other->next) {
        if (other->before == w)
            other->before = w->before;
        q->last = other;
    }
    q->count--;
    q->bytes -= w->digest.size;
    hd_memory_free(&w->digest);
    free_run(&w->run);
    free(w);
}

/* --- all of them ---------------------------------------------------------------------- */

static struct waiting_snapshot *last_of(const struct store_queue *q, uint64_t series)
{
    struct waiting_snapshot *last = NULL;
    for (struct waiting_snapshot *w = q->first; w != NULL; w = w->next)
        if (w->series == series)
            last = w;
    return last;
}

void waiting_add(struct store_queue *q, struct hd_memory *digest,
                 const struct queued_snapshot *what, double added)
{
    struct waiting_snapshot *w = zeroed(1, sizeof(*w));
    w->digest = *digest;
    *digest = (struct hd_memory){0};
    own_run(&w->run, what->run);
    w->pause_seconds = what->pause_seconds;
    w->series = what->series;
    w->added = added;
    w->before = last_of(q, what->series);
    snprintf(w->who, sizeof(w->who), "%s", what->who);
    if (q->last != NULL)
        q->last->next = w;
    else
        q->first = w;
    q->last = w;
    q->count++;
    q->bytes += w->digest.size;
}

bool waiting_are_too_many(const struct store_queue *q)
{
    return q->count > MOST_WAITING || (q->bytes > MOST_WAITING_BYTES && q->count > 1);
}

struct waiting_snapshot *waiting_least(const struct store_queue *q)
{
    struct waiting_snapshot *least = q->first;
    double narrowest = INFINITY;
    for (const struct waiting_snapshot *w = q->first; w != NULL; w = w->next) {
        struct waiting_snapshot *middle = w->before;
        double gap = middle != NULL && middle->before != NULL
                         ? w->added - middle->before->added
                         : INFINITY;
        if (gap < narrowest) {
            narrowest = gap;
            least = middle;
        }
    }
    return least;
}
