/* harm.h - what a snapshot may do to the process, and whether it did it.
 *
 * A runtime needs memory for a snapshot, and a process near the limit of its control group
 * is killed for that. Must not depend on how snapshots are taken. */
#ifndef HARM_H
#define HARM_H

#include "cli/guard/memory.h"
#include "heapdrift.h"

/* Bytes of a trace for each object, with its references, as docs/collect.md has it. */
enum { TRACE_BYTES = 54 };

struct harm {
    uint64_t pid;  /* 0: none was asked for a heap, or it is not visible */
    uint64_t born; /* hd_process_start() */
    struct memory_kills kills;
};

/* A process is about to be asked for its heap. Returns the bytes that it may take before it
 * is killed; HD_UNKNOWN. */
uint64_t harm_begin(struct harm *harm, uint64_t pid);

/* Returns what became of a process that ended since, after that error: "was killed ...", a
 * predicate. NULL if it runs, or none was asked. Waits for a moment if the process has let
 * go of us: its memory goes before its name. */
const char *harm_done(const struct harm *harm, const struct hd_error *err);

#endif
