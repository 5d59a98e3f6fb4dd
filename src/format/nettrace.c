/* Blocks and threads of a trace; rows are trace_row.h's. Layouts: docs/formats/nettrace.md.
 *
 * Nothing is believed: a size is only a promise of how many bytes will be skipped or
 * waited for, and what is kept in memory has come from the input. Bytes that are not all
 * there mean a trace that was cut; bytes that cannot be are damage. */
#include "format/nettrace.h"

#include "base/alloc.h"
#include "base/error.h"
#include "format/trace_bytes.h"
#include "format/trace_row.h"
#include "heap/ids.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char fast_magic[] = "\x14\0\0\0!FastSerialization.1", new_magic[] = "Nettrace";
enum { FAST_MAGIC = sizeof(fast_magic) - 1, NEW_MAGIC = sizeof(new_magic) - 1 };

/* What stands in a block; of version 6 these are also the numbers on disk. */
enum block {
    BLOCK_END,
    BLOCK_TRACE,
    BLOCK_EVENTS,
    BLOCK_METADATA,
    BLOCK_SEQUENCE_POINT,
    BLOCK_STACKS,
    BLOCK_THREADS,
    BLOCK_REMOVED_THREADS,
    BLOCK_LABELS,
    BLOCK_OTHER
};

struct trace_thread {
    uint64_t pid;  /* of version 6 */
    uint64_t time; /* of its last event */
    uint32_t sequence;
    bool seen;
};

struct nettrace {
    struct trace_bytes bytes;
    struct hd_error *err;
    enum trace_end end;
    struct trace_header header;
    unsigned begin_tag; /* of an object: 5, in .netperf 4 */

    enum block block;
    uint64_t block_end;    /* where its bytes end */
    bool is_compressed;    /* its rows */
    bool has_end_tag;      /* an object of versions 3 to 5 must be closed */
    struct trace_row row;  /* the last one */
    uint64_t row_end;      /* where the next begins; 0 before the first */
    uint64_t payload_end;  /* of the event given last, if it was not taken yet */
    struct trace_event at; /* that event */
    struct bytes payload;  /* its payload, if it was taken */
    size_t most;           /* nettrace_distrust() */

    struct id_numbers metas;
    struct trace_meta *meta;
    size_t meta_cap;
    struct id_numbers threads;
    struct trace_thread *thread;
    size_t thread_cap;
    uint32_t last_thread; /* its number; NO_ID */

    struct trace_loss *losses;
    size_t loss_count, loss_cap;
};

/* --- failing ------------------------------------------------------------- */

static bool refuse_at(struct nettrace *t, uint64_t at, const char *what)
{
    fail_at_byte(t->err, at, "%s", what);
    t->end = TRACE_CANNOT_BE_READ;
    return false;
}

static bool refuse(struct nettrace *t, const char *what)
{
    return refuse_at(t, t->bytes.at, what);
}

bool nettrace_refuse(struct nettrace *t, const char *what, ...)
{
    char text[200];
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof(text), what, args);
    va_end(args);
    return refuse_at(t, t->at.at, text);
}

/* After bytes that were wanted did not come. */
static bool cut(struct nettrace *t, enum trace_end how)
{
    t->end = t->bytes.failed ? TRACE_CANNOT_BE_READ : how;
    return false;
}

static const unsigned char *need(struct nettrace *t, size_t size)
{
    if (t->most > 0 && size > t->most) {
        refuse(t, "larger than anything that a runtime sends");
        return NULL;
    }
    const unsigned char *p = trace_bytes_take(&t->bytes, size);
    if (p == NULL)
        cut(t, TRACE_CUT);
    return p;
}

static bool skip_to(struct nettrace *t, uint64_t end)
{
    return trace_bytes_skip(&t->bytes, end - t->bytes.at) || cut(t, TRACE_CUT);
}

/* --- the head ------------------------------------------------------------ */

bool nettrace_recognises(struct bytes head)
{
    if (head.size >= NEW_MAGIC && memcmp(head.data, new_magic, NEW_MAGIC) == 0)
        return true;
    /* The entry object's type, behind 04 04 01, two versions and a length, tells
     * .netperf from other files of the serialiser. */
    static const char *const names[] = {"Trace", "Microsoft.DotNet.Runtime.EventPipeFile"};
    enum { LENGTH_AT = FAST_MAGIC + 11, NAME_AT = LENGTH_AT + 4 };
    if (head.size < NAME_AT || memcmp(head.data, fast_magic, FAST_MAGIC) != 0)
        return false;
    uint32_t len = trace_u32(head.data + LENGTH_AT);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (len == strlen(names[i]) && head.size - NAME_AT >= len &&
            memcmp(head.data + NAME_AT, names[i], len) == 0)
            return true;
    return false;
}

struct nettrace *nettrace_begin(struct input *in, struct hd_error *err)
{
    struct nettrace *t = alloc_zeroed(sizeof(*t));
    t->bytes = trace_bytes_begin(in, err);
    t->err = err;
    t->header = (struct trace_header){.pid = HD_UNKNOWN, .frequency = 1, .sync_time = NAN};
    t->last_thread = NO_ID;
    return t;
}

void nettrace_free(struct nettrace *t)
{
    if (t == NULL)
        return;
    trace_bytes_free(&t->bytes);
    id_numbers_free(&t->metas);
    id_numbers_free(&t->threads);
    free(t->meta);
    free(t->thread);
    free(t->losses);
    free(t);
}

/* Everything before the first block. */
static bool read_magic(struct nettrace *t)
{
    enum { LAST_VERSION = 6 };
    const unsigned char *p = need(t, NEW_MAGIC);
    if (p == NULL)
        return false;
    if (memcmp(p, new_magic, NEW_MAGIC) != 0) {
        t->begin_tag = 4;
        bool fast = memcmp(p, fast_magic, NEW_MAGIC) == 0;
        p = need(t, FAST_MAGIC - NEW_MAGIC);
        return p != NULL &&
               ((fast && memcmp(p, fast_magic + NEW_MAGIC, FAST_MAGIC - NEW_MAGIC) == 0) ||
                refuse_at(t, 0, "neither Nettrace nor FastSerialization"));
    }
    p = need(t, 4);
    if (p == NULL)
        return false;
    if (trace_u32(p) != 0) {
        t->begin_tag = 5;
        bool fast = memcmp(p, fast_magic, 4) == 0;
        p = need(t, FAST_MAGIC - 4);
        return p != NULL && ((fast && memcmp(p, fast_magic + 4, FAST_MAGIC - 4) == 0) ||
                             refuse_at(t, NEW_MAGIC, "no !FastSerialization.1 here"));
    }
    p = need(t, 8);
    if (p == NULL)
        return false;
    t->header.version = trace_u32(p);
    if (t->header.version == LAST_VERSION)
        return true;
    fail(t->err, HD_UNSUPPORTED,
         "a trace of format version %u; this program reads 3, 4, 5 and 6",
         t->header.version);
    t->end = TRACE_CANNOT_BE_READ;
    return false;
}

/* --- the first block ----------------------------------------------------- */

/* SYSTEMTIME: year, month, day of the week, day, hour, minute, second, millisecond. */
static double seconds_of(const unsigned char *p)
{
    unsigned f[8];
    for (size_t i = 0; i < 8; i++)
        f[i] = trace_u16(p + 2 * i);
    struct tm tm = {.tm_year = (int)f[0] - 1900,
                    .tm_mon = (int)f[1] - 1,
                    .tm_mday = (int)f[3],
                    .tm_hour = (int)f[4],
                    .tm_min = (int)f[5],
                    .tm_sec = (int)f[6]};
    bool valid = f[0] >= 1970 && f[0] < 10000 && f[1] >= 1 && f[1] <= 12 && f[3] >= 1 &&
                 f[3] <= 31 && f[4] < 24 && f[5] < 60 && f[6] <= 60 && f[7] < 1000;
    return valid ? (double)timegm(&tm) + f[7] / 1000.0 : NAN;
}

/* Date, ticks, frequency, pointer size: 36 bytes in all versions. */
static bool read_header(struct nettrace *t, const unsigned char *p)
{
    struct trace_header *h = &t->header;
    h->sync_time = seconds_of(p);
    h->sync_ticks = trace_u64(p + 16);
    h->frequency = trace_u64(p + 24);
    h->pointer_size = trace_u32(p + 32);
    if (h->pointer_size != 4 && h->pointer_size != 8)
        return refuse(t, "pointers are neither of 4 nor of 8 bytes");
    return h->frequency > 0 || refuse(t, "the clock has no frequency");
}

static bool read_old_trace(struct nettrace *t, uint32_t version)
{
    enum { SIZE = 48, PID_AT = 36 };
    t->header.version = version;
    if ((version == 4) != (t->begin_tag == 5) || version == 0 || version > 4)
        return refuse(t, "a version of the trace that does not fit its container");
    const unsigned char *p = need(t, SIZE);
    if (p == NULL || !read_header(t, p))
        return false;
    t->header.pid = trace_u32(p + PID_AT);
    t->row_end = 0;
    t->block = BLOCK_OTHER;
    t->block_end = t->bytes.at;
    return true;
}

/* The process id among pairs of strings, which end with the block. */
static bool read_new_trace(struct nettrace *t)
{
    static const char key[] = "ProcessId";
    enum { SIZE = 40 };
    uint64_t size = t->block_end - t->bytes.at;
    if (size < SIZE)
        return refuse(t, "too short for the trace's own block");
    const unsigned char *p = need(t, (size_t)size);
    if (p == NULL || !read_header(t, p))
        return false;
    struct trace_fields f = {p + SIZE, p + size, false};
    uint32_t pairs = trace_u32(p + SIZE - 4);
    for (uint32_t i = 0; i < pairs && !f.failed; i++) {
        struct bytes name = trace_string(&f), value = trace_string(&f);
        if (f.failed || name.size != sizeof(key) - 1 ||
            memcmp(name.data, key, name.size) != 0)
            continue;
        uint64_t pid = 0;
        bool digits = value.size > 0 && value.size < 19;
        for (size_t d = 0; digits && d < value.size; d++) {
            digits = value.data[d] >= '0' && value.data[d] <= '9';
            pid = 10 * pid + (uint64_t)(value.data[d] - '0');
        }
        if (digits)
            t->header.pid = pid;
    }
    return !f.failed || refuse(t, "the trace's own block is damaged");
}

void nettrace_distrust(struct nettrace *t, size_t most)
{
    t->most = most;
}

/* Tables grow with the bytes that come: 3 of them may be a new thread. */
static void check_tables(struct nettrace *t)
{
    enum { ENTRY = 64 };
    if (t->most > 0 && t->metas.len + t->threads.len + t->loss_count > t->most / ENTRY)
        refuse(t, "more threads, events and losses than any process has");
}

/* --- threads and losses -------------------------------------------------- */

static struct trace_thread *use_thread(struct nettrace *t, uint64_t id)
{
    if (t->last_thread != NO_ID && t->threads.ids[t->last_thread] == id)
        return &t->thread[t->last_thread];
    size_t before = t->threads.len;
    uint32_t n = id_numbers_add(&t->threads, id);
    if (n == before) {
        t->thread = grow(t->thread, before, &t->thread_cap, sizeof(*t->thread));
        t->thread[n] = (struct trace_thread){.pid = HD_UNKNOWN};
        check_tables(t);
    }
    t->last_thread = n;
    return &t->thread[n];
}

static void note_loss(struct nettrace *t, const struct trace_thread *thread, uint64_t time,
                      uint32_t events)
{
    struct trace_loss *last = t->loss_count > 0 ? &t->losses[t->loss_count - 1] : NULL;
    if (last != NULL && last->from == thread->time && last->to == time) {
        last->events += events;
        return;
    }
    check_tables(t);
    t->losses = grow(t->losses, t->loss_count, &t->loss_cap, sizeof(*t->losses));
    t->losses[t->loss_count++] = (struct trace_loss){thread->time, time, events};
}

/* Numbers wrap at 2^32. A thread id that the system has given to another thread begins
 * again, so a step back is no loss. */
static void check_sequence(struct nettrace *t, const struct trace_row *row)
{
    enum { STEP_BACK = 31 };
    struct trace_thread *thread = use_thread(t, row->capture_thread);
    if (thread->seen) {
        uint32_t step = row->sequence - thread->sequence;
        bool restarted = step == 0 || step >> STEP_BACK != 0 || thread->sequence == 0;
        if (!restarted && step > 1)
            note_loss(t, thread, row->time, step - 1);
    }
    thread->seen = true;
    thread->sequence = row->sequence;
    thread->time = row->time;
}

/* A lower bound of the last number that a thread has used. */
static void check_point(struct nettrace *t, uint64_t id, uint32_t sequence, uint64_t time)
{
    enum { STEP_BACK = 31 };
    struct trace_thread *thread = use_thread(t, id);
    uint32_t step = sequence - thread->sequence;
    if (thread->seen && (step == 0 || step >> STEP_BACK != 0))
        return;
    if (thread->seen && thread->sequence != 0)
        note_loss(t, thread, time, step);
    thread->seen = true;
    thread->sequence = sequence;
    thread->time = time;
}

static bool read_sequence_point(struct nettrace *t)
{
    enum { FLUSH_METADATA = 2 };
    bool is_new = t->header.version >= 6;
    uint64_t size = t->block_end - t->bytes.at;
    const unsigned char *p = need(t, (size_t)size);
    if (p == NULL)
        return false;
    struct trace_fields f = {p, p + size, false};
    uint64_t time = trace_field_u64(&f);
    uint32_t flags = is_new ? trace_field_u32(&f) : 0;
    uint32_t count = trace_field_u32(&f);
    for (uint32_t i = 0; i < count && !f.failed; i++) {
        uint64_t id = is_new ? trace_varuint(&f, 64) : trace_field_u64(&f);
        uint32_t sequence = is_new ? (uint32_t)trace_varuint(&f, 32) : trace_field_u32(&f);
        if (!f.failed)
            check_point(t, id, sequence, time);
    }
    if (f.failed)
        return refuse(t, "a sequence point longer than its block");
    if (flags & FLUSH_METADATA)
        id_numbers_free(&t->metas);
    return true;
}

/* Index of a thread, then elements; 2 is the process that it belongs to. */
static bool read_threads(struct nettrace *t)
{
    enum { NAME = 1, PROCESS, THREAD, PAIR };
    uint64_t size = t->block_end - t->bytes.at;
    const unsigned char *p = need(t, (size_t)size);
    if (p == NULL)
        return false;
    struct trace_fields all = {p, p + size, false};
    while (all.at < all.end) {
        struct bytes one = trace_field_bytes(&all, trace_field_u16(&all));
        struct trace_fields f = {one.data, one.data + one.size, all.failed};
        uint64_t index = trace_varuint(&f, 64);
        if (f.failed)
            return refuse(t, "a thread's record is damaged");
        struct trace_thread *thread = use_thread(t, index);
        while (f.at < f.end && !f.failed) {
            unsigned kind = trace_field_u8(&f);
            if (kind == PROCESS)
                thread->pid = trace_varuint(&f, 64);
            else if (kind == THREAD)
                trace_varuint(&f, 64);
            else if (kind == NAME || kind == PAIR)
                trace_string(&f);
            else
                break;
            if (kind == PAIR)
                trace_string(&f);
        }
    }
    return true;
}

/* --- metadata ------------------------------------------------------------ */

static void define(struct nettrace *t, uint32_t number, struct trace_meta meta)
{
    size_t before = t->metas.len;
    uint32_t n = id_numbers_add(&t->metas, number);
    if (n == before)
        t->meta = grow(t->meta, before, &t->meta_cap, sizeof(*t->meta));
    t->meta[n] = meta;
    check_tables(t);
}

static bool read_old_metadata(struct nettrace *t, struct bytes payload)
{
    struct trace_fields f = {payload.data, payload.data + payload.size, false};
    uint32_t number = 0;
    struct trace_meta meta;
    if (!trace_meta_parse(&f, &number, &meta))
        return refuse_at(t, t->at.at, "a metadata record that is too short");
    define(t, number, meta);
    return true;
}

static bool read_new_metadata(struct nettrace *t)
{
    uint64_t size = t->block_end - t->bytes.at;
    const unsigned char *p = need(t, (size_t)size);
    if (p == NULL)
        return false;
    struct trace_fields all = {p, p + size, false};
    trace_field_bytes(&all, trace_field_u16(&all));
    while (all.at < all.end && !all.failed) {
        struct bytes one = trace_field_bytes(&all, trace_field_u16(&all));
        struct trace_fields f = {one.data, one.data + one.size, all.failed};
        uint32_t number = 0;
        struct trace_meta meta;
        if (!trace_meta_parse_new(&f, &number, &meta))
            return refuse(t, "a metadata record that is too short");
        define(t, number, meta);
    }
    return !all.failed || refuse(t, "metadata longer than its block");
}

/* --- rows ---------------------------------------------------------------- */

/* The next row's header; the payload follows. */
static bool read_row(struct nettrace *t)
{
    uint64_t start = t->bytes.at, left = t->block_end - start;
    size_t most = left < TRACE_ROW_LONGEST ? (size_t)left : TRACE_ROW_LONGEST;
    const unsigned char *p = trace_bytes_peek(&t->bytes, most, &most);
    if (t->bytes.failed)
        return cut(t, TRACE_CUT);
    struct trace_fields f = {p, p + most, false};
    uint64_t end = 0;
    struct trace_row row = t->row;
    if (t->is_compressed)
        trace_row_compressed(&f, &row, t->header.version >= 6);
    else
        end = trace_row_plain(&f, &row, t->header.version);
    if (f.failed && most < left && most < TRACE_ROW_LONGEST)
        return cut(t, TRACE_CUT);
    if (f.failed)
        return refuse(t, "an event's header runs over the end of its block");
    uint64_t header = (uint64_t)(f.at - p);
    if (t->is_compressed)
        end = header + row.size;
    if (header + row.size > end || end > left)
        return refuse(t, "an event runs over the end of its block");
    t->row = row;
    t->row_end = start + end;
    trace_bytes_skip(&t->bytes, header);
    t->payload_end = t->bytes.at + row.size;
    t->at.at = t->bytes.at;
    t->at.size = row.size;
    return true;
}

/* Fill in t->at from the row. */
static void describe(struct nettrace *t)
{
    const struct trace_row *r = &t->row;
    uint32_t n = id_numbers_find(&t->metas, r->metadata);
    struct trace_meta meta = n != NO_ID ? t->meta[n] : (struct trace_meta){0};
    bool has_sequence = t->header.version >= 4;
    if (has_sequence)
        check_sequence(t, r);
    t->at.provider = meta.provider;
    t->at.id = meta.id;
    t->at.version = meta.version;
    t->at.time = r->time;
    t->at.thread = r->capture_thread;
    t->at.pid = t->header.pid;
    if (t->header.version >= 6) {
        const struct trace_thread *thread = use_thread(t, r->capture_thread);
        if (thread->pid != HD_UNKNOWN)
            t->at.pid = thread->pid;
    }
}

/* Of rows of fixed layout the size counts, which includes what pads them. */
static bool go_to_next_row(struct nettrace *t)
{
    uint64_t end = t->row_end;
    t->row_end = 0;
    return end <= t->bytes.at || skip_to(t, end);
}

/* --- blocks -------------------------------------------------------------- */

/* Header size, flags, two times. The times are not needed. */
static bool read_event_header(struct nettrace *t)
{
    t->row = (struct trace_row){0};
    t->row_end = 0;
    t->is_compressed = false;
    if (t->header.version <= 3)
        return true;
    uint64_t start = t->bytes.at;
    const unsigned char *p = t->block_end - start >= 4 ? need(t, 4) : NULL;
    if (p == NULL)
        return t->end == TRACE_GOES_ON ? refuse(t, "a block that is too short for its head")
                                       : false;
    uint64_t size = trace_u16(p);
    t->is_compressed = trace_u16(p + 2) & 1;
    if (size < 4 || size > t->block_end - start)
        return refuse(t, "the head of a block is longer than the block");
    return skip_to(t, start + size);
}

/* A block's size is known; rows are left to be read, everything else is read here. */
static bool read_block(struct nettrace *t)
{
    bool is_new = t->header.version >= 6;
    if (t->header.pointer_size == 0 && t->block != BLOCK_TRACE)
        return refuse(t, "the trace's own block is not the first one");
    switch (t->block) {
    case BLOCK_TRACE:
        return read_new_trace(t);
    case BLOCK_EVENTS:
        return read_event_header(t);
    case BLOCK_METADATA:
        return is_new ? read_new_metadata(t) : read_event_header(t);
    case BLOCK_SEQUENCE_POINT:
        return read_sequence_point(t);
    case BLOCK_THREADS:
        return read_threads(t);
    case BLOCK_END:
    case BLOCK_STACKS:
    case BLOCK_REMOVED_THREADS:
    case BLOCK_LABELS:
    case BLOCK_OTHER:
        break;
    }
    return true;
}

static enum block block_named(struct bytes name)
{
    static const struct {
        const char *name;
        enum block block;
    } names[] = {
        {"Trace", BLOCK_TRACE},
        {"Microsoft.DotNet.Runtime.EventPipeFile", BLOCK_TRACE},
        {"EventBlock", BLOCK_EVENTS},
        {"MetadataBlock", BLOCK_METADATA},
        {"SPBlock", BLOCK_SEQUENCE_POINT},
        {"StackBlock", BLOCK_STACKS},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (name.size == strlen(names[i].name) &&
            memcmp(name.data, names[i].name, name.size) == 0)
            return names[i].block;
    return BLOCK_OTHER;
}

/* B B 01, two versions, name, 06; then a size, and padding to 4 bytes of the file. */
static bool begin_object(struct nettrace *t)
{
    enum { NULL_TAG = 1, END_TAG = 6, HEAD = 15, LONGEST_NAME = 64 };
    size_t got;
    const unsigned char *p = trace_bytes_peek(&t->bytes, 1, &got);
    if (got == 0)
        return cut(t, TRACE_LACKS_END);
    if (p[0] == NULL_TAG) {
        t->end = TRACE_ENDS;
        return false;
    }
    p = need(t, HEAD);
    if (p == NULL)
        return false;
    uint32_t version = trace_u32(p + 3), len = trace_u32(p + 11);
    if (p[0] != t->begin_tag || p[1] != t->begin_tag || p[2] != NULL_TAG || len == 0 ||
        len > LONGEST_NAME)
        return refuse_at(t, t->bytes.at - HEAD, "no block begins here");
    p = need(t, len + 1);
    if (p == NULL)
        return false;
    if (p[len] != END_TAG)
        return refuse(t, "the name of a block is not closed");
    t->block = block_named((struct bytes){p, len});
    t->has_end_tag = true;
    if (t->block == BLOCK_TRACE)
        return read_old_trace(t, version);
    p = need(t, 4);
    if (p == NULL)
        return false;
    uint64_t start = t->bytes.at + (4 - t->bytes.at % 4) % 4;
    t->block_end = start + trace_u32(p);
    return skip_to(t, start) && read_block(t);
}

static bool begin_new_block(struct nettrace *t)
{
    enum { SIZE_BITS = 24 };
    size_t got;
    trace_bytes_peek(&t->bytes, 1, &got);
    if (got == 0)
        return cut(t, TRACE_LACKS_END);
    const unsigned char *p = need(t, 4);
    if (p == NULL)
        return false;
    uint32_t head = trace_u32(p), kind = head >> SIZE_BITS;
    t->block = kind < BLOCK_OTHER ? (enum block)kind : BLOCK_OTHER;
    t->block_end = t->bytes.at + (head & ((1U << SIZE_BITS) - 1));
    t->has_end_tag = false;
    if (t->block == BLOCK_END) {
        t->end = TRACE_ENDS;
        return false;
    }
    return read_block(t);
}

static bool next_block(struct nettrace *t)
{
    enum { END_TAG = 6 };
    if (t->bytes.at == 0)
        return read_magic(t);
    if (t->bytes.at < t->block_end && !skip_to(t, t->block_end))
        return false;
    if (t->has_end_tag) {
        size_t got;
        trace_bytes_peek(&t->bytes, 1, &got);
        if (got == 0)
            return cut(t, TRACE_LACKS_END);
        if (need(t, 1)[0] != END_TAG)
            return refuse(t, "a block is not closed");
        t->has_end_tag = false;
    }
    return t->header.version >= 6 ? begin_new_block(t) : begin_object(t);
}

/* --- events -------------------------------------------------------------- */

bool nettrace_payload(struct nettrace *t, struct bytes *payload)
{
    if (t->payload_end > 0) {
        t->payload = (struct bytes){need(t, t->at.size), t->at.size};
        t->payload_end = 0;
    }
    *payload = t->payload;
    return payload->data != NULL;
}

static bool has_rows(const struct nettrace *t)
{
    return t->block == BLOCK_EVENTS ||
           (t->block == BLOCK_METADATA && t->header.version < 6);
}

bool nettrace_next(struct nettrace *t, struct trace_event *event)
{
    while (t->end == TRACE_GOES_ON) {
        if (t->payload_end > t->bytes.at && !skip_to(t, t->payload_end))
            break;
        t->payload_end = 0;
        t->payload = (struct bytes){0};
        if (!has_rows(t) || t->bytes.at >= t->block_end) {
            next_block(t);
            continue;
        }
        if (!go_to_next_row(t) || t->bytes.at >= t->block_end || !read_row(t))
            continue;
        if (t->row.metadata == 0 || t->block == BLOCK_METADATA) {
            struct bytes payload;
            if (nettrace_payload(t, &payload))
                read_old_metadata(t, payload);
            continue;
        }
        describe(t);
        *event = t->at;
        return true;
    }
    return false;
}

enum trace_end nettrace_end(const struct nettrace *t)
{
    return t->end;
}

const struct trace_header *nettrace_header(const struct nettrace *t)
{
    return &t->header;
}

const struct trace_loss *nettrace_losses(const struct nettrace *t, size_t *count)
{
    *count = t->loss_count;
    return t->losses;
}
