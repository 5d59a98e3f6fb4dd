/* arguments.h - the command line with every @FILE replaced by what the file says. */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stdbool.h>

struct arguments {
    const char **all; /* argc of them, then NULL */
    int count;
    bool ended;   /* by "--": what begins with an @ is a file from then on */
    void **owned; /* files that were read in */
    int owned_count;
    const char **files; /* their names */
    int file_count;
};

/* Up to a "--". Words in a file are separated by blanks and line ends and may be quoted as
 * in a shell; an @ in a file is an ordinary character. False after saying on stderr which
 * file cannot be read. */
bool arguments_expand(struct arguments *a, int argc, char **argv);
void arguments_free(struct arguments *a);

#endif
