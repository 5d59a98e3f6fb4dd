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
    hd_put_name(stderr, name);
}

void end_message(const char *what)
{
    hd_put_name(stderr, what);
    fputs("\n", stderr);
}

bool trouble(const char *name, const char *why)
{
    begin_message(NULL, name);
    fputs(": ", stderr);
    end_message(why);
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
    end_message(err->message);
}
