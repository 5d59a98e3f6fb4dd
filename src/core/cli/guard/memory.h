/* memory.h - how much memory this process may expect to get. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes available without swapping, in this control group and those around it, and within
 * the limits of this process; HD_UNKNOWN when the system does not say. root is "", or the
 * folder below which a test has its own /proc and /sys. */
uint64_t memory_available(const char *root);

/* Returns the bytes that the control groups of a process allow it, by the group that allows
 * least; HD_UNKNOWN without a limit. Unless `used` is NULL it gets the bytes that are used
 * of that group, without caches that are given up; HD_UNKNOWN without a limit. */
uint64_t memory_limit(const char *root, uint64_t pid, uint64_t *used);

/* What the groups of a process leave of their limits now, caches that they would give up
 * not counted; HD_UNKNOWN without a limit. */
uint64_t memory_left(const char *root, uint64_t pid);

/* Bytes that a process may take before it is killed or made to wait for memory: by its
 * groups, memory.high included, and by what the system has. HD_UNKNOWN if nothing is known.
 */
uint64_t memory_spare(const char *root, uint64_t pid);

/* True if a process is in a group of this one that has a limit, so that what this one takes
 * is gone for it. */
bool memory_is_shared(const char *root, uint64_t pid);

/* The number of processes that the kernel has killed for lack of memory, at a moment. */
struct memory_kills {
    char path[4096];              /* of the count of one group */
    uint64_t in_group, in_system; /* HD_UNKNOWN if the kernel does not count */
};

/* Counts those in the group of a process. */
void memory_kills_see(const char *root, uint64_t pid, struct memory_kills *kills);

/* True if there are more now: of that group, or, if it is gone, of all. */
bool memory_kills_rose(const char *root, const struct memory_kills *kills);

/* What a process has in memory (RSS), in bytes; HD_UNKNOWN if it cannot be seen. */
uint64_t memory_resident(const char *root, uint64_t pid);

/* Bytes that this process may have, whatever is used, by the limits that a shell or a unit
 * sets, and what sets the smallest: "ulimit -v". HD_UNKNOWN without one. */
uint64_t memory_process_limit(const char **what);

/* Arrays of megabytes go back to the system when they are freed. Else glibc keeps them,
 * larger ones the more of them it has seen, and --memory knows nothing of that. */
void memory_give_back_large(void);

/* For who works again and again and rests between: the heap of the C library is one, and
 * what is free in it goes back to the system now. Else glibc keeps one for each thread that
 * there ever was, each as large as what it once needed. */
void memory_keep_little(void);
void memory_give_back(void);

/* What may be used when nobody says: most of it, and never 0, which would be no limit. */
uint64_t memory_usual_limit(uint64_t available);

/* --- files that become shorter ----------------------------------------------- */

/* What the program says when a file becomes shorter while it is read.
 *
 * The library maps large files. Touching what another process has cut off raises SIGBUS,
 * which nothing can return from: the program says which file it was and ends. A library
 * leaves that to its program, since there is one handler per process. */

/* From here on. */
void lost_pages_explain(void);

#endif
