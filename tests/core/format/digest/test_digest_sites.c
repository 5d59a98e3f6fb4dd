/* Allocation sites in the file of a digest: kept, of a later version, rejected. */
#include "format/digest/digest_json.h"
#include "support/forge.h"
#include "support/made_sites.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A digest of two orders, of which one has a sample. */
static struct hd_memory sampled_digest(void)
{
    struct forge f = {0};
    node_id order = forge_objects(&f, "App.Order", 40, 2);
    node_id array = forge_object(&f, "App.Order[]", 40);
    forge_reference(&f, array, order);
    forge_reference(&f, array, order + 1);
    for (node_id n = 0; n < 3; n++)
        forge_generation(&f, n, HD_GEN2);
    forge_root(&f, HD_ROOT_STATIC, "App.s_all", array);
    struct hd_snapshot *snap = forge_finish(&f);
    const struct made_sample sample = {order + 1, "App.Add@App.cs:7 < -System.Run", 3};
    made_sites(snap, 4, &sample, 1);
    struct hd_memory json = digest_json_of(snap);
    hd_snapshot_close(snap);
    return json;
}

static struct hd_snapshot *read_with(const struct hd_memory *json, const char *from,
                                     const char *to, struct hd_error *err)
{
    char *at = strstr(json->bytes, from), *changed;
    cr_assert_not_null(at, "no %s in %s", from, json->bytes);
    size_t capacity = json->size + strlen(to) + 1;
    changed = malloc(capacity);
    int len = snprintf(changed, capacity, "%.*s%s%s", (int)(at - json->bytes), json->bytes,
                       to, at + strlen(from));
    struct hd_snapshot *snap = hd_snapshot_from_memory(changed, (size_t)len, NULL, err);
    free(changed);
    return snap;
}

Test(digest_sites, are_those_of_places)
{
    struct hd_memory json = sampled_digest();
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_with(&json, "\"sites\"", "\"sites\"", &err);
    cr_assert_not_null(snap, "%s", err.message);
    const struct allocation_sites *sites = snap->digest->sites;
    cr_assert_not_null(sites);
    cr_assert_eq(sites->object_count, 1);
    cr_expect_eq(sites->collection, 4);
    uint32_t place = sites->objects[0].object;
    cr_expect_str_eq(snap->types[snap->digest->places.type[place]].name, "App.Order");
    hd_snapshot_close(snap);
    hd_memory_free(&json);
}

Test(digest_sites, of_a_later_version_are_ignored)
{
    static const char *const changes[][2] = {
        {"\"sites\"", "\"later\""}, {"\"sites\":{\"line\"", "\"sites\":{\"later\""}};
    struct hd_memory json = sampled_digest();
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        struct hd_error err = {0};
        struct hd_snapshot *snap = read_with(&json, changes[i][0], changes[i][1], &err);
        cr_assert_not_null(snap, "%s", err.message);
        cr_expect_null(snap->digest->sites);
        hd_snapshot_close(snap);
    }
    hd_memory_free(&json);
}

/* The root has no objects. */
Test(digest_sites, of_the_root_are_refused)
{
    struct hd_memory json = sampled_digest();
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_with(&json, "\"sites\"", "\"sites\"", &err);
    cr_assert_not_null(snap, "%s", err.message);
    char object[32];
    snprintf(object, sizeof(object), " %u.0.3\"", snap->digest->sites->objects[0].object);
    cr_expect_null(read_with(&json, object, " 0.0.3\"", &err));
    hd_snapshot_close(snap);
    hd_memory_free(&json);
}

Test(digest_sites, that_cannot_be_are_refused)
{
    static const char *const changes[][2] = {{"\"line\":\"", "\"line\":\"x"},
                                             {".0.3\"", ".1.3\""},
                                             {".0.3\"", "99.0.3\""},
                                             {".0.3\"", ".0.3 0.0\""}};
    struct hd_memory json = sampled_digest();
    for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
        struct hd_error err = {0};
        cr_expect_null(read_with(&json, changes[i][0], changes[i][1], &err), "%s",
                       changes[i][1]);
        cr_expect_eq(err.status, HD_BAD_FORMAT);
    }
    hd_memory_free(&json);
}

/* 2,000 samples have one stack, and 1,000 have long names. Bytes per sample grow if
 * samples are left out. */
Test(digest_sites, of_too_many_bytes_are_drawn_by_their_weight)
{
    enum { USUAL = 2000, RARE = 1000, ALL = USUAL + RARE, EACH = 100 << 10 };
    struct forge f = {0};
    struct made_sample *all = calloc(ALL, sizeof(*all));
    char(*names)[256] = calloc(RARE, sizeof(*names));
    node_id order = forge_objects(&f, "App.Order", 40, ALL);
    node_id array = forge_object(&f, "App.Order[]", 40);
    for (node_id n = 0; n < ALL; n++)
        forge_reference(&f, array, order + n);
    for (node_id n = 0; n <= ALL; n++)
        forge_generation(&f, n, HD_GEN2);
    forge_root(&f, HD_ROOT_STATIC, "App.s_all", array);
    struct hd_snapshot *snap = forge_finish(&f);
    for (uint32_t i = 0; i < ALL; i++) {
        all[i] = (struct made_sample){order + i, "App.Add < App.Main", 3};
        if (i % 3 == 0) {
            /* No common beginning, which would be written once. */
            snprintf(names[i / 3], sizeof(*names), "M%u%0160d < App.Main", i * 7919 % 10007,
                     0);
            all[i].stack = names[i / 3];
        }
    }
    made_sites(snap, 4, all, ALL);
    struct hd_memory json = digest_json_of(snap);
    hd_snapshot_close(snap);
    free(names);
    free(all);
    struct hd_error err = {0};
    snap = hd_snapshot_from_memory(json.bytes, json.size, NULL, &err);
    cr_assert_not_null(snap, "%s", err.message);
    const struct allocation_sites *s = snap->digest->sites;
    uint64_t share = s->per_sample / EACH, seen = s->object_count + s->unnamed;
    cr_expect_geq(share, 2);
    cr_expect_gt(s->unnamed, 0);
    cr_expect(seen * share > ALL * 9 / 10 && seen * share < ALL * 11 / 10, "%u of %d",
              (unsigned)(seen * share), ALL);
    hd_snapshot_close(snap);
    hd_memory_free(&json);
}
