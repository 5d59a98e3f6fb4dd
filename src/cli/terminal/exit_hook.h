/* exit_hook.h - what has to be done before the process ends at once, out of memory, by a
 * signal, by a file that became shorter, and says why. The terminal may have to be given
 * back first, or nobody could read it; a folder may have to go. */
#ifndef EXIT_HOOK_H
#define EXIT_HOOK_H

/* From here on; NULL: nothing. It may be called in a handler of signals. */
void exit_hook_before(void (*what)(void));

/* Do it, once. */
void exit_hook(void);

#endif
