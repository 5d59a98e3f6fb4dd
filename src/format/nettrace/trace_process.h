/* trace_process.h - which process a trace is of, and when it was taken. */
#ifndef TRACE_PROCESS_H
#define TRACE_PROCESS_H

#include "heap/snapshot.h"
#include "trace/nettrace.h"

#include "base/text.h"

/* Keep the command line out of its event. */
void trace_process_take(struct text *command, struct bytes payload);

/* The name of the program: of "/usr/bin/dotnet /app/Shop.dll --port 80" it is Shop. */
void trace_process_name(struct hd_snapshot *snap, struct text *command);

/* What was started, and nothing of its arguments, which may be secrets: of the same line
 * "/usr/bin/dotnet /app/Shop.dll". */
void trace_process_program(struct hd_snapshot *snap, struct text *command);

/* The time of ticks, UTC. */
void trace_process_time(struct hd_snapshot *snap, const struct trace_header *h,
                        uint64_t ticks);

#endif
