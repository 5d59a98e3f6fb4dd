/* Build reports of objects: one, with its facts, its content, its neighbours and what keeps
 * it alive; the instances of some types; static variables. */
#include "document/build.h"

#include "heap/names.h"
#include "report/object_words.h"
#include "report/text_parts.h"

#include <stdio.h>
#include <string.h>

/* --- words ----------------------------------------------------------------------- */

static struct say_part object_type_of(const char *type, const char *full_name)
{
    return full_name != NULL ? run_name(full_name) : run_type(type);
}

static struct doc_section *begin_topic(struct build *b, const char *title)
{
    struct doc_section *s = doc_topic(b->doc, title, NULL);
    if (b->words.len > 0)
        s->remark = doc_string(b->doc, text_string(&b->words));
    text_clear(&b->words);
    return s;
}

/* An object by its address or, without one, its number, as code: else a page would make it
 * a link to a ticket. */
void build_place(struct build *b, struct doc_runs *to, uint64_t address, uint32_t number)
{
    if (address == 0)
        SAY(b, to, run_code(arena_printf(&b->doc->arena, "#%u", (unsigned)number)));
    else
        SAY(b, to, as_address(address));
}

/* Text of others in quotes. */
static void add_text(struct build *b, struct doc_runs *to, const char *s, bool is_cut)
{
    struct text quoted = {0};
    object_add_quoted(&quoted, s, is_cut);
    SAY(b, to, run_quoted(text_string(&quoted)));
    text_free(&quoted);
}

/* Adds a value that is not a reference. Characters and members are words of others. */
static void add_plain(struct build *b, struct doc_runs *to, const struct hd_field *f)
{
    struct text value = {0};
    if (f->is_hidden) {
        SAY(b, to, "not shown");
    } else if (f->kind == HD_FIELD_CHAR || f->kind == HD_FIELD_ENUM) {
        object_add_value(&value, f);
        SAY(b, to, run_quoted(text_string(&value)));
        text_free(&value);
    } else {
        object_add_plain(&b->words, f);
        build_end(b, to);
    }
}

/* Adds the value of a field, for a reference with its target. */
void build_value(struct build *b, struct doc_runs *to, const struct hd_field *f)
{
    if (f->kind != HD_FIELD_REFERENCE) {
        add_plain(b, to, f);
        return;
    }
    if (f->to != HD_NO_OBJECT)
        build_place(b, to, f->number, f->to);
    else if (f->number == 0)
        SAY(b, to, "null");
    else
        SAY(b, to, as_address(f->number), ", no object");
    if (f->number == 0 && f->to == HD_NO_OBJECT)
        return;
    bool is_text = f->to_type != NULL && strcmp(f->to_type, "System.String") == 0;
    if (f->is_redacted || f->text != NULL || f->boxed != NULL)
        text_add_string(&b->words, "  ");
    if (f->is_redacted)
        SAY(b, to, "redacted");
    else if (f->text != NULL)
        add_text(b, to, f->text, f->is_cut);
    else if (f->boxed != NULL)
        add_plain(b, to, f->boxed);
    else if (f->has_length)
        SAY(b, to, "  ", as_plural(f->length, is_text ? "character" : "element"));
}

/* --- what it is ------------------------------------------------------------------ */

/* "since snapshot 3 of 6"; not for a single snapshot. */
static void object_add_since(struct build *b, struct doc_facts *f,
                             const struct hd_instance *x)
{
    const size_t all = b->r->snapshot_count;
    if (all < 2 || x->object.kind != HD_OBJECT)
        return;
    if (x->since == (size_t)-1)
        FACT(b, f, "there", "since an unknown snapshot");
    else if (x->since == 0)
        FACT(b, f, "there", "since before the first of ", all, " snapshots");
    else
        FACT(b, f, "there", "since snapshot ", x->since + 1, " of ", all);
}

static void object_add_facts(struct build *b, struct doc_section *s,
                             const struct hd_instance *x)
{
    struct doc_facts *f = &doc_block(b->doc, s, DOC_FACTS)->facts;
    const struct hd_object *o = &x->object;
    const struct hd_field *self = x->fields.self;
    FACT(b, f, "type", object_type_of(o->type, o->full_name));
    if (o->kind != HD_OBJECT)
        FACT(b, f, "kind",
             o->kind == HD_OBJECT_ROOTS ? "a group of roots or a variable: no object"
                                        : "referred to, but not described");
    if (o->module != NULL)
        FACT(b, f, "module", run_name(o->module));
    if (self != NULL && self->text != NULL) /* of a Uri */
        add_text(b, build_fact(b, f, "value"), self->text, self->is_cut);
    else if (self != NULL)
        build_value(b, build_fact(b, f, "value"), self);
    struct doc_runs *to = build_fact(b, f, "address");
    SAY(b, to, as_address(o->address));
    if (x->offset > 0)
        SAY(b, to, "; ", as_address(x->asked), " is inside it, ",
            as_plural(x->offset, "byte"), " after its start");
    build_place(b, build_fact(b, f, "number"), 0, o->number);
    bool is_object = o->kind == HD_OBJECT;
    if (is_object)
        FACT(b, f, "size", as_size(o->bytes));
    if (x->retained != HD_UNKNOWN)
        FACT(b, f, "retains", as_size(x->retained));
    if (is_object && o->generation != HD_GEN_UNKNOWN)
        FACT(b, f, "generation", generation_names[o->generation]);
    if (is_object)
        FACT(b, f, "instances", o->instances, " of its type");
    object_add_since(b, f, x);
    if (x->has_roots && o->is_reachable)
        FACT(b, f, "reachable", "yes (", as_root_kind((int)x->root), ")");
    else
        FACT(b, f, "reachable",
             x->has_roots ? "no: no root reaches it"
                          : "not known: the snapshot has no roots");
    FACT(b, f, "references", o->references, " from it, ", o->referrers, " to it");
    FACT(b, f, "snapshot", run_file(b->r->snapshot_count - 1));
}

/* --- what it is made of ---------------------------------------------------------- */

/* For a reference the type of its target; the declared one may be an interface. Without
 * names: a reference per row, in the order of the file. */
static void add_field_table(struct build *b, struct doc_section *s,
                            const struct hd_object_fields *f)
{
    const struct doc_column columns[] = {
        {.title = f->is_array ? "element" : "field",
         .gives_way = true,
         .is_absent = !f->are_named},
        {.title = "value", .gives_way = true, .is_absent = !f->are_named},
        {.title = "object", .is_absent = f->are_named},
        {.title = "type", .is_subject = true}};
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < f->len; i++) {
        const struct hd_field *field = &f->all[i];
        const char *declared = field->type != NULL ? field->type : "-";
        build_row(b, t, DOC_ROW);
        CELL(b, run_quoted(field->name != NULL ? field->name : "-"));
        build_value(b, build_next_cell(b), field);
        build_place(b, build_next_cell(b), field->number, field->to);
        CELL(b, field->to_type != NULL ? run_type(field->to_type) : run_name(declared));
    }
    build_rest(b, t, f->count - f->first - f->len);
}

/* A list may be cut, or have no names. */
static void object_add_parts(struct build *b, const struct hd_instance *x)
{
    const struct hd_object_fields *f = &x->fields;
    bool any_is_hidden = f->is_hidden;
    for (size_t i = 0; i < f->len; i++)
        any_is_hidden |= f->all[i].is_hidden;
    if (f->is_hidden || f->is_redacted || f->text != NULL) {
        if (f->count > 0) {
            say(&b->words, as_plural(f->count, "character"), " of UTF-16");
        }
        struct doc_runs *to = build_wrapped(b, begin_topic(b, "Text"));
        if (f->text != NULL)
            add_text(b, to, f->text, f->is_cut);
        else
            SAY(b, to, f->is_redacted ? "redacted" : "not shown");
    } else if (f->len > 0) {
        text_add_string(&b->words, f->are_named ? "" : "format has no field names");
        if (f->count != f->len) {
            say(&b->words, f->are_named ? "" : ", ", f->len, " of ", f->count);
        }
        add_field_table(b,
                        begin_topic(b, !f->are_named ? "References"
                                       : f->is_array ? "Elements"
                                                     : "Fields"),
                        f);
    } else if (f->are_named && names_is_array(x->object.type)) {
        text_add_string(&b->words, "none");
        begin_topic(b, "Elements");
    }
    if (any_is_hidden)
        PARAGRAPH(b, &b->doc->sections[b->doc->section_count - 1], run_code("--values"),
                  " shows text and the contents of arrays, which may be secrets");
}

/* --- neighbours ------------------------------------------------------------------ */

static void neighbours_add(struct build *b, const char *title,
                           const struct hd_instance_group *all, size_t count)
{
    bool fields = false;
    for (size_t i = 0; i < count; i++)
        fields |= all[i].group.field != NULL;
    const struct doc_column columns[] = {
        {RIGHT("objects")},
        {RIGHT("references"), .from_width = 100},
        {RIGHT("bytes"), .from_width = 70},
        {.title = "object"},
        {.title = "field", .gives_way = true, .is_absent = !fields},
        {.title = "type", .is_subject = true}};
    if (count == 0)
        return;
    size_t shown = report_rows(b->r, count);
    struct doc_table *t = TABLE(b, begin_topic(b, title), columns);
    for (size_t i = 0; i < shown; i++) {
        const struct hd_object_group *g = &all[i].group;
        build_row(b, t, DOC_ROW);
        CELL(b, g->objects);
        CELL(b, g->references);
        CELL(b, say_if(g->kind == HD_OBJECT, as_size(g->bytes)));
        text_add_string(&b->words, g->objects > 1 ? "e.g. " : "");
        build_place(b, build_next_cell(b), all[i].address, g->first);
        CELL(b, run_quoted(g->field != NULL ? g->field : "-"));
        CELL(b, object_type_of(g->type, g->full_name));
    }
    build_rest(b, t, count - shown);
}

/* Lists the referrers one by one: they are the question of the reader. For a root its kind,
 * for an object what keeps it alive. */
static void add_holders(struct build *b, const struct hd_instance *x)
{
    bool fields = false;
    for (size_t i = 0; i < x->holder_count; i++)
        fields |= x->holders[i].field != NULL;
    const struct doc_column columns[] = {
        {RIGHT("references"), .from_width = 100},
        {.title = "object"},
        {RIGHT("bytes"), .from_width = 90},
        {.title = "field", .gives_way = true, .is_absent = !fields},
        {.title = "type", .is_subject = true},
        {.title = "held by", .from_width = 70, .is_absent = !x->has_roots}};
    if (x->holder_count == 0)
        return;
    struct doc_table *t = TABLE(b, begin_topic(b, "Referred to by"), columns);
    for (size_t i = 0; i < x->holder_count; i++) {
        const struct hd_object_holder *h = &x->holders[i];
        const struct hd_object *o = &h->object;
        bool is_object = o->kind == HD_OBJECT;
        build_row(b, t, DOC_ROW);
        CELL(b, h->references);
        build_place(b, build_next_cell(b), is_object ? o->address : 0, o->number);
        CELL(b, say_if(is_object, as_size(o->bytes)));
        CELL(b, run_quoted(h->field != NULL ? h->field : "-"));
        CELL(b, object_type_of(o->type, o->full_name));
        CELL(b, as_root_kind(h->root));
    }
    build_rest(b, t, x->holders_omitted);
}

/* --- what keeps it alive --------------------------------------------------------- */

static void object_add_chain(struct build *b, const struct hd_instance *x)
{
    bool lost = !x->object.is_reachable, fields = false;
    for (size_t i = 0; i < x->chain_len; i++)
        fields |= x->chain[i].field != NULL;
    const struct doc_column columns[] = {
        {.title = "object"},
        {RIGHT("bytes"), .from_width = 100},
        {.title = "gen",
         .from_width = 110,
         .is_absent = !b->r->snapshots[b->r->snapshot_count - 1].info.has_generations},
        {.title = "type", .is_subject = true},
        {.title = "via field", .gives_way = true, .is_absent = !fields}};
    if (x->chain_len < (lost ? 2 : 1))
        return;
    text_add_string(&b->words, lost ? "unreachable; objects that refer to it" : "");
    struct doc_section *s = begin_topic(b, lost ? "Chain" : "Chain from the root");
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < x->chain_len; i++) {
        const struct hd_instance_link *l = &x->chain[i];
        const struct hd_object *o = &l->object;
        if (x->chain_skipped > 0 && i == x->chain_skipped_at)
            build_rest(b, t, x->chain_skipped);
        build_row(b, t, DOC_ROW);
        if (o->kind == HD_OBJECT)
            build_place(b, build_next_cell(b), o->address, o->number);
        else
            CELL(b, "");
        CELL(b, say_if(o->kind == HD_OBJECT, as_size(o->bytes)));
        CELL(b, o->generation != HD_GEN_UNKNOWN ? generation_names[o->generation] : "");
        CELL(b, object_type_of(o->type, o->full_name));
        CELL(b, say_if(l->field != NULL, run_quoted(l->field)));
    }
}

void build_object(struct build *b)
{
    const struct hd_instance *x = &b->r->instance;
    const struct hd_object *o = &x->object;
    /* The heading of a page. */
    SAY(b, &b->doc->summary, object_type_of(o->type, o->full_name), " ");
    if (o->address == 0)
        build_place(b, &b->doc->summary, 0, o->number);
    else
        SAY_AS(b, &b->doc->summary, DOC_CODE, as_address(o->address));
    object_add_facts(b, doc_section(b->doc, DOC_PLAIN), x);
    object_add_parts(b, x);
    /* Without field names it only has the number of references per type. */
    if (x->fields.count > x->fields.len)
        neighbours_add(b, "Refers to", x->refers_to, x->refers_to_count);
    if (x->holders_omitted > 0)
        neighbours_add(b, "Referred to by, by type", x->referred_by, x->referred_by_count);
    add_holders(b, x);
    object_add_chain(b, x);
}

/* --- the instances of some types -------------------------------------------------- */

/* Their owners, retained size, and the largest instances. */

/* "1,200 Session objects", "1,200 Shop.* objects of 3 types", "1,200 objects of 90 types"
 */
static void add_subject(struct build *b, struct doc_runs *to)
{
    const struct hd_object_set *set = &b->r->objects;
    const char *pattern = set->pattern_count == 1 ? set->patterns[0] : "*";
    SAY(b, to, set->all.count, " ");
    if (set->type_count == 1)
        SAY(b, to, run_type(set->types[0].type), " ");
    else if (strcmp(pattern, "*") != 0)
        SAY(b, to, run_name(pattern), " ");
    SAY(b, to, set->all.count == 1 ? "object" : "objects",
        set->type_count > 1 ? " of " : "",
        say_if(set->type_count > 1, as_plural(set->type_count, "type")), " in ",
        run_file(b->r->snapshot_count - 1));
}

static void add_heading(struct build *b, struct doc_section *s)
{
    const struct hd_object_set *set = &b->r->objects;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    add_subject(b, doc_piece(b->doc, l, ""));
    if (set->born_first > 0) {
        text_born(&b->words, set->born_first, set->born_last);
        build_end(b, build_break(b, l, ", "));
    }
    if (set->all.count == 0)
        return;
    PIECE(b, l, ", ", as_size(set->all.bytes));
    if (set->all.retained != HD_UNKNOWN)
        PIECE(b, l, ", ", set->all.count == 1 ? "retains " : "retain ",
              as_size(set->all.retained));
    bool begun = false;
    for (int kind = 0; set->has_roots && kind < HD_ROOT_KIND_COUNT; kind++) {
        if (set->all.held[kind] == 0)
            continue;
        PIECE(b, l, begun ? ", " : "; ", begun ? "" : "held by ", as_root_kind(kind), " ",
              set->all.held[kind]);
        begun = true;
    }
}

static void object_add_types(struct build *b)
{
    const struct hd_object_set *set = &b->r->objects;
    const struct doc_column columns[] = {{RIGHT("count")},
                                         {RIGHT("bytes")},
                                         {RIGHT("retained"), .is_absent = !set->has_roots},
                                         {.title = "type", .is_subject = true},
                                         {.title = "held by",
                                          .gives_way = true,
                                          .from_width = 100,
                                          .is_absent = !set->has_roots}};
    if (set->type_count < 2)
        return;
    struct doc_table *t = TABLE(b, doc_topic(b->doc, "Types", NULL), columns);
    size_t shown = report_rows(b->r, set->type_count);
    for (size_t i = 0; i < shown; i++) {
        const struct hd_object_sum *sum = &set->types[i];
        build_row(b, t, DOC_ROW);
        CELL(b, sum->count);
        CELL(b, as_size(sum->bytes));
        CELL(b, as_size(sum->retained));
        CELL(b, run_type(sum->type));
        struct doc_runs *held = build_next_cell(b); /* "static 1,180, stack 20" */
        for (int kind = 0; kind < HD_ROOT_KIND_COUNT; kind++)
            if (sum->held[kind] > 0)
                SAY(b, held, held->len > 0 ? ", " : "", as_root_kind(kind), " ",
                    sum->held[kind]);
    }
    build_rest(b, t, set->type_count - shown);
}

void build_objects(struct build *b)
{
    const struct hd_object_set *set = &b->r->objects;
    if (b->page != NULL)
        add_subject(b, &b->doc->summary);
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    add_heading(b, s);
    build_selection(b, s);
    object_add_types(b);
    if (set->len == 0)
        return;
    struct doc_table *t =
        build_list(b, doc_topic(b->doc, "Objects", NULL), &record_object_row);
    for (size_t i = 0; i < set->len; i++) {
        build_row(b, t, DOC_ROW);
        build_list_row(b, &set->rows[i]);
    }
    build_rest(b, t, set->omitted);
}

/* --- static variables -------------------------------------------------------------- */

/* Their values, with the retained sizes. */

/* "1,200 static variables in app.core, 12 not set yet" */
static void add_statics(struct build *b, struct doc_runs *to)
{
    const struct hd_static_set *set = &b->r->statics;
    SAY(b, to, as_plural(set->count, "static variable"));
    if (set->pattern_count == 1)
        SAY(b, to, set->count == 1 ? " that matches " : " that match ",
            run_name(set->patterns[0]));
    SAY(b, to, " in ", run_file(0));
    if (set->unset > 0)
        SAY(b, to, ", ", set->unset, " not set yet");
}

/* texts: long values, which then give way. Numbers and addresses do not: half a number is
 * useless. */
void build_statics(struct build *b)
{
    const struct hd_static_set *set = &b->r->statics;
    bool texts = false, any_is_hidden = false;
    for (size_t i = 0; i < set->len; i++) {
        const struct hd_field *f = &set->rows[i].field;
        texts |= f->text != NULL || f->member != NULL;
        any_is_hidden |= f->is_hidden ||
                         (f->to_type != NULL && strcmp(f->to_type, "System.String") == 0);
    }
    if (b->page != NULL)
        add_statics(b, &b->doc->summary);
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    add_statics(b, doc_piece(b->doc, &doc_block(b->doc, s, DOC_PARAGRAPH)->line, ""));
    if (!set->has_values)
        PARAGRAPH(b, s,
                  "only those that refer to an object, without values: these, and numbers, "
                  "are in core dumps");
    s = doc_topic(b->doc, "Static variables", NULL);
    struct doc_table *t = build_list(b, s, &record_static_row);
    for (size_t c = 0; c < t->column_count; c++)
        t->columns[c].gives_way |= texts && strcmp(t->columns[c].title, "value") == 0;
    for (size_t i = 0; i < set->len; i++) {
        const char *class = set->rows[i].declared_by, *field = set->rows[i].field.name;
        build_row(b, t, DOC_ROW);
        build_list_row(b, &set->rows[i]);
        /* "Shop.Store.s_all"; where the class is not known, only the field. */
        SAY(b, &build_cell_of(b, "variable")->words,
            run_name(arena_printf(&b->doc->arena, "%s%s%s", class != NULL ? class : "",
                                  class != NULL && field != NULL ? "." : "",
                                  field != NULL ? field : "")));
    }
    build_rest(b, t, set->omitted);
    if (any_is_hidden && !set->values && set->has_values)
        PARAGRAPH(b, s, run_code("--values"), " shows text, which may be secrets");
}
