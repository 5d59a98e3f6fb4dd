#include "fleet/agent/agent.h"

#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "fleet/agent/stored_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* Maximum per call in seconds, while others wait. */
static const double most_at_once = 2;
static const double first_delay = 1, most_delay = 300, day = 86400;

static void lose(struct store_queue *q, struct queued_snapshot *w, const char *why)
{
    q->lost++;
    trouble(w->who, why);
    store_queue_drop(q, w);
}

void store_writer_add(struct store_queue *q, const struct queued_snapshot *what)
{
    store_queue_add(q, what, seconds_now());
    while (store_queue_is_too_long(q))
        lose(q, store_queue_least(q),
             "dropped a snapshot: the store is unavailable and the queue is full");
}

/* --- the store ---------------------------------------------------------------------- */

static void begin_store_message(const struct store_queue *q, const char *kind)
{
    begin_message(kind, "");
    hd_store_put_url(hd_sink_file(stderr), q->url);
    fputs(": ", stderr);
}

/* Whether it may be there later: a folder that is not there was mistyped. */
static bool passes(const struct store_queue *q, const struct hd_error *err)
{
    static const int shortages[] = {ENOSPC, EDQUOT, EMFILE, ENFILE};
    bool is_on_a_server = strncmp(q->url, "postgres://", 11) == 0 ||
                          strncmp(q->url, "postgresql://", 13) == 0;
    bool passes = err->status == HD_TIMED_OUT || (err->status == HD_IO && is_on_a_server);
    for (size_t i = 0; i < sizeof(shortages) / sizeof(*shortages); i++)
        passes = passes || strstr(err->message, strerror(shortages[i])) != NULL;
    return passes;
}

bool store_writer_probe(struct store_queue *q, bool *is_away)
{
    struct hd_error err = {0};
    struct hd_store *store = open_trusted_store(q->url, HD_STORE_WRITE, &err);
    *is_away = store == NULL && passes(q, &err);
    const char *what = store != NULL ? hd_store_note(store) : err.message;
    if (what != NULL && (!q->quiet || (store == NULL && !*is_away))) {
        begin_store_message(q, store != NULL ? "note" : *is_away ? "warning" : NULL);
        end_message(what);
    }
    hd_store_close(store);
    return store != NULL;
}

bool store_error_is_permanent(const struct hd_error *err)
{
    return err->status == HD_USAGE || err->status == HD_BAD_FORMAT ||
           err->status == HD_NOT_A_SNAPSHOT || err->status == HD_TOO_BIG;
}

static bool record_all(struct store_queue *q, struct hd_store *store, double until,
                       struct hd_error *err)
{
    const struct hd_read_options how = {.size = sizeof(how), .checksum = true};
    while (q->count > 0 && seconds_now() < until) {
        struct queued_snapshot *w = q->first;
        const struct hd_recording of = {.size = sizeof(of),
                                        .run = &w->facts.run,
                                        .taken = NAN,
                                        .pause_seconds = w->pause_seconds};
        enum hd_recorded what = HD_RECORDED;
        struct hd_error why = {0};
        struct hd_snapshot *snap =
            hd_snapshot_from_memory(w->digest.bytes, w->digest.size, &how, &why);
        bool ok = snap != NULL && hd_store_record(store, snap, &of, &what, &why);
        hd_snapshot_close(snap);
        if (!ok && store_error_is_permanent(&why)) {
            lose(q, w, why.message);
            continue;
        }
        if (!ok) {
            *err = why;
            return false;
        }
        q->stored++;
        if (!q->quiet) {
            begin_message(NULL, w->who);
            fputs(what == HD_RECORDED ? ": stored in " : ": already stored in ", stderr);
            hd_store_put_url(hd_sink_file(stderr), q->url);
            fprintf(stderr, ", %.1f KiB%s\n", (double)w->digest.size / 1024,
                    w->was_refused ? ", after waiting" : "");
        }
        store_queue_drop(q, w);
    }
    return true;
}

/* Reported each time something new waits, not at each try. */
static void stay_away(struct store_queue *q, const struct hd_error *err)
{
    bool is_news = false;
    for (struct queued_snapshot *w = q->first; w != NULL; w = w->next) {
        is_news |= !w->was_refused;
        w->was_refused = true;
    }
    double delay = q->delay > 0 ? q->delay : first_delay, wait = delay * q->spread;
    if (is_news && !q->quiet) {
        begin_store_message(q, "warning");
        put_name(err->message);
        fprintf(stderr, "; %zu snapshot%s, next attempt in %.1f s\n", q->count,
                q->count == 1 ? " is waiting" : "s are waiting", wait);
    }
    q->next_try = seconds_now() + wait;
    q->delay = delay * 2 < most_delay ? delay * 2 : most_delay;
}

/* Once a day suffices for a rule in days, and many sidecars share a store. */
static void thin(struct store_queue *q, struct hd_store *store)
{
    struct hd_thinned done = {0};
    struct hd_error err = {0};
    double now = seconds_now();
    if (q->keep_seconds <= 0 || (q->thinned > 0 && now - q->thinned < day))
        return;
    q->thinned = now;
    bool ok = hd_store_thin(store, q->keep_seconds, (double)time(NULL), &done, &err);
    if (q->quiet || (ok && done.snapshots == 0))
        return;
    begin_store_message(q, ok ? NULL : "warning");
    if (ok)
        fprintf(stderr, "%" PRIu64 " snapshots thinned out, %" PRIu64 " kept\n",
                done.snapshots, done.left);
    else
        end_message(err.message);
}

bool store_writer_flush(struct store_queue *q, bool now)
{
    if (q->count == 0 || (!now && seconds_now() < q->next_try))
        return q->count == 0;
    struct hd_error err = {0};
    struct hd_store *store = open_trusted_store(q->url, HD_STORE_WRITE, &err);
    if (store != NULL)
        hd_store_use_bases(store, q->bases);
    double until = now ? INFINITY : seconds_now() + most_at_once;
    bool ok = store != NULL && record_all(q, store, until, &err);
    if (ok) {
        q->next_try = q->delay = 0;
        thin(q, store);
    } else {
        stay_away(q, &err);
    }
    q->is_away = !ok;
    hd_store_close(store);
    return q->count == 0;
}

/* --- its life ---------------------------------------------------------------------- */

struct store_queue store_writer_begin(const struct settings *s)
{
    const struct collect_options *o = s->own;
    return (struct store_queue){.url = s->store,
                                .keep_seconds = o->keep_seconds,
                                .spread = 1,
                                .bases = hd_store_bases_new(),
                                .quiet = s->quiet};
}

bool store_writer_end(struct collector *c, struct store_queue *q)
{
    enum { TICK_MS = 250 };
    const double begin = seconds_now(), most = 30;
    bool is_first = true;
    do {
        if (store_writer_flush(q, is_first))
            break;
        is_first = false;
    } while (seconds_now() - begin < most && !collector_is_stopped(c, TICK_MS));
    while (q->count > 0)
        lose(q, q->first, "dropped a snapshot: it could not be stored");
    hd_store_bases_free(q->bases);
    q->bases = NULL;
    return q->lost == 0;
}
