/* async_names.h - the method that a state machine of the compiler is of.
 *
 * A call of an async method that has not ended is an object of the runtime,
 * AsyncStateMachineBox<Int32,App.Worker+<RunAsync>d__5>; its reader knows Worker.RunAsync.
 */
#ifndef ASYNC_NAMES_H
#define ASYNC_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Parts of a canonical type name, which they live as long as. */
struct async_method {
    const char *of; /* its class; not closed by a NUL */
    size_t of_len;
    const char *method;
    size_t method_len;
};

/* False: the type is no box of a state machine, or its method cannot be told. Of a lambda
 * or a local function it is the method that has it. */
bool async_method_of(struct async_method *m, const char *type);

#endif
