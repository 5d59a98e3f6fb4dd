/* nettrace.h - the events of a .nettrace, one after the other.
 *
 * The container of EventPipe in all its versions: 3 (.netperf), 4 ("5" is the same on
 * disk) and 6. It is read as a stream in constant memory, from a file as well as from the
 * socket of a running process (input_stream()); what nobody asks for is skipped. Events
 * come in the order of the file, which is not that of time; those of one thread are in
 * order. docs/formats/nettrace.md has the layout.
 *
 * It knows threads, clocks and losses, not what an event says (trace_heap_events.h). */
#ifndef NETTRACE_H
#define NETTRACE_H

#include "base/arena.h"
#include "base/input.h"
#include "base/little_endian.h"
#include "base/text.h"

/* Who sent an event. Other providers' events are given too, but have no number of ours. */
enum trace_provider {
    TRACE_OTHER,
    TRACE_RUNTIME,   /* Microsoft-Windows-DotNETRuntime */
    TRACE_RUNDOWN,   /* Microsoft-Windows-DotNETRuntimeRundown */
    TRACE_EVENTPIPE, /* Microsoft-DotNETCore-EventPipe */
    TRACE_TOLD       /* heapdrift: see below */
};

struct trace_event {
    enum trace_provider provider;
    uint32_t id, version; /* numbers of the provider */
    uint64_t time;        /* ticks: trace_header.frequency per second */
    uint64_t thread;      /* that recorded it: only to tell threads apart */
    uint64_t pid;         /* HD_UNKNOWN if the file does not say */
    uint64_t at;          /* where the payload begins, in decompressed bytes */
    uint32_t size;        /* of the payload */
};

/* What the file says about itself; zero until its first block has been read. */
struct trace_header {
    unsigned version;      /* 3, 4 or 6; 1 and 2 are early forms of 3 */
    unsigned pointer_size; /* 4 or 8 */
    uint64_t pid;          /* HD_UNKNOWN: not told */
    uint64_t frequency;    /* ticks per second, not 0 */
    uint64_t sync_ticks;   /* at sync_time */
    double sync_time;      /* seconds since 1970, UTC; NAN if it is no date */
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
    TRACE_CANNOT_BE_READ /* damaged, or not readable; err says it */
};

struct nettrace;

/* Whether a file that begins like this is one. */
bool nettrace_recognises(struct bytes head);

/* Begin at the position of in, which must be the start; in and err stay the caller's, and
 * must stay until nettrace_free(). Never NULL: what is wrong shows at the first event. */
struct nettrace *nettrace_begin(struct input *in, struct hd_error *err);
void nettrace_free(struct nettrace *t); /* NULL is fine */

/* For the stream of a process that may be anything: refuse what would need more than that
 * many bytes of memory, about: the reader's, and what its caller charges. */
void nettrace_distrust(struct nettrace *t, size_t most);

/* The same for a file, whose reader has an account for all that it keeps. Before the first
 * event. */
void nettrace_charge_to(struct nettrace *t, struct account *account);

/* Keeps the stacks of events, without which they are skipped. At most that many bytes
 * between two sequence points, 48 for each stack included; events of further stacks have
 * none. They are charged to the account, too. Must be called before the first event. */
void nettrace_keep_stacks(struct nettrace *t, size_t most);

/* What callers charge for what they keep of events: once it is over, no event comes. */
struct account *nettrace_account(struct nettrace *t);

/* The next event; false when there is none, and nettrace_end() says why. Waits for bytes
 * if the input does. */
bool nettrace_next(struct nettrace *t, struct trace_event *event);

/* The payload of the event that was given last, until the next event; false when the file
 * ends in it. */
bool nettrace_payload(struct nettrace *t, struct bytes *payload);

/* Returns the stack of the event that was given last: addresses of pointer_size bytes, the
 * innermost call first. They are valid until the next event. Empty if the event has no
 * stack or it was not kept, and in version 3, whose rows have theirs after the payload. */
struct bytes nettrace_stack(const struct nettrace *t);

/* Refuse the event that was given last: what is a printf format. Always false. */
bool nettrace_refuse(struct nettrace *t, const char *what, ...)
    __attribute__((format(printf, 2, 3)));

enum trace_end nettrace_end(const struct nettrace *t);
const struct trace_header *nettrace_header(const struct nettrace *t);

/* The largest number that stands for an event so far; 0: none. */
uint32_t nettrace_last_definition(const struct nettrace *t);

/* All losses so far, in the order of the file. */
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

/* A number of at most that many bits, 32 or 64: 7 to a byte, the lowest first. */
uint64_t trace_varuint(struct trace_fields *f, unsigned bits);

/* UTF-8 after its length as a varuint. */
struct bytes trace_string(struct trace_fields *f);

/* UTF-16 up to a zero, which is skipped. */
struct bytes trace_wide(struct trace_fields *f);

/* Appends it as UTF-8. */
void trace_wide_text(struct text *t, struct bytes wide);

/* --- survivors -------------------------------------------------------------- */

/* What a trace does not tell of the snapshot that it is, in events of a provider of our own
 * behind all others: which objects are those of the snapshot before, how its process was,
 * and which code allocated some of its objects.
 *
 * What is told is text of one line (heap/survivor_map.h), in as many events as it needs,
 * each u32 number of the part, u32 how many there are, and bytes. Whoever else reads the
 * trace sees a provider that it does not know. docs/formats/nettrace.md has the layout. It
 * does not know what the text says, and nothing that is read of it is believed. */

#define TOLD_EVENT_PROVIDER "heapdrift"
/* Another layout would be another event. */
enum {
    TOLD_EVENT_ID = 1,    /* heap/survivor_map.h */
    PROCESS_EVENT_ID = 2, /* heap/process_facts.h */
    SITES_EVENT_ID = 3,   /* heap/allocation_sites.h */
    OUR_EVENTS = 3
};

/* --- writing ----------------------------------------------------------------------- */

/* Where a trace of version 4 ends. */
struct survivor_event_place {
    uint64_t at;         /* offset of the mark of its end, which is written over */
    uint32_t definition; /* it and the next two define no event yet */
    uint64_t time;       /* of no event before */
};

/* Blocks that define the events and have them, and the mark of the end behind them. The
 * text of event i is texts[i - 1]; that of an empty one is left out. */
void survivor_event_put(struct text *to, const struct survivor_event_place *place,
                        const struct text texts[OUR_EVENTS]);

/* --- reading ----------------------------------------------------------------------- */

/* {0} before the first part. */
struct survivor_event {
    struct text told;
    uint32_t next, parts;
    bool damaged;
};

/* Add what an event has; of more than most bytes in all nothing is kept. What is no next
 * part makes all of it none. */
void survivor_event_add(struct survivor_event *t, struct bytes payload, uint64_t most,
                        struct account *account);

/* Whether all parts came. */
bool survivor_event_is_whole(const struct survivor_event *t);
void survivor_event_free(struct survivor_event *t, struct account *account);

#endif
