/* meter.h - how much time and memory one input takes: too much of either ends the process,
 * which every engine takes for a crash.
 *
 * Time is that of the processor, so that a machine that does other things finds nothing;
 * memory is what is allocated and not freed, without what a sanitizer adds to it. */
#ifndef METER_H
#define METER_H

#include <stddef.h>
#include <stdint.h>

/* What an input of that size may take: 64 MiB, and a hundred times itself. */
uint64_t meter_limit(size_t size);

void meter_begin(size_t size);
void meter_end(void);

/* What the harness itself does between these two is not measured. */
void meter_pause(void);
void meter_go_on(void);

#endif
