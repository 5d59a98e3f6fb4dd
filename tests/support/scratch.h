/* scratch.h - a folder of its own for a test that needs files.
 *
 *     static struct scratch scratch;
 *     static void open_scratch(void) { scratch_open(&scratch); }
 *     static void remove_scratch(void) { scratch_remove(&scratch); }
 *     TestSuite(input, .init = open_scratch, .fini = remove_scratch);
 *
 * It is created in $TMPDIR or /tmp and removed with its contents. Any error fails the
 * test. */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "base/arena.h"

struct scratch {
    char folder[256];
    struct arena arena;
};

void scratch_open(struct scratch *s);

/* The path of name in the folder; it lives as long as the folder. */
const char *scratch_path(struct scratch *s, const char *name);

/* Writes a file, or makes a folder, and returns its path. */
const char *scratch_file(struct scratch *s, const char *name, const void *data,
                         size_t size);
const char *scratch_folder(struct scratch *s, const char *name);

void scratch_remove(struct scratch *s);

#endif
