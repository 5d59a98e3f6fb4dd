/* wrap.h - lines that fit a terminal, broken at arrows or at blanks. It does not know what
 * they say. */
#ifndef WRAP_H
#define WRAP_H

#include "base/text.h"

/* Where a chain begins and where its further lines do; how wide they may be, 0 for any
 * width; whether an element that is wider is shortened, or stays whole and goes over. */
struct wrap_room {
    size_t column, indent;
    unsigned width;
    bool is_hard;
    bool ascii; /* columns are those of the ASCII form, which is printed */
};

/* A chain broken at its arrows so that it fits. colors has the escape sequence of each
 * element between arrows, "" for none; or is NULL. */
void wrap_arrows(struct text *t, const char *line, size_t len, struct wrap_room room,
                 const char *const *colors);

/* How many arrows there are. */
size_t wrap_count_arrows(const char *line, size_t len);

/* Words broken at blanks so that they fit. A word that is still wider stays whole: it may
 * be an address to be copied. */
void wrap_words(struct text *t, const char *words, size_t column, size_t indent,
                unsigned width, bool ascii);

/* A new line that begins at indent; blanks at the end of the one before go. */
void wrap_break(struct text *t, size_t indent);

#endif
