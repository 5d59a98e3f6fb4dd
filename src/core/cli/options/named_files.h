/* named_files.h - the files that a command line names: those of options, operands and
 * @FILEs, the store, and the heapdrift.yml that is found. Options give by their kind
 * (settings.h) what becomes of their files. */
#ifndef NAMED_FILES_H
#define NAMED_FILES_H

#include "cli/options/settings.h"

/* Notes them in s->used, for s->sandbox too. False after saying so if one is to be written
 * that is also another of them. Two may be one: the baselines that check reads and writes,
 * and what convert reads and writes.
 *
 * The budget file of check or watch is looked for once, into its own options, in this
 * folder and its parents, up to the root of the repository (where .git is), or to a folder
 * of another owner or file system. The nearest file is taken, in one folder heapdrift.yml
 * before heapdrift.yaml. Whether somebody else decides what is in it is another question
 * (trust.h). With --verbose it is told which one was taken, and which others there are that
 * were not. */
bool named_files_begin(struct settings *s);

/* A snapshot that was found in a folder. */
void named_files_add_input(const struct settings *s, const char *path);

#endif
