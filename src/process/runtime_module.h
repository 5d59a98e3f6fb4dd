/* runtime_module.h - libcoreclr.so or coreclr.dll in a process image, or the program that
 * contains it.
 *
 * Knows where it is, its symbols and its version; not what they mean. */
#ifndef RUNTIME_MODULE_H
#define RUNTIME_MODULE_H

#include "process/elf_image.h"
#include "process/pe_image.h"
#include "process/process_image.h"

/* Whether a mapped file is the runtime, or a collector that DOTNET_GCName may choose. */
bool runtime_library_is(const char *path);

/* Where its symbols are looked up: in memory, or in its file as it would be loaded. */
struct runtime_image {
    bool is_pe; /* which of the two it is */
    struct elf_image elf;
    struct pe_image pe;
};

const struct memory *runtime_image_memory(const struct runtime_image *i);

/* A symbol; address 0: none. Of a PE image its size is what is there behind it. */
struct elf_symbol runtime_image_symbol(const struct runtime_image *i, const char *name);

/* A pointer in it, as the loader leaves it. */
uint64_t runtime_image_pointer(const struct runtime_image *i, uint64_t address, bool *ok);

/* Whether a process without this runtime has that of .NET Framework, or is one of 32 bits
 * that Windows runs beside its libraries of 64. */
bool runtime_module_is_framework(const struct process_image *image);
bool runtime_module_is_32_bit(const struct process_image *image);

struct runtime_module {
    const char *path; /* of the mapping; NULL: not told */
    uint64_t base;
    bool is_program; /* it is the main program: a single file, or native */
    struct runtime_image in_memory;
    bool has_file;
    struct runtime_image in_file; /* as it would be loaded there; if has_file */
    struct memory file;
};

/* The library, else the main program. False: neither can be found. m stays where it is as
 * long as it is used. */
bool runtime_module_find(struct runtime_module *m, const struct process_image *image,
                         struct arena *a);

/* A symbol in the process; address 0: none. */
struct elf_symbol runtime_module_symbol(const struct runtime_module *m, const char *name);

/* "10.0.12", from the path of a shared framework, or what the library says of itself;
 * NULL unknown. */
const char *runtime_module_version(const struct runtime_module *m,
                                   const struct process_image *image, struct arena *a);

#endif
