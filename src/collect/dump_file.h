/* dump_file.h - the file that a runtime writes its dump to; the runtime may see other
 * folders, and be another user. Must not depend on the dump command. */
#ifndef DUMP_FILE_H
#define DUMP_FILE_H

#include "collect/proc.h"

struct dump_file {
    const char *path; /* as the process sees it */
    const char *ours; /* to be removed after the runtime has opened it; or NULL */
    struct target of; /* process whose view the folder belongs to */
    bool is_apart;    /* a separate file, to be copied to the requested one */
    int fd;           /* for reading what is written; -1 */
};

/* Creates the file, empty, with mode 0600 and owned by the user of the process: `to` itself
 * if the process can name it, else a file next to its socket. The latter is created and
 * removed with the rights of the user (CAP_SETUID), who may have replaced the folder.
 * Strings are allocated in the arena. Call dump_file_close() in any case. */
bool dump_file_open(struct dump_file *f, const struct target *t, FILE *to,
                    struct arena *arena, struct hd_error *err);

/* Returns the bytes written so far. After the first byte a file next to the socket is
 * unlinked. */
uint64_t dump_file_size(struct dump_file *f);

/* Checks that it is a core, and copies it to `to` if necessary. */
bool dump_file_copy_to(struct dump_file *f, FILE *to, struct hd_error *err);
void dump_file_close(struct dump_file *f);

#endif
