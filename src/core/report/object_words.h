/* object_words.h - values of an object as text for people and programs. Must not depend on
 * tables or JSON. */
#ifndef OBJECT_WORDS_H
#define OBJECT_WORDS_H

#include "base/text.h"
#include "heapdrift.h"

/* "static variable" for HD_ROOT_STATIC. */
void object_add_root_kind(struct text *t, enum hd_root_kind kind);

/* Appends a value that is not a reference: 17, -1, true, 'x', 0.1, NaN, 2026-11-24
 * 15:04:05.1234567Z; "null" for an empty Nullable, "not known". */
void object_add_plain(struct text *t, const struct hd_field *f);

/* Does the same with the member of an enum: Blocked (2). */
void object_add_value(struct text *t, const struct hd_field *f);

/* Appends a value as a cell of a table for programs: the member of an enum, text unchanged;
 * empty for hidden values, and for references without a text or a boxed value. */
void object_add_cell(struct text *t, const struct hd_field *f);

/* Appends text in quotes, with quotes and backslashes escaped, so that later escapes are
 * unambiguous; followed by "…" if it is cut. */
void object_add_quoted(struct text *t, const char *s, bool is_cut);

#endif
