/* exit_hook.h - how the process ends: its status, and what has to be done before it ends at
 * once, out of memory, by a signal, by a file that became shorter, and says why. The
 * terminal may have to be given back first, or nobody could read it; a folder may have to
 * go. */
#ifndef EXIT_HOOK_H
#define EXIT_HOOK_H

/* Exit status; where several apply the one that stands first here wins. */
enum { EXIT_TROUBLE = 2, EXIT_OVER = 1, EXIT_INCONCLUSIVE = 3, EXIT_DONE = 0 };

/* From here on; NULL: nothing. It may be called in a handler of signals. */
void exit_hook_before(void (*what)(void));

/* The same, after that: for the file that is written. */
void exit_hook_at_last(void (*what)(void));

/* Do both, once. */
void exit_hook(void);

#endif
