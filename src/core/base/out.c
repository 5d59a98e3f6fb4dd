#include "base/out.h"

#include "base/alloc.h"
#include "base/ascii.h"
#include "base/c_locale.h"
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* As much as a pipe takes at once. */
enum { BLOCK_SIZE = 64 * 1024 };

static void pass_on(struct out *o, const char *s, size_t len)
{
    if (o->failed == 0 && len > 0)
        o->failed = o->to.write(o->to.context, s, len);
}

static void flush(struct out *o)
{
    pass_on(o, o->pending.data, o->pending.len);
    text_clear(&o->pending);
}

static size_t line_ends(const char *s, size_t len)
{
    size_t lines = 0;
    const char *end = s + len;
    while (s < end && (s = memchr(s, '\n', (size_t)(end - s))) != NULL) {
        lines++;
        s++;
    }
    return lines;
}

static void out_add(struct out *o, const char *s, size_t len)
{
    if (o->failed != 0 || len == 0) /* s may be NULL then */
        return;
    o->lines += line_ends(s, len);
    if (len > BLOCK_SIZE - o->pending.len)
        flush(o);
    if (len > BLOCK_SIZE)
        pass_on(o, s, len);
    else
        text_add(&o->pending, s, len);
}

void out_bytes(struct out *o, const char *s, size_t len)
{
    struct text plain = {0};
    if (!o->ascii) {
        out_add(o, s, len);
        return;
    }
    text_add_ascii(&plain, s, len);
    if (plain.len > 0)
        out_add(o, plain.data, plain.len);
    text_free(&plain);
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
    char usual[256], *s = usual;
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = c_vsnprintf(usual, sizeof(usual), fmt, args);
    va_end(args);
    size_t len = n > 0 ? (size_t)n : 0;
    if (len >= sizeof(usual)) {
        s = alloc_resize(NULL, len + 1);
        c_vsnprintf(s, len + 1, fmt, again);
    }
    va_end(again);
    out_bytes(o, s, len);
    if (s != usual)
        free(s);
}

bool out_finish(struct out *o, struct hd_error *err)
{
    flush(o);
    out_abandon(o);
    if (o->failed != 0)
        return fail(err, o->failed == EPIPE ? HD_CLOSED : HD_IO, "%s", strerror(o->failed));
    return true;
}

void out_abandon(struct out *o)
{
    text_free(&o->pending);
}

/* --- sinks --------------------------------------------------------------- */

static int write_file(void *context, const void *bytes, size_t size)
{
    FILE *file = context;
    errno = 0;
    if (fwrite(bytes, 1, size, file) == size && fflush(file) == 0)
        return 0;
    return errno != 0 ? errno : EIO;
}

struct hd_sink hd_sink_file(FILE *file)
{
    return (struct hd_sink){write_file, file};
}

static int write_memory(void *context, const void *bytes, size_t size)
{
    struct hd_memory *memory = context;
    struct text t = {memory->bytes, memory->size, memory->room};
    text_add(&t, bytes, size);
    text_string(&t);
    *memory = (struct hd_memory){t.data, t.len, t.cap};
    return 0;
}

struct hd_sink hd_sink_memory(struct hd_memory *memory)
{
    return (struct hd_sink){write_memory, memory};
}

void hd_memory_free(struct hd_memory *memory)
{
    free(memory->bytes);
    *memory = (struct hd_memory){0};
}
