#include "base/error.h"

#include <stdarg.h>

static bool is_set(const struct hd_error *err)
{
    return err == NULL || err->status != HD_OK;
}

/* Messages quote what files say: one line, and nothing that a terminal obeys. */
static void make_printable(char *message)
{
    for (; *message != '\0'; message++)
        if ((unsigned char)*message < ' ' || *message == 0x7F)
            *message = '?';
}

bool fail(struct hd_error *err, enum hd_status status, const char *fmt, ...)
{
    if (is_set(err))
        return false;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->message, sizeof(err->message), fmt, args);
    va_end(args);
    make_printable(err->message);
    err->status = status;
    return false;
}

bool fail_at_byte(struct hd_error *err, uint64_t offset, const char *fmt, ...)
{
    if (is_set(err))
        return false;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->message, sizeof(err->message), fmt, args);
    va_end(args);
    make_printable(err->message);
    err->status = HD_BAD_FORMAT;
    err->where = HD_AT_BYTE;
    err->at = offset;
    return false;
}

bool fail_at_line(struct hd_error *err, uint64_t line, const char *kind, const char *fmt,
                  ...)
{
    if (is_set(err))
        return false;
    va_list args;
    va_start(args, fmt);
    vsnprintf(err->message, sizeof(err->message), fmt, args);
    va_end(args);
    make_printable(err->message);
    err->status = HD_BAD_FORMAT;
    err->where = line > 0 ? HD_AT_LINE : HD_NOWHERE;
    err->at = line;
    err->kind = kind;
    return false;
}
