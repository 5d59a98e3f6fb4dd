#include "support/made_heap.h"

#include <stdlib.h>
#include <string.h>

/* Sizes of .NET objects on 64-bit machines, in bytes. */
enum {
    WORD = 8,
    ARRAY_HEAD = 24,
    LIST_SIZE = 32,
    DICTIONARY_SIZE = 80,
    BUCKET_SIZE = 4,
    ENTRY_SIZE = 24,
    FIRST_CAPACITY = 4
};

/* splitmix64, by Sebastiano Vigna (public domain). */
static uint64_t mix(uint64_t n)
{
    n += 0x9E3779B97F4A7C15U;
    n = (n ^ n >> 30) * 0xBF58476D1CE4E5B9U;
    n = (n ^ n >> 27) * 0x94D049BB133111EBU;
    return n ^ n >> 31;
}

uint64_t made_chance(uint64_t seed, unsigned stream, uint64_t i)
{
    return mix(mix(seed ^ (uint64_t)stream << 56) + i);
}

/* --- items ---------------------------------------------------------------------- */

uint64_t item_part_bytes(const struct item *item, uint64_t seed, uint64_t i, size_t part)
{
    const struct part *p = &item->parts[part];
    uint64_t more = made_chance(seed, item->stream, i * ITEM_PARTS + part);
    return p->size + WORD * (more % (p->spread / WORD + 1));
}

uint64_t item_retained(const struct item *item, uint64_t seed, uint64_t i, size_t part)
{
    bool below[ITEM_PARTS] = {false};
    uint64_t sum = 0;
    for (size_t p = part; p < item->part_count; p++) {
        int parent = item->parts[p].parent;
        below[p] = p == part || (parent != BY_HOLDER && below[parent]);
        sum += below[p] ? item_part_bytes(item, seed, i, p) : 0;
    }
    return sum;
}

/* --- heaps ------------------------------------------------------------------------ */

void made_heap_begin(struct made_heap *h, uint64_t seed)
{
    *h = (struct made_heap){.seed = seed, .builder = builder_begin(NULL, "made")};
    h->builder.want_graph = true;
    h->builder.snap->info.format = "made";
    h->builder.snap->info.has_graph = true;
}

/* Replaces assertions in programs without Criterion. */
static void expect(bool ok)
{
    if (!ok)
        abort();
}

static uint32_t type_id_of(struct made_heap *h, const char *type)
{
    for (size_t i = 0; i < h->type_count; i++)
        if (strcmp(h->types[i], type) == 0)
            return h->type_ids[i];
    expect(h->type_count < MADE_TYPES);
    h->types[h->type_count] = type;
    h->type_ids[h->type_count] = builder_type(&h->builder, TYPE_OBJECT, type, strlen(type));
    return h->type_ids[h->type_count++];
}

static void add_object(struct made_heap *h, uint32_t type, uint64_t size)
{
    expect(builder_object(&h->builder, type, size, HD_GEN_UNKNOWN));
    builder_node(&h->builder, type, size);
    h->next++;
}

node_id made_object(struct made_heap *h, const char *type, uint64_t size)
{
    add_object(h, type_id_of(h, type), size);
    return h->next - 1;
}

void made_reference(struct made_heap *h, node_id to)
{
    builder_edge(&h->builder, to);
}

void made_static(struct made_heap *h, const char *variable, node_id object)
{
    expect(h->static_count < MADE_STATICS);
    root_set_add(&h->roots, HD_ROOT_STATIC, variable, strlen(variable), object);
    h->statics[h->static_count++] = object;
}

struct hd_snapshot *made_heap_finish(struct made_heap *h)
{
    node_id statics =
        made_object(h, "System.Object[]", ARRAY_HEAD + WORD * h->static_count);
    for (size_t i = 0; i < h->static_count; i++)
        made_reference(h, h->statics[i]);
    root_set_add(&h->roots, HD_ROOT_PINNED_HANDLE, NULL, 0, statics);
    root_set_emit(&h->roots, &h->builder);
    root_set_free(&h->roots);
    struct hd_snapshot *snap = builder_finish(&h->builder, NULL);
    expect(snap != NULL);
    return snap;
}

/* --- many items -------------------------------------------------------------------- */

/* References of the first part to other items; n is the item's number. */
static void link_item(struct made_heap *h, const struct items *all, node_id first,
                      uint32_t n)
{
    uint32_t parts = (uint32_t)all->item->part_count, last = all->count - 1;
    bool ring = all->link == ITEMS_IN_RING;
    if (all->link != ITEMS_APART && (n < last || ring))
        made_reference(h, first + (n < last ? n + 1 : 0) * parts);
    if (all->link != ITEMS_APART && (n > 0 || ring))
        made_reference(h, first + (n > 0 ? n - 1 : last) * parts);
    if (all->sharers > 0)
        made_reference(h, all->shared + n / all->sharers);
}

void made_items(struct made_heap *h, const struct items *all)
{
    const struct item *item = all->item;
    node_id first = h->next;
    uint32_t types[ITEM_PARTS];
    for (size_t p = 0; p < item->part_count; p++)
        types[p] = type_id_of(h, item->parts[p].type);
    for (uint32_t n = 0; n < all->count; n++) {
        node_id start = h->next;
        for (size_t p = 0; p < item->part_count; p++) {
            add_object(h, types[p], item_part_bytes(item, h->seed, all->start + n, p));
            for (size_t q = p + 1; q < item->part_count; q++)
                if (item->parts[q].parent == (int)p)
                    made_reference(h, start + (node_id)q);
            if (item->parts[p].back)
                made_reference(h, start);
            if (p == 0)
                link_item(h, all, first, n);
        }
    }
}

void made_hold(struct made_heap *h, const struct item *item, node_id first, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        for (size_t p = 0; p < item->part_count; p++)
            if (item->parts[p].parent == BY_HOLDER)
                made_reference(h, first + n * (uint32_t)item->part_count + (uint32_t)p);
}

uint32_t made_capacity(uint32_t count)
{
    uint32_t capacity = FIRST_CAPACITY;
    while (capacity < count)
        capacity *= 2;
    return capacity;
}

node_id made_list(struct made_heap *h, const char *list, const char *array,
                  const struct items *all)
{
    node_id made = made_object(h, list, LIST_SIZE);
    made_reference(h, h->next);
    made_object(h, array, ARRAY_HEAD + WORD * made_capacity(all->count));
    made_hold(h, all->item, h->next, all->count);
    return made;
}

node_id made_dictionary(struct made_heap *h, const char *dictionary, const char *entries,
                        const struct items *all)
{
    uint32_t capacity = made_capacity(all->count);
    node_id made = made_object(h, dictionary, DICTIONARY_SIZE);
    made_reference(h, h->next);
    made_reference(h, h->next + 1);
    made_object(h, "System.Int32[]", ARRAY_HEAD + BUCKET_SIZE * capacity);
    made_object(h, entries, ARRAY_HEAD + ENTRY_SIZE * capacity);
    made_hold(h, all->item, h->next, all->count);
    return made;
}
