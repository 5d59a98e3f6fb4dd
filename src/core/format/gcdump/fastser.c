#include "format/gcdump/fastser.h"

#include "base/cursor.h"
#include "base/little_endian.h"
#include "base/text.h"

#include <assert.h>
#include <string.h>

enum { MAX_TYPE_NAME = 500 };

static const char signature[] = FAST_SERIALIZATION;

static uint64_t label_at(const struct fastser *f, uint64_t offset, unsigned size)
{
    struct cursor c = f->c;
    c.err = NULL;
    cursor_seek(&c, offset);
    return size == 4 ? cursor_u32(&c) : cursor_u64(&c);
}

/* The file ends in: i32 n, n labels, a label to that n, a label to that label.
 * No field names the width, but only one width fits. */
static bool find_trailer(struct fastser *f, unsigned size)
{
    uint64_t file_size = (uint64_t)(f->c.end - f->c.start);
    if (file_size < sizeof(signature) + 4 + 2 * (uint64_t)size)
        return false;
    uint64_t trailer = file_size - 2 * (uint64_t)size;
    if (label_at(f, file_size - size, size) != trailer)
        return false;
    uint64_t table = label_at(f, trailer, size);
    if (table < sizeof(signature) || table > trailer - 4)
        return false;
    uint64_t count = label_at(f, table, 4);
    if (table + 4 + count * size != trailer)
        return false;
    f->forwards_at = table + 4;
    f->forward_count = count;
    f->label_size = size;
    f->has_trailer = true;
    return true;
}

struct fastser fastser_open(struct bytes file, struct hd_error *err)
{
    struct fastser f = {.c = cursor_over(file, err), .label_size = 4};
    uint32_t length = cursor_u32(&f.c);
    const unsigned char *s = cursor_bytes(&f.c, sizeof(signature) - 1);
    if (s != NULL &&
        (length != sizeof(signature) - 1 || memcmp(s, signature, length) != 0)) {
        cursor_seek(&f.c, 0);
        cursor_fail(&f.c, "no FastSerialization signature");
    }
    if (!find_trailer(&f, 4))
        find_trailer(&f, 8);
    return f;
}

static uint64_t read_label(struct fastser *f)
{
    return f->label_size == 4 ? cursor_u32(&f->c) : cursor_u64(&f->c);
}

uint64_t fastser_forward(struct fastser *f, uint32_t index)
{
    if (!f->has_trailer)
        cursor_fail(&f->c, "needs the table at the end of the file, which is missing: the "
                           "file is truncated");
    else if (index >= f->forward_count)
        cursor_fail(&f->c, "forward reference %u of %llu", index,
                    (unsigned long long)f->forward_count);
    if (!cursor_ok(&f->c))
        return 0;
    return label_at(f, f->forwards_at + (uint64_t)index * f->label_size, f->label_size);
}

bool fastser_tag(struct fastser *f, enum fastser_tag tag)
{
    if (cursor_peek(&f->c) != (int)tag)
        return false;
    cursor_u8(&f->c);
    return true;
}

static bool expect_tag(struct fastser *f, enum fastser_tag tag, const char *what)
{
    if (fastser_tag(f, tag))
        return true;
    int found = cursor_peek(&f->c);
    if (found < 0)
        return cursor_fail(
            &f->c, "the file ends where %s should follow: damaged or truncated", what);
    return cursor_fail(&f->c, "expected %s, found tag %d", what, found);
}

/* 04 01 version min_reader name 06 */
static void read_type_record(struct fastser *f, struct fastser_type *type)
{
    expect_tag(f, TAG_BEGIN, "a type");
    expect_tag(f, TAG_NULL, "the type of a type");
    type->version = cursor_i32(&f->c);
    type->min_reader = cursor_i32(&f->c);
    struct text name = {0};
    /* Type records are referenced many times: a long name would be read each time. */
    struct cursor ahead = f->c;
    if (cursor_i32(&ahead) > MAX_TYPE_NAME || !fastser_string(f, &name))
        cursor_fail(&f->c, "a type without a name, or with a name that is too long");
    size_t len = name.len < sizeof(type->name) ? name.len : sizeof(type->name) - 1;
    if (len > 0)
        memcpy(type->name, name.data, len);
    type->name[len] = '\0';
    text_free(&name);
    expect_tag(f, TAG_END, "the end of a type");
}

/* Reads either the record itself, or a reference to its first occurrence. */
static void read_type(struct fastser *f, struct fastser_type *type)
{
    if (!fastser_tag(f, TAG_REFERENCE)) {
        read_type_record(f, type);
        return;
    }
    uint64_t label = read_label(f);
    struct cursor after = f->c;
    cursor_seek(&f->c, label);
    read_type_record(f, type);
    if (cursor_ok(&f->c))
        f->c = after;
}

enum fastser_field fastser_begin(struct fastser *f, struct fastser_type *type)
{
    *type = (struct fastser_type){.label = cursor_offset(&f->c)};
    if (fastser_tag(f, TAG_NULL))
        return FIELD_NULL;
    if (fastser_tag(f, TAG_REFERENCE)) {
        type->label = read_label(f);
        return cursor_ok(&f->c) ? FIELD_REFERENCE : FIELD_FAILED;
    }
    if (fastser_tag(f, TAG_FORWARD_DEFINITION))
        cursor_u32(&f->c);
    expect_tag(f, TAG_BEGIN, "an object");
    read_type(f, type);
    return cursor_ok(&f->c) ? FIELD_OBJECT : FIELD_FAILED;
}

enum fastser_field fastser_expect(struct fastser *f, const char *name, int32_t version,
                                  struct fastser_type *type)
{
    enum fastser_field field = fastser_begin(f, type);
    if (field == FIELD_REFERENCE)
        cursor_fail(&f->c, "a reference instead of a new %s", name);
    else if (field == FIELD_OBJECT && strcmp(type->name, name) != 0)
        cursor_fail(&f->c, "a %s instead of a %s", type->name, name);
    else if (field == FIELD_OBJECT && type->min_reader > version)
        cursor_fail(&f->c,
                    "%s needs readers of version %d or later, and this one supports %d: "
                    "take the snapshot with an older tool, or update heapdrift",
                    name, type->min_reader, version);
    return cursor_ok(&f->c) ? field : FIELD_FAILED;
}

static void skip_region(struct fastser *f)
{
    uint64_t end = fastser_forward(f, cursor_u32(&f->c));
    if (!cursor_ok(&f->c))
        return;
    if (end < cursor_offset(&f->c))
        cursor_fail(&f->c, "a region that ends at byte 0x%llx, before it begins",
                    (unsigned long long)end);
    else
        cursor_seek(&f->c, end);
}

bool fastser_end(struct fastser *f)
{
    while (cursor_ok(&f->c)) {
        uint8_t tag = cursor_u8(&f->c);
        if (!cursor_ok(&f->c))
            break;
        switch (tag) {
        case TAG_END:
            return true;
        case TAG_NULL:
            break;
        case TAG_REFERENCE:
            read_label(f);
            break;
        case TAG_FORWARD_REFERENCE:
        case TAG_FORWARD_DEFINITION:
        case TAG_INT32:
            cursor_u32(&f->c);
            break;
        case TAG_BYTE:
            cursor_u8(&f->c);
            break;
        case TAG_INT16:
            cursor_bytes(&f->c, 2);
            break;
        case TAG_INT64:
            cursor_u64(&f->c);
            break;
        case TAG_SKIP_REGION:
            skip_region(f);
            break;
        case TAG_STRING:
            fastser_string(f, NULL);
            break;
        case TAG_BLOB:
            cursor_bytes(&f->c, (size_t)cursor_count(&f->c, 4, 1, "bytes"));
            break;
        default:
            f->c.at--;
            return cursor_fail(&f->c, "unknown tag %d where the object should end", tag);
        }
    }
    return false;
}

/* Reads a UTF-16 unit: one to three bytes. The lead byte alone gives their number, as in
 * Microsoft's reader. */
static uint32_t read_unit(struct cursor *c)
{
    uint32_t lead = cursor_u8(c);
    if (lead < 0x80)
        return lead;
    if (lead < 0xE0)
        return (lead & 0x1F) << 6 | (cursor_u8(c) & 0x3FU);
    uint32_t middle = cursor_u8(c) & 0x3FU;
    return (lead & 0x0F) << 12 | middle << 6 | (cursor_u8(c) & 0x3FU);
}

/* Names are nearly always ASCII: reads as many such units as there are. */
static size_t parse_ascii(struct cursor *c, size_t most, struct text *out)
{
    size_t left = cursor_left(c), n = 0;
    most = most < left ? most : left;
    while (n < most && c->at[n] > 0 && c->at[n] < 0x80)
        n++;
    const unsigned char *ascii = cursor_bytes(c, n);
    if (out != NULL && ascii != NULL)
        text_add(out, ascii, n);
    return n;
}

bool fastser_string(struct fastser *f, struct text *out)
{
    struct cursor before = f->c;
    int32_t units = cursor_i32(&f->c);
    if (units < 0)
        return false;
    if ((size_t)units > cursor_left(&f->c)) {
        f->c = before;
        return cursor_fail(
            &f->c,
            "a string of %d units does not fit into the remaining bytes: damaged or "
            "truncated",
            units);
    }
    uint32_t high = 0; /* a high surrogate that waits for its low one */
    for (int32_t i = 0; i < units && cursor_ok(&f->c); i++) {
        if (high == 0) {
            i += (int32_t)parse_ascii(&f->c, (size_t)(units - i), out);
            if (i == units)
                break;
        }
        uint32_t unit = read_unit(&f->c);
        if (out == NULL)
            continue;
        if (high != 0 && utf16_is_low(unit)) {
            text_add_code_point(out, utf16_join(high, unit));
            high = 0;
            continue;
        }
        if (high != 0)
            text_add_code_point(out, high);
        high = utf16_is_high(unit) ? unit : 0;
        /* Names are C strings everywhere else: no NUL inside. */
        if (high == 0)
            text_add_code_point(out, unit != 0 ? unit : 0xFFFD);
    }
    if (out != NULL && high != 0)
        text_add_code_point(out, high);
    return cursor_ok(&f->c);
}

/* --- writing ------------------------------------------------------------------- */

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
    put_integer(f, value < FASTSER_MAX_ADDRESS ? value : FASTSER_MAX_ADDRESS, 8);
}

void fastser_put_f32(struct fastser_write *f, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    put_integer(f, bits, 4);
}

/* --- strings ------------------------------------------------------------------- */

/* The units of s as one to three bytes each; returns how many. */
static uint32_t add_units(struct text *t, const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    size_t left = strlen(string);
    uint32_t units = 0;
    while (left > 0) {
        size_t n = utf8_length(s, left);
        if (n == 4) {
            uint32_t code = utf8_decode(s, n);
            uint32_t high, low;
            utf16_split(code, &high, &low);
            text_add_code_point(t, high);
            text_add_code_point(t, low);
            units += 2;
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

/* --- objects ------------------------------------------------------------------- */

void fastser_put_begin(struct fastser_write *f, const char *name, int32_t version,
                       int32_t min_reader)
{
    fastser_put_u8(f, TAG_BEGIN);
    for (size_t i = 0; i < f->type_count; i++) {
        if (strcmp(f->types[i].name, name) != 0)
            continue;
        fastser_put_reference(f, f->types[i].label);
        return;
    }
    assert(f->type_count < FASTSER_MAX_TYPES);
    f->types[f->type_count].name = name;
    f->types[f->type_count++].label = (uint32_t)f->at;
    fastser_put_u8(f, TAG_BEGIN);
    fastser_put_u8(f, TAG_NULL);
    fastser_put_i32(f, version);
    fastser_put_i32(f, min_reader);
    fastser_put_string(f, name);
    fastser_put_u8(f, TAG_END);
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
    assert(f->region_count < FASTSER_MAX_REGIONS);
    fastser_put_u32(f, f->region_count);
    return f->region_count++;
}

void fastser_put_region_end(struct fastser_write *f, uint32_t region)
{
    f->regions[region] = (uint32_t)f->at;
}

/* --- the file ------------------------------------------------------------------ */

struct fastser_write fastser_write_begin(struct out *out)
{
    struct fastser_write f = {.out = out};
    fastser_put_string(&f, FAST_SERIALIZATION);
    return f;
}

void fastser_put_trailer(struct fastser_write *f)
{
    fastser_put_u8(f, TAG_END); /* end of all objects */
    uint32_t table = (uint32_t)f->at;
    fastser_put_u32(f, f->region_count);
    for (uint32_t i = 0; i < f->region_count; i++)
        fastser_put_u32(f, f->regions[i]);
    uint32_t trailer = (uint32_t)f->at;
    fastser_put_u32(f, table);
    fastser_put_u32(f, trailer);
}
