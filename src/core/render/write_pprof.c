/* A profile for pprof: per place a stack, objects and bytes of its own in the last
 * snapshot, and the growth of both if there are several. Gzipped, as pprof requires.
 *
 * protobuf-c packs structs that are made here, without allocating; its output goes to our
 * buffer (append). */
#include "base/out.h"
#include "render/writer.h"
#include "report/records.h"

#include <profile.pb-c.h>

#include <string.h>

/* The strings common to all profiles are first. */
enum {
    S_NONE,
    S_OBJECTS,
    S_COUNT,
    S_SPACE,
    S_BYTES,
    S_MORE_OBJECTS,
    S_MORE_SPACE,
    S_ROOT_KIND,
    S_COMMENT,
    S_FIXED
};
enum { MAX_VALUES = 4 };

static const char made_by[] = "heapdrift " HD_VERSION;
static const char *const fixed[S_FIXED] = {
    "",          "objects", "count", "space", "bytes", "growth_objects", "growth_space",
    "root_kind", made_by};

struct pprof_profile {
    struct tree_frames f;
    struct arena arena;
    Pprof__Profile profile;
    char **strings;
    size_t string_count;
};

static int64_t add_string(struct pprof_profile *m, const char *s)
{
    struct text t = {0};
    text_add_utf8(&t, s, strlen(s));
    m->strings[m->string_count] = arena_strdup(&m->arena, text_string(&t), t.len);
    text_free(&t);
    return (int64_t)m->string_count++;
}

/* --- numbers of the profile ------------------------------------------------- */

static void pprof_add_types(struct pprof_profile *m)
{
    static const int64_t types[MAX_VALUES][2] = {{S_OBJECTS, S_COUNT},
                                                 {S_SPACE, S_BYTES},
                                                 {S_MORE_OBJECTS, S_COUNT},
                                                 {S_MORE_SPACE, S_BYTES}};
    const struct hd_tree *t = m->f.tree;
    size_t count = t->first != t->last ? MAX_VALUES : 2;
    Pprof__ValueType *all = arena_array(&m->arena, Pprof__ValueType, count);
    m->profile.sample_type = arena_array(&m->arena, Pprof__ValueType *, count);
    m->profile.n_sample_type = count;
    for (size_t i = 0; i < count; i++) {
        pprof__value_type__init(&all[i]);
        all[i].type = types[i][0];
        all[i].unit = types[i][1];
        m->profile.sample_type[i] = &all[i];
    }
    m->profile.default_sample_type = types[count - 1][0];
}

/* A location and a function per frame: pprof adds up by names, and with -lines by lines. */
static void add_functions(struct pprof_profile *m)
{
    size_t count = m->f.count;
    Pprof__Function *functions = arena_array(&m->arena, Pprof__Function, count);
    Pprof__Location *locations = arena_array(&m->arena, Pprof__Location, count);
    Pprof__Line *lines = arena_array(&m->arena, Pprof__Line, count);
    Pprof__Line **line_of = arena_array(&m->arena, Pprof__Line *, count);
    m->profile.function = arena_array(&m->arena, Pprof__Function *, count);
    m->profile.location = arena_array(&m->arena, Pprof__Location *, count);
    m->profile.n_function = m->profile.n_location = count;
    for (size_t i = 0; i < count; i++) {
        pprof__function__init(&functions[i]);
        pprof__location__init(&locations[i]);
        pprof__line__init(&lines[i]);
        functions[i].id = locations[i].id = lines[i].function_id = i + 1;
        functions[i].name = add_string(m, m->f.names[i]);
        if (m->f.codes[i] != NULL) {
            functions[i].filename = add_string(m, m->f.codes[i]->file);
            lines[i].line = (int64_t)m->f.codes[i]->line;
        }
        line_of[i] = &lines[i];
        locations[i].line = &line_of[i];
        locations[i].n_line = 1;
        m->profile.function[i] = &functions[i];
        m->profile.location[i] = &locations[i];
    }
}

/* --- stacks ------------------------------------------------------------------ */

static void add_label(struct pprof_profile *m, Pprof__Sample *s, const char *kind)
{
    if (kind == NULL)
        return;
    Pprof__Label *label = arena_alloc(&m->arena, sizeof(*label));
    pprof__label__init(label);
    label->key = S_ROOT_KIND;
    for (int64_t i = S_FIXED; i < S_FIXED + HD_ROOT_KIND_COUNT; i++)
        if (strcmp(m->strings[i], kind) == 0)
            label->str = i;
    s->label = arena_array(&m->arena, Pprof__Label *, 1);
    s->label[0] = label;
    s->n_label = 1;
}

static Pprof__Sample *sample_of(struct pprof_profile *m, size_t node)
{
    const struct hd_tree *t = m->f.tree;
    const struct hd_tally *first = &t->nodes[node].at[t->first],
                          *last = &t->nodes[node].at[t->last];
    const int64_t values[MAX_VALUES] = {(int64_t)last->count, (int64_t)last->bytes,
                                        (int64_t)(last->count - first->count),
                                        (int64_t)(last->bytes - first->bytes)};
    size_t stack[TREE_MAX_FRAMES], len = tree_stack(&m->f, node, stack);
    Pprof__Sample *s = arena_alloc(&m->arena, sizeof(*s));
    pprof__sample__init(s);
    s->n_location_id = len;
    s->location_id = arena_array(&m->arena, uint64_t, len);
    for (size_t i = 0; i < len; i++)
        s->location_id[i] = stack[len - 1 - i] + 1;
    s->n_value = m->profile.n_sample_type;
    s->value = arena_array(&m->arena, int64_t, s->n_value);
    memcpy(s->value, values, s->n_value * sizeof(*values));
    add_label(m, s, m->f.root_kind[node]);
    return s;
}

static void add_samples(struct pprof_profile *m)
{
    const struct hd_tree *t = m->f.tree;
    m->profile.sample = arena_array(&m->arena, Pprof__Sample *, t->len);
    for (size_t i = 0; i < t->len; i++) {
        const struct hd_tally *at = t->nodes[i].at;
        if (m->f.name_of[i] != NO_FRAME && (at[t->first].count | at[t->last].count |
                                            at[t->first].bytes | at[t->last].bytes) != 0)
            m->profile.sample[m->profile.n_sample++] = sample_of(m, i);
    }
}

/* --- the whole profile --------------------------------------------------------- */

struct packed_bytes {
    ProtobufCBuffer base;
    struct text bytes;
};

static void pprof_append(ProtobufCBuffer *to, size_t len, const uint8_t *data)
{
    text_add(&((struct packed_bytes *)(void *)to)->bytes, data, len);
}

static void pprof_write(const struct hd_report *r, const struct hd_write_options *opt,
                        struct out *o)
{
    struct pprof_profile m = {.f = tree_frames_of(r->model.tree)};
    struct packed_bytes packed = {.base = {.append = pprof_append}};
    int64_t comment = S_COMMENT;
    (void)opt;
    pprof__profile__init(&m.profile);
    m.strings = arena_array(&m.arena, char *, S_FIXED + HD_ROOT_KIND_COUNT + 2 * m.f.count);
    for (size_t i = 0; i < S_FIXED; i++)
        add_string(&m, fixed[i]);
    for (int i = 0; i < HD_ROOT_KIND_COUNT; i++)
        add_string(&m, hd_root_kind_name((enum hd_root_kind)i));
    pprof_add_types(&m);
    add_functions(&m);
    add_samples(&m);
    m.profile.string_table = m.strings;
    m.profile.n_string_table = m.string_count;
    m.profile.comment = &comment;
    m.profile.n_comment = 1;
    pprof__profile__pack_to_buffer(&m.profile, &packed.base);
    pack_gzip(packed.bytes.data, packed.bytes.len, o);
    text_free(&packed.bytes);
    arena_free(&m.arena);
    tree_frames_free(&m.f);
}

const struct writer write_pprof = {
    .name = "pprof",
    .summary = "for pprof: objects, bytes and their growth (tree)",
    .holds = HOLDS_TREES,
    .whole_tree = true,
    .is_binary = true,
    .write = pprof_write,
};
