/* Memory of a process without .NET: the copied part, and the resulting core. */
#include "clr/process/process_image.h"
#include "collect/process_copy.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(direct, .timeout = 60);

/* 256 pages, of which the first is written, the third read, the last written. */
enum { PAGES = 256 };

static unsigned char *pages;
static pid_t process;

static void begin(void)
{
    int ready[2];
    char byte;
    cr_assert_eq(pipe(ready), 0);
    pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        memset(pages, 'a', PAGE);
        memset(pages + (size_t)(PAGES - 1) * PAGE, 'z', PAGE);
        byte = (char)*(volatile unsigned char *)(pages + (size_t)2 * PAGE);
        if (write(ready[1], &byte, 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    cr_assert_eq(read(ready[0], &byte, 1), 1);
}

static void end(void)
{
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

struct snapshot_result {
    struct process_copy of;
    struct core_thread thread;
};

static void look(struct snapshot_result *t)
{
    struct hd_error err = {0};
    *t = (struct snapshot_result){.of = {.processor = processor_here(),
                                         .pid = process,
                                         .mem = -1,
                                         .output = {.fd = fileno(tmpfile())}}};
    cr_assert(address_space_read(&t->of.space, process, &t->of.arena));
    cr_assert(page_source_open(&t->of.pages, process, &err), "%s", err.message);
    cr_assert(runs_find(&t->of.runs, &t->of.pages, &t->of.space, &err), "%s", err.message);
}

static bool is_copied(const struct snapshot_result *t, size_t page)
{
    uint64_t at = (uint64_t)(uintptr_t)pages + page * PAGE;
    for (size_t i = 0; i < t->of.runs.count; i++)
        if (at >= t->of.runs.all[i].address &&
            at < t->of.runs.all[i].address + t->of.runs.all[i].size)
            return true;
    return false;
}

Test(direct, untouched_pages_are_not_copied)
{
    struct snapshot_result t;
    begin();
    look(&t);
    cr_expect(is_copied(&t, 0));
    cr_expect_not(is_copied(&t, 1));
    cr_expect_not(is_copied(&t, PAGES - 2));
    cr_expect(is_copied(&t, PAGES - 1));
    uint64_t sum = 0;
    for (size_t i = 0; i < t.of.runs.count; i++)
        sum += t.of.runs.all[i].size;
    cr_expect_eq(sum, t.of.runs.size);
    for (size_t i = 1; i < t.of.runs.span_count; i++) {
        cr_expect_geq(t.of.runs.spans[i].address,
                      t.of.runs.spans[i - 1].address + t.of.runs.spans[i - 1].size);
        cr_expect_eq(t.of.runs.spans[i].at,
                     t.of.runs.spans[i - 1].at + t.of.runs.spans[i - 1].size);
    }
    process_copy_close(&t.of);
    end();
}

static bool copy(const struct thread_freeze *frozen, void *context, struct hd_error *err)
{
    struct snapshot_result *t = context;
    const uint32_t note = processor_here()->thread_pointer_note;
    t->thread = (struct core_thread){.id = frozen->threads[0].id};
    if (note != 0)
        thread_freeze_registers(frozen, 0, note, &t->thread.thread_pointer, 8);
    return thread_freeze_registers(frozen, 0, NT_PRSTATUS, &t->thread.registers,
                                   sizeof(t->thread.registers)) &&
           copy_runs(&t->of, frozen, UINT64_MAX, err);
}

static void write_core(struct snapshot_result *t)
{
    struct hd_error err = {0};
    uint64_t size, stood;
    const struct meanwhile m = {.work = copy, .context = t};
    cr_assert(proc_read(&t->of.proc, process, &t->of.arena));
    t->of.proc.short_name = "counting";
    t->of.proc.command = "counting --all";
    images_find(&t->of);
    cr_assert(copy_output_make(&t->of.output,
                               process_copy_runs_at(&t->of) + t->of.runs.span_size, &err));
    images_copy(&t->of, &(struct patience){.silence_ms = 5000});
    cr_assert(thread_freeze_run(process, &m, &stood, &err), "%s", err.message);
    cr_assert(core_write_rest(t->of.output.fd, &t->of, &t->thread, 1, &size, &err), "%s",
              err.message);
}

static unsigned char byte_at(const struct process_image *image, size_t page)
{
    bool ok = true;
    return memory_u8(&image->memory, (uint64_t)(uintptr_t)pages + page * PAGE + 7, &ok);
}

Test(direct, a_core_holds_memory_zeros_registers_files_and_the_program)
{
    struct snapshot_result t;
    struct process_image image;
    struct hd_error err = {0};
    bool ok = true;
    begin();
    look(&t);
    write_core(&t);
    off_t size = lseek(t.of.output.fd, 0, SEEK_END);
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, t.of.output.fd, 0);
    cr_assert(
        core_file_open(&image, (struct bytes){bytes, (size_t)size}, &t.of.arena, &err),
        "%s", err.message);
    cr_expect_eq(byte_at(&image, 0), 'a');
    cr_expect_eq(byte_at(&image, 1), 0);
    cr_expect_eq(byte_at(&image, PAGES - 1), 'z');
    cr_expect_not_null(
        memory_at(&image.memory, (uint64_t)(uintptr_t)pages, (uint64_t)PAGES * PAGE));
    cr_expect_eq(image.pid, (uint64_t)process);
    cr_expect_str_eq(image.name, "counting");
    cr_assert_eq(image.thread_count, 1);
    uint64_t stack = image.threads[0].registers[image.processor->stack_pointer];
    memory_u64(&image.memory, stack, &ok);
    cr_expect(ok, "the stack is there");
    cr_expect_neq(image.threads[0].thread_pointer, 0);
    const struct image_mapping *program =
        image_mapping_at(&image, (uint64_t)(uintptr_t)&write_core);
    cr_assert_not_null(program);
    const void *code = memory_at(&image.memory, (uint64_t)(uintptr_t)&write_core, 64);
    cr_assert_not_null(code, "the program's own file is taken along");
    cr_expect_arr_eq(code, (const void *)(uintptr_t)&write_core, 64);
    process_image_close(&image);
    munmap(bytes, (size_t)size);
    process_copy_close(&t.of);
    end();
}

Test(direct, a_process_without_dotnet_is_refused_and_not_stopped)
{
    struct hd_error err = {0};
    struct hd_collected got;
    begin();
    FILE *to = tmpfile();
    const struct hd_collect_options how = {.size = sizeof(how), .pid = (uint64_t)process};
    cr_expect_not(hd_collect_direct(to, &how, &got, &err));
    cr_expect_eq(err.status, HD_UNSUPPORTED);
    cr_expect_not_null(strstr(err.message, "has no .NET runtime"), "%s", err.message);
    cr_expect_eq(got.tries, 0);
    end();
    err = (struct hd_error){0};
    cr_expect_not(hd_collect_direct(to, &how, &got, &err));
    cr_expect_eq(err.status, HD_IO);
    cr_expect_not_null(strstr(err.message, "no process "), "%s", err.message);
    fclose(to);
}
