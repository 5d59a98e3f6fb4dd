/* MethodTables, their classes and FieldDescs, as they stand in memory. Layouts that no
 * descriptor tells have not changed since .NET Core 3 (docs/formats/core-dump.md). */
#include "format/core/clr_inner.h"

/* Of MTFlags. The low half is the size of an element where there are elements. */
#define HAS_COMPONENTS 0x80000000U
enum {
    GENERICS = 0x30, /* instantiated, by itself or shared, or the definition */
    CATEGORY = 0xC0000,
    CATEGORY_VALUE = 0x40000,
    CATEGORY_ARRAY = 0x80000,
    IS_VECTOR = 0x20000,
    COMPONENT_SIZE = 0xFFFF
};

/* Sizes of objects without their content. */
enum { VECTOR_BASE = 24, VALUE_BASE = 16, BOUND_SIZES = 8 };

bool method_table_read(const struct clr_types *t, uint64_t address, struct method_table *m)
{
    const struct runtime_layout *at = &t->r->at;
    bool ok = true;
    *m = (struct method_table){.address = address};
    m->flags = memory_u32(t->memory, address + at->method_table.flags, &ok);
    m->base_size = memory_u32(t->memory, address + at->method_table.base_size, &ok);
    m->flags2 = memory_u32(t->memory, address + at->method_table.flags2, &ok);
    m->parent = memory_u64(t->memory, address + at->method_table.parent, &ok);
    m->module = memory_u64(t->memory, address + at->method_table.module, &ok);
    m->per_inst = memory_u64(t->memory, address + at->method_table.per_inst_info, &ok);
    uint64_t class = memory_u64(t->memory, address + at->method_table.class_or_canon, &ok);
    if (class & 1) /* the canonical MethodTable has it */
        class = memory_u64(t->memory,
                           (class & ~UINT64_C(1)) + at->method_table.class_or_canon, &ok);
    m->ee_class = class;
    if (at->method_table.auxiliary_data != RUNTIME_NO_OFFSET)
        m->auxiliary =
            memory_u64(t->memory, address + at->method_table.auxiliary_data, &ok);
    return ok;
}

bool method_table_is_array(const struct method_table *m)
{
    return (m->flags & HAS_COMPONENTS) && (m->flags & CATEGORY) == CATEGORY_ARRAY;
}

bool method_table_is_vector(const struct method_table *m)
{
    return method_table_is_array(m) && (m->flags & IS_VECTOR);
}

bool method_table_is_string(const struct method_table *m)
{
    return (m->flags & HAS_COMPONENTS) && (m->flags & CATEGORY) != CATEGORY_ARRAY;
}

bool method_table_is_value(const struct method_table *m)
{
    return !(m->flags & HAS_COMPONENTS) && (m->flags & CATEGORY) == CATEGORY_VALUE;
}

uint32_t method_table_rank(const struct method_table *m)
{
    if (method_table_is_vector(m) || m->base_size <= VECTOR_BASE)
        return 1;
    return (m->base_size - VECTOR_BASE) / BOUND_SIZES;
}

uint32_t method_table_element_size(const struct method_table *m)
{
    return m->flags & HAS_COMPONENTS ? m->flags & COMPONENT_SIZE : 0;
}

uint32_t method_table_arguments(const struct clr_types *t, const struct method_table *m,
                                uint64_t *first)
{
    bool ok = true;
    if ((m->flags & HAS_COMPONENTS) || !(m->flags & GENERICS))
        return 0;
    /* GenericsDictInfo stands before an array of dictionaries, one per class up to this. */
    uint64_t info = m->per_inst - 8;
    uint16_t dicts = memory_u16(t->memory, info + t->r->at.generics_dict.dict_count, &ok);
    uint16_t count =
        memory_u16(t->memory, info + t->r->at.generics_dict.type_arg_count, &ok);
    *first = memory_u64(t->memory, m->per_inst + 8 * (uint64_t)(dicts - 1), &ok);
    return ok && dicts > 0 && count <= MOST_ARGUMENTS ? count : 0;
}

uint32_t method_table_value_size(const struct clr_types *t, const struct method_table *m)
{
    /* m_cbBaseSizePadding stands behind m_NormType in all versions that are read. */
    bool ok = true;
    uint8_t padding =
        memory_u8(t->memory, m->ee_class + t->r->at.ee_class.element_type + 1, &ok);
    if (!ok || padding < VALUE_BASE || padding > m->base_size)
        return 0;
    return m->base_size - padding;
}

uint8_t method_table_element(const struct clr_types *t, const struct method_table *m)
{
    bool ok = true;
    return memory_u8(t->memory, m->ee_class + t->r->at.ee_class.element_type, &ok);
}

static uint16_t instance_fields(const struct clr_types *t, uint64_t ee_class)
{
    bool ok = true;
    return memory_u16(t->memory, ee_class + t->r->at.ee_class.instance_fields, &ok);
}

struct field_list method_table_fields(const struct clr_types *t,
                                      const struct method_table *m)
{
    bool ok = true;
    if (t->r->at.ee_class.instance_fields == RUNTIME_NO_OFFSET)
        return (struct field_list){0};
    uint32_t own = instance_fields(t, m->ee_class), inherited = 0;
    struct method_table parent;
    if (m->parent != 0 && method_table_read(t, m->parent, &parent))
        inherited = instance_fields(t, parent.ee_class);
    own = own > inherited ? own - inherited : 0;
    own += memory_u16(t->memory, m->ee_class + t->r->at.ee_class.static_fields, &ok);
    uint64_t at =
        memory_u64(t->memory, m->ee_class + t->r->at.ee_class.field_desc_list, &ok);
    return ok && at != 0 ? (struct field_list){at, own} : (struct field_list){0};
}

bool field_desc_read(const struct clr_types *t, const struct field_list *list, uint32_t i,
                     struct field_desc *f)
{
    enum {
        FIELD_DESC_SIZE = 16,
        SHORT_TOKEN = 0x1FFFF,
        LONG_TOKEN = 0xFFFFFF,
        IS_STATIC = 1 << 24,
        IS_THREAD = 1 << 25,
        IS_RVA = 1 << 26,
        HAS_LONG_TOKEN = 1 << 30,
        OFFSET = 0x7FFFFFF,
        LAST_OFFSET = OFFSET - 6 /* above are marks of fields that have no place yet */
    };
    bool ok = true;
    uint64_t at = list->at + (uint64_t)i * FIELD_DESC_SIZE;
    uint32_t first = memory_u32(t->memory, at + 8, &ok);
    uint32_t second = memory_u32(t->memory, at + 12, &ok);
    f->token = first & (first & HAS_LONG_TOKEN ? LONG_TOKEN : SHORT_TOKEN);
    f->is_static = first & IS_STATIC;
    f->is_thread = first & IS_THREAD;
    f->is_rva = first & IS_RVA;
    f->offset = second & OFFSET;
    f->element = (uint8_t)(second >> 27);
    return ok && f->offset < LAST_OFFSET;
}
