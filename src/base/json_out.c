#include "base/json_out.h"

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

void json_put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
}

static int write_piece(const char *piece, size_t size, void *out)
{
    out_bytes(out, piece, size);
    return 0;
}

void json_write(json_t *value, struct out *o)
{
    json_dump_callback(value, write_piece, o, JSON_INDENT(1));
    out_string(o, "\n");
    json_decref(value);
}
