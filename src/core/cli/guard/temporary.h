/* temporary.h - the file that a result is written to until it has its name.
 *
 * There is one at a time. It goes with the program, however that ends. It has no name
 * where the file system can do that (O_TMPFILE), so that SIGKILL leaves nothing either, but
 * for the moment in which it replaces another file. Elsewhere its name begins with a dot,
 * so that nobody takes what SIGKILL leaves for a snapshot of its folder. It does not know
 * what is written. */
#ifndef TEMPORARY_H
#define TEMPORARY_H

#include <stdbool.h>
#include <stdio.h>

/* From now on a signal that ends the program has exit_hook() said first. Making a file
 * does that as well. */
void temporary_listen(void);

/* Make one in the folder of target, or of what that is a link to; see trust_open_folder().
 * NULL with errno if that fails. */
FILE *temporary_open(const char *target);

/* After its fclose(): give it the name of that target, which replaces what is there. False
 * with errno if that fails. */
bool temporary_rename(const char *target);

/* Another one, which never gets a name: it goes with the stream. On the file system of
 * beside, or of temporary files where that is no place for files. NULL with errno. */
FILE *temporary_nameless(const char *beside);

/* Remove it, unless it has been renamed. */
void temporary_remove(void);

/* What a shell deletes a folder with, such as "rm -r"; NULL: each shell has its own. */
const char *folder_remover(void);

#endif
