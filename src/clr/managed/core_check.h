/* core_check.h - contradictions between parts of a process's memory that were read in ways
 * that do not depend on each other.
 *
 * An unknown layout rarely makes a read fail: a list is short, a table is empty, and the
 * snapshot lacks objects silently. Each check compares two sources. Dumps without some of
 * the memory (truncated, redacted) are not checked. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

#include "clr/managed/core_roots.h"

struct core_facts {
    const struct gc_heap *heap; /* walked */
    const struct gc_globals *globals;
    const struct gc_threads *threads;
    struct clr_declared declared;
    struct clr_agreement agreement;
    const struct core_roots *roots;
    bool has_roots; /* false: no graph was built, so nothing is known of them, nor of all
                       types */
};

/* Returns what contradicts, "threads: ...; handles: ...", in a; NULL: nothing does. */
const char *core_check(const struct core_facts *f, struct arena *a);

#endif
