/* clr_forms.h - formats structs of the core library that are a single value: dates,
 * amounts, Guids, as .NET's ToString() in the invariant culture. Must not depend on types
 * or the source of the bytes.
 *
 * DateTime and DateTimeOffset are formatted so that they sort: all seven digits, followed
 * by the kind. docs/object.md. */
#ifndef CLR_FORMS_H
#define CLR_FORMS_H

#include "base/text.h"

enum clr_form {
    CLR_NO_FORM,
    CLR_DATE_TIME,        /* 2026-11-24 15:04:05.1234567Z, ... local, ... */
    CLR_DATE_TIME_OFFSET, /* 2026-11-24 15:04:05.1234567+01:00 */
    CLR_TIME_SPAN,        /* -1.02:03:04.5000000 */
    CLR_DATE_ONLY,        /* 2026-11-24 */
    CLR_TIME_ONLY,        /* 15:04:05.1234567 */
    CLR_GUID,
    CLR_DECIMAL, /* 1.10: with its stored number of decimals */
    CLR_INT128,
    CLR_UINT128,
    CLR_VERSION /* a class: four 32-bit numbers, -1 for missing ones */
};

/* Returns the bytes of a value; for a DATE_TIME_OFFSET 12: the DateTime in UTC, then
 * minutes. */
enum { CLR_MAX_BYTES = 16 };
uint32_t clr_form_size(enum clr_form form);

/* Formats a value. False, with `to` unchanged, for invalid bytes: a date after 9999, a
 * decimal with 255 decimals. */
bool clr_form_add(struct text *to, enum clr_form form, const unsigned char *bytes);

/* Formats any bytes as one number: 0x and the highest first. */
void clr_form_add_raw(struct text *to, const unsigned char *bytes, uint32_t size);

#endif
