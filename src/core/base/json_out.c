#include "base/json_out.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

json_t *json_string_or_null(const char *s)
{
    if (s == NULL)
        return json_null();
    struct text t = {0};
    text_add_utf8(&t, s, strlen(s));
    json_t *value = json_stringn_nocheck(t.len > 0 ? t.data : "", t.len);
    text_free(&t);
    return value;
}

json_t *json_number_or_null(uint64_t n)
{
    if (n == HD_UNKNOWN)
        return json_null();
    /* Larger than any heap; jansson's integers are signed. */
    return n <= INT64_MAX ? json_integer((json_int_t)n) : json_real((double)n);
}

bool json_parse_uint64(const json_t *value, uint64_t *n)
{
    *n = HD_UNKNOWN;
    if (json_is_null(value))
        return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *n = (uint64_t)json_integer_value(value);
    return true;
}

json_t *json_real_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *json_numbers(const uint64_t *all, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(array, json_number_or_null(all[i]));
    return array;
}

json_t *json_reals(const double *all, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(array, json_real_or_null(all[i]));
    return array;
}

json_t *json_strings(const char *const *all, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(array, json_string_or_null(all[i]));
    return array;
}

void json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(object, key, value) != 0)
        out_of_memory(0);
}

void json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        out_of_memory(0);
}

/* JSON allows DEL, C1 and what turns the direction of writing as they are, and "##vso["
 * too; but a terminal or a build server may be what reads it. Escaped, the names stay the
 * same. C0 is escaped already, and jansson splits no character and no command. */
static void write_harmless(struct out *o, const char *s, size_t len)
{
    size_t written = 0;
    for (size_t i = 0, n; i < len; i += n) {
        n = 1;
        if (s[i] > 0 && s[i] < 0x7F && s[i] != '#')
            continue;
        const unsigned char *at = (const unsigned char *)s + i;
        n = utf8_length(at, len - i);
        uint32_t code = n > 0 ? utf8_decode(at, n) : 0xFFFD;
        n = n > 0 ? n : 1;
        if (code == '#' ? !text_is_command(s, len, i) : !text_is_control(code))
            continue;
        out_bytes(o, s + written, i - written);
        out_printf(o, "\\u%04X", code);
        written = i + n;
    }
    out_bytes(o, s + written, len - written);
}

static int write_piece(const char *piece, size_t size, void *out)
{
    struct out *o = out;
    write_harmless(o, piece, size);
    return o->failed != 0 ? -1 : 0;
}

void json_write_with(json_t *value, struct out *o, json_dump_callback_t piece, size_t flags)
{
    if (json_dump_callback(value, piece, o, flags) != 0 && o->failed == 0)
        out_of_memory(0);
    json_decref(value);
}

static void write_value(json_t *value, struct out *o, size_t flags)
{
    json_write_with(value, o, write_piece, flags);
}

void json_write_line(json_t *value, struct out *o)
{
    write_value(value, o, 0);
}

void json_write_string(const char *s, struct out *o)
{
    write_value(json_string_or_null(s), o, JSON_ENCODE_ANY);
}

void json_write(json_t *value, struct out *o)
{
    write_value(value, o, JSON_INDENT(1));
    out_string(o, "\n");
}
