/* peer.h - the other end of a diagnostics socket, for tests: answers as a runtime does,
 * plays recorded streams, or misbehaves as told.
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
    PEER_SAYS_NOTHING,   /* takes the request, and is silent */
    PEER_HANGS_UP,       /* instead of an answer */
    PEER_ANSWERS,        /* with the bytes of .answer, whatever was asked, then is silent */
    PEER_STOPS_SENDING,  /* at .cut, and is silent */
    PEER_DIES,           /* at .cut: the stream is closed */
    PEER_SENDS_FOR_EVER, /* behind the stream, .answer again and again */
    PEER_REFUSES         /* with .refusal */
};

/* What becomes of sessions that tell where objects move; all others go by the habit. */
enum peer_movement {
    MOVEMENT_REFUSED,
    MOVEMENT_HONEST, /* the stream, half of it before the stop */
    MOVEMENT_CUT,    /* half of the stream, and closed */
    MOVEMENT_SILENT, /* neither an answer nor a stream */
    MOVEMENT_FLOOD   /* .answer again and again, so many bytes */
};

struct peer_script {
    enum peer_habit habit;
    enum peer_movement movement;
    const struct bytes *movements; /* of the first such session, the second, ... */
    size_t movement_count, flood;
    const struct bytes *streams; /* of the first session with a heap walk or a list of
                                    methods, the second, ...; the last one goes on */
    size_t stream_count;
    unsigned newest_command; /* to start a session; 0: 0x0206, as .NET 10 */
    size_t tail;             /* bytes that are sent only after the stop */
    size_t cut;
    struct bytes answer;
    uint32_t refusal;
    unsigned wait_ms;        /* before the answer to a start, or a dump */
    unsigned begins_ms;      /* after that a dump's file is made */
    unsigned newest_dump;    /* command for one; 0: 0x0103, as .NET 10 */
    struct bytes dump;       /* is written where it is told to; empty: nowhere */
    const char *refuses_for; /* the reason of 0x0103; NULL: none */
    const char *runtime; /* version in the answer to ProcessInfo3; NULL: none is given */
    bool never_walks;    /* a forced collection is answered, and nothing of it is sent */
};

enum { MAX_COMMANDS = 64 };

/* What was asked for, in order. */
struct peer_log {
    char dump_path[512]; /* of the last dump */
    unsigned dump_type;
    unsigned commands[MAX_COMMANDS]; /* 0x0206: set 2, id 6 */
    size_t count;
    size_t sessions, flushes, stops, movements;
    size_t collections; /* sessions that force one for the walk of another */
    uint32_t buffer_mb; /* of the last session with a walk */
};

struct peer;

struct peer *peer_start(const char *path, const struct peer_script *script);
struct peer_log peer_stop(struct peer *peer);

#endif
