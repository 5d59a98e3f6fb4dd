#include "series/type_rank.h"

#include <criterion/criterion.h>
#include <string.h>

/* --- names alone --------------------------------------------------------------------- */

Test(type_rank, by_name_depends_on_namespaces)
{
    static const struct {
        const char *name;
        enum type_rank rank;
    } cases[] = {
        {"System.String", RANK_PLAIN},
        {"Microsoft.Extensions.Logging.Logger", RANK_PLAIN},
        {"generatedProxy_1", RANK_PLAIN},
        {"<>c__DisplayClass3_0", RANK_PLAIN},
        {"[static vars]", RANK_PLAIN},
        {"App.Order[]", RANK_PLAIN},
        {"Node<System.String,App.Session>", RANK_PLAIN},
        {"App.Order", RANK_NAMED},
        {"CacheEntry", RANK_LOOSE},
        {"App.Node<System.String>", RANK_NAMED},
        {"SystemClock", RANK_LOOSE},
        {"MicrosoftLogin", RANK_LOOSE},
        {"App.List<App.Order[]>", RANK_NAMED},
        {"", RANK_PLAIN},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(type_rank_by_name(cases[i].name), cases[i].rank, "%s", cases[i].name);
}

/* --- with modules -------------------------------------------------------------------- */

static enum type_rank rank_in(const char *process, const char *module, const char *name,
                              enum type_kind kind)
{
    struct type types[] = {
        {.name = "System.Object", .module = "System.Private.CoreLib.dll"},
        {.name = "Acme.Web.Startup", .module = "/app/Acme.Web.dll"},
        {.name = name, .module = module, .kind = kind}};
    struct hd_snapshot snap = {.types = types, .type_count = 3};
    snap.info.process = process;
    struct own_modules own = own_modules_of(&snap);
    return type_rank_of(&own, &types[2]);
}

Test(type_rank, of_a_module_named_like_the_process_is_the_programs_own)
{
    static const struct {
        const char *module, *name;
        enum type_rank rank;
    } cases[] = {
        {"Acme.Web.dll", "Acme.Web.Order", RANK_OWN},
        {"C:\\app\\Acme.Web.dll", "Shop.Order", RANK_OWN},
        {"/app/Acme.Data.dll", "Acme.Data.Row", RANK_OWN},
        {"Acme.dll", "Entry<System.String>", RANK_OWN_NESTED},
        {"Acme.Web.dll", "Entry", RANK_OWN_NESTED},
        {"Acme.Web.dll", "System.Net.MyCache", RANK_OWN},
        {"Acme.Web.dll", "<>c__DisplayClass3_0", RANK_PLAIN},
        {"Acme.Web.dll", "Acme.Web.Order[]", RANK_PLAIN},
        {"AcmeLib.dll", "AcmeLib.Row", RANK_NAMED},
        {"Akka.dll", "Akka.Actor.ActorCell", RANK_NAMED},
        {"Akka.dll", "Child", RANK_NESTED},
        {"Akka.dll", "System.Net.Thing", RANK_PLAIN},
        {"System.Private.CoreLib.dll", "Registrations", RANK_PLAIN},
        {"Microsoft.Extensions.Primitives.dll", "Acme.Strange", RANK_PLAIN},
        {NULL, "Acme.Web.Order", RANK_NAMED},
        {"", "Child", RANK_LOOSE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(rank_in("Acme.Web", cases[i].module, cases[i].name, TYPE_OBJECT),
                     cases[i].rank, "%s %s", cases[i].module, cases[i].name);
}

Test(type_rank, without_such_a_module_all_except_the_framework_is_equal)
{
    static const char *const processes[] = {NULL,       "",     "dotnet",
                                            "testhost", "Acme", "Acme.Webs"};
    for (size_t i = 0; i < sizeof(processes) / sizeof(*processes); i++) {
        cr_expect_eq(rank_in(processes[i], "Acme.Web.dll", "Acme.Web.Order", TYPE_OBJECT),
                     RANK_NAMED, "%s", processes[i]);
        cr_expect_eq(rank_in(processes[i], "Akka.dll", "Child", TYPE_OBJECT), RANK_NESTED);
    }
    cr_expect_eq(
        rank_in("/app/Acme.Web.exe", "Acme.Web.dll", "Acme.Web.Order", TYPE_OBJECT),
        RANK_OWN, "a path");
}

/* Other names of Microsoft are not its own. */
Test(type_rank, a_program_called_as_the_framework_shares_no_word_with_it)
{
    struct type types[] = {
        {.name = "Microsoft.Tool.Main", .module = "Microsoft.Tool.dll"},
        {.name = "Microsoft.Extensions.Options.X", .module = "Microsoft.Extensions.dll"}};
    struct hd_snapshot snap = {.types = types, .type_count = 2};
    snap.info.process = "Microsoft.Tool";
    struct own_modules own = own_modules_of(&snap);
    cr_expect_eq(type_rank_of(&own, &types[0]), RANK_OWN);
    cr_expect_eq(type_rank_of(&own, &types[1]), RANK_PLAIN);
}

Test(type_rank, an_async_method_is_of_its_class)
{
#define BOX(machine) "AsyncStateMachineBox<System.Int32," machine ">"
    static const char core[] = "System.Private.CoreLib.dll";
    static const struct {
        const char *name;
        enum type_rank rank;
    } cases[] = {{BOX("Acme.Web.Worker+<RunAsync>d__5"), RANK_OWN},
                 {BOX("Acme.Data.Reader+<RunAsync>d__5"), RANK_OWN},
                 {BOX("Quartz.Core.QuartzSchedulerThread+<Run>d__32"), RANK_NAMED},
                 {BOX("System.Threading.SemaphoreSlim+<WaitAsync>d__1"), RANK_PLAIN},
                 {BOX("Program+<Main>d__1"), RANK_PLAIN}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(rank_in("Acme.Web", core, cases[i].name, TYPE_OBJECT), cases[i].rank,
                     "%s", cases[i].name);
}

Test(type_rank, of_roots_a_variable_is_something)
{
    cr_expect_eq(rank_in("Acme.Web", NULL, "[static var Acme.Web.Host.s_all]", TYPE_PSEUDO),
                 RANK_OWN);
    cr_expect_eq(rank_in("Acme.Web", NULL, "[static var System.Byte[].s_all]", TYPE_PSEUDO),
                 RANK_LOOSE);
    cr_expect_eq(rank_in("Acme.Web", NULL, "[static vars]", TYPE_PSEUDO), RANK_PLAIN);
}
