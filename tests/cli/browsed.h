/* browsed.h - a browser without a terminal: keys in, lines of text out. */
#ifndef BROWSED_H
#define BROWSED_H

#include "cli/explore/explore.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 50 };

struct browser {
    struct hd_snapshot *snaps[MAX_FILES];
    size_t count;
    struct hd_comparison *c;
    struct hd_options ask;
    struct hd_report *report;
    struct explore e;
    struct grid grid;
    struct hd_memory text;
};

static inline void print_line(struct hd_memory *to, struct hd_memory *line)
{
    struct hd_sink sink = hd_sink_memory(to);
    size_t len = line->size;
    while (len > 0 && line->bytes[len - 1] == ' ')
        len--;
    if (len > 0)
        sink.write(sink.context, line->bytes, len);
    sink.write(sink.context, "\n", 1);
    line->size = 0;
}

/* Everything as lines of text, without trailing blanks. *to owns the text. */
static inline void grid_print(const struct grid *g, struct hd_memory *to)
{
    struct hd_memory line = {0};
    struct hd_sink sink = hd_sink_memory(&line);
    unsigned at = 0;
    for (size_t i = 0; i < g->len; i++) {
        const struct grid_piece *p = &g->pieces[i];
        for (; at < p->line; at++)
            print_line(to, &line);
        sink.write(sink.context, g->text.bytes + p->begin, p->len);
    }
    for (; at < g->height; at++)
        print_line(to, &line);
    hd_memory_free(&line);
}

static inline void begin(struct browser *b)
{
    struct hd_error err = {0};
    b->ask = hd_default_options();
    b->ask.rows = 0;
    b->ask.tree = true;
    b->c = hd_comparison_of(b->snaps, b->count, NULL);
    b->report = b->count > 1 ? hd_report_diff(b->c, &b->ask, &err)
                             : hd_report_top(b->c, &b->ask, &err);
    cr_assert_not_null(b->report, "%s", err.message);
    explore_begin(&b->e, b->c, b->report, &b->ask);
}

static inline void settle(struct browser *b)
{
    hd_objects_wait(b->e.objects, NULL);
    explore_press(&b->e, (struct press){.key = PRESS_NOTHING});
    while (!explore_is_made(&b->e))
        sched_yield();
}

static inline void end(struct browser *b)
{
    explore_end(&b->e);
    hd_report_free(b->report);
    hd_comparison_free(b->c);
    for (size_t k = 0; k < b->count; k++)
        hd_snapshot_close(b->snaps[k]);
    grid_free(&b->grid);
    hd_memory_free(&b->text);
}

static inline void press(struct browser *b, uint32_t key)
{
    explore_press(&b->e, (struct press){.key = key});
    settle(b);
}

static inline void type(struct browser *b, const char *text)
{
    for (; *text != '\0'; text++)
        press(b, (unsigned char)*text);
}

static inline const char *screen_of(struct browser *b, unsigned width, unsigned height)
{
    explore_draw(&b->e, &b->grid, width, height);
    b->text.size = 0;
    grid_print(&b->grid, &b->text);
    return b->text.bytes;
}

static inline const char *screen(struct browser *b)
{
    return screen_of(b, 100, 30);
}

static inline void shows(struct browser *b, const char *what)
{
    const char *text = screen(b);
    cr_expect(strstr(text, what) != NULL, "\"%s\" should be in\n%s", what, text);
}

static inline void lacks(struct browser *b, const char *what)
{
    const char *text = screen(b);
    cr_expect(strstr(text, what) == NULL, "\"%s\" should not be in\n%s", what, text);
}

/* The row under the cursor. */
static inline const char *chosen(struct browser *b)
{
    static char line[512];
    const char *at = strstr(screen(b), "\n> ");
    cr_assert_not_null(at, "no row is chosen in\n%s", screen(b));
    snprintf(line, sizeof(line), "%.*s", (int)strcspn(at + 1, "\n"), at + 1);
    return line;
}

/* Pieces must be on the screen, next to each other, with the width that they claim. */
static inline void expect_sound(const struct grid *g)
{
    unsigned line = 0, column = 0;
    for (size_t i = 0; i < g->len; i++) {
        const struct grid_piece *p = &g->pieces[i];
        column = p->line == line ? column : 0;
        line = p->line;
        cr_assert_eq(p->column, column);
        cr_assert_leq(p->column + p->columns, g->width);
        cr_assert_lt(p->line, g->height);
        char *text = strndup(g->text.bytes + p->begin, p->len);
        cr_assert_eq(grid_columns(text), p->columns, "\"%s\"", text);
        for (const char *c = text; *c != '\0'; c++)
            cr_assert((unsigned char)*c >= ' ' && *c != 0x7F);
        free(text);
        column += p->columns;
    }
}

static inline char *contents(const char *path)
{
    static char text[65536];
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
    fclose(f);
    return text;
}

static inline void export(struct browser *b, const char *path)
{
    type(b, "e");
    press(b, 0x15);
    type(b, path);
    press(b, PRESS_ENTER);
}

#endif
