#include "collect/live_runtime.h"

#include "base/error.h"
#include "process/core_file.h"
#include "process/runtime.h"
#include "process/runtime_module.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The library and its variables; a program in one file is larger, and this bounds it. */
enum { MOST_OF_AN_AREA = 256 << 20 };

/* Addresses of globals that are asked; .NET 8 has 157, which is most. */
enum { MOST_GLOBALS = 256 };

/* --- its memory ---------------------------------------------------------------- */

struct pieces {
    struct memory_piece *all;
    size_t count, cap;
    struct arena *arena;
};

static void read_area(struct pieces *p, int mem, const struct area *a)
{
    uint64_t size = a->end - a->start;
    if (!a->readable || size > MOST_OF_AN_AREA)
        return;
    unsigned char *bytes = arena_alloc(p->arena, (size_t)size);
    ssize_t n = pread(mem, bytes, (size_t)size, (off_t)a->start);
    if (n <= 0)
        return;
    p->all = grow(p->all, p->count, &p->cap, sizeof(*p->all));
    p->all[p->count++] = (struct memory_piece){a->start, (uint64_t)n, bytes};
}

/* An image from its first area on, with the variables behind it, which have no file. */
static size_t read_image(struct pieces *p, int mem, const struct address_space *space,
                         size_t first)
{
    size_t i = first;
    const char *path = space->areas[first].path;
    do
        read_area(p, mem, &space->areas[i]);
    while (++i < space->count && space->areas[i].start == space->areas[i - 1].end &&
           (space->areas[i].path[0] == '\0' || strcmp(space->areas[i].path, path) == 0));
    return i;
}

static void read_images(struct pieces *p, int mem, const struct address_space *space,
                        uint64_t headers)
{
    for (size_t i = 0; i < space->count;) {
        const struct area *a = &space->areas[i];
        bool is_program = headers >= a->start && headers < a->end;
        i = is_program || (a->offset == 0 && runtime_library_is(a->path))
                ? read_image(p, mem, space, i)
                : i + 1;
    }
}

static void list_mappings(struct process_image *image, const struct address_space *space,
                          struct arena *arena)
{
    image->mappings = arena_array(arena, struct image_mapping, space->count);
    for (size_t i = 0; i < space->count; i++) {
        const struct area *a = &space->areas[i];
        if (a->path[0] == '/')
            image->mappings[image->mapping_count++] =
                (struct image_mapping){a->start, a->end, a->offset, a->path};
    }
}

static bool is_native(const struct runtime_module *m)
{
    return m->is_program &&
           runtime_module_symbol(m, "DotNetRuntimeDebugHeader").address != 0;
}

/* --- the variable -------------------------------------------------------------- */

static uint64_t find_count(const struct process_image *image, struct arena *arena,
                           struct hd_error *err)
{
    struct runtime_module module;
    bool ok = true;
    bool found = runtime_module_find(&module, image, arena);
    uint64_t table = found ? runtime_module_symbol(&module, "g_dacTable").address : 0;
    if (found && is_native(&module))
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "a native AOT program, whose memory cannot be read");
    if (table == 0)
        return fail(err, HD_UNSUPPORTED,
                    "the process has no .NET runtime whose memory can be read, "
                    "of " RUNTIME_OLDEST_READ " or later");
    const char *version = runtime_module_version(&module, image, arena);
    if (version != NULL && runtime_is_too_old(version))
        return fail_about(err, HD_ABOUT_DIRECT, HD_UNSUPPORTED,
                          "its runtime is .NET %s; the memory of " RUNTIME_OLDEST_READ
                          " and later can be read",
                          version);
    uint64_t gc = runtime_gc_find(&image->memory, table, MOST_GLOBALS);
    uint64_t at = gc != 0 ? memory_u64(&image->memory, gc + GC_INVALID_COUNT, &ok) : 0;
    if (at == 0 || !ok)
        return fail(err, HD_UNSUPPORTED,
                    "the runtime of the process does not tell where its heap is: it has "
                    "just started, or is of a version that this heapdrift does not know");
    return at;
}

uint64_t live_heap_count_address(int mem, const struct address_space *space,
                                 struct bytes auxv, struct hd_error *err)
{
    struct arena arena = {0};
    struct pieces pieces = {.arena = &arena};
    struct process_image image = {.program_headers = core_program_headers(auxv)};
    read_images(&pieces, mem, space, image.program_headers);
    list_mappings(&image, space, &arena);
    image.memory = memory_of(pieces.all, pieces.count, &arena);
    uint64_t at = find_count(&image, &arena, err);
    free(pieces.all);
    arena_free(&arena);
    return at;
}
