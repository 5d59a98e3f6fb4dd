/* heading.h - the facts of a series that stand above every answer: how much time lies
 * between first and last, how fast the heap grows, which process it is and where it runs.
 * What files do not tell is left out. */
#ifndef HEADING_H
#define HEADING_H

#include "report/format_units.h"
#include "report/report.h"

/* Seconds from the first snapshot to the last, or NAN: unknown, or not in order. */
double heading_span(const struct hd_report *r);

/* What grows by so much from the first to the last grows by so much in an hour; NAN if the
 * time is unknown, or less than a minute, which says nothing about an hour. */
double heading_per_hour(const struct hd_report *r, double growth);

/* " over 2 h 10 min"; nothing if unknown. */
void heading_add_span(struct text *t, const struct hd_report *r);

/* "+1.2 MiB/h", and begin in front of it (", "); false, and nothing, where that is unknown
 * or nothing grows. */
bool heading_add_rate(struct text *t, const struct hd_report *r, const char *begin,
                      uint64_t first, uint64_t last);

/* Which process, and where, as far as it is known and the same in all of them; what is not
 * is NULL, the pid HD_UNKNOWN. */
struct heading_origin {
    const char *process, *host, *container, *runtime;
    uint64_t pid;
    bool several; /* they are of several processes */
};

/* False if there is nothing to say: a runtime alone is not worth a line. */
bool heading_origin(const struct hd_report *r, struct heading_origin *from);

/* A snapshot's file as all formats name it: without folders, or with as many of the last as
 * tell it from the others. all are those of the report; the path's own end. */
const char *heading_file(const struct hd_snapshot_facts *all, size_t count, size_t k);

#endif
