/* sos_echo.h - what the echo of a debugger's command line tells about its table.
 *
 *   0:000> !dumpheap -stat -live -gen gen2
 *   (lldb) sos dumpheap -stat -live
 *   > dumpgen gen2
 *
 * A table does not say of itself which objects are in it; the command does, if
 * the transcript shows it. docs/formats/dumpheap-stat.md has the grammar.
 *
 * It must not know what a table looks like. */
#ifndef SOS_ECHO_H
#define SOS_ECHO_H

#include "format/table/table_text.h"

enum sos_output {
    SOS_ANYTHING, /* no echo was seen, or a command that prints no table */
    SOS_HEAP,     /* dumpheap or dumpgen: the table counts the heap */
    SOS_STRINGS,  /* dumpheap -strings: a table of values */
    SOS_NO_TABLE, /* dumpheap -short, -thinlock */
    SOS_NOT_HEAP  /* a table like that of dumpheap, but of something else */
};

struct sos_echo {
    enum sos_output output;
    struct text command;    /* without prompt; empty if not of dumpheap or dumpgen */
    struct text filters;    /* "-type Orchard -min 40" */
    const char *generation; /* NULL: unknown, or all; static */
    bool live, dead;
};

/* True if a debugger waits for a command, or was given one, on this line. */
bool sos_is_prompt(struct span line);

/* If line is an echo, make *e what it says, forgetting what it said before. */
bool sos_echo_read(struct sos_echo *e, struct span line);

/* Say what the table is a table of, in b->snap->origin and warnings. */
void sos_echo_report(const struct sos_echo *e, struct builder *b);

void sos_echo_free(struct sos_echo *e);

#endif
