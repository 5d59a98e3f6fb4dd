/* format_units.h - appends names, chains and bars in the form that people read, as
 * base/say.h does for numbers. Must not depend on the place of output. */
#ifndef FORMAT_UNITS_H
#define FORMAT_UNITS_H

#include "base/say.h"
#include "chains/chains.h"
#include "heap/snapshot.h"

void format_others(struct text *t, uint64_t n); /* [1 other], [2 others] */

/* A bar per snapshot, from the smallest to the largest count. */
void format_trend(struct text *t, const struct hd_tally *at, size_t count);

/* Appends a share as a bar of at most `columns` columns, in eighths; no bar for zero. */
void format_bar(struct text *t, double share, unsigned columns);
/* Does the same with at most `most` bars: the first, the last, and a choice in between. */
void format_trend_of(struct text *t, const struct hd_tally *at, size_t count, size_t most);

/* Appends "App.Worker.RunAsync", or "Worker.RunAsync", for an object that is a call of this
 * async method; false, without output, for any other type. */
bool format_method(struct text *t, const char *type, bool short_name);

/* Appends the name without namespaces: List<Order> for System...List<MyApp.Order>. */
void format_short_name(struct text *t, const char *name);

/* The same for places: for a variable only the type is shortened, "[static var
 * List<Order>.s_all]". */
void format_short_place(struct text *t, const char *name);

/* Appends ".Log" after the name of the referring type; ".value" after an array, which has
 * its brackets already. Ignores a NULL field. */
void format_field(struct text *t, const char *type, const char *field);

/* True if frame f continues by another field than the one printed inside its repeats. */
bool format_leads_on(const struct hd_frame *f);

/* Appends a frame of a chain, "Session.Log"; "(A.b → B.a) ×2–9 .c" for a repeated
 * pattern. */
void format_frame(struct text *t, const struct hd_frame *f, bool short_names);

/* Appends s with its middle cut to one "…", to at most this many columns, counted in ASCII
 * form if that is printed. */
void format_shorten(struct text *t, const char *s, size_t len, size_t columns, bool ascii);

/* The same for the name of a type: namespaces are cut first, "…OrderPlaced". */
void format_shorten_name(struct text *t, const char *s, size_t len, size_t columns,
                         bool ascii);

/* A word of a shell command: quoted only if it must be. */
void format_shell_word(struct text *t, const char *word);

#endif
