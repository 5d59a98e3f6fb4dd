/* Any bytes as a core: no read may leave them. */
#include "clr/process/opened.h"

#include <stdlib.h>

/* The approximate end of headers and notes, followed by memory. */
enum { HEADERS = 1400 };

/* A minimal core with all parts that are read. */
static void forge_small(struct core_forge *f, const char *json)
{
    *f = (struct core_forge){.name = "shop", .command = "shop", .program_headers = 0x40};
    forge_core_runtime(f, &(struct forged_runtime){.json = json});
    forge_core_object(f, 2, forge_core_type(f, 24, 0), 24);
    forge_core_thread(f, 1, FORGED_HEAP, FORGED_HEAP + 8);
    for (size_t i = 1; i < f->region_count; i++)
        f->regions[i].size = 0x300;
}

/* True if it was read. In memory of its exact size, so that a sanitizer reports reads
 * beyond it. */
static bool try_core(struct bytes core)
{
    unsigned char *copy = malloc(core.size > 0 ? core.size : 1);
    if (core.size > 0)
        memcpy(copy, core.data, core.size);
    struct opened o = open_bytes((struct bytes){copy, core.size});
    find_runtime(&o);
    bool ok = o.ok;
    cr_assert(ok || o.err.message[0] != '\0');
    cr_assert(ok || strchr(o.err.message, '\n') == NULL);
    if (ok)
        gc_heap_is_valid(&o.runtime);
    close_core(&o);
    free(copy);
    return ok;
}

/* Every length in the headers, then in steps with every alignment. */
Test(damage, a_core_of_any_length_is_refused_or_read)
{
    enum { STEP = 211 };
    struct core_forge f;
    forge_small(&f, NULL);
    struct bytes core = forge_core_bytes(&f);
    cr_expect(try_core(core));
    size_t read = 0;
    for (size_t size = 0; size < core.size; size += size < HEADERS ? 1 : STEP)
        read += try_core((struct bytes){core.data, size});
    cr_expect_lt(read, core.size / STEP / 2);
    forge_core_free(&f);
}

static void flip(const char *json, size_t step, uint16_t machine)
{
    static const unsigned char masks[] = {0x01, 0xff};
    struct core_forge f;
    forge_small(&f, json);
    f.machine = machine;
    f.page = 0x10000;
    struct bytes core = forge_core_bytes(&f);
    cr_expect(try_core(core));
    for (size_t i = 0; i < core.size; i += i < HEADERS ? 1 : step)
        for (size_t k = 0; k < sizeof(masks); k++) {
            f.core.data[i] = (char)((unsigned char)f.core.data[i] ^ masks[k]);
            try_core(core);
            f.core.data[i] = (char)((unsigned char)f.core.data[i] ^ masks[k]);
        }
    forge_core_free(&f);
}

Test(damage, a_core_with_any_byte_changed_is_refused_or_read)
{
    flip(NULL, 101, MACHINE_X86_64);
}

Test(damage, a_core_of_another_processor_with_any_byte_changed_is_refused_or_read)
{
    flip(NULL, 101, MACHINE_AARCH64);
}

Test(damage, a_descriptor_with_any_byte_changed_is_refused_or_read)
{
    flip(forged_json(10), 103, MACHINE_X86_64);
}

/* Numbers used as counts, sizes, offsets or addresses. */
Test(damage, a_core_with_any_number_changed_is_refused_or_read)
{
    static const uint64_t values[] = {0,
                                      1,
                                      UINT32_MAX,
                                      UINT64_MAX,
                                      UINT64_MAX - 7,
                                      UINT64_C(1) << 63,
                                      FORGED_RUNTIME_BASE};
    struct core_forge f;
    forge_small(&f, NULL);
    struct bytes core = forge_core_bytes(&f);
    for (size_t i = 0; i + 8 <= core.size; i += i < HEADERS ? 4 : 136) {
        char before[8];
        memcpy(before, f.core.data + i, 8);
        for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
            le_put((unsigned char *)f.core.data + i, values[k], 8);
            try_core(core);
        }
        memcpy(f.core.data + i, before, 8);
    }
    forge_core_free(&f);
}
