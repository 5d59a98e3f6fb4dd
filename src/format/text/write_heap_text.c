/* A heap text of one section: mirror of read_heap_text.c. docs/formats/heap-text.md.
 *
 * Object ids are node numbers + 1, type ids count the types with objects; the names that
 * stand behind "static var" become types without objects. In one pass, a byte per node
 * beside the snapshot. */
#include "format/snapshot_writer.h"
#include "heap/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct writing {
    const struct hd_snapshot *snap;
    const struct graph *g;
    struct out *out;
    struct arena arena; /* scratch */
    struct text line;
    uint64_t *type_ids; /* by row; 0: not used */
    uint64_t last_type_id;
    uint64_t names_changed, kinds_changed, references_lost;
};

/* --- fields ---------------------------------------------------------------- */

/* Most of a large file are these: no printf. */
static void add_hex(struct text *t, uint64_t value)
{
    char digits[16];
    size_t n = 0;
    do {
        digits[n++] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value > 0);
    while (n > 0)
        text_add_char(t, digits[--n]);
}

static void add_id(struct text *t, uint64_t id)
{
    text_add_char(t, ' ');
    add_hex(t, id);
}

static void end_line(struct writing *w)
{
    text_add_char(&w->line, '\n');
    out_text(w->out, &w->line);
    text_clear(&w->line);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Line ends become blanks. */
static bool is_blank_or_end(char c)
{
    return is_blank(c) || c == '\n' || c == '\r';
}

/* A name is the rest of a line without the blanks around it. */
static void add_name(struct writing *w, const char *name, size_t len, const char *if_empty)
{
    size_t given = len;
    while (len > 0 && is_blank_or_end(name[len - 1]))
        len--;
    while (len > 0 && is_blank_or_end(name[0])) {
        name++;
        len--;
    }
    bool changed = len != given;
    text_add_char(&w->line, ' ');
    if (len == 0)
        text_add_string(&w->line, if_empty);
    for (size_t i = 0; i < len; i++) {
        char c = name[i];
        if (c == '\n' || c == '\r') {
            c = ' ';
            changed = true;
        }
        text_add_char(&w->line, c);
    }
    w->names_changed += changed && given > 0;
}

/* --- types and objects ------------------------------------------------------- */

static void write_types(struct writing *w)
{
    for (type_id t = 0; t < w->snap->type_count; t++) {
        const struct type *type = &w->snap->types[t];
        if (type->kind != TYPE_OBJECT || type->raw.count == 0)
            continue;
        w->type_ids[t] = ++w->last_type_id;
        /* Without a record it has no name when it is read again, either. */
        if (strcmp(type->name, UNKNOWN_TYPE_NAME) == 0)
            continue;
        text_add_char(&w->line, 't');
        add_id(&w->line, w->type_ids[t]);
        add_name(w, type->name, strlen(type->name), UNKNOWN_TYPE_NAME);
        end_line(w);
    }
}

static enum type_kind kind_of(const struct writing *w, node_id n)
{
    return w->snap->types[w->g->type[n]].kind;
}

static void write_object(struct writing *w, node_id n)
{
    const struct graph *g = w->g;
    text_add_char(&w->line, 'o');
    add_id(&w->line, (uint64_t)n + 1);
    add_id(&w->line, w->type_ids[g->type[n]]);
    add_id(&w->line, graph_size(g, n));
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
        if (kind_of(w, g->edge_to[e]) == TYPE_OBJECT)
            add_id(&w->line, (uint64_t)g->edge_to[e] + 1);
        else
            w->references_lost++;
    }
    end_line(w);
}

static void write_objects(struct writing *w)
{
    for (node_id n = 0; n < w->g->node_count; n++)
        if (kind_of(w, n) == TYPE_OBJECT)
            write_object(w, n);
}

/* --- roots ------------------------------------------------------------------- */

/* Numbers of the format, and whether they say all of the kind. */
struct root_code {
    char kind, flags;
    bool exact;
};

static struct root_code code_of(enum hd_root_kind kind)
{
    static const struct root_code codes[HD_ROOT_KIND_COUNT] = {
        [HD_ROOT_STATIC] = {'4', '0', true},
        [HD_ROOT_THREAD_STATIC] = {'4', '0', false},
        [HD_ROOT_STRONG_HANDLE] = {'3', '0', true},
        [HD_ROOT_PINNED_HANDLE] = {'3', '1', true},
        [HD_ROOT_REF_COUNTED_HANDLE] = {'3', '0', false},
        [HD_ROOT_DEPENDENT_HANDLE] = {'3', '0', false},
        [HD_ROOT_STACK] = {'1', '0', true},
        [HD_ROOT_FINALIZER] = {'2', '0', true},
        [HD_ROOT_OTHER] = {'0', '0', true},
    };
    return codes[kind < HD_ROOT_UNREACHABLE ? kind : HD_ROOT_OTHER];
}

static bool is_static(enum hd_root_kind kind)
{
    return kind == HD_ROOT_STATIC || kind == HD_ROOT_THREAD_STATIC;
}

/* What a variable is called without the words that say that it is one; "?" in other groups.
 */
static void write_variable(struct writing *w, const char *pseudo_name, uint64_t id)
{
    struct place place = place_of(pseudo_name);
    bool is_one = place_is_variable(&place);
    text_add_char(&w->line, 't');
    add_id(&w->line, id);
    add_name(w, place.type.at, is_one ? (size_t)(place.tail.at - place.type.at) : 0, "?");
    end_line(w);
}

static void write_root(struct writing *w, node_id object, enum hd_root_kind kind,
                       uint64_t variable)
{
    struct root_code code = code_of(kind);
    text_add_char(&w->line, 'r');
    add_id(&w->line, (uint64_t)object + 1);
    text_add_char(&w->line, ' ');
    text_add_char(&w->line, code.kind);
    text_add_char(&w->line, ' ');
    text_add_char(&w->line, code.flags);
    if (is_static(kind))
        add_id(&w->line, variable);
    end_line(w);
    w->kinds_changed += !code.exact;
}

/* The objects of one pseudo-node. */
static void write_group(struct writing *w, node_id n, enum hd_root_kind kind)
{
    const struct graph *g = w->g;
    uint64_t variable = 0;
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
        if (kind_of(w, g->edge_to[e]) != TYPE_OBJECT)
            continue;
        if (is_static(kind) && variable == 0) {
            variable = ++w->last_type_id;
            write_variable(w, w->snap->types[g->type[n]].name, variable);
        }
        write_root(w, g->edge_to[e], kind, variable);
    }
}

/* Pseudo-nodes from the root on, breadth first, each of its own kind or that of the one
 * above it; the order of the file within. Should the root be an object, it is rooted. */
static void write_roots(struct writing *w)
{
    enum { UNSEEN = 0, SEEN = 1 };
    const struct graph *g = w->g;
    unsigned char *kind = arena_array(&w->arena, unsigned char, g->node_count);
    node_id *queue = NULL;
    size_t head = 0, len = 0, cap = 0;
    if (kind_of(w, g->root) == TYPE_OBJECT) {
        write_root(w, g->root, HD_ROOT_OTHER, 0);
        return;
    }
    queue = grow(queue, len, &cap, sizeof(*queue));
    queue[len++] = g->root;
    kind[g->root] = SEEN + HD_ROOT_OTHER;
    while (head < len) {
        node_id n = queue[head++];
        enum hd_root_kind above = (enum hd_root_kind)(kind[n] - SEEN);
        write_group(w, n, above);
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            node_id to = g->edge_to[e];
            if (kind_of(w, to) != TYPE_PSEUDO || kind[to] != UNSEEN)
                continue;
            const char *name = w->snap->types[g->type[to]].name;
            kind[to] = (unsigned char)(SEEN + root_kind_below(name, above));
            queue = grow(queue, len, &cap, sizeof(*queue));
            queue[len++] = to;
        }
    }
    free(queue);
}

/* --- the section --------------------------------------------------------------- */

/* Milliseconds since some start: a date becomes those since 1970, so that a series keeps
 * its order and its distances. */
static uint64_t stamp_of(const struct hd_snapshot *snap)
{
    double ms = snap->clock * 1000;
    return ms >= 0 && ms < 9e18 ? (uint64_t)llround(ms) : 0;
}

/* A section, with the name of the process, or of what is not known. */
static void write_edge(struct writing *w, const char *record)
{
    const char *process = w->snap->info.process;
    text_add_string(&w->line, record);
    add_name(w, process != NULL ? process : "", process != NULL ? strlen(process) : 0,
             "unknown");
    add_id(&w->line, stamp_of(w->snap));
    end_line(w);
}

static void add_losses(const struct writing *w, struct losses *l)
{
    if (w->names_changed > 0)
        losses_add(l, "names",
                   "names with line ends or surrounding blanks, changed: %" PRIu64,
                   w->names_changed);
    if (w->kinds_changed > 0)
        losses_add(l, "root-kinds",
                   "thread statics written as statics, ref-counted and dependent handles "
                   "as strong ones: %" PRIu64,
                   w->kinds_changed);
    if (w->references_lost > 0)
        losses_add(l, "undefined", "references to unknown objects, omitted: %" PRIu64,
                   w->references_lost);
}

static bool write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                  struct hd_error *err)
{
    (void)err;
    struct writing w = {.snap = snap, .g = snap->graph, .out = o};
    w.type_ids = arena_array(&w.arena, uint64_t, snap->type_count);
    write_edge(&w, "a 2");
    write_types(&w);
    write_objects(&w);
    write_roots(&w);
    uint64_t names = w.names_changed;
    write_edge(&w, "c");
    w.names_changed = names; /* the same name again */
    add_losses(&w, l);
    text_free(&w.line);
    arena_free(&w.arena);
    return true;
}

const struct snapshot_writer write_heap_text = {
    .name = "heap-text",
    .summary = "one record per line, for scripts",
    .suffix = ".txt",
    .holds = FACT_GRAPH | FACT_PROCESS | FACT_RAW_NAMES,
    .write = write,
};
