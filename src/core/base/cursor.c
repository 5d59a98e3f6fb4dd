#include "base/cursor.h"

#include "base/error.h"
#include "base/little_endian.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

struct cursor cursor_over(struct bytes bytes, struct hd_error *err)
{
    const unsigned char *p = bytes.data;
    const unsigned char *end = bytes.size > 0 ? p + bytes.size : p;
    return (struct cursor){.start = p, .at = p, .end = end, .err = err};
}

bool cursor_ok(const struct cursor *c)
{
    return !c->failed;
}

size_t cursor_left(const struct cursor *c)
{
    return (size_t)(c->end - c->at);
}

uint64_t cursor_offset(const struct cursor *c)
{
    return (uint64_t)(c->at - c->start);
}

bool cursor_fail(struct cursor *c, const char *why, ...)
{
    if (!c->failed && c->err != NULL) {
        char text[sizeof(c->err->message)];
        va_list args;
        va_start(args, why);
        c_vsnprintf(text, sizeof(text), why, args);
        va_end(args);
        fail_at_byte(c->err, cursor_offset(c), "%s", text);
    }
    c->failed = true;
    return false;
}

void cursor_seek(struct cursor *c, uint64_t offset)
{
    if (c->failed)
        return;
    if (offset > (uint64_t)(c->end - c->start))
        cursor_fail(
            c, "refers to byte 0x%llx, beyond the end of the file: damaged or truncated",
            (unsigned long long)offset);
    else
        c->at = c->start + offset;
}

const unsigned char *cursor_bytes(struct cursor *c, size_t size)
{
    if (c->failed)
        return NULL;
    if (size > cursor_left(c)) {
        size_t missing = size - cursor_left(c);
        cursor_fail(c, "the file ends here, %zu byte%s too early: damaged or truncated",
                    missing, missing == 1 ? "" : "s");
        return NULL;
    }
    const unsigned char *p = c->at;
    c->at += size;
    return p;
}

uint8_t cursor_u8(struct cursor *c)
{
    const unsigned char *p = cursor_bytes(c, 1);
    return p != NULL ? *p : 0;
}

uint32_t cursor_u32(struct cursor *c)
{
    const unsigned char *p = cursor_bytes(c, 4);
    return p != NULL ? le_u32(p) : 0;
}

uint64_t cursor_u64(struct cursor *c)
{
    const unsigned char *p = cursor_bytes(c, 8);
    return p != NULL ? le_u64(p) : 0;
}

int32_t cursor_i32(struct cursor *c)
{
    return (int32_t)cursor_u32(c);
}

float cursor_f32(struct cursor *c)
{
    uint32_t bits = cursor_u32(c);
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

int cursor_peek(const struct cursor *c)
{
    return !c->failed && c->at < c->end ? *c->at : -1;
}

uint64_t cursor_count(struct cursor *c, size_t count_size, size_t min_size,
                      const char *what)
{
    struct cursor before = *c;
    uint64_t count = count_size == 8 ? cursor_u64(c) : cursor_u32(c);
    if (!cursor_ok(c) || count <= cursor_left(c) / min_size)
        return count;
    size_t left = cursor_left(c);
    *c = before;
    cursor_fail(c, "%llu %s do not fit into the remaining %zu bytes: damaged or truncated",
                (unsigned long long)count, what, left);
    return 0;
}

/* --- fast serialization ----------------------------------------------------------- */

bool fast_serialization_entry(struct bytes head, struct bytes *name)
{
    /* Behind the signature: three tags, two versions of 4 bytes, the name's length. */
    static const char begins[] = FAST_SERIALIZATION_HEAD;
    enum {
        TAGS_AT = sizeof(begins) - 1,
        LENGTH_AT = TAGS_AT + 11,
        NAME_AT = LENGTH_AT + 4
    };
    enum { LONGEST = 256 };
    if (head.size < NAME_AT || memcmp(head.data, begins, TAGS_AT) != 0)
        return false;
    uint32_t len = le_u32(head.data + LENGTH_AT);
    *name = (struct bytes){head.data + NAME_AT, len};
    return len > 0 && len <= LONGEST && len <= head.size - NAME_AT;
}
