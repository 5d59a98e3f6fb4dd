/* Sessions with a peer that plays recorded streams, whole and damaged, or misbehaves. */
#include "heapdrift.h"

#include "support/outcome.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
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

TestSuite(collect, .init = open_scratch, .fini = remove_scratch, .timeout = 240);

/* --- a session ------------------------------------------------------------------- */

#define NET10 "fixtures/leaklab/nettrace/1.nettrace.zst"
#define NET31 "fixtures/nettrace-real/leak31_first.nettrace.zst"

static struct outcome collect_with(const struct peer_script *script,
                                   struct hd_collect_options how)
{
    return outcome_of(&scratch, script, how);
}

static struct outcome collect(const struct peer_script *script)
{
    return collect_with(script, (struct hd_collect_options){0});
}

/* One recording from an honest peer. */
static struct outcome collect_recording(const char *path, unsigned newest, size_t tail)
{
    struct bytes stream = outcome_recording(path);
    const struct peer_script script = {
        .streams = &stream, .stream_count = 1, .newest_command = newest, .tail = tail};
    struct outcome o = collect(&script);
    cr_assert(o.ok, "%s: %s", path, o.err.message);
    cr_assert(o.written.size == stream.size &&
                  memcmp(o.written.data, stream.data, stream.size) == 0,
              "%s is not what was sent", path);
    free((void *)o.written.data);
    free((void *)stream.data);
    return o;
}

/* --- honest peers ---------------------------------------------------------------- */

Test(collect, copies_the_stream_and_counts_what_is_in_it)
{
    struct outcome o = collect_recording(NET10, 0, 0);
    cr_expect_eq(o.got.objects, 40451);
    cr_expect_eq(o.got.object_bytes, 2572179);
    cr_expect_eq(o.got.references, 53237);
    cr_expect_eq(o.got.unnamed, 0);
    cr_expect_eq(o.got.events_lost, 0);
    cr_expect(o.got.complete);
    cr_expect_not(o.got.other_client);
    cr_expect_eq(o.got.pid, (uint64_t)getpid());
    /* 25 ms by the times of the trace, which was played faster. */
    cr_expect_gt(o.got.paused_us, 0);
    cr_expect_leq((double)o.got.paused_us, o.seconds * 1e6 + 2000);
}

Test(collect, asks_from_the_newest_command_down_and_stops_once)
{
    struct outcome o = collect_recording(NET10, 0x0206, 0);
    cr_assert_eq(o.log.count, 3);
    cr_expect_eq(o.log.commands[0], 0x0207);
    cr_expect_eq(o.log.commands[1], 0x0206);
    cr_expect_eq(o.log.commands[2], 0x0201);
    o = collect_recording(NET31, 0x0203, 0);
    cr_expect_eq(o.log.commands[o.log.count - 2], 0x0203);
    cr_expect_eq(o.log.stops, 1);
    cr_expect_eq(o.log.flushes, 0);
}

/* The end of the stream follows the stop, as with a runtime. */
Test(collect, stops_at_the_end_of_the_walk_and_reads_on)
{
    enum { END_TAG = 1 };
    struct outcome o = collect_recording(NET10, 0, 16384);
    cr_expect_eq(o.got.objects, 40451);
    cr_expect_lt(o.seconds, 0.35 * outcome_busy(), "waited for silence: %f", o.seconds);
    o = collect_recording("fixtures/nettrace-real/leak31_servergc.nettrace.zst", 0x0203,
                          END_TAG);
    cr_expect_eq(o.got.objects, 16526);
    cr_expect(o.got.complete);
}

Test(collect, reads_what_net_core_3_sent)
{
    struct outcome o = collect_recording(NET31, 0x0203, 0);
    cr_expect_eq(o.got.objects, 8526);
    cr_expect_eq(o.got.object_bytes, 2001799);
    cr_expect_eq(o.got.references, 9788);
    cr_expect_eq(o.got.unnamed, 0);
    cr_expect(o.got.complete);
    o = collect_recording("fixtures/nettrace-real/leak31_gens_rundown.nettrace.zst", 0x0203,
                          0);
    cr_expect_eq(o.got.objects, 8526);
}

Test(collect, marks_a_stream_with_losses_as_incomplete)
{
    struct outcome o =
        collect_recording("fixtures/nettrace-real/leak31_dropped_1mb.nettrace.zst", 0, 0);
    cr_expect_not(o.got.complete);
    cr_expect_eq(o.got.objects, 48192);
    o = collect_recording("fixtures/leaklab/odd/lossy.nettrace.zst", 0, 0);
    cr_expect_not(o.got.complete);
    cr_expect_gt(o.got.events_lost, 0);
}

/* --- names ----------------------------------------------------------------------- */

#define NAMELESS "fixtures/nettrace-real/leak31_unknown_types.nettrace.zst"

static void expect_named_again(unsigned newest_command)
{
    struct bytes streams[] = {outcome_recording(NAMELESS), outcome_recording(NET31)};
    const struct peer_script script = {
        .streams = streams, .stream_count = 2, .newest_command = newest_command};
    struct outcome o = collect(&script);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.log.sessions, 2);
    cr_expect_eq(o.log.flushes, 1);
    cr_expect_eq(o.log.stops, 3);
    cr_expect_eq(o.got.unnamed, 0);
    cr_expect_not(o.got.other_client);
    cr_expect_eq(o.written.size, streams[1].size);
    cr_expect_eq(memcmp(o.written.data, streams[1].data, streams[1].size), 0);
    free((void *)o.written.data);
    free((void *)streams[0].data);
    free((void *)streams[1].data);
}

Test(collect, has_a_runtime_name_its_types_again)
{
    expect_named_again(0x0203);
    expect_named_again(0x0207);
}

Test(collect, reports_another_client_that_prevents_names)
{
    struct outcome o = collect_recording(NAMELESS, 0x0206, 0);
    cr_expect(o.got.other_client);
    cr_expect_eq(o.got.unnamed, o.got.types);
    cr_expect_eq(o.got.client_count, 0, "this process is not told");
    cr_expect_eq(o.log.sessions, 2, "it is asked once more");
}

/* --- near a limit ------------------------------------------------------------------ */

#define MIB (UINT64_C(1) << 20)

static uint64_t left_to_process(void *context, uint64_t pid)
{
    cr_expect_eq(pid, (uint64_t)getpid());
    return *(const uint64_t *)context;
}

/* A process with this runtime, and memory left for this many MiB. */
static struct outcome collect_held(const char *runtime, unsigned newest, uint64_t left_mib,
                                   bool never_walks, size_t tail)
{
    struct bytes stream = outcome_recording(NET10);
    uint64_t left = left_mib * MIB;
    const struct peer_script script = {.streams = &stream,
                                       .stream_count = 1,
                                       .newest_command = newest,
                                       .runtime = runtime,
                                       .tail = tail,
                                       .never_walks = never_walks};
    const struct hd_collect_options how = {.size = sizeof(how),
                                           .silence_ms = 20000,
                                           .memory_left = left_to_process,
                                           .context = &left,
                                           .expected_bytes = 500 * MIB};
    struct outcome o = collect_with(&script, how);
    cr_expect(!o.ok || (o.written.size == stream.size &&
                        memcmp(o.written.data, stream.data, stream.size) == 0),
              "%zu bytes, not the %zu that were sent", o.written.size, stream.size);
    free((void *)o.written.data);
    free((void *)stream.data);
    return o;
}

static struct outcome collect_near_limit(const char *runtime, unsigned newest,
                                         uint64_t left_mib, bool never_walks)
{
    return collect_held(runtime, newest, left_mib, never_walks, 0);
}

Test(collect, near_a_limit_reads_the_heap_while_it_is_walked)
{
    struct outcome o = collect_near_limit("10.0.12", 0x0206, 400, false);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.got.objects, 40451);
    cr_expect_eq(o.log.sessions, 1);
    cr_expect_eq(o.log.collections, 1);
    cr_expect_eq(o.log.stops, 1);
    cr_expect_eq(o.log.buffer_mb, 342);
    /* The session that forces the collection is stopped first. */
    cr_expect_eq(o.log.commands[o.log.count - 1], 0x0201);
    cr_expect_eq(o.log.commands[o.log.count - 2], 0x0201);
}

/* If the event of its end was lost, or is delayed. */
Test(collect, near_a_limit_waits_for_no_end_of_the_collection)
{
    static const struct {
        const char *runtime;
        unsigned newest, left_mib;
        size_t collections;
    } cases[] = {{"10.0.12", 0x0206, 400, 1}, {"9.0.20", 0x0205, 800, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct outcome o = collect_held(cases[i].runtime, cases[i].newest,
                                        cases[i].left_mib, false, 200000);
        cr_assert(o.ok, "%s", o.err.message);
        cr_expect_eq(o.got.objects, 40451);
        cr_expect_eq(o.log.collections, cases[i].collections);
        cr_expect_eq(o.log.stops, 1);
        cr_expect_lt(o.seconds, 10 * outcome_busy());
    }
}

Test(collect, with_room_reads_the_heap_after_the_walk)
{
    struct outcome o = collect_near_limit("10.0.12", 0x0206, 2000, false);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.log.collections, 0);
    cr_expect_eq(o.log.buffer_mb, 1024);
    o = collect_near_limit("11.0.0", 0x0207, 30, false);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.log.collections, 0);
    cr_expect_eq(o.log.buffer_mb, 18);
}

Test(collect, asks_no_process_that_its_heap_could_kill)
{
    static const char words[] = "its memory limit leaves 100: it could be killed";
    struct outcome o = collect_near_limit("10.0.12", 0x0206, 100, false);
    outcome_fails_with(o, HD_TOO_BIG, words);
    cr_expect_eq(o.err.topic, HD_ABOUT_LIMIT);
    cr_expect_eq(o.log.sessions + o.log.collections, 0);
    o = collect_near_limit("9.0.20", 0x0205, 100, false);
    outcome_fails_with(o, HD_TOO_BIG, words);
    cr_expect_eq(o.log.sessions + o.log.collections, 0);
}

Test(collect, asks_a_runtime_that_no_other_session_makes_walk_in_one)
{
    struct outcome o = collect_near_limit("10.0.12", 0x0206, 400, true);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.got.objects, 40451);
    cr_expect_eq(o.log.sessions, 2);
    cr_expect_eq(o.log.collections, 1);
    cr_expect_eq(o.log.stops, 2);
}

/* --- cuts and damage ------------------------------------------------------------- */

/* `make check-full` truncates at every 1,000th byte of all of them. */
static size_t step_of(size_t quick)
{
    return getenv("HEAPDRIFT_FULL") != NULL ? 1000 : quick;
}

static void cut_everywhere(const char *path, size_t step)
{
    struct bytes stream = outcome_recording(path);
    struct peer_script script = {.habit = PEER_DIES,
                                 .streams = &stream,
                                 .stream_count = 1,
                                 .newest_command = 0x0206};
    for (size_t cut = 0; cut < stream.size; cut += step) {
        script.cut = cut;
        /* A dead peer times out; one that the machine has not scheduled must not. */
        struct outcome o =
            collect_with(&script, (struct hd_collect_options){.silence_ms = 30000});
        cr_assert_not(o.ok, "%s: cut at %zu", path, cut);
        cr_assert_eq(o.err.status, HD_IO, "%zu: %s", cut, o.err.message);
        cr_assert_lt(o.seconds, 2 * outcome_busy(), "%zu took %f s", cut, o.seconds);
    }
    script.cut = stream.size - 1;
    cr_assert_not(collect(&script).ok);
    free((void *)stream.data);
}

Test(collect, fails_at_every_cut_of_a_stream)
{
    cut_everywhere(NET31, 1000);
}

Test(collect, fails_at_every_cut_of_a_stream_with_server_gc)
{
    cut_everywhere("fixtures/nettrace-real/leak31_servergc.nettrace.zst", step_of(5000));
}

Test(collect, fails_at_every_cut_of_a_new_stream)
{
    cut_everywhere(NET10, step_of(20000));
}

/* The same for a process that is read during the walk: it dies with both sessions. */
Test(collect, fails_at_every_cut_of_a_stream_near_a_limit)
{
    struct bytes stream = outcome_recording(NET10);
    uint64_t left = 400 * MIB;
    struct peer_script script = {.habit = PEER_DIES,
                                 .streams = &stream,
                                 .stream_count = 1,
                                 .newest_command = 0x0206,
                                 .runtime = "10.0.12"};
    const struct hd_collect_options how = {.size = sizeof(how),
                                           .silence_ms = 30000,
                                           .memory_left = left_to_process,
                                           .context = &left,
                                           .expected_bytes = 500 * MIB};
    for (size_t cut = 0; cut < stream.size; cut += step_of(40000)) {
        script.cut = cut;
        struct outcome o = collect_with(&script, how);
        cr_assert_not(o.ok, "cut at %zu", cut);
        cr_assert_eq(o.err.status, HD_IO, "%zu: %s", cut, o.err.message);
        cr_assert_eq(o.log.collections, 1);
        cr_assert_lt(o.seconds, 2 * outcome_busy(), "%zu took %f s", cut, o.seconds);
    }
    free((void *)stream.data);
}

Test(collect, survives_damage)
{
    enum { TRIALS = 300, BYTES = 20 };
    struct bytes stream = outcome_recording(NET31);
    unsigned char *damaged = malloc(stream.size);
    const struct bytes played = {damaged, stream.size};
    const struct peer_script script = {.streams = &played, .stream_count = 1};
    struct random random = random_from(7);
    size_t failed = 0;
    for (int i = 0; i < TRIALS; i++) {
        memcpy(damaged, stream.data, stream.size);
        for (int k = 0; k < BYTES; k++)
            damaged[random_below(&random, (uint32_t)stream.size)] =
                (unsigned char)random_below(&random, 256);
        struct outcome o =
            collect_with(&script, (struct hd_collect_options){.silence_ms = 50});
        cr_assert_lt(o.seconds, 5 * outcome_busy(), "%d took %f s", i, o.seconds);
        failed += !o.ok;
        free((void *)o.written.data);
    }
    cr_expect_gt(failed, 0);
    free(damaged);
    free((void *)stream.data);
}

/* --- rogues ---------------------------------------------------------------------- */

Test(collect, gives_up_on_a_silent_peer)
{
    struct outcome o = collect(&(struct peer_script){.habit = PEER_SAYS_NOTHING});
    outcome_fails_with(o, HD_TIMED_OUT, "not walked within");
    cr_expect_lt(o.seconds, 1.5 * outcome_busy(), "%f", o.seconds);
}

Test(collect, notices_a_peer_that_hangs_up)
{
    outcome_fails_with(collect(&(struct peer_script){.habit = PEER_HANGS_UP}), HD_IO,
                       "has it exited");
}

static struct outcome answered(const void *bytes, size_t size)
{
    return collect(&(struct peer_script){.habit = PEER_ANSWERS, .answer = {bytes, size}});
}

Test(collect, refuses_answers_of_another_protocol)
{
    static const char http[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
    outcome_fails_with(answered(http, sizeof(http)), HD_UNSUPPORTED, "protocol");
    unsigned char small[20] = "DOTNET_IPC_V1";
    small[14] = 19;
    small[16] = 0xFF;
    outcome_fails_with(answered(small, sizeof(small)), HD_UNSUPPORTED, "protocol");
    unsigned char request[20] = "DOTNET_IPC_V1";
    request[14] = 20;
    request[16] = 0x02;
    outcome_fails_with(answered(request, sizeof(request)), HD_UNSUPPORTED, "protocol");
}

Test(collect, does_not_wait_longer_for_an_answer_with_a_large_declared_size)
{
    unsigned char huge[20] = "DOTNET_IPC_V1";
    huge[14] = huge[15] = huge[16] = 0xFF;
    struct outcome o = answered(huge, sizeof(huge));
    outcome_fails_with(o, HD_TIMED_OUT, "");
    cr_expect_lt(o.seconds, 1.5 * outcome_busy());
}

Test(collect, refuses_a_session_without_a_number)
{
    unsigned char empty[20] = "DOTNET_IPC_V1";
    empty[14] = 20;
    empty[16] = 0xFF;
    outcome_fails_with(answered(empty, sizeof(empty)), HD_UNSUPPORTED, "session");
}

Test(collect, gives_up_on_a_stream_that_stops)
{
    struct bytes stream = outcome_recording(NET31);
    const size_t cuts[] = {0, 1, 100, 5000, stream.size / 2, stream.size - 1000};
    for (size_t i = 0; i < sizeof(cuts) / sizeof(*cuts); i++) {
        struct outcome o = collect(&(struct peer_script){.habit = PEER_STOPS_SENDING,
                                                         .streams = &stream,
                                                         .stream_count = 1,
                                                         .cut = cuts[i]});
        cr_expect_not(o.ok);
        cr_expect_lt(o.seconds, 2 * outcome_busy(), "%f", o.seconds);
        cr_expect_eq(o.log.stops, 1, "the session is stopped all the same");
    }
    free((void *)stream.data);
}

/* An empty block, repeated: each is valid. */
Test(collect, gives_up_on_a_stream_without_end)
{
    enum { BEFORE_BLOCKS = 102, SILENCE = 100, MAX_SILENCES = 20 };
    static const unsigned char block[] = "\5\5\1\2\0\0\0\0\0\0\0\7\0\0\0Unknown\6";
    /* The size, 2^30, and any number of zeros. */
    unsigned char endless[65536] = {0};
    struct bytes all = outcome_recording(NET31);
    unsigned char *start = malloc(BEFORE_BLOCKS + sizeof(block) + 8);
    memcpy(start, all.data, BEFORE_BLOCKS);
    memcpy(start + BEFORE_BLOCKS, block, sizeof(block) - 1);
    memset(start + BEFORE_BLOCKS + sizeof(block) - 1, 0xFF, 8);
    struct bytes stream = {start, BEFORE_BLOCKS + sizeof(block) + 7};
    const struct peer_script script = {.habit = PEER_SENDS_FOR_EVER,
                                       .streams = &stream,
                                       .stream_count = 1,
                                       .answer = {endless, 1}};
    struct outcome o =
        collect_with(&script, (struct hd_collect_options){.silence_ms = SILENCE});
    cr_expect_not(o.ok);
    cr_expect_lt(o.seconds, (SILENCE * MAX_SILENCES + 8000) / 1e3 * outcome_busy(),
                 "%f: %s", o.seconds, o.err.message);
    free(start);
    free((void *)all.data);
}

/* A metadata row of 4 GiB in a block of 4 GiB: nothing of this size may be allocated. */
Test(collect, holds_no_more_than_a_runtime_would_send)
{
    enum { BEFORE_BLOCKS = 102 };
    static const unsigned char block[] = "\5\5\1\2\0\0\0\2\0\0\0\15\0\0\0MetadataBlock\6"
                                         "\xFF\xFF\xFF\xFF\0"
                                         "\24\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                         "\x80\0\xFF\xFF\xFF\xFF\x7";
    struct bytes all = outcome_recording(NET31);
    unsigned char zeros[4096] = {0}, *start = malloc(BEFORE_BLOCKS + sizeof(block));
    memcpy(start, all.data, BEFORE_BLOCKS);
    memcpy(start + BEFORE_BLOCKS, block, sizeof(block) - 1);
    struct bytes stream = {start, BEFORE_BLOCKS + sizeof(block) - 1};
    const struct peer_script script = {.habit = PEER_SENDS_FOR_EVER,
                                       .streams = &stream,
                                       .stream_count = 1,
                                       .answer = {zeros, sizeof(zeros)}};
    struct outcome o = collect(&script);
    outcome_fails_with(o, HD_BAD_FORMAT, "larger");
    cr_expect_lt(o.seconds, 3 * outcome_busy(), "%f", o.seconds);
    free(start);
    free((void *)all.data);
}

/* --- one at a time ------------------------------------------------------------------- */

/* Another collector of this process, which ends after this time. */
static pid_t collector_for(unsigned ms)
{
    char path[64];
    int ready[2];
    snprintf(path, sizeof(path), "/proc/%ld", (long)getpid());
    cr_assert_eq(pipe(ready), 0);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        int fd = open(path, O_RDONLY | O_DIRECTORY);
        bool ok = fd >= 0 && flock(fd, LOCK_EX) == 0 && write(ready[1], "", 1) == 1;
        poll(NULL, 0, (int)ms);
        _exit(!ok);
    }
    char c;
    cr_assert_eq(read(ready[0], &c, 1), 1);
    return child;
}

static void end_collector(pid_t child)
{
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

Test(collect, waits_for_another_collector_for_a_limited_time)
{
    struct bytes stream = outcome_recording(NET10);
    const struct peer_script script = {.streams = &stream, .stream_count = 1};
    const struct hd_collect_options how = {.silence_ms = 2000};
    double began = outcome_now();
    pid_t other = collector_for(500);
    struct outcome o = collect_with(&script, how);
    cr_expect(o.ok, "%s", o.err.message);
    cr_expect_gt(outcome_now() - began, 0.5);
    cr_expect_lt(o.seconds, 2 * outcome_busy());
    end_collector(other);
    free((void *)o.written.data);
    other = collector_for(60000);
    o = collect(&script);
    cr_expect(o.ok, "%s", o.err.message);
    cr_expect_gt(o.seconds, SILENCE_MS / 1e3);
    end_collector(other);
    free((void *)o.written.data);
    free((void *)stream.data);
}

/* --- refusals, and second thoughts ----------------------------------------------- */

Test(collect, prints_the_reason_of_a_refusal_in_words)
{
    static const struct {
        uint32_t code;
        const char *words;
    } cases[] = {{0x80004005, "too many tracing sessions"},
                 {0x80131371, "not started yet"},
                 {0x80131515, "does not support"},
                 {0x80131385, "too old"},
                 {0x8007000E, "no memory left"},
                 {0x12345678, "0x12345678"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        outcome_fails_with(
            collect(&(struct peer_script){.habit = PEER_REFUSES, .refusal = cases[i].code}),
            HD_UNSUPPORTED, cases[i].words);
}

struct patience_of_user {
    double until;
    uint64_t bytes; /* or until this number of bytes has arrived */
};

static bool until_then(void *context, const struct hd_collect_progress *so_far)
{
    const struct patience_of_user *p = context;
    return p->until > 0 ? outcome_now() < p->until : so_far->bytes < p->bytes;
}

/* Memory that the runtime allocates for tracing exists before the heap walk. */
Test(collect, a_session_without_events_may_be_first)
{
    struct bytes stream = outcome_recording(NET10);
    const struct peer_script script = {.streams = &stream, .stream_count = 1};
    const struct hd_collect_options how = {.size = sizeof(how), .warm_up = true};
    struct outcome o = collect_with(&script, how);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.log.flushes, 1);
    cr_expect_eq(o.log.stops, 2);
    cr_expect_eq(o.written.size, stream.size);
    free((void *)o.written.data);
    free((void *)stream.data);
}

Test(collect, an_earlier_session_leaves_nothing)
{
    const struct hd_collect_options how = {.size = sizeof(how), .warm_up = true};
    struct outcome o = collect_with(
        &(struct peer_script){.habit = PEER_REFUSES, .refusal = 0x80131515}, how);
    cr_expect_not(o.ok);
    cr_expect_eq(o.err.status, HD_UNSUPPORTED, "%s", o.err.message);
    o = collect_with(&(struct peer_script){.habit = PEER_SAYS_NOTHING}, how);
    outcome_fails_with(o, HD_TIMED_OUT, "the heap was not walked within 0.4 s");
}

Test(collect, an_interrupt_of_the_first_session_is_one_of_all)
{
    struct patience_of_user user = {.until = outcome_now() + 0.2};
    const struct hd_collect_options how = {.size = sizeof(how),
                                           .silence_ms = 1000,
                                           .warm_up = true,
                                           .go_on = until_then,
                                           .context = &user};
    struct outcome o = collect_with(&(struct peer_script){.habit = PEER_SAYS_NOTHING}, how);
    outcome_fails_with(o, HD_CANCELLED, "stopped");
    cr_expect_eq(o.log.count, 1, "%zu requests", o.log.count);
}

Test(collect, stops_the_session_when_the_user_has_enough)
{
    struct bytes stream = outcome_recording(NET10);
    struct patience_of_user user = {.bytes = 1000};
    struct peer_script script = {
        .habit = PEER_STOPS_SENDING, .streams = &stream, .stream_count = 1, .cut = 200000};
    const struct hd_collect_options how = {
        .silence_ms = 30000, .go_on = until_then, .context = &user};
    struct outcome o = collect_with(&script, how);
    outcome_fails_with(o, HD_CANCELLED, "stopped");
    cr_expect_eq(o.log.stops, 1);
    cr_expect_lt(o.seconds, 2 * outcome_busy());
    /* During the heap walk the session has no number yet; waits for the answer. */
    user = (struct patience_of_user){.until = outcome_now() + 0.2};
    script.wait_ms = 800;
    o = collect_with(&script, how);
    outcome_fails_with(o, HD_CANCELLED, "stopped");
    cr_expect_eq(o.log.stops, 1);
    cr_expect_lt(o.seconds, 3 * outcome_busy());
    free((void *)stream.data);
}

/* No session was requested, so there is nothing to stop. */
Test(collect, does_not_begin_when_the_user_has_enough_of_waiting_for_another)
{
    struct patience_of_user user = {.until = outcome_now() + 0.3};
    const struct hd_collect_options how = {
        .silence_ms = 30000, .go_on = until_then, .context = &user};
    pid_t other = collector_for(60000);
    struct outcome o = collect_with(&(struct peer_script){0}, how);
    outcome_fails_with(o, HD_CANCELLED, "stopped");
    cr_expect_eq(o.log.count, 0);
    cr_expect_lt(o.seconds, 2 * outcome_busy());
    end_collector(other);
}

Test(collect, reports_the_fault_of_a_socket)
{
    struct hd_collected got;
    FILE *to = tmpfile();
    const char *none = scratch_path(&scratch, "none");
    const char *file = scratch_file(&scratch, "file", "x", 1);
    const struct {
        const char *path, *words;
    } cases[] = {{none, "No such file"}, {file, "not a socket"}, {"relative", "absolute"}};
    for (size_t i = 0; i < 3; i++) {
        struct hd_error err = {0};
        const struct hd_collect_options how = {.socket = cases[i].path};
        cr_expect_not(hd_collect(to, &how, &got, &err));
        cr_expect_not_null(strstr(err.message, cases[i].words), "%s", err.message);
    }
    struct hd_error err = {0};
    const struct hd_collect_options how = {.pid = INT32_MAX};
    cr_expect_not(hd_collect(to, &how, &got, &err));
    cr_expect_not_null(strstr(err.message, "no process 2147483647"));
    fclose(to);
}

/* Its number plus 2^32 is another process. */
Test(collect, takes_no_number_for_another_process)
{
    struct hd_collected got;
    struct hd_error err = {0};
    FILE *to = tmpfile();
    const struct hd_collect_options how = {.pid = ((uint64_t)1 << 32) + (uint64_t)getpid()};
    char expected[64];
    snprintf(expected, sizeof(expected), "no process %llu", (unsigned long long)how.pid);
    cr_expect_not(hd_collect(to, &how, &got, &err));
    cr_expect_str_eq(err.message, expected);
    fclose(to);
}

/* --- names of processes -------------------------------------------------------------- */

Test(collect, a_process_matches_its_name_and_patterns)
{
    const struct hd_process shop = {.pid = UINT64_MAX, .name = "Shop.Web [1]"};
    const struct hd_process unnamed = {.pid = UINT64_MAX};
    cr_expect(hd_process_goes_by(&shop, "Shop.Web [1]"));
    cr_expect(hd_process_goes_by(&shop, "Shop.*"));
    cr_expect(hd_process_goes_by(&shop, "*[1]"));
    cr_expect(hd_process_goes_by(&shop, "Shop?Web [?]"));
    cr_expect(hd_process_goes_by(&shop, "*"));
    /* A part of a name belongs to another program. */
    cr_expect_not(hd_process_goes_by(&shop, "Shop"));
    cr_expect_not(hd_process_goes_by(&shop, "Web [1]"));
    cr_expect_not(hd_process_goes_by(&shop, "Web*"));
    cr_expect_not(hd_process_goes_by(&shop, "shop.*"));
    cr_expect_not(hd_process_goes_by(&unnamed, "*"));
}

/* The kernel's name of 15 characters also counts. */
Test(collect, a_process_matches_the_name_in_the_kernel)
{
    char name[32] = "";
    FILE *comm = fopen("/proc/self/comm", "r");
    cr_assert(comm != NULL && fscanf(comm, "%31[^\n]", name) == 1);
    fclose(comm);
    const struct hd_process own = {.pid = (uint64_t)getpid(), .name = "another"};
    cr_expect(hd_process_goes_by(&own, name), "%s", name);
}

/* --- all processes ------------------------------------------------------------------- */

static size_t mute_ones(const struct hd_processes *all)
{
    size_t n = 0;
    for (size_t i = 0; i < all->count; i++)
        n += strstr(all->all[i].socket, scratch.folder) != NULL &&
             all->all[i].problem != NULL &&
             strstr(all->all[i].problem, "does not respond") != NULL;
    return n;
}

Test(collect, asks_all_processes_side_by_side)
{
    enum { COUNT = 8, WAITS_MS = 1000 };
    struct peer *peers[COUNT];
    struct hd_processes all;
    setenv("TMPDIR", scratch.folder, 1);
    for (int i = 0; i < COUNT; i++) {
        char name[64];
        snprintf(name, sizeof(name), "dotnet-diagnostic-%d-1-socket", 100 + i);
        peers[i] = peer_start(scratch_path(&scratch, name),
                              &(struct peer_script){.habit = PEER_SAYS_NOTHING});
    }
    double began = outcome_now();
    hd_processes_find(&all);
    /* Sequentially they would exceed the patience for all of them, 3 s. */
    cr_expect_lt(outcome_now() - began, 2.5 * WAITS_MS / 1e3 * outcome_busy());
    cr_expect_eq(mute_ones(&all), COUNT);
    hd_processes_free(&all);
    for (int i = 0; i < COUNT; i++)
        peer_stop(peers[i]);
}
