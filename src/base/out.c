#include "base/out.h"

#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

static void note(struct out *o, bool ok)
{
    if (!ok && o->failed == 0)
        o->failed = errno != 0 ? errno : EIO;
}

void out_bytes(struct out *o, const char *s, size_t len)
{
    if (o->failed == 0 && len > 0)
        note(o, fwrite(s, 1, len, o->file) == len);
}

void out_string(struct out *o, const char *s)
{
    out_bytes(o, s, strlen(s));
}

void out_text(struct out *o, const struct text *t)
{
    out_bytes(o, t->data, t->len);
}

void out_printf(struct out *o, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (o->failed == 0)
        note(o, vfprintf(o->file, fmt, args) >= 0);
    va_end(args);
}

bool out_finish(struct out *o, struct hd_error *err)
{
    note(o, fflush(o->file) == 0);
    if (o->failed != 0)
        return fail(err, o->failed == EPIPE ? HD_CLOSED : HD_IO, "%s", strerror(o->failed));
    return true;
}
