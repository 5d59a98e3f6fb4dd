#include "format/core/core_process.h"

#include "base/utf16.h"

#include <string.h>

/* Arrays of references and strings: how many, then the first. */
enum { COUNT_AT = 8, FIRST_ELEMENT = 16, FIRST_UNIT = 12, MOST_UNITS = 4096 };

static void find_arguments(void *context, const struct clr_static *s)
{
    uint64_t *arguments = context;
    if (strcmp(s->declared_by, "System.Environment") == 0 &&
        strcmp(s->field, "s_commandLineArgs") == 0)
        *arguments = s->object;
}

/* The first of the arguments, which is the path of the program; the others may be secrets.
 */
static bool take_path(struct core *c, struct text *path)
{
    const struct memory *m = &c->image.memory;
    uint64_t arguments = 0;
    bool ok = true;
    clr_types_statics(c->clr, find_arguments, &arguments);
    if (arguments == 0 || memory_u32(m, arguments + COUNT_AT, &ok) == 0)
        return false;
    uint64_t first = memory_u64(m, arguments + FIRST_ELEMENT, &ok);
    uint32_t units = memory_u32(m, first + COUNT_AT, &ok);
    const unsigned char *at = NULL;
    if (ok && first != 0 && units > 0 && units <= MOST_UNITS)
        at = memory_at(m, first + FIRST_UNIT, 2 * (uint64_t)units);
    if (at != NULL)
        text_add_utf16(path, at, units, UTF16_LITTLE);
    return at != NULL;
}

/* Of "/app/Shop.dll": Shop. */
static const char *name_of(const char *path, struct arena *a)
{
    static const char assembly[] = ".dll";
    const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    size_t len = strlen(name), end = sizeof(assembly) - 1;
    if (len > end && strcmp(name + len - end, assembly) == 0)
        len -= end;
    return len > 0 ? arena_strdup(a, name, len) : NULL;
}

void core_process_describe(struct core *c, struct hd_snapshot *snap)
{
    struct text path = {0};
    struct arena *a = &snap->arena;
    const char *name = c->image.name;
    snap->info.pid = c->image.pid;
    snap->info.runtime = arena_strdup(a, c->runtime.version, strlen(c->runtime.version));
    if (name != NULL)
        snap->info.process = arena_strdup(a, name, strlen(name));
    const char *program = take_path(c, &path) ? name_of(text_string(&path), a) : NULL;
    if (program != NULL)
        snap->info.process = program;
    text_free(&path);
}
