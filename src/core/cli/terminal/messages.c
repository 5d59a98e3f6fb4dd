#include "cli/terminal/messages.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* State of messages: some are printed before options are parsed. */
static bool in_ascii, with_time;

void messages_in_ascii(bool only)
{
    in_ascii = only;
}

void messages_with_time(void)
{
    with_time = true;
}

void put_name(const char *name)
{
    if (in_ascii)
        hd_put_ascii(hd_sink_file(stderr), name);
    else
        hd_put_name(hd_sink_file(stderr), name);
}

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

void begin_message(const char *kind, const char *name)
{
    char text[sizeof("2026-11-24T18:02:11Z ")];
    struct tm utc;
    time_t now = time(NULL);
    fputs("heapdrift: ", stderr);
    if (with_time && gmtime_r(&now, &utc) != NULL &&
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ ", &utc) > 0)
        fputs(text, stderr);
    if (kind != NULL)
        fprintf(stderr, "%s: ", kind);
    put_name(name);
}

void end_message(const char *what)
{
    put_name(what);
    fputs("\n", stderr);
}

bool refuse(const char *what)
{
    return put_message(NULL, NULL, "%s", what);
}

bool put_message(const char *kind, const char *name, const char *format, ...)
{
    char small[1024], *what = small;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(small, sizeof(small), format, arguments);
    va_end(arguments);
    /* Paths are longer than that; without memory the beginning has to do. */
    if (length >= (int)sizeof(small) && (what = malloc((size_t)length + 1)) != NULL) {
        va_start(arguments, format);
        vsnprintf(what, (size_t)length + 1, format, arguments);
        va_end(arguments);
    }
    begin_message(kind, name != NULL ? name : "");
    if (name != NULL)
        fputs(": ", stderr);
    end_message(what != NULL ? what : small);
    if (what != small)
        free(what);
    return false;
}

bool trouble(const char *name, const char *why)
{
    return put_message(NULL, name, "%s", why);
}

bool set_error(struct hd_error *err, enum hd_status status, const char *format, ...)
{
    va_list arguments;
    *err = (struct hd_error){.status = status};
    va_start(arguments, format);
    vsnprintf(err->message, sizeof(err->message), format, arguments);
    va_end(arguments);
    return false;
}

void advise(struct hd_error *err)
{
    static const struct {
        const char *before, *after;
    } words[] = {
        [HD_ABOUT_MEMORY] = {"", "; see --memory"},
        [HD_ABOUT_GRAPH_MEMORY] = {"", "; raise it with --memory, or use --tables-only"},
        [HD_ABOUT_REACHABLE] = {"--reachable ", ""},
        [HD_ABOUT_GEN2] = {"--gen2: ", ""},
        [HD_ABOUT_HOLDERS] = {"--by=holder ", ""},
        [HD_ABOUT_ITERATIONS] = {"", ": --iterations=A,B,..."},
        [HD_ABOUT_ROWS] = {"", ", or the JSON of `heapdrift top -n 0`"},
        [HD_ABOUT_BASELINE] = {"", " with --baseline-write"},
        [HD_ABOUT_SILENCE] = {"", "; wait longer with --timeout=SECONDS"},
        [HD_ABOUT_NAMES] = {"", "; see `heapdrift ps`"},
        [HD_ABOUT_SOCKETS] = {"", "; see `heapdrift ps`"},
        [HD_ABOUT_PID] = {"", " with --process-id"},
        [HD_ABOUT_DIRECT] = {"", "; without --direct, the runtime takes the snapshot"},
        [HD_ABOUT_SERVICE] = {"", ": --service=NAME"},
        [HD_ABOUT_RESUME] = {"", "; --resume lets it run"},
        [HD_ABOUT_COLLECTION] = {"", ""},
        [HD_ABOUT_LIMIT] = {"", "; use --direct, which takes nothing, or --force"},
        [HD_ABOUT_SOCKET] = {"", " with --diagnostic-port=SOCKET, see `heapdrift ps`"},
    };
    if (err->topic == HD_NO_TOPIC || err->topic >= sizeof(words) / sizeof(words[0]))
        return;
    struct hd_error fact = *err;
    snprintf(err->message, sizeof(err->message), "%s%s%s", words[fact.topic].before,
             fact.message, words[fact.topic].after);
    err->topic = HD_NO_TOPIC;
}

void print_error(const char *path, const struct hd_error *err)
{
    struct hd_error said = *err;
    advise(&said);
    begin_message(NULL, path != NULL ? input_name(path) : "");
    if (err->where == HD_AT_LINE)
        fprintf(stderr, ":%" PRIu64 ": ", err->at);
    else if (err->where == HD_AT_BYTE)
        fprintf(stderr, ": byte 0x%" PRIx64 ": ", err->at);
    else if (path != NULL)
        fputs(": ", stderr);
    if (err->kind != NULL)
        fprintf(stderr, "%s: ", err->kind);
    end_message(said.message);
}
