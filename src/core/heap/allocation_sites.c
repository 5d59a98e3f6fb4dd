#include "heap/allocation_sites.h"

#include "base/arrays.h"
#include "base/hash.h"
#include "heap/survivor_map.h"

#include <stdlib.h>
#include <string.h>

/* --- making ---------------------------------------------------------------------- */

/* A frame or a stack, by its bytes. */
struct site_slot {
    const void *key;
    uint32_t number;
    UT_hash_handle hh;
};

void site_builder_begin(struct site_builder *b, struct arena *a)
{
    *b = (struct site_builder){.arena = a};
}

static void add_slot(struct site_slot **slots, const void *key, size_t len, size_t number,
                     struct arena *a)
{
    struct site_slot *slot = arena_alloc(a, sizeof(*slot));
    *slot = (struct site_slot){.key = key, .number = (uint32_t)number};
    HASH_ADD_KEYPTR(hh, *slots, slot->key, (unsigned)len, slot);
}

static uint32_t find_slot(struct site_slot *slots, const void *key, size_t len)
{
    struct site_slot *slot = NULL;
    HASH_FIND(hh, slots, key, (unsigned)len, slot);
    return slot != NULL ? slot->number : NO_SITE;
}

/* Returns the length of a name, cut to MAX_SITE_NAME at the end of a character. */
static size_t name_length(const char *name)
{
    size_t len = strlen(name);
    if (len <= MAX_SITE_NAME)
        return len;
    for (len = MAX_SITE_NAME; len > 0 && ((unsigned char)name[len] & 0xC0) == 0x80;)
        len--;
    return len;
}

/* A key that two frames have only if they are equal. */
static void put_key(struct text *to, const struct site_frame *frame)
{
    const char *file = frame->file != NULL ? frame->file : "";
    text_add(to, &frame->line, sizeof(frame->line));
    text_add_char(to, frame->is_own ? 'o' : '-');
    text_add(to, frame->method, name_length(frame->method));
    text_add_char(to, '\0');
    text_add(to, file, name_length(file));
}

/* Returns the most bytes of a frame as text; names may share a prefix. */
static size_t text_length(const struct site_frame *frame)
{
    enum { NUMBERS = 20 };
    const char *file = frame->file != NULL ? frame->file : "";
    return NUMBERS + text_word_length(frame->method, name_length(frame->method)) +
           text_word_length(file, name_length(file));
}

uint32_t site_builder_frame(struct site_builder *b, const struct site_frame *frame)
{
    struct text key = {0};
    put_key(&key, frame);
    uint32_t number = find_slot(b->frame_slots, key.data, key.len);
    size_t bytes = number == NO_SITE ? text_length(frame) : 0;
    if (number == NO_SITE && b->frame_count < MAX_SITE_FRAMES &&
        bytes <= MAX_SITES_TEXT / 2 - b->text_bytes) {
        number = (uint32_t)b->frame_count;
        b->text_bytes += bytes;
        add_slot(&b->frame_slots, arena_strdup(b->arena, key.data, key.len), key.len,
                 number, b->arena);
        struct site_frame *to = APPEND(b->frames, b->frame_count, b->frame_cap);
        *to = *frame;
        to->method = arena_strdup(b->arena, frame->method, name_length(frame->method));
        if (frame->file != NULL)
            to->file = arena_strdup(b->arena, frame->file, name_length(frame->file));
    }
    text_free(&key);
    return number;
}

uint32_t site_builder_stack(struct site_builder *b, const uint32_t *frames, size_t count)
{
    count = count < MAX_STACK_FRAMES ? count : MAX_STACK_FRAMES;
    for (size_t i = 0; i < count; i++)
        if (frames[i] >= b->frame_count)
            return NO_SITE;
    size_t size = count * sizeof(*frames);
    uint32_t number = count > 0 ? find_slot(b->stack_slots, frames, size) : NO_SITE;
    if (number != NO_SITE || count == 0 || b->stack_count == MAX_SITE_STACKS)
        return number;
    uint32_t *all = arena_array(b->arena, uint32_t, count);
    memcpy(all, frames, size);
    number = (uint32_t)b->stack_count;
    add_slot(&b->stack_slots, all, size, number, b->arena);
    *APPEND(b->stacks, b->stack_count, b->stack_cap) =
        (struct site_stack){all, (uint32_t)count};
    return number;
}

uint32_t site_builder_copy_stack(struct site_builder *b,
                                 const struct allocation_sites *from, uint32_t stack)
{
    uint32_t frames[MAX_STACK_FRAMES];
    const struct site_stack *s = &from->stacks[stack];
    for (uint32_t i = 0; i < s->frame_count; i++)
        frames[i] = site_builder_frame(b, &from->frames[s->frames[i]]);
    return site_builder_stack(b, frames, s->frame_count);
}

void site_builder_object(struct site_builder *b, struct site_object object)
{
    if (object.stack == NO_SITE)
        b->left_out++;
    else
        *APPEND(b->objects, b->object_count, b->object_cap) = object;
}

bool site_builder_fits(const struct site_builder *b)
{
    return b->left_out == 0 && b->object_count <= MAX_SITE_OBJECTS;
}

/* Objects that were drawn before often have the same number again. */
bool site_object_is_drawn(const struct allocation_sites *from,
                          const struct site_object *object, uint64_t share)
{
    uint64_t draw = mix(from->token ^ mix(from->per_sample));
    return share <= 1 ||
           mix(draw ^ ((uint64_t)object->object << 32 | object->born)) % share == 0;
}

static int by_object(const void *a, const void *b)
{
    const struct site_object *x = a, *y = b;
    if (x->object != y->object)
        return x->object > y->object ? 1 : -1;
    if (x->stack != y->stack)
        return x->stack > y->stack ? 1 : -1;
    return (x->born > y->born) - (x->born < y->born);
}

/* Drops all objects with the same number except the last added; they are still in the order
 * of addition. */
static void drop_same(struct site_builder *b)
{
    struct site_object *all = b->objects;
    uint64_t *keys = alloc_zeroed(array_bytes(b->object_count + 1, 2 * sizeof(*keys)));
    uint32_t *from = alloc_zeroed(array_bytes(b->object_count + 1, 2 * sizeof(*from)));
    struct site_object *kept = alloc_zeroed(array_bytes(b->object_count + 1, sizeof(*all)));
    size_t len = 0, count = b->object_count;
    for (size_t i = 0; i < count; i++) {
        keys[i] = all[i].object;
        from[i] = (uint32_t)i;
    }
    radix_sort(keys, from, count, keys + count + 1, from + count + 1);
    for (size_t i = 0; i < count; i++)
        if (i + 1 == count || keys[i + 1] != keys[i])
            kept[len++] = all[from[i]];
    if (len > 0)
        memcpy(all, kept, len * sizeof(*all));
    b->object_count = len;
    free(kept);
    free(from);
    free(keys);
}

/* Drops all except every n-th: the same share of all addresses and moments. For objects of
 * unknown weight; others are drawn, since those carried on would be thinned out again. */
static void thin(struct site_builder *b)
{
    size_t kept = 0, count = b->object_count;
    for (size_t i = 0; count > MAX_SITE_OBJECTS && i < count; i++)
        if ((i + 1) * MAX_SITE_OBJECTS / count > i * MAX_SITE_OBJECTS / count)
            b->objects[kept++] = b->objects[i];
    b->object_count = count > MAX_SITE_OBJECTS ? kept : count;
}

static void *keep_array(struct arena *a, void *all, size_t count, size_t size)
{
    void *kept = arena_alloc(a, array_bytes(count + 1, size));
    if (count > 0)
        memcpy(kept, all, count * size);
    free(all);
    return kept;
}

struct allocation_sites *site_builder_end(struct site_builder *b,
                                          const struct allocation_sites *of, bool several)
{
    struct allocation_sites *sites = arena_alloc(b->arena, sizeof(*sites));
    if (several && b->object_count > 0)
        qsort(b->objects, b->object_count, sizeof(*b->objects), by_object);
    else if (b->object_count > 0)
        drop_same(b);
    thin(b);
    *sites = (struct allocation_sites){.token = of->token,
                                       .collection = of->collection,
                                       .sampled = of->sampled,
                                       .unnamed = of->unnamed + b->left_out,
                                       .per_sample = of->per_sample};
    sites->frame_count = (uint32_t)b->frame_count;
    sites->stack_count = (uint32_t)b->stack_count;
    sites->object_count = (uint32_t)b->object_count;
    sites->frames = keep_array(b->arena, b->frames, b->frame_count, sizeof(*b->frames));
    sites->stacks = keep_array(b->arena, b->stacks, b->stack_count, sizeof(*b->stacks));
    sites->objects = keep_array(b->arena, b->objects, b->object_count, sizeof(*b->objects));
    HASH_CLEAR(hh, b->frame_slots);
    HASH_CLEAR(hh, b->stack_slots);
    *b = (struct site_builder){.arena = b->arena};
    return sites;
}

/* --- from one snapshot to the next ------------------------------------------------- */

static bool is_before(const void *all, size_t i, const void *wanted)
{
    return ((const struct site_object *)all)[i].object < *(const uint32_t *)wanted;
}

/* Copies the objects of the older snapshot in a run. stack_of: for each stack of older its
 * number in b plus 1; 0 if not copied yet. */
static void carry_run(struct site_builder *b, const struct allocation_sites *older,
                      const struct survivor_run *run, uint32_t *stack_of, uint64_t share)
{
    size_t i = search_first(older->objects, 0, older->object_count, is_before, &run->older);
    for (; i < older->object_count && older->objects[i].object - run->older < run->count;
         i++) {
        struct site_object object = older->objects[i];
        if (!site_object_is_drawn(older, &object, share))
            continue;
        if (stack_of[object.stack] == 0)
            stack_of[object.stack] = site_builder_copy_stack(b, older, object.stack) + 1;
        object.object = run->newer + (object.object - run->older);
        object.stack = stack_of[object.stack] - 1;
        site_builder_object(b, object);
    }
}

static void carry_all(struct site_builder *b, const struct allocation_sites *older,
                      const struct survivor_map *map, uint64_t share)
{
    uint32_t *stack_of =
        alloc_zeroed(array_bytes((size_t)older->stack_count + 1, sizeof(*stack_of)));
    struct survivor_map_reader r = {.map = map};
    struct survivor_run run;
    bool damaged = false;
    while (survivor_map_next(&r, &run, &damaged))
        carry_run(b, older, &run, stack_of, share);
    free(stack_of);
}

/* Thins out samples of lower weight, so that every sample of the result represents `each`
 * bytes. */
static struct allocation_sites *carry_share(const struct allocation_sites *older,
                                            const struct survivor_map *map,
                                            const struct allocation_sites *newer,
                                            uint64_t each, bool *fits, struct arena *a)
{
    struct site_builder b;
    uint64_t of_newer = newer->per_sample > 0 ? each / newer->per_sample : 1;
    site_builder_begin(&b, a);
    if (older != NULL)
        carry_all(&b, older, map, older->per_sample > 0 ? each / older->per_sample : 1);
    for (uint32_t i = 0; i < newer->object_count; i++) {
        struct site_object object = newer->objects[i];
        if (!site_object_is_drawn(newer, &object, of_newer))
            continue;
        object.stack = site_builder_copy_stack(&b, newer, object.stack);
        site_builder_object(&b, object);
    }
    struct allocation_sites of = *newer;
    of.per_sample = newer->per_sample > 0 ? each : 0;
    *fits = site_builder_fits(&b);
    return site_builder_end(&b, &of, false);
}

/* If there are more stacks than fit, those of later samples would be dropped, and with them
 * a leak that begins late. If there are more objects, older ones would be dropped more
 * often than newer ones, so that constant growth would seem to accelerate. */
struct allocation_sites *allocation_sites_carry(const struct allocation_sites *older,
                                                const struct survivor_map *map,
                                                const struct allocation_sites *newer,
                                                struct arena *a)
{
    enum { TRIES = 8 };
    if (older != NULL && (map == NULL || map->older.token != older->token ||
                          map->newer.token != newer->token))
        older = NULL;
    uint64_t each = newer->per_sample;
    if (older != NULL && each > 0 && older->per_sample > each)
        each = older->per_sample;
    bool fits;
    struct allocation_sites *sites = carry_share(older, map, newer, each, &fits, a);
    for (int i = 0; i < TRIES && !fits && each > 0; i++) {
        each *= 2;
        sites = carry_share(older, map, newer, each, &fits, a);
    }
    return sites;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

uint32_t allocation_sites_methods(const struct allocation_sites *sites)
{
    uint32_t count = 0, distinct = 0;
    const char **all =
        alloc_zeroed(array_bytes((size_t)sites->frame_count + 1, sizeof(*all)));
    for (; count < sites->frame_count; count++)
        all[count] = sites->frames[count].method;
    if (count > 0)
        qsort(all, count, sizeof(*all), by_text);
    for (uint32_t i = 0; i < count; i++)
        distinct += i == 0 || strcmp(all[i - 1], all[i]) != 0;
    free(all);
    return distinct;
}
