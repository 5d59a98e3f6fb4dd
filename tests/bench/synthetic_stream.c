#include "bench/synthetic_stream.h"

#include "bench/synthetic.h"

#include <math.h>
#include <stdbool.h>

enum {
    BLOCK = 64,
    SERVICES = 256, /* the first objects */
    TYPE_ID = 0x10,
    ID_STEP = 3
};

/* Types by number, followed by the services, then the items. */
enum { STRING, BYTES, LIST, ARRAY, LEAKED, HOLDER, FIRST_SERVICE };
enum { FIRST_ITEM = FIRST_SERVICE + SERVICES, ITEMS = 1741, TYPES = FIRST_ITEM + ITEMS };

static uint64_t chance(uint64_t seed, uint64_t i)
{
    return synthetic_mix(synthetic_mix(seed) + i);
}

/* fprintf() would dominate the time. */
static void put_hex(FILE *f, uint64_t n)
{
    char digits[16];
    size_t at = sizeof(digits);
    do {
        digits[--at] = "0123456789abcdef"[n & 15];
        n >>= 4;
    } while (n > 0);
    putc_unlocked(' ', f);
    fwrite(digits + at, 1, sizeof(digits) - at, f);
}

static void put_object(FILE *f, uint64_t object, unsigned type, uint64_t size)
{
    putc_unlocked('o', f);
    put_hex(f, (object + 1) * ID_STEP);
    put_hex(f, (uint64_t)TYPE_ID + type);
    put_hex(f, size);
}

static void put_reference(FILE *f, uint64_t object)
{
    put_hex(f, (object + 1) * ID_STEP);
}

static void put_types(FILE *f)
{
    static const char *const names[FIRST_SERVICE] = {
        [STRING] = "System.String",
        [BYTES] = "System.Byte[]",
        [LIST] = "System.Collections.Generic.List<Bench.Item>",
        [ARRAY] = "Bench.Item[]",
        [LEAKED] = "Bench.Leaked",
        [HOLDER] = "Bench.Holder"};
    for (unsigned t = 0; t < TYPES; t++) {
        fprintf(f, "t %x ", TYPE_ID + t);
        if (t < FIRST_SERVICE)
            fprintf(f, "%s\n", names[t]);
        else if (t < FIRST_ITEM)
            fprintf(f, "Bench.Services.Service%u\n", t - FIRST_SERVICE);
        else
            fprintf(f, "Bench.Items.Item%u\n", t - FIRST_ITEM);
    }
}

/* Characters: half have less than 17, one in a thousand more than 1000. */
static uint64_t string_size(uint64_t bits)
{
    double u = ((double)(bits >> 11) + 1) * 0x1p-53;
    return 22 + 2 * (uint64_t)fmin(17 * pow(1 / u - 1, 0.6), 200000);
}

static bool is_item(uint64_t in_block)
{
    return in_block % 2 == 0;
}

/* Number 0 of a block is its list, 1 the array, then items, each followed by a leaf. */
static void put_in_block(FILE *f, uint64_t seed, uint64_t i, uint64_t end)
{
    uint64_t at = (i - SERVICES) % BLOCK, start = i - at, r = chance(seed, i);
    uint64_t last = start + BLOCK < end ? start + BLOCK : end;
    if (at == 0) {
        put_object(f, i, LIST, 32);
        if (i + 1 < last)
            put_reference(f, i + 1);
    } else if (at == 1) {
        put_object(f, i, ARRAY, 24 + 8 * BLOCK / 2);
        for (uint64_t item = i + 1; item < last; item += 2)
            put_reference(f, item);
    } else if (is_item(at)) {
        /* Few types have most of the items: u to the fourth is usually small. */
        double u = (double)(chance(seed ^ 1, start) >> 11) * 0x1p-53;
        put_object(f, i, FIRST_ITEM + (unsigned)(u * u * u * u * ITEMS), 24 + r % 8 * 8);
        if (i + 1 < last)
            put_reference(f, i + 1);
        if (r >> 8 & 1)
            put_reference(f, (r >> 16) % SERVICES);
        /* Blocks form a binary tree. */
        uint64_t block = (start - SERVICES) / BLOCK;
        uint64_t below = SERVICES + (2 * block + (at == BLOCK - 2 ? 1 : 2)) * BLOCK;
        if (at >= BLOCK - 4 && below < end)
            put_reference(f, below);
    } else {
        put_object(f, i, r & 7 ? STRING : BYTES, string_size(r >> 3));
    }
}

static void put_root(FILE *f, uint64_t object, unsigned type)
{
    putc_unlocked('r', f);
    put_reference(f, object);
    fprintf(f, " 4 0 %x\n", TYPE_ID + type);
}

void synthetic_stream(FILE *f, uint64_t seed, uint64_t objects, uint64_t leaked)
{
    fputs("a 2 make-heap 0\n", f);
    put_types(f);
    for (uint64_t i = 0; i < objects; i++) {
        if (i < SERVICES)
            put_object(f, i, FIRST_SERVICE + (unsigned)i, 64);
        else
            put_in_block(f, seed, i, objects);
        putc_unlocked('\n', f);
    }
    put_object(f, objects, ARRAY, 24 + 8 * leaked);
    for (uint64_t k = 1; k <= leaked; k++)
        put_reference(f, objects + k);
    putc_unlocked('\n', f);
    for (uint64_t k = 1; k <= leaked; k++) {
        put_object(f, objects + k, LEAKED, 48);
        putc_unlocked('\n', f);
    }
    for (uint64_t i = 0; i < objects && i < SERVICES; i++)
        put_root(f, i, FIRST_SERVICE + (unsigned)i);
    for (uint64_t i = SERVICES; i < objects; i += BLOCK)
        if (i == SERVICES || chance(seed ^ 2, i) % 4 == 0)
            put_root(f, i, FIRST_SERVICE + (unsigned)(i / BLOCK % SERVICES));
    put_root(f, objects, HOLDER);
    fputs("c make-heap 1\n", f);
}
