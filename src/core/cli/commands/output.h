/* output.h - a report to where it belongs, whole or not at all. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include "cli/options/settings.h"
#include "cli/terminal/messages.h"

/* True if a name has that suffix, and something before it. */
bool output_ends_in(const char *path, const char *suffix);

/* True if the answer goes to standard output: no --output, or "-". */
bool output_is_standard(const struct settings *s);

/* How to write a thing to a file: false and err if that fails. */
struct output_how {
    bool (*write)(const void *thing, const struct settings *s, FILE *to,
                  struct hd_error *err);
    bool tells;       /* write prints the reason of a failure itself */
    bool is_private;  /* mode 0600 */
    bool never_waits; /* for a reader of a pipe: without one it fails */
};

/* Writes a thing to standard output (path NULL or "-") or, through a temporary file renamed
 * into place, to path. False after a message on stderr. */
bool output_file(const struct settings *s, const char *path, struct output_how how,
                 const void *thing);

/* Returns the style of a report that is written to that file, with the command and its
 * inputs. */
struct hd_write_options output_style(const struct settings *s, FILE *to);

/* Prints the warnings of a report to stderr. */
void output_warnings(const struct hd_report *report);

/* Prints the warnings of `info` about a snapshot, with that name: its file has a temporary
 * one yet. */
void output_warnings_of(struct hd_snapshot *snap, const char *name);

/* Prints the warnings to stderr (unless quiet, or they are in the result), writes the
 * report to standard output or, through a temporary file renamed into place, to --output.
 * False after a message on stderr. */
bool output_report(const struct settings *s, const struct hd_report *report,
                   bool warnings_are_in_it);

/* Returns the words for snapshots that lack objects, NULL without one. */
const char *output_partial(const struct hd_model *m);

/* Returns the exit status for the report: EXIT_OVER or EXIT_INCONCLUSIVE if the options
 * request them, else EXIT_DONE. */
int output_status(const struct settings *s, const struct hd_report *report);

/* "app.gcdump" becomes "app-3.gcdump"; malloc'd, or NULL. */
char *output_numbered(const char *path, uint32_t number);

#endif
