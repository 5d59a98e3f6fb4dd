/* random_heap.h - small heaps of few types, for comparing many series with a definition. */
#ifndef RANDOM_HEAP_H
#define RANDOM_HEAP_H

#include "ranking/ranked.h"
#include "support/random.h"

/* A heap with many reachable objects, much recursion and some rare types: half of the
 * objects are of the first type, or all types are equally frequent. */
static inline struct hd_snapshot *random_small_heap(struct random *r, uint32_t most_objects,
                                                    bool many_of_first, bool generations)
{
    static const char *const type_names[] = {"App.A", "App.B", "App.C",
                                             "App.D", "App.E", "[local vars]"};
    static const char *const group_names[] = {"[static vars]", "[strong Handles]",
                                              "[local vars]"};
    struct forge f = {0};
    node_id root = heap_root(&f), groups[3];
    for (size_t i = 0; i < 3; i++)
        groups[i] = heap_group(&f, root, group_names[i]);
    uint32_t objects = 1 + random_below(r, most_objects);
    node_id first = groups[2] + 1;
    for (uint32_t i = 0; i < objects; i++) {
        uint32_t type = random_below(r, 6);
        type = many_of_first && random_below(r, 2) == 0 ? 0 : type;
        node_id n = forge_object(&f, type_names[type], 8 * (1 + random_below(r, 9)));
        if (generations)
            forge_generation(&f, n, random_below(r, 2) == 0 ? HD_GEN0 : HD_GEN2);
        if (random_below(r, 8) > 0)
            forge_reference(&f,
                            i > 0 && random_below(r, 4) > 0 ? first + random_below(r, i)
                                                            : groups[random_below(r, 3)],
                            n);
    }
    for (uint32_t more = random_below(r, objects); more > 0; more--)
        forge_reference(&f, first + random_below(r, objects),
                        first + random_below(r, objects));
    return forge_finish(&f);
}

#endif
