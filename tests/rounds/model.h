/* model.h - a random heap as plain data, the same that every form of it is read back to.
 *
 * What a heap of the formats has in common: types, objects with sizes and references, roots
 * by kind, generations by address. It is compared with a snapshot by definition, object by
 * object, and knows neither formats nor how they are read. */
#ifndef ROUNDS_MODEL_H
#define ROUNDS_MODEL_H

#include "base/text.h"
#include "heap/snapshot.h"
#include "support/random.h"

enum { MODEL_TYPES = 12, MODEL_REFERENCES = 4, MODEL_ROOTS = 12 };

struct model_object {
    unsigned type;
    uint32_t size;
    uint64_t address;
    enum hd_generation generation;
    unsigned references;
    uint32_t to[MODEL_REFERENCES];
};

/* A static variable is "[static var TYPE.FIELD]", of the type of its object. */
struct model_root {
    enum hd_root_kind kind;
    uint32_t object;
    char field[8];
};

struct model {
    char types[MODEL_TYPES][48];
    unsigned type_count;
    struct model_object *objects; /* ascending addresses; malloc'd */
    uint32_t count;
    struct model_root roots[MODEL_ROOTS]; /* no two alike */
    unsigned root_count;
    uint64_t generation_begin[HD_GEN_FROZEN + 1]; /* of gen0 to poh, and the end */
};

/* Up to most objects. Kinds of roots are those that every graph format has. */
void model_make(struct model *m, struct random *r, uint32_t most);
void model_free(struct model *m);

/* "[static var TYPE.FIELD]", or by_type "[static var TYPE]"; to is cleared. */
const char *model_variable(const struct model *m, const struct model_root *root,
                           bool by_type, struct text *to);

/* What of the model the form can hold, and which node each object is. */
struct model_view {
    bool graph, generations;
    bool statics_by_type;  /* the field is not told */
    const uint32_t *order; /* objects in the order of their nodes, where they have no
                              addresses; NULL: their own */
};

/* NULL if the snapshot is the model, else what is not. */
const char *model_differs(const struct model *m, const struct hd_snapshot *snap,
                          const struct model_view *view);

#endif
