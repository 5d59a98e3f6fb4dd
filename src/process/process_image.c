#include "process/process_image.h"

#include "base/search.h"

static bool ends_before(const void *all, size_t i, const void *wanted)
{
    return ((const struct image_mapping *)all)[i].end <= *(const uint64_t *)wanted;
}

const struct image_mapping *image_mapping_at(const struct process_image *p,
                                             uint64_t address)
{
    size_t i = search_first(p->mappings, 0, p->mapping_count, ends_before, &address);
    return i < p->mapping_count && p->mappings[i].start <= address ? &p->mappings[i] : NULL;
}

const struct image_file *image_file_at(const struct process_image *p, uint64_t base)
{
    for (size_t i = 0; i < p->file_count; i++)
        if (p->files[i].base == base && p->files[i].bytes.size > 0)
            return &p->files[i];
    return NULL;
}
