/* code_files.h - reads the files of a process for its code: modules of the program itself,
 * and lines of its methods.
 *
 * Files are those of the process, in its own root, and may be replaced at any time
 * (proc.h, "files of others"); they are read in a child with a deadline. */
#ifndef CODE_FILES_H
#define CODE_FILES_H

#include "clr/clr.h"
#include "collect/proc.h"

/* An instruction of a method. */
struct code_place {
    uint32_t module; /* its number */
    struct clr_instruction at;
    const char *type, *method; /* its names in events, by which the module is checked */
};

struct code_files {
    const char *entry;          /* name of the entry assembly; NULL: unknown */
    const char *const *modules; /* paths as the process sees them */
    uint32_t module_count;
    const struct code_place *places; /* by module */
    size_t place_count;
};

struct code_file_line {
    const char *file; /* name without folders; NULL: unknown */
    uint32_t line;    /* from 1; 0: unknown */
    bool is_own;
};

/* Returns a line for each place; NULL if the program's own modules cannot be determined:
 * its files are unreadable, or bundled in one file. Allocated in a. Only own places have
 * lines. Takes usually some milliseconds, at most ten seconds. */
struct code_file_line *code_files_read(const struct code_files *asked,
                                       const struct target *t, const struct patience *p,
                                       struct arena *a);

#endif
