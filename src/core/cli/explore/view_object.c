/* One object: the chain that keeps it alive, what it refers to, what refers to it. Rows of
 * neighbours are groups of a type: an array of a million orders has one row. */
#include "cli/explore/explore.h"
#include "cli/guard/allocate.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CHAIN = 24, MAX_FIELDS = 1000, MAX_TEXT = 200 };
enum { NAME, OBJECTS, SIZE, GENERATION, PLACE };

/* The kind of a row. */
enum what { HEADING, CHAIN, GAP, FIELD, GROUP, NOTE };

struct object_line {
    enum what what;
    uint32_t number; /* of the object; of a group of several its lowest */
    unsigned depth;
    enum hd_direction direction;
    const struct hd_object_group *group;
    const struct hd_field *field; /* of a FIELD; its name precedes it */
    const char *by;               /* by which field it is referred to, or refers; NULL */
    size_t skipped;
    unsigned part; /* of a note: that is missing */
};

struct object_pane {
    struct view view;
    struct hd_object object;
    struct object_line *rows;
    size_t cap;
    struct hd_object_group *groups[2]; /* by direction */
    size_t group_count[2];
    struct hd_object_fields fields; /* for an array its groups are shown instead */
    bool values;                    /* strings too, which may be secrets */
    bool knows_retained;
    uint64_t retained; /* HD_UNKNOWN */
};

static const struct object_pane *object_of(const struct view *v)
{
    return (const struct object_pane *)v;
}

/* --- what the rows are ----------------------------------------------------------- */

static struct object_line *object_add_row(struct object_pane *o, enum what what)
{
    if (o->view.rows == o->cap) {
        o->cap = o->cap > 0 ? 2 * o->cap : 32;
        o->rows = more(o->rows, o->cap * sizeof(*o->rows));
    }
    struct object_line *r = &o->rows[o->view.rows++];
    *r = (struct object_line){.what = what};
    return r;
}

static void object_add_groups(struct object_pane *o, const struct explore *e,
                              enum hd_direction direction)
{
    unsigned part = direction == HD_REFERS_TO ? HD_OBJECTS_GRAPH : HD_OBJECTS_REFERRERS;
    struct object_line *heading = object_add_row(o, HEADING);
    heading->direction = direction;
    heading->part = part;
    free(o->groups[direction]);
    o->groups[direction] = hd_object_groups(e->objects, o->object.number, direction,
                                            &o->group_count[direction]);
    for (size_t i = 0; i < o->group_count[direction]; i++) {
        struct object_line *r = object_add_row(o, GROUP);
        r->group = &o->groups[direction][i];
        r->number = r->group->first;
        r->direction = direction;
        r->by = r->group->field;
    }
    if (o->group_count[direction] == 0) {
        struct object_line *note = object_add_row(o, NOTE);
        note->part = part;
        note->direction = direction;
    }
}

/* Named fields also show the references. */
static bool add_fields(struct object_pane *o, const struct explore *e)
{
    struct hd_object_fields *f = &o->fields;
    hd_object_fields_free(f);
    hd_object_fields(e->objects, o->object.number, 0, MAX_FIELDS, o->values ? MAX_TEXT : 0,
                     f);
    if (!f->are_named || f->is_array || f->len == 0)
        return false;
    struct object_line *heading = object_add_row(o, HEADING);
    heading->part = HD_OBJECTS_GRAPH;
    heading->field = f->all;
    for (size_t i = 0; i < f->len; i++) {
        struct object_line *r = object_add_row(o, FIELD);
        r->field = &f->all[i];
        r->number = f->all[i].kind == HD_FIELD_REFERENCE ? f->all[i].to : HD_NO_OBJECT;
    }
    return true;
}

static void object_refresh(struct view *v)
{
    struct object_pane *o = (struct object_pane *)v;
    const struct explore *e = v->e;
    o->view.rows = 0;
    if (e->objects == NULL || !hd_object(e->objects, o->object.number, &o->object))
        return;
    uint32_t numbers[MAX_CHAIN];
    size_t skipped, at, count;
    object_add_row(o, HEADING)->part = HD_OBJECTS_CHAINS;
    count =
        hd_object_chain(e->objects, o->object.number, numbers, MAX_CHAIN, &skipped, &at);
    for (size_t i = 0; i < count; i++) {
        if (skipped > 0 && i == at) {
            struct object_line *gap = object_add_row(o, GAP);
            gap->skipped = skipped;
            gap->depth = (unsigned)i;
        }
        struct object_line *r = object_add_row(o, CHAIN);
        r->number = numbers[i];
        r->depth = (unsigned)i;
        if (i > 0 && (skipped == 0 || i != at))
            r->by = hd_object_field(e->objects, numbers[i - 1], numbers[i]);
    }
    if (count == 0)
        object_add_row(o, NOTE)->part = HD_OBJECTS_CHAINS;
    if (!add_fields(o, e))
        object_add_groups(o, e, HD_REFERS_TO);
    object_add_groups(o, e, HD_REFERRED_BY);
}

/* --- rows ------------------------------------------------------------------------ */

static size_t object_columns(const struct view *v, struct hd_column *all)
{
    bool ages = v->e->model->snapshots[v->e->snapshot].info.has_generations;
    all[NAME] = (struct hd_column){"", "type", HD_CELL_TYPE, .width = 0};
    all[OBJECTS] = (struct hd_column){"objects", "objects", HD_CELL_COUNT, .width = 9};
    all[SIZE] = (struct hd_column){"bytes", "bytes", HD_CELL_SIZE, .width = 10};
    all[GENERATION] = (struct hd_column){"gen", "generation", HD_CELL_WORD, .width = 7,
                                         .from_width = ages ? 60 : UINT32_MAX};
    all[PLACE] = (struct hd_column){"address", "address", HD_CELL_OBJECT, .width = 15,
                                    .from_width = 70};
    return 5;
}

static const char *heading_of(const struct explore *e, const struct object_pane *o,
                              const struct object_line *r)
{
    bool garbage = (e->ready & HD_OBJECTS_CHAINS) &&
                   hd_object_root(e->objects, o->object.number) == HD_ROOT_UNREACHABLE;
    if (r->part == HD_OBJECTS_CHAINS)
        return garbage ? "unreachable; from an object that refers to it"
                       : "chain from the root";
    if (r->field != NULL)
        return o->values ? "fields" : "fields (v: with text)";
    return r->direction == HD_REFERS_TO ? "refers to" : "referred to by";
}

static void object_cells(const struct explore *e, uint32_t number, struct row *row)
{
    struct hd_object o;
    if (!hd_object(e->objects, number, &o))
        return;
    row->name = o.type;
    row->shown = o.full_name != NULL ? o.full_name : o.type;
    row->cells[NAME] = OWNER(o.kind == HD_OBJECT ? LOOK_PLAIN : LOOK_DIM, row->shown);
    if (o.kind != HD_OBJECT)
        return;
    row->has_bytes = true;
    row->bytes = o.bytes;
    row->cells[SIZE] = BYTES(o.bytes);
    if (o.generation != HD_GEN_UNKNOWN)
        row->cells[GENERATION] = WORD(hd_generation_name(o.generation));
    if (o.address != 0)
        row->cells[PLACE] = ADDRESS(o.address);
}

static void group_cells(const struct object_line *r, struct row *row)
{
    const struct hd_object_group *g = r->group;
    row->cells[OBJECTS] = COUNT(g->objects);
    if (g->objects > 1) {
        row->cells[SIZE] = BYTES(g->bytes);
        row->cells[GENERATION] = row->cells[PLACE] = (struct cell){0};
        row->bytes = g->bytes;
    }
    if (g->references > g->objects) {
        struct hd_memory count = {0};
        hd_put_count(hd_sink_memory(&count), g->references);
        snprintf(row->tail, sizeof(row->tail), "  (%s references)", count.bytes);
        row->tail_look = LOOK_DIM;
        hd_memory_free(&count);
    }
}

/* Sets the lead of an object: its depth in a chain, and the field that refers to it or
 * through which it refers. */
static void put_lead(struct row *row, unsigned depth, const char *field, const char *joint)
{
    struct hd_memory lead = {0};
    struct hd_sink to = hd_sink_memory(&lead);
    print_to(to, "%*s%s", (int)(depth < MAX_CHAIN ? depth : MAX_CHAIN), "",
             depth > 0 ? "└ " : "");
    if (field != NULL)
        PUT(to, "{}{}", NAMED(LOOK_PLAIN, field), WORD(joint));
    row->lead = lead.bytes;
}

static void field_cells(const struct explore *e, const struct hd_field *f, struct row *row)
{
    struct hd_memory lead = {0};
    struct hd_sink to = hd_sink_memory(&lead);
    bool leads_on = f->kind == HD_FIELD_REFERENCE && f->to != HD_NO_OBJECT,
         has_value = f->text != NULL || f->boxed != NULL || f->is_redacted;
    PUT(to, leads_on && !has_value ? "{} → " : "{} = ",
        NAMED(LOOK_PLAIN, f->name != NULL ? f->name : ""));
    hd_put_value(to, f);
    PUT(to, leads_on && has_value ? "  " : "");
    row->lead = lead.bytes;
    row->is_heading = !leads_on;
    if (leads_on)
        object_cells(e, f->to, row);
}

static void object_row(const struct view *v, size_t i, struct row *row)
{
    const struct explore *e = v->e;
    const struct object_line *r = &object_of(v)->rows[i];
    row->is_heading = r->what == HEADING || r->what == GAP || r->what == NOTE;
    switch (r->what) {
    case HEADING:
        row->cells[NAME] = WORD_AS(LOOK_HEAD, heading_of(e, object_of(v), r));
        break;
    case GAP:
        row->cells[NAME] = WORD_AS(LOOK_DIM, "…");
        snprintf(row->tail, sizeof(row->tail), " %zu more", r->skipped);
        row->tail_look = LOOK_DIM;
        break;
    case CHAIN:
        object_cells(e, r->number, row);
        put_lead(row, r->depth, r->by, " → ");
        break;
    case GROUP:
        object_cells(e, r->number, row);
        group_cells(r, row);
        put_lead(row, 0, r->by, r->direction == HD_REFERS_TO ? " → " : " of ");
        break;
    case FIELD:
        field_cells(e, r->field, row);
        break;
    case NOTE:
        row->cells[NAME] = WORD_AS(
            LOOK_DIM, (e->ready & r->part) == r->part ? "nothing" : "not found yet");
        break;
    }
}

/* --- words ----------------------------------------------------------------------- */

static void object_title(const struct view *v, struct hd_sink to)
{
    const struct hd_object *o = &object_of(v)->object;
    PUT(to, "{}", SHORT(o->full_name != NULL ? o->full_name : o->type));
    if (o->kind != HD_OBJECT) {
        PUT(to, o->kind == HD_OBJECT_ROOTS ? "  a root" : "  not described");
        return;
    }
    if (o->address != 0)
        PUT(to, "  {}", ADDRESS(o->address));
    PUT(to, "  {}", BYTES(o->bytes));
    if (object_of(v)->knows_retained && object_of(v)->retained != HD_UNKNOWN)
        PUT(to, ", retains {}", BYTES(object_of(v)->retained));
    if (o->generation != HD_GEN_UNKNOWN)
        PUT(to, "  {}", WORD(hd_generation_name(o->generation)));
    PUT(to, "  1 of {}, object {}", COUNT(o->instances), NUMBER(o->number));
    if (v->e->model->snapshot_count > 1)
        PUT(to, ", snapshot {}", NUMBER(v->e->snapshot + 1));
}

static void object_empty(const struct view *v, struct hd_sink to)
{
    put_progress(v->e, HD_OBJECTS_GRAPH, to);
}

static bool object_detail(const struct view *v, unsigned i, struct hd_sink to)
{
    if (i > 0 || v->cursor >= v->rows)
        return false;
    struct row r = view_row(v, v->cursor);
    row_free(&r);
    if (r.shown != NULL)
        PUT(to, "type     {}", NAMED(LOOK_PLAIN, r.shown));
    return r.shown != NULL;
}

/* The name for several objects, and without an address. */
static bool object_copied(const struct view *v, size_t i, struct hd_sink to)
{
    const struct object_line *r = &object_of(v)->rows[i];
    bool is_one = r->what != GROUP || r->group->objects == 1;
    if (is_one && r->number != HD_NO_OBJECT && put_address(v->e, r->number, to))
        return true;
    struct row row = view_row(v, i);
    if (row.shown != NULL)
        hd_put_name(to, row.shown);
    row_free(&row);
    return row.shown != NULL;
}

/* From the root to the object, with the fields that are known. */
static bool object_chain(const struct view *v, size_t i, struct hd_sink to)
{
    const struct object_pane *all = object_of(v);
    struct hd_object o, before = {0};
    bool begun = false;
    (void)i;
    for (size_t k = 0; k < v->rows; k++) {
        const struct object_line *r = &all->rows[k];
        if (r->what == GAP)
            PUT(to, " → … {} more", NUMBER(r->skipped));
        if (r->what != CHAIN || !hd_object(v->e->objects, r->number, &o))
            continue;
        if (r->by != NULL && before.type != NULL)
            hd_put_field(to, before.type, r->by);
        PUT(to, begun ? " → {}" : "{}", SHORT(o.full_name != NULL ? o.full_name : o.type));
        before = o;
        begun = true;
    }
    return begun;
}

static void object_enter(struct view *v, size_t i)
{
    struct explore *e = v->e;
    const struct object_line *r = &object_of(v)->rows[i];
    if (r->what == GROUP && r->group->objects > 1)
        explore_open(e, neighbours_view(e, object_of(v)->object.number, r->direction,
                                        r->group->type, r->group->full_name));
    else if (r->number != object_of(v)->object.number)
        explore_open(e, object_view(e, r->number));
    else
        explore_message(e, "This object is already shown.");
}

static bool object_key(struct view *v, uint32_t pressed)
{
    struct object_pane *o = (struct object_pane *)v;
    if (pressed != 'v')
        return false;
    o->values = !o->values;
    object_refresh(v);
    if (!o->fields.are_named)
        explore_message(v->e, "Field names need a core dump; this snapshot has none.");
    return true;
}

static bool object_waits(struct view *v)
{
    struct object_pane *o = (struct object_pane *)v;
    if (!o->knows_retained)
        o->knows_retained =
            hd_object_retained(v->e->objects, o->object.number, &o->retained);
    return !o->knows_retained;
}

static bool object_forget(struct view *v)
{
    (void)v;
    return false;
}

static void object_release(struct view *v)
{
    struct object_pane *o = (struct object_pane *)v;
    free(o->groups[0]);
    free(o->groups[1]);
    hd_object_fields_free(&o->fields);
    free(o->rows);
}

static const struct view_kind kind = {
    .name = "object",
    .place = IN_OBJECT,
    .columns = object_columns,
    .row = object_row,
    .title = object_title,
    .empty = object_empty,
    .copied = object_copied,
    .chain = object_chain,
    .detail = object_detail,
    .detail_lines = 1,
    .enter = object_enter,
    .key = object_key,
    .refresh = object_refresh,
    .waits = object_waits,
    .forget = object_forget,
    .free = object_release,
};

struct view *object_view(struct explore *e, uint32_t number)
{
    struct object_pane *o = view_new(e, &kind, sizeof(*o));
    o->object.number = number;
    object_refresh(&o->view);
    view_go(&o->view, 0);
    return &o->view;
}
