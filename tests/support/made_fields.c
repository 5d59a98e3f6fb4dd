#include "support/made_fields.h"

#include "heap/graph.h"

#include <criterion/criterion.h>
#include <stdlib.h>

uint64_t made_address(enum made_object object)
{
    enum {
        CAPACITY = 128
    }; /* size of a value, more than any needs; the forge reserves less */
    return forge_address(HD_GEN2, 0) + CAPACITY * (uint64_t)object;
}

/* --- which field a reference is -------------------------------------------------- */

enum { VALUE, NAME, SELF, NEXT, PHOTO, LINK, MADE_NAMES };
static const char *const names[MADE_NAMES] = {"[].value", "_name",  "Extra.Self",
                                              "_next",    "_photo", "_link"};

static void fields_of_node(const void *context, node_id n, field_id *ids)
{
    static const field_id customer[] = {NAME, SELF, NEXT, PHOTO};
    static const field_id other[] = {NAME};
    const struct hd_snapshot *snap = context;
    uint32_t count = snap->graph->edge_begin[n + 1] - snap->graph->edge_begin[n];
    for (uint32_t i = 0; i < count; i++)
        ids[i] = n == MADE_ENTRIES    ? (field_id)VALUE
                 : n == MADE_CUSTOMER ? customer[i]
                 : n == MADE_OTHER    ? other[i]
                 : n < MADE_OBJECTS   ? (field_id)LINK
                                      : NO_FIELD;
}

/* --- values ---------------------------------------------------------------------- */

static struct hd_field reference(const struct hd_snapshot *snap, const char *name,
                                 const char *type, uint32_t to)
{
    bool is_null = to == HD_NO_OBJECT;
    return (struct hd_field){.name = name,
                             .declared_by = "Shop.Customer",
                             .type = type,
                             .kind = HD_FIELD_REFERENCE,
                             .number = is_null ? 0 : graph_address(snap->graph, to),
                             .to = to};
}

static struct hd_field plain(const char *name, const char *type, enum hd_field_kind kind,
                             uint64_t number)
{
    return (struct hd_field){.name = name,
                             .declared_by = "Shop.Person",
                             .type = type,
                             .kind = kind,
                             .number = number,
                             .to = HD_NO_OBJECT};
}

static size_t add_customer(const struct hd_snapshot *snap, bool with_text,
                           struct hd_field *to)
{
    struct hd_field all[MADE_CUSTOMER_FIELDS] = {
        reference(snap, "_name", "System.String", MADE_NAME),
        reference(snap, "Extra.Self", "Shop.Customer", MADE_CUSTOMER),
        reference(snap, "_next", "Shop.Customer", MADE_OTHER),
        reference(snap, "_photo", "System.Byte[]", MADE_BYTES),
        reference(snap, "_nothing", "System.Object", HD_NO_OBJECT),
        plain("_id", "System.Int32", HD_FIELD_SIGNED, (uint64_t)-4711),
        plain("_limit", "System.UInt64", HD_FIELD_UNSIGNED, UINT64_MAX),
        plain("_handle", "System.IntPtr", HD_FIELD_UNSIGNED, 0x7f00),
        plain("_isOpen", "System.Boolean", HD_FIELD_BOOLEAN, 1),
        plain("_grade", "System.Char", HD_FIELD_CHAR, '|'),
        plain("_rate", "System.Double", HD_FIELD_FLOAT, 0),
        plain("_state", "Shop.State", HD_FIELD_ENUM, 2),
        plain("evil\x1b[31m|<b>", "Evil\nType", HD_FIELD_UNKNOWN, 0),
        plain("_born", "System.DateTime", HD_FIELD_STRUCT, 0),
        plain("_left", "System.Nullable<System.Int32>", HD_FIELD_SIGNED, 0)};
    all[10].real = 0.1;
    all[11].member = "Blocked";
    all[13].words = "2026-11-24 15:04:05.1234567Z";
    all[14].is_null = true;
    all[0].text = with_text ? "hunter2\x1b[31m" : NULL;
    all[0].is_cut = with_text;
    memcpy(to, all, sizeof(all));
    return MADE_CUSTOMER_FIELDS;
}

static uint16_t unit_of(node_id n, uint64_t i)
{
    static const uint16_t hostile[] = {'a', '"', '\\', 'c',    0x1b,   '\n',
                                       '|', 'd', 0,    0xD83D, 0xDE00, 0xD800};
    return n == MADE_NAME ? hostile[i] : (uint16_t)('a' + i % 26);
}

static uint64_t elements_of(node_id n)
{
    return n == MADE_NAME      ? 12
           : n == MADE_LONG    ? MADE_LONG_TEXT
           : n == MADE_BYTES   ? MADE_MANY_BYTES
           : n == MADE_ENTRIES ? 4
                               : 0;
}

static struct hd_field element(const struct hd_snapshot *snap, node_id n, uint64_t i,
                               struct arena *a)
{
    const char *name = arena_printf(a, "[%llu]", (unsigned long long)i);
    struct hd_field f = plain(name, "System.Char", HD_FIELD_CHAR, 0);
    f.declared_by = NULL;
    if (n == MADE_BYTES) {
        f.kind = HD_FIELD_UNSIGNED;
        f.type = "System.Byte";
        f.number = i % 256;
    } else if (n != MADE_ENTRIES) {
        f.number = unit_of(n, i);
    } else if (i % 2 == 0) {
        f = plain(arena_printf(a, "[%llu].key", (unsigned long long)i / 2), "System.Int32",
                  HD_FIELD_SIGNED, i);
    } else {
        f = reference(snap, arena_printf(a, "[%llu].value", (unsigned long long)i / 2),
                      "Shop.Customer", i == 1 ? MADE_CUSTOMER : MADE_OTHER);
    }
    return f;
}

static const struct hd_field *values_of(const void *context, node_id n, uint64_t first,
                                        size_t most, bool with_text, size_t most_text,
                                        struct arena *a, size_t *len, uint64_t *count)
{
    const struct hd_snapshot *snap = context;
    (void)most_text;
    *count = n == MADE_CUSTOMER ? MADE_CUSTOMER_FIELDS : elements_of(n);
    uint64_t left = first < *count ? *count - first : 0;
    *len = left < most ? (size_t)left : most;
    if (n == MADE_CUSTOMER) {
        struct hd_field *all = arena_array(a, struct hd_field, MADE_CUSTOMER_FIELDS);
        add_customer(snap, with_text, all);
        return all + first;
    }
    struct hd_field *all = arena_array(a, struct hd_field, *len);
    for (size_t i = 0; i < *len; i++)
        all[i] = element(snap, n, first + i, a);
    return all;
}

/* --- static variables ------------------------------------------------------------ */

static const struct hd_static *statics_of(const void *context, size_t most_text,
                                          struct arena *a, size_t *len)
{
    const struct hd_snapshot *snap = context;
    struct hd_static *all = arena_array(a, struct hd_static, MADE_STATICS);
    (void)most_text;
    for (size_t i = 0; i < MADE_STATICS; i++)
        all[i] = (struct hd_static){
            .declared_by = "Shop.Store", .module = "/app/Shop.dll", .is_set = true};
    all[0].field = reference(snap, "s_byNumber", "Shop.Entry[]", MADE_ENTRIES);
    all[1].field = plain("s_letter", "System.Char", HD_FIELD_CHAR, '|');
    all[2].field = plain("s_started", "System.DateTime", HD_FIELD_STRUCT, 0);
    all[2].field.words = "2026-11-24 15:04:05.1234567Z";
    all[3].field = plain("t_last", "System.Int32", HD_FIELD_SIGNED, 0);
    all[3].of_thread = true;
    all[3].is_set = false;
    *len = MADE_STATICS;
    return all;
}

/* --- the heap -------------------------------------------------------------------- */

static const struct {
    const char *type;
    uint64_t size;
} objects[MADE_OBJECTS] = {
    [MADE_ENTRIES] = {"Shop.Entry[]", 64}, [MADE_CUSTOMER] = {"Shop.Customer", 96},
    [MADE_OTHER] = {"Shop.Customer", 96},  [MADE_NAME] = {"System.String", 46},
    [MADE_LONG] = {"System.String", 22},   [MADE_BYTES] = {"System.Byte[]", 24},
    [MADE_LOST] = {"Shop.Lost", 24},       [MADE_LOST_TOO] = {"Shop.Lost", 24}};

static const struct {
    enum made_object from, to;
} references[] = {{MADE_ENTRIES, MADE_CUSTOMER}, {MADE_ENTRIES, MADE_OTHER},
                  {MADE_CUSTOMER, MADE_NAME},    {MADE_CUSTOMER, MADE_CUSTOMER},
                  {MADE_CUSTOMER, MADE_OTHER},   {MADE_CUSTOMER, MADE_BYTES},
                  {MADE_OTHER, MADE_LONG},       {MADE_LOST, MADE_LOST_TOO},
                  {MADE_LOST_TOO, MADE_LOST}};

static void set_addresses(struct graph *g)
{
    g->own_addresses = alloc_zeroed(array_bytes(g->node_count, 8));
    for (node_id n = 0; n < MADE_OBJECTS; n++)
        le_put(g->own_addresses + 8 * (size_t)n, made_address((enum made_object)n), 8);
    g->addresses = g->own_addresses;
}

struct hd_snapshot *made_fields(void)
{
    struct forge f = {0};
    for (node_id n = 0; n < MADE_OBJECTS; n++) {
        cr_assert_eq(forge_object(&f, objects[n].type, objects[n].size), n);
        forge_generation(&f, n, HD_GEN2);
    }
    for (size_t i = 0; i < sizeof(references) / sizeof(*references); i++)
        forge_reference(&f, references[i].from, references[i].to);
    forge_root(&f, HD_ROOT_STATIC, "Shop.Store.s_byNumber", MADE_ENTRIES);
    struct hd_snapshot *snap = forge_finish(&f);
    set_addresses(snap->graph);
    struct fields *fields = alloc_zeroed(sizeof(*fields));
    *fields = (struct fields){.names = names,
                              .name_count = MADE_NAMES,
                              .of_node = fields_of_node,
                              .values = values_of,
                              .statics = statics_of,
                              .context = snap};
    snap->graph->fields = fields;
    return snap;
}
