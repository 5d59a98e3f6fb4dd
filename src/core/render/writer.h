/* writer.h - the interface of an output format, and the list of all formats.
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

/* The reports that a format can contain. */
enum writer_holds {
    HOLDS_ALL,
    HOLDS_CHECKS,
    HOLDS_TREES, /* reports with a tree, as their model states */
    HOLDS_FLEETS
};

struct writer {
    const char *name;    /* of --format */
    const char *summary; /* one line for --help */
    enum writer_holds holds;
    bool all_rows;   /* by default tables are not cut */
    bool whole_tree; /* by default trees are not cut */
    bool is_binary;  /* not for a terminal */

    /* Writes the whole report, or, in a format for people, the document made from it
     * (build.h); o records failures. The other one is NULL. */
    void (*write)(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o);
    void (*render)(const struct document *d, const struct hd_write_options *opt,
                   struct out *o);
};

extern const struct writer *const writers[]; /* ends with NULL */
extern const struct writer write_text, write_json, write_csv, write_tsv, write_markdown,
    write_junit, write_sarif, write_github, write_folded, write_speedscope, write_pprof,
    write_dot, write_html, write_prometheus;

/* Returns the output of --format=json; freed by the caller. */
json_t *report_json(const struct hd_model *m);

/* The summary of write_prometheus, which is of the house fleet, or of src/absent without
 * it. */
#define PROMETHEUS_SUMMARY "the text exposition format, to alert on (fleet)"

#endif
