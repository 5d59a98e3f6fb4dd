/* peer.h - the other end of a diagnostics socket, for tests: answers as a runtime does,
 * plays recorded streams, or misbehaves.
 *
 *     struct peer_script script = {.streams = &trace, .stream_count = 1};
 *     struct peer *peer = peer_start(path, &script);
 *     ... hd_collect() from path ...
 *     peer_stop(peer);
 *
 * A thread of the test serves one connection after the other. */
#ifndef PEER_H
#define PEER_H

#include "base/input.h"

enum peer_habit {
    PEER_HONEST,
    PEER_SAYS_NOTHING,   /* reads the request, and is silent */
    PEER_HANGS_UP,       /* instead of an answer */
    PEER_ANSWERS,        /* sends the bytes of .answer to any request, then is silent */
    PEER_STOPS_SENDING,  /* at .cut, and is silent */
    PEER_DIES,           /* at .cut: the stream is closed */
    PEER_SENDS_FOR_EVER, /* after the stream, repeats .answer */
    PEER_REFUSES         /* with .refusal */
};

/* Sessions that trace movements; all others follow peer_habit. */
enum peer_movement {
    MOVEMENT_REFUSED,
    MOVEMENT_HONEST, /* the stream, half of it before the stop */
    MOVEMENT_CUT,    /* half of the stream, and closed */
    MOVEMENT_SILENT, /* neither answer nor stream */
    MOVEMENT_FLOOD   /* repeats .answer, .flood bytes in all */
};

struct peer_script {
    enum peer_habit habit;
    enum peer_movement gc_moves;
    const struct bytes *movements; /* of the first such session, the second, ... */
    size_t movement_count, flood;
    const struct bytes *streams; /* of the first session with a heap walk or a list of
                                    methods, the second, ...; the last one is repeated */
    size_t stream_count;
    unsigned newest_command; /* to start a session; 0: 0x0206, as .NET 10 */
    size_t tail;             /* bytes that are sent only after the stop */
    size_t cut;
    struct bytes answer;
    uint32_t refusal;
    unsigned wait_ms;        /* before the answer to a start, or a dump */
    unsigned begins_ms;      /* after that, the file of a dump is created */
    unsigned newest_dump;    /* command for one; 0: 0x0103, as .NET 10 */
    struct bytes dump;       /* written to the path in the request; empty: not written */
    const char *refuses_for; /* the reason of 0x0103; NULL: without */
    const char *runtime;     /* version in the answer to ProcessInfo3; NULL: without */
    bool never_walks;        /* answers a forced collection without sending it */
};

enum { MAX_COMMANDS = 64 };

/* Requests, in order. */
struct peer_log {
    char dump_path[512]; /* of the last dump */
    unsigned dump_type;
    unsigned commands[MAX_COMMANDS]; /* 0x0206: set 2, id 6 */
    size_t count;
    size_t sessions, flushes, stops, movements;
    size_t collections; /* sessions that force a collection for the walk of another one */
    uint32_t buffer_mb; /* of the last session with a walk */
};

struct peer;

struct peer *peer_start(const char *path, const struct peer_script *script);
struct peer_log peer_stop(struct peer *peer);

#endif
