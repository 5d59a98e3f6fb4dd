/* many_objects.h - a heap whose indexes exceed small memory limits. */
#ifndef MANY_OBJECTS_H
#define MANY_OBJECTS_H

#include "support/forge.h"

static inline struct hd_snapshot *many_objects(uint32_t count)
{
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Many", 24, count);
    for (uint32_t i = 0; i < count; i++)
        forge_reference(&f, first + i, first + i / 2);
    forge_root(&f, HD_ROOT_STATIC, "App.All", first + count - 1);
    return forge_finish(&f);
}

#endif
