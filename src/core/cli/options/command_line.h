/* command_line.h - from the words of the command line to settings. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include "cli/options/settings.h"

/* Make these s->words, each URL of a store without its password: pages tell them. */
void settings_take_words(struct settings *s, const char **words, size_t count);

/* Read argv[1..] as arguments of a command. False after saying on stderr what is
 * wrong with them. settings_free() in any case. */
bool settings_parse(struct settings *s, const struct command *command, int argc,
                    const char **argv);
void settings_free(struct settings *s);

/* The command line with every @FILE replaced by what the file says. */
struct arguments {
    const char **all; /* count of them, then NULL */
    int count;
    bool ended; /* by "--": what begins with an @ is a file from then on */
    struct argument_file *files;
    size_t file_count;
};

/* Up to a "--". Words in a file are separated by blanks and line ends and may be quoted as
 * in a shell; an @ in a file is an ordinary character. False after saying on stderr which
 * file cannot be read. */
bool arguments_expand(struct arguments *a, int argc, char **argv);
void arguments_free(struct arguments *a);

/* --- the files of a command line --------------------------------------------- */

/* The files that a command line names: those of options, operands and
 * @FILEs, the store, and the heapdrift.yml that is found. Options give by their kind
 * (settings.h) what becomes of their files. */

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
