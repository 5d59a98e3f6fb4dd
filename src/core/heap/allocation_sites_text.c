/* Allocation sites as a line of text: written, and parsed. */
#include "heap/allocation_sites.h"

#include "base/say.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        to->len = begin; /* readers would reject it */
}

/* --- reading --------------------------------------------------------------------- */

struct sites_reader {
    const char *at, *end;
    struct arena *arena;
    size_t names; /* bytes of all, unpacked */
    bool failed;
};

/* Reads a number of at most `most`; else fails and returns 0. */
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
