/* memory.h - how much memory this process may expect to get. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the bytes available without swapping, in this control group and its ancestors,
 * and within the limits of this process; HD_UNKNOWN if the system does not report it. root
 * is "", or the folder with a test's own /proc and /sys. */
uint64_t memory_available(const char *root);

/* Returns the smallest limit in bytes of the control groups of a process; HD_UNKNOWN
 * without one. Unless `used` is NULL it is set to the bytes used by that group, without
 * reclaimable caches; HD_UNKNOWN without a limit. */
uint64_t memory_limit(const char *root, uint64_t pid, uint64_t *used);

/* Returns the bytes that the groups of a process have left of their limits now, reclaimable
 * caches included; HD_UNKNOWN without a limit. */
uint64_t memory_left(const char *root, uint64_t pid);

/* Returns the bytes that a process may allocate before it is killed or made to wait for
 * memory: by its groups, memory.high included, and by the memory of the system. HD_UNKNOWN
 * if both are unknown. */
uint64_t memory_spare(const char *root, uint64_t pid);

/* True if a process is in a group of this one that has a limit, so that both share the
 * memory. */
bool memory_is_shared(const char *root, uint64_t pid);

/* The number of processes that the kernel has killed for lack of memory, at a moment. */
struct memory_kills {
    char path[4096];              /* file with the count of the group */
    uint64_t in_group, in_system; /* HD_UNKNOWN if the kernel does not count */
};

/* Counts those in the group of a process. */
void memory_kills_see(const char *root, uint64_t pid, struct memory_kills *kills);

/* True if the number has risen: that of the group, or, if it was removed, of the system. */
bool memory_kills_rose(const char *root, const struct memory_kills *kills);

/* Returns the resident memory (RSS) of a process in bytes; HD_UNKNOWN if it is not
 * visible. */
uint64_t memory_resident(const char *root, uint64_t pid);

/* Returns the limit in bytes for this process set by a shell or a unit, and the name of the
 * smallest: "ulimit -v". HD_UNKNOWN without one. */
uint64_t memory_process_limit(const char **what);

/* Returns arrays of megabytes to the system when they are freed. Otherwise glibc keeps
 * them, up to a size that grows with the largest freed so far, and --memory does not
 * include them. Smaller ones are in huge pages. Call it before the first large array. */
void memory_give_back_large(void);

/* For long-running commands: one malloc arena, and free memory is returned to the system
 * now. Otherwise glibc keeps an arena per thread, each at its peak size. */
void memory_keep_little(void);
void memory_give_back(void);

/* The default limit: three quarters of the available memory, at least 1 byte; 0 (unlimited)
 * if that is HD_UNKNOWN. */
uint64_t memory_usual_limit(uint64_t available);

/* --- files that become shorter ----------------------------------------------- */

/* Explain a file that is truncated while it is read.
 *
 * The library maps large files. Touching a page that another process has cut off raises
 * SIGBUS, whose handler cannot return: the program prints the name of the file and ends. A
 * library leaves that to its program, since there is one handler per process. */

/* Handles SIGBUS from now on. */
void lost_pages_explain(void);

#endif
