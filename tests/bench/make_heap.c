/* make-heap - write a made-up heap (synthetic.h) as a snapshot.
 *
 *     make-heap OBJECTS OUT [--seed=N] [--format=gcdump|heap-text|nettrace]
 *               [--step=K --leak=HD_PER_STEP] [--stream] [--loose]
 *
 * Step K has the same objects as step 0, and K * HD_PER_STEP more instances of
 * Bench.Leaked in a list held by the static variable Bench.Holder.s_items. --loose leaves
 * gaps between objects of a .gcdump, as of dead objects: without it, the heap is the same
 * after a compacting collection. --stream writes heap text of any size in constant memory
 * (synthetic_stream.h). */
#include "base/alloc.h"
#include "bench/synthetic.h"
#include "bench/synthetic_stream.h"
#include "bench/synthetic_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a .gcdump each size class is a separate type. */
static const struct {
    uint32_t above;
    const char *suffix;
} size_classes[] = {
    {0, ""},
    {1000, " (Bytes > 1K)"},
    {9999, " (Bytes > 10K)"},
    {99999, " (Bytes > 100K)"},
    {999999, " (Bytes > 1M)"},
    {9999999, " (Bytes > 10M)"},
    {99999999, " (Bytes > 100M)"},
};
enum { SIZE_CLASSES = sizeof(size_classes) / sizeof(size_classes[0]) };

/* Names of the groups of roots in dotnet-gcdump; heap text has kinds and flags. */
static const struct {
    const char *name;
    unsigned kind, flags;
} roots[ROOT_GROUPS] = {
    [ROOTS_STATIC] = {"[static vars]", 4, 0},
    [ROOTS_STRONG] = {"[strong Handles]", 3, 0},
    [ROOTS_LOCAL] = {"[local vars]", 1, 0},
    [ROOTS_PINNING] = {"[pinning Handles]", 3, 1},
    [ROOTS_FINALIZER] = {"[finalizer Handles]", 2, 0},
    [ROOTS_DEPENDENT] = {"[Dependent Handles]", 0, 0},
};

enum { OWNER_NAME_MAX = 32 };

static void variable_owner(char *name, uint16_t variable)
{
    if (variable == SYNTHETIC_STATICS)
        snprintf(name, OWNER_NAME_MAX, "Bench.Holder");
    else
        snprintf(name, OWNER_NAME_MAX, "Bench.Services.S%u", (unsigned)variable);
}

/* --- heap text ------------------------------------------------------------------- */

static void write_heap_text(const struct heap *h, FILE *f)
{
    enum { TYPE_ID = 0x10, ID_STEP = 3 };
    fprintf(f, "a 2 make-heap 0\n");
    for (unsigned t = 0; t < h->type_count; t++)
        fprintf(f, "t %x %s\n", TYPE_ID + t, h->type_names[t]);
    for (unsigned v = 0; v <= SYNTHETIC_STATICS; v++) {
        char owner[OWNER_NAME_MAX];
        variable_owner(owner, (uint16_t)v);
        fprintf(f, "t %x %s\n", TYPE_ID + SYNTHETIC_TYPES_MAX + v, owner);
    }
    for (uint32_t i = 0; i < h->count; i++) {
        fprintf(f, "o %" PRIx64 " %x %" PRIx32, (uint64_t)(i + 1) * ID_STEP,
                (unsigned)TYPE_ID + h->type[i], h->size[i]);
        for (uint32_t e = h->begin[i]; e < h->begin[i + 1]; e++)
            fprintf(f, " %" PRIx64, ((uint64_t)h->to[e] + 1) * ID_STEP);
        fputc('\n', f);
    }
    for (size_t r = 0; r < h->root_count; r++) {
        const struct root *root = &h->roots[r];
        fprintf(f, "r %" PRIx64 " %u %u", ((uint64_t)root->object + 1) * ID_STEP,
                roots[root->group].kind, roots[root->group].flags);
        if (root->group == ROOTS_STATIC)
            fprintf(f, " %x", (unsigned)TYPE_ID + SYNTHETIC_TYPES_MAX + root->variable);
        fputc('\n', f);
    }
    fprintf(f, "c make-heap 1\n");
}

/* --- gcdump ----------------------------------------------------------------------- */

/* Nodes before all objects; static variables follow the groups. */
enum {
    ROOT_NODE,
    UNDEFINED_NODE,
    COM_NODE,
    OTHER_NODE,
    GROUP_NODES,
    FREE_NODES = GROUP_NODES + ROOT_GROUPS
};

/* A .gcdump under construction. Nodes are numbered by their first reference, records are in
 * the order of allocation, and so are addresses, but in several segments: the three orders
 * of a real file differ. */
struct dump {
    const struct heap *h;
    bool loose;
    /* Streams into memory, for data whose size precedes it in the file. */
    FILE *types, *blob;
    char *types_data, *blob_data;
    size_t types_size, blob_size;
    uint32_t blob_at; /* bytes in blob */
    uint32_t type_count, node_count;
    uint64_t total_size;
    uint32_t variable_node[SYNTHETIC_STATICS + 1]; /* 0: not used */
    uint32_t *node_of;                             /* per object */
    uint32_t *offsets;                             /* per node, in blob */
    uint64_t *addresses;                           /* per node */
    /* Number of a type and size class in the file; 0: not yet assigned. */
    uint16_t type_of[SYNTHETIC_TYPES_MAX][SIZE_CLASSES];
    uint32_t default_size[UINT16_MAX]; /* per type in the file */
};

static void put(FILE *f, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        putc_unlocked(i < 8 ? (int)(value >> 8 * i & 0xFF) : 0, f);
}

static void put_string(FILE *f, const char *s)
{
    put(f, s != NULL ? strlen(s) : UINT32_MAX, 4);
    if (s != NULL)
        fputs(s, f);
}

/* To blob: groups of 7 bits, the highest first, as few as keep the sign. */
static void put_compressed(struct dump *d, int64_t v)
{
    unsigned bits = 7;
    while (v < -(INT64_C(1) << (bits - 1)) || v >= INT64_C(1) << (bits - 1))
        bits += 7;
    for (; bits > 0; bits -= 7) {
        unsigned more = bits > 7 ? 0x80 : 0;
        putc_unlocked((int)(((uint64_t)v >> (bits - 7) & 0x7F) | more), d->blob);
        d->blob_at++;
    }
}

static uint16_t put_type(struct dump *d, const char *name, const char *suffix,
                         uint32_t size)
{
    static const char *const modules[] = {"/app/Bench.dll",
                                          "/usr/share/dotnet/System.Private.CoreLib.dll"};
    put(d->types, strlen(name) + strlen(suffix), 4);
    fputs(name, d->types);
    fputs(suffix, d->types);
    put(d->types, size, 4);
    put_string(d->types, size > 0 ? modules[strncmp(name, "System.", 7) == 0] : NULL);
    d->default_size[d->type_count] = size;
    return (uint16_t)d->type_count++;
}

static uint16_t type_in_file(struct dump *d, uint32_t object)
{
    uint16_t type = d->h->type[object];
    uint32_t size = d->h->size[object];
    unsigned class = 0;
    while (class + 1 < SIZE_CLASSES && size > size_classes[class + 1].above)
        class ++;
    uint16_t *id = &d->type_of[type][class];
    if (*id == 0)
        *id = put_type(d, d->h->type_names[type], size_classes[class].suffix, size);
    return *id;
}

static void number_node(struct dump *d, uint32_t object)
{
    if (d->node_of[object] == 0)
        d->node_of[object] = d->node_count++;
}

static void number_nodes(struct dump *d)
{
    const struct heap *h = d->h;
    d->node_of = alloc_zeroed(array_bytes(h->count, sizeof(*d->node_of)));
    d->node_count = FREE_NODES;
    for (size_t r = 0; r < h->root_count; r++) {
        const struct root *root = &h->roots[r];
        if (root->group == ROOTS_STATIC && d->variable_node[root->variable] == 0)
            d->variable_node[root->variable] = d->node_count++;
        number_node(d, root->object);
    }
    for (uint32_t i = 0; i < h->count; i++) {
        number_node(d, i);
        for (uint32_t e = h->begin[i]; e < h->begin[i + 1]; e++)
            number_node(d, h->to[e]);
    }
}

/* Objects are allocated in three segments in turn, large ones elsewhere. */
static void place_objects(struct dump *d)
{
    enum { SEGMENTS = 3, RUN = 16, LARGE = 85000, BETWEEN_GAPS = 40, GAP_UNITS = 30 };
    const uint64_t first = 0x7f0000001000, apart = 0x1000000000, step = 8;
    uint64_t next[SEGMENTS + 1];
    for (unsigned s = 0; s <= SEGMENTS; s++)
        next[s] = first + s * apart;
    for (uint32_t i = 0; i < d->h->count; i++) {
        uint32_t size = d->h->size[i];
        uint64_t segment = size >= LARGE ? SEGMENTS : synthetic_mix(i / RUN) % SEGMENTS;
        d->addresses[d->node_of[i]] = next[segment];
        next[segment] += (size + step - 1) / step * step;
        uint64_t chance = synthetic_mix(i);
        if (d->loose && chance % BETWEEN_GAPS == 0)
            next[segment] += (3 + chance / BETWEEN_GAPS % GAP_UNITS) * step;
    }
}

static void begin_node(struct dump *d, uint32_t node, uint16_t type, uint32_t children)
{
    d->offsets[node] = d->blob_at;
    put_compressed(d, type * 2);
    put_compressed(d, children);
}

static void put_object(struct dump *d, uint32_t i)
{
    const struct heap *h = d->h;
    uint32_t node = d->node_of[i], size = h->size[i];
    uint16_t type = type_in_file(d, i);
    bool stored = size != d->default_size[type];
    d->offsets[node] = d->blob_at;
    d->total_size += size;
    put_compressed(d, type * 2 + stored);
    if (stored)
        put_compressed(d, size);
    put_compressed(d, h->begin[i + 1] - h->begin[i]);
    for (uint32_t e = h->begin[i]; e < h->begin[i + 1]; e++)
        put_compressed(d, (int64_t)d->node_of[h->to[e]] - node);
}

static void put_child(struct dump *d, uint32_t node, uint32_t child)
{
    put_compressed(d, (int64_t)child - node);
}

/* The objects of a group, or of one static variable. */
static void put_rooted(struct dump *d, uint32_t node, uint16_t type, uint16_t group,
                       uint32_t variable)
{
    const struct heap *h = d->h;
    uint32_t count = 0, null_roots = group == ROOTS_LOCAL ? 2 : 0;
    for (size_t r = 0; r < h->root_count; r++)
        count += h->roots[r].group == group &&
                 (group != ROOTS_STATIC || h->roots[r].variable == variable);
    begin_node(d, node, type, count + null_roots);
    for (uint32_t k = 0; k < null_roots; k++)
        put_child(d, node, UNDEFINED_NODE);
    for (size_t r = 0; r < h->root_count; r++)
        if (h->roots[r].group == group &&
            (group != ROOTS_STATIC || h->roots[r].variable == variable))
            put_child(d, node, d->node_of[h->roots[r].object]);
}

/* Static variables, and the group above them. */
static void put_statics(struct dump *d)
{
    uint32_t node = GROUP_NODES + ROOTS_STATIC, used = 0;
    uint16_t group = put_type(d, roots[ROOTS_STATIC].name, "", 0);
    for (uint16_t v = 0; v <= SYNTHETIC_STATICS; v++)
        used += d->variable_node[v] != 0;
    begin_node(d, node, group, used);
    for (uint16_t v = 0; v <= SYNTHETIC_STATICS; v++)
        if (d->variable_node[v] != 0)
            put_child(d, node, d->variable_node[v]);
    for (uint16_t v = 0; v <= SYNTHETIC_STATICS; v++) {
        char owner[OWNER_NAME_MAX], name[OWNER_NAME_MAX + 32];
        if (d->variable_node[v] == 0)
            continue;
        variable_owner(owner, v);
        snprintf(name, sizeof(name), "[static var %s.s_items]", owner);
        put_rooted(d, d->variable_node[v], put_type(d, name, "", 0), ROOTS_STATIC, v);
    }
}

static void put_roots(struct dump *d)
{
    begin_node(d, ROOT_NODE, put_type(d, "[.NET Roots]", "", 0), 4);
    put_child(d, ROOT_NODE, GROUP_NODES + ROOTS_STATIC);
    put_child(d, ROOT_NODE, GROUP_NODES + ROOTS_LOCAL);
    put_child(d, ROOT_NODE, OTHER_NODE);
    put_child(d, ROOT_NODE, COM_NODE);
    begin_node(d, COM_NODE, put_type(d, "[COM/WinRT Objects]", "", 0), 0);
    begin_node(d, OTHER_NODE, put_type(d, "[other roots]", "", 0), ROOT_GROUPS - 2);
    for (uint16_t g = 0; g < ROOT_GROUPS; g++)
        if (g != ROOTS_STATIC && g != ROOTS_LOCAL)
            put_child(d, OTHER_NODE, GROUP_NODES + g);
    for (uint16_t g = 0; g < ROOT_GROUPS; g++)
        if (g != ROOTS_STATIC)
            put_rooted(d, GROUP_NODES + g, put_type(d, roots[g].name, "", 0), g, 0);
    put_statics(d);
}

/* An object of the container begins with its type, which is also an object. */
static void put_header(FILE *f, const char *type, uint32_t version, uint32_t min_reader)
{
    put(f, 0x010404, 3);
    put(f, version, 4);
    put(f, min_reader, 4);
    put_string(f, type);
    put(f, 6, 1);
}

/* The description, with only the tool known, and the trailer. */
static void put_end(FILE *f)
{
    enum { NO_OBJECT = 1, TAG_END = 6, TAG_STRING = 13, FLOAT_ONE = 0x3f800000 };
    put(f, 1, 1); /* 64 bits */
    put(f, FLOAT_ONE, 4);
    put(f, FLOAT_ONE, 4);
    put(f, NO_OBJECT, 1); /* JavaScript */
    put(f, NO_OBJECT, 1); /* generations */
    put_string(f, NULL);  /* log */
    put(f, 0, 8);         /* time */
    put_string(f, NULL);  /* machine */
    put_string(f, NULL);  /* process */
    put(f, 0, 4 + 8);     /* its number; commit */
    put(f, 0, 8 + 4);     /* working set; multipliers of types */
    put(f, TAG_STRING, 1);
    put_string(f, "make-heap");
    put(f, TAG_END, 1); /* of the dump */
    put(f, TAG_END, 1); /* of all objects */
    uint64_t forwards = (uint64_t)ftello(f);
    put(f, 0, 4);
    put(f, forwards, 4);
    put(f, forwards + 4, 4);
}

static void write_parts(struct dump *d, FILE *f)
{
    put_string(f, "!FastSerialization.1");
    put_header(f, "GCHeapDump", 10, 8);
    put_header(f, "Graphs.MemoryGraph", 1, 0);
    put(f, d->total_size, 8);
    put(f, ROOT_NODE, 4);
    put(f, d->type_count, 4);
    fwrite(d->types_data, 1, d->types_size, f);
    put(f, d->node_count, 4);
    for (uint32_t n = 0; n < d->node_count; n++)
        put(f, d->offsets[n], 4);
    put(f, d->blob_size, 4);
    fwrite(d->blob_data, 1, d->blob_size, f);
    put(f, d->node_count, 4);
    for (uint32_t n = 0; n < d->node_count; n++)
        put(f, d->addresses[n], 8);
    put(f, 0x060108, 3); /* 64 bits; the graph ends */
    put_end(f);
}

static FILE *open_memory(char **data, size_t *size)
{
    FILE *f = open_memstream(data, size);
    if (f != NULL)
        return f;
    perror("make-heap");
    exit(2);
}

static void write_gcdump(const struct heap *h, bool loose, FILE *f)
{
    struct dump *d = alloc_zeroed(sizeof(*d));
    d->h = h;
    d->loose = loose;
    d->types = open_memory(&d->types_data, &d->types_size);
    d->blob = open_memory(&d->blob_data, &d->blob_size);
    number_nodes(d);
    d->offsets = alloc_zeroed(array_bytes(d->node_count, sizeof(*d->offsets)));
    d->addresses = alloc_zeroed(array_bytes(d->node_count, sizeof(*d->addresses)));
    place_objects(d);
    put_type(d, "UNDEFINED", "", 0);
    put_compressed(d, 0); /* the record of all undefined nodes */
    put_compressed(d, 0);
    for (uint32_t i = 0; i < h->count; i++)
        put_object(d, i);
    put_roots(d);
    if (fclose(d->types) != 0 || fclose(d->blob) != 0) {
        perror("make-heap");
        exit(2);
    }
    write_parts(d, f);
    free(d->types_data);
    free(d->blob_data);
    free(d->node_of);
    free(d->offsets);
    free(d->addresses);
    free(d);
}

/* --- the command --------------------------------------------------------------------- */

static uint64_t number(const char *s, uint64_t most)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(s, &end, 10);
    if (*s < '0' || *s > '9' || *end != '\0' || errno != 0 || n > most) {
        fprintf(stderr, "make-heap: not a number up to %" PRIu64 ": %s\n", most, s);
        exit(2);
    }
    return n;
}

static const char *value_of(const char *argument, const char *option)
{
    size_t len = strlen(option);
    return strncmp(argument, option, len) == 0 ? argument + len : NULL;
}

int main(int argc, char **argv)
{
    /* Twice this number is still below 2^31 bytes of node records. */
    enum { MAX_OBJECTS = 125000000 };
    const uint64_t MAX_STREAMED = 10000000000;
    uint64_t seed = 1, step = 0, leak = 0;
    const char *format = "gcdump", *value;
    bool ok = argc >= 3, stream = false, loose = false;
    for (int i = 3; i < argc; i++) {
        if ((value = value_of(argv[i], "--seed=")) != NULL)
            seed = number(value, UINT64_MAX);
        else if ((value = value_of(argv[i], "--step=")) != NULL)
            step = number(value, MAX_OBJECTS);
        else if ((value = value_of(argv[i], "--leak=")) != NULL)
            leak = number(value, MAX_OBJECTS);
        else if ((value = value_of(argv[i], "--format=")) != NULL)
            format = value;
        else if (strcmp(argv[i], "--stream") == 0)
            stream = true;
        else if (strcmp(argv[i], "--loose") == 0)
            loose = true;
        else
            ok = false;
    }
    bool text = strcmp(format, "heap-text") == 0;
    bool trace = strcmp(format, "nettrace") == 0;
    ok = ok && (!stream || text) && (!loose || (!text && !trace));
    if (!ok || (!text && !trace && strcmp(format, "gcdump") != 0) ||
        step * leak > MAX_OBJECTS) {
        fputs("usage: make-heap OBJECTS OUT [--seed=N] "
              "[--format=gcdump|heap-text|nettrace]\n"
              "                 [--step=K --leak=PER_STEP] [--stream] [--loose]\n",
              stderr);
        return 2;
    }
    uint64_t objects = number(argv[1], stream ? MAX_STREAMED : MAX_OBJECTS);
    FILE *f = fopen(argv[2], "wb");
    if (f == NULL) {
        perror(argv[2]);
        return 2;
    }
    if (stream) {
        synthetic_stream(f, seed, objects, step * leak);
    } else {
        struct heap *h = synthetic_make(seed, (uint32_t)objects, (uint32_t)(step * leak));
        if (text || trace)
            (text ? write_heap_text : synthetic_write_trace)(h, f);
        else
            write_gcdump(h, loose, f);
        synthetic_free(h);
    }
    bool lost = ferror(f) != 0;
    if (fclose(f) != 0 || lost) {
        perror(argv[2]);
        return 2;
    }
    return 0;
}
