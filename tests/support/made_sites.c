#include "support/made_sites.h"

#include "identity/places.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* "Shop.Add@Shop.cs:42" */
static uint32_t frame_of(struct site_builder *b, char *at)
{
    struct site_frame f = {.method = at + (*at == '-'), .is_own = *at != '-'};
    char *file = strchr(at, '@'), *line = file != NULL ? strrchr(file, ':') : NULL;
    if (line != NULL) {
        *file = *line = '\0';
        f.file = file + 1;
        f.line = (uint32_t)strtoul(line + 1, NULL, 10);
    }
    return site_builder_frame(b, &f);
}

static uint32_t stack_of(struct site_builder *b, const char *stack)
{
    uint32_t frames[MAX_STACK_FRAMES], count = 0;
    char *copy = strdup(stack), *at = copy;
    while (at != NULL) {
        char *next = strstr(at, " < ");
        if (next != NULL)
            *next = '\0';
        cr_assert_lt(count, MAX_STACK_FRAMES);
        frames[count++] = frame_of(b, at);
        at = next != NULL ? next + 3 : NULL;
    }
    free(copy);
    return site_builder_stack(b, frames, count);
}

void made_sites(struct hd_snapshot *snap, uint32_t collection,
                const struct made_sample *all, size_t count)
{
    struct places p = places_of(snap);
    struct allocation_sites of = {.token = places_token(&p),
                                  .collection = collection,
                                  .sampled = count,
                                  .per_sample = 100 << 10};
    struct site_builder b;
    site_builder_begin(&b, &snap->arena);
    for (size_t i = 0; i < count; i++) {
        uint32_t object = 0;
        while (object < p.len && p.all[object].object != all[i].node)
            object++;
        cr_assert_lt(object, p.len, "node %u has no address", all[i].node);
        site_builder_object(
            &b, (struct site_object){object, stack_of(&b, all[i].stack), all[i].born});
    }
    snap->sites = site_builder_end(&b, &of, false);
    places_free(&p);
}
