/* read_facts.h - what a process takes at this moment, as the system says: memory by what it
 * is for, threads, descriptors. heapdrift.h has the facts; docs/process.md where each is
 * read. It asks the process nothing and stops it for nothing but what the kernel does to
 * read its page tables. */
#ifndef READ_FACTS_H
#define READ_FACTS_H

#include "base/text.h"
#include "heapdrift.h"

#include <sys/types.h>

/* What cannot be read stays unknown: without the right to look into the process that is
 * all but its size. */
struct hd_process_facts read_facts(pid_t pid);

/* --- by what it is for --------------------------------------------------------- */

enum block_kind {
    BLOCK_OF_FILE,
    BLOCK_SHARED,
    BLOCK_CODE,
    BLOCK_BRK,
    BLOCK_STACK,
    BLOCK_ARENA,
    BLOCK_PRIVATE, /* anonymous, and not known better */
    BLOCK_GC
};

/* A mapping of /proc/PID/smaps. */
struct memory_block {
    uint64_t start, end;
    uint64_t bytes;   /* resident or swapped */
    bool is_reserved; /* not accessible */
    enum block_kind kind;
};

/* Blocks ascending, private ones without a better name as BLOCK_PRIVATE: finds the
 * collector's reservation, arenas and stacks among them by how they lie. */
void blocks_classify(struct memory_block *all, size_t count);

/* Sums per kind into facts; of the collector only if its reservation was found. */
void blocks_sum(const struct memory_block *all, size_t count,
                struct hd_process_facts *facts);

#endif
