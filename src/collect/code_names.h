/* code_names.h - methods at addresses of code, as their process lists them.
 *
 * At the end of a tracing session a runtime lists all methods that it has code of, with
 * every range of each. A session of its own, which wants nothing else and is stopped
 * immediately, gets that list; only methods at wanted addresses are kept. Code that was
 * freed before has no name. docs/sites.md has what it costs. */
#ifndef CODE_NAMES_H
#define CODE_NAMES_H

#include "base/arena.h"
#include "heap/allocation_sites.h"
#include "heapdrift.h"
#include "trace/trace_code_events.h"

enum { MAX_CODE_ADDRESSES = 65536 };

/* Addresses to return to, ascending and distinct. The innermost of a stack returns from an
 * allocation. In optimized code its statement may have no offset, always since .NET 10, so
 * the next instruction that allocates counts. */
struct code_addresses {
    const uint64_t *all;
    const bool *innermost; /* of each; NULL: none is */
    size_t count;          /* MAX_CODE_ADDRESSES at most */
};

/* The method at an address. */
struct code_name {
    struct site_frame frame; /* method NULL: no name */
    const char *module;      /* path as the process has it; NULL unknown */
    uint32_t module_number;  /* among those of the process, if it has a path */
    const char *type, *name; /* of the method, as in events */
    uint32_t token, offset;  /* of the method; of the call in its IL, or CODE_NO_OFFSET */
    uint32_t until;          /* of an innermost one: the next offset; else 0 */
};

struct code_names {
    struct code_name *all; /* of each address, in their order */
    size_t count, named, with_line;
    bool own_is_known; /* else all frames lack is_own and a line */
    uint64_t bytes;    /* that the process sent; what it costs grows with these */
    uint64_t ms;       /* that the session took */
    struct arena arena;
};

/* Names of addresses. False and err if the process is gone, refuses, is silent for five
 * seconds, or sends more than 128 MiB or for more than 20 seconds; names that came until
 * then are there in any case. Not while a snapshot of that process is taken: until .NET 10
 * the end of a session would begin another collection. Other collectors of ours are waited
 * for. */
bool code_names_read(struct code_names *n, const struct code_addresses *addresses,
                     const struct hd_collect_options *opt, struct hd_error *err);
void code_names_free(struct code_names *n);

/* --- the events ---------------------------------------------------------------- */

/* Methods of the list at wanted addresses. Memory is bounded by these, by the number of
 * modules, and by the account, which its caller looks at. */

struct code_list;

/* Addresses must stay; strings live in a, which is charged for them. */
struct code_list *code_list_begin(const struct code_addresses *addresses,
                                  struct account *account, struct arena *a);
void code_list_free(struct code_list *l);

/* Adds an event; damaged ones are skipped. */
void code_list_add(struct code_list *l, enum trace_code_event kind, struct bytes payload);

/* Names of all addresses, without lines; is_own stays false. */
void code_list_names(const struct code_list *l, struct code_name *names);

#endif
