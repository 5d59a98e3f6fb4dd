#include "trace/trace_heap_events.h"

#include "trace/nettrace.h"

static const struct {
    enum trace_provider provider;
    uint32_t id;
    enum trace_heap_event kind;
} kinds[] = {
    {TRACE_RUNTIME, 18, EVENT_NODES},        {TRACE_RUNTIME, 19, EVENT_EDGES},
    {TRACE_RUNTIME, 15, EVENT_TYPES},        {TRACE_RUNTIME, 16, EVENT_ROOTS},
    {TRACE_RUNTIME, 17, EVENT_PAIRS},        {TRACE_RUNTIME, 38, EVENT_STATICS},
    {TRACE_RUNTIME, 1, EVENT_GC_START},      {TRACE_RUNTIME, 2, EVENT_GC_END},
    {TRACE_RUNTIME, 23, EVENT_RANGE},        {TRACE_RUNTIME, 36, EVENT_WRAPPERS},
    {TRACE_RUNTIME, 152, EVENT_MODULE},      {TRACE_RUNDOWN, 153, EVENT_MODULE},
    {TRACE_RUNDOWN, 154, EVENT_MODULE},      {TRACE_EVENTPIPE, 1, EVENT_COMMAND},
    {TRACE_TOLD, TOLD_EVENT_ID, EVENT_TOLD}, {TRACE_RUNTIME, 21, EVENT_SURVIVED},
    {TRACE_RUNTIME, 22, EVENT_MOVED},
};

/* Records of an event: pointers and bytes in each. */
static const struct {
    unsigned char pointers, bytes;
    bool is_indexed; /* events of the kind are numbered */
} records[] = {
    [EVENT_TYPES] = {0, 31, false},    [EVENT_NODES] = {1, 24, true},
    [EVENT_EDGES] = {1, 4, true},      [EVENT_ROOTS] = {2, 5, true},
    [EVENT_PAIRS] = {3, 0, true},      [EVENT_STATICS] = {0, 30, false},
    [EVENT_WRAPPERS] = {0, 44, false}, [EVENT_SURVIVED] = {1, 8, true},
    [EVENT_MOVED] = {2, 8, true},
};

enum trace_heap_event trace_movement_kind(const struct trace_event *e)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].id == e->id && kinds[i].provider == e->provider)
            return kinds[i].kind;
    return EVENT_OTHER;
}

enum trace_heap_event trace_heap_event_kind(const struct trace_event *e)
{
    enum trace_heap_event kind = trace_movement_kind(e);
    return kind < EVENT_SURVIVED ? kind : EVENT_OTHER;
}

bool trace_heap_event_is_walk(enum trace_heap_event kind)
{
    return kind >= EVENT_NODES && kind <= EVENT_WRAPPERS;
}

/* --- collections --------------------------------------------------------- */

bool gc_start_parse(struct bytes payload, struct gc_event *e)
{
    enum { FIRST_FORM = 16 }; /* shorter ones have no depth */
    struct trace_fields f = trace_fields_of(payload);
    *e = (struct gc_event){.count = trace_field_u32(&f)};
    if (payload.size < FIRST_FORM)
        return !f.failed;
    e->depth = trace_field_u32(&f);
    trace_field_u32(&f); /* reason */
    e->type = trace_field_u32(&f);
    return !f.failed;
}

bool gc_end_parse(struct bytes payload, struct gc_event *e)
{
    enum { FIRST_FORM = 8 };
    struct trace_fields f = trace_fields_of(payload);
    *e = (struct gc_event){.count = trace_field_u32(&f)};
    e->depth = payload.size < FIRST_FORM ? trace_field_u16(&f) : trace_field_u32(&f);
    return !f.failed;
}

/* --- records of a walk --------------------------------------------------- */

bool bulk_parse(enum trace_heap_event kind, struct bytes payload, unsigned pointer_size,
                struct bulk *b)
{
    struct trace_fields f = trace_fields_of(payload);
    *b = (struct bulk){.size = records[kind].pointers * (size_t)pointer_size +
                               records[kind].bytes};
    b->index = records[kind].is_indexed ? trace_field_u32(&f) : 0;
    b->count = trace_field_u32(&f);
    if (kind == EVENT_STATICS)
        trace_field_u64(&f); /* application domain */
    trace_field_u16(&f);     /* runtime instance */
    if (f.failed || b->size == 0)
        return false;
    size_t left = (size_t)(f.end - f.at);
    b->records = f.at;
    b->rest = (struct bytes){f.at, left};
    if (b->count <= left / b->size)
        return true;
    /* An older event of this number has another layout, and nothing for us. */
    b->count = kind == EVENT_WRAPPERS ? 0 : b->count;
    return kind == EVENT_WRAPPERS;
}

bool heap_type_next(struct trace_fields *f, struct heap_type *t)
{
    t->id = trace_field_u64(f);
    t->module = trace_field_u64(f);
    t->token = trace_field_u32(f);
    t->flags = trace_field_u32(f);
    trace_field_u8(f); /* kind of element */
    t->name = trace_wide(f);
    t->parameter_count = trace_field_u32(f);
    size_t left = (size_t)(f->end - f->at);
    if (t->parameter_count > left / 8)
        f->failed = true;
    t->parameters = trace_field_bytes(f, 8 * (size_t)t->parameter_count).data;
    return !f->failed;
}

/* --- around a walk ------------------------------------------------------- */

bool heap_territory_parse(struct bytes payload, unsigned pointer_size,
                          struct heap_territory *t)
{
    struct trace_fields f = trace_fields_of(payload);
    t->generation = trace_field_u8(&f);
    t->start = pointer_size == 8 ? trace_field_u64(&f) : trace_field_u32(&f);
    t->used = trace_field_u64(&f);
    t->reserved = trace_field_u64(&f);
    return !f.failed;
}

bool heap_range_parse(struct bytes payload, unsigned pointer_size, struct range *r)
{
    static const enum hd_generation generations[] = {HD_GEN0, HD_GEN1, HD_GEN2, HD_GEN_LOH,
                                                     HD_GEN_POH};
    struct heap_territory t;
    heap_territory_parse(payload, pointer_size, &t);
    r->generation = t.generation < sizeof(generations) / sizeof(generations[0])
                        ? generations[t.generation]
                        : HD_GEN_UNKNOWN;
    r->start = t.start;
    r->end = t.used <= UINT64_MAX - t.start ? t.start + t.used : UINT64_MAX;
    return payload.size >= 1 + (size_t)pointer_size + 8; /* the size reserved is not used */
}
