/* Names of types, each kept once: as the runtime's events spell them, and as shown. */
#include "format/core/clr_inner.h"
#include "heap/names.h"

struct clr_name *clr_name_of(struct clr_types *t, const char *raw, size_t len)
{
    struct clr_name *name;
    if (len > MOST_NAME)
        len = MOST_NAME;
    HASH_FIND(hh, t->names, raw, len, name);
    if (name != NULL)
        return name;
    if (!clr_spend(t, len + sizeof(*name)))
        return t->unknown;
    name = arena_alloc(t->a, sizeof(*name));
    name->raw = arena_strdup(t->a, raw, len);
    name->len = len;
    HASH_ADD_KEYPTR(hh, t->names, name->raw, len, name);
    return name;
}

struct clr_name *clr_name_add(struct clr_types *t, struct text *raw)
{
    return clr_name_of(t, text_string(raw), raw->len);
}

const char *clr_shown(struct clr_types *t, struct clr_name *name)
{
    if (name->shown != NULL)
        return name->shown;
    struct text rewritten = {0}, canonical = {0};
    names_rewritten(&rewritten, name->raw, name->len);
    names_canonical(&canonical, rewritten.data, rewritten.len);
    bool same =
        canonical.len == name->len && memcmp(canonical.data, name->raw, canonical.len) == 0;
    if (same || !clr_spend(t, canonical.len))
        name->shown = name->raw;
    else
        name->shown = arena_strdup(t->a, canonical.data, canonical.len);
    text_free(&rewritten);
    text_free(&canonical);
    return name->shown;
}

const char *clr_shown_full(struct clr_types *t, struct clr_name *name)
{
    if (memchr(name->raw, '\\', name->len) == NULL)
        return clr_shown(t, name);
    text_clear(&t->text);
    for (size_t i = 0; i < name->len; i++) {
        if (name->raw[i] == '\\' && i + 1 < name->len)
            i++;
        text_add_char(&t->text, name->raw[i]);
    }
    return clr_shown(t, clr_name_add(t, &t->text));
}
