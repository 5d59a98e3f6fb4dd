/* digest_columns.h - the members of a digest's file, by their names, before anybody looks
 * at what they say. What is not known here is left out, so that a later version may add
 * members. */
#ifndef DIGEST_COLUMNS_H
#define DIGEST_COLUMNS_H

#include "format/digest/digest_format.h"
#include "heap/builder.h"

/* A member, or {0} if the file has none of that name. */
struct digest_value {
    bool is_there;
    bool truth;
    uint64_t number;
    double real;
    const char *text;  /* NULL for null */
    uint64_t *numbers; /* of a column; malloc'd; HD_UNKNOWN for null */
    double *reals;
    const char **strings;
    size_t len, cap;
};

struct digest_columns {
    struct digest_value *all; /* by the numbers of a list inside */
};

/* False and err if it is no digest that can be read. digest_columns_free() in any case. */
bool digest_columns_read(struct digest_columns *c, struct bytes json, struct builder *b,
                         struct hd_error *err);
void digest_columns_free(struct digest_columns *c, struct builder *b);

/* A member that is known here; never NULL. */
const struct digest_value *digest_value(const struct digest_columns *c,
                                        enum digest_group group, const char *name);

#endif
