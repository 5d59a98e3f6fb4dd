#include "render/page/words.h"

#include "base/hash.h"
#include "report/format_units.h"

#include <string.h>

struct word {
    UT_hash_handle hh;
    size_t number;
};

static size_t number_of(struct words *w, const char *s, size_t len)
{
    struct word *known = NULL;
    HASH_FIND(hh, w->known, s, len, known);
    if (known != NULL)
        return known->number;
    known = arena_alloc(&w->arena, sizeof(*known));
    known->number = json_array_size(w->all);
    const char *key = arena_strdup(&w->arena, s, len);
    HASH_ADD_KEYPTR(hh, w->known, key, len, known);
    json_append(w->all, json_stringn_nocheck(s, len));
    return known->number;
}

static void pack_word(struct words *w, struct text *to, const char *s, size_t len)
{
    char number[24];
    snprintf(number, sizeof(number), "%zu", number_of(w, s, len));
    text_add_string(to, number);
}

/* What stands between marks: a class, perhaps behind its namespace. */
static void pack_name(struct words *w, struct text *to, const char *s, size_t len)
{
    size_t dot = len;
    while (dot > 0 && s[dot - 1] != '.')
        dot--;
    if (dot > 1) {
        pack_word(w, to, s, dot - 1);
        text_add_char(to, '.');
    } else if (dot == 1) {
        text_add_char(to, '.');
    }
    if (dot < len)
        pack_word(w, to, s + dot, len - dot);
}

void words_pack(struct words *w, struct text *to, const char *name)
{
    static const char marks[] = "<>,[]() ";
    struct text clean = {0}, cut = {0};
    if (w->all == NULL)
        w->all = json_array();
    text_add_utf8(&clean, name, strlen(name));
    format_shorten(&cut, text_string(&clean), clean.len, PAGE_MOST_NAME, false);
    for (const char *s = text_string(&cut); *s != '\0';) {
        size_t len = strcspn(s, marks);
        if (len > 0)
            pack_name(w, to, s, len);
        s += len;
        for (; *s != '\0' && strchr(marks, *s) != NULL; s++)
            text_add_char(to, *s);
    }
    text_free(&cut);
    text_free(&clean);
}

void words_free(struct words *w)
{
    HASH_CLEAR(hh, w->known);
    arena_free(&w->arena);
}
