/* phrases.h - the English that more than one format needs, made of what the model says.
 *
 * A model has numbers, enums and names; what people read of them is made here and nowhere
 * else, so that all formats say the same. Names are added as they are: what they may do to
 * a terminal or to Markdown is the writer's to know. */
#ifndef PHRASES_H
#define PHRASES_H

#include "report/format_units.h"
#include "report/report.h"

/* --- parts of sentences ---------------------------------------------------- */

/* Names that a file contains, short as a sentence wants them: a type without namespaces; a
 * name of which all parts count; a type by its whole name where that is short. */
struct say_part as_type(const char *name);
struct say_part as_whole_name(const char *name);
struct say_part as_long_type(const char *name);

/* "static s_all" of a variable; "static Shop.s_all" where it is known that Shop declares
 * it. r must live as long as the part. */
struct say_part as_variable(const struct hd_report *r, const char *name);

/* A variable, or a type by its whole name where that is short. */
struct say_part as_place(const struct hd_report *r, const char *name);

/* Behind a count: "Node object", "App.Node objects"; of a System.Object "object". */
struct say_part as_objects(const char *type, bool brief, uint64_t n);

/* The same of a name that was put together, which is freed. */
void sentence_add_name(struct sentence *s, struct text *name);

/* Words of others as a sentence: with a capital, and a full stop where it has no end. */
void sentence_add_words(struct sentence *s, struct text *words);

/* What was added to the words from there on is a sentence: its first letter is a capital.
 */
void sentence_capitalize(struct sentence *s, size_t from);

/* Who owns a chain, in the words of a verdict: "static s_all", "singleton PriceFeed",
 * "Session"; in the report's arena. NULL for NULL. */
const char *phrase_owner(struct hd_report *r, const char *type, enum hd_service service);

/* What of a suspect is counted, of the snapshots that can be compared. */
struct leak_counts {
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    size_t len;
};
struct leak_counts leak_counts_of(const struct hd_report *r, const struct hd_suspect *s);

/* Whether they are as many as after the first step, and yet retain more: an array that is
 * made larger again and again. */
bool leak_grows_in_size(const struct leak_counts *c);

/* "Shop.Session: 0 → 6,000 objects in 6 snapshots, +3.31 MiB, 66 % of the heap, kept alive
 * by static s_sessions". Of several each is brief. */
void phrase_leak(struct sentence *h, const struct hd_report *r, const struct hd_suspect *s,
                 bool brief);

/* Whether a type that was found wherever it is has had several owners: unless one has
 * nearly all that are left. */
bool phrase_has_changing_owners(const struct hd_suspect *s);

/* "static s_all → ConcurrentDictionary → … → Session  (new, 100 %)": the variable or the
 * kind of root, what is next to it or the owner, and the instances. Nothing if no chain is
 * known. */
void phrase_path(struct sentence *h, const struct hd_report *r, const struct hd_suspect *s);

/* Whether the snapshots themselves take the all-clear away from a series without suspects:
 * they are too few, samples, of several processes. */
bool phrase_has_doubts(const struct hd_report *r);

/* What of the heap does, as sentences: "Nothing is growing now. ..."; or nothing. */
void phrase_other_growth(struct sentence *h, const struct hd_report *r);

/* "in 6 snapshots over 2 min", "above 2 % of the heap in 6 snapshots": where no leak was
 * found. */
void phrase_none(struct sentence *h, const struct hd_report *r);

/* "high: 6 snapshots, +1,200 objects in every step"; why not high; for leaks of which size.
 */
void phrase_confidence(struct sentence *h, const struct hd_report *r);

/* The words, which are freed, as one more line of the verdict; label: a constant. */
struct hd_line *summary_add(struct hd_report *r, const char *label, struct sentence *h);

/* The verdict so far in one line: "LEAK Shop.Session: ...; LEAK ..." */
const char *summary_line(struct hd_report *r);

/* Say what a diff or a check comes to: r->summary, and the headline. Once all of it is
 * known. */
void report_summarize(struct hd_report *r);

/* --- what is counted ------------------------------------------------------ */

/* A clause, where core dumps are counted without what no root reaches. */
extern const char phrase_no_garbage[];

/* The same if a model does so, else NULL. */
const char *phrase_what_counts(const struct hd_model *m);

/* --- rules of a check ---------------------------------------------------- */

/* "type MyApp.*" */
void phrase_rule(struct text *t, const struct hd_finding *rule);

/* Where it is from: "heapdrift.yml:7", "option", "default". */
void phrase_source(struct text *t, const struct hd_finding *rule);

/* "+0 instances", "+5 % per step", "score below 2 %" */
void phrase_limit(struct text *t, const struct hd_finding *rule);

/* "+120 instances", "+3.1 % (+1.2 MiB)", "score 7.9 % (1.8 MiB)". False and nothing added
 * if it is not known. */
bool phrase_observed(struct text *t, const struct hd_finding *rule);

/* "objects" or "bytes": what its values count. */
const char *phrase_unit(const struct hd_finding *rule);

/* Why it is what it is, as a sentence. False and nothing added without a reason. */
bool phrase_reason(struct text *t, const struct hd_finding *rule);

/* --- growth -------------------------------------------------------------- */

/* "38 % of the heap came since snapshot 13, and nothing explains it; ..." since: from 0, of
 * which nothing is said. */
void phrase_open_growth(struct text *t, double share, size_t since);

/* "what grew by 12 % of the heap has stayed there: was the load still on?" */
void phrase_has_stopped(struct text *t, double share);

/* "2 suspects are hidden by --type, --exclude or --app-only"; of 0, that no type is shown.
 */
void phrase_hidden(struct text *t, size_t suspects);
/* "buffer pools and threads grew by 488 KiB, 71 % of the heap", and whether a pool is the
 * runtime's by its name only. */
void phrase_pools(struct text *t, const struct hd_growth *g);

/* Appends why a row is not a suspect although it grew like one: "it fills ever more slowly:
 * ..." */
void phrase_reservation(struct text *t, const struct hd_suspect *s);

/* "the process grew outside of its objects, 60.3 → 466 MiB in 6 snapshots: native memory 12
 * → 410 MiB, ...": where it is known to go on. */
void phrase_outside(struct text *t, const struct hd_process_growth *g);

/* The finding: how much free space there is, where, and between which objects. */
void phrase_free(struct text *t, const struct hd_free_growth *g);

/* Its growth with bars; nothing if it is no finding. */
void phrase_free_trend(struct sentence *h, const struct hd_report *r);

/* "60.3 MiB → 466 MiB, of it objects 0.5 %, native memory +398 MiB". Nothing where it did
 * not grow, or objects explain it. */
void phrase_process(struct sentence *h, const struct hd_report *r);

/* "native memory", "free between objects": a part of a process. */
const char *phrase_part(enum hd_process_part part);

/* "loaded assemblies rose in every step, 8 → 34; what they hold outside the heap is not
 * counted" */
void phrase_native(struct text *t, const struct hd_native *n);

/* The first that a check cannot pass over, or NULL. */
const struct hd_native *phrase_native_of(const struct hd_diff *d);

/* "no type matches App.Ordre; did you mean App.Order?" */
void phrase_no_match(struct text *t, enum hd_unit by, const struct hd_no_match *none);

/* "A leak of 25 objects and 76.1 KiB or more in these 5 steps would have shown; of fewer
 * objects, one of 1.49 MiB": what is not there would be. False and nothing added where
 * nothing would, and beside a verdict that does not clear the heap. */
bool phrase_power_of_verdict(struct text *t, const struct hd_report *r);

/* "[total]" of a table, or what it is when a view hides rows. */
const char *phrase_total(const struct hd_type_table *t);

/* --- warnings ------------------------------------------------------------ */

/* What no suspect holds, beside what they do explain; or open growth. */
void phrase_unexplained(struct text *t, const struct hd_growth *g, bool suspects);

/* What of a type has stayed, by the name that is shown: its count before and after, the
 * bytes and their share. */
void phrase_stopped(struct text *t, const struct hd_stopped *s, const char *name,
                    uint64_t first, uint64_t last);

void phrase_native_memory(struct text *t, const struct hd_native *n);

/* Which code allocated the objects of a suspect: "Shop.Checkout.Add (Checkout.cs:42) ←
 * Orders.Post   11 of 11 samples, in every interval", in that many columns if it can be; or
 * why nobody knows. Nothing if nobody sampled. */
void phrase_allocated(struct sentence *h, const struct hd_suspect *s, size_t columns);

/* The same of the suspect that a rule is about; nothing if it is about none. */
void phrase_rule_allocated(struct text *t, const struct hd_model *m,
                           const struct hd_finding *rule);

/* "Allocated in every interval, and all of it stays.": samples as a second witness. False,
 * and nothing said, if they are none. */
bool phrase_witness(struct text *t, const struct hd_suspect *s);

/* "Checkout.Add (Checkout.cs:42)" */
void phrase_code(struct sentence *h, const struct hd_code *code);

/* The class and the method of "Shop.Checkout.Add": "Checkout.Add". */
const char *short_method(const char *method);

/* The command that explains a hint. */
void phrase_hint_command(struct text *t, const char *id);

/* "total bytes: 5 is taken for 5 bytes", of a limit without a unit. */
void phrase_no_unit(struct text *t, const char *name, uint64_t bytes);

#endif
