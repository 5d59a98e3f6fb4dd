/* collect_writers.h - how a snapshot gets from a process into a file: as a trace, as a
 * gcdump of a trace or of its memory, as a core. When, and where to, collecting.h decides.
 */
#ifndef COLLECT_WRITERS_H
#define COLLECT_WRITERS_H

#include "cli/collecting.h"
#include "cli/output.h"

/* What --core, --direct and the name of the file ask for; it takes a pointer to a struct
 * collecting. */
struct output_how collect_writer(const struct settings *s, const char *path);

/* Whether that is a core. */
bool collect_writes_core(const struct settings *s, const char *path);

#endif
