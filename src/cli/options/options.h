/* options.h - what every option is called, which commands have it, and how its value is
 * taken. How the command line is cut into options: settings.c. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "cli/options/settings.h"

/* Take a value (NULL for a switch); NULL, or what it should have been. */
typedef const char *option_taker(struct settings *s, const char *value);

struct option {
    const char *name;
    char letter; /* 0: none */
    unsigned commands;
    const char *argument; /* NULL: a switch */
    const char *help;
    option_taker *take;
};

/* Whether the command takes it; those that only take it, for one set of options to go with
 * every command, have no use for it, and their help leaves it out. */
bool option_is_for(const struct option *o, const struct command *command);

/* Whether it may stand without its value, "--core", which is then the first of its words;
 * "--core full" is that and an operand. The argument is "[=KIND]". */
bool option_value_is_optional(const struct option *o);

/* In the order of --help. */
extern const struct option options[];
extern const size_t option_count;
enum { MOST_OPTIONS = 96 };

#endif
