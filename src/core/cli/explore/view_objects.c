/* A list of objects: the instances of a type, the objects at a place of the tree, or the
 * neighbours of an object. It may have ten million rows, each of which is built when it is
 * shown; and it may have to wait for parts that the library is building. */
#include "cli/explore/explore.h"
#include "cli/guard/allocate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum source { OF_TYPE, AT_PLACE, NEAR_OBJECT };

struct objects {
    struct view view;
    enum source source;
    enum hd_object_order order;  /* of the list */
    struct hd_object_list *list; /* NULL: not yet, or it cannot be */
    char *type;                  /* of instances and neighbours; NULL: any */
    char *shown;
    struct hd_place_step *steps; /* with strings of their own */
    size_t step_count;
    uint32_t number; /* the object with these neighbours */
    enum hd_direction direction;
    char why[sizeof((struct hd_error){0}.message)];
};

static const struct objects *objects_of(const struct view *v)
{
    return (const struct objects *)v;
}

static char *copy_string(const char *s)
{
    if (s == NULL)
        return NULL;
    size_t size = strlen(s) + 1;
    return memcpy(more(NULL, size), s, size);
}

/* --- the list -------------------------------------------------------------------- */

static unsigned wanted_parts(const struct objects *o)
{
    if (o->source == NEAR_OBJECT && o->direction == HD_REFERRED_BY)
        return HD_OBJECTS_REFERRERS;
    return o->source == OF_TYPE ? HD_OBJECTS_OF_TYPES : HD_OBJECTS_GRAPH;
}

static struct hd_object_list *objects_find(const struct objects *o, struct hd_error *err)
{
    struct explore *e = o->view.e;
    switch (o->source) {
    case OF_TYPE:
        return hd_objects_of_type(e->objects, o->type, o->order, err);
    case AT_PLACE:
        return hd_objects_at(e->objects, o->steps, o->step_count, e->ask, o->order, err);
    default:
        return hd_object_neighbours(e->objects, o->number, o->direction, o->type, o->order);
    }
}

static void forget_list(struct objects *o)
{
    hd_object_list_free(o->list);
    o->list = NULL;
    o->view.rows = 0;
}

/* Numbers have no meaning in another snapshot. */
static bool objects_forget(struct view *v)
{
    struct objects *o = (struct objects *)v;
    forget_list(o);
    o->why[0] = '\0';
    v->cursor = v->scroll = 0;
    return o->source != NEAR_OBJECT;
}

/* Finds it as soon as possible. */
static void objects_refresh(struct view *v)
{
    struct objects *o = (struct objects *)v;
    struct hd_error err = {0};
    unsigned wanted = wanted_parts(o);
    if (o->order != v->order)
        forget_list(o);
    o->order = (enum hd_object_order)v->order;
    if (o->list != NULL || v->e->objects == NULL || (v->e->ready & wanted) != wanted)
        return;
    o->list = objects_find(o, &err);
    memcpy(o->why, err.message, sizeof(o->why));
    v->rows = o->list != NULL ? hd_object_list_count(o->list) : 0;
}

/* --- rows ------------------------------------------------------------------------ */

static size_t objects_columns(const struct view *v, struct hd_column *all)
{
    enum { GENERATION = 1, TYPE = 6 };
    size_t count = view_list_columns(v->e, HD_LIST_OBJECTS, all);
    if (!v->e->model->snapshots[v->e->snapshot].info.has_generations)
        all[GENERATION].from_width = UINT32_MAX;
    if (objects_of(v)->type != NULL || objects_of(v)->source != NEAR_OBJECT) {
        all[TYPE].title = "referred to by";
        all[TYPE].key = "referrer";
    }
    return count;
}

/* Adds the type of all or most referrers. Skipped for many referrers, as that would need
 * long. */
static void put_referrer(const struct explore *e, const struct hd_object *o,
                         struct row *row)
{
    enum { FEW = 1000 };
    size_t count = 0;
    struct hd_object_group *groups =
        o->referrers <= FEW
            ? hd_object_groups(e->objects, o->number, HD_REFERRED_BY, &count)
            : NULL;
    row->cells[6] = WORD(o->referrers == 0 ? "-" : "");
    if (count > 0)
        row->cells[6] = OWNER(LOOK_DIM, groups[0].type);
    if (count > 1)
        snprintf(row->tail, sizeof(row->tail), " and %zu more", count - 1);
    row->tail_look = LOOK_DIM;
    free(groups);
}

static void objects_row(const struct view *v, size_t i, struct row *row)
{
    struct hd_object o;
    if (!hd_object(v->e->objects, hd_object_list_get(objects_of(v)->list, i), &o))
        return;
    row->name = o.type;
    row->shown = o.full_name != NULL ? o.full_name : o.type;
    row->has_bytes = true;
    row->bytes = o.bytes;
    view_list_cells(v->e, HD_LIST_OBJECTS, &o, row);
    row->cells[6] = OWNER(LOOK_DIM, row->shown);
    if (objects_of(v)->type != NULL || objects_of(v)->source != NEAR_OBJECT) {
        put_referrer(v->e, &o, row);
    }
}

/* --- words ----------------------------------------------------------------------- */

static void objects_title(const struct view *v, struct hd_sink to)
{
    const struct objects *o = objects_of(v);
    const size_t snapshots = v->e->model->snapshot_count;
    PUT(to, "{}{}{}",
        WORD(o->source != NEAR_OBJECT       ? ""
             : o->direction == HD_REFERS_TO ? "refers to "
                                            : "referred to by "),
        SHORT(o->shown != NULL ? o->shown : "objects"),
        WORD(o->source == AT_PLACE ? " here" : ""));
    if (o->list == NULL)
        return;
    PUT(to, "  {}, {}", COUNT(v->rows), BYTES(hd_object_list_bytes(o->list)));
    if (snapshots > 1)
        PUT(to, "  snapshot {} of {}", NUMBER(v->e->snapshot + 1), NUMBER(snapshots));
}

static void objects_empty(const struct view *v, struct hd_sink to)
{
    const struct objects *o = objects_of(v);
    if (o->list != NULL)
        PUT(to, "No object.");
    else if (o->why[0] != '\0')
        hd_put_name(to, o->why);
    else
        put_progress(v->e, wanted_parts(o), to);
}

static bool objects_copied(const struct view *v, size_t i, struct hd_sink to)
{
    return put_address(v->e, hd_object_list_get(objects_of(v)->list, i), to);
}

/* --- keys ------------------------------------------------------------------------ */

static void objects_enter(struct view *v, size_t i)
{
    explore_open(v->e, object_view(v->e, hd_object_list_get(objects_of(v)->list, i)));
}

static bool objects_key(struct view *v, uint32_t key)
{
    struct explore *e = v->e;
    if ((key != '<' && key != '>') || objects_of(v)->source == NEAR_OBJECT)
        return false;
    if (key == '<' && e->snapshot > 0)
        explore_look_at(e, e->snapshot - 1);
    else if (key == '>' && e->snapshot + 1 < e->model->snapshot_count)
        explore_look_at(e, e->snapshot + 1);
    return true;
}

/* All usually have the same type: the text is an address or a number. */
static size_t find_row(struct view *v, const char *text, size_t i, int step)
{
    char *end;
    uint32_t number;
    struct hd_object o;
    (void)i;
    (void)step;
    if (objects_of(v)->list == NULL)
        return 0;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 0);
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (end == text || *end != '\0' || errno != 0 || (!hex && n >= UINT32_MAX))
        return v->rows;
    number = (uint32_t)n;
    bool is_there = (!hex || hd_object_at(v->e->objects, n, &number, NULL)) &&
                    hd_object(v->e->objects, number, &o);
    return is_there ? hd_object_list_find(objects_of(v)->list, number) : v->rows;
}

static void objects_release(struct view *v)
{
    struct objects *o = (struct objects *)v;
    forget_list(o);
    for (size_t i = 0; i < o->step_count; i++)
        free((void *)o->steps[i].type);
    free(o->steps);
    free(o->type);
    free(o->shown);
}

static const struct view_kind kind = {
    .name = "objects",
    .place = IN_OBJECTS,
    .columns = objects_columns,
    .row = objects_row,
    .title = objects_title,
    .empty = objects_empty,
    .copied = objects_copied,
    .enter = objects_enter,
    .key = objects_key,
    .orders =
        (const char *const[][2]){
            {"size", "size"}, {"address", "address"}, {"number", "number"}, {NULL}},
    .refresh = objects_refresh,
    .forget = objects_forget,
    .find = find_row,
    .free = objects_release,
};

static struct objects *objects_new(struct explore *e, const char *type, const char *shown)
{
    struct objects *o = view_new(e, &kind, sizeof(*o));
    o->type = copy_string(type);
    o->shown = copy_string(shown != NULL ? shown : type);
    return o;
}

struct view *instances_view(struct explore *e, const char *type, const char *shown)
{
    struct objects *o = objects_new(e, type, shown);
    objects_refresh(&o->view);
    return &o->view;
}

struct view *place_view(struct explore *e, const struct hd_place_step *steps, size_t count,
                        const char *shown)
{
    struct objects *o = objects_new(e, NULL, shown);
    o->source = AT_PLACE;
    o->steps = zeroed(count, sizeof(*o->steps));
    for (size_t i = 0; i < count; i++)
        o->steps[o->step_count++] =
            (struct hd_place_step){copy_string(steps[i].type), steps[i].is_roots};
    objects_refresh(&o->view);
    return &o->view;
}

struct view *neighbours_view(struct explore *e, uint32_t number,
                             enum hd_direction direction, const char *type,
                             const char *shown)
{
    struct objects *o = objects_new(e, type, shown);
    o->source = NEAR_OBJECT;
    o->number = number;
    o->direction = direction;
    objects_refresh(&o->view);
    return &o->view;
}
