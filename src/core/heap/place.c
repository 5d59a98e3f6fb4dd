#include "heap/place.h"

#include "base/text.h"

#include <string.h>

/* Spellings of variables; the first is ours. The suffix after type and field is from
 * PerfView's dumps of .NET Framework. */
static const struct spelling {
    enum place_kind kind;
    const char *lead, *tail;
} spellings[] = {
    {PLACE_STATIC, "[static var ", "]"},
    {PLACE_THREAD_STATIC, "[thread static var ", "]"},
    {PLACE_STATIC, "", " (static var)"},
};

static bool ends_in(const char *name, size_t len, const char *tail)
{
    size_t n = strlen(tail);
    return len > n && ascii_same_word(name + len - n, tail);
}

/* With a lead it is a variable even if its end is cut off. */
static bool is_spelled(const char *name, size_t len, const struct spelling *s)
{
    size_t lead = strlen(s->lead);
    return lead > 0 ? strncasecmp(name, s->lead, lead) == 0 : ends_in(name, len, s->tail);
}

/* Both types and fields may have brackets, with points in them: T<A.B>.<I.F>k__Field. */
static const char *last_point(struct name_part in)
{
    const char *point = NULL;
    size_t depth = 0;
    for (const char *c = in.at; c < in.at + in.len; c++) {
        if (*c == '<' || *c == '[')
            depth++;
        else if ((*c == '>' || *c == ']') && depth > 0)
            depth--;
        else if (*c == '.' && depth == 0)
            point = c;
    }
    return point;
}

struct place place_of(const char *name)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++) {
        const struct spelling *s = &spellings[i];
        if (!is_spelled(name, len, s))
            continue;
        size_t lead = strlen(s->lead),
               tail = ends_in(name, len, s->tail) ? strlen(s->tail) : 0;
        struct place p = {.kind = s->kind,
                          .lead = {name, lead},
                          .type = {name + lead, len - lead - tail},
                          .tail = {name + len - tail, tail}};
        const char *point = last_point(p.type);
        if (point != NULL) {
            p.field = (struct name_part){point + 1, (size_t)(p.tail.at - point) - 1};
            p.type.len = (size_t)(point - p.type.at);
        }
        return p;
    }
    return (struct place){.kind = place_is_root(name) ? PLACE_ROOTS : PLACE_TYPE,
                          .type = {name, len}};
}

void place_add(struct text *to, const struct place *p)
{
    text_add(to, p->lead.at, p->lead.len);
    text_add(to, p->type.at, p->type.len);
    if (p->field.at != NULL)
        text_add_char(to, '.');
    text_add(to, p->field.at, p->field.len);
    text_add(to, p->tail.at, p->tail.len);
}

void place_add_static(struct text *to, struct name_part type, struct name_part field)
{
    place_add(to, &(struct place){.lead = name_part(spellings[0].lead),
                                  .type = type,
                                  .field = field,
                                  .tail = name_part(spellings[0].tail)});
}

bool place_tells(const struct place *p)
{
    static const char collections[] = "System.Collections.";
    return place_is_variable(p) &&
           (!names_is_framework(p->type, NAME_WHOLE) ||
            strncmp(p->type.at, collections, strlen(collections)) == 0);
}

/* --- holders ------------------------------------------------------------------ */

void holder_join(struct text *to, const char *const *places, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_add_string(to, i > 0 ? HOLDER_ARROW : "");
        text_add_string(to, places[i]);
    }
}

const char *holder_place_end(const char *holder)
{
    const char *end = strstr(holder, HOLDER_ARROW);
    return end != NULL ? end : holder + strlen(holder);
}

size_t holder_split(const char *holder, const char ***places, struct arena *a)
{
    size_t count = 1, len = 0;
    const char *end = holder_place_end(holder);
    for (; *end != '\0'; end = holder_place_end(end + strlen(HOLDER_ARROW)))
        count++;
    *places = arena_array(a, const char *, count);
    for (end = holder_place_end(holder);; end = holder_place_end(holder)) {
        (*places)[len++] = arena_strdup(a, holder, (size_t)(end - holder));
        if (*end == '\0')
            return len;
        holder = end + strlen(HOLDER_ARROW);
    }
}
