/* The model of a report, and for programs with their own display the text of its values:
 * names of enums, and numbers and names as reports print them. */
#include "base/out.h"
#include "base/text.h"
#include "heap/place.h"
#include "report/object_words.h"
#include "report/phrases.h"
#include "report/records.h"
#include "report/text_parts.h"

#include <string.h>

const struct hd_model *hd_report_model(const struct hd_report *report)
{
    return &report->model;
}

const char *hd_report_shown(const struct hd_report *report, const char *name)
{
    return report_shown(report, name);
}

void report_publish(struct hd_report *r)
{
    bool is_check = r->kind == HD_REPORT_CHECK;
    bool is_diff = r->kind == HD_REPORT_DIFF || is_check ||
                   (r->kind == HD_REPORT_TREE && r->snapshot_count > 1);
    r->model = (struct hd_model){
        .kind = r->kind,
        .by = r->options.by,
        .rows = r->rows,
        .snapshots = r->snapshots,
        .snapshot_count = r->snapshot_count,
        .warnings = r->warnings,
        .warning_count = r->warning_count,
        .counts_reachable = r->options.reachable,
        .summary = r->summary.verdict_len > 0 ? &r->summary : NULL,
        .diff = is_diff ? &r->diff : NULL,
        .check = is_check ? &r->check : NULL,
        .top = r->kind == HD_REPORT_TOP ? &r->top : NULL,
        .roots = r->kind == HD_REPORT_ROOTS ? &r->roots : NULL,
        .processes = r->kind == HD_REPORT_PROCESSES ? &r->processes : NULL,
        .tree = r->tree.len > 0 ? &r->tree : NULL,
        .instance = r->kind == HD_REPORT_OBJECT ? &r->instance : NULL,
        .fleet = r->fleet,
        .objects = r->kind == HD_REPORT_OBJECTS ? &r->objects : NULL,
        .statics = r->kind == HD_REPORT_STATICS ? &r->statics : NULL,
        .account = r->account,
        .account_len = r->account_len,
    };
}

bool hd_report_has_cohorts(const struct hd_report *report, const struct hd_cohorts *cohorts)
{
    return text_shows_cohorts(report, cohorts);
}

size_t hd_suspect_counts(const struct hd_suspect *suspect, size_t snapshots,
                         struct hd_tally *at)
{
    struct hd_cell counts = {.counts = suspect->counts};
    return hd_cell_trend(&counts, snapshots, at);
}

/* --- columns of lists ------------------------------------------------------ */

bool hd_cell_is_number(enum hd_cell_kind kind)
{
    return kind >= HD_CELL_COUNT && kind <= HD_CELL_SHARE;
}

size_t hd_list_columns(const struct hd_model *model, enum hd_list list,
                       struct hd_column all[HD_MAX_COLUMNS])
{
    const struct record *const records[] = {
        &record_row,        &record_top_row,     &record_suspect,
        &record_suspect,    &record_node,        &record_node,
        &record_any_object, &record_account_row, &record_account_row};
    const struct record *r = records[list];
    const bool last = list == HD_LIST_LAST_SUSPECTS || list == HD_LIST_LAST_PLACES ||
                      list == HD_LIST_LAST_PROCESS;
    struct listed found[MAX_LISTED];
    size_t count = record_list_known(r, last ? r->last_screen : r->screen, model, found);
    for (size_t i = 0; i < count; i++) {
        const struct column *c = found[i].field->column;
        const char *key = c->file != NULL ? c->file : found[i].field->key;
        all[i] = (struct hd_column){.title = column_title(c, model),
                                    .key = *key != '\0' ? key : NULL,
                                    .kind = c->kind,
                                    .width = found[i].width,
                                    .from_width = found[i].from_width,
                                    .cell = c->cell};
    }
    return count;
}

size_t hd_cell_trend(const struct hd_cell *cell, size_t snapshots, struct hd_tally *at)
{
    size_t n = 0;
    for (size_t k = 0; k < snapshots; k++)
        if (cell->counts == NULL)
            at[n++] = cell->at[k];
        else if (cell->counts[k] != HD_UNKNOWN)
            at[n++] = (struct hd_tally){cell->counts[k], 0};
    return n;
}

/* --- words --------------------------------------------------------------- */

static const char *word(const char *const *words, size_t count, unsigned i)
{
    return i < count ? words[i] : NULL;
}

const char *hd_snapshot_file(const struct hd_model *model, size_t snapshot)
{
    return heading_file(model->snapshots, model->snapshot_count, snapshot);
}

static const char *const node_kind_names[] = {
    [HD_NODE_HEAP] = "heap",     [HD_NODE_ROOTS] = "roots",
    [HD_NODE_TYPE] = "type",     [HD_NODE_PATTERN] = "pattern",
    [HD_NODE_OTHERS] = "others", [HD_NODE_METHOD] = "method"};

/* hd_unit_name() of the first `count` values of enum hd_unit. */
#define NAME_OF(what, names, count)                 \
    const char *hd_##what##_name(enum hd_##what of) \
    {                                               \
        return word(names, count, of);              \
    }
NAME_OF(root_kind, root_kind_names, HD_ROOT_KIND_COUNT)
NAME_OF(generation, generation_names, HD_GENERATION_COUNT)
NAME_OF(service, service_names, HD_SERVICE_COUNT)
NAME_OF(chain_status, chain_status_names, HD_CHAIN_STATUS_COUNT)
NAME_OF(series_status, series_status_names, HD_SERIES_STATUS_COUNT)
NAME_OF(confidence, confidence_names, HD_CONFIDENCE_HIGH + 1)
NAME_OF(basis, ranking_basis_names, HD_BASIS_TYPE + 1)
NAME_OF(identity_source, identity_source_names, HD_SAME_SOURCE_COUNT)
NAME_OF(reservation, reservation_names, HD_RESERVED_LIFETIME + 1)
NAME_OF(time_limit, time_limit_names, HD_TIME_LIMIT_COUNT)
NAME_OF(suspicion, suspicion_names, HD_SUSPECT_AGE + 1)
NAME_OF(finding_status, rule_status_names, HD_FINDING_STATUS_COUNT)
NAME_OF(verdict, verdict_names, HD_INCONCLUSIVE + 1)
NAME_OF(unit, unit_names, HD_BY_HOLDER + 1)
NAME_OF(node_kind, node_kind_names, HD_NODE_KIND_COUNT)

/* --- numbers and names as reports print them --------------------------------------- */

static bool model_put(struct hd_sink to, struct text *t)
{
    bool any = t->len > 0;
    if (any)
        to.write(to.context, t->data, t->len);
    text_free(t);
    return any;
}

static void put_part(struct hd_sink to, struct say_part part)
{
    struct text t = {0};
    say(&t, part);
    model_put(to, &t);
}

void hd_put_count(struct hd_sink to, uint64_t n)
{
    put_part(to, say_count(n));
}

void hd_put_count_change(struct hd_sink to, uint64_t first, uint64_t last)
{
    put_part(to, as_change(first, last));
}

void hd_put_size(struct hd_sink to, uint64_t bytes)
{
    put_part(to, as_size(bytes));
}

void hd_put_size_change(struct hd_sink to, uint64_t first, uint64_t last)
{
    put_part(to, as_size_change(first, last));
}

void hd_put_share(struct hd_sink to, double share)
{
    put_part(to, as_percent(share));
}

void hd_put_name(struct hd_sink to, const char *name)
{
    put_part(to, as_name(name));
}

void hd_put_ascii(struct hd_sink to, const char *name)
{
    struct text t = {0}, plain = {0};
    say(&t, as_name(name));
    text_add_ascii(&plain, text_string(&t), t.len);
    text_free(&t);
    model_put(to, &plain);
}

void hd_put_trend(struct hd_sink to, const struct hd_tally *at, size_t count)
{
    struct text t = {0};
    format_trend(&t, at, count);
    model_put(to, &t);
}

bool hd_put_cohorts(struct hd_sink to, const struct hd_report *report,
                    const struct hd_suspect *suspect)
{
    const struct hd_cohorts *b = suspect->cohorts;
    struct text t = {0};
    if (!text_turnover(&t, suspect) && text_shows_cohorts(report, b)) {
        if (text_since(&t, report, b))
            say(&t, ", ");
        text_put_cohorts(&t, b, report->diff.identity == HD_SAME_BY_EVENTS);
    }
    return model_put(to, &t);
}

bool hd_put_allocated(struct hd_sink to, const struct hd_suspect *suspect, size_t columns)
{
    struct sentence h = {0};
    phrase_allocated(&h, suspect, columns);
    return model_put(to, &h.words);
}

void hd_put_site_node(struct hd_sink to, const struct hd_site_node *node)
{
    struct sentence h = {0};
    for (size_t i = 0; i < node->code_count; i++) {
        say(&h, i > 0 ? " ← " : "");
        phrase_code(&h, &node->codes[i]);
    }
    model_put(to, &h.words);
}

void hd_put_csv_cell(struct hd_sink to, const char *words)
{
    struct text t = {0};
    csv_add_cell(&t, words);
    model_put(to, &t);
}

void hd_put_frame(struct hd_sink to, const struct hd_frame *frame)
{
    struct text t = {0};
    format_frame(&t, frame, true);
    model_put(to, &t);
}

void hd_put_field(struct hd_sink to, const char *type, const char *field)
{
    struct text t = {0};
    format_field(&t, type, field);
    model_put(to, &t);
}

void hd_put_type(struct hd_sink to, const char *name, size_t columns)
{
    struct text safe = {0}, t = {0};
    format_name(&safe, name);
    format_shorten_name(&t, text_string(&safe), safe.len, columns, false);
    text_free(&safe);
    model_put(to, &t);
}

void hd_put_short_type(struct hd_sink to, const char *name)
{
    struct text t = {0};
    format_short_place(&t, name);
    model_put(to, &t);
}

bool hd_put_static_field(struct hd_sink to, const char *name)
{
    struct place place = place_of(name);
    struct text field = {0}, t = {0};
    text_add(&field, place.field.at, place.field.len);
    format_name(&t, text_string(&field));
    text_free(&field);
    return model_put(to, &t);
}

void hd_put_value(struct hd_sink to, const struct hd_field *field)
{
    struct text words = {0}, shown = {0};
    bool refers = field->kind == HD_FIELD_REFERENCE;
    if (field->text != NULL)
        object_add_quoted(&words, field->text, field->is_cut);
    else if (field->is_redacted)
        object_add_plain(&words, field);
    else if (refers && field->boxed != NULL)
        object_add_value(&words, field->boxed);
    else if (field->is_hidden && !refers)
        text_add_string(&words, "not shown");
    else if (refers)
        text_add_string(&words,
                        field->number == 0 && field->to == HD_NO_OBJECT ? "null" : "");
    else
        object_add_value(&words, field);
    format_name(&shown, text_string(&words));
    model_put(to, &shown);
    text_free(&words);
}
