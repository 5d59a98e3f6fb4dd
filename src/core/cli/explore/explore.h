/* explore.h - hold the state of the browser: open views, the cursor, the effect of keys.
 *
 * A pure machine: explore_press() changes the state, explore_draw() puts it on a grid. Must
 * not depend on a terminal: both are tested without one. All numbers are the report's, in
 * any order and with any filter.
 *
 * The panes are suspects, tree, types, and the process if its facts are known. Views opened
 * from there (a list of objects, one object, the keys) are on a stack above the pane. Panes
 * are views, too. */
#ifndef EXPLORE_H
#define EXPLORE_H

#include "heapdrift.h"
#include <stdbool.h>
#include <stddef.h>

/* --- the grid ---------------------------------------------------------------- */

/* The content of a screen, without a terminal: lines of text in columns, each piece with a
 * look.
 *
 * Pieces are put from left to right; a piece fills exactly the columns it is given,
 * shortened or padded, so columns line up whatever a name contains. Text is UTF-8 that is
 * safe to print (hd_put_name). A terminal shows a grid (terminal.h), a test reads it. Must
 * not depend on the content. */

/* The role of a piece; colour must not be its only sign. */
enum look {
    LOOK_PLAIN,
    LOOK_DIM,    /* of the framework, or less important */
    LOOK_STRONG, /* a title */
    LOOK_HEAD,   /* of a column */
    LOOK_BAR,    /* the first line */
    LOOK_TAB,    /* the pane that is open */
    LOOK_GROWN,
    LOOK_SHRUNK,
    LOOK_FOUND, /* a suspect, a mark, what was searched for */
    LOOK_ERROR,
    LOOK_COUNT
};

enum align { ALIGN_LEFT, ALIGN_RIGHT };

struct grid_piece {
    unsigned line, column, columns;
    enum look look;
    bool chosen; /* the line is under the cursor */
    size_t begin, len;
};

/* {0} has no size; grid_begin() first. */
struct grid {
    unsigned width, height;
    struct grid_piece *pieces;
    size_t len, cap;
    struct hd_memory text;
    unsigned line, column; /* place of the next piece */
    bool chosen;
};

/* An empty grid of width × height. */
void grid_begin(struct grid *g, unsigned width, unsigned height);
void grid_free(struct grid *g);

/* The next piece begins in that line, at its left. Lines below the last are ignored. */
void grid_line(struct grid *g, unsigned line, bool chosen);

/* Returns the columns left in the line. */
unsigned grid_left(const struct grid *g);

/* Puts text of any length into that number of columns, or into the rest of the line: cut at
 * its end with "…", or padded with blanks. */
void grid_put(struct grid *g, enum look look, const char *text, unsigned columns,
              enum align align);

/* Adds text in the columns that it needs. */
void grid_add(struct grid *g, enum look look, const char *text);

/* Words that wrap at blanks. */
struct paragraph {
    const char *text;
    enum look look;
    const char *label; /* before its first line; NULL: no label */
    enum look label_look;
    unsigned first, others; /* blanks before the first line, the label within, and others */
};

/* Returns the number of lines it needs at this width. */
unsigned grid_paragraph_lines(const struct paragraph *p, unsigned width);

/* Puts it into lines from line on, before end: text too long for the last line is cut.
 * Returns the line after it. */
unsigned grid_paragraph(struct grid *g, const struct paragraph *p, unsigned line,
                        unsigned end);

/* Fills the rest of the line. */
void grid_end_line(struct grid *g, enum look look);

/* Columns that text takes. */
unsigned grid_columns(const char *text);

/* Returns the bytes of the longest prefix of text that fits the columns; *used: its
 * columns. */
size_t grid_fit(const char *text, unsigned columns, unsigned *used);

/* --- keys ------------------------------------------------------------------- */

/* The keys, their effects, and their views: the one table for the help (`?`), the line at
 * the bottom and docs/explore.md. The effects are implemented elsewhere (explore.c, the
 * views); a test presses every key and checks it against this table. */

/* A kind of view; they add up. */
enum place {
    IN_SUSPECTS = 1,
    IN_TREE = 2,
    IN_TYPES = 4,
    IN_OBJECTS = 8,
    IN_OBJECT = 16,
    IN_HELP = 32,
    IN_PROCESS = 64,
    IN_LISTS = IN_SUSPECTS | IN_TREE | IN_TYPES | IN_OBJECTS,
    EVERYWHERE = 127
};

struct key_line {
    unsigned places;
    const char *keys;       /* as printed: "PgUp PgDn b Space" */
    const char *what;       /* they do */
    const char *key, *word; /* for the line at the bottom; NULL: not there */
    const char *characters; /* those among them */
};

extern const struct key_line key_lines[];
extern const size_t key_line_count;

/* True for a line about that place, or a few; such lines are first. */
static inline bool key_is_own(const struct key_line *line, enum place place)
{
    return line->places != EVERYWHERE && (line->places & (unsigned)place) != 0;
}

/* "Tree" */
const char *place_name(enum place place);

/* Characters are themselves; these values are above all characters. */
enum key {
    KEY_FIRST = 0x110000,
    PRESS_UP,
    PRESS_DOWN,
    PRESS_PAGE_UP,
    PRESS_PAGE_DOWN,
    PRESS_HOME,
    PRESS_END,
    PRESS_LEFT,
    PRESS_RIGHT,
    PRESS_ENTER,
    PRESS_BACK, /* Backspace */
    PRESS_ESCAPE,
    PRESS_TAB,
    PRESS_BACK_TAB,
    PRESS_CLICK, /* the mouse, at x, y */
    PRESS_WHEEL_UP,
    PRESS_WHEEL_DOWN,
    PRESS_NOTHING /* a tick without a key: check for finished parts */
};

struct press {
    uint32_t key;
    unsigned x, y;
};

/* Height of a screen from which on all details of a row are shown. */
enum { EXPLORE_TALL = 40 };

enum pane { PANE_SUSPECTS, PANE_TREE, PANE_TYPES, PANE_PROCESS, PANES };

struct settings;
struct view;

/* Prompts in the line at the bottom. */
enum prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_EXPORT, PROMPT_REPLACE };

enum { PROMPT_MAX = 240, MESSAGE_MAX = 400 };

/* A row that others are compared with. */
struct mark {
    char *name; /* NULL: no mark; the view's own name of the row */
    bool has_count, has_bytes;
    uint64_t count, bytes;
};

struct explore {
    struct hd_comparison *c;
    const struct hd_report *report;
    const struct hd_model *model;
    const struct hd_options *ask; /* that the report was asked with */

    /* Why a file that is there must not be replaced, in *why; NULL: any may be. */
    bool (*keeps)(const struct settings *s, const char *path, char *why);
    const struct settings *settings; /* for keeps */

    /* Objects of `snapshot`; NULL: not begun. */
    struct hd_objects *objects;
    size_t snapshot;
    unsigned ready; /* parts of the objects that views have used */

    struct view *panes[PANES];
    enum pane pane;
    bool opened_from_suspects; /* the tree was opened there: back leads there */
    struct view *top;          /* of the stack above the pane; NULL: it is empty */

    bool app_only;
    bool last; /* show the last snapshot, not what changed */
    struct mark mark;

    enum prompt prompt;
    char input[PROMPT_MAX]; /* of the prompt, UTF-8 */
    char search[PROMPT_MAX];
    char file[PROMPT_MAX]; /* to export to, while asked whether to replace it */
    char message[MESSAGE_MAX];
    bool is_error;
    struct hd_memory copied; /* for the clipboard; the terminal takes it */

    unsigned width, height;       /* of the last drawing */
    unsigned list_top, list_rows; /* its list: first line, number of lines */
    unsigned tab_at[PANES + 1];   /* columns of the tabs */
    unsigned tabs_line;
    uint32_t last_row_clicked;
    bool quit;
};

/* Borrows its arguments for its whole life. */
void explore_begin(struct explore *e, struct hd_comparison *c,
                   const struct hd_report *report, const struct hd_options *ask);
void explore_end(struct explore *e);

void explore_press(struct explore *e, struct press press);

/* True unless a part is being built that the screen would show. */
bool explore_is_made(const struct explore *e);
void explore_draw(struct explore *e, struct grid *g, unsigned width, unsigned height);

/* --- for views ------------------------------------------------------------------- */

/* Returns the number of the last one, from 0. */
static inline size_t last_snapshot(const struct explore *e)
{
    return e->model->snapshot_count - 1;
}

/* Panes that there are: the last one only if the account of the process is known. */
static inline enum pane panes_of(const struct explore *e)
{
    return e->model->account_len > 0 ? PANES : PANE_PROCESS;
}

/* The view that receives keys. */
struct view *explore_view(const struct explore *e);

/* Puts a view on top, which explore then owns; removes the top one. */
void explore_open(struct explore *e, struct view *v);
bool explore_back(struct explore *e);

/* Shows a message in the line at the bottom until the next key. */
void explore_message(struct explore *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a failure. */
void explore_fail(struct explore *e, const char *what);

/* Switches to the objects of a snapshot; views of objects of other snapshots are closed. */
void explore_look_at(struct explore *e, size_t snapshot);

/* --- views ------------------------------------------------------------------ */

/* A list on the screen: rows of columns, a cursor, an action for Enter.
 *
 * A kind of view defines its rows; drawing, scrolling, searching, marking and exporting are
 * the same for all (explore.h). Rows are built when they are shown, so a view may have ten
 * million objects. To add one write view_<name>.c that ends in a const struct view_kind. */

enum cell_kind {
    CELL_NONE,
    CELL_COUNT,        /* a */
    CELL_SIZE,         /* a */
    CELL_COUNT_CHANGE, /* from a to b */
    CELL_SIZE_CHANGE,
    CELL_FROM_TO, /* counts a and b */
    CELL_PERCENT, /* share */
    CELL_BAR,     /* the same, as a bar of 8 columns */
    CELL_OTHERS,  /* [a others] */
    CELL_TREND,   /* the last b of a snapshots */
    CELL_ADDRESS, /* a; 0 unknown */
    CELL_NUMBER,  /* a, without separators */
    CELL_WORD,    /* text of ours */
    CELL_SHORT,   /* of a type: hostile. Without namespaces */
    CELL_NAME,    /* the same, canonical */
    CELL_OWNER    /* the same, on the screen without namespaces */
};

struct cell {
    enum cell_kind kind;
    enum look look;
    uint64_t a, b;
    double share;
    const char *text;
    struct hd_cell trend;
};

#define COUNT(n) ((struct cell){.kind = CELL_COUNT, .a = (n)})
#define BYTES(n) ((struct cell){.kind = CELL_SIZE, .a = (n)})
#define NUMBER(n) ((struct cell){.kind = CELL_NUMBER, .a = (n)})
#define ADDRESS(n) ((struct cell){.kind = CELL_ADDRESS, .a = (n)})
#define OTHERS(n) ((struct cell){.kind = CELL_OTHERS, .look = LOOK_DIM, .a = (n)})
#define FROM_TO(a_, b_) ((struct cell){.kind = CELL_FROM_TO, .a = (a_), .b = (b_)})
#define PERCENT(x) ((struct cell){.kind = CELL_PERCENT, .share = (x)})
#define WORD(text_) ((struct cell){.kind = CELL_WORD, .text = (text_)})
#define WORD_AS(look_, text_) \
    ((struct cell){.kind = CELL_WORD, .look = (look_), .text = (text_)})
#define SHORT(type) ((struct cell){.kind = CELL_SHORT, .text = (type)})
#define NAMED(look_, name_) \
    ((struct cell){.kind = CELL_NAME, .look = (look_), .text = (name_)})
#define OWNER(look_, name_) \
    ((struct cell){.kind = CELL_OWNER, .look = (look_), .text = (name_)})

/* Returns a cell with the look of growth or shrinking. */
struct cell cell_change(enum cell_kind kind, uint64_t first, uint64_t last);

/* Words, with cells as people read them in the place of each "{}". */
#define PUT(to, ...) put_said(to, PUT_PARTS(__VA_ARGS__, (struct cell){0}))
#define PUT_PARTS(format, ...)    \
    format, (const struct cell[]) \
    {                             \
        __VA_ARGS__               \
    }
void put_said(struct hd_sink to, const char *format, const struct cell *parts);

struct row {
    struct cell cells[HD_MAX_COLUMNS];
    const char *name;  /* searched and marked; untrusted. NULL: no name */
    const char *shown; /* what people read instead; NULL: name */
    char *lead;        /* before the last column, safe to print; malloc'd, or NULL */
    char tail[128];    /* after it, safe to print */
    enum look tail_look;
    bool is_heading;           /* skipped by the cursor, and cannot be opened */
    bool has_count, has_bytes; /* to be compared with a mark */
    uint64_t count, bytes;
};

struct view_kind {
    const char *name; /* of files that it is exported to */
    enum place place; /* where its keys are listed (keys.h) */

    size_t (*columns)(const struct view *v, struct hd_column *all);
    void (*row)(const struct view *v, size_t i, struct row *row);

    /* The rest may be NULL. */
    void (*title)(const struct view *v, struct hd_sink to);
    void (*empty)(const struct view *v, struct hd_sink to);
    /* Details of the row under the cursor: line i of a few, false past the last. */
    bool (*detail)(const struct view *v, unsigned i, struct hd_sink to);
    unsigned detail_lines;      /* room for it */
    unsigned tall_detail_lines; /* on a tall screen; 0: the same */
    /* Text that `c` copies for a row instead of its name, safe to print; false: the
     * name. */
    bool (*copied)(const struct view *v, size_t i, struct hd_sink to);
    bool (*chain)(const struct view *v, size_t i, struct hd_sink to); /* what `C` copies */
    void (*enter)(struct view *v, size_t i);
    bool (*left)(struct view *v, size_t i); /* false: go back */
    void (*right)(struct view *v, size_t i);
    bool (*key)(struct view *v, uint32_t key); /* false: not ours */
    /* Names of its orders, for one snapshot and for changes; NULL-terminated. */
    const char *const (*orders)[2];
    void (*refresh)(struct view *v); /* filters or parts have changed */
    /* True while a part is missing that the screen needs. */
    bool (*waits)(struct view *v);
    /* Objects of the snapshot; false: it has to be closed. */
    bool (*forget)(struct view *v);
    /* Row of the next match from row i on, inclusive, in that direction; rows() without
     * one. */
    size_t (*find)(struct view *v, const char *text, size_t i, int step);
    void (*free)(struct view *v);
};

struct view {
    const struct view_kind *kind;
    struct explore *e; /* that it is of */
    struct view *below;
    size_t rows; /* of the list */
    size_t cursor, scroll;
    unsigned order; /* number of kind->orders that refresh() sorts by */
};

/* Returns the name of the order of a view that has several. */
const char *view_order(const struct view *v);

/* Returns row i of a view, for row_free(). */
struct row view_row(const struct view *v, size_t i);
void row_free(struct row *row);

/* Returns a view of `size` bytes, zeroed except for kind and e. */
void *view_new(struct explore *e, const struct view_kind *kind, size_t size);
void view_free(struct view *v);

/* Moves by a number of rows, skipping headings. */
void view_move(struct view *v, long by);
void view_go(struct view *v, size_t i);

/* True if a name contains text, ignoring case. */
bool view_matches(const struct row *row, const char *text);

/* Searches a list by its rows only. */
size_t view_find(struct view *v, const char *text, size_t i, int step);

/* Sort key of rows: those below the others last, then by key, the largest first, by name,
 * and stable. */
struct view_slot {
    bool is_below;
    uint64_t key;
    const char *name;
    size_t i;
};
void view_sort(struct view_slot *all, size_t len);

/* --- the views ------------------------------------------------------------------- */

struct view *suspects_view(struct explore *e);
struct view *types_view(struct explore *e);
struct view *tree_view(struct explore *e);
struct view *process_view(struct explore *e);
/* The keys of the open view. */
struct view *help_view(struct explore *e);

/* Moves the cursor of the tree to the owner of suspect `rank`. False: it is not in the
 * tree. */
bool tree_view_show(struct view *v, size_t rank);

/* Instances of a type. */
struct view *instances_view(struct explore *e, const char *type, const char *shown);

/* Objects at a place of the tree; steps are copied. */
struct view *place_view(struct explore *e, const struct hd_place_step *steps, size_t count,
                        const char *shown);

/* Objects of `type` that an object refers to, or that refer to it. */
struct view *neighbours_view(struct explore *e, uint32_t number,
                             enum hd_direction direction, const char *type,
                             const char *shown);

struct view *object_view(struct explore *e, uint32_t number);

/* Cohorts, with the number of their objects in each snapshot, as lines of numbers in
 * columns: a triangle.
 *
 *     snapshot   1   2   3
 *     older     63  63  63
 *     new in 2      64  64
 *     new in 3         128
 *
 * Returns the number of lines for these columns; 0 if b is NULL, too wide, or too large to
 * read. cohorts_line() prints line i. */
unsigned cohorts_lines(const struct hd_cohorts *b, unsigned columns);
void cohorts_line(const struct hd_cohorts *b, unsigned i, struct hd_sink to);

/* Returns the columns of a list of the report, and fills in the cells of a row. Trends have
 * the last snapshots that fit. */
size_t view_list_columns(const struct explore *e, enum hd_list list, struct hd_column *all);
void view_list_cells(const struct explore *e, enum hd_list list, const void *of,
                     struct row *row);

/* --- words that several use ------------------------------------------------------ */

/* As sink_printf("%s"). */
void print_to(struct hd_sink to, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints one cell as people read it. exact: whole numbers, for files. */
void cell_print(const struct cell *c, struct hd_sink to);
void cell_print_exact(const struct cell *c, struct hd_sink to);

/* Prints a name without namespaces, in at most `columns`; the field of a variable is cut
 * last. */
void print_owner(const char *name, unsigned columns, struct hd_sink to);

/* Prints the counts of all snapshots or, if they are too wide, the first and the last ones
 * that fit: "0 … 5,880 6,000". */
void print_counts(const struct hd_tally *at, size_t count, unsigned columns,
                  struct hd_sink to);

/* The same of counts that are bytes (CELL_SIZE). */
void print_values(const struct hd_tally *at, size_t count, enum cell_kind kind,
                  unsigned columns, struct hd_sink to);

/* Prints the address of an object or, without one, its number, both as `heapdrift object`
 * accepts them. False if it is not an object. */
bool put_address(const struct explore *e, uint32_t number, struct hd_sink to);

/* "finding references back: 40 %", or the reason of a failure. */
void put_progress(const struct explore *e, unsigned wanted, struct hd_sink to);

/* --- the clipboard ---------------------------------------------------------- */

/* The clipboard: `c` copies the row under the cursor, with the escape sequence that
 * terminals accept, also through ssh (OSC 52 of xterm). And export of a view to a file:
 * Markdown as shown, or CSV with exact numbers.
 *
 * Copied names are from a file: without control characters, so that pasting them cannot run
 * a command. Must not write to a terminal. */

/* Limit of terminals: 100,000 characters of base64. */
enum { COPY_MAX = 74994 };

/* Stores the row under the cursor in e->copied, with a message in the line at the bottom;
 * or the reason of a failure. */
void copy_row(struct explore *e);

/* The same of the chain that keeps it alive. */
void copy_chain(struct explore *e);

/* The sequence for a text. Below tmux it is sent twice, to tmux and through it: which of
 * the two it takes is set there (set-clipboard, allow-passthrough). */
void copy_put_sequence(const char *text, bool in_tmux, struct hd_sink to);

enum exported { EXPORTED, EXPORT_EXISTS, EXPORT_FAILED };

/* Exports all rows of the open view. why: a message about the file, or the failure. An
 * existing file is replaced only on request; partial files are removed. The suffix of the
 * name decides on the format. */
enum exported export_view(struct explore *e, const char *path, bool replace, char *why,
                          size_t size);

#endif
