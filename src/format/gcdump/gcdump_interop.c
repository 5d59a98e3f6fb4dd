#include "format/gcdump/gcdump_interop.h"

#include "format/gcdump/fastser.h"

enum { INTEROP_VERSION = 0 };

/* Skips `words` integers of 4 bytes, then `addresses` of 8, none of which overflows. */
static void skip(struct cursor *c, unsigned words, unsigned addresses)
{
    for (unsigned i = 0; i < words; i++)
        cursor_u32(c);
    for (unsigned i = 0; i < addresses; i++)
        if (cursor_u64(c) > FASTSER_MAX_ADDRESS)
            cursor_fail(c, "an address above 2^63 - 1");
}

static void skip_records(struct fastser *f)
{
    struct cursor *c = &f->c;
    enum { RCW = 8 + 24 + 8, CCW = 8 + 16 + 8, INTERFACE = 1 + 8 + 24, MODULE = 20 };
    if (cursor_u32(c) == 0)
        return;
    struct cursor counts = *c;
    skip(c, 4, 0);
    uint64_t rcws = cursor_count(&counts, 4, RCW, "wrappers of COM objects");
    uint64_t ccws = cursor_count(&counts, 4, CCW, "wrappers for COM");
    uint64_t interfaces = cursor_count(&counts, 4, INTERFACE, "interfaces");
    uint64_t modules = cursor_count(&counts, 4, MODULE, "modules");
    if (!cursor_ok(&counts)) {
        cursor_fail(c, "a count");
        return;
    }
    for (uint64_t i = 0; i < rcws && cursor_ok(c); i++) {
        skip(c, 2, 3);
        skip(c, 2, 0);
    }
    for (uint64_t i = 0; i < ccws && cursor_ok(c); i++) {
        skip(c, 2, 2);
        skip(c, 2, 0);
    }
    for (uint64_t i = 0; i < interfaces && cursor_ok(c); i++) {
        cursor_u8(c);
        skip(c, 2, 3);
    }
    for (uint64_t i = 0; i < modules && cursor_ok(c); i++) {
        skip(c, 0, 1);
        skip(c, 2, 0);
        fastser_string(f, NULL);
    }
}

bool gcdump_interop_is_readable(struct bytes table)
{
    struct fastser f = {.c = cursor_over(table, NULL), .label_size = 4};
    struct fastser_type type;
    return fastser_expect(&f, "InteropInfo", INTEROP_VERSION, &type) == FIELD_OBJECT &&
           (skip_records(&f), fastser_end(&f)) && cursor_left(&f.c) == 0;
}
