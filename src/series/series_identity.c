#include "series/series_identity.h"

#include "base/c_locale.h"
#include "base/say.h"
#include "format/open.h"
#include "format/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- messages ------------------------------------------------------------ */

/* A name as messages of a series have it: controls are "?". */
static void add_plain(struct sentence *to, const struct say_part *p)
{
    for (const char *c = p->words; *c != '\0'; c++)
        text_add_char(&to->words, (unsigned char)*c < ' ' || *c == 0x7F ? '?' : *c);
}

static struct say_part as_plain(const char *name)
{
    return (struct say_part){.add = add_plain, .words = name};
}

static const char *file_of(const struct series *s, size_t k)
{
    const char *path = s->snaps[k]->info.path, *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* The name of a snapshot in a message about another one: with its folder if both have the
 * same without. */
static struct say_part as_file(const struct series *s, size_t k, size_t about)
{
    bool alike = strcmp(file_of(s, k), file_of(s, about)) == 0;
    return as_plain(alike ? s->snaps[k]->info.path : file_of(s, k));
}

/* "host web-4 instead of web-3". */
static void add_instead(struct text *t, const char *what, const char *now,
                        const char *before)
{
    say(t, what, as_plain(now), " instead of ", as_plain(before));
}

/* The same code once more, or for the first time with a message for that case. */
static void warn(struct series_warnings *w, enum warning_code code, size_t snapshot,
                 struct text *message, struct arena *a)
{
    for (size_t i = 0; i < w->len; i++)
        if (w->all[i].code == code) {
            w->all[i].times++;
            return;
        }
    if (w->len < sizeof(w->all) / sizeof(w->all[0]))
        w->all[w->len++] = (struct series_warning){
            .code = code,
            .snapshot = snapshot,
            .detail =
                message->len > 0 ? arena_strdup(a, message->data, message->len) : NULL,
            .times = 1};
}

/* --- the same one twice -------------------------------------------------- */

/* The next type that has objects, from number t on; type_count behind the last. */
static type_id next_row(const struct hd_snapshot *snap, type_id t)
{
    while (t < snap->type_count && !type_has_row(&snap->types[t]))
        t++;
    return t;
}

/* A digest leaves out types without objects. */
static bool have_equal_rows(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    type_id i = next_row(a, 0), k = next_row(b, 0);
    while (i < a->type_count && k < b->type_count) {
        const struct type *x = &a->types[i], *y = &b->types[k];
        if (x->raw.count != y->raw.count || x->raw.bytes != y->raw.bytes ||
            strcmp(x->name, y->name) != 0)
            return false;
        i = next_row(a, i + 1);
        k = next_row(b, k + 1);
    }
    return i == a->type_count && k == b->type_count;
}

/* However their paths are written. */
static bool are_one_file(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    return strcmp(a->info.path, b->info.path) == 0 ||
           (a->stamp.known && file_stamps_equal(&a->stamp, &b->stamp));
}

/* Small tables of a quiet process may well be equal: those only if they are one file. A
 * trace has several snapshots in the same bytes. */
static bool may_be_equal(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    const struct hd_info *x = &a->info, *y = &b->info;
    size_t a_len, b_len;
    return x->objects == y->objects && x->bytes == y->bytes && x->types == y->types &&
           x->references == y->references &&
           series_has_objects(a) == series_has_objects(b) &&
           (series_has_objects(a) || are_one_file(a, b)) &&
           snapshot_number(x->path, &a_len) == snapshot_number(y->path, &b_len) &&
           have_equal_rows(a, b);
}

/* The checksum of each is found once, if at all. */
struct sums {
    bool known[SERIES_MAX_SNAPSHOTS], failed[SERIES_MAX_SNAPSHOTS];
    uint64_t all[SERIES_MAX_SNAPSHOTS];
};

static bool sum_of(struct sums *sums, const struct series *s, size_t k)
{
    if (!sums->known[k] && !sums->failed[k]) {
        sums->known[k] = snapshot_checksum(s->snaps[k], &sums->all[k]);
        sums->failed[k] = !sums->known[k];
    }
    return sums->known[k];
}

void identity_find_repeats(struct series *s, struct series_warnings *w, struct arena *a)
{
    struct sums sums = {0};
    struct text message = {0};
    for (size_t k = 1; k < s->count; k++)
        for (size_t i = 0; i < k && !s->repeats[k]; i++) {
            if (s->repeats[i] || !may_be_equal(s->snaps[i], s->snaps[k]) ||
                !sum_of(&sums, s, i) || !sum_of(&sums, s, k) || sums.all[i] != sums.all[k])
                continue;
            s->repeats[k] = true;
            s->has_repeats = true;
            text_clear(&message);
            say(&message, "the same snapshot as ", as_file(s, i, k),
                ", byte for byte; not ranked");
            warn(w, WARN_SAME_SNAPSHOT, k, &message, a);
        }
    text_free(&message);
}

/* --- another process ----------------------------------------------------- */

static bool differ(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

static bool pids_differ(const struct hd_info *a, const struct hd_info *b)
{
    return a->pid != HD_UNKNOWN && b->pid != HD_UNKNOWN && a->pid != b->pid;
}

/* Windows tells names of machines in capitals here and not there. */
static bool hosts_differ(const struct hd_info *a, const struct hd_info *b)
{
    return a->host != NULL && b->host != NULL && !ascii_same_word(a->host, b->host);
}

/* What is certain goes first. Addresses that are equal prove one process, unless the
 * system does not place memory at random; so they do not outweigh pid and container, but
 * what tools spell differently. */
static bool is_other_process(const struct hd_snapshot *before,
                             const struct hd_snapshot *now)
{
    const struct hd_info *a = &before->info, *b = &now->info;
    enum kinship kin = identity_compare(&before->identity, &now->identity);
    if (before->identity.instance != 0 && now->identity.instance != 0)
        return kin == KIN_OTHER;
    if (pids_differ(a, b) || differ(a->container, b->container))
        return true;
    if (kin != KIN_UNKNOWN)
        return kin == KIN_OTHER;
    return differ(a->process, b->process) || hosts_differ(a, b) ||
           differ(a->runtime, b->runtime);
}

/* The reason that tells people most. */
static void add_reason(struct text *t, const struct hd_snapshot *before,
                       const struct hd_snapshot *now)
{
    enum { DIGITS = 12 }; /* as engines show ids */
    const struct hd_info *a = &before->info, *b = &now->info;
    if (differ(a->process, b->process)) {
        add_instead(t, "", b->process, a->process);
    } else if (hosts_differ(a, b)) {
        add_instead(t, "host ", b->host, a->host);
    } else if (differ(a->container, b->container)) {
        char id[DIGITS + 1], other[DIGITS + 1];
        snprintf(id, sizeof(id), "%.*s", DIGITS, b->container);
        snprintf(other, sizeof(other), "%.*s", DIGITS, a->container);
        add_instead(t, "container ", id, other);
    } else if (differ(a->runtime, b->runtime)) {
        add_instead(t, ".NET ", b->runtime, a->runtime);
    } else if (differ(a->started, b->started)) {
        say(t, "it was started at ", as_plain(b->started), ", that one at ",
            as_plain(a->started));
    } else if (pids_differ(a, b)) {
        say(t, "pid ", as_digits(b->pid), " instead of ", as_digits(a->pid));
    } else {
        bool of_runtime = before->identity.types.len > 0 && now->identity.types.len > 0;
        say(t,
            of_runtime ? "no runtime object is at its previous address"
                       : "no object is near where objects were",
            ": a restart, or another program");
    }
}

static void check_process(struct series *s, size_t k, struct series_warnings *w,
                          struct arena *a)
{
    const struct hd_snapshot *before = s->snaps[k - 1], *now = s->snaps[k];
    if (!is_other_process(before, now))
        return;
    struct text message = {0};
    say(&message, "not from the same process as ", as_file(s, k - 1, k), ": ");
    add_reason(&message, before, now);
    warn(w, WARN_DIFFERENT_PROCESS, k, &message, a);
    text_free(&message);
    s->restarted = true;
}

/* --- the order ----------------------------------------------------------- */

/* A heap text that was made of what has no time has the stamp 0. */
static bool has_clock(const struct hd_snapshot *snap)
{
    return isfinite(snap->clock) && (snap->clock_is_date || snap->clock > 0);
}

/* The last one before k that goes by the same clock; k if there is none. */
static size_t last_by_its_clock(const struct series *s, size_t k)
{
    const struct hd_snapshot *now = s->snaps[k];
    for (size_t i = k; has_clock(now) && i-- > 0;)
        if (has_clock(s->snaps[i]) && s->snaps[i]->clock_is_date == now->clock_is_date)
            return i;
    return k;
}

/* A date, or "1500 ms" of a clock that is no date. */
static void add_moment(struct sentence *to, const struct say_part *p)
{
    const struct hd_snapshot *snap = p->of;
    char stamp[40];
    snprintf(stamp, sizeof(stamp), "%.0f ms", snap->clock * 1000);
    say(to, as_plain(snap->clock_is_date ? snap->info.time : stamp));
}

static struct say_part as_moment(const struct hd_snapshot *snap)
{
    return (struct say_part){.add = add_moment, .of = snap};
}

static void add_fall(struct text *t, const struct series *s, size_t i, size_t k)
{
    const struct hd_snapshot *before = s->snaps[i], *now = s->snaps[k];
    bool date = now->clock_is_date;
    if (!date || (before->info.time != NULL && now->info.time != NULL))
        say(t, date ? "taken at " : "its stamp is ", as_moment(now),
            date ? ", before " : ", less than that of ", as_file(s, i, k), " (",
            as_moment(before), ")");
}

/* Dates that are equal are warned about. Stamps of heap text that are equal say nothing:
 * there are tools that write always the same. */
static void check_time(struct series *s, size_t k, struct series_warnings *w,
                       struct arena *a)
{
    size_t i = last_by_its_clock(s, k);
    const struct hd_snapshot *before = s->snaps[i], *now = s->snaps[k];
    bool falls = now->clock < before->clock;
    if (i == k || s->repeats[k] ||
        !(falls || (now->clock_is_date && now->clock == before->clock)))
        return;
    struct text message = {0};
    if (falls)
        add_fall(&message, s, i, k);
    warn(w, WARN_OUT_OF_ORDER, k, &message, a);
    text_free(&message);
    s->restarted |= falls;
    s->out_of_order |= falls;
}

/* A glob of files that are named by GUIDs has the order of chance. */
static void check_order(struct series *s, struct series_warnings *w, struct arena *a)
{
    struct text message = {0};
    bool random = s->count > 1, timed = true;
    for (size_t k = 0; k < s->count; k++) {
        const struct hd_snapshot *snap = s->snaps[k];
        random &=
            !snap->is_ordered && (snap->has_no_order || name_is_random(snap->info.path));
        timed &= snap->info.time != NULL;
        s->out_of_order |= warnings_find(&snap->warnings, WARN_ORDER_UNKNOWN) != NULL;
    }
    if (!random || timed)
        return;
    warn(w, WARN_ORDER_UNKNOWN, 0, &message, a);
    s->out_of_order = true;
}

void identity_check_neighbours(struct series *s, struct series_warnings *w, struct arena *a)
{
    check_order(s, w, a);
    for (size_t k = 1; k < s->count; k++) {
        check_process(s, k, w, a);
        check_time(s, k, w, a);
    }
}
