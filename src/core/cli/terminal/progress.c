#include "cli/terminal/progress.h"

#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "cli/terminal/style.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct progress {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop, shown, busy;

    enum hd_phase phase;
    double since; /* seconds_now() when it began */
    uint64_t done, all;

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

static const struct {
    const char *name, *unit;
} phases[] = {
    [HD_READING] = {"reading", "MB/s"},
    [HD_FINDING_OWNERS] = {"finding owners", "million objects/s"},
    [HD_FINDING_CHAINS] = {"finding root chains", "million objects/s"},
};

static void erase(struct progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

/* "finding owners: 40 %, 12.3 million objects/s, 4 s left"; all may be 0, if it is not
 * known. */
static void show_line(struct progress *p)
{
    double elapsed = seconds_now() - p->since, rate = (double)p->done / elapsed;
    const char *unit = phases[p->phase].unit;
    fprintf(stderr, "\r\033[K%s", phases[p->phase].name);
    if (p->done > 0 && elapsed > 0 && (p->all == 0 || p->done > p->all))
        fprintf(stderr, ": %.1f %s", rate / 1e6, unit);
    else if (p->done > 0 && elapsed > 0)
        fprintf(stderr, ": %.0f %%, %.1f %s, %.0f s left",
                100 * (double)p->done / (double)p->all, rate / 1e6, unit,
                (double)(p->all - p->done) / rate);
    if (p->phase == HD_READING && p->path != NULL) {
        char name[61];
        snprintf(name, sizeof(name), "%s", p->path);
        fprintf(stderr, "; %zu of %zu: ", p->number, p->files);
        put_name(name);
    }
    p->shown = true;
}

static void *progress_show(void *arg)
{
    enum { FIRST_AFTER = 500, THEN_EVERY = 200 };
    struct progress *p = arg;
    pthread_mutex_lock(&p->lock);
    struct timespec until = after_milliseconds(FIRST_AFTER);
    while (!p->stop) {
        if (pthread_cond_timedwait(&p->changed, &p->lock, &until) == 0)
            continue;
        if (p->busy)
            show_line(p);
        until = after_milliseconds(THEN_EVERY);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

struct progress *progress_start(bool wanted)
{
    if (!wanted || !style_can_redraw())
        return NULL;
    struct progress *p = calloc(1, sizeof(*p));
    if (p == NULL)
        return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    if (pthread_create(&p->thread, NULL, progress_show, p) == 0)
        return p;
    free(p);
    return NULL;
}

static void progress_begin(struct progress *p, enum hd_phase phase, uint64_t all)
{
    p->busy = true;
    p->phase = phase;
    p->since = seconds_now();
    p->done = 0;
    p->all = all;
}

void progress_files(struct progress *p, size_t files, uint64_t bytes)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->files = files;
    progress_begin(p, HD_READING, bytes);
    pthread_mutex_unlock(&p->lock);
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

/* Files may be read again within another phase, which includes the reading. */
void progress_report(void *context, enum hd_phase phase, uint64_t more, uint64_t all)
{
    struct progress *p = context;
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    if (phase != HD_READING && (!p->busy || p->phase != phase || p->all != all))
        progress_begin(p, phase, all);
    if (p->phase == phase)
        p->done += more;
    if (phase == HD_READING && p->phase == phase)
        p->all += all;
    pthread_mutex_unlock(&p->lock);
}

void progress_hide(struct progress *p)
{
    if (p == NULL)
        return;
    pthread_mutex_lock(&p->lock);
    p->busy = false;
    p->path = NULL;
    erase(p);
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
    erase(p);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
