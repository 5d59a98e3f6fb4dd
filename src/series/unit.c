#include "series/unit.h"

#include <string.h>

static void add_namespace(struct text *out, const char *name)
{
    size_t end = strcspn(name, "<[+"), dot = end;
    while (dot > 0 && name[dot - 1] != '.')
        dot--;
    if (dot > 1)
        text_add(out, name, dot - 1);
    else
        text_add_string(out, "(global)");
}

/* Windows paths are read on Linux too. */
static void add_file_name(struct text *out, const char *module)
{
    const char *name = module;
    for (const char *c = module; c != NULL && *c != '\0'; c++)
        if (*c == '/' || *c == '\\')
            name = c + 1;
    text_add_string(out, name != NULL && *name != '\0' ? name : "(unknown)");
}

void unit_name(struct text *out, enum hd_unit by, const struct type *t)
{
    switch (by) {
    case HD_BY_NAMESPACE:
        add_namespace(out, t->name);
        break;
    case HD_BY_MODULE:
        add_file_name(out, t->module);
        break;
    case HD_BY_TYPE:
    case HD_BY_HOLDER: /* the types of such a snapshot are holders: holders.h */
        text_add_string(out, t->name);
        break;
    }
}
