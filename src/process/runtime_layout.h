/* runtime_layout.h - at which offsets the structures of a .NET runtime keep what: from the
 * data descriptor that it carries, JSON (dotnet/runtime, docs/design/datacontracts), and
 * from a table of this version.
 *
 * Dumps of the heap alone lack the descriptor up to .NET 10, and .NET 8 has none. Offsets
 * have not changed within a major version. docs/formats/core-dump.md, "Runtime". */
#ifndef RUNTIME_LAYOUT_H
#define RUNTIME_LAYOUT_H

#include "process/runtime.h"

/* Globals that are pointers stand elsewhere, in a list; these are places in it. */
enum runtime_global {
    GLOBAL_APP_DOMAIN,
    GLOBAL_THREAD_STORE,
    GLOBAL_FREE_OBJECT,
    GLOBAL_CONTINUATION,
    GLOBAL_CONTINUATION_CLASS,
    GLOBALS
};
#define NO_GLOBAL UINT32_MAX

struct descriptor {
    struct runtime_layout at;
    uint32_t place[GLOBALS];
    unsigned version; /* of the description: 0 up to .NET 10, 2 since */
};

/* Nothing known. */
void descriptor_clear(struct descriptor *d);

/* Take over what the text tells; the rest stays. False and err: HD_BAD_FORMAT if it is no
 * descriptor; HD_UNSUPPORTED, naming it, for a version or a contract of a number that is
 * not known. */
bool descriptor_add(struct descriptor *d, const char *text, size_t size,
                    struct hd_error *err);

/* The first that is needed and not told, "Module.Base"; NULL: it is whole. */
const char *descriptor_lacks(const struct descriptor *d, struct arena *a);

/* True if both have the same offsets of everything that is read of their version. */
bool descriptor_same_layout(const struct runtime_layout *a, const struct runtime_layout *b);

/* --- tables -------------------------------------------------------------------- */

/* A version on a processor whose offsets are carried. */
struct runtime_table {
    unsigned major;
    uint32_t machine;
    unsigned positions[GLOBAL_FREE_OBJECT + 1]; /* of globals in g_dacTable */
};

/* Number i of the versions, newest first: its table there, else on x86-64; NULL behind the
 * last. */
const struct runtime_table *runtime_table_at(size_t i, const struct processor *p);

/* NULL: none of this version there. */
const struct runtime_table *runtime_table_of(unsigned major, const struct processor *p);

/* Take over all offsets of a table. */
void descriptor_add_table(struct descriptor *d, const struct runtime_table *t);

#endif
