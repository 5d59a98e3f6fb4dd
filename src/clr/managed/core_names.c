/* Names for a snapshot of another format, out of a core of its process: of types with
 * their outer classes, by the ids that traces keep; of static variables by the class that
 * declares them. Nothing is looked for in the heap; what two would be called gets no name.
 */
#include "clr/managed/core_fields.h"
#include "clr/managed/symbols.h"
#include "heap/place.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name in the snapshot, and its full form. */
struct full_name {
    const char *name;
    const char *full; /* in the snapshot's arena; NULL: ambiguous */
    UT_hash_handle hh;
};

struct core_namer {
    struct hd_snapshot *snap;
    struct core *core;
    struct full_name *types, *statics;
    struct memory_fallback fallback;
    struct text plain, declared;
};

/* --- the process itself ------------------------------------------------------------ */

static bool read_process(const struct memory_fallback *b, uint64_t address, void *to,
                         size_t size)
{
    return address <= INT64_MAX && pread(b->fd, to, size, (off_t)address) == (ssize_t)size;
}

/* --- names -------------------------------------------------------------------------- */

static void learn(struct core_namer *n, struct full_name **names, const char *name,
                  const char *full)
{
    struct full_name *found;
    struct arena *a = &n->snap->arena;
    HASH_FIND_STR(*names, name, found);
    if (found == NULL) {
        found = arena_alloc(&n->core->arena, sizeof(*found));
        found->name = arena_strdup(&n->core->arena, name, strlen(name));
        found->full = arena_strdup(a, full, strlen(full));
        HASH_ADD_KEYPTR(hh, *names, found->name, strlen(name), found);
    } else if (found->full != NULL && strcmp(found->full, full) != 0) {
        found->full = NULL;
    }
}

/* The type id of a trace is used only if the MethodTable has the same name. */
static void learn_types(struct core_namer *n)
{
    const struct runtime *r = &n->core->runtime;
    for (size_t i = 0; i < n->snap->type_name_count; i++) {
        const struct type_name *t = &n->snap->type_names[i];
        if (!runtime_is_method_table(r, t->id))
            continue;
        const struct clr_type *clr = clr_type_of(n->core->clr, t->id);
        if (strcmp(clr->name, t->name) == 0)
            learn(n, &n->types, t->name, clr->full_name);
    }
}

static void learn_static(void *context, const struct clr_static *s)
{
    struct core_namer *n = context;
    struct text canonical = {0};
    uint64_t type = memory_u64(&n->core->image.memory, s->object, NULL) & ~UINT64_C(7);
    if (!runtime_is_method_table(&n->core->runtime, type))
        return;
    struct name_part field = name_part(s->field);
    text_clear(&n->plain);
    text_clear(&n->declared);
    place_add_static(&n->plain, name_part(clr_type_of(n->core->clr, type)->name), field);
    place_add_static(&n->declared, name_part(s->declared_by), field);
    names_canonical(&canonical, n->plain.data, n->plain.len);
    learn(n, &n->statics, text_string(&canonical), text_string(&n->declared));
    text_free(&canonical);
}

static void apply(struct core_namer *n)
{
    for (type_id t = 0; t < n->snap->type_count; t++) {
        struct type *type = &n->snap->types[t];
        struct full_name *found = NULL;
        if (type->kind == TYPE_OBJECT)
            HASH_FIND_STR(n->types, type->name, found);
        else if (type->kind == TYPE_PSEUDO)
            HASH_FIND_STR(n->statics, type->name, found);
        /* For a variable, an equal name confirms the declaring class. */
        if (found != NULL)
            type->full_name = found->full != NULL && (type->kind == TYPE_PSEUDO ||
                                                      strcmp(found->full, type->name) != 0)
                                  ? found->full
                                  : NULL;
    }
}

/* --- Native AOT --------------------------------------------------------------------- */

/* Finds the first image with types: a program has one, or none if it has only libraries. It
 * extends to the last mapping of the same file. */
static bool name_by_program(struct core_namer *n)
{
    const struct process_image *p = &n->core->image;
    struct aot_image image;
    for (size_t i = 0; i < p->mapping_count; i++) {
        const struct image_mapping *m = &p->mappings[i];
        uint64_t end = m->end;
        for (size_t k = i + 1; m->offset == 0 && k < p->mapping_count; k++)
            if (strcmp(p->mappings[k].path, m->path) == 0)
                end = p->mappings[k].end;
        if (m->offset != 0 ||
            !aot_image_in_memory(&image, &p->memory, m->start, end, &n->core->arena))
            continue;
        symbols_apply_image(&image, n->snap);
        return true;
    }
    return false;
}

/* --- the whole ---------------------------------------------------------------------- */

static bool name_all(struct core_namer *n, struct bytes file, struct hd_error *err)
{
    struct core *c = n->core;
    if (!process_image_open(&c->image, file, &c->arena, err))
        return false;
    char path[64];
    snprintf(path, sizeof(path), "/proc/%llu/mem", (unsigned long long)c->image.pid);
    const int how = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
    n->fallback = (struct memory_fallback){read_process, open(path, how)};
    if (n->fallback.fd >= 0)
        c->image.memory.fallback = &n->fallback;
    struct hd_error no_runtime = {0};
    if (!runtime_find(&c->runtime, &c->image, &c->arena, &no_runtime)) {
        bool ok = name_by_program(n);
        if (!ok)
            *err = no_runtime;
        return ok;
    }
    if (!core_open_types(c, err))
        return false;
    learn_types(n);
    clr_types_statics(c->clr, learn_static, n);
    apply(n);
    return true;
}

bool hd_snapshot_add_full_names(struct hd_snapshot *snap, FILE *core, struct hd_error *err)
{
    char path[64];
    struct hd_error own = {0};
    struct bytes file;
    const struct input_options how = {0};
    err = err != NULL ? err : &own;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(core));
    struct input *in = input_open(path, &how, err);
    if (in == NULL)
        return false;
    struct core_namer n = {
        .snap = snap, .core = alloc_zeroed(sizeof(*n.core)), .fallback = {.fd = -1}};
    bool ok = input_all(in, &file, err) && name_all(&n, file, err);
    HASH_CLEAR(hh, n.types);
    HASH_CLEAR(hh, n.statics);
    text_free(&n.plain);
    text_free(&n.declared);
    core_free(n.core);
    if (n.fallback.fd >= 0)
        close(n.fallback.fd);
    input_close(in);
    return ok;
}
