/* clr_forms.h - structs of the core library that are one value to people: a date, an
 * amount, a Guid; out of their bytes as .NET's ToString() writes them in the invariant
 * culture. It must not know of types, nor where the bytes come from.
 *
 * DateTime and DateTimeOffset are written so that they sort: all seven digits, and the kind
 * behind them. docs/object.md. */
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
    CLR_DECIMAL, /* 1.10: as many digits as it was given */
    CLR_INT128,
    CLR_UINT128,
    CLR_VERSION /* a class: four numbers of 32 bits, -1 of those that it has not */
};

/* How many bytes a value of a form has; of a DATE_TIME_OFFSET 12: the DateTime of UTC, then
 * minutes. */
enum { CLR_MAX_BYTES = 16 };
uint32_t clr_form_size(enum clr_form form);

/* False, and nothing is added, for bytes that no value has: a date behind 9999, a decimal
 * with 255 digits behind its point. */
bool clr_form_add(struct text *to, enum clr_form form, const unsigned char *bytes);

/* Any bytes as one number: 0x and the highest first. */
void clr_form_add_raw(struct text *to, const unsigned char *bytes, uint32_t size);

#endif
