/* A core made from the parts that were read: read again, it is the same process, as far as
 * kept. */
#define _GNU_SOURCE /* memmem() */ /* NOLINT(bugprone-reserved-identifier) */
#include "clr/process/memory.h"
#include "clr/process/opened.h"
#include "clr/process/process_image.h"

enum { PAGE = WATCH_PAGE, RUNTIME = 0x100000 };

static const unsigned char bytes[2 * PAGE] = {1, 2, 3, 4, 5, 6, 7, 8};

static struct image_mapping mapping = {RUNTIME, RUNTIME + PAGE, 0,
                                       "/home/alice/shop/libcoreclr.so", 0};
static struct image_thread threads[] = {
    {.id = 7, .registers = {[19] = 0x20000, [31] = 0x20100}, .thread_pointer = 0x20800},
    {.id = 8, .registers = {0x30000}}};

static struct process_image process_on(unsigned machine, struct arena *a)
{
    const struct memory_piece pieces[] = {{0x20000, PAGE, bytes}, {0x21000, PAGE, bytes}};
    struct process_image p = {.memory = memory_of(pieces, 2, a),
                              .mappings = &mapping,
                              .mapping_count = 1,
                              .threads = threads,
                              .thread_count = 2,
                              .processor = processor_of(machine),
                              .page = 65536,
                              .pid = 4711,
                              .name = "secret name",
                              .command = "secret command",
                              .program_headers = 0x400040};
    memory_watch(&p.memory, a);
    memory_keep(&p.memory, 0x20001, 2);
    memory_keep(&p.memory, 0x21000, PAGE);
    return p;
}

static struct process_image process(struct arena *a)
{
    return process_on(MACHINE_X86_64, a);
}

static struct hd_memory written(const struct process_image *p,
                                const struct image_redaction *say)
{
    struct hd_memory file = {0};
    struct out o = {.to = hd_sink_memory(&file)};
    core_file_write(p, p->threads, RUNTIME, say, &o);
    cr_assert(out_finish(&o, NULL));
    return file;
}

Test(write_core_file, is_read_as_it_was_written)
{
    struct arena a = {0};
    struct process_image p = process(&a);
    const struct image_redaction say = {.process = "Shop",
                                        .runtime = "10.0.12",
                                        .lacking = "why not",
                                        .unread = 16,
                                        .unread_at = UINT64_MAX};
    struct hd_memory file = written(&p, &say);
    struct opened o = open_bytes((struct bytes){(unsigned char *)file.bytes, file.size});
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.image.pid, 4711);
    cr_expect_null(o.image.name);
    cr_expect_null(o.image.command);
    cr_expect_eq(o.image.program_headers, 0x400040);
    cr_assert_eq(o.image.thread_count, 2);
    cr_expect_eq(o.image.page, 65536);
    cr_expect_eq(o.image.threads[0].registers[19], 0x20000);
    cr_expect_eq(o.image.threads[1].id, 8);
    cr_expect_eq(o.image.threads[1].registers[0], 0x30000);
    cr_assert_eq(o.image.mapping_count, 1);
    cr_expect_eq(o.image.mappings[0].start, RUNTIME);
    cr_expect_str_eq(o.image.mappings[0].path, "libcoreclr.so");
    cr_expect(o.image.redaction.is_redacted);
    cr_expect_str_eq(o.image.redaction.process, "Shop");
    cr_expect_str_eq(o.image.redaction.runtime, "10.0.12");
    cr_expect_str_eq(o.image.redaction.lacking, "why not");
    cr_expect_eq(o.image.redaction.unread, 16);
    cr_expect_eq(o.image.redaction.unread_at, UINT64_MAX);
    /* Separate pieces remain separate. */
    cr_expect_eq(memory_from(&o.image.memory, 0x20000).size, PAGE);
    cr_expect_arr_eq(memory_at(&o.image.memory, 0x20000, 4), "\0\2\3\0", 4);
    cr_expect_arr_eq(memory_at(&o.image.memory, 0x21000, PAGE), bytes, PAGE);
    cr_expect_eq(o.image.lost, 0);
    close_core(&o);
    hd_memory_free(&file);
    arena_free(&a);
}

/* There the thread pointer is in a note after the registers. */
Test(write_core_file, keeps_the_processor_with_its_registers)
{
    struct arena a = {0};
    struct process_image p = process_on(MACHINE_AARCH64, &a);
    struct hd_memory file = written(&p, &(struct image_redaction){0});
    struct opened o = open_bytes((struct bytes){(unsigned char *)file.bytes, file.size});
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.image.processor, p.processor);
    cr_assert_eq(o.image.thread_count, 2);
    cr_expect_eq(o.image.threads[0].registers[31], 0x20100);
    cr_expect_eq(o.image.threads[0].thread_pointer, 0x20800);
    cr_expect_eq(o.image.threads[1].registers[0], 0x30000);
    cr_expect_eq(o.image.threads[1].thread_pointer, 0);
    close_core(&o);
    hd_memory_free(&file);
    arena_free(&a);
}

Test(write_core_file, writes_no_unknown_facts)
{
    static const char *const secrets[] = {
        "secret", "alice", "process=", "runtime=", "lacking=", "unread="};
    struct arena a = {0};
    struct process_image p = process(&a);
    struct hd_memory file = written(&p, &(struct image_redaction){0});
    for (size_t i = 0; i < sizeof(secrets) / sizeof(*secrets); i++)
        cr_expect_null(memmem(file.bytes, file.size, secrets[i], strlen(secrets[i])), "%s",
                       secrets[i]);
    struct opened o = open_bytes((struct bytes){(unsigned char *)file.bytes, file.size});
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect(o.image.redaction.is_redacted);
    cr_expect_null(o.image.redaction.process);
    cr_expect_eq(o.image.redaction.unread, 0);
    close_core(&o);
    hd_memory_free(&file);
    arena_free(&a);
}

Test(write_core_file, facts_of_the_process_are_a_note_of_their_own)
{
    static const char line[] = "resident=4096 threads=2";
    struct arena a = {0};
    struct process_image p = process(&a);
    const struct image_redaction say = {
        .facts = {(const unsigned char *)line, strlen(line)}};
    struct hd_memory file = written(&p, &say);
    struct opened o = open_bytes((struct bytes){(unsigned char *)file.bytes, file.size});
    cr_assert(o.ok, "%s", o.err.message);
    cr_assert_eq(o.image.facts.size, strlen(line));
    cr_expect_eq(memcmp(o.image.facts.data, line, strlen(line)), 0);
    cr_expect(o.image.redaction.is_redacted);
    close_core(&o);
    /* A note of another tool. */
    char *at = memmem(file.bytes, file.size, line, strlen(line));
    cr_assert_not_null(at);
    at[-(int)sizeof("heapdrift  ")] = 'H';
    o = open_bytes((struct bytes){(unsigned char *)file.bytes, file.size});
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.image.facts.size, 0);
    close_core(&o);
    hd_memory_free(&file);
    arena_free(&a);
}

/* Notes in this place that are not ours, or truncated. */
Test(write_core_file, a_damaged_note_gives_its_intact_part)
{
    struct arena a = {0};
    struct process_image p = process(&a);
    struct hd_memory file =
        written(&p, &(struct image_redaction){.process = "Shop", .runtime = "10.0.12"});
    char *at = memmem(file.bytes, file.size, "process=", 8);
    cr_assert_not_null(at);
    memset(at, 'x', strlen("process=Shop") + 1 + strlen("runtime=10.0.12") + 1);
    struct opened o = open_bytes((struct bytes){(unsigned char *)file.bytes, file.size});
    cr_assert(o.ok);
    cr_expect(o.image.redaction.is_redacted);
    cr_expect_null(o.image.redaction.process);
    close_core(&o);
    at = memmem(file.bytes, file.size, CORE_NOTE, sizeof(CORE_NOTE));
    cr_assert_not_null(at);
    at[0] = 'H';
    o = open_bytes((struct bytes){(unsigned char *)file.bytes, file.size});
    cr_assert(o.ok);
    cr_expect_not(o.image.redaction.is_redacted);
    close_core(&o);
    hd_memory_free(&file);
    arena_free(&a);
}

/* --- more segments than 16 bits can count ------------------------------------------- */

struct beginning {
    struct text kept;
    size_t most;
};

static int keep_beginning(void *context, const void *some, size_t size)
{
    struct beginning *b = context;
    size_t left = b->most - b->kept.len;
    text_add(&b->kept, some, size < left ? size : left);
    return 0;
}

Test(write_core_file, counts_many_segments_in_section_0)
{
    enum { MANY = 70000 };
    struct arena a = {0};
    struct beginning b = {.most = 5 << 20};
    struct memory_piece *pieces = calloc(MANY, sizeof(*pieces));
    cr_assert_not_null(pieces);
    for (size_t i = 0; i < MANY; i++)
        pieces[i] = (struct memory_piece){0x1000000 + 2 * PAGE * i, 8, bytes};
    struct process_image p = {.memory = memory_of(pieces, MANY, &a),
                              .processor = processor_of(MACHINE_X86_64),
                              .pid = HD_UNKNOWN};
    memory_watch(&p.memory, &a);
    for (size_t i = 0; i < MANY; i++)
        memory_keep(&p.memory, pieces[i].address, 8);
    struct out o = {.to = {keep_beginning, &b}};
    core_file_write(&p, NULL, RUNTIME, &(struct image_redaction){0}, &o);
    cr_assert(out_finish(&o, NULL));
    const unsigned char *head = (const unsigned char *)b.kept.data;
    uint64_t section = le_u64(head + 40);
    cr_expect_eq(le_u16(head + 56), 0xffff);
    cr_assert_lt(section + 64, b.kept.len);
    cr_expect_eq(le_u32(head + section + 44), MANY + 1);
    /* All except the last segments is missing, which is reported. */
    struct opened again = open_bytes((struct bytes){head, b.kept.len});
    cr_assert(again.ok, "%s", again.err.message);
    cr_expect_gt(again.image.lost, 0);
    close_core(&again);
    text_free(&b.kept);
    free(pieces);
    arena_free(&a);
}
