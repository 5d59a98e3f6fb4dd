/* dump_file.h - the file that a runtime writes its dump to, which sees other folders than
 * we do, perhaps as another user. It must not know how it is asked to. */
#ifndef DUMP_FILE_H
#define DUMP_FILE_H

#include "collect/proc.h"

struct dump_file {
    const char *path; /* as the process sees it */
    const char *ours; /* to be removed when the runtime has begun; NULL: nothing is */
    struct target of; /* whose folder that is in */
    bool is_apart;    /* it is not the one that is wanted, and copied there */
    int fd;           /* reads what is written there; -1 */
};

/* Make it, empty, of mode 0600 and for the user of the process: `to` itself if that has a
 * name there, else beside its socket. There it is made, and removed, with the rights of
 * that user (CAP_SETUID), who may have put anything in the place of the folder. Strings
 * live in the arena. dump_file_close() in any case. */
bool dump_file_open(struct dump_file *f, const struct target *t, FILE *to,
                    struct arena *arena, struct hd_error *err);

/* Bytes that are there by now. From the first on a file beside the socket needs its name no
 * more, and loses it. */
uint64_t dump_file_size(struct dump_file *f);

/* See that it is a core, and have it in `to`. */
bool dump_file_copy_to(struct dump_file *f, FILE *to, struct hd_error *err);
void dump_file_close(struct dump_file *f);

#endif
