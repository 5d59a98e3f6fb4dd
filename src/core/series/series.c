#include "series/series.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/quantity.h"
#include "base/say.h"
#include "base/text.h"
#include "format/open.h"
#include "format/session.h"
#include "heap/names.h"
#include "heap/snapshot.h"
#include "series/ranking_constants.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- rows by their names ------------------------------------------------------------- */

struct series_slot {
    struct series_row *row;
    UT_hash_handle hh;
};

struct series_index series_index_of(const struct series *s)
{
    struct series_index index = {0};
    for (size_t i = 0; i < s->row_count; i++) {
        struct series_slot *slot = arena_alloc(&index.arena, sizeof(*slot));
        slot->row = &s->rows[i];
        HASH_ADD_KEYPTR(hh, index.slots, slot->row->name, strlen(slot->row->name), slot);
    }
    return index;
}

struct series_row *series_row_named(const struct series_index *index, const char *name)
{
    struct series_slot *slot;
    HASH_FIND_STR(index->slots, name, slot);
    return slot != NULL ? slot->row : NULL;
}

void series_index_free(struct series_index *index)
{
    HASH_CLEAR(hh, index->slots);
    arena_free(&index->arena);
}

/* --- what a row stands for ----------------------------------------------------------- */

static void add_namespace(struct text *out, const char *name)
{
    size_t end = strcspn(name, "<[+"), dot = end;
    while (dot > 0 && name[dot - 1] != '.')
        dot--;
    if (dot > 1)
        text_add(out, name, dot - 1);
    else
        text_add_string(out, "(global)");
}

/* Windows paths are read on Linux too. */
static void add_file_name(struct text *out, const char *module)
{
    const char *name = module;
    for (const char *c = module; c != NULL && *c != '\0'; c++)
        if (*c == '/' || *c == '\\')
            name = c + 1;
    text_add_string(out, name != NULL && *name != '\0' ? name : "(unknown)");
}

void unit_name(struct text *out, enum hd_unit by, const struct type *t)
{
    switch (by) {
    case HD_BY_NAMESPACE:
        add_namespace(out, t->name);
        break;
    case HD_BY_MODULE:
        add_file_name(out, t->module);
        break;
    case HD_BY_TYPE:
    case HD_BY_HOLDER: /* here types are holders: holders.h */
        text_add_string(out, t->name);
        break;
    }
}

const char *const series_status_names[HD_SERIES_STATUS_COUNT] = {
    [HD_SERIES_GROWING] = "growing", [HD_SERIES_NEW] = "new",
    [HD_SERIES_GONE] = "gone",       [HD_SERIES_SHRINKING] = "shrinking",
    [HD_SERIES_STEADY] = "steady",   [HD_SERIES_VARYING] = "varying",
};

const char *const confidence_names[3] = {"low", "medium", "high"};

/* --- selection ----------------------------------------------------------- */

static bool is_old_table(const struct hd_snapshot *snap)
{
    const char *generation = snap->origin.generation;
    for (enum hd_generation g = HD_GEN2; generation != NULL && g <= HD_GEN_FROZEN; g++)
        if (strcmp(generation, generation_names[g]) == 0)
            return true;
    return false;
}

bool series_can_select(const struct hd_snapshot *snap, enum selection selection,
                       struct hd_error *err)
{
    bool graph_known = snap->info.reachable_objects != HD_UNKNOWN;
    if ((selection & SELECT_REACHABLE) && (!graph_known || !snap->info.has_roots))
        return fail_about(
            err, HD_ABOUT_REACHABLE, HD_USAGE,
            "needs a graph with roots, which this snapshot lacks or which was not read");
    if ((selection & SELECT_GEN2) && !snap->info.has_generations &&
        snap->origin.generation == NULL)
        return fail_about(err, HD_ABOUT_GEN2, HD_USAGE,
                          "this snapshot has no generations (dotnet-gcdump drops them; "
                          "`dumpheap -stat -gen gen2` of dotnet-dump has them)");
    return true;
}

struct hd_tally series_tally(const struct hd_snapshot *snap, const struct type *t,
                             enum selection selection)
{
    if (!(selection & SELECT_GEN2) || snap->info.has_generations)
        return t->tally[selection];
    return is_old_table(snap) ? t->tally[selection & SELECT_REACHABLE]
                              : (struct hd_tally){0};
}

static bool series_blame(struct hd_error *err, size_t snapshot)
{
    if (err != NULL)
        err->snapshot = (unsigned)snapshot + 1;
    return false;
}

/* --- rows ---------------------------------------------------------------- */

struct row_table {
    struct series_slot *slots;
    struct text name;
    struct arena scratch;
};

static struct series_row *row_of(struct series *s, struct row_table *table,
                                 const struct type *t, struct arena *a)
{
    text_clear(&table->name);
    unit_name(&table->name, s->by, t);
    struct series_slot *slot;
    HASH_FIND(hh, table->slots, table->name.data, table->name.len, slot);
    if (slot == NULL) {
        slot = arena_alloc(&table->scratch, sizeof(*slot));
        struct series_row *row = slot->row = &s->rows[s->row_count++];
        row->name = arena_strdup(a, table->name.data, table->name.len);
        row->at = arena_array(a, struct hd_tally, s->count);
        row->survivors = row->survivors_low = row->survivors_high = HD_UNKNOWN;
        HASH_ADD_KEYPTR(hh, table->slots, row->name, table->name.len, slot);
    }
    return slot->row;
}

static void add_tally(struct hd_tally *sum, struct hd_tally more)
{
    sum->count += more.count;
    bool unknown = sum->bytes == HD_UNKNOWN || more.bytes == HD_UNKNOWN;
    sum->bytes = unknown ? HD_UNKNOWN : sum->bytes + more.bytes;
}

static bool is_counted(const struct series *s, const struct type *t, struct hd_tally tally)
{
    return type_has_row(t) &&
           (s->selection == SELECT_ALL || tally.count > 0 || tally.bytes > 0);
}

static void fill_rows(struct series *s, struct arena *a)
{
    struct row_table table = {0};
    size_t most = 0;
    for (size_t k = 0; k < s->count; k++)
        most += s->snaps[k]->type_count;
    s->rows = arena_array(a, struct series_row, most);
    for (size_t k = 0; k < s->count; k++) {
        const struct hd_snapshot *snap = s->snaps[k];
        for (type_id i = 0; i < snap->type_count; i++) {
            const struct type *t = &snap->types[i];
            struct hd_tally tally = series_tally(snap, t, s->selection);
            if (!is_counted(s, t, tally))
                continue;
            struct series_row *row = row_of(s, &table, t, a);
            add_tally(&row->at[k], tally);
            if (!snap->info.sampled)
                continue;
            /* The squares of the errors of all types of the row, until they are a share. */
            if (row->noise_share == NULL)
                row->noise_share = arena_array(a, double, s->count);
            row->noise_share[k] +=
                sample_error_squared(t->count_scale, (double)tally.count);
        }
    }
    for (size_t i = 0; i < s->row_count; i++)
        for (size_t k = 0; s->rows[i].noise_share != NULL && k < s->count; k++)
            if (s->rows[i].at[k].count > 0)
                s->rows[i].noise_share[k] =
                    sqrt(s->rows[i].noise_share[k]) / (double)s->rows[i].at[k].count;
    HASH_CLEAR(hh, table.slots);
    text_free(&table.name);
    arena_free(&table.scratch);
}

static void add_totals(struct series *s, struct arena *a)
{
    s->totals = arena_array(a, struct hd_tally, s->count);
    s->bytes_known = true;
    for (size_t k = 0; k < s->count; k++) {
        struct hd_tally *total = &s->totals[k];
        for (size_t i = 0; i < s->row_count; i++)
            add_tally(total, s->rows[i].at[k]);
        s->bytes_known &= total->bytes != HD_UNKNOWN;
    }
}

struct trend series_trend(const struct series *s, const struct series_row *row, bool bytes,
                          double *y, double *noise)
{
    for (size_t i = 0; i < s->usable_count; i++) {
        size_t k = s->usable[i];
        y[i] = (double)(bytes ? row->at[k].bytes : row->at[k].count);
        noise[i] = row->noise_share != NULL ? row->noise_share[k] * y[i] : 0;
    }
    return (struct trend){s->usable_count, s->x, y,
                          row->noise_share != NULL ? noise : NULL};
}

/* --- statuses ------------------------------------------------------------ */

static enum growth_kind growth_of(const struct series *s, const struct series_row *row)
{
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
    struct trend t = series_trend(s, row, false, y, noise);
    if (trend_grows(&t))
        return GROWS_IN_COUNT;
    if (!s->bytes_known)
        return GROWS_NOT;
    t = series_trend(s, row, true, y, noise);
    return trend_grows(&t) ? GROWS_IN_SIZE : GROWS_NOT;
}

static bool is_steady(const struct series *s, const struct series_row *row)
{
    for (size_t k = 1; k < s->count; k++)
        if (row->at[k].count != row->at[0].count || row->at[k].bytes != row->at[0].bytes)
            return false;
    return true;
}

static enum hd_series_status status_of(const struct series *s, const struct series_row *row)
{
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
    const struct hd_tally *first = &row->at[0], *last = &row->at[s->count - 1];
    if (last->count == 0)
        return HD_SERIES_GONE;
    if (row->growth != GROWS_NOT)
        return HD_SERIES_GROWING;
    if (first->count == 0)
        return HD_SERIES_NEW;
    struct trend counts = series_trend(s, row, false, y, noise);
    if (last->count < first->count && trend_falls(&counts))
        return HD_SERIES_SHRINKING;
    return is_steady(s, row) ? HD_SERIES_STEADY : HD_SERIES_VARYING;
}

static bool differs(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

/* Check that the snapshots are of the same process, in order of time, and all different.
 * Warns once of each kind, about the first snapshot, with the number of snapshots. A rule
 * warns only if files prove it: a warning about a true series would cost more than a
 * missing one about a mixture. docs/warnings.md. */

/* --- messages ------------------------------------------------------------ */

/* A name as messages of a series have it: controls are "?". */
static void add_plain(struct sentence *to, const struct say_part *p)
{
    for (const char *c = p->words; *c != '\0'; c++)
        text_add(&to->words, (unsigned char)*c < ' ' || *c == 0x7F ? "?" : c, 1);
}

static struct say_part as_plain(const char *name)
{
    return (struct say_part){.add = add_plain, .words = name};
}

static const char *series_file_of(const struct series *s, size_t k)
{
    const char *path = s->snaps[k]->info.path, *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

/* The name of a snapshot in a message about another one: with its folder if both have the
 * same name. */
static struct say_part as_file(const struct series *s, size_t k, size_t about)
{
    bool alike = strcmp(series_file_of(s, k), series_file_of(s, about)) == 0;
    return as_plain(alike ? s->snaps[k]->info.path : series_file_of(s, k));
}

/* "host web-4 instead of web-3". */
static void add_instead(struct text *t, const char *what, const char *now,
                        const char *before)
{
    say(t, what, as_plain(now), " instead of ", as_plain(before));
}

/* Counts a repeated code, or adds it with its message. */
static void warn_once(struct series_warnings *w, enum warning_code code, size_t snapshot,
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

/* True for a graph or a digest with references, which have the whole heap; a table may have
 * a part. */
static bool has_objects(const struct hd_snapshot *snap)
{
    bool digest = snap->digest != NULL && snap->info.references != HD_UNKNOWN;
    return snap->info.has_graph || digest;
}

/* --- the same one twice -------------------------------------------------- */

/* Returns the next type that has objects, from number t on; or type_count. */
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

/* Ignores the spelling of paths. */
static bool are_one_file(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    return strcmp(a->info.path, b->info.path) == 0 ||
           (a->stamp.known && file_stamps_equal(&a->stamp, &b->stamp));
}

/* Small tables of an idle process may be equal: those only if they are one file. A trace
 * has several snapshots in the same bytes. */
static bool may_be_equal(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    const struct hd_info *x = &a->info, *y = &b->info;
    size_t a_len, b_len;
    return x->objects == y->objects && x->bytes == y->bytes && x->types == y->types &&
           x->references == y->references && has_objects(a) == has_objects(b) &&
           (has_objects(a) || are_one_file(a, b)) &&
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

static void identity_find_repeats(struct series *s, struct series_warnings *w,
                                  struct arena *a)
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
            warn_once(w, WARN_SAME_SNAPSHOT, k, &message, a);
        }
    text_free(&message);
}

/* --- another process ----------------------------------------------------- */

static bool pids_differ(const struct hd_info *a, const struct hd_info *b)
{
    return a->pid != HD_UNKNOWN && b->pid != HD_UNKNOWN && a->pid != b->pid;
}

/* Windows writes names of machines in capitals in some places only. */
static bool hosts_differ(const struct hd_info *a, const struct hd_info *b)
{
    return a->host != NULL && b->host != NULL && !ascii_same_word(a->host, b->host);
}

/* Certain evidence first. Equal addresses prove one process, unless the system does not
 * randomize memory; so they do not outweigh pid and container, only names that tools spell
 * differently. */
static bool is_other_process(const struct hd_snapshot *before,
                             const struct hd_snapshot *now)
{
    const struct hd_info *a = &before->info, *b = &now->info;
    enum process_match match = identity_compare(&before->identity, &now->identity);
    if (before->identity.instance != 0 && now->identity.instance != 0)
        return match == PROCESS_OTHER;
    if (pids_differ(a, b) || differs(a->container, b->container))
        return true;
    if (match != PROCESS_UNKNOWN)
        return match == PROCESS_OTHER;
    return differs(a->process, b->process) || hosts_differ(a, b) ||
           differs(a->runtime, b->runtime);
}

/* Appends the reason that people understand best. */
static void add_reason(struct text *t, const struct hd_snapshot *before,
                       const struct hd_snapshot *now)
{
    enum { DIGITS = 12 }; /* as engines show ids */
    const struct hd_info *a = &before->info, *b = &now->info;
    if (differs(a->process, b->process)) {
        add_instead(t, "", b->process, a->process);
    } else if (hosts_differ(a, b)) {
        add_instead(t, "host ", b->host, a->host);
    } else if (differs(a->container, b->container)) {
        char id[DIGITS + 1], other[DIGITS + 1];
        snprintf(id, sizeof(id), "%.*s", DIGITS, b->container);
        snprintf(other, sizeof(other), "%.*s", DIGITS, a->container);
        add_instead(t, "container ", id, other);
    } else if (differs(a->runtime, b->runtime)) {
        add_instead(t, ".NET ", b->runtime, a->runtime);
    } else if (differs(a->started, b->started)) {
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
    warn_once(w, WARN_DIFFERENT_PROCESS, k, &message, a);
    text_free(&message);
    s->restarted = true;
}

/* --- the order ----------------------------------------------------------- */

/* A heap text made from an input without time has the stamp 0. */
static bool has_clock(const struct hd_snapshot *snap)
{
    return isfinite(snap->clock) && (snap->clock_is_date || snap->clock > 0);
}

/* Returns the last snapshot before k with the same clock, or k. */
static size_t last_by_its_clock(const struct series *s, size_t k)
{
    const struct hd_snapshot *now = s->snaps[k];
    for (size_t i = k; has_clock(now) && i-- > 0;)
        if (has_clock(s->snaps[i]) && s->snaps[i]->clock_is_date == now->clock_is_date)
            return i;
    return k;
}

/* A date, or "1500 ms" of another clock. */
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

/* Equal dates are a warning; equal stamps of heap text are not: some tools always write the
 * same. */
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
    if (falls) {
        bool date = now->clock_is_date;
        if (!date || (before->info.time != NULL && now->info.time != NULL))
            say(&message, date ? "taken at " : "its stamp is ", as_moment(now),
                date ? ", before " : ", less than that of ", as_file(s, i, k), " (",
                as_moment(before), ")");
    }
    warn_once(w, WARN_OUT_OF_ORDER, k, &message, a);
    text_free(&message);
    s->restarted |= falls;
    s->out_of_order |= falls;
}

/* A glob of files with GUIDs as names has random order. */
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
    warn_once(w, WARN_ORDER_UNKNOWN, 0, &message, a);
    s->out_of_order = true;
}

/* --- order and fitness --------------------------------------------------- */

static void warn(struct series_warnings *w, enum warning_code code, size_t snapshot)
{
    if (w->len < sizeof(w->all) / sizeof(w->all[0]))
        w->all[w->len++] = (struct series_warning){.code = code, .snapshot = snapshot};
}

static uint64_t weight(const struct series *s, size_t k)
{
    return s->bytes_known ? s->totals[k].bytes : s->totals[k].count;
}

/* A heap of less than half of both neighbours is an incomplete snapshot more often than a
 * heap that shrank and grew again. */
static bool dips(const struct series *s, size_t k)
{
    if (k == 0 || k + 1 >= s->count)
        return false;
    uint64_t here = weight(s, k), before = weight(s, k - 1), after = weight(s, k + 1);
    return here < before - before / 2 && here < after - after / 2;
}

/* True if most of its objects are of types whose names the runtime did not report. */
static bool lacks_names(const struct series *s, size_t k)
{
    static const char unnamed[] = "UNKNOWN 0x";
    uint64_t count = 0, number;
    for (size_t i = 0; s->by == HD_BY_TYPE && i < s->row_count; i++)
        if (strncmp(s->rows[i].name, unnamed, sizeof(unnamed) - 1) == 0 ||
            names_number(s->rows[i].name, &number))
            count += s->rows[i].at[k].count;
    return count > s->totals[k].count / 2;
}

/* Rows with names and rows without do not align with each other: leaves out the smaller
 * group of snapshots. */
static void leave_out_misnamed(struct series *s, struct series_warnings *w)
{
    size_t lacking = 0, kept = 0;
    bool lacks[SERIES_MAX_SNAPSHOTS];
    for (size_t i = 0; i < s->usable_count; i++)
        lacking += lacks[i] = lacks_names(s, s->usable[i]);
    if (lacking == 0 || lacking == s->usable_count)
        return;
    bool without = lacking > s->usable_count - lacking;
    for (size_t i = 0; i < s->usable_count; i++) {
        size_t k = s->usable[i];
        if (lacks[i] == without) {
            s->usable[kept++] = k;
            continue;
        }
        warn(w, WARN_NAMES_MISSING, k);
        if (without)
            w->all[w->len - 1].detail =
                "most of the others have no names of types, so it cannot be compared with "
                "them; not ranked";
    }
    s->usable_count = kept;
}

static void choose_usable(struct series *s, struct series_warnings *w)
{
    for (size_t k = 0; k < s->count; k++) {
        /* Every program has objects: even at an end of the series this is not a
         * measurement. A table may be filtered to types without objects. */
        bool empty = has_objects(s->snaps[k]) && s->snaps[k]->info.objects == 0,
             drops = empty || dips(s, k);
        if (drops)
            warn(w, WARN_TOTAL_DROPS, k);
        if (empty)
            w->all[w->len - 1].detail = "it has no objects; not ranked";
        if (s->snaps[k]->info.complete && !drops && !s->repeats[k])
            s->usable[s->usable_count++] = k;
    }
    leave_out_misnamed(s, w);
}

/* Two programs share the framework's types; two snapshots of the same program share most of
 * its own. Names alone cannot prove more than this. */
static bool share_no_type(const struct series *s, const bool *is_app, size_t k)
{
    enum { TOO_FEW_TO_TELL = 3 };
    size_t before = 0, now = 0, both = 0;
    for (size_t i = 0; i < s->row_count; i++) {
        bool in_before = is_app[i] && s->rows[i].at[k - 1].count > 0;
        bool in_now = is_app[i] && s->rows[i].at[k].count > 0;
        before += in_before;
        now += in_now;
        both += in_before && in_now;
    }
    return both == 0 && before >= TOO_FEW_TO_TELL && now >= TOO_FEW_TO_TELL;
}

static void check_program(struct series *s, struct series_warnings *w)
{
    struct arena scratch = {0};
    bool *is_app = arena_array(&scratch, bool, s->row_count);
    bool warned = false;
    for (size_t i = 0; i < s->row_count; i++)
        is_app[i] = s->by == HD_BY_TYPE &&
                    !names_is_framework(name_part(s->rows[i].name), NAME_WHOLE);
    for (size_t k = 1; k < s->count; k++) {
        if (lacks_names(s, k - 1) != lacks_names(s, k) || !share_no_type(s, is_app, k))
            continue;
        if (!warned)
            warn(w, WARN_DIFFERENT_PROGRAM, k);
        w->all[w->len - 1].times++;
        s->restarted = warned = true;
    }
    arena_free(&scratch);
}

/* Clocks of machines and of calendars have no zero in common. */
static bool clocks_rise(const struct series *s)
{
    for (size_t i = 0; i < s->usable_count; i++) {
        const struct hd_snapshot *now = s->snaps[s->usable[i]];
        const struct hd_snapshot *before = i > 0 ? s->snaps[s->usable[i - 1]] : NULL;
        if (isnan(now->clock))
            return false;
        if (before != NULL &&
            (now->clock_is_date != before->clock_is_date || now->clock <= before->clock))
            return false;
    }
    return true;
}

static void place_on_axis(struct series *s, const uint64_t *iterations)
{
    s->by_iterations = iterations != NULL;
    s->by_clock = !s->by_iterations && clocks_rise(s);
    for (size_t i = 0; i < s->usable_count; i++) {
        size_t k = s->usable[i];
        s->x[i] = iterations != NULL ? (double)iterations[k]
                  : s->by_clock      ? s->snaps[k]->clock
                                     : (double)(k + 1);
    }
}

/* Files of other tools have local time, and a start is UTC, so a negative uptime is
 * unknown. Counted iterations replace the clock and its intervals. */
static void measure_time(struct series *s)
{
    s->seconds = s->clock_seconds = s->uptime = NAN;
    if (s->usable_count < 2 || !clocks_rise(s))
        return;
    const struct hd_snapshot *first = s->snaps[s->usable[0]];
    s->clock_seconds = s->snaps[s->usable[s->usable_count - 1]]->clock - first->clock;
    if (!s->by_clock)
        return;
    double uptime = first->clock - calendar_parse(first->info.started);
    s->seconds = s->clock_seconds;
    s->uptime = first->clock_is_date && uptime >= 0 ? uptime : NAN;
}

static enum hd_confidence series_judge(const struct series *s)
{
    int steps = s->usable_count >= rank_by.enough_snapshots ? HD_CONFIDENCE_HIGH
                : s->usable_count == rank_by.some_snapshots ? HD_CONFIDENCE_MEDIUM
                                                            : HD_CONFIDENCE_LOW;
    bool sampled = false;
    for (size_t k = 0; k < s->count; k++)
        sampled |= s->snaps[k]->info.sampled;
    if ((sampled || s->restarted) && steps > HD_CONFIDENCE_LOW)
        steps--;
    return (enum hd_confidence)steps;
}

/* --- what may be compared ------------------------------------------------ */

/* Tables made with different filters show differences of the filters. */
static bool check_origins(const struct series *s, struct series_warnings *w,
                          struct hd_error *err)
{
    for (size_t k = 1; k < s->count; k++) {
        const struct hd_table_origin *a = &s->snaps[0]->origin, *b = &s->snaps[k]->origin;
        if (differs(a->generation, b->generation) || differs(a->liveness, b->liveness) ||
            differs(a->filters, b->filters)) {
            fail(err, HD_USAGE,
                 "made by `%.60s`, unlike the first, by `%.60s`: cannot be compared",
                 b->command != NULL ? b->command : "?",
                 a->command != NULL ? a->command : "?");
            return series_blame(err, k);
        }
        if ((a->generation == NULL) != (b->generation == NULL) ||
            (a->liveness == NULL) != (b->liveness == NULL) ||
            (a->filters == NULL) != (b->filters == NULL))
            warn(w, WARN_FILTERS_DIFFER, k);
    }
    return true;
}

bool series_align(struct series *s, struct hd_snapshot *const *snaps, size_t count,
                  const struct series_question *ask, struct arena *a,
                  struct series_warnings *warnings, struct hd_error *err)
{
    *s = (struct series){
        .snaps = snaps, .count = count, .selection = ask->selection, .by = ask->by};
    for (size_t k = 0; k < count; k++)
        if (!series_can_select(snaps[k], ask->selection, err))
            return series_blame(err, k);
    if (!check_origins(s, warnings, err))
        return false;
    fill_rows(s, a);
    add_totals(s, a);
    identity_find_repeats(s, warnings, a);
    choose_usable(s, warnings);
    check_order(s, warnings, a);
    for (size_t k = 1; k < s->count; k++) {
        check_process(s, k, warnings, a);
        check_time(s, k, warnings, a);
    }
    check_program(s, warnings);
    place_on_axis(s, ask->iterations);
    measure_time(s);
    s->confidence = series_judge(s);
    for (size_t i = 0; i < s->row_count; i++) {
        s->rows[i].growth = growth_of(s, &s->rows[i]);
        s->rows[i].status = status_of(s, &s->rows[i]);
    }
    return true;
}
