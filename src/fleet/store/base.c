/* The digests that deltas are based on, and delta compression: zstd with the base as a
 * prefix. */
#include "fleet/store/store.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* --- bases ----------------------------------------------------------------------- */

/* Bytes of the sidecar's memory; a digest has some ten kilobytes, or hundreds for a large
 * service. */
enum { MAX_BYTES = 32 << 20 };

/* Thinning keeps a base while it is needed; this limits how long that is. */
static const double oldest = 7 * 86400;

/* Deltas grow as a heap drifts from its base: the first snapshot of a process shows its
 * start. A new base costs, with its rows, at least twice the bytes of its digest, so it
 * pays once the deltas have cost as much. If deltas remain as large, the new base did not
 * help, and twice as much is spent before each further try. */
enum { FIRST_PATIENCE = 2, MAX_TRIES = 4 };

struct hd_store_bases {
    struct base *all;
    size_t len, cap;
    uint64_t bytes; /* of the digests */
    uint64_t clock; /* of base.used */
};

struct hd_store_bases *hd_store_bases_new(void)
{
    return alloc_zeroed(sizeof(struct hd_store_bases));
}

static void drop(struct hd_store_bases *b, size_t i)
{
    struct base *at = &b->all[i];
    b->bytes -= at->digest.size;
    hd_memory_free(&at->digest);
    free(at->run);
    *at = b->all[--b->len];
}

void hd_store_bases_free(struct hd_store_bases *b)
{
    while (b != NULL && b->len > 0)
        drop(b, b->len - 1);
    if (b != NULL)
        free(b->all);
    free(b);
}

/* A few: a writer has some hundred series at most. */
static struct base *of_run(struct hd_store_bases *b, const char *run)
{
    for (size_t i = 0; i < b->len; i++)
        if (strcmp(b->all[i].run, run) == 0)
            return &b->all[i];
    return NULL;
}

/* Takes ownership of the digest. Drops the least recently used ones. */
static void keep(struct hd_store_bases *b, const char *run, struct base base)
{
    struct base *old = of_run(b, run);
    size_t size = strlen(run) + 1;
    if (old != NULL)
        drop(b, (size_t)(old - b->all));
    base.run = memcpy(alloc_resize(NULL, size), run, size);
    base.used = ++b->clock;
    b->bytes += base.digest.size;
    b->all = grow(b->all, b->len, &b->cap, sizeof(*b->all));
    b->all[b->len++] = base;
    while (b->bytes > MAX_BYTES && b->len > 0) {
        size_t last = 0;
        for (size_t i = 1; i < b->len; i++)
            if (b->all[i].used < b->all[last].used)
                last = i;
        drop(b, last);
    }
}

struct hd_memory digest_copy(const void *bytes, size_t size)
{
    struct hd_memory copy = {0};
    struct hd_sink to = hd_sink_memory(&copy);
    to.write(to.context, size > 0 ? bytes : "", size);
    return copy;
}

void base_keep(struct hd_store *s, const char *run, int64_t id, const char *source,
               double taken, const struct hd_memory *digest)
{
    struct base *old = of_run(s->bases, run);
    struct base base = {.id = id, .taken = taken};
    if (old != NULL)
        base.tries = old->tries + (old->spent > 0);
    snprintf(base.source, sizeof(base.source), "%s", source);
    if (id == 0 && old != NULL)
        drop(s->bases, (size_t)(old - s->bases->all));
    if (id == 0)
        return;
    base.digest = digest_copy(digest->bytes, digest->size);
    keep(s->bases, run, base);
}

void base_spend(struct hd_store *s, const char *run, uint64_t bytes)
{
    struct base *base = of_run(s->bases, run);
    if (base != NULL)
        base->spent += bytes;
}

/* Asked before: a server notes everything that it denies. */
static bool may_read(struct hd_store *s)
{
    int64_t may = 1;
    return s->connection != NULL &&
           (s->kind->may_read == NULL ||
            (store_ask_number(s, s->kind->may_read, NO_VALUES, &may, NULL, NULL) &&
             may == 1));
}

/* A writer without the right to read digests gets no error, and begins with a base of its
 * own. */
static void base_ask(struct hd_store *s, const char *run)
{
    static const char last[] =
        "SELECT snapshot.id, xxh3, taken_at, digest, "
        "(SELECT SUM({bytes_size:built.digest}) FROM snapshot AS built WHERE "
        "built.base_id = snapshot.id), "
        "(SELECT COUNT(*) FROM snapshot AS other WHERE other.series_id = series.id AND "
        "other.base_id IS NULL AND other.id <> snapshot.id AND "
        "EXISTS (SELECT 1 FROM snapshot AS built WHERE built.base_id = other.id)) "
        "FROM snapshot JOIN series ON series.id = series_id WHERE run = $1 AND "
        "base_id IS NULL AND {bytes_size:digest} <= CAST($2 AS BIGINT) ORDER BY taken_at "
        "DESC, snapshot.id DESC LIMIT 1";
    struct base base = {0};
    bool ok;
    struct rows *rows =
        may_read(s) ? store_ask(s, last,
                                VALUES(of_text(run), of_count(store_digest_bound(s))), NULL)
                    : NULL;
    while (store_next(s, rows, &ok, NULL)) {
        base.id = store_number(s, rows, 0);
        snprintf(base.source, sizeof(base.source), "%s", store_text(s, rows, 1));
        base.taken = store_real(s, rows, 2);
        struct value v = s->kind->column(rows, 3, VALUE_BYTES);
        base.digest = digest_copy(v.bytes, v.size);
        base.spent = (uint64_t)store_number(s, rows, 4);
        base.tries = (unsigned)store_number(s, rows, 5);
        keep(s->bases, run, base);
    }
}

const struct base *base_find(struct hd_store *s, const char *run, double taken)
{
    if (s->version < 3)
        return NULL;
    if (of_run(s->bases, run) == NULL)
        base_ask(s, run);
    struct base *base = of_run(s->bases, run);
    if (base == NULL || fabs(taken - base->taken) > oldest)
        return NULL;
    uint64_t patience = (uint64_t)FIRST_PATIENCE
                        << (base->tries < MAX_TRIES ? base->tries : MAX_TRIES);
    if (base->spent > patience * base->digest.size)
        return NULL;
    base->used = ++s->bases->clock;
    return base;
}

void hd_store_use_bases(struct hd_store *s, struct hd_store_bases *bases)
{
    if (s->owns_bases)
        hd_store_bases_free(s->bases);
    s->owns_bases = false;
    s->bases = bases;
}

struct input *digest_open(const void *digest, size_t size, uint64_t limit,
                          struct bytes *json, struct hd_error *err)
{
    const struct input_options how = {.max_memory = limit};
    struct input *in = input_unpack(digest, size, &how, err);
    if (in != NULL && input_all(in, json, err))
        return in;
    input_close(in);
    return NULL;
}

/* --- deltas ---------------------------------------------------------------------- */

/* 19 makes deltas of an ASP.NET service smaller by a seventh, and takes thirty times as
 * long; 9 takes twice the memory and improves only full digests. */
enum { LEVEL = 8, LEVEL_ALONE = 9 };

/* Window of references; reading needs memory for base and digest. */
enum { MIN_WINDOW = 17, MAX_WINDOW = 27 };

/* Below the first size the time does not matter. Deltas between equal digests have ratios
 * of some thousand, but relative to the sum of delta and base the ratio is small. */
enum { NEVER_TOO_MUCH = 64 << 20, MAX_TIMES_BASE = 16 };

/* The only possible failure is memory. */
static void need(size_t result)
{
    if (ZSTD_isError(result))
        out_of_memory(0);
}

bool delta_make(struct bytes whole, struct bytes base, struct hd_memory *delta)
{
    int window = MIN_WINDOW;
    while (window <= MAX_WINDOW &&
           (UINT64_C(1) << window) < (uint64_t)whole.size + base.size)
        window++;
    if (window > MAX_WINDOW)
        return false;
    size_t capacity = ZSTD_compressBound(whole.size);
    char *packed = alloc_resize(NULL, capacity + 1);
    ZSTD_CCtx *c = ZSTD_createCCtx();
    if (c == NULL)
        out_of_memory(0);
    need(ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel,
                                base.size > 0 ? LEVEL : LEVEL_ALONE));
    need(ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window));
    need(ZSTD_CCtx_setParameter(c, ZSTD_c_enableLongDistanceMatching, 1));
    need(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1));
    need(ZSTD_CCtx_refPrefix(c, base.data, base.size));
    size_t size = ZSTD_compress2(c, packed, capacity, whole.data, whole.size);
    need(size);
    ZSTD_freeCCtx(c);
    packed[size] = '\0';
    *delta = (struct hd_memory){packed, size, capacity + 1};
    return true;
}

bool delta_apply(struct bytes delta, struct bytes base, struct account *a,
                 struct hd_memory *whole, struct hd_error *err)
{
    /* The size according to its header. */
    unsigned long long size = ZSTD_getFrameContentSize(delta.data, delta.size);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
        return fail(err, HD_BAD_FORMAT, "a damaged difference to another digest");
    if (size > NEVER_TOO_MUCH && size / MAX_TIMES_BASE > (uint64_t)base.size + delta.size)
        return fail(err, HD_BAD_FORMAT,
                    "a difference to another digest that expands to %llu bytes", size);
    account_charge(a, size);
    if (account_is_over(a))
        return account_fail(a, err);
    unsigned char *bytes = alloc_resize(NULL, (size_t)size + 1);
    ZSTD_DCtx *d = ZSTD_createDCtx();
    if (d == NULL)
        out_of_memory(0);
    need(ZSTD_DCtx_refPrefix(d, base.data, base.size));
    size_t got = ZSTD_decompressDCtx(d, bytes, (size_t)size, delta.data, delta.size);
    ZSTD_freeDCtx(d);
    if (ZSTD_isError(got) || got != size) {
        free(bytes);
        return fail(err, HD_BAD_FORMAT,
                    "does not fit the digest that it is a difference to");
    }
    bytes[size] = '\0';
    *whole = (struct hd_memory){(char *)bytes, (size_t)size, (size_t)size + 1};
    return true;
}
