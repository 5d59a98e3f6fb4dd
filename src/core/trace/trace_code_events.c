#include "trace/trace_code_events.h"

/* The rundown lists methods at the beginning (143) or the end (144) of a session. Only at
 * the end the map precedes the method. */
static const struct {
    enum trace_provider provider;
    uint32_t id;
    enum trace_code_event kind;
} kinds[] = {
    {TRACE_RUNDOWN, 144, CODE_METHOD},    {TRACE_RUNDOWN, 143, CODE_METHOD},
    {TRACE_RUNTIME, 143, CODE_METHOD},    {TRACE_RUNTIME, 144, CODE_GONE},
    {TRACE_RUNDOWN, 154, CODE_MODULE},    {TRACE_RUNDOWN, 153, CODE_MODULE},
    {TRACE_RUNTIME, 152, CODE_MODULE},    {TRACE_RUNDOWN, 150, CODE_MAP_BEFORE},
    {TRACE_RUNDOWN, 149, CODE_MAP_AFTER}, {TRACE_RUNTIME, 190, CODE_MAP_AFTER},
};

enum trace_code_event trace_code_event_kind(const struct trace_event *e)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].id == e->id && kinds[i].provider == e->provider)
            return kinds[i].kind;
    return CODE_OTHER;
}

bool code_method_parse(struct bytes payload, struct code_method *m)
{
    struct trace_fields f = trace_fields_of(payload);
    m->id = trace_field_u64(&f);
    m->module = trace_field_u64(&f);
    m->start = trace_field_u64(&f);
    m->size = trace_field_u32(&f);
    m->token = trace_field_u32(&f);
    trace_field_u32(&f); /* flags */
    m->type = trace_wide(&f);
    m->name = trace_wide(&f);
    return !f.failed;
}

bool code_module_parse(struct bytes payload, struct code_module *m)
{
    struct trace_fields f = trace_fields_of(payload);
    m->id = trace_field_u64(&f);
    trace_field_u64(&f); /* assembly */
    trace_field_u64(&f); /* flags, reserved */
    m->path = trace_wide(&f);
    return !f.failed;
}

bool code_map_parse(struct bytes payload, struct code_map *m)
{
    struct trace_fields f = trace_fields_of(payload);
    m->method = trace_field_u64(&f);
    trace_field_u64(&f); /* of a method that was rejitted */
    trace_field_u8(&f);
    m->count = trace_field_u16(&f);
    m->il = trace_field_bytes(&f, 4 * (size_t)m->count).data;
    m->native = trace_field_bytes(&f, 4 * (size_t)m->count).data;
    return !f.failed;
}

/* In IL; others are of no instruction: -3 to -1. */
enum { LARGEST_OFFSET = INT32_MAX };

/* Pairs are in any order, but epilogues follow instructions: where a return and an epilogue
 * share an offset, the code from there on is the epilogue's. */
uint32_t code_map_find(const struct code_map *m, uint32_t native)
{
    const uint32_t prologue = UINT32_MAX - 1, epilogue = UINT32_MAX - 2;
    uint32_t found = CODE_NO_OFFSET, best = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t at = le_u32(m->native + 4 * (size_t)i), il = le_u32(m->il + 4 * (size_t)i);
        bool ends = il == epilogue;
        if (at == 0 && il == prologue)
            il = 0;
        if (at > native || at < best || (il > LARGEST_OFFSET && !ends))
            continue;
        best = at;
        found = ends ? CODE_NO_OFFSET : il;
    }
    return found;
}

uint32_t code_map_next(const struct code_map *m, uint32_t il)
{
    uint32_t next = CODE_NO_OFFSET;
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t other = le_u32(m->il + 4 * (size_t)i);
        if (other > il && other < next && other <= LARGEST_OFFSET)
            next = other;
    }
    return next;
}
