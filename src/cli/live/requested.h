/* requested.h - a series of which each snapshot is asked for: by a line on standard input.
 *
 * For people who press Enter, and for programs that look at their own heap: each line of
 * theirs is answered by one on standard output, the name of the finished file, or an empty
 * one where there is none, after the reason on standard error. */
#ifndef REQUESTED_H
#define REQUESTED_H

#include "cli/live/collecting.h"

/* Until standard input ends, a signal comes, or --count is reached. With --no-keep the
 * files lie in a folder of their own, and go with it in the end, also when whoever asks is
 * killed together with all of his process group. An exit status: EXIT_TROUBLE if one
 * failed, or there is none. */
int requested_collect(struct collecting *c);

#endif
