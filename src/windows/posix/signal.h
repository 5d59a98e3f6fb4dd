/* Signals that Windows does not have: to ignore them is an error that nobody looks at. */
#ifndef WINDOWS_SIGNAL_H
#define WINDOWS_SIGNAL_H

#include_next <signal.h>

#define SIGPIPE 13
#define SIGXFSZ 25

#endif
