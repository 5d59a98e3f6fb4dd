/* trace_types.h - the parts of a snapshot that events describe: types, nodes, the roots
 * that hold objects, and the process. */
#ifndef TRACE_TYPES_H
#define TRACE_TYPES_H

#include "format/span.h"
#include "heap/builder.h"
#include "heap/ids.h"
#include "trace/trace_heap_events.h"

/* --- types --------------------------------------------------------------------- */

/* The types and modules that a trace defines, by their ids.
 *
 * A type is often defined after its first object, and a module at the end of the trace, so
 * names are composed after the last event. A {0} table is empty; the accounts of ids,
 * module_ids and arena are the caller's.
 *
 * Names are spelled as dotnet-gcdump spells them before they are made canonical, so that
 * types of traces and of its files are one. */

struct trace_type {
    bool is_defined;
    bool is_used;      /* by an object; then the builder has it as */
    uint32_t built_as; /* a type of the builder */
    uint32_t flags, token;
    uint64_t module;
    struct span name;           /* UTF-8, as in the stream; may be empty */
    struct span full_name;      /* with the outer class; NULL if unknown */
    const uint64_t *parameters; /* ids of generic arguments, or of the element */
    uint32_t parameter_count;
};

struct trace_types {
    struct id_numbers ids;
    struct trace_type *all; /* by number */
    size_t cap;
    struct id_numbers module_ids;
    struct span *modules; /* paths, by number */
    size_t module_cap;
    struct arena arena;
};

/* The text in `a`, as UTF-8. */
struct span trace_wide_span(struct bytes wide, struct arena *a);

/* Adds the definitions in an event; false if they are damaged. */
bool trace_types_define(struct trace_types *t, const struct bulk *b);
bool trace_types_module(struct trace_types *t, struct bytes payload);

/* The builder's type for an object of type id. */
uint32_t trace_types_use(struct trace_types *t, uint64_t id, struct builder *b);

/* Appends the name of a type as dotnet-gcdump has it, not yet canonical; of an undefined
 * one `unknown`, its id, and ")" if `unknown` ends in "(". */
void trace_types_name(const struct trace_types *t, uint64_t id, const char *unknown,
                      struct text *out);

/* Sets names and modules of the builder's types, and the snapshot's names of all types by
 * id; returns the number of used types without a name. */
uint64_t trace_types_finish(struct trace_types *t, struct builder *b);
void trace_types_free(struct trace_types *t);

/* --- the process --------------------------------------------------------------- */

/* The process of a trace, and its time. */

/* Copies the command line from its event. */
void trace_process_parse(struct text *command, struct bytes payload);

/* The name of the program: of "/usr/bin/dotnet /app/Shop.dll --port 80" it is Shop. */
void trace_process_name(struct hd_snapshot *snap, struct text *command);

/* Stores the program without its arguments, which may be secrets: for the same line
 * "/usr/bin/dotnet /app/Shop.dll". */
void trace_process_program(struct hd_snapshot *snap, struct text *command);

/* The time of ticks, UTC. */
void trace_process_time(struct hd_snapshot *snap, const struct trace_header *h,
                        uint64_t ticks);

#endif
