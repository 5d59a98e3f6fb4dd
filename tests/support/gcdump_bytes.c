#include "support/gcdump_bytes.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- the container --------------------------------------------------------------- */

enum {
    BEGIN = 4,
    END = 6,
    NOTHING = 1,
    REFERENCE = 2,
    TAGGED_BYTE = 8,
    SKIP_REGION = 12,
    TAGGED_STRING = 13
};

/* A repeated type is a reference to the label of its first occurrence. */
struct known_type {
    const char *name;
    uint64_t label;
};

struct writer {
    const struct made_gcdump *made;
    struct gcdump_bytes *b;
    struct known_type known[8];
    size_t known_count;
};

static void put(struct writer *w, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        text_add_char(&w->b->data, (char)(unsigned char)(value >> (8 * i)));
}

static void put_label(struct writer *w, uint64_t label)
{
    put(w, label, w->made->eight_byte_labels ? 8 : 4);
}

/* The number of UTF-16 units, then the units; a character of four bytes has two. */
static void put_string(struct writer *w, const char *s)
{
    if (s == NULL) {
        put(w, UINT32_MAX, 4);
        return;
    }
    struct text units = {0};
    uint32_t count = 0;
    for (size_t i = 0, len = strlen(s); i < len;) {
        unsigned char lead = (unsigned char)s[i];
        size_t n = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (n < 4) {
            text_add(&units, s + i, n);
        } else {
            uint32_t code = utf8_decode((const unsigned char *)s + i, n) - 0x10000;
            text_add_code_point(&units, 0xD800 + (code >> 10));
            text_add_code_point(&units, 0xDC00 + (code & 0x3FF));
            count++;
        }
        count++;
        i += n;
    }
    put(w, count, 4);
    text_add(&w->b->data, units.data, units.len);
    text_free(&units);
}

static void begin_object(struct writer *w, const char *type, int32_t version,
                         int32_t min_reader)
{
    put(w, BEGIN, 1);
    for (size_t i = 0; i < w->known_count; i++)
        if (strcmp(w->known[i].name, type) == 0) {
            put(w, REFERENCE, 1);
            put_label(w, w->known[i].label);
            return;
        }
    w->known[w->known_count++] = (struct known_type){type, w->b->data.len};
    put(w, BEGIN, 1);
    put(w, NOTHING, 1);
    put(w, (uint32_t)version, 4);
    put(w, (uint32_t)min_reader, 4);
    put_string(w, type);
    put(w, END, 1);
}

/* --- the graph ------------------------------------------------------------------- */

/* Groups of 7 bits, highest first, as few as the signed value needs. */
static void put_compressed(struct text *out, int32_t value)
{
    unsigned groups = 1;
    while (groups < 5 && (value < -(INT64_C(1) << (7 * groups - 1)) ||
                          value >= INT64_C(1) << (7 * groups - 1)))
        groups++;
    for (unsigned i = groups; i-- > 0;) {
        uint32_t group = (uint32_t)((int64_t)value >> (7 * i)) & 0x7F;
        text_add_char(out, (char)(unsigned char)(group | (i > 0 ? 0x80 : 0)));
    }
}

static void put_record(struct text *blob, const struct made_gcdump *m, size_t i)
{
    const struct made_node *n = &m->nodes[i];
    if (n->record != NULL) {
        text_add(blob, n->record, n->record_size);
        return;
    }
    bool stores_size = n->size != m->types[n->type].size;
    put_compressed(blob, (int32_t)(2 * n->type + stores_size));
    if (stores_size)
        put_compressed(blob, n->size);
    put_compressed(blob, (int32_t)n->references);
    for (uint32_t r = 0; r < n->references; r++)
        put_compressed(blob, (int32_t)(n->to[r] - (uint32_t)i));
}

static void put_zeros(struct writer *w, size_t count)
{
    static const char zeros[4096];
    for (size_t n; count > 0; count -= n) {
        n = count < sizeof(zeros) ? count : sizeof(zeros);
        text_add(&w->b->data, zeros, n);
    }
}

/* Returns the module's label. */
static size_t put_module(struct writer *w, const char *path)
{
    const struct made_gcdump *m = w->made;
    size_t label = w->b->data.len;
    begin_object(w, m->module_class != NULL ? m->module_class : "Graphs.Module", 0, 0);
    put_string(w, path);
    put(w, 0x10000, 8);
    put(w, 0x2000, m->wide_modules ? 8 : 4);
    put(w, 0, 8); /* build time */
    put_string(w, NULL);
    for (int i = 0; i < 2; i++)
        put(w, 0, 8); /* GUID of the symbols */
    put(w, 1, 4);
    put(w, END, 1);
    return label;
}

/* The list ends at forward reference 1. A repeated path refers to its module. */
static void put_deferred(struct writer *w)
{
    const struct made_gcdump *m = w->made;
    size_t *labels = alloc_zeroed(array_bytes(m->deferred_count, sizeof(*labels)));
    put(w, 1, 4);
    w->b->deferred_count_at = w->b->data.len;
    put(w, m->deferred_count, 4);
    for (size_t i = 0; i < m->deferred_count; i++) {
        const char *module = m->deferred[i].module;
        put(w, m->deferred[i].id, 4);
        if (i == 0)
            w->b->first_module_at = w->b->data.len;
        if (module == NULL) {
            put(w, NOTHING, 1);
        } else if (i > 0 && module == m->deferred[i - 1].module) {
            labels[i] = labels[i - 1];
            put(w, REFERENCE, 1);
            put_label(w, labels[i]);
        } else {
            labels[i] = put_module(w, module);
        }
        put_string(w, m->deferred[i].suffix);
    }
    put(w, END, 1);
    w->b->deferred_end = w->b->data.len;
    free(labels);
}

static void put_nodes(struct writer *w)
{
    const struct made_gcdump *m = w->made;
    struct gcdump_bytes *b = w->b;
    b->node_count_at = b->data.len;
    put(w, m->node_count + m->undefined_nodes, m->very_large ? 8 : 4);
    b->offsets_at = b->data.len;
    struct text blob = {0};
    text_add(&blob, "\0\0", 2); /* the record of undefined nodes */
    for (size_t i = 0; i < m->node_count; i++) {
        put(w, m->nodes[i].undefined ? 0 : blob.len, 4);
        if (!m->nodes[i].undefined)
            put_record(&blob, m, i);
    }
    put_zeros(w, 4 * m->undefined_nodes);
    b->blob_size_at = b->data.len;
    put(w, blob.len, 4);
    b->blob_at = b->data.len;
    text_add(&b->data, blob.data, blob.len);
    text_free(&blob);
    if (m->deferred_count > 0)
        put_deferred(w);
    b->address_count_at = b->data.len;
    put(w, m->node_count + m->undefined_nodes, m->very_large ? 8 : 4);
    for (size_t i = 0; i < m->node_count; i++)
        put(w, m->nodes[i].address, 8);
    put_zeros(w, 8 * m->undefined_nodes);
}

static void put_graph(struct writer *w)
{
    const struct made_gcdump *m = w->made;
    struct gcdump_bytes *b = w->b;
    if (m->no_graph) {
        put(w, NOTHING, 1);
        return;
    }
    begin_object(w, "Graphs.MemoryGraph", 1, m->deferred_count > 0);
    uint64_t total = m->wrong_bytes;
    for (size_t i = 0; i < m->node_count; i++)
        total += m->nodes[i].undefined ? 0 : (uint64_t)m->nodes[i].size;
    put(w, total, 8);
    b->root_at = b->data.len;
    put(w, m->root, 4);
    b->type_count_at = b->data.len;
    put(w, m->type_count, 4);
    for (size_t i = 0; i < m->type_count; i++) {
        put_string(w, m->types[i].name);
        put(w, (uint32_t)m->types[i].size, 4);
        put_string(w, m->types[i].module);
    }
    put_nodes(w);
    put(w, TAGGED_BYTE, 1); /* Is64Bit */
    put(w, 1, 1);
    text_add(&b->data, m->graph_extra, m->graph_extra_size);
    put(w, END, 1);
    b->graph_end = b->data.len;
}

/* --- around it ------------------------------------------------------------------- */

static void put_heap_info(struct writer *w)
{
    const struct made_gcdump *m = w->made;
    if (m->segment_count == 0) {
        put(w, NOTHING, 1);
        return;
    }
    begin_object(w, "DotNetHeapInfo", 0, 0);
    put(w, 0, 8);
    w->b->segment_count_at = w->b->data.len;
    put(w, m->segment_count, 4);
    int version = m->old_segments ? 0 : 1;
    for (size_t i = 0; i < m->segment_count; i++) {
        begin_object(w, "GCHeapDumpSegment", version, version);
        put(w, m->segments[i].start, 8);
        put(w, m->segments[i].end, 8);
        for (int g = 0; g < 4 + version; g++)
            put(w, m->segments[i].gen_end[g], 8);
        put(w, END, 1);
    }
    put(w, END, 1);
}

static void put_multipliers(struct writer *w)
{
    const struct made_gcdump *m = w->made;
    w->b->multipliers_at = w->b->data.len;
    put(w, m->sampled ? m->type_count : 0, 4);
    for (size_t i = 0; m->sampled && i < m->type_count; i++) {
        uint32_t bits;
        memcpy(&bits, &m->types[i].multiplier, sizeof(bits));
        put(w, bits, 4);
    }
}

/* Returns the end of the region of the interop table: the one forward reference. */
static size_t put_dump(struct writer *w)
{
    const struct made_gcdump *m = w->made;
    const uint32_t one = 0x3F800000; /* 1.0 as a float */
    begin_object(w, "GCHeapDump", m->version != 0 ? m->version : 10,
                 m->version != 0 ? m->min_reader : 8);
    put_graph(w);
    put(w, 1, 1); /* Is64Bit */
    put(w, one, 4);
    put(w, one, 4);
    put(w, NOTHING, 1); /* JSHeapInfo */
    put_heap_info(w);
    put_string(w, NULL); /* log */
    put(w, (uint64_t)m->ticks, 8);
    put_string(w, NULL); /* machine */
    put_string(w, m->process);
    put(w, (uint32_t)m->pid, 4);
    put(w, 0, 8); /* commit */
    put(w, 0, 8); /* working set */
    put_multipliers(w);
    w->b->interop_at = w->b->data.len;
    put(w, SKIP_REGION, 1);
    put(w, 0, 4);
    put(w, NOTHING, 1);
    size_t region_end = w->b->data.len;
    if (!m->no_tool) {
        put(w, TAGGED_STRING, 1);
        put_string(w, m->tool);
    }
    text_add(&w->b->data, m->dump_extra, m->dump_extra_size);
    put(w, END, 1);
    return region_end;
}

struct gcdump_bytes gcdump_bytes_make(const struct made_gcdump *m)
{
    struct gcdump_bytes b = {0};
    struct writer w = {.made = m, .b = &b};
    put_string(&w, "!FastSerialization.1");
    size_t region_end = put_dump(&w);
    put(&w, END, 1); /* of all objects */
    b.forwards_at = b.data.len;
    put(&w, m->deferred_count > 0 ? 2 : 1, 4);
    put_label(&w, region_end);
    if (m->deferred_count > 0)
        put_label(&w, b.deferred_end);
    size_t trailer = b.data.len;
    put_label(&w, b.forwards_at);
    put_label(&w, trailer);
    return b;
}

void gcdump_bytes_free(struct gcdump_bytes *b)
{
    text_free(&b->data);
}

void gcdump_bytes_put(struct gcdump_bytes *b, size_t at, uint32_t value)
{
    assert(at + 4 <= b->data.len);
    for (size_t i = 0; i < 4; i++)
        b->data.data[at + i] = (char)(unsigned char)(value >> (8 * i));
}
