/* Limits for a session with an untrusted peer: forged streams. */
#include "heapdrift.h"

#include "support/outcome.h"
#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(session, .init = open_scratch, .fini = remove_scratch, .timeout = 60);

enum { THREAD = 11, TYPE = 0x10, MAX_WALKS = 1000, MAX_GCS = 20000 };

/* Heaps of one object each, without the collection that belongs to them. */
static void forge_walks(struct trace_forge *f, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        trace_forge_node(f, 0x7000, 24, TYPE, 0);
        trace_forge_walk(f, THREAD);
        trace_forge_next_walk(f);
    }
}

/* Collects from a stream that ends. */
static struct outcome collect_forged(struct trace_forge *f)
{
    trace_forge_end(f);
    struct bytes stream = {(const unsigned char *)f->bytes.data, f->bytes.len};
    struct outcome o = outcome_of(
        &scratch,
        &(struct peer_script){
            .habit = PEER_DIES, .streams = &stream, .stream_count = 1, .cut = stream.size},
        (struct hd_collect_options){0});
    trace_forge_free(f);
    free((void *)o.written.data);
    return o;
}

static struct outcome collect_walks(size_t count)
{
    struct trace_forge f = {.pointer_size = 8};
    trace_forge_begin(&f);
    forge_walks(&f, count);
    return collect_forged(&f);
}

Test(session, takes_no_more_heap_walks_than_a_session_may_see)
{
    outcome_fails_with(collect_walks(MAX_WALKS), HD_IO,
                       "before the heap walk was finished");
    outcome_fails_with(collect_walks(MAX_WALKS + 2), HD_BAD_FORMAT,
                       "more than any runtime sends");
}

static struct outcome collect_collections(size_t count)
{
    struct trace_forge f = {.pointer_size = 8};
    trace_forge_begin(&f);
    for (size_t i = 0; i < count; i++)
        trace_forge_gc(&f, THREAD, true, (uint32_t)i);
    return collect_forged(&f);
}

Test(session, takes_no_more_collections_than_a_session_may_see)
{
    outcome_fails_with(collect_collections(MAX_GCS), HD_IO,
                       "before the heap walk was finished");
    outcome_fails_with(collect_collections(MAX_GCS + 2), HD_BAD_FORMAT,
                       "more than any runtime sends");
}

static struct outcome collect_event(size_t size)
{
    enum { BULK_TYPE = 15 };
    struct trace_forge f = {.pointer_size = 8};
    unsigned char *payload = calloc(1, size);
    trace_forge_begin(&f);
    trace_forge_event(&f, THREAD, BULK_TYPE, payload, size);
    free(payload);
    return collect_forged(&f);
}

Test(session, takes_no_events_larger_than_it_may_hold)
{
    enum { MAX_BYTES = 4 << 20 };
    outcome_fails_with(collect_event(MAX_BYTES / 4), HD_IO,
                       "before the heap walk was finished");
    outcome_fails_with(collect_event(MAX_BYTES + 1000), HD_BAD_FORMAT, "runtime sends");
}
