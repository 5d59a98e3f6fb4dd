/* used_files.h - list the files that a command reads and writes: no output may replace
 * another file of the command; and the sandbox allows only these files. The command line
 * gives the list (options/named_files.h), output.c checks it before it writes.
 *
 * Files are identified by device and inode, so that links and other spellings of a path do
 * not matter; a missing file by folder and name, ignoring case, since the folder may. */
#ifndef USED_FILES_H
#define USED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The uses that a command has for a file; bits. */
enum file_use {
    FILE_READ = 1,
    FILE_WRITTEN = 2,
    FILE_INPUT = 4,     /* a snapshot, or a part of a fleet */
    FILE_STORE = 8,     /* by the library, with files next to it */
    FILE_APPENDED = 16, /* not replaced */
    FILE_DONE = 32      /* it was read before the command begins */
};

/* A file, or where one would be made: then device and number are those of the folder. */
struct file_identity {
    bool is_there, is_known; /* known: by device and number */
    uint64_t device, number;
    char *name; /* in the folder; NULL if the file exists */
};

struct used_file {
    const char *path;
    const char *option;            /* that names it; NULL: an operand */
    const char *what;              /* else: "is one of the snapshots" */
    int use;                       /* bits of enum file_use */
    struct file_identity identity; /* by used_files_add() */
};

/* {0} is empty; on the heap, so that copies of settings have the same list. */
struct used_files {
    struct used_file *all;
    size_t count;
    bool inputs_may_change; /* they may be written, too */
};

/* Adds a file; a path that is written, and the other texts, must live as long
 * as the list. */
void used_files_add(struct used_files *u, struct used_file file);

/* False after a message if an output is also another file of the list. Exceptions: the
 * baselines that check reads and writes. */
bool used_files_are_apart(const struct used_files *u);

enum { USED_FILE_REASON = 120 };

/* True if this command reads path, so that it must not be written; `why` is then the end of
 * a message: "is one of the snapshots; name another file". */
bool used_files_have(const struct used_files *u, const char *path,
                     char why[USED_FILE_REASON]);

/* NULL is fine. */
void used_files_free(struct used_files *u);

#endif
