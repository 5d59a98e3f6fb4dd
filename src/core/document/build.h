/* build.h - a report as a document, made once for all renderers.
 *
 * Content is decided here and nowhere else: which numbers, which words, in which order, and
 * what a narrow place may leave out. It does not know who prints it, nor how wide. */
#ifndef BUILD_H
#define BUILD_H

#include "base/say.h"
#include "document/document.h"
#include "report/format_units.h"
#include "report/records.h"

/* All that the report says, to be written so; for document_free(). A page of its own has
 * room and nothing beside it: chains in full, the inputs one by one, every warning, and the
 * command that made it. */
struct document *document_of(const struct hd_report *r, const struct hd_write_options *opt,
                             bool is_page);

/* --- for builders --------------------------------------------------------- */

/* Parts of speech besides those of say(): names and what else others wrote, of which each
 * is a run of its own, as the files of snapshots are and types by the names that people
 * know. NULL is "-", as is any number that is not known. */
struct say_part run_name(const char *name);
struct say_part run_type(const char *type);
struct say_part run_file(size_t snapshot);
struct say_part run_quoted(const char *words);
struct say_part run_code(const char *words);
struct say_part as_known(const char *words);
struct say_part as_share(double share); /* NAN: not known */
struct say_part as_id(uint64_t n);      /* 1234567 */
struct say_part as_address(uint64_t n); /* 0x7f3a; 0: none */
struct say_part as_age(uint64_t seconds);
struct say_part as_others(uint64_t n); /* [2 others] */
struct say_part as_root_kind(int kind);
struct say_part say_if(bool is_so, struct say_part part); /* else nothing */

/* Say it in those runs, behind what is in b->words; our words in that style. */
#define SAY_AS(b, to, style, ...) \
    build_say(b, to, style, (const struct say_part[]){SAY_PARTS(__VA_ARGS__), {0}})
#define SAY(b, to, ...) SAY_AS(b, to, DOC_WORDS, __VA_ARGS__)

/* ... in the next cell of the row, as a remark on the row, as one more piece of a line that
 * may begin there, as a fact, as a paragraph, below the row behind a label. */
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
    struct text words; /* numbers and words that go to the next run, cell or piece */
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

/* What was written into b->words, as a run; nothing if it is empty. */
void build_end(struct build *b, struct doc_runs *to);

/* The words of the row's next cell; of a column that is absent they go nowhere. */
struct doc_runs *build_next_cell(struct build *b);

/* A piece that may begin a line; the words of a new fact; a line below the row, and the
 * words of a paragraph, which may be broken between words. */
struct doc_runs *build_break(struct build *b, struct doc_line *l, const char *joint);
struct doc_runs *build_fact(struct build *b, struct doc_facts *f, const char *name);
struct doc_line *build_attached(struct build *b, const char *label);
struct doc_runs *build_wrapped(struct build *b, struct doc_section *s);

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

/* What was compared, totals, where the growth went; the suspects, which code allocated
 * them, what has stopped growing, what grows outside the heap; what to run next. */
void build_diff_head(struct build *b);
void build_suspects(struct build *b);
void build_sites(struct build *b);
void build_stopped(struct build *b);
void build_native(struct build *b);

/* Below the row: where its objects were allocated, or why that is not known; nothing if
 * nobody sampled. */
void build_allocated(struct build *b, const struct hd_suspect *s);

/* A method, with the place in its file. */
void build_code(struct build *b, struct doc_runs *to, const struct hd_code *code);

/* What is known of the process of one snapshot, as facts; and the account of a series, if
 * two snapshots or more have it. */
void build_process_facts(struct build *b, struct doc_facts *f,
                         const struct hd_snapshot_facts *s);
void build_process_growth(struct build *b);

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

/* What the report comes to, and the facts that bear it out. */
void build_summary(struct build *b);

/* Rows have cells for all columns; those of an absent one are left out. */
struct doc_table *build_table(struct build *b, struct doc_section *s,
                              const struct doc_column *columns, size_t count);

/* A table with the columns of a record that lines list, as far as they are known; and a row
 * of it. A column without values is empty. */
struct doc_table *build_list(struct build *b, struct doc_section *s,
                             const struct record *r);
void build_list_row(struct build *b, const void *of);

/* The cell of a list's row by the key of its column; of one that is not there it goes
 * nowhere. */
struct doc_cell *build_cell_of(struct build *b, const char *key);

/* Begin a row; its cells follow. */
void build_row(struct build *b, struct doc_table *t, enum doc_row_kind kind);

/* The row behind those that are shown: "… 12 more"; "[12 others]", below the row above.
 * Nothing if none is left. */
void build_rest(struct build *b, struct doc_table *t, uint64_t left);
void build_others(struct build *b, struct doc_table *t, uint64_t left);

/* Bars; of many snapshots fewer where room is short. */
void build_cell_trend(struct build *b, const struct hd_tally *at, size_t count);

/* The value of a field; an object by its address or else by its number. */
void build_value(struct build *b, struct doc_runs *to, const struct hd_field *f);
void build_place(struct build *b, struct doc_runs *to, uint64_t address, uint32_t number);

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
