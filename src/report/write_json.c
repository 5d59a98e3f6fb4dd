/* JSON, one object; docs/json-schema has the schemas. Keys stand in their order,
 * unknown values are null, integers are exact. */
#include "report/human.h"
#include "report/writer.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

enum { SCHEMA_VERSION = 1 };

/* --- values -------------------------------------------------------------- */

/* Not UTF-8 in a name becomes U+FFFD here, and only here. */
static json_t *string_or_null(const char *s)
{
    if (s == NULL)
        return json_null();
    struct text t = {0};
    text_add_utf8(&t, s, strlen(s));
    json_t *value = json_stringn_nocheck(t.len > 0 ? t.data : "", t.len);
    text_free(&t);
    return value;
}

static json_t *number_or_null(uint64_t n)
{
    if (n == HD_UNKNOWN)
        return json_null();
    /* Larger than any heap; jansson's integers are signed. */
    return n <= INT64_MAX ? json_integer((json_int_t)n) : json_real((double)n);
}

static json_t *real_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *numbers(const struct tally *at, size_t count, bool bytes)
{
    json_t *array = json_array();
    for (size_t k = 0; k < count; k++)
        json_array_append_new(array, number_or_null(bytes ? at[k].bytes : at[k].count));
    return array;
}

static json_t *values_or_null(const uint64_t *values, size_t count)
{
    if (values == NULL)
        return json_null();
    json_t *array = json_array();
    for (size_t k = 0; k < count; k++)
        json_array_append_new(array, number_or_null(values[k]));
    return array;
}

static json_t *strings(const char *const *all, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, string_or_null(all[i]));
    return array;
}

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
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
    set(o, "path", string_or_null(info->path));
    set(o, "format", string_or_null(info->format));
    set(o, "producer", string_or_null(info->producer));
    set(o, "time", string_or_null(info->time));
    set(o, "pid", number_or_null(info->pid));
    set(o, "process", string_or_null(info->process));
    set(o, "objects", number_or_null(info->objects));
    set(o, "references", number_or_null(info->references));
    set(o, "roots", number_or_null(info->roots));
    set(o, "types", number_or_null(info->types));
    set(o, "bytes", number_or_null(info->bytes));
    set(o, "reachable_objects", number_or_null(info->reachable_objects));
    set(o, "reachable_bytes", number_or_null(info->reachable_bytes));
    set(o, "has_graph", json_boolean(info->has_graph));
    set(o, "has_roots", json_boolean(info->has_roots));
    set(o, "has_generations", json_boolean(info->has_generations));
    set(o, "sampled", json_boolean(info->sampled));
    set(o, "complete", json_boolean(info->complete));
    set(o, "xxh3", hex_or_null(info->xxh3, info->xxh3 != HD_UNKNOWN, "%016" PRIx64));
    return o;
}

static json_t *generations(const struct tally *by_generation)
{
    if (by_generation == NULL)
        return json_null();
    json_t *o = json_object();
    for (int g = 0; g < GENERATION_COUNT; g++) {
        json_t *tally = json_object();
        set(tally, "objects", number_or_null(by_generation[g].count));
        set(tally, "bytes", number_or_null(by_generation[g].bytes));
        set(o, generation_names[g], tally);
    }
    return o;
}

static json_t *roots_by_kind(const struct report_snapshot *s)
{
    if (!s->info.has_roots || s->info.references == HD_UNKNOWN)
        return json_null();
    json_t *o = json_object();
    for (int k = 0; k < ROOT_KIND_COUNT; k++)
        if (s->roots_by_kind[k] > 0)
            set(o, root_kind_names[k], number_or_null(s->roots_by_kind[k]));
    return o;
}

/* What only `info` tells. */
static json_t *snapshot_in_full(const struct report_snapshot *s)
{
    json_t *o = snapshot(&s->info);
    set(o, "generations", generations(s->info.has_generations ? s->by_generation : NULL));
    set(o, "roots_by_kind", roots_by_kind(s));
    set(o, "weak_roots", number_or_null(s->weak_roots));
    set(o, "command", string_or_null(s->origin.command));
    set(o, "generation", string_or_null(s->origin.generation));
    set(o, "liveness", string_or_null(s->origin.liveness));
    set(o, "filters", string_or_null(s->origin.filters));
    return o;
}

static json_t *failed_snapshot(const struct report_snapshot *s)
{
    json_t *o = json_object(), *error = json_object();
    const struct hd_error *e = &s->error;
    set(error, "message", string_or_null(e->message));
    set(error, "kind", string_or_null(e->kind));
    set(error, "offset", e->where == HD_AT_BYTE ? number_or_null(e->at) : json_null());
    set(error, "line", e->where == HD_AT_LINE ? number_or_null(e->at) : json_null());
    set(o, "path", string_or_null(s->info.path));
    set(o, "error", error);
    return o;
}

static json_t *snapshots(const struct hd_report *r)
{
    json_t *array = json_array();
    for (size_t k = 0; k < r->snapshot_count; k++)
        json_array_append_new(array, snapshot(&r->snapshots[k].info));
    return array;
}

static json_t *warnings(const struct hd_report *r)
{
    json_t *array = json_array();
    for (size_t i = 0; i < r->warning_count; i++) {
        const struct hd_warning *w = &r->warnings[i];
        bool one = w->snapshot < r->snapshot_count;
        json_t *o = json_object();
        set(o, "code", string_or_null(w->code));
        set(o, "snapshot", one ? json_integer((json_int_t)w->snapshot) : json_null());
        set(o, "message", string_or_null(w->message));
        set(o, "count", number_or_null(w->count));
        set(o, "line", number_or_null(w->line));
        json_array_append_new(array, o);
    }
    return array;
}

/* --- chains -------------------------------------------------------------- */

static json_t *chain(const struct hd_report *r, const struct report_chain *c)
{
    json_t *o = json_object(), *frames = json_array(), *example = json_object();
    for (size_t i = 0; i < c->chain.frame_count; i++) {
        const struct frame *f = &c->chain.frames[i];
        json_t *frame = json_object();
        set(frame, "types", strings(f->types, f->type_count));
        set(frame, "repeat_min", json_integer(f->repeat_min));
        set(frame, "repeat_max", json_integer(f->repeat_max));
        set(frame, "generation",
            f->generation != GEN_UNKNOWN ? json_string(generation_names[f->generation])
                                         : json_null());
        json_array_append_new(frames, frame);
    }
    set(example, "object", json_integer(c->chain.example));
    set(example, "address", hex_or_null(c->address, c->address != 0, "0x%" PRIx64));
    set(example, "generation",
        c->generation != GEN_UNKNOWN ? json_string(generation_names[c->generation])
                                     : json_null());
    set(o, "root_kind", json_string(root_kind_names[c->chain.kind]));
    set(o, "status", string_or_null(chain_status_names[c->status]));
    set(o, "frames", frames);
    set(o, "share", real_or_null(c->chain.share));
    set(o, "share_low", real_or_null(c->chain.low));
    set(o, "share_high", real_or_null(c->chain.high));
    set(o, "instances", values_or_null(c->instances, r->snapshot_count));
    set(o, "retained", json_null());
    set(o, "exact", json_boolean(c->chain.exact));
    set(o, "example", example);
    set(o, "frames_omitted", json_integer((json_int_t)c->frames_omitted));
    return o;
}

static json_t *chains(const struct hd_report *r, const struct report_chains *all)
{
    json_t *array = json_array();
    for (size_t i = 0; i < all->len; i++)
        json_array_append_new(array, chain(r, &all->all[i]));
    return array;
}

/* --- reports ------------------------------------------------------------- */

static json_t *begin(const char *schema)
{
    json_t *o = json_object();
    set(o, "schema", json_string(schema));
    set(o, "schema_version", json_integer(SCHEMA_VERSION));
    set(o, "tool_version", json_string(HD_VERSION));
    return o;
}

static json_t *suspect(const struct hd_report *r, const struct report_suspect *s,
                       bool in_full)
{
    size_t n = r->snapshot_count;
    json_t *o = json_object();
    set(o, "rank", s->rank > 0 ? json_integer((json_int_t)s->rank) : json_null());
    set(o, "type", string_or_null(s->type));
    set(o, "subject", string_or_null(s->subject));
    set(o, "basis", json_string(s->by_graph ? "graph" : "table"));
    set(o, "score", real_or_null(s->score));
    set(o, "score_share", real_or_null(s->score_share));
    set(o, "tau", real_or_null(s->tau));
    set(o, "count", numbers(s->at, n, false));
    set(o, "bytes", numbers(s->at, n, true));
    set(o, "retained", values_or_null(s->retained, n));
    set(o, "per_iteration", number_or_null(s->per_iteration));
    set(o, "holder", s->holder != NULL ? strings(s->holder, s->holder_len) : json_null());
    if (in_full)
        set(o, "chains", chains(r, &s->chains));
    set(o, "survivors", number_or_null(s->survivors));
    return o;
}

static json_t *suspects(const struct hd_report *r, const struct report_suspect *all,
                        size_t count, bool in_full)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, suspect(r, &all[i], in_full));
    return array;
}

static json_t *reachable(const struct hd_report *r, bool bytes)
{
    for (size_t k = 0; k < r->snapshot_count; k++)
        if (r->reachable[k].count != HD_UNKNOWN)
            return numbers(r->reachable, r->snapshot_count, bytes);
    return json_null();
}

static json_t *totals(const struct hd_report *r)
{
    json_t *o = json_object();
    set(o, "objects", numbers(r->totals, r->snapshot_count, false));
    set(o, "bytes", numbers(r->totals, r->snapshot_count, true));
    set(o, "reachable_objects", reachable(r, false));
    set(o, "reachable_bytes", reachable(r, true));
    return o;
}

static json_t *iterations(const struct hd_report *r)
{
    if (r->iterations == NULL)
        return json_null();
    json_t *array = json_array();
    for (size_t k = 0; k < r->snapshot_count; k++)
        json_array_append_new(array, number_or_null(r->iterations[k]));
    return array;
}

static json_t *full_name(const struct hd_report *r, const char *type)
{
    const char *shown = report_shown(r, type);
    return shown != type ? json_string(shown) : json_null();
}

static void set_types(json_t *o, const struct hd_report *r)
{
    size_t shown = report_rows(r, r->type_count);
    json_t *array = json_array();
    for (size_t i = 0; i < shown; i++) {
        const struct report_type *t = &r->types[i];
        json_t *row = json_object();
        set(row, "type", string_or_null(t->type));
        if (r->kind != REPORT_TOP) {
            set(row, "count", numbers(t->at, r->snapshot_count, false));
            set(row, "bytes", numbers(t->at, r->snapshot_count, true));
            set(row, "status", json_string(series_status_names[t->status]));
            set(row, "survivors", number_or_null(t->survivors));
            set(row, "full_name", full_name(r, t->type));
        } else {
            set(row, "count", number_or_null(t->at->count));
            set(row, "bytes", number_or_null(t->at->bytes));
            set(row, "retained", number_or_null(t->retained));
            set(row, "generations", generations(t->by_generation));
            set(row, "full_name", full_name(r, t->type));
        }
        json_array_append_new(array, row);
    }
    set(o, "types", array);
    set(o, "types_omitted", json_integer((json_int_t)(r->type_count - shown)));
}

static void set_diff(json_t *o, const struct hd_report *r)
{
    set(o, "snapshots", snapshots(r));
    set(o, "iterations", iterations(r));
    set(o, "confidence", json_string(confidence_names[r->confidence]));
    set(o, "totals", totals(r));
    set(o, "suspects", suspects(r, r->suspects, r->suspect_count, true));
    set(o, "minor", suspects(r, r->minor, r->minor_count, false));
    set(o, "pooled", suspects(r, r->pooled, r->pooled_count, false));
    set_types(o, r);
    set(o, "warnings", warnings(r));
    set(o, "by", json_string(report_unit(r)));
}

static json_t *diff(const struct hd_report *r)
{
    json_t *o = begin("heapdrift-diff");
    set_diff(o, r);
    return o;
}

/* A number that is whole but for means is written as it is. */
static json_t *amount_or_null(double n)
{
    if (!isfinite(n))
        return json_null();
    return n == floor(n) && fabs(n) < 9e15 ? json_integer((json_int_t)n) : json_real(n);
}

static json_t *rule(const struct hd_report *r, const struct report_rule *f)
{
    json_t *o = json_object(), *shown = json_array();
    json_array_append_new(shown, json_integer((json_int_t)f->first));
    json_array_append_new(shown, json_integer((json_int_t)f->last));
    set(o, "rule", string_or_null(f->rule));
    set(o, "source", string_or_null(f->source));
    set(o, "subject", string_or_null(f->subject));
    set(o, "limit", string_or_null(f->limit));
    set(o, "observed", string_or_null(f->observed));
    set(o, "status", json_string(rule_status_names[f->status]));
    set(o, "reason", string_or_null(f->reason));
    set(o, "limit_value", amount_or_null(f->limit_value));
    set(o, "observed_value", amount_or_null(f->observed_value));
    set(o, "unit", json_string(f->unit));
    set(o, "snapshots", shown);
    set(o, "holder", string_or_null(f->holder));
    set(o, "chains", chains(r, &f->chains));
    return o;
}

static json_t *check(const struct hd_report *r)
{
    json_t *o = begin("heapdrift-check"), *rules = json_array();
    set_diff(o, r);
    for (size_t i = 0; i < r->rule_count; i++)
        json_array_append_new(rules, rule(r, &r->rules[i]));
    set(o, "verdict", json_string(verdict_names[r->verdict]));
    set(o, "rules", rules);
    return o;
}

static json_t *top(const struct hd_report *r)
{
    json_t *o = begin("heapdrift-top");
    set(o, "snapshot", snapshot(&r->snapshots[0].info));
    set_types(o, r);
    set(o, "warnings", warnings(r));
    set(o, "by", json_string(report_unit(r)));
    return o;
}

static json_t *roots(const struct hd_report *r)
{
    json_t *o = begin("heapdrift-roots");
    set(o, "snapshots", snapshots(r));
    set(o, "type", string_or_null(r->pattern));
    set(o, "matched", strings(r->matched, r->matched_count));
    set(o, "instances", numbers(r->totals, r->snapshot_count, false));
    set(o, "chains", chains(r, &r->chains));
    set(o, "warnings", warnings(r));
    return o;
}

static json_t *info(const struct hd_report *r)
{
    json_t *o = begin("heapdrift-info"), *array = json_array();
    for (size_t k = 0; k < r->snapshot_count; k++) {
        const struct report_snapshot *s = &r->snapshots[k];
        json_array_append_new(array, s->error.status != HD_OK ? failed_snapshot(s)
                                                              : snapshot_in_full(s));
    }
    set(o, "snapshots", array);
    set(o, "warnings", warnings(r));
    return o;
}

static json_t *processes(const struct hd_report *r)
{
    json_t *o = begin("heapdrift-ps"), *array = json_array();
    for (size_t i = 0; i < r->process_count; i++) {
        const struct hd_process *from = &r->processes[i];
        json_t *p = json_object();
        set(p, "pid", number_or_null(from->pid));
        set(p, "name", string_or_null(from->name));
        set(p, "runtime", string_or_null(from->runtime));
        set(p, "user", string_or_null(from->user));
        set(p, "command", string_or_null(from->command));
        set(p, "socket", string_or_null(from->socket));
        set(p, "problem", string_or_null(from->problem));
        json_array_append_new(array, p);
    }
    set(o, "processes", array);
    return o;
}

static int write_piece(const char *piece, size_t size, void *out)
{
    out_bytes(out, piece, size);
    return 0;
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    static json_t *(*const make[])(const struct hd_report *) = {
        [REPORT_DIFF] = diff,          [REPORT_TOP] = top,     [REPORT_ROOTS] = roots,
        [REPORT_INFO] = info,          [REPORT_CHECK] = check,

        [REPORT_PROCESSES] = processes};
    (void)opt;
    json_t *whole = make[r->kind](r);
    json_dump_callback(whole, write_piece, o, JSON_INDENT(1));
    out_string(o, "\n");
    json_decref(whole);
}

const struct writer write_json = {
    .name = "json",
    .summary = "for programs; schemas in docs/json-schema",
    .write = write,
};
