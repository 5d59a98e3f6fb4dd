/* site_names.h - the names of code addresses of allocation sites, across lists of methods.
 *
 * A list may be incomplete: an address that it lacks remains unknown, since a stack without
 * one of its inner frames would name the wrong code. Must not depend on processes. */
#ifndef SITE_NAMES_H
#define SITE_NAMES_H

#include "collect/code_names.h"

struct named_address {
    uint64_t address;
    struct site_frame frame; /* method NULL: a stub */
};

/* Initialised with {0}. */
struct site_names {
    struct arena arena;
    struct named_address *all; /* ascending */
    size_t count;
    bool own_is_known; /* which methods are the program's own */
};

/* Returns the name of an address; NULL: unknown, so it is to be asked for. */
const struct named_address *site_names_find(const struct site_names *n, uint64_t address);

/* Replaces the names by those of the addresses, ascending, as read. Earlier names remain
 * for freed code, and where the list or the files of the process could not be read.
 * is_complete: the process has no method at an address that was read without one. */
void site_names_update(struct site_names *n, const uint64_t *addresses, size_t count,
                       const struct code_names *read, bool is_complete);
void site_names_free(struct site_names *n);

/* Returns the address that a frame has as its method, in hexadecimal. */
uint64_t site_address(const struct site_frame *f);

/* Returns sites of addresses with methods in their place, in a. Samples are unnamed if
 * their stack has an unknown frame, or one beyond the limits, below the program's innermost
 * method; above it the stack ends there. */
const struct allocation_sites *site_names_apply(const struct site_names *n,
                                                const struct allocation_sites *s,
                                                struct arena *a);

#endif
