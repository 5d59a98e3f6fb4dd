#include "collect/ipc.h"

#include "base/error.h"
#include "base/little_endian.h"
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static const char magic[14] = "DOTNET_IPC_V1";

/* --- requests ----------------------------------------------------------------- */

/* The total size follows the magic, in two bytes. */
enum { SIZE_AT = sizeof(magic) };

void request_put(struct request *r, uint64_t n, size_t size)
{
    assert(r->len + size <= sizeof(r->bytes));
    le_put(r->bytes + r->len, n, size);
    r->len += size;
    le_put(r->bytes + SIZE_AT, r->len, 2);
}

struct request request_for(enum ipc_command command)
{
    struct request r = {0};
    memcpy(r.bytes, magic, sizeof(magic));
    r.len = sizeof(magic) + 2;
    request_put(&r, (unsigned)command >> 8, 1);
    request_put(&r, (unsigned)command & 0xFF, 1);
    request_put(&r, 0, 2);
    return r;
}

void request_string(struct request *r, const char *ascii)
{
    size_t units = strlen(ascii) + 1;
    request_put(r, units, 4);
    for (size_t i = 0; i < units; i++)
        request_put(r, (unsigned char)ascii[i], 2);
}

void request_utf8(struct request *r, const char *s)
{
    enum { FIRST_OF_PAIRS = 0x10000 };
    size_t length_at = r->len;
    uint32_t units = 0;
    request_put(r, 0, 4);
    /* Invalid UTF-8 is converted byte by byte. */
    for (const unsigned char *at = (const unsigned char *)s; *at != '\0'; units++) {
        size_t len = utf8_length(at, strlen((const char *)at));
        uint32_t high = len > 0 ? utf8_decode(at, len) : *at, low = 0;
        at += len > 0 ? len : 1;
        bool is_pair = high >= FIRST_OF_PAIRS;
        if (is_pair)
            utf16_split(high, &high, &low);
        request_put(r, high, 2);
        if (is_pair)
            request_put(r, low, 2);
        units += is_pair;
    }
    request_put(r, 0, 2);
    le_put(r->bytes + length_at, units + 1, 4);
}

static bool not_ready(enum ready why, const struct patience *p, struct hd_error *err)
{
    if (why == READY_STOPPED)
        return fail(err, HD_CANCELLED, "stopped");
    if (why == READY_TIMED_OUT)
        return fail(err, HD_TIMED_OUT, "no response for %g s", (double)p->silence_ms / 1e3);
    return fail(err, HD_IO, "%s",
                errno == EPIPE || errno == ECONNRESET
                    ? "the process closed the connection without a response; has it exited?"
                    : strerror(errno));
}

bool ipc_send(int connection, const struct request *r, const struct patience *p,
              struct hd_error *err)
{
    enum ready how = transport.write(connection, r->bytes, r->len, patience_end(p), p);
    return how == READY || not_ready(how, p, err);
}

/* --- replies ------------------------------------------------------------------ */

static bool read_all(int connection, unsigned char *to, size_t size,
                     const struct patience *p, struct hd_error *err)
{
    uint64_t deadline = patience_end(p);
    for (size_t done = 0; done < size;) {
        if (!patience_goes_on(p))
            return not_ready(READY_STOPPED, p, err);
        unsigned step = patience_step(deadline);
        ssize_t n = transport.read(connection, to + done, size - done, step);
        if (n > 0)
            done += (size_t)n;
        else if (n == 0)
            errno = ECONNRESET;
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return not_ready(READY_FAILED, p, err);
        if (n < 0 && errno == EAGAIN && step == 0)
            return not_ready(READY_TIMED_OUT, p, err);
    }
    return true;
}

bool ipc_receive(int connection, struct reply *reply, const struct patience *p,
                 struct hd_error *err)
{
    enum { FROM_SERVER = 0xFF, OK = 0x00, REFUSED = 0xFF };
    unsigned char h[IPC_HEADER_SIZE] = {0};
    if (!read_all(connection, h, sizeof(h), p, err))
        return false;
    size_t size = le_u16(h + SIZE_AT);
    unsigned set = h[SIZE_AT + 2], id = h[SIZE_AT + 3];
    if (memcmp(h, magic, sizeof(magic)) != 0 || size < sizeof(h) || set != FROM_SERVER ||
        (id != OK && id != REFUSED))
        return fail(err, HD_UNSUPPORTED,
                    "the peer does not use the .NET diagnostics protocol");
    reply->ok = id == OK;
    reply->size = size - sizeof(h);
    if (!read_all(connection, reply->payload, reply->size, p, err))
        return false;
    if (!reply->ok)
        reply->refusal = reply->size >= 4 ? (int32_t)le_u32(reply->payload) : 0;
    return true;
}

bool reply_is_too_new(const struct reply *reply)
{
    return !reply->ok &&
           (reply->refusal == IPC_UNKNOWN_COMMAND || reply->refusal == IPC_BAD_ENCODING);
}

const char *ipc_refusal(int32_t hresult)
{
    static const struct {
        uint32_t code;
        const char *words;
    } known[] = {
        {0x80131384, "the runtime does not understand the request"},
        {0x80131385, "the runtime is too old for the request"},
        {0x80131386, "the runtime uses another version of the protocol"},
        {0x80131387, "the runtime failed without giving a reason"},
        {0x80131515, "the runtime does not support heap snapshots"},
        {0x80004005, "the runtime failed; it may have too many tracing sessions already"},
        {0x8013135B, "the runtime is not ready yet; try again in a moment"},
        {0x80131371, "the runtime has not started yet; try again in a moment"},
        {0x80070057, "the runtime rejected an argument of the request"},
        {0x8007007A, "the runtime's buffer is too small for the request"},
        {0x8007000E, "the process has no memory left for a tracing session"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (known[i].code == (uint32_t)hresult)
            return known[i].words;
    return "the runtime refused";
}

bool reply_string(const struct reply *reply, size_t *offset, struct text *to)
{
    text_clear(to);
    if (reply->size - *offset < 4)
        return false;
    uint32_t units = le_u32(reply->payload + *offset);
    *offset += 4;
    if (units > (reply->size - *offset) / 2)
        return false;
    const unsigned char *at = reply->payload + *offset;
    size_t used = 0;
    while (used < units && le_u16(at + 2 * used) != 0)
        used++;
    text_add_utf16(to, at, used, UTF16_LITTLE);
    *offset += (size_t)units * 2;
    return true;
}
