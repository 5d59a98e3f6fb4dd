#include "clr/process/runtime.h"

#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Who has to tell a member: every version; none, as it is done without (.NET 9 lacks some);
 * those with a DomainLocalModule (.NET 8), or all others. */
enum need { EVERY, NONE, ONLY_8, SINCE_9 };

/* Tables by column: .NET 10, 9 and 8 on x86-64; the same under Windows; .NET 10 on aarch64.
 * Columns of other processors are 0 where they are as on x86-64. */
enum { VERSIONS = 3, COLUMNS = 7, NO = UINT16_MAX };

#define M(need, type, name, member, ...)                           \
    {                                                              \
        type, name, offsetof(struct runtime_layout, member), need, \
        {                                                          \
            __VA_ARGS__                                            \
        }                                                          \
    }

/* Made by scripts/runtime-table.py of 10.0.1226.42308, 9.0.2026.41315 and 8.0.3126.42015,
 * and of what was found in dumps of these where the libraries do not tell it: that script
 * lists which. On aarch64 a thread has 40 bytes more, to step through code in software. */
static const struct runtime_layout_member {
    const char *type, *name; /* "!": the size */
    size_t at;
    enum need need;
    uint16_t offsets[COLUMNS];
} members[] = {
    M(EVERY, "MethodTable", "!", method_table.size, 64, 64, 64),
    M(EVERY, "MethodTable", "MTFlags", method_table.flags, 0, 0, 0),
    M(EVERY, "MethodTable", "BaseSize", method_table.base_size, 4, 4, 4),
    M(EVERY, "MethodTable", "MTFlags2", method_table.flags2, 8, 8, 8),
    M(EVERY, "MethodTable", "ParentMethodTable", method_table.parent, 16, 16, 16),
    M(EVERY, "MethodTable", "Module", method_table.module, 24, 24, 24),
    M(SINCE_9, "MethodTable", "AuxiliaryData", method_table.auxiliary_data, 32, 32, NO),
    M(EVERY, "MethodTable", "EEClassOrCanonMT", method_table.class_or_canon, 40, 40, 40),
    M(EVERY, "MethodTable", "PerInstInfo", method_table.per_inst_info, 48, 48, 48),
    M(ONLY_8, "MethodTable", "MTToken", method_table.token, NO, NO, 10),
    M(ONLY_8, "MethodTable", "NumVirtuals", method_table.virtual_count, NO, NO, 12),
    M(EVERY, "EEClass", "MethodTable", ee_class.method_table, 16, 16, 16),
    M(EVERY, "EEClass", "FieldDescList", ee_class.field_desc_list, 24, 24, 24),
    M(EVERY, "EEClass", "InternalCorElementType", ee_class.element_type, 48, 48, 48, 64, 64,
      64),
    M(SINCE_9, "EEClass", "NumInstanceFields", ee_class.instance_fields, 50, 50, NO, 66, 66,
      0),
    M(SINCE_9, "EEClass", "NumStaticFields", ee_class.static_fields, 54, 54, NO, 70, 70, 0),
    M(NONE, "EEClass", "BaseSizePadding", ee_class.padding, NO, NO, 51, 0, 0, 67),
    M(ONLY_8, "EEClass", "FieldsArePacked", ee_class.are_packed, NO, NO, 49, 0, 0, 65),
    M(ONLY_8, "EEClass", "PackedFields", ee_class.packed, NO, NO, 50, 0, 0, 66),
    M(SINCE_9, "DynamicStaticsInfo", "!", dynamic_statics_size, 24, 24, NO),
    M(SINCE_9, "DynamicStaticsInfo", "GCStatics", dynamic_statics_gc, 0, 0, NO),
    M(NONE, "DynamicStaticsInfo", "NonGCStatics", dynamic_statics_plain, 8, 8, NO),
    M(SINCE_9, "ThreadStaticsInfo", "!", thread_statics_size, 40, 40, NO),
    M(SINCE_9, "ThreadStaticsInfo", "GCTlsIndex", thread_statics_gc_index, 4, 4, NO),
    M(NONE, "ThreadStaticsInfo", "NonGCTlsIndex", thread_statics_plain_index, 0, 0, NO),
    M(EVERY, "GenericsDictInfo", "NumDicts", generics_dict_count, 4, 4, 4),
    M(EVERY, "GenericsDictInfo", "NumTypeArgs", generics_dict_type_args, 6, 6, 6),
    M(SINCE_9, "Module", "Base", module.base, 224, 288, NO, 200, 192, 0),
    M(SINCE_9, "Module", "Path", module.path, 200, 272, NO, 176, 176, 0),
    M(EVERY, "Module", "LoaderAllocator", module.loader_allocator, 176, 248, 248, 152, 152,
      152),
    M(EVERY, "Module", "DynamicMetadata", module.dynamic_metadata, 840, 1120, 1688, 744,
      736, 1016),
    M(NONE, "Module", "AvailableTypeParams", module.available_type_params, 600, 808, 968,
      528, 520, 584),
    M(EVERY, "Module", "TypeDefToMethodTableMap", module.type_def_map, 416, 624, 752, 344,
      336, 368),
    M(EVERY, "Module", "TypeRefToMethodTableMap", module.type_ref_map, 8, 8, 8),
    M(ONLY_8, "Module", "PEAssembly", module.pe_assembly, NO, NO, 272, 0, 0, 176),
    M(ONLY_8, "Module", "Assembly", module.assembly, NO, NO, 296, 0, 0, 200),
    M(NONE, "Module", "DomainLocalModule", module.local_module, NO, NO, 1224, 0, 0, 744),
    M(ONLY_8, "Module", "ModuleIndex", module.index, NO, NO, 1232, 0, 0, 752),
    M(ONLY_8, "Module", "DynamicEntries", module.dynamic_count, NO, NO, 1280, 0, 0, 800),
    M(ONLY_8, "Module", "DynamicStaticsInfo", module.dynamic_types, NO, NO, 1296, 0, 0,
      816),
    M(ONLY_8, "PEAssembly", "PEImage", pe.image, NO, NO, 8),
    M(ONLY_8, "PEImage", "Path", pe.path, NO, NO, 16),
    M(ONLY_8, "PEImage", "FlatLayout", pe.flat, NO, NO, 112),
    M(ONLY_8, "PEImage", "LoadedLayout", pe.loaded, NO, NO, 120),
    M(ONLY_8, "PEImageLayout", "Base", pe.base, NO, NO, 8),
    M(ONLY_8, "DomainLocalModule", "DynamicClassTable", local_module.classes, NO, NO, 8),
    M(ONLY_8, "DomainLocalModule", "DynamicEntries", local_module.count, NO, NO, 16),
    M(ONLY_8, "DomainLocalModule", "GCStatics", local_module.gc_statics, NO, NO, 32),
    M(ONLY_8, "DomainLocalModule", "DataBlob", local_module.blob, NO, NO, 48),
    M(ONLY_8, "ThreadLocalModule", "DynamicClassTable", thread_local_module.classes, NO, NO,
      0),
    M(ONLY_8, "ThreadLocalModule", "DynamicEntries", thread_local_module.count, NO, NO, 8),
    M(ONLY_8, "ThreadLocalModule", "GCStatics", thread_local_module.gc_statics, NO, NO, 16),
    M(ONLY_8, "ThreadLocalModule", "DataBlob", thread_local_module.blob, NO, NO, 24),
    M(ONLY_8, "LoaderAllocator", "ObjectHandle", allocator_object, NO, NO, 976, 0, 0, 880),
    M(EVERY, "ModuleLookupMap", "Next", lookup_map_next, 0, 0, 0),
    M(EVERY, "ModuleLookupMap", "TableData", lookup_map_table, 8, 8, 8),
    M(EVERY, "ModuleLookupMap", "Count", lookup_map_count, 16, 16, 16),
    M(EVERY, "ModuleLookupMap", "SupportedFlagsMask", lookup_map_flags_mask, 24, 24, 24),
    M(EVERY, "EETypeHashTable", "Buckets", type_hash_buckets, 16, 16, 16),
    M(EVERY, "EETypeHashTable", "VolatileEntryValue", type_hash_entry_value, 0, 0, 0),
    M(EVERY, "EETypeHashTable", "VolatileEntryNextEntry", type_hash_entry_next, 8, 8, 8),
    M(NONE, "AppDomain", "DomainAssemblyList", app_domain_assembly_list, 576, 1824, 2544,
      408, 776, 1208),
    M(NONE, "AppDomain", "AssemblyList", app_domain_assemblies, NO, NO, NO),
    M(EVERY, "ArrayListBase", "Count", array_list_count, 0, 0, 0),
    M(EVERY, "ArrayListBase", "FirstBlock", array_list_first_block, 8, 8, 8),
    M(EVERY, "ArrayListBlock", "Next", array_list_block_next, 0, 0, 0),
    M(EVERY, "ArrayListBlock", "Size", array_list_block_size, 8, 8, 8),
    M(EVERY, "ArrayListBlock", "ArrayStart", array_list_block_items, 16, 16, 16),
    M(EVERY, "Assembly", "Module", assembly_module, 16, 16, 24),
    M(EVERY, "ThreadStore", "FirstThreadLink", thread_store_first_link, 88, 160, 160, 64,
      64, 64),
    M(EVERY, "ThreadStore", "ThreadCount", thread_store_count, 112, 184, 184, 88, 88, 88),
    M(EVERY, "Thread", "LinkNext", thread.link, 112, 112, 232, 120, 120, 248, 152),
    M(SINCE_9, "Thread", "RuntimeThreadLocals", thread.locals, 32, 32, NO),
    M(NONE, "Thread", "ThreadLocalDataPtr", thread.static_data, 568, 928, NO, 592, 960, 0,
      608),
    M(EVERY, "Thread", "OSId", thread.os_id, 296, 296, 424, 304, 304, 440, 336),
    M(NONE, "Thread", "CachedStackBase", thread.stack_base, 120, NO, NO, 128, 0, 0, 160),
    M(ONLY_8, "Thread", "AllocContext", thread.alloc_context, NO, NO, 88, 0, 0, 88),
    M(ONLY_8, "Thread", "ThreadLocalBlock", thread.local_block, NO, NO, 1080, 0, 0, 1120),
    M(ONLY_8, "ThreadLocalBlock", "TLMTable", thread_local_block_modules, NO, NO, 0),
    M(ONLY_8, "ThreadLocalBlock", "TLMTableSize", thread_local_block_count, NO, NO, 8),
    M(SINCE_9, "RuntimeThreadLocals", "AllocContext", allocation_alloc_context, 0, 0, NO),
    M(SINCE_9, "EEAllocContext", "GCAllocationContext", allocation_gc_context, 8, 0, NO),
    M(EVERY, "GCAllocContext", "Pointer", allocation_pointer, 0, 0, 0),
    M(EVERY, "GCAllocContext", "Limit", allocation_limit, 8, 8, 8),
    M(SINCE_9, "ThreadLocalData", "NonCollectibleTlsDataCount", thread_local_data_count, 0,
      0, NO),
    M(SINCE_9, "ThreadLocalData", "NonCollectibleTlsArrayData", thread_local_data_items, 8,
      8, NO),
    M(EVERY, "TypeDesc", "TypeAndFlags", type_desc_flags, 0, 0, 0),
    M(EVERY, "ParamTypeDesc", "TypeArg", param_type_arg, 16, 16, 8),
    M(EVERY, "DynamicMetadata", "Size", dynamic_metadata_size, 0, 0, 0),
    M(SINCE_9, "DynamicMetadata", "Data", dynamic_metadata_data, 4, 4, NO),
    M(ONLY_8, "DynamicMetadata", "Buffer", dynamic_metadata_pointer, NO, NO, 16),
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

static bool parse_number(const char *text, int base, uint64_t *number)
{
    char *end;
    if (text == NULL || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &end, base);
    return errno == 0 && *end == '\0';
}

/* A number, "0x1f" or "31"; alone or first in [number, "type"]. */
static bool number_in(const json_t *value, uint64_t *number)
{
    if (json_is_array(value))
        value = json_array_get(value, 0);
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return parse_number(json_string_value(value), 0, number);
    *number = (uint64_t)json_integer_value(value);
    return true;
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

/* A later version keeps its structures in another way, whatever the contracts say: 2 has
 * Threads where 0 has the addresses of their links. */
static bool read_version(struct descriptor *d, const json_t *value, struct hd_error *err)
{
    enum { FIRST = 0, WITH_THREADS = 2 };
    uint64_t version;
    if (value == NULL)
        return true;
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
        const char *text = json_string_value(value);
        if (value == NULL)
            continue;
        bool ok = text != NULL && *text == 'c' /* "c1" since .NET 11 */
                      ? parse_number(text + 1, 10, &number)
                      : number_in(value, &number);
        if (!ok || number != contracts[i].number)
            return fail(err, HD_UNSUPPORTED,
                        "the types of this runtime are in an unknown format (contract %s); "
                        "a newer heapdrift may read it",
                        contracts[i].name);
    }
    return true;
}

static void take_over(struct descriptor *d, const json_t *types, const json_t *globals)
{
    static const char unused[] = "NumberOfTlsOffsetsNotUsedInNoncollectibleArray";
    uint64_t n;
    for (size_t i = 0; i < MEMBERS; i++) {
        const json_t *type = json_object_get(types, members[i].type);
        if (number_in(json_object_get(type, members[i].name), &n) && is_offset(n))
            *slot(&d->at, members[i].at) = (uint32_t)n;
    }
    if (number_in(json_object_get(globals, "StaticsPointerMask"), &n))
        d->at.statics_mask = n;
    if (number_in(json_object_get(globals, unused), &n) && is_offset(n))
        d->at.tls_offsets_unused = (uint32_t)n;
    for (size_t i = 0; i < GLOBALS; i++)
        if (place_in(json_object_get(globals, global_names[i]), &n) && is_offset(n))
            d->place[i] = (uint32_t)n;
    d->at.thread.linked = d->version == 0 ? d->at.thread.link : 0;
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
    ok = ok && read_version(d, json_object_get(json, "version"), err) &&
         check_contracts(json_object_get(json, "contracts"), err);
    if (ok)
        take_over(d, json_object_get(json, "types"), json_object_get(json, "globals"));
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

/* --- tables -------------------------------------------------------------------- */

/* In the order of the columns. */
static const struct runtime_table tables[COLUMNS] = {
    {10, MACHINE_X86_64, {20, 15, 56}},  {9, MACHINE_X86_64, {21, 16, 57}},
    {8, MACHINE_X86_64, {21, 16, 54}},   {10, MACHINE_WINDOWS, {20, 15, 57}},
    {9, MACHINE_WINDOWS, {21, 16, 58}},  {8, MACHINE_WINDOWS, {21, 16, 55}},
    {10, MACHINE_AARCH64, {20, 15, 56}},
};

const struct runtime_table *runtime_table_of(unsigned major, const struct processor *p)
{
    for (size_t c = 0; c < COLUMNS; c++)
        if (tables[c].machine == p->machine && tables[c].major == major)
            return &tables[c];
    return NULL;
}

const struct runtime_table *runtime_table_at(size_t i, const struct processor *p)
{
    if (i == VERSIONS)
        return NULL;
    const struct runtime_table *own = runtime_table_of(tables[i].major, p);
    return own != NULL ? own : &tables[i];
}

void descriptor_add_table(struct descriptor *d, const struct runtime_table *t)
{
    enum { LAST_WITHOUT_MASK = 8 };
    size_t column = (size_t)(t - tables), usual = column % VERSIONS;
    for (size_t i = 0; i < MEMBERS; i++) {
        const uint16_t *offsets = members[i].offsets;
        uint16_t offset = offsets[column] != 0 ? offsets[column] : offsets[usual];
        if (offset != NO)
            *slot(&d->at, members[i].at) = offset;
    }
    d->at.thread.linked = d->at.thread.link;
    d->at.statics_mask = t->major > LAST_WITHOUT_MASK ? ~UINT64_C(1) : 0;
}
