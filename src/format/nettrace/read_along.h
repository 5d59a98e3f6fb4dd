/* read_along.h - a trace that is still being written, read once while it comes.
 *
 * For the usual case, which a live process is: one heap walk, of one process, whole. Then
 * objects are in memory when the trace ends, and only references are left to be looked up.
 * It cannot be known before the end that a trace is that, so whatever is not, or does not
 * fit, is given up: the file is read again from its beginning by those who read any. */
#ifndef READ_ALONG_H
#define READ_ALONG_H

#include "format/nettrace/trace_reading.h"

/* Read r->in, which is growing, to its end: walk, header, end, types, the graph. False if
 * it is not such a trace; then nothing of r and its builder is of use. 21 bytes per object
 * while it comes, and 6 to 7 more for what refers to what. */
bool read_along(struct reading *r);

#endif
