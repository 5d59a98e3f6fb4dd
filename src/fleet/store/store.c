#include "fleet/store/store.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/quantity.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- databases ----------------------------------------------------------------- */

extern const struct database sqlite_database, postgres_database;

/* Returns SQLite unless the URL has a prefix of another kind. "mysql://host" is rejected,
 * since no file has such a name by chance. */
const struct database *database_for(const char *url, struct hd_error *err)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
    for (const char *const *p = postgres_database.prefixes; *p != NULL; p++)
        if (strncmp(url, *p, strlen(*p)) == 0)
            return &postgres_database;
    size_t len = strspn(url, letters);
    if (len <= 1 || strncmp(url + len, "://", 3) != 0 || strncmp(url, "file:", 5) == 0)
        return &sqlite_database;
    fail(err, HD_UNSUPPORTED,
         "not a store: a store is a file (SQLite) or postgresql://...");
    return NULL;
}

/* --- statements ---------------------------------------------------------------- */

/* In a store of version 2 every snapshot is full. */
static const char snapshot_2[] =
    "(SELECT snapshot.*, CAST(NULL AS BIGINT) AS base_id FROM snapshot)";

static const char *word_of(const struct hd_store *s, const char *name, size_t len)
{
    const struct database *d = s->kind;
    const struct {
        const char *name, *word;
    } words[] = {{"id", d->id},
                 {"text", d->text},
                 {"bytes", d->bytes},
                 {"each", d->each},
                 {"lock", d->lock},
                 {"snapshot", s->version == 2 ? snapshot_2 : "snapshot"},
                 {"text_size", d->text_size},
                 {"bytes_size", d->bytes_size},
                 {"number", d->number},
                 {"now", d->now},
                 {"server", ""},
                 {"owner", d->owner}};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strlen(words[i].name) == len && strncmp(words[i].name, name, len) == 0)
            return words[i].word;
    return NULL;
}

static void put_words(const struct hd_store *s, const char *sql, struct text *to)
{
    while (*sql != '\0') {
        size_t len = sql[0] == '{' ? strcspn(sql, ":}") : 0;
        const char *word = len > 0 ? word_of(s, sql + 1, len - 1) : NULL;
        /* Words about a column: replace each @ by its name. */
        for (const char *at = word; at != NULL && *at != '\0'; at++)
            if (*at == '@' && sql[len] == ':')
                text_add(to, sql + len + 1, strcspn(sql + len + 1, "}"));
            else
                text_add_char(to, *at);
        if (word == NULL)
            text_add_char(to, *sql);
        sql += word != NULL ? strcspn(sql, "}") + 1 : 1;
    }
}

struct rows *store_ask(struct hd_store *s, const char *sql, const struct value *values,
                       size_t count, struct hd_error *err)
{
    struct text own = {0};
    if (s->connection == NULL) {
        fail(err, HD_IO, "the connection was lost");
        return NULL;
    }
    put_words(s, sql, &own);
    struct rows *rows = s->kind->ask(s->connection, text_string(&own), values, count, err);
    text_free(&own);
    return rows;
}

bool store_run(struct hd_store *s, const char *sql, const struct value *values,
               size_t count, struct hd_error *err)
{
    bool ok;
    struct rows *rows = store_ask(s, sql, values, count, err);
    while (store_next(s, rows, &ok, err))
        continue;
    return ok;
}

bool store_next(struct hd_store *s, struct rows *rows, bool *ok, struct hd_error *err)
{
    bool there = false;
    *ok = rows != NULL && s->kind->next(rows, &there, err);
    if (!there || !*ok)
        store_end(s, rows);
    return *ok && there;
}

void store_end(struct hd_store *s, struct rows *rows)
{
    s->kind->end(rows);
}

int64_t store_number(struct hd_store *s, struct rows *rows, unsigned i)
{
    return s->kind->column(rows, i, VALUE_NUMBER).number;
}

uint64_t store_count(struct hd_store *s, struct rows *rows, unsigned i)
{
    struct value v = s->kind->column(rows, i, VALUE_NUMBER);
    return v.kind != VALUE_NOTHING && v.number >= 0 ? (uint64_t)v.number : HD_UNKNOWN;
}

double store_real(struct hd_store *s, struct rows *rows, unsigned i)
{
    struct value v = s->kind->column(rows, i, VALUE_REAL);
    return v.kind != VALUE_NOTHING ? v.real : NAN;
}

const char *store_text(struct hd_store *s, struct rows *rows, unsigned i)
{
    struct value v = s->kind->column(rows, i, VALUE_TEXT);
    return v.kind != VALUE_NOTHING ? v.text : "";
}

bool store_ask_number(struct hd_store *s, const char *sql, const struct value *values,
                      size_t count, int64_t *number, bool *there, struct hd_error *err)
{
    bool ok, is_first = true;
    *number = 0;
    struct rows *rows = store_ask(s, sql, values, count, err);
    /* A statement that changes something is done when it has no more rows. */
    for (; store_next(s, rows, &ok, err); is_first = false)
        *number = is_first ? store_number(s, rows, 0) : *number;
    if (there != NULL)
        *there = !is_first;
    return ok;
}

bool store_sweep(struct hd_store *s, const char *ids, const struct sweep *of,
                 struct hd_error *err)
{
    int64_t page[SWEEP_PAGE], last = INT64_MIN;
    size_t count;
    bool ok;
    do {
        struct rows *rows = store_ask(s, ids, VALUES(of_number(last)), err);
        for (count = 0; store_next(s, rows, &ok, err);)
            page[count++] = store_number(s, rows, 0);
        for (size_t i = 0; ok && i < count; i++) {
            struct hd_error why = {0};
            last = page[i];
            if (of->look(of->context, last, &why))
                continue;
            if (why.status != HD_TOO_BIG)
                return fail(err, why.status, "%s", why.message);
            of->leave_out(of->context, last);
        }
    } while (ok && count == SWEEP_PAGE);
    return ok;
}

uint64_t store_digest_bound(const struct hd_store *s)
{
    return s->max_memory > 0 && s->max_memory < MAX_DIGEST ? s->max_memory : MAX_DIGEST;
}

/* --- transactions -------------------------------------------------------------- */

static void lose(struct hd_store *s)
{
    if (s->connection != NULL)
        s->kind->close(s->connection);
    s->connection = NULL;
}

/* Only what reads: a writer gives its database lists of more than that. */
static void bound_values(struct hd_store *s)
{
    if (s->connection != NULL && s->use == HD_STORE_READ && s->kind->bound != NULL)
        s->kind->bound(s->connection, store_digest_bound(s));
}

static bool connect_again(struct hd_store *s, struct hd_error *err)
{
    lose(s);
    s->connection = s->kind->open(s->url, s->use, err);
    bound_values(s);
    /* It may have been upgraded in the meantime. */
    if (s->connection != NULL && (s->version == 0 || schema_look(s, err)))
        return true;
    lose(s);
    return false;
}

static void wait_seconds(double seconds)
{
    const struct timespec moment = {.tv_sec = (time_t)seconds,
                                    .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&moment, NULL);
}

/* Waits for a lost server at growing intervals, with at least one retry: a restart takes a
 * second to a minute. until, delay: initially 0. */
static bool find_again(struct hd_store *s, double *until, double *delay)
{
    const double most_delay = 10;
    bool is_first = *delay <= 0;
    if (is_first) {
        *until = clock_seconds(CLOCK_MONOTONIC) + s->patience;
        *delay = s->delay;
    }
    for (; is_first || clock_seconds(CLOCK_MONOTONIC) + *delay <= *until;
         is_first = false) {
        wait_seconds(*delay);
        *delay = fmin(2 * *delay, most_delay);
        if (connect_again(s, NULL))
            return true;
    }
    return false;
}

/* was_committing: a COMMIT that failed may have been executed nevertheless. */
static bool try_once(struct hd_store *s, transaction *body, void *context,
                     bool *was_committing, enum remedy *remedy, struct hd_error *err)
{
    enum ending ending = store_run(s, s->kind->begin_write, NO_VALUES, err)
                             ? body(s, context, err)
                             : ENDING_FAILED;
    *was_committing = ending == ENDING_KEPT;
    if (ending == ENDING_KEPT && store_run(s, "COMMIT", NO_VALUES, err))
        return true;
    *remedy = ending != ENDING_UNDONE ? s->kind->remedy(s->connection) : REMEDY_NONE;
    if (*remedy != REMEDY_RECONNECT)
        store_run(s, "ROLLBACK", NO_VALUES, NULL);
    return ending == ENDING_UNDONE;
}

bool store_transact(struct hd_store *s, transaction *body, void *context, bool *unsure,
                    struct hd_error *err)
{
    enum { MAX_TRIES = 10 };
    const double between_tries = 0.01;
    bool may_be_kept = false, was_committing;
    double until = 0, delay = 0;
    enum remedy remedy;
    if (s->is_listing)
        return fail(err, HD_USAGE, "a list of this store is open");
    if (s->connection == NULL && !connect_again(s, err))
        return false;
    for (int tries = 1;; tries++) {
        struct hd_error why = {0};
        if (try_once(s, body, context, &was_committing, &remedy, &why))
            break;
        may_be_kept |= was_committing && remedy == REMEDY_RECONNECT;
        if (remedy == REMEDY_AGAIN && tries < MAX_TRIES) {
            wait_seconds(between_tries * tries);
        } else if (remedy != REMEDY_RECONNECT || !find_again(s, &until, &delay)) {
            if (remedy == REMEDY_RECONNECT)
                lose(s);
            return may_be_kept
                       ? fail(err, HD_IO,
                              "the connection was lost at the end, and it may not be "
                              "stored; record it again")
                       : fail(err, why.status, "%s", why.message);
        }
    }
    if (unsure != NULL)
        *unsure = may_be_kept;
    return true;
}

/* --- strings ------------------------------------------------------------------- */

const char *store_clean(struct arena *a, const char *s)
{
    enum { MARK = 3 + 16 }; /* "…" and a hash */
    struct text t = {0};
    const char *clean;
    size_t kept = MAX_NAME - MARK;
    if (s == NULL || s[0] == '\0')
        return "";
    text_add_utf8(&t, s, strlen(s));
    while (t.len > MAX_NAME && kept > 0 && ((unsigned char)t.data[kept] & 0xC0) == 0x80)
        kept--;
    /* A name of a million bytes would fit no index. */
    clean = t.len <= MAX_NAME ? arena_strdup(a, text_string(&t), t.len)
                              : arena_printf(a, "%.*s…%016" PRIx64, (int)kept,
                                             text_string(&t), XXH3_64bits(t.data, t.len));
    text_free(&t);
    return clean;
}

/* --- the URL without a password ------------------------------------------------ */

/* stars: placeholder for secrets; NULL: omit them. An unescaped password may have any
 * character, so everything before the last @ is removed. */
static void put_url(struct hd_sink to, const char *url, const char *stars)
{
    static const char word[] = "password";
    const size_t size = sizeof(word) - 1;
    const struct database *kind = database_for(url, NULL);
    const char *host = strstr(url, "://"), *joint = "?";
    struct text t = {0};
    if (host == NULL || (kind != NULL && kind->prefixes == NULL)) {
        to.write(to.context, url, strlen(url));
        return;
    }
    host += 3;
    const char *at = strrchr(host, '@');
    size_t user = strcspn(host, ":@/?");
    text_add(&t, url, (size_t)(host - url));
    if (at != NULL && host + user < at && host[user] == ':') {
        text_add(&t, host, user);
        text_add_string(&t, stars != NULL ? ":" : "");
        text_add_string(&t, stars != NULL ? stars : "");
        host = at;
    }
    at = host + strcspn(host, "?");
    text_add(&t, host, (size_t)(at - host));
    for (size_t len; *at != '\0'; at += 1 + len) {
        const char *name = at + 1;
        len = strcspn(name, "&");
        const char *equals = memchr(name, '=', len);
        bool hides = equals != NULL && (size_t)(equals - name) >= size &&
                     strncmp(equals - size, word, size) == 0;
        if (hides && stars == NULL)
            continue;
        text_add_string(&t, joint);
        joint = "&";
        text_add(&t, name, hides ? (size_t)(equals - name) + 1 : len);
        text_add_string(&t, hides ? stars : "");
    }
    to.write(to.context, t.data, t.len);
    text_free(&t);
}

void hd_store_put_url(struct hd_sink to, const char *url)
{
    put_url(to, url, "***");
}

void hd_store_put_public_url(struct hd_sink to, const char *url)
{
    put_url(to, url, NULL);
}

bool hd_store_put_path(struct hd_sink to, const char *url)
{
    const struct database *kind = database_for(url, NULL);
    char *path = kind != NULL && kind->path != NULL ? kind->path(url) : NULL;
    if (path != NULL)
        to.write(to.context, path, strlen(path));
    free(path);
    return path != NULL;
}

/* --- opening ------------------------------------------------------------------- */

void hd_store_close(struct hd_store *s)
{
    if (s == NULL)
        return;
    lose(s);
    if (s->owns_bases)
        hd_store_bases_free(s->bases);
    input_close(s->read.in);
    hd_memory_free(&s->read.file);
    free(s->url);
    hd_memory_free(&s->name);
    free(s);
}

static struct hd_store *open_there(const struct database *kind, const char *url,
                                   enum hd_store_use use, struct hd_error *err)
{
    struct hd_store *s = alloc_zeroed(sizeof(*s));
    size_t size = strlen(url) + 1;
    *s = (struct hd_store){.kind = kind,
                           .use = use,
                           .url = alloc_resize(NULL, size),
                           .delay = 1,
                           .bases = hd_store_bases_new(),
                           .owns_bases = true};
    memcpy(s->url, url, size);
    hd_store_put_url(hd_sink_memory(&s->name), url);
    s->connection = kind->open(url, use, err);
    bound_values(s);
    if (s->connection != NULL && schema_prepare(s, err))
        return s;
    hd_store_close(s);
    return NULL;
}

/* A store appears with its tables, or not at all. */
static bool make(const struct database *kind, const char *url, bool *made,
                 struct hd_error *err)
{
    char *draft = kind->draft != NULL ? kind->draft(url) : NULL;
    if (draft == NULL)
        return true;
    struct hd_store *s = open_there(kind, draft, HD_STORE_WRITE, err);
    *made = s != NULL;
    /* Write everything to the file itself, not to a log next to it. */
    bool is_whole = s != NULL && (kind->tidy == NULL || kind->tidy(s->connection, err));
    hd_store_close(s);
    bool ok = kind->publish(draft, url, is_whole, err) && is_whole;
    free(draft);
    return ok;
}

struct hd_store *hd_store_open(const char *url, enum hd_store_use use, struct hd_error *err)
{
    const struct database *kind = database_for(url, err);
    bool made = false;
    if (kind == NULL || (use != HD_STORE_READ && !make(kind, url, &made, err)))
        return NULL;
    struct hd_store *s = open_there(kind, url, use, err);
    if (s != NULL && made)
        s->found_version = 0;
    return s;
}

struct hd_store_version hd_store_version(const struct hd_store *s)
{
    return (struct hd_store_version){.found = (unsigned)s->found_version,
                                     .now = (unsigned)s->stored_version,
                                     .newest = (unsigned)schema_newest()};
}

void hd_store_set_memory(struct hd_store *s, uint64_t bytes)
{
    s->max_memory = bytes;
    bound_values(s);
}

void hd_store_set_patience(struct hd_store *s, double seconds)
{
    s->patience = seconds > 0 ? seconds : 0;
}

bool hd_store_is_lost(const struct hd_store *s)
{
    return s->connection == NULL;
}

const char *hd_store_name(const struct hd_store *s)
{
    return s->name.bytes != NULL ? s->name.bytes : "";
}

const char *hd_store_note(const struct hd_store *s)
{
    bool has_note = s->connection != NULL && s->kind->note != NULL;
    const char *note = has_note ? s->kind->note(s->connection) : NULL;
    if (note == NULL && s->use == HD_STORE_WRITE && s->version < schema_newest())
        note = "is of an older version; when all its writers are of this one, run "
               "`heapdrift store upgrade`";
    return note;
}

const char *hd_store_file(const struct hd_store *s)
{
    bool has_file = s->connection != NULL && s->kind->file != NULL;
    return has_file ? s->kind->file(s->connection) : NULL;
}

/* --- types --------------------------------------------------------------------- */

char *json_to_text(const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT);
    if (text == NULL)
        out_of_memory(0);
    return text;
}

/* Inserts in the order of names, so that two writers cannot deadlock. Skips existing names,
 * which would use up ids. */
bool types_add(struct hd_store *s, const char *rows, unsigned at, struct hd_error *err)
{
    return store_run(
        s,
        "INSERT INTO type (name) SELECT DISTINCT value ->> CAST($2 AS INTEGER) "
        "FROM {each}($1) AS e WHERE NOT EXISTS (SELECT 1 FROM type WHERE "
        "type.name = value ->> CAST($2 AS INTEGER)) ORDER BY 1 "
        "ON CONFLICT (name) DO NOTHING",
        VALUES(of_text(rows), of_number(at)), err);
}
