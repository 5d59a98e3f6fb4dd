#include "trace/trace_heap_events.h"

#include "base/little_endian.h"

#include <string.h>

/* AllocationTick; the other event of EVENT_ALLOCATED is AllocationSampled. */
enum { TICK = 10 };

static const struct {
    enum trace_provider provider;
    uint32_t id;
    enum trace_heap_event kind;
} kinds[] = {
    {TRACE_RUNTIME, 18, EVENT_NODES},
    {TRACE_RUNTIME, 19, EVENT_EDGES},
    {TRACE_RUNTIME, 15, EVENT_TYPES},
    {TRACE_RUNTIME, 16, EVENT_ROOTS},
    {TRACE_RUNTIME, 17, EVENT_PAIRS},
    {TRACE_RUNTIME, 38, EVENT_STATICS},
    {TRACE_RUNTIME, 1, EVENT_GC_START},
    {TRACE_RUNTIME, 2, EVENT_GC_END},
    {TRACE_RUNTIME, 23, EVENT_RANGE},
    {TRACE_RUNTIME, 36, EVENT_WRAPPERS},
    {TRACE_RUNTIME, 152, EVENT_MODULE},
    {TRACE_RUNDOWN, 153, EVENT_MODULE},
    {TRACE_RUNDOWN, 154, EVENT_MODULE},
    {TRACE_EVENTPIPE, 1, EVENT_COMMAND},
    {TRACE_HEAPDRIFT, SURVIVORS_EVENT_ID, EVENT_SURVIVORS},
    {TRACE_RUNTIME, 21, EVENT_SURVIVED},
    {TRACE_RUNTIME, 22, EVENT_MOVED},
    {TRACE_RUNTIME, 39, EVENT_COMMITTED},
    {TRACE_RUNTIME, 204, EVENT_PER_HEAP},
    {TRACE_RUNTIME, 205, EVENT_HEAPS},
    {TRACE_RUNTIME, 4, EVENT_HEAP_STATS},
    {TRACE_HEAPDRIFT, PROCESS_EVENT_ID, EVENT_PROCESS},
    {TRACE_HEAPDRIFT, SITES_EVENT_ID, EVENT_SITES},
    {TRACE_RUNTIME, TICK, EVENT_ALLOCATED},
    {TRACE_RUNTIME, 303, EVENT_ALLOCATED},
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

enum trace_heap_event trace_gc_move_kind(const struct trace_event *e)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].id == e->id && kinds[i].provider == e->provider)
            return kinds[i].kind;
    return EVENT_OTHER;
}

enum trace_heap_event trace_heap_event_kind(const struct trace_event *e)
{
    enum trace_heap_event kind = trace_gc_move_kind(e);
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
    enum { OF_SMALL = 0, OF_LARGE = 4 };
    struct trace_fields f = trace_fields_of(payload);
    *e = (struct gc_event){.count = trace_field_u32(&f)};
    if (payload.size < FIRST_FORM)
        return !f.failed;
    e->depth = trace_field_u32(&f);
    uint32_t reason = trace_field_u32(&f);
    e->is_of_allocations = reason == OF_SMALL || reason == OF_LARGE;
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

/* --- how the process is ---------------------------------------------------- */

/* The dynamic event CommittedUsage of .NET 8 on, one of several by this number: in use, to
 * be decommitted, free regions, such that all heaps share, and the collector's tables. */
static bool committed_parse(struct trace_fields *f, struct hd_process_facts *facts)
{
    enum { IN_USE, DECOMMIT, FREE, GLOBAL_FREE, TABLES, NUMBERS };
    struct text name = {0};
    uint64_t n[NUMBERS], all = 0;
    trace_wide_text(&name, trace_wide(f));
    bool is_it = strcmp(text_string(&name), "CommittedUsage") == 0;
    text_free(&name);
    trace_field_u32(f); /* bytes that follow */
    trace_field_u16(f); /* version */
    for (int i = 0; i < NUMBERS; i++) {
        n[i] = trace_field_u64(f);
        if (n[i] > (HD_UNKNOWN - 1) / NUMBERS)
            f->failed = true;
        all += n[i];
    }
    if (f->failed || !is_it)
        return false;
    hd_fact_set(facts, HD_FACT_GC_COMMITTED, all);
    hd_fact_set(facts, HD_FACT_GC_FREE, n[DECOMMIT] + n[FREE] + n[GLOBAL_FREE]);
    return true;
}

/* GCPerHeapHistory, version 3, of .NET Core 3 to 11: a generation has ten numbers, of which
 * the fifth and sixth are free after the collection, in lists and too small for these. */
static bool per_heap_parse(struct trace_fields *f, unsigned pointer_size,
                           struct hd_process_facts *facts)
{
    enum { GENERATIONS = 5, NUMBERS = 10, IN_LISTS = 4, IN_OBJECTS = 5, FIXED = 2 + 6 * 4 };
    uint64_t sum[1 + GENERATIONS] = {0}; /* of all, of each */
    trace_field_bytes(f, FIXED + 7 * (size_t)pointer_size);
    if (trace_field_u32(f) != GENERATIONS)
        return false;
    for (int g = 1; g <= GENERATIONS; g++) {
        for (int i = 0; i < NUMBERS; i++) {
            uint64_t n = pointer_size == 8 ? trace_field_u64(f) : trace_field_u32(f);
            sum[g] += (i == IN_LISTS || i == IN_OBJECTS) && n < UINT64_MAX >> 16 ? n : 0;
        }
        sum[0] += sum[g];
    }
    for (int i = 0; i <= GENERATIONS && !f->failed; i++)
        hd_fact_set(facts, HD_FACT_FRAGMENTED + (enum hd_fact)i, sum[i]);
    return !f->failed;
}

bool gc_facts_parse(enum trace_heap_event kind, struct bytes payload, unsigned pointer_size,
                    struct hd_process_facts *facts)
{
    enum { BEFORE_HEAPS = 8, BEFORE_PINNED = 80 };
    struct trace_fields f = trace_fields_of(payload);
    if (kind == EVENT_COMMITTED)
        return committed_parse(&f, facts);
    if (kind == EVENT_PER_HEAP)
        return per_heap_parse(&f, pointer_size, facts);
    trace_field_bytes(&f, kind == EVENT_HEAPS ? BEFORE_HEAPS : BEFORE_PINNED);
    uint32_t n = trace_field_u32(&f);
    if (!f.failed)
        hd_fact_set(facts, kind == EVENT_HEAPS ? HD_FACT_GC_HEAPS : HD_FACT_PINNED, n);
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
    /* An older event of this number has another layout, and is ignored. */
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

/* --- allocations --------------------------------------------------------- */

static uint64_t pointer_field(struct trace_fields *f, unsigned pointer_size)
{
    return pointer_size == 8 ? trace_field_u64(f) : trace_field_u32(f);
}

bool heap_allocation_parse(const struct trace_event *e, struct bytes payload,
                           unsigned pointer_size, struct heap_allocation *a)
{
    struct trace_fields f = trace_fields_of(payload);
    *a = (struct heap_allocation){.is_tick = e->id == TICK};
    if (a->is_tick)
        trace_field_u32(&f); /* bytes since the tick before, low half */
    a->kind = trace_field_u32(&f);
    trace_field_u16(&f); /* runtime instance */
    if (a->is_tick)
        trace_field_u64(&f); /* the full amount */
    a->type = pointer_field(&f, pointer_size);
    a->name = trace_wide(&f);
    if (a->is_tick)
        trace_field_u32(&f); /* heap */
    a->address = pointer_field(&f, pointer_size);
    a->size = trace_field_u64(&f);
    return !f.failed;
}

/* --- around a walk ------------------------------------------------------- */

bool heap_territory_parse(struct bytes payload, unsigned pointer_size,
                          struct heap_territory *t)
{
    struct trace_fields f = trace_fields_of(payload);
    t->generation = trace_field_u8(&f);
    t->start = pointer_field(&f, pointer_size);
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

/* Events of the runtime have at most 64 KiB, and other readers may rely on that. */
enum { PART_HEAD = 8, MAX_OF_PART = 60 * 1024 - PART_HEAD };

/* --- values -------------------------------------------------------------------------- */

static void put_number(struct text *t, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        text_add_char(t, (char)(unsigned char)(value >> 8 * i));
}

static void put_wide(struct text *t, const char *ascii)
{
    do
        put_number(t, (unsigned char)*ascii, 2);
    while (*ascii++ != '\0');
}

static void put_varuint(struct text *t, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
        put_number(t, (value & 0x7F) | 0x80, 1);
    put_number(t, value, 1);
}

/* --- blocks -------------------------------------------------------------------------- */

/* Appends a block of events; `to` begins at offset `at` of the file. Consumes rows. */
static void put_block(struct text *to, uint64_t at, const char *name, uint64_t time,
                      struct text *rows)
{
    enum { VERSION = 2, HEAD = 20, COMPRESSED = 1 };
    text_add(to, "\5\5\1", 3);
    put_number(to, VERSION, 4);
    put_number(to, VERSION, 4);
    put_number(to, strlen(name), 4);
    text_add_string(to, name);
    put_number(to, 6, 1);
    put_number(to, HEAD + rows->len, 4);
    while ((at + to->len) % 4 != 0)
        put_number(to, 0, 1);
    put_number(to, HEAD, 2);
    put_number(to, COMPRESSED, 2);
    put_number(to, time, 8);
    put_number(to, time, 8);
    text_add(to, rows->data, rows->len);
    put_number(to, 6, 1);
    text_free(rows);
}

enum { METADATA = 1, CAPTURE = 2, THREAD = 4, SIZE = 128 };

struct event_kind {
    uint32_t definition, id;
    const char *name;
    const struct text *text;
};

static void put_definition(struct text *rows, const struct event_kind *kind)
{
    enum { INFORMATIONAL = 4 };
    struct text record = {0};
    put_number(&record, kind->definition, 4);
    put_wide(&record, OUR_EVENT_PROVIDER);
    put_number(&record, kind->id, 4);
    put_wide(&record, kind->name);
    put_number(&record, 0, 8); /* keywords */
    put_number(&record, 1, 4); /* version */
    put_number(&record, INFORMATIONAL, 4);
    put_number(&record, 0, 4); /* described fields: 0, as in the runtime's own events */
    put_number(rows, SIZE, 1);
    put_varuint(rows, 0); /* time */
    put_varuint(rows, record.len);
    text_add(rows, record.data, record.len);
    text_free(&record);
}

/* A row is a delta to one of zeros. No thread has its number: those of systems begin at 1,
 * and end far below. */
static void put_event(struct text *rows, const struct event_kind *kind, uint64_t time,
                      uint32_t sequence, uint32_t part, uint32_t parts,
                      struct bytes content)
{
    enum { NO_THREAD = INT32_MAX };
    put_number(rows, METADATA | CAPTURE | THREAD | SIZE, 1);
    put_varuint(rows, kind->definition);
    put_varuint(rows, sequence); /* the first has number 1 */
    put_varuint(rows, NO_THREAD);
    put_varuint(rows, 0); /* processor */
    put_varuint(rows, NO_THREAD);
    put_varuint(rows, time);
    put_varuint(rows, PART_HEAD + content.size);
    put_number(rows, part, 4);
    put_number(rows, parts, 4);
    text_add(rows, content.data, content.size);
}

void survivor_event_put(struct text *to, const struct survivor_event_place *place,
                        const struct text texts[OUR_EVENTS])
{
    enum { END = 1 };
    static const char *const names[OUR_EVENTS] = {"Same", "Process", "Sites"};
    struct event_kind ours[OUR_EVENTS];
    struct text rows = {0};
    uint32_t sequence = 0;
    for (uint32_t k = 0; k < OUR_EVENTS; k++) {
        ours[k] = (struct event_kind){place->definition + k, k + 1, names[k], &texts[k]};
        if (texts[k].len > 0)
            put_definition(&rows, &ours[k]);
    }
    put_block(to, place->at, "MetadataBlock", place->time, &rows);
    for (int k = 0; k < OUR_EVENTS; k++) {
        const struct text *all = ours[k].text;
        uint32_t parts = (uint32_t)((all->len + MAX_OF_PART - 1) / MAX_OF_PART);
        for (uint32_t i = 0; i < parts; i++) {
            size_t begin = (size_t)i * MAX_OF_PART;
            size_t left = all->len - begin, size = left < MAX_OF_PART ? left : MAX_OF_PART;
            const struct bytes part = {(const unsigned char *)all->data + begin, size};
            put_event(&rows, &ours[k], place->time, sequence++, i, parts, part);
            put_block(to, place->at, "EventBlock", place->time, &rows);
        }
    }
    put_number(to, END, 1);
}

/* --- reading ------------------------------------------------------------------------- */

void survivor_event_add(struct survivor_event *t, struct bytes payload, uint64_t most,
                        struct account *account)
{
    size_t size = payload.size - PART_HEAD;
    if (t->damaged || payload.size <= PART_HEAD || le_u32(payload.data) != t->next ||
        le_u32(payload.data + 4) <= t->next ||
        (t->next > 0 && le_u32(payload.data + 4) != t->parts) || size > most ||
        t->content.len > most - size) {
        t->damaged = true;
        return;
    }
    t->parts = le_u32(payload.data + 4);
    t->next++;
    account_charge(account, size);
    text_add(&t->content, payload.data + PART_HEAD, size);
}

bool survivor_event_is_whole(const struct survivor_event *t)
{
    return !t->damaged && t->next > 0 && t->next == t->parts;
}

void survivor_event_free(struct survivor_event *t, struct account *account)
{
    account_release(account, t->content.len);
    text_free(&t->content);
}
