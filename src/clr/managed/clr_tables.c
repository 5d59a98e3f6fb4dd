/* Reads MethodTables, their classes and FieldDescs from memory. Layouts without descriptor
 * are unchanged since .NET Core 3 (docs/formats/core-dump.md). */
#include "clr/managed/clr_types.h"

#include <string.h>

/* Returns where .NET 8 stores a MethodTable's module if its arguments are types of another
 * one: among optional members, after the pointers to 8 virtual methods each. Bits of flags2
 * show which members exist, in this order; the first two have a place in the fixed part,
 * which others use if either is missing. */
static uint64_t override_at(const struct clr_types *t, uint64_t address, uint32_t flags2)
{
    enum { OTHERS = 0xF, FIXED = 0x3, SECOND_ONLY = 0x2, CHUNK = 8, POINTER = 8 };
    uint32_t count = 0;
    for (uint32_t left = flags2 & OTHERS; left != 0; left &= left - 1)
        count++;
    if (count == 1 && (flags2 & FIXED) == SECOND_ONLY)
        count = 0;
    if (count < 2)
        return address + t->at->method_table_per_inst_info + POINTER * (uint64_t)count;
    uint32_t methods =
        memory_u16(t->memory, address + t->at->method_table_virtual_count, NULL);
    return address + t->at->method_table_size +
           POINTER * ((uint64_t)(methods + CHUNK - 1) / CHUNK + count - 2);
}

/* Reads the row, and the module whose metadata has it. .NET 8 has that in the canonical
 * MethodTable, in addition to the module that the runtime loaded an instantiation into. */
static void read_row(const struct clr_types *t, uint64_t canonical, struct method_table *m,
                     bool *ok)
{
    enum { FLAGS2 = 0xFFFF, NEVER = UINT16_MAX, HAS_OVERRIDE = 0x10 };
    m->module = memory_u64(t->memory, m->address + t->at->method_table_module, ok);
    m->row = m->flags2 >> 8;
    if (t->at->method_table_token == RUNTIME_NO_OFFSET)
        return;
    m->row = memory_u16(t->memory, m->address + t->at->method_table_token, ok);
    m->row = m->row == NEVER ? 0 : m->row; /* stored elsewhere */
    m->flags2 &= FLAGS2;
    if (method_table_is_array(m))
        return;
    uint32_t flags2 = memory_u16(t->memory, canonical + t->at->method_table_flags2, ok);
    m->module = memory_u64(t->memory,
                           flags2 & HAS_OVERRIDE ? override_at(t, canonical, flags2)
                                                 : canonical + t->at->method_table_module,
                           ok);
}

bool method_table_read(const struct clr_types *t, uint64_t address, struct method_table *m)
{
    bool ok = true;
    uint64_t canonical = address;
    *m = (struct method_table){.address = address};
    m->flags = memory_u32(t->memory, address + t->at->method_table_flags, &ok);
    m->base_size = memory_u32(t->memory, address + t->at->method_table_base_size, &ok);
    m->flags2 = memory_u32(t->memory, address + t->at->method_table_flags2, &ok);
    m->parent = memory_u64(t->memory, address + t->at->method_table_parent, &ok);
    m->per_inst = memory_u64(t->memory, address + t->at->method_table_per_inst_info, &ok);
    uint64_t class =
        memory_u64(t->memory, address + t->at->method_table_class_or_canon, &ok);
    if (class & 1) { /* the canonical MethodTable has it */
        canonical = class & ~UINT64_C(1);
        class = memory_u64(t->memory, canonical + t->at->method_table_class_or_canon, &ok);
    }
    m->ee_class = class;
    read_row(t, canonical, m, &ok);
    if (t->at->method_table_auxiliary_data != RUNTIME_NO_OFFSET)
        m->auxiliary =
            memory_u64(t->memory, address + t->at->method_table_auxiliary_data, &ok);
    return ok;
}

bool method_table_of(const struct clr_types *t, uint64_t handle, struct method_table *m)
{
    return !(handle & 2) && runtime_is_method_table(t->r, handle) &&
           method_table_read(t, handle, m);
}

bool method_table_is_collectible(const struct clr_types *t, const struct method_table *m)
{
    /* .NET 8 has a token of its own. */
    enum { COLLECTIBLE = 0x00200000, COLLECTIBLE_8 = 0x10000000 };
    bool is_8 = t->at->method_table_token != RUNTIME_NO_OFFSET;
    return m->flags & (is_8 ? COLLECTIBLE_8 : COLLECTIBLE);
}

uint32_t method_table_arguments(const struct clr_types *t, const struct method_table *m,
                                uint64_t *first)
{
    bool ok = true;
    if (!method_table_is_generic(m))
        return 0;
    /* GenericsDictInfo precedes an array of dictionaries, one per class up to this. */
    uint64_t info = m->per_inst - 8;
    uint16_t dicts = memory_u16(t->memory, info + t->at->generics_dict_count, &ok);
    uint16_t count = memory_u16(t->memory, info + t->at->generics_dict_type_args, &ok);
    *first = memory_u64(t->memory, m->per_inst + 8 * (uint64_t)(dicts - 1), &ok);
    return ok && dicts > 0 && count <= MAX_ARGUMENTS ? count : 0;
}

uint32_t method_table_value_size(const struct clr_types *t, const struct method_table *m)
{
    enum { VALUE_BASE = 16 }; /* the size of a box without its content */
    bool ok = true;
    uint8_t padding = memory_u8(t->memory, m->ee_class + t->at->ee_class_padding, &ok);
    if (!ok || padding < VALUE_BASE || padding > m->base_size)
        return 0;
    return m->base_size - padding;
}

uint8_t method_table_element(const struct clr_types *t, const struct method_table *m)
{
    return memory_u8(t->memory, m->ee_class + t->at->ee_class_element_type, NULL);
}

/* --- how many fields ----------------------------------------------------------- */

/* Packed numbers of .NET 8: 5 bits for the length minus 1, followed by the number. */
enum { PACKED_INSTANCE = 0, PACKED_STATIC = 2, PACKED_BYTES = 16 };

static uint32_t bits_at(const unsigned char *bytes, uint32_t first, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++)
        value |= (uint32_t)(bytes[(first + i) / 8] >> (first + i) % 8 & 1) << i;
    return value;
}

/* Reads a number after the class, whose length varies; few classes have them unpacked. No
 * type can have more fields than a field has rows. */
static uint32_t number_after(const struct clr_types *t, uint64_t ee_class, unsigned wanted)
{
    enum { MAX_NUMBER = 0xFFFFFF, LENGTH = 5 };
    bool ok = true;
    unsigned char bytes[PACKED_BYTES] = {0};
    uint64_t numbers =
        ee_class + memory_u8(t->memory, ee_class + t->at->ee_class_packed, &ok);
    uint32_t number = 0, bit = 0;
    if (ok && memory_u8(t->memory, ee_class + t->at->ee_class_are_packed, &ok) == 0) {
        number = memory_u32(t->memory, numbers + 4 * (uint64_t)wanted, &ok);
        return ok && number <= MAX_NUMBER ? number : 0;
    }
    struct bytes there = memory_from(t->memory, numbers);
    if (!ok || there.size == 0)
        return 0;
    size_t len = there.size < sizeof(bytes) ? there.size : sizeof(bytes);
    memory_keep(t->memory, numbers, len);
    memcpy(bytes, there.data, len);
    for (unsigned i = 0; i <= wanted; i++) {
        uint32_t length = bits_at(bytes, bit, LENGTH) + 1;
        number = bits_at(bytes, bit + LENGTH, length);
        bit += LENGTH + length;
    }
    return number <= MAX_NUMBER ? number : 0;
}

/* Returns the number of instance fields, including those of bases, or static ones, as
 * `packed` selects. */
static uint32_t count_fields(const struct clr_types *t, uint64_t ee_class, unsigned packed)
{
    if (t->at->ee_class_packed != RUNTIME_NO_OFFSET)
        return number_after(t, ee_class, packed);
    uint32_t offset = packed == PACKED_STATIC ? t->at->ee_class_static_fields
                                              : t->at->ee_class_instance_fields;
    return memory_u16(t->memory, ee_class + offset, NULL);
}

struct field_list method_table_fields(const struct clr_types *t,
                                      const struct method_table *m)
{
    bool ok = true;
    if (t->at->ee_class_packed == RUNTIME_NO_OFFSET &&
        t->at->ee_class_instance_fields == RUNTIME_NO_OFFSET)
        return (struct field_list){0};
    uint32_t own = count_fields(t, m->ee_class, PACKED_INSTANCE), inherited = 0;
    struct method_table parent;
    if (m->parent != 0 && method_table_read(t, m->parent, &parent))
        inherited = count_fields(t, parent.ee_class, PACKED_INSTANCE);
    own = own > inherited ? own - inherited : 0;
    own += count_fields(t, m->ee_class, PACKED_STATIC);
    uint64_t at = memory_u64(t->memory, m->ee_class + t->at->ee_class_field_desc_list, &ok);
    return ok && at != 0 ? (struct field_list){at, own} : (struct field_list){0};
}

bool method_table_has_statics(const struct clr_types *t, const struct method_table *m)
{
    enum { HAS_STATICS = 0x2 }; /* of MTFlags2 */
    if (runtime_is_8(t->r))
        return count_fields(t, m->ee_class, PACKED_STATIC) > 0;
    return m->flags2 & HAS_STATICS && m->auxiliary != 0;
}

bool method_table_has_entry(const struct method_table *m)
{
    enum { KEPT_BY_ITSELF = 0x6 };
    return !method_table_has_elements(m) && m->flags & KEPT_BY_ITSELF;
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
