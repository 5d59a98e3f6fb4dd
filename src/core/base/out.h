/* out.h - write output that remembers its first write error, so that a writer need not
 * check and its caller checks once, at the end. CSV, tables of columns, XML and packed
 * bytes are built on it.
 *
 * Small pieces are joined: a sink receives full blocks, and the rest at the end. Every out
 * must end with out_finish() or out_abandon(). */
#ifndef OUT_H
#define OUT_H

#include "base/text.h"
#include "heapdrift.h"

struct out {
    struct hd_sink to;
    int failed; /* errno of the first failure */
    bool ascii; /* write the ASCII form of everything */
    struct text pending;
    size_t lines; /* that have ended */
};

void out_bytes(struct out *o, const char *s, size_t len);
void out_string(struct out *o, const char *s);
void out_text(struct out *o, const struct text *t);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Writes pending output; false and err if any byte was lost. */
bool out_finish(struct out *o, struct hd_error *err);

/* Drops pending output: the writer failed. */
void out_abandon(struct out *o);

/* --- csv -------------------------------------------------------------------------- */

/* Cells and rows of CSV (RFC 4180, LF) and of TSV, for all writers. Must not depend on
 * their content. */

/* True if s begins with =, +, -, @, a tab or CR, which a spreadsheet takes for a formula or
 * for characters that may precede one, or with ::, which GitHub takes for a command in a
 * log. Also after any number of apostrophes: those of the name itself need one more, or the
 * reader would take them for the writer's. */
bool csv_needs_apostrophe(const char *s, size_t len);

/* Appends value as UTF-8 with an apostrophe before it if a spreadsheet would take it for a
 * formula. The CSV reader removes the apostrophe. */
void csv_add_clean(struct text *t, const char *value);

/* The same as a cell: quoted if it has a comma, a quote or a line end. Controls of
 * terminals and commands of build servers are escaped (text_add_visible), except tabs and
 * line ends. */
void csv_add_cell(struct text *t, const char *value);

/* --- tables ---------------------------------------------------------------------- */

struct csv_writer {
    struct out *out;
    bool tabs; /* TSV */
    bool in_row;
};

/* Begins a cell that the caller prints, in plain characters. */
void csv_begin_cell(struct csv_writer *s);
void csv_end_row(struct csv_writer *s);

void csv_cell(struct csv_writer *s, const char *value);
void csv_optional(struct csv_writer *s, const char *value); /* NULL is empty */
void csv_number(struct csv_writer *s, uint64_t n);          /* so is HD_UNKNOWN */
void csv_real(struct csv_writer *s, double x);              /* so is NAN */

/* A row of words. */
void csv_titles(struct csv_writer *s, const char *const *titles, size_t count);

#define CSV_TITLES(csv, titles) csv_titles(csv, titles, sizeof(titles) / sizeof(*(titles)))

/* --- xml out ---------------------------------------------------------------------- */

/* Streams XML: a line per element, text with its tags. Only the depth is stored, so memory
 * cannot run out in the middle. Write the attributes of an element before its content.
 * Characters that XML lacks become U+FFFD. */

struct xml_out {
    struct out *to;
    bool in_tag; /* attributes may follow */
};

/* Begins a document with the declaration. */
struct xml_out xml_begin(struct out *to);

void xml_open(struct xml_out *x, const char *name);
void xml_attribute(struct xml_out *x, const char *name, const char *value);
void xml_close(struct xml_out *x, const char *name);

/* Writes the content of the open element, which has no child elements, and closes it. */
void xml_close_with(struct xml_out *x, const char *name, const char *content);

/* --- packed ----------------------------------------------------------------------- */

/* Bytes as gzip or zstd: the other way round than input.h. */

/* Reproducible: the header has no name and no time. */
void pack_gzip(const void *bytes, size_t size, struct out *to);

/* The same, smaller and faster to read. The level is that of zstd's command, 1 to 19. */
void pack_zstd(const void *bytes, size_t size, const char *level, struct out *to);

#endif
