/* plumbing.h - types of the framework that every way through the heap may pass, and that
 * say nothing of who holds what: timers, tasks, and the container of services.
 *
 * They belong to .NET 10 and stand here only, in one table with a test; docs/chains.md
 * has the same table. */
#ifndef PLUMBING_H
#define PLUMBING_H

enum plumbing {
    PLUMBING_NONE,
    PLUMBING_WAY,       /* passed on the way, never an owner */
    PLUMBING_TIMER,     /* in the runtime's list of active timers, however it is reached */
    PLUMBING_CALL_SITE, /* refers to the one instance of a singleton service */
    PLUMBING_SCOPE,     /* has a list of the services to dispose of */
    PLUMBING_SERVICES,  /* the table of the services that a scope has made */
    PLUMBING_TOKEN, /* the source of a cancellation token, and its list of who registered */
    PLUMBING_REGISTRATION /* one of them; whoever keeps it to unregister holds them all */
};

/* Of an object's canonical type name. */
enum plumbing plumbing_of(const char *type);

#endif
