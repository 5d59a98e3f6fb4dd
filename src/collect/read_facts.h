/* read_facts.h - reads the facts of a live process from the system: memory by kind,
 * threads, descriptors (heapdrift.h; sources: docs/process.md). Does not stop or query the
 * process; the kernel locks its page tables for moments. */
#ifndef READ_FACTS_H
#define READ_FACTS_H

#include "base/text.h"
#include "heapdrift.h"

#include <sys/types.h>

/* Returns the facts; unreadable ones are unknown: without the right to inspect the process,
 * all except sizes and threads. O(mappings + descriptors + threads). */
struct hd_process_facts read_facts(pid_t pid);

/* --- kinds of memory ------------------------------------------------------------- */

enum block_kind {
    BLOCK_OF_FILE,
    BLOCK_SHARED,
    BLOCK_CODE,
    BLOCK_BRK,
    BLOCK_STACK,
    BLOCK_ARENA,
    BLOCK_PRIVATE, /* other anonymous memory */
    BLOCK_GC
};

/* A mapping of /proc/PID/smaps. */
struct memory_block {
    uint64_t start, end;
    uint64_t bytes;   /* resident or swapped */
    bool is_reserved; /* not accessible */
    enum block_kind kind;
};

/* Finds the collector's reservation, arenas and stacks among blocks of the kind
 * BLOCK_PRIVATE. Blocks ascend by address. O(count). */
void blocks_classify(struct memory_block *all, size_t count);

/* Stores sums per kind in facts; that of the collector if its reservation was found. */
void blocks_sum(const struct memory_block *all, size_t count,
                struct hd_process_facts *facts);

#endif
