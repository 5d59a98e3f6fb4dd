/* trace_code_events.h - events of a runtime about its code: the method at an address, its
 * module, and the offsets of its instructions.
 *
 * Nothing is kept. Layouts: docs/formats/nettrace.md. */
#ifndef TRACE_CODE_EVENTS_H
#define TRACE_CODE_EVENTS_H

#include "trace/nettrace.h"

enum trace_code_event {
    CODE_OTHER,
    CODE_METHOD,     /* compiled, or there at the end of a session */
    CODE_GONE,       /* a method that was unloaded */
    CODE_MODULE,     /* a file of code */
    CODE_MAP_BEFORE, /* offsets of the method of the next event */
    CODE_MAP_AFTER   /* offsets of the method of the previous event */
};

enum trace_code_event trace_code_event_kind(const struct trace_event *e);

/* One piece of code; a method that was compiled several times has several. Names are
 * UTF-16. */
struct code_method {
    uint64_t id, module, start;
    uint32_t size, token;
    struct bytes type, name;
};

struct code_module {
    uint64_t id;
    struct bytes path; /* UTF-16; the name of a module in memory, or empty */
};

/* Pairs of offsets in IL and in code. */
struct code_map {
    uint64_t method;
    uint32_t count;
    const unsigned char *il, *native; /* u32 each */
};

/* False when the payload is too short. */
bool code_method_parse(struct bytes payload, struct code_method *m);
bool code_module_parse(struct bytes payload, struct code_module *m);
bool code_map_parse(struct bytes payload, struct code_map *m);

/* No offset, as of the prologue, the epilogue, and instructions that the compiler added. */
#define CODE_NO_OFFSET UINT32_MAX

/* Returns the offset in IL of the last pair at or before an offset in code. Optimized code
 * has pairs for some statements only, and a short method may lack pairs after the prologue:
 * there it is 0. Code after the epilogue was moved there by the compiler, from statements
 * without a pair: CODE_NO_OFFSET. */
uint32_t code_map_find(const struct code_map *m, uint32_t native);

/* Returns the least offset in IL after another one that has a pair, CODE_NO_OFFSET without
 * one. */
uint32_t code_map_next(const struct code_map *m, uint32_t il);

#endif
