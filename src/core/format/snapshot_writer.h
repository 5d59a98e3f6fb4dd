/* snapshot_writer.h - the interface of a target of conversion, and the list of targets:
 * mirror of reader.h.
 *
 * To add one: write src/core/format/write_<name>.c that ends in a const struct
 * snapshot_writer, and list it in snapshot_writer.c. */
#ifndef SNAPSHOT_WRITER_H
#define SNAPSHOT_WRITER_H

#include "base/out.h"
#include "heap/snapshot.h"

/* Facts of a snapshot; bits of snapshot_writer.holds. */
enum snapshot_fact {
    FACT_GRAPH = 1,
    FACT_GENERATIONS = 2,
    FACT_ADDRESSES = 4,
    FACT_MODULES = 8,
    FACT_TIME = 16,
    FACT_PROCESS = 32,
    FACT_PID = 64,
    FACT_SAMPLING = 128,
    FACT_INCOMPLETE = 256,
    FACT_ORIGIN = 512,
    FACT_RAW_NAMES = 1024, /* names in invalid UTF-8 */
    FACT_HOST = 2048,      /* machine and time at which the process was started */
    FACT_FIELDS = 4096,    /* the field by which an object refers to another */
    FACT_OWNERS = 8192,    /* ownership; a graph is reduced to a digest first */
    FACT_MEMORY = 16384    /* garbage, weak handles: all that is in the memory of a core
                              dump, without values */
};

/* Facts lost by conversion, in order. Filled by the writers, shown by the program. */
struct losses {
    struct arena *arena; /* for the messages: the snapshot's */
    struct hd_loss *all; /* malloc'd */
    size_t len, cap;
};

/* Adds a loss; `what` must be in the closed list of docs/convert.md. */
void losses_add(struct losses *l, const char *what, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

struct snapshot_writer {
    const char *name;    /* of --to; also the name of its reader */
    const char *summary; /* one line for --help */
    const char *suffix;  /* ".gcdump" */
    unsigned holds;      /* enum snapshot_fact; with FACT_GRAPH it needs a graph */
    bool binary;

    /* Writes all of snap. Losses specific to this format are added to l; the caller reports
     * facts missing in `holds`. False and err if snap does not fit the format; o records
     * failures of output. */
    bool (*write)(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                  struct hd_error *err);
};

const struct snapshot_writer *snapshot_writer_named(const char *name);

/* hd_snapshot_write() for callers that have prepared what FACT_OWNERS requires. */
bool snapshot_write(struct hd_snapshot *snap, const struct snapshot_writer *w,
                    struct hd_sink to, struct hd_losses *lost, struct hd_error *err);

/* For type tables: false and err unless every number is at most `most`, and their sums fit
 * 64 bits. Those of a damaged sample may not. */
bool table_fits(const struct hd_snapshot *snap, uint64_t most, struct hd_error *err);

#endif
