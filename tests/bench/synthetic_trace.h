/* synthetic_trace.h - a made-up heap as a .nettrace, as a runtime would send it. */
#ifndef BENCH_SYNTHETIC_TRACE_H
#define BENCH_SYNTHETIC_TRACE_H

#include "bench/synthetic.h"

#include <stdio.h>

void synthetic_write_trace(const struct heap *h, FILE *f);

#endif
