/* nettrace.h - read the events of a .nettrace one after the other.
 *
 * The container of EventPipe in all its versions: 3 (.netperf), 4 ("5" is the same on disk)
 * and 6. It is read as a stream in constant memory, from a file as well as from the socket
 * of a running process (input_stream()); unused payloads are skipped. Events are in the
 * order of the file; they are in order of time only within a thread.
 * docs/formats/nettrace.md has the layout.
 *
 * It handles threads, clocks and losses. Must not depend on the content of events
 * (trace_heap_events.h). */
#ifndef NETTRACE_H
#define NETTRACE_H

#include "base/arena.h"
#include "base/input.h"
#include "base/little_endian.h"
#include "base/text.h"

/* Senders of events. Other providers' events are returned too, without a number of their
 * own. */
enum trace_provider {
    TRACE_OTHER,
    TRACE_RUNTIME,   /* Microsoft-Windows-DotNETRuntime */
    TRACE_RUNDOWN,   /* Microsoft-Windows-DotNETRuntimeRundown */
    TRACE_EVENTPIPE, /* Microsoft-DotNETCore-EventPipe */
    TRACE_HEAPDRIFT  /* heapdrift: see below */
};

struct trace_event {
    enum trace_provider provider;
    uint32_t id, version; /* numbers of the provider */
    uint64_t time;        /* ticks: trace_header.frequency per second */
    uint64_t thread;      /* that recorded it: only to tell threads apart */
    uint64_t pid;         /* HD_UNKNOWN if missing */
    uint64_t at;          /* where the payload begins, in decompressed bytes */
    uint32_t size;        /* of the payload */
};

/* Facts from the file's first block; zero until it has been read. */
struct trace_header {
    unsigned version;      /* 3, 4 or 6; 1 and 2 are early forms of 3 */
    unsigned pointer_size; /* 4 or 8 */
    uint64_t pid;          /* HD_UNKNOWN without one */
    uint64_t frequency;    /* ticks per second, not 0 */
    uint64_t sync_ticks;   /* at sync_time */
    double sync_time;      /* seconds since 1970, UTC; NAN if not a valid date */
};

/* Events that the writer threw away between two times, by gaps in sequence numbers. */
struct trace_loss {
    uint64_t from, to; /* ticks; the events before and after the gap */
    uint64_t events;
};

enum trace_end {
    TRACE_GOES_ON,
    TRACE_ENDS,          /* properly */
    TRACE_LACKS_END,     /* between two blocks, without the mark of the end */
    TRACE_CUT,           /* inside a block: the rest of the file is missing */
    TRACE_CANNOT_BE_READ /* damaged, or not readable; err has the reason */
};

struct nettrace;

/* True if a file begins like a trace. */
bool nettrace_recognises(struct bytes head);

/* Begins at the position of in, which must be the start; in and err stay the caller's, and
 * must outlive it. Never NULL: failures are reported at the first event. */
struct nettrace *nettrace_begin(struct input *in, struct hd_error *err);
void nettrace_free(struct nettrace *t); /* NULL is fine */

/* For the stream of an untrusted process: rejects a stream that needs more than about
 * `most` bytes of memory: the reader's, and those that its caller charges. */
void nettrace_distrust(struct nettrace *t, size_t most);

/* The same for a file: charges all allocations to its reader's account. Before the first
 * event. */
void nettrace_charge_to(struct nettrace *t, struct account *account);

/* Keeps the stacks of events, without which they are skipped. At most `most` bytes between
 * two sequence points, including 48 for each stack; further stacks are dropped. They are
 * charged to the account, too. Must be called before the first event. */
void nettrace_keep_stacks(struct nettrace *t, size_t most);

/* Returns the account for data that callers keep of events: once it is over, there are no
 * more events. */
struct account *nettrace_account(struct nettrace *t);

/* Returns the next event; false at the end, and nettrace_end() has the reason. Waits for
 * bytes if the input does. */
bool nettrace_next(struct nettrace *t, struct trace_event *event);

/* Reads the payload of the latest event, valid until the next event; false if the file ends
 * in it. */
bool nettrace_payload(struct nettrace *t, struct bytes *payload);

/* Returns the stack of the latest event: addresses of pointer_size bytes, the innermost
 * call first. They are valid until the next event. Empty if the event has no stack or it
 * was not kept, and in version 3, whose rows have theirs after the payload. */
struct bytes nettrace_stack(const struct nettrace *t);

/* Rejects the latest event: what is a printf format. Always false. */
bool nettrace_refuse(struct nettrace *t, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

enum trace_end nettrace_end(const struct nettrace *t);
const struct trace_header *nettrace_header(const struct nettrace *t);

/* The largest id of an event definition so far; 0: no definitions. */
uint32_t nettrace_last_definition(const struct nettrace *t);

/* Returns all losses so far, in the order of the file. */
const struct trace_loss *nettrace_losses(const struct nettrace *t, size_t *count);

/* --- values of a payload --------------------------------------------------------- */

/* Like a cursor it fails once and stays failed, without a message: what a short payload
 * means is for its reader to decide. */
struct trace_fields {
    const unsigned char *at, *end;
    bool failed;
};

static inline struct trace_fields trace_fields_of(struct bytes b)
{
    /* An empty one may have no address. */
    return (struct trace_fields){b.data, b.size > 0 ? b.data + b.size : b.data, false};
}

uint8_t trace_field_u8(struct trace_fields *f);
uint16_t trace_field_u16(struct trace_fields *f);
uint32_t trace_field_u32(struct trace_fields *f);
uint64_t trace_field_u64(struct trace_fields *f);
struct bytes trace_field_bytes(struct trace_fields *f, size_t size);

/* Returns a number of at most `bits` bits, 32 or 64: 7 to a byte, the lowest first. */
uint64_t trace_varuint(struct trace_fields *f, unsigned bits);

/* Reads UTF-8 after its length as a varuint. */
struct bytes trace_string(struct trace_fields *f);

/* Reads UTF-16 up to a zero, which is skipped. */
struct bytes trace_wide(struct trace_fields *f);

/* Appends it as UTF-8. */
void trace_wide_text(struct text *t, struct bytes wide);

/* --- survivors -------------------------------------------------------------- */

/* Facts about a snapshot that a trace lacks, in events of our own provider, appended to it:
 * the survivor map from the snapshot before, the state of the process, and the code that
 * allocated some of its objects.
 *
 * The content is a line of text (heap/survivor_map.h), in several events, each with u32
 * number of the part, u32 number of parts, and bytes. Other readers see an unknown
 * provider. docs/formats/nettrace.md has the layout. Must not depend on the text, which its
 * parsers validate. */

#define OUR_EVENT_PROVIDER "heapdrift"
/* Another layout would be another event. */
enum {
    SURVIVORS_EVENT_ID = 1, /* heap/survivor_map.h */
    PROCESS_EVENT_ID = 2,   /* heap/process_facts.h */
    SITES_EVENT_ID = 3,     /* heap/allocation_sites.h */
    OUR_EVENTS = 3
};

/* --- writing ----------------------------------------------------------------------- */

/* Where a trace of version 4 ends. */
struct survivor_event_place {
    uint64_t at;         /* offset of the mark of its end, which is written over */
    uint32_t definition; /* it and the next two define no event yet */
    uint64_t time;       /* of no event before */
};

/* Appends blocks that define the events and contain them, and the mark of the end. The text
 * of event i is texts[i - 1]; an empty one is left out. */
void survivor_event_put(struct text *to, const struct survivor_event_place *place,
                        const struct text texts[OUR_EVENTS]);

/* --- reading ----------------------------------------------------------------------- */

/* {0} before the first part. */
struct survivor_event {
    struct text content;
    uint32_t next, parts;
    bool damaged;
};

/* Appends one part. More than `most` bytes, or a part out of order, discards everything. */
void survivor_event_add(struct survivor_event *t, struct bytes payload, uint64_t most,
                        struct account *account);

/* True if all parts are there. */
bool survivor_event_is_whole(const struct survivor_event *t);
void survivor_event_free(struct survivor_event *t, struct account *account);

#endif
