/* human.h - numbers and names as people read them, appended to a text.
 *
 * Unknown numbers are "-". It does not know what is printed where. */
#ifndef HUMAN_H
#define HUMAN_H

#include "analysis/chains.h"
#include "base/text.h"
#include "heap/snapshot.h"

void human_count(struct text *t, uint64_t n);                    /* 1,234,567 */
void human_delta(struct text *t, uint64_t first, uint64_t last); /* +1,234 */

/* 96 B, 1.84 MiB, 188 KiB: three digits, binary units. */
void human_size(struct text *t, uint64_t bytes);
/* The same with so many decimals more, for sizes that are to be told apart. */
void human_size_to(struct text *t, uint64_t bytes, unsigned more);
void human_size_delta(struct text *t, uint64_t first, uint64_t last);
void human_size_signed(struct text *t, int64_t bytes); /* +1.84 MiB */
void human_percent(struct text *t, double share);      /* 7.9 %, 31 % */

/* Two units at most: "45 s", "3 min 20 s", "2 h 10 min", "3 d 4 h". */
void human_duration(struct text *t, uint64_t seconds);

void human_plural(struct text *t, uint64_t n, const char *noun); /* 1 chain, 2 chains */
void human_others(struct text *t, uint64_t n);                   /* [1 other], [2 others] */

/* A bar per snapshot, from the smallest to the largest count. */
void human_trend(struct text *t, const struct hd_tally *at, size_t count);

/* A share as a bar of so many columns at most, in eighths; nothing is no bar. */
void human_bar(struct text *t, double share, unsigned columns);
/* The same with at most so many bars: the first and the last, and as many between. */
void human_trend_of(struct text *t, const struct hd_tally *at, size_t count, size_t most);

/* A name in valid UTF-8, control characters (C0, C1) visible: \t, \n, \x1b; and with
 * nothing that a build server takes for a command in a log: #\x23[error]. */
void human_name(struct text *t, const char *name);

/* "App.Worker.RunAsync", or "Worker.RunAsync", of the object that is a call of this async
 * method; false and nothing appended of any other type. */
bool human_method(struct text *t, const char *type, bool short_name);

/* The same without namespaces: List<Order> for System...List<MyApp.Order>. */
void human_short_name(struct text *t, const char *name);

/* ".Log" behind the name of a type that leads on by that field; ".value" behind that of an
 * array, which has its brackets already; nothing for NULL. */
void human_field(struct text *t, const char *type, const char *field);

/* Whether frame f leads on by another field than the one that is told inside its repeats.
 */
bool human_leads_on(const struct hd_frame *f);

/* A frame of a chain, "Session.Log"; "(A.b → B.a) ×2–9 .c" for a repeated pattern. */
void human_frame(struct text *t, const struct hd_frame *f, bool short_names);

/* s cut in its middle, with one "…", to at most that many columns, which are those of its
 * ASCII form where that is printed. */
void human_shorten(struct text *t, const char *s, size_t len, size_t columns, bool ascii);

/* The same for the name of a type: its namespaces go first, "…OrderPlaced". */
void human_shorten_name(struct text *t, const char *s, size_t len, size_t columns,
                        bool ascii);

/* A word of a shell command: quoted only if it must be. */
void human_shell_word(struct text *t, const char *word);

#endif
