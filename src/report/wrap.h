/* wrap.h - lines that fit a terminal, broken at arrows or at blanks. It does not know what
 * they say. */
#ifndef WRAP_H
#define WRAP_H

#include "base/text.h"

/* A chain broken at its arrows so that it fits: it begins at the given column, further
 * lines at indent. Frames that are still wider are shortened. No width is 0. Columns are
 * those of the ASCII form where that is printed. */
void wrap_arrows(struct text *t, const char *line, size_t len, size_t column, size_t indent,
                 unsigned width, bool ascii);

/* Words broken at blanks so that they fit. A word that is still wider stays whole: it may
 * be an address to be copied. */
void wrap_words(struct text *t, const char *words, size_t column, size_t indent,
                unsigned width, bool ascii);

/* A new line that begins at indent; blanks at the end of the one before go. */
void wrap_break(struct text *t, size_t indent);

#endif
