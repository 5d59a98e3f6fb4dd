/* completion.h - scripts that teach a shell the words of this program.
 *
 * They are made of the lists of commands, options and values, so that they cannot know less
 * than the program. Each shell is a file with one record. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include "cli/options/option_traits.h"

struct completion {
    const char *shell;
    void (*write)(FILE *to);
};

extern const struct completion completion_bash, completion_zsh, completion_fish;

/* What an operand of the command is. */
enum operand_kind {
    OPERAND_NONE,
    OPERAND_SNAPSHOT,
    OPERAND_PROCESS,
    OPERAND_COMMAND,
    OPERAND_SHELL
};
enum operand_kind completion_operand(const struct command *command);

/* Whether help of the command lists the option. */
bool completion_has(const struct command *command, const struct option *o);

/* How names of snapshots end, as "a|b|c" of a regular expression. */
#define SNAPSHOT_SUFFIXES \
    "gcdump|nettrace|core|dmp|netperf|txt|csv|tsv|json|zip|diagsession"
#define PACKED_SUFFIXES "gz|zst|xz|bz2"

/* Text between single quotes of a shell, without them; what is in special gets a backslash
 * before it. */
void completion_quote(FILE *to, const char *text, const char *special);

#endif
