/* chain_owner.h - find the element of a root chain that owns everything below it.
 *
 * A chain is one shortest path; its entry into the heap is an accident that differs from
 * snapshot to snapshot. Its owner is the nearest element above the instance that has a
 * meaningful name: a static variable, an object that is the only one of its type, a service
 * of the container or a service scope; if dominators are known, the owner that they name.
 * The elements above it are only the path to it. Rules and reasons: docs/chains.md. */
#ifndef CHAIN_OWNER_H
#define CHAIN_OWNER_H

#include "base/arena.h"
#include "chains/chain_owner.h"
#include "heap/graph.h"
#include "heap/snapshot.h"

enum { SIGNATURE_PERIODS = 3 };

/* Several fields in folded steps or in chains of a group; and no field seen yet. */
#define FIELD_SEVERAL (NO_FIELD - 1)
#define FIELD_UNSEEN (NO_FIELD - 2)

/* Merges two fields, each possibly one of the values above. */
static inline field_id field_seen(field_id before, field_id more)
{
    if (before == FIELD_UNSEEN || more == FIELD_UNSEEN)
        return before == FIELD_UNSEEN ? more : before;
    return before == more ? before : FIELD_SEVERAL;
}

struct signature_element {
    uint32_t type;
    field_id by; /* of the element before it */
    /* repeats[p - 1]: how often in a row the last p elements occur up to this one */
    uint32_t repeats[SIGNATURE_PERIODS];
    /* back[p - 1]: the field by which this one, the last of the p, leads to the first
     * again */
    field_id back[SIGNATURE_PERIODS];
};

struct signature {
    struct signature_element *all; /* malloc'd */
    size_t len, cap;
    bool parts; /* by fields; set before the first element */
};

void signature_push(struct signature *s, uint32_t type, field_id by);

/* Orders signatures, 0 for equal ones; repeats do not count, nor the field that refers to
 * the first element. */
int signature_compare(const struct signature *a, const struct signature *b);

/* The same of their ends, from element i of a and element j of b on. */
int signature_compare_from(const struct signature *a, size_t i, const struct signature *b,
                           size_t j);

/* Returns the length of the longest repeated pattern that begins at element i, and how
 * often it occurs (1 and 1 without repetition). */
unsigned signature_pattern(const struct signature *s, size_t i, uint32_t *repeats);

void signature_free(struct signature *s);

#define HD_NO_OWNER SIZE_MAX

/* Possible roles of a type in a chain; bits. */
enum {
    ROLE_VARIABLE = 1 << 0,  /* a static variable */
    ROLE_PROGRAM = 1 << 1,   /* a class of the program */
    ROLE_NAMED = 1 << 2,     /* not plumbing, collection, array, delegate, ... */
    ROLE_SINGLE = 1 << 3,    /* named, and at most one object per snapshot */
    ROLE_TIMER = 1 << 4,     /* of the runtime's timer list */
    ROLE_CALL_SITE = 1 << 5, /* these as in enum plumbing */
    ROLE_SCOPE = 1 << 6,
    ROLE_SERVICES = 1 << 7,
    ROLE_LIST = 1 << 8, /* List<Object> and its array: how a scope keeps services */
    ROLE_ARRAY = 1 << 9,
    ROLE_OWN = 1 << 10, /* a class or a variable of the program's own modules */
    ROLE_TOKEN = 1 << 11,
    ROLE_REGISTRATION = 1 << 12
};
typedef uint16_t chain_role;

/* "singleton", "service"; NULL for HD_SERVICE_NONE. */
extern const char *const service_names[HD_SERVICE_COUNT];

/* The types of a series by name. */
struct owner_types {
    struct owner_type *by_name;
    struct arena arena;
};

/* O(types of all snapshots); needs their type tables only. */
struct owner_types owner_types_of(struct hd_snapshot *const *snaps, size_t count);
void owner_types_free(struct owner_types *o);

/* Returns the role of each type of a snapshot; in a. */
chain_role *owner_roles(const struct owner_types *o, const struct hd_snapshot *snap,
                        struct arena *a);
chain_role owner_role(const struct owner_types *o, enum type_kind kind, const char *name);

/* The roles of an element and of up to three above it, itself first; 0 beyond the end. */
enum { ROLE_WINDOW = 4 };

/* True if the object is only a handle: an object that keeps one registration of a token, to
 * unregister, leads to all registrations, but owns only its own. `below` is the next
 * element, `under` the one after that; the instance itself is treated as leading to
 * ROLE_TOKEN. */
static inline bool owner_is_handle(chain_role role, chain_role below, chain_role under)
{
    const chain_role token = ROLE_TOKEN | ROLE_REGISTRATION;
    return (below & ROLE_REGISTRATION) && (under & token) && !(role & token);
}

/* True if an element owns everything below it; and if as a service. */
bool owner_stands_at(const chain_role window[ROLE_WINDOW]);
bool owner_is_service(const chain_role window[ROLE_WINDOW]);

/* Returns the element of a chain that owns its last one, or HD_NO_OWNER. wanted is the type
 * that the dominators name, or NO_TYPE; a chain without it is judged by roles.
 * O(length). */
size_t owner_in_signature(const struct signature *s, const chain_role *role_of_type,
                          uint32_t wanted);

/* Returns per type how many of its objects call sites of a container refer to: the
 * container keeps a singleton at each place in the program that asks for it. snap must have
 * a graph; in a. O(nodes). */
uint64_t *owner_by_call_sites(const struct hd_snapshot *snap, const bool *is_call_site,
                              struct arena *a);

/* Returns per type whether all its objects are singleton services; NULL without any.
 * O(nodes). */
bool *owner_singletons(const struct hd_snapshot *snap, const chain_role *role_of_type,
                       struct arena *a);

/* Returns how the container holds element i of a chain. */
enum hd_service owner_service(const struct signature *s, size_t i,
                              const chain_role *role_of_type, const bool *is_singleton);

/* --- plumbing ------------------------------------------------------------------------ */

/* Types of the framework that occur on any path through the heap and do not identify an
 * owner: timers, tasks, and the container of services.
 *
 * They are those of .NET 10 and occur only here, in one table with a test. */

enum plumbing {
    PLUMBING_NONE,
    PLUMBING_WAY,       /* passed on the way, never an owner */
    PLUMBING_TIMER,     /* in the runtime's list of active timers, however it is reached */
    PLUMBING_CALL_SITE, /* refers to the one instance of a singleton service */
    PLUMBING_SCOPE,     /* has a list of the services to dispose of */
    PLUMBING_SERVICES,  /* the table of the services that a scope has made */
    PLUMBING_TOKEN, /* the source of a cancellation token, and its list of registrations */
    PLUMBING_REGISTRATION /* a registration; an object that keeps one to unregister reaches
                             all registrations */
};

/* Returns the role of an object's canonical type name. */
enum plumbing plumbing_of(const char *type);

#endif
