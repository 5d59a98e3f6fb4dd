/* Events about code, as .NET 8 to 10 write them. */
#include "trace/trace_code_events.h"

#include "support/trace_forge.h"

#include <criterion/criterion.h>

static struct bytes bytes_of(struct text *t)
{
    return (struct bytes){(const unsigned char *)text_string(t), t->len};
}

static void expect_wide(struct bytes wide, const char *expected)
{
    struct text t = {0};
    trace_wide_text(&t, wide);
    cr_expect_str_eq(text_string(&t), expected);
    text_free(&t);
}

Test(trace_code_events, ids_mean_something_else_in_rundown_and_runtime)
{
    static const struct {
        enum trace_provider provider;
        uint32_t id;
        enum trace_code_event kind;
    } cases[] = {
        {TRACE_RUNDOWN, 144, CODE_METHOD},     {TRACE_RUNDOWN, 143, CODE_METHOD},
        {TRACE_RUNTIME, 143, CODE_METHOD},     {TRACE_RUNTIME, 144, CODE_GONE},
        {TRACE_RUNDOWN, 154, CODE_MODULE},     {TRACE_RUNTIME, 152, CODE_MODULE},
        {TRACE_RUNDOWN, 150, CODE_MAP_BEFORE}, {TRACE_RUNTIME, 190, CODE_MAP_AFTER},
        {TRACE_RUNTIME, 150, CODE_OTHER},      {TRACE_RUNDOWN, 152, CODE_OTHER},
        {TRACE_OTHER, 144, CODE_OTHER},        {TRACE_HEAPDRIFT, 144, CODE_OTHER},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct trace_event e = {.provider = cases[i].provider, .id = cases[i].id};
        cr_expect_eq(trace_code_event_kind(&e), cases[i].kind, "%u %u",
                     (unsigned)cases[i].provider, (unsigned)cases[i].id);
    }
}

Test(trace_code_events, a_method_event_has_a_range_and_names_but_its_prefixes_are_refused)
{
    struct text t = {0};
    struct code_method m;
    forge_u64(&t, 0x11);
    forge_u64(&t, 0x22);
    forge_u64(&t, 0x7000);
    forge_u32(&t, 0x40);
    forge_u32(&t, 0x06000005);
    forge_u32(&t, 1);
    forge_wide(&t, "Shop.Cart");
    forge_wide(&t, "Add");
    for (size_t i = 0; i < t.len; i++)
        cr_expect_not(code_method_parse((struct bytes){bytes_of(&t).data, i}, &m));
    forge_wide(&t, "void ()");
    cr_assert(code_method_parse(bytes_of(&t), &m));
    cr_expect(m.id == 0x11 && m.module == 0x22 && m.start == 0x7000 && m.size == 0x40);
    cr_expect_eq(m.token, 0x06000005);
    expect_wide(m.type, "Shop.Cart");
    expect_wide(m.name, "Add");
    text_free(&t);
}

Test(trace_code_events, a_module_has_a_path)
{
    struct text t = {0};
    struct code_module m;
    forge_u64(&t, 0x22);
    forge_u64(&t, 0x33);
    forge_u32(&t, 8);
    forge_u32(&t, 0);
    cr_expect_not(code_module_parse(bytes_of(&t), &m));
    forge_wide(&t, "/app/Shop.dll");
    cr_assert(code_module_parse(bytes_of(&t), &m));
    cr_expect_eq(m.id, 0x22);
    expect_wide(m.path, "/app/Shop.dll");
    text_free(&t);
}

/* As in the runtime: prologues, also of a handler, instructions, the epilogue of a return,
 * code without an instruction. */
static const struct {
    uint32_t il, native;
} pairs[] = {{0xFFFFFFFE, 0}, {0xFFFFFFFE, 60}, {0, 8},           {5, 8},
             {9, 20},         {12, 40},         {0xFFFFFFFD, 40}, {0xFFFFFFFF, 30}};

static void forge_map(struct text *t, uint32_t count)
{
    forge_u64(t, 0x11);
    forge_u64(t, 0);
    forge_u8(t, 0);
    forge_u16(t, (uint16_t)count);
    for (uint32_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        forge_u32(t, pairs[i].il);
    for (uint32_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        forge_u32(t, pairs[i].native);
}

Test(trace_code_events, an_offset_in_code_is_of_the_last_instruction_before_it)
{
    static const struct {
        uint32_t native, il;
    } cases[] = {{0, 0},
                 {7, 0},
                 {8, 5},
                 {19, 5},
                 {20, 9},
                 {35, 9},
                 {40, CODE_NO_OFFSET},
                 {70, CODE_NO_OFFSET}};
    struct text t = {0};
    struct code_map m;
    forge_map(&t, sizeof(pairs) / sizeof(*pairs));
    cr_assert(code_map_parse(bytes_of(&t), &m));
    cr_expect_eq(m.method, 0x11);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(code_map_find(&m, cases[i].native), cases[i].il, "%u",
                     (unsigned)cases[i].native);
    cr_expect_eq(code_map_next(&m, 0), 5);
    cr_expect_eq(code_map_next(&m, 5), 9);
    cr_expect_eq(code_map_next(&m, 9), 12);
    cr_expect_eq(code_map_next(&m, 12), CODE_NO_OFFSET);
    text_free(&t);
}

Test(trace_code_events, a_map_with_too_few_pairs_is_refused)
{
    struct text t = {0};
    struct code_map m;
    forge_map(&t, sizeof(pairs) / sizeof(*pairs) + 1);
    cr_expect_not(code_map_parse(bytes_of(&t), &m));
    text_free(&t);
}
