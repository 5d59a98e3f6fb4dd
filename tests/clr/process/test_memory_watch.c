/* Bytes that were read are kept, and no others. */
#include "clr/process/memory.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PAGE = WATCH_PAGE, SIZE = 3 * PAGE };

static unsigned char bytes[SIZE];
static struct arena arena;

static void begin(void)
{
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i % 255 + 1);
}

static void end(void)
{
    arena_free(&arena);
}

TestSuite(memory_watch, .init = begin, .fini = end);

/* A piece that begins inside a page, and another one after a gap. */
static struct memory watched(void)
{
    const struct memory_piece pieces[] = {{0x10800, PAGE, bytes},
                                          {0x20000, 16, bytes + PAGE}};
    struct memory m = memory_of(pieces, 2, &arena);
    memory_watch(&m, &arena);
    return m;
}

/* A byte in the file; -1: its page is missing. */
static int kept(const struct memory *m, uint64_t address)
{
    uint64_t begin = 0, size;
    unsigned char byte;
    for (; (size = memory_kept_from(m, &begin)) > 0; begin += size)
        if (address >= begin && address - begin < size) {
            memory_kept_copy(m, address, 1, &byte);
            return byte;
        }
    return -1;
}

Test(memory_watch, unread_memory_is_not_kept)
{
    struct memory m = watched();
    uint64_t at = 0;
    cr_expect_eq(memory_kept_from(&m, &at), 0);
    memory_from(&m, 0x10800);
    cr_expect_eq(memory_kept_from(&m, &at), 0);
}

Test(memory_watch, bytes_that_were_read_are_kept_and_their_neighbors_zeroed)
{
    struct memory m = watched();
    bool ok = true;
    memory_u32(&m, 0x10900, &ok);
    memory_at(&m, 0x20004, 2);
    cr_expect_eq(kept(&m, 0x108ff), 0);
    for (uint64_t at = 0x10900; at < 0x10904; at++)
        cr_expect_eq(kept(&m, at), bytes[at - 0x10800]);
    cr_expect_eq(kept(&m, 0x10904), 0);
    cr_expect_eq(kept(&m, 0x11000), -1, "another page");
    cr_expect_eq(kept(&m, 0x20004), bytes[PAGE + 4]);
    cr_expect_eq(kept(&m, 0x20006), 0);
}

Test(memory_watch, a_copy_out_of_two_pieces_is_kept_in_both)
{
    const struct memory_piece pieces[] = {{0x1000, PAGE, bytes}, {0x2000, PAGE, bytes}};
    struct memory m = memory_of(pieces, 2, &arena);
    bool ok = true;
    memory_watch(&m, &arena);
    memory_u64(&m, 0x1ffc, &ok);
    cr_expect(ok);
    cr_expect_eq(kept(&m, 0x1ffb), 0);
    cr_expect_eq(kept(&m, 0x1ffc), bytes[PAGE - 4]);
    cr_expect_eq(kept(&m, 0x2003), bytes[3]);
    cr_expect_eq(kept(&m, 0x2004), 0);
    /* Two pieces remain two runs. */
    uint64_t at = 0;
    cr_expect_eq(memory_kept_from(&m, &at), PAGE);
    cr_expect_eq(at, 0x1000);
}

Test(memory_watch, tentative_reads_are_not_kept_but_named_ranges_are)
{
    struct memory m = watched();
    bool ok = true;
    cr_expect_not(memory_look_away(&m, true));
    memory_u64(&m, 0x10800, &ok);
    memory_keep(&m, 0x10810, 1);
    cr_expect(memory_look_away(&m, false));
    cr_expect_eq(kept(&m, 0x10800), 0);
    cr_expect_eq(kept(&m, 0x10810), bytes[0x10]);
}

Test(memory_watch, a_page_that_is_held_is_there_with_zeros)
{
    struct memory m = watched();
    memory_hold(&m, 0x10fff, 2);
    cr_expect_eq(kept(&m, 0x10800), 0);
    cr_expect_eq(kept(&m, 0x117ff), 0, "the rest of the piece");
    cr_expect_eq(kept(&m, 0x20000), -1);
    memory_keep(&m, 0x20000, 16);
    memory_forget(&m, 0x20000, 8);
    cr_expect_eq(kept(&m, 0x20007), 0);
    cr_expect_eq(kept(&m, 0x20008), bytes[PAGE + 8]);
}

Test(memory_watch, without_a_watch_reads_have_no_effect)
{
    const struct memory_piece piece = {0x1000, PAGE, bytes};
    struct memory m = memory_of(&piece, 1, &arena);
    bool ok = true;
    memory_keep(&m, 0x1000, 8);
    memory_hold(&m, 0x1000, 8);
    memory_forget(&m, 0x1000, 8);
    cr_expect_not(memory_look_away(&m, true));
    cr_expect_neq(memory_u64(&m, 0x1000, &ok), 0);
}

/* Compared with a flag for each byte. */
Test(memory_watch, is_as_a_list_of_all_bytes)
{
    enum { ROUNDS = 300, CHANGES = 12, BEGIN = 0x5f00 };
    struct random random = random_from(5);
    for (int round = 0; round < ROUNDS; round++) {
        struct arena a = {0};
        const struct memory_piece piece = {BEGIN, SIZE, bytes};
        struct memory m = memory_of(&piece, 1, &a);
        unsigned char wanted[SIZE] = {0}, found[SIZE] = {0};
        memory_watch(&m, &a);
        for (int i = 0; i < CHANGES; i++) {
            uint32_t from = random_below(&random, SIZE), size = random_below(&random, 300);
            uint32_t end = from + size < SIZE ? from + size : (uint32_t)SIZE;
            bool keeps = random_below(&random, 3) > 0;
            if (keeps)
                memory_keep(&m, BEGIN + from, size);
            else
                memory_forget(&m, BEGIN + from, size);
            for (uint32_t k = from; k < end; k++)
                wanted[k] = keeps ? bytes[k] : 0;
        }
        uint64_t at = 0, size;
        for (; (size = memory_kept_from(&m, &at)) > 0; at += size)
            for (uint64_t k = at; k < at + size; k++)
                memory_kept_copy(&m, k, 1, &found[k - BEGIN]);
        cr_assert_arr_eq(found, wanted, SIZE);
        arena_free(&a);
    }
}
