#include "collect/buffer.h"

#include "base/error.h"
#include "collect/tracing.h"

#include <inttypes.h>
#include <stdlib.h>

static const uint64_t mib = UINT64_C(1) << 20;

/* MiB. Two sessions: what a process walks before it sends, twice what was seen of
 * 10,000,000 objects on a busy machine. A process that waits for us (.NET 11) pauses twice
 * as long with LEAST_BLOCKING, and no longer with more than the usual buffer. */
enum { STREAMING = 160, LEAST_BLOCKING = 16 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What a runtime that sends nothing during the walk holds: the whole trace. A trace has 54
 * bytes for a small object of 32 bytes with two references, which is the most that programs
 * were seen to need, and memory is more than the heap. The next trace is as large as the
 * last and a fifth. Where neither is known, all that is of use. */
static uint64_t whole(const struct buffer_facts *facts)
{
    const uint64_t fixed = 8 * mib, most = TRACING_MOST_BUFFER_MB * mib;
    uint64_t of_last = facts->expected, of_memory = facts->memory;
    if (of_last == 0 && of_memory == 0)
        return most;
    uint64_t bytes = of_last > 0 ? of_last : of_memory;
    return bytes < most ? smaller(bytes + bytes / 5 + fixed, most) : most;
}

static unsigned major_of(const char *runtime)
{
    return runtime != NULL ? (unsigned)strtoul(runtime, NULL, 10) : 0;
}

static bool refuse(uint64_t needed, uint64_t left, struct hd_error *err)
{
    return fail_about(err, HD_ABOUT_LIMIT, HD_TOO_BIG,
                      "a snapshot may take %" PRIu64
                      " MiB in the process, and its memory limit leaves %" PRIu64
                      ": it could be killed",
                      needed / mib, left / mib);
}

bool buffer_plan(struct session_buffer *buffer, const struct buffer_facts *facts,
                 struct hd_error *err)
{
    const unsigned streaming = 10, blocking = 11;
    unsigned major = major_of(facts->runtime);
    *buffer = (struct session_buffer){.is_alone = true};
    if (facts->left == HD_UNKNOWN)
        return true;
    /* The rest is for the collection, and for whoever else is in the group. */
    uint64_t reserve = 8 * mib + facts->left / 8;
    uint64_t spare = facts->left > reserve ? facts->left - reserve : 0;
    uint64_t needed = whole(facts);
    buffer->is_alone = spare >= needed || major != streaming;
    if (major >= blocking)
        needed = LEAST_BLOCKING * mib;
    else if (!buffer->is_alone)
        needed = smaller(needed, STREAMING * mib);
    if (spare < needed)
        return refuse(needed + reserve, facts->left, err);
    buffer->mb = (uint32_t)smaller(spare / mib, TRACING_MOST_BUFFER_MB);
    return true;
}
