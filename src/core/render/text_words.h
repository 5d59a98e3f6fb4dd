/* text_words.h - words, names and lines of a document for a terminal: which form of them
 * fits, in which colour, and where a line is broken.
 *
 * All that others wrote is escaped here and nowhere else; and tables that are trees as
 * lines. It does not know what a chain is. */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H

#include "base/text.h"
#include "document/document.h"
#include "report/format_units.h"

/* Of the sixteen colours that every terminal has in light and in dark. */
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RED "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

/* Names without namespaces where lines would be too long with them. */
enum words_names { WHOLE_NAMES, SHORT_NAMES };

void words_add_run(struct text *t, const struct doc_run *run, enum words_names names);
void words_add_runs(struct text *t, const struct doc_runs *runs, enum words_names names);

/* The same for wrap_words(), which breaks no line within code: it is to be copied. */
void words_add_to_wrap(struct text *t, const struct doc_run *run);

/* Blanks; what ends a line, without blanks before it. */
void words_pad(struct text *t, size_t columns);
void words_end_line(struct text *t);

/* What begins the colour of a style; "" for none. It ends with PLAIN. */
const char *words_color(const struct hd_write_options *opt, enum doc_style style);

/* Words in that colour, which takes no columns. */
void words_paint(struct text *t, const char *color, const char *s, size_t len);

/* Whether the place is known to be narrower. */
bool words_is_narrow(const struct hd_write_options *opt, unsigned below);

/* What of a cell fits the place. */
const struct doc_runs *words_of_cell(const struct hd_write_options *opt,
                                     const struct doc_cell *cell);
void words_add_cell(const struct hd_write_options *opt, struct text *t,
                    const struct doc_cell *cell);

/* Of what is printed: in ASCII it may take more. */
size_t words_columns(const struct hd_write_options *opt, const struct text *t);

/* Pieces broken where they do not fit; a joint loses its blanks at the end of a line. */
void words_add_pieces(const struct hd_write_options *opt, struct text *t,
                      const struct doc_line *l, size_t column, size_t indent);

/* A line that begins at the given column, and goes on at indent if it may be broken. */
void words_add_line(const struct hd_write_options *opt, struct text *t,
                    const struct doc_line *l, size_t column, size_t indent);

/* A command to copy, behind what is there if it fits, else on a line of its own. */
void words_add_command(const struct hd_write_options *opt, struct text *t,
                       const char *command, size_t indent);

/* How wide chains and sentences may be: in a log too, where nobody says how wide it is. */
unsigned words_fold_columns(const struct hd_write_options *opt);

/* --- lines that fit ---------------------------------------------------------------- */

/* Where a chain begins and where its further lines do; how wide they may be, 0 for any
 * width; whether an element that is wider is shortened, or stays whole and goes over. */
struct wrap_room {
    size_t column, indent;
    unsigned width;
    bool is_hard;
    bool ascii; /* columns are those of the ASCII form, which is printed */
};

/* A chain broken at its arrows so that it fits. colors has the escape sequence of each
 * element between arrows, "" for none; or is NULL. */
void wrap_arrows(struct text *t, const char *line, size_t len, struct wrap_room room,
                 const char *const *colors);

/* How many arrows there are. */
size_t wrap_count_arrows(const char *line, size_t len);

/* Words broken at blanks so that they fit. A word that is still wider stays whole: it may
 * be an address to be copied. */
void wrap_words(struct text *t, const char *words, size_t column, size_t indent,
                unsigned width, bool ascii);

/* --- trees -------------------------------------------------------------------------- */

/* A table that is a tree (doc_table.is_tree) as lines of one pitch: columns aligned, guides
 * in front of the last one, marks behind it. How a word is escaped is the format's to say.
 */
struct tree_look {
    const struct hd_write_options *opt; /* width, colour, and whether it will be ASCII */
    void (*add)(struct text *t, const struct doc_run *run); /* names as they are wanted */
};

/* Lines with line ends. Names are cut in their middle where they do not fit; so deep down
 * that no room is left, a number stands for the guides. O(rows, and what is printed). */
void tree_lines(struct text *to, const struct doc_table *t, const struct tree_look *look);

#endif
