/* build.h - turn a report into a document, once for all renderers.
 *
 * All content is decided here: numbers, words, order, and omissions in narrow places. Must
 * not depend on the renderer, nor on its width. */
#ifndef BUILD_H
#define BUILD_H

#include "base/say.h"
#include "document/document.h"
#include "report/format_units.h"
#include "report/records.h"

/* Returns the document of a report; for document_free(). A page stands alone: chains in
 * full, the inputs one by one, every warning, and the command that made it. */
struct document *document_of(const struct hd_report *r, const struct hd_write_options *opt,
                             bool is_page);

/* --- for builders --------------------------------------------------------- */

/* Parts in addition to those of say(): names and other text of others, each a run of its
 * own, as are the files of snapshots and types by the names that people know. NULL and
 * unknown numbers are "-". */
struct say_part run_name(const char *name);
struct say_part run_type(const char *type);
struct say_part run_file(size_t snapshot);
struct say_part run_quoted(const char *words);
struct say_part run_code(const char *words);
struct say_part as_known(const char *words);
struct say_part as_share(double share); /* NAN: not known */
struct say_part as_id(uint64_t n);      /* 1234567 */
struct say_part as_address(uint64_t n); /* 0x7f3a; 0 for no address */
struct say_part as_age(uint64_t seconds);
struct say_part as_others(uint64_t n); /* [2 others] */
struct say_part as_root_kind(int kind);
struct say_part say_if(bool is_so, struct say_part part); /* else empty */

/* Appends those runs, after the text of b->words; our own words in that style. */
#define SAY_AS(b, to, style, ...) \
    build_say(b, to, style, (const struct say_part[]){SAY_PARTS(__VA_ARGS__), {0}})
#define SAY(b, to, ...) SAY_AS(b, to, DOC_WORDS, __VA_ARGS__)

/* The same to the next cell of the row, as a remark on the row, as one more piece of a line
 * that may begin there, as a fact, as a paragraph, below the row after a label. */
#define CELL(b, ...) SAY(b, build_next_cell(b), __VA_ARGS__)
#define CELL_AS(b, style, ...) SAY_AS(b, build_next_cell(b), style, __VA_ARGS__)
#define REMARK(b, ...) SAY(b, doc_remark((b)->doc, (b)->row), __VA_ARGS__)
#define PIECE(b, l, joint, ...) SAY(b, build_break(b, l, joint), __VA_ARGS__)
#define FACT(b, f, name, ...) SAY(b, build_fact(b, f, name), __VA_ARGS__)
#define PARAGRAPH(b, s, ...) SAY(b, build_wrapped(b, s), __VA_ARGS__)
#define ATTACHED(b, label, ...) \
    SAY(b, doc_piece((b)->doc, build_attached(b, label), ""), __VA_ARGS__)

/* A column of numbers; a table of an array of columns. */
#define RIGHT(title_) .title = (title_), .align = DOC_RIGHT
#define TABLE(b, s, columns) \
    build_table(b, s, columns, sizeof(columns) / sizeof(*(columns)))

struct build {
    const struct hd_report *r;
    struct document *doc;
    struct text words; /* numbers and words for the next run, cell or piece */
    struct doc_row *row;
    size_t cell;     /* the next one of the row */
    unsigned column; /* of the table, with those that are absent */
    unsigned absent; /* a bit per column that the table has not */
    struct doc_cell dropped;
    struct listed listed[MAX_LISTED]; /* columns of the table, if it is a list */
    size_t listed_count;
    const struct hd_write_options *opt;
    const struct hd_write_options *page; /* the same, if it is for a page; or NULL */
};

void build_say(struct build *b, struct doc_runs *to, enum doc_style style,
               const struct say_part *parts);

/* Ends a run with the text of b->words; no run if it is empty. */
void build_end(struct build *b, struct doc_runs *to);

/* Returns the words of the row's next cell; those of an absent column are dropped. */
struct doc_runs *build_next_cell(struct build *b);

/* Return a piece that may begin a line; the words of a new fact; a line below the row, and
 * the words of a paragraph, which may be broken between words. */
struct doc_runs *build_break(struct build *b, struct doc_line *l, const char *joint);
struct doc_runs *build_fact(struct build *b, struct doc_facts *f, const char *name);
struct doc_line *build_attached(struct build *b, const char *label);
struct doc_runs *build_wrapped(struct build *b, struct doc_section *s);

/* One per kind of report, and their shared parts. */
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

/* Parts of a diff: comparison, totals, growth; suspects, the code that allocated them,
 * growth that leveled off, growth outside the heap; next commands. */
void build_diff_head(struct build *b);
void build_suspects(struct build *b);
void build_sites(struct build *b);
void build_leveled_off(struct build *b);
void build_native_memory(struct build *b);

/* Adds below the row where its objects were allocated, or why that is unknown, if
 * allocations were sampled. */
void build_allocated(struct build *b, const struct hd_suspect *s);

/* Adds a method, with the place in its file. */
void build_code(struct build *b, struct doc_runs *to, const struct hd_code *code);

/* Adds facts about the process of a snapshot; and the account of a series, if at least two
 * snapshots have it. */
void build_process_facts(struct build *b, struct doc_facts *f,
                         const struct hd_snapshot_facts *s);
void build_process_growth(struct build *b);

void build_next(struct build *b);

/* Adds the sections above except the last, and the types: columns for -v only, unless rows
 * were requested. */
void build_evidence(struct build *b);

/* Below the row: its usual cause. Nothing for NULL. */
void build_hint(struct build *b, const char *id);

/* The fix, and a link to more. */
struct hint;
void build_fix(struct build *b, struct doc_line *l, const struct hint *hint);

/* The section of docs/hints.md: prose, and code before and after. Nothing for NULL. */
void build_hint_page(struct build *b, struct doc_section *s, const char *id);

/* The same as a document of its own; NULL: no such hint. And all hints, with their
 * fixes. */
struct document *document_of_hint(const char *id);
struct document *document_of_hints(void);

/* Words of ours in which `this` is code. */
void build_marked(struct build *b, struct doc_runs *to, const char *words);

/* The largest places of a report that also has a tree: for a page. */
void build_places(struct build *b);

/* The inputs, snapshot by snapshot, and the version and command: for a page. */
void build_inputs(struct build *b);

/* Adds the command that shows the owners of a type. Skips NULL, roots, and names that
 * cannot be pasted. */
void build_next_of(struct build *b, const char *title);

/* The conclusion of the report, and the facts that support it. */
void build_summary(struct build *b);

/* Rows have cells for all columns; those of an absent one are left out. */
struct doc_table *build_table(struct build *b, struct doc_section *s,
                              const struct doc_column *columns, size_t count);

/* Adds a table with the list columns of a record, as far as they are known; and a row. A
 * column without values is empty. */
struct doc_table *build_list(struct build *b, struct doc_section *s,
                             const struct record *r);
void build_list_row(struct build *b, const void *of);

/* Returns the cell of a list's row by the key of its column; text for an absent column is
 * dropped. */
struct doc_cell *build_cell_of(struct build *b, const char *key);

/* Begins a row; its cells follow. */
void build_row(struct build *b, struct doc_table *t, enum doc_row_kind kind);

/* The row after those that are shown: "… 12 more"; "[12 others]", below the row above.
 * Nothing for 0. */
void build_rest(struct build *b, struct doc_table *t, uint64_t left);
void build_others(struct build *b, struct doc_table *t, uint64_t left);

/* Bars; of many snapshots fewer where room is short. */
void build_cell_trend(struct build *b, const struct hd_tally *at, size_t count);

/* Adds the value of a field; an object by its address or else by its number. */
void build_value(struct build *b, struct doc_runs *to, const struct hd_field *f);
void build_place(struct build *b, struct doc_runs *to, uint64_t address, uint32_t number);

/* Adds process, pid, host, container and runtime, where known and the same in all
 * snapshots; the runtime only with one of the others. */
void build_origin(struct build *b, struct doc_section *s);

/* Adds which objects count if some are left out: by --gen2, --reachable, or as garbage. */
void build_selection(struct build *b, struct doc_section *s);

/* Warnings about one snapshot, if any. */
void build_notes(struct build *b, struct doc_section *s, size_t snapshot);

/* A chain with all of its frames; first its share, after a mark of its change, or before a
 * word for that. */
struct doc_chain *build_ladder(struct build *b, struct doc_chains *to,
                               const struct hd_chain_row *c);

/* A chain as one line: it begins at its owner, and if it is long the most informative
 * frames are shown. */
struct doc_chain *build_chain(struct build *b, struct doc_chains *to,
                              const struct hd_chain_row *c, bool with_share);

/* The same for a path of types, and for a holder that is one string. */
void build_path(struct build *b, struct doc_chains *to, const char *const *types,
                size_t len);
void build_holder(struct build *b, struct doc_chains *to, const char *holder);

#endif
