/* last_words.h - what has to be done before the process says why it ends at once: out of
 * memory, a file that became shorter. The terminal may have to be given back first, or
 * nobody could read it. */
#ifndef LAST_WORDS_H
#define LAST_WORDS_H

/* From here on; NULL: nothing. It may be called in a handler of signals. */
void last_words_before(void (*what)(void));

/* Do it, once. */
void last_words(void);

#endif
