/* ascii.h - what is printed of UTF-8 where only ASCII can be shown.
 *
 * Arrows, bars, dashes and lines of trees have a plain form; any other character is written
 * as its number, "caf\u{e9}". It does not know what the text says. */
#ifndef ASCII_H
#define ASCII_H

#include "base/text.h"

/* The same text in ASCII. */
void text_add_ascii(struct text *t, const char *s, size_t len);

/* The columns that s takes when it is printed: those of its ASCII form, or of itself. */
size_t printed_columns(const char *s, size_t len, bool ascii);

#endif
