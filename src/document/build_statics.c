/* Static variables: what they hold, and what that retains. */
#include "document/build.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- the heading ------------------------------------------------------------------- */

/* "1,200 static variables in app.core, 12 not set yet" */
static void add_subject(struct build *b, struct doc_runs *to)
{
    const struct hd_static_set *set = &b->r->statics;
    format_plural(&b->words, set->count, "static variable");
    if (set->pattern_count == 1) {
        text_add_string(&b->words, set->count == 1 ? " that matches " : " that match ");
        build_name(b, to, set->patterns[0]);
    }
    text_add_string(&b->words, " in ");
    build_file(b, to, 0);
    if (set->unset == 0)
        return;
    text_add_string(&b->words, ", ");
    format_count(&b->words, set->unset);
    build_words(b, to, " not set yet");
}

static void add_heading(struct build *b, struct doc_section *s)
{
    const struct hd_static_set *set = &b->r->statics;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    add_subject(b, doc_piece(b->doc, l, ""));
    if (set->has_values)
        return;
    l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    l->wraps = true;
    build_words(
        b, doc_piece(b->doc, l, ""),
        "only those that refer to an object, without values: these, and numbers, are "
        "in core dumps");
}

/* --- rows -------------------------------------------------------------------------- */

static struct doc_runs *next_cell(struct build *b)
{
    return &b->row->cells[b->cell++].words;
}

static void add_size(struct build *b, uint64_t bytes)
{
    if (bytes != HD_UNKNOWN)
        format_size(&b->words, bytes);
    build_cell(b);
}

/* "Shop.Store.s_all"; where the class is not known, only the field. */
static void add_variable(struct build *b, const struct hd_static *s)
{
    struct text name = {0};
    text_add_string(&name, s->declared_by != NULL ? s->declared_by : "");
    if (s->declared_by != NULL && s->field.name != NULL)
        text_add_char(&name, '.');
    text_add_string(&name, s->field.name != NULL ? s->field.name : "");
    build_cell_name(b, text_string(&name));
    text_free(&name);
}

static void add_value(struct build *b, const struct hd_static *s)
{
    struct doc_runs *to = next_cell(b);
    if (s->is_set)
        build_value(b, to, &s->field);
    else
        build_words(b, to, "not set yet");
}

static void add_thread(struct build *b, const struct hd_static *s)
{
    char words[24] = "";
    if (s->thread != 0)
        snprintf(words, sizeof(words), "%" PRIu64, s->thread);
    text_add_string(&b->words, words);
    build_cell(b);
}

/* texts: values that may be long, which then give way. Numbers and addresses do not: half
 * of one is none. */
struct columns {
    bool threads, modules, texts;
};

static struct columns columns_of(const struct hd_static_set *set)
{
    struct columns with = {0};
    for (size_t i = 0; i < set->len; i++) {
        with.threads |= set->rows[i].thread != 0;
        with.modules |= set->rows[i].module != NULL;
        with.texts |= set->rows[i].field.text != NULL || set->rows[i].field.member != NULL;
    }
    return with;
}

/* Of a reference the type of what is there. */
static void add_static(struct build *b, struct doc_table *t, const struct columns *with,
                       const struct hd_static *s)
{
    build_row(b, t, DOC_ROW);
    add_size(b, s->retained);
    add_size(b, s->bytes);
    add_variable(b, s);
    add_value(b, s);
    if (s->field.to_type != NULL)
        build_cell_type(b, s->field.to_type);
    else
        build_cell_known(b, s->field.type);
    if (with->threads)
        add_thread(b, s);
    if (with->modules) {
        const char *end = s->module != NULL ? strrchr(s->module, '/') : NULL;
        build_cell_known(b, end != NULL ? end + 1 : s->module);
    }
}

static bool any_is_hidden(const struct hd_static_set *set)
{
    for (size_t i = 0; i < set->len; i++)
        if (set->rows[i].field.is_hidden ||
            (set->rows[i].field.to_type != NULL &&
             strcmp(set->rows[i].field.to_type, "System.String") == 0))
            return !set->values;
    return false;
}

static void add_rows(struct build *b)
{
    enum { ROOM_FOR_SIZE = 120, ROOM_FOR_MODULE = 160 };
    const struct hd_static_set *set = &b->r->statics;
    const struct columns with = columns_of(set);
    struct doc_column columns[7] = {
        {.title = "retained", .align = DOC_RIGHT},
        {.title = "bytes", .align = DOC_RIGHT, .from_width = ROOM_FOR_SIZE},
        {.title = "variable", .is_subject = true},
        {.title = "value", .gives_way = with.texts},
        {.title = "type", .gives_way = true}};
    size_t count = 5;
    if (with.threads)
        columns[count++] = (struct doc_column){.title = "thread", .align = DOC_RIGHT};
    if (with.modules)
        columns[count++] = (struct doc_column){
            .title = "module", .gives_way = true, .from_width = ROOM_FOR_MODULE};
    struct doc_section *s = doc_topic(b->doc, "Static variables", NULL);
    struct doc_table *t = build_table(b, s, columns, count);
    for (size_t i = 0; i < set->len; i++)
        add_static(b, t, &with, &set->rows[i]);
    build_rest(b, t, set->omitted);
    if (!any_is_hidden(set) || !set->has_values)
        return;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    struct doc_runs *to = doc_piece(b->doc, l, "");
    l->wraps = true;
    doc_run(b->doc, to, DOC_CODE, "--values");
    build_words(b, to, " shows text, which may be secrets");
}

/* --- all of it --------------------------------------------------------------------- */

void build_statics(struct build *b)
{
    if (b->page != NULL)
        add_subject(b, &b->doc->summary);
    add_heading(b, doc_section(b->doc, DOC_PLAIN));
    add_rows(b);
}
