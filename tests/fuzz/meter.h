/* meter.h - time and memory limits for one input: exceeding either ends the process, which
 * every engine treats as a crash. Time is processor time, so that a busy machine does not
 * matter; memory is allocated and not freed, without the overhead of a sanitizer. */
#ifndef METER_H
#define METER_H

#include <stddef.h>
#include <stdint.h>

/* Limit for an input of this size: 64 MiB plus a hundred times the size. */
uint64_t meter_limit(size_t size);

void meter_begin(size_t size);
void meter_end(void);

/* The harness's own work between these two is not measured. */
void meter_pause(void);
void meter_go_on(void);

#endif
