#include "format/nettrace/trace_edges.h"

#include "base/alloc.h"
#include "base/workers.h"
#include "trace/trace_heap_events.h"

#include <stdlib.h>

/* A thread takes so many events at once, some 100,000 references. */
enum { EVENTS_AT_ONCE = 16 };

/* Bytes that are read at once. */
enum { PIECE = 48 * 1024 };

void trace_edges_add(struct trace_edges *e, uint64_t at, uint32_t count,
                     struct account *account)
{
    e->events = account_grow(account, e->events, e->len, &e->cap, sizeof(*e->events));
    e->events[e->len++] = (struct edge_event){at, e->count, count};
    e->count += count;
}

struct finding {
    const struct trace_edges *edges;
    const struct input *in;
    const struct trace_nodes *nodes;
    node_id *to;
    bool *failed; /* by share of the events */
};

static bool find_piece(const struct finding *f, uint64_t at, node_id *to, size_t count)
{
    const struct edge_layout *layout = &f->edges->layout;
    unsigned char records[PIECE];
    size_t size = count * layout->size;
    if (input_read_at(f->in, at, records, size) != (ssize_t)size)
        return false;
    for (size_t i = 0; i < count; i++)
        to[i] = trace_nodes_find(
            f->nodes, heap_pointer(records + i * layout->size, layout->pointer_size));
    return true;
}

static bool find_event(const struct finding *f, const struct edge_event *event)
{
    size_t size = f->edges->layout.size, most = PIECE / size;
    for (size_t i = 0; i < event->count; i += most) {
        size_t left = event->count - i;
        if (!find_piece(f, event->at + i * size, f->to + event->before + i,
                        left < most ? left : most))
            return false;
    }
    return true;
}

static bool find_share(void *context, size_t share)
{
    const struct finding *f = context;
    size_t begin = share * EVENTS_AT_ONCE, end = begin + EVENTS_AT_ONCE;
    if (end > f->edges->len)
        end = f->edges->len;
    for (size_t i = begin; i < end; i++)
        if (!find_event(f, &f->edges->events[i])) {
            f->failed[share] = true;
            return false;
        }
    return true;
}

bool trace_edges_find(const struct trace_edges *e, const struct input *in,
                      const struct trace_nodes *nodes, unsigned threads, node_id *to)
{
    size_t shares = (e->len + EVENTS_AT_ONCE - 1) / EVENTS_AT_ONCE;
    struct finding f = {
        .edges = e, .in = in, .nodes = nodes, .failed = alloc_zeroed(shares + 1)};
    f.to = to; /* clang-tidy overlooks that an initialiser lets it be written to */
    workers_run(shares, threads, find_share, &f);
    bool ok = true;
    for (size_t i = 0; i < shares; i++)
        ok = ok && !f.failed[i];
    free(f.failed);
    return ok;
}

void trace_edges_free(struct trace_edges *e)
{
    free(e->events);
    *e = (struct trace_edges){0};
}
