#include "collect/buffer.h"

#include "base/error.h"
#include "collect/tracing.h"

#include <inttypes.h>
#include <stdlib.h>

static const uint64_t mib = UINT64_C(1) << 20;

/* MiB. Two sessions: what a process walks before it sends, more than was seen of 10,000,000
 * objects on a busy machine. A process that waits for us (.NET 11) pauses twice as long
 * with LEAST_BLOCKING, and no longer with more than the usual buffer. Less than LEAST_TRIED
 * is not worth a pause, if it is not known whether it is enough. */
enum { STREAMING = 160, LEAST_BLOCKING = 16, LEAST_TRIED = 32 };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the bytes of the whole trace, which a runtime holds that sends nothing during the
 * walk: those of the last trace and a fifth. A trace has 54 bytes for a small object of 32
 * bytes with two references, and resident memory is more than the heap, so the same holds
 * for that. If neither is known, all that is of use. */
static uint64_t whole(const struct buffer_facts *facts)
{
    const uint64_t fixed = 8 * mib, most = TRACING_MOST_BUFFER_MB * mib;
    uint64_t bytes = facts->expected > 0 ? facts->expected : facts->memory;
    if (bytes == 0 || bytes >= most)
        return most;
    return smaller(bytes + bytes / 5 + fixed, most);
}

/* Returns the bytes without which no snapshot is tried. Resident memory is no measure of
 * the heap, and a buffer that is too small costs a pause, not the process: if nothing else
 * is known, a small one is tried. */
static uint64_t needed_by(const struct buffer_facts *facts)
{
    const unsigned long streaming = 10, waiting = 11;
    unsigned long version = facts->runtime != NULL ? strtoul(facts->runtime, NULL, 10) : 0;
    if (version >= waiting)
        return LEAST_BLOCKING * mib;
    if (facts->expected == 0)
        return smaller(whole(facts), LEAST_TRIED * mib);
    return version == streaming ? smaller(whole(facts), STREAMING * mib) : whole(facts);
}

bool buffer_plan(struct session_buffer *buffer, const struct buffer_facts *facts,
                 struct hd_error *err)
{
    *buffer = (struct session_buffer){.is_alone = true};
    if (facts->left == HD_UNKNOWN)
        return true;
    /* The rest is for the collection, and for whoever else is in the group. */
    uint64_t reserve = 8 * mib + facts->left / 8, needed = needed_by(facts);
    uint64_t spare = facts->left > reserve ? facts->left - reserve : 0;
    buffer->is_alone = spare >= whole(facts);
    buffer->mb = (uint32_t)smaller(spare / mib, TRACING_MOST_BUFFER_MB);
    return spare >= needed ||
           fail_about(err, HD_ABOUT_LIMIT, HD_TOO_BIG,
                      "a snapshot may take %" PRIu64
                      " MiB in the process, and its memory limit leaves %" PRIu64
                      ": it could be killed",
                      (needed + reserve) / mib, facts->left / mib);
}

bool buffer_was_enough(const struct session_buffer *buffer,
                       const struct session_result *result, struct hd_error *err)
{
    return buffer->mb == 0 || buffer->mb >= TRACING_MOST_BUFFER_MB ||
           result->events_lost == 0 ||
           fail_about(err, HD_ABOUT_LIMIT, HD_TOO_BIG,
                      "a snapshot needs more than the %" PRIu32
                      " MiB that the memory limit of the process leaves for it",
                      buffer->mb);
}
