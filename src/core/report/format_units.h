/* format_units.h - names, chains and bars as people read them, appended to a text: what
 * base/say.h does for numbers. It does not know what is printed where. */
#ifndef FORMAT_UNITS_H
#define FORMAT_UNITS_H

#include "base/say.h"
#include "chains/chains.h"
#include "heap/snapshot.h"

void format_others(struct text *t, uint64_t n); /* [1 other], [2 others] */

/* A bar per snapshot, from the smallest to the largest count. */
void format_trend(struct text *t, const struct hd_tally *at, size_t count);

/* A share as a bar of so many columns at most, in eighths; nothing is no bar. */
void format_bar(struct text *t, double share, unsigned columns);
/* The same with at most so many bars: the first and the last, and as many between. */
void format_trend_of(struct text *t, const struct hd_tally *at, size_t count, size_t most);

/* "App.Worker.RunAsync", or "Worker.RunAsync", of the object that is a call of this async
 * method; false and nothing appended of any other type. */
bool format_method(struct text *t, const char *type, bool short_name);

/* The same without namespaces: List<Order> for System...List<MyApp.Order>. */
void format_short_name(struct text *t, const char *name);

/* The same of places: of a variable only the type, "[static var List<Order>.s_all]". */
void format_short_place(struct text *t, const char *name);

/* ".Log" behind the name of a type that leads on by that field; ".value" behind that of an
 * array, which has its brackets already; nothing for NULL. */
void format_field(struct text *t, const char *type, const char *field);

/* Whether frame f leads on by another field than the one that is told inside its repeats.
 */
bool format_leads_on(const struct hd_frame *f);

/* A frame of a chain, "Session.Log"; "(A.b → B.a) ×2–9 .c" for a repeated pattern. */
void format_frame(struct text *t, const struct hd_frame *f, bool short_names);

/* s cut in its middle, with one "…", to at most that many columns, which are those of its
 * ASCII form where that is printed. */
void format_shorten(struct text *t, const char *s, size_t len, size_t columns, bool ascii);

/* The same for the name of a type: its namespaces go first, "…OrderPlaced". */
void format_shorten_name(struct text *t, const char *s, size_t len, size_t columns,
                         bool ascii);

/* A word of a shell command: quoted only if it must be. */
void format_shell_word(struct text *t, const char *word);

#endif
