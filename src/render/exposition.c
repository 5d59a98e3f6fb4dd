#include "render/exposition.h"

#include "base/c_locale.h"
#include "base/hash.h"
#include "base/path.h"

#include <math.h>
#include <string.h>

struct printed_labels {
    UT_hash_handle hh;
    char text[];
};

void exposition_begin(struct exposition *e, const char *name, const char *help)
{
    HASH_CLEAR(hh, e->labels);
    e->metric = name;
    out_printf(e->o, "# HELP %s %s\n# TYPE %s %s\n", name, help, name,
               path_ends_in(name, "_total") ? "counter" : "gauge");
}

/* Backslash, quote and line end are escaped, as the format wants it; what a terminal would
 * obey is made visible before. */
void exposition_label(struct text *t, const char *name, const char *value)
{
    struct text plain = {0};
    text_add_string(t, t->len > 0 ? "," : "");
    text_add_string(t, name);
    text_add_string(t, "=\"");
    if (value != NULL)
        text_add_visible(&plain, value, strlen(value), true);
    for (size_t i = 0; i < plain.len; i++) {
        char c = plain.data[i];
        if (c == '\\' || c == '"' || c == '\n')
            text_add_char(t, '\\');
        if (c == '\n')
            c = 'n';
        text_add_char(t, c);
    }
    text_add_char(t, '"');
    text_free(&plain);
}

/* False if a sample has these labels. */
static bool is_new(struct exposition *e, struct text *labels)
{
    struct printed_labels *found;
    HASH_FIND(hh, e->labels, labels->data, labels->len, found);
    if (found != NULL)
        return false;
    found = arena_alloc(&e->arena, sizeof(*found) + labels->len + 1);
    memcpy(found->text, labels->data, labels->len);
    HASH_ADD_KEYPTR(hh, e->labels, found->text, labels->len, found);
    return true;
}

void exposition_sample(struct exposition *e, struct text *labels, double value)
{
    char number[40];
    if (!isnan(value) && (labels->len == 0 || is_new(e, labels))) {
        c_snprintf(number, sizeof(number), "%.15g", value);
        out_string(e->o, e->metric);
        if (labels->len > 0)
            out_printf(e->o, "{%s}", text_string(labels));
        out_printf(e->o, " %s\n", isinf(value) ? "+Inf" : number);
    }
    text_free(labels);
}

void exposition_end(struct exposition *e)
{
    HASH_CLEAR(hh, e->labels);
    arena_free(&e->arena);
}

/* --- for the program --------------------------------------------------------------- */

static void put_metric(struct exposition *e, const struct hd_metric *m)
{
    exposition_begin(e, m->name, m->help);
    for (size_t i = 0; i < m->count; i++) {
        const struct hd_metric_sample *sample = &m->samples[i];
        struct text labels = {0};
        for (size_t k = 0; k < HD_METRIC_LABELS && sample->labels[k].name != NULL; k++)
            exposition_label(&labels, sample->labels[k].name, sample->labels[k].value);
        exposition_sample(e, &labels, sample->value);
    }
}

bool hd_put_metrics(struct hd_sink to, const struct hd_metric *metrics, size_t count,
                    struct hd_error *err)
{
    struct out o = {.to = to};
    struct exposition e = {.o = &o};
    for (size_t i = 0; i < count; i++)
        if (metrics[i].count > 0)
            put_metric(&e, &metrics[i]);
    exposition_end(&e);
    return out_finish(&o, err);
}
