#include "clr/managed/clr_types.h"
#include "support/forge_clr.h"
#include "support/forge_metadata.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct metadata_forge meta;
static struct clr_forge f;
static struct clr_types *types;
static struct clr_scope scope;

/* Rows 2 and 3 are Shop.Cell, a struct, and Shop.List`1; the only TypeRef is Far.Away. */
static void begin(void)
{
    meta = (struct metadata_forge){0};
    forge_clr_begin(&f);
    forge_type_def(&meta, "", "<Module>");
    forge_type_def(&meta, "Shop", "Cell");
    forge_type_def(&meta, "Shop", "List`1");
    forge_type_ref(&meta, 2, "Far", "Away");
    uint64_t module = forge_clr_module(&f, forge_metadata_bytes(&meta));
    uint64_t cell = forge_clr_type(
        &f, &(struct forged_type){.module = module, .row = 2, .flags = FORGED_VALUE});
    types = forge_clr_open(&f);
    static const struct clr_shape *arguments[1];
    arguments[0] = clr_shape_of(types, cell);
    scope = (struct clr_scope){clr_module_of(types, module), arguments, 1};
}

static void end(void)
{
    clr_types_close(types);
    forge_clr_end(&f);
    forge_metadata_free(&meta);
}

TestSuite(clr_signatures, .init = begin, .fini = end);

static const struct clr_shape *shape_of(const void *bytes, size_t size)
{
    return clr_field_shape(types, &scope, (struct bytes){bytes, size});
}

#define SIGNATURE(bytes) bytes, sizeof(bytes) - 1

static const struct {
    const char *bytes;
    size_t size;
    const char *name;
    unsigned element;
} cases[] = {
    {SIGNATURE("\x06\x02"), "System.Boolean", ELEMENT_BOOLEAN},
    {SIGNATURE("\x06\x0E"), "System.String", ELEMENT_CLASS},
    {SIGNATURE("\x06\x1C"), "System.Object", ELEMENT_CLASS},
    {SIGNATURE("\x06\x18"), "System.IntPtr", ELEMENT_I},
    {SIGNATURE("\x06\x11\x08"), "Shop.Cell", ELEMENT_VALUETYPE},
    {SIGNATURE("\x06\x12\x05"), "Far.Away", ELEMENT_CLASS},
    {SIGNATURE("\x06\x11\x05"), "Far.Away", ELEMENT_VALUETYPE},
    {SIGNATURE("\x06\x13\x00"), "Shop.Cell", ELEMENT_VALUETYPE},
    {SIGNATURE("\x06\x1D\x08"), "System.Int32[]", ELEMENT_CLASS},
    {SIGNATURE("\x06\x1D\x1D\x11\x08"), "Shop.Cell[][]", ELEMENT_CLASS},
    {SIGNATURE("\x06\x14\x08\x02\x00\x00"), "System.Int32[,]", ELEMENT_CLASS},
    {SIGNATURE("\x06\x14\x1D\x08\x03\x01\x05\x01\x00"), "System.Int32[][,,]",
     ELEMENT_CLASS},
    {SIGNATURE("\x06\x14\x08\x01\x00\x00"), "System.Int32[*]", ELEMENT_CLASS},
    {SIGNATURE("\x06\x0F\x0F\x01"), "System.Void**", ELEMENT_PTR},
    {SIGNATURE("\x06\x10\x0E"), "System.String&", ELEMENT_BYREF},
    {SIGNATURE("\x06\x1F\x05\x08"), "System.Int32", ELEMENT_I4},
    {SIGNATURE("\x06\x20\x05\x1F\x05\x1D\x20\x05\x08"), "System.Int32[]", ELEMENT_CLASS},
    {SIGNATURE("\x06\x1B\x00\x00\x01"), "FNPTR", ELEMENT_FNPTR},
    {SIGNATURE("\x06\x15\x12\x0C\x01\x0E"), "Shop.List`1[System.String]", ELEMENT_CLASS},
    {SIGNATURE("\x06\x15\x12\x0C\x01\x15\x12\x0C\x01\x1D\x0E"),
     "Shop.List`1[Shop.List`1[System.String[]]]", ELEMENT_CLASS},
    {SIGNATURE("\x06\x15\x12\x05\x02\x13\x00\x08"), "Far.Away[Shop.Cell,System.Int32]",
     ELEMENT_CLASS},
    {SIGNATURE("\x06\x15\x11\x05\x01\x08"), "Far.Away[System.Int32]", ELEMENT_VALUETYPE},
    {SIGNATURE("\x06\x12\x7F"), "UNKNOWN", ELEMENT_CLASS}, /* no such table */
    /* Invalid signatures of a field. */
    {SIGNATURE(""), "UNKNOWN", 0},
    {SIGNATURE("\x06"), "UNKNOWN", 0},
    {SIGNATURE("\x07\x08"), "UNKNOWN", 0},
    {SIGNATURE("\x06\x13\x01"), "UNKNOWN", 0},
    {SIGNATURE("\x06\x1E\x00"), "UNKNOWN", 0},
    {SIGNATURE("\x06\x14\x08\x00\x00\x00"), "UNKNOWN", 0},
    {SIGNATURE("\x06\x14\x08\xDF\xFF\xFF\xFF"), "UNKNOWN", 0},
    {SIGNATURE("\x06\x15\x12\x0C\x00"), "UNKNOWN", 0},
    {SIGNATURE("\x06\x15\x12\x0C\x7F\x08"), "UNKNOWN", 0},
    {SIGNATURE("\x06\x15\x12\x0C\x02\x08"), "UNKNOWN", 0},
    {SIGNATURE("\x06\x60"), "UNKNOWN", 0},
};

Test(clr_signatures, spelled_as_the_runtime_does)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct clr_shape *s = shape_of(cases[i].bytes, cases[i].size);
        cr_expect_str_eq(s->full_name->raw, cases[i].name, "%zu: %s", i, s->full_name->raw);
        cr_expect_eq(s->element, cases[i].element, "%zu: %x", i, s->element);
    }
}

/* Arrays of arrays, arguments of arguments, as deep as possible. */
Test(clr_signatures, depth_is_bounded)
{
    enum { DEPTH = 100000 };
    char *bytes = malloc(DEPTH);
    memset(bytes, ELEMENT_SZARRAY, DEPTH);
    bytes[0] = 6;
    cr_expect_str_eq(shape_of(bytes, DEPTH)->full_name->raw, "UNKNOWN");
    for (size_t i = 1; i + 4 <= DEPTH; i += 4)
        memcpy(bytes + i, "\x15\x12\x0C\x01", 4);
    cr_expect_str_eq(shape_of(bytes, DEPTH)->full_name->raw, "UNKNOWN");
    memset(bytes + 1, ELEMENT_PINNED, DEPTH - 1);
    cr_expect_str_eq(shape_of(bytes, DEPTH)->full_name->raw, "UNKNOWN");
    free(bytes);
}

/* In memory of its own, so that a sanitizer reports reads outside. */
Test(clr_signatures, damage_reads_nothing_outside)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        for (size_t size = 1; size <= cases[i].size; size++) {
            unsigned char *bytes = malloc(size);
            memcpy(bytes, cases[i].bytes, size);
            for (unsigned value = 0; value < 256; value++) {
                bytes[size - 1] = (unsigned char)value;
                cr_expect_not_null(shape_of(bytes, size));
            }
            free(bytes);
        }
    }
}
