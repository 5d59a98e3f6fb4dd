#include "heap/names.h"

#include <criterion/criterion.h>
#include <string.h>

#define BUILDERS "System.Runtime.CompilerServices."

/* Names as in .NET 8 to 10. */
Test(async_names, of_a_box_are_the_methods_of_their_state_machines)
{
    static const struct {
        const char *type, *of, *method; /* NULL: none */
    } cases[] = {
        {"AsyncStateMachineBox<System.Threading.Tasks.VoidTaskResult,App.Worker+<RunAsync>"
         "d__5>",
         "App.Worker", "RunAsync"},
        {BUILDERS
         "AsyncTaskMethodBuilder+AsyncStateMachineBox<System.Int32,App.W+<Run>d__5>",
         "App.W", "Run"},
        {"DebugFinalizableAsyncStateMachineBox<System.Int32,App.W+<Run>d__5>", "App.W",
         "Run"},
        {"StateMachineBox<App.W+<Run>d__5>", "App.W", "Run"},
        {"AsyncStateMachineBox<System.Int32,Program+<<Main>$>d__0>", "Program", "Main"},
        {"AsyncStateMachineBox<System.Int32,App.W+<>c+<<RunAsync>b__0_0>d>", "App.W",
         "RunAsync"},
        {"AsyncStateMachineBox<System.Int32,App.W+<>c__DisplayClass1_0+<<Run>g__Wait|0>d>",
         "App.W", "Run"},
        {"AsyncStateMachineBox<System.Collections.Generic.List<App.A>,App.W+<Run>d__5<App."
         "A,"
         "App.B>>",
         "App.W", "Run"},
        {"AsyncStateMachineBox<System.Int32,App.W<App.A,App.B>+<Run>d__5>",
         "App.W<App.A,App.B>", "Run"},
        {"AsyncStateMachineBox<System.Int32,App.Machine>", NULL, NULL},
        {"AsyncStateMachineBox<System.Int32,+<Run>d__5>", NULL, NULL},
        {"AsyncStateMachineBox<System.Int32,App.W+<>d__5>", NULL, NULL},
        {"AsyncStateMachineBox<System.Int32,App.W+<Run>", NULL, NULL},
        {"AsyncStateMachineBox<", NULL, NULL},
        {"AsyncStateMachineBox<>", NULL, NULL},
        {"AsyncStateMachineBox<System.Int32,App.W+<Run>d__5>[]", NULL, NULL},
        {"System.Collections.Generic.List<StateMachineBox<App.W+<Run>d__5>>", NULL, NULL},
        {"App.W+<Run>d__5", NULL, NULL},
        {"", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct async_method m;
        bool found = async_method_of(&m, cases[i].type);
        cr_assert_eq(found, cases[i].of != NULL, "%s", cases[i].type);
        if (!found)
            continue;
        cr_expect(strlen(cases[i].of) == m.of_len &&
                      memcmp(cases[i].of, m.of, m.of_len) == 0,
                  "%.*s", (int)m.of_len, m.of);
        cr_expect(strlen(cases[i].method) == m.method_len &&
                      memcmp(cases[i].method, m.method, m.method_len) == 0,
                  "%.*s", (int)m.method_len, m.method);
    }
}
