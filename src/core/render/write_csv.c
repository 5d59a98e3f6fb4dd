/* CSV (RFC 4180, LF) and TSV: a row per type, finding or place, depending on the report;
 * exact integers, unknown cells empty. The output of `top` is itself an input format. */
#include "base/text.h"
#include "render/writer.h"
#include "report/object_words.h"
#include "report/phrases.h"
#include "report/records.h"

#include <string.h>

static void put_table(struct csv_writer *csv, const struct record *r, const void *all,
                      size_t len, const struct record_walk *w)
{
    csv_record_titles(csv, r, w);
    csv_record_rows(csv, r, all, len, w);
}

static void write_tree(const struct hd_model *m, struct csv_writer *csv)
{
    struct tree_frames f = tree_frames_of(m->tree);
    put_table(csv, &record_node, m->tree->nodes, m->tree->len,
              &(struct record_walk){.snapshots = m->snapshot_count, .context = &f});
    tree_frames_free(&f);
}

/* --- files --------------------------------------------------------------------------- */

/* For a file that is not a snapshot only the error is known. */
static void write_info(const struct hd_model *m, struct csv_writer *csv)
{
    struct record_walk w = {0};
    csv_record_titles(csv, &record_file, &w);
    for (size_t k = 0; k < m->snapshot_count; k++) {
        const struct hd_snapshot_facts *s = &m->snapshots[k];
        csv_record_rows(csv, s->error.status != HD_OK ? &record_failed_cells : &record_file,
                        s, 1, &w);
    }
}

/* --- why something is alive ---------------------------------------------------------- */

#define T struct hd_chain_row

static void add_share(struct text *t, double share)
{
    char s[32];
    c_snprintf(s, sizeof(s), "%.6g", share);
    text_add_string(t, s);
}

WORDS(add_chain_share, add_share(t, x->chain.share))
WORDS(add_share_low, add_share(t, x->chain.low))
WORDS(add_share_high, add_share(t, x->chain.high))

static void add_frames(struct text *t, const void *of, const struct record_walk *w)
{
    const struct hd_chain *c = &((const T *)of)->chain;
    (void)w;
    for (size_t i = 0; i < c->frame_count; i++) {
        struct hd_frame plain = c->frames[i];
        text_add_string(t, i > 0 ? " → " : "");
        memset(plain.shown, 0, sizeof(plain.shown));
        format_frame(t, &plain, false);
    }
}

NAMES(root_kind)

static const struct record_field chain_cells[] = {
    IN_TABLES("root_kind", CHOICE(chain.kind, root_kind_word, HD_ROOT_KIND_COUNT)),
    IN_TABLES("share", CSV_CELL(add_chain_share)),
    IN_TABLES("share_low", CSV_CELL(add_share_low)),
    IN_TABLES("share_high", CSV_CELL(add_share_high)),
    IN_TABLES("chain", CSV_CELL(add_frames)),
};
static const struct record record_chain_cells = {
    FIELDS(chain_cells), .csv = "root_kind share share_low share_high chain"};
#undef T

/* --- an object ----------------------------------------------------------------------- */

/* An item that belongs to an object: a field, a group of neighbours, a link. */
struct csv_object_row {
    const char *part, *name, *kind, *type;
    const char *value; /* of a field, or NULL */
    uint64_t number;   /* of an object, or HD_UNKNOWN */
    uint64_t address;  /* or 0 */
    uint64_t objects, references, bytes;
};

#define T struct csv_object_row
static const struct record_field object_cells[] = {
    IN_TABLES("part", TEXT(part)),
    IN_TABLES("name", TEXT(name)),
    IN_TABLES("kind", TEXT(kind)),
    IN_TABLES("type", TEXT(type)),
    IN_TABLES("value", TEXT(value)),
    IN_TABLES("object", UINT64(number)),
    IN_TABLES("address", ADDRESS(address)),
    IN_TABLES("objects", UINT64(objects)),
    IN_TABLES("references", UINT64(references)),
    IN_TABLES("bytes", UINT64(bytes)),
};
static const struct record record_object_cells = {
    FIELDS(object_cells),
    .csv = "part name kind type value object address objects references bytes"};
#undef T

static void add_object_row(struct csv_writer *csv, const struct csv_object_row *row)
{
    csv_record_rows(csv, &record_object_cells, row, 1, &(struct record_walk){0});
}

static void add_object_fields(struct csv_writer *s, const struct hd_object_fields *fields)
{
    struct text value = {0};
    for (size_t i = 0; i < fields->len; i++) {
        const struct hd_field *f = &fields->all[i];
        bool refers = f->kind == HD_FIELD_REFERENCE;
        text_clear(&value);
        object_add_cell(&value, f);
        add_object_row(s, &(struct csv_object_row){
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
        add_object_row(s, &(struct csv_object_row){part, g->field,
                                                   hd_object_kind_name(g->kind), g->type,
                                                   NULL, g->first, all[i].address,
                                                   g->objects, g->references, g->bytes});
    }
}

/* Adds the holders one by one; the kind of root is the value. */
static void add_object_holders(struct csv_writer *s, const struct hd_instance *x)
{
    for (size_t i = 0; i < x->holder_count; i++) {
        const struct hd_object_holder *h = &x->holders[i];
        const struct hd_object *o = &h->object;
        add_object_row(s, &(struct csv_object_row){
                              "holder", h->field, hd_object_kind_name(o->kind), o->type,
                              x->has_roots ? hd_root_kind_name(h->root) : NULL, o->number,
                              o->address, HD_UNKNOWN, h->references, o->bytes});
    }
}

static void write_object(const struct hd_model *m, struct csv_writer *s)
{
    const struct hd_instance *x = m->instance;
    const struct hd_object *o = &x->object;
    csv_record_titles(s, &record_object_cells, &(struct record_walk){0});
    add_object_row(s,
                   &(struct csv_object_row){"object", NULL, hd_object_kind_name(o->kind),
                                            o->type, x->fields.text, o->number, o->address,
                                            o->instances, o->references, o->bytes});
    add_object_fields(s, &x->fields);
    add_object_groups(s, "refers_to", x->refers_to, model_rows(m, x->refers_to_count));
    add_object_groups(s, "referred_by", x->referred_by,
                      model_rows(m, x->referred_by_count));
    add_object_holders(s, x);
    for (size_t i = 0; i < x->chain_len; i++) {
        const struct hd_object *link = &x->chain[i].object;
        add_object_row(s, &(struct csv_object_row){
                              "chain", x->chain[i].field, hd_object_kind_name(link->kind),
                              link->type, NULL, link->number, link->address, HD_UNKNOWN,
                              HD_UNKNOWN, link->bytes});
    }
}

static void write_table(const struct hd_model *m, struct csv_writer csv)
{
    const struct hd_type_table *types = NULL;
    struct record_walk w = {.context = m};
    switch (m->kind) {
    case HD_REPORT_DIFF:
    case HD_REPORT_TOP:
        types = model_table(m);
        w = (struct record_walk){m->snapshot_count, .title = hd_unit_name(m->by)};
        put_table(&csv, m->top != NULL ? &record_top_row : &record_row, types->rows,
                  types->shown, &w);
        break;
    case HD_REPORT_ROOTS:
        put_table(&csv, &record_chain_cells, m->roots->chains.all, m->roots->chains.len,
                  &w);
        break;
    case HD_REPORT_INFO:
        write_info(m, &csv);
        break;
    case HD_REPORT_CHECK:
        put_table(&csv, &record_rule_cells, m->check->rules, m->check->rule_count, &w);
        break;
    case HD_REPORT_TREE:
        write_tree(m, &csv);
        break;
    case HD_REPORT_PROCESSES:
        put_table(&csv, &record_process, m->processes->all, m->processes->count, &w);
        break;
    case HD_REPORT_OBJECT:
        write_object(m, &csv);
        break;
    case HD_REPORT_FLEET:
        csv_fleet(&csv, m->fleet);
        break;
    case HD_REPORT_OBJECTS:
        put_table(&csv, &record_object_row, m->objects->rows, m->objects->len, &w);
        break;
    case HD_REPORT_STATICS:
        put_table(&csv, &record_static_row, m->statics->rows, m->statics->len, &w);
        break;
    default:
        break;
    }
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
