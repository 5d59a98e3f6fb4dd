/* runtime_names.h - the few names of the .NET runtime that the ranking knows.
 *
 * They belong to .NET 10 and stand here only, in one table with a test. A program may call
 * its own classes the same, in the same namespace: so its origin is asked for too. */
#ifndef RUNTIME_NAMES_H
#define RUNTIME_NAMES_H

#include "series/type_rank.h"

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
