/* hinted.h - series in which one chain of types grows, and the expected hint.
 *
 *     expect_hint(&(struct hint_example){"gc-handle-not-freed",
 *                                        "[strong Handles] > System.Action", "App.Order"});
 */
#ifndef HINTED_H
#define HINTED_H

#include "render/written.h"

#define STATIC(variable) "[static vars] > [static var " variable "] > "
#define TOKENS \
    STATIC("App.Host.stop") "System.Threading.CancellationTokenSource > Registrations > "
#define LIFETIME                                                   \
    STATIC("App.Host.host")                                        \
    "Microsoft.Extensions.Hosting.Internal.ApplicationLifetime > " \
    "System.Threading.CancellationTokenSource > Registrations > "
#define TIMERS                                                         \
    STATIC("System.Threading.TimerQueue[].<Instances>k__BackingField") \
    "System.Threading.TimerQueue[] > System.Threading.TimerQueue > "
#define TASK STATIC("App.Host.task") "System.Threading.Tasks.Task > "
#define OBJECTS "System.Collections.Generic.List<System.Object> > System.Object[] > "
#define PROVIDER                \
    STATIC("App.Host.services") \
    "Microsoft.Extensions.DependencyInjection.ServiceProvider > "
#define SCOPE \
    "Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceProviderEngineScope"
#define KEPT STATIC("App.Host.kept") OBJECTS
#define DICTIONARY(key_and_value)                                                     \
    STATIC("App.Host.all")                                                            \
    "System.Collections.Generic.Dictionary<" key_and_value "> > Entry<" key_and_value \
    ">[] > "
#define BY_KEY(key_and_value)                                           \
    "System.Collections.Concurrent.ConcurrentDictionary<" key_and_value \
    "> > Tables<" key_and_value "> > VolatileNode<" key_and_value       \
    ">[] > Node<" key_and_value ">"
#define CONCURRENT(key_and_value) STATIC("App.Host.all") BY_KEY(key_and_value)
#define SEGMENTS                                                                           \
    "System.Collections.Concurrent.ConcurrentQueue<App.Order> > "                          \
    "System.Collections.Concurrent.ConcurrentQueueSegment<App.Order> > Slot<App.Order>[] " \
    "> "

/* The last type of the chain grows; each of its instances holds a chain of others. */
struct hint_example {
    const char *id; /* NULL: no hint */
    const char *chain;
    const char *below; /* or NULL */
};

enum { MAX_TYPES = 96, LONGEST_TYPE = 200 };

static inline size_t split(const char *chain, char types[][LONGEST_TYPE])
{
    size_t count = 0;
    for (const char *at = chain; at != NULL; count++) {
        const char *end = strstr(at, " > ");
        size_t len = end != NULL ? (size_t)(end - at) : strlen(at);
        cr_assert(len < LONGEST_TYPE && count < MAX_TYPES);
        memcpy(types[count], at, len);
        types[count][len] = '\0';
        at = end != NULL ? end + 3 : NULL;
    }
    return count;
}

static inline node_id thing(struct forge *f, const char *type)
{
    return type[0] == '[' ? forge_pseudo(f, type) : forge_object(f, type, 32);
}

static inline struct hd_snapshot *example_heap(const struct hint_example *e,
                                               uint32_t instances)
{
    char above[MAX_TYPES][LONGEST_TYPE], below[MAX_TYPES][LONGEST_TYPE];
    size_t count = split(e->chain, above);
    size_t held = e->below != NULL ? split(e->below, below) : 0;
    struct forge f = {0};
    node_id at = forge_pseudo(&f, "[.NET Roots]");
    forge_start(&f, at);
    for (size_t i = 0; i + 1 < count; i++) {
        node_id next = thing(&f, above[i]);
        forge_reference(&f, at, next);
        at = next;
    }
    for (uint32_t n = 0; n < instances; n++) {
        node_id holder = at;
        for (size_t i = 0; i <= held; i++) {
            node_id next = thing(&f, i == 0 ? above[count - 1] : below[i - 1]);
            forge_reference(&f, holder, next);
            holder = next;
        }
    }
    return forge_finish(&f);
}

static inline struct hd_report *example_diff(const struct hint_example *e)
{
    struct hd_snapshot *snaps[SHOPS];
    struct hd_options opt = hd_default_options();
    opt.min_share = 0;
    for (uint32_t k = 0; k < SHOPS; k++)
        snaps[k] = example_heap(e, 10 * (k + 1));
    return diff_of(snaps, SHOPS, &opt);
}

static inline const char *id_of(const char *hint)
{
    return hint != NULL ? hint : "none";
}

static inline void expect_hint(const struct hint_example *e)
{
    struct hd_report *r = example_diff(e);
    cr_assert(r->diff.by_graph);
    cr_assert_geq(r->diff.suspect_count, 1, "nothing is ranked of %s", e->chain);
    const char *wanted = e->id != NULL ? e->id : "none";
    cr_expect_str_eq(id_of(r->diff.suspects[0].hint), wanted, "%s has the hint %s, not %s",
                     e->chain, id_of(r->diff.suspects[0].hint), wanted);
    hd_report_free(r);
}

#endif
