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

struct runtime_table {
    unsigned major;
    const char *source; /* version of the file that it was made from */
    const char *json;   /* as a descriptor's, less what nobody asks for */
    unsigned app_domain, thread_store, free_object; /* positions in g_dacTable */
    struct {
        uint32_t machine;
        const char *json;
    } elsewhere[1]; /* on other processors than x86-64: what differs of json */
};

extern const struct runtime_table runtime_tables[]; /* newest first */
extern const size_t runtime_table_count;

/* NULL: none of this version. */
const struct runtime_table *runtime_table_of(unsigned major);

/* What is to be added to its json for that processor; NULL: not known. */
const char *runtime_table_on(const struct runtime_table *t, const struct processor *p);

#endif
