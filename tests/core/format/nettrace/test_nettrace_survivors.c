/* The survivor map in a trace: parsed, applied, passed on, and rejected. */
#include "format/nettrace/forged_walks.h"
#include "identity/places.h"
#include "identity/same.h"

/* A map for two boxes, which are in both snapshots. */
static const char *map_of_two(struct text *t, const struct hd_snapshot *snap)
{
    struct arena a = {0};
    struct places p = places_of(snap);
    const struct survivor_side side = {places_token(&p), (uint32_t)p.len};
    cr_assert_eq(p.len, 2);
    struct survivor_map other_map =
        survivor_map_write(&side, &side, (uint32_t[]){0, 1}, &a);
    survivor_map_put(&other_map, t);
    places_free(&p);
    arena_free(&a);
    return text_string(t);
}

static void add_part(struct trace_forge *f, uint32_t number, uint32_t parts,
                     const char *text, size_t len)
{
    struct text payload = {0};
    forge_u32(&payload, number);
    forge_u32(&payload, parts);
    text_add(&payload, text, len);
    trace_forge_event(f, OTHER, FORGED_OURS + 1, payload.data, payload.len);
    text_free(&payload);
}

/* The same walk, followed by parts of at most this size. */
static struct trace_forge trace_with(const char *text, size_t part)
{
    struct trace_forge f = begin(8);
    size_t len = text != NULL ? strlen(text) : 0;
    uint32_t parts = (uint32_t)(len > 0 ? (len + part - 1) / part : 0);
    trace_forge_types(&f, MAIN, &box, 1);
    whole_walk(&f, 0x7000, 1);
    for (uint32_t i = 0; i < parts; i++)
        add_part(&f, i, parts, text + i * part,
                 len - i * part < part ? len - i * part : part);
    trace_forge_end(&f);
    return f;
}

static bool has_map(struct trace_forge *f)
{
    struct same s = {0};
    struct hd_snapshot *snap = open_good(f);
    cr_expect(snap->info.complete);
    cr_expect_eq(snap->info.objects, 2);
    bool other_map = same_by_events(&s, snap, snap);
    if (other_map)
        cr_expect(s.next[0] != NO_NODE && s.next[1] != NO_NODE);
    same_free(&s);
    hd_snapshot_close(snap);
    trace_forge_free(f);
    return other_map;
}

static const char *good(struct text *t)
{
    struct trace_forge f = trace_with(NULL, 1);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_null(snap->survivor_map);
    const char *text = map_of_two(t, snap);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
    return text;
}

Test(nettrace_survivors, a_survivor_map_is_read_from_any_parts)
{
    static const size_t parts[] = {1000, 40, 7, 1};
    struct text t = {0};
    const char *text = good(&t);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        struct trace_forge f = trace_with(text, parts[i]);
        cr_expect(has_map(&f), "parts of %zu", parts[i]);
    }
    text_free(&t);
}

Test(nettrace_survivors, the_map_is_passed_on_to_a_gcdump)
{
    static const struct hd_read_options how = {.to_write = true};
    struct text t = {0};
    struct hd_memory made = {0};
    struct hd_error err = {0};
    struct trace_forge f = trace_with(good(&t), 30);
    struct hd_snapshot *snap = open_trace(&f, &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    cr_assert(hd_snapshot_write(snap, "gcdump", hd_sink_memory(&made), NULL, &err), "%s",
              err.message);
    struct hd_snapshot *gcdump = hd_snapshot_from_memory(made.bytes, made.size, NULL, &err);
    struct same s = {0};
    cr_assert_not_null(gcdump, "%s", err.message);
    cr_expect(same_by_events(&s, snap, gcdump));
    same_free(&s);
    hd_snapshot_close(gcdump);
    hd_snapshot_close(snap);
    hd_memory_free(&made);
    text_free(&t);
    trace_forge_free(&f);
}

/* Every byte is changed: the map is ignored, or still valid for the same objects. */
Test(nettrace_survivors, damaged_text_is_ignored)
{
    static const char others[] = {'0', 'z', ' ', '/', '\0', '\n', (char)0xFF};
    struct text t = {0};
    size_t len = strlen(good(&t)), other_map = 0, all = 0;
    for (size_t at = 0; at < len; at++)
        for (size_t i = 0; i < sizeof(others); i++, all++) {
            char *text = strdup(text_string(&t));
            struct trace_forge f = begin(8);
            bool same = text[at] == others[i];
            text[at] = others[i];
            trace_forge_types(&f, MAIN, &box, 1);
            whole_walk(&f, 0x7000, 1);
            add_part(&f, 0, 1, text, len);
            trace_forge_end(&f);
            other_map += has_map(&f) && !same;
            free(text);
        }
    cr_expect_lt(other_map * 20, all, "%zu of %zu", other_map, all);
    text_free(&t);
}

/* A map of two objects needs only a few bytes. */
Test(nettrace_survivors, more_than_objects_need_is_not_kept)
{
    struct text t = {0};
    good(&t);
    while (t.len < 200)
        text_add_char(&t, 'A');
    struct trace_forge f = trace_with(text_string(&t), 50);
    struct hd_snapshot *snap = open_good(&f);
    cr_expect_null(snap->survivor_map);
    hd_snapshot_close(snap);
    trace_forge_free(&f);
    text_free(&t);
}
