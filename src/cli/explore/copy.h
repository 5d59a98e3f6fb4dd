/* copy.h - what `c` puts on the clipboard: what the cursor is on, and the escape sequence
 * by which a terminal takes it, also through ssh (OSC 52 of xterm). And what a view lists,
 * as a file: Markdown as it is seen, or CSV with exact numbers.
 *
 * What is copied are names from a file: without control characters, so that pasting them
 * runs nothing. It writes to no terminal. */
#ifndef EXPLORE_COPY_H
#define EXPLORE_COPY_H

#include "cli/explore/explore.h"

/* What terminals take: 100,000 characters of base64. */
enum { COPY_MOST = 74994 };

/* Leave what the cursor is on in e->copied, and say so in the line at the bottom; or say
 * why not. */
void copy_row(struct explore *e);

/* The same of the chain that keeps it alive. */
void copy_chain(struct explore *e);

/* The sequence for a text. Below tmux it is sent twice, to tmux and through it: which of
 * the two it takes is set there (set-clipboard, allow-passthrough). */
void copy_put_sequence(const char *text, bool in_tmux, struct hd_sink to);

enum exported { EXPORTED, EXPORT_EXISTS, EXPORT_FAILED };

/* All rows of the view that is open. why says what was written, or what went wrong. A file
 * that is there is replaced only if that is wanted; none is left half written. The suffix
 * of the name decides on the format. */
enum exported export_view(struct explore *e, const char *path, bool replace, char *why,
                          size_t size);

#endif
