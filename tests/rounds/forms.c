#include "rounds/forms.h"

#include "base/alloc.h"
#include "support/gcdump_bytes.h"
#include "support/trace_forge.h"

#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool toss(struct random *r)
{
    return random_below(r, 2) == 0;
}

/* 0 .. count - 1 in random order; malloc'd. */
static uint32_t *shuffled(uint32_t count, struct random *r)
{
    uint32_t *all = alloc_zeroed(array_bytes(count + 1, sizeof(*all)));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = random_below(r, i + 1);
        all[i] = all[at];
        all[at] = i;
    }
    return all;
}

/* --- gcdump ---------------------------------------------------------------------- */

/* After the types of the model. */
enum { UNDEFINED, ROOT, STATICS, LOCALS, OTHERS, STRONG, PINNED, FINALIZER, GROUPS };
static const char *const group_names[GROUPS] = {
    "UNDEFINED",     "[.NET Roots]",     "[static vars]",     "[local vars]",
    "[other roots]", "[strong Handles]", "[pinning Handles]", "[finalizer Handles]"};

struct gcdump_form {
    const struct model *m;
    struct made_type *types;
    struct made_node *nodes;
    uint32_t *node_of; /* of objects, groups, variables */
    size_t type_count, node_count;
};

static unsigned group_of(enum hd_root_kind kind)
{
    return kind == HD_ROOT_STATIC          ? STATICS
           : kind == HD_ROOT_STACK         ? LOCALS
           : kind == HD_ROOT_STRONG_HANDLE ? STRONG
           : kind == HD_ROOT_PINNED_HANDLE ? PINNED
                                           : FINALIZER;
}

static struct made_node *node_at(struct gcdump_form *g, size_t i)
{
    return &g->nodes[g->node_of[i]];
}

static void refer(struct gcdump_form *g, size_t from, size_t to)
{
    struct made_node *n = node_at(g, from);
    n->to[n->references++] = g->node_of[to];
}

/* Type 0 is the undefined one; node numbers are those of objects, then groups, then
 * variables. */
static void place_roots(struct gcdump_form *g, struct text names[MODEL_ROOTS])
{
    const struct model *m = g->m;
    size_t groups = m->count, variables = groups + GROUPS;
    for (unsigned i = 0; i < GROUPS; i++) {
        g->types[i].name = group_names[i];
        node_at(g, groups + i)->type = i;
    }
    node_at(g, groups + UNDEFINED)->undefined = true;
    refer(g, groups + ROOT, groups + STATICS);
    refer(g, groups + ROOT, groups + LOCALS);
    refer(g, groups + ROOT, groups + OTHERS);
    for (unsigned i = STRONG; i <= FINALIZER; i++)
        refer(g, groups + OTHERS, groups + i);
    for (unsigned i = 0; i < m->root_count; i++) {
        const struct model_root *r = &m->roots[i];
        uint32_t type = (uint32_t)(GROUPS + m->type_count + i);
        g->types[type].name = model_variable(m, r, false, &names[i]);
        node_at(g, variables + i)->type = type;
        bool is_static = r->kind == HD_ROOT_STATIC;
        refer(g, groups + group_of(r->kind), is_static ? variables + i : r->object);
        if (is_static)
            refer(g, variables + i, r->object);
    }
}

static void place_objects(struct gcdump_form *g)
{
    const struct model *m = g->m;
    for (unsigned t = 0; t < m->type_count; t++)
        g->types[GROUPS + t] =
            (struct made_type){.name = m->types[t], .size = 24, .module = "/app/App.dll"};
    for (uint32_t i = 0; i < m->count; i++) {
        const struct model_object *o = &m->objects[i];
        struct made_node *n = node_at(g, i);
        n->type = GROUPS + o->type;
        n->size = (int32_t)o->size;
        n->address = o->address;
        n->references = o->references;
        for (unsigned e = 0; e < o->references; e++)
            n->to[e] = g->node_of[o->to[e]];
    }
}

static size_t make_segments(const struct model *m, bool old, struct made_segment *all)
{
    size_t count = 0;
    for (int g = 0; g < HD_GEN_FROZEN - old; g++) {
        uint64_t begin = m->generation_begin[g], end = m->generation_begin[g + 1];
        struct made_segment s = {.start = begin, .end = end};
        s.gen_end[g] = end;
        if (begin < end)
            all[count++] = s;
    }
    return count;
}

static struct form gcdump_form(const struct model *m, struct random *r)
{
    struct gcdump_form g = {.m = m};
    struct text names[MODEL_ROOTS] = {0};
    struct made_segment segments[HD_GEN_FROZEN];
    g.type_count = GROUPS + m->type_count + m->root_count;
    g.node_count = m->count + GROUPS + m->root_count;
    g.types = alloc_zeroed(array_bytes(g.type_count, sizeof(*g.types)));
    g.nodes = alloc_zeroed(array_bytes(g.node_count, sizeof(*g.nodes)));
    g.node_of = shuffled((uint32_t)g.node_count, r);
    place_objects(&g);
    place_roots(&g, names);
    bool told = toss(r);
    struct made_gcdump made = {.types = g.types,
                               .type_count = g.type_count,
                               .nodes = g.nodes,
                               .node_count = g.node_count,
                               .undefined_nodes = random_below(r, 3),
                               .root = g.node_of[m->count + ROOT],
                               .eight_byte_labels = toss(r),
                               .very_large = random_below(r, 4) == 0,
                               .version = toss(r) ? 9 : 0,
                               .min_reader = 8,
                               .segments = segments,
                               .segment_count =
                                   told ? make_segments(m, false, segments) : 0,
                               .process = toss(r) ? "shop" : NULL,
                               .pid = 4711,
                               .tool = "a tool",
                               .no_tool = random_below(r, 4) == 0};
    struct gcdump_bytes b = gcdump_bytes_make(&made);
    for (unsigned i = 0; i < MODEL_ROOTS; i++)
        text_free(&names[i]);
    free(g.types), free(g.nodes), free(g.node_of);
    return (struct form){
        .name = "gcdump", .bytes = b.data, .view = {.graph = true, .generations = told}};
}

/* --- traces ---------------------------------------------------------------------- */

enum { THREAD = 11, TYPE_IDS = 0x700000, TYPE_STRIDE = 0x100 };

static uint64_t type_id_of(const struct model *m, uint32_t object)
{
    return TYPE_IDS + (uint64_t)m->objects[object].type * TYPE_STRIDE;
}

static void trace_types(const struct model *m, struct trace_forge *f)
{
    struct forged_type types[MODEL_TYPES];
    for (unsigned t = 0; t < m->type_count; t++)
        types[t] = (struct forged_type){.id = TYPE_IDS + (uint64_t)t * TYPE_STRIDE,
                                        .name = m->types[t]};
    trace_forge_types(f, THREAD, types, m->type_count);
}

static void trace_roots(const struct model *m, struct trace_forge *f)
{
    for (unsigned i = 0; i < m->root_count; i++) {
        const struct model_root *root = &m->roots[i];
        uint64_t object = m->objects[root->object].address;
        unsigned kind = root->kind == HD_ROOT_STACK       ? 0
                        : root->kind == HD_ROOT_FINALIZER ? 1
                                                          : 2;
        if (root->kind == HD_ROOT_STATIC)
            trace_forge_static(f, THREAD, object, type_id_of(m, root->object), 0,
                               root->field);
        else
            trace_forge_root(f, object, kind, root->kind == HD_ROOT_PINNED_HANDLE);
    }
}

static struct form trace_form(const struct model *m, struct random *r)
{
    struct trace_forge f = {.pointer_size = toss(r) ? 8 : 4,
                            .events_per_block = random_below(r, 9),
                            .records_per_event = random_below(r, 20),
                            .plain_rows = toss(r)};
    bool types_first = toss(r);
    trace_forge_begin(&f);
    trace_forge_gc(&f, THREAD, true, 1);
    if (types_first)
        trace_types(m, &f);
    for (uint32_t i = 0; i < m->count; i++) {
        const struct model_object *o = &m->objects[i];
        trace_forge_node(&f, o->address, o->size, type_id_of(m, i), o->references);
        for (unsigned e = 0; e < o->references; e++)
            trace_forge_edge(&f, m->objects[o->to[e]].address);
    }
    trace_roots(m, &f);
    trace_forge_walk(&f, THREAD);
    if (!types_first)
        trace_types(m, &f);
    for (unsigned g = 0; g < HD_GEN_FROZEN; g++)
        if (m->generation_begin[g] < m->generation_begin[g + 1])
            trace_forge_range(&f, THREAD, g, m->generation_begin[g],
                              m->generation_begin[g + 1] - m->generation_begin[g]);
    trace_forge_gc(&f, THREAD, false, 1);
    if (toss(r))
        trace_forge_point(&f);
    trace_forge_end(&f);
    struct form form = {
        .name = "nettrace", .bytes = f.bytes, .view = {.graph = true, .generations = true}};
    f.bytes = (struct text){0};
    trace_forge_free(&f);
    return form;
}

/* --- heap text --------------------------------------------------------------------- */

/* Spelling of the lines of one file. */
struct spelling {
    bool crlf, upper, wide_blanks, blank_lines, zeros;
};

static void number(struct text *t, const struct spelling *s, uint64_t n)
{
    char digits[32];
    snprintf(digits, sizeof(digits),
             s->upper   ? s->zeros ? "%s%012" PRIX64 : "%s%" PRIX64
             : s->zeros ? "%s%012" PRIx64
                        : "%s%" PRIx64,
             s->wide_blanks ? " \t" : " ", n);
    text_add_string(t, digits);
}

static void end_line(struct text *t, const struct spelling *s)
{
    text_add_string(t, s->crlf ? "\r\n" : "\n");
    if (s->blank_lines)
        text_add_string(t, s->crlf ? " \r\n" : "\n");
}

static void text_types(const struct model *m, const struct spelling *s, struct text *t)
{
    for (unsigned i = 0; i < m->type_count; i++) {
        text_add_string(t, "t");
        number(t, s, i + 1);
        text_add_string(t, " ");
        text_add_string(t, m->types[i]);
        end_line(t, s);
    }
}

static void text_roots(const struct model *m, const struct spelling *s, struct text *t)
{
    for (unsigned i = 0; i < m->root_count; i++) {
        const struct model_root *r = &m->roots[i];
        unsigned kind = r->kind == HD_ROOT_STATIC      ? 4
                        : r->kind == HD_ROOT_STACK     ? 1
                        : r->kind == HD_ROOT_FINALIZER ? 2
                                                       : 3;
        text_add_string(t, "r");
        number(t, s, m->objects[r->object].address);
        number(t, s, kind);
        number(t, s, r->kind == HD_ROOT_PINNED_HANDLE);
        if (kind == 4)
            number(t, s, m->objects[r->object].type + 1);
        end_line(t, s);
    }
}

static void text_objects(const struct model *m, const struct spelling *s,
                         const uint32_t *order, struct text *t)
{
    for (uint32_t i = 0; i < m->count; i++) {
        const struct model_object *o = &m->objects[order[i]];
        text_add_string(t, "o");
        number(t, s, o->address);
        number(t, s, o->type + 1);
        number(t, s, o->size);
        for (unsigned e = 0; e < o->references; e++)
            number(t, s, m->objects[o->to[e]].address);
        end_line(t, s);
    }
}

static struct form text_form(const struct model *m, struct random *r)
{
    struct spelling s = {toss(r), toss(r), toss(r), random_below(r, 4) == 0, toss(r)};
    struct form f = {.name = "heap-text", .view = {.graph = true, .statics_by_type = true}};
    bool types_last = toss(r), roots_first = toss(r);
    f.order = shuffled(m->count, r);
    f.view.order = f.order;
    if (toss(r))
        text_add_string(&f.bytes, "\xEF\xBB\xBF");
    text_add_string(&f.bytes, "a 2 shop.exe 10");
    end_line(&f.bytes, &s);
    if (!types_last)
        text_types(m, &s, &f.bytes);
    if (roots_first)
        text_roots(m, &s, &f.bytes);
    text_objects(m, &s, f.order, &f.bytes);
    if (!roots_first)
        text_roots(m, &s, &f.bytes);
    if (types_last)
        text_types(m, &s, &f.bytes);
    text_add_string(&f.bytes, "c shop.exe 20");
    end_line(&f.bytes, &s);
    return f;
}

/* --- tables ------------------------------------------------------------------------ */

static struct form table_form(const struct model *m, struct random *r)
{
    struct form f = {.name = "dumpheap-stat"};
    const char *end = toss(r) ? "\r\n" : "\n";
    char line[128];
    struct text *t = &f.bytes;
    text_add_string(t, "              MT    Count    TotalSize Class Name");
    text_add_string(t, end);
    for (unsigned i = 0; i < m->type_count; i++) {
        uint64_t count = 0, bytes = 0;
        for (uint32_t n = 0; n < m->count; n++) {
            count += m->objects[n].type == i;
            bytes += m->objects[n].type == i ? m->objects[n].size : 0;
        }
        snprintf(line, sizeof(line), "%016x %8" PRIu64 " %12" PRIu64 " %s%s",
                 0x7f0000 + 16 * i, count, bytes, m->types[i], end);
        if (count > 0)
            text_add_string(t, line);
    }
    snprintf(line, sizeof(line), "Total %" PRIu32 " objects%s", m->count, end);
    text_add_string(t, line);
    return f;
}

struct form form_of(const struct model *m, unsigned i, struct random *r)
{
    static struct form (*const all[FORMS])(const struct model *, struct random *) = {
        gcdump_form, trace_form, text_form, table_form};
    return all[i](m, r);
}

void form_free(struct form *f)
{
    text_free(&f->bytes);
    free(f->order);
}

/* --- packed ------------------------------------------------------------------------ */

const char *const packings[PACKINGS] = {"gzip", "zstd", "xz", "bzip2", "zip"};

static void expect(bool done, struct archive *a)
{
    if (done)
        return;
    fprintf(stderr, "rounds: %s\n", archive_error_string(a));
    exit(1);
}

struct text packed(const struct text *bytes, unsigned how)
{
    struct text to = {0};
    size_t capacity = bytes->len * 2 + 4096, used = 0;
    bool zip = strcmp(packings[how], "zip") == 0;
    struct archive *a = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    to.data = alloc_resize(NULL, capacity);
    to.cap = capacity;
    expect((zip ? archive_write_set_format_zip(a) : archive_write_set_format_raw(a)) ==
               ARCHIVE_OK,
           a);
    if (!zip)
        expect(archive_write_add_filter_by_name(a, packings[how]) == ARCHIVE_OK, a);
    archive_write_set_filter_option(a, NULL, "compression-level", "1");
    archive_write_set_bytes_in_last_block(a, 1);
    expect(archive_write_open_memory(a, to.data, capacity, &used) == ARCHIVE_OK, a);
    archive_entry_set_pathname(entry, "heap");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, (la_int64_t)bytes->len);
    expect(archive_write_header(a, entry) == ARCHIVE_OK, a);
    expect(archive_write_data(a, bytes->data, bytes->len) == (la_ssize_t)bytes->len, a);
    expect(archive_write_close(a) == ARCHIVE_OK, a);
    archive_entry_free(entry);
    archive_write_free(a);
    to.len = used;
    return to;
}
