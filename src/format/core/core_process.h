/* core_process.h - what a core dump tells of the process that it is of. */
#ifndef CORE_PROCESS_H
#define CORE_PROCESS_H

#include "format/core/core.h"

/* Fill in snap's process, pid and runtime. The name of the program is that of its assembly,
 * as gcdumps have it, where the process still knows its command line; else what the kernel
 * calls it, "dotnet" perhaps. When the dump was taken it does not say. */
void core_process_describe(struct core *c, struct hd_snapshot *snap);

#endif
