/* The file of --symbols: a native AOT program, or a file with its symbols. */
#include "fuzz/surfaces.h"

#include "clr/process/aot_image.h"

#include <stdlib.h>

static void ask_image(const struct aot_image *i, struct text *name)
{
    enum { AROUND = 0x200 }; /* constructed types, which are in no list */
    for (size_t k = 0; k < i->type_count; k++) {
        text_clear(name);
        aot_image_name(i, i->types[k].address - i->base, name);
    }
    uint64_t first = i->types[0].address - i->base;
    for (uint64_t rva = first; rva < first + AROUND; rva += 8) {
        text_clear(name);
        if (!aot_image_name(i, rva, name) && name->len > 0)
            abort();
    }
}

void surface_symbols(struct bytes input)
{
    struct arena a = {0};
    struct aot_image image;
    struct aot_symbols symbols;
    struct text name = {0};
    if (aot_image_of_file(&image, input, &a))
        ask_image(&image, &name);
    if (aot_symbols_of_file(&symbols, input, &a, NULL))
        for (size_t k = 0; k < symbols.count; k++) {
            text_clear(&name);
            aot_symbols_name(&symbols, symbols.tables[k].rva, &name);
        }
    text_free(&name);
    arena_free(&a);
}
