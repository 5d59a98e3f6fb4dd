/* Titles and owners of suspects in files with modules: the program's own class before that
 * of a package, and the method of an awaiting call. */
#include "render/written.h"

#define BOX "AsyncStateMachineBox<System.Int32,Acme.Web.Gate+<EnterAsync>d__2>"

/* A chain of single objects with 10, 20, ... of the last type, in the process Acme.Web. */
static struct hd_snapshot *heap_of(const char *const *types, size_t len, uint32_t instances)
{
    struct forge f = {0};
    node_id top = NO_NODE, at = NO_NODE;
    for (size_t i = 0; i + 1 < len; i++) {
        node_id next = forge_object(&f, types[i], 24);
        if (at != NO_NODE)
            forge_reference(&f, at, next);
        top = top == NO_NODE ? next : top;
        at = next;
    }
    node_id first = forge_objects(&f, types[len - 1], 400, instances);
    for (uint32_t i = 0; i < instances; i++)
        forge_reference(&f, at, first + i);
    forge_root(&f, HD_ROOT_STATIC, "System.Threading.TimerQueue[].s_all", top);
    for (size_t i = 0; i < len; i++)
        if (strncmp(types[i], "Acme.", 5) == 0)
            forge_module(&f, types[i], "/app/Acme.Web.dll");
        else if (strncmp(types[i], "Polly.", 6) == 0)
            forge_module(&f, types[i], "/app/Polly.Core.dll");
    struct hd_snapshot *snap = forge_finish(&f);
    snap->info.process = "Acme.Web";
    return snap;
}

static struct hd_report *report_on(const char *const *types, size_t len)
{
    struct hd_snapshot *snaps[SHOPS];
    for (uint32_t k = 0; k < SHOPS; k++)
        snaps[k] = heap_of(types, len, 10 * (k + 1));
    return diff_of(snaps, SHOPS, NULL);
}

Test(own_names, the_programs_class_is_shown_with_a_packages_owner)
{
    static const char *const types[] = {
        "Acme.Web.Host",    "Acme.Web.Shelf",
        "Acme.Web.Desk",    "Acme.Web.Client",
        "Polly.Registry",   "System.Collections.Generic.List<Polly.Pipeline>",
        "Polly.Pipeline[]", "Polly.Pipeline"};
    struct hd_report *r = report_on(types, 8);
    char *text = written(r, "text"), *json = written(r, "json");
    expect_part(text, "kept alive by Registry of Client\n");
    expect_part(text, "[static …] → … 3 more → Client → Registry");
    expect_part(json, "\"of\": \"Acme.Web.Client\"");
    free(text);
    free(json);
    hd_report_free(r);
}

Test(own_names, an_owner_of_the_program_is_nobodys)
{
    static const char *const types[] = {"Acme.Web.Host", "Acme.Web.Client",
                                        "System.Collections.Generic.List<Polly.Pipeline>",
                                        "Polly.Pipeline[]", "Polly.Pipeline"};
    struct hd_report *r = report_on(types, 5);
    char *text = written(r, "text"), *json = written(r, "json");
    expect_part(text, "kept alive by Client\n");
    expect_part(json, "\"of\": null");
    free(text);
    free(json);
    hd_report_free(r);
}

Test(own_names, a_call_of_an_async_method_has_its_name)
{
    static const char *const types[] = {"Acme.Web.Host", "Polly.Semaphore", "Polly.Node[]",
                                        BOX};
    struct hd_report *r = report_on(types, 4);
    char *text = written(r, "text"), *json = written(r, "json");
    expect_part(text, "Gate.EnterAsync: 10 → ");
    expect_part(text, "Acme.Web.Gate.EnterAsync  (AsyncStateMachineBox<");
    expect_part(json, "\"subject\": \"" BOX "\"");
    free(text);
    free(json);
    hd_report_free(r);
}
