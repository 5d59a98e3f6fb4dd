/* option_traits.h - what is the same wherever an option stands: the part of help that it
 * belongs to, and what its value can be. Help, completion and the message about a wrong
 * value are made of this. It does not take values: options.c. */
#ifndef OPTION_TRAITS_H
#define OPTION_TRAITS_H

#include "cli/options/options.h"

/* The parts of help, in their order. */
enum option_group {
    GROUP_PROCESS,
    GROUP_STORE,
    GROUP_COMPARED,
    GROUP_SHOWN,
    GROUP_RANKING,
    GROUP_CHAINS,
    GROUP_BUDGETS,
    GROUP_OUTPUT,
    GROUP_GENERAL,
    GROUP_COUNT
};

extern const char *const option_group_titles[GROUP_COUNT];

/* What completes a value; and what becomes of a file that it names (used_files.h). */
enum value_kind {
    VALUE_FREE,  /* a number, a size, a pattern: anything */
    VALUE_WORD,  /* one of the words */
    VALUE_HINTS, /* the words are examples */
    VALUE_FILE_READ,
    VALUE_FILE_WRITTEN,
    VALUE_STORE,    /* a file that is read and written, or a server */
    VALUE_FOLDER,   /* to write into */
    VALUE_SNAPSHOT, /* a file to write: a snapshot */
    VALUE_PID,
    VALUE_PROCESS, /* the name of a process */
    VALUE_SOCKET
};

enum option_group option_group_of(const struct option *o, const struct command *command);
enum value_kind option_value_kind(const struct option *o, const struct command *command);

/* Word number i that the value can be in that command; NULL behind the last. */
const char *option_word(const char *name, const struct command *command, size_t i);

/* The number of the word that the value is; -1, and s->wanted lists them: "a, b or c". */
int option_word_index(struct settings *s, const char *name, const char *value);

#endif
