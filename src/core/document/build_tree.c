/* Build the ownership tree, a line per place, or per chain of places with the same
 * values. */
#include "document/build.h"
#include "report/text_parts.h"
#include "report/view.h"

#include <string.h>

/* The places from start to end share a line. */
struct tree_line {
    size_t start, last;
    unsigned depth;
};

/* --- what a line is called --------------------------------------------------- */

static const struct hd_tree_node *node_at(const struct build *b, size_t i)
{
    return &b->r->tree.nodes[i];
}

static void tree_add_type(struct build *b, struct doc_runs *to,
                          const struct hd_tree_node *n)
{
    bool common =
        n->kind == HD_NODE_TYPE && names_is_framework(name_part(n->type), NAME_WHOLE);
    doc_run(b->doc, to, common ? DOC_LIBRARY_NAME : DOC_NAME,
            n->full_name != NULL ? n->full_name : n->type);
}

/* The type of a variable's name is that of its target: "s_all: Order[]". */
static bool add_variable(struct build *b, struct doc_runs *to,
                         const struct hd_tree_node *variable,
                         const struct hd_tree_node *object)
{
    struct place place;
    if (!tree_variable(&b->r->tree, variable, object, &place))
        return false;
    struct arena *a = &b->doc->arena;
    const char *field = arena_strdup(a, place.field.at, place.field.len);
    if (place.type.len > 0) {
        format_short_name(&b->words, arena_strdup(a, place.type.at, place.type.len));
        SAY_AS(b, to, DOC_QUOTED, ".", field);
        SAY(b, to, ": ");
    } else {
        SAY(b, to, run_name(field), ": ");
    }
    tree_add_type(b, to, object);
    return true;
}

/* Adds the field through which it is owned, after the owner's type; NULL: alone. */
static void tree_add_field(struct build *b, struct doc_runs *to, const char *holder,
                           const struct hd_tree_node *n)
{
    struct text t = {0};
    if (n->field == NULL)
        return;
    format_field(&t, holder != NULL ? holder : "", n->field);
    if (t.len > 0)
        SAY(b, to, run_quoted(text_string(&t)));
    text_free(&t);
    if (n->field_share < 1)
        SAY_AS(b, to, DOC_ASIDE, " (", as_share(n->field_share), ")");
}

/* After the name of a place: the field that refers to the next of its line, or, going up,
 * to the one before. */
static void add_field_of(struct build *b, struct doc_runs *to, size_t i, size_t last)
{
    const struct hd_tree *t = &b->r->tree;
    const struct hd_tree_node *n = node_at(b, i);
    if (n->kind != HD_NODE_TYPE)
        return;
    if (t->is_holders)
        tree_add_field(b, to, n->type, n);
    else if (i < last)
        tree_add_field(b, to, n->type, node_at(b, i + 1));
}

struct line_name {
    struct doc_runs *to;
    bool any;    /* not empty */
    size_t gap;  /* places that were left out since */
    size_t only; /* the last omitted place */
};

static void add_joint(struct build *b, struct line_name *n)
{
    if (n->any)
        SAY_AS(b, n->to, DOC_ASIDE, b->r->tree.is_holders ? " ← " : " → ");
    n->any = true;
}

/* Marks omitted places. A single one is named, since a mark saves little. */
static void add_arrow(struct build *b, struct line_name *n)
{
    if (n->gap > 0)
        add_joint(b, n);
    if (n->gap > 1) {
        SAY_AS(b, n->to, DOC_ASIDE, "…");
    } else if (n->gap == 1) {
        tree_add_type(b, n->to, node_at(b, n->only));
        add_field_of(b, n->to, n->only, n->only + 1);
    }
    add_joint(b, n);
    n->gap = 0;
}

/* Names the informative places of a chain: variables, owners, classes of the program, and
 * its end; the first and the last, if they are many. */
static void name_chain(struct build *b, struct doc_runs *to, const struct tree_line *line)
{
    enum { MAX_SHOWN = 2 };
    struct line_name name = {.to = to};
    unsigned shown = 0;
    /* It begins with the field by which the one above it holds it. */
    const struct hd_tree_node *first = node_at(b, line->start);
    if (first->field != NULL && !b->r->tree.is_holders) {
        tree_add_field(b, to, NULL, first);
        SAY_AS(b, to, DOC_ASIDE, " → ");
    }
    for (size_t i = line->start; i <= line->last; i++) {
        const struct hd_tree_node *n = node_at(b, i);
        const struct hd_tree_node *next = i < line->last ? node_at(b, i + 1) : NULL;
        struct place place;
        bool variable = next != NULL && (tree_variable(&b->r->tree, n, next, &place) ||
                                         tree_variable(&b->r->tree, next, n, &place));
        bool is_group = n->kind == HD_NODE_ROOTS && i > line->start &&
                        node_at(b, i - 1)->kind == HD_NODE_ROOTS;
        if (is_group)
            continue;
        bool at_root = next != NULL && next->kind == HD_NODE_ROOTS;
        /* The only object of its type, that roots hold themselves, owns what is below. */
        bool is_owner = n->kind == HD_NODE_TYPE && n->is_single &&
                        n->parent != HD_NO_NODE &&
                        node_at(b, n->parent)->kind == HD_NODE_ROOTS;
        if (!variable && next != NULL && !at_root &&
            ((!names_is_of_program(n->type) && !is_owner) || shown == MAX_SHOWN)) {
            name.gap++;
            name.only = i;
            continue;
        }
        add_arrow(b, &name);
        shown++;
        if (!variable) {
            tree_add_type(b, to, n);
        } else {
            if (!add_variable(b, to, n, next))
                add_variable(b, to, next, n);
            i++;
        }
        /* Going up the object precedes its variable. */
        add_field_of(b, to, variable && n->kind == HD_NODE_TYPE ? i - 1 : i, line->last);
    }
}

/* Methods of a chain: those of the program, and the last one. */
static void name_methods(struct build *b, struct doc_runs *to, const struct tree_line *line)
{
    enum { MAX_SHOWN = 3 };
    unsigned shown = 0;
    bool any = false, gap = false;
    for (size_t i = line->start; i <= line->last; i++) {
        const struct hd_code *code = node_at(b, i)->code;
        bool is_shown = i == line->last || (code->is_own && shown < MAX_SHOWN);
        gap |= !is_shown;
        if (!is_shown)
            continue;
        if (gap)
            SAY_AS(b, to, DOC_ASIDE, any ? " → …" : "…");
        if (any || gap)
            SAY_AS(b, to, DOC_ASIDE, " → ");
        build_code(b, to, code);
        shown += code->is_own;
        any = true;
        gap = false;
    }
}

static void name_line(struct build *b, struct doc_runs *to, const struct tree_line *line)
{
    const struct hd_tree_node *n = node_at(b, line->start);
    switch (n->kind) {
    case HD_NODE_HEAP:
        SAY_AS(b, to, DOC_STRONG, "heap");
        break;
    case HD_NODE_PATTERN: /* a single child is more informative */
        if (line->last > line->start)
            name_chain(b, to, &(struct tree_line){line->start + 1, line->last, 0});
        else
            SAY(b, to, run_quoted(n->type));
        break;
    case HD_NODE_OTHERS:
        SAY_AS(b, to, DOC_ASIDE, as_others(n->others));
        break;
    case HD_NODE_METHOD:
        name_methods(b, to, line);
        break;
    case HD_NODE_ROOTS:
    case HD_NODE_TYPE:
    case HD_NODE_KIND_COUNT:
        name_chain(b, to, line);
        break;
    }
}

/* --- lines -------------------------------------------------------------------- */

static void tree_add_line(struct build *b, struct doc_table *table,
                          const struct tree_line *line)
{
    const struct hd_tree *t = &b->r->tree;
    const struct hd_tree_node *last = node_at(b, line->last);
    build_row(b, table, DOC_ROW);
    b->row->depth = line->depth;
    build_list_row(b, node_at(b, line->start));
    name_line(b, &build_cell_of(b, "owner")->words, line);
    if (last->suspect == 0)
        return;
    struct doc_runs *mark = doc_remark(b->doc, b->row);
    SAY_AS(b, mark, DOC_STRONG, "◀ suspect ", last->suspect);
    SAY(b, mark, ", ", last->at[t->first].count, " → ", last->at[t->last].count);
}

/* --- lines -------------------------------------------------------------------- */

/* True if a place has no line: a group of others that is an only child, or a tiny group
 * next to a child that shares its parent's line. */
static bool is_silent(const struct build *b, size_t i)
{
    const struct hd_tree_node *n = node_at(b, i);
    if (n->kind != HD_NODE_OTHERS || n->parent == HD_NO_NODE)
        return false;
    const struct hd_tree_node *parent = node_at(b, n->parent);
    return parent->folds || (n->parent + 1 == i && parent->end == i + 1);
}

/* A place that folds is followed by its only child. */
static void add_lines(struct build *b, struct doc_table *table)
{
    const struct hd_tree *t = &b->r->tree;
    struct arena scratch = {0};
    unsigned *depth = arena_array(&scratch, unsigned, t->len);
    for (size_t i = 0; i < t->len; i++) {
        size_t parent = t->nodes[i].parent;
        if (is_silent(b, i))
            continue;
        struct tree_line line = {i, i, parent != HD_NO_NODE ? depth[parent] + 1 : 0};
        depth[i] = line.depth;
        while (t->nodes[line.last].folds)
            depth[++line.last] = line.depth;
        tree_add_line(b, table, &line);
        i = line.last;
    }
    arena_free(&scratch);
}

static void add_tree(struct build *b, struct doc_section *s)
{
    struct doc_table *table = build_list(b, s, &record_node);
    table->is_tree = true;
    add_lines(b, table);
}

/* --- above and below ------------------------------------------------------------ */

static void add_compared(struct build *b, struct doc_section *s)
{
    const struct hd_tree *t = &b->r->tree;
    const size_t n = b->r->snapshot_count;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    if (n == 1) {
        SAY(b, doc_piece(b->doc, l, ""), run_file(t->first));
        return;
    }
    say(&b->words, n, " snapshots");
    heading_add_span(&b->words, b->r);
    build_end(b, doc_piece(b->doc, l, ""));
    SAY(b, doc_piece(b->doc, l, "  "), run_file(t->first), n > 2 ? " … " : " → ",
        run_file(t->last));
    struct doc_runs *to = build_break(b, l, "    ");
    SAY(b, to, "confidence: ");
    SAY_AS(b, to, DOC_STRONG, confidence_names[b->r->diff.confidence]);
}

/* "heap 1.2 MiB → 5.1 MiB, 97 % of the bytes reachable". Counts of a sampled file, or of
 * some generations only, are not those of its header. */
static void add_sizes(struct build *b, struct doc_section *s)
{
    const struct hd_tree *t = &b->r->tree;
    const struct hd_info *first = &b->r->snapshots[t->first].info,
                         *last = &b->r->snapshots[t->last].info;
    const uint64_t reachable = t->reachable[t->last].bytes;
    bool whole = !b->r->options.gen2 && !b->r->options.reachable && !first->sampled &&
                 !last->sampled && first->bytes != HD_UNKNOWN &&
                 last->bytes != HD_UNKNOWN && last->bytes >= reachable && last->bytes > 0;
    struct doc_runs *to = build_wrapped(b, s);
    SAY(b, to, whole ? "heap " : "reachable ");
    if (t->first != t->last)
        SAY(b, to, as_size(whole ? first->bytes : t->reachable[t->first].bytes), " → ");
    SAY(b, to, as_size(whole ? last->bytes : reachable));
    if (whole)
        SAY(b, to, ", ", as_share((double)reachable / (double)last->bytes),
            " of the bytes reachable");
}

/* "40 samples of allocations are alive, each about one in 100 KiB allocated" */
static void add_samples(struct build *b, struct doc_section *s)
{
    const struct hd_tree *t = &b->r->tree;
    const struct hd_tally *all = &t->reachable[t->last];
    struct doc_runs *to = build_wrapped(b, s);
    SAY(b, to, as_plural(all->count, "sample"),
        all->count == 1 ? " of allocations is alive" : " of allocations are alive");
    if (t->first != t->last)
        SAY(b, to, ", ", as_change(t->reachable[t->first].count, all->count));
    if (all->count > 0)
        SAY(b, to, "; one per about ", as_size(all->bytes / all->count));
}

static size_t places(const struct hd_tree *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->len; i++)
        count += t->nodes[i].others == 0;
    return count;
}

/* Ways to see what is not there. */
static void build_hidden(struct build *b)
{
    const struct hd_tree *t = &b->r->tree, *all = &b->r->found.tree;
    size_t hidden = places(all) - places(t);
    bool small = t->least > 1 && places(all) < all->len;
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    if (hidden == 0 && !small)
        return;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    if (hidden > 0)
        PIECE(b, l, "", hidden,
              hidden > 1 ? " more places: " : " more place: ", run_code("-n 0"));
    if (small)
        PIECE(b, l, hidden > 0 ? "; " : "", "others are smaller than ", as_size(t->least),
              ": ", run_code("--min=0"));
}

/* Returns the type to examine next: the first suspect, or else the first class of the
 * program; of a pattern its first match. */
static const char *next_subject(struct build *b)
{
    const struct hd_tree *t = &b->r->tree;
    bool any = t->nodes[0].kind == HD_NODE_PATTERN;
    if (!any && b->r->diff.suspect_count > 0)
        return b->r->diff.suspects[0].title;
    for (size_t i = 0; i < t->len; i++)
        if (t->nodes[i].kind == HD_NODE_TYPE &&
            (any || names_is_of_program(t->nodes[i].type)))
            return t->nodes[i].type;
    return NULL;
}

void build_tree(struct build *b)
{
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    add_compared(b, s);
    if (b->r->tree.is_sites)
        add_samples(b, s);
    else
        add_sizes(b, s);
    build_selection(b, s);
    add_tree(b, doc_section(b->doc, DOC_PLAIN));
    build_hidden(b);
    if (!b->r->tree.is_sites)
        build_next_of(b, next_subject(b));
}

void build_places(struct build *b)
{
    add_tree(b, doc_topic(b->doc, "Where the memory is", NULL));
}
