/* Cores requested from a runtime: a peer writes a file, or refuses. */
#include "heapdrift.h"

#include "support/outcome.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(dump, .init = open_scratch, .fini = remove_scratch, .timeout = 60);

static const struct bytes core = {(const unsigned char *)"\177ELF and all that it knows",
                                  26};

struct dumped {
    bool ok;
    struct hd_collected got;
    struct hd_error err;
    struct peer_log log;
    char written[64];
};

static bool never(void *context, const struct hd_collect_progress *so_far)
{
    (void)context;
    (void)so_far;
    return false;
}

/* Into a file of this name, or an unnamed one. */
static struct dumped ask(const struct peer_script *script, const char *name,
                         struct hd_collect_options how)
{
    struct dumped d = {.ok = false};
    const char *path = scratch_path(&scratch, "dotnet-diagnostic-77-1-socket");
    struct peer *peer = peer_start(path, script);
    FILE *to = name != NULL ? fopen(scratch_path(&scratch, name), "w+") : tmpfile();
    how.socket = path;
    how.silence_ms = how.silence_ms > 0 ? how.silence_ms : SILENCE_MS;
    d.ok = hd_collect_core(to, HD_CORE_HEAP, &how, &d.got, &d.err);
    d.log = peer_stop(peer);
    cr_expect_geq(pread(fileno(to), d.written, sizeof(d.written) - 1, 0), 0);
    fclose(to);
    cr_assert(d.ok == (d.err.status == HD_OK), "%s", d.err.message);
    return d;
}

static void fails_with(struct dumped d, enum hd_status status, const char *words)
{
    cr_expect_not(d.ok);
    cr_expect_eq(d.err.status, status, "%s", d.err.message);
    cr_expect_not_null(strstr(d.err.message, words), "%s", d.err.message);
}

/* Files that a dump has left in the folder of the socket. */
static size_t leftovers(void)
{
    size_t count = 0;
    DIR *folder = opendir(scratch.folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;)
        count += strncmp(e->d_name, "heapdrift-", 10) == 0;
    closedir(folder);
    return count;
}

Test(dump, is_written_where_it_is_wanted)
{
    const struct peer_script script = {.dump = core};
    struct dumped d = ask(&script, "50%.core", (struct hd_collect_options){0});
    cr_assert(d.ok, "%s", d.err.message);
    cr_expect_str_eq(d.log.dump_path, scratch_path(&scratch, "50%%.core"),
                     "createdump's own words are told apart: %s", d.log.dump_path);
    cr_expect_eq(d.log.dump_type, 2);
    cr_expect_eq(d.got.pid, (uint64_t)getpid());
}

Test(dump, is_written_by_our_descriptor_where_the_file_has_no_name)
{
    const struct peer_script script = {.dump = core};
    struct dumped d = ask(&script, NULL, (struct hd_collect_options){0});
    cr_assert(d.ok, "%s", d.err.message);
    char ours[64];
    snprintf(ours, sizeof(ours), "/proc/%ld/fd/", (long)getpid());
    cr_expect_eq(strncmp(d.log.dump_path, ours, strlen(ours)), 0, "%s", d.log.dump_path);
    cr_expect_str_eq(d.written, (const char *)core.data);
    cr_expect_eq(d.got.bytes, core.size);
    cr_expect_eq(leftovers(), 0);
}

Test(dump, asks_older_runtimes_in_older_words)
{
    const struct peer_script script = {.dump = core, .newest_dump = 0x0101};
    struct dumped d = ask(&script, "a.core", (struct hd_collect_options){0});
    cr_assert(d.ok, "%s", d.err.message);
    cr_expect_eq(d.log.count, 3);
    cr_expect_eq(d.log.commands[0], 0x0103);
    cr_expect_eq(d.log.commands[2], 0x0101);
}

Test(dump, the_reason_of_the_runtime_is_passed_on_in_one_line)
{
    struct peer_script script = {.habit = PEER_REFUSES,
                                 .refusal = 0x80004005,
                                 .refuses_for = "[createdump] no\n  space left\n"};
    fails_with(ask(&script, "a.core", (struct hd_collect_options){0}), HD_UNSUPPORTED,
               "the runtime wrote no dump: [createdump] no space left");
    script.newest_dump = 0x0102;
    fails_with(ask(&script, "a.core", (struct hd_collect_options){0}), HD_UNSUPPORTED,
               "(0x80004005)");
    cr_expect_eq(leftovers(), 0);
}

Test(dump, a_missing_or_invalid_one_is_reported)
{
    struct peer_script script = {.dump = {NULL, 0}};
    fails_with(ask(&script, NULL, (struct hd_collect_options){0}), HD_UNSUPPORTED,
               "in its own file system, which is not visible from here");
    script.dump = (struct bytes){(const unsigned char *)"MDMP....", 8};
    fails_with(ask(&script, NULL, (struct hd_collect_options){0}), HD_UNSUPPORTED,
               "not written an ELF core");
    cr_expect_eq(leftovers(), 0);
}

Test(dump, waits_while_the_file_grows_but_not_indefinitely)
{
    struct peer_script script = {.dump = core, .wait_ms = SILENCE_MS / 2};
    cr_expect(ask(&script, NULL, (struct hd_collect_options){0}).ok);
    script.habit = PEER_SAYS_NOTHING;
    fails_with(ask(&script, NULL, (struct hd_collect_options){0}), HD_TIMED_OUT,
               "the runtime wrote nothing for 0.4 s");
    fails_with(ask(&script, NULL, (struct hd_collect_options){.go_on = never}),
               HD_CANCELLED, "stopped");
    script.habit = PEER_HANGS_UP;
    fails_with(ask(&script, NULL, (struct hd_collect_options){0}), HD_IO, "has it exited?");
    cr_expect_eq(leftovers(), 0);
}

/* milliseconds; a busy machine is never silent for this long */
enum { PATIENT_MS = 20 * 1000 };

/* Cancels after the request: the earlier calls take no time. */
static bool not_for_long(void *context, const struct hd_collect_progress *so_far)
{
    int *calls = context;
    (void)so_far;
    if (++*calls > 3)
        poll(NULL, 0, 20);
    return *calls < 8;
}

/* If it were removed before it is created, it would remain. */
Test(dump, one_that_is_not_wanted_any_more_is_begun_before_it_is_removed)
{
    const struct peer_script script = {.dump = core, .begins_ms = 1500};
    int calls = 0;
    struct dumped d =
        ask(&script, NULL,
            (struct hd_collect_options){
                .silence_ms = PATIENT_MS, .go_on = not_for_long, .context = &calls});
    fails_with(d, HD_CANCELLED, "stopped");
    cr_expect_eq(d.log.count, 1, "it was asked for");
    cr_expect_eq(leftovers(), 0);
}

/* For a process that may not write to our file. */
static bool count_names(void *context, const struct hd_collect_progress *so_far)
{
    size_t *most = context;
    if (so_far != NULL && so_far->bytes > 0 && leftovers() > *most)
        *most = leftovers();
    return true;
}

/* So that kill -9 leaves no file. */
Test(dump, a_file_next_to_the_socket_is_unlinked_when_it_is_created)
{
    const struct peer_script script = {.dump = core, .wait_ms = SILENCE_MS - 50};
    const char *path = scratch_path(&scratch, "dotnet-diagnostic-77-1-socket");
    struct peer *peer = peer_start(path, &script);
    size_t named = 0;
    struct hd_collected got;
    struct hd_error err = {0};
    const struct hd_collect_options how = {
        .socket = path, .silence_ms = PATIENT_MS, .go_on = count_names, .context = &named};
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    FILE *to = fdopen(ends[1], "w");
    bool ok = hd_collect_core(to, HD_CORE_HEAP, &how, &got, &err);
    struct peer_log log = peer_stop(peer);
    char written[64] = "";
    fclose(to);
    cr_expect_eq(read(ends[0], written, sizeof(written) - 1), (ssize_t)core.size);
    close(ends[0]);
    cr_assert(ok, "%s", err.message);
    cr_expect_str_eq(written, (const char *)core.data);
    cr_expect_not_null(strstr(log.dump_path, "/heapdrift-"), "%s", log.dump_path);
    cr_expect_eq(named, 0);
    cr_expect_eq(leftovers(), 0);
}
