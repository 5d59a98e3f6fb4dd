/* trace_types.h - the types and modules that a trace defines, by their ids.
 *
 * A type is often defined after the first object of it, and a module at the end of the
 * trace, so names are put together when everything was seen. A {0} table is empty.
 *
 * Names are spelled as dotnet-gcdump spells them before they are made canonical, so that
 * types of traces and of its files are one. */
#ifndef TRACE_TYPES_H
#define TRACE_TYPES_H

#include "heap/builder.h"
#include "heap/ids.h"
#include "trace/trace_heap_events.h"

struct trace_type {
    bool is_defined;
    bool is_used;      /* by an object; then the builder has it as */
    uint32_t built_as; /* a type of the builder */
    uint32_t flags, token;
    uint64_t module;
    const char *name; /* UTF-8, as in the stream; may be "" */
    size_t name_len;
    const char *full_name; /* with the outer class; NULL: not known */
    size_t full_len;
    const uint64_t *parameters; /* ids of generic arguments, or of the element */
    uint32_t parameter_count;
};

struct trace_types {
    struct id_numbers ids;
    struct trace_type *all; /* by number */
    size_t cap;
    struct id_numbers module_ids;
    const char **modules; /* paths, by number */
    size_t module_cap;
    struct arena arena;
};

/* From here on account is charged for what is kept. Before the first definition. */
void trace_types_charge_to(struct trace_types *t, struct account *account);

/* Take the definitions of one event; false when they are damaged. */
bool trace_types_define(struct trace_types *t, const struct bulk *b);
bool trace_types_module(struct trace_types *t, struct bytes payload);

/* The builder's type for an object of type id. */
uint32_t trace_types_use(struct trace_types *t, uint64_t id, struct builder *b);

/* Append the name of a type as dotnet-gcdump has it, not yet canonical; of one that is
 * not defined, unknown and its id, and what closes it if unknown ends in '('. */
void trace_types_name(const struct trace_types *t, uint64_t id, const char *unknown,
                      struct text *out);

/* Give the builder's types their names and modules, and the snapshot the names of all
 * types by id; returns how many used ones have none. */
uint64_t trace_types_finish(struct trace_types *t, struct builder *b);

void trace_types_free(struct trace_types *t);

#endif
