#include "format/nettrace/trace_types.h"

#include "base/arrays.h"
#include "base/quantity.h"
#include "base/say.h"
#include "format/span.h"
#include "heap/names.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- definitions --------------------------------------------------------------- */

struct span trace_wide_span(struct bytes wide, struct arena *a)
{
    struct text t = {0};
    trace_wide_text(&t, wide);
    struct span s = {arena_strdup(a, text_string(&t), t.len), t.len};
    text_free(&t);
    return s;
}

static struct trace_type *type_slot(struct trace_types *t, uint64_t id)
{
    size_t before = t->ids.len;
    uint32_t n = id_numbers_add(&t->ids, id);
    if (n == before) {
        t->all = account_grow(t->arena.account, t->all, before, &t->cap, sizeof(*t->all));
        t->all[n] = (struct trace_type){0};
    }
    return &t->all[n];
}

/* Allocates only for new or changed definitions: every session reports all types again. */
static void define_type(struct trace_types *t, const struct heap_type *from,
                        struct text *name)
{
    struct trace_type *type = type_slot(t, from->id);
    type->flags = from->flags;
    type->token = from->token;
    type->module = from->module;
    bool same = type->is_defined && span_is(type->name, text_string(name));
    type->is_defined = true;
    if (!same)
        type->name =
            (struct span){arena_strdup(&t->arena, text_string(name), name->len), name->len};
    if (same && type->parameter_count == from->parameter_count)
        return;
    uint64_t *parameters = arena_array(&t->arena, uint64_t, from->parameter_count);
    for (uint32_t i = 0; i < from->parameter_count; i++)
        parameters[i] = le_u64(from->parameters + 8 * (size_t)i);
    type->parameters = parameters;
    type->parameter_count = from->parameter_count;
}

bool trace_types_define(struct trace_types *t, const struct bulk *b)
{
    struct trace_fields f = trace_fields_of(b->rest);
    struct text name = {0};
    struct heap_type type;
    for (uint32_t i = 0; i < b->count && heap_type_next(&f, &type); i++) {
        text_clear(&name);
        trace_wide_text(&name, type.name);
        define_type(t, &type, &name);
    }
    text_free(&name);
    return !f.failed;
}

bool trace_types_module(struct trace_types *t, struct bytes payload)
{
    enum { ASSEMBLY_AND_FLAGS = 16 };
    struct trace_fields f = trace_fields_of(payload);
    uint64_t id = trace_field_u64(&f);
    trace_field_bytes(&f, ASSEMBLY_AND_FLAGS);
    struct bytes path = trace_wide(&f);
    if (f.failed)
        return false;
    size_t before = t->module_ids.len;
    uint32_t n = id_numbers_add(&t->module_ids, id);
    if (n == before) {
        t->modules = account_grow(t->arena.account, t->modules, before, &t->module_cap,
                                  sizeof(*t->modules));
        t->modules[n] = trace_wide_span(path, &t->arena);
    }
    return true;
}

uint32_t trace_types_use(struct trace_types *t, uint64_t id, struct builder *b)
{
    struct trace_type *type = type_slot(t, id);
    if (!type->is_used) {
        type->is_used = true;
        type->built_as = builder_type(b, TYPE_OBJECT, NULL, 0);
    }
    return type->built_as;
}

/* --- names --------------------------------------------------------------------- */

void trace_types_name(const struct trace_types *t, uint64_t id, const char *unknown,
                      struct text *out)
{
    uint32_t n = id_numbers_find(&t->ids, id);
    if (n == NO_ID || !t->all[n].is_defined) {
        bool opened = unknown[strlen(unknown) - 1] == '(';
        say(out, unknown, as_hex(id), opened ? ")" : "");
        return;
    }
    const struct trace_type *type = &t->all[n];
    bool is_rcw = type->flags & TYPE_FLAG_RCW;
    text_add_string(out, is_rcw ? "[RCW " : "");
    if (type->name.len > 0)
        names_rewritten(out, type->name.data, type->name.len);
    else
        say(out, type->flags & TYPE_FLAG_ARRAY ? "ArrayType" : "Type", "(",
            as_hex(type->token), ")");
    text_add_string(out, is_rcw ? "]" : "");
}

/* --- outer classes ------------------------------------------------------------- */

/* Names lack the outer class ("Entry"), but generic arguments have it: in
 * "List[Outer+Entry]" the argument is the type named "Entry". */
static void learn_argument(struct trace_types *t, uint64_t id, const char *text, size_t len)
{
    uint32_t n = id_numbers_find(&t->ids, id);
    struct trace_type *type = n != NO_ID ? &t->all[n] : NULL;
    size_t own = n != NO_ID ? type->name.len : 0;
    if (own > 0 && type->full_name.data == NULL && len > own + 1 &&
        text[len - own - 1] == '+' && memcmp(text + len - own, type->name.data, own) == 0)
        type->full_name = (struct span){arena_strdup(&t->arena, text, len), len};
}

/* Learns from the arguments of a name, each with its id: they are in the outermost brackets
 * after the first. */
static void learn_arguments(struct trace_types *t, const struct trace_type *type)
{
    const struct span *name = &type->name;
    const char *open = name->len > 0 ? memchr(name->data, '[', name->len) : NULL;
    if (open == NULL || type->flags & TYPE_FLAG_ARRAY)
        return;
    const char *end = name->data + name->len, *start = open + 1;
    uint32_t parameter = 0;
    size_t depth = 0;
    for (const char *c = start; c < end && parameter < type->parameter_count; c++) {
        bool ends = depth == 0 && (*c == ',' || *c == ']');
        if (ends) {
            learn_argument(t, type->parameters[parameter++], start, (size_t)(c - start));
            start = c + 1;
        }
        if (ends && *c == ']')
            return;
        if (*c == '[')
            depth++;
        else if (*c == ']' && depth > 0)
            depth--;
    }
}

/* An array is called as its element, and something in brackets. */
static bool learn_array(struct trace_types *t, struct trace_type *type)
{
    if (!(type->flags & TYPE_FLAG_ARRAY) || type->parameter_count != 1 ||
        type->full_name.data != NULL)
        return false;
    uint32_t n = id_numbers_find(&t->ids, type->parameters[0]);
    const struct trace_type *of = n != NO_ID ? &t->all[n] : NULL;
    if (of == NULL || of->full_name.data == NULL || type->name.len <= of->name.len ||
        memcmp(type->name.data, of->name.data, of->name.len) != 0)
        return false;
    struct text name = {0};
    text_add(&name, of->full_name.data, of->full_name.len);
    text_add(&name, type->name.data + of->name.len, type->name.len - of->name.len);
    type->full_name =
        (struct span){arena_strdup(&t->arena, text_string(&name), name.len), name.len};
    text_free(&name);
    return true;
}

/* One round per level of nested arrays. */
static void learn_outer_classes(struct trace_types *t)
{
    enum { MAX_ROUNDS = 4 };
    for (size_t i = 0; i < t->ids.len; i++)
        learn_arguments(t, &t->all[i]);
    bool learned = true;
    for (int round = 0; round < MAX_ROUNDS && learned; round++) {
        learned = false;
        for (size_t i = 0; i < t->ids.len; i++)
            learned |= learn_array(t, &t->all[i]);
    }
}

uint64_t trace_types_finish(struct trace_types *t, struct builder *b)
{
    struct hd_snapshot *snap = b->snap;
    struct text name = {0};
    uint64_t unnamed = 0;
    learn_outer_classes(t);
    snap->type_names = arena_array(&snap->arena, struct type_name, t->ids.len);
    for (size_t i = 0; i < t->ids.len; i++) {
        const struct trace_type *type = &t->all[i];
        uint64_t id = t->ids.ids[i];
        text_clear(&name);
        trace_types_name(t, id, "UNKNOWN ", &name);
        const char *canonical = builder_name(b, name.data, name.len);
        if (type->is_defined && type->name.len > 0)
            snap->type_names[snap->type_name_count++] = (struct type_name){id, canonical};
        if (!type->is_used)
            continue;
        builder_name_type(b, type->built_as, name.data, name.len);
        if (type->full_name.data != NULL && !(type->flags & TYPE_FLAG_RCW)) {
            text_clear(&name);
            names_rewritten(&name, type->full_name.data, type->full_name.len);
            builder_full_name(b, type->built_as, builder_name(b, name.data, name.len));
        }
        unnamed += !type->is_defined || type->name.len == 0;
        if (type->is_defined && type->flags & TYPE_FLAG_IMAGE) {
            builder_image(b, type->built_as, type->module, type->token);
            snap->image_base = type->module;
        }
        uint32_t module = id_numbers_find(&t->module_ids, type->module);
        if (module != NO_ID && t->modules[module].len > 0)
            builder_module(b, type->built_as, t->modules[module].data,
                           t->modules[module].len);
    }
    text_free(&name);
    qsort(snap->type_names, snap->type_name_count, sizeof(*snap->type_names),
          by_first_number);
    return unnamed;
}

void trace_types_free(struct trace_types *t)
{
    id_numbers_free(&t->ids);
    id_numbers_free(&t->module_ids);
    free(t->all);
    free(t->modules);
    arena_free(&t->arena);
    *t = (struct trace_types){0};
}

/* --- the process --------------------------------------------------------------- */

void trace_process_parse(struct text *command, struct bytes payload)
{
    struct trace_fields f = trace_fields_of(payload);
    struct bytes line = trace_wide(&f);
    text_clear(command);
    trace_wide_text(command, f.failed ? payload : line);
}

/* Returns one word of a command line, which may be quoted. */
static struct span next_word(struct span *line)
{
    const char *p = line->data, *end = p + line->len;
    while (p < end && *p == ' ')
        p++;
    bool quoted = p < end && *p == '"';
    p += quoted;
    const char *start = p;
    while (p < end && *p != (quoted ? '"' : ' '))
        p++;
    struct span word = {start, (size_t)(p - start)};
    p += quoted && p < end;
    *line = (struct span){p, (size_t)(end - p)};
    return word;
}

/* Returns the word without folders, and without that end. */
static struct span base_name(struct span word, const char *end)
{
    size_t len = strlen(end);
    for (size_t i = word.len; i > 0; i--)
        if (word.data[i - 1] == '/' || word.data[i - 1] == '\\') {
            word = (struct span){word.data + i, word.len - i};
            break;
        }
    if (word.len > len && span_ends(word, end))
        word.len -= len;
    return word;
}

/* A file's name ends in .dll: a host's own options do not. */
static bool is_assembly(struct span word)
{
    return word.len > 4 && span_ends(word, ".dll");
}

void trace_process_name(struct hd_snapshot *snap, struct text *command)
{
    struct span line = {text_string(command), command->len};
    struct span name = base_name(next_word(&line), ".exe");
    if (span_is(name, "dotnet")) {
        struct span program = next_word(&line);
        if (span_is(base_name(program, ""), "exec"))
            program = next_word(&line);
        if (is_assembly(base_name(program, "")))
            name = base_name(program, ".dll");
    }
    if (name.len > 0)
        snap->info.process = arena_strdup(&snap->arena, name.data, name.len);
}

void trace_process_program(struct hd_snapshot *snap, struct text *command)
{
    struct span line = {text_string(command), command->len}, word = next_word(&line);
    bool is_host = span_is(base_name(word, ".exe"), "dotnet");
    struct text program = {0};
    text_add(&program, word.data, word.len);
    while (is_host && line.len > 0) {
        word = next_word(&line);
        if (!is_assembly(word))
            continue;
        text_add_char(&program, ' ');
        text_add(&program, word.data, word.len);
        break;
    }
    if (program.len > 0)
        snap->info.program = arena_strdup(&snap->arena, program.data, program.len);
    text_free(&program);
}

void trace_process_time(struct hd_snapshot *snap, const struct trace_header *h,
                        uint64_t ticks)
{
    double since = ticks >= h->sync_ticks ? (double)(ticks - h->sync_ticks)
                                          : -(double)(h->sync_ticks - ticks);
    double seconds = h->sync_time + since / (double)h->frequency;
    const double last = 253402300799; /* of year 9999 */
    char text[CALENDAR_TIME];
    if (isnan(seconds) || seconds < 0 || seconds > last ||
        !calendar_time((int64_t)seconds, text))
        return;
    snap->info.time = arena_strdup(&snap->arena, text, strlen(text));
    snap->clock = seconds;
    snap->clock_is_date = true;
}
