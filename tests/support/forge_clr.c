#include "support/forge_clr.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Offsets of .NET 10, docs/formats/core-dump.md. */
static const struct runtime_layout layout_10 = {
    .method_table_flags = 0,
    .method_table_base_size = 4,
    .method_table_flags2 = 8,
    .method_table_parent = 16,
    .method_table_module = 24,
    .method_table_auxiliary_data = 32,
    .method_table_class_or_canon = 40,
    .method_table_per_inst_info = 48,
    .method_table_size = 64,
    .method_table_token = RUNTIME_NO_OFFSET,
    .ee_class_method_table = 16,
    .ee_class_field_desc_list = 24,
    .ee_class_element_type = 48,
    .ee_class_instance_fields = 50,
    .ee_class_static_fields = 54,
    .ee_class_padding = 49,
    .ee_class_packed = RUNTIME_NO_OFFSET,
    .dynamic_statics_gc = 0,
    .dynamic_statics_plain = 8,
    .dynamic_statics_size = 24,
    .thread_statics_gc_index = 4,
    .thread_statics_plain_index = 0,
    .thread_statics_size = 40,
    .generics_dict_count = 4,
    .generics_dict_type_args = 6,
    .module_base = 224,
    .module_path = 200,
    .module_loader_allocator = 176,
    .module_dynamic_metadata = 840,
    .module_available_type_params = 600,
    .module_type_def_map = 416,
    .module_type_ref_map = 8,
    .module_local_module = RUNTIME_NO_OFFSET,
    .lookup_map_next = 0,
    .lookup_map_table = 8,
    .lookup_map_count = 16,
    .lookup_map_flags_mask = 24,
    .type_hash_buckets = 16,
    .type_hash_entry_value = 0,
    .type_hash_entry_next = 8,
    .app_domain_assembly_list = 576,
    .app_domain_assemblies = RUNTIME_NO_OFFSET,
    .array_list_count = 0,
    .array_list_first_block = 8,
    .array_list_block_next = 0,
    .array_list_block_size = 8,
    .array_list_block_items = 16,
    .assembly_module = 16,
    .thread_store_first_link = 88,
    .thread_store_count = 112,
    .thread_link = 112,
    .thread_linked = 112,
    .thread_locals = 32,
    .thread_static_data = 568,
    .thread_os_id = 296,
    .thread_local_data_count = 0,
    .thread_local_data_items = 8,
    .type_desc_flags = 0,
    .param_type_arg = 16,
    .dynamic_metadata_size = 0,
    .dynamic_metadata_data = 4,
    .dynamic_metadata_pointer = RUNTIME_NO_OFFSET,
    .statics_mask = ~UINT64_C(1),
    .tls_offsets_unused = 2,
};

/* .NET 8. */
static const struct runtime_layout layout_8 = {
    .method_table_flags = 0,
    .method_table_base_size = 4,
    .method_table_flags2 = 8,
    .method_table_parent = 16,
    .method_table_module = 24,
    .method_table_auxiliary_data = RUNTIME_NO_OFFSET,
    .method_table_class_or_canon = 40,
    .method_table_per_inst_info = 48,
    .method_table_size = 64,
    .method_table_token = 10,
    .method_table_virtual_count = 12,
    .ee_class_method_table = 16,
    .ee_class_field_desc_list = 24,
    .ee_class_element_type = 48,
    .ee_class_instance_fields = RUNTIME_NO_OFFSET,
    .ee_class_static_fields = RUNTIME_NO_OFFSET,
    .ee_class_padding = 51,
    .ee_class_are_packed = 49,
    .ee_class_packed = 50,
    .generics_dict_count = 4,
    .generics_dict_type_args = 6,
    .module_base = RUNTIME_NO_OFFSET,
    .module_path = RUNTIME_NO_OFFSET,
    .module_loader_allocator = 248,
    .module_dynamic_metadata = 1688,
    .module_available_type_params = 968,
    .module_type_def_map = 752,
    .module_type_ref_map = 8,
    .module_pe_assembly = 272,
    .module_assembly = 296,
    .module_local_module = 1224,
    .module_index = 1232,
    .module_dynamic_count = 1280,
    .module_dynamic_types = 1296,
    .pe_image = 8,
    .pe_path = 16,
    .pe_flat = 112,
    .pe_loaded = 120,
    .pe_base = 8,
    .lookup_map_next = 0,
    .lookup_map_table = 8,
    .lookup_map_count = 16,
    .lookup_map_flags_mask = 24,
    .type_hash_buckets = 16,
    .type_hash_entry_value = 0,
    .type_hash_entry_next = 8,
    .app_domain_assembly_list = 2544,
    .app_domain_assemblies = RUNTIME_NO_OFFSET,
    .array_list_count = 0,
    .array_list_first_block = 8,
    .array_list_block_next = 0,
    .array_list_block_size = 8,
    .array_list_block_items = 16,
    .assembly_module = 24,
    .thread_store_first_link = 160,
    .thread_store_count = 184,
    .thread_link = 232,
    .thread_linked = 232,
    .thread_locals = RUNTIME_NO_OFFSET,
    .thread_static_data = RUNTIME_NO_OFFSET,
    .thread_os_id = 424,
    .thread_alloc_context = 88,
    .thread_local_block = 1080,
    .thread_local_block_modules = 0,
    .thread_local_block_count = 8,
    .local_module_classes = 8,
    .local_module_count = 16,
    .local_module_gc_statics = 32,
    .local_module_blob = 48,
    .thread_local_module_classes = 0,
    .thread_local_module_count = 8,
    .thread_local_module_gc_statics = 16,
    .thread_local_module_blob = 24,
    .allocator_object = 976,
    .type_desc_flags = 0,
    .param_type_arg = 8,
    .dynamic_metadata_size = 0,
    .dynamic_metadata_data = RUNTIME_NO_OFFSET,
    .dynamic_metadata_pointer = 16,
};

enum {
    CLASS_SIZE = 80,
    CLASS_NUMBERS = 56, /* offset in the class, in .NET 8 */
    DOMAIN_SIZE = 4096,
    MODULE_SIZE = 2048,
    ALLOCATOR_SIZE = 1024,
    LOCAL_MODULE_SIZE = 128,
    THREAD_SIZE = 1200,
    MAP_ROWS = 64,
    BUCKETS = 4,
    MAX_ASSEMBLIES = 8
};

static void begin(struct clr_forge *f, const struct runtime_layout *layout)
{
    *f = (struct clr_forge){0};
    f->bytes = alloc_zeroed(FORGED_CLR_SIZE);
    f->runtime.at = *layout;
    f->runtime.image = &f->image;
    f->runtime.app_domain = forge_clr_reserve(f, DOMAIN_SIZE);
    uint64_t list = f->runtime.app_domain + f->runtime.at.app_domain_assembly_list;
    forge_clr_put(f, list + 8 + 8, MAX_ASSEMBLIES, 4);
}

void forge_clr_begin(struct clr_forge *f)
{
    begin(f, &layout_10);
}

void forge_clr_begin_8(struct clr_forge *f)
{
    begin(f, &layout_8);
}

static bool is_8(const struct clr_forge *f)
{
    return f->runtime.at.module_local_module != RUNTIME_NO_OFFSET;
}

void forge_clr_end(struct clr_forge *f)
{
    arena_free(&f->arena);
    free(f->bytes);
}

uint64_t forge_clr_reserve(struct clr_forge *f, size_t size)
{
    uint64_t at = FORGED_CLR_BASE + f->len;
    f->len += (size + 7) / 8 * 8;
    assert(f->len <= FORGED_CLR_SIZE);
    return at;
}

void forge_clr_put(struct clr_forge *f, uint64_t address, uint64_t value, size_t size)
{
    assert(address >= FORGED_CLR_BASE && address - FORGED_CLR_BASE + size <= f->len);
    le_put(f->bytes + (address - FORGED_CLR_BASE), value, size);
}

uint64_t forge_clr_get(const struct clr_forge *f, uint64_t address)
{
    assert(address >= FORGED_CLR_BASE && address - FORGED_CLR_BASE + 8 <= f->len);
    return le_u64(f->bytes + (address - FORGED_CLR_BASE));
}

static void make_map(struct clr_forge *f, uint64_t map)
{
    forge_clr_put(f, map + f->runtime.at.lookup_map_table,
                  forge_clr_reserve(f, 8 * MAP_ROWS), 8);
    forge_clr_put(f, map + f->runtime.at.lookup_map_count, MAP_ROWS, 4);
    forge_clr_put(f, map + f->runtime.at.lookup_map_flags_mask, 3, 8);
}

/* .NET 8 only: space for statics of FORGED_ENTRIES types of their own. */
static void make_local_module(struct clr_forge *f, uint64_t module, uint64_t listed)
{
    const struct runtime_layout *at = &f->runtime.at;
    uint64_t local = forge_clr_reserve(f, LOCAL_MODULE_SIZE);
    forge_clr_put(f, local, listed, 8);
    forge_clr_put(f, local + at->local_module_classes,
                  forge_clr_reserve(f, 16 * FORGED_ENTRIES), 8);
    forge_clr_put(f, local + at->local_module_count, FORGED_ENTRIES, 8);
    forge_clr_put(f, module + at->module_local_module, local, 8);
    forge_clr_put(f, module + at->module_index, f->module_count, 8);
    forge_clr_put(f, module + at->module_dynamic_types,
                  forge_clr_reserve(f, 8 * FORGED_ENTRIES), 8);
    forge_clr_put(f, module + at->module_pe_assembly, forge_clr_reserve(f, 64), 8);
    forge_clr_put(f, module + at->module_loader_allocator,
                  forge_clr_reserve(f, ALLOCATOR_SIZE), 8);
}

/* Copies the metadata of an emitted module: in .NET 8 into a buffer, else after its size.
 */
static uint64_t copy_metadata(struct clr_forge *f, struct bytes metadata)
{
    uint64_t head = is_8(f) ? 32 : 4, copy = forge_clr_reserve(f, head + metadata.size);
    forge_clr_put(f, copy, metadata.size, 4);
    if (is_8(f))
        forge_clr_put(f, copy + 16, copy + head, 8);
    memcpy(f->bytes + (copy + head - FORGED_CLR_BASE), metadata.data, metadata.size);
    return copy;
}

uint64_t forge_clr_module(struct clr_forge *f, struct bytes metadata)
{
    uint64_t module = forge_clr_reserve(f, MODULE_SIZE), copy = copy_metadata(f, metadata);
    forge_clr_put(f, module + f->runtime.at.module_dynamic_metadata, copy, 8);
    make_map(f, module + f->runtime.at.module_type_def_map);
    make_map(f, module + f->runtime.at.module_type_ref_map);
    uint64_t table = forge_clr_reserve(f, 24);
    uint64_t buckets = forge_clr_reserve(f, 8 * (3 + BUCKETS));
    forge_clr_put(f, module + f->runtime.at.module_available_type_params, table, 8);
    forge_clr_put(f, table + f->runtime.at.type_hash_buckets, buckets, 8);
    forge_clr_put(f, buckets, BUCKETS, 8);
    for (uint64_t i = 2; i < 3 + BUCKETS; i++)
        forge_clr_put(f, buckets + 8 * i, 1, 8);
    uint64_t assembly = forge_clr_reserve(f, 32), listed = forge_clr_reserve(f, 8);
    if (is_8(f))
        make_local_module(f, module, listed);
    forge_clr_put(f, listed, assembly, 8);
    forge_clr_put(f, assembly + f->runtime.at.assembly_module, module, 8);
    uint64_t list = f->runtime.app_domain + f->runtime.at.app_domain_assembly_list;
    forge_clr_put(f, list + 8 + 16 + 8 * f->module_count, listed, 8);
    f->modules[f->module_count++] = module;
    forge_clr_put(f, list, f->module_count, 4);
    return module;
}

static void set_map(struct clr_forge *f, uint64_t map, uint32_t row, uint64_t type)
{
    uint64_t table = forge_clr_get(f, map + f->runtime.at.lookup_map_table);
    assert(row < MAP_ROWS);
    forge_clr_put(f, table + 8 * (uint64_t)row, type | 1, 8); /* with a flag */
}

static void add_to_hash(struct clr_forge *f, uint64_t module, uint64_t handle)
{
    uint64_t table = forge_clr_get(f, module + f->runtime.at.module_available_type_params);
    uint64_t bucket = forge_clr_get(f, table + f->runtime.at.type_hash_buckets) +
                      8 * (3 + handle / 8 % BUCKETS);
    uint64_t entry = forge_clr_reserve(f, 24);
    forge_clr_put(f, entry + f->runtime.at.type_hash_entry_value, handle, 8);
    forge_clr_put(f, entry + f->runtime.at.type_hash_entry_next, forge_clr_get(f, bucket),
                  8);
    forge_clr_put(f, bucket, entry, 8);
}

static void put_bits(struct clr_forge *f, uint64_t at, uint32_t *bit, uint32_t value,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, ++*bit) {
        unsigned char *byte = f->bytes + (at + *bit / 8 - FORGED_CLR_BASE);
        *byte |= (unsigned char)((value >> i & 1) << *bit % 8);
    }
}

/* After the class: numbers of instance fields, methods and static fields; either packed,
 * each after its length in 5 bits, or in 32 bits each. */
static void put_numbers(struct clr_forge *f, uint64_t class, uint32_t instance,
                        uint32_t statics)
{
    enum { METHODS = 300 };
    const uint32_t numbers[] = {instance, METHODS, statics};
    uint64_t at = class + CLASS_NUMBERS;
    uint32_t bit = 0;
    forge_clr_put(f, class + f->runtime.at.ee_class_packed, CLASS_NUMBERS, 1);
    forge_clr_put(f, class + f->runtime.at.ee_class_are_packed, !f->is_unpacked, 1);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t length = 1;
        while (length < 32 && numbers[i] >> length != 0)
            length++;
        if (f->is_unpacked) {
            forge_clr_put(f, at + 4 * (uint64_t)i, numbers[i], 4);
        } else {
            put_bits(f, at, &bit, length - 1, 5);
            put_bits(f, at, &bit, numbers[i], length);
        }
    }
}

static void put_fields(struct clr_forge *f, uint64_t class, const struct forged_type *type)
{
    uint32_t count = 0, statics = 0;
    while (count < FORGED_FIELDS && type->fields[count].element != 0)
        statics += (type->fields[count++].flags & FORGED_STATIC) != 0;
    uint64_t list = forge_clr_reserve(f, 16 * (size_t)count + 8);
    for (uint32_t i = 0; i < count; i++) {
        const struct forged_field_desc *d = &type->fields[i];
        forge_clr_put(f, list + 16 * (uint64_t)i + 8, d->row | d->flags, 4);
        forge_clr_put(f, list + 16 * (uint64_t)i + 12, d->offset | d->element << 27, 4);
    }
    forge_clr_put(f, class + f->runtime.at.ee_class_field_desc_list, list, 8);
    uint32_t instance = type->inherited + count - statics;
    if (is_8(f)) {
        put_numbers(f, class, instance, statics);
        return;
    }
    forge_clr_put(f, class + f->runtime.at.ee_class_instance_fields, instance, 2);
    forge_clr_put(f, class + f->runtime.at.ee_class_static_fields, statics, 2);
}

static void put_arguments(struct clr_forge *f, uint64_t table,
                          const struct forged_type *type)
{
    uint32_t count = 0;
    while (count < FORGED_ARGUMENTS && type->arguments[count] != 0)
        count++;
    if (count == 0)
        return;
    uint64_t info = forge_clr_reserve(f, 16), dictionary = forge_clr_reserve(f, 8 * count);
    forge_clr_put(f, info + f->runtime.at.generics_dict_count, 1, 2);
    forge_clr_put(f, info + f->runtime.at.generics_dict_type_args, count, 2);
    forge_clr_put(f, info + 8, dictionary, 8);
    for (uint32_t i = 0; i < count; i++)
        forge_clr_put(f, dictionary + 8 * (uint64_t)i, type->arguments[i], 8);
    forge_clr_put(f, table + f->runtime.at.method_table_per_inst_info, info + 8, 8);
}

/* An entry of its module, for generic and emitted types. */
static void add_entry(struct clr_forge *f, uint64_t table, const struct forged_type *type)
{
    const struct runtime_layout *at = &f->runtime.at;
    uint64_t local = forge_clr_get(f, type->module + at->module_local_module),
             types = forge_clr_get(f, type->module + at->module_dynamic_types),
             n = forge_clr_get(f, type->module + at->module_dynamic_count),
             entry = forge_clr_reserve(f, 16);
    uint64_t item = forge_clr_get(f, local + at->local_module_classes) + 16 * n;
    assert(n < FORGED_ENTRIES);
    forge_clr_put(f, types + 8 * n, table, 8);
    forge_clr_put(f, type->module + at->module_dynamic_count, n + 1, 8);
    forge_clr_put(f, item, entry, 8);
    forge_clr_put(f, item + 8, type->flags & FORGED_COLLECTIBLE_8 ? 0xD : 0x5, 4);
    forge_clr_put(f, entry, type->statics, 8);
}

static void put_statics(struct clr_forge *f, uint64_t table, uint64_t auxiliary,
                        const struct forged_type *type)
{
    static const uint32_t has_elements = 0x80000000U; /* size of elements */
    const struct runtime_layout *at = &f->runtime.at;
    if (!is_8(f)) {
        forge_clr_put(f, auxiliary - 24, type->statics, 8);
        forge_clr_put(f, auxiliary - 16, type->plain_statics, 8);
        forge_clr_put(f, auxiliary - 36, type->thread_index, 4);
        forge_clr_put(f, auxiliary - 40, type->plain_thread_index, 4);
    } else if ((type->flags & FORGED_OWN_STATICS) && !(type->flags & has_elements)) {
        add_entry(f, table, type);
    } else if (type->statics != 0) {
        uint64_t local = forge_clr_get(f, type->module + at->module_local_module);
        forge_clr_put(f, local + at->local_module_gc_statics, type->statics, 8);
    }
}

uint64_t forge_clr_type(struct clr_forge *f, const struct forged_type *type)
{
    enum { VALUE = 0x11, CLASS = 0x12, AUXILIARY = 40 };
    uint32_t size = type->size > 0 ? type->size : 8, rounded = (size + 7) / 8 * 8;
    bool is_value = type->flags & FORGED_VALUE;
    uint64_t table = forge_clr_reserve(f, f->runtime.at.method_table_size);
    uint64_t class = forge_clr_reserve(f, CLASS_SIZE);
    uint64_t auxiliary = forge_clr_reserve(f, AUXILIARY + 8) + AUXILIARY;
    unsigned element = type->element != 0 ? type->element : is_value ? VALUE : CLASS;
    forge_clr_put(f, table, type->flags, 4);
    forge_clr_put(f, table + f->runtime.at.method_table_base_size, 16 + rounded, 4);
    forge_clr_put(f, table + f->runtime.at.method_table_flags2,
                  is_8(f) ? type->row << 16 | type->flags2 : type->row << 8 | type->flags2,
                  4);
    forge_clr_put(f, table + f->runtime.at.method_table_parent, type->parent, 8);
    forge_clr_put(f, table + f->runtime.at.method_table_module, type->module, 8);
    if (!is_8(f))
        forge_clr_put(f, table + f->runtime.at.method_table_auxiliary_data, auxiliary, 8);
    forge_clr_put(f, table + f->runtime.at.method_table_class_or_canon, class, 8);
    forge_clr_put(f, class + f->runtime.at.ee_class_method_table, table, 8);
    forge_clr_put(f, class + f->runtime.at.ee_class_element_type, element, 1);
    forge_clr_put(f, class + f->runtime.at.ee_class_padding, 16 + rounded - size, 1);
    put_statics(f, table, auxiliary, type);
    put_fields(f, class, type);
    put_arguments(f, table, type);
    if (type->arguments[0] != 0)
        add_to_hash(f, type->module, table);
    else
        set_map(f, type->module + f->runtime.at.module_type_def_map, type->row, table);
    return table;
}

uint64_t forge_clr_array(struct clr_forge *f, uint64_t module, uint64_t element,
                         uint32_t element_size, uint32_t rank)
{
    uint64_t table = forge_clr_reserve(f, f->runtime.at.method_table_size);
    uint64_t class = forge_clr_reserve(f, CLASS_SIZE);
    uint32_t flags = 0x80080000U | element_size | (rank == 0 ? 0x20000U : 0);
    forge_clr_put(f, table, flags, 4);
    forge_clr_put(f, table + f->runtime.at.method_table_base_size, 24 + 8 * rank, 4);
    forge_clr_put(f, table + f->runtime.at.method_table_module, module, 8);
    forge_clr_put(f, table + f->runtime.at.method_table_class_or_canon, class, 8);
    forge_clr_put(f, table + f->runtime.at.method_table_per_inst_info, element, 8);
    forge_clr_put(f, class + f->runtime.at.ee_class_method_table, table, 8);
    return table;
}

uint64_t forge_clr_pointer(struct clr_forge *f, uint64_t type, unsigned element)
{
    uint64_t desc = forge_clr_reserve(f, 32);
    forge_clr_put(f, desc + f->runtime.at.type_desc_flags, element, 4);
    forge_clr_put(f, desc + f->runtime.at.param_type_arg, type, 8);
    return desc | 2;
}

void forge_clr_refer(struct clr_forge *f, uint64_t module, uint32_t row, uint64_t type)
{
    set_map(f, module + f->runtime.at.module_type_ref_map, row, type);
}

uint64_t forge_clr_thread(struct clr_forge *f, uint64_t id, uint32_t ordinary,
                          uint32_t collectible)
{
    uint64_t store = forge_clr_reserve(f, 256), thread = forge_clr_reserve(f, THREAD_SIZE);
    uint64_t data =
        is_8(f) ? thread + f->runtime.at.thread_local_block : forge_clr_reserve(f, 64);
    f->runtime.thread_store = store;
    forge_clr_put(f, store + f->runtime.at.thread_store_first_link,
                  thread + f->runtime.at.thread_link, 8);
    forge_clr_put(f, thread + f->runtime.at.thread_os_id, id, 8);
    if (is_8(f)) {
        forge_clr_put(f, data, forge_clr_reserve(f, 8 * (size_t)ordinary), 8);
        forge_clr_put(f, data + 8, ordinary, 8);
        return data;
    }
    forge_clr_put(f, thread + f->runtime.at.thread_static_data, data, 8);
    forge_clr_put(f, data, ordinary, 4);
    forge_clr_put(f, data + 4, collectible, 4);
    forge_clr_put(f, data + 8, forge_clr_reserve(f, 8 * (size_t)ordinary), 8);
    forge_clr_put(f, data + 16, forge_clr_reserve(f, 8 * (size_t)collectible), 8);
    return data;
}

struct clr_types *forge_clr_open(struct clr_forge *f)
{
    f->piece = (struct memory_piece){FORGED_CLR_BASE, f->len, f->bytes};
    f->image.memory = (struct memory){.all = &f->piece, .len = 1};
    return clr_types_open(&f->runtime, &f->arena);
}
