/* runtime_module.h - libcoreclr.so in a process image, or the program that contains it.
 *
 * Knows where it is, its symbols and its version; not what they mean. */
#ifndef RUNTIME_MODULE_H
#define RUNTIME_MODULE_H

#include "process/elf_image.h"
#include "process/process_image.h"

/* Whether a mapped file is the runtime, or a collector that DOTNET_GCName may choose. */
bool runtime_library_is(const char *path);

struct runtime_module {
    const char *path; /* of the mapping; NULL: not told */
    uint64_t base;
    bool is_program; /* it is the main program: a single file, or native */
    struct elf_image in_memory;
    bool has_file;
    struct elf_image in_file; /* as it would be loaded there; if has_file */
    struct memory file;
};

/* libcoreclr.so, else the main program. False: neither can be found. m stays where it is as
 * long as it is used. */
bool runtime_module_find(struct runtime_module *m, const struct process_image *image,
                         struct arena *a);

/* A symbol in the process; address 0: none. */
struct elf_symbol runtime_module_symbol(const struct runtime_module *m, const char *name);

/* "10.0.12", from the path of a shared framework, or what libcoreclr.so says of itself;
 * NULL unknown. */
const char *runtime_module_version(const struct runtime_module *m,
                                   const struct process_image *image, struct arena *a);

#endif
