/* terminal.h - a grid on a real terminal, and its keys: the only user of curses.
 *
 * The terminal is given back on every way out: at the end, by signals that end or stop the
 * program, and where the process ends at once (out of memory, a file that became shorter).
 * It knows nothing of what is shown. */
#ifndef EXPLORE_TERMINAL_H
#define EXPLORE_TERMINAL_H

#include "cli/explore/explore.h"

/* False after saying on stderr that there is none, or none that can be drawn on. */
bool terminal_is_there(void);

/* Take the terminal; colors: if it has some and they are wanted. False as above. */
bool terminal_begin(bool colors);
void terminal_end(void);

/* Its size now. */
void terminal_size(unsigned *width, unsigned *height);

void terminal_show(const struct grid *g);

/* Put text on the clipboard of whoever sits there, as far as the terminal takes it. */
void terminal_copy(const char *text);

/* The next key; PRESS_NOTHING after a tenth of a second without, or when the size has
 * changed. *ended: the signal that asks for the end, or 0. */
struct press terminal_key(int *ended);

#endif
