/* trace_heap_events.h - decode the events of a garbage collection.
 *
 * The events of a heap walk hold thousands of records each; here a payload becomes numbers
 * and the offset, count and size of its records. Nothing is stored. Layouts:
 * docs/formats/nettrace.md. */
#ifndef TRACE_HEAP_EVENTS_H
#define TRACE_HEAP_EVENTS_H

#include "heap/graph.h"
#include "heap/process_facts.h"
#include "trace/nettrace.h"

enum trace_heap_event {
    EVENT_OTHER, /* not about the heap */
    EVENT_GC_START,
    EVENT_GC_END,
    EVENT_TYPES,
    EVENT_NODES,
    EVENT_EDGES,
    EVENT_ROOTS,
    EVENT_PAIRS, /* dependent handles: key and value */
    EVENT_STATICS,
    EVENT_WRAPPERS, /* COM callable: what COM holds of ours */
    EVENT_RANGE,    /* address range of a generation */
    EVENT_MODULE,
    EVENT_COMMAND,   /* the command line of the process */
    EVENT_COMMITTED, /* how much the collector committed */
    EVENT_PER_HEAP,  /* free part of a heap's memory */
    EVENT_HEAPS,     /* how many heaps there are */
    EVENT_HEAP_STATS,
    EVENT_PROCESS,   /* ours: heap/process_facts.h */
    EVENT_SITES,     /* ours: heap/allocation_sites.h */
    EVENT_SURVIVORS, /* which objects are those of the snapshot before: nettrace.h */
    EVENT_SURVIVED,  /* where objects stay */
    EVENT_MOVED,     /* old and new addresses */
    EVENT_ALLOCATED  /* an allocation, about one in 100 KB */
};

enum trace_heap_event trace_heap_event_kind(const struct trace_event *e);

/* The same for tracing survivors: other readers ignore EVENT_SURVIVED, EVENT_MOVED and
 * EVENT_ALLOCATED, of which there may be very many. */
enum trace_heap_event trace_gc_move_kind(const struct trace_event *e);

/* Decodes an event of the four kinds from EVENT_COMMITTED on. False if the payload is too
 * short, or has no facts. */
bool gc_facts_parse(enum trace_heap_event kind, struct bytes payload, unsigned pointer_size,
                    struct hd_process_facts *facts);

/* True for events of the walk itself, which one thread records in one burst. */
bool trace_heap_event_is_walk(enum trace_heap_event kind);

struct gc_event {
    uint32_t count;         /* its number, of this process */
    uint32_t depth;         /* the oldest generation that is collected */
    uint32_t type;          /* of a start: 1 is a background collection, 0 and 2 are not */
    bool is_of_allocations; /* of a start: because the program used up a budget */
};

/* False when the payload is too short. */
bool gc_start_parse(struct bytes payload, struct gc_event *e);
bool gc_end_parse(struct bytes payload, struct gc_event *e);

/* An event of a walk. Records of statics have no fixed size: size is the smallest. */
struct bulk {
    uint32_t index; /* among the events of its kind; 0 for kinds without */
    uint32_t count;
    const unsigned char *records;
    size_t size;       /* of a record */
    struct bytes rest; /* all bytes after the head */
};

/* False when count records do not fit. */
bool bulk_parse(enum trace_heap_event kind, struct bytes payload, unsigned pointer_size,
                struct bulk *b);

struct heap_node {
    uint64_t address, size, type, edges;
};

struct heap_root {
    uint64_t object;
    unsigned kind;
    uint32_t flags;
};

enum { ROOT_FLAG_PINNING = 1, ROOT_FLAG_WEAK = 2, ROOT_FLAG_REF_COUNTED = 8 };
enum { ROOT_RECORD_STACK, ROOT_RECORD_FINALIZER, ROOT_RECORD_HANDLE, ROOT_RECORD_OTHER };

static inline uint64_t heap_pointer(const unsigned char *p, unsigned pointer_size)
{
    return pointer_size == 8 ? le_u64(p) : le_u32(p);
}

static inline struct heap_node heap_node_at(const unsigned char *p, unsigned pointer_size)
{
    return (struct heap_node){heap_pointer(p, pointer_size), le_u64(p + pointer_size),
                              le_u64(p + pointer_size + 8), le_u64(p + pointer_size + 16)};
}

static inline struct heap_root heap_root_at(const unsigned char *p, unsigned pointer_size)
{
    return (struct heap_root){heap_pointer(p, pointer_size), p[pointer_size],
                              le_u32(p + pointer_size + 1)};
}

enum { STATIC_FLAG_THREAD = 1 };

enum {
    TYPE_FLAG_RCW = 4,
    TYPE_FLAG_ARRAY = 8,
    TYPE_FLAG_IMAGE = 16 /* native AOT: module is the base of an image, token an RVA */
};

struct heap_type {
    uint64_t id, module;
    uint32_t token, flags;
    struct bytes name;               /* UTF-16 */
    const unsigned char *parameters; /* ids of 8 bytes */
    uint32_t parameter_count;
};

/* Reads the next type record of f. */
bool heap_type_next(struct trace_fields *f, struct heap_type *t);

/* A range of adjacent objects that survived a collection, in place or moved. */
struct heap_stretch {
    uint64_t from, to, size;
};

/* Reads a record of a bulk of EVENT_SURVIVED or EVENT_MOVED. */
static inline struct heap_stretch
heap_stretch_at(enum trace_heap_event kind, const unsigned char *p, unsigned pointer_size)
{
    uint64_t from = heap_pointer(p, pointer_size);
    if (kind == EVENT_SURVIVED)
        return (struct heap_stretch){from, from, le_u64(p + pointer_size)};
    return (struct heap_stretch){from, heap_pointer(p + pointer_size, pointer_size),
                                 le_u64(p + 2 * (size_t)pointer_size)};
}

/* A new object, about one in 100 KB of allocations. AllocationTick counts the bytes of
 * small and of large objects separately. AllocationSampled (.NET 10) samples randomly;
 * while any client of the process requests it, no client gets AllocationTick. */
enum { ALLOCATED_SMALL, ALLOCATED_LARGE, ALLOCATED_PINNED };

struct heap_allocation {
    uint64_t address;
    uint64_t size;     /* a multiple of 8; for a large object of a tick up to 32 too much */
    uint64_t type;     /* its id, as that of struct heap_type */
    struct bytes name; /* of the type, UTF-16 */
    unsigned kind;
    bool is_tick;
};

/* Reads both events. False if the payload is too short: that of older runtimes lacks the
 * address or the size. */
bool heap_allocation_parse(const struct trace_event *e, struct bytes payload,
                           unsigned pointer_size, struct heap_allocation *a);

/* A part of a generation as the event has it. */
struct heap_territory {
    unsigned generation; /* 3 large, 4 pinned objects */
    uint64_t start, used, reserved;
};

bool heap_territory_parse(struct bytes payload, unsigned pointer_size,
                          struct heap_territory *t);

/* Sets generation HD_GEN_UNKNOWN for an invalid number. */
bool heap_range_parse(struct bytes payload, unsigned pointer_size, struct range *r);

#endif
