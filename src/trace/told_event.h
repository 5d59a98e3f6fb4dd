/* told_event.h - which objects are those of the snapshot before, kept in the trace that a
 * snapshot is: an event of a provider of our own, behind all others.
 *
 * What is told is text of one line (heap/told_same.h), in as many events as it needs, each
 * u32 number of the part, u32 how many there are, and bytes. Whoever else reads the trace
 * sees a provider that it does not know. docs/formats/nettrace.md has the layout. It does
 * not know what the text says, and nothing that is read of it is believed. */
#ifndef TOLD_EVENT_H
#define TOLD_EVENT_H

#include "base/account.h"
#include "base/text.h"
#include "trace/nettrace.h"

#define TOLD_EVENT_PROVIDER "heapdrift"
enum { TOLD_EVENT_ID = 1 }; /* another layout would be another event */

/* --- writing ----------------------------------------------------------------------- */

/* Where a trace of version 4 ends. */
struct told_event_place {
    uint64_t at;         /* offset of the mark of its end, which is written over */
    uint32_t definition; /* a number that defines no event yet */
    uint64_t time;       /* of no event before */
};

/* Blocks that define the event and have it, and the mark of the end behind them. */
void told_event_put(struct text *to, const struct told_event_place *place, const char *told,
                    size_t len);

/* --- reading ----------------------------------------------------------------------- */

/* {0} before the first part. */
struct told_event {
    struct text told;
    uint32_t next, parts;
    bool damaged;
};

/* Add what an event has; of more than most bytes in all nothing is kept. What is no next
 * part makes all of it none. */
void told_event_add(struct told_event *t, struct bytes payload, uint64_t most,
                    struct account *account);

/* Whether all parts came. */
bool told_event_is_whole(const struct told_event *t);
void told_event_free(struct told_event *t, struct account *account);

#endif
