/* last_words.h - what has to be done before the process ends at once, out of memory, by a
 * signal, by a file that became shorter, and says why. The terminal may have to be given
 * back first, or nobody could read it; a folder may have to go. */
#ifndef LAST_WORDS_H
#define LAST_WORDS_H

/* From here on; NULL: nothing. It may be called in a handler of signals. */
void last_words_before(void (*what)(void));

/* Do it, once. */
void last_words(void);

#endif
