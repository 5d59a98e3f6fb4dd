/* One object: what it is, what it is made of, its neighbours, what keeps it alive. */
#include "document/build.h"

#include "base/c_locale.h"
#include "heap/names.h"
#include "report/object_words.h"

#include <inttypes.h>
#include <string.h>

/* --- words ----------------------------------------------------------------------- */

static void add_type(struct build *b, struct doc_runs *to, const char *type,
                     const char *full_name)
{
    if (full_name != NULL)
        build_name(b, to, full_name);
    else
        build_type(b, to, type);
}

static struct doc_runs *next_cell(struct build *b)
{
    return &b->row->cells[b->cell++].words;
}

static struct doc_section *begin_topic(struct build *b, const char *title)
{
    struct doc_section *s = doc_topic(b->doc, title, NULL);
    if (b->words.len > 0)
        s->remark = doc_string(b->doc, text_string(&b->words));
    text_clear(&b->words);
    return s;
}

/* --- what it is ------------------------------------------------------------------ */

static struct doc_runs *begin_fact(struct build *b, struct doc_facts *f, const char *name)
{
    return doc_piece(b->doc, &doc_fact(b->doc, f, name)->value, "");
}

static void add_place(struct build *b, struct doc_facts *f, const struct hd_instance *x)
{
    struct doc_runs *to = begin_fact(b, f, "address");
    build_add_address(b, x->object.address);
    if (x->offset > 0) {
        text_add_string(&b->words, "; ");
        build_add_address(b, x->asked);
        text_add_string(&b->words, " is inside it, ");
        format_plural(&b->words, x->offset, "byte");
        text_add_string(&b->words, " behind its beginning");
    }
    build_end(b, to);
    build_number(b, begin_fact(b, f, "number"), x->object.number);
}

static void add_reachable(struct build *b, struct doc_facts *f, const struct hd_instance *x)
{
    struct doc_runs *to = begin_fact(b, f, "reachable");
    if (!x->has_roots) {
        build_words(b, to, "not known: the snapshot has no roots");
        return;
    }
    if (!x->object.is_reachable) {
        build_words(b, to, "no: no root reaches it");
        return;
    }
    text_add_string(&b->words, "yes (");
    object_add_root_kind(&b->words, x->root);
    text_add_char(&b->words, ')');
    build_end(b, to);
}

/* "since snapshot 3 of 6"; of one snapshot there is nothing to say. */
static void add_since(struct build *b, struct doc_facts *f, const struct hd_instance *x)
{
    if (b->r->snapshot_count < 2 || x->object.kind != HD_OBJECT)
        return;
    struct doc_runs *to = begin_fact(b, f, "there");
    if (x->since == (size_t)-1) {
        build_words(b, to, "since when is not known");
        return;
    }
    text_add_string(&b->words,
                    x->since == 0 ? "since before the first of " : "since snapshot ");
    if (x->since > 0) {
        format_count(&b->words, x->since + 1);
        text_add_string(&b->words, " of ");
    }
    format_count(&b->words, b->r->snapshot_count);
    text_add_string(&b->words, x->since == 0 ? " snapshots" : "");
    build_end(b, to);
}

static void add_kind(struct build *b, struct doc_facts *f, const struct hd_object *o)
{
    if (o->kind == HD_OBJECT)
        return;
    build_words(b, begin_fact(b, f, "kind"),
                o->kind == HD_OBJECT_ROOTS ? "a group of roots or a variable: no object"
                                           : "referred to, but not described");
}

static void add_retained(struct build *b, struct doc_facts *f, uint64_t retained)
{
    if (retained == HD_UNKNOWN)
        return;
    struct doc_runs *to = begin_fact(b, f, "retains");
    format_size(&b->words, retained);
    build_end(b, to);
}

static void add_size(struct build *b, struct doc_facts *f, const struct hd_instance *x)
{
    const struct hd_object *o = &x->object;
    if (o->kind != HD_OBJECT) {
        add_retained(b, f, x->retained);
        return;
    }
    struct doc_runs *to = begin_fact(b, f, "size");
    format_size(&b->words, o->bytes);
    build_end(b, to);
    add_retained(b, f, x->retained);
    if (o->generation != HD_GEN_UNKNOWN)
        build_words(b, begin_fact(b, f, "generation"), generation_names[o->generation]);
    to = begin_fact(b, f, "instances");
    format_count(&b->words, o->instances);
    text_add_string(&b->words, " of its type");
    build_end(b, to);
}

/* A Uri has text, others a value. */
static void add_self(struct build *b, struct doc_facts *f, const struct hd_field *self)
{
    if (self == NULL)
        return;
    struct doc_runs *to = begin_fact(b, f, "value");
    if (self->text != NULL)
        build_text(b, to, self->text, self->is_cut);
    else
        build_value(b, to, self);
}

static void add_facts(struct build *b, struct doc_section *s, const struct hd_instance *x)
{
    struct doc_facts *f = &doc_block(b->doc, s, DOC_FACTS)->facts;
    const struct hd_object *o = &x->object;
    add_type(b, begin_fact(b, f, "type"), o->type, o->full_name);
    add_kind(b, f, o);
    if (o->module != NULL)
        build_name(b, begin_fact(b, f, "module"), o->module);
    add_self(b, f, x->fields.self);
    add_place(b, f, x);
    add_size(b, f, x);
    add_since(b, f, x);
    add_reachable(b, f, x);
    struct doc_runs *to = begin_fact(b, f, "references");
    format_count(&b->words, o->references);
    text_add_string(&b->words, " from it, ");
    format_count(&b->words, o->referrers);
    text_add_string(&b->words, " to it");
    build_end(b, to);
    build_file(b, begin_fact(b, f, "snapshot"), b->r->snapshot_count - 1);
}

/* --- what it is made of ---------------------------------------------------------- */

/* Of a reference the type of what is there; what was declared may be an interface. */
static void add_field(struct build *b, struct doc_table *t, const struct hd_field *f)
{
    build_row(b, t, DOC_ROW);
    build_quoted(b, next_cell(b), f->name != NULL ? f->name : "-");
    build_value(b, next_cell(b), f);
    if (f->to_type != NULL)
        build_cell_type(b, f->to_type);
    else
        build_cell_name(b, f->type != NULL ? f->type : "-");
}

static void add_field_table(struct build *b, struct doc_section *s,
                            const struct hd_object_fields *f)
{
    const struct doc_column columns[] = {
        {.title = f->is_array ? "element" : "field", .gives_way = true},
        {.title = "value", .gives_way = true},
        {.title = "type", .is_subject = true}};
    struct doc_table *t = build_table(b, s, columns, 3);
    for (size_t i = 0; i < f->len; i++)
        add_field(b, t, &f->all[i]);
    build_rest(b, t, f->count - f->first - f->len);
}

/* Without names: a reference per row, in the order of the file. */
static void add_reference_table(struct build *b, struct doc_section *s,
                                const struct hd_object_fields *f)
{
    static const struct doc_column columns[] = {{.title = "object"},
                                                {.title = "type", .is_subject = true}};
    struct doc_table *t = build_table(b, s, columns, 2);
    for (size_t i = 0; i < f->len; i++) {
        build_row(b, t, DOC_ROW);
        build_place(b, next_cell(b), f->all[i].number, f->all[i].to);
        build_cell_type(b, f->all[i].to_type);
    }
    build_rest(b, t, f->count - f->first - f->len);
}

static bool any_is_hidden(const struct hd_object_fields *f)
{
    for (size_t i = 0; i < f->len; i++)
        if (f->all[i].is_hidden)
            return true;
    return f->is_hidden;
}

static void add_text(struct build *b, const struct hd_object_fields *f)
{
    if (f->count > 0) {
        format_plural(&b->words, f->count, "character");
        text_add_string(&b->words, " of UTF-16");
    }
    struct doc_section *s = begin_topic(b, "Text");
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    l->wraps = true;
    if (f->text != NULL)
        build_text(b, doc_piece(b->doc, l, ""), f->text, f->is_cut);
    else
        build_words(b, doc_piece(b->doc, l, ""), f->is_redacted ? "redacted" : "not shown");
}

static void add_hidden(struct build *b, struct doc_section *s)
{
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    struct doc_runs *to = doc_piece(b->doc, l, "");
    l->wraps = true;
    doc_run(b->doc, to, DOC_CODE, "--values");
    build_words(b, to, " shows text, and what arrays hold: they may be secrets");
}

/* What there is to say about a list: that it is cut, that nobody knows its names. */
static void add_part_counts(struct build *b, const struct hd_object_fields *f)
{
    if (!f->are_named)
        text_add_string(&b->words, "format has no field names");
    if (f->count == f->len)
        return;
    text_add_string(&b->words, f->are_named ? "" : ", ");
    format_count(&b->words, f->len);
    text_add_string(&b->words, " of ");
    format_count(&b->words, f->count);
}

static void add_parts(struct build *b, const struct hd_instance *x)
{
    const struct hd_object_fields *f = &x->fields;
    struct doc_section *s;
    if (f->is_hidden || f->is_redacted || f->text != NULL) {
        add_text(b, f);
    } else if (f->len > 0) {
        add_part_counts(b, f);
        s = begin_topic(b, !f->are_named ? "References"
                           : f->is_array ? "Elements"
                                         : "Fields");
        if (f->are_named)
            add_field_table(b, s, f);
        else
            add_reference_table(b, s, f);
    } else if (f->are_named && names_is_array(x->object.type)) {
        text_add_string(&b->words, "none");
        begin_topic(b, "Elements");
    }
    if (any_is_hidden(f))
        add_hidden(b, &b->doc->sections[b->doc->section_count - 1]);
}

/* --- neighbours ------------------------------------------------------------------ */

static bool has_fields(const struct hd_instance_group *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].group.field != NULL)
            return true;
    return false;
}

static void add_group(struct build *b, struct doc_table *t,
                      const struct hd_instance_group *g, bool with_field)
{
    build_row(b, t, DOC_ROW);
    format_count(&b->words, g->group.objects);
    build_cell(b);
    format_count(&b->words, g->group.references);
    build_cell(b);
    if (g->group.kind == HD_OBJECT)
        format_size(&b->words, g->group.bytes);
    build_cell(b);
    text_add_string(&b->words, g->group.objects > 1 ? "e.g. " : "");
    build_place(b, next_cell(b), g->address, g->group.first);
    if (with_field)
        build_quoted(b, next_cell(b), g->group.field != NULL ? g->group.field : "-");
    add_type(b, next_cell(b), g->group.type, g->group.full_name);
}

static void add_groups(struct build *b, const char *title,
                       const struct hd_instance_group *all, size_t count)
{
    enum { ROOM_FOR_REFERENCES = 100, ROOM_FOR_SIZE = 70 };
    if (count == 0)
        return;
    bool fields = has_fields(all, count);
    const struct doc_column field = {.title = "field", .gives_way = true},
                            type = {.title = "type", .is_subject = true};
    const struct doc_column columns[] = {
        {.title = "objects", .align = DOC_RIGHT},
        {.title = "references", .align = DOC_RIGHT, .from_width = ROOM_FOR_REFERENCES},
        {.title = "bytes", .align = DOC_RIGHT, .from_width = ROOM_FOR_SIZE},
        {.title = "object"},
        fields ? field : type,
        type};
    size_t shown = report_rows(b->r, count);
    struct doc_table *t = build_table(b, begin_topic(b, title), columns, fields ? 6 : 5);
    for (size_t i = 0; i < shown; i++)
        add_group(b, t, &all[i], fields);
    build_rest(b, t, count - shown);
}

/* Of a root what it is, of an object what keeps that alive. */
static void add_holder(struct build *b, struct doc_table *t,
                       const struct hd_object_holder *h, bool with_field, bool with_root)
{
    build_row(b, t, DOC_ROW);
    format_count(&b->words, h->references);
    build_cell(b);
    if (h->object.kind == HD_OBJECT) {
        build_place(b, next_cell(b), h->object.address, h->object.number);
        format_size(&b->words, h->object.bytes);
    } else {
        build_number(b, next_cell(b), h->object.number);
    }
    build_cell(b);
    if (with_field)
        build_quoted(b, next_cell(b), h->field != NULL ? h->field : "-");
    add_type(b, next_cell(b), h->object.type, h->object.full_name);
    if (with_root) {
        object_add_root_kind(&b->words, h->root);
        build_cell(b);
    }
}

/* All of them, one by one: who asks what holds an object wants each. */
static void add_holders(struct build *b, const struct hd_instance *x)
{
    enum { ROOM_FOR_REFERENCES = 100, ROOM_FOR_SIZE = 90, ROOM_FOR_ROOT = 70 };
    bool fields = false;
    for (size_t i = 0; i < x->holder_count && !fields; i++)
        fields = x->holders[i].field != NULL;
    if (x->holder_count == 0)
        return;
    const struct doc_column all[] = {
        {.title = "references", .align = DOC_RIGHT, .from_width = ROOM_FOR_REFERENCES},
        {.title = "object"},
        {.title = "bytes", .align = DOC_RIGHT, .from_width = ROOM_FOR_SIZE},
        {.title = "field", .gives_way = true},
        {.title = "type", .is_subject = true},
        {.title = "held by", .from_width = ROOM_FOR_ROOT}};
    struct doc_column columns[6];
    size_t count = 0;
    for (size_t i = 0; i < 6; i++)
        if ((i != 3 || fields) && (i != 5 || x->has_roots))
            columns[count++] = all[i];
    struct doc_table *t = build_table(b, begin_topic(b, "Referred to by"), columns, count);
    for (size_t i = 0; i < x->holder_count; i++)
        add_holder(b, t, &x->holders[i], fields, x->has_roots);
    build_rest(b, t, x->holders_omitted);
}

/* --- what keeps it alive --------------------------------------------------------- */

static bool chain_has_fields(const struct hd_instance *x)
{
    for (size_t i = 0; i < x->chain_len; i++)
        if (x->chain[i].field != NULL)
            return true;
    return false;
}

static void add_link(struct build *b, struct doc_table *t, const struct hd_instance_link *l,
                     bool with_generation, bool with_field)
{
    const struct hd_object *o = &l->object;
    build_row(b, t, DOC_ROW);
    struct doc_runs *to = next_cell(b);
    if (o->kind == HD_OBJECT)
        build_place(b, to, o->address, o->number);
    if (o->kind == HD_OBJECT)
        format_size(&b->words, o->bytes);
    build_cell(b);
    if (with_generation)
        build_cell_words(
            b, o->generation != HD_GEN_UNKNOWN ? generation_names[o->generation] : "");
    add_type(b, next_cell(b), o->type, o->full_name);
    if (with_field && l->field != NULL)
        build_quoted(b, next_cell(b), l->field);
}

static void add_chain(struct build *b, const struct hd_instance *x)
{
    enum { ROOM_FOR_SIZE = 100, ROOM_FOR_GENERATION = 110 };
    bool lost = !x->object.is_reachable;
    if (x->chain_len < (lost ? 2 : 1))
        return;
    bool ages = b->r->snapshots[b->r->snapshot_count - 1].info.has_generations,
         fields = chain_has_fields(x);
    const struct doc_column all[] = {
        {.title = "object"},
        {.title = "bytes", .align = DOC_RIGHT, .from_width = ROOM_FOR_SIZE},
        {.title = "gen", .from_width = ROOM_FOR_GENERATION},
        {.title = "type", .is_subject = true},
        {.title = "refers on by", .gives_way = true}};
    struct doc_column columns[5];
    size_t count = 0;
    for (size_t i = 0; i < 5; i++)
        if ((i != 2 || ages) && (i != 4 || fields))
            columns[count++] = all[i];
    text_add_string(&b->words, lost ? "no root reaches it; this refers to it" : "");
    struct doc_section *s = begin_topic(b, lost ? "Chain" : "Chain from the root");
    struct doc_table *t = build_table(b, s, columns, count);
    for (size_t i = 0; i < x->chain_len; i++) {
        if (x->chain_skipped > 0 && i == x->chain_skipped_at)
            build_rest(b, t, x->chain_skipped);
        add_link(b, t, &x->chain[i], ages, fields);
    }
}

/* --- all of it ------------------------------------------------------------------- */

/* What a page has as its heading. */
static void add_summary(struct build *b, const struct hd_object *o)
{
    struct doc_runs *to = &b->doc->summary;
    add_type(b, to, o->type, o->full_name);
    build_words(b, to, " ");
    if (o->address == 0) {
        build_number(b, to, o->number);
        return;
    }
    build_add_address(b, o->address);
    doc_run(b->doc, to, DOC_CODE, text_string(&b->words));
    text_clear(&b->words);
}

void build_object(struct build *b)
{
    const struct hd_instance *x = &b->r->instance;
    add_summary(b, &x->object);
    add_facts(b, doc_section(b->doc, DOC_PLAIN), x);
    add_parts(b, x);
    /* Of references by name it tells only how many of a kind there are. */
    if (x->fields.count > x->fields.len)
        add_groups(b, "Refers to", x->refers_to, x->refers_to_count);
    if (x->holders_omitted > 0)
        add_groups(b, "Referred to by, by type", x->referred_by, x->referred_by_count);
    add_holders(b, x);
    add_chain(b, x);
}
