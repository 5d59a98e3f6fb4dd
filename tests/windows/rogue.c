/* A process for Windows that listens where a .NET runtime would, and misbehaves.
 *
 *   rogue WAY [PID]
 *
 * It prints "ready <pid>" and serves \\.\pipe\dotnet-diagnostic-<pid>, its own or that of
 * another process, until it is killed. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static const char magic[14] = "DOTNET_IPC_V1";

static bool put(HANDLE pipe, const void *bytes, size_t size)
{
    DWORD done;
    return WriteFile(pipe, bytes, (DWORD)size, &done, NULL) && done == size;
}

/* The header of an answer that declares this size. */
static bool answer(HANDLE pipe, unsigned char id, size_t size)
{
    unsigned char head[20] = {0};
    memcpy(head, magic, sizeof(magic));
    head[14] = (unsigned char)((size + sizeof(head)) & 0xFF);
    head[15] = (unsigned char)((size + sizeof(head)) >> 8);
    head[16] = 0xFF;
    head[17] = id;
    return put(pipe, head, sizeof(head));
}

static const unsigned char session[8] = {1};

/* As a session that begins. */
static bool begin(HANDLE pipe)
{
    return answer(pipe, 0, sizeof(session)) && put(pipe, session, sizeof(session));
}

static void hang(HANDLE pipe)
{
    (void)pipe;
    Sleep(INFINITE);
}

static void hang_up(HANDLE pipe)
{
    (void)pipe;
}

static void half_a_header(HANDLE pipe)
{
    put(pipe, magic, 7);
}

static void less_than_it_says(HANDLE pipe)
{
    answer(pipe, 0, 65000);
    put(pipe, session, sizeof(session));
    Sleep(INFINITE);
}

static void another_protocol(HANDLE pipe)
{
    for (int i = 0; i < 1000 && put(pipe, "HTTP/1.1 200 OK\r\n\r\n", 19); i++)
        ;
}

/* Strings longer than all memory. */
static void endless_strings(HANDLE pipe)
{
    unsigned char payload[64];
    memset(payload, 0xFF, sizeof(payload));
    answer(pipe, 0, sizeof(payload));
    put(pipe, payload, sizeof(payload));
}

static void endless_stream(HANDLE pipe)
{
    static const char block[4096] = "Nettrace";
    begin(pipe);
    while (put(pipe, block, sizeof(block)))
        ;
}

static void stream_cut(HANDLE pipe)
{
    static const char start[] =
        "Nettrace\x14\0\0\0!FastSerialization.1\5\5\1\4\0\0\0\4\0\0\0\5\0\0\0Trace";
    begin(pipe);
    put(pipe, start, sizeof(start) - 1);
}

static void drip(HANDLE pipe)
{
    begin(pipe);
    for (size_t i = 0; put(pipe, &"Nettrace"[i % 8], 1); i++)
        Sleep(50);
}

/* Each ends a read, but not the stream. */
static void nothing_again_and_again(HANDLE pipe)
{
    DWORD done;
    while (WriteFile(pipe, "", 0, &done, NULL))
        Sleep(1);
}

static const struct {
    const char *name;
    void (*serve)(HANDLE pipe);
} ways[] = {
    {"hang", hang},
    {"hang-up", hang_up},
    {"half-a-header", half_a_header},
    {"less-than-it-says", less_than_it_says},
    {"another-protocol", another_protocol},
    {"endless-strings", endless_strings},
    {"endless-stream", endless_stream},
    {"stream-cut", stream_cut},
    {"drip", drip},
    {"nothing", nothing_again_and_again},
};

static HANDLE listen_at(const char *name)
{
    return CreateNamedPipeA(name, PIPE_ACCESS_DUPLEX,
                            PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS,
                            PIPE_UNLIMITED_INSTANCES, 16384, 16384, 0, NULL);
}

int main(int argc, char **argv)
{
    char name[64];
    DWORD self = GetCurrentProcessId(), of = argc > 2 ? (DWORD)atoi(argv[2]) : self;
    size_t way = 0;
    while (way < sizeof(ways) / sizeof(*ways) &&
           (argc < 2 || strcmp(argv[1], ways[way].name) != 0))
        way++;
    if (way == sizeof(ways) / sizeof(*ways))
        return 2;
    snprintf(name, sizeof(name), "\\\\.\\pipe\\dotnet-diagnostic-%lu", of);
    HANDLE pipe = listen_at(name);
    printf("ready %lu\n", self);
    fflush(stdout);
    while (pipe != INVALID_HANDLE_VALUE) {
        char request[16384];
        DWORD done;
        HANDLE next = INVALID_HANDLE_VALUE;
        if (ConnectNamedPipe(pipe, NULL) || GetLastError() == ERROR_PIPE_CONNECTED) {
            /* As a runtime, before it receives this client's request. */
            next = listen_at(name);
            if (ways[way].serve != hang && ways[way].serve != hang_up)
                ReadFile(pipe, request, sizeof(request), &done, NULL);
            ways[way].serve(pipe);
            Sleep(20);
        }
        CloseHandle(pipe);
        pipe = next != INVALID_HANDLE_VALUE ? next : listen_at(name);
    }
    return 1;
}
