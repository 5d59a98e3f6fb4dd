/* place.h - what an object hangs from: a root, a static variable, a type; and holders,
 * which are lists of such places.
 *
 * All inputs spell places as names, and names are what is stored, compared and matched.
 * This is the one place that takes such a name to parts and puts one together. It knows no
 * snapshot; what kind of root a group is stands in root_kind.h. */
#ifndef PLACE_H
#define PLACE_H

#include "base/arena.h"
#include "heap/names.h"

enum place_kind {
    PLACE_TYPE,   /* "App.Order[]", and whatever else is called so */
    PLACE_ROOTS,  /* in brackets: "[strong Handles]", "[unreachable]", "[CCW # ...]" */
    PLACE_STATIC, /* "[static var App.Shop.s_all]", "App.Shop.s_all (static var)" */
    PLACE_THREAD_STATIC /* "[thread static var App.Shop.t_all]" */
};

/* Slices of the name, which they live as long as. What stands before the type, the type, a
 * point and the field, and what stands behind it are the name again. */
struct place {
    enum place_kind kind;
    struct name_part lead;  /* "[static var " */
    struct name_part type;  /* of the value, or the class that declares it: files differ */
    struct name_part field; /* at NULL: none is told */
    struct name_part tail;  /* "]" */
};

/* Any bytes are a place. The field begins behind the last point that is in no brackets. */
struct place place_of(const char *name);

/* Append the name. */
void place_add(struct text *to, const struct place *p);

/* Append "[static var TYPE.FIELD]"; field at NULL: without. */
void place_add_static(struct text *to, struct name_part type, struct name_part field);

static inline bool place_is_variable(const struct place *p)
{
    return p->kind == PLACE_STATIC || p->kind == PLACE_THREAD_STATIC;
}

/* The same of a name alone. */
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

/* A variable that says more than that it is one: not of the framework. Collections are held
 * by variables of the program too: files name the type of what is held. */
bool place_tells(const struct place *p);

/* --- holders ------------------------------------------------------------------ */

/* Places from the roots down as one line: "[static vars] → [static var App.s_all] → A[]". A
 * type whose name has an arrow in it is taken for two. */
#define HOLDER_ARROW " → "

void holder_join(struct text *to, const char *const *places, size_t count);

/* The places, in a; how many. */
size_t holder_split(const char *holder, const char ***places, struct arena *a);

/* Where the place at the beginning of it ends: at an arrow, or at the end. */
const char *holder_place_end(const char *holder);

#endif
