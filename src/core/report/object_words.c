#include "report/object_words.h"

#include "base/say.h"
#include "base/text.h"
#include "heap/root_kind.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void object_add_root_kind(struct text *t, enum hd_root_kind kind)
{
    for (const char *s = root_kind_names[kind]; *s != '\0'; s++)
        text_add(t, *s == '_' ? " " : s, 1);
}

/* 12.5, 0.0001, 1E-05, 1.5E+17: as .NET does. point: position of the decimal point, in
 * digits after the first. */
static void add_digits(struct text *t, const char *digits, int len, int point, int most)
{
    enum { MIN_POINT = -4 };
    char s[16];
    bool has_exponent = point < MIN_POINT || point >= most;
    int whole = has_exponent ? 1 : point + 1;
    if (whole <= 0)
        say(t, "0.");
    for (int i = whole; i < 0; i++)
        text_add_char(t, '0');
    for (int i = 0; i < len || i < whole; i++) {
        if (i == whole && i > 0)
            text_add_char(t, '.');
        text_add(t, i < len ? &digits[i] : "0", 1);
    }
    if (!has_exponent)
        return;
    snprintf(s, sizeof(s), "E%c%02d", point < 0 ? '-' : '+', point < 0 ? -point : point);
    say(t, s);
}

/* The shortest decimal that reads back as the same double, as ToString() of .NET 10 has it
 * in the invariant culture; most: up to where it writes no exponent. */
static void add_real(struct text *t, double x, int most)
{
    enum { ENOUGH = 17 };
    char s[40], digits[ENOUGH + 1], *end;
    int len = 0, kept = 0;
    if (!isfinite(x)) {
        say(t, isnan(x) ? "NaN" : x < 0 ? "-Infinity" : "Infinity");
        return;
    }
    do
        c_snprintf(s, sizeof(s), "%.*e", len++, x);
    while (c_strtod(s, NULL) != x && len < ENOUGH);
    say(t, s[0] == '-' ? "-" : "");
    const char *exponent = strchr(s, 'e');
    for (const char *c = s; c < exponent && kept < ENOUGH; c++)
        if (*c >= '0' && *c <= '9')
            digits[kept++] = *c;
    add_digits(t, digits, kept, (int)strtol(exponent + 1, &end, 10), most);
}

static void add_signed(struct text *t, uint64_t number)
{
    bool negative = number >> 63;
    say(t, negative ? "-" : "", as_digits(negative ? 0 - number : number));
}

/* Appends one UTF-16 unit as text; half a surrogate pair is not text. */
static void add_char(struct text *t, uint64_t number)
{
    char code[16];
    uint32_t unit = (uint32_t)number & 0xFFFF;
    snprintf(code, sizeof(code), "U+%04X", unit);
    bool is_half = utf16_is_high(unit) || utf16_is_low(unit);
    if (!is_half && unit != 0 && !text_is_control(unit)) {
        say(t, "'");
        text_add_code_point(t, unit);
        say(t, "' ");
    }
    say(t, code);
}

/* IntPtr is signed for the runtime, and an address for people; FNPTR is the runtime's name
 * for every delegate*. */
static bool is_pointer(const char *type)
{
    static const char *const types[] = {"System.IntPtr", "System.UIntPtr", "FNPTR",
                                        "System.Nullable<System.IntPtr>",
                                        "System.Nullable<System.UIntPtr>"};
    size_t len = type != NULL ? strlen(type) : 0;
    bool is = len > 0 && type[len - 1] == '*';
    for (size_t i = 0; i < sizeof(types) / sizeof(*types) && len > 0; i++)
        is |= strcmp(type, types[i]) == 0;
    return is;
}

static void add_present(struct text *t, const struct hd_field *f)
{
    enum { OF_DOUBLE = 17 };
    switch (f->kind) {
    case HD_FIELD_BOOLEAN:
        say(t, f->number != 0 ? "true" : "false");
        break;
    case HD_FIELD_CHAR:
        add_char(t, f->number);
        break;
    case HD_FIELD_ENUM:
    case HD_FIELD_SIGNED:
    case HD_FIELD_UNSIGNED:
        if (f->kind != HD_FIELD_ENUM && is_pointer(f->type))
            say(t, as_hex(f->number));
        else if (f->kind == HD_FIELD_SIGNED ||
                 (f->kind == HD_FIELD_ENUM && !f->is_unsigned))
            add_signed(t, f->number);
        else
            say(t, as_digits(f->number));
        break;
    case HD_FIELD_FLOAT:
        add_real(t, f->real, f->digits > 0 ? f->digits : OF_DOUBLE);
        break;
    case HD_FIELD_STRUCT:
        say(t, f->words != NULL ? f->words : "not known");
        break;
    case HD_FIELD_REFERENCE:
    case HD_FIELD_UNKNOWN:
        say(t, "not known");
        break;
    }
}

void object_add_plain(struct text *t, const struct hd_field *f)
{
    if (f->is_redacted)
        say(t, "redacted");
    else if (f->is_null)
        say(t, "null");
    else
        add_present(t, f);
}

void object_add_value(struct text *t, const struct hd_field *f)
{
    if (f->kind != HD_FIELD_ENUM || f->member == NULL || f->is_null) {
        object_add_plain(t, f);
        return;
    }
    say(t, f->member, " (");
    object_add_plain(t, f);
    say(t, ")");
}

void object_add_cell(struct text *t, const struct hd_field *f)
{
    bool refers = f->kind == HD_FIELD_REFERENCE;
    const struct hd_field *value = refers ? f->boxed : f;
    if (f->text != NULL)
        say(t, f->text);
    else if (value != NULL && value->member != NULL && !value->is_null)
        say(t, value->member);
    else if (value != NULL && !value->is_hidden && !value->is_redacted)
        object_add_plain(t, value);
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
    say(t, is_cut ? "…" : "");
}
