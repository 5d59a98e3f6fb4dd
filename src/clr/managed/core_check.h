/* core_check.h - finds contradictions between independently read parts of a process's
 * memory.
 *
 * An unknown layout rarely makes a read fail: a list is short, a table is empty, and the
 * snapshot lacks objects silently. Each check compares two sources. Dumps that lack some of
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
    bool has_roots; /* false: no graph was built, so roots are unknown, and not all types
                       were read */
};

/* Returns the contradictions, "threads: ...; handles: ...", in a; or NULL. */
const char *core_check(const struct core_facts *f, struct arena *a);

#endif
