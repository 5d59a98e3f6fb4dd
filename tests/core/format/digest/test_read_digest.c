/* Digests that are truncated, damaged, or of another version. */
#include "format/digest/digest_json.h"
#include "owners/random_heap.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The JSON of a small heap that uses every member. */
static struct hd_memory digest_json(void)
{
    struct random r = random_from(11);
    struct hd_snapshot *heap = random_small_heap(&r, 40, true, true);
    struct hd_memory json = digest_json_of(heap);
    hd_snapshot_close(heap);
    return json;
}

static enum hd_status status_of(const char *json, size_t size, struct hd_error *err)
{
    *err = (struct hd_error){0};
    struct hd_snapshot *snap = hd_snapshot_from_memory(json, size, NULL, err);
    hd_snapshot_close(snap);
    return err->status;
}

/* Replaces the first `from` after the first `after`. */
static enum hd_status status_with(const char *after, const char *from, const char *to,
                                  struct hd_error *err)
{
    struct hd_memory json = digest_json();
    char *group = strstr(json.bytes, after);
    char *at = group != NULL ? strstr(group, from) : NULL;
    cr_assert_not_null(at, "%s %s", after, from);
    size_t head = (size_t)(at - json.bytes), capacity = json.size + strlen(to) + 1;
    char *changed = malloc(capacity);
    int len = snprintf(changed, capacity, "%.*s%s%s", (int)head, json.bytes, to,
                       at + strlen(from));
    enum hd_status status = status_of(changed, (size_t)len, err);
    free(changed);
    hd_memory_free(&json);
    return status;
}

Test(read_digest, cut_anywhere_it_is_refused)
{
    struct hd_memory json = digest_json();
    struct hd_error err;
    for (size_t size = 0; size < json.size; size++) {
        /* Only a line end may follow the last bracket. */
        enum hd_status status = status_of(json.bytes, size, &err);
        cr_expect(status != HD_OK || size + 1 == json.size, "%zu of %zu", size, json.size);
    }
    cr_expect_eq(status_of(json.bytes, json.size, &err), HD_OK, "%s", err.message);
    hd_memory_free(&json);
}

/* Each byte becomes one of three others: the file is rejected, or a valid digest. */
Test(read_digest, with_any_byte_changed_it_is_refused_or_sound)
{
    static const char instead[] = {'9', ']', 'n'};
    struct hd_memory json = digest_json();
    struct hd_error err;
    size_t refused = 0, tried = 0;
    for (size_t at = 0; at < json.size; at++) {
        char before = json.bytes[at], after = instead[at % sizeof(instead)];
        if (before == after)
            continue;
        json.bytes[at] = after;
        tried++;
        struct hd_snapshot *snap =
            hd_snapshot_from_memory(json.bytes, json.size, NULL, NULL);
        refused += snap == NULL;
        if (snap != NULL) {
            struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
            struct hd_options opt = hd_default_options();
            opt.by = HD_BY_HOLDER;
            hd_report_free(hd_report_top(c, &opt, NULL));
            hd_comparison_free(c);
        }
        hd_snapshot_close(snap);
        json.bytes[at] = before;
    }
    cr_expect_gt(refused, tried / 2);
    cr_expect_eq(status_of(json.bytes, json.size, &err), HD_OK);
    hd_memory_free(&json);
}

Test(read_digest, another_version_is_named)
{
    struct hd_error err;
    cr_expect_eq(status_with("{", "_digest\":1", "_digest\":2", &err), HD_UNSUPPORTED);
    cr_expect_str_eq(err.message, "a digest of version 2; this heapdrift reads version 1");
}

Test(read_digest, members_of_a_later_version_are_left_out)
{
    struct hd_error err;
    cr_expect_eq(
        status_with("\"places\"", "{", "{\"new\":[{\"a\":[1,null,\"x\\n\"]}],", &err),
        HD_OK, "%s", err.message);
    cr_expect_eq(
        status_with("{", ",\n\"types\"", ",\"later\":{\"b\":true},\"types\"", &err), HD_OK,
        "%s", err.message);
}

Test(read_digest, sums_that_do_not_add_up_are_refused)
{
    static const struct {
        const char *after, *from, *to;
    } forged[] = {
        {"\"info\"", "\"objects\":", "\"objects\":1"},
        {"\"info\"", "\"reachable_objects\":", "\"reachable_objects\":1"},
        {"\"types\"", "\"count\":[", "\"count\":[1,"},
        {"\"types\"", "\"gen2_bytes\":[", "\"gen2_bytes\":[8,"},
        {"\"places\"", "\"bytes\":[0", "\"bytes\":[9"},
        {"\"places\"", "\"above\":[1", "\"above\":[2"},
        {"\"places\"", "\"type\":[", "\"type\":[99"},
        {"\"sharing\"", "\"objects\":[", "\"objects\":[99"},
        {"\"sharing\"", "\"from\":[", "\"from\":[9999"},
        {"\"chains\"", "\"link\":[", "\"link\":[999"},
        {"\"survivors\"", "\"samples\":[", "\"samples\":[99"},
        {"\"survivors\"", "\"address_unit\":8", "\"address_unit\":0"},
    };
    for (size_t i = 0; i < sizeof(forged) / sizeof(forged[0]); i++) {
        struct hd_error err;
        cr_expect_eq(status_with(forged[i].after, forged[i].from, forged[i].to, &err),
                     HD_BAD_FORMAT, "%s: %s", forged[i].to, err.message);
    }
}

Test(read_digest, takes_no_more_memory_than_it_may)
{
    struct hd_error err = {0};
    struct text big = {0};
    text_add_string(&big, "{\"heapdrift_digest\":1,\"places\":{\"above\":[1");
    for (int i = 0; i < 3000000; i++)
        text_add_string(&big, ",1");
    text_add_string(&big, "]}}");
    struct hd_read_options how = {.max_memory = 8 << 20};
    cr_expect_null(hd_snapshot_from_memory(big.data, big.len, &how, &err));
    cr_expect_eq(err.status, HD_TOO_BIG);
    text_free(&big);
}

/* The same number of types and objects, each held by the previous one: every place has its
 * own type and parent, and arrays of every length are combined. */
Test(read_digest, heaps_of_every_number_of_places_are_read_as_they_were_written)
{
    enum { MAX_PLACES = 40 };
    for (uint32_t n = 1; n <= MAX_PLACES; n++) {
        struct forge f = {0};
        struct hd_memory file = {0};
        node_id above = 0;
        for (uint32_t i = 0; i < n; i++) {
            char name[32];
            snprintf(name, sizeof(name), "App.T%02u", (unsigned)i);
            node_id here = forge_object(&f, name, 24 + 8 * i);
            if (i > 0)
                forge_reference(&f, above, here);
            else
                forge_root(&f, HD_ROOT_STACK, NULL, here);
            above = here;
        }
        struct hd_snapshot *heap = forge_finish(&f);
        cr_assert(hd_snapshot_write(heap, "digest", hd_sink_memory(&file), NULL, NULL));
        struct hd_snapshot *read =
            hd_snapshot_from_memory(file.bytes, file.size, NULL, NULL);
        const struct digest_places *p = &read->digest->places;
        uint32_t chain = p->len - n; /* the first place after the root and its groups */
        cr_assert_eq(p->parent[0], NO_PLACE);
        cr_expect_eq(p->type[0], NO_TYPE);
        for (uint32_t i = 0; i < n; i++) {
            const struct type *type = &read->types[p->type[chain + i]];
            cr_expect_eq(p->parent[chain + i], chain + i - 1, "%u of %u", i, n);
            cr_expect_eq(strtoul(type->name + strlen("App.T"), NULL, 10), i, "%u of %u: %s",
                         i, n, type->name);
            cr_expect_eq(p->at[chain + i].count, 1, "%u of %u", i, n);
            cr_expect_eq(p->at[chain + i].bytes, 24 + 8 * i, "%u of %u", i, n);
        }
        hd_snapshot_close(read);
        hd_snapshot_close(heap);
        hd_memory_free(&file);
    }
}
