#include "clr/process/process_image.h"

#include "base/search.h"

#include <stdlib.h>

static int by_start(const void *x, const void *y)
{
    const struct image_mapping *a = x, *b = y;
    return a->start != b->start ? compare_numbers(a->start, b->start)
           : a->end != b->end   ? compare_numbers(a->end, b->end)
                                : compare_numbers(a->offset, b->offset);
}

static void drop_empty(struct process_image *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->mapping_count; i++)
        if (p->mappings[i].start < p->mappings[i].end)
            p->mappings[kept++] = p->mappings[i];
    p->mapping_count = kept;
}

/* The kernel's are in order. */
void image_mappings_sort(struct process_image *p)
{
    drop_empty(p);
    if (p->mapping_count > 0)
        qsort(p->mappings, p->mapping_count, sizeof(*p->mappings), by_start);
    for (size_t i = 0; i + 1 < p->mapping_count; i++)
        if (p->mappings[i].end > p->mappings[i + 1].start)
            p->mappings[i].end = p->mappings[i + 1].start;
    drop_empty(p);
}

static bool process_image_ends_before(const void *all, size_t i, const void *wanted)
{
    return ((const struct image_mapping *)all)[i].end <= *(const uint64_t *)wanted;
}

const struct image_mapping *image_mapping_at(const struct process_image *p,
                                             uint64_t address)
{
    size_t i =
        search_first(p->mappings, 0, p->mapping_count, process_image_ends_before, &address);
    return i < p->mapping_count && p->mappings[i].start <= address ? &p->mappings[i] : NULL;
}

const struct image_file *image_file_at(const struct process_image *p, uint64_t base)
{
    for (size_t i = 0; i < p->file_count; i++)
        if (p->files[i].base == base && p->files[i].bytes.size > 0)
            return &p->files[i];
    return NULL;
}

bool process_image_open(struct process_image *p, struct bytes file, struct arena *a,
                        struct hd_error *err)
{
    return minidump_is(file) ? minidump_open(p, file, a, err)
                             : core_file_open(p, file, a, err);
}

void process_image_close(struct process_image *p)
{
    mapped_files_close(p);
}
