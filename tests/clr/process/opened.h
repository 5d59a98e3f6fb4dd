/* opened.h - a forged core or minidump, opened by the reader. */
#ifndef OPENED_H
#define OPENED_H

#include "clr/process/runtime.h"
#include "support/forge_core.h"

#include <criterion/criterion.h>
#include <string.h>

struct opened {
    struct arena a;
    struct process_image image;
    struct runtime runtime;
    struct hd_error err;
    bool ok; /* so far */
};

static inline struct opened open_bytes(struct bytes core)
{
    struct opened o = {0};
    o.ok = process_image_open(&o.image, core, &o.a, &o.err);
    return o;
}

static inline struct opened open_core(struct core_forge *f)
{
    return open_bytes(forge_core_bytes(f));
}

/* o must not be moved afterwards. */
static inline void find_runtime(struct opened *o)
{
    o->ok = o->ok && runtime_find(&o->runtime, &o->image, &o->a, &o->err);
}

static inline void close_core(struct opened *o)
{
    process_image_close(&o->image);
    arena_free(&o->a);
}

/* Expects the core, or its runtime, to be rejected with a message that contains these
 * words; frees f. */
static inline void expect_refused(struct core_forge *f, enum hd_status status,
                                  const char *why)
{
    struct opened o = open_core(f);
    find_runtime(&o);
    cr_expect_not(o.ok, "%s", why);
    cr_expect_eq(o.err.status, status, "%s", o.err.message);
    cr_expect(strstr(o.err.message, why) != NULL, "%s: %s", why, o.err.message);
    cr_expect(strlen(o.err.message) < sizeof(o.err.message) - 1, "%s: cut", why);
    close_core(&o);
    forge_core_free(f);
}

#endif
