/* The ownership tree for other programs: as stacks of frames (records.h), folded and
 * for speedscope, and as a picture for Graphviz. */
#include "base/json.h"
#include "base/text.h"
#include "render/writer.h"
#include "report/format_units.h"
#include "report/records.h"
#include "report/text_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- folded stacks ----------------------------------------------------------------- */

/* The format of flame graph scripts: "a;b;c BYTES", for each place its own bytes in the
 * last snapshot; for several snapshots "a;b;c FIRST LAST", as differential flame graphs
 * require. */

/* True if the numbers of a line would seem to begin in the name: " 12" at its end. */
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
static void add_folded(struct text *line, const char *name)
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

static void write_stacks(const struct hd_report *r, const struct hd_write_options *opt,
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
        size_t stack[TREE_MAX_FRAMES], len = tree_stack(&f, i, stack);
        text_clear(&line);
        for (size_t k = 0; k < len; k++) {
            text_add_string(&line, k > 0 ? ";" : "");
            add_folded(&line, f.names[stack[k]]);
        }
        if (t->first != t->last)
            say(&line, " ", as_digits(at[t->first].bytes));
        say(&line, " ", as_digits(at[t->last].bytes), "\n");
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
    .write = write_stacks,
};

/* --- speedscope --------------------------------------------------------------------- */

/* A profile per snapshot, in bytes. A place lasts as long as its owned bytes, so output
 * does not grow with the depth. */

struct speedscope_events {
    const struct tree_frames *f;
    size_t snapshot;
    uint64_t now; /* bytes of all places closed so far */
    json_t *events;
    size_t *open; /* nodes that have begun */
    size_t depth;
};

static void add_event(struct speedscope_events *r, const char *type, size_t node)
{
    if (r->f->name_of[node] != NO_FRAME)
        json_append(r->events,
                    json_pack("{sssIsI}", "type", type, "frame",
                              (json_int_t)r->f->name_of[node], "at", (json_int_t)r->now));
}

/* The bytes of a place itself follow those of its children. */
static void close_before(struct speedscope_events *r, size_t node)
{
    const struct hd_tree_node *nodes = r->f->tree->nodes;
    while (r->depth > 0 && nodes[r->open[r->depth - 1]].end <= node) {
        size_t done = r->open[--r->depth];
        r->now += nodes[done].at[r->snapshot].bytes;
        add_event(r, "C", done);
    }
}

static json_t *events_of(const struct tree_frames *f, size_t snapshot, uint64_t *end)
{
    const struct hd_tree *t = f->tree;
    struct speedscope_events r = {.f = f, .snapshot = snapshot, .events = json_array()};
    r.open = alloc_zeroed(array_bytes(t->len, sizeof(*r.open)));
    for (size_t i = 0; i < t->len;) {
        close_before(&r, i);
        if (t->nodes[i].owned[snapshot].bytes == 0) {
            i = t->nodes[i].end;
            continue;
        }
        add_event(&r, "O", i);
        r.open[r.depth++] = i++;
    }
    close_before(&r, t->len);
    free(r.open);
    *end = r.now;
    return r.events;
}

static json_t *profile(const struct hd_model *m, const struct tree_frames *f, size_t k)
{
    uint64_t end;
    json_t *events = events_of(f, k, &end);
    return json_pack("{sssosssisIso}", "type", "evented", "name",
                     json_string_or_null(heading_file(m->snapshots, m->snapshot_count, k)),
                     "unit", "bytes", "startValue", 0, "endValue", (json_int_t)end,
                     "events", events);
}

static json_t *speedscope_frame(const struct tree_frames *f, size_t i)
{
    json_t *frame = json_pack("{so}", "name", json_string_or_null(f->names[i]));
    if (f->codes[i] != NULL) {
        json_object_set_new(frame, "file", json_string_or_null(f->codes[i]->file));
        json_object_set_new(frame, "line", json_integer((json_int_t)f->codes[i]->line));
    }
    return frame;
}

static void write_profiles(const struct hd_report *r, const struct hd_write_options *opt,
                           struct out *o)
{
    const struct hd_model *m = &r->model;
    struct tree_frames f = tree_frames_of(m->tree);
    json_t *profiles = json_array(), *frames = json_array();
    size_t count = 0, last = 0;
    (void)opt;
    for (size_t i = 0; i < f.count; i++)
        json_append(frames, speedscope_frame(&f, i));
    for (size_t k = 0; k < m->snapshot_count; k++) {
        if (m->tree->reachable[k].bytes == HD_UNKNOWN)
            continue;
        json_append(profiles, profile(m, &f, k));
        last = count++;
    }
    json_write_line(json_pack("{sssssosIs{so}so}", "$schema",
                              "https://www.speedscope.app/file-format-schema.json",
                              "exporter", "heapdrift " HD_VERSION, "name",
                              json_string_or_null(heading_file(
                                  m->snapshots, m->snapshot_count, m->tree->last)),
                              "activeProfileIndex", (json_int_t)last, "shared", "frames",
                              frames, "profiles", profiles),
                    o);
    out_string(o, "\n");
    tree_frames_free(&f);
}

const struct writer write_speedscope = {
    .name = "speedscope",
    .summary = "for speedscope: a profile per snapshot (tree)",
    .holds = HOLDS_TREES,
    .whole_tree = true,
    .write = write_profiles,
};

/* --- Graphviz ------------------------------------------------------------------------ */

/* A box per place, the larger the stronger its line, red where it has grown and green where
 * it has shrunk. */

/* A box shows no more, and Graphviz rejects strings of more than 16 KiB. */
enum { MAX_OF_A_NAME = 400 };

/* Within quotes, backslashes and quotes must be escaped. */
static void add_quoted(struct text *t, const char *s, bool is_method)
{
    struct text clean = {0};
    if (is_method)
        format_name(&clean, s);
    else
        format_short_name(&clean, s);
    size_t all = clean.len, len = all < MAX_OF_A_NAME ? all : MAX_OF_A_NAME;
    while (len < all && len > 0 && (clean.data[len] & 0xC0) == 0x80)
        len--;
    for (size_t i = 0; i < len; i++) {
        if (clean.data[i] == '"' || clean.data[i] == '\\')
            text_add_char(t, '\\');
        text_add_char(t, clean.data[i]);
    }
    text_add_string(t, len < all ? "…" : "");
    text_free(&clean);
}

static double share_of(double part, double whole)
{
    double share = whole > 0 ? part / whole : 0;
    return share > 1 ? 1 : share;
}

/* Hue, strength, brightness: white if unchanged. */
static void add_color(struct text *t, const struct hd_tree *tree,
                      const struct hd_tree_node *n)
{
    enum { CAPACITY = 64 };
    const double green = 0.33, strongest = 0.75, faintest = 0.08;
    uint64_t first = tree->reachable[tree->first].bytes,
             last = tree->reachable[tree->last].bytes;
    double change =
        share_of(fabs((double)n->growth), (double)(first > last ? first : last));
    double strength = n->growth == 0 ? 0 : faintest + (strongest - faintest) * sqrt(change);
    char s[CAPACITY];
    c_snprintf(s, sizeof(s), "%.3f %.3f 1.000", n->growth < 0 ? green : 0.0, strength);
    text_add_string(t, s);
}

static void add_label(struct text *t, const struct hd_tree *tree,
                      const struct hd_tree_node *n)
{
    if (n->kind == HD_NODE_HEAP)
        text_add_string(t, "heap");
    else if (n->kind == HD_NODE_OTHERS)
        format_others(t, n->others);
    else
        add_quoted(t, n->full_name != NULL ? n->full_name : n->type,
                   n->kind == HD_NODE_METHOD);
    say(t, "\\n", as_size(n->owned[tree->last].bytes));
    if (tree->first != tree->last) {
        say(t, " (", as_size_signed(n->growth), ")");
    }
    if (n->suspect == 0)
        return;
    say(t, "\\nsuspect ", n->suspect);
}

static void add_node(struct text *t, const struct hd_tree *tree, size_t i)
{
    enum { CAPACITY = 128, WIDEST = 8 };
    const struct hd_tree_node *n = &tree->nodes[i];
    double whole = (double)tree->reachable[tree->last].bytes;
    char s[CAPACITY];
    say(t, "  n", as_digits(i), " [label=\"");
    add_label(t, tree, n);
    text_add_string(t, "\", fillcolor=\"");
    add_color(t, tree, n);
    text_add_string(t, n->suspect != 0 ? "\", penwidth=3];\n" : "\"];\n");
    if (n->parent == HD_NO_NODE)
        return;
    double width = 1 + WIDEST * share_of((double)n->owned[tree->last].bytes, whole);
    c_snprintf(s, sizeof(s), "  n%zu -> n%zu [penwidth=%.2f", n->parent, i, width);
    text_add_string(t, s);
    if (n->field != NULL) {
        text_add_string(t, ", label=\"");
        add_quoted(t, n->field, false);
        text_add_char(t, '"');
    }
    text_add_string(t, "];\n");
}

static void write_picture(const struct hd_report *r, const struct hd_write_options *opt,
                          struct out *o)
{
    const struct hd_tree *tree = r->model.tree;
    struct text t = {0};
    (void)opt;
    out_string(o, "digraph heap {\n"
                  "  rankdir=LR;\n"
                  "  edge [arrowsize=0.5];\n"
                  "  node [shape=box, style=filled, fontname=\"sans-serif\"];\n");
    for (size_t i = 0; i < tree->len; i++) {
        text_clear(&t);
        add_node(&t, tree, i);
        out_text(o, &t);
    }
    out_string(o, "}\n");
    text_free(&t);
}

const struct writer write_dot = {
    .name = "dot",
    .summary = "for Graphviz: the largest places as a picture (tree)",
    .holds = HOLDS_TREES,
    .write = write_picture,
};
