#include "base/workers.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdlib.h>

struct crew {
    bool (*work)(void *context, size_t i);
    void *context;
    size_t count;
    pthread_mutex_t lock;
    size_t next;
    bool stop;
};

static bool workers_take(struct crew *c, size_t *i)
{
    pthread_mutex_lock(&c->lock);
    bool more = !c->stop && c->next < c->count;
    *i = c->next;
    c->next += more;
    pthread_mutex_unlock(&c->lock);
    return more;
}

static void *work(void *arg)
{
    struct crew *c = arg;
    size_t i;
    while (workers_take(c, &i)) {
        if (c->work(c->context, i))
            continue;
        pthread_mutex_lock(&c->lock);
        c->stop = true;
        pthread_mutex_unlock(&c->lock);
    }
    return NULL;
}

void workers_run(size_t count, unsigned threads, bool (*item)(void *context, size_t i),
                 void *context)
{
    struct crew c = {.work = item, .context = context, .count = count};
    size_t wanted = threads < count ? threads : count, started = 0;
    pthread_t *others = alloc_zeroed(array_bytes(wanted + 1, sizeof(*others)));
    pthread_mutex_init(&c.lock, NULL);
    /* Where no more threads are to be had, fewer do. */
    while (started + 1 < wanted && pthread_create(&others[started], NULL, work, &c) == 0)
        started++;
    work(&c);
    for (size_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    pthread_mutex_destroy(&c.lock);
    free(others);
}

size_t workers_shares(uint64_t things, uint64_t least, unsigned threads, size_t most)
{
    uint64_t worth = things / least, shares = threads < most ? threads : most;
    shares = shares < worth ? shares : worth;
    return shares > 0 ? (size_t)shares : 1;
}
