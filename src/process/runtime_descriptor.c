#include "process/runtime_descriptor.h"

#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct runtime_layout, member)

/* Some are not told by every version that can be read (.NET 9), and done without. */
static const struct member {
    const char *type, *name; /* "!": the size */
    size_t at;
    bool is_optional;
} members[] = {
    {"MethodTable", "!", AT(method_table.size), false},
    {"MethodTable", "MTFlags", AT(method_table.flags), false},
    {"MethodTable", "BaseSize", AT(method_table.base_size), false},
    {"MethodTable", "MTFlags2", AT(method_table.flags2), false},
    {"MethodTable", "ParentMethodTable", AT(method_table.parent), false},
    {"MethodTable", "Module", AT(method_table.module), false},
    {"MethodTable", "AuxiliaryData", AT(method_table.auxiliary_data), false},
    {"MethodTable", "EEClassOrCanonMT", AT(method_table.class_or_canon), false},
    {"MethodTable", "PerInstInfo", AT(method_table.per_inst_info), false},
    {"EEClass", "MethodTable", AT(ee_class.method_table), false},
    {"EEClass", "FieldDescList", AT(ee_class.field_desc_list), false},
    {"EEClass", "InternalCorElementType", AT(ee_class.element_type), false},
    {"EEClass", "NumInstanceFields", AT(ee_class.instance_fields), false},
    {"EEClass", "NumStaticFields", AT(ee_class.static_fields), false},
    {"DynamicStaticsInfo", "!", AT(dynamic_statics.size), false},
    {"DynamicStaticsInfo", "GCStatics", AT(dynamic_statics.gc_statics), false},
    {"DynamicStaticsInfo", "NonGCStatics", AT(dynamic_statics.plain_statics), true},
    {"ThreadStaticsInfo", "!", AT(thread_statics.size), false},
    {"ThreadStaticsInfo", "GCTlsIndex", AT(thread_statics.gc_tls_index), false},
    {"ThreadStaticsInfo", "NonGCTlsIndex", AT(thread_statics.plain_tls_index), true},
    {"GenericsDictInfo", "NumDicts", AT(generics_dict.dict_count), false},
    {"GenericsDictInfo", "NumTypeArgs", AT(generics_dict.type_arg_count), false},
    {"Module", "Base", AT(module.base), false},
    {"Module", "Path", AT(module.path), false},
    {"Module", "LoaderAllocator", AT(module.loader_allocator), false},
    {"Module", "DynamicMetadata", AT(module.dynamic_metadata), false},
    {"Module", "AvailableTypeParams", AT(module.available_type_params), true},
    {"Module", "TypeDefToMethodTableMap", AT(module.type_def_map), false},
    {"Module", "TypeRefToMethodTableMap", AT(module.type_ref_map), false},
    {"ModuleLookupMap", "Next", AT(lookup_map.next), false},
    {"ModuleLookupMap", "TableData", AT(lookup_map.table), false},
    {"ModuleLookupMap", "Count", AT(lookup_map.count), false},
    {"ModuleLookupMap", "SupportedFlagsMask", AT(lookup_map.flags_mask), false},
    {"EETypeHashTable", "Buckets", AT(type_hash.buckets), false},
    {"EETypeHashTable", "VolatileEntryValue", AT(type_hash.entry_value), false},
    {"EETypeHashTable", "VolatileEntryNextEntry", AT(type_hash.entry_next), false},
    {"AppDomain", "DomainAssemblyList", AT(app_domain.assembly_list), true},
    {"ArrayListBase", "Count", AT(array_list.count), false},
    {"ArrayListBase", "FirstBlock", AT(array_list.first_block), false},
    {"ArrayListBlock", "Next", AT(array_list_block.next), false},
    {"ArrayListBlock", "Size", AT(array_list_block.size), false},
    {"ArrayListBlock", "ArrayStart", AT(array_list_block.items), false},
    {"Assembly", "Module", AT(assembly.module), false},
    {"ThreadStore", "FirstThreadLink", AT(thread_store.first_link), false},
    {"ThreadStore", "ThreadCount", AT(thread_store.count), false},
    {"Thread", "LinkNext", AT(thread.link), false},
    {"Thread", "RuntimeThreadLocals", AT(thread.locals), false},
    {"Thread", "ThreadLocalDataPtr", AT(thread.static_data), true},
    {"Thread", "OSId", AT(thread.os_id), false},
    {"RuntimeThreadLocals", "AllocContext", AT(allocation.alloc_context), false},
    {"EEAllocContext", "GCAllocationContext", AT(allocation.gc_context), false},
    {"GCAllocContext", "Pointer", AT(allocation.pointer), false},
    {"GCAllocContext", "Limit", AT(allocation.limit), false},
    {"ThreadLocalData", "NonCollectibleTlsDataCount", AT(thread_local_data.count), false},
    {"ThreadLocalData", "NonCollectibleTlsArrayData", AT(thread_local_data.items), false},
    {"TypeDesc", "TypeAndFlags", AT(type_desc_flags), false},
    {"ParamTypeDesc", "TypeArg", AT(param_type_arg), false},
    {"DynamicMetadata", "Size", AT(dynamic_metadata_size), false},
    {"DynamicMetadata", "Data", AT(dynamic_metadata_data), false},
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static const char *const global_names[GLOBALS] = {
    [GLOBAL_APP_DOMAIN] = "AppDomain",
    [GLOBAL_THREAD_STORE] = "ThreadStore",
    [GLOBAL_FREE_OBJECT] = "FreeObjectMethodTable",
};

/* What the code that reads by these offsets was written for. Another number means that
 * something is done in another way, wherever it stands. */
static const struct contract {
    const char *name;
    unsigned number;
} contracts[] = {{"Loader", 1}, {"Object", 1}, {"RuntimeTypeSystem", 1}, {"Thread", 1}};

static uint32_t *slot(struct runtime_layout *l, size_t at)
{
    return (uint32_t *)(void *)((char *)l + at);
}

void descriptor_clear(struct descriptor *d)
{
    memset(d, 0, sizeof(*d));
    for (size_t i = 0; i < MEMBERS; i++)
        *slot(&d->at, members[i].at) = RUNTIME_NO_OFFSET;
    for (size_t i = 0; i < GLOBALS; i++)
        d->place[i] = NO_GLOBAL;
}

/* --- values -------------------------------------------------------------------------- */

/* A number, "0x1f" or "31"; alone or first in [number, "type"]. */
static bool number_in(const json_t *value, uint64_t *number)
{
    if (json_is_array(value))
        value = json_array_get(value, 0);
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        *number = (uint64_t)json_integer_value(value);
        return true;
    }
    const char *text = json_string_value(value);
    if (text == NULL || *text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return errno == 0 && *end == '\0';
}

/* [[place], "pointer"], or [place]. */
static bool place_in(const json_t *value, uint64_t *place)
{
    const json_t *list =
        json_is_array(json_array_get(value, 0)) ? json_array_get(value, 0) : value;
    return json_is_array(list) && json_array_size(list) == 1 && number_in(list, place);
}

/* Structures of the runtime have some kilobytes. */
static bool is_offset(uint64_t n)
{
    enum { MOST = 1 << 20 };
    return n < MOST;
}

static void parse_members(struct descriptor *d, const json_t *types)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        uint64_t n;
        const json_t *type = json_object_get(types, members[i].type);
        if (number_in(json_object_get(type, members[i].name), &n) && is_offset(n))
            *slot(&d->at, members[i].at) = (uint32_t)n;
    }
}

static void parse_globals(struct descriptor *d, const json_t *globals)
{
    uint64_t n;
    if (number_in(json_object_get(globals, "StaticsPointerMask"), &n))
        d->at.statics_mask = n;
    if (number_in(
            json_object_get(globals, "NumberOfTlsOffsetsNotUsedInNoncollectibleArray"),
            &n) &&
        is_offset(n))
        d->at.tls_offsets_unused = (uint32_t)n;
    for (size_t i = 0; i < GLOBALS; i++)
        if (place_in(json_object_get(globals, global_names[i]), &n) && is_offset(n))
            d->place[i] = (uint32_t)n;
}

/* "c1" since .NET 11. */
static bool contract_number(const json_t *value, uint64_t *number)
{
    const char *text = json_string_value(value);
    if (text == NULL || *text != 'c')
        return number_in(value, number);
    char *end;
    errno = 0;
    *number = strtoull(text + 1, &end, 10);
    return errno == 0 && end != text + 1 && *end == '\0';
}

static bool check_contracts(const json_t *list, struct hd_error *err)
{
    for (size_t i = 0; i < sizeof(contracts) / sizeof(contracts[0]); i++) {
        uint64_t number;
        const json_t *value = json_object_get(list, contracts[i].name);
        if (value == NULL)
            continue;
        if (!contract_number(value, &number) || number != contracts[i].number)
            return fail(err, HD_UNSUPPORTED,
                        "the types of this runtime are in an unknown format (contract %s); "
                        "a newer heapdrift may read it",
                        contracts[i].name);
    }
    return true;
}

/* --- the text ------------------------------------------------------------------------ */

struct text_left {
    const char *next;
    size_t len;
};

/* One byte at a time, as in format/table/json_input.c: jansson does not say when memory
 * fails it. */
static size_t next_byte(void *to, size_t room, void *from)
{
    struct text_left *left = from;
    alloc_blame();
    if (left->len == 0 || room == 0)
        return 0;
    *(char *)to = *left->next++;
    left->len--;
    return 1;
}

bool descriptor_add(struct descriptor *d, const char *text, size_t size,
                    struct hd_error *err)
{
    struct text_left left = {text, size};
    json_error_t why;
    errno = 0;
    json_t *json = json_load_callback(next_byte, &left, 0, &why);
    if (json == NULL)
        alloc_blame();
    bool ok = json_is_object(json) && json_is_object(json_object_get(json, "types"));
    if (!ok)
        fail(err, HD_BAD_FORMAT, "the descriptor of the runtime is damaged");
    ok = ok && check_contracts(json_object_get(json, "contracts"), err);
    if (ok) {
        parse_members(d, json_object_get(json, "types"));
        parse_globals(d, json_object_get(json, "globals"));
    }
    json_decref(json);
    return ok;
}

const char *descriptor_lacks(const struct descriptor *d, struct arena *a)
{
    struct runtime_layout at = d->at;
    for (size_t i = 0; i < MEMBERS; i++)
        if (!members[i].is_optional && *slot(&at, members[i].at) == RUNTIME_NO_OFFSET)
            return arena_printf(a, "%s.%s", members[i].type, members[i].name);
    return at.statics_mask == 0 ? "StaticsPointerMask" : NULL;
}
