/* used_files.h - the files that a command line reads and writes: nothing may be written in
 * the place of what the same command reads, nor twice. The one owner of that question, for
 * every command: options say by their kind (options.h) what becomes of their files,
 * output.c asks before it writes.
 *
 * Files are one by device and inode, so that links and other ways to write a path do not
 * matter; of what is not there yet the folder and the name are compared, the name without
 * its case, since there may be none in that folder. */
#ifndef USED_FILES_H
#define USED_FILES_H

#include "cli/options/settings.h"

/* Note the files that options, operands and @FILEs name, and the heapdrift.yml that is
 * found. False after saying so if one is to be written that is also another of them. Two
 * may be one: the baselines that check reads and writes, and what convert reads and writes.
 */
bool used_files_begin(struct settings *s);

/* A snapshot that was found in a folder. */
void used_files_add(const struct settings *s, const char *path);

enum { USED_FILE_REASON = 120 };

/* Whether path is read by this command, so that it must not be written; then why says so:
 * "is one of the snapshots; name another file". */
bool used_files_have(const struct settings *s, const char *path,
                     char why[USED_FILE_REASON]);

/* NULL is fine. */
void used_files_free(struct used_files *used);

/* The budget file of check or watch that was found: a relative path, "" where there is none
 * or one was named.
 *
 * It is looked for once, in this folder and its parents, up to the root of the repository
 * (where .git is), or to a folder of another owner or file system. The nearest file is
 * taken, in one folder heapdrift.yml before heapdrift.yaml. Whether somebody else decides
 * what is in it is another question (trust.h). With --verbose it was told which one was
 * taken, and which others there are that were not. */
const char *used_files_config(const struct settings *s);

#endif
