#include "heap/nearest_name.h"

#include "base/arena.h"
#include "heap/names.h"
#include "heapdrift.h"

#include <string.h>

static const char *lower(struct arena *a, const char *s)
{
    size_t len = strlen(s);
    char *copy = arena_alloc(a, len + 1);
    for (size_t i = 0; i < len; i++)
        copy[i] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] - 'A' + 'a' : s[i]);
    copy[len] = '\0';
    return copy;
}

/* Behind the last dot or plus that is in no generic argument: what people remember. */
static const char *last_part(const char *name)
{
    const char *part = name;
    size_t depth = 0;
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '<')
            depth++;
        else if (*c == '>' && depth > 0)
            depth--;
        else if ((*c == '.' || *c == '+') && depth == 0 && c[1] != '\0')
            part = c + 1;
    }
    return part;
}

static bool nearest_name_is_better(const char *name, const char *than)
{
    if (than == NULL || strlen(name) != strlen(than))
        return than == NULL || strlen(name) < strlen(than);
    return strcmp(name, than) < 0;
}

static bool has_inside(const char *pattern, const char *name)
{
    enum { SHORTEST = 3 };
    return strlen(pattern) >= SHORTEST && strstr(last_part(name), pattern) != NULL;
}

/* The best of those that fit, both in lower case. */
static const char *best_of(const char *pattern, const char *const *names,
                           const char *const *lowered, size_t count,
                           bool (*fits)(const char *pattern, const char *name))
{
    const char *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (nearest_name_is_better(names[i], best) && fits(pattern, lowered[i]))
            best = names[i];
    return best;
}

static const char *fewest_edits(const char *pattern, const char *const *names,
                                const char *const *lowered, size_t count, struct arena *a)
{
    const char **parts = arena_array(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        parts[i] = last_part(lowered[i]);
    const char *nearest = hd_nearest_word(last_part(pattern), parts);
    const char *best = NULL;
    for (size_t i = 0; nearest != NULL && i < count; i++)
        if (strcmp(parts[i], nearest) == 0 && nearest_name_is_better(names[i], best))
            best = names[i];
    return best;
}

/* "orchard.*" meant "Orchard.*": what stands in front of the wildcard, as the name has it.
 */
static void write_pattern(struct text *out, const char *pattern, const char *name)
{
    size_t start = out->len, front = strcspn(pattern, "*?");
    if (front > 0) {
        text_add(out, name, front);
        text_add_string(out, pattern + front);
        if (names_match(text_string(out) + start, name))
            return;
    }
    out->len = start;
    text_add_string(out, name);
}

bool nearest_name(struct text *out, const char *pattern, const char *const *names,
                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (names_match(pattern, names[i]))
            return false;
    struct arena a = {0};
    const char **lowered = arena_array(&a, const char *, count);
    for (size_t i = 0; i < count; i++)
        lowered[i] = lower(&a, names[i]);
    const char *low = lower(&a, pattern);
    bool wild = strpbrk(pattern, "*?") != NULL;
    const char *best = best_of(low, names, lowered, count, names_match);
    if (best != NULL && wild) {
        write_pattern(out, pattern, best);
    } else {
        if (best == NULL && !wild)
            best = best_of(low, names, lowered, count, has_inside);
        if (best == NULL && !wild)
            best = fewest_edits(low, names, lowered, count, &a);
        if (best != NULL)
            text_add_string(out, best);
    }
    arena_free(&a);
    return best != NULL;
}
