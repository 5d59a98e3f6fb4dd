/* runtime_tables.h - what runtimes that do not describe themselves, or not whole, look
 * like.
 *
 * Dumps of the heap alone lack the descriptor up to .NET 10, and .NET 8 has none. Offsets
 * have not changed within a major version. Made by scripts/runtime-table.py.
 * docs/formats/core-dump.md, "Runtime". */
#ifndef RUNTIME_TABLES_H
#define RUNTIME_TABLES_H

#include "process/processor.h"

#include <stddef.h>

/* What another processor or system than Linux on x86-64 has otherwise. */
struct runtime_elsewhere {
    uint32_t machine;
    unsigned free_object; /* position in g_dacTable; 0: the same */
    const char *json;     /* what differs of that of the table */
};

struct runtime_table {
    unsigned major;
    const char *source; /* version of the file that it was made from */
    const char *json;   /* as a descriptor's, less what nobody asks for */
    unsigned app_domain, thread_store, free_object; /* positions in g_dacTable */
    struct runtime_elsewhere elsewhere[2];
};

extern const struct runtime_table runtime_tables[]; /* newest first */
extern const size_t runtime_table_count;

/* NULL: none of this version. */
const struct runtime_table *runtime_table_of(unsigned major);

/* What is to be added to it for that processor; NULL: not known. */
const struct runtime_elsewhere *runtime_table_on(const struct runtime_table *t,
                                                 const struct processor *p);

#endif
