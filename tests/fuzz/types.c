/* Type data of a process in damaged memory: MethodTables, metadata, signatures, hash
 * tables, statics. A forged core has none of these, and one of a program is too large. The
 * input is the whole memory of forge_clr.h, and its first bytes choose the types to be
 * asked. */
#include "fuzz/memory_of_types.h"
#include "fuzz/surfaces.h"
#include "support/forge_clr.h"

#include "base/little_endian.h"

#include <stdlib.h>
#include <string.h>

/* The number of statics is limited only by memory. */
static void see(void *context, const struct clr_static *s)
{
    size_t *count = context;
    if (s->object == 0 || s->declared_by == NULL || s->field == NULL)
        abort();
    ++*count;
}

static void see_variable(void *context, const struct clr_static *v)
{
    size_t *count = context;
    *count += strlen(v->field) + strlen(v->declared_by);
}

static void ask_type(struct clr_types *types, const struct runtime *r, uint64_t at)
{
    if (at == 0 || !runtime_is_method_table(r, at))
        return;
    const struct clr_type *t = clr_type_of(types, at);
    if (t->name == NULL || t->full_name == NULL ||
        (t->field_count > 0 && t->fields == NULL))
        abort();
    for (size_t i = 0; i + 1 < t->field_count; i++)
        if (t->fields[i].offset > t->fields[i + 1].offset)
            abort();
    for (uint64_t value = 0; value < 5; value++)
        clr_enum_name(types, at, value);
}

void surface_types(struct bytes input)
{
    struct clr_forge f;
    bool is_8 = input.size >= 8 && memcmp(input.data, MEMORY_OF_TYPES_8, 8) == 0;
    if (is_8)
        forge_clr_begin_8(&f);
    else
        forge_clr_begin(&f);
    if (input.size >= MEMORY_OF_TYPES_HEAD && input.size <= FORGED_CLR_SIZE) {
        memcpy(f.bytes, input.data, input.size);
        f.len = input.size;
        f.runtime.thread_store = le_u64(f.bytes + 8);
        struct clr_types *types = forge_clr_open(&f);
        clr_types_misfit(types);
        for (size_t i = 0; i < MEMORY_OF_TYPES_ASKED; i++)
            ask_type(types, &f.runtime, le_u64(f.bytes + 16 + 8 * i));
        size_t statics = 0;
        clr_types_statics(types, see, &statics);
        clr_types_variables(types, see_variable, &statics);
        clr_types_close(types);
    }
    forge_clr_end(&f);
}
