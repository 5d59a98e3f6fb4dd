/* runtime_gc.h - what the collector of .NET tells debuggers: GcDacVars, whose layout is
 * versioned and only ever grows (dotnet/runtime, src/coreclr/gc/gcinterface.dacvars.def).
 */
#ifndef RUNTIME_GC_H
#define RUNTIME_GC_H

#include "process/runtime.h"

/* Offsets in it of pointers to variables of the collector. */
enum {
    GC_VERSION = 0, /* two bytes: major, minor */
    GC_GENERATION_SIZE = 8,
    GC_GENERATION_COUNT = 16,
    GC_BUILT_WITH_SERVER = 32,
    GC_GENERATION_TABLE = 48,
    GC_EPHEMERAL_SEGMENT = 80,
    GC_ALLOC_ALLOCATED = 120,
    GC_FINALIZE_QUEUE = 144,
    GC_HEAP_COUNT = 176,
    GC_HEAPS = 184,
    GC_INVALID_COUNT = 192,
    GC_HANDLE_TABLE_MAP = 232,
    GC_HEAP_OFFSETS = 240,
    GC_GENERATION_OFFSETS = 248
};

/* The only one of count addresses of globals at table that holds the pointer to such a
 * structure; 0 if there is none, or several. */
uint64_t runtime_gc_find(const struct memory *m, uint64_t table, unsigned count);

/* Calls take for the first object of every generation that has one, of at most 64 heaps;
 * false, and ends, when take does. True if there was none. */
bool runtime_gc_first_objects(const struct runtime *r,
                              bool (*take)(void *context, uint64_t object), void *context);

#endif
