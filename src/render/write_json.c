/* JSON, one object; docs/json-schema has the schemas. Keys stand in their order,
 * unknown values are null, integers are exact. */
#include "base/json_out.h"
#include "render/json_fleet.h"
#include "render/json_object.h"
#include "render/json_tree.h"
#include "render/report_json.h"
#include "render/writer.h"
#include "report/phrases.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { SCHEMA_VERSION = 1 };

/* --- values -------------------------------------------------------------- */

static json_t *numbers(const struct hd_tally *at, size_t count, bool bytes)
{
    json_t *array = json_array();
    for (size_t k = 0; k < count; k++)
        json_append(array, json_number_or_null(bytes ? at[k].bytes : at[k].count));
    return array;
}

static json_t *values_or_null(const uint64_t *values, size_t count)
{
    return values != NULL ? json_numbers(values, count) : json_null();
}

static json_t *strings(const char *const *all, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(array, json_string_or_null(all[i]));
    return array;
}

/* --- snapshots ----------------------------------------------------------- */

static json_t *hex_or_null(uint64_t n, bool known, const char *format)
{
    char s[24];
    snprintf(s, sizeof(s), format, n);
    return known ? json_string(s) : json_null();
}

static json_t *snapshot(const struct hd_info *info)
{
    json_t *o = json_object();
    json_put(o, "path", json_string_or_null(info->path));
    json_put(o, "format", json_string_or_null(info->format));
    json_put(o, "producer", json_string_or_null(info->producer));
    json_put(o, "time", json_string_or_null(info->time));
    json_put(o, "pid", json_number_or_null(info->pid));
    json_put(o, "process", json_string_or_null(info->process));
    json_put(o, "objects", json_number_or_null(info->objects));
    json_put(o, "references", json_number_or_null(info->references));
    json_put(o, "roots", json_number_or_null(info->roots));
    json_put(o, "types", json_number_or_null(info->types));
    json_put(o, "bytes", json_number_or_null(info->bytes));
    json_put(o, "reachable_objects", json_number_or_null(info->reachable_objects));
    json_put(o, "reachable_bytes", json_number_or_null(info->reachable_bytes));
    json_put(o, "has_graph", json_boolean(info->has_graph));
    json_put(o, "has_roots", json_boolean(info->has_roots));
    json_put(o, "has_generations", json_boolean(info->has_generations));
    json_put(o, "sampled", json_boolean(info->sampled));
    json_put(o, "complete", json_boolean(info->complete));
    json_put(o, "xxh3", hex_or_null(info->xxh3, info->xxh3 != HD_UNKNOWN, "%016" PRIx64));
    json_put(o, "host", json_string_or_null(info->host));
    json_put(o, "container", json_string_or_null(info->container));
    json_put(o, "program", json_string_or_null(info->program));
    json_put(o, "started", json_string_or_null(info->started));
    json_put(o, "runtime", json_string_or_null(info->runtime));
    json_put(o, "holds_garbage", json_boolean(info->holds_garbage));
    json_put(o, "has_fields", json_boolean(info->has_fields));
    json_put(o, "has_owners", json_boolean(info->has_owners));
    json_put(
        o, "source_xxh3",
        hex_or_null(info->source_xxh3, info->source_xxh3 != HD_UNKNOWN, "%016" PRIx64));
    return o;
}

static json_t *generations(const struct hd_tally *by_generation)
{
    if (by_generation == NULL)
        return json_null();
    json_t *o = json_object();
    for (int g = 0; g < HD_GENERATION_COUNT; g++) {
        json_t *tally = json_object();
        json_put(tally, "objects", json_number_or_null(by_generation[g].count));
        json_put(tally, "bytes", json_number_or_null(by_generation[g].bytes));
        json_put(o, generation_names[g], tally);
    }
    return o;
}

static json_t *roots_by_kind(const struct hd_snapshot_facts *s)
{
    if (!s->info.has_roots || s->info.references == HD_UNKNOWN)
        return json_null();
    json_t *o = json_object();
    for (int k = 0; k < HD_ROOT_KIND_COUNT; k++)
        if (s->roots_by_kind[k] > 0)
            json_put(o, root_kind_names[k], json_number_or_null(s->roots_by_kind[k]));
    return o;
}

/* How it is known which objects are those of the snapshot before. */
static json_t *identity(const struct hd_snapshot_facts *s)
{
    if (s->told_survivors == HD_UNKNOWN)
        return json_null();
    json_t *o = json_object();
    json_put(o, "source", json_string_or_null("events"));
    json_put(o, "survivors", json_number_or_null(s->told_survivors));
    json_put(o, "of", json_number_or_null(s->told_of));
    return o;
}

/* What only `info` tells. */
static json_t *snapshot_in_full(const struct hd_snapshot_facts *s)
{
    json_t *o = snapshot(&s->info);
    json_put(o, "generations",
             generations(s->info.has_generations ? s->by_generation : NULL));
    json_put(o, "roots_by_kind", roots_by_kind(s));
    json_put(o, "weak_roots", json_number_or_null(s->weak_roots));
    json_put(o, "identity", identity(s));
    json_put(o, "untold", json_string_or_null(hd_untold_name(s->untold)));
    json_put(o, "command", json_string_or_null(s->origin.command));
    json_put(o, "generation", json_string_or_null(s->origin.generation));
    json_put(o, "liveness", json_string_or_null(s->origin.liveness));
    json_put(o, "filters", json_string_or_null(s->origin.filters));
    return o;
}

static json_t *failed_snapshot(const struct hd_snapshot_facts *s)
{
    json_t *o = json_object(), *error = json_object();
    const struct hd_error *e = &s->error;
    json_put(error, "message", json_string_or_null(e->message));
    json_put(error, "kind", json_string_or_null(e->kind));
    json_put(error, "offset",
             e->where == HD_AT_BYTE ? json_number_or_null(e->at) : json_null());
    json_put(error, "line",
             e->where == HD_AT_LINE ? json_number_or_null(e->at) : json_null());
    json_put(o, "path", json_string_or_null(s->info.path));
    json_put(o, "error", error);
    return o;
}

static json_t *snapshots(const struct hd_model *m)
{
    json_t *array = json_array();
    for (size_t k = 0; k < m->snapshot_count; k++)
        json_append(array, snapshot(&m->snapshots[k].info));
    return array;
}

static json_t *warnings(const struct hd_model *m)
{
    json_t *array = json_array();
    for (size_t i = 0; i < m->warning_count; i++) {
        const struct hd_warning *w = &m->warnings[i];
        bool one = w->snapshot < m->snapshot_count;
        json_t *o = json_object();
        json_put(o, "code", json_string_or_null(w->code));
        json_put(o, "snapshot", one ? json_integer((json_int_t)w->snapshot) : json_null());
        json_put(o, "message", json_string_or_null(w->message));
        json_put(o, "count", json_number_or_null(w->count));
        json_put(o, "line", json_number_or_null(w->line));
        json_append(array, o);
    }
    return array;
}

/* --- chains -------------------------------------------------------------- */

static json_t *owner(const struct hd_chain_row *c)
{
    if (c->chain.owner == NULL)
        return json_null();
    json_t *o = json_object();
    json_put(o, "type", json_string_or_null(c->chain.owner));
    json_put(o, "frames_above", json_integer((json_int_t)c->frames_above));
    json_put(o, "service", json_string_or_null(service_names[c->chain.service]));
    json_put(o, "of", json_string_or_null(c->chain.owner_of));
    return o;
}

/* Inside a repeated pattern, of each of its types. */
static json_t *fields(const struct hd_frame *f)
{
    json_t *all = json_array();
    if (f->repeat_max <= 1) {
        json_decref(all);
        return json_null();
    }
    for (unsigned i = 0; i < f->type_count; i++)
        json_append(all, json_string_or_null(f->fields[i]));
    return all;
}

static json_t *chain(const struct hd_model *m, const struct hd_chain_row *c)
{
    json_t *o = json_object(), *frames = json_array(), *example = json_object();
    for (size_t i = 0; i < c->chain.frame_count; i++) {
        const struct hd_frame *f = &c->chain.frames[i];
        json_t *frame = json_object();
        json_put(frame, "types", strings(f->types, f->type_count));
        json_put(frame, "repeat_min", json_integer(f->repeat_min));
        json_put(frame, "repeat_max", json_integer(f->repeat_max));
        json_put(frame, "generation",
                 f->generation != HD_GEN_UNKNOWN
                     ? json_string(generation_names[f->generation])
                     : json_null());
        json_put(frame, "field", json_string_or_null(f->field));
        json_put(frame, "fields", fields(f));
        json_append(frames, frame);
    }
    json_put(example, "object", json_integer(c->chain.example));
    json_put(example, "address", hex_or_null(c->address, c->address != 0, "0x%" PRIx64));
    json_put(example, "generation",
             c->generation != HD_GEN_UNKNOWN ? json_string(generation_names[c->generation])
                                             : json_null());
    json_put(o, "root_kind", json_string(root_kind_names[c->chain.kind]));
    json_put(o, "status", json_string_or_null(chain_status_names[c->status]));
    json_put(o, "frames", frames);
    json_put(o, "share", json_real_or_null(c->chain.share));
    json_put(o, "share_low", json_real_or_null(c->chain.low));
    json_put(o, "share_high", json_real_or_null(c->chain.high));
    json_put(o, "instances", values_or_null(c->instances, m->snapshot_count));
    json_put(o, "retained", json_number_or_null(c->retained));
    json_put(o, "exact", json_boolean(c->chain.exact));
    json_put(o, "example", example);
    json_put(o, "frames_omitted", json_integer((json_int_t)c->frames_omitted));
    json_put(o, "owner", owner(c));
    return o;
}

static json_t *chains(const struct hd_model *m, const struct hd_chains *all)
{
    json_t *array = json_array();
    for (size_t i = 0; i < all->len; i++)
        json_append(array, chain(m, &all->all[i]));
    return array;
}

/* --- reports ------------------------------------------------------------- */

static json_t *begin(const char *schema)
{
    json_t *o = json_object();
    json_put(o, "schema", json_string(schema));
    json_put(o, "schema_version", json_integer(SCHEMA_VERSION));
    json_put(o, "tool_version", json_string(HD_VERSION));
    return o;
}

/* How many of those that were first seen in one snapshot are there in each. */
static json_t *cohort(const struct hd_births *b, size_t j, const uint64_t *at, size_t n)
{
    json_t *o = json_object(), *count = json_array();
    for (size_t i = 0, k = 0; i < n; i++) {
        bool told = k < b->count && b->snapshot[k] == i;
        bool known = told && k >= j;
        json_append(count, known ? json_integer((json_int_t)at[k - j]) : json_null());
        k += told;
    }
    json_put(o, "first_seen", json_integer((json_int_t)b->snapshot[j]));
    json_put(o, "count", count);
    return o;
}

static json_t *births(const struct hd_births *b, size_t n)
{
    if (b == NULL)
        return json_null();
    json_t *o = json_object(), *cohorts = json_array();
    const uint64_t *at = b->at;
    for (size_t j = 0; j < b->count; at += b->count - j++)
        json_append(cohorts, cohort(b, j, at, n));
    json_put(o, "verdict",
             json_string_or_null(b->keeps        ? "keeps"
                                 : b->turns_over ? "turns-over"
                                                 : NULL));
    json_put(o, "came", json_integer((json_int_t)b->came));
    json_put(o, "went", json_integer((json_int_t)b->went));
    json_put(o, "age", json_integer((json_int_t)b->age));
    json_put(o, "chance", json_real_or_null(b->chance));
    json_put(o, "cohorts", cohorts);
    json_put(o, "since", b->keeps ? json_integer((json_int_t)b->since) : json_null());
    return o;
}

static json_t *suspect(const struct hd_model *m, const struct hd_suspect *s, bool in_full)
{
    size_t n = m->snapshot_count;
    json_t *o = json_object();
    json_put(o, "rank", s->rank > 0 ? json_integer((json_int_t)s->rank) : json_null());
    json_put(o, "type", json_string_or_null(s->type));
    json_put(o, "subject", json_string_or_null(s->subject));
    json_put(o, "basis", json_string(ranking_basis_names[s->basis]));
    json_put(o, "score", json_real_or_null(s->score));
    json_put(o, "score_share", json_real_or_null(s->score_share));
    json_put(o, "tau", json_real_or_null(s->tau));
    json_put(o, "count", numbers(s->at, n, false));
    json_put(o, "bytes", numbers(s->at, n, true));
    json_put(o, "retained", values_or_null(s->retained, n));
    json_put(o, "per_iteration", json_number_or_null(s->per_iteration));
    json_put(o, "holder",
             s->holder != NULL ? strings(s->holder, s->holder_len) : json_null());
    if (in_full)
        json_put(o, "chains", chains(m, &s->chains));
    json_put(o, "survivors", json_number_or_null(s->survivors));
    json_put(o, "survivors_low", json_number_or_null(s->survivors_low));
    json_put(o, "survivors_high", json_number_or_null(s->survivors_high));
    json_put(o, "suspect", json_string_or_null(suspicion_names[s->suspicion]));
    json_put(o, "also", strings(s->also, s->also_count));
    json_put(o, "retained_delta",
             m->diff->by_graph ? json_integer((json_int_t)s->more) : json_null());
    json_put(o, "hint", json_string_or_null(s->hint));
    json_put(o, "owner", s->chains.len > 0 ? owner(&s->chains.all[0]) : json_null());
    json_put(o, "held", values_or_null(s->held, n));
    json_put(o, "own_bytes", values_or_null(s->own, n));
    json_put(o, "births", births(s->births, n));
    if (in_full)
        json_put(o, "chains_of", json_string(s->chains.of_stayed ? "stayed" : "all"));
    return o;
}

static json_t *suspects(const struct hd_model *m, const struct hd_suspect *all,
                        size_t count, bool in_full)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(array, suspect(m, &all[i], in_full));
    return array;
}

/* A number that is whole but for means and shares is written as it is. */
static json_t *amount_or_null(double n)
{
    if (!isfinite(n))
        return json_null();
    return n == floor(n) && fabs(n) < 9e15 ? json_integer((json_int_t)n) : json_real(n);
}

static json_t *growth(const struct hd_growth *g, size_t snapshots)
{
    if (!g->known)
        return json_null();
    json_t *o = json_object(), *parts = json_object();
    json_put(o, "bytes", json_integer((json_int_t)g->bytes));
    json_put(o, "share", json_real_or_null(g->share));
    json_put(o, "suspects", json_integer((json_int_t)g->suspects));
    json_put(o, "pools", json_integer((json_int_t)g->pools));
    json_put(o, "rest", json_integer((json_int_t)g->rest));
    json_put(o, "explained", json_real_or_null(g->explained));
    json_put(o, "unexplained", json_boolean(g->unexplained));
    json_put(o, "open_share", json_real(g->open_share));
    json_put(o, "since", json_integer((json_int_t)g->since));
    json_put(o, "pools_share", json_real_or_null(g->pools_share));
    json_put(o, "pools_by_name", json_boolean(g->pools_by_name));
    json_put(parts, "suspects", values_or_null(g->suspects_at, snapshots));
    json_put(parts, "pools", values_or_null(g->pools_at, snapshots));
    json_put(parts, "rest", values_or_null(g->rest_at, snapshots));
    json_put(o, "parts", parts);
    return o;
}

static json_t *stopped(const struct hd_model *m)
{
    json_t *array = json_array();
    for (size_t i = 0; i < m->diff->stopped_count; i++) {
        const struct hd_stopped *s = &m->diff->stopped[i];
        json_t *o = json_object();
        json_put(o, "type", json_string_or_null(s->type));
        json_put(o, "subject", json_string_or_null(s->subject));
        json_put(o, "count", values_or_null(s->count, m->snapshot_count));
        json_put(o, "retained", values_or_null(s->retained, m->snapshot_count));
        json_put(o, "growth", json_real_or_null(s->growth));
        json_put(o, "share", json_real_or_null(s->share));
        json_put(o, "holder", strings(s->holder, s->holder_len));
        json_append(array, o);
    }
    return array;
}

static json_t *native(const struct hd_model *m)
{
    json_t *array = json_array();
    for (size_t i = 0; i < m->diff->native_count; i++) {
        const struct hd_native *n = &m->diff->native[i];
        json_t *o = json_object();
        json_put(o, "type", json_string_or_null(n->type));
        json_put(o, "what", json_string(n->what));
        json_put(o, "count", numbers(n->at, m->snapshot_count, false));
        json_put(o, "hint", json_string_or_null(n->hint));
        json_put(o, "undecided", json_boolean(n->is_undecided));
        json_append(array, o);
    }
    return array;
}

static json_t *reachable(const struct hd_model *m, bool bytes)
{
    for (size_t k = 0; k < m->snapshot_count; k++)
        if (m->diff->reachable[k].count != HD_UNKNOWN)
            return numbers(m->diff->reachable, m->snapshot_count, bytes);
    return json_null();
}

static json_t *totals(const struct hd_model *m)
{
    json_t *o = json_object();
    json_put(o, "objects", numbers(model_table(m)->totals, m->snapshot_count, false));
    json_put(o, "bytes", numbers(model_table(m)->totals, m->snapshot_count, true));
    json_put(o, "reachable_objects", reachable(m, false));
    json_put(o, "reachable_bytes", reachable(m, true));
    return o;
}

static json_t *iterations(const struct hd_model *m)
{
    if (m->diff->iterations == NULL)
        return json_null();
    json_t *array = json_array();
    for (size_t k = 0; k < m->snapshot_count; k++)
        json_append(array, json_number_or_null(m->diff->iterations[k]));
    return array;
}

static void set_types(json_t *o, const struct hd_model *m)
{
    size_t shown = model_table(m)->shown;
    json_t *array = json_array();
    for (size_t i = 0; i < shown; i++) {
        const struct hd_type_row *t = &model_table(m)->rows[i];
        json_t *row = json_object();
        json_put(row, "type", json_string_or_null(t->type));
        if (m->kind != HD_REPORT_TOP) {
            json_put(row, "count", numbers(t->at, m->snapshot_count, false));
            json_put(row, "bytes", numbers(t->at, m->snapshot_count, true));
            json_put(row, "status", json_string(series_status_names[t->status]));
            json_put(row, "survivors", json_number_or_null(t->survivors));
            json_put(row, "survivors_low", json_number_or_null(t->survivors_low));
            json_put(row, "survivors_high", json_number_or_null(t->survivors_high));
            json_put(row, "full_name", json_string_or_null(t->full_name));
        } else {
            json_put(row, "count", json_number_or_null(t->at->count));
            json_put(row, "bytes", json_number_or_null(t->at->bytes));
            json_put(row, "retained", json_number_or_null(t->retained));
            json_put(row, "generations", generations(t->by_generation));
            json_put(row, "full_name", json_string_or_null(t->full_name));
        }
        json_append(array, row);
    }
    json_put(o, "types", array);
    json_put(o, "types_omitted", json_integer((json_int_t)(model_table(m)->len - shown)));
}

/* Null where nothing would. */
static json_t *untold(const struct hd_diff *d)
{
    if (d->untold == HD_UNTOLD_NOTHING)
        return json_null();
    json_t *o = json_object();
    json_put(o, "snapshot", json_integer((json_int_t)d->untold_snapshot));
    json_put(o, "reason", json_string(hd_untold_name(d->untold)));
    return o;
}

static json_t *would_show(const struct hd_diff *d)
{
    const struct hd_power *p = &d->would_show;
    json_t *o = json_object();
    if (p->steps == 0) {
        json_decref(o);
        return json_null();
    }
    json_put(o, "steps", json_integer((json_int_t)p->steps));
    json_put(o, "large", json_number_or_null(p->large));
    json_put(o, "unit", json_string(d->types.bytes_known ? "bytes" : "objects"));
    json_put(o, "objects", json_number_or_null(p->objects));
    json_put(o, "objects_even", json_number_or_null(p->even));
    json_put(o, "bytes", json_number_or_null(p->bytes));
    return o;
}

static void set_diff(json_t *o, const struct hd_model *m)
{
    json_put(o, "snapshots", snapshots(m));
    json_put(o, "iterations", iterations(m));
    json_put(o, "confidence", json_string(confidence_names[m->diff->confidence]));
    json_put(o, "totals", totals(m));
    json_put(o, "suspects", suspects(m, m->diff->suspects, m->diff->suspect_count, true));
    json_put(o, "minor", suspects(m, m->diff->minor, m->diff->minor_count, false));
    json_put(o, "pooled", suspects(m, m->diff->pooled, m->diff->pooled_count, false));
    set_types(o, m);
    json_put(o, "warnings", warnings(m));
    json_put(o, "by", json_string(hd_unit_name(m->by)));
    json_put(o, "growth", growth(&m->diff->growth, m->snapshot_count));
    json_put(o, "stopped", stopped(m));
    json_put(o, "suspects_hidden", json_integer((json_int_t)m->diff->hidden_count));
    json_put(o, "span_seconds", json_real_or_null(m->diff->span_seconds));
    json_put(o, "bytes_per_hour", json_real_or_null(m->diff->bytes_per_hour));
    json_put(o, "headline", json_string_or_null(m->diff->headline));
    json_put(o, "counts_reachable", json_boolean(m->counts_reachable));
    json_put(o, "native", native(m));
    json_put(o, "identity", json_string_or_null(identity_source_names[m->diff->identity]));
    json_put(o, "untold", untold(m->diff));
    json_put(o, "would_show", would_show(m->diff));
}

static json_t *diff(const struct hd_model *m)
{
    json_t *o = begin("heapdrift-diff");
    set_diff(o, m);
    return o;
}

static json_t *phrase(void (*add)(struct text *, const struct hd_finding *),
                      const struct hd_finding *f)
{
    struct text t = {0};
    add(&t, f);
    json_t *s = json_string_or_null(text_string(&t));
    text_free(&t);
    return s;
}

static json_t *phrase_or_null(bool (*add)(struct text *, const struct hd_finding *),
                              const struct hd_finding *f)
{
    struct text t = {0};
    json_t *s = add(&t, f) ? json_string_or_null(text_string(&t)) : json_null();
    text_free(&t);
    return s;
}

static json_t *rule(const struct hd_model *m, const struct hd_finding *f)
{
    json_t *o = json_object(), *shown = json_array();
    json_append(shown, json_integer((json_int_t)f->first));
    json_append(shown, json_integer((json_int_t)f->last));
    json_put(o, "rule", phrase(phrase_rule, f));
    json_put(o, "source", phrase(phrase_source, f));
    json_put(o, "subject", json_string_or_null(f->subject));
    json_put(o, "limit", phrase(phrase_limit, f));
    json_put(o, "observed", phrase_or_null(phrase_observed, f));
    json_put(o, "status", json_string(rule_status_names[f->status]));
    json_put(o, "reason", phrase_or_null(phrase_reason, f));
    json_put(o, "limit_value", amount_or_null(f->limit_value));
    json_put(o, "observed_value", amount_or_null(f->observed_value));
    json_put(o, "unit", json_string(phrase_unit(f)));
    json_put(o, "snapshots", shown);
    json_put(o, "holder", json_string_or_null(f->holder));
    json_put(o, "chains", chains(m, &f->chains));
    return o;
}

static json_t *check(const struct hd_model *m)
{
    json_t *o = begin("heapdrift-check"), *rules = json_array();
    set_diff(o, m);
    for (size_t i = 0; i < m->check->rule_count; i++)
        json_append(rules, rule(m, &m->check->rules[i]));
    json_put(o, "verdict", json_string(verdict_names[m->check->verdict]));
    json_put(o, "rules", rules);
    return o;
}

static json_t *top(const struct hd_model *m)
{
    json_t *o = begin("heapdrift-top");
    json_put(o, "snapshot", snapshot(&m->snapshots[0].info));
    set_types(o, m);
    json_put(o, "warnings", warnings(m));
    json_put(o, "by", json_string(hd_unit_name(m->by)));
    json_put(o, "counts_reachable", json_boolean(m->counts_reachable));
    return o;
}

/* Snapshots count from 0 here. */
static json_t *born(const struct hd_roots *r)
{
    if (r->born_first == 0)
        return json_null();
    json_t *o = json_object();
    json_put(o, "first", json_integer((json_int_t)r->born_first - 1));
    json_put(o, "last", json_integer((json_int_t)r->born_last - 1));
    json_put(o, "instances", json_integer((json_int_t)r->chains.instances));
    json_put(o, "identity", json_string_or_null(hd_identity_source_name(r->identity)));
    return o;
}

static json_t *roots(const struct hd_model *m)
{
    json_t *o = begin("heapdrift-roots");
    json_put(o, "snapshots", snapshots(m));
    json_put(o, "type", json_string_or_null(m->roots->pattern));
    json_put(o, "matched", strings(m->roots->matched, m->roots->matched_count));
    json_put(o, "instances", numbers(m->roots->instances, m->snapshot_count, false));
    json_put(o, "chains", chains(m, &m->roots->chains));
    json_put(o, "warnings", warnings(m));
    json_put(o, "counts_reachable", json_boolean(m->counts_reachable));
    json_put(o, "born", born(m->roots));
    return o;
}

static json_t *info(const struct hd_model *m)
{
    json_t *o = begin("heapdrift-info"), *array = json_array();
    for (size_t k = 0; k < m->snapshot_count; k++) {
        const struct hd_snapshot_facts *s = &m->snapshots[k];
        json_append(array,
                    s->error.status != HD_OK ? failed_snapshot(s) : snapshot_in_full(s));
    }
    json_put(o, "snapshots", array);
    json_put(o, "warnings", warnings(m));
    return o;
}

static json_t *processes(const struct hd_model *m)
{
    json_t *o = begin("heapdrift-ps"), *array = json_array();
    for (size_t i = 0; i < m->processes->count; i++) {
        const struct hd_process *from = &m->processes->all[i];
        json_t *p = json_object();
        json_put(p, "pid", json_number_or_null(from->pid));
        json_put(p, "name", json_string_or_null(from->name));
        json_put(p, "runtime", json_string_or_null(from->runtime));
        json_put(p, "user", json_string_or_null(from->user));
        json_put(p, "command", json_string_or_null(from->command));
        json_put(p, "socket", json_string_or_null(from->socket));
        json_put(p, "problem", json_string_or_null(from->problem));
        json_put(p, "host", json_string_or_null(from->host));
        json_put(p, "container", json_string_or_null(from->container));
        json_put(p, "started", json_string_or_null(from->started));
        json_put(p, "uptime_seconds", json_number_or_null(from->uptime));
        json_put(p, "memory_bytes", json_number_or_null(from->memory));
        json_append(array, p);
    }
    json_put(o, "processes", array);
    return o;
}

static json_t *tree(const struct hd_model *m)
{
    json_t *o = begin("heapdrift-tree");
    const char *confidence = m->diff != NULL ? confidence_names[m->diff->confidence] : NULL;
    json_put(o, "snapshots", snapshots(m));
    json_put(o, "confidence", json_string_or_null(confidence));
    json_add_tree(o, m);
    json_put(o, "warnings", warnings(m));
    json_put(o, "counts_reachable", json_boolean(m->counts_reachable));
    return o;
}

/* Snapshots count from 0. */
static json_t *since(const struct hd_model *m)
{
    const struct hd_instance *x = m->instance;
    if (x->since == (size_t)-1)
        return json_null();
    json_t *o = json_object();
    json_put(o, "snapshot", json_integer((json_int_t)x->since));
    json_put(o, "of", json_integer((json_int_t)m->snapshot_count));
    json_put(o, "identity", json_string_or_null(hd_identity_source_name(x->identity)));
    return o;
}

static json_t *object(const struct hd_model *m)
{
    json_t *o = begin("heapdrift-object");
    json_put(o, "snapshot", snapshot(&m->snapshots[m->snapshot_count - 1].info));
    json_add_object(o, m);
    json_put(o, "warnings", warnings(m));
    json_put(o, "since", since(m));
    return o;
}

static json_t *fleet(const struct hd_model *m)
{
    json_t *o = begin("heapdrift-fleet");
    json_add_fleet(o, m);
    json_put(o, "warnings", warnings(m));
    return o;
}

json_t *report_json(const struct hd_model *m)
{
    static json_t *(*const make[])(const struct hd_model *) = {
        [HD_REPORT_DIFF] = diff,           [HD_REPORT_TOP] = top,
        [HD_REPORT_ROOTS] = roots,         [HD_REPORT_INFO] = info,
        [HD_REPORT_CHECK] = check,

        [HD_REPORT_PROCESSES] = processes, [HD_REPORT_TREE] = tree,
        [HD_REPORT_OBJECT] = object,       [HD_REPORT_FLEET] = fleet};
    return make[m->kind](m);
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    (void)opt;
    json_write(report_json(&r->model), o);
}

const struct writer write_json = {
    .name = "json",
    .summary = "for programs; schemas in docs/json-schema",
    .whole_tree = true,
    .write = write,
};
