#include "trace/trace_row.h"

#include "trace/told_event.h"

#include <string.h>

/* --- rows ---------------------------------------------------------------- */

enum { GUIDS = 32 };
#define NOT_SORTED (UINT32_C(1) << 31)

void trace_row_compressed(struct trace_fields *f, struct trace_row *r, bool is_new)
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

uint64_t trace_row_plain(struct trace_fields *f, struct trace_row *r, unsigned version)
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

/* --- metadata ------------------------------------------------------------ */

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

bool trace_meta_parse(struct trace_fields *f, uint32_t *number, struct trace_meta *meta)
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

bool trace_meta_parse_new(struct trace_fields *f, uint32_t *number, struct trace_meta *meta)
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
