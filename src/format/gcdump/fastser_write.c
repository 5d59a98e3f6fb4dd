#include "format/gcdump/fastser_write.h"

#include "base/fast_serialization.h"
#include "base/little_endian.h"
#include "base/utf16.h"
#include "format/gcdump/fastser.h"

#include <assert.h>
#include <string.h>

void fastser_put_bytes(struct fastser_write *f, const void *bytes, size_t len)
{
    out_bytes(f->out, bytes, len);
    f->at += len;
}

void fastser_put_u8(struct fastser_write *f, uint8_t value)
{
    fastser_put_bytes(f, &value, 1);
}

static void put_integer(struct fastser_write *f, uint64_t value, size_t size)
{
    unsigned char b[8];
    le_put(b, value, size);
    fastser_put_bytes(f, b, size);
}

void fastser_put_u32(struct fastser_write *f, uint32_t value)
{
    put_integer(f, value, 4);
}

void fastser_put_i32(struct fastser_write *f, int32_t value)
{
    put_integer(f, (uint32_t)value, 4);
}

void fastser_put_u64(struct fastser_write *f, uint64_t value)
{
    put_integer(f, value, 8);
}

void fastser_put_f32(struct fastser_write *f, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_integer(f, bits, 4);
}

/* --- strings ------------------------------------------------------------- */

static uint32_t add_pair(struct text *t, uint32_t code)
{
    uint32_t high, low;
    utf16_split(code, &high, &low);
    text_add_code_point(t, high);
    text_add_code_point(t, low);
    return 2;
}

/* The units of s as one to three bytes each; returns how many. */
static uint32_t add_units(struct text *t, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    size_t left = strlen(string);
    uint32_t units = 0;
    while (left > 0) {
        size_t n = utf8_length(s, left);
        if (n == 4) {
            units += add_pair(t, utf8_decode(s, n));
        } else if (n > 0 || utf8_is_lone_surrogate(s, left)) {
            n = n > 0 ? n : 3;
            text_add(t, s, n);
            units++;
        } else {
            n = 1;
            text_add_code_point(t, 0xFFFD);
            units++;
        }
        s += n;
        left -= n;
    }
    return units;
}

void fastser_put_string(struct fastser_write *f, const char *s)
{
    if (s == NULL) {
        fastser_put_i32(f, -1);
        return;
    }
    struct text units = {0};
    fastser_put_u32(f, add_units(&units, s));
    fastser_put_bytes(f, units.data, units.len);
    text_free(&units);
}

/* --- objects ------------------------------------------------------------- */

static void put_type(struct fastser_write *f, const char *name, int32_t version,
                     int32_t min_reader)
{
    for (size_t i = 0; i < f->type_count; i++) {
        if (strcmp(f->types[i].name, name) != 0)
            continue;
        fastser_put_reference(f, f->types[i].label);
        return;
    }
    assert(f->type_count < FASTSER_MOST_TYPES);
    f->types[f->type_count].name = name;
    f->types[f->type_count++].label = (uint32_t)f->at;
    fastser_put_u8(f, TAG_BEGIN);
    fastser_put_u8(f, TAG_NULL);
    fastser_put_i32(f, version);
    fastser_put_i32(f, min_reader);
    fastser_put_string(f, name);
    fastser_put_u8(f, TAG_END);
}

void fastser_put_begin(struct fastser_write *f, const char *name, int32_t version,
                       int32_t min_reader)
{
    fastser_put_u8(f, TAG_BEGIN);
    put_type(f, name, version, min_reader);
}

void fastser_put_end(struct fastser_write *f)
{
    fastser_put_u8(f, TAG_END);
}

void fastser_put_null(struct fastser_write *f)
{
    fastser_put_u8(f, TAG_NULL);
}

void fastser_put_reference(struct fastser_write *f, uint64_t label)
{
    fastser_put_u8(f, TAG_REFERENCE);
    fastser_put_u32(f, (uint32_t)label);
}

uint32_t fastser_put_region(struct fastser_write *f)
{
    fastser_put_u8(f, TAG_SKIP_REGION);
    return fastser_put_untagged_region(f);
}

uint32_t fastser_put_untagged_region(struct fastser_write *f)
{
    assert(f->region_count < FASTSER_MOST_REGIONS);
    fastser_put_u32(f, f->region_count);
    return f->region_count++;
}

void fastser_put_region_end(struct fastser_write *f, uint32_t region)
{
    f->regions[region] = (uint32_t)f->at;
}

/* --- the file ------------------------------------------------------------ */

struct fastser_write fastser_write_begin(struct out *out)
{
    struct fastser_write f = {.out = out};
    fastser_put_string(&f, FAST_SERIALIZATION);
    return f;
}

void fastser_put_trailer(struct fastser_write *f)
{
    fastser_put_u8(f, TAG_END); /* of all objects */
    uint32_t table = (uint32_t)f->at;
    fastser_put_u32(f, f->region_count);
    for (uint32_t i = 0; i < f->region_count; i++)
        fastser_put_u32(f, f->regions[i]);
    uint32_t trailer = (uint32_t)f->at;
    fastser_put_u32(f, table);
    fastser_put_u32(f, trailer);
}
