/* Names of the members of enums. */
#include "format/core/clr_inner.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 4096 };

struct member {
    uint64_t value;
    uint32_t field;
};

struct members {
    struct member all[MOST_MEMBERS];
    size_t len;
    uint64_t mask; /* of the bits that a value has */
};

static uint64_t mask_of(unsigned element)
{
    switch (element) {
    case ELEMENT_BOOLEAN:
    case ELEMENT_I1:
    case ELEMENT_U1:
        return UINT8_MAX;
    case ELEMENT_CHAR:
    case ELEMENT_I2:
    case ELEMENT_U2:
        return UINT16_MAX;
    case ELEMENT_I4:
    case ELEMENT_U4:
        return UINT32_MAX;
    default:
        return UINT64_MAX;
    }
}

static void read_members(struct members *to, const struct metadata *m, uint32_t row)
{
    uint32_t first, end = metadata_fields(m, row, &first);
    for (uint32_t place = first; place < end && to->len < MOST_MEMBERS; place++) {
        struct member *member = &to->all[to->len];
        member->field = metadata_field(m, place);
        if (metadata_constant(m, member->field, &member->value)) {
            member->value &= to->mask;
            to->len++;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->field > y->field) - (x->field < y->field);
}

/* As Enum.ToString() does: the highest members first, as long as they fit. */
static bool add_flags(struct text *to, struct members *all, const struct metadata *m,
                      uint64_t value)
{
    bool used[MOST_MEMBERS] = {false};
    qsort(all->all, all->len, sizeof(*all->all), by_value);
    for (size_t i = all->len; i-- > 0;) {
        uint64_t bits = all->all[i].value;
        if (bits == 0 || (value & bits) != bits)
            continue;
        used[i] = true;
        value &= ~bits;
    }
    for (size_t i = 0; i < all->len && value == 0; i++) {
        if (used[i] && to->len > 0)
            text_add_string(to, " | ");
        if (used[i])
            text_add_string(to, metadata_field_name(m, all->all[i].field));
    }
    return value == 0 && to->len > 0;
}

static bool add_member(struct text *to, struct members *all, const struct metadata *m,
                       uint32_t row, uint64_t value)
{
    struct bytes attribute;
    for (size_t i = 0; i < all->len; i++) {
        if (all->all[i].value == value) {
            text_add_string(to, metadata_field_name(m, all->all[i].field));
            return true;
        }
    }
    return metadata_has_attribute(m, row, "System", "FlagsAttribute", &attribute) &&
           add_flags(to, all, m, value);
}

const char *clr_enum_name(struct clr_types *t, uint64_t table, uint64_t value)
{
    struct method_table m;
    const struct clr_module *module;
    if (!runtime_is_method_table(t->r, table) || !method_table_read(t, table, &m) ||
        !clr_is_enum(t, &m) || (module = clr_module_of(t, m.module)) == NULL)
        return NULL;
    struct members *all = alloc_zeroed(sizeof(*all));
    all->mask = mask_of(method_table_element(t, &m));
    read_members(all, &module->metadata, m.row);
    text_clear(&t->text);
    bool found = add_member(&t->text, all, &module->metadata, m.row, value & all->mask);
    free(all);
    if (!found)
        return NULL;
    /* Where the budget is used up, another name is kept in its place. */
    const char *name = clr_name_add(t, &t->text)->raw;
    return strcmp(name, text_string(&t->text)) == 0 ? name : NULL;
}
