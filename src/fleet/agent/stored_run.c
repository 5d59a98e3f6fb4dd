#include "fleet/agent/stored_run.h"

#include "cli/guard/allocate.h"
#include "cli/guard/sandbox.h"
#include "cli/guard/trust.h"
#include "cli/options/options.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "heapdrift_fleet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what is asked of a store ------------------------------------------------ */

bool store_window(const struct settings *s, double usual, double *since, double *until)
{
    int64_t seconds;
    if (!report_time(&seconds))
        return false;
    struct moment from = {.before = usual}, to = {0};
    if (s->since != NULL)
        parse_moment(s->since, &from);
    if (s->until != NULL)
        parse_moment(s->until, &to);
    double end = to.is_date ? to.date : (double)seconds - to.before;
    /* "Now" includes the current second. */
    *until = s->until != NULL ? end : usual > 0 ? end + 1 : (double)NAN;
    bool is_open = from.is_open || (s->since == NULL && usual <= 0);
    *since = from.is_date ? from.date : is_open ? (double)NAN : end - from.before;
    return !(*since >= *until) || refuse("--since must be before --until");
}

size_t store_choose(const struct hd_stored_series *from, size_t chosen[HD_MAX_SNAPSHOTS])
{
    double *taken = zeroed(from->snapshot_count, sizeof(*taken));
    for (size_t k = 0; k < from->snapshot_count; k++)
        taken[k] = from->snapshots[k].taken;
    size_t n = hd_fleet_choose(taken, from->snapshot_count, HD_MAX_SNAPSHOTS, chosen);
    free(taken);
    return n;
}

/* False if the store does not answer: its contents are then unknown. */
bool store_fetch(struct hd_store *store, uint64_t snapshot, struct hd_memory *bytes,
                 struct hd_error *own, struct hd_error *err)
{
    if (hd_store_digest(store, snapshot, bytes, own))
        return true;
    hd_memory_free(bytes);
    *bytes = (struct hd_memory){0};
    if (own->status == HD_USAGE || own->status == HD_BAD_FORMAT ||
        own->status == HD_NOT_A_SNAPSHOT || own->status == HD_UNSUPPORTED ||
        own->status == HD_TOO_BIG)
        return true;
    *err = *own;
    return false;
}

/* --- a run ------------------------------------------------------------------- */

struct stored {
    char *name;
    struct hd_memory bytes;
    struct hd_error error;
};

enum { MAX_WORDS = 4 };

struct stored_run {
    uint64_t id;
    size_t count, recorded;
    struct stored all[HD_MAX_SNAPSHOTS];
    char *about; /* "shop on host-003, build 1.4" */
    char *words[MAX_WORDS];
    size_t word_count;
};

void stored_run_free(struct stored_run *r)
{
    if (r == NULL)
        return;
    for (size_t k = 0; k < r->count; k++) {
        free(r->all[k].name);
        hd_memory_free(&r->all[k].bytes);
    }
    for (size_t i = 0; i < r->word_count; i++)
        free(r->words[i]);
    free(r->about);
    free(r);
}

void stored_run_add(const struct stored_run *r, struct hd_inputs *to)
{
    for (size_t k = 0; k < r->count; k++) {
        const struct stored *s = &r->all[k];
        hd_inputs_add_memory(to, s->name, s->bytes.size > 0 ? s->bytes.bytes : "",
                             s->bytes.size);
        to->all[to->count - 1].error = s->error;
    }
}

const char *const *stored_run_words(const struct stored_run *r, size_t *count)
{
    *count = r->word_count;
    return (const char *const *)r->words;
}

/* The strings as one; the last is NULL. */
static char *joined(const char *const *parts)
{
    size_t size = 1;
    for (size_t i = 0; parts[i] != NULL; i++)
        size += strlen(parts[i]);
    char *all = zeroed(size, 1);
    for (size_t i = 0; parts[i] != NULL; i++)
        strcat(all, parts[i]);
    return all;
}

#define JOINED(...) joined((const char *const[]){__VA_ARGS__, NULL})

/* Formats "host-003/2026-11-21T12:00:00Z": a folder and a file, which reports can shorten.
 * Two snapshots of the same second both get their number. */
static char *name_of(const struct hd_stored_series *of, const size_t *chosen, size_t count,
                     size_t k)
{
    const struct hd_stored_snapshot *s = &of->snapshots[chosen[k]];
    char when[CLOCK_TEXT], neighbor[CLOCK_TEXT] = "", id[32];
    bool is_double = false;
    clock_text(s->taken, when);
    for (size_t i = k > 0 ? k - 1 : 0; i <= k + 1 && i < count; i++)
        if (i != k) {
            clock_text(of->snapshots[chosen[i]].taken, neighbor);
            is_double |= strcmp(neighbor, when) == 0;
        }
    snprintf(id, sizeof(id), is_double || when[0] == '\0' ? "-%" PRIu64 : "", s->id);
    const char *folder = of->run.host[0] != '\0'      ? of->run.host
                         : of->run.service[0] != '\0' ? of->run.service
                                                      : "run";
    return JOINED(folder, "/", when, id);
}

static char *about(const struct hd_run *run)
{
    char pid[40] = "";
    if (run->pid != HD_UNKNOWN)
        snprintf(pid, sizeof(pid), ", pid %" PRIu64, run->pid);
    return JOINED(run->service, run->host[0] != '\0' ? " on " : "", run->host,
                  run->build[0] != '\0' ? ", build " : "", run->build, pid);
}

/* The run of the filter, or its last snapshot only. */
static struct stored_run *open_run(struct hd_store *store,
                                   const struct hd_store_filter *filter, bool only_last,
                                   struct hd_error *err)
{
    const struct hd_stored_series *from = NULL;
    struct hd_series_list *l = hd_store_series(store, filter, err);
    if (l == NULL)
        return NULL;
    struct stored_run *r = zeroed(1, sizeof(*r));
    bool ok = hd_series_next(l, &from, err);
    if (ok && from == NULL)
        ok = set_error(err, HD_USAGE, "run %" PRIu64 " is no longer there", filter->run);
    if (ok) {
        size_t chosen[HD_MAX_SNAPSHOTS] = {from->snapshot_count - 1};
        size_t count = only_last ? 1 : store_choose(from, chosen);
        r->id = from->id;
        r->recorded = from->snapshot_count;
        r->about = about(&from->run);
        for (size_t k = 0; k < count && ok; k++) {
            struct stored *to = &r->all[r->count++];
            to->name = name_of(from, chosen, count, k);
            ok = store_fetch(store, from->snapshots[chosen[k]].id, &to->bytes, &to->error,
                             err);
        }
    }
    hd_series_list_free(l);
    if (ok)
        return r;
    stored_run_free(r);
    return NULL;
}

static void add_word(struct stored_run *r, const char *option, const char *value)
{
    if (value != NULL)
        r->words[r->word_count++] = JOINED(option, value);
}

static void add_words(struct stored_run *r, const char *url, const char *since,
                      const char *until)
{
    struct hd_memory public = {0};
    char id[32];
    snprintf(id, sizeof(id), "%" PRIu64, r->id);
    hd_store_put_public_url(hd_sink_memory(&public), url);
    add_word(r, "--store=", public.bytes);
    add_word(r, "--run=", id);
    add_word(r, "--since=", since);
    add_word(r, "--until=", until);
    hd_memory_free(&public);
}

struct stored_run *stored_run_of(struct hd_store *store, const char *url, uint64_t run,
                                 double since, double until, struct hd_error *err)
{
    struct hd_store_filter filter = hd_store_everything();
    char begin[CLOCK_TEXT], end[CLOCK_TEXT];
    filter.run = run;
    filter.since = since;
    filter.until = until;
    struct stored_run *r = open_run(store, &filter, false, err);
    clock_text(since, begin);
    clock_text(until, end);
    if (r != NULL)
        add_words(r, url, begin[0] != '\0' ? begin : NULL, end[0] != '\0' ? end : NULL);
    return r;
}

/* --- which one ------------------------------------------------------- */

static bool takes_one(const struct settings *s)
{
    return (s->command->bit & (ON_TOP | ON_CONVERT | ON_STATICS | ON_OBJECT)) != 0;
}

/* How good a run is for the command: a verdict needs four snapshots, growth two. */
static int fitness(const struct settings *s, size_t snapshots)
{
    enum { FOR_VERDICT = 4, FOR_GROWTH = 2 };
    return takes_one(s) ? 0 : snapshots >= FOR_VERDICT ? 2 : snapshots >= FOR_GROWTH;
}

struct stored_run_choice {
    uint64_t run; /* 0: not found */
    int fitness;
    double last;
    uint64_t matching;
};

static bool stored_run_choose(const struct settings *s, struct hd_store *store,
                              const struct hd_store_filter *filter,
                              struct stored_run_choice *best, struct hd_error *err)
{
    const struct hd_stored_series *series;
    struct hd_series_list *l = hd_store_series(store, filter, err);
    bool ok = l != NULL;
    while (ok && (ok = hd_series_next(l, &series, err)) && series != NULL) {
        int fits = fitness(s, series->snapshot_count);
        double last = series->snapshots[series->snapshot_count - 1].taken;
        best->matching++;
        if (best->run != 0 &&
            (fits < best->fitness || (fits == best->fitness && last < best->last)))
            continue;
        best->run = series->id;
        best->fitness = fits;
        best->last = last;
    }
    if (l != NULL)
        store_report_left_out(s, l);
    hd_series_list_free(l);
    return ok;
}

/* --- no match -------------------------------------------------------- */

/* The first of the requested names that no run has. */
enum missing { NO_SERVICE, NO_HOST, NO_BUILD, NO_RUN, NO_SNAPSHOT };

enum { MAX_NAMES = 500 };

struct stored_run_search {
    const struct settings *s;
    enum missing missing;
    char **names; /* that are there in its place, each once */
    size_t count, runs;
    double last; /* of matches outside the window */
};

static void forget(struct stored_run_search *x)
{
    for (size_t i = 0; i < x->count; i++)
        free(x->names[i]);
    x->count = 0;
}

/* Keeps the nearest mismatch, for the error message. */
static void stored_run_look_at(struct stored_run_search *x,
                               const struct hd_stored_series *series)
{
    const struct settings *s = x->s;
    const char *wanted[] = {s->service, s->host, s->build};
    const char *names[] = {series->run.service, series->run.host, series->run.build};
    int missing = NO_SERVICE;
    while (missing < NO_RUN &&
           (wanted[missing] == NULL || strcmp(wanted[missing], names[missing]) == 0))
        missing++;
    missing += missing == NO_RUN && (s->run == 0 || s->run == series->id);
    x->runs++;
    if (missing > (int)x->missing) {
        x->missing = (enum missing)missing;
        forget(x);
    }
    if (missing < (int)x->missing)
        return;
    if (missing == NO_SNAPSHOT)
        x->last = fmax(x->last, series->snapshots[series->snapshot_count - 1].taken);
    if (missing >= NO_RUN || x->count == MAX_NAMES)
        return;
    for (size_t i = 0; i < x->count; i++)
        if (strcmp(x->names[i], names[missing]) == 0)
            return;
    x->names = more(x->names, (x->count + 2) * sizeof(*x->names));
    x->names[x->count++] = JOINED(names[missing]);
    x->names[x->count] = NULL;
}

/* ": no run of shop on web1; did you mean web2?", "; there are cart, mail and 3 more" */
static void say_missing(const struct stored_run_search *x)
{
    enum { SHOWN = 5 };
    static const char *const what[] = {"service", "host", "build"};
    const struct settings *s = x->s;
    const char *wanted[] = {s->service, s->host, s->build};
    const char *of = x->missing > NO_SERVICE && s->service != NULL ? s->service : NULL;
    const char *nearest =
        hd_nearest_word(wanted[x->missing], (const char *const *)x->names);
    size_t shown = nearest != NULL ? 1 : x->count < SHOWN ? x->count : SHOWN;
    fprintf(stderr, ": no run %s", of != NULL ? "of " : "");
    if (of != NULL)
        put_name(of);
    fprintf(stderr, "%s%s %s ", of != NULL ? " " : "", x->missing == NO_HOST ? "on" : "of",
            what[x->missing]);
    put_name(wanted[x->missing]);
    fprintf(stderr, "; %s ",
            nearest != NULL ? "did you mean"
            : x->count == 1 ? "there is"
                            : "there are");
    for (size_t i = 0; i < shown; i++) {
        const char *name = nearest != NULL ? nearest : x->names[i];
        fputs(i > 0 ? ", " : "", stderr);
        put_name(name[0] != '\0' ? name : "one without a name");
    }
    if (nearest == NULL && x->count == MAX_NAMES)
        fputs(" and hundreds more", stderr);
    else if (nearest == NULL && x->count > shown)
        fprintf(stderr, " and %zu more", x->count - shown);
    fputs(nearest != NULL ? "?" : "", stderr);
}

static bool explain_none(const struct settings *s, struct hd_store *store,
                         struct hd_error *err)
{
    const struct hd_store_filter all = hd_store_everything();
    const struct hd_stored_series *series;
    struct stored_run_search x = {.s = s, .last = -INFINITY};
    char when[CLOCK_TEXT];
    struct hd_series_list *l = hd_store_series(store, &all, err);
    bool ok = l != NULL;
    while (ok && (ok = hd_series_next(l, &series, err)) && series != NULL)
        stored_run_look_at(&x, series);
    hd_series_list_free(l);
    if (ok) {
        begin_message(NULL, hd_store_name(store));
        clock_text(x.last, when);
        if (x.runs == 0)
            fputs(": nothing is recorded yet", stderr);
        else if (x.missing < NO_RUN)
            say_missing(&x);
        else if (x.missing == NO_RUN)
            fprintf(stderr,
                    ": no run %" PRIu64 "; `heapdrift fleet` prints the numbers of runs",
                    s->run);
        else
            fprintf(stderr, ": no snapshot in that time; the last one is of %s", when);
        fputs("\n", stderr);
    }
    forget(&x);
    free(x.names);
    return ok;
}

/* --- result ---------------------------------------------------------- */

/* "run 4711: shop on host-003, build 1.4, pid 12: 50 of 312 snapshots; 2 other runs match"
 */
static void say_which(const struct settings *s, const struct stored_run *r,
                      const struct stored_run_choice *best)
{
    static const char *const of[] = {"the newest", "the newest with two snapshots",
                                     "the newest with four snapshots"};
    const uint64_t others = best->matching - 1;
    if (s->quiet)
        return;
    begin_message("note", "");
    fprintf(stderr, "run %" PRIu64 ": ", r->id);
    put_name(r->about);
    if (takes_one(s))
        fprintf(stderr, ": the last of %zu snapshot%s", r->recorded,
                r->recorded == 1 ? "" : "s");
    else if (r->count < r->recorded)
        fprintf(stderr, ": %zu of %zu snapshots", r->count, r->recorded);
    else
        fprintf(stderr, ": %zu snapshot%s", r->count, r->count == 1 ? "" : "s");
    if (others > 0)
        fprintf(stderr, "; %" PRIu64 " other run%s match%s: this is %s, --run=ID names one",
                others, others == 1 ? "" : "s", others == 1 ? "es" : "", of[best->fitness]);
    fputs("\n", stderr);
}

static bool stored_run_take(struct settings *s, struct hd_store *store,
                            struct hd_error *err)
{
    struct hd_store_filter filter = hd_store_everything();
    struct stored_run_choice best = {0};
    filter.service = s->service;
    filter.host = s->host;
    filter.build = s->build;
    filter.run = s->run;
    if (!store_window(s, 0, &filter.since, &filter.until) ||
        !stored_run_choose(s, store, &filter, &best, err))
        return false;
    if (best.run == 0) {
        explain_none(s, store, err);
        return false;
    }
    filter.run = best.run;
    s->stored = open_run(store, &filter, takes_one(s), err);
    if (s->stored == NULL)
        return false;
    add_words(s->stored, store_url(s), s->since, s->until);
    say_which(s, s->stored, &best);
    return true;
}

bool stored_run_fetch(struct settings *s)
{
    struct hd_error err = {0};
    if (!settings_read_store(s))
        return true;
    /* An address is not a file. */
    bool takes_address = s->command->bit == ON_OBJECT && s->options.type_count == 0;
    if (s->operand_count > (takes_address ? 1 : 0)) {
        fprintf(stderr,
                "heapdrift: %s takes files or, with --store, a run of a store; not both\n",
                s->command->name);
        return false;
    }
    struct hd_store *store = open_store_inside(s);
    if (store == NULL)
        return false;
    bool ok = stored_run_take(s, store, &err);
    if (!ok && err.status != HD_OK)
        store_trouble(store_url(s), &err);
    hd_store_close(store);
    /* As fleet does, so that both report the same about a run. */
    if ((s->command->bit & (ON_CONVERT | ON_INFO)) == 0)
        s->read.across_builds = true;
    return ok;
}

/* --- opening a store --------------------------------------------------------- */

/* Enough time for a server to restart, perhaps on another machine. */
static const double restart_seconds = 60;

void store_trouble(const char *url, const struct hd_error *err)
{
    struct hd_memory name = {0};
    hd_store_put_url(hd_sink_memory(&name), url);
    print_error(name.bytes != NULL ? name.bytes : "", err);
    hd_memory_free(&name);
}

/* SQLite creates files next to its own, and needs their paths. */
struct hd_store *open_trusted_store(const char *url, enum hd_store_use use,
                                    struct hd_error *err)
{
    enum trust_rule rule = use == HD_STORE_WRITE ? TRUST_KEPT : TRUST_LINKS;
    struct hd_memory path = {0};
    char why[TRUST_REASON];
    bool ok = !hd_store_put_path(hd_sink_memory(&path), url) || path.bytes == NULL ||
              trust_allows(path.bytes, rule, why);
    hd_memory_free(&path);
    if (!ok)
        set_error(err, HD_IO, "%s", why);
    return ok ? hd_store_open(url, use, err) : NULL;
}

struct hd_store *open_store(const struct settings *s, enum hd_store_use use)
{
    const char *url = store_url(s);
    struct hd_error err = {0};
    struct hd_store *store = open_trusted_store(url, use, &err);
    struct hd_memory shown = {0};
    hd_store_put_url(hd_sink_memory(&shown), url);
    /* A command line is there for everybody on the machine to see. */
    if (!s->quiet && s->store != NULL && shown.bytes != NULL &&
        strcmp(shown.bytes, url) != 0)
        put_message("note", shown.bytes,
                    "the password is visible to others on this machine (ps): put the URL "
                    "into HEAPDRIFT_STORE, or the password into the file named by "
                    "PGPASSFILE");
    hd_memory_free(&shown);
    if (store == NULL) {
        store_trouble(url, &err);
        return NULL;
    }
    hd_store_set_memory(store, s->read.max_memory);
    if (use == HD_STORE_WRITE)
        hd_store_set_patience(store, restart_seconds);
    const char *note = hd_store_note(store);
    if (note != NULL && !s->quiet)
        put_message("note", hd_store_name(store), "%s", note);
    return store;
}

struct hd_store *open_store_inside(struct settings *s)
{
    struct hd_memory file = {0};
    bool is_file = hd_store_put_path(hd_sink_memory(&file), store_url(s));
    struct hd_store *store = NULL;
    if (!is_file || sandbox_enter_to_read_store(&s->sandbox, file.bytes))
        store = open_store(s, HD_STORE_READ);
    /* With --save the store is opened again, to be written. */
    if (store != NULL &&
        !(is_file    ? s->saves || sandbox_narrow_to_store(&s->sandbox, file.bytes)
          : s->saves ? sandbox_enter_with_store(&s->sandbox, NULL)
                     : sandbox_enter_to_read_store(&s->sandbox, NULL))) {
        hd_store_close(store);
        store = NULL;
    }
    hd_memory_free(&file);
    return store;
}

struct hd_store *open_store_to_upgrade(struct settings *s)
{
    struct hd_memory file = {0};
    bool is_there = hd_store_put_path(hd_sink_memory(&file), store_url(s)) &&
                    access(file.bytes, F_OK) == 0;
    bool ok = !is_there || sandbox_enter_with_store(&s->sandbox, file.bytes);
    hd_memory_free(&file);
    return ok ? open_store(s, HD_STORE_UPGRADE) : NULL;
}

void store_report_left_out(const struct settings *s, const struct hd_series_list *l)
{
    enum { MAX_LINES = 20 };
    size_t count;
    const uint64_t *ids = hd_series_left_out(l, &count);
    for (size_t i = 0; !s->quiet && i < count && i < MAX_LINES; i++)
        fprintf(stderr,
                "heapdrift: warning: run %" PRIu64
                ": left out: a value of its row is longer than any that is recorded\n",
                ids[i]);
    if (!s->quiet && count > MAX_LINES)
        fprintf(stderr, "heapdrift: warning: %zu more runs left out\n", count - MAX_LINES);
}
