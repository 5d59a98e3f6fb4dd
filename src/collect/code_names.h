/* code_names.h - names of the methods at code addresses, as listed by their process.
 *
 * At the end of a tracing session a runtime lists all methods that have code, with all
 * ranges. A separate session that requests only this list and is stopped immediately gets
 * it; only methods at wanted addresses are stored. Code that was freed earlier has no name.
 * docs/sites.md has the cost. */
#ifndef CODE_NAMES_H
#define CODE_NAMES_H

#include "base/arena.h"
#include "heap/allocation_sites.h"
#include "heapdrift.h"
#include "trace/trace_code_events.h"

enum { MAX_CODE_ADDRESSES = 65536 };

/* Return addresses, ascending and distinct. The innermost one of a stack returns from an
 * allocation. In optimised code its statement may have no offset, always since .NET 10, so
 * the next instruction that allocates is used. */
struct code_addresses {
    const uint64_t *all;
    const bool *innermost; /* per address; NULL: all false */
    size_t count;          /* at most MAX_CODE_ADDRESSES */
};

/* The method at an address. */
struct code_name {
    struct site_frame frame; /* method NULL: no name */
    const char *module;      /* path as the process sees it; NULL: unknown */
    uint32_t module_number;  /* its number in the process, if it has a path */
    const char *type, *name; /* of the method, as in events */
    uint32_t token, offset;  /* of the method; of the call in its IL, or CODE_NO_OFFSET */
    uint32_t until;          /* of innermost addresses: the next offset; else 0 */
};

struct code_names {
    struct code_name *all; /* per address, in their order */
    size_t count, named, with_line;
    bool own_is_known; /* else is_own and lines are missing */
    uint64_t bytes;    /* sent by the process, which determine the cost */
    uint64_t ms;       /* duration of the session */
    struct arena arena;
};

/* Reads the names of addresses. False and err if the process has ended, refuses, is silent
 * for five seconds, or sends more than 128 MiB or for more than 20 seconds; names received
 * until then are returned in any case. Not during a snapshot of the process: until .NET 10
 * the end of a session would start another collection. Waits for other collectors. */
bool code_names_read(struct code_names *n, const struct code_addresses *addresses,
                     const struct hd_collect_options *opt, struct hd_error *err);
void code_names_free(struct code_names *n);

/* --- the events ---------------------------------------------------------------- */

/* Collects methods of the list at wanted addresses. Memory is bounded by these, the number
 * of modules, and the account, which the caller checks. */

struct code_list;

/* Addresses must stay valid; strings are allocated in a and charged to the account. */
struct code_list *code_list_begin(const struct code_addresses *addresses,
                                  struct account *account, struct arena *a);
void code_list_free(struct code_list *l);

/* Adds an event; damaged ones are skipped. */
void code_list_add(struct code_list *l, enum trace_code_event kind, struct bytes payload);

/* Returns names for all addresses, without lines; is_own remains false. */
void code_list_names(const struct code_list *l, struct code_name *names);

#endif
