#include "series/type_rank.h"

#include "heap/names.h"
#include "heap/place.h"

#include <string.h>

/* --- modules ----------------------------------------------------------------- */

static const char *type_rank_file_of(const char *path)
{
    const char *file = path;
    for (const char *c = path; *c != '\0'; c++)
        if (*c == '/' || *c == '\\')
            file = c + 1;
    return file;
}

enum type_origin type_origin_of(const char *module)
{
    static const char *const prefixes[] = {"System.", "Microsoft.", "mscorlib",
                                           "netstandard"};
    if (module == NULL || module[0] == '\0')
        return ORIGIN_UNKNOWN;
    const char *file = type_rank_file_of(module);
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (strncmp(file, prefixes[i], strlen(prefixes[i])) == 0)
            return ORIGIN_RUNTIME;
    return ORIGIN_PROGRAM;
}

enum type_origin type_origin_in(struct hd_snapshot *const *snaps, size_t count,
                                const char *name)
{
    enum type_origin origin = ORIGIN_RUNTIME;
    bool found = false;
    for (size_t k = 0; k < count; k++)
        for (type_id t = 0; t < snaps[k]->type_count; t++) {
            const struct type *type = &snaps[k]->types[t];
            if (type->kind != TYPE_OBJECT || strcmp(type->name, name) != 0)
                continue;
            enum type_origin here = type_origin_of(type->module);
            origin = here > origin ? here : origin;
            found = true;
        }
    return found ? origin : ORIGIN_UNKNOWN;
}

/* Returns the length of a file name without the suffix of a program. */
static size_t stem_of(const char *file)
{
    size_t len = strlen(file);
    bool ends = len > 4 && file[len - 4] == '.';
    const char *end = ends ? &file[len - 4] : "";
    return strcmp(end, ".dll") == 0 || strcmp(end, ".exe") == 0 ? len - 4 : len;
}

static bool is_called(const char *module, const char *name)
{
    const char *file = type_rank_file_of(module);
    size_t len = stem_of(file);
    return len == stem_of(name) && memcmp(file, name, len) == 0;
}

struct own_modules own_modules_of(const struct hd_snapshot *snap)
{
    const char *process = snap->info.process;
    if (process == NULL || process[0] == '\0')
        return (struct own_modules){0};
    const char *name = type_rank_file_of(process);
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].module != NULL && is_called(snap->types[t].module, name)) {
            size_t word = strcspn(name, "."), stem = stem_of(name);
            return (struct own_modules){name, word < stem ? word : stem};
        }
    return (struct own_modules){0};
}

/* True for the word that the program's modules and classes share, if no letter follows. A
 * program named like the framework shares its word with it. */
static bool has_own_word(const struct own_modules *own, const char *name)
{
    return own->name != NULL && type_origin_of(own->name) != ORIGIN_RUNTIME &&
           strncmp(name, own->name, own->word) == 0 &&
           strchr(".+", name[own->word]) != NULL;
}

/* --- names ------------------------------------------------------------------- */

enum type_rank type_rank_by_name(const char *name)
{
    if (names_is_unnamed(name) || names_is_framework(name_part(name), NAME_CLASS))
        return RANK_PLAIN;
    if (names_has_namespace(name))
        return RANK_NAMED;
    return strchr(name, '<') != NULL ? RANK_PLAIN : RANK_LOOSE;
}

/* --- both -------------------------------------------------------------------- */

/* Ranks a root by the class of the static variable, or by its type; other roots have no
 * specific names. */
static enum type_rank rank_of_variable(const struct own_modules *own, const char *name)
{
    struct place place = place_of(name);
    if (!place_is_variable(&place))
        return RANK_PLAIN;
    return has_own_word(own, place.type.at) ? RANK_OWN : RANK_LOOSE;
}

enum type_rank type_rank_of(const struct own_modules *own, const struct type *t)
{
    struct async_method m;
    if (t->kind != TYPE_OBJECT)
        return t->kind == TYPE_PSEUDO ? rank_of_variable(own, t->name) : RANK_PLAIN;
    if (async_method_of(&m, t->name)) {
        /* Its state machine is in a box of the framework, whose module is not that of the
         * method. */
        if (type_rank_by_name(m.of) < RANK_NAMED)
            return RANK_PLAIN;
        return has_own_word(own, m.of) ? RANK_OWN : RANK_NAMED;
    }
    if (names_is_unnamed(t->name) || t->module == NULL || t->module[0] == '\0')
        return type_rank_by_name(t->name);
    bool spaced = names_has_namespace(t->name);
    if (own->name != NULL && (is_called(t->module, own->name) ||
                              has_own_word(own, type_rank_file_of(t->module))))
        return spaced ? RANK_OWN : RANK_OWN_NESTED;
    if (type_origin_of(t->module) == ORIGIN_RUNTIME ||
        names_is_framework(name_part(t->name), NAME_CLASS))
        return RANK_PLAIN;
    return spaced ? RANK_NAMED : RANK_NESTED;
}
