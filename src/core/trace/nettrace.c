/* Read the events of a trace: bytes, blocks, rows of events, and definitions of ids.
 * Layouts: docs/formats/nettrace.md.
 *
 * Nothing is trusted: a size only limits how many bytes are skipped or waited for, and
 * memory grows with the bytes that were received. Missing bytes mean a trace that was cut;
 * impossible bytes are damage. */
#include "trace/nettrace.h"

#include "base/alloc.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/text.h"
#include "heap/ids.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The contents of a block; in version 6 these are also the numbers in the file. */
enum trace_block {
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

/* The head of a row; what a row omits is that of the row before. */
struct trace_row {
    uint32_t metadata, sequence, stack, size;
    uint64_t thread, time; /* the thread is the one that recorded the event */
};

/* The provider and event of a metadata record. */
struct trace_meta {
    enum trace_provider provider;
    uint32_t id, version;
};

/* By the id that its rows use. */
struct trace_thread {
    uint64_t pid;  /* in version 6; HD_UNKNOWN without one */
    uint64_t time; /* of its last event */
    uint32_t sequence;
    bool seen;
};

/* A part of nettrace.frames. */
struct trace_stack {
    size_t at, size;
};

struct nettrace {
    struct hd_error *err;
    enum trace_end end; /* once it is not TRACE_GOES_ON, no more events follow */
    struct trace_header header;

    /* The input, contiguous even if a piece crosses two blocks. */
    struct input *in;
    const unsigned char *next, *stop; /* current bytes */
    uint64_t offset;                  /* of next */
    unsigned char *joined;            /* pieces of several blocks */
    size_t joined_cap;
    size_t most; /* nettrace_distrust(); 0: anything */
    bool failed; /* to read the input; err has the reason */

    enum trace_block block; /* BLOCK_END before the first */
    uint64_t block_end;     /* offset */
    unsigned begin_tag;     /* of an object: 5, in .netperf 4; 0 in version 6 */
    bool has_end_tag;       /* an object of versions 3 to 5 must be closed */

    bool is_compressed;    /* rows of this block */
    struct trace_row row;  /* the last one */
    uint64_t row_end;      /* where the next begins; 0 before the first */
    uint64_t payload_end;  /* of the last event returned, unless it was taken */
    struct trace_event at; /* that event */
    struct bytes payload;  /* its payload, if it was taken */

    struct id_numbers metas;
    struct trace_meta *meta; /* by number */
    size_t meta_cap;
    uint32_t last_definition;

    /* stacks since the last sequence point */
    size_t most_of_stacks; /* bytes; 0: they are skipped */
    size_t stacks_kept;    /* bytes, counted as nettrace_keep_stacks() does */
    struct id_numbers stack_ids;
    struct trace_stack *stacks; /* by number */
    size_t stack_cap;
    unsigned char *frames; /* bytes of all stacks */
    size_t frame_len, frame_cap;

    struct id_numbers thread_ids;
    struct trace_thread *threads; /* by number */
    size_t thread_cap;
    uint32_t last_thread; /* number of the last one used, which most rows share */
    struct trace_loss *losses;
    size_t loss_count, loss_cap;

    struct account own; /* unless the caller has one */
    struct account *account;
};

struct nettrace *nettrace_begin(struct input *in, struct hd_error *err)
{
    static const unsigned char nothing[1];
    struct nettrace *t = alloc_zeroed(sizeof(*t));
    t->in = in;
    t->err = err;
    t->next = t->stop = nothing;
    t->header = (struct trace_header){.pid = HD_UNKNOWN, .frequency = 1, .sync_time = NAN};
    nettrace_charge_to(t, &t->own);
    return t;
}

void nettrace_free(struct nettrace *t)
{
    if (t == NULL)
        return;
    account_free(t->account, t->joined, t->joined_cap, 1);
    id_numbers_free(&t->metas);
    account_free(t->account, t->meta, t->meta_cap, sizeof(*t->meta));
    id_numbers_free(&t->stack_ids);
    account_free(t->account, t->stacks, t->stack_cap, sizeof(*t->stacks));
    account_free(t->account, t->frames, t->frame_cap, 1);
    id_numbers_free(&t->thread_ids);
    account_free(t->account, t->threads, t->thread_cap, sizeof(*t->threads));
    account_free(t->account, t->losses, t->loss_cap, sizeof(*t->losses));
    free(t);
}

void nettrace_distrust(struct nettrace *t, size_t most)
{
    t->most = most;
    t->own.limit = most;
}

void nettrace_charge_to(struct nettrace *t, struct account *account)
{
    t->account = t->metas.account = t->thread_ids.account = t->stack_ids.account = account;
}

void nettrace_keep_stacks(struct nettrace *t, size_t most)
{
    t->most_of_stacks = most;
}

struct account *nettrace_account(struct nettrace *t)
{
    return t->account;
}

/* --- errors -------------------------------------------------------------- */

static bool refuse_at(struct nettrace *t, uint64_t at, const char *what)
{
    fail_at_byte(t->err, at, "%s", what);
    t->end = TRACE_CANNOT_BE_READ;
    return false;
}

static bool refuse_here(struct nettrace *t, const char *what)
{
    return refuse_at(t, t->offset, what);
}

bool nettrace_refuse(struct nettrace *t, const char *what, ...)
{
    char text[200];
    va_list args;
    va_start(args, what);
    c_vsnprintf(text, sizeof(text), what, args);
    va_end(args);
    return refuse_at(t, t->at.at, text);
}

/* Bytes are missing. Always false. */
static bool is_cut(struct nettrace *t, enum trace_end how)
{
    t->end = t->failed ? TRACE_CANNOT_BE_READ : how;
    return false;
}

/* Tables grow with the bytes received: 3 bytes may be a new thread. */
static bool check_tables(struct nettrace *t)
{
    if (!account_is_over(t->account))
        return true;
    if (t->most > 0)
        return refuse_here(t, "more threads, events and losses than any process has");
    t->end = TRACE_CANNOT_BE_READ;
    return account_fail(t->account, t->err);
}

/* --- bytes --------------------------------------------------------------- */

/* Reads the next block of the input; false at its end. */
static bool next_input(struct nettrace *t, struct bytes *block)
{
    if (t->failed)
        return false;
    if (account_is_over(t->account))
        t->failed = !account_fail(t->account, t->err);
    else
        t->failed = !input_next(t->in, block, t->err);
    return !t->failed && block->size > 0;
}

/* Returns the buffer, of size bytes or more; `first` is its smallest size. */
static unsigned char *reserve(struct nettrace *t, unsigned char *buffer, size_t *buffer_cap,
                              size_t size, size_t first)
{
    size_t cap = *buffer_cap > 0 ? *buffer_cap : first;
    while (cap < size)
        cap = array_bytes(cap, 2);
    if (cap != *buffer_cap)
        buffer = alloc_resize(buffer, cap);
    account_charge(t->account, cap - *buffer_cap);
    *buffer_cap = cap;
    return buffer;
}

static void reserve_joined(struct nettrace *t, size_t size)
{
    enum { FIRST = 512 * 1024 };
    t->joined = reserve(t, t->joined, &t->joined_cap, size, FIRST);
}

/* Returns size, or the number of bytes at t->next if the input ends before. */
static size_t peek(struct nettrace *t, size_t size)
{
    struct bytes block;
    size_t have;
    while ((have = (size_t)(t->stop - t->next)) < size) {
        /* The current bytes are moved first: the input uses its block again. */
        if (have > 0 && t->next != t->joined) {
            reserve_joined(t, have);
            memmove(t->joined, t->next, have);
            t->next = t->joined;
            t->stop = t->joined + have;
        }
        if (!next_input(t, &block))
            return have;
        if (have > 0) {
            reserve_joined(t, have + block.size);
            memcpy(t->joined + have, block.data, block.size);
            block.data = t->joined;
        }
        t->next = block.data;
        t->stop = block.data + have + block.size;
    }
    return size;
}

/* Returns the next size bytes, until the next call; NULL after reporting the failure. */
static const unsigned char *read_bytes(struct nettrace *t, size_t size)
{
    if (t->most > 0 && size > t->most) {
        refuse_here(t, "larger than anything a runtime sends");
        return NULL;
    }
    if (peek(t, size) < size) {
        is_cut(t, TRACE_CUT);
        return NULL;
    }
    t->offset += size;
    t->next += size;
    return t->next - size;
}

/* Skips to an offset; false after reporting why not. */
static bool skip_to(struct nettrace *t, uint64_t end)
{
    while (t->offset < end) {
        struct bytes block;
        if (t->next == t->stop) {
            if (!next_input(t, &block))
                return is_cut(t, TRACE_CUT);
            t->next = block.data;
            t->stop = block.data + block.size;
        }
        uint64_t have = (uint64_t)(t->stop - t->next), left = end - t->offset;
        size_t part = (size_t)(have < left ? have : left);
        t->offset += part;
        t->next += part;
    }
    return true;
}

/* Reads the rest of the block; false after reporting the failure. */
static bool read_rest(struct nettrace *t, struct trace_fields *rest)
{
    size_t size = (size_t)(t->block_end - t->offset);
    const unsigned char *p = read_bytes(t, size);
    *rest = trace_fields_of((struct bytes){p, p != NULL ? size : 0});
    return p != NULL;
}

/* --- the head ------------------------------------------------------------ */

static enum trace_block block_named(struct bytes name)
{
    static const struct {
        const char *name;
        enum trace_block block;
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

static const char fast_magic[] = FAST_SERIALIZATION_HEAD, new_magic[] = "Nettrace";
enum { FAST_MAGIC = sizeof(fast_magic) - 1, NEW_MAGIC = sizeof(new_magic) - 1 };

bool nettrace_recognises(struct bytes head)
{
    if (head.size >= NEW_MAGIC && memcmp(head.data, new_magic, NEW_MAGIC) == 0)
        return true;
    /* The entry distinguishes .netperf from other files of the serialiser. */
    struct bytes entry;
    return fast_serialization_entry(head, &entry) && block_named(entry) == BLOCK_TRACE;
}

/* Reads the head of the serialiser, of which `have` bytes were read. */
static bool read_fast_magic(struct nettrace *t, const unsigned char *begin, size_t have,
                            uint64_t at, const char *what)
{
    bool same = memcmp(begin, fast_magic, have) == 0;
    const unsigned char *rest = read_bytes(t, FAST_MAGIC - have);
    return rest != NULL &&
           ((same && memcmp(rest, fast_magic + have, FAST_MAGIC - have) == 0) ||
            refuse_at(t, at, what));
}

/* Reads everything before the first block. */
static bool read_magic(struct nettrace *t)
{
    enum { LAST_VERSION = 6 };
    const unsigned char *p = read_bytes(t, NEW_MAGIC);
    if (p == NULL)
        return false;
    if (memcmp(p, new_magic, NEW_MAGIC) != 0) {
        t->begin_tag = 4;
        return read_fast_magic(t, p, NEW_MAGIC, 0,
                               "neither Nettrace nor FastSerialization");
    }
    p = read_bytes(t, 4);
    if (p == NULL)
        return false;
    if (le_u32(p) != 0) {
        t->begin_tag = 5;
        return read_fast_magic(t, p, 4, NEW_MAGIC, "no " FAST_SERIALIZATION " here");
    }
    p = read_bytes(t, 8);
    if (p == NULL)
        return false;
    t->header.version = le_u32(p);
    if (t->header.version == LAST_VERSION)
        return true;
    t->end = TRACE_CANNOT_BE_READ;
    return fail(t->err, HD_UNSUPPORTED,
                "a trace of format version %u; heapdrift reads 3, 4, 5 and 6",
                t->header.version);
}

/* --- the first block ----------------------------------------------------- */

/* SYSTEMTIME: year, month, day of the week, day, hour, minute, second, millisecond. */
static double seconds_of(const unsigned char *p)
{
    int f[8];
    for (size_t i = 0; i < 8; i++)
        f[i] = le_u16(p + 2 * i);
    bool valid = f[0] >= 1970 && f[0] < 10000 && f[1] >= 1 && f[1] <= 12 && f[3] >= 1 &&
                 f[3] <= 31 && f[4] < 24 && f[5] < 60 && f[6] <= 60 && f[7] < 1000;
    if (!valid)
        return NAN;
    return (double)calendar_seconds(f[0], f[1], f[3], f[4], f[5], f[6]) + f[7] / 1000.0;
}

/* Date, ticks, frequency, pointer size: 36 bytes in all versions. */
static bool read_header(struct nettrace *t, const unsigned char *p)
{
    struct trace_header *h = &t->header;
    h->sync_time = seconds_of(p);
    h->sync_ticks = le_u64(p + 16);
    h->frequency = le_u64(p + 24);
    h->pointer_size = le_u32(p + 32);
    if (h->pointer_size != 4 && h->pointer_size != 8)
        return refuse_here(t, "pointers have neither 4 nor 8 bytes");
    return h->frequency > 0 || refuse_here(t, "the clock has no frequency");
}

static bool read_old_trace(struct nettrace *t, uint32_t version)
{
    enum { SIZE = 48, PID_AT = 36 };
    t->header.version = version;
    if ((version == 4) != (t->begin_tag == 5) || version == 0 || version > 4)
        return refuse_here(t, "a trace version that does not match its container");
    const unsigned char *p = read_bytes(t, SIZE);
    if (p == NULL || !read_header(t, p))
        return false;
    t->header.pid = le_u32(p + PID_AT);
    t->block = BLOCK_OTHER;
    t->block_end = t->offset;
    return true;
}

/* Finds the process id in pairs of strings, which end with the block. */
static bool read_new_trace(struct nettrace *t)
{
    static const char key[] = "ProcessId";
    enum { SIZE = 40 };
    struct trace_fields f;
    if (t->block_end - t->offset < SIZE)
        return refuse_here(t, "too short for the trace's own block");
    if (!read_rest(t, &f) || !read_header(t, f.at))
        return false;
    uint32_t pairs = le_u32(f.at + SIZE - 4);
    f.at += SIZE;
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
    return !f.failed || refuse_here(t, "the trace's own block is damaged");
}

/* --- blocks -------------------------------------------------------------- */

static bool check_order(struct nettrace *t)
{
    return t->header.pointer_size != 0 || t->block == BLOCK_TRACE ||
           refuse_here(t, "the trace's own block is not the first");
}

enum { NULL_TAG = 1, END_TAG = 6 };

/* B B 01, two versions, name, 06; then a size, and padding to 4 bytes of the file. */
static bool begin_object(struct nettrace *t)
{
    enum { HEAD = 15, LONGEST_NAME = 64 };
    if (*t->next == NULL_TAG) {
        t->end = TRACE_ENDS;
        return false;
    }
    const unsigned char *p = read_bytes(t, HEAD);
    if (p == NULL)
        return false;
    uint32_t version = le_u32(p + 3), len = le_u32(p + 11);
    if (p[0] != t->begin_tag || p[1] != t->begin_tag || p[2] != NULL_TAG || len == 0 ||
        len > LONGEST_NAME)
        return refuse_at(t, t->offset - HEAD, "no block begins here");
    p = read_bytes(t, len + 1);
    if (p == NULL)
        return false;
    if (p[len] != END_TAG)
        return refuse_here(t, "the name of a block is not closed");
    t->block = block_named((struct bytes){p, len});
    t->has_end_tag = true;
    if (t->block == BLOCK_TRACE)
        return read_old_trace(t, version);
    p = read_bytes(t, 4);
    if (p == NULL)
        return false;
    uint64_t start = t->offset + (4 - t->offset % 4) % 4;
    t->block_end = start + le_u32(p);
    return skip_to(t, start) && check_order(t);
}

static bool begin_new_block(struct nettrace *t)
{
    enum { SIZE_BITS = 24 };
    const unsigned char *p = read_bytes(t, 4);
    if (p == NULL)
        return false;
    uint32_t head = le_u32(p), kind = head >> SIZE_BITS;
    t->block = kind < BLOCK_OTHER ? (enum trace_block)kind : BLOCK_OTHER;
    t->block_end = t->offset + (head & ((1U << SIZE_BITS) - 1));
    if (t->block == BLOCK_END) {
        t->end = TRACE_ENDS;
        return false;
    }
    return check_order(t) && (t->block != BLOCK_TRACE || read_new_trace(t));
}

/* Advances to the next block; the first, which describes the trace, is read. False at the
 * end, and t->end has the reason. */
static bool next_block(struct nettrace *t)
{
    if ((t->offset == 0 && !read_magic(t)) || !skip_to(t, t->block_end))
        return false;
    if (t->has_end_tag) {
        if (peek(t, 1) == 0)
            return is_cut(t, TRACE_LACKS_END);
        if (*read_bytes(t, 1) != END_TAG)
            return refuse_here(t, "a block is not closed");
        t->has_end_tag = false;
    }
    if (peek(t, 1) == 0)
        return is_cut(t, TRACE_LACKS_END);
    return t->header.version >= 6 ? begin_new_block(t) : begin_object(t);
}

/* --- metadata ------------------------------------------------------------ */

static const struct {
    const char *name;
    enum trace_provider provider;
} providers[] = {
    {"Microsoft-Windows-DotNETRuntime", TRACE_RUNTIME},
    {"Microsoft-Windows-DotNETRuntimeRundown", TRACE_RUNDOWN},
    {"Microsoft-DotNETCore-EventPipe", TRACE_EVENTPIPE},
    {OUR_EVENT_PROVIDER, TRACE_HEAPDRIFT},
};

/* width is 1 for UTF-8, 2 for UTF-16; all names are ASCII. */
static enum trace_provider provider_of(struct bytes name, size_t width)
{
    for (size_t i = 0; i < sizeof(providers) / sizeof(providers[0]); i++) {
        size_t len = strlen(providers[i].name), same = 0;
        if (name.size != width * len)
            continue;
        while (same < len &&
               name.data[width * same] == (unsigned char)providers[i].name[same] &&
               (width == 1 || name.data[width * same + 1] == 0))
            same++;
        if (same == len)
            return providers[i].provider;
    }
    return TRACE_OTHER;
}

/* Parses the payload of a metadata row of versions 3 to 5: the id that it defines. False if
 * it is too short; the bytes after the version are not needed. */
static bool trace_meta_parse(struct trace_fields *f, uint32_t *number,
                             struct trace_meta *meta)
{
    *number = trace_field_u32(f);
    *meta = (struct trace_meta){.provider = provider_of(trace_wide(f), 2)};
    meta->id = trace_field_u32(f);
    trace_wide(f);
    trace_field_u64(f); /* keywords */
    meta->version = trace_field_u32(f);
    trace_field_u32(f); /* level */
    return !f->failed;
}

/* Finds the version in the options of a record of version 6. */
static uint32_t find_version(struct trace_fields f)
{
    enum { VERSION = 9 };
    static const struct {
        unsigned char bytes, strings; /* that follow the number of an option */
    } options[] = {
        [1] = {1, 0},  /* opcode */
        [3] = {8, 0},  /* keywords */
        [4] = {0, 1},  /* template */
        [5] = {0, 1},  /* text */
        [6] = {0, 2},  /* pair */
        [7] = {16, 0}, /* GUID */
        [8] = {1, 0},  /* level */
        [VERSION] = {1, 0},
    };
    uint32_t version = 0;
    while (f.at < f.end && !f.failed) {
        unsigned option = trace_field_u8(&f);
        if (option > VERSION || (options[option].bytes | options[option].strings) == 0)
            break;
        struct bytes value = trace_field_bytes(&f, options[option].bytes);
        for (unsigned i = 0; i < options[option].strings; i++)
            trace_string(&f);
        if (option == VERSION)
            version = f.failed ? 0 : value.data[0];
    }
    return version;
}

/* The same for a record of version 6. */
static bool trace_meta_parse_new(struct trace_fields *f, uint32_t *number,
                                 struct trace_meta *meta)
{
    *number = (uint32_t)trace_varuint(f, 32);
    *meta = (struct trace_meta){.provider = provider_of(trace_string(f), 1)};
    meta->id = (uint32_t)trace_varuint(f, 32);
    trace_string(f);
    for (uint32_t fields = trace_field_u16(f); fields > 0 && !f->failed; fields--)
        trace_field_bytes(f, trace_field_u16(f));
    if (f->at < f->end && !f->failed)
        meta->version =
            find_version(trace_fields_of(trace_field_bytes(f, trace_field_u16(f))));
    return !f->failed;
}

static void define_meta(struct nettrace *t, uint32_t number, struct trace_meta meta)
{
    size_t before = t->metas.len;
    uint32_t n = id_numbers_add(&t->metas, number);
    if (n == before)
        t->meta = account_grow(t->account, t->meta, before, &t->meta_cap, sizeof(*t->meta));
    t->meta[n] = meta;
    t->last_definition = number > t->last_definition ? number : t->last_definition;
}

static bool read_old_metadata(struct nettrace *t)
{
    struct bytes payload;
    if (!nettrace_payload(t, &payload))
        return false;
    struct trace_fields f = trace_fields_of(payload);
    uint32_t number = 0;
    struct trace_meta meta;
    if (!trace_meta_parse(&f, &number, &meta))
        return refuse_at(t, t->at.at, "a metadata record that is too short");
    define_meta(t, number, meta);
    return true;
}

static bool read_new_metadata(struct nettrace *t)
{
    struct trace_fields all;
    if (!read_rest(t, &all))
        return false;
    trace_field_bytes(&all, trace_field_u16(&all));
    while (all.at < all.end && !all.failed) {
        struct trace_fields f =
            trace_fields_of(trace_field_bytes(&all, trace_field_u16(&all)));
        uint32_t number = 0;
        struct trace_meta meta;
        if (!trace_meta_parse_new(&f, &number, &meta))
            return refuse_here(t, "a metadata record that is too short");
        define_meta(t, number, meta);
        if (!check_tables(t))
            return false;
    }
    return !all.failed || refuse_here(t, "metadata longer than its block");
}

/* --- threads and losses -------------------------------------------------- */

/* Every thread numbers its events, so a gap between two is a loss; if no event follows, a
 * sequence point has the last number that a thread has used. */

static struct trace_thread *thread_of(struct nettrace *t, uint64_t id)
{
    size_t known = t->thread_ids.len;
    if (known > 0 && t->thread_ids.ids[t->last_thread] == id)
        return &t->threads[t->last_thread];
    t->last_thread = id_numbers_add(&t->thread_ids, id);
    if (t->last_thread == known) {
        t->threads = account_grow(t->account, t->threads, known, &t->thread_cap,
                                  sizeof(*t->threads));
        t->threads[known] = (struct trace_thread){.pid = HD_UNKNOWN};
    }
    return &t->threads[t->last_thread];
}

static void add_loss(struct nettrace *t, uint64_t from, uint64_t to, uint32_t events)
{
    struct trace_loss *last = t->loss_count > 0 ? &t->losses[t->loss_count - 1] : NULL;
    if (last != NULL && last->from == from && last->to == to) {
        last->events += events;
        return;
    }
    *ACCOUNT_APPEND(t->account, t->losses, t->loss_count, t->loss_cap) =
        (struct trace_loss){from, to, events};
}

/* A thread has used a number; an event itself is not lost, the numbers that a sequence
 * point adds are. Numbers wrap at 2^32. A thread id that the system has reused starts
 * again, so a step back is not a loss. Returns the process of the thread, or HD_UNKNOWN. */
static uint64_t note_sequence(struct nettrace *t, uint64_t id, uint32_t sequence,
                              uint64_t time, bool is_event)
{
    enum { STEP_BACK = 31 };
    struct trace_thread *thread = thread_of(t, id);
    uint32_t step = sequence - thread->sequence;
    bool restarted = step == 0 || step >> STEP_BACK != 0;
    if (thread->seen && restarted && !is_event)
        return thread->pid;
    if (thread->seen && !restarted && thread->sequence != 0 && step > is_event)
        add_loss(t, thread->time, time, step - is_event);
    thread->seen = true;
    thread->sequence = sequence;
    thread->time = time;
    return thread->pid;
}

/* --- stacks --------------------------------------------------------------- */

/* An id needs up to 48 bytes in tables that double, also if its stack is empty. */
static void keep_stack(struct nettrace *t, uint32_t id, struct bytes frames)
{
    enum { PER_STACK = 48, FIRST = 64 * 1024 };
    size_t size = frames.size - frames.size % t->header.pointer_size;
    size_t left = t->most_of_stacks - t->stacks_kept, before = t->stack_ids.len;
    if (left < PER_STACK || left - PER_STACK < size)
        return;
    t->stacks_kept += size + PER_STACK;
    uint32_t n = id_numbers_add(&t->stack_ids, id);
    if (n == before)
        t->stacks =
            account_grow(t->account, t->stacks, before, &t->stack_cap, sizeof(*t->stacks));
    t->frames = reserve(t, t->frames, &t->frame_cap, t->frame_len + size, FIRST);
    memcpy(t->frames + t->frame_len, frames.data, size);
    t->stacks[n] = (struct trace_stack){t->frame_len, size};
    t->frame_len += size;
}

static void forget_stacks(struct nettrace *t)
{
    id_numbers_free(&t->stack_ids);
    t->stacks_kept = t->frame_len = 0;
}

/* u32 first id, u32 count, and per stack u32 size and addresses: the same in versions 4 and
 * 6. An id is valid until the next sequence point. */
static bool read_stacks(struct nettrace *t)
{
    struct trace_fields f;
    if (!read_rest(t, &f))
        return false;
    uint32_t id = trace_field_u32(&f), count = trace_field_u32(&f);
    for (; count > 0 && !f.failed; count--, id++) {
        struct bytes frames = trace_field_bytes(&f, trace_field_u32(&f));
        if (!f.failed)
            keep_stack(t, id, frames);
    }
    return !f.failed || refuse_here(t, "a stack crosses the end of its block");
}

struct bytes nettrace_stack(const struct nettrace *t)
{
    static const unsigned char nothing[1] = {0};
    uint32_t n = id_numbers_find(&t->stack_ids, t->row.stack);
    if (n == NO_ID || t->stacks[n].size == 0)
        return (struct bytes){nothing, 0};
    return (struct bytes){t->frames + t->stacks[n].at, t->stacks[n].size};
}

static bool read_sequence_point(struct nettrace *t)
{
    enum { FLUSH_METADATA = 2 };
    bool is_new = t->header.version >= 6;
    struct trace_fields f;
    if (!read_rest(t, &f))
        return false;
    uint64_t time = trace_field_u64(&f);
    uint32_t flags = is_new ? trace_field_u32(&f) : 0, count = trace_field_u32(&f);
    for (uint32_t i = 0; i < count && !f.failed && !account_is_over(t->account); i++) {
        uint64_t id = is_new ? trace_varuint(&f, 64) : trace_field_u64(&f);
        uint32_t sequence = is_new ? (uint32_t)trace_varuint(&f, 32) : trace_field_u32(&f);
        if (!f.failed)
            note_sequence(t, id, sequence, time, false);
    }
    if (!check_tables(t))
        return false;
    if (f.failed)
        return refuse_here(t, "a sequence point longer than its block");
    if (flags & FLUSH_METADATA)
        id_numbers_free(&t->metas);
    forget_stacks(t);
    return true;
}

/* Version 6: the index of a thread, then elements; one is the process. */
static bool read_thread_records(struct nettrace *t)
{
    enum { NAME = 1, PROCESS, THREAD, PAIR };
    struct trace_fields all;
    if (!read_rest(t, &all))
        return false;
    while (all.at < all.end && check_tables(t)) {
        struct trace_fields f =
            trace_fields_of(trace_field_bytes(&all, trace_field_u16(&all)));
        uint64_t index = trace_varuint(&f, 64);
        if (f.failed)
            return refuse_here(t, "a thread's record is damaged");
        struct trace_thread *thread = thread_of(t, index);
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
    return check_tables(t);
}

/* --- rows ---------------------------------------------------------------- */

/* Reads the next head; r is the one before and becomes this one. f fails if it is short.
 * is_new: version 6. */
static void trace_row_compressed(struct trace_fields *f, struct trace_row *r, bool is_new)
{
    enum { METADATA = 1, CAPTURE = 2, THREAD = 4, STACK = 8, ACTIVITY = 16, RELATED = 32 };
    enum { SIZE = 128, GUID = 16 };
    unsigned flags = trace_field_u8(f);
    if (flags & METADATA)
        r->metadata = (uint32_t)trace_varuint(f, 32);
    if (flags & CAPTURE) {
        r->sequence += (uint32_t)trace_varuint(f, 32) + 1;
        r->thread = trace_varuint(f, 64);
        trace_varuint(f, 32); /* processor */
    } else if (r->metadata != 0) {
        r->sequence++;
    }
    if (flags & THREAD)
        trace_varuint(f, 64); /* of the event */
    if (flags & STACK)
        r->stack = (uint32_t)trace_varuint(f, 32);
    r->time += trace_varuint(f, 64);
    if (flags & ACTIVITY && is_new)
        trace_varuint(f, 32); /* labels */
    else if (flags & ACTIVITY)
        trace_field_bytes(f, GUID);
    if (flags & RELATED && !is_new)
        trace_field_bytes(f, GUID);
    if (flags & SIZE)
        r->size = (uint32_t)trace_varuint(f, 32);
}

/* The same for the fixed layout; returns the distance to the next row. */
static uint64_t trace_row_plain(struct trace_fields *f, struct trace_row *r,
                                unsigned version)
{
    enum { GUIDS = 32, THREAD = 8, LABELS = 4 };
    const uint32_t not_sorted = UINT32_C(1) << 31;
    uint64_t end = 4 + (uint64_t)trace_field_u32(f);
    r->metadata = trace_field_u32(f) & ~not_sorted;
    if (version <= 3) {
        r->thread = trace_field_u32(f);
    } else {
        r->sequence = trace_field_u32(f);
        trace_field_bytes(f, THREAD); /* of the event */
        r->thread = trace_field_u64(f);
        trace_field_u32(f); /* processor */
        r->stack = trace_field_u32(f);
    }
    r->time = trace_field_u64(f);
    trace_field_bytes(f, version >= 6 ? LABELS : GUIDS);
    r->size = trace_field_u32(f);
    return end;
}

/* Reads the head of the next row; the payload follows. */
static bool read_event_row(struct nettrace *t)
{
    enum { LONGEST = 96 }; /* no head is longer, compressed or not */
    uint64_t start = t->offset, left = t->block_end - start;
    size_t wanted = left < LONGEST ? (size_t)left : LONGEST, most = peek(t, wanted);
    if (t->failed)
        return is_cut(t, TRACE_CUT);
    struct trace_fields f = trace_fields_of((struct bytes){t->next, most});
    uint64_t end = 0;
    struct trace_row row = t->row;
    if (t->is_compressed)
        trace_row_compressed(&f, &row, t->header.version >= 6);
    else
        end = trace_row_plain(&f, &row, t->header.version);
    if (f.failed && most < wanted)
        return is_cut(t, TRACE_CUT);
    if (f.failed)
        return refuse_here(t, "an event's header crosses the end of its block");
    uint64_t header = (uint64_t)(f.at - t->next);
    if (t->is_compressed)
        end = header + row.size;
    if (header + row.size > end || end > left)
        return refuse_here(t, "an event crosses the end of its block");
    t->row = row;
    t->row_end = start + end;
    t->offset += header;
    t->next = f.at;
    t->payload_end = t->offset + row.size;
    t->at.at = t->offset;
    t->at.size = row.size;
    return true;
}

/* Size and flags of the head of a block of rows; two times that follow are not needed. */
static bool read_rows_head(struct nettrace *t)
{
    t->row = (struct trace_row){0};
    t->row_end = 0;
    t->is_compressed = false;
    if (t->header.version <= 3)
        return true;
    uint64_t start = t->offset;
    if (t->block_end - start < 4)
        return refuse_here(t, "a block too short for its header");
    const unsigned char *p = read_bytes(t, 4);
    if (p == NULL)
        return false;
    uint64_t size = le_u16(p);
    t->is_compressed = le_u16(p + 2) & 1;
    if (size < 4 || size > t->block_end - start)
        return refuse_here(t, "a block's header is longer than the block");
    return skip_to(t, start + size);
}

static bool has_rows(const struct nettrace *t)
{
    return t->block == BLOCK_EVENTS ||
           (t->block == BLOCK_METADATA && t->header.version < 6);
}

/* Reads everything except rows. */
static bool read_block(struct nettrace *t)
{
    if (has_rows(t))
        return read_rows_head(t);
    if (t->block == BLOCK_METADATA)
        return read_new_metadata(t);
    if (t->block == BLOCK_SEQUENCE_POINT)
        return read_sequence_point(t);
    if (t->block == BLOCK_STACKS && t->most_of_stacks > 0)
        return read_stacks(t);
    return t->block != BLOCK_THREADS || read_thread_records(t);
}

/* --- events -------------------------------------------------------------- */

bool nettrace_payload(struct nettrace *t, struct bytes *payload)
{
    if (t->payload_end > 0) {
        t->payload = (struct bytes){read_bytes(t, t->at.size), t->at.size};
        t->payload_end = 0;
    }
    *payload = t->payload;
    return payload->data != NULL;
}

bool nettrace_next(struct nettrace *t, struct trace_event *event)
{
    while (t->end == TRACE_GOES_ON && check_tables(t)) {
        if (!skip_to(t, t->payload_end))
            break;
        t->payload_end = 0;
        t->payload = (struct bytes){0};
        if (!has_rows(t) || t->offset >= t->block_end) {
            if (next_block(t))
                read_block(t);
            continue;
        }
        /* The size of rows of fixed layout includes padding. */
        uint64_t row_end = t->row_end;
        t->row_end = 0;
        if (!skip_to(t, row_end) || t->offset >= t->block_end || !read_event_row(t))
            continue;
        const struct trace_row *r = &t->row;
        if (r->metadata == 0 || t->block == BLOCK_METADATA) {
            read_old_metadata(t);
            continue;
        }
        uint32_t n = id_numbers_find(&t->metas, r->metadata);
        struct trace_meta meta = n != NO_ID ? t->meta[n] : (struct trace_meta){0};
        uint64_t pid = HD_UNKNOWN;
        if (t->header.version >= 4)
            pid = note_sequence(t, r->thread, r->sequence, r->time, true);
        t->at.provider = meta.provider;
        t->at.id = meta.id;
        t->at.version = meta.version;
        t->at.time = r->time;
        t->at.thread = r->thread;
        t->at.pid = pid != HD_UNKNOWN ? pid : t->header.pid;
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

uint32_t nettrace_last_definition(const struct nettrace *t)
{
    return t->last_definition;
}

const struct trace_loss *nettrace_losses(const struct nettrace *t, size_t *count)
{
    *count = t->loss_count;
    return t->losses;
}

/* --- values -------------------------------------------------------------- */

static const unsigned char *take_field(struct trace_fields *f, size_t size)
{
    if (f->failed || size > (size_t)(f->end - f->at)) {
        f->failed = true;
        return NULL;
    }
    const unsigned char *p = f->at;
    f->at += size;
    return p;
}

uint8_t trace_field_u8(struct trace_fields *f)
{
    const unsigned char *p = take_field(f, 1);
    return p != NULL ? p[0] : 0;
}

uint16_t trace_field_u16(struct trace_fields *f)
{
    const unsigned char *p = take_field(f, 2);
    return p != NULL ? le_u16(p) : 0;
}

uint32_t trace_field_u32(struct trace_fields *f)
{
    const unsigned char *p = take_field(f, 4);
    return p != NULL ? le_u32(p) : 0;
}

uint64_t trace_field_u64(struct trace_fields *f)
{
    const unsigned char *p = take_field(f, 8);
    return p != NULL ? le_u64(p) : 0;
}

struct bytes trace_field_bytes(struct trace_fields *f, size_t size)
{
    static const unsigned char nothing[1] = {0};
    const unsigned char *p = take_field(f, size);
    return p != NULL ? (struct bytes){p, size} : (struct bytes){nothing, 0};
}

uint64_t trace_varuint(struct trace_fields *f, unsigned bits)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned byte = trace_field_u8(f);
        if (shift >= bits) {
            f->failed = true;
            return 0;
        }
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

struct bytes trace_string(struct trace_fields *f)
{
    uint64_t len = trace_varuint(f, 32);
    return trace_field_bytes(f, len <= SIZE_MAX ? (size_t)len : SIZE_MAX);
}

struct bytes trace_wide(struct trace_fields *f)
{
    const unsigned char *start = f->at;
    while (!f->failed && trace_field_u16(f) != 0)
        continue;
    if (f->failed)
        return trace_field_bytes(f, 0);
    return (struct bytes){start, (size_t)(f->at - start) - 2};
}

void trace_wide_text(struct text *t, struct bytes wide)
{
    text_add_utf16(t, wide.data, wide.size / 2, UTF16_LITTLE);
}
