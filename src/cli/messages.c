#include "cli/messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

void begin_message(const char *kind, const char *name)
{
    fputs("heapdrift: ", stderr);
    if (kind != NULL)
        fprintf(stderr, "%s: ", kind);
    hd_put_name(hd_sink_file(stderr), name);
}

bool trouble(const char *name, const char *why)
{
    begin_message(NULL, name);
    fprintf(stderr, ": %s\n", why);
    return false;
}

void print_error(const char *path, const struct hd_error *err)
{
    begin_message(NULL, path != NULL ? input_name(path) : "");
    if (err->where == HD_AT_LINE)
        fprintf(stderr, ":%" PRIu64 ": ", err->at);
    else if (err->where == HD_AT_BYTE)
        fprintf(stderr, ": byte 0x%" PRIx64 ": ", err->at);
    else if (path != NULL)
        fputs(": ", stderr);
    if (err->kind != NULL)
        fprintf(stderr, "%s: ", err->kind);
    fprintf(stderr, "%s\n", err->message);
}
