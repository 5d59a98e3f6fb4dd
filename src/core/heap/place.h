/* place.h - what keeps an object alive: a root, a static variable, a type; and holders,
 * which are lists of places.
 *
 * All inputs spell places as names, and names are what is stored, compared and matched.
 * Only this file splits such a name into parts and builds one. It must not depend on
 * snapshots; the root kind of a group is in root_kind.h. */
#ifndef PLACE_H
#define PLACE_H

#include "base/arena.h"
#include "heap/names.h"

enum place_kind {
    PLACE_TYPE,   /* "App.Order[]", and any other bytes */
    PLACE_ROOTS,  /* in brackets: "[strong Handles]", "[unreachable]", "[CCW # ...]" */
    PLACE_STATIC, /* "[static var App.Shop.s_all]", "App.Shop.s_all (static var)" */
    PLACE_THREAD_STATIC /* "[thread static var App.Shop.t_all]" */
};

/* Slices of the name, which must outlive them: lead, type, a point and the field, and tail,
 * concatenated, are the name. */
struct place {
    enum place_kind kind;
    struct name_part lead;  /* "[static var " */
    struct name_part type;  /* of the value or the declaring class: files differ */
    struct name_part field; /* at is NULL without one */
    struct name_part tail;  /* "]" */
};

/* Splits a name; any bytes are a place. The field follows the last point outside of
 * brackets. */
struct place place_of(const char *name);

/* Appends the name. */
void place_add(struct text *to, const struct place *p);

/* Appends "[static var TYPE.FIELD]"; ".FIELD" is omitted if field.at is NULL. */
void place_add_static(struct text *to, struct name_part type, struct name_part field);

static inline bool place_is_variable(const struct place *p)
{
    return p->kind == PLACE_STATIC || p->kind == PLACE_THREAD_STATIC;
}

/* The same for a name. */
static inline bool place_names_variable(const char *name)
{
    struct place place = place_of(name);
    return place_is_variable(&place);
}

/* The same as kind PLACE_ROOTS or a variable in brackets: no type has such a name. */
static inline bool place_is_root(const char *name)
{
    return name[0] == '[';
}

/* True for an informative variable: not the framework's. Collections count as well, since
 * files may name the type of the value, and variables of the program hold them too. */
bool place_tells(const struct place *p);

/* --- holders ------------------------------------------------------------------ */

/* Joins places from the roots down to one line: "[static vars] → [static var App.s_all] →
 * A[]". A type with an arrow in its name is read back as two. */
#define HOLDER_ARROW " → "

void holder_join(struct text *to, const char *const *places, size_t count);

/* Splits a holder; returns the number of places, which are in a. */
size_t holder_split(const char *holder, const char ***places, struct arena *a);

/* Returns the end of the first place of holder: an arrow, or the end of the string. */
const char *holder_place_end(const char *holder);

#endif
