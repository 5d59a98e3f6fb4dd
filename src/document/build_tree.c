/* The ownership tree, a line per place, or per chain of places that say the same. */
#include "document/build.h"
#include "report/text_parts.h"
#include "report/view.h"

#include <inttypes.h>
#include <string.h>

enum { BAR_COLUMNS = 8, TREE_COLUMNS = 6 };

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

static void add_aside(struct build *b, struct doc_runs *to, const char *words)
{
    doc_run(b->doc, to, DOC_ASIDE, words);
}

/* What was written, as a run of that style. */
static void end_as(struct build *b, struct doc_runs *to, enum doc_style style)
{
    doc_run(b->doc, to, style, text_string(&b->words));
    text_clear(&b->words);
}

static void add_type(struct build *b, struct doc_runs *to, const struct hd_tree_node *n)
{
    bool common =
        n->kind == HD_NODE_TYPE && names_is_framework(name_part(n->type), NAME_WHOLE);
    doc_run(b->doc, to, common ? DOC_LIBRARY_NAME : DOC_NAME,
            n->full_name != NULL ? n->full_name : n->type);
}

/* The type of a variable's name is that of what it holds: "s_all: Order[]". */
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
        text_add_char(&b->words, '.');
        text_add_string(&b->words, field);
        end_as(b, to, DOC_QUOTED);
    } else {
        build_name(b, to, field);
    }
    build_words(b, to, ": ");
    add_type(b, to, object);
    return true;
}

/* The only object of its type, that roots hold themselves: it owns what is below. */
static bool is_owner(struct build *b, const struct hd_tree_node *n)
{
    return n->kind == HD_NODE_TYPE && n->is_single && n->parent != HD_NO_NODE &&
           node_at(b, n->parent)->kind == HD_NODE_ROOTS;
}

/* The field by which it is held, behind the type that holds it; NULL: alone. */
static void add_field(struct build *b, struct doc_runs *to, const char *holder,
                      const struct hd_tree_node *n)
{
    struct text t = {0};
    if (n->field == NULL)
        return;
    format_field(&t, holder != NULL ? holder : "", n->field);
    if (t.len > 0)
        build_quoted(b, to, text_string(&t));
    text_free(&t);
    if (n->field_share >= 1)
        return;
    text_add_string(&b->words, " (");
    format_percent(&b->words, n->field_share);
    text_add_string(&b->words, ")");
    end_as(b, to, DOC_ASIDE);
}

/* Behind a place that was named: by which field it leads on to the next of its line, or,
 * going up, holds the one before. */
static void add_field_of(struct build *b, struct doc_runs *to, size_t i, size_t last)
{
    const struct hd_tree *t = &b->r->tree;
    const struct hd_tree_node *n = node_at(b, i);
    if (n->kind != HD_NODE_TYPE)
        return;
    if (t->is_holders)
        add_field(b, to, n->type, n);
    else if (i < last)
        add_field(b, to, n->type, node_at(b, i + 1));
}

/* A line begins with the field by which the one above it holds it. */
static void add_first_field(struct build *b, struct doc_runs *to, size_t i)
{
    const struct hd_tree_node *n = node_at(b, i);
    if (n->field == NULL || b->r->tree.is_holders)
        return;
    add_field(b, to, NULL, n);
    add_aside(b, to, " → ");
}

struct naming {
    struct doc_runs *to;
    bool any;    /* something was said */
    size_t gap;  /* places that were left out since */
    size_t only; /* the last of them */
};

static void add_joint(struct build *b, struct naming *n)
{
    if (n->any)
        add_aside(b, n->to, b->r->tree.is_holders ? " ← " : " → ");
    n->any = true;
}

/* What stands for one place may as well be its name. */
static void add_arrow(struct build *b, struct naming *n)
{
    if (n->gap > 0)
        add_joint(b, n);
    if (n->gap > 1) {
        add_aside(b, n->to, "…");
    } else if (n->gap == 1) {
        add_type(b, n->to, node_at(b, n->only));
        add_field_of(b, n->to, n->only, n->only + 1);
    }
    add_joint(b, n);
    n->gap = 0;
}

/* Of a chain what says most: variables, owners, classes of the program, and where it ends;
 * the first of them and the last, if they are many. */
static void name_chain(struct build *b, struct doc_runs *to, const struct tree_line *line)
{
    enum { MOST_TOLD = 2 };
    struct naming name = {.to = to};
    unsigned told = 0;
    add_first_field(b, to, line->start);
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
        if (!variable && next != NULL && !at_root &&
            ((!names_is_of_program(n->type) && !is_owner(b, n)) || told == MOST_TOLD)) {
            name.gap++;
            name.only = i;
            continue;
        }
        add_arrow(b, &name);
        told++;
        if (!variable) {
            add_type(b, to, n);
        } else {
            if (!add_variable(b, to, n, next))
                add_variable(b, to, next, n);
            i++;
        }
        /* Going up the object stands before its variable. */
        add_field_of(b, to, variable && n->kind == HD_NODE_TYPE ? i - 1 : i, line->last);
    }
}

static void name_line(struct build *b, struct doc_runs *to, const struct tree_line *line)
{
    const struct hd_tree_node *n = node_at(b, line->start);
    switch (n->kind) {
    case HD_NODE_HEAP:
        doc_run(b->doc, to, DOC_STRONG, "heap");
        break;
    case HD_NODE_PATTERN: /* what is alone there says it better */
        if (line->last > line->start)
            name_chain(b, to, &(struct tree_line){line->start + 1, line->last, 0});
        else
            build_quoted(b, to, n->type);
        break;
    case HD_NODE_OTHERS:
        format_others(&b->words, n->others);
        end_as(b, to, DOC_ASIDE);
        break;
    case HD_NODE_ROOTS:
    case HD_NODE_TYPE:
    case HD_NODE_KIND_COUNT:
        name_chain(b, to, line);
        break;
    }
}

/* --- what is said of it ------------------------------------------------------- */

static void add_mark(struct build *b, const struct hd_tree_node *n)
{
    const struct hd_tree *t = &b->r->tree;
    if (n->suspect == 0)
        return;
    struct doc_runs *to = doc_remark(b->doc, b->row);
    text_add_string(&b->words, "◀ suspect ");
    format_count(&b->words, n->suspect);
    end_as(b, to, DOC_STRONG);
    text_add_string(&b->words, ", ");
    format_count(&b->words, n->at[t->first].count);
    text_add_string(&b->words, " → ");
    format_count(&b->words, n->at[t->last].count);
    build_end(b, to);
}

static void add_growth(struct build *b, const struct hd_tree_node *n)
{
    struct doc_runs *to = &b->row->cells[b->cell++].words;
    enum doc_style style = n->growth > 0 ? DOC_MORE : n->growth < 0 ? DOC_LESS : DOC_WORDS;
    format_size_signed(&b->words, n->growth);
    end_as(b, to, style);
}

/* Of all places or of none. */
static bool knows_stayed(const struct hd_tree *t)
{
    return t->len > 0 && t->nodes[0].stayed != HD_UNKNOWN;
}

static void add_line(struct build *b, struct doc_table *table, const struct tree_line *line)
{
    const struct hd_tree *t = &b->r->tree;
    const struct hd_tree_node *n = node_at(b, line->start);
    const uint64_t all = t->reachable[t->last].bytes;
    build_row(b, table, DOC_ROW);
    b->row->depth = line->depth;
    if (t->first != t->last)
        add_growth(b, n);
    format_size(&b->words, n->owned[t->last].bytes);
    build_cell(b);
    format_count(&b->words, n->owned[t->last].count);
    build_cell(b);
    if (knows_stayed(t)) {
        format_count(&b->words, n->stayed);
        build_cell(b);
    }
    if (all > 0)
        format_bar(&b->words, (double)n->owned[t->last].bytes / (double)all, BAR_COLUMNS);
    build_cell(b);
    name_line(b, &b->row->cells[b->cell++].words, line);
    add_mark(b, node_at(b, line->last));
}

/* --- lines -------------------------------------------------------------------- */

/* Whether a place has no line: others that are alone say nothing, nor do those that are
 * next to nothing beside what shares the line of their parent. */
static bool is_silent(const struct build *b, size_t i)
{
    const struct hd_tree_node *n = node_at(b, i);
    if (n->kind != HD_NODE_OTHERS || n->parent == HD_NO_NODE)
        return false;
    const struct hd_tree_node *parent = node_at(b, n->parent);
    return parent->folds || (n->parent + 1 == i && parent->end == i + 1);
}

/* A place that folds has its only child behind it. */
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
        add_line(b, table, &line);
        i = line.last;
    }
    arena_free(&scratch);
}

static void add_tree(struct build *b, struct doc_section *s)
{
    enum { ROOM_FOR_COUNTS = 72, ROOM_FOR_SIZES = 56, ROOM_FOR_BARS = 100 };
    const struct hd_tree *t = &b->r->tree;
    const struct doc_column all[TREE_COLUMNS] = {
        {.title = "Δretained", .align = DOC_RIGHT},
        {.title = "retained",
         .align = DOC_RIGHT,
         .from_width = t->first != t->last ? ROOM_FOR_SIZES : 0},
        {.title = "objects", .align = DOC_RIGHT, .from_width = ROOM_FOR_COUNTS},
        {.title = "stayed",
         .align = DOC_RIGHT,
         .from_width = ROOM_FOR_BARS,
         .meaning = "Objects that came after the first snapshot and are in the last."},
        {.title = "of heap", .from_width = ROOM_FOR_BARS},
        {.title = t->is_holders ? "held by" : "owner", .is_subject = true}};
    enum { CHANGE = 0, STAYED = 3 };
    struct doc_column columns[TREE_COLUMNS];
    size_t count = 0;
    for (size_t c = 0; c < TREE_COLUMNS; c++)
        if ((c != CHANGE || t->first != t->last) && (c != STAYED || knows_stayed(t)))
            columns[count++] = all[c];
    struct doc_table *table = build_table(b, s, columns, count);
    table->is_tree = true;
    add_lines(b, table);
}

/* --- above and below ------------------------------------------------------------ */

static void add_compared(struct build *b, struct doc_section *s)
{
    const size_t n = b->r->snapshot_count;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    struct doc_runs *to = doc_piece(b->doc, l, "");
    if (n > 1) {
        format_count(&b->words, n);
        text_add_string(&b->words, " snapshots");
        heading_add_span(&b->words, b->r);
        build_end(b, to);
        to = doc_piece(b->doc, l, "  ");
    }
    build_file(b, to, b->r->tree.first);
    if (n == 1)
        return;
    build_words(b, to, n > 2 ? " … " : " → ");
    build_file(b, to, b->r->tree.last);
    to = build_break(b, l, "    ");
    build_words(b, to, "confidence: ");
    doc_run(b->doc, to, DOC_STRONG, confidence_names[b->r->diff.confidence]);
}

static void add_change(struct build *b, uint64_t first, uint64_t last)
{
    const struct hd_tree *t = &b->r->tree;
    if (t->first != t->last) {
        format_size(&b->words, first);
        text_add_string(&b->words, " → ");
    }
    format_size(&b->words, last);
}

/* "heap 1.2 MiB → 5.1 MiB, 97 % of it reachable". What is counted of a sampled file, or of
 * some generations only, is not what a file tells. */
static void add_sizes(struct build *b, struct doc_section *s)
{
    const struct hd_tree *t = &b->r->tree;
    const struct hd_info *first = &b->r->snapshots[t->first].info,
                         *last = &b->r->snapshots[t->last].info;
    const uint64_t reachable = t->reachable[t->last].bytes;
    bool whole = !b->r->options.gen2 && !b->r->options.reachable && !first->sampled &&
                 !last->sampled && first->bytes != HD_UNKNOWN &&
                 last->bytes != HD_UNKNOWN && last->bytes >= reachable && last->bytes > 0;
    text_add_string(&b->words, whole ? "heap " : "reachable ");
    if (whole)
        add_change(b, first->bytes, last->bytes);
    else
        add_change(b, t->reachable[t->first].bytes, reachable);
    if (whole) {
        text_add_string(&b->words, ", ");
        format_percent(&b->words, (double)reachable / (double)last->bytes);
        text_add_string(&b->words, " of it reachable");
    }
    build_paragraph(b, s);
}

static void build_tree_head(struct build *b)
{
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    add_compared(b, s);
    add_sizes(b, s);
    build_selection(b, s);
}

static size_t places(const struct hd_tree *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->len; i++)
        count += t->nodes[i].others == 0;
    return count;
}

static bool has_others(const struct hd_tree *t)
{
    for (size_t i = 0; i < t->len; i++)
        if (t->nodes[i].others > 0)
            return true;
    return false;
}

/* A way to see what is not there. */
static void add_way(struct build *b, struct doc_line **l, struct doc_section *s,
                    const char *option)
{
    const char *joint = *l != NULL ? "; " : "";
    if (*l == NULL)
        *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    struct doc_runs *to = build_break(b, *l, joint);
    build_end(b, to);
    doc_run(b->doc, to, DOC_CODE, option);
}

static void build_hidden(struct build *b)
{
    const struct hd_tree *t = &b->r->tree, *all = &b->r->found.tree;
    size_t hidden = places(all) - places(t);
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    struct doc_line *l = NULL;
    if (hidden > 0) {
        format_count(&b->words, hidden);
        text_add_string(&b->words, hidden > 1 ? " more places: " : " more place: ");
        add_way(b, &l, s, "-n 0");
    }
    if (t->least > 1 && has_others(all)) {
        text_add_string(&b->words, "others are smaller than ");
        format_size(&b->words, t->least);
        text_add_string(&b->words, ": ");
        add_way(b, &l, s, "--min=0");
    }
}

/* What to look at: the first suspect, or else the first class of the program; of what was
 * asked for the first. */
static const char *next_subject(struct build *b)
{
    const struct hd_tree *t = &b->r->tree;
    bool any = t->nodes[0].kind == HD_NODE_PATTERN;
    if (!any && b->r->diff.suspect_count > 0)
        return b->r->diff.suspects[0].subject;
    for (size_t i = 0; i < t->len; i++)
        if (t->nodes[i].kind == HD_NODE_TYPE &&
            (any || names_is_of_program(t->nodes[i].type)))
            return t->nodes[i].type;
    return NULL;
}

void build_tree(struct build *b)
{
    build_tree_head(b);
    add_tree(b, doc_section(b->doc, DOC_PLAIN));
    build_hidden(b);
    build_next_of(b, next_subject(b));
}

void build_places(struct build *b)
{
    struct doc_section *s = doc_topic(b->doc, "Where the memory is", NULL);
    add_tree(b, s);
}
