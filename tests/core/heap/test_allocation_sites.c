/* Allocation sites as text, carried from snapshot to snapshot, within their limits. */
#include "heap/allocation_sites.h"

#include "base/text.h"
#include "heap/survivor_map.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* --- text ------------------------------------------------------------------------ */

static const char *const words[] = {"Shop",  "Shop.Checkout", ".Add",  "Get Ready",
                                    "a%b",   "Caf\xc3\xa9",   "\x01",  "::error::x",
                                    "\xff@", "<Main>$",       "\r\nx", "System.String"};

static const char *any_name(struct random *r, char to[64])
{
    to[0] = '\0';
    for (uint32_t i = 0, n = random_below(r, 4); i < n; i++)
        strcat(to, words[random_below(r, sizeof(words) / sizeof(*words))]);
    return to;
}

static struct allocation_sites *any_sites(struct random *r, struct arena *a)
{
    struct site_builder b;
    struct allocation_sites of = {.token = random_u64(r),
                                  .collection = random_below(r, 90),
                                  .sampled = random_below(r, 5000),
                                  .unnamed = random_below(r, 9),
                                  .per_sample = random_u64(r) >> random_below(r, 64)};
    site_builder_begin(&b, a);
    for (uint32_t n = random_below(r, 12), object = 0; n > 0; n--) {
        uint32_t frames[8], count = 1 + random_below(r, 8);
        char method[64], file[64];
        for (uint32_t i = 0; i < count; i++) {
            struct site_frame f = {.method = any_name(r, method),
                                   .is_own = random_below(r, 2) == 0};
            if (random_below(r, 2) == 0) {
                f.file = any_name(r, file);
                f.line = random_below(r, 3);
            }
            frames[i] = site_builder_frame(&b, &f);
        }
        object += 1 + random_below(r, 1000);
        site_builder_object(&b, (struct site_object){object,
                                                     site_builder_stack(&b, frames, count),
                                                     random_below(r, 100)});
    }
    return site_builder_end(&b, &of, false);
}

static void expect_same_frame(const struct site_frame *x, const struct site_frame *y)
{
    cr_expect_str_eq(x->method, y->method);
    cr_expect_eq(x->is_own, y->is_own);
    cr_assert_eq(x->file == NULL, y->file == NULL);
    if (x->file != NULL)
        cr_expect_str_eq(x->file, y->file);
    if (x->file != NULL)
        cr_expect_eq(x->line, y->line);
}

/* Compares by name: frames and stacks may have other numbers. */
static void expect_same(const struct allocation_sites *x, const struct allocation_sites *y)
{
    cr_expect_eq(x->token, y->token);
    cr_expect_eq(x->collection, y->collection);
    cr_expect_eq(x->sampled, y->sampled);
    cr_expect_eq(x->unnamed, y->unnamed);
    cr_expect_eq(x->per_sample, y->per_sample);
    cr_assert_eq(x->object_count, y->object_count);
    for (uint32_t i = 0; i < x->object_count; i++) {
        const struct site_stack *s = &x->stacks[x->objects[i].stack],
                                *t = &y->stacks[y->objects[i].stack];
        cr_expect_eq(x->objects[i].object, y->objects[i].object);
        cr_expect_eq(x->objects[i].born, y->objects[i].born);
        cr_assert_eq(s->frame_count, t->frame_count);
        for (uint32_t f = 0; f < s->frame_count; f++)
            expect_same_frame(&x->frames[s->frames[f]], &y->frames[t->frames[f]]);
    }
}

static struct allocation_sites *parsed(const char *text, struct arena *a)
{
    return allocation_sites_parse(text, strlen(text), a);
}

Test(allocation_sites, text_is_read_back)
{
    struct random r = random_from(50);
    for (int round = 0; round < 2000; round++) {
        struct arena a = {0};
        struct text t = {0}, again = {0};
        struct allocation_sites *sites = any_sites(&r, &a);
        allocation_sites_put(sites, &t);
        for (size_t i = 0; i < t.len; i++)
            cr_assert(t.data[i] >= ' ' && t.data[i] <= '~', "it is one line of ASCII");
        struct allocation_sites *back = allocation_sites_parse(t.data, t.len, &a);
        cr_assert_not_null(back, "%s", text_string(&t));
        expect_same(sites, back);
        allocation_sites_put(back, &again);
        cr_expect_str_eq(text_string(&again), text_string(&t), "in an order of its own");
        text_free(&again);
        text_free(&t);
        arena_free(&a);
    }
}

static const char good[] =
    "0123456789abcdef 7 40 1 102400 3 2 3 0=Shop.Checkout.Add @42:Checkout.cs "
    "5=Orders.Post 1-ystem.Net.Listen 0:2,1 2:0 5.1.6 2.0.7 1.1.7";

Test(allocation_sites, a_frame_and_a_stack_are_written_once)
{
    struct arena a = {0};
    struct text t = {0};
    const struct allocation_sites *s = parsed(good, &a);
    cr_assert_not_null(s);
    cr_expect_eq(s->collection, 7);
    cr_expect_eq(s->sampled, 40);
    cr_expect_eq(s->unnamed, 1);
    cr_expect_eq(s->per_sample, 102400);
    cr_expect_eq(s->objects[2].object, 8);
    cr_expect_eq(s->objects[2].born, 7);
    const struct site_stack *stack = &s->stacks[s->objects[0].stack];
    cr_assert_eq(stack->frame_count, 3);
    cr_expect_str_eq(s->frames[stack->frames[0]].method, "Shop.Checkout.Add");
    cr_expect_str_eq(s->frames[stack->frames[0]].file, "Checkout.cs");
    cr_expect_eq(s->frames[stack->frames[0]].line, 42);
    cr_expect_str_eq(s->frames[stack->frames[1]].method, "Shop.Orders.Post");
    cr_expect(s->frames[stack->frames[1]].is_own);
    cr_expect_not(s->frames[stack->frames[2]].is_own);
    allocation_sites_put(s, &t);
    cr_expect_str_eq(text_string(&t), good, "%s", text_string(&t));
    text_free(&t);
    arena_free(&a);
}

/* Every prefix and every changed byte is rejected, or gives consistent sites. */
static void expect_sound(const char *text, size_t len)
{
    struct arena a = {0};
    char *copy = arena_strdup(&a, text, len);
    const struct allocation_sites *s = allocation_sites_parse(copy, len, &a);
    for (uint32_t i = 0; s != NULL && i < s->object_count; i++) {
        cr_assert(i == 0 || s->objects[i].object >= s->objects[i - 1].object);
        cr_assert_lt(s->objects[i].stack, s->stack_count);
    }
    for (uint32_t i = 0; s != NULL && i < s->stack_count; i++) {
        cr_assert(s->stacks[i].frame_count > 0);
        cr_assert_leq(s->stacks[i].frame_count, MAX_STACK_FRAMES);
        for (uint32_t f = 0; f < s->stacks[i].frame_count; f++)
            cr_assert_lt(s->stacks[i].frames[f], s->frame_count);
    }
    for (uint32_t i = 0; s != NULL && i < s->frame_count; i++)
        cr_assert_leq(strlen(s->frames[i].method), MAX_SITE_NAME);
    arena_free(&a);
}

Test(allocation_sites, any_text_is_refused_or_sound)
{
    struct random r = random_from(51);
    for (size_t len = 0; len < sizeof(good); len++)
        expect_sound(good, len);
    for (int round = 0; round < 30000; round++) {
        char copy[sizeof(good)];
        memcpy(copy, good, sizeof(good));
        for (uint32_t n = 1 + random_below(&r, 3); n > 0; n--)
            copy[random_below(&r, sizeof(good) - 1)] =
                random_below(&r, 2) == 0 ? "0123456789 .,:@=-"[random_below(&r, 17)]
                                         : (char)random_u64(&r);
        expect_sound(copy, sizeof(good) - 1);
    }
}

Test(allocation_sites, invalid_text_is_refused)
{
    static const char *const texts[] = {
        "",
        "x",
        "0123456789abcdef",
        "0123456789abcdeg 7 0 0 0 0 0 0",
        "0123456789abcdef 7 0 0 0 0 0",
        "0123456789abcdef 7 0 0 0 0 0 0 ",
        "0123456789abcdef 7 0 0 0 0 0 4294967295", /* more than the limit */
        "0123456789abcdef 7 0 0 0 8193 0 0",
        "0123456789abcdef -7 0 0 0 0 0 0",
        "0123456789abcdef 4294967296 0 0 0 0 0 0",
        "0123456789abcdef 7 99999999999999999999 0 0 0 0 0",
        "0123456789abcdef 7 0 0 0 1 0 0 1=A",           /* more than the text can contain */
        "0123456789abcdef 7 0 0 0 1 1 0 0=A 0:1",       /* a missing frame */
        "0123456789abcdef 7 0 0 0 1 1 0 0=A 0:",        /* without a frame */
        "0123456789abcdef 7 0 0 0 1 1 0 0=A 1:0",       /* a caller that does not exist */
        "0123456789abcdef 7 0 0 0 1 1 1 0=A 0:0 1.1.1", /* a missing stack */
        "0123456789abcdef 7 0 0 0 1 1 1 0=A 0:0 1.0.1 x", /* trailing text */
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        cr_expect_null(parsed(texts[i], &a), "%s", texts[i]);
    cr_expect_not_null(parsed("0123456789abcdef 7 0 0 0 0 0 0", &a));
    arena_free(&a);
}

/* A few bytes for each of many names with a long common prefix. */
Test(allocation_sites, names_that_unpack_to_more_than_a_text_may_have_are_refused)
{
    enum { FRAMES = 4000, LONG = 1000 };
    struct arena a = {0};
    struct text t = {0};
    for (size_t count = 500; count <= FRAMES; count += FRAMES - 500) {
        char head[96];
        text_clear(&t);
        snprintf(head, sizeof(head), "0123456789abcdef 1 0 0 0 %zu 0 0 0=", count);
        text_add_string(&t, head);
        for (size_t i = 0; i < LONG; i++)
            text_add_char(&t, 'x');
        for (size_t i = 1; i < count; i++) {
            snprintf(head, sizeof(head), " %d=%zu", LONG, i);
            text_add_string(&t, head);
        }
        cr_expect_eq(allocation_sites_parse(t.data, t.len, &a) != NULL, count == 500);
    }
    text_free(&t);
    arena_free(&a);
}

Test(allocation_sites, a_name_of_any_length_is_read_or_refused)
{
    struct arena a = {0};
    for (size_t len = MAX_SITE_NAME - 1; len <= MAX_SITE_NAME + 2; len++) {
        struct text t = {0};
        text_add_string(&t, "0123456789abcdef 1 0 0 0 1 0 0 0=");
        for (size_t i = 0; i < len; i++)
            text_add_char(&t, 'x');
        cr_expect_eq(allocation_sites_parse(t.data, t.len, &a) != NULL,
                     len <= MAX_SITE_NAME, "%zu", len);
        text_free(&t);
    }
    arena_free(&a);
}

/* --- limits ---------------------------------------------------------------------- */

static uint32_t frame_named(struct site_builder *b, const char *name)
{
    return site_builder_frame(b, &(struct site_frame){.method = name});
}

Test(allocation_sites, more_than_may_be_kept_is_left_out)
{
    struct arena a = {0};
    struct text t = {0};
    struct site_builder b;
    uint32_t deep[MAX_STACK_FRAMES + 5] = {0};
    site_builder_begin(&b, &a);
    for (uint32_t i = 0; i < MAX_SITE_STACKS + 10; i++) {
        char name[32];
        snprintf(name, sizeof(name), "App.Method%u", i);
        uint32_t frames[2] = {frame_named(&b, name), 0};
        uint32_t stack = site_builder_stack(&b, frames, 2);
        cr_expect_eq(stack == NO_SITE, i >= MAX_SITE_STACKS);
        site_builder_object(&b, (struct site_object){i, stack, 1});
    }
    cr_expect_eq(site_builder_stack(&b, deep, 0), NO_SITE, "no frame");
    struct allocation_sites of = {.token = 1}, *s = site_builder_end(&b, &of, false);
    cr_expect_eq(s->object_count, MAX_SITE_STACKS);
    cr_expect_eq(s->unnamed, 10);

    site_builder_begin(&b, &a);
    deep[0] = frame_named(&b, "App.Deep");
    uint32_t stack = site_builder_stack(&b, deep, sizeof(deep) / sizeof(*deep));
    for (uint32_t i = 0; i < 3 * MAX_SITE_OBJECTS; i++)
        site_builder_object(&b, (struct site_object){i, stack, i / MAX_SITE_OBJECTS});
    s = site_builder_end(&b, &of, false);
    cr_expect_eq(s->stacks[0].frame_count, MAX_STACK_FRAMES);
    cr_expect_eq(s->object_count, MAX_SITE_OBJECTS);
    uint32_t of_born[3] = {0};
    for (uint32_t i = 0; i < s->object_count; i++)
        of_born[s->objects[i].born]++;
    cr_expect_leq(of_born[0], of_born[2] + 1, "of all addresses alike");
    allocation_sites_put(s, &t);
    cr_expect_not_null(allocation_sites_parse(t.data, t.len, &a));
    text_free(&t);
    arena_free(&a);
}

Test(allocation_sites, long_names_are_cut_between_characters)
{
    struct arena a = {0};
    struct site_builder b;
    char *name = arena_alloc(&a, 4000);
    for (int i = 0; i < 1500; i++)
        memcpy(name + 1 + 2 * i, "\xc3\xa9", 2);
    name[0] = 'x';
    site_builder_begin(&b, &a);
    uint32_t frame = frame_named(&b, name);
    cr_expect_eq(frame_named(&b, name), frame, "it is found again");
    site_builder_object(&b, (struct site_object){1, site_builder_stack(&b, &frame, 1), 1});
    const struct allocation_sites *s =
        site_builder_end(&b, &(struct allocation_sites){.token = 1}, false);
    cr_expect_eq(strlen(s->frames[0].method), MAX_SITE_NAME);
    cr_expect_not(utf8_is_damaged(s->frames[0].method));
    arena_free(&a);
}

/* A byte beyond ASCII is three of the text. */
Test(allocation_sites, names_of_escapes_are_left_out_before_the_text_is_too_long)
{
    enum { FRAMES = 600 };
    struct arena a = {0};
    struct text t = {0};
    struct site_builder b;
    char name[MAX_SITE_NAME + 1];
    site_builder_begin(&b, &a);
    for (uint32_t i = 0; i < FRAMES; i++) {
        int len = snprintf(name, sizeof(name), "%u", i);
        for (size_t at = (size_t)len; at < MAX_SITE_NAME; at++)
            name[at] = "\xc3\xa9"[at % 2];
        name[MAX_SITE_NAME] = '\0';
        uint32_t frame = frame_named(&b, name);
        site_builder_object(&b,
                            (struct site_object){i, site_builder_stack(&b, &frame, 1), 1});
    }
    const struct allocation_sites *s =
        site_builder_end(&b, &(struct allocation_sites){.token = 1}, false);
    cr_expect(s->object_count > 100 && s->object_count < 200, "%u", s->object_count);
    cr_expect_eq(s->unnamed, FRAMES - s->object_count);
    allocation_sites_put(s, &t);
    cr_expect_not_null(allocation_sites_parse(t.data, t.len, &a), "%zu bytes", t.len);
    text_free(&t);
    arena_free(&a);
}

Test(allocation_sites, methods_are_counted_once_for_all_their_lines)
{
    struct arena a = {0};
    struct site_builder b;
    const struct site_frame frames[] = {
        {.method = "A.Add", .file = "A.cs", .line = 1},
        {.method = "A.Run"},
        {.method = "A.Add", .file = "A.cs", .line = 2},
        {.method = "A.Add"},
    };
    site_builder_begin(&b, &a);
    for (size_t i = 0; i < 4; i++)
        site_builder_frame(&b, &frames[i]);
    const struct allocation_sites *s =
        site_builder_end(&b, &(struct allocation_sites){.token = 1}, false);
    cr_expect_eq(s->frame_count, 4);
    cr_expect_eq(allocation_sites_methods(s), 2);
    arena_free(&a);
}

/* --- carried --------------------------------------------------------------------- */

/* Objects with a stack of one frame each; its name has the object's number. */
static struct allocation_sites *sites_of(uint64_t token, const uint32_t *objects,
                                         size_t count, uint32_t born, struct arena *a)
{
    struct site_builder b;
    site_builder_begin(&b, a);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "App.Make%u", objects[i] % 10);
        uint32_t frame = frame_named(&b, name);
        site_builder_object(
            &b, (struct site_object){objects[i], site_builder_stack(&b, &frame, 1), born});
    }
    return site_builder_end(
        &b,
        &(struct allocation_sites){.token = token, .sampled = count, .collection = born},
        false);
}

static const char *method_of(const struct allocation_sites *s, uint32_t object)
{
    for (uint32_t i = 0; i < s->object_count; i++)
        if (s->objects[i].object == object)
            return s->frames[s->stacks[s->objects[i].stack].frames[0]].method;
    return "";
}

Test(allocation_sites, those_of_survivors_are_carried_and_the_dead_are_dropped)
{
    enum { OLD = 11, NEW = 22 };
    struct arena a = {0}, b = {0};
    /* Of 20 objects the first ten died; the survivors have another order. */
    uint32_t older_of[12];
    for (uint32_t i = 0; i < 12; i++)
        older_of[i] = i < 5 ? 15 + i : i < 10 ? 5 + i : UINT32_MAX;
    struct survivor_side from = {OLD, 20}, to = {NEW, 12};
    struct survivor_map map = survivor_map_write(&from, &to, older_of, &a);
    const struct allocation_sites *older =
        sites_of(OLD, (const uint32_t[]){3, 9, 12, 17}, 4, 1, &a);
    const struct allocation_sites *newer =
        sites_of(NEW, (const uint32_t[]){10, 11}, 2, 2, &a);
    const struct allocation_sites *all = allocation_sites_carry(older, &map, newer, &b);
    cr_expect_eq(all->token, NEW);
    cr_expect_eq(all->collection, 2);
    cr_expect_eq(all->sampled, 2);
    cr_assert_eq(all->object_count, 4);
    cr_expect_str_eq(method_of(all, 2), "App.Make7", "17 is there as 2");
    cr_expect_str_eq(method_of(all, 7), "App.Make2", "12 is there as 7");
    cr_expect_eq(all->objects[0].born, 1);
    cr_expect_eq(all->objects[3].born, 2);
    cr_expect_eq(all->frame_count, 4, "names of the dead went, too");

    /* A sample at the address of a survivor is the survivor. */
    const struct allocation_sites *again = sites_of(NEW, (const uint32_t[]){7}, 1, 2, &a);
    again = allocation_sites_carry(older, &map, again, &b);
    cr_assert_eq(again->object_count, 2);
    cr_expect_eq(again->objects[1].born, 2, "the newer one counts");

    /* Samples of other snapshots, and missing maps or samples. */
    const struct allocation_sites *none =
        sites_of(OLD + 1, (const uint32_t[]){12}, 1, 1, &a);
    cr_expect_eq(allocation_sites_carry(none, &map, newer, &b)->object_count, 2);
    const struct allocation_sites *other =
        sites_of(NEW + 1, (const uint32_t[]){10, 11}, 2, 2, &a);
    cr_expect_eq(allocation_sites_carry(older, &map, other, &b)->object_count, 2);
    cr_expect_eq(allocation_sites_carry(older, NULL, newer, &b)->object_count, 2);
    cr_expect_eq(allocation_sites_carry(NULL, &map, newer, &b)->object_count, 2);
    arena_free(&a);
    cr_expect_str_eq(method_of(all, 10), "App.Make0", "it needs nothing of the others");
    arena_free(&b);
}

/* Round k: all objects of the rounds before survive, and `each` are new. */
static struct survivor_map all_survive(uint32_t k, uint32_t each, struct arena *a)
{
    struct survivor_side from = {k - 1, each * (k - 1)}, to = {k, each * k};
    uint32_t *older_of = arena_array(a, uint32_t, to.objects);
    for (uint32_t i = 0; i < to.objects; i++)
        older_of[i] = i < from.objects ? i : UINT32_MAX;
    return survivor_map_write(&from, &to, older_of, a);
}

/* Thousands survive each interval; the limits hold. */
Test(allocation_sites, sessions_of_hours_stay_within_the_limits)
{
    enum { OBJECTS = 12000, ROUNDS = 6 };
    struct arena a = {0};
    uint32_t *objects = arena_array(&a, uint32_t, OBJECTS);
    const struct allocation_sites *before = NULL;
    for (uint32_t k = 1; k <= ROUNDS; k++) {
        struct survivor_map map = all_survive(k, OBJECTS, &a);
        for (uint32_t i = 0; i < OBJECTS; i++)
            objects[i] = map.older.objects + i;
        before = allocation_sites_carry(before, k > 1 ? &map : NULL,
                                        sites_of(k, objects, OBJECTS, k, &a), &a);
        cr_expect_leq(before->object_count, MAX_SITE_OBJECTS);
        cr_expect_eq(before->stack_count, 10);
    }
    cr_expect_eq(before->object_count, MAX_SITE_OBJECTS);
    cr_expect_eq(before->objects[0].born, 1, "the oldest are among them");
    arena_free(&a);
}

/* count objects, each with a stack of its own, from one collection. */
static const struct allocation_sites *
ways_of(uint64_t token, uint32_t first, uint32_t count, uint32_t born, struct arena *a)
{
    const struct allocation_sites of = {
        .token = token, .collection = born, .sampled = count, .per_sample = 100};
    struct site_builder b;
    site_builder_begin(&b, a);
    for (uint32_t i = first; i < first + count; i++) {
        char method[32];
        snprintf(method, sizeof(method), "App.Way%u", (unsigned)i);
        uint32_t frame = site_builder_frame(&b, &(struct site_frame){.method = method});
        struct site_object object = {i, site_builder_stack(&b, &frame, 1), born};
        site_builder_object(&b, object);
    }
    return site_builder_end(&b, &of, false);
}

/* A late leak has samples, too: each remaining sample represents more. */
Test(allocation_sites, where_stacks_are_too_many_a_part_of_all_is_carried)
{
    enum { MORE = 400 };
    struct arena a = {0};
    uint32_t *older_of = arena_array(&a, uint32_t, MAX_SITE_STACKS + MORE);
    for (uint32_t i = 0; i < MAX_SITE_STACKS + MORE; i++)
        older_of[i] = i < MAX_SITE_STACKS ? i : UINT32_MAX;
    struct survivor_side from = {1, MAX_SITE_STACKS}, to = {2, MAX_SITE_STACKS + MORE};
    struct survivor_map map = survivor_map_write(&from, &to, older_of, &a);
    const struct allocation_sites *older = ways_of(1, 0, MAX_SITE_STACKS, 1, &a);
    const struct allocation_sites *all =
        allocation_sites_carry(older, &map, ways_of(2, MAX_SITE_STACKS, MORE, 2, &a), &a);
    uint32_t newer = 0;
    for (uint32_t i = 0; i < all->object_count; i++)
        newer += all->objects[i].born == 2;
    cr_expect_eq(all->unnamed, 0);
    cr_expect_eq(all->per_sample, 200);
    cr_expect(newer > MORE / 3 && newer < MORE / 3 * 2, "%u", (unsigned)newer);
    cr_expect(all->object_count > MAX_SITE_STACKS / 2 &&
                  all->object_count < MAX_SITE_STACKS,
              "%u", (unsigned)all->object_count);
    arena_free(&a);
}

/* 6,000 samples survive each interval, of two stacks by turns. */
Test(allocation_sites, where_objects_are_too_many_the_same_part_of_each_interval_is_carried)
{
    enum { EACH = 6000, ROUNDS = 8, USUAL = 102400 };
    struct arena a = {0};
    uint32_t *objects = arena_array(&a, uint32_t, EACH);
    const struct allocation_sites *all = NULL;
    for (uint32_t k = 1; k <= ROUNDS; k++) {
        struct survivor_map map = all_survive(k, EACH, &a);
        for (uint32_t i = 0; i < EACH; i++)
            objects[i] = map.older.objects + i;
        struct allocation_sites *newer = sites_of(k, objects, EACH, k, &a);
        newer->per_sample = USUAL;
        all = allocation_sites_carry(all, k > 1 ? &map : NULL, newer, &a);
        double counted = (double)all->object_count * (double)all->per_sample;
        double wanted = (double)map.newer.objects * USUAL;
        cr_expect(counted > 0.95 * wanted && counted < 1.05 * wanted, "%u: %f of %f", k,
                  counted, wanted);
        cr_expect_eq(all->unnamed, 0);
    }
    uint32_t born[ROUNDS + 1] = {0}, share = (uint32_t)(all->per_sample / USUAL);
    for (uint32_t i = 0; i < all->object_count; i++)
        born[all->objects[i].born]++;
    cr_expect_eq(share, 4);
    for (uint32_t k = 1; k <= ROUNDS; k++)
        cr_expect(born[k] > EACH / share * 9 / 10 && born[k] < EACH / share * 11 / 10,
                  "%u of interval %u", born[k], k);
    arena_free(&a);
}
