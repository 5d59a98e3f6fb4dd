#include "cli/live/sidecar.h"

#include "cli/live/collecting.h"
#include "cli/live/host_lock.h"
#include "cli/live/process_lookup.h"
#include "cli/live/storing.h"
#include "cli/terminal/messages.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    USUAL_INTERVAL_MS = 3600 * 1000,
    TICK_MS = 500,
    POLL_S = 10,  /* while there is no process */
    TURN_S = 600, /* while another has its snapshot taken */
    CLOCK_JUMP_S = 5
};

struct sidecar {
    const struct settings *settings;
    struct settings own; /* of collecting: the process is looked for here */
    struct collecting c;
    struct store_queue queue;
    struct host_lock lock;
    struct sighted process; /* last seen */
    double interval;        /* seconds */
    uint64_t seed;          /* of the jitter */
    uint64_t instance;      /* that the last snapshot was of; 0: unknown */
    double clock_offset;    /* between the time of day and the clock that nobody sets */
    uint32_t attempts;
    uint64_t taken;
    bool is_once; /* `collect`: nothing is waited for, and everything is wanted */
    bool told_missing, told_no_lock;
};

/* --- time --------------------------------------------------------------------------- */

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double clock_offset(void)
{
    return seconds_of(CLOCK_REALTIME) - seconds_of(CLOCK_MONOTONIC);
}

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014. */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Which moment is whose follows from the host and the pid, so it can be told beforehand,
 * and sidecars that start together do not stop all processes of a service together. */
static uint64_t seed_of(const struct sighted *process)
{
    uint64_t seed = mixed(process->pid);
    for (const char *c = process->host; *c != '\0'; c++)
        seed = mixed(seed ^ (unsigned char)*c);
    return seed;
}

/* From 0 to 1; number 0 is of the first snapshot. */
static double share(const struct sidecar *w, uint64_t number)
{
    return (double)(mixed(w->seed + number) >> 11) / (double)(UINT64_C(1) << 53);
}

static double until_first(const struct sidecar *w)
{
    return w->is_once ? 0 : w->interval / 10 * share(w, 0);
}

static double until_next(const struct sidecar *w)
{
    return w->interval * (w->is_once ? 1 : 0.95 + 0.1 * share(w, w->attempts));
}

/* Wait, and store meanwhile what could not be stored before. False if a signal came. */
static bool wait_until(struct sidecar *w, double due)
{
    double left = due - seconds_of(CLOCK_MONOTONIC);
    while (left > 0 && !w->c.stopped) {
        store_queue_flush(&w->queue, false);
        collecting_is_stopped(&w->c,
                              left * 1e3 < TICK_MS ? (int)(left * 1e3) + 1 : TICK_MS);
        left = due - seconds_of(CLOCK_MONOTONIC);
    }
    return !w->c.stopped;
}

/* The times of this series are then not what they seem; whoever reads it is told as well.
 */
static void see_clock(struct sidecar *w)
{
    double offset = clock_offset(), jump = offset - w->clock_offset;
    if (fabs(jump) >= CLOCK_JUMP_S && !w->settings->quiet)
        fprintf(stderr,
                "heapdrift: note: the clock of this machine was set by %+.0f s since the "
                "last snapshot\n",
                jump);
    w->clock_offset = offset;
}

/* --- one at a time ------------------------------------------------------------------ */

static bool no_lock(struct sidecar *w)
{
    if (!w->told_no_lock && !w->settings->quiet) {
        begin_message("note", w->lock.path != NULL ? w->lock.path : "heapdrift.lock");
        fprintf(stderr, ": %s; another collector may be at work at the same time\n",
                strerror(errno));
    }
    w->told_no_lock = true;
    return true;
}

/* A turn that does not come costs one snapshot: who holds it for so long hangs. */
static bool take_turn(struct sidecar *w)
{
    double begin = seconds_of(CLOCK_MONOTONIC);
    double most = w->interval < TURN_S ? w->interval : TURN_S;
    enum host_lock_state state;
    while ((state = host_lock_try(&w->lock)) == HOST_LOCK_BUSY) {
        if (seconds_of(CLOCK_MONOTONIC) - begin > most) {
            begin_message("warning", w->process.who);
            fprintf(stderr,
                    ": no snapshot: another collector on this host has been at work for "
                    "%.0f s\n",
                    most);
            return false;
        }
        if (collecting_is_stopped(&w->c, TICK_MS))
            return false;
    }
    return state == HOST_LOCKED || no_lock(w);
}

/* --- one snapshot ------------------------------------------------------------------- */

/* A process that is larger has a heap that may be; what is not known may be, too. */
static bool is_small_enough(const struct sidecar *w)
{
    uint64_t most = w->settings->max_heap, memory = w->process.memory;
    if (most == 0 || (memory != HD_UNKNOWN && memory <= most))
        return true;
    begin_message("warning", w->process.who);
    if (memory == HD_UNKNOWN)
        fputs(": no snapshot: how much memory it has cannot be seen from here, and "
              "--max-heap was given\n",
              stderr);
    else
        fprintf(stderr,
                ": no snapshot: it has %.0f MiB in memory, and --max-heap allows %.0f\n",
                (double)memory / 1048576, (double)most / 1048576);
    return false;
}

static void see_run(struct sidecar *w)
{
    uint64_t instance = w->c.collected.origin.instance;
    if (w->taken > 0 && instance != w->instance && !w->settings->quiet) {
        begin_message("note", w->process.who);
        fputs(": a new process, and so a new series\n", stderr);
    }
    w->instance = instance;
}

/* An exit status. */
static int take(struct sidecar *w)
{
    w->c.how.socket = w->process.socket[0] != '\0' ? w->process.socket : NULL;
    w->c.how.pid = w->c.how.socket == NULL ? w->process.pid : 0;
    w->c.label = w->process.who;
    /* Of one whose memory cannot be seen the number is that of another container. */
    const struct stored_process process = {
        w->process.who, w->process.memory != HD_UNKNOWN ? w->process.pid : 0};
    int status = storing_take(&w->c, w->settings, &process, &w->queue);
    if (status == EXIT_TROUBLE)
        return status;
    see_run(w);
    w->taken++;
    return status;
}

static int take_in_turn(struct sidecar *w)
{
    if (!is_small_enough(w) || !take_turn(w))
        return EXIT_TROUBLE;
    see_clock(w);
    int status = take(w);
    host_lock_release(&w->lock);
    return status;
}

/* --- the process -------------------------------------------------------------------- */

enum next { GO_ON, LOOK_AGAIN, END };

/* Whoever named it by its name means whatever has that name, now or later. What is wrong
 * from the start will not change by itself, and is better told by ending. */
static enum next miss(struct sidecar *w, enum process_lookup what,
                      const struct hd_error *err)
{
    const struct settings *s = w->settings;
    bool comes_back = what == SIGHT_GONE && s->name != NULL && !w->is_once;
    bool is_told = w->told_missing;
    if (!comes_back && (w->taken == 0 || w->is_once)) {
        print_error(NULL, err);
        return END;
    }
    w->told_missing = true;
    if (what == SIGHT_GONE && !comes_back) {
        begin_message("note", w->process.who);
        fputs(": has ended, and so does this\n", stderr);
        return END;
    }
    if (!is_told && !s->quiet) {
        begin_message("note", comes_back ? s->name : w->process.who);
        fputs(comes_back ? ": there is no such process now; waiting for one\n" : ": ",
              stderr);
        if (!comes_back)
            end_message(err->message);
    }
    return LOOK_AGAIN;
}

static bool is_another(const struct sighted *seen, const struct sighted *before)
{
    return seen->pid != before->pid || strcmp(seen->socket, before->socket) != 0;
}

static void tell_next(const struct sidecar *w, const struct sighted *seen)
{
    if (w->settings->quiet)
        return;
    begin_message("note", w->process.who);
    fputs(": has ended; the next is ", stderr);
    put_name(seen->who);
    fputc('\n', stderr);
}

/* From its first snapshot on. What the one before had too much of says nothing of this one.
 */
static void follow_it(struct sidecar *w)
{
    collecting_unfollow(&w->c);
    if (w->settings->snapshot_count != 1)
        collecting_follow(&w->c);
}

static enum next look(struct sidecar *w)
{
    struct hd_error err = {0};
    struct sighted seen = w->process;
    enum process_lookup what = sight(&seen, w->settings, &err);
    if (what != SIGHT_THERE)
        return miss(w, what, &err);
    w->told_missing = false;
    if (w->process.who[0] != '\0' && is_another(&seen, &w->process)) {
        /* Whoever kept the names of types away is connected to the one before. */
        w->c.how.keep_names = false;
        tell_next(w, &seen);
        follow_it(w);
    }
    w->process = seen;
    w->seed = seed_of(&seen);
    w->queue.spread = 0.75 + 0.5 * share(w, UINT64_MAX);
    return GO_ON;
}

static void tell_begin(const struct sidecar *w, double first)
{
    if ((!w->c.lines && !w->c.progress) || w->is_once)
        return;
    begin_message(NULL, w->process.who);
    fprintf(stderr, ": a snapshot every %.4g s into ", w->interval);
    hd_store_put_url(hd_sink_file(stderr), w->settings->store);
    fprintf(stderr, ", the first in %.0f s\n", first);
}

/* --- for how long ------------------------------------------------------------------- */

static bool is_enough(const struct sidecar *w)
{
    uint32_t wanted = w->settings->snapshot_count;
    return wanted > 0 && w->attempts >= wanted;
}

/* Wait for the process at first, too: a pod starts its containers in any order. */
static enum next wait_for_it(struct sidecar *w)
{
    enum next what;
    double poll = w->interval < POLL_S ? w->interval : POLL_S;
    while ((what = look(w)) == LOOK_AGAIN)
        if (!wait_until(w, seconds_of(CLOCK_MONOTONIC) + poll))
            return END;
    return what;
}

/* Of a number of snapshots each is wanted; without one the next may do. */
static int round_status(const struct sidecar *w, int before, int result)
{
    bool counts = w->settings->snapshot_count > 0 && result != EXIT_DONE;
    return !counts || before == EXIT_TROUBLE ? before : result;
}

static int rounds(struct sidecar *w)
{
    int status = EXIT_DONE;
    if (wait_for_it(w) == END)
        return w->c.stopped ? EXIT_DONE : EXIT_TROUBLE;
    double due = seconds_of(CLOCK_MONOTONIC) + until_first(w);
    tell_begin(w, until_first(w));
    while (wait_until(w, due) && !is_enough(w)) {
        if (wait_for_it(w) == END)
            return w->is_once && !w->c.stopped ? EXIT_TROUBLE : status;
        double begin = seconds_of(CLOCK_MONOTONIC);
        w->attempts++;
        int result = take_in_turn(w);
        status = round_status(w, status, result);
        if (w->is_once && result == EXIT_TROUBLE)
            break;
        store_queue_flush(&w->queue, false);
        due = is_enough(w) ? 0 : begin + until_next(w);
    }
    return w->is_once && w->c.stopped && !is_enough(w) ? EXIT_TROUBLE : status;
}

static bool begin(struct sidecar *w, const struct settings *s)
{
    bool is_away = false;
    w->settings = s;
    bool is_usual = !s->interval_given && !w->is_once;
    w->interval = (double)(is_usual ? USUAL_INTERVAL_MS : s->interval_ms) / 1e3;
    w->own = *s;
    w->own.name = NULL;
    if (!collecting_begin(&w->c, &w->own))
        return false;
    follow_it(w);
    w->c.finishes = true;
    w->c.most_bytes = s->read.max_memory;
    w->lock = (struct host_lock){.path = s->lock, .held = -1};
    w->clock_offset = clock_offset();
    w->queue = storing_begin(s);
    if (store_queue_probe(&w->queue, &is_away) || (is_away && !w->is_once))
        return true;
    collecting_end(&w->c);
    return false;
}

static int run(struct sidecar *w, const struct settings *s)
{
    if (!begin(w, s))
        return EXIT_TROUBLE;
    int status = rounds(w);
    if (!storing_end(&w->c, &w->queue))
        status = EXIT_TROUBLE;
    collecting_end(&w->c);
    return status;
}

int sidecar_run(const struct settings *s)
{
    struct sidecar w = {.c = {.signals = -1}};
    return run(&w, s);
}

int sidecar_collect(const struct settings *s)
{
    struct sidecar w = {.c = {.signals = -1}, .is_once = true};
    struct settings one = *s;
    one.snapshot_count = s->snapshot_count > 0 ? s->snapshot_count : 1;
    return run(&w, &one);
}
