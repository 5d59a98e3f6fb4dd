/* root_kind.h - why an object is alive: kinds of roots, and how strong each is.
 *
 * Every format groups its roots below pseudo-nodes with names like "[static vars]"; the
 * names differ by writer and version, and one table maps them all. */
#ifndef ROOT_KIND_H
#define ROOT_KIND_H

#include "heapdrift.h"

/* "static", "thread_static", ...: the words of JSON. */
extern const char *const root_kind_names[HD_ROOT_KIND_COUNT];

/* Strength, 0 the strongest to 7 unreachable: an object reached by several kinds
 * of roots belongs to the lowest class (docs/chains.md). */
enum { ROOT_CLASSES = 8 };
unsigned root_kind_class(enum hd_root_kind kind);

/* The kind given by a pseudo-node's own name, compared without case; HD_ROOT_KIND_COUNT:
 * its parent's kind counts. */
enum hd_root_kind root_kind_of(const char *pseudo_name);

/* dotnet-gcdump's name for the group of a kind. */
const char *root_kind_group(enum hd_root_kind kind);

/* The kind of a pseudo-node below one of the given kind: its own if its name has one, but a
 * "[static var T.f]" of a thread is a thread static. */
enum hd_root_kind root_kind_below(const char *pseudo_name, enum hd_root_kind above);

#endif
