/* suggest.h - the nearest right word for a mistyped one. */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <stddef.h>

/* The word of all, ended by NULL, that is fewest edits away, if few enough to be a
 * slip; else NULL. The first of several. */
const char *suggest(const char *word, const char *const *all);

#endif
