/* runtime_names.h - the few names of the .NET runtime that the ranking knows.
 *
 * They belong to .NET 10 and stand here only, in one table with a test. A program may call
 * its own classes the same, in the same namespace: the module that a type was told with
 * says whose it is. Where an input tells no modules the name has to do. */
#ifndef RUNTIME_NAMES_H
#define RUNTIME_NAMES_H

#include "heap/snapshot.h"

/* Whose a type is. Of several snapshots, or several types, the last of these counts. */
enum type_origin {
    ORIGIN_RUNTIME,
    ORIGIN_UNKNOWN, /* no module was told, or several */
    ORIGIN_PROGRAM
};

/* By the name or path of its module; NULL: unknown. */
enum type_origin type_origin_of(const char *module);

/* Of the objects of that name, over all snapshots that have any. */
enum type_origin type_origin_in(struct hd_snapshot *const *snaps, size_t count,
                                const char *name);

/* The array in which a thread keeps its static variables, and what a grown thread pool
 * has more of. */
#define THREAD_STATICS_ARRAY "System.Object[]"
#define THREAD_TYPE "System.Threading.Thread"
#define POOL_THREAD_TYPE "System.Threading.ThreadPoolWorkQueueThreadLocals"

/* What listens to the runtime's own events. The first heap walk of a process, or any
 * tracing, makes it describe them all, and it keeps that: growth by measuring. */
#define RUNTIME_LISTENER "System.Diagnostics.Tracing.NativeRuntimeEventSource"

/* Pools of buffers: what they hold is free for use and follows the peak load. */
bool is_buffer_pool(const char *type, enum type_origin origin);
bool is_pool_block(const char *type, enum type_origin origin);

#endif
