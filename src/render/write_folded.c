/* Folded stacks, as flame graph scripts read them: "a;b;c BYTES", of each place what it
 * owns itself in the last snapshot; of several snapshots "a;b;c FIRST LAST", as flame
 * graphs of differences want it. */
#include "render/tree_frames.h"
#include "render/writer.h"
#include "report/format_units.h"

#include <inttypes.h>
#include <string.h>

/* Whether the numbers of a line would seem to begin in the name: " 12" at its end. */
static bool ends_in_number(const char *name, size_t *blank)
{
    size_t len = strlen(name), digits = len;
    while (digits > 0 && strchr("0123456789.", name[digits - 1]) != NULL)
        digits--;
    *blank = digits > 0 ? digits - 1 : 0;
    return digits < len && digits > 0 && name[digits - 1] == ' ';
}

/* A frame in one piece: ";", and a blank in front of a number at the end, are written out
 * as control characters are. */
static void add_frame(struct text *line, const char *name)
{
    struct text clean = {0};
    size_t blank;
    format_name(&clean, name);
    bool number = ends_in_number(text_string(&clean), &blank);
    for (size_t i = 0; i < clean.len; i++) {
        if (clean.data[i] == ';')
            text_add_string(line, "\\x3b");
        else if (number && i == blank)
            text_add_string(line, "\\x20");
        else
            text_add_char(line, clean.data[i]);
    }
    text_free(&clean);
}

static void write_line(const struct tree_frames *f, size_t i, struct text *line)
{
    const struct hd_tree *t = f->tree;
    size_t stack[TREE_MOST_FRAMES], len = tree_stack(f, i, stack);
    for (size_t k = 0; k < len; k++) {
        text_add_string(line, k > 0 ? ";" : "");
        add_frame(line, f->names[stack[k]]);
    }
    char numbers[64];
    if (t->first != t->last)
        snprintf(numbers, sizeof(numbers), " %" PRIu64 " %" PRIu64 "\n",
                 t->nodes[i].at[t->first].bytes, t->nodes[i].at[t->last].bytes);
    else
        snprintf(numbers, sizeof(numbers), " %" PRIu64 "\n", t->nodes[i].at[t->last].bytes);
    text_add_string(line, numbers);
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    const struct hd_tree *t = r->model.tree;
    struct tree_frames f = tree_frames_of(t);
    struct text line = {0};
    (void)opt;
    for (size_t i = 0; i < t->len; i++) {
        const struct hd_tally *at = t->nodes[i].at;
        if (f.name_of[i] == NO_FRAME || (at[t->first].bytes == 0 && at[t->last].bytes == 0))
            continue;
        text_clear(&line);
        write_line(&f, i, &line);
        out_text(o, &line);
    }
    text_free(&line);
    tree_frames_free(&f);
}

const struct writer write_folded = {
    .name = "folded",
    .summary = "folded stacks, for flame graphs (tree)",
    .holds = HOLDS_TREES,
    .whole_tree = true,
    .write = write,
};
