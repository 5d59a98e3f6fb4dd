/* collect_writers.h - how a snapshot gets from a process into a file: as a trace, as a
 * gcdump of a trace or of its memory, as a core. When, and where to, collecting.h decides.
 */
#ifndef COLLECT_WRITERS_H
#define COLLECT_WRITERS_H

#include "cli/commands/output.h"
#include "cli/live/collecting.h"

/* What --core, --direct and the name of the file ask for; it takes a pointer to a struct
 * collecting. */
struct output_how collect_writer(const struct settings *s, const char *path);

/* A snapshot as a digest, into memory: nothing is on a disk, at no time. False after saying
 * why there is none, by the name in c->settings->output. */
bool collect_digest(struct collecting *c, struct hd_memory *digest);

/* Whether that is a core. */
bool collect_writes_core(const struct settings *s, const char *path);

/* Whether --tries, if it was given, has something to be tried; else says so. */
bool collect_can_retry(const struct settings *s);

#endif
