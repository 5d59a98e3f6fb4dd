#include "base/out.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The capacity of a pipe. */
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
    struct text t = {memory->bytes, memory->size, memory->capacity};
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

/* --- csv -------------------------------------------------------------------------- */

bool csv_needs_apostrophe(const char *s, size_t len)
{
    size_t quotes = 0;
    while (quotes < len && s[quotes] == '\'')
        quotes++;
    if (quotes == len || s[quotes] == '\0')
        return false;
    bool command = len - quotes >= 2 && memcmp(s + quotes, "::", 2) == 0;
    return command || strchr("=+-@\t\r", s[quotes]) != NULL;
}

void csv_add_clean(struct text *t, const char *value)
{
    if (csv_needs_apostrophe(value, strlen(value)))
        text_add_char(t, '\'');
    text_add_utf8(t, value, strlen(value));
}

void csv_add_cell(struct text *t, const char *value)
{
    struct text clean = {0}, cell = {0};
    csv_add_clean(&clean, value);
    if (strpbrk(text_string(&clean), ",\"\r\n") == NULL) {
        text_add(&cell, clean.data, clean.len);
    } else {
        text_add_char(&cell, '"');
        for (size_t i = 0; i < clean.len; i++) {
            if (clean.data[i] == '"')
                text_add_char(&cell, '"');
            text_add_char(&cell, clean.data[i]);
        }
        text_add_char(&cell, '"');
    }
    text_add_visible(t, cell.data, cell.len, true);
    text_free(&clean);
    text_free(&cell);
}

/* --- tables ------------------------------------------------------------------------ */

void csv_begin_cell(struct csv_writer *s)
{
    if (s->in_row)
        out_string(s->out, s->tabs ? "\t" : ",");
    s->in_row = true;
}

void csv_end_row(struct csv_writer *s)
{
    out_string(s->out, "\n");
    s->in_row = false;
}

/* TSV has no quotes: separators are escaped. */
static void add_escaped(struct text *t, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '\t' || s[i] == '\n' || s[i] == '\r')
            text_add_string(t, s[i] == '\t' ? "\\t" : s[i] == '\n' ? "\\n" : "\\r");
        else if (s[i] == '\\')
            text_add_string(t, "\\\\");
        else
            text_add_char(t, s[i]);
    }
}

void csv_cell(struct csv_writer *s, const char *value)
{
    struct text cell = {0}, clean = {0}, line = {0};
    if (s->tabs) {
        csv_add_clean(&clean, value);
        add_escaped(&line, clean.data, clean.len);
        text_add_visible(&cell, line.data, line.len, false);
    } else {
        csv_add_cell(&cell, value);
    }
    csv_begin_cell(s);
    out_text(s->out, &cell);
    text_free(&line);
    text_free(&clean);
    text_free(&cell);
}

void csv_number(struct csv_writer *s, uint64_t n)
{
    csv_begin_cell(s);
    if (n != HD_UNKNOWN)
        out_printf(s->out, "%" PRIu64, n);
}

void csv_real(struct csv_writer *s, double x)
{
    char number[40];
    csv_begin_cell(s);
    if (isnan(x))
        return;
    c_snprintf(number, sizeof(number), "%.15g", x);
    out_string(s->out, number);
}

void csv_optional(struct csv_writer *s, const char *value)
{
    csv_cell(s, value != NULL ? value : "");
}

void csv_titles(struct csv_writer *s, const char *const *titles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        csv_cell(s, titles[i]);
    csv_end_row(s);
}

/* --- xml out ---------------------------------------------------------------------- */

struct xml_out xml_begin(struct out *to)
{
    out_string(to, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
    return (struct xml_out){.to = to};
}

static bool is_character(uint32_t code)
{
    return (code >= 0x20 || code == '\n') && code != 0xFFFE && code != 0xFFFF;
}

static void escaped(struct out *o, const char *s)
{
    struct text t = {0};
    for (size_t len = strlen(s), i = 0, n; i < len; i += n) {
        const unsigned char *at = (const unsigned char *)s + i;
        n = utf8_length(at, len - i);
        uint32_t code = n > 0 ? utf8_decode(at, n) : 0xFFFD;
        n = n > 0 ? n : 1;
        if (code == '&')
            text_add_string(&t, "&amp;");
        else if (code == '<')
            text_add_string(&t, "&lt;");
        else if (code == '>')
            text_add_string(&t, "&gt;");
        else if (code == '"')
            text_add_string(&t, "&quot;");
        else
            text_add_code_point(&t, is_character(code) ? code : 0xFFFD);
    }
    out_text(o, &t);
    text_free(&t);
}

static void end_tag(struct xml_out *x, const char *with)
{
    if (x->in_tag)
        out_string(x->to, with);
    x->in_tag = false;
}

void xml_open(struct xml_out *x, const char *name)
{
    end_tag(x, ">\n");
    out_printf(x->to, "<%s", name);
    x->in_tag = true;
}

void xml_attribute(struct xml_out *x, const char *name, const char *value)
{
    out_printf(x->to, " %s=\"", name);
    escaped(x->to, value);
    out_string(x->to, "\"");
}

void xml_close(struct xml_out *x, const char *name)
{
    if (x->in_tag)
        end_tag(x, " />\n");
    else
        out_printf(x->to, "</%s>\n", name);
}

void xml_close_with(struct xml_out *x, const char *name, const char *content)
{
    end_tag(x, ">");
    escaped(x->to, content);
    out_printf(x->to, "</%s>\n", name);
}
