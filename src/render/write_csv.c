/* CSV (RFC 4180, LF) and TSV: one row per type, exact integers, unknown cells empty.
 * What `top` writes is itself an input format. */
#include "render/csv_fleet.h"
#include "render/csv_writer.h"
#include "render/tree_frames.h"
#include "render/writer.h"
#include "report/object_words.h"
#include "report/phrases.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_diff(const struct hd_model *m, struct csv_writer *s)
{
    csv_cell(s, hd_unit_name(m->by));
    csv_cell(s, "status");
    for (size_t k = 0; k < m->snapshot_count; k++) {
        char title[32];
        snprintf(title, sizeof(title), "count_%zu", k + 1);
        csv_cell(s, title);
        snprintf(title, sizeof(title), "bytes_%zu", k + 1);
        csv_cell(s, title);
    }
    csv_end_row(s);
    for (size_t i = 0; i < model_table(m)->shown; i++) {
        const struct hd_type_row *row = &model_table(m)->rows[i];
        csv_cell(s, row->type);
        csv_cell(s, series_status_names[row->status]);
        for (size_t k = 0; k < m->snapshot_count; k++) {
            csv_number(s, row->at[k].count);
            csv_number(s, row->at[k].bytes);
        }
        csv_end_row(s);
    }
}

static void write_top(const struct hd_model *m, struct csv_writer *s)
{
    csv_cell(s, hd_unit_name(m->by));
    csv_cell(s, "count");
    csv_cell(s, "bytes");
    csv_cell(s, "retained");
    csv_end_row(s);
    for (size_t i = 0; i < model_table(m)->shown; i++) {
        csv_cell(s, model_table(m)->rows[i].type);
        csv_number(s, model_table(m)->rows[i].at->count);
        csv_number(s, model_table(m)->rows[i].at->bytes);
        csv_number(s, model_table(m)->rows[i].retained);
        csv_end_row(s);
    }
}

static void write_roots(const struct hd_model *m, struct csv_writer *s)
{
    static const char *const titles[] = {"root_kind", "share", "share_low", "share_high",
                                         "chain"};
    CSV_TITLES(s, titles);
    struct text chain = {0};
    for (size_t i = 0; i < m->roots->chains.len; i++) {
        const struct hd_chain *c = &m->roots->chains.all[i].chain;
        text_clear(&chain);
        for (size_t f = 0; f < c->frame_count; f++) {
            text_add_string(&chain, f > 0 ? " → " : "");
            struct hd_frame plain = c->frames[f];
            memset(plain.shown, 0, sizeof(plain.shown));
            format_frame(&chain, &plain, false);
        }
        csv_cell(s, root_kind_names[c->kind]);
        csv_share(s, c->share);
        csv_share(s, c->low);
        csv_share(s, c->high);
        csv_cell(s, text_string(&chain));
        csv_end_row(s);
    }
    text_free(&chain);
}

static void add_error(struct csv_writer *s, const struct hd_error *e)
{
    struct text t = {0};
    if (e->kind != NULL) {
        text_add_string(&t, e->kind);
        text_add_string(&t, ": ");
    }
    text_add_string(&t, e->message);
    csv_cell(s, text_string(&t));
    text_free(&t);
}

static void write_info(const struct hd_model *m, struct csv_writer *s)
{
    static const char *const titles[] = {"path",
                                         "format",
                                         "producer",
                                         "time",
                                         "pid",
                                         "process",
                                         "objects",
                                         "references",
                                         "roots",
                                         "types",
                                         "bytes",
                                         "reachable_objects",
                                         "reachable_bytes",
                                         "sampled",
                                         "complete",
                                         "error"};
    CSV_TITLES(s, titles);
    for (size_t k = 0; k < m->snapshot_count; k++) {
        const struct hd_snapshot_facts *snap = &m->snapshots[k];
        const struct hd_info *info = &snap->info;
        bool failed = snap->error.status != HD_OK;
        csv_cell(s, info->path);
        csv_optional(s, info->format);
        csv_optional(s, info->producer);
        csv_optional(s, info->time);
        csv_number(s, failed ? HD_UNKNOWN : info->pid);
        csv_optional(s, info->process);
        const uint64_t numbers[] = {
            info->objects, info->references,        info->roots,          info->types,
            info->bytes,   info->reachable_objects, info->reachable_bytes};
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
            csv_number(s, failed ? HD_UNKNOWN : numbers[i]);
        csv_cell(s, failed ? "" : info->sampled ? "true" : "false");
        csv_cell(s, failed ? "" : info->complete ? "true" : "false");
        add_error(s, &snap->error);
        csv_end_row(s);
    }
}

static void add_phrase(struct csv_writer *s,
                       void (*add)(struct text *, const struct hd_finding *),
                       const struct hd_finding *f)
{
    struct text t = {0};
    add(&t, f);
    csv_cell(s, text_string(&t));
    text_free(&t);
}

static void add_phrase_if_any(struct csv_writer *s,
                              bool (*add)(struct text *, const struct hd_finding *),
                              const struct hd_finding *f)
{
    struct text t = {0};
    add(&t, f);
    csv_cell(s, text_string(&t));
    text_free(&t);
}

/* One row per finding. */
static void write_check(const struct hd_model *m, struct csv_writer *s)
{
    static const char *const titles[] = {"status",   "rule",           "subject",
                                         "observed", "observed_value", "limit",
                                         "unit",     "source",         "reason"};
    CSV_TITLES(s, titles);
    for (size_t i = 0; i < m->check->rule_count; i++) {
        const struct hd_finding *f = &m->check->rules[i];
        csv_cell(s, rule_status_names[f->status]);
        add_phrase(s, phrase_rule, f);
        csv_optional(s, f->subject);
        add_phrase_if_any(s, phrase_observed, f);
        csv_begin_cell(s);
        if (isfinite(f->observed_value))
            out_printf(s->out, "%.15g", f->observed_value);
        add_phrase(s, phrase_limit, f);
        csv_cell(s, phrase_unit(f));
        add_phrase(s, phrase_source, f);
        add_phrase_if_any(s, phrase_reason, f);
        csv_end_row(s);
    }
}

static void write_processes(const struct hd_model *m, struct csv_writer *s)
{
    static const char *const titles[] = {
        "pid",     "name", "runtime",   "user",    "command",        "socket",
        "problem", "host", "container", "started", "uptime_seconds", "memory_bytes"};
    CSV_TITLES(s, titles);
    for (size_t i = 0; i < m->processes->count; i++) {
        const struct hd_process *p = &m->processes->all[i];
        const char *cells[] = {p->name,    p->runtime, p->user,      p->command, p->socket,
                               p->problem, p->host,    p->container, p->started};
        csv_number(s, p->pid);
        for (size_t c = 0; c < sizeof(cells) / sizeof(*cells); c++)
            csv_optional(s, cells[c]);
        csv_number(s, p->uptime);
        csv_number(s, p->memory);
        csv_end_row(s);
    }
}

static void add_path(struct csv_writer *s, const struct tree_frames *f, size_t node)
{
    size_t stack[TREE_MOST_FRAMES], len = tree_stack(f, node, stack);
    struct text path = {0};
    for (size_t i = 0; i < len; i++) {
        text_add_string(&path, i > 0 ? " → " : "");
        text_add_string(&path, f->names[stack[i]]);
    }
    csv_cell(s, text_string(&path));
    text_free(&path);
}

static void add_tree_titles(struct csv_writer *s, size_t snapshots)
{
    static const char *const titles[] = {"depth",     "kind",    "path",   "type",
                                         "root_kind", "suspect", "growth", "others"};
    static const char *const numbers[] = {"count", "bytes", "objects", "retained"};
    for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
        csv_cell(s, titles[i]);
    for (size_t k = 0; k < snapshots; k++)
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
            char title[32];
            snprintf(title, sizeof(title), "%s_%zu", numbers[i], k + 1);
            csv_cell(s, title);
        }
    csv_end_row(s);
}

/* A place by the types on the way to it, as holders are written elsewhere. */
static void write_tree(const struct hd_model *m, struct csv_writer *s)
{
    struct tree_frames f = tree_frames_of(m->tree);
    add_tree_titles(s, m->snapshot_count);
    for (size_t i = 0; i < m->tree->len; i++) {
        const struct hd_tree_node *n = &m->tree->nodes[i];
        csv_number(s, n->depth);
        csv_cell(s, hd_node_kind_name(n->kind));
        add_path(s, &f, i);
        csv_optional(s, n->type);
        csv_optional(s, n->kind == HD_NODE_ROOTS ? hd_root_kind_name(n->root_kind) : NULL);
        csv_number(s, n->suspect > 0 ? n->suspect : HD_UNKNOWN);
        csv_begin_cell(s);
        out_printf(s->out, "%" PRId64, n->growth);
        csv_number(s, n->others > 0 ? n->others : HD_UNKNOWN);
        for (size_t k = 0; k < m->snapshot_count; k++) {
            csv_number(s, n->at[k].count);
            csv_number(s, n->at[k].bytes);
            csv_number(s, n->owned[k].count);
            csv_number(s, n->owned[k].bytes);
        }
        csv_end_row(s);
    }
    tree_frames_free(&f);
}

/* One thing that belongs to an object: a field, a group of neighbours, a link. */
struct object_row {
    const char *part, *name, *kind, *type;
    const char *value; /* of a field, or NULL */
    uint64_t number;   /* of an object, or HD_UNKNOWN */
    uint64_t address;  /* or 0 */
    uint64_t objects, references, bytes;
};

static void add_object_row(struct csv_writer *s, const struct object_row *row)
{
    csv_cell(s, row->part);
    csv_optional(s, row->name);
    csv_optional(s, row->kind);
    csv_optional(s, row->type);
    csv_optional(s, row->value);
    csv_number(s, row->number);
    csv_begin_cell(s);
    if (row->address != 0)
        out_printf(s->out, "0x%" PRIx64, row->address);
    csv_number(s, row->objects);
    csv_number(s, row->references);
    csv_number(s, row->bytes);
    csv_end_row(s);
}

static void add_object_fields(struct csv_writer *s, const struct hd_object_fields *fields)
{
    struct text value = {0};
    for (size_t i = 0; i < fields->len; i++) {
        const struct hd_field *f = &fields->all[i];
        bool refers = f->kind == HD_FIELD_REFERENCE;
        text_clear(&value);
        if (f->text != NULL)
            text_add_string(&value, f->text);
        else if (f->member != NULL)
            text_add_string(&value, f->member);
        else if (!refers && !f->is_hidden)
            object_add_plain(&value, f);
        add_object_row(s, &(struct object_row){
                              "field", f->name, hd_field_kind_name(f->kind),
                              refers && f->to_type != NULL ? f->to_type : f->type,
                              text_string(&value),
                              refers && f->to != HD_NO_OBJECT ? f->to : HD_UNKNOWN,
                              refers ? f->number : 0, HD_UNKNOWN, HD_UNKNOWN, HD_UNKNOWN});
    }
    text_free(&value);
}

static void add_object_groups(struct csv_writer *s, const char *part,
                              const struct hd_instance_group *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct hd_object_group *g = &all[i].group;
        add_object_row(s, &(struct object_row){part, g->field, hd_object_kind_name(g->kind),
                                               g->type, NULL, g->first, all[i].address,
                                               g->objects, g->references, g->bytes});
    }
}

static void write_object(const struct hd_model *m, struct csv_writer *s)
{
    static const char *const titles[] = {"part",       "name",   "kind",    "type",
                                         "value",      "object", "address", "objects",
                                         "references", "bytes"};
    const struct hd_instance *x = m->instance;
    const struct hd_object *o = &x->object;
    CSV_TITLES(s, titles);
    add_object_row(s, &(struct object_row){"object", NULL, hd_object_kind_name(o->kind),
                                           o->type, x->fields.text, o->number, o->address,
                                           o->instances, o->references, o->bytes});
    add_object_fields(s, &x->fields);
    add_object_groups(s, "refers_to", x->refers_to, model_rows(m, x->refers_to_count));
    add_object_groups(s, "referred_by", x->referred_by,
                      model_rows(m, x->referred_by_count));
    for (size_t i = 0; i < x->chain_len; i++) {
        const struct hd_object *link = &x->chain[i].object;
        add_object_row(s, &(struct object_row){"chain", x->chain[i].field,
                                               hd_object_kind_name(link->kind), link->type,
                                               NULL, link->number, link->address,
                                               HD_UNKNOWN, HD_UNKNOWN, link->bytes});
    }
}

static void write_table(const struct hd_model *m, struct csv_writer s)
{
    static void (*const write[])(const struct hd_model *, struct csv_writer *) = {
        [HD_REPORT_DIFF] = write_diff,           [HD_REPORT_TOP] = write_top,
        [HD_REPORT_ROOTS] = write_roots,         [HD_REPORT_INFO] = write_info,
        [HD_REPORT_CHECK] = write_check,

        [HD_REPORT_PROCESSES] = write_processes, [HD_REPORT_TREE] = write_tree,
        [HD_REPORT_OBJECT] = write_object,       [HD_REPORT_FLEET] = csv_fleet};
    write[m->kind](m, &s);
}

static void write_commas(const struct hd_report *r, const struct hd_write_options *opt,
                         struct out *o)
{
    (void)opt;
    write_table(&r->model, (struct csv_writer){.out = o});
}

static void write_tabs(const struct hd_report *r, const struct hd_write_options *opt,
                       struct out *o)
{
    (void)opt;
    write_table(&r->model, (struct csv_writer){.out = o, .tabs = true});
}

const struct writer write_csv = {
    .name = "csv",
    .summary = "for spreadsheets, and as input again",
    .all_rows = true,
    .write = write_commas,
};

const struct writer write_tsv = {
    .name = "tsv",
    .summary = "for cut, sort and awk",
    .all_rows = true,
    .write = write_tabs,
};
