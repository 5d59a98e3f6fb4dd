/* listening.h - a tracing session that is held open, in which the collector of a process
 * says what survives and where it goes.
 *
 * A thread of its own reads what comes: a runtime that is not read keeps it in memory and
 * then loses it. It ends by itself where the process sends more than may be asked of it, or
 * has ended. Nothing that goes wrong here is anybody's failure: it is not known then which
 * object is which. */
#ifndef LISTENING_H
#define LISTENING_H

#include "collect/movement_events.h"
#include "heapdrift.h"

struct listening;

/* Begin to listen to the process that how names; NULL and err. Waits two seconds at most.
 */
struct listening *listening_begin(const struct hd_collect_options *how,
                                  struct hd_error *err);

/* A snapshot is about to be taken: from now on everything is kept until it is there. */
void listening_hold(struct listening *l);

/* The objects whose ways are followed, those of a snapshot that was taken in the collection
 * of that number since listening_begin(). Takes over the places. */
void listening_follow(struct listening *l, struct places *places, uint32_t after);

/* Stop, hear out what is on its way, and fold it in up to the collection of that number.
 * NULL, why and err if it is not known where the objects are; it lives until
 * listening_end(). */
const struct movement *listening_stop(struct listening *l, uint32_t until,
                                      enum hd_untold *why, struct hd_error *err);

void listening_end(struct listening *l); /* NULL is fine; stops what was not stopped */

#endif
