#include "trace/trace_blocks.h"

#include "base/calendar.h"
#include "base/error.h"
#include "base/fast_serialization.h"

#include <math.h>
#include <string.h>

static const char fast_magic[] = FAST_SERIALIZATION_HEAD, new_magic[] = "Nettrace";
enum { FAST_MAGIC = sizeof(fast_magic) - 1, NEW_MAGIC = sizeof(new_magic) - 1 };

struct trace_blocks trace_blocks_begin(struct input *in, struct hd_error *err)
{
    return (struct trace_blocks){
        .bytes = trace_bytes_begin(in, err),
        .err = err,
        .header = {.pid = HD_UNKNOWN, .frequency = 1, .sync_time = NAN}};
}

void trace_blocks_free(struct trace_blocks *b)
{
    trace_bytes_free(&b->bytes);
}

/* --- failing ------------------------------------------------------------- */

bool trace_blocks_refuse_at(struct trace_blocks *b, uint64_t at, const char *what)
{
    fail_at_byte(b->err, at, "%s", what);
    b->end = TRACE_CANNOT_BE_READ;
    return false;
}

bool trace_blocks_refuse(struct trace_blocks *b, const char *what)
{
    return trace_blocks_refuse_at(b, b->bytes.at, what);
}

bool trace_blocks_cut(struct trace_blocks *b, enum trace_end how)
{
    b->end = b->bytes.failed ? TRACE_CANNOT_BE_READ : how;
    return false;
}

const unsigned char *trace_blocks_read(struct trace_blocks *b, size_t size)
{
    if (b->most > 0 && size > b->most) {
        trace_blocks_refuse(b, "larger than anything a runtime sends");
        return NULL;
    }
    const unsigned char *p = trace_bytes_read(&b->bytes, size);
    if (p == NULL)
        trace_blocks_cut(b, TRACE_CUT);
    return p;
}

bool trace_blocks_skip_to(struct trace_blocks *b, uint64_t end)
{
    return trace_bytes_skip(&b->bytes, end - b->bytes.at) || trace_blocks_cut(b, TRACE_CUT);
}

bool trace_blocks_rest(struct trace_blocks *b, struct trace_fields *rest)
{
    uint64_t size = b->block_end - b->bytes.at;
    const unsigned char *p = trace_blocks_read(b, (size_t)size);
    if (p == NULL)
        return false;
    *rest = (struct trace_fields){p, p + size, false};
    return true;
}

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

/* --- the head ------------------------------------------------------------ */

bool nettrace_recognises(struct bytes head)
{
    if (head.size >= NEW_MAGIC && memcmp(head.data, new_magic, NEW_MAGIC) == 0)
        return true;
    /* Which tells .netperf from other files of the serialiser. */
    struct bytes entry;
    return fast_serialization_entry(head, &entry) && block_named(entry) == BLOCK_TRACE;
}

/* Everything before the first block. */
static bool read_magic(struct trace_blocks *b)
{
    enum { LAST_VERSION = 6 };
    const unsigned char *p = trace_blocks_read(b, NEW_MAGIC);
    if (p == NULL)
        return false;
    if (memcmp(p, new_magic, NEW_MAGIC) != 0) {
        b->begin_tag = 4;
        bool fast = memcmp(p, fast_magic, NEW_MAGIC) == 0;
        p = trace_blocks_read(b, FAST_MAGIC - NEW_MAGIC);
        return p != NULL &&
               ((fast && memcmp(p, fast_magic + NEW_MAGIC, FAST_MAGIC - NEW_MAGIC) == 0) ||
                trace_blocks_refuse_at(b, 0, "neither Nettrace nor FastSerialization"));
    }
    p = trace_blocks_read(b, 4);
    if (p == NULL)
        return false;
    if (le_u32(p) != 0) {
        b->begin_tag = 5;
        bool fast = memcmp(p, fast_magic, 4) == 0;
        p = trace_blocks_read(b, FAST_MAGIC - 4);
        return p != NULL &&
               ((fast && memcmp(p, fast_magic + 4, FAST_MAGIC - 4) == 0) ||
                trace_blocks_refuse_at(b, NEW_MAGIC, "no " FAST_SERIALIZATION " here"));
    }
    p = trace_blocks_read(b, 8);
    if (p == NULL)
        return false;
    b->header.version = le_u32(p);
    if (b->header.version == LAST_VERSION)
        return true;
    fail(b->err, HD_UNSUPPORTED,
         "a trace of format version %u; heapdrift reads 3, 4, 5 and 6", b->header.version);
    b->end = TRACE_CANNOT_BE_READ;
    return false;
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
static bool read_header(struct trace_blocks *b, const unsigned char *p)
{
    struct trace_header *h = &b->header;
    h->sync_time = seconds_of(p);
    h->sync_ticks = le_u64(p + 16);
    h->frequency = le_u64(p + 24);
    h->pointer_size = le_u32(p + 32);
    if (h->pointer_size != 4 && h->pointer_size != 8)
        return trace_blocks_refuse(b, "pointers have neither 4 nor 8 bytes");
    return h->frequency > 0 || trace_blocks_refuse(b, "the clock has no frequency");
}

static bool read_old_trace(struct trace_blocks *b, uint32_t version)
{
    enum { SIZE = 48, PID_AT = 36 };
    b->header.version = version;
    if ((version == 4) != (b->begin_tag == 5) || version == 0 || version > 4)
        return trace_blocks_refuse(b, "a trace version that does not match its container");
    const unsigned char *p = trace_blocks_read(b, SIZE);
    if (p == NULL || !read_header(b, p))
        return false;
    b->header.pid = le_u32(p + PID_AT);
    b->block = BLOCK_OTHER;
    b->block_end = b->bytes.at;
    return true;
}

/* The process id among pairs of strings, which end with the block. */
static bool read_new_trace(struct trace_blocks *b)
{
    static const char key[] = "ProcessId";
    enum { SIZE = 40 };
    struct trace_fields f;
    if (b->block_end - b->bytes.at < SIZE)
        return trace_blocks_refuse(b, "too short for the trace's own block");
    if (!trace_blocks_rest(b, &f) || !read_header(b, f.at))
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
            b->header.pid = pid;
    }
    return !f.failed || trace_blocks_refuse(b, "the trace's own block is damaged");
}

/* --- blocks -------------------------------------------------------------- */

static bool check_order(struct trace_blocks *b)
{
    return b->header.pointer_size != 0 || b->block == BLOCK_TRACE ||
           trace_blocks_refuse(b, "the trace's own block is not the first");
}

/* B B 01, two versions, name, 06; then a size, and padding to 4 bytes of the file. */
static bool begin_object(struct trace_blocks *b)
{
    enum { NULL_TAG = 1, END_TAG = 6, HEAD = 15, LONGEST_NAME = 64 };
    size_t got;
    const unsigned char *p = trace_bytes_peek(&b->bytes, 1, &got);
    if (got == 0)
        return trace_blocks_cut(b, TRACE_LACKS_END);
    if (p[0] == NULL_TAG) {
        b->end = TRACE_ENDS;
        return false;
    }
    p = trace_blocks_read(b, HEAD);
    if (p == NULL)
        return false;
    uint32_t version = le_u32(p + 3), len = le_u32(p + 11);
    if (p[0] != b->begin_tag || p[1] != b->begin_tag || p[2] != NULL_TAG || len == 0 ||
        len > LONGEST_NAME)
        return trace_blocks_refuse_at(b, b->bytes.at - HEAD, "no block begins here");
    p = trace_blocks_read(b, len + 1);
    if (p == NULL)
        return false;
    if (p[len] != END_TAG)
        return trace_blocks_refuse(b, "the name of a block is not closed");
    b->block = block_named((struct bytes){p, len});
    b->has_end_tag = true;
    if (b->block == BLOCK_TRACE)
        return read_old_trace(b, version);
    p = trace_blocks_read(b, 4);
    if (p == NULL)
        return false;
    uint64_t start = b->bytes.at + (4 - b->bytes.at % 4) % 4;
    b->block_end = start + le_u32(p);
    return trace_blocks_skip_to(b, start) && check_order(b);
}

static bool begin_new_block(struct trace_blocks *b)
{
    enum { SIZE_BITS = 24 };
    size_t got;
    trace_bytes_peek(&b->bytes, 1, &got);
    if (got == 0)
        return trace_blocks_cut(b, TRACE_LACKS_END);
    const unsigned char *p = trace_blocks_read(b, 4);
    if (p == NULL)
        return false;
    uint32_t head = le_u32(p), kind = head >> SIZE_BITS;
    b->block = kind < BLOCK_OTHER ? (enum trace_block)kind : BLOCK_OTHER;
    b->block_end = b->bytes.at + (head & ((1U << SIZE_BITS) - 1));
    b->has_end_tag = false;
    if (b->block == BLOCK_END) {
        b->end = TRACE_ENDS;
        return false;
    }
    return check_order(b) && (b->block != BLOCK_TRACE || read_new_trace(b));
}

bool trace_blocks_next(struct trace_blocks *b)
{
    enum { END_TAG = 6 };
    if (b->bytes.at == 0 && !read_magic(b))
        return false;
    if (b->bytes.at < b->block_end && !trace_blocks_skip_to(b, b->block_end))
        return false;
    if (b->has_end_tag) {
        const unsigned char *tag = trace_bytes_read(&b->bytes, 1);
        if (tag == NULL)
            return trace_blocks_cut(b, TRACE_LACKS_END);
        if (*tag != END_TAG)
            return trace_blocks_refuse(b, "a block is not closed");
        b->has_end_tag = false;
    }
    return b->header.version >= 6 ? begin_new_block(b) : begin_object(b);
}
