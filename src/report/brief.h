/* brief.h - what a short line shows of a chain: the way in, its owner, and what lies around
 * the classes of the program. For text and what is like it; a model has the whole chain. */
#ifndef BRIEF_H
#define BRIEF_H

#include "report/report.h"

struct report_brief {
    bool *shown;       /* per frame; NULL: all of them are */
    size_t first;      /* where it begins: frames before it are no part of the line */
    bool root_by_kind; /* "[static …]" will do for that frame */
};

/* Decide what a line shows of a chain: all of it from the root on, or the few frames that
 * say most. In a. */
struct report_brief report_brief_of(const struct hd_chain *c, bool all, struct arena *a);

#endif
