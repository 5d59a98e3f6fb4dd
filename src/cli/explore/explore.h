/* explore.h - the state of the browser: what is open, where the cursor is, what a key
 * does.
 *
 * A pure machine: explore_press() changes the state, explore_draw() puts it on a grid.
 * Neither knows a terminal, so both are tested without one. All numbers are those of the
 * report that it is given; another order or filter changes none of them.
 *
 * Three panes stand side by side: suspects, tree, types. What is opened from there (a list
 * of objects, one object, the keys) lies on a stack above the pane; each of these is a view
 * (view.h). */
#ifndef EXPLORE_H
#define EXPLORE_H

#include "cli/explore/grid.h"

/* Characters are themselves; these stand above all of them. */
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
    PRESS_NOTHING /* some time has gone: look what is ready */
};

struct press {
    uint32_t key;
    unsigned x, y;
};

/* Height of a screen from which on what is known of a row is told in full. */
enum { EXPLORE_TALL = 40 };

enum pane { PANE_SUSPECTS, PANE_TREE, PANE_TYPES, PANES };

struct settings;
struct view;

/* What the user types in the line at the bottom. */
enum prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_EXPORT, PROMPT_REPLACE };

enum { PROMPT_MOST = 240, MESSAGE_MOST = 400 };

/* A row that others are compared with. */
struct mark {
    char *name; /* NULL: none; the view's own name of the row */
    bool has_count, has_bytes;
    uint64_t count, bytes;
};

struct explore {
    struct hd_comparison *c;
    const struct hd_report *report;
    const struct hd_model *model;
    const struct hd_options *ask; /* that the report was asked with */
    const char *no_tree;          /* why there is none */

    /* Why a file that is there must not be replaced, in *why; NULL: any may be. */
    bool (*keeps)(const struct settings *s, const char *path, char *why);
    const struct settings *settings; /* for keeps */

    /* Objects of one snapshot; NULL: not begun. */
    struct hd_objects *objects;
    size_t snapshot;
    unsigned ready; /* parts of them that views know of */

    struct view *panes[PANES];
    enum pane pane;
    bool came_from_suspects; /* the tree was opened there: back leads there */
    struct view *top;        /* of the stack above the pane; NULL: it is empty */

    bool app_only;
    bool last; /* show the last snapshot, not what changed */
    struct mark mark;

    enum prompt prompt;
    char input[PROMPT_MOST]; /* of the prompt, UTF-8 */
    char search[PROMPT_MOST];
    char file[PROMPT_MOST]; /* to export to, while asked whether to replace it */
    char message[MESSAGE_MOST];
    bool is_error;
    struct hd_memory copied; /* for the clipboard; whoever has one takes it */

    unsigned width, height;       /* of the last drawing */
    unsigned list_top, list_rows; /* its list: first line, number of lines */
    unsigned tab_at[PANES + 1];   /* columns of the tabs */
    unsigned tabs_line;
    uint32_t last_row_clicked;
    bool quit;
};

/* What it is made of lives as long as it does. */
void explore_begin(struct explore *e, struct hd_comparison *c,
                   const struct hd_report *report, const struct hd_options *ask);
void explore_end(struct explore *e);

void explore_press(struct explore *e, struct press press);

/* Whether nothing is made meanwhile that the screen would show. */
bool explore_is_made(const struct explore *e);
void explore_draw(struct explore *e, struct grid *g, unsigned width, unsigned height);

/* --- for views ------------------------------------------------------------------- */

/* The view that keys go to. */
struct view *explore_view(const struct explore *e);

/* Put a view on top, which explore then owns; take the top one off. */
void explore_open(struct explore *e, struct view *v);
bool explore_back(struct explore *e);

/* Say something in the line at the bottom until the next key. */
void explore_message(struct explore *e, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same of what cannot be. */
void explore_fail(struct explore *e, const char *what);

/* Look at objects of that snapshot; views of objects of another one are closed. */
void explore_look_at(struct explore *e, size_t snapshot);

#endif
