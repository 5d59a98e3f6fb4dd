#include "analysis/hints.h"

#include "heap/names.h"

#include <stdbool.h>
#include <string.h>

static const char arrow[] = " > ";

/* Of a pattern of several parts the one that begins at *at, which moves to the next or
 * becomes NULL. False if it is too long to be one of the table's. */
static bool next_part(const char **at, char *part, size_t size)
{
    const char *end = strstr(*at, arrow);
    size_t len = end != NULL ? (size_t)(end - *at) : strlen(*at);
    if (len >= size)
        return false;
    memcpy(part, *at, len);
    part[len] = '\0';
    *at = end != NULL ? end + strlen(arrow) : NULL;
    return true;
}

/* How many types of a way the pattern takes up, from the one at first on; 0: none. */
static size_t match_from(const char *pattern, const struct hint_way *way, size_t first)
{
    enum { LONGEST_PART = 120 };
    char part[LONGEST_PART];
    size_t i = first;
    for (const char *at = pattern; at != NULL; i++)
        if (i == way->len || !next_part(&at, part, sizeof(part)) ||
            !names_match(part, way->types[i]))
            return 0;
    return i - first;
}

static bool is_above(const char *pattern, const struct hint_way *way, bool directly)
{
    for (size_t i = 0; i < way->len; i++) {
        size_t len = match_from(pattern, way, i);
        if (len > 0 && (!directly || i + len == way->len))
            return true;
    }
    return false;
}

static bool is_below(const char *pattern, const struct hint_clues *clues)
{
    for (size_t i = 0; i < clues->below_count; i++)
        if (names_match(pattern, clues->below[i]))
            return true;
    return false;
}

static bool leads(const struct hint_case *c, const struct hint_way *way)
{
    return (c->held_by == NULL || is_above(c->held_by, way, true)) &&
           (c->above == NULL || is_above(c->above, way, false)) &&
           (c->root == NULL || strcmp(c->root, root_kind_names[way->root]) == 0);
}

static bool fits(const struct hint_case *c, const struct hint_clues *clues)
{
    if (c->type != NULL && !names_match(c->type, clues->type))
        return false;
    if (c->below != NULL && !is_below(c->below, clues))
        return false;
    if (c->held_by == NULL && c->above == NULL && c->root == NULL)
        return true;
    for (size_t i = 0; i < clues->way_count; i++)
        if (leads(c, &clues->ways[i]))
            return true;
    return false;
}

const struct hint *hint_for(const struct hint_clues *clues)
{
    for (size_t i = 0; i < hint_count; i++)
        for (size_t k = 0; k < hints[i].case_count; k++)
            if (fits(&hints[i].cases[k], clues))
                return hints[i].id != NULL ? &hints[i] : NULL;
    return NULL;
}

const struct hint *hint_named(const char *id)
{
    for (size_t i = 0; id != NULL && i < hint_count; i++)
        if (hints[i].id != NULL && strcmp(hints[i].id, id) == 0)
            return &hints[i];
    return NULL;
}
