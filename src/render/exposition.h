/* exposition.h - the text exposition format of Prometheus, version 0.0.4: each metric with
 * its help and kind, then its samples. It knows no metric. */
#ifndef EXPOSITION_H
#define EXPOSITION_H

#include "base/arena.h"
#include "base/out.h"

struct printed_labels;

/* {.o = output}; exposition_end() is due. */
struct exposition {
    struct out *o;
    const char *metric;
    struct printed_labels *labels; /* of this metric */
    struct arena arena;
};

/* The next metric: a counter if its name ends in "_total", else a gauge. */
void exposition_begin(struct exposition *e, const char *name, const char *help);

/* Append a label, escaped; no value is an empty one. */
void exposition_label(struct text *labels, const char *name, const char *value);

/* A sample of this metric. Takes the labels. Without a value (NAN) there is none, and of
 * two with the same labels the first counts. */
void exposition_sample(struct exposition *e, struct text *labels, double value);

void exposition_end(struct exposition *e);

#endif
