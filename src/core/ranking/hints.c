#include "ranking/hints.h"

#include "heap/place.h"
#include "heapdrift.h"

#include <string.h>

/* --- conditions above the suspect --------------------------------------------- */

static const char arrow[] = " > ";

/* Copies the part of a pattern that begins at *at, and advances *at to the next part or
 * NULL. False if it is too long to be in the table. */
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

/* True if the pattern matches the types from `first` on; with " >" at its end, up to the
 * last. */
static bool match_from(const char *pattern, const struct hint_way *way, size_t first)
{
    enum { LONGEST_PART = 120 };
    char part[LONGEST_PART];
    for (size_t i = first;; i++) {
        if (!next_part(&pattern, part, sizeof(part)))
            return false;
        size_t len = strlen(part);
        bool last = len > 2 && strcmp(&part[len - 2], " >") == 0;
        if (last)
            part[len - 2] = '\0';
        if (i == way->len || !names_match(part, way->types[i]))
            return false;
        if (pattern == NULL)
            return !last || i + 1 == way->len;
    }
}

static bool is_above(const char *pattern, const struct hint_way *way)
{
    for (size_t i = 0; i < way->len; i++)
        if (match_from(pattern, way, i))
            return true;
    return false;
}

/* True for collections, arrays, and types nested in collections (entries, nodes). */
static bool is_inside_collection(const char *type)
{
    return (names_is_array(type) && !place_is_root(type)) ||
           (strchr(type, '<') != NULL && !names_has_namespace(type)) ||
           names_match("System.Collections.*", type);
}

/* Returns the owner of the collection that contains the suspect, or ""; the innermost
 * collection in *in, or NULL. */
static const char *hints_holder_of(const struct hint_way *way, const char **in)
{
    *in = NULL;
    for (size_t i = way->len; i-- > 0;) {
        if (!is_inside_collection(way->types[i]))
            return way->types[i];
        if (*in == NULL && strncmp(way->types[i], "System.Collections.", 19) == 0 &&
            way->types[i][strlen(way->types[i]) - 1] != ']')
            *in = way->types[i];
    }
    return "";
}

static bool leads(const struct hint_case *c, const struct hint_way *way)
{
    const char *in, *of = hints_holder_of(way, &in);
    return (c->above == NULL || is_above(c->above, way)) &&
           (c->in == NULL || (in != NULL && names_match(c->in, in))) &&
           (c->of == NULL || names_match(c->of, of)) &&
           (c->root == NULL || strcmp(c->root, root_kind_names[way->root]) == 0) &&
           (c->without == NULL || !is_above(c->without, way));
}

static bool is_led_to(const struct hint_case *c, const struct hint_clues *clues)
{
    static const double enough = 0.5;
    double share = 0;
    if (c->above == NULL && c->in == NULL && c->of == NULL && c->root == NULL &&
        (c->without == NULL || clues->way_count == 0))
        return true;
    for (size_t i = 0; i < clues->way_count; i++)
        share += leads(c, &clues->ways[i]) ? clues->ways[i].share : 0;
    return share >= enough;
}

/* --- conditions below the suspect --------------------------------------------- */

enum { NOT_BELOW = 1000 };

/* Depth of the nearest match below. */
static unsigned depth_of(const char *pattern, const struct hint_clues *clues)
{
    unsigned nearest = names_match(pattern, clues->type) ? 0 : NOT_BELOW;
    for (size_t i = 0; i < clues->below_count; i++)
        if (clues->below[i].depth < nearest && names_match(pattern, clues->below[i].type))
            nearest = clues->below[i].depth;
    return nearest;
}

/* --- choice of a case --------------------------------------------------------- */

/* Quality of a match; smaller is better. */
struct usable {
    bool fits;
    enum hint_breadth breadth;
    int asks, depth, letters;
};

static void hints_ask(struct usable *usable, const char *pattern)
{
    usable->asks += pattern != NULL;
    for (const char *c = pattern; c != NULL && *c != '\0'; c++)
        usable->letters += *c != '*' && *c != '?';
}

static struct usable usable_of(const struct hint *hint, const struct hint_case *c,
                               const struct hint_clues *clues)
{
    struct usable usable = {.breadth = hint->breadth};
    unsigned depth = c->with != NULL ? depth_of(c->with, clues) : 0;
    if ((c->at != NULL && !names_match(c->at, clues->type)) || depth == NOT_BELOW ||
        (c->direct && depth > 1) ||
        (c->without != NULL && depth_of(c->without, clues) != NOT_BELOW) ||
        !is_led_to(c, clues))
        return usable;
    const char *const patterns[] = {c->at, c->with, c->above, c->in, c->of, c->root};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
        hints_ask(&usable, patterns[i]);
    usable.depth = c->at == NULL && c->with == NULL ? NOT_BELOW : (int)depth;
    usable.fits = true;
    return usable;
}

static bool hints_is_better(const struct usable *a, const struct usable *b)
{
    if (a->fits != b->fits)
        return a->fits;
    if (a->breadth != b->breadth)
        return a->breadth < b->breadth;
    if (a->asks != b->asks)
        return a->asks > b->asks;
    return a->depth != b->depth ? a->depth < b->depth : a->letters > b->letters;
}

const struct hint *hint_for(const struct hint_clues *clues)
{
    struct usable best = {0};
    const struct hint *found = NULL;
    for (size_t i = 0; i < hint_count; i++)
        for (size_t k = 0; k < hints[i].case_count; k++) {
            struct usable usable = usable_of(&hints[i], &hints[i].cases[k], clues);
            if (hints_is_better(&usable, &best)) {
                best = usable;
                found = &hints[i];
            }
        }
    return found != NULL && found->id != NULL ? found : NULL;
}

const struct hint *hint_named(const char *id)
{
    for (size_t i = 0; id != NULL && i < hint_count; i++)
        if (hints[i].id != NULL && strcmp(hints[i].id, id) == 0)
            return &hints[i];
    return NULL;
}

/* skips records without text, which have no name */
static const struct hint *hint_number(size_t n)
{
    for (size_t i = 0; i < hint_count; i++)
        if (hints[i].id != NULL && n-- == 0)
            return &hints[i];
    return NULL;
}

const char *hd_hint_name(size_t i)
{
    const struct hint *hint = hint_number(i);
    return hint != NULL ? hint->id : NULL;
}

const char *hd_hint_fix(size_t i)
{
    const struct hint *hint = hint_number(i);
    return hint != NULL ? hint->fix : NULL;
}
