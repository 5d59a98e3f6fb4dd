#include "heap/allocation_sites.h"

#include "base/arrays.h"
#include "base/hash.h"
#include "base/say.h"
#include "heap/survivor_map.h"

#include <inttypes.h>
#include <stdio.h>
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

uint32_t site_builder_frame(struct site_builder *b, const struct site_frame *frame)
{
    struct text key = {0};
    put_key(&key, frame);
    uint32_t number = find_slot(b->frame_slots, key.data, key.len);
    if (number == NO_SITE && b->frame_count < MAX_SITE_FRAMES &&
        key.len <= MAX_SITES_TEXT / 2 - b->name_bytes) {
        number = (uint32_t)b->frame_count;
        b->name_bytes += key.len;
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

/* --- writing --------------------------------------------------------------------- */

/* Frames and stacks in the order of the text: by name, and from the outermost frame on.
 * Adjacent ones then share most of their beginning, so the text has only its length. */
struct sites_writer {
    const struct allocation_sites *sites;
    struct frame_at {
        const struct site_frame *frame;
        uint32_t from;
    } * frames;
    struct stack_at {
        uint32_t *outer; /* numbers of the text, the outermost first */
        uint32_t count, from;
    } * stacks;
    uint32_t *frame_of, *stack_of; /* numbers of the text */
    uint32_t frame_count, stack_count;
    struct arena scratch;
};

static int text_order(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

static int by_frame(const void *a, const void *b)
{
    const struct frame_at *x = a, *y = b;
    int order = text_order(x->frame->method, y->frame->method);
    if (order == 0)
        order = text_order(x->frame->file, y->frame->file);
    if (order == 0)
        order = (x->frame->line > y->frame->line) - (x->frame->line < y->frame->line);
    return order != 0 ? order : (x->from > y->from) - (x->from < y->from);
}

static int by_outer(const void *a, const void *b)
{
    const struct stack_at *x = a, *y = b;
    for (uint32_t i = 0; i < x->count && i < y->count; i++)
        if (x->outer[i] != y->outer[i])
            return x->outer[i] > y->outer[i] ? 1 : -1;
    if (x->count != y->count)
        return x->count > y->count ? 1 : -1;
    return (x->from > y->from) - (x->from < y->from);
}

static void order_frames(struct sites_writer *w)
{
    const struct allocation_sites *s = w->sites;
    bool *used = arena_array(&w->scratch, bool, s->frame_count + 1);
    for (uint32_t i = 0; i < w->stack_count; i++) {
        const struct site_stack *stack = &s->stacks[w->stacks[i].from];
        for (uint32_t f = 0; f < stack->frame_count; f++)
            used[stack->frames[f]] = true;
    }
    w->frames = arena_array(&w->scratch, struct frame_at, s->frame_count + 1);
    for (uint32_t f = 0; f < s->frame_count; f++)
        if (used[f])
            w->frames[w->frame_count++] = (struct frame_at){&s->frames[f], f};
    if (w->frame_count > 0)
        qsort(w->frames, w->frame_count, sizeof(*w->frames), by_frame);
    w->frame_of = arena_array(&w->scratch, uint32_t, s->frame_count + 1);
    for (uint32_t i = 0; i < w->frame_count; i++)
        w->frame_of[w->frames[i].from] = i;
}

static void order_stacks(struct sites_writer *w)
{
    const struct allocation_sites *s = w->sites;
    for (uint32_t i = 0; i < w->stack_count; i++) {
        struct stack_at *to = &w->stacks[i];
        const struct site_stack *stack = &s->stacks[to->from];
        to->count = stack->frame_count;
        to->outer = arena_array(&w->scratch, uint32_t, to->count);
        for (uint32_t f = 0; f < to->count; f++)
            to->outer[f] = w->frame_of[stack->frames[to->count - 1 - f]];
    }
    if (w->stack_count > 0)
        qsort(w->stacks, w->stack_count, sizeof(*w->stacks), by_outer);
    for (uint32_t i = 0; i < w->stack_count; i++)
        w->stack_of[w->stacks[i].from] = i;
}

static void choose(struct sites_writer *w)
{
    const struct allocation_sites *s = w->sites;
    bool *used = arena_array(&w->scratch, bool, s->stack_count + 1);
    for (uint32_t i = 0; i < s->object_count; i++)
        used[s->objects[i].stack] = true;
    w->stacks = arena_array(&w->scratch, struct stack_at, s->stack_count + 1);
    w->stack_of = arena_array(&w->scratch, uint32_t, s->stack_count + 1);
    for (uint32_t i = 0; i < s->stack_count; i++)
        if (used[i])
            w->stacks[w->stack_count++].from = i;
    order_frames(w);
    order_stacks(w);
}

/* "12-Add", "0=Shop.Checkout.Add @42:Checkout.cs": length of the prefix shared with the
 * line before, '=' for own code, the rest of the name. */
static void put_frames(const struct sites_writer *w, struct text *to)
{
    const char *before = "";
    for (uint32_t i = 0; i < w->frame_count; i++) {
        const struct site_frame *f = w->frames[i].frame;
        size_t same = 0;
        while (f->method[same] != '\0' && f->method[same] == before[same])
            same++;
        say(to, " ", as_digits(same), f->is_own ? "=" : "-");
        text_add_word(to, f->method + same);
        before = f->method;
        if (f->file == NULL)
            continue;
        say(to, " @", as_digits(f->line), ":");
        text_add_word(to, f->file);
    }
}

/* "3:17,4": number of outer frames shared with the stack before, and the rest. */
static void put_stacks(const struct sites_writer *w, struct text *to)
{
    struct stack_at before = {0};
    for (uint32_t i = 0; i < w->stack_count; i++) {
        const struct stack_at *s = &w->stacks[i];
        uint32_t same = 0;
        while (same < s->count && same < before.count &&
               s->outer[same] == before.outer[same])
            same++;
        say(to, " ", as_digits(same), ":");
        for (uint32_t f = same; f < s->count; f++)
            say(to, f > same ? "," : "", as_digits(s->outer[f]));
        before = *s;
    }
}

void allocation_sites_put(const struct allocation_sites *sites, struct text *to)
{
    struct sites_writer w = {.sites = sites};
    char token[24];
    uint32_t before = 0;
    size_t begin = to->len;
    choose(&w);
    snprintf(token, sizeof(token), "%016" PRIx64, sites->token);
    say(to, token, " ", as_digits(sites->collection), " ", as_digits(sites->sampled), " ",
        as_digits(sites->unnamed), " ", as_digits(sites->per_sample));
    say(to, " ", as_digits(w.frame_count), " ", as_digits(w.stack_count), " ",
        as_digits(sites->object_count));
    put_frames(&w, to);
    put_stacks(&w, to);
    for (uint32_t i = 0; i < sites->object_count; i++) {
        const struct site_object *o = &sites->objects[i];
        say(to, " ", as_digits(o->object - before), ".", as_digits(w.stack_of[o->stack]),
            ".", as_digits(o->born));
        before = o->object;
    }
    arena_free(&w.scratch);
    if (to->len - begin > MAX_SITES_TEXT)
        to->len = begin; /* names of escapes only: readers would reject it */
}

/* --- reading --------------------------------------------------------------------- */

struct sites_reader {
    const char *at, *end;
    struct arena *arena;
    size_t names; /* bytes of all, unpacked */
    bool failed;
};

/* Reads a number of at most `most`. Zero, and failed, if there is none. */
static uint64_t take_number(struct sites_reader *r, uint64_t most)
{
    uint64_t n = 0;
    const char *begin = r->at;
    for (; !r->failed && r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        uint64_t digit = (uint64_t)(*r->at - '0');
        if (n > (most - digit) / 10 || digit > most)
            r->failed = true;
        n = n * 10 + digit;
    }
    r->failed |= r->at == begin;
    return r->failed ? 0 : n;
}

static void take_mark(struct sites_reader *r, char mark)
{
    r->failed = r->failed || r->at == r->end || *r->at != mark;
    r->at += !r->failed;
}

static uint64_t take_counted(struct sites_reader *r, uint64_t most)
{
    take_mark(r, ' ');
    return take_number(r, most);
}

static uint64_t take_token(struct sites_reader *r)
{
    uint64_t token = 0;
    static const char hex[] = "0123456789abcdef";
    for (int i = 0; i < 16 && !r->failed; i++) {
        const char *digit = r->at < r->end && *r->at != '\0' ? strchr(hex, *r->at) : NULL;
        r->failed = digit == NULL;
        r->at += !r->failed;
        token = token << 4 | (r->failed ? 0 : (uint64_t)(digit - hex));
    }
    return token;
}

/* Reads the rest of a word after its first `same` bytes, which are those of before. */
static const char *take_name(struct sites_reader *r, const char *before, uint64_t same)
{
    char name[MAX_SITE_NAME + 1];
    if (r->failed || same > strlen(before))
        r->failed = true;
    size_t len = r->failed ? 0 : (size_t)same;
    memcpy(name, before, len);
    while (!r->failed && r->at < r->end && *r->at != ' ') {
        r->failed |= len == MAX_SITE_NAME || *r->at == '\0';
        if (!r->failed)
            name[len++] = text_take_char(&r->at, r->end);
    }
    r->names += len;
    r->failed |= r->names > MAX_SITES_TEXT;
    return r->failed ? "" : arena_strdup(r->arena, name, len);
}

static void read_frames(struct sites_reader *r, struct allocation_sites *s)
{
    struct site_frame *all = arena_array(r->arena, struct site_frame, s->frame_count + 1);
    const char *before = "";
    for (uint32_t i = 0; i < s->frame_count && !r->failed; i++) {
        uint64_t same = take_counted(r, MAX_SITE_NAME);
        all[i].is_own = r->at < r->end && *r->at == '=';
        take_mark(r, all[i].is_own ? '=' : '-');
        all[i].method = before = take_name(r, before, same);
        if (r->end - r->at < 2 || r->at[1] != '@')
            continue;
        r->at += 2;
        all[i].line = (uint32_t)take_number(r, UINT32_MAX);
        take_mark(r, ':');
        all[i].file = take_name(r, "", 0);
    }
    s->frames = all;
}

static void read_stacks(struct sites_reader *r, struct allocation_sites *s)
{
    struct site_stack *all = arena_array(r->arena, struct site_stack, s->stack_count + 1);
    uint32_t outer[MAX_STACK_FRAMES], count = 0;
    for (uint32_t i = 0; i < s->stack_count && !r->failed; i++) {
        uint32_t same = (uint32_t)take_counted(r, count);
        take_mark(r, ':');
        count = same;
        while (!r->failed && r->at < r->end && *r->at != ' ') {
            if (count > same)
                take_mark(r, ',');
            uint64_t frame = take_number(r, UINT32_MAX);
            r->failed |= frame >= s->frame_count || count == MAX_STACK_FRAMES;
            if (!r->failed)
                outer[count++] = (uint32_t)frame;
        }
        r->failed |= count == 0;
        uint32_t *frames = arena_array(r->arena, uint32_t, count);
        for (uint32_t f = 0; f < count; f++)
            frames[f] = outer[count - 1 - f];
        all[i] = (struct site_stack){frames, count};
    }
    s->stacks = all;
}

static void read_objects(struct sites_reader *r, struct allocation_sites *s)
{
    struct site_object *all =
        arena_array(r->arena, struct site_object, s->object_count + 1);
    uint32_t before = 0;
    for (uint32_t i = 0; i < s->object_count && !r->failed; i++) {
        all[i].object = before += (uint32_t)take_counted(r, UINT32_MAX - 1 - before);
        take_mark(r, '.');
        all[i].stack = (uint32_t)take_number(r, UINT32_MAX);
        take_mark(r, '.');
        all[i].born = (uint32_t)take_number(r, UINT32_MAX);
        r->failed |= all[i].stack >= s->stack_count;
    }
    s->objects = all;
}

struct allocation_sites *allocation_sites_parse(const char *text, size_t len,
                                                struct arena *a)
{
    struct sites_reader r = {.at = text, .end = text + len, .arena = a};
    struct allocation_sites s = {0};
    if (len > MAX_SITES_TEXT)
        return NULL;
    s.token = take_token(&r);
    s.collection = (uint32_t)take_counted(&r, UINT32_MAX);
    s.sampled = take_counted(&r, UINT64_MAX - 1);
    s.unnamed = take_counted(&r, UINT64_MAX - 1);
    s.per_sample = take_counted(&r, UINT64_MAX - 1);
    s.frame_count = (uint32_t)take_counted(&r, MAX_SITE_FRAMES);
    s.stack_count = (uint32_t)take_counted(&r, MAX_SITE_STACKS);
    s.object_count = (uint32_t)take_counted(&r, MAX_SITE_OBJECTS);
    /* words have at least three characters */
    if (r.failed || ((size_t)s.frame_count + s.stack_count + s.object_count) * 3 > len)
        return NULL;
    read_frames(&r, &s);
    read_stacks(&r, &s);
    read_objects(&r, &s);
    if (r.failed || r.at != r.end)
        return NULL;
    struct allocation_sites *kept = arena_alloc(a, sizeof(*kept));
    *kept = s;
    return kept;
}
