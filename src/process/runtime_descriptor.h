/* runtime_descriptor.h - the data descriptor of a .NET runtime: at which offsets its
 * structures keep what, in JSON (dotnet/runtime, docs/design/datacontracts).
 *
 * It must not know where the text is from: the runtime itself, or a carried table. */
#ifndef RUNTIME_DESCRIPTOR_H
#define RUNTIME_DESCRIPTOR_H

#include "process/runtime.h"

/* Globals that are pointers stand elsewhere, in a list; these are places in it. */
enum runtime_global {
    GLOBAL_APP_DOMAIN,
    GLOBAL_THREAD_STORE,
    GLOBAL_FREE_OBJECT,
    GLOBAL_CONTINUATION,
    GLOBAL_CONTINUATION_CLASS,
    GLOBALS
};
#define NO_GLOBAL UINT32_MAX

struct descriptor {
    struct runtime_layout at;
    uint32_t place[GLOBALS];
    unsigned version; /* of the description: 0 up to .NET 10, 2 since */
};

/* Nothing known. */
void descriptor_clear(struct descriptor *d);

/* Take over what the text tells; the rest stays. False and err: HD_BAD_FORMAT if it is no
 * descriptor; HD_UNSUPPORTED, naming it, for a version or a contract of a number that is
 * not known. */
bool descriptor_add(struct descriptor *d, const char *text, size_t size,
                    struct hd_error *err);

/* The first that is needed and not told, "Module.Base"; NULL: it is whole. */
const char *descriptor_lacks(const struct descriptor *d, struct arena *a);

/* True if both have the same offsets of everything that is read of their version. */
bool descriptor_same_layout(const struct runtime_layout *a, const struct runtime_layout *b);

#endif
