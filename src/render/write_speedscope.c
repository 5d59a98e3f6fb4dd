/* The file format of speedscope: a profile per snapshot, in bytes. A place lasts as long as
 * what it owns, so nothing grows with the depth. */
#include "base/json_out.h"
#include "render/tree_frames.h"
#include "render/writer.h"

#include <stdlib.h>

static json_t *frames_of(const struct tree_frames *f)
{
    json_t *all = json_array();
    for (size_t i = 0; i < f->count; i++) {
        json_t *frame = json_object();
        json_put(frame, "name", json_string_or_null(f->names[i]));
        json_append(all, frame);
    }
    return all;
}

struct recording {
    const struct tree_frames *f;
    size_t snapshot;
    uint64_t now; /* bytes of all that has come to its end */
    json_t *events;
    size_t *open; /* nodes that have begun */
    size_t depth;
};

static void add_event(struct recording *r, const char *type, size_t node)
{
    if (r->f->name_of[node] == NO_FRAME)
        return;
    json_t *event = json_object();
    json_put(event, "type", json_string(type));
    json_put(event, "frame", json_integer((json_int_t)r->f->name_of[node]));
    json_put(event, "at", json_integer((json_int_t)r->now));
    json_append(r->events, event);
}

/* The bytes of a place itself come behind those of what it owns. */
static void close_before(struct recording *r, size_t node)
{
    const struct hd_tree_node *nodes = r->f->tree->nodes;
    while (r->depth > 0 && nodes[r->open[r->depth - 1]].end <= node) {
        size_t done = r->open[--r->depth];
        r->now += nodes[done].at[r->snapshot].bytes;
        add_event(r, "C", done);
    }
}

static json_t *events_of(const struct tree_frames *f, size_t snapshot, uint64_t *end)
{
    const struct hd_tree *t = f->tree;
    struct recording r = {.f = f, .snapshot = snapshot, .events = json_array()};
    r.open = alloc_zeroed(array_bytes(t->len, sizeof(*r.open)));
    for (size_t i = 0; i < t->len;) {
        close_before(&r, i);
        if (t->nodes[i].owned[snapshot].bytes == 0) {
            i = t->nodes[i].end;
            continue;
        }
        add_event(&r, "O", i);
        r.open[r.depth++] = i++;
    }
    close_before(&r, t->len);
    free(r.open);
    *end = r.now;
    return r.events;
}

static json_t *profile(const struct hd_model *m, const struct tree_frames *f, size_t k)
{
    json_t *o = json_object();
    uint64_t end;
    json_t *events = events_of(f, k, &end);
    json_put(o, "type", json_string("evented"));
    json_put(o, "name", json_string_or_null(tree_profile_name(m, k)));
    json_put(o, "unit", json_string("bytes"));
    json_put(o, "startValue", json_integer(0));
    json_put(o, "endValue", json_integer((json_int_t)end));
    json_put(o, "events", events);
    return o;
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    const struct hd_model *m = &r->model;
    struct tree_frames f = tree_frames_of(m->tree);
    json_t *whole = json_object(), *shared = json_object(), *profiles = json_array();
    size_t count = 0, last = 0;
    (void)opt;
    json_put(shared, "frames", frames_of(&f));
    for (size_t k = 0; k < m->snapshot_count; k++) {
        if (m->tree->reachable[k].bytes == HD_UNKNOWN)
            continue;
        json_append(profiles, profile(m, &f, k));
        last = count++;
    }
    json_put(whole, "$schema",
             json_string("https://www.speedscope.app/file-format-schema.json"));
    json_put(whole, "exporter", json_string("heapdrift " HD_VERSION));
    json_put(whole, "name", json_string_or_null(tree_profile_name(m, m->tree->last)));
    json_put(whole, "activeProfileIndex", json_integer((json_int_t)last));
    json_put(whole, "shared", shared);
    json_put(whole, "profiles", profiles);
    json_write_line(whole, o);
    out_string(o, "\n");
    tree_frames_free(&f);
}

const struct writer write_speedscope = {
    .name = "speedscope",
    .summary = "for speedscope: a profile per snapshot (tree)",
    .holds = HOLDS_TREES,
    .whole_tree = true,
    .write = write,
};
