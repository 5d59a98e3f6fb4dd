/* object_words.h - values of one object as people and programs read them. It knows neither
 * tables nor JSON. */
#ifndef OBJECT_WORDS_H
#define OBJECT_WORDS_H

#include "base/text.h"
#include "heapdrift.h"

/* "static variable" for HD_ROOT_STATIC. */
void object_add_root_kind(struct text *t, enum hd_root_kind kind);

/* A value that is no reference: 17, -1, true, 'x', 0.1, NaN, 2026-11-24 15:04:05.1234567Z;
 * "null" of a Nullable without, "not known". */
void object_add_plain(struct text *t, const struct hd_field *f);

/* The same, with the member that an enum's value is: Blocked (2). */
void object_add_value(struct text *t, const struct hd_field *f);

/* A value as a cell of a table for programs: the member of an enum, text as it is; nothing
 * of what is hidden, and of references without. */
void object_add_cell(struct text *t, const struct hd_field *f);

/* Text between quotes, those in it and backslashes escaped, so that what is escaped later
 * cannot be mistaken; with "…" behind it where it goes on. */
void object_add_quoted(struct text *t, const char *s, bool is_cut);

#endif
