/* text_words.h - words, names and lines of a document for a terminal: their shortest form
 * that fits, colours, and line breaks; and tables that are trees as lines.
 *
 * Only this file escapes untrusted text for terminals. Must not depend on chains. */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H

#include "base/text.h"
#include "document/document.h"
#include "report/format_units.h"

/* From the sixteen colours that every terminal has in light and in dark. */
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

/* Names without namespaces if lines would be too long with them. */
enum words_names { WHOLE_NAMES, SHORT_NAMES };

void words_add_run(struct text *t, const struct doc_run *run, enum words_names names);
void words_add_runs(struct text *t, const struct doc_runs *runs, enum words_names names);

/* The same for wrap_words(), which never breaks a line within code, so that it can be
 * copied. */
void words_add_to_wrap(struct text *t, const struct doc_run *run);

/* Appends blanks; ends a line, without blanks before its end. */
void words_pad(struct text *t, size_t columns);
void words_end_line(struct text *t);

/* Returns the escape sequence that begins a style, or "". PLAIN ends it. */
const char *words_color(const struct hd_write_options *opt, enum doc_style style);

/* Appends words in that colour, which has no width. */
void words_paint(struct text *t, const char *color, const char *s, size_t len);

/* True if the output is known to be narrower. */
bool words_is_narrow(const struct hd_write_options *opt, unsigned below);

/* Returns the form of a cell that fits the output. */
const struct doc_runs *words_of_cell(const struct hd_write_options *opt,
                                     const struct doc_cell *cell);
void words_add_cell(const struct hd_write_options *opt, struct text *t,
                    const struct doc_cell *cell);

/* Returns the printed width, which may be larger in ASCII. */
size_t words_columns(const struct hd_write_options *opt, const struct text *t);

/* Appends pieces, broken to fit; a joint loses its blanks at the end of a line. */
void words_add_pieces(const struct hd_write_options *opt, struct text *t,
                      const struct doc_line *l, size_t column, size_t indent);

/* Appends a line that begins at the given column, and is continued at indent if it may be
 * broken. end: its last words; or NULL. */
void words_add_line(const struct hd_write_options *opt, struct text *t,
                    const struct doc_line *l, size_t column, size_t indent,
                    const char *end);

/* Appends a command to copy, on the current line if it fits, else on its own. */
void words_add_command(const struct hd_write_options *opt, struct text *t,
                       const char *command, size_t indent);

/* Returns the width of chains and sentences, also for a log, whose width is unknown. */
unsigned words_fold_columns(const struct hd_write_options *opt);

/* --- lines that fit ---------------------------------------------------------------- */

/* Columns of the first and of further lines of a chain; their width, 0 if unlimited;
 * whether a wider element is shortened or overflows. */
struct wrap_area {
    size_t column, indent;
    unsigned width;
    bool is_hard;
    bool ascii; /* columns are counted in the printed ASCII form */
};

/* Appends a chain, broken at its arrows to fit. colors: the escape sequence of each element
 * between arrows, or ""; may be NULL. */
void wrap_arrows(struct text *t, const char *line, size_t len, struct wrap_area area,
                 const char *const *colors);

/* Returns the number of arrows. */
size_t wrap_count_arrows(const char *line, size_t len);

/* Appends words, broken at blanks to fit. A wider word is never cut: it may be an address
 * to copy. */
void wrap_words(struct text *t, const char *words, size_t column, size_t indent,
                unsigned width, bool ascii);

/* --- trees -------------------------------------------------------------------------- */

/* A table that is a tree (doc_table.is_tree) as lines of equal width: columns aligned,
 * guides before the last one, marks after it. The format escapes the words. */
struct tree_look {
    const struct hd_write_options *opt;                     /* width, colour, ASCII */
    void (*add)(struct text *t, const struct doc_run *run); /* names in the requested
                                                               form */
};

/* Appends lines with line ends. Names are cut in their middle to fit; below a depth without
 * space for guides, a number replaces them. O(rows, and output). */
void tree_lines(struct text *to, const struct doc_table *t, const struct tree_look *look);

#endif
