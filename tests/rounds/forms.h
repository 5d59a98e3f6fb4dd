/* forms.h - a model in every form that other tools write: layouts of gcdumps and traces,
 * spellings of heap text, tables. Which layout is a matter of chance.
 *
 * The writers are those of the tests, which know formats from their descriptions and not
 * from the program. */
#ifndef ROUNDS_FORMS_H
#define ROUNDS_FORMS_H

#include "rounds/model.h"

struct form {
    const char *name;
    struct text bytes;
    struct model_view view;
    uint32_t *order; /* what view.order is, malloc'd */
};

enum { FORMS = 4 };

/* Form number i of the model; chance chooses its layout. */
struct form form_of(const struct model *m, unsigned i, struct random *r);
void form_free(struct form *f);

/* bytes once more, compressed or in a zip: a format's number from 0 to PACKINGS - 1. */
enum { PACKINGS = 5 };
extern const char *const packings[PACKINGS];
struct text packed(const struct text *bytes, unsigned how);

#endif
