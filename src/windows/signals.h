/* signals.h - what ends the program, and who is told first. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <stdbool.h>

/* Of a handler of the console: whether what happened was blocked, and is there to be read.
 * What ends the program at once when its handler returns does not come back from here. */
bool signals_take(unsigned long what);

#endif
