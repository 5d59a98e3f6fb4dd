#ifndef TESTS_FORGED_WALKS_H
#define TESTS_FORGED_WALKS_H

/* Small traces with heap walks, and checks of their snapshots. trace_forge defines the
 * events. */
#include "support/forge.h"
#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MAIN = 11, OTHER = 12 };
enum { STACK, FINALIZER, HANDLE, ELSE };
enum { PINNING = 1, WEAK = 2, REF_COUNTED = 8 };

static inline struct hd_snapshot *
open_trace(struct trace_forge *f, const struct hd_read_options *opt, struct hd_error *err)
{
    *err = (struct hd_error){0};
    return hd_snapshot_from_memory(f->bytes.data, f->bytes.len, opt, err);
}

static inline struct hd_snapshot *open_good(struct trace_forge *f)
{
    struct hd_error err;
    struct hd_snapshot *snap = open_trace(f, NULL, &err);
    cr_assert_not_null(snap, "%s", err.message);
    return snap;
}

static inline void expect_refused(struct trace_forge *f, enum hd_status status,
                                  const char *says)
{
    struct hd_error err;
    struct hd_snapshot *snap = open_trace(f, NULL, &err);
    cr_expect_null(snap, "read, but wrong: %s", says);
    cr_expect_eq(err.status, status, "%s", err.message);
    cr_expect_not_null(strstr(err.message, says), "%s: %s", says, err.message);
    hd_snapshot_close(snap);
    trace_forge_free(f);
}

static const struct forged_type box = {.id = 0x10000, .name = "App.Box"};

static inline struct trace_forge begin(unsigned pointer_size)
{
    struct trace_forge f = {.pointer_size = pointer_size};
    trace_forge_begin(&f);
    return f;
}

/* Two boxes, the first of which refers to the second and is a strong root. */
static inline void walk_two(struct trace_forge *f, uint64_t first)
{
    trace_forge_node(f, first, 24, box.id, 1);
    trace_forge_node(f, first + 24, 24, box.id, 0);
    trace_forge_edge(f, first + 24);
    trace_forge_root(f, first, HANDLE, 0);
    trace_forge_walk(f, MAIN);
}

static inline void whole_walk(struct trace_forge *f, uint64_t first, uint32_t gc)
{
    trace_forge_gc(f, MAIN, true, gc);
    walk_two(f, first);
    trace_forge_gc(f, MAIN, false, gc);
    trace_forge_next_walk(f);
}

static inline uint64_t warned(const struct hd_snapshot *snap, enum warning_code code)
{
    const struct warning *w = warnings_find(&snap->warnings, code);
    return w != NULL ? w->count : 0;
}

#endif
