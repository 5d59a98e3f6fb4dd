#include "ranking/suspect_title.h"

#include "ranking/ranked.h"

#define SERVICES "Microsoft.Extensions.DependencyInjection."
#define SCOPE SERVICES "ServiceLookup.ServiceProviderEngineScope"
#define LIST "System.Collections.Generic.List<System.Object>"
#define SOURCE "System.Threading.CancellationTokenSource"
#define CONSOLE "Microsoft.Extensions.Hosting.Internal.ConsoleLifetime"
#define TIMER "System.Threading.TimerQueueTimer"

/* The process is Acme.Web; types with this prefix are of its module, those of Polly of a
 * package. */
static void tell_modules(struct forge *f, const char *type)
{
    if (strncmp(type, "Acme.", 5) == 0)
        forge_module(f, type, "Acme.Web.dll");
    else if (strncmp(type, "Polly.", 6) == 0)
        forge_module(f, type, "Polly.dll");
}

/* A chain of single objects, from a static variable of the framework or of App on, with 10,
 * then 20 of the last type. Expects its owner, and the owner of that; "none". */
static void expect_owner(const char *variable, const char *const *types, size_t len,
                         const char *owner, const char *of)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id root = heap_root(&f), at = heap_group(&f, root, "[static vars]");
        at = heap_group(&f, at, variable);
        for (size_t i = 0; i + 1 < len; i++) {
            at = heap_object(&f, at, types[i], 24);
            tell_modules(&f, types[i]);
        }
        heap_objects(&f, at, types[len - 1], 50, 10 + 10 * k);
        /* The types occur elsewhere, too, so that none is special by being the only
         * instance. */
        node_id locals = heap_group(&f, root, "[local vars]");
        for (size_t i = 0; i + 1 < len; i++)
            heap_object(&f, locals, types[i], 24);
        struct hd_snapshot *snap = forge_finish(&f);
        snap->info.process = "Acme.Web";
        aligned_add(&r.a, snap);
    }
    fold_series(&r);
    struct owner_types all = owner_types_of(r.a.snaps, 2);
    const struct ownership_tree *t = &r.tree;
    path_id head = NO_PATH;
    for (path_id p = 1; p < t->len; p++)
        if (t->count[2 * p + 1] >= 20 &&
            strcmp(t->labels.all[t->label[p]].name, types[len - 1]) == 0)
            head = p;
    cr_assert_neq(head, NO_PATH);
    struct head_owner got = head_owner(t, head, &all);
    const char *name = got.owner != NO_LABEL ? t->labels.all[got.owner].name : "none";
    const char *has = got.of != NO_LABEL ? t->labels.all[got.of].name : "none";
    cr_expect_str_eq(name, owner, "%s: owner %s", types[0], name);
    cr_expect_str_eq(has, of, "%s: of %s", types[0], has);
    owner_types_free(&all);
    ranked_free(&r);
}

#define EXPECT_OWNER(owner, of, variable, ...)                                         \
    expect_owner((variable), (const char *const[]){__VA_ARGS__},                       \
                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (owner), \
                 (of))

#define INSTANCES "[static var System.Threading.TimerQueue[].s_all]"

Test(head_owner, of_a_packages_object_is_the_programs_own_class_above_it)
{
    EXPECT_OWNER("Polly.Registry", "Acme.Web.Client", INSTANCES, "Acme.Web.Client",
                 "Polly.Host", "Polly.Registry", "System.Object[]", "System.String");
    EXPECT_OWNER("Polly.Registry", "[static var Acme.Web.Client.s_all]",
                 "[static var Acme.Web.Client.s_all]", "Polly.Registry", "System.String");
    EXPECT_OWNER("Polly.Registry", "none", INSTANCES, "Polly.Registry", "System.String");
    EXPECT_OWNER("Acme.Web.Client", "none", INSTANCES, "Acme.Web.Host", "Acme.Web.Client",
                 "System.String");
}

/* An object that waits for a timer reaches the objects of the next timers. */
Test(head_owner, is_unknown_beyond_a_timer)
{
    EXPECT_OWNER("Polly.Registry", "none", INSTANCES, "Acme.Web.Client", TIMER,
                 "Polly.Registry", "System.String");
}

Test(head_owner, of_objects_in_a_scopes_list_is_the_scope)
{
    EXPECT_OWNER(SCOPE, "none", INSTANCES, "Acme.Web.LoadGenerator", SCOPE, LIST,
                 "System.Object[]", "System.String");
    EXPECT_OWNER(SCOPE, "Acme.Web.Host", INSTANCES, "Acme.Web.Host",
                 SERVICES "ServiceProvider", SCOPE, LIST, "System.Object[]",
                 "System.String");
}

Test(head_owner, of_a_registration_is_the_owner_of_the_tokens_source)
{
    EXPECT_OWNER("Acme.Web.Service", "none", INSTANCES, "Acme.Web.Service", SOURCE,
                 "Registrations", "CallbackNode");
    EXPECT_OWNER("Registrations", "none", INSTANCES, "Acme.Web.Job", CONSOLE,
                 "CallbackNode", "Registrations", "System.Object[]", "System.String");
    EXPECT_OWNER("none", "none", INSTANCES, "Acme.Web.Job", CONSOLE, "CallbackNode");
    EXPECT_OWNER("Acme.Web.Job", "none", INSTANCES, "Acme.Web.Job", "CallbackNode",
                 "System.Action", "System.String");
}
