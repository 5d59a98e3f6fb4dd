#include "format/digest/digest_out.h"

#include "base/json_out.h"

#include <inttypes.h>
#include <math.h>

/* --- values ---------------------------------------------------------- */

/* printf takes five times as long, for a hundred thousand numbers. */
void digest_put_number(struct out *o, uint64_t n)
{
    char digits[24];
    size_t at = sizeof(digits);
    if (n == HD_UNKNOWN) {
        out_string(o, "null");
        return;
    }
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    out_bytes(o, digits + at, sizeof(digits) - at);
}

void digest_put_string(struct out *o, const char *s)
{
    json_write_string(s, o);
}

/* --- members --------------------------------------------------------- */

void digest_begin_group(struct digest_out *w, enum digest_group group)
{
    out_printf(w->o, ",\n\"%s\":{", digest_group_names[group]);
    w->begun = false;
}

void digest_end_group(struct digest_out *w)
{
    out_string(w->o, "}");
}

void digest_put_name(struct digest_out *w, const char *name)
{
    out_printf(w->o, "%s\"%s\":", w->begun ? ",\n " : "", name);
    w->begun = true;
}

void digest_member_number(struct digest_out *w, const char *name, uint64_t n)
{
    digest_put_name(w, name);
    digest_put_number(w->o, n);
}

void digest_member_string(struct digest_out *w, const char *name, const char *s)
{
    digest_put_name(w, name);
    digest_put_string(w->o, s);
}

void digest_member_truth(struct digest_out *w, const char *name, bool truth)
{
    digest_put_name(w, name);
    out_string(w->o, truth ? "true" : "false");
}

void digest_member_hex(struct digest_out *w, const char *name, uint64_t n)
{
    digest_put_name(w, name);
    if (n == HD_UNKNOWN)
        out_string(w->o, "null");
    else
        out_printf(w->o, "\"%016" PRIx64 "\"", n);
}

/* 17 digits are read back as the same number. */
void digest_member_real(struct digest_out *w, const char *name, double x)
{
    digest_put_name(w, name);
    if (isfinite(x))
        out_printf(w->o, "%.17g", x);
    else
        out_string(w->o, "null");
}

void digest_column(struct digest_out *w, const char *name, size_t count,
                   digest_column_of *of, const void *context)
{
    digest_put_name(w, name);
    out_string(w->o, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            out_string(w->o, ",");
        digest_put_number(w->o, of(w, context, i));
    }
    out_string(w->o, "]");
}

uint64_t digest_number_32(const struct digest_out *w, const void *context, size_t i)
{
    (void)w;
    return ((const uint32_t *)context)[i];
}

uint64_t digest_id_32(const struct digest_out *w, const void *context, size_t i)
{
    uint64_t id = digest_number_32(w, context, i);
    return id == UINT32_MAX ? HD_UNKNOWN : id;
}

uint64_t digest_type_32(const struct digest_out *w, const void *context, size_t i)
{
    return w->number_of[digest_number_32(w, context, i)];
}

uint64_t digest_by_type_64(const struct digest_out *w, const void *context, size_t i)
{
    return ((const uint64_t *)context)[w->kept[i]];
}

uint64_t digest_number_64(const struct digest_out *w, const void *context, size_t i)
{
    (void)w;
    return ((const uint64_t *)context)[i];
}

uint64_t digest_number_8(const struct digest_out *w, const void *context, size_t i)
{
    (void)w;
    return ((const unsigned char *)context)[i];
}

uint64_t digest_rise_32(const struct digest_out *w, const void *context, size_t i)
{
    (void)w;
    const uint32_t *all = context;
    return i > 0 ? all[i] - all[i - 1] : all[0];
}

uint64_t digest_back_32(const struct digest_out *w, const void *context, size_t i)
{
    (void)w;
    uint32_t above = ((const uint32_t *)context)[i];
    return above != NO_PLACE ? i - above : 0;
}

uint64_t digest_tally_count(const struct digest_out *w, const void *context, size_t i)
{
    (void)w;
    return ((const struct hd_tally *)context)[i].count;
}

uint64_t digest_tally_bytes(const struct digest_out *w, const void *context, size_t i)
{
    (void)w;
    return ((const struct hd_tally *)context)[i].bytes;
}

uint64_t digest_length_32(const struct digest_out *w, const void *context, size_t i)
{
    (void)w;
    const uint32_t *begin = context;
    return begin[i + 1] - begin[i];
}
