/* writer.h - what an output format has to provide, and the list of them.
 *
 * To add a format: write src/report/write_<name>.c that ends in a const struct
 * writer, and list it in writer.c. */
#ifndef WRITER_H
#define WRITER_H

#include "base/out.h"
#include "report/report.h"

/* What a format has a place for. */
enum writer_holds {
    HOLDS_ALL,
    HOLDS_CHECKS,
    HOLDS_TREES, /* reports that have one: their model says so */
    HOLDS_FLEETS
};

struct writer {
    const char *name;    /* of --format */
    const char *summary; /* one line for --help */
    enum writer_holds holds;
    bool all_rows;   /* without a wish tables are not cut */
    bool whole_tree; /* nor is a tree */
    bool is_binary;  /* nothing for a terminal */

    /* Write the whole report; o remembers failures. */
    void (*write)(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o);
};

extern const struct writer *const writers[]; /* ends with NULL */

#endif
