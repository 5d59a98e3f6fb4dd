/* Numbers and names as reports print them, for programs that show a model themselves. */
#include "heap/place.h"
#include "report/object_words.h"
#include "report/report.h"
#include "report/text_growth.h"

#include <string.h>

static void put(struct hd_sink to, struct text *t)
{
    if (t->len > 0)
        to.write(to.context, t->data, t->len);
    text_free(t);
}

void hd_put_count(struct hd_sink to, uint64_t n)
{
    struct text t = {0};
    format_count(&t, n);
    put(to, &t);
}

void hd_put_count_change(struct hd_sink to, uint64_t first, uint64_t last)
{
    struct text t = {0};
    format_delta(&t, first, last);
    put(to, &t);
}

void hd_put_size(struct hd_sink to, uint64_t bytes)
{
    struct text t = {0};
    format_size(&t, bytes);
    put(to, &t);
}

void hd_put_size_change(struct hd_sink to, uint64_t first, uint64_t last)
{
    struct text t = {0};
    format_size_delta(&t, first, last);
    put(to, &t);
}

void hd_put_share(struct hd_sink to, double share)
{
    struct text t = {0};
    format_percent(&t, share);
    put(to, &t);
}

void hd_put_trend(struct hd_sink to, const struct hd_tally *at, size_t count)
{
    struct text t = {0};
    format_trend(&t, at, count);
    put(to, &t);
}

bool hd_put_births(struct hd_sink to, const struct hd_report *report,
                   const struct hd_suspect *suspect)
{
    const struct hd_births *b = suspect->births;
    struct text t = {0};
    if (!text_turnover(&t, suspect) && text_tells_births(report, b)) {
        if (text_since(&t, report, b))
            text_add_string(&t, ", ");
        text_births(&t, b, report->diff.identity == HD_SAME_BY_EVENTS);
    }
    bool any = t.len > 0;
    put(to, &t);
    return any;
}

void hd_put_frame(struct hd_sink to, const struct hd_frame *frame)
{
    struct text t = {0};
    format_frame(&t, frame, true);
    put(to, &t);
}

void hd_put_field(struct hd_sink to, const char *type, const char *field)
{
    struct text t = {0};
    format_field(&t, type, field);
    put(to, &t);
}

void hd_put_type(struct hd_sink to, const char *name, size_t columns)
{
    struct text safe = {0}, t = {0};
    format_name(&safe, name);
    format_shorten_name(&t, text_string(&safe), safe.len, columns, false);
    text_free(&safe);
    put(to, &t);
}

void hd_put_short_type(struct hd_sink to, const char *name)
{
    struct text t = {0};
    format_short_place(&t, name);
    put(to, &t);
}

bool hd_put_static_field(struct hd_sink to, const char *name)
{
    struct place place = place_of(name);
    struct text field = {0}, t = {0};
    text_add(&field, place.field.at, place.field.len);
    format_name(&t, text_string(&field));
    text_free(&field);
    bool any = t.len > 0;
    put(to, &t);
    return any;
}

void hd_put_value(struct hd_sink to, const struct hd_field *field)
{
    struct text words = {0}, shown = {0};
    bool refers = field->kind == HD_FIELD_REFERENCE;
    if (field->is_hidden)
        text_add_string(&words, "not shown");
    else if (field->text != NULL)
        object_add_quoted(&words, field->text, field->is_cut);
    else if (refers)
        text_add_string(&words,
                        field->number == 0 && field->to == HD_NO_OBJECT ? "null" : "");
    else
        object_add_value(&words, field);
    format_name(&shown, text_string(&words));
    put(to, &shown);
    text_free(&words);
}
