/* runtime_check.h - whether the offsets of a carried table are those of a process.
 *
 * .NET 8 describes nothing of itself, so each structure is asked for something that another
 * one says as well: a wrong table is refused by the structure's name before anything is
 * read by it. What the dump lacks proves nothing, and what changes while a process runs is
 * allowed to be half changed. docs/formats/core-dump.md, "Does it fit?". */
#ifndef RUNTIME_CHECK_H
#define RUNTIME_CHECK_H

#include "process/runtime.h"

/* The structure that does not fit, "Thread"; NULL: all do, or the runtime describes itself.
 * type: the MethodTable of any object, or 0. */
const char *runtime_misfit(const struct runtime *r, uint64_t type);

/* The module of the runtime's own library, which is the first of all; 0: not known. */
uint64_t runtime_first_module(const struct runtime *r);

#endif
