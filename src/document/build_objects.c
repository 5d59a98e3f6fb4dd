/* The instances of some types: what holds them, what they retain, the largest of them. */
#include "document/build.h"

#include "heap/root_kind.h"
#include "report/object_words.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <string.h>

/* --- the heading ----------------------------------------------------------------- */

/* "1,200 Session objects", "1,200 Shop.* objects of 3 types", "1,200 objects of 90 types"
 */
static void add_subject(struct build *b, struct doc_runs *to)
{
    const struct hd_object_set *set = &b->r->objects;
    const char *pattern = set->pattern_count == 1 ? set->patterns[0] : "*";
    format_count(&b->words, set->all.count);
    text_add_char(&b->words, ' ');
    if (set->type_count == 1)
        build_type(b, to, set->types[0].type);
    else if (strcmp(pattern, "*") != 0)
        build_name(b, to, pattern);
    bool named = set->type_count == 1 || strcmp(pattern, "*") != 0;
    text_add_string(&b->words, named ? " " : "");
    text_add_string(&b->words, set->all.count == 1 ? "object" : "objects");
    if (set->type_count > 1) {
        text_add_string(&b->words, " of ");
        format_plural(&b->words, set->type_count, "type");
    }
    text_add_string(&b->words, " in ");
    build_file(b, to, b->r->snapshot_count - 1);
}

static void add_kind(struct text *t, int kind, uint64_t count)
{
    object_add_root_kind(t, (enum hd_root_kind)kind);
    text_add_char(t, ' ');
    format_count(t, count);
}

/* "static 1,180, stack 20" */
static void add_held(struct text *t, const struct hd_object_sum *sum)
{
    bool any = false;
    for (int kind = 0; kind < HD_ROOT_KIND_COUNT; kind++) {
        if (sum->held[kind] == 0)
            continue;
        text_add_string(t, any ? ", " : "");
        add_kind(t, kind, sum->held[kind]);
        any = true;
    }
}

/* "; held by static 1,180, stack 20" */
static void add_kinds(struct build *b, struct doc_line *l)
{
    const struct hd_object_sum *all = &b->r->objects.all;
    const char *joint = "; ";
    for (int kind = 0; kind < HD_ROOT_KIND_COUNT; kind++) {
        if (all->held[kind] == 0)
            continue;
        text_add_string(&b->words, joint[0] == ';' ? "held by " : "");
        add_kind(&b->words, kind, all->held[kind]);
        build_end(b, build_break(b, l, joint));
        joint = ", ";
    }
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
    format_size(&b->words, set->all.bytes);
    build_end(b, build_break(b, l, ", "));
    if (set->all.retained != HD_UNKNOWN) {
        text_add_string(&b->words, set->all.count == 1 ? "retains " : "retain ");
        format_size(&b->words, set->all.retained);
        build_end(b, build_break(b, l, ", "));
    }
    if (set->has_roots)
        add_kinds(b, l);
}

/* --- by type --------------------------------------------------------------------- */

static void add_type(struct build *b, struct doc_table *t, const struct hd_object_sum *sum)
{
    build_row(b, t, DOC_ROW);
    format_count(&b->words, sum->count);
    build_cell(b);
    format_size(&b->words, sum->bytes);
    build_cell(b);
    if (b->r->objects.has_roots) {
        format_size(&b->words, sum->retained);
        build_cell(b);
    }
    build_cell_type(b, sum->type);
    if (b->r->objects.has_roots) {
        add_held(&b->words, sum);
        build_cell(b);
    }
}

static void add_types(struct build *b)
{
    enum { ROOM_FOR_HELD = 100 };
    const struct hd_object_set *set = &b->r->objects;
    if (set->type_count < 2)
        return;
    const struct doc_column count = {.title = "count", .align = DOC_RIGHT},
                            bytes = {.title = "bytes", .align = DOC_RIGHT},
                            retained = {.title = "retained", .align = DOC_RIGHT},
                            type = {.title = "type", .is_subject = true},
                            held = {.title = "held by",
                                    .gives_way = true,
                                    .from_width = ROOM_FOR_HELD};
    const struct doc_column with[] = {count, bytes, retained, type, held};
    const struct doc_column without[] = {count, bytes, type};
    struct doc_table *t =
        build_table(b, doc_topic(b->doc, "Types", NULL), set->has_roots ? with : without,
                    set->has_roots ? 5 : 3);
    size_t shown = report_rows(b->r, set->type_count);
    for (size_t i = 0; i < shown; i++)
        add_type(b, t, &set->types[i]);
    build_rest(b, t, set->type_count - shown);
}

/* --- each ------------------------------------------------------------------------ */

/* What is told of all of them, and of one each. */
struct columns {
    bool retained, generation, since, type;
};

static struct columns columns_of(const struct hd_report *r)
{
    const struct hd_object_set *set = &r->objects;
    return (struct columns){.retained = set->has_roots,
                            .generation =
                                r->snapshots[r->snapshot_count - 1].info.has_generations,
                            .since = set->identity != HD_SAME_UNKNOWN,
                            .type = set->type_count > 1};
}

static void add_place(struct build *b, const struct hd_object *o)
{
    char words[24];
    if (o->address != 0)
        snprintf(words, sizeof(words), "0x%" PRIx64, o->address);
    else
        snprintf(words, sizeof(words), "#%" PRIu32, o->number);
    doc_run(b->doc, &b->row->cells[b->cell++].words, DOC_CODE, words);
}

/* Its owner; without one the kind of root, and that nothing holds it. */
static void add_holder(struct build *b, const struct hd_object_row *row)
{
    if (!b->r->objects.has_roots) {
        build_cell_words(b, "-");
    } else if (row->held_by != NULL) {
        build_cell_name(b, row->held_by);
    } else {
        object_add_root_kind(&b->words, row->root);
        build_cell(b);
    }
}

static void add_since(struct build *b, size_t since)
{
    if (since == 0)
        text_add_string(&b->words, "before");
    else
        format_count(&b->words, since + 1);
    build_cell(b);
}

static void add_object(struct build *b, struct doc_table *t, const struct columns *with,
                       const struct hd_object_row *row)
{
    build_row(b, t, DOC_ROW);
    add_place(b, &row->object);
    format_size(&b->words, row->object.bytes);
    build_cell(b);
    if (with->retained) {
        format_size(&b->words, row->retained);
        build_cell(b);
    }
    if (with->generation)
        build_cell_words(b, row->object.generation != HD_GEN_UNKNOWN
                                ? generation_names[row->object.generation]
                                : "-");
    if (with->since)
        add_since(b, row->since);
    if (with->type)
        build_cell_type(b, row->object.type);
    add_holder(b, row);
}

static void add_objects(struct build *b)
{
    enum { ROOM_FOR_GENERATION = 70 };
    const struct hd_object_set *set = &b->r->objects;
    const struct columns with = columns_of(b->r);
    if (set->len == 0)
        return;
    struct doc_column columns[7];
    size_t count = 0;
    columns[count++] = (struct doc_column){.title = "object"};
    columns[count++] = (struct doc_column){.title = "size", .align = DOC_RIGHT};
    if (with.retained)
        columns[count++] = (struct doc_column){.title = "retained", .align = DOC_RIGHT};
    if (with.generation)
        columns[count++] =
            (struct doc_column){.title = "gen", .from_width = ROOM_FOR_GENERATION};
    if (with.since)
        columns[count++] = (struct doc_column){.title = "since", .align = DOC_RIGHT};
    if (with.type)
        columns[count++] = (struct doc_column){.title = "type", .is_subject = true};
    columns[count++] = (struct doc_column){
        .title = "held by", .gives_way = true, .is_subject = !with.type};
    struct doc_table *t =
        build_table(b, doc_topic(b->doc, "Objects", NULL), columns, count);
    for (size_t i = 0; i < set->len; i++)
        add_object(b, t, &with, &set->rows[i]);
    build_rest(b, t, set->omitted);
}

/* --- all of it ------------------------------------------------------------------- */

void build_objects(struct build *b)
{
    if (b->page != NULL)
        add_subject(b, &b->doc->summary);
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    add_heading(b, s);
    build_selection(b, s);
    add_types(b);
    add_objects(b);
}
