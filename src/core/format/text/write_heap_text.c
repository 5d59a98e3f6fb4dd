/* Writes a heap text, one section: mirror of read_heap_text.c. docs/formats/heap-text.md.
 *
 * Object ids are node numbers + 1, type ids count the types with objects; the names after
 * "static var" become types without objects. One pass; a byte per node in addition to the
 * snapshot. */
#include "format/snapshot_writer.h"
#include "heap/place.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct heap_text_writer {
    const struct hd_snapshot *snap;
    const struct graph *g;
    struct out *out;
    struct text line;
    uint64_t *type_ids; /* by row; 0: not used */
    uint64_t last_type_id;
    uint64_t names_changed, kinds_changed, references_lost;
};

/* --- fields ---------------------------------------------------------------- */

/* Most of a large file consists of hex numbers, so no printf. */
static void add_hex(struct text *t, uint64_t value)
{
    char digits[17];
    size_t first = sizeof(digits);
    do {
        digits[--first] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value > 0);
    digits[--first] = ' ';
    text_add(t, digits + first, sizeof(digits) - first);
}

static void write_line(struct heap_text_writer *w)
{
    text_add_char(&w->line, '\n');
    out_text(w->out, &w->line);
    text_clear(&w->line);
}

/* A name is the rest of a line without the blanks around it; line ends become blanks. */
static void add_trimmed(struct heap_text_writer *w, const char *name, size_t len,
                        const char *if_empty)
{
    static const char blanks[] = " \t\n\r";
    const char *end = name + len, *begin = name;
    while (end > begin && strchr(blanks, end[-1]) != NULL)
        end--;
    while (end > begin && strchr(blanks, *begin) != NULL)
        begin++;
    bool changed = (size_t)(end - begin) != len;
    text_add_char(&w->line, ' ');
    text_add_string(&w->line, begin == end ? if_empty : "");
    for (; begin < end; begin++) {
        bool breaks = *begin == '\n' || *begin == '\r';
        text_add(&w->line, breaks ? " " : begin, 1);
        changed |= breaks;
    }
    w->names_changed += changed;
}

static void write_type(struct heap_text_writer *w, uint64_t id, const char *name,
                       size_t len, const char *if_empty)
{
    text_add_char(&w->line, 't');
    add_hex(&w->line, id);
    add_trimmed(w, name, len, if_empty);
    write_line(w);
}

/* --- types and objects ------------------------------------------------------- */

static void write_types(struct heap_text_writer *w)
{
    for (type_id t = 0; t < w->snap->type_count; t++) {
        const struct type *type = &w->snap->types[t];
        if (!type_is_written(type) || type->raw.count == 0)
            continue;
        w->type_ids[t] = ++w->last_type_id;
        /* A type without a record is read back without a name, too. */
        if (strcmp(type->name, UNKNOWN_TYPE_NAME) != 0)
            write_type(w, w->type_ids[t], type->name, strlen(type->name),
                       UNKNOWN_TYPE_NAME);
    }
}

static enum type_kind node_kind(const struct heap_text_writer *w, node_id n)
{
    return w->snap->types[w->g->type[n]].kind;
}

/* --- roots ------------------------------------------------------------------- */

/* Fields of the format, and whether they describe the kind exactly. */
static const struct {
    const char *kind_and_flags;
    bool exact, is_static;
} root_codes[HD_ROOT_KIND_COUNT] = {
    [HD_ROOT_STATIC] = {" 4 0", true, true},
    [HD_ROOT_THREAD_STATIC] = {" 4 0", false, true},
    [HD_ROOT_STRONG_HANDLE] = {" 3 0", true},
    [HD_ROOT_PINNED_HANDLE] = {" 3 1", true},
    [HD_ROOT_REF_COUNTED_HANDLE] = {" 3 0", false},
    [HD_ROOT_DEPENDENT_HANDLE] = {" 3 0", false},
    [HD_ROOT_STACK] = {" 1 0", true},
    [HD_ROOT_FINALIZER] = {" 2 0", true},
    [HD_ROOT_OTHER] = {" 0 0", true},
};

/* variable: id of the type with its name, or 0. */
static void write_root(struct heap_text_writer *w, node_id object, enum hd_root_kind kind,
                       uint64_t variable)
{
    text_add_char(&w->line, 'r');
    add_hex(&w->line, (uint64_t)object + 1);
    text_add_string(&w->line, root_codes[kind].kind_and_flags);
    if (root_codes[kind].is_static)
        add_hex(&w->line, variable);
    write_line(w);
    w->kinds_changed += !root_codes[kind].exact;
}

/* Writes the objects below a pseudo-node. The name of a variable is the text after "static
 * var"; "?" in other groups. */
static void write_group(struct heap_text_writer *w, node_id n, enum hd_root_kind kind)
{
    const struct graph *g = w->g;
    uint64_t variable = 0;
    kind = kind < HD_ROOT_UNREACHABLE ? kind : HD_ROOT_OTHER;
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
        if (node_kind(w, g->edge_to[e]) != TYPE_OBJECT)
            continue;
        if (root_codes[kind].is_static && variable == 0) {
            struct place place = place_of(w->snap->types[g->type[n]].name);
            bool is_one = place_is_variable(&place);
            variable = ++w->last_type_id;
            write_type(w, variable, place.type.at,
                       is_one ? (size_t)(place.tail.at - place.type.at) : 0, "?");
        }
        write_root(w, g->edge_to[e], kind, variable);
    }
}

/* Visits pseudo-nodes from the root on, breadth first, in the order of the file. Each has
 * its own kind or that of its parent. A root that is an object is itself rooted. */
static void write_roots(struct heap_text_writer *w, struct arena *scratch)
{
    enum { UNSEEN = 0, SEEN = 1 };
    const struct graph *g = w->g;
    unsigned char *kind = arena_array(scratch, unsigned char, g->node_count);
    node_id *queue = NULL;
    size_t head = 0, len = 0, cap = 0;
    if (node_kind(w, g->root) == TYPE_OBJECT) {
        write_root(w, g->root, HD_ROOT_OTHER, 0);
        return;
    }
    *APPEND(queue, len, cap) = g->root;
    kind[g->root] = SEEN + HD_ROOT_OTHER;
    while (head < len) {
        node_id n = queue[head++];
        enum hd_root_kind above = (enum hd_root_kind)(kind[n] - SEEN);
        write_group(w, n, above);
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            node_id to = g->edge_to[e];
            if (node_kind(w, to) != TYPE_PSEUDO || kind[to] != UNSEEN)
                continue;
            const char *name = w->snap->types[g->type[to]].name;
            kind[to] = (unsigned char)(SEEN + root_kind_below(name, above));
            *APPEND(queue, len, cap) = to;
        }
    }
    free(queue);
}

/* --- the section --------------------------------------------------------------- */

/* Writes its begin or end, with the name of the process. The stamp is milliseconds since
 * some start: for a date since 1970, so that a series preserves its order and its
 * distances. */
static void write_edge(struct heap_text_writer *w, const char *record)
{
    const char *process = w->snap->info.process != NULL ? w->snap->info.process : "";
    double ms = w->snap->clock * 1000;
    text_add_string(&w->line, record);
    add_trimmed(w, process, strlen(process), "unknown");
    add_hex(&w->line, ms >= 0 && ms < 9e18 ? (uint64_t)llround(ms) : 0);
    write_line(w);
}

static void write_objects(struct heap_text_writer *w)
{
    const struct graph *g = w->g;
    for (node_id n = 0; n < g->node_count; n++) {
        if (!type_is_written(&w->snap->types[g->type[n]]))
            continue;
        text_add_char(&w->line, 'o');
        add_hex(&w->line, (uint64_t)n + 1);
        add_hex(&w->line, w->type_ids[g->type[n]]);
        add_hex(&w->line, graph_size(g, n));
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            if (node_kind(w, g->edge_to[e]) == TYPE_OBJECT)
                add_hex(&w->line, (uint64_t)g->edge_to[e] + 1);
            else
                w->references_lost++;
        write_line(w);
    }
}

static bool heap_text_write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                            struct hd_error *err)
{
    (void)err;
    struct arena scratch = {0};
    struct heap_text_writer w = {.snap = snap,
                                 .g = snap->graph,
                                 .out = o,
                                 .type_ids =
                                     arena_array(&scratch, uint64_t, snap->type_count)};
    write_edge(&w, "a 2");
    write_types(&w);
    write_objects(&w);
    write_roots(&w, &scratch);
    uint64_t names = w.names_changed;
    write_edge(&w, "c"); /* the same name again */
    const struct {
        const char *code, *words;
        uint64_t count;
    } lost[] = {
        {"names", "names with line ends or surrounding blanks, changed", names},
        {"root-kinds",
         "thread statics written as statics, ref-counted and dependent handles as strong "
         "ones",
         w.kinds_changed},
        {"undefined", "references to unknown objects, omitted", w.references_lost}};
    for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++)
        if (lost[i].count > 0)
            losses_add(l, lost[i].code, "%s: %" PRIu64, lost[i].words, lost[i].count);
    text_free(&w.line);
    arena_free(&scratch);
    return true;
}

const struct snapshot_writer write_heap_text = {
    .name = "heap-text",
    .summary = "one record per line, for scripts",
    .suffix = ".txt",
    .holds = FACT_GRAPH | FACT_PROCESS | FACT_RAW_NAMES,
    .write = heap_text_write,
};
