/* process_image.h - a process at one moment: its memory, its mapped files, its threads.
 *
 * Made of a core file (core_file.h) or of a process that stands still. It must not know
 * what a runtime is. */
#ifndef PROCESS_IMAGE_H
#define PROCESS_IMAGE_H

#include "process/memory.h"

/* Part of a file that is mapped: [start, end), from offset on. */
struct image_mapping {
    uint64_t start, end, offset;
    const char *path;
};

/* General registers in the kernel's order for x86-64 (user_regs_struct). */
enum { IMAGE_REGISTERS = 27, REGISTER_STACK = 19, REGISTER_FS_BASE = 21 };

struct image_thread {
    uint64_t id;
    uint64_t registers[IMAGE_REGISTERS];
};

struct process_image {
    struct memory memory;           /* with what was read from mapped files (core_file.h) */
    struct image_mapping *mappings; /* by start */
    size_t mapping_count;
    struct image_thread *threads; /* in the order of the dump */
    size_t thread_count;
    uint64_t pid;        /* HD_UNKNOWN if not told */
    const char *name;    /* the kernel's 15 characters, or NULL */
    const char *command; /* its arguments, perhaps cut; or NULL */
};

/* The mapping that an address lies in; NULL. O(log mappings). */
const struct image_mapping *image_mapping_at(const struct process_image *p,
                                             uint64_t address);

#endif
