/* command_line.h - from the words of the command line to settings. */
#ifndef COMMAND_LINE_H
#define COMMAND_LINE_H

#include "cli/options/settings.h"

/* Sets s->words, without the passwords of store URLs: pages print them. */
void settings_take_words(struct settings *s, const char **words, size_t count);

/* Parses argv[1..] as arguments of a command. False after a message on stderr.
 * settings_free() in any case. */
bool settings_parse(struct settings *s, const struct command *command, int argc,
                    const char **argv);
void settings_free(struct settings *s);

/* The command line with every @FILE replaced by the content of the file. */
struct arguments {
    const char **all; /* `count` words, then NULL */
    int count;
    bool ended; /* by "--": what begins with an @ is a file from then on */
    struct argument_file *files;
    size_t file_count;
};

/* Expands arguments up to a "--". Words in a file are separated by blanks and line ends and
 * may be quoted as in a shell; an @ in a file is an ordinary character. False after a
 * message on stderr if a file cannot be read. */
bool arguments_expand(struct arguments *a, int argc, char **argv);
void arguments_free(struct arguments *a);

/* --- the files of a command line --------------------------------------------- */

/* The files that a command line names: those of options, operands and
 * @FILEs, the store, and the heapdrift.yml that is found. Options give by their kind
 * (settings.h) what becomes of their files. */

/* Lists the files in s->used, also for s->sandbox. False after a message if an output is
 * also another file. Exceptions: the baselines that check reads and writes, and the inputs
 * and outputs of convert.
 *
 * The budget file of check or watch is searched for once, into its own options, in this
 * folder and its parents, up to the root of the repository (where .git is), or to a folder
 * of another owner or file system. The nearest file is used, in one folder heapdrift.yml
 * before heapdrift.yaml. trust.h checks whether it can be trusted. With --verbose the file
 * is reported, with those that were not used. */
bool named_files_begin(struct settings *s);

/* Adds a snapshot that was found in a folder. */
void named_files_add_input(const struct settings *s, const char *path);

#endif
