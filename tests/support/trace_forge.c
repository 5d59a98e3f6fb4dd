#include "support/trace_forge.h"

#include <string.h>

/* --- values ---------------------------------------------------------------------- */

static void put(struct text *t, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        text_add_char(t, (char)(unsigned char)(value >> 8 * i));
}

void forge_u8(struct text *t, unsigned value)
{
    put(t, value, 1);
}

void forge_u16(struct text *t, unsigned value)
{
    put(t, value, 2);
}

void forge_u32(struct text *t, uint32_t value)
{
    put(t, value, 4);
}

void forge_u64(struct text *t, uint64_t value)
{
    put(t, value, 8);
}

void forge_wide(struct text *t, const char *ascii)
{
    for (const char *c = ascii; *c != '\0'; c++)
        forge_u16(t, (unsigned char)*c);
    forge_u16(t, 0);
}

static void forge_varuint(struct text *t, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
        forge_u8(t, (unsigned)(value & 0x7F) | 0x80);
    forge_u8(t, (unsigned)value);
}

/* --- blocks ---------------------------------------------------------------------- */

static void out(struct trace_forge *f, const void *bytes, size_t size)
{
    if (f->to != NULL)
        fwrite(bytes, 1, size, f->to);
    else
        text_add(&f->bytes, bytes, size);
    f->written += size;
}

static void out_text(struct trace_forge *f, struct text *t)
{
    out(f, t->data, t->len);
    text_free(t);
}

static void object_head(struct text *t, uint32_t version, const char *name)
{
    text_add(t, "\5\5\1", 3);
    forge_u32(t, version);
    forge_u32(t, version);
    forge_u32(t, (uint32_t)strlen(name));
    text_add_string(t, name);
    forge_u8(t, 6);
}

/* Frees content. */
static void block(struct trace_forge *f, const char *name, struct text *content)
{
    struct text head = {0};
    object_head(&head, 2, name);
    forge_u32(&head, (uint32_t)content->len);
    while ((f->written + head.len) % 4 != 0)
        forge_u8(&head, 0);
    out_text(f, &head);
    out_text(f, content);
    out(f, "\6", 1);
}

static void block_head(struct text *t, bool compressed)
{
    forge_u16(t, 20);
    forge_u16(t, compressed);
    forge_u64(t, 0);
    forge_u64(t, 0);
}

/* Ids of events that have a small number in metadata. */
static const unsigned known_events[] = {1,
                                        2,
                                        15,
                                        16,
                                        17,
                                        18,
                                        19,
                                        23,
                                        36,
                                        38,
                                        152,
                                        FORGED_RUNDOWN + 153,
                                        FORGED_RUNDOWN + 154,
                                        FORGED_EVENTPIPE + 1,
                                        4,
                                        21,
                                        22,
                                        39,
                                        204,
                                        205,
                                        FORGED_OURS + 1,
                                        FORGED_OURS + 2,
                                        10,
                                        303,
                                        FORGED_RUNDOWN + 144,
                                        FORGED_RUNDOWN + 150};

static void define_event(struct text *t, uint32_t number, unsigned id)
{
    struct text record = {0};
    forge_u32(&record, number);
    forge_wide(&record, id > FORGED_OURS        ? "heapdrift"
                        : id > FORGED_EVENTPIPE ? "Microsoft-DotNETCore-EventPipe"
                        : id > FORGED_RUNDOWN   ? "Microsoft-Windows-DotNETRuntimeRundown"
                                                : "Microsoft-Windows-DotNETRuntime");
    forge_u32(&record, id % FORGED_RUNDOWN);
    forge_wide(&record, "");
    forge_u64(&record, 0);
    forge_u32(&record, 1); /* version, level, no fields */
    forge_u32(&record, 4);
    forge_u32(&record, 0);
    forge_u8(t, 0x80);
    forge_varuint(t, 0);
    forge_varuint(t, record.len);
    text_add(t, record.data, record.len);
    text_free(&record);
}

void trace_forge_begin(struct trace_forge *f)
{
    struct text t = {0};
    text_add_string(&t, "Nettrace");
    forge_u32(&t, 20);
    text_add_string(&t, "!FastSerialization.1");
    object_head(&t, 4, "Trace");
    static const unsigned date[] = {2026, 1, 4, 1, 12, 0, 0, 0};
    for (size_t i = 0; i < 8; i++)
        forge_u16(&t, date[i]);
    forge_u64(&t, 0);          /* ticks */
    forge_u64(&t, 1000000000); /* per second */
    forge_u32(&t, f->pointer_size);
    forge_u32(&t, 4242);
    forge_u32(&t, 2);
    forge_u32(&t, 0);
    forge_u8(&t, 6);
    out_text(f, &t);

    struct text metadata = {0};
    block_head(&metadata, true);
    for (size_t i = 0; i < sizeof(known_events) / sizeof(known_events[0]); i++)
        define_event(&metadata, (uint32_t)i + 1, known_events[i]);
    block(f, "MetadataBlock", &metadata);
    if (f->time == 0)
        f->time = 1000;
}

static uint32_t *sequence_of(struct trace_forge *f, uint64_t thread)
{
    size_t i = 0;
    while (f->threads[i] != 0 && f->threads[i] != thread && i + 1 < FORGED_THREADS)
        i++;
    f->threads[i] = thread;
    return &f->sequence[i];
}

static void flush(struct trace_forge *f)
{
    if (f->block_events > 0)
        block(f, "EventBlock", &f->block);
    f->block_events = 0;
}

/* Size, thread, sequence and metadata are in every row, the stack only if it changes;
 * number and time are relative to the previous row. */
static void compressed_row(struct trace_forge *f, uint32_t metadata, uint32_t sequence,
                           const void *payload, size_t size)
{
    struct text *t = &f->block;
    bool has_stack = f->stack != f->block_stack;
    forge_u8(t, 0x80 | 0x07 | (has_stack ? 0x08 : 0));
    forge_varuint(t, metadata);
    forge_varuint(t, sequence - f->block_sequence - 1);
    forge_varuint(t, f->block_thread);
    forge_varuint(t, 0);
    forge_varuint(t, f->block_thread);
    if (has_stack)
        forge_varuint(t, f->stack);
    f->block_stack = f->stack;
    forge_varuint(t, f->time - f->block_time);
    forge_varuint(t, size);
    text_add(t, payload, size);
    f->block_sequence = sequence;
    f->block_time = f->time;
}

static void plain_row(struct trace_forge *f, uint32_t metadata, uint32_t sequence,
                      const void *payload, size_t size)
{
    struct text row = {0}, *t = &f->block;
    forge_u32(&row, metadata);
    forge_u32(&row, sequence);
    forge_u64(&row, f->block_thread);
    forge_u64(&row, f->block_thread);
    forge_u32(&row, 0); /* processor */
    forge_u32(&row, f->stack);
    forge_u64(&row, f->time);
    for (int i = 0; i < 4; i++)
        forge_u64(&row, 0);
    forge_u32(&row, (uint32_t)size);
    text_add(&row, payload, size);
    while (row.len % 4 != 0)
        forge_u8(&row, 0);
    forge_u32(t, (uint32_t)row.len);
    text_add(t, row.data, row.len);
    text_free(&row);
}

void trace_forge_event(struct trace_forge *f, uint64_t thread, unsigned id,
                       const void *payload, size_t size)
{
    uint32_t number = 0;
    while (known_events[number] != id)
        number++;
    if (f->block_events > 0 && f->block_thread != thread)
        flush(f);
    if (f->block_events == 0) {
        block_head(&f->block, !f->plain_rows);
        f->block_thread = thread;
        f->block_time = 0;
        f->block_sequence = f->block_stack = 0;
    }
    uint32_t sequence = ++*sequence_of(f, thread);
    if (f->plain_rows)
        plain_row(f, number + 1, sequence, payload, size);
    else
        compressed_row(f, number + 1, sequence, payload, size);
    f->time += 10;
    if (++f->block_events >= f->events_per_block)
        flush(f);
}

void trace_forge_stacks(struct trace_forge *f, uint32_t first,
                        const struct forged_stack *stacks, uint32_t count)
{
    struct text t = {0};
    flush(f);
    forge_u32(&t, first);
    forge_u32(&t, count);
    for (uint32_t i = 0; i < count; i++) {
        forge_u32(&t, stacks[i].size);
        text_add(&t, stacks[i].bytes, stacks[i].size);
    }
    block(f, "StackBlock", &t);
}

static void event(struct trace_forge *f, uint64_t thread, unsigned id, struct text *payload)
{
    trace_forge_event(f, thread, id, payload->data, payload->len);
    text_free(payload);
}

void trace_forge_lose(struct trace_forge *f, uint64_t thread, uint32_t events)
{
    *sequence_of(f, thread) += events;
}

void trace_forge_point(struct trace_forge *f)
{
    struct text t = {0};
    uint32_t count = 0;
    flush(f);
    while (count < FORGED_THREADS && f->threads[count] != 0)
        count++;
    forge_u64(&t, f->time);
    forge_u32(&t, count);
    for (uint32_t i = 0; i < count; i++) {
        forge_u64(&t, f->threads[i]);
        forge_u32(&t, f->sequence[i]);
    }
    block(f, "SPBlock", &t);
}

void trace_forge_end(struct trace_forge *f)
{
    flush(f);
    out(f, "\1", 1);
}

void trace_forge_free(struct trace_forge *f)
{
    text_free(&f->bytes);
    text_free(&f->block);
    text_free(&f->nodes);
    text_free(&f->edges);
    text_free(&f->roots);
    text_free(&f->pairs);
}

/* --- events ---------------------------------------------------------------------- */

void trace_forge_gc(struct trace_forge *f, uint64_t thread, bool start, uint32_t count)
{
    struct text t = {0};
    forge_u32(&t, count);
    forge_u32(&t, 2);
    if (start) {
        forge_u32(&t, 1); /* induced */
        forge_u32(&t, 0); /* blocking */
    }
    forge_u16(&t, 9);
    if (start)
        forge_u64(&t, 0);
    event(f, thread, start ? 1 : 2, &t);
}

void trace_forge_types(struct trace_forge *f, uint64_t thread,
                       const struct forged_type *types, uint32_t count)
{
    struct text t = {0};
    forge_u32(&t, count);
    forge_u16(&t, 9);
    for (uint32_t i = 0; i < count; i++) {
        const struct forged_type *type = &types[i];
        forge_u64(&t, type->id);
        forge_u64(&t, type->module);
        forge_u32(&t, 0x02000000 + i);
        forge_u32(&t, type->flags);
        forge_u8(&t, 0x12);
        forge_wide(&t, type->name != NULL ? type->name : "");
        forge_u32(&t, type->parameter_count);
        for (uint32_t p = 0; p < type->parameter_count; p++)
            forge_u64(&t, type->parameters[p]);
    }
    event(f, thread, 15, &t);
}

void trace_forge_static(struct trace_forge *f, uint64_t thread, uint64_t object,
                        uint64_t type, uint32_t flags, const char *field)
{
    struct text t = {0};
    forge_u32(&t, 1);
    forge_u64(&t, 1);
    forge_u16(&t, 9);
    forge_u64(&t, 0x8000);
    forge_u64(&t, object);
    forge_u64(&t, type);
    forge_u32(&t, flags);
    forge_wide(&t, field);
    event(f, thread, 38, &t);
}

void trace_forge_range(struct trace_forge *f, uint64_t thread, unsigned generation,
                       uint64_t start, uint64_t used)
{
    struct text t = {0};
    forge_u8(&t, generation);
    put(&t, start, f->pointer_size);
    forge_u64(&t, used);
    forge_u64(&t, used);
    forge_u16(&t, 9);
    event(f, thread, 23, &t);
}

void trace_forge_node(struct trace_forge *f, uint64_t address, uint64_t size, uint64_t type,
                      uint64_t edges)
{
    put(&f->nodes, address, f->pointer_size);
    forge_u64(&f->nodes, size);
    forge_u64(&f->nodes, type);
    forge_u64(&f->nodes, edges);
}

void trace_forge_edge(struct trace_forge *f, uint64_t target)
{
    put(&f->edges, target, f->pointer_size);
    forge_u32(&f->edges, 0);
}

void trace_forge_root(struct trace_forge *f, uint64_t object, unsigned kind, uint32_t flags)
{
    put(&f->roots, object, f->pointer_size);
    forge_u8(&f->roots, kind);
    forge_u32(&f->roots, flags);
    put(&f->roots, 0x5008, f->pointer_size);
}

void trace_forge_pair(struct trace_forge *f, uint64_t key, uint64_t value)
{
    put(&f->pairs, key, f->pointer_size);
    put(&f->pairs, value, f->pointer_size);
    put(&f->pairs, 0x5010, f->pointer_size);
}

/* --- walks ----------------------------------------------------------------------- */

/* Writes the next event of records, from offset `at`, with at most the number that a
 * runtime puts into one. Returns the bytes of records written. */
static size_t bulk(struct trace_forge *f, uint64_t thread, unsigned id,
                   const struct text *records, size_t at, size_t size, uint32_t *number)
{
    enum { CAPACITY = 63 * 1024 - 256 };
    size_t count = (records->len - at) / size;
    if (count > CAPACITY / size)
        count = CAPACITY / size;
    if (f->records_per_event > 0 && count > f->records_per_event)
        count = f->records_per_event;
    if (count == 0)
        return 0;
    struct text t = {0};
    forge_u32(&t, (*number)++);
    forge_u32(&t, (uint32_t)count);
    forge_u16(&t, 9);
    text_add(&t, records->data + at, count * size);
    event(f, thread, id, &t);
    return count * size;
}

/* Object and reference events alternate, as in real walks. */
void trace_forge_walk(struct trace_forge *f, uint64_t thread)
{
    size_t p = f->pointer_size, node = 0, edge = 0, root = 0, pair = 0, step;
    do {
        step = bulk(f, thread, 18, &f->nodes, node, p + 24, &f->node_events);
        node += step;
        size_t other = bulk(f, thread, 19, &f->edges, edge, p + 4, &f->edge_events);
        edge += other;
        step += other;
    } while (step > 0);
    while ((step = bulk(f, thread, 16, &f->roots, root, 2 * p + 5, &f->trace_root_events)) >
           0)
        root += step;
    while ((step = bulk(f, thread, 17, &f->pairs, pair, 3 * p, &f->pair_events)) > 0)
        pair += step;
    f->nodes.len = f->edges.len = f->roots.len = f->pairs.len = 0;
}

void trace_forge_next_walk(struct trace_forge *f)
{
    f->node_events = f->edge_events = f->trace_root_events = f->pair_events = 0;
}
