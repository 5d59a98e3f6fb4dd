#include "cli/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop, shown;
    size_t number, files;
    const char *path;
};

static struct timespec after_milliseconds(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void *show(void *arg)
{
    enum { FIRST_AFTER = 500, THEN_EVERY = 200 };
    struct progress *p = arg;
    pthread_mutex_lock(&p->lock);
    struct timespec until = after_milliseconds(FIRST_AFTER);
    while (!p->stop) {
        if (pthread_cond_timedwait(&p->changed, &p->lock, &until) == 0)
            continue;
        if (p->path != NULL) {
            fprintf(stderr, "\r\033[Kreading %zu of %zu: %.60s", p->number, p->files,
                    p->path);
            p->shown = true;
        }
        until = after_milliseconds(THEN_EVERY);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct progress *progress_start(bool wanted, size_t files)
{
    if (!wanted || !isatty(STDERR_FILENO))
        return NULL;
    struct progress *p = calloc(1, sizeof(*p));
    if (p == NULL)
        return NULL;
    p->files = files;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (pthread_create(&p->thread, NULL, show, p) == 0)
        return p;
    free(p);
    return NULL;
}

void progress_file(struct progress *p, size_t number, const char *path)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->number = number;
    p->path = path;
    pthread_mutex_unlock(&p->lock);
}

void progress_stop(struct progress *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    if (p->shown)
        fputs("\r\033[K", stderr);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
