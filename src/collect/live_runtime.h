/* live_runtime.h - where the collector of a running process says that its heap may be
 * walked. Read without stopping it: the library does not move, and the variable neither. */
#ifndef LIVE_RUNTIME_H
#define LIVE_RUNTIME_H

#include "base/input.h"
#include "collect/address_space.h"

/* The address of gc_structures_invalid_cnt (32 bits); mem is /proc/PID/mem, auxv what
 * stands in /proc/PID/auxv. 0 and err,
 * HD_UNSUPPORTED, if there is no .NET runtime in it, or one that is not known. */
uint64_t live_heap_count_address(int mem, const struct address_space *space,
                                 struct bytes auxv, struct hd_error *err);

#endif
