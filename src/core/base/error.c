#include "base/error.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* The first failure wins. */
static bool set(struct hd_error *err, enum hd_status status, const char *fmt, va_list args)
{
    if (err == NULL || err->status != HD_OK)
        return false;
    c_vsnprintf(err->message, sizeof(err->message), fmt, args);
    /* Messages quote names from files: make them one line of UTF-8 without terminal
     * controls. Never longer than before. */
    size_t left = strlen(err->message), kept = 0;
    for (size_t i = 0, n; left > 0; i += n, left -= n) {
        const unsigned char *at = (const unsigned char *)err->message + i;
        n = utf8_length(at, left);
        uint32_t code = n > 0 ? utf8_decode(at, n) : 0;
        n = n > 0 ? n : 1;
        if (text_is_control(code)) {
            err->message[kept++] = '?';
        } else {
            memmove(err->message + kept, at, n);
            kept += n;
        }
    }
    err->message[kept] = '\0';
    err->status = status;
    return true;
}

bool fail(struct hd_error *err, enum hd_status status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set(err, status, fmt, args);
    va_end(args);
    return false;
}

bool fail_about(struct hd_error *err, enum hd_topic topic, enum hd_status status,
                const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (set(err, status, fmt, args))
        err->topic = topic;
    va_end(args);
    return false;
}

bool fail_at_byte(struct hd_error *err, uint64_t offset, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (set(err, HD_BAD_FORMAT, fmt, args)) {
        err->where = HD_AT_BYTE;
        err->at = offset;
    }
    va_end(args);
    return false;
}

static bool set_at_line(struct hd_error *err, uint64_t line, const char *kind,
                        const char *fmt, va_list args)
{
    if (!set(err, HD_BAD_FORMAT, fmt, args))
        return false;
    err->where = line > 0 ? HD_AT_LINE : HD_NOWHERE;
    err->at = line;
    err->kind = kind;
    return true;
}

bool fail_at_line(struct hd_error *err, uint64_t line, const char *kind, const char *fmt,
                  ...)
{
    va_list args;
    va_start(args, fmt);
    set_at_line(err, line, kind, fmt, args);
    va_end(args);
    return false;
}

bool fail_at_line_about(struct hd_error *err, enum hd_topic topic, uint64_t line,
                        const char *kind, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (set_at_line(err, line, kind, fmt, args))
        err->topic = topic;
    va_end(args);
    return false;
}

enum { KIB = 1 << 10, MIB = 1 << 20 };

static uint64_t unit_for(uint64_t bytes)
{
    const uint64_t enough = 10;
    return bytes >= enough * MIB ? MIB : KIB;
}

bool fail_memory(struct hd_error *err, const char *what, uint64_t needed, uint64_t limit)
{
    uint64_t unit = unit_for(needed), limit_unit = unit_for(limit);
    /* Rounded up: what is named must be enough. */
    return fail_about(err, HD_ABOUT_GRAPH_MEMORY, HD_TOO_BIG,
                      "%s takes %" PRIu64 " %s of memory; the limit is %" PRIu64 " %s",
                      what, needed / unit + (needed % unit != 0),
                      unit == MIB ? "MiB" : "KiB", limit / limit_unit,
                      limit_unit == MIB ? "MiB" : "KiB");
}

/* --- options ---------------------------------------------------------------------- */

bool options_copy(void *ours, size_t known, size_t first, const void *theirs,
                  struct hd_error *err)
{
    size_t size = 0;
    memset(ours, 0, known);
    if (theirs == NULL)
        return true;
    memcpy(&size, theirs, sizeof(size));
    size = size > 0 ? size : first;
    if (size < sizeof(size))
        return fail(err, HD_USAGE, "options of %zu bytes: no size set", size);
    memcpy(ours, theirs, size < known ? size : known);
    const unsigned char *bytes = theirs;
    for (size_t i = known; i < size; i++)
        if (bytes[i] != 0)
            return fail(err, HD_USAGE, "an option unknown to this version of the library");
    memcpy(ours, &known, sizeof(known));
    return true;
}
