/* terminal.h - show a grid on a real terminal, and read keys: the only user of curses.
 *
 * The terminal is restored on every exit: at the end, by signals that end or stop the
 * program, and if the process ends immediately (out of memory, a truncated file). Must not
 * depend on the content. */
#ifndef EXPLORE_TERMINAL_H
#define EXPLORE_TERMINAL_H

#include "cli/explore/explore.h"

/* True for a terminal that can be drawn on; else false after a message on stderr. */
bool terminal_is_there(void);

/* Sets up the terminal; colors: if it has some and they are wanted. False as above. */
bool terminal_begin(bool colors);
void terminal_end(void);

/* Its size now. */
void terminal_size(unsigned *width, unsigned *height);

void terminal_show(const struct grid *g);

/* Puts text on the user's clipboard, as far as the terminal accepts it. */
void terminal_copy(const char *text);

/* Returns the next key; PRESS_NOTHING after a tenth of a second without, or when the size
 * has changed. *ended: the signal that asks for the end, or 0. */
struct press terminal_key(int *ended);

#endif
