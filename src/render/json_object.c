#include "render/json_object.h"

#include "report/object_words.h"

#include <inttypes.h>
#include <math.h>

/* --- values ---------------------------------------------------------------------- */

static json_t *address_or_null(uint64_t address)
{
    char s[24];
    snprintf(s, sizeof(s), "0x%" PRIx64, address);
    return address != 0 ? json_string(s) : json_null();
}

static json_t *words(void (*add)(struct text *, const struct hd_field *),
                     const struct hd_field *f)
{
    struct text t = {0};
    add(&t, f);
    json_t *s = json_string_or_null(text_string(&t));
    text_free(&t);
    return s;
}

/* Integers that JSON's readers and jansson have no room for, and reals that are no numbers,
 * are strings. */
static json_t *value_of(const struct hd_field *f)
{
    if (f->is_hidden)
        return json_null();
    switch (f->kind) {
    case HD_FIELD_BOOLEAN:
        return json_boolean(f->number != 0);
    case HD_FIELD_CHAR:
    case HD_FIELD_SIGNED:
        return json_integer((json_int_t)f->number);
    case HD_FIELD_ENUM:
        if (!f->is_unsigned)
            return json_integer((json_int_t)f->number);
        /* fall through */
    case HD_FIELD_UNSIGNED:
        return f->number <= INT64_MAX ? json_integer((json_int_t)f->number)
                                      : words(object_add_plain, f);
    case HD_FIELD_FLOAT:
        return isfinite(f->real) ? json_real(f->real) : words(object_add_plain, f);
    case HD_FIELD_REFERENCE:
    case HD_FIELD_UNKNOWN:
        break;
    }
    return json_null();
}

static json_t *target_of(const struct hd_field *f)
{
    if (f->kind != HD_FIELD_REFERENCE || (f->number == 0 && f->to == HD_NO_OBJECT))
        return json_null();
    json_t *o = json_object();
    json_put(o, "object", f->to != HD_NO_OBJECT ? json_integer(f->to) : json_null());
    json_put(o, "address", address_or_null(f->number));
    json_put(o, "type", json_string_or_null(f->to_type));
    return o;
}

static json_t *field(const struct hd_field *f)
{
    json_t *o = json_object();
    json_put(o, "name", json_string_or_null(f->name));
    json_put(o, "declared_by", json_string_or_null(f->declared_by));
    json_put(o, "type", json_string_or_null(f->type));
    json_put(o, "kind", json_string(hd_field_kind_name(f->kind)));
    json_put(o, "value", value_of(f));
    json_put(o, "member", json_string_or_null(f->member));
    json_put(o, "to", target_of(f));
    json_put(o, "text", json_string_or_null(f->text));
    json_put(o, "text_cut", json_boolean(f->text != NULL && f->is_cut));
    json_put(o, "hidden", json_boolean(f->is_hidden));
    return o;
}

/* --- objects --------------------------------------------------------------------- */

static json_t *object(const struct hd_object *from)
{
    json_t *o = json_object();
    bool is_object = from->kind == HD_OBJECT, aged = from->generation != HD_GEN_UNKNOWN;
    json_put(o, "object", json_integer(from->number));
    json_put(o, "kind", json_string(hd_object_kind_name(from->kind)));
    json_put(o, "address", address_or_null(from->address));
    json_put(o, "type", json_string_or_null(from->type));
    json_put(o, "full_name", json_string_or_null(from->full_name));
    json_put(o, "bytes", is_object ? json_number_or_null(from->bytes) : json_null());
    json_put(o, "generation",
             aged ? json_string(hd_generation_name(from->generation)) : json_null());
    return o;
}

static json_t *link(const struct hd_instance_link *l)
{
    json_t *o = object(&l->object);
    json_put(o, "field", json_string_or_null(l->field));
    return o;
}

static json_t *instance(const struct hd_instance *x)
{
    json_t *o = object(&x->object);
    const struct hd_object *from = &x->object;
    bool is_object = from->kind == HD_OBJECT;
    const char *root =
        x->has_roots && from->is_reachable ? hd_root_kind_name(x->root) : NULL;
    json_put(o, "module", json_string_or_null(from->module));
    json_put(o, "reachable", x->has_roots ? json_boolean(from->is_reachable) : json_null());
    json_put(o, "root_kind", json_string_or_null(root));
    json_put(o, "instances",
             is_object ? json_number_or_null(from->instances) : json_null());
    json_put(o, "references", json_number_or_null(from->references));
    json_put(o, "referrers", json_number_or_null(from->referrers));
    json_put(o, "retained", json_number_or_null(x->retained));
    return o;
}

static json_t *asked(const struct hd_instance *x)
{
    json_t *o = json_object();
    json_put(o, "address", address_or_null(x->asked));
    json_put(o, "offset", x->asked != 0 ? json_number_or_null(x->offset) : json_null());
    json_put(o, "values", json_boolean(x->values));
    return o;
}

static json_t *group(const struct hd_instance_group *g)
{
    json_t *o = json_object();
    json_put(o, "type", json_string_or_null(g->group.type));
    json_put(o, "full_name", json_string_or_null(g->group.full_name));
    json_put(o, "kind", json_string(hd_object_kind_name(g->group.kind)));
    json_put(o, "field", json_string_or_null(g->group.field));
    json_put(o, "objects", json_number_or_null(g->group.objects));
    json_put(o, "references", json_number_or_null(g->group.references));
    json_put(o, "bytes", json_number_or_null(g->group.bytes));
    json_put(o, "object", json_integer(g->group.first));
    json_put(o, "address", address_or_null(g->address));
    return o;
}

/* --- all of it ------------------------------------------------------------------- */

static void add_fields(json_t *o, const struct hd_object_fields *f)
{
    json_t *all = json_array();
    for (size_t i = 0; i < f->len; i++)
        json_append(all, field(&f->all[i]));
    bool is_text = f->text != NULL || f->is_hidden;
    json_put(o, "text", json_string_or_null(f->text));
    json_put(o, "text_length", is_text ? json_number_or_null(f->count) : json_null());
    json_put(o, "text_cut", json_boolean(f->text != NULL && f->is_cut));
    json_put(o, "fields_named", json_boolean(f->are_named));
    json_put(o, "fields", all);
    json_put(o, "fields_omitted",
             json_number_or_null(is_text ? 0 : f->count - f->first - f->len));
}

static void add_groups(json_t *o, const struct hd_model *m, const char *key,
                       const char *omitted, const struct hd_instance_group *all,
                       size_t count)
{
    json_t *array = json_array();
    size_t shown = model_rows(m, count);
    for (size_t i = 0; i < shown; i++)
        json_append(array, group(&all[i]));
    json_put(o, key, array);
    json_put(o, omitted, json_integer((json_int_t)(count - shown)));
}

void json_add_object(json_t *o, const struct hd_model *m)
{
    const struct hd_instance *x = m->instance;
    json_t *chain = json_array();
    json_put(o, "asked", asked(x));
    json_put(o, "object", instance(x));
    add_fields(o, &x->fields);
    add_groups(o, m, "refers_to", "refers_to_omitted", x->refers_to, x->refers_to_count);
    add_groups(o, m, "referred_by", "referred_by_omitted", x->referred_by,
               x->referred_by_count);
    for (size_t i = 0; i < x->chain_len; i++)
        json_append(chain, link(&x->chain[i]));
    json_put(o, "chain", chain);
    json_put(o, "chain_omitted", json_number_or_null(x->chain_skipped));
    json_put(o, "chain_omitted_before",
             x->chain_skipped > 0 ? json_integer((json_int_t)x->chain_skipped_at)
                                  : json_null());
}
