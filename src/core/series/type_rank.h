/* type_rank.h - whose a type is, and so how much its name tells a reader: the program's own
 * class more than one of a package, that more than one of the framework.
 *
 * This is the one place that says which modules are the program's own: the one that the
 * process is called after, and those that begin with the same word before the first dot
 * ("Shop.Web" has Shop.Web.dll and Shop.Data.dll). Where no module goes by the name of the
 * process (dotnet, testhost, a file that tells no process) all that is not the framework's
 * is alike. A file without modules leaves names alone. Rules: docs/ranking.md. */
#ifndef TYPE_RANK_H
#define TYPE_RANK_H

#include "heap/snapshot.h"

/* By the module alone: the name may be what anybody calls a class. Of several snapshots, or
 * several types, the last of these counts. */
enum type_origin {
    ORIGIN_RUNTIME,
    ORIGIN_UNKNOWN, /* no module was told, or several */
    ORIGIN_PROGRAM
};

/* By the name or path of its module; NULL: unknown. */
enum type_origin type_origin_of(const char *module);

/* Of the objects of that name, over all snapshots that have any. */
enum type_origin type_origin_in(struct hd_snapshot *const *snaps, size_t count,
                                const char *name);

/* Of several snapshots, or several types of one name, the last of these counts. "Nested":
 * without a namespace, as most files have what stands in another class. */
enum type_rank {
    RANK_PLAIN,      /* the framework's, an array, made by the compiler, no type at all */
    RANK_LOOSE,      /* without a namespace, and nothing tells whose */
    RANK_NESTED,     /* of a package, nested */
    RANK_NAMED,      /* of a package; or has a namespace that is not the framework's */
    RANK_OWN_NESTED, /* of the program itself, nested */
    RANK_OWN
};

/* The program's own modules; lives as long as the snapshot. */
struct own_modules {
    const char *name; /* of the process; NULL: no module goes by it */
    size_t word;      /* its first letters that the others share with it */
};

/* O(types). */
struct own_modules own_modules_of(const struct hd_snapshot *snap);

/* An async method is ranked by the class that it is of; of pseudo-nodes a static variable
 * is something: the program's own, or loose. */
enum type_rank type_rank_of(const struct own_modules *own, const struct type *t);

/* By the name alone: what no module can say. */
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
