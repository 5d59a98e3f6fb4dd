#include "clr/managed/symbols.h"

#include "base/error.h"
#include "format/open.h"
#include "heap/borrow.h"
#include "heap/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct program_symbols {
    struct hd_symbols any; /* first */
    struct input *input;
    struct arena arena;
    const char *path;
    struct aot_image image; /* of a program; without types: not known */
    struct aot_symbols symbols;
};

/* --- the file ---------------------------------------------------------------------- */

static bool apply_symbols(const struct hd_symbols *any, struct hd_snapshot *snap,
                          struct hd_error *err);

/* A pipe would be waited for. */
struct hd_symbols *hd_symbols_open(const char *path, struct hd_error *err)
{
    const struct input_options how = {0};
    struct stat st;
    struct input *in = NULL;
    struct bytes all;
    if (stat(path, &st) != 0)
        fail(err, HD_IO, "%s", strerror(errno));
    else if (!S_ISREG(st.st_mode))
        fail(err, HD_USAGE, "not a file");
    else
        in = input_open(path, &how, err);
    if (in == NULL)
        return NULL;
    struct program_symbols *s = alloc_zeroed(sizeof(*s));
    s->any.apply = apply_symbols;
    s->input = in;
    s->path = arena_strdup(&s->arena, path, strlen(path));
    bool ok =
        input_all(in, &all, err) && aot_symbols_of_file(&s->symbols, all, &s->arena, err);
    if (ok && !aot_image_of_file(&s->image, all, &s->arena))
        s->image = (struct aot_image){0};
    if (ok && (s->image.type_count > 0 || s->symbols.count > 0))
        return &s->any;
    if (ok)
        fail(err, HD_UNSUPPORTED,
             "no symbols of a Native AOT program, and not such a program of .NET 8 to 11");
    hd_symbols_close(&s->any);
    return NULL;
}

void hd_symbols_close(struct hd_symbols *any)
{
    struct program_symbols *s = (struct program_symbols *)any;
    if (s == NULL)
        return;
    input_close(s->input);
    arena_free(&s->arena);
    free(s);
}

/* --- names ------------------------------------------------------------------------- */

struct symbol_namer {
    struct hd_snapshot *snap;
    const struct aot_image *image;
    const struct aot_symbols *symbols; /* or NULL */
    struct text name, canonical;
    uint64_t numbers, found;
};

/* False: no such type. */
static bool find_name(struct symbol_namer *n, uint64_t rva)
{
    text_clear(&n->name);
    text_clear(&n->canonical);
    bool ok = aot_image_name(n->image, rva, &n->name) ||
              (n->symbols != NULL && aot_symbols_name(n->symbols, rva, &n->name));
    if (ok)
        names_canonical(&n->canonical, n->name.data, n->name.len);
    return ok;
}

static const char *name_of(struct symbol_namer *n, const char *number)
{
    uint64_t rva;
    return names_number(number, &rva) && find_name(n, rva)
               ? arena_strdup(&n->snap->arena, text_string(&n->canonical), n->canonical.len)
               : NULL;
}

static const char *name_of_row(void *context, const struct type *type)
{
    return type->kind == TYPE_OBJECT ? name_of(context, type->name) : NULL;
}

static void apply(struct symbol_namer *n)
{
    uint64_t named = snapshot_rename_types(n->snap, name_of_row, n);
    struct source *s = n->snap->source;
    warnings_take_back(&n->snap->warnings, WARN_UNKNOWN_TYPE, named);
    /* Also for writing the snapshot again. */
    for (size_t i = 0; s != NULL && named > 0 && i < s->type_count; i++) {
        struct source_type *type = &s->types[i];
        text_clear(&n->canonical);
        if (type->name != NULL)
            names_canonical(&n->canonical, type->name, strlen(type->name));
        const char *name = name_of(n, text_string(&n->canonical));
        if (name == NULL)
            continue;
        type->name = name;
        type->name_len = strlen(name);
        if (s->is_gcdump && type->number < s->gcdump_type_count)
            s->gcdump_types[type->number].name = name;
    }
    text_free(&n->name);
    text_free(&n->canonical);
}

/* Types that the runtime makes, and tables of static variables, have no names. In another
 * build a fifth of the numbers still hit the beginning of some type. */
static bool apply_symbols(const struct hd_symbols *any, struct hd_snapshot *snap,
                          struct hd_error *err)
{
    enum { MIN_OF_TEN = 9 };
    const struct program_symbols *s = (const struct program_symbols *)any;
    struct symbol_namer n = {.snap = snap, .image = &s->image, .symbols = &s->symbols};
    for (type_id t = 0; t < snap->type_count; t++) {
        uint64_t rva;
        const struct type *type = &snap->types[t];
        if (type->kind != TYPE_OBJECT || !names_number(type->name, &rva))
            continue;
        n.numbers++;
        n.found += find_name(&n, rva);
    }
    if (n.found * 10 >= n.numbers * MIN_OF_TEN) {
        apply(&n);
        return true;
    }
    text_free(&n.name);
    text_free(&n.canonical);
    return fail(err, HD_USAGE,
                "%.100s is of another program or build: %" PRIu64 " of %" PRIu64
                " types are not in it",
                s->path, n.numbers - n.found, n.numbers);
}

bool hd_snapshot_add_symbols(struct hd_snapshot *snap, const struct hd_symbols *symbols,
                             struct hd_error *err)
{
    return symbols->apply(symbols, snap, err);
}

void symbols_apply_image(const struct aot_image *image, struct hd_snapshot *snap)
{
    struct symbol_namer n = {.snap = snap, .image = image};
    apply(&n);
}
