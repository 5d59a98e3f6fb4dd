/* type_rank.h - rank types by whose they are, and so by how informative their names are:
 * the program's own class above one of a package, that above one of the framework.
 *
 * Only this file decides which modules are the program's own: the one with the name of the
 * process, and those that begin with the same word before the first dot ("Shop.Web" has
 * Shop.Web.dll and Shop.Data.dll). If no module has the name of the process (dotnet,
 * testhost, a file without it) all modules outside the framework rank alike. In a file
 * without modules only names count. Rules: docs/ranking.md. */
#ifndef TYPE_RANK_H
#define TYPE_RANK_H

#include "heap/snapshot.h"

/* By the module alone: any program may have a class with that name. For several snapshots
 * or types the highest. */
enum type_origin {
    ORIGIN_RUNTIME,
    ORIGIN_UNKNOWN, /* no module known, or several */
    ORIGIN_PROGRAM
};

/* By the name or path of its module; NULL: unknown. */
enum type_origin type_origin_of(const char *module);

/* Returns the origin of the objects with that name, over all snapshots that have any. */
enum type_origin type_origin_in(struct hd_snapshot *const *snaps, size_t count,
                                const char *name);

/* For several snapshots, or several types with the same name, the highest. "Nested":
 * without a namespace, as most files have nested classes. */
enum type_rank {
    RANK_PLAIN,      /* the framework's, an array, made by the compiler, no type at all */
    RANK_LOOSE,      /* without a namespace, and of unknown origin */
    RANK_NESTED,     /* of a package, nested */
    RANK_NAMED,      /* of a package; or has a namespace that is not the framework's */
    RANK_OWN_NESTED, /* of the program itself, nested */
    RANK_OWN
};

/* The program's own modules; lives as long as the snapshot. */
struct own_modules {
    const char *name; /* of the process; NULL: no module has its name */
    size_t word;      /* its first letters that the others share with it */
};

/* O(types). */
struct own_modules own_modules_of(const struct hd_snapshot *snap);

/* An async method is ranked by its class; of pseudo-nodes only static variables rank: as
 * the program's own, or loose. */
enum type_rank type_rank_of(const struct own_modules *own, const struct type *t);

/* Returns the rank by the name alone, for files without modules. */
enum type_rank type_rank_by_name(const char *name);

/* A class of the program or of a package. */
static inline bool rank_is_program(enum type_rank rank)
{
    return rank >= RANK_NESTED;
}

static inline bool rank_is_own(enum type_rank rank)
{
    return rank >= RANK_OWN_NESTED;
}

#endif
