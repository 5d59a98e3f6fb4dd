/* phrases.h - the English phrases shared by several formats, made from the model.
 *
 * A model has numbers, enums and names; only this file turns them into text for people, so
 * all formats agree. Names are added unescaped: escapes for a terminal or for Markdown are
 * the writer's task. */
#ifndef PHRASES_H
#define PHRASES_H

#include "report/format_units.h"
#include "report/report.h"

/* --- parts of sentences ---------------------------------------------------- */

/* Names from a file in the short form for a sentence: a type without namespaces; a name in
 * which all parts matter; a type by its whole name if that is short. */
struct say_part as_type(const char *name);
struct say_part as_whole_name(const char *name);
struct say_part as_long_type(const char *name);

/* "static s_all" for a variable; "static Shop.s_all" if Shop is known to declare it. r must
 * outlive the part. */
struct say_part as_variable(const struct hd_report *r, const char *name);

/* A variable, or a type by its whole name where that is short. */
struct say_part as_place(const struct hd_report *r, const char *name);

/* After a count: "Node object", "App.Node objects"; "object" for System.Object. */
struct say_part as_objects(const char *type, bool brief, uint64_t n);

/* The same for a composed name, which is freed. */
void sentence_add_name(struct sentence *s, struct text *name);

/* Appends text from elsewhere as a sentence: with a capital, and a full stop if it lacks
 * one. */
void sentence_add_words(struct sentence *s, struct text *words);

/* Capitalizes the first letter of the words added from `from` on. */
void sentence_capitalize(struct sentence *s, size_t from);

/* Returns the owner of a chain in the words of a verdict: "static s_all", "singleton
 * PriceFeed", "Session"; in the report's arena. NULL for NULL. */
const char *phrase_owner(struct hd_report *r, const char *type, enum hd_service service);

/* The counted objects of a suspect, in the snapshots that can be compared. */
struct leak_counts {
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    size_t len;
};
struct leak_counts leak_counts_of(const struct hd_report *r, const struct hd_suspect *s);

/* True if the count is the same as after the first step, but retained bytes grew: an array
 * that is reallocated again and again. */
bool leak_grows_in_size(const struct leak_counts *c);

/* Appends "Shop.Session: 0 → 6,000 objects in 6 snapshots, +3.31 MiB, 66 % of the heap,
 * kept alive by static s_sessions". brief: for one of several leaks. */
void phrase_leak(struct sentence *h, const struct hd_report *r, const struct hd_suspect *s,
                 bool brief);

/* True if a type was found as a whole, without an owner of nearly all of its objects. */
bool phrase_has_changing_owners(const struct hd_suspect *s);

/* Appends "static s_all → ConcurrentDictionary → … → Session  (new, 100 %)": the variable
 * or the kind of root, the object next to it or the owner, and the instances. Nothing
 * without a chain. */
void phrase_path(struct sentence *h, const struct hd_report *r, const struct hd_suspect *s);

/* True if the snapshots rule out an all-clear for a series without suspects: too few,
 * samples, or several processes. */
bool phrase_has_doubts(const struct hd_report *r);

/* Appends sentences on growth that is not a leak, if any: "Nothing is growing now. ...". */
void phrase_other_growth(struct sentence *h, const struct hd_report *r);

/* Appends the scope of an all-clear: "in 6 snapshots over 2 min", "above 2 % of the heap in
 * 6 snapshots". */
void phrase_none(struct sentence *h, const struct hd_report *r);

/* Appends "high: 6 snapshots, +1,200 objects in every step"; why it is not high; the size
 * of leaks that would show. */
void phrase_confidence(struct sentence *h, const struct hd_report *r);

/* Adds a line to the verdict; frees the words; label is a constant. */
struct hd_line *summary_add(struct hd_report *r, const char *label, struct sentence *h);

/* Returns the verdict so far in one line: "LEAK Shop.Session: ...; LEAK ..." */
const char *summary_line(struct hd_report *r);

/* Makes r->summary and the headline of a diff or a check. Must be called when the report is
 * complete. */
void report_summarize(struct hd_report *r);

/* --- counted objects ------------------------------------------------------ */

/* A clause for core dumps, in which unreachable objects are not counted. */
extern const char phrase_no_garbage[];

/* Returns that clause if it applies to the model, else NULL. */
const char *phrase_what_counts(const struct hd_model *m);

/* --- rules of a check ---------------------------------------------------- */

/* "type MyApp.*" */
void phrase_rule(struct text *t, const struct hd_finding *rule);

/* Appends the source of the rule: "heapdrift.yml:7", "option", "default". */
void phrase_source(struct text *t, const struct hd_finding *rule);

/* "+0 instances", "+5 % per step", "score below 2 %" */
void phrase_limit(struct text *t, const struct hd_finding *rule);

/* Appends "+120 instances", "+3.1 % (+1.2 MiB)", "score 7.9 % (1.8 MiB)". False, without
 * output, if unknown. */
bool phrase_observed(struct text *t, const struct hd_finding *rule);

/* "objects" or "bytes": the unit of its values. */
const char *phrase_unit(const struct hd_finding *rule);

/* Appends the reason of its status, as a sentence. False, without output, for
 * HD_REASON_NONE. */
bool phrase_reason(struct text *t, const struct hd_finding *rule);

/* --- growth -------------------------------------------------------------- */

/* Appends "unexplained growth: 38 % of the heap since snapshot 13; ...". since: from 0,
 * which is not printed. */
void phrase_open_growth(struct text *t, double share, size_t since);

/* Appends "the heap grew by 12 %, then leveled off; was the load still running?". */
void phrase_has_leveled_off(struct text *t, double share);

/* Appends "2 suspects are hidden by --type, --exclude or --app-only"; for 0, that no type
 * is shown. */
void phrase_hidden(struct text *t, size_t suspects);
/* Appends "buffer pools and threads grew by 488 KiB, 71 % of the heap", and whether a pool
 * is the runtime's by name only. */
void phrase_pools(struct text *t, const struct hd_growth *g);

/* Appends why a row is not a suspect although it grew like one: "it fills ever more slowly:
 * ..." */
void phrase_reservation(struct text *t, const struct hd_suspect *s);

/* Appends "the process grew outside of its objects, 60.3 → 466 MiB in 6 snapshots: native
 * memory 12 → 410 MiB, ...", for growth that continues. */
void phrase_outside(struct text *t, const struct hd_process_growth *g);

/* Appends the finding: the size of free space, its generation, and the objects around
 * it. */
void phrase_free(struct text *t, const struct hd_free_growth *g);

/* Appends the growth of free space with bars, if it is a finding. */
void phrase_free_trend(struct sentence *h, const struct hd_report *r);

/* Appends "60.3 MiB → 466 MiB ▁▄█ +406 MiB, objects 0.5 %, native memory +398 MiB". Nothing
 * if the process did not grow, or objects explain it. */
void phrase_process(struct sentence *h, const struct hd_report *r);

/* The name of a part of a process: "native memory", "free between objects". */
const char *phrase_part(enum hd_process_part part);

/* Appends "loaded assemblies rose in every step, 8 → 34; what they hold outside the heap is
 * not counted". */
void phrase_native_memory(struct text *t, const struct hd_native_memory *n);

/* Returns the first one that a check must not ignore, or NULL. */
const struct hd_native_memory *phrase_native_memory_of(const struct hd_diff *d);

/* "no type matches App.Ordre; did you mean App.Order?" */
void phrase_no_match(struct text *t, enum hd_unit by, const struct hd_no_match *none);

/* Appends "A leak of 25 objects and 76.1 KiB or more in these 5 steps would have shown; of
 * fewer objects, one of 1.49 MiB". False, without output, if no leak would show, or the
 * verdict is not an all-clear. */
bool phrase_power_of_verdict(struct text *t, const struct hd_report *r);

/* "[total]" of a table, or its name in a view that hides rows. */
const char *phrase_total(const struct hd_type_table *t);

/* --- warnings ------------------------------------------------------------ */

/* Appends growth outside of the suspects, next to growth that they explain; or growth
 * without an explanation. */
void phrase_unexplained(struct text *t, const struct hd_growth *g, bool suspects);

/* Appends the growth of a type that leveled off, by its displayed name: its count before
 * and after, the bytes and their share. */
void phrase_leveled_off(struct text *t, const struct hd_leveled_off *s, const char *name,
                        uint64_t first, uint64_t last);

void phrase_native_warning(struct text *t, const struct hd_native_memory *n);

/* Appends the code that allocated the objects of a suspect: "Shop.Checkout.Add
 * (Checkout.cs:42) ← Orders.Post   11 of 11 samples, in every interval", within `columns`
 * columns if possible; or why it is unknown. Nothing if not sampled. */
void phrase_allocated(struct sentence *h, const struct hd_suspect *s, size_t columns);

/* The same for the suspect of a rule, if any. */
void phrase_rule_allocated(struct text *t, const struct hd_model *m,
                           const struct hd_finding *rule);

/* Appends "allocated in every interval, and all objects survive": samples as independent
 * evidence. False, without output, if they are not. */
bool phrase_witness(struct text *t, const struct hd_suspect *s);

/* "Checkout.Add (Checkout.cs:42)" */
void phrase_code(struct sentence *h, const struct hd_code *code);

/* The class and the method of "Shop.Checkout.Add": "Checkout.Add". */
const char *short_method(const char *method);

/* Appends the command that explains a hint. */
void phrase_hint_command(struct text *t, const char *id);

/* Appends "total bytes: 5 is taken for 5 bytes", for a limit without a unit. */
void phrase_no_unit(struct text *t, const char *name, uint64_t bytes);

#endif
