/* core_file.h - an ELF core as a process image.
 *
 * createdump, gcore and the kernel write them; what they leave out of mapped files is read
 * from disk where the file is still the one that was mapped (same build id). It must not
 * know what a runtime is. docs/formats/core-dump.md. */
#ifndef CORE_FILE_H
#define CORE_FILE_H

#include "process/process_image.h"

/* --- notes --------------------------------------------------------------------- */

/* What the notes of an ELF core tell: mapped files, threads, the program.
 *
 * As the kernel writes them (fs/binfmt_elf.c); createdump and gcore do the same. It must
 * not know of the memory in the core. docs/formats/core-dump.md. */

/* What the auxiliary vector (pairs of a type and a value) says: the address of the program
 * headers of the main program, the size of a page. 0: it does not. */
enum auxiliary { AUXILIARY_PROGRAM_HEADERS = 3, AUXILIARY_PAGE = 6 };

uint64_t core_auxiliary(struct bytes vector, enum auxiliary type);

/* --- the file ------------------------------------------------------------------ */

/* Of a process that is read without a file as well. */
extern const struct image_kind core_kind;

/* Whether these bytes begin a core; of whichever machine. */
bool core_file_is(struct bytes head);

/* file must stay as long as the image; arrays and what is taken from disk live in a. False
 * and err: HD_UNSUPPORTED for other machines, HD_BAD_FORMAT where the file is cut or wrong.
 * Nothing is allocated on the word of the file. */
bool core_file_open(struct process_image *p, struct bytes file, struct arena *a,
                    struct hd_error *err);

/* Release what was mapped from disk. */
void core_file_close(struct process_image *p);

#endif
