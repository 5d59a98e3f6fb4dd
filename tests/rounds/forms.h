/* forms.h - a model in every form that other tools write: layouts of gcdumps and traces,
 * spellings of heap text, tables. The layout is random. Uses the writers of the tests,
 * which must not share code with the program. */
#ifndef ROUNDS_FORMS_H
#define ROUNDS_FORMS_H

#include "rounds/model.h"

struct form {
    const char *name;
    struct text bytes;
    struct model_view view;
    uint32_t *order; /* view.order, malloc'd */
};

enum { FORMS = 4 };

/* Form number i of the model, with a random layout. */
struct form form_of(const struct model *m, unsigned i, struct random *r);
void form_free(struct form *f);

/* The bytes compressed or in a zip; how: 0 to PACKINGS - 1. */
enum { PACKINGS = 5 };
extern const char *const packings[PACKINGS];
struct text packed(const struct text *bytes, unsigned how);

#endif
