/* The events of a trace: rows of its blocks, and what their ids stand for. The container is
 * trace_blocks.h's, threads and losses trace_threads.h's. Layouts:
 * docs/formats/nettrace.md.
 */
#include "trace/nettrace.h"

#include "base/alloc.h"
#include "base/c_locale.h"
#include "trace/told_event.h"
#include "trace/trace_blocks.h"
#include "trace/trace_bytes.h"
#include "trace/trace_threads.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- rows of blocks ------------------------------------------------------------ */

/* The heads of events in a trace, and what their ids stand for.
 *
 * Pure decoding: a head comes from a few bytes and the head before it, a definition from
 * its record. Whose bytes these are, and what is wrong if they are short, is nettrace.c's.
 */

/* A row's header; what a row leaves out is that of the row before. */
struct trace_row {
    uint32_t metadata, sequence, processor, stack, labels, size;
    uint64_t capture_thread, thread, time;
};

/* No head is longer, compressed or not. */
enum { TRACE_ROW_LONGEST = 96 };

/* What a metadata record says about the events that refer to it. */
struct trace_meta {
    enum trace_provider provider;
    uint32_t id, version;
};

/* --- rows ---------------------------------------------------------------------- */

enum { GUIDS = 32 };
#define NOT_SORTED (UINT32_C(1) << 31)

/* Take the next head; r is the one before and becomes this one. f fails if it is short.
 * is_new: of version 6. */
static void trace_row_compressed(struct trace_fields *f, struct trace_row *r, bool is_new)
{
    enum { METADATA = 1, CAPTURE = 2, THREAD = 4, STACK = 8, ACTIVITY = 16, RELATED = 32 };
    enum { SIZE = 128, GUID = 16 };
    unsigned flags = trace_field_u8(f);
    if (flags & METADATA)
        r->metadata = (uint32_t)trace_varuint(f, 32);
    if (flags & CAPTURE) {
        r->sequence += (uint32_t)trace_varuint(f, 32) + 1;
        r->capture_thread = trace_varuint(f, 64);
        r->processor = (uint32_t)trace_varuint(f, 32);
    } else if (r->metadata != 0) {
        r->sequence++;
    }
    if (flags & THREAD)
        r->thread = trace_varuint(f, 64);
    if (flags & STACK)
        r->stack = (uint32_t)trace_varuint(f, 32);
    r->time += trace_varuint(f, 64);
    if (flags & ACTIVITY && is_new)
        r->labels = (uint32_t)trace_varuint(f, 32);
    else if (flags & ACTIVITY)
        trace_field_bytes(f, GUID);
    if (flags & RELATED && !is_new)
        trace_field_bytes(f, GUID);
    if (flags & SIZE)
        r->size = (uint32_t)trace_varuint(f, 32);
}

/* The same of fixed layout; the distance to the next row. */
static uint64_t trace_row_plain(struct trace_fields *f, struct trace_row *r,
                                unsigned version)
{
    uint64_t end = 4 + (uint64_t)trace_field_u32(f);
    r->metadata = trace_field_u32(f) & ~NOT_SORTED;
    if (version <= 3) {
        r->capture_thread = r->thread = trace_field_u32(f);
        r->time = trace_field_u64(f);
        trace_field_bytes(f, GUIDS);
    } else {
        r->sequence = trace_field_u32(f);
        r->thread = trace_field_u64(f);
        r->capture_thread = trace_field_u64(f);
        r->processor = trace_field_u32(f);
        r->stack = trace_field_u32(f);
        r->time = trace_field_u64(f);
        trace_field_bytes(f, version >= 6 ? 4 : GUIDS);
    }
    r->size = trace_field_u32(f);
    return end;
}

/* --- metadata ------------------------------------------------------------------ */

static const struct {
    const char *name;
    enum trace_provider provider;
} providers[] = {
    {"Microsoft-Windows-DotNETRuntime", TRACE_RUNTIME},
    {"Microsoft-Windows-DotNETRuntimeRundown", TRACE_RUNDOWN},
    {"Microsoft-DotNETCore-EventPipe", TRACE_EVENTPIPE},
    {TOLD_EVENT_PROVIDER, TRACE_TOLD},
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

/* The payload of a metadata row of versions 3 to 5: the id that it defines. False if it is
 * too short; what follows the version is never needed. */
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

static uint32_t find_version(struct trace_fields *f)
{
    enum { OPCODE = 1, KEYWORDS = 3, TEMPLATE, TEXT, PAIR, GUID, LEVEL, VERSION };
    uint32_t version = 0;
    while (f->at < f->end && !f->failed) {
        switch (trace_field_u8(f)) {
        case OPCODE:
        case LEVEL:
            trace_field_u8(f);
            break;
        case KEYWORDS:
            trace_field_u64(f);
            break;
        case PAIR:
            trace_string(f);
            trace_string(f);
            break;
        case TEMPLATE:
        case TEXT:
            trace_string(f);
            break;
        case GUID:
            trace_field_bytes(f, 16);
            break;
        case VERSION:
            version = trace_field_u8(f);
            break;
        default:
            return version;
        }
    }
    return version;
}

/* The same of a record of version 6. */
static bool trace_meta_parse_new(struct trace_fields *f, uint32_t *number,
                                 struct trace_meta *meta)
{
    *number = (uint32_t)trace_varuint(f, 32);
    *meta = (struct trace_meta){.provider = provider_of(trace_string(f), 1)};
    meta->id = (uint32_t)trace_varuint(f, 32);
    trace_string(f);
    for (uint32_t fields = trace_field_u16(f); fields > 0 && !f->failed; fields--)
        trace_field_bytes(f, trace_field_u16(f));
    if (f->at < f->end && !f->failed) {
        struct bytes more = trace_field_bytes(f, trace_field_u16(f));
        struct trace_fields options = {more.data, more.data + more.size, f->failed};
        meta->version = find_version(&options);
    }
    return !f->failed;
}

/* --- the stream ---------------------------------------------------------------- */

struct nettrace {
    struct trace_blocks in;
    struct trace_threads threads;

    bool is_compressed;    /* rows of this block */
    struct trace_row row;  /* the last one */
    uint64_t row_end;      /* where the next begins; 0 before the first */
    uint64_t payload_end;  /* of the event given last, if it was not taken yet */
    struct trace_event at; /* that event */
    struct bytes payload;  /* its payload, if it was taken */

    struct id_numbers metas;
    struct trace_meta *meta;
    size_t meta_cap;
    uint32_t last_definition;

    struct account own; /* unless somebody else has one */
    struct account *account;
};

struct nettrace *nettrace_begin(struct input *in, struct hd_error *err)
{
    struct nettrace *t = alloc_zeroed(sizeof(*t));
    t->in = trace_blocks_begin(in, err);
    nettrace_charge_to(t, &t->own);
    return t;
}

void nettrace_free(struct nettrace *t)
{
    if (t == NULL)
        return;
    trace_blocks_free(&t->in);
    trace_threads_free(&t->threads);
    id_numbers_free(&t->metas);
    account_free(t->account, t->meta, t->meta_cap, sizeof(*t->meta));
    free(t);
}

bool nettrace_refuse(struct nettrace *t, const char *what, ...)
{
    char text[200];
    va_list args;
    va_start(args, what);
    c_vsnprintf(text, sizeof(text), what, args);
    va_end(args);
    return trace_blocks_refuse_at(&t->in, t->at.at, text);
}

void nettrace_distrust(struct nettrace *t, size_t most)
{
    t->in.most = most;
    t->own.limit = most;
}

void nettrace_charge_to(struct nettrace *t, struct account *account)
{
    t->account = t->in.bytes.account = account;
    t->metas.account = t->threads.ids.account = account;
}

struct account *nettrace_account(struct nettrace *t)
{
    return t->account;
}

/* Tables grow with the bytes that come: 3 of them may be a new thread. */
static bool check_tables(struct nettrace *t)
{
    if (!account_is_over(t->account))
        return true;
    if (t->in.most > 0)
        return trace_blocks_refuse(&t->in,
                                   "more threads, events and losses than any process has");
    t->in.end = TRACE_CANNOT_BE_READ;
    return account_fail(t->account, t->in.err);
}

/* --- metadata ------------------------------------------------------------------ */

static void define(struct nettrace *t, uint32_t number, struct trace_meta meta)
{
    size_t before = t->metas.len;
    uint32_t n = id_numbers_add(&t->metas, number);
    if (n == before)
        t->meta = account_grow(t->account, t->meta, before, &t->meta_cap, sizeof(*t->meta));
    t->meta[n] = meta;
    t->last_definition = number > t->last_definition ? number : t->last_definition;
}

static bool read_old_metadata(struct nettrace *t, struct bytes payload)
{
    struct trace_fields f = {payload.data, payload.data + payload.size, false};
    uint32_t number = 0;
    struct trace_meta meta;
    if (!trace_meta_parse(&f, &number, &meta))
        return trace_blocks_refuse_at(&t->in, t->at.at,
                                      "a metadata record that is too short");
    define(t, number, meta);
    return true;
}

static bool read_new_metadata(struct nettrace *t)
{
    struct trace_fields all;
    if (!trace_blocks_rest(&t->in, &all))
        return false;
    trace_field_bytes(&all, trace_field_u16(&all));
    while (all.at < all.end && !all.failed) {
        struct bytes one = trace_field_bytes(&all, trace_field_u16(&all));
        struct trace_fields f = {one.data, one.data + one.size, all.failed};
        uint32_t number = 0;
        struct trace_meta meta;
        if (!trace_meta_parse_new(&f, &number, &meta))
            return trace_blocks_refuse(&t->in, "a metadata record that is too short");
        define(t, number, meta);
        if (!check_tables(t))
            return false;
    }
    return !all.failed || trace_blocks_refuse(&t->in, "metadata longer than its block");
}

/* --- threads ------------------------------------------------------------------- */

static bool read_sequence_point(struct nettrace *t)
{
    enum { FLUSH_METADATA = 2 };
    bool is_new = t->in.header.version >= 6;
    struct trace_fields f;
    if (!trace_blocks_rest(&t->in, &f))
        return false;
    uint64_t time = trace_field_u64(&f);
    uint32_t flags = is_new ? trace_field_u32(&f) : 0;
    trace_threads_point(&t->threads, &f, time, is_new);
    if (!check_tables(t))
        return false;
    if (f.failed)
        return trace_blocks_refuse(&t->in, "a sequence point longer than its block");
    if (flags & FLUSH_METADATA)
        id_numbers_free(&t->metas);
    return true;
}

static bool read_threads(struct nettrace *t)
{
    struct trace_fields f;
    if (!trace_blocks_rest(&t->in, &f))
        return false;
    bool ok = trace_threads_define(&t->threads, &f);
    if (!check_tables(t))
        return false;
    return ok || trace_blocks_refuse(&t->in, "a thread's record is damaged");
}

/* --- rows ---------------------------------------------------------------------- */

/* The next row's header; the payload follows. */
static bool read_row(struct nettrace *t)
{
    uint64_t start = t->in.bytes.at, left = t->in.block_end - start;
    size_t most = left < TRACE_ROW_LONGEST ? (size_t)left : TRACE_ROW_LONGEST;
    const unsigned char *p = trace_bytes_peek(&t->in.bytes, most, &most);
    if (t->in.bytes.failed)
        return trace_blocks_cut(&t->in, TRACE_CUT);
    struct trace_fields f = {p, p + most, false};
    uint64_t end = 0;
    struct trace_row row = t->row;
    if (t->is_compressed)
        trace_row_compressed(&f, &row, t->in.header.version >= 6);
    else
        end = trace_row_plain(&f, &row, t->in.header.version);
    if (f.failed && most < left && most < TRACE_ROW_LONGEST)
        return trace_blocks_cut(&t->in, TRACE_CUT);
    if (f.failed)
        return trace_blocks_refuse(&t->in,
                                   "an event's header crosses the end of its block");
    uint64_t header = (uint64_t)(f.at - p);
    if (t->is_compressed)
        end = header + row.size;
    if (header + row.size > end || end > left)
        return trace_blocks_refuse(&t->in, "an event crosses the end of its block");
    t->row = row;
    t->row_end = start + end;
    trace_bytes_skip(&t->in.bytes, header);
    t->payload_end = t->in.bytes.at + row.size;
    t->at.at = t->in.bytes.at;
    t->at.size = row.size;
    return true;
}

/* Fill in t->at from the row. */
static void describe(struct nettrace *t)
{
    const struct trace_row *r = &t->row;
    uint32_t n = id_numbers_find(&t->metas, r->metadata);
    struct trace_meta meta = n != NO_ID ? t->meta[n] : (struct trace_meta){0};
    bool has_sequence = t->in.header.version >= 4;
    uint64_t pid = HD_UNKNOWN;
    if (has_sequence) {
        pid = trace_threads_event(&t->threads, r->capture_thread, r->sequence, r->time);
    }
    t->at.provider = meta.provider;
    t->at.id = meta.id;
    t->at.version = meta.version;
    t->at.time = r->time;
    t->at.thread = r->capture_thread;
    t->at.pid = pid != HD_UNKNOWN ? pid : t->in.header.pid;
}

/* Of rows of fixed layout the size counts, which includes what pads them. */
static bool go_to_next_row(struct nettrace *t)
{
    uint64_t end = t->row_end;
    t->row_end = 0;
    return end <= t->in.bytes.at || trace_blocks_skip_to(&t->in, end);
}

/* --- blocks -------------------------------------------------------------------- */

/* Header size, flags, two times. The times are not needed. */
static bool read_event_header(struct nettrace *t)
{
    t->row = (struct trace_row){0};
    t->row_end = 0;
    t->is_compressed = false;
    if (t->in.header.version <= 3)
        return true;
    uint64_t start = t->in.bytes.at;
    const unsigned char *p =
        t->in.block_end - start >= 4 ? trace_blocks_read(&t->in, 4) : NULL;
    if (p == NULL)
        return t->in.end == TRACE_GOES_ON
                   ? trace_blocks_refuse(&t->in, "a block too short for its header")
                   : false;
    uint64_t size = le_u16(p);
    t->is_compressed = le_u16(p + 2) & 1;
    if (size < 4 || size > t->in.block_end - start)
        return trace_blocks_refuse(&t->in, "a block's header is longer than the block");
    return trace_blocks_skip_to(&t->in, start + size);
}

/* Rows are left to be read, everything else is read here. */
static bool read_block(struct nettrace *t)
{
    bool is_new = t->in.header.version >= 6;
    switch (t->in.block) {
    case BLOCK_EVENTS:
        return read_event_header(t);
    case BLOCK_METADATA:
        return is_new ? read_new_metadata(t) : read_event_header(t);
    case BLOCK_SEQUENCE_POINT:
        return read_sequence_point(t);
    case BLOCK_THREADS:
        return read_threads(t);
    case BLOCK_END:
    case BLOCK_TRACE:
    case BLOCK_STACKS:
    case BLOCK_REMOVED_THREADS:
    case BLOCK_LABELS:
    case BLOCK_OTHER:
        break;
    }
    return true;
}

/* --- events -------------------------------------------------------------------- */

bool nettrace_payload(struct nettrace *t, struct bytes *payload)
{
    if (t->payload_end > 0) {
        t->payload = (struct bytes){trace_blocks_read(&t->in, t->at.size), t->at.size};
        t->payload_end = 0;
    }
    *payload = t->payload;
    return payload->data != NULL;
}

static bool has_rows(const struct nettrace *t)
{
    return t->in.block == BLOCK_EVENTS ||
           (t->in.block == BLOCK_METADATA && t->in.header.version < 6);
}

bool nettrace_next(struct nettrace *t, struct trace_event *event)
{
    while (t->in.end == TRACE_GOES_ON && check_tables(t)) {
        if (t->payload_end > t->in.bytes.at &&
            !trace_blocks_skip_to(&t->in, t->payload_end))
            break;
        t->payload_end = 0;
        t->payload = (struct bytes){0};
        if (!has_rows(t) || t->in.bytes.at >= t->in.block_end) {
            if (trace_blocks_next(&t->in))
                read_block(t);
            continue;
        }
        if (!go_to_next_row(t) || t->in.bytes.at >= t->in.block_end || !read_row(t))
            continue;
        if (t->row.metadata == 0 || t->in.block == BLOCK_METADATA) {
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
    return t->in.end;
}

const struct trace_header *nettrace_header(const struct nettrace *t)
{
    return &t->in.header;
}

uint32_t nettrace_last_definition(const struct nettrace *t)
{
    return t->last_definition;
}

const struct trace_loss *nettrace_losses(const struct nettrace *t, size_t *count)
{
    *count = t->threads.loss_count;
    return t->threads.losses;
}
