#include "process/runtime_descriptor.h"

#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(struct runtime_layout, member)

/* Who has to tell a member: every version; none, as it is done without (.NET 9 lacks some);
 * those with a DomainLocalModule (.NET 8), or all others. */
enum need { EVERY, NONE, ONLY_8, SINCE_9 };

static const struct member {
    const char *type, *name; /* "!": the size */
    size_t at;
    enum need need;
} members[] = {
    {"MethodTable", "!", AT(method_table.size), EVERY},
    {"MethodTable", "MTFlags", AT(method_table.flags), EVERY},
    {"MethodTable", "BaseSize", AT(method_table.base_size), EVERY},
    {"MethodTable", "MTFlags2", AT(method_table.flags2), EVERY},
    {"MethodTable", "ParentMethodTable", AT(method_table.parent), EVERY},
    {"MethodTable", "Module", AT(method_table.module), EVERY},
    {"MethodTable", "AuxiliaryData", AT(method_table.auxiliary_data), SINCE_9},
    {"MethodTable", "EEClassOrCanonMT", AT(method_table.class_or_canon), EVERY},
    {"MethodTable", "PerInstInfo", AT(method_table.per_inst_info), EVERY},
    {"MethodTable", "MTToken", AT(method_table.token), ONLY_8},
    {"MethodTable", "NumVirtuals", AT(method_table.virtual_count), ONLY_8},
    {"EEClass", "MethodTable", AT(ee_class.method_table), EVERY},
    {"EEClass", "FieldDescList", AT(ee_class.field_desc_list), EVERY},
    {"EEClass", "InternalCorElementType", AT(ee_class.element_type), EVERY},
    {"EEClass", "NumInstanceFields", AT(ee_class.instance_fields), SINCE_9},
    {"EEClass", "NumStaticFields", AT(ee_class.static_fields), SINCE_9},
    {"EEClass", "BaseSizePadding", AT(ee_class.padding), NONE},
    {"EEClass", "FieldsArePacked", AT(ee_class.are_packed), ONLY_8},
    {"EEClass", "PackedFields", AT(ee_class.packed), ONLY_8},
    {"DynamicStaticsInfo", "!", AT(dynamic_statics.size), SINCE_9},
    {"DynamicStaticsInfo", "GCStatics", AT(dynamic_statics.gc_statics), SINCE_9},
    {"DynamicStaticsInfo", "NonGCStatics", AT(dynamic_statics.plain_statics), NONE},
    {"ThreadStaticsInfo", "!", AT(thread_statics.size), SINCE_9},
    {"ThreadStaticsInfo", "GCTlsIndex", AT(thread_statics.gc_tls_index), SINCE_9},
    {"ThreadStaticsInfo", "NonGCTlsIndex", AT(thread_statics.plain_tls_index), NONE},
    {"GenericsDictInfo", "NumDicts", AT(generics_dict.dict_count), EVERY},
    {"GenericsDictInfo", "NumTypeArgs", AT(generics_dict.type_arg_count), EVERY},
    {"Module", "Base", AT(module.base), SINCE_9},
    {"Module", "Path", AT(module.path), SINCE_9},
    {"Module", "LoaderAllocator", AT(module.loader_allocator), EVERY},
    {"Module", "DynamicMetadata", AT(module.dynamic_metadata), EVERY},
    {"Module", "AvailableTypeParams", AT(module.available_type_params), NONE},
    {"Module", "TypeDefToMethodTableMap", AT(module.type_def_map), EVERY},
    {"Module", "TypeRefToMethodTableMap", AT(module.type_ref_map), EVERY},
    {"Module", "PEAssembly", AT(module.pe_assembly), ONLY_8},
    {"Module", "Assembly", AT(module.assembly), ONLY_8},
    {"Module", "DomainLocalModule", AT(module.local_module), NONE},
    {"Module", "ModuleIndex", AT(module.index), ONLY_8},
    {"Module", "DynamicEntries", AT(module.dynamic_count), ONLY_8},
    {"Module", "DynamicStaticsInfo", AT(module.dynamic_types), ONLY_8},
    {"PEAssembly", "PEImage", AT(pe.image), ONLY_8},
    {"PEImage", "Path", AT(pe.path), ONLY_8},
    {"PEImage", "FlatLayout", AT(pe.flat), ONLY_8},
    {"PEImage", "LoadedLayout", AT(pe.loaded), ONLY_8},
    {"PEImageLayout", "Base", AT(pe.base), ONLY_8},
    {"DomainLocalModule", "DynamicClassTable", AT(local_module.classes), ONLY_8},
    {"DomainLocalModule", "DynamicEntries", AT(local_module.count), ONLY_8},
    {"DomainLocalModule", "GCStatics", AT(local_module.gc_statics), ONLY_8},
    {"DomainLocalModule", "DataBlob", AT(local_module.blob), ONLY_8},
    {"ThreadLocalModule", "DynamicClassTable", AT(thread_local_module.classes), ONLY_8},
    {"ThreadLocalModule", "DynamicEntries", AT(thread_local_module.count), ONLY_8},
    {"ThreadLocalModule", "GCStatics", AT(thread_local_module.gc_statics), ONLY_8},
    {"ThreadLocalModule", "DataBlob", AT(thread_local_module.blob), ONLY_8},
    {"LoaderAllocator", "ObjectHandle", AT(allocator_object), ONLY_8},
    {"ModuleLookupMap", "Next", AT(lookup_map.next), EVERY},
    {"ModuleLookupMap", "TableData", AT(lookup_map.table), EVERY},
    {"ModuleLookupMap", "Count", AT(lookup_map.count), EVERY},
    {"ModuleLookupMap", "SupportedFlagsMask", AT(lookup_map.flags_mask), EVERY},
    {"EETypeHashTable", "Buckets", AT(type_hash.buckets), EVERY},
    {"EETypeHashTable", "VolatileEntryValue", AT(type_hash.entry_value), EVERY},
    {"EETypeHashTable", "VolatileEntryNextEntry", AT(type_hash.entry_next), EVERY},
    {"AppDomain", "DomainAssemblyList", AT(app_domain.assembly_list), NONE},
    {"AppDomain", "AssemblyList", AT(app_domain.assemblies), NONE},
    {"ArrayListBase", "Count", AT(array_list.count), EVERY},
    {"ArrayListBase", "FirstBlock", AT(array_list.first_block), EVERY},
    {"ArrayListBlock", "Next", AT(array_list_block.next), EVERY},
    {"ArrayListBlock", "Size", AT(array_list_block.size), EVERY},
    {"ArrayListBlock", "ArrayStart", AT(array_list_block.items), EVERY},
    {"Assembly", "Module", AT(assembly.module), EVERY},
    {"ThreadStore", "FirstThreadLink", AT(thread_store.first_link), EVERY},
    {"ThreadStore", "ThreadCount", AT(thread_store.count), EVERY},
    {"Thread", "LinkNext", AT(thread.link), EVERY},
    {"Thread", "RuntimeThreadLocals", AT(thread.locals), SINCE_9},
    {"Thread", "ThreadLocalDataPtr", AT(thread.static_data), NONE},
    {"Thread", "OSId", AT(thread.os_id), EVERY},
    {"Thread", "CachedStackBase", AT(thread.stack_base), NONE},
    {"Thread", "AllocContext", AT(thread.alloc_context), ONLY_8},
    {"Thread", "ThreadLocalBlock", AT(thread.local_block), ONLY_8},
    {"ThreadLocalBlock", "TLMTable", AT(thread_local_block.modules), ONLY_8},
    {"ThreadLocalBlock", "TLMTableSize", AT(thread_local_block.count), ONLY_8},
    {"RuntimeThreadLocals", "AllocContext", AT(allocation.alloc_context), SINCE_9},
    {"EEAllocContext", "GCAllocationContext", AT(allocation.gc_context), SINCE_9},
    {"GCAllocContext", "Pointer", AT(allocation.pointer), EVERY},
    {"GCAllocContext", "Limit", AT(allocation.limit), EVERY},
    {"ThreadLocalData", "NonCollectibleTlsDataCount", AT(thread_local_data.count), SINCE_9},
    {"ThreadLocalData", "NonCollectibleTlsArrayData", AT(thread_local_data.items), SINCE_9},
    {"TypeDesc", "TypeAndFlags", AT(type_desc_flags), EVERY},
    {"ParamTypeDesc", "TypeArg", AT(param_type_arg), EVERY},
    {"DynamicMetadata", "Size", AT(dynamic_metadata_size), EVERY},
    {"DynamicMetadata", "Data", AT(dynamic_metadata_data), SINCE_9},
    {"DynamicMetadata", "Buffer", AT(dynamic_metadata_pointer), ONLY_8},
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static const char *const global_names[GLOBALS] = {
    [GLOBAL_APP_DOMAIN] = "AppDomain",
    [GLOBAL_THREAD_STORE] = "ThreadStore",
    [GLOBAL_FREE_OBJECT] = "FreeObjectMethodTable",
    [GLOBAL_CONTINUATION] = "ContinuationMethodTable",
    [GLOBAL_CONTINUATION_CLASS] = "ContinuationSingletonEEClass",
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

/* True if the code reads a member of this version: .NET 8 has a DomainLocalModule. */
static bool is_read_of(enum need need, const struct runtime_layout *l)
{
    bool is_8 = l->module.local_module != RUNTIME_NO_OFFSET;
    return need != (is_8 ? SINCE_9 : ONLY_8);
}

/* A descriptor has more members than a carried table: those that the code does not read
 * make no difference. */
bool descriptor_same_layout(const struct runtime_layout *a, const struct runtime_layout *b)
{
    struct runtime_layout x = *a, y = *b;
    bool same = x.statics_mask == y.statics_mask &&
                x.tls_offsets_unused == y.tls_offsets_unused &&
                x.thread.linked == y.thread.linked;
    for (size_t i = 0; i < MEMBERS && same; i++)
        same = !is_read_of(members[i].need, &x) ||
               *slot(&x, members[i].at) == *slot(&y, members[i].at);
    return same;
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

/* A later version keeps its structures in another way, whatever the contracts say: 2 has
 * Threads where 0 has the addresses of their links. */
static bool read_version(struct descriptor *d, const json_t *value, struct hd_error *err)
{
    enum { FIRST = 0, WITH_THREADS = 2 };
    uint64_t version;
    if (value == NULL)
        return true; /* a carried table */
    if (!number_in(value, &version) || (version != FIRST && version != WITH_THREADS)) {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
        alloc_blame();
        fail(err, HD_UNSUPPORTED,
             "this runtime describes itself in an unknown format (descriptor version "
             "%.20s); a newer heapdrift may read it",
             text != NULL ? text : "?");
        free(text);
        return false;
    }
    d->version = (unsigned)version;
    return true;
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

/* One byte at a time, as in format/table/type_tables.c: jansson does not say when memory
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
    ok = ok && read_version(d, json_object_get(json, "version"), err) &&
         check_contracts(json_object_get(json, "contracts"), err);
    if (ok) {
        parse_members(d, json_object_get(json, "types"));
        parse_globals(d, json_object_get(json, "globals"));
        d->at.thread.linked = d->version == 0 ? d->at.thread.link : 0;
    }
    json_decref(json);
    return ok;
}

const char *descriptor_lacks(const struct descriptor *d, struct arena *a)
{
    struct runtime_layout at = d->at;
    for (size_t i = 0; i < MEMBERS; i++)
        if (members[i].need != NONE && is_read_of(members[i].need, &at) &&
            *slot(&at, members[i].at) == RUNTIME_NO_OFFSET)
            return arena_printf(a, "%s.%s", members[i].type, members[i].name);
    return is_read_of(SINCE_9, &at) && at.statics_mask == 0 ? "StaticsPointerMask" : NULL;
}
