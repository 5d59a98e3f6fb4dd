/* build.h - a report as a document, made once for all renderers.
 *
 * Content is decided here and nowhere else: which numbers, which words, in which order, and
 * what a narrow place may leave out. It does not know who prints it, nor how wide. */
#ifndef BUILD_H
#define BUILD_H

#include "document/document.h"
#include "report/format_units.h"
#include "report/report.h"

/* All that the report says, to be written so; for document_free(). */
struct document *document_of(const struct hd_report *r, const struct hd_write_options *opt);

/* The same for a page of its own, which has room and nothing beside it: with chains in
 * full, the inputs one by one, every warning, and the command that made it. */
struct document *document_of_page(const struct hd_report *r,
                                  const struct hd_write_options *opt);

/* --- for builders --------------------------------------------------------- */

struct build {
    const struct hd_report *r;
    struct document *doc;
    struct text words; /* numbers and words that go to the next run, cell or piece */
    struct doc_row *row;
    size_t cell; /* the next one of the row */
    const struct hd_write_options *opt;
    const struct hd_write_options *page; /* the same, if it is for a page; or NULL */
};

/* One per kind of report, and what several of them have. */
void build_diff(struct build *b);
void build_check(struct build *b);
void build_top(struct build *b);
void build_roots(struct build *b);
void build_info(struct build *b);
void build_processes(struct build *b);
void build_tree(struct build *b);
void build_object(struct build *b);
void build_objects(struct build *b);
void build_statics(struct build *b);
void build_fleet(struct build *b);

/* What was compared, totals, where the growth went; the suspects, what has stopped
 * growing, what grows outside the heap; what to run next. */
void build_diff_head(struct build *b);
void build_suspects(struct build *b);
void build_stopped(struct build *b);
void build_native(struct build *b);
void build_next(struct build *b);

/* All of that but the last, and the types: what lines have for -v only, unless rows were
 * asked for. */
void build_evidence(struct build *b);

/* Below the row: what it usually is. Nothing for NULL. */
void build_hint(struct build *b, const char *id);

/* What to do, and how to read more. */
struct hint;
void build_fix(struct build *b, struct doc_line *l, const struct hint *hint);

/* What docs/hints.md says of it: prose, and code before and after. Nothing for NULL. */
void build_hint_page(struct build *b, struct doc_section *s, const char *id);

/* The same as a document of its own; NULL: no such hint. And all of them, with what to do.
 */
struct document *document_of_hint(const char *id);
struct document *document_of_hints(void);

/* Words of ours in which `this` is code. */
void build_marked(struct build *b, struct doc_runs *to, const char *words);

/* The largest places of a report that has a tree besides: of a page. */
void build_places(struct build *b);

/* What was read, snapshot by snapshot, and what with: of a page. */
void build_inputs(struct build *b);

/* The command that shows what holds a type; nothing for NULL, and for names that cannot be
 * pasted. */
void build_next_of(struct build *b, const char *subject);

/* build_values.c: an object by its address or, where there is none, its number; into
 * b->words "0x7f...", "-" for none; "#12", to be typed as it is. */
void build_place(struct build *b, struct doc_runs *to, uint64_t address, uint32_t number);
void build_add_address(struct build *b, uint64_t address);
void build_number(struct build *b, struct doc_runs *to, uint32_t number);

/* Text of others in quotes; the value of a field, of a reference with what it leads to. */
void build_text(struct build *b, struct doc_runs *to, const char *s, bool is_cut);
void build_value(struct build *b, struct doc_runs *to, const struct hd_field *f);

/* What was written into b->words, as a run; nothing if it is empty. */
void build_end(struct build *b, struct doc_runs *to);
void build_words(struct build *b, struct doc_runs *to, const char *words);

/* A name or words of others, behind what was written. */
void build_name(struct build *b, struct doc_runs *to, const char *name);
void build_quoted(struct build *b, struct doc_runs *to, const char *words);

/* What the report comes to, and the facts that bear it out. */
void build_summary(struct build *b);

/* A piece that may begin a line. */
struct doc_runs *build_break(struct build *b, struct doc_line *l, const char *joint);

/* A paragraph of one piece: what was written. It may be broken between words. */
void build_paragraph(struct build *b, struct doc_section *s);

/* Begin a row; its cells follow: what was written, words of ours, a name. */
void build_row(struct build *b, struct doc_table *t, enum doc_row_kind kind);
void build_cell(struct build *b);
void build_cell_words(struct build *b, const char *words);
void build_cell_name(struct build *b, const char *name);

/* The row behind those that are shown: "… 12 more"; nothing if none is left. */
void build_rest(struct build *b, struct doc_table *t, uint64_t left);

/* The same, and "-" for NULL: it is not known. */
void build_cell_known(struct build *b, const char *name);

/* The name of a type or of what rows stand for, as people know it. */
void build_type(struct build *b, struct doc_runs *to, const char *name);
void build_cell_type(struct build *b, const char *name);

/* The same of a suspect's title: a call of an async method goes by the method. */
void build_cell_title(struct build *b, const char *name);

/* "1,251 → 2,751", and bars of it; of many snapshots fewer where room is short. */
void build_cell_trend(struct build *b, const struct hd_tally *at, size_t count);

/* A cell of growth or of the contrary. */
void build_cell_change(struct build *b, bool grows);

struct doc_table *build_table(struct build *b, struct doc_section *s,
                              const struct doc_column *columns, size_t count);

/* Last parts of paths, as names: "before.gcdump". */
void build_file(struct build *b, struct doc_runs *to, size_t snapshot);

/* Of process, pid, host, container and runtime what is known and the same in all; nothing
 * without a process, a pid or a host. */
void build_origin(struct build *b, struct doc_section *s);

/* What --gen2 and --reachable left out; nothing without them. */
void build_selection(struct build *b, struct doc_section *s);

/* Warnings about one snapshot; nothing without any. */
void build_notes(struct build *b, struct doc_section *s, size_t snapshot);

/* A chain with all of its frames; its share is the first that is said of it, behind a mark
 * of what became of it, or before a word for that. */
struct doc_chain *build_ladder(struct build *b, struct doc_chains *to,
                               const struct hd_chain_row *c);

/* A chain as it is said in a line: it begins at its owner, and where it is long the frames
 * that say most are shown. */
struct doc_chain *build_chain(struct build *b, struct doc_chains *to,
                              const struct hd_chain_row *c, bool with_share);

/* The same of a path of types, and of a holder that is one string. */
void build_path(struct build *b, struct doc_chains *to, const char *const *types,
                size_t len);
void build_holder(struct build *b, struct doc_chains *to, const char *holder);

#endif
