/* heap_text.h - heaps of simulated processes, as heap text: some objects of a type in an
 * array that a static variable holds, for each of a few types. */
#ifndef HEAP_TEXT_H
#define HEAP_TEXT_H

#include "base/text.h"
#include "support/random.h"

#include <inttypes.h>
#include <stdio.h>

struct heap_text {
    struct text objects, roots;
    unsigned next;
};

/* Adds count objects of a type, in an array held by a static variable of another type. */
static inline void add_pool(struct heap_text *h, unsigned holder, unsigned type,
                            unsigned count, unsigned size)
{
    char line[80];
    unsigned array = h->next++, first = h->next;
    snprintf(line, sizeof(line), "o %x %x %x", array, holder, 16 + 8 * count);
    text_add_string(&h->objects, line);
    for (unsigned i = 0; i < count; i++) {
        snprintf(line, sizeof(line), " %x", first + i);
        text_add_string(&h->objects, line);
    }
    text_add_string(&h->objects, "\n");
    for (unsigned i = 0; i < count; i++) {
        snprintf(line, sizeof(line), "o %x %x %x\n", first + i, type, size);
        text_add_string(&h->objects, line);
    }
    h->next += count;
    snprintf(line, sizeof(line), "r %x 4 0 %x\n", array, holder);
    text_add_string(&h->roots, line);
}

static inline double noise(struct random *r)
{
    return random_below(r, 1000) / 1000.0;
}

/* Writes the whole heap with a time in milliseconds; frees its parts. */
static inline void finish_heap(struct heap_text *h, const char *types, uint64_t stamp,
                               struct text *to)
{
    char line[80];
    text_clear(to);
    snprintf(line, sizeof(line), "a 2 App.exe %" PRIx64 "\n", stamp);
    text_add_string(to, line);
    text_add_string(to, types);
    text_add(to, h->objects.data, h->objects.len);
    text_add(to, h->roots.data, h->roots.len);
    text_add_string(to, "c App.exe 1\n");
    text_free(&h->objects);
    text_free(&h->roots);
}

#endif
