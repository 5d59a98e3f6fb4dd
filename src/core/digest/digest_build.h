/* build.h - what the analyses ask of a heap, found once and kept without its objects
 * (heap/digest.h).
 *
 * Who owns what is the whole ownership tree, so that a ranking of digests is that of the
 * heaps; root chains and survivors are samples of what is large. It does not know how a
 * digest is written. */
#ifndef DIGEST_BUILD_H
#define DIGEST_BUILD_H

#include "heap/snapshot.h"

/* Of snap, which must have its graph; if no root reaches anything, or the graph is missing,
 * the digest has no places. What is reachable is known afterwards. In a. Takes the
 * dominators twice: of owners and of all references. */
struct digest *digest_build(struct hd_snapshot *snap, struct arena *a);

#endif
