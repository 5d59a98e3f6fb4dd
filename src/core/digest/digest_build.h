/* digest_build.h - reduce a heap to the results of the analyses, without its objects
 * (heap/digest.h).
 *
 * The whole ownership tree is stored, so that a ranking of digests equals that of the
 * heaps; root chains and survivors are samples of large types and places. Must not depend
 * on the format of digests. */
#ifndef DIGEST_BUILD_H
#define DIGEST_BUILD_H

#include "heap/snapshot.h"

/* Builds the digest of snap, which must have its graph, in a; without a graph or reachable
 * objects it lacks places. Marks reachable objects. Computes dominators twice: of owners
 * and of all references. */
struct digest *digest_build(struct hd_snapshot *snap, struct arena *a);

#endif
