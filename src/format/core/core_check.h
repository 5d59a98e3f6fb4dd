/* core_check.h - contradictions between parts of a process's memory that were read in ways
 * that do not depend on each other.
 *
 * A runtime that keeps something in another way than is known here rarely makes a read
 * fail: a list is short, a table is empty, and the snapshot lacks objects without a word.
 * Each check compares two sources. A dump that lacks memory (truncated, redacted) proves
 * nothing and is not asked. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

#include "format/core/core_roots.h"

struct core_facts {
    const struct gc_heap *heap; /* walked */
    const struct gc_globals *globals;
    const struct gc_threads *threads;
    struct clr_declared declared;
    struct clr_agreement agreement;
    /* NULL: no graph was built, so nothing is known of roots, nor of all types. */
    const struct core_roots *roots;
};

/* Returns what contradicts, "threads: ...; handles: ...", in a; NULL: nothing does. */
const char *core_check(const struct core_facts *f, struct arena *a);

#endif
