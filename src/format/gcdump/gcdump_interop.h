/* gcdump_interop.h - the table of COM wrappers in a .gcdump file.
 *
 * Needed by no analysis, and copied as it is. Microsoft's reader fails on the whole file
 * where an address of the table overflows or a count exceeds the table, so a table is
 * walked before it is written. Layout: InteropInfo.FromStream() in PerfView's
 * GCHeapDump.cs. */
#ifndef GCDUMP_INTEROP_H
#define GCDUMP_INTEROP_H

#include "base/input.h"

#include <stdbool.h>

/* True if `table`, one InteropInfo object, can be read by others. O(bytes). */
bool gcdump_interop_is_readable(struct bytes table);

#endif
