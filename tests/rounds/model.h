/* model.h - a random heap as plain data, which every form of it must be read back to.
 *
 * It has the data common to all formats: types, objects with sizes and references, roots
 * by kind, generations by address. It is compared with a snapshot by definition, object by
 * object, and must not depend on formats and readers. */
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

/* A static variable is "[static var TYPE.FIELD]", where TYPE is that of its object. */
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
    struct model_root roots[MODEL_ROOTS]; /* all different */
    unsigned root_count;
    uint64_t generation_begin[HD_GEN_FROZEN + 1]; /* from gen0 to poh, and the end */
};

/* At most `most` objects. Kinds of roots are those of all graph formats. */
void model_make(struct model *m, struct random *r, uint32_t most);
void model_free(struct model *m);

/* "[static var TYPE.FIELD]", or by_type "[static var TYPE]"; to is cleared. */
const char *model_variable(const struct model *m, const struct model_root *root,
                           bool by_type, struct text *to);

/* The part of the model that the form can store, and the mapping of nodes. */
struct model_view {
    bool graph, generations;
    bool statics_by_type;  /* without the field */
    const uint32_t *order; /* objects in the order of their nodes if they have no addresses;
                              NULL: their own order */
};

/* NULL if the snapshot equals the model, else the difference. */
const char *model_differs(const struct model *m, const struct hd_snapshot *snap,
                          const struct model_view *view);

#endif
