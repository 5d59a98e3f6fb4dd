/* held - why the largest instance of a type is alive:
 *
 *     held SNAPSHOT TYPE
 *
 * prints the chain of references from a root to it, and what refers to it by type. */
#include <heapdrift.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_FRAMES = 32 };

static void print_chain(const struct hd_objects *o, uint32_t number)
{
    uint32_t chain[MAX_FRAMES];
    size_t skipped, skipped_at;
    size_t count = hd_object_chain(o, number, chain, MAX_FRAMES, &skipped, &skipped_at);
    for (size_t i = 0; i < count; i++) {
        struct hd_object object;
        if (!hd_object(o, chain[i], &object))
            continue;
        if (skipped > 0 && i == skipped_at)
            printf("... %zu more\n", skipped);
        hd_put_name(hd_sink_file(stdout), object.type);
        puts("");
    }
}

static void print_referrers(const struct hd_objects *o, uint32_t number)
{
    size_t count;
    struct hd_object_group *groups = hd_object_groups(o, number, HD_REFERRED_BY, &count);
    for (size_t i = 0; i < count; i++) {
        printf("referred to by %" PRIu64 " ", groups[i].objects);
        hd_put_name(hd_sink_file(stdout), groups[i].type);
        puts("");
    }
    free(groups);
}

static int explain(struct hd_objects *o, const char *type, struct hd_error *err)
{
    struct hd_object_list *list = hd_objects_wait(o, err)
                                      ? hd_objects_of_type(o, type, HD_OBJECTS_BY_SIZE, err)
                                      : NULL;
    if (list == NULL)
        return 1;
    if (hd_object_list_count(list) > 0) {
        print_chain(o, hd_object_list_get(list, 0));
        print_referrers(o, hd_object_list_get(list, 0));
    }
    hd_object_list_free(list);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: held SNAPSHOT TYPE\n");
        return 1;
    }
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(argv[1], NULL, &err);
    int status = 1;
    if (snap != NULL) {
        struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
        struct hd_objects *o = hd_objects_open(c, 0);
        status = explain(o, argv[2], &err);
        hd_objects_close(o);
        hd_comparison_free(c);
    }
    if (status != 0)
        fprintf(stderr, "%s: %s\n", argv[1], err.message);
    hd_snapshot_close(snap);
    return status;
}
