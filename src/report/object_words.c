#include "report/object_words.h"

#include "base/c_locale.h"
#include "base/utf16.h"
#include "heap/root_kind.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Without separators: a value, a number of an object. */
static void add_number(struct text *t, uint64_t n)
{
    char s[24];
    snprintf(s, sizeof(s), "%" PRIu64, n);
    text_add_string(t, s);
}

void object_add_root_kind(struct text *t, enum hd_root_kind kind)
{
    for (const char *s = root_kind_names[kind]; *s != '\0'; s++) {
        if (*s == '_')
            text_add_char(t, ' ');
        else
            text_add_char(t, *s);
    }
}

/* The shortest decimal that reads back as the same double; NaN, Infinity, -Infinity. */
static void add_real(struct text *t, double x)
{
    enum { ENOUGH = 17 };
    char s[40];
    if (!isfinite(x)) {
        text_add_string(t, isnan(x) ? "NaN" : x < 0 ? "-Infinity" : "Infinity");
        return;
    }
    int digits = 1;
    do
        c_snprintf(s, sizeof(s), "%.*g", digits, x);
    while (c_strtod(s, NULL) != x && ++digits <= ENOUGH);
    text_add_string(t, s);
}

static void add_signed(struct text *t, uint64_t number)
{
    bool negative = number >> 63;
    text_add_string(t, negative ? "-" : "");
    add_number(t, negative ? 0 - number : number);
}

/* Text that is a character of UTF-16 alone: half a pair is none. */
static void add_char(struct text *t, uint64_t number)
{
    char code[16];
    uint32_t unit = (uint32_t)number & 0xFFFF;
    snprintf(code, sizeof(code), "U+%04X", unit);
    bool is_half = utf16_is_high(unit) || utf16_is_low(unit);
    if (!is_half && unit != 0 && !text_is_control(unit)) {
        text_add_char(t, '\'');
        text_add_code_point(t, unit);
        text_add_string(t, "' ");
    }
    text_add_string(t, code);
}

static bool is_pointer(const char *type)
{
    size_t len = type != NULL ? strlen(type) : 0;
    return len > 0 && (type[len - 1] == '*' || strcmp(type, "System.IntPtr") == 0 ||
                       strcmp(type, "System.UIntPtr") == 0 || strcmp(type, "FNPTR") == 0);
}

/* IntPtr is signed to the runtime, and an address to people; FNPTR is what the runtime
 * calls every delegate*. */
static void add_integer(struct text *t, const struct hd_field *f)
{
    char pointer[24];
    snprintf(pointer, sizeof(pointer), "0x%" PRIx64, f->number);
    if (is_pointer(f->type))
        text_add_string(t, pointer);
    else if (f->kind == HD_FIELD_SIGNED)
        add_signed(t, f->number);
    else
        add_number(t, f->number);
}

void object_add_plain(struct text *t, const struct hd_field *f)
{
    if (f->is_redacted) {
        text_add_string(t, "redacted");
        return;
    }
    switch (f->kind) {
    case HD_FIELD_BOOLEAN:
        text_add_string(t, f->number != 0 ? "true" : "false");
        break;
    case HD_FIELD_CHAR:
        add_char(t, f->number);
        break;
    case HD_FIELD_ENUM:
        if (f->is_unsigned)
            add_number(t, f->number);
        else
            add_signed(t, f->number);
        break;
    case HD_FIELD_SIGNED:
    case HD_FIELD_UNSIGNED:
        add_integer(t, f);
        break;
    case HD_FIELD_FLOAT:
        add_real(t, f->real);
        break;
    case HD_FIELD_REFERENCE:
    case HD_FIELD_UNKNOWN:
        text_add_string(t, "not known");
        break;
    }
}

void object_add_value(struct text *t, const struct hd_field *f)
{
    if (f->kind != HD_FIELD_ENUM || f->member == NULL) {
        object_add_plain(t, f);
        return;
    }
    text_add_string(t, f->member);
    text_add_string(t, " (");
    object_add_plain(t, f);
    text_add_char(t, ')');
}

void object_add_quoted(struct text *t, const char *s, bool is_cut)
{
    text_add_char(t, '"');
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\')
            text_add_char(t, '\\');
        text_add_char(t, *s);
    }
    text_add_char(t, '"');
    text_add_string(t, is_cut ? "…" : "");
}
