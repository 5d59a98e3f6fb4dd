#include "clr/process/runtime.h"

#include "base/error.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Versions that must have a member: every; none, since it is optional (.NET 9 lacks some);
 * those with a DomainLocalModule (.NET 8), or all others. */
enum need { EVERY, NONE, ONLY_8, SINCE_9 };

/* Columns of tables: runtime_members.h. */
enum { VERSIONS = 3, COLUMNS = 7, NO = UINT16_MAX };

static const struct runtime_layout_member {
    const char *type, *name;
    size_t at;
    enum need need;
    uint16_t offsets[COLUMNS];
} members[] = {
#define MEMBER(need, type, name, member, ...) \
    {type, name, offsetof(struct runtime_layout, member), need, {__VA_ARGS__}},
#include "clr/process/runtime_members.h"
#undef MEMBER
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static const char *const global_names[GLOBALS] = {
    [GLOBAL_APP_DOMAIN] = "AppDomain",
    [GLOBAL_THREAD_STORE] = "ThreadStore",
    [GLOBAL_FREE_OBJECT] = "FreeObjectMethodTable",
    [GLOBAL_CONTINUATION] = "ContinuationMethodTable",
    [GLOBAL_CONTINUATION_CLASS] = "ContinuationSingletonEEClass",
};

/* Contract versions that readers of the offsets support. Another number means a different
 * structure or algorithm. */
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
    bool is_8 = l->module_local_module != RUNTIME_NO_OFFSET;
    return need != (is_8 ? SINCE_9 : ONLY_8);
}

/* A descriptor has more members than a carried table: those that the code does not read
 * make no difference. */
bool descriptor_same_layout(const struct runtime_layout *a, const struct runtime_layout *b)
{
    struct runtime_layout x = *a, y = *b;
    bool same = x.statics_mask == y.statics_mask &&
                x.tls_offsets_unused == y.tls_offsets_unused &&
                x.thread_linked == y.thread_linked;
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
    enum { MAX_OFFSET = 1 << 20 };
    return n < MAX_OFFSET;
}

/* Structures differ between versions, independent of the contracts: version 2 has Threads
 * where 0 has the addresses of their links. */
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
    d->at.thread_linked = d->version == 0 ? d->at.thread_link : 0;
}

/* --- the text ------------------------------------------------------------------------ */

struct text_left {
    const char *next;
    size_t len;
};

/* One byte at a time, as in format/table/json_input.c: jansson does not report out of
 * memory. */
static size_t next_byte(void *to, size_t capacity, void *from)
{
    struct text_left *left = from;
    alloc_blame();
    if (left->len == 0 || capacity == 0)
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
    d->at.thread_linked = d->at.thread_link;
    d->at.statics_mask = t->major > LAST_WITHOUT_MASK ? ~UINT64_C(1) : 0;
}
