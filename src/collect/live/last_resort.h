/* last_resort.h - ends the program within a second after a signal, wherever it waits.
 *
 * Commands that collect block the signals that stop them, read them between steps, and exit
 * cleanly. A thread checks that they do: a program that opens a pipe without a reader, or
 * waits for a database, reads no signal. It is then killed by the signal, after removing
 * its temporary file; sessions in other processes end with their connection.
 *
 * At most one per process. A child must start its own. */
#ifndef LAST_RESORT_H
#define LAST_RESORT_H

#include <stdbool.h>

/* Watches a signalfd. Repeated calls have no effect. */
void last_resort_begin(int signals);
void last_resort_end(void);

/* Returns the next signal of a signalfd, or 0. To be used in place of read(). */
int last_resort_signal(int signals);

/* For agents: while there are unsaved snapshots, only a second signal ends the program. */
void last_resort_hold(bool unsaved);

/* True: a signal cancels the current work, which may take a second; false: that has
 * ended. */
void last_resort_leave(bool leaves);

#endif
