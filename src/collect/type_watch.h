/* type_watch.h - whether the types of a heap walk have names.
 *
 * A runtime sends the name of a type once, and again only after every session has let go
 * of the keyword for types. With a second tracing client around, later snapshots come
 * without names. This notes which types objects have and which were named; bounded, 16
 * bytes a type. docs/collect.md. */
#ifndef TYPE_WATCH_H
#define TYPE_WATCH_H

#include "trace/trace_heap_events.h"

struct seen_type {
    uint64_t id; /* 0: a free slot */
    bool in_heap, named;
};

struct type_watch {
    struct seen_type *slots; /* open addressing */
    size_t used, cap;
};

/* Of objects: how many types, and how many of them nobody named. */
struct type_counts {
    uint64_t types, nameless;
};

void type_watch_nodes(struct type_watch *w, const struct bulk *nodes,
                      unsigned pointer_size);
void type_watch_types(struct type_watch *w, const struct bulk *types);
struct type_counts type_watch_count(const struct type_watch *w);
void type_watch_free(struct type_watch *w);

#endif
