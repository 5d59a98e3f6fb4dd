/* document.h - represent an answer as sections of blocks, in plain data.
 *
 * A document is built once from a report (build.h) and printed by renderers (render_*.c).
 * Must not depend on appearance: no width, colour or markup. If a narrow place shows less,
 * it has both forms, and the width from which the longer one applies. Everything is in its
 * arena, also strings that are not constants, and outlives the report. Arrays grow while it
 * is built: a pointer to an element is valid until the next one is added. */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- words --------------------------------------------------------------- */

enum doc_style {
    DOC_WORDS,  /* our own, including numbers: no character is from a file */
    DOC_STRONG, /* the same, to be seen */
    DOC_CODE,   /* the same, to be looked up or typed as it is */
    DOC_GOOD,   /* the same, of a verdict */
    DOC_BAD,
    DOC_UNSURE,
    DOC_MORE,   /* the same, for growth, which the words state too */
    DOC_LESS,   /* the same, for shrinking */
    DOC_ASIDE,  /* it is there for order's sake, and may be paler than the others */
    DOC_QUOTED, /* what others wrote: a reason, a message */
    DOC_NAME,   /* of a type, a file, a process; a type's may be shown without namespaces */
    DOC_LIBRARY_NAME /* the same, of a type that is not the program's own: it may be paler
                      */
};

struct doc_run {
    enum doc_style style;
    const char *text; /* raw: renderers must escape it */
};

struct doc_runs {
    struct doc_run *all;
    unsigned len, cap;
};

/* The form for places narrower than `below` columns. */
struct doc_brief {
    struct doc_runs words;
    unsigned below;
};

/* Numbers that the words draw with letters, for places that can draw. */
struct doc_chart {
    const double *x, *y; /* NAN: a gap */
    size_t len;
    double most;  /* of y, in this chart and those that it is compared with */
    bool is_size; /* bytes; else objects */
};

struct doc_cell {
    struct doc_runs words;
    struct doc_chart *chart; /* or NULL */
    struct doc_brief *brief; /* NULL: one form only */
};

/* Words in sequence; the joint precedes each but the first piece. */
struct doc_piece {
    const char *joint; /* " ", ", ", or more blanks: a thing of its own */
    bool breaks;       /* may begin a line, if it does not fit after the joint */
    const char *href;  /* link of a page, a relative URL; NULL: no link */
    struct doc_cell cell;
};

struct doc_line {
    struct doc_piece *all;
    size_t len, cap;
    bool wraps;      /* it may be broken between words */
    unsigned indent; /* of continuation lines, in columns */
};

/* --- chains -------------------------------------------------------------- */

struct doc_frame {
    size_t omitted;   /* how many were left out before it */
    const char *role; /* "singleton", or NULL */
    struct doc_runs name;
    const char *generation; /* "gen0" of a young object, or NULL */
    bool is_root;           /* a group of roots or a variable: no object */
    bool is_owner;          /* of everything below */
};

struct doc_chain {
    size_t number;        /* from 1; 0: not numbered */
    struct doc_line head; /* its share, and other facts; may be empty */
    struct doc_frame *frames;
    size_t frame_count;
};

struct doc_chains {
    struct doc_chain *all;
    size_t len, cap;
    struct doc_line rest; /* what is not shown; may be empty */
};

/* --- blocks -------------------------------------------------------------- */

/* Places of output: lines of a terminal or a file, lines with details, pages that are
 * scrolled and folded. */
enum doc_place { DOC_ON_LINES = 1, DOC_ON_DETAILED_LINES = 2, DOC_ON_PAGES = 4 };

static inline bool doc_is_on(enum doc_place here, unsigned only)
{
    return only == 0 || (only & here) != 0;
}

struct doc_fact {
    const char *name; /* ours */
    unsigned level;   /* 1: a part of the one before */
    struct doc_line value;
    const char *if_brief; /* our words, added without details; or NULL */
};

struct doc_facts {
    struct doc_fact *all;
    size_t len, cap;
    unsigned name_columns; /* minimum width of names: facts appear and vanish, and the
                              others do not move */
};

enum doc_align { DOC_LEFT, DOC_RIGHT };

struct doc_column {
    const char *title;
    enum doc_align align;
    bool is_subject;     /* what the row is about: it gives way where room is short */
    bool gives_way;      /* gives way too; the last of several first */
    bool is_title;       /* the same, but moves to its own line before it is cut */
    unsigned from_width; /* not shown in places narrower than that */
    bool is_detail;      /* for details */
    bool is_for_pages;   /* lines of a terminal have no room for it */
    bool is_absent;      /* build_table() leaves it out */
    const char *meaning; /* explanation, or NULL */
};

/* An attachment of a row on lines of its own. */
struct doc_attached {
    const char *label; /* "held by", "hint", or NULL */
    const char *hint;  /* id of a hint, whose full text a page has room for; or NULL */
    bool is_for_pages;
    bool is_said_below;   /* in another section too; on a page once is enough */
    struct doc_line line; /* words, or else */
    struct doc_chains chains;
};

enum doc_row_kind {
    DOC_ROW,
    DOC_GROUP, /* a line with the common property of the rows below */
    DOC_REST   /* a line for the rows that are not shown */
};

struct doc_row {
    enum doc_row_kind kind;
    struct doc_cell *cells;   /* one per column; of the others the first only */
    struct doc_runs *remarks; /* remarks after the row */
    size_t remark_count, remark_cap;
    struct doc_attached *attached;
    size_t attached_count, attached_cap;
    bool is_below;   /* of a rest: it belongs to the row above */
    bool is_open;    /* of a group: a page shows what is in it */
    bool is_suspect; /* the main result */
    unsigned only;   /* doc_place that have it; 0: all */
    unsigned depth;  /* of a tree: 0 at its top, at most one more than the row before */
};

struct doc_table {
    bool is_tree; /* a row is a child of the last row above that is less deep; the last
                     column has the title, and the last words of its remark give way */
    struct doc_column *columns;
    size_t column_count;
    const char *details; /* what the columns are that are details: "Scores"; or NULL */
    struct doc_row *rows;
    size_t row_count, row_cap;
};

struct doc_note {
    const char *code;    /* ours, of docs/warnings.md */
    const char *file;    /* that it is about, or NULL */
    const char *message; /* of others */
    uint64_t count;      /* how often; 1: once */
    uint64_t line;       /* the first, or 0 */
};

struct doc_notes {
    struct doc_note *all;
    size_t len, cap;
    bool is_aside; /* they are on the terminal already, on standard error */
};

/* Commands to paste, a line each, of words that need no escaping. */
struct doc_command {
    const char *label, *lines;
    bool names_files; /* that must be there when it is run */
};

/* Code to read, as it is: its lines are never broken. */
struct doc_listing {
    const char *language; /* "csharp" */
    const char *lines;    /* ours; each ends with a line feed */
};

enum doc_block_kind {
    DOC_PARAGRAPH, /* one line or sentence */
    DOC_PROSE,     /* several sentences of ours: a line, with room around it */
    DOC_LISTING,
    DOC_FACTS,
    DOC_TABLE,
    DOC_CHAINS, /* each as a ladder, a type per line */
    DOC_NOTES,
    DOC_COMMAND
};

struct doc_block {
    enum doc_block_kind kind;
    union {
        struct doc_line line;
        struct doc_listing listing;
        struct doc_facts facts;
        struct doc_table table;
        struct doc_chains chains;
        struct doc_notes notes;
        struct doc_command command;
    };
};

enum doc_section_kind {
    DOC_PLAIN, /* without a title */
    DOC_TOPIC, /* "Suspects" */
    DOC_ITEM   /* one of several things, by its name */
};

struct doc_section {
    enum doc_section_kind kind;
    struct doc_run title;
    const char *remark; /* our words, after the title; or NULL */
    unsigned only;      /* doc_place that have it; 0: all */
    bool is_long;       /* a page may show its title only, until it is asked for more */
    struct doc_block *blocks;
    size_t block_count, block_cap;
};

/* A line of the conclusion: a word in capitals, a sentence, a command for more. */
struct doc_verdict {
    const char *label; /* NULL: continues the one before */
    enum doc_style style;
    struct doc_runs words;
    const char *command;  /* or NULL */
    const char *if_brief; /* as of a fact */
};

struct document {
    struct arena arena;
    const char *title;           /* "heapdrift check" */
    struct doc_runs summary;     /* what a page has as its heading; may be empty */
    struct doc_verdict *verdict; /* the conclusion; NULL: no verdict */
    size_t verdict_len;
    enum doc_style verdict_style; /* of the verdict */
    const char *made_by;          /* "heapdrift 1.2.3" */
    struct doc_section *sections;
    size_t section_count, section_cap;
};

/* --- to build one ---------------------------------------------------------- */

struct document *document_new(const char *title);
void document_free(struct document *d);

/* Returns a copy in its arena; NULL for NULL. */
const char *doc_string(struct document *d, const char *s);

/* Each adds an element with the given values, zero otherwise, and returns it. */
struct doc_section *doc_section(struct document *d, enum doc_section_kind kind);
/* With a title of ours and optionally a remark (NULL). */
struct doc_section *doc_topic(struct document *d, const char *title, const char *remark);
struct doc_block *doc_block(struct document *d, struct doc_section *s,
                            enum doc_block_kind kind);
struct doc_fact *doc_fact(struct document *d, struct doc_facts *f, const char *name);
struct doc_row *doc_row(struct document *d, struct doc_table *t, enum doc_row_kind kind);
struct doc_runs *doc_remark(struct document *d, struct doc_row *r);
struct doc_attached *doc_attached(struct document *d, struct doc_row *r, const char *label);
struct doc_chain *doc_chain(struct document *d, struct doc_chains *c, size_t frames);
struct doc_note *doc_note(struct document *d, struct doc_notes *n);
struct doc_runs *doc_piece(struct document *d, struct doc_line *l, const char *joint);
struct doc_runs *doc_brief(struct document *d, struct doc_cell *cell, unsigned below);

/* Adds a run unless the text is empty. */
void doc_run(struct document *d, struct doc_runs *to, enum doc_style style,
             const char *text);

#endif
