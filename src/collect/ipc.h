/* ipc.h - the .NET diagnostics protocol: one request and its reply on a connection.
 *
 * The peer is not trusted: all waits are limited, and received lengths do not determine
 * allocations. Must not depend on the meaning of requests.
 *
 * Sources: the protocol's document in dotnet/diagnostics (design-docs/ipc-protocol.md) and
 * experiments with runtimes 3.1 and 10. docs/collect.md. */
#ifndef IPC_H
#define IPC_H

#include "base/text.h"
#include "collect/transport.h"
#include "heapdrift.h"

/* --- requests ---------------------------------------------------------------- */

enum ipc_command {
    IPC_DUMP =
        0x0101, /* 0x0102 the same with more flags; 0x0103 with a reason of failures */
    IPC_DUMP3 = 0x0103,
    IPC_STOP_TRACING = 0x0201,
    IPC_COLLECT_TRACING = 0x0202, /* 0x0203 is CollectTracing2, and so on */
    IPC_COLLECT_TRACING2 = 0x0203,
    IPC_COLLECT_TRACING3 = 0x0204,
    IPC_COLLECT_TRACING4 = 0x0205,
    IPC_COLLECT_TRACING5 = 0x0206,
    IPC_COLLECT_TRACING6 = 0x0207,
    IPC_PROCESS_INFO = 0x0400,
    IPC_RESUME = 0x0401,
    IPC_PROCESS_INFO2 = 0x0404,
    IPC_PROCESS_INFO3 = 0x0408
};

/* Enough for a path: 4096 bytes are at most as many units of two bytes. */
enum { MAX_REQUEST = 2 * 4096 + 512 };

struct request {
    unsigned char bytes[MAX_REQUEST];
    size_t len;
};

struct request request_for(enum ipc_command command);
void request_put(struct request *r, uint64_t n, size_t size); /* a number of 1 to 8 bytes */
void request_string(struct request *r, const char *ascii);
void request_utf8(struct request *r, const char *s); /* a path: of 4095 bytes at most */

/* Sends all of a request. */
bool ipc_send(int connection, const struct request *r, const struct patience *p,
              struct hd_error *err);

/* --- replies ------------------------------------------------------------------ */

enum { IPC_HEADER_SIZE = 20, MAX_REPLY = 65535 - IPC_HEADER_SIZE };

/* HRESULTs that determine the next step. */
enum {
    IPC_BAD_ENCODING = (int)0x80131384,
    IPC_UNKNOWN_COMMAND = (int)0x80131385,
    IPC_FAILED = (int)0x80004005, /* E_FAIL: of a dump, createdump failed */
};

struct reply {
    bool ok;
    int32_t refusal; /* HRESULT if not ok */
    unsigned char payload[MAX_REPLY];
    size_t size;
};

/* Reads exactly one reply. False if it is missing, or of another protocol. A refusal by the
 * runtime is a reply. */
bool ipc_receive(int connection, struct reply *reply, const struct patience *p,
                 struct hd_error *err);

/* True if the runtime does not know that command yet: an older one may work. */
bool reply_is_too_new(const struct reply *reply);

/* Returns the meaning of a refusal, as the end of a sentence. */
const char *ipc_refusal(int32_t hresult);

/* Reads the length-prefixed UTF-16 string at *offset of the payload into *to, as UTF-8.
 * False if it exceeds the payload. */
bool reply_string(const struct reply *reply, size_t *offset, struct text *to);

#endif
