#include "cli/explore/explore.h"

#include "cli/guard/allocate.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- beginning and end ----------------------------------------------------------- */

void explore_begin(struct explore *e, struct hd_comparison *c,
                   const struct hd_report *report, const struct hd_options *ask)
{
    *e = (struct explore){.c = c,
                          .report = report,
                          .model = hd_report_model(report),
                          .ask = ask,
                          .last_row_clicked = UINT32_MAX};
    e->last = e->model->diff == NULL;
    e->panes[PANE_SUSPECTS] = suspects_view(e);
    e->panes[PANE_TREE] = tree_view(e);
    e->panes[PANE_TYPES] = types_view(e);
    e->panes[PANE_PROCESS] = process_view(e);
    e->pane = e->last ? PANE_TYPES : PANE_SUSPECTS;
    for (enum pane p = 0; p < PANES; p++) {
        e->panes[p]->kind->refresh(e->panes[p]);
        view_go(e->panes[p], 0);
    }
    explore_look_at(e, e->model->tree != NULL ? e->model->tree->last
                                              : e->model->snapshot_count - 1);
}

static void close_top(struct explore *e)
{
    struct view *v = e->top;
    e->top = v->below;
    view_free(v);
}

void explore_end(struct explore *e)
{
    while (e->top != NULL)
        close_top(e);
    for (enum pane p = 0; p < PANES; p++)
        view_free(e->panes[p]);
    hd_objects_close(e->objects);
    free(e->mark.name);
    hd_memory_free(&e->copied);
    *e = (struct explore){0};
}

/* --- views ----------------------------------------------------------------------- */

struct view *explore_view(const struct explore *e)
{
    return e->top != NULL ? e->top : e->panes[e->pane];
}

void explore_open(struct explore *e, struct view *v)
{
    v->below = e->top;
    e->top = v;
}

bool explore_back(struct explore *e)
{
    if (e->top != NULL) {
        close_top(e);
        return true;
    }
    if (!e->opened_from_suspects)
        return false;
    e->pane = PANE_SUSPECTS;
    e->opened_from_suspects = false;
    return true;
}

static void open_pane(struct explore *e, enum pane pane)
{
    while (e->top != NULL)
        close_top(e);
    e->pane = pane;
    e->opened_from_suspects = false;
}

static void refresh_all(struct explore *e)
{
    for (struct view *v = e->top; v != NULL; v = v->below)
        if (v->kind->refresh != NULL)
            v->kind->refresh(v);
    for (enum pane p = 0; p < PANES; p++) {
        e->panes[p]->kind->refresh(e->panes[p]);
        view_go(e->panes[p], e->panes[p]->cursor);
    }
}

/* Closes each view that has no meaning in another snapshot, and all above it. */
void explore_look_at(struct explore *e, size_t snapshot)
{
    struct view *keep = NULL;
    for (struct view *v = e->top; v != NULL; v = v->below)
        if (v->kind->forget != NULL && !v->kind->forget(v))
            keep = v->below;
        else if (keep == NULL)
            keep = v;
    while (e->top != keep)
        close_top(e);
    hd_objects_close(e->objects);
    e->snapshot = snapshot;
    e->ready = 0;
    e->objects = hd_objects_open(e->c, snapshot);
}

/* Shows parts that the library has finished in the meantime. */
static void look_what_is_ready(struct explore *e)
{
    unsigned ready = e->objects != NULL ? hd_objects_progress(e->objects).ready : 0;
    if (ready == e->ready)
        return;
    e->ready = ready;
    for (struct view *v = e->top; v != NULL; v = v->below) {
        if (v->kind->refresh == NULL)
            continue;
        v->kind->refresh(v);
        view_go(v, v->cursor);
    }
}

bool explore_is_made(const struct explore *e)
{
    if (e->objects == NULL)
        return true;
    struct hd_objects_progress p = hd_objects_progress(e->objects);
    if (p.making != 0 || p.ready != e->ready)
        return false;
    struct view *v = explore_view(e);
    return v->kind->waits == NULL || !v->kind->waits(v);
}

/* --- words ----------------------------------------------------------------------- */

void explore_message(struct explore *e, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(e->message, sizeof(e->message), fmt, args);
    va_end(args);
    if (n >= (int)sizeof(e->message)) {
        /* Do not cut inside a character. */
        size_t len = strlen(e->message), back = 0;
        while (back < len && back < 3 &&
               ((unsigned char)e->message[len - 1 - back] & 0xC0) == 0x80)
            back++;
        if (back < len && ((unsigned char)e->message[len - 1 - back] & 0x80))
            e->message[len - 1 - back] = '\0';
    }
    e->is_error = false;
}

void explore_fail(struct explore *e, const char *what)
{
    explore_message(e, "%s", what);
    e->is_error = true;
}

/* --- searching ------------------------------------------------------------------- */

/* Onwards from the cursor and, if need be, round. */
static void search(struct explore *e, int step)
{
    struct view *v = explore_view(e);
    if (e->search[0] == '\0') {
        explore_message(e, "/ starts a search");
        return;
    }
    size_t found = view_find(v, e->search, v->cursor + (size_t)step, step);
    size_t rows = v->rows;
    if (found >= rows) {
        found = view_find(v, e->search, step > 0 || rows == 0 ? 0 : rows - 1, step);
        rows = v->rows;
        if (found < rows)
            explore_message(e, step > 0 ? "from the top again" : "from the bottom again");
    }
    if (found < rows)
        view_go(v, found);
    else
        explore_fail(e, "Not found.");
}

/* --- marks ----------------------------------------------------------------------- */

static void mark(struct explore *e)
{
    struct view *v = explore_view(e);
    if (v->cursor >= v->rows)
        return;
    struct row row = view_row(v, v->cursor);
    bool same = e->mark.name != NULL && row.name != NULL &&
                strcmp(e->mark.name, row.name) == 0 && e->mark.bytes == row.bytes;
    free(e->mark.name);
    e->mark = (struct mark){0};
    if (!same && row.name != NULL && (row.has_count || row.has_bytes)) {
        size_t size = strlen(row.name) + 1;
        e->mark = (struct mark){memcpy(more(NULL, size), row.name, size), row.has_count,
                                row.has_bytes, row.count, row.bytes};
    }
    row_free(&row);
}

/* --- the line at the bottom ------------------------------------------------------ */

static void prompt_for(struct explore *e, enum prompt prompt, const char *with)
{
    e->prompt = prompt;
    snprintf(e->input, sizeof(e->input), "%s", with);
}

static void export_to(struct explore *e, bool replace)
{
    char why[MESSAGE_MAX];
    switch (export_view(e, e->file, replace, why, sizeof(why))) {
    case EXPORTED:
        explore_message(e, "%s", why);
        break;
    case EXPORT_EXISTS:
        prompt_for(e, PROMPT_REPLACE, "");
        break;
    default:
        explore_fail(e, why);
    }
}

static size_t put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3F));
    to[0] = (char)(first[n] | code);
    return n;
}

static void edit_input(struct explore *e, uint32_t key)
{
    size_t len = strlen(e->input);
    if (key == PRESS_BACK && len == 0) {
        e->prompt = PROMPT_NONE;
    } else if (key == PRESS_BACK) {
        while (len > 0 && ((unsigned char)e->input[len - 1] & 0xC0) == 0x80)
            len--;
        e->input[len > 0 ? len - 1 : 0] = '\0';
    } else if (key == 0x15) { /* Ctrl-U, as in a shell */
        e->input[0] = '\0';
    } else if (key >= ' ' && key < KEY_FIRST && key != 0x7F && len + 5 < sizeof(e->input)) {
        len += put_utf8(e->input + len, key);
        e->input[len] = '\0';
    }
}

static void press_in_prompt(struct explore *e, uint32_t key)
{
    if (key == PRESS_ESCAPE) {
        e->prompt = PROMPT_NONE;
    } else if (e->prompt == PROMPT_REPLACE) {
        e->prompt = PROMPT_NONE;
        if (key == 'y' || key == 'Y')
            export_to(e, true);
        else
            explore_message(e, "Nothing was written.");
    } else if (key == PRESS_ENTER) {
        enum prompt prompt = e->prompt;
        e->prompt = PROMPT_NONE;
        if (prompt == PROMPT_SEARCH) {
            memcpy(e->search, e->input, sizeof(e->search));
            if (e->search[0] != '\0')
                search(e, 1);
        } else if (prompt == PROMPT_EXPORT && e->input[0] != '\0') {
            memcpy(e->file, e->input, sizeof(e->file));
            export_to(e, false);
        }
    } else {
        edit_input(e, key);
    }
}

static void ask_where_to_export(struct explore *e)
{
    char name[64];
    snprintf(name, sizeof(name), "%s.md", explore_view(e)->kind->name);
    prompt_for(e, PROMPT_EXPORT, name);
}

/* --- moving ---------------------------------------------------------------------- */

static bool move(struct view *v, uint32_t key)
{
    static const struct {
        uint32_t key, letter;
        long by, pages;
    } moves[] = {{PRESS_UP, 'k', -1, 0},
                 {PRESS_DOWN, 'j', 1, 0},
                 {PRESS_PAGE_UP, 'b', 0, -1},
                 {PRESS_PAGE_DOWN, ' ', 0, 1},
                 {PRESS_HOME, 'g', -LONG_MAX, 0},
                 {PRESS_END, 'G', LONG_MAX, 0},
                 {PRESS_WHEEL_UP, UINT32_MAX, -3, 0},
                 {PRESS_WHEEL_DOWN, UINT32_MAX, 3, 0}};
    long page = v->e->list_rows > 1 ? (long)v->e->list_rows - 1 : 1;
    for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++)
        if (key == moves[i].key || key == moves[i].letter) {
            view_move(v, moves[i].by + moves[i].pages * page);
            return true;
        }
    return false;
}

static void explore_enter(struct view *v)
{
    if (v->kind->enter != NULL && v->cursor < v->rows)
        v->kind->enter(v, v->cursor);
}

static void go_back(struct explore *e)
{
    if (!explore_back(e))
        explore_message(e, "q quits");
}

static bool go_deeper_or_back(struct explore *e, struct view *v, uint32_t key)
{
    switch (key) {
    case PRESS_ENTER:
        explore_enter(v);
        break;
    case PRESS_RIGHT:
    case 'l':
        if (v->kind->right != NULL)
            v->kind->right(v, v->cursor);
        else
            explore_enter(v);
        break;
    case PRESS_LEFT:
    case 'h':
        if (v->kind->left == NULL || !v->kind->left(v, v->cursor))
            go_back(e);
        break;
    case PRESS_BACK:
    case PRESS_ESCAPE:
        go_back(e);
        break;
    default:
        return false;
    }
    return true;
}

/* --- the mouse ------------------------------------------------------------------- */

/* A second click on the same row opens it. */
static void click(struct explore *e, struct view *v, unsigned x, unsigned y)
{
    size_t rows = v->rows;
    for (enum pane p = 0; y == e->tabs_line && p < panes_of(e); p++)
        if (x >= e->tab_at[p] && x < e->tab_at[p + 1])
            open_pane(e, p);
    if (y < e->list_top || y - e->list_top >= e->list_rows)
        return;
    size_t i = v->scroll + (y - e->list_top);
    if (i >= rows)
        return;
    if (i == v->cursor && e->last_row_clicked == (uint32_t)i) {
        e->last_row_clicked = UINT32_MAX;
        explore_enter(v);
        return;
    }
    view_go(v, i);
    e->last_row_clicked = (uint32_t)i;
}

/* --- keys ------------------------------------------------------------------------ */

static void sort_view(struct explore *e, struct view *v)
{
    if (v->kind->orders == NULL) {
        explore_fail(e, "This list cannot be sorted differently.");
        return;
    }
    v->order++;
    if (v->kind->orders[v->order][0] == NULL)
        v->order = 0;
    v->kind->refresh(v);
    view_go(v, 0);
    explore_message(e, "by %s", view_order(v));
}

static void switch_last(struct explore *e)
{
    if (e->model->diff == NULL) {
        explore_message(e, "One snapshot: nothing has changed.");
        return;
    }
    e->last = !e->last;
    refresh_all(e);
    explore_message(e, e->last ? "the last snapshot"
                               : "what changed, from the first to the last");
}

static void press_key(struct explore *e, struct view *v, uint32_t key)
{
    switch (key) {
    case PRESS_TAB:
        open_pane(e, (e->pane + 1) % panes_of(e));
        break;
    case PRESS_BACK_TAB:
        open_pane(e, (e->pane + panes_of(e) - 1) % panes_of(e));
        break;
    case '1':
    case '2':
    case '3':
        open_pane(e, (enum pane)(key - '1'));
        break;
    case '4':
        if (panes_of(e) > PANE_PROCESS)
            open_pane(e, PANE_PROCESS);
        else
            explore_message(e, "The files have no facts of the process.");
        break;
    case '/':
        prompt_for(e, PROMPT_SEARCH, "");
        break;
    case 'n':
        search(e, 1);
        break;
    case 'N':
        search(e, -1);
        break;
    case 's':
        sort_view(e, v);
        break;
    case 'a':
        e->app_only = !e->app_only;
        refresh_all(e);
        explore_message(e, e->app_only ? "only types of the program" : "all types");
        break;
    case 'd':
        switch_last(e);
        break;
    case 'm':
        mark(e);
        break;
    case 'c':
        copy_row(e);
        break;
    case 'C':
        copy_chain(e);
        break;
    case 'e':
        ask_where_to_export(e);
        break;
    case '?':
        explore_open(e, help_view(e));
        break;
    case 'q':
        e->quit = true;
        break;
    default:
        break;
    }
}

void explore_press(struct explore *e, struct press press)
{
    struct view *v = explore_view(e);
    uint32_t key = press.key;
    look_what_is_ready(e);
    if (key == PRESS_NOTHING)
        return;
    e->message[0] = '\0';
    e->is_error = false;
    if (key != PRESS_CLICK)
        e->last_row_clicked = UINT32_MAX;
    if (e->prompt != PROMPT_NONE)
        press_in_prompt(e, key);
    else if (key == PRESS_CLICK)
        click(e, v, press.x, press.y);
    else if ((v->kind->key == NULL || !v->kind->key(v, key)) && !move(v, key) &&
             !go_deeper_or_back(e, v, key))
        press_key(e, v, key);
}
