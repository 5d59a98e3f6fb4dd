/* runtime_names.h - list the few names of the .NET runtime that the ranking depends on.
 *
 * They are those of .NET 10 and occur only here, in one table with a test. A program may
 * have classes with the same names and namespaces: so the origin is a parameter, too. */
#ifndef RUNTIME_NAMES_H
#define RUNTIME_NAMES_H

#include "series/type_rank.h"

/* The array in which a thread keeps its static variables, and the types of which a growing
 * thread pool has more. */
#define THREAD_STATICS_ARRAY "System.Object[]"
#define THREAD_TYPE "System.Threading.Thread"
#define POOL_THREAD_TYPE "System.Threading.ThreadPoolWorkQueueThreadLocals"

/* The listener of the runtime's own events. The first heap walk of a process, or any
 * tracing, makes it build and keep a description of all events: growth caused by
 * measuring. */
#define RUNTIME_LISTENER "System.Diagnostics.Tracing.NativeRuntimeEventSource"

/* Pools of buffers: what they hold is free for use and follows the peak load. */
bool is_buffer_pool(const char *type, enum type_origin origin);
bool is_pool_block(const char *type, enum type_origin origin);

#endif
