/* The purpose of mappings, from their layout: real processes, and forged ones. */
#include "collect/read_facts.h"

#include "heap/process_facts.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct laid_block {
    uint64_t start, end, kib; /* resident */
    bool is_reserved;
    enum block_kind before, after;
};

static void expect_kinds(const struct laid_block *all, size_t count, const char *what)
{
    struct memory_block *blocks = calloc(count + 1, sizeof(*blocks));
    for (size_t i = 0; i < count; i++)
        blocks[i] = (struct memory_block){.start = all[i].start,
                                          .end = all[i].end,
                                          .bytes = all[i].kib << 10,
                                          .is_reserved = all[i].is_reserved,
                                          .kind = all[i].before};
    blocks_classify(blocks, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(blocks[i].kind, all[i].after, "%s, block %zu at %llx: %d", what, i,
                     (unsigned long long)all[i].start, (int)blocks[i].kind);
    free(blocks);
}

/* --- a process that runs ------------------------------------------------------------ */

/* .NET 10 on Debian 12, without its files: arenas below and above the reservation, the
 * reservation for code, stacks of the runtime and of signals. */
static const struct laid_block live[] = {
    {0x562d235f7000, 0x562d23917000, 2968, false, BLOCK_BRK, BLOCK_BRK},
    {0x7f5008000000, 0x7f5008041000, 256, false, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5008041000, 0x7f500c000000, 0, true, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f500c000000, 0x7f500c021000, 4, false, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f500c021000, 0x7f5010000000, 0, true, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5010000000, 0x7f5010021000, 8, false, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5010021000, 0x7f5014000000, 0, true, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5017771000, 0x7f5017785000, 28, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5017785000, 0x7f5018efb000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5018efb000, 0x7f5018f0f000, 24, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5018f0f000, 0x7f501a685000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f501a685000, 0x7f501a686000, 4, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f501a686000, 0x7f501a68a000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f501a68a000, 0x7f501a695000, 0, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f501a695000, 0x7f501b24f000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f501b24f000, 0x7f501b250000, 4, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f501b250000, 0x7f501b252000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f501b252000, 0x7f501b255000, 8, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f501b255000, 0x7f5033000000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5033000000, 0x7f5033011000, 4, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5033011000, 0x7f5035000000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5035000000, 0x7f5035001000, 0, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5035001000, 0x7f5035400000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5035400000, 0x7f5035411000, 56, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5035411000, 0x7f5035800000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5035800000, 0x7f5035c01000, 4096, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5035c01000, 0x7f5037c00000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5037c00000, 0x7f5038801000, 12292, false, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5038801000, 0x7f5bf8000000, 0, true, BLOCK_PRIVATE, BLOCK_GC},
    {0x7f5bf8000000, 0x7f5bf8021000, 8, false, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5bf8021000, 0x7f5bfc000000, 0, true, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5bfc7ff000, 0x7f5bfc800000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5bfc800000, 0x7f5bfd000000, 8, false, BLOCK_PRIVATE, BLOCK_STACK},
    {0x7f5bfd329000, 0x7f5bfd32a000, 0, false, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5bfd5fe000, 0x7f5bfd600000, 8, false, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5bfda8b000, 0x7f5bfdacf000, 20, false, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5bfdbff000, 0x7f5bfdc00000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5bfdc00000, 0x7f5bfe400000, 48, false, BLOCK_PRIVATE, BLOCK_STACK},
    {0x7f5bfe400000, 0x7f5bfe410000, 12, false, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5bfe410000, 0x7f5bfe800000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5bff7ff000, 0x7f5bff800000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5bff800000, 0x7f5c00000000, 8, false, BLOCK_PRIVATE, BLOCK_STACK},
    {0x7f5c00000000, 0x7f5c00021000, 8, false, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5c00021000, 0x7f5c04000000, 0, true, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5c04000000, 0x7f5c04021000, 8, false, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5c04021000, 0x7f5c08000000, 0, true, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5c08000000, 0x7f5c08021000, 8, false, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5c08021000, 0x7f5c0c000000, 0, true, BLOCK_PRIVATE, BLOCK_ARENA},
    {0x7f5c0c001000, 0x7f5c0c003000, 8, false, BLOCK_CODE, BLOCK_CODE},
    {0x7f5c0c008000, 0x7f5c0c00a000, 8, false, BLOCK_CODE, BLOCK_CODE},
    {0x7f5c0c00c000, 0x7f5c0c00d000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c0c00d000, 0x7f5c0c80d000, 8, false, BLOCK_PRIVATE, BLOCK_STACK},
    {0x7f5c0c80d000, 0x7f5c0c80e000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c0c80e000, 0x7f5c0d00e000, 8, false, BLOCK_PRIVATE, BLOCK_STACK},
    {0x7f5c0d00e000, 0x7f5c0d00f000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c0d00f000, 0x7f5c0d80f000, 8, false, BLOCK_PRIVATE, BLOCK_STACK},
    {0x7f5c0d80f000, 0x7f5c0d810000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c0d810000, 0x7f5c0e010000, 8, false, BLOCK_PRIVATE, BLOCK_STACK},
    {0x7f5c0e010000, 0x7f5c0e050000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c0e050000, 0x7f5c0e051000, 4, false, BLOCK_CODE, BLOCK_CODE},
    {0x7f5c0e051000, 0x7f5c0e060000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c0e060000, 0x7f5c0e063000, 8, false, BLOCK_CODE, BLOCK_CODE},
    {0x7f5c0e063000, 0x7f5c0e064000, 0, true, BLOCK_CODE, BLOCK_CODE},
    {0x7f5c0e064000, 0x7f5c0e06c000, 32, false, BLOCK_CODE, BLOCK_CODE},
    {0x7f5c0f495000, 0x7f5c0f4a0000, 0, true, BLOCK_CODE, BLOCK_CODE},
    {0x7f5c0f4a0000, 0x7f5c0f4a2000, 8, false, BLOCK_CODE, BLOCK_CODE},
    {0x7f5c0f4a2000, 0x7f5c0f4b0000, 0, true, BLOCK_CODE, BLOCK_CODE},
    {0x7f5c0f4b0000, 0x7f5c8d000000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c8d6cb000, 0x7f5c8d720000, 120, false, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c8d7a9000, 0x7f5c8d7aa000, 0, true, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c8d7aa000, 0x7f5c8d7ad000, 0, false, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7f5c8d7ad000, 0x7f5c8d89b000, 8, false, BLOCK_PRIVATE, BLOCK_PRIVATE},
    {0x7ffc404fa000, 0x7ffc4051b000, 64, false, BLOCK_STACK, BLOCK_STACK},
};

Test(read_facts, layout_of_a_process_that_runs)
{
    expect_kinds(live, sizeof(live) / sizeof(*live), "live");
}

Test(read_facts, sums_per_kind)
{
    enum { COUNT = sizeof(live) / sizeof(*live) };
    static const enum hd_fact fact_of[] = {
        [BLOCK_GC] = HD_FACT_OF_GC,         [BLOCK_ARENA] = HD_FACT_OF_ARENAS,
        [BLOCK_BRK] = HD_FACT_OF_BRK,       [BLOCK_STACK] = HD_FACT_OF_STACKS,
        [BLOCK_CODE] = HD_FACT_OF_CODE,     [BLOCK_OF_FILE] = HD_FACT_OF_FILES,
        [BLOCK_SHARED] = HD_FACT_OF_SHARED, [BLOCK_PRIVATE] = HD_FACT_OF_SMALL};
    struct memory_block blocks[COUNT];
    struct hd_process_facts facts = {0};
    uint64_t sum[HD_FACT_COUNT] = {0};
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = (struct memory_block){live[i].start, live[i].end, live[i].kib << 10,
                                          live[i].is_reserved, live[i].after};
        sum[fact_of[live[i].after]] += live[i].kib << 10;
    }
    blocks_sum(blocks, COUNT, &facts);
    for (enum hd_fact f = HD_FACT_OF_GC; f <= HD_FACT_OF_SMALL; f++)
        cr_expect_eq(hd_fact(&facts, f), sum[f], "%s", hd_fact_name(f));
    cr_expect_eq(hd_fact(&facts, HD_FACT_MAPPINGS), COUNT);

    const struct memory_block large = {0, 1 << 20, 4096, false, BLOCK_PRIVATE},
                              small = {0, (1 << 20) - 4096, 8192, false, BLOCK_PRIVATE},
                              shared = {0, 4096, 512, false, BLOCK_SHARED};
    facts = (struct hd_process_facts){0};
    blocks_sum((const struct memory_block[]){large, small, shared}, 3, &facts);
    cr_expect_eq(hd_fact(&facts, HD_FACT_OF_LARGE), 4096);
    cr_expect_eq(hd_fact(&facts, HD_FACT_OF_SMALL), 8192);
    cr_expect_eq(hd_fact(&facts, HD_FACT_OF_SHARED), 512);
    cr_expect_eq(hd_fact(&facts, HD_FACT_OF_GC), HD_UNKNOWN, "no reservation was found");
    cr_expect_eq(hd_fact(&facts, HD_FACT_OF_STACKS), 0);
}

/* --- forged ones ------------------------------------------------------------------- */

enum { MAX_BLOCKS = 64, RESERVED = true, USED = false };
#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define ARENA (64 * MIB)
#define BASE 0x7f0000000000 /* a multiple of 64 MiB */

/* Consecutive blocks; a used one is resident. */
struct layout {
    struct laid_block all[MAX_BLOCKS];
    size_t count;
    uint64_t at;
};

static void lay(struct layout *l, uint64_t size, bool is_reserved, enum block_kind after)
{
    cr_assert_lt(l->count, MAX_BLOCKS);
    l->all[l->count++] =
        (struct laid_block){l->at,       l->at + size,  is_reserved ? 0 : size >> 10,
                            is_reserved, BLOCK_PRIVATE, after};
    l->at += size;
}

static void lay_up_to(struct layout *l, uint64_t end, bool is_reserved,
                      enum block_kind after)
{
    cr_assert_gt(end, l->at);
    lay(l, end - l->at, is_reserved, after);
}

static void lay_arena(struct layout *l, uint64_t used)
{
    lay(l, used, USED, BLOCK_ARENA);
    if (used < ARENA)
        lay(l, ARENA - used, RESERVED, BLOCK_ARENA);
}

/* Up to `end`: tables, their unused part, regions with a hole among them, and the unused
 * regions. */
static void lay_reservation(struct layout *l, uint64_t end)
{
    lay(l, 80 * KIB, USED, BLOCK_GC);
    lay(l, 23 * MIB, RESERVED, BLOCK_GC);
    lay(l, 68 * KIB, USED, BLOCK_GC);
    lay_up_to(l, (l->at / ARENA + 1) * ARENA + 4 * MIB, RESERVED, BLOCK_GC);
    lay(l, 4 * MIB, USED, BLOCK_GC);
    lay(l, 4 * MIB, RESERVED, BLOCK_GC);
    lay(l, 12 * MIB, USED, BLOCK_GC);
    lay_up_to(l, end, RESERVED, BLOCK_GC);
}

static void expect_layout(const struct layout *l, const char *what)
{
    expect_kinds(l->all, l->count, what);
}

Test(read_facts, arenas_side_by_side)
{
    struct layout l = {.at = BASE};
    lay_arena(&l, 132 * KIB);
    lay_arena(&l, 40 * MIB);
    lay_arena(&l, ARENA - 4 * KIB);
    expect_layout(&l, "side by side");
}

Test(read_facts, full_arenas)
{
    struct layout l = {.at = BASE};
    lay_arena(&l, ARENA);
    expect_layout(&l, "one");
    l = (struct layout){.at = BASE};
    lay(&l, 3 * ARENA, USED, BLOCK_ARENA);
    expect_layout(&l, "three, which the kernel shows as one");
    l = (struct layout){.at = BASE};
    lay(&l, ARENA + 8 * KIB, USED, BLOCK_ARENA);
    lay(&l, ARENA - 8 * KIB, RESERVED, BLOCK_ARENA);
    expect_layout(&l, "one, and the next");
    l = (struct layout){.at = BASE};
    lay_arena(&l, ARENA);
    lay(&l, 4 * KIB, RESERVED, BLOCK_PRIVATE);
    lay(&l, 8 * MIB, USED, BLOCK_STACK);
    expect_layout(&l, "one below a stack");
}

Test(read_facts, blocks_that_begin_or_end_elsewhere_are_not_arenas)
{
    struct layout l = {.at = BASE + 4 * KIB};
    lay(&l, 132 * KIB, USED, BLOCK_PRIVATE);
    lay(&l, ARENA - 136 * KIB, RESERVED, BLOCK_PRIVATE);
    l.at = BASE + 2 * ARENA;
    lay(&l, 132 * KIB, USED, BLOCK_PRIVATE);
    lay(&l, MIB, RESERVED, BLOCK_PRIVATE);
    l.at = BASE + 4 * ARENA;
    lay(&l, MIB, USED, BLOCK_PRIVATE);
    l.at += MIB; /* a gap before the rest */
    lay(&l, 62 * MIB, RESERVED, BLOCK_PRIVATE);
    expect_layout(&l, "no arena");
}

Test(read_facts, arenas_above_the_reservation_and_a_stack_above_them)
{
    struct layout l = {.at = BASE + 12 * KIB};
    lay_reservation(&l, BASE + 48 * GIB);
    lay_arena(&l, 132 * KIB);
    lay_arena(&l, 4 * KIB);
    lay(&l, 4 * KIB, RESERVED, BLOCK_GC); /* a guard, not resident */
    lay(&l, 8 * MIB - 4 * KIB, USED, BLOCK_STACK);
    expect_layout(&l, "above");
}

Test(read_facts, arenas_right_below_the_reservation)
{
    struct layout l = {.at = BASE};
    lay_arena(&l, 132 * KIB);
    lay_arena(&l, ARENA - 64 * KIB);
    lay_reservation(&l, BASE + 48 * GIB);
    expect_layout(&l, "below");
}

/* The kernel shows a guard page and the reservation below it as one mapping. */
Test(read_facts, stack_right_above_the_reservation)
{
    struct layout l = {.at = BASE + 12 * KIB};
    lay_reservation(&l, BASE + 48 * GIB + 4 * KIB);
    lay(&l, 1536 * KIB, USED, BLOCK_STACK);
    expect_layout(&l, "stack");
}

/* The kernel places later mappings right below earlier ones. */
Test(read_facts, stacks_and_native_blocks_right_below_the_reservation)
{
    struct layout l = {.at = BASE + 12 * KIB};
    lay(&l, 10 * MIB, USED, BLOCK_PRIVATE);
    lay(&l, 4 * KIB, RESERVED, BLOCK_PRIVATE);
    lay(&l, 8 * MIB, USED, BLOCK_STACK);
    lay(&l, 10 * MIB, USED, BLOCK_PRIVATE);
    lay(&l, 64 * KIB, RESERVED, BLOCK_PRIVATE);
    lay(&l, 1536 * KIB, USED, BLOCK_STACK);
    lay_reservation(&l, BASE + 48 * GIB);
    expect_layout(&l, "below");
    l = (struct layout){.at = BASE + 12 * KIB};
    lay(&l, 80 * KIB, USED, BLOCK_GC);
    lay(&l, 64 * KIB, RESERVED, BLOCK_GC);
    lay(&l, 900 * KIB, USED, BLOCK_GC);
    lay(&l, 68 * KIB, RESERVED, BLOCK_GC);
    lay(&l, 2 * MIB, USED, BLOCK_GC);
    lay(&l, 48 * GIB, RESERVED, BLOCK_GC);
    expect_layout(&l, "tables");
}

Test(read_facts, large_objects_at_the_upper_end_of_the_reservation)
{
    struct layout l = {.at = BASE + 12 * KIB};
    lay_reservation(&l, BASE + 48 * GIB - 32 * MIB);
    lay(&l, 28 * MIB, USED, BLOCK_GC);
    lay(&l, 4 * MIB, RESERVED, BLOCK_GC);
    lay(&l, ARENA, USED, BLOCK_GC); /* the layout of a full arena */
    lay(&l, 4 * MIB, RESERVED, BLOCK_GC);
    lay(&l, 20 * MIB, USED, BLOCK_GC);
    lay(&l, 8 * MIB, RESERVED, BLOCK_GC);
    lay(&l, 32 * MIB, USED, BLOCK_GC);
    expect_layout(&l, "large objects");
}

/* A decommitted range between regions may end where an arena would. */
Test(read_facts, holes_in_the_heap_are_not_arenas)
{
    struct layout l = {.at = BASE + 12 * KIB};
    lay(&l, 80 * KIB, USED, BLOCK_GC);
    lay_up_to(&l, BASE + ARENA, RESERVED, BLOCK_GC);
    lay(&l, 60 * MIB, USED, BLOCK_GC);
    lay(&l, 4 * MIB, RESERVED, BLOCK_GC);
    lay(&l, ARENA, USED, BLOCK_GC);
    lay(&l, 12 * MIB, RESERVED, BLOCK_GC);
    lay(&l, 500 * MIB, USED, BLOCK_GC);
    lay(&l, 40 * GIB, RESERVED, BLOCK_GC);
    expect_layout(&l, "holes");
}

Test(read_facts, large_private_block_right_below_the_reservation_is_native)
{
    struct layout l = {.at = BASE + 12 * KIB};
    lay(&l, 200 * MIB, USED, BLOCK_PRIVATE);
    lay(&l, 23 * MIB, RESERVED, BLOCK_GC);
    lay(&l, 12 * MIB, USED, BLOCK_GC);
    lay(&l, 40 * GIB, RESERVED, BLOCK_GC);
    expect_layout(&l, "native");
}

/* A limit of 128 MiB: the runtime reserves more for code. */
Test(read_facts, reservation_of_a_small_limit)
{
    struct layout l = {.at = BASE + 12 * KIB};
    lay_reservation(&l, BASE + 700 * MIB);
    l.at += GIB;
    lay(&l, 2011 * MIB, RESERVED, BLOCK_PRIVATE);
    expect_layout(&l, "limit");
    l = (struct layout){.at = BASE + 12 * KIB}; /* DOTNET_EnableWriteXorExecute=0 */
    lay_reservation(&l, BASE + 700 * MIB);
    l.at += GIB;
    lay(&l, 64 * KIB, USED, BLOCK_PRIVATE);
    lay(&l, 2011 * MIB, RESERVED, BLOCK_PRIVATE);
    expect_layout(&l, "limit, and code that is written in place");
}

/* .NET 6, or libclrgc.so: a first range of segments, of 256 MiB and 128 MiB each. */
Test(read_facts, segments)
{
    struct layout l = {.at = BASE};
    lay(&l, 16 * MIB, USED, BLOCK_GC);
    lay(&l, 240 * MIB, RESERVED, BLOCK_GC);
    lay(&l, 8 * KIB, USED, BLOCK_GC);
    lay(&l, 128 * MIB - 8 * KIB, RESERVED, BLOCK_GC);
    lay(&l, 72 * KIB, USED, BLOCK_GC);
    lay(&l, 128 * MIB - 72 * KIB, RESERVED, BLOCK_GC);
    lay_arena(&l, 132 * KIB);
    l.at += GIB + 4 * KIB;
    lay(&l, 2011 * MIB, RESERVED, BLOCK_PRIVATE);
    expect_layout(&l, "segments");
    l = (struct layout){.at = BASE};
    lay(&l, 200 * MIB, USED, BLOCK_PRIVATE); /* more than tables need */
    lay(&l, 56 * MIB, RESERVED, BLOCK_GC);
    lay(&l, 8 * KIB, USED, BLOCK_GC);
    lay(&l, 128 * MIB - 8 * KIB, RESERVED, BLOCK_GC);
    lay(&l, 300 * KIB, USED, BLOCK_GC);
    lay(&l, 128 * MIB, RESERVED, BLOCK_GC);
    expect_layout(&l, "a full one, which is no arena");
}

Test(read_facts, no_reservation)
{
    struct layout l = {.at = BASE + 12 * KIB};
    lay(&l, 300 * MIB, USED, BLOCK_PRIVATE);
    lay(&l, 4 * KIB, RESERVED, BLOCK_PRIVATE);
    lay(&l, 8 * MIB, USED, BLOCK_STACK);
    lay(&l, 60 * MIB, RESERVED, BLOCK_PRIVATE);
    l.at += MIB;
    lay(&l, 2011 * MIB, RESERVED, BLOCK_PRIVATE);
    expect_layout(&l, "none");
    blocks_classify(NULL, 0);
}

Test(read_facts, stacks_have_a_guard_right_below)
{
    struct layout l = {.at = BASE + 12 * KIB};
    lay(&l, 4 * KIB, RESERVED, BLOCK_PRIVATE);
    lay(&l, 60 * KIB, USED, BLOCK_PRIVATE); /* of signals: too small */
    lay(&l, 64 * KIB, RESERVED, BLOCK_PRIVATE);
    lay(&l, 64 * KIB, USED, BLOCK_STACK);
    lay(&l, 68 * KIB, RESERVED, BLOCK_PRIVATE);
    lay(&l, 8 * MIB, USED, BLOCK_PRIVATE); /* too large a guard */
    lay(&l, 4 * KIB, RESERVED, BLOCK_PRIVATE);
    l.at += 4 * KIB; /* a gap */
    lay(&l, 8 * MIB, USED, BLOCK_PRIVATE);
    expect_layout(&l, "stacks");
}

/* --- very many ---------------------------------------------------------------------- */

static double seconds_for(size_t count)
{
    struct memory_block *all = calloc(count, sizeof(*all));
    struct timespec begin, end;
    uint64_t at = BASE;
    for (size_t i = 0; i < count; i++) {
        uint64_t size = i % 3 == 0 ? 4 * KIB : i % 3 == 1 ? ARENA : 100 * KIB;
        all[i] = (struct memory_block){at, at + size, 4096, i % 3 != 2, BLOCK_PRIVATE};
        at += size;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    blocks_classify(all, count);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    free(all);
    return (double)(end.tv_sec - begin.tv_sec) +
           (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

Test(read_facts, hundred_thousand_blocks_take_milliseconds)
{
    cr_expect_lt(seconds_for(100000), 0.2, "linear, with all of them in one run");
}

/* --- this process ------------------------------------------------------------------- */

static uint64_t sum_of_kinds(const struct hd_process_facts *facts)
{
    uint64_t sum = 0;
    for (enum hd_fact f = HD_FACT_OF_GC; f <= HD_FACT_OF_SMALL; f++)
        sum += hd_fact(facts, f) != HD_UNKNOWN ? hd_fact(facts, f) : 0;
    return sum;
}

Test(read_facts, are_plausible_for_this_process)
{
    struct hd_process_facts facts = read_facts(getpid());
    uint64_t size = process_facts_size(&facts);
    int pipes[2];
    cr_assert_neq(size, HD_UNKNOWN);
    cr_expect_eq(sum_of_kinds(&facts), size, "kinds sum to what is resident or swapped");
    cr_expect_eq(hd_fact(&facts, HD_FACT_THREADS), 1);
    cr_expect_eq(facts.threads[0].count, 1);
    cr_expect_neq(facts.threads[0].name[0], '\0');
    cr_expect_gt(hd_fact(&facts, HD_FACT_MAPPINGS), 10);
    uint64_t before = hd_fact(&facts, HD_FACT_PIPES);
    cr_assert_eq(pipe(pipes), 0);
    facts = read_facts(getpid());
    cr_expect_eq(hd_fact(&facts, HD_FACT_PIPES), before + 2);
}

Test(read_facts, large_block_of_this_process_is_seen)
{
    struct hd_process_facts before = read_facts(getpid());
    char *block =
        mmap(NULL, 40 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(block != MAP_FAILED);
    memset(block, 1, 40 * MIB);
    struct hd_process_facts after = read_facts(getpid());
    uint64_t more = process_facts_size(&after) - process_facts_size(&before);
    cr_expect(more >= 40 * MIB && more < 48 * MIB, "%llu", (unsigned long long)more);
    munmap(block, 40 * MIB);
}

Test(read_facts, are_unknown_for_a_missing_process)
{
    struct hd_process_facts facts = read_facts(INT32_MAX);
    cr_expect_eq(facts.known, 0);
    cr_expect_eq(facts.threads[0].name[0], '\0');
}
