/* All text of the page: the only file that escapes. */
#include "render/page/page.h"

#include "base/alloc.h"
#include "report/format_units.h"

#include <stdlib.h>
#include <string.h>

/* Within an element or a quoted attribute no other character is special. */
static void html_add_escaped(struct out *o, const char *s, size_t len)
{
    static const struct {
        char c;
        const char *instead;
    } all[] = {
        {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    size_t written = 0;
    for (size_t i = 0; i < len; i++)
        for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++)
            if (s[i] == all[k].c) {
                out_bytes(o, s + written, i - written);
                out_string(o, all[k].instead);
                written = i + 1;
            }
    out_bytes(o, s + written, len - written);
}

void html_words(struct out *o, const char *s)
{
    html_add_escaped(o, s, strlen(s));
}

void html_name(struct out *o, const char *s)
{
    struct text clean = {0}, cut = {0};
    format_name(&clean, s);
    if (clean.len <= PAGE_MAX_NAME)
        html_add_escaped(o, text_string(&clean), clean.len);
    else {
        format_shorten(&cut, clean.data, clean.len, PAGE_MAX_NAME, false);
        html_add_escaped(o, text_string(&cut), cut.len);
    }
    text_free(&cut);
    text_free(&clean);
}

/* --- JSON ------------------------------------------------------------------ */

static json_t *cut_string(const char *s, size_t len)
{
    struct text cut = {0};
    format_shorten(&cut, s, len, PAGE_MAX_NAME, false);
    json_t *value = json_stringn_nocheck(text_string(&cut), cut.len);
    text_free(&cut);
    return value;
}

/* Arrays and objects still to be examined. */
struct unseen {
    json_t **all;
    size_t len, cap;
};

/* True for a long string, which must be replaced. Arrays and objects are queued. */
static bool is_long(struct unseen *u, json_t *part)
{
    if (json_is_array(part) || json_is_object(part)) {
        u->all = grow(u->all, u->len, &u->cap, sizeof(json_t *));
        u->all[u->len++] = part;
    }
    return json_string_length(part) > PAGE_MAX_NAME;
}

static void cut_strings(json_t *value)
{
    struct unseen u = {0};
    is_long(&u, value);
    while (u.len > 0) {
        json_t *whole = u.all[--u.len], *part;
        const char *key;
        size_t i;
        json_array_foreach(whole, i, part)
        {
            if (is_long(&u, part))
                json_array_set_new(
                    whole, i,
                    cut_string(json_string_value(part), json_string_length(part)));
        }
        json_object_foreach(whole, key, part)
        {
            if (is_long(&u, part))
                json_object_set_new_nocheck(
                    whole, key,
                    cut_string(json_string_value(part), json_string_length(part)));
        }
    }
    free(u.all);
}

/* Such characters occur in strings only. */
static int write_piece(const char *piece, size_t size, void *out)
{
    struct out *o = out;
    size_t written = 0;
    for (size_t i = 0; i < size; i++) {
        if (piece[i] != '<' && piece[i] != '>' && piece[i] != '&' && piece[i] != 0x7F)
            continue;
        out_bytes(o, piece + written, i - written);
        out_printf(o, "\\u%04x", (unsigned)piece[i]);
        written = i + 1;
    }
    out_bytes(o, piece + written, size - written);
    return o->failed != 0 ? -1 : 0;
}

void html_json(struct out *o, json_t *value)
{
    cut_strings(value);
    json_write_with(value, o, write_piece, JSON_COMPACT | JSON_ENSURE_ASCII);
}
