/* temporary.h - hold the file that a result is written to until it gets its name.
 *
 * There is one at a time. It is removed when the program ends, however that happens. It is
 * anonymous if the file system supports that (O_TMPFILE), so that the kernel frees it after
 * SIGKILL, too, except in the moment in which it replaces another file. Elsewhere its name
 * begins with a dot, so that a file left by SIGKILL is not read as a snapshot of its
 * folder. Must not depend on the content. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>

/* From now on a signal that ends the program first calls exit_hook(). Creating a file does
 * that as well. */
void temporary_listen(void);

/* Creates one in the folder of target, or of the file that it links to; see
 * trust_open_folder(). NULL with errno if that fails. */
FILE *temporary_open(const char *target);

/* After its fclose(): gives it that name, and replaces an existing file. False with errno
 * if that fails. */
bool temporary_rename(const char *target);

/* Opens another file, which is never named: it vanishes with the stream. On the file system
 * of `neighbor`, or of temporary files if that is unsuitable. NULL with errno. */
FILE *temporary_anonymous(const char *neighbor);

/* Removes it, unless it has been renamed. */
void temporary_remove(void);

/* Returns the shell command that deletes a folder, such as "rm -r"; NULL: each shell has
 * its own. */
const char *folder_remover(void);

#endif
