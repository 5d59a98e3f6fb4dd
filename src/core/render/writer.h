/* writer.h - what an output format has to provide, and the list of them.
 *
 * To add a format: write src/core/render/write_<name>.c that ends in a const struct writer,
 * and list it here and in writer.c. One for people is a render_<name>.c: it walks a
 * document and has one function that escapes a run. */
#ifndef WRITER_H
#define WRITER_H

#include "base/json.h"
#include "base/out.h"
#include "document/document.h"
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

    /* Write the whole report, or, of a format for people, the document that is made of it
     * (build.h); o remembers failures. The other one is NULL. */
    void (*write)(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o);
    void (*render)(const struct document *d, const struct hd_write_options *opt,
                   struct out *o);
};

extern const struct writer *const writers[]; /* ends with NULL */
extern const struct writer write_text, write_json, write_csv, write_tsv, write_markdown,
    write_junit, write_sarif, write_github, write_folded, write_speedscope, write_pprof,
    write_dot, write_html, write_prometheus;

/* What --format=json writes, to be freed by the caller. */
json_t *report_json(const struct hd_model *m);

/* The summary of write_prometheus, which is of the house fleet, or of src/absent without
 * it. */
#define PROMETHEUS_SUMMARY "the text exposition format, to alert on (fleet)"

#endif
