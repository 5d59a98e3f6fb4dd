/* exit_hook.h - exit statuses, and the cleanup before the process ends immediately with a
 * message: out of memory, by a signal, by a truncated file. The terminal may have to be
 * restored first, so that the message is readable; a folder may have to be removed. */
#ifndef EXIT_HOOK_H
#define EXIT_HOOK_H

/* Exit status; the first that applies. */
enum { EXIT_TROUBLE = 2, EXIT_OVER = 1, EXIT_INCONCLUSIVE = 3, EXIT_DONE = 0 };

/* Sets the hook; NULL: no hook. It may be called in a signal handler. */
void exit_hook_before(void (*what)(void));

/* The same, after that: for the file that is written. */
void exit_hook_at_last(void (*what)(void));

/* Calls both, once. */
void exit_hook(void);

#endif
