/* The tree for Graphviz: a box per place, the larger the stronger its line, red where it
 * has grown and green where it has shrunk. */
#include "base/c_locale.h"
#include "render/tree_frames.h"
#include "render/writer.h"
#include "report/format_units.h"

#include <math.h>

/* Nobody reads more of a box, and Graphviz refuses strings of more than 16 KiB. */
enum { MOST_OF_A_NAME = 400 };

/* Between quotes backslashes and quotes end or change what is said. */
static void add_quoted(struct text *t, const char *s)
{
    struct text clean = {0};
    format_short_name(&clean, s);
    size_t all = clean.len, len = all < MOST_OF_A_NAME ? all : MOST_OF_A_NAME;
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

/* Hue, strength, brightness: white where nothing changed. */
static void add_color(struct text *t, const struct hd_tree *tree,
                      const struct hd_tree_node *n)
{
    enum { ROOM = 64 };
    const double green = 0.33, strongest = 0.75, faintest = 0.08;
    uint64_t first = tree->reachable[tree->first].bytes,
             last = tree->reachable[tree->last].bytes;
    double change =
        share_of(fabs((double)n->growth), (double)(first > last ? first : last));
    double strength = n->growth == 0 ? 0 : faintest + (strongest - faintest) * sqrt(change);
    char s[ROOM];
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
        add_quoted(t, n->full_name != NULL ? n->full_name : n->type);
    text_add_string(t, "\\n");
    format_size(t, n->owned[tree->last].bytes);
    if (tree->first != tree->last) {
        text_add_string(t, " (");
        format_size_signed(t, n->growth);
        text_add_char(t, ')');
    }
    if (n->suspect == 0)
        return;
    text_add_string(t, "\\nsuspect ");
    format_count(t, n->suspect);
}

static void add_node(struct text *t, const struct hd_tree *tree, size_t i)
{
    enum { ROOM = 128, WIDEST = 8 };
    const struct hd_tree_node *n = &tree->nodes[i];
    double whole = (double)tree->reachable[tree->last].bytes;
    char s[ROOM];
    snprintf(s, sizeof(s), "  n%zu [label=\"", i);
    text_add_string(t, s);
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
        add_quoted(t, n->field);
        text_add_char(t, '"');
    }
    text_add_string(t, "];\n");
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
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
    .write = write,
};
