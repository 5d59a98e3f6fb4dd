/* last_resort.h - ends the program in a second after a signal, wherever it waits.
 *
 * Commands that collect block the signals that stop them, read them between two steps, and
 * leave in good order. A thread watches that they do: a program that opens a pipe without a
 * reader, or waits for a database, reads no signal. It then dies of the signal, without its
 * temporary file; sessions in other processes end with their connection.
 *
 * A process has one at most. A child has none until it begins its own. */
#ifndef LAST_RESORT_H
#define LAST_RESORT_H

#include <stdbool.h>

/* Watches a signalfd. Begun again, it changes nothing. */
void last_resort_begin(int signals);
void last_resort_end(void);

/* Returns the next signal of a signalfd, or 0. To be used in place of read(). */
int last_resort_signal(int signals);

/* For agents. While there are snapshots that are not stored, only a second signal ends the
 * program. */
void last_resort_hold(bool unsaved);

/* True: a signal stops what is in hand, which may take a second; false: it is stopped. */
void last_resort_leave(bool leaves);

#endif
