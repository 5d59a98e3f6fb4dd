/* Facts of a run: from options, environments of services, pods and control groups. */
#include "fleet/agent/agent.h"

#include "support/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct scratch scratch;
static struct run_facts facts;

static void begin(void)
{
    scratch_open(&scratch);
    run_facts_begin(&facts);
}

static void end(void)
{
    run_facts_free(&facts);
    scratch_remove(&scratch);
}

TestSuite(run_facts, .init = begin, .fini = end);

/* Variables, each followed by a NUL; the last by that of the string. */
#define TAKE(variables) run_facts_read_environment(&facts, variables, sizeof(variables))

static const char *label(const char *name)
{
    for (size_t i = 0; i < facts.run.label_count; i++)
        if (strcmp(facts.run.labels[i].name, name) == 0)
            return facts.run.labels[i].value;
    return "(none)";
}

Test(run_facts, are_unknown_at_first)
{
    TAKE("PATH=/bin\0HOME=/root");
    run_facts_read_environment(&facts, "", 0);
    run_facts_read_environment(&facts, "OTEL_SERVICE_NAME=cut", 21);
    run_facts_read_pod(&facts, scratch_path(&scratch, "none"));
    cr_expect_null(facts.run.service);
    cr_expect_null(facts.run.host);
    cr_expect_null(facts.run.build);
    cr_expect_eq(facts.run.pid, HD_UNKNOWN);
    cr_expect_eq(facts.run.limit, HD_UNKNOWN);
    cr_expect_eq(facts.run.label_count, 0);
}

Test(run_facts, are_read_from_open_telemetry)
{
    TAKE("XOTEL_SERVICE_NAME=no\0OTEL_SERVICE_NAME=shop\0"
         "OTEL_RESOURCE_ATTRIBUTES=service.name=other, service.version = 4.2%2C1 ,"
         "deployment.environment=prod,host.name=web-1,team=,a%3Db=c%3Dd,,");
    cr_expect_str_eq(facts.run.service, "shop");
    cr_expect_str_eq(facts.run.build, "4.2,1");
    cr_expect_str_eq(facts.run.host, "web-1");
    cr_expect_str_eq(label("deployment.environment"), "prod");
    cr_expect_str_eq(label("a=b"), "c=d");
    cr_expect_eq(facts.run.label_count, 2);
    cr_expect_null(facts.problem);
}

Test(run_facts, leave_an_unnamed_service_empty)
{
    TAKE("OTEL_SERVICE_NAME=unknown_service:dotnet\0"
         "OTEL_RESOURCE_ATTRIBUTES=service.name=unknown_service");
    cr_expect_null(facts.run.service);
}

Test(run_facts, skip_invalid_attributes)
{
    static const char *const wrong[] = {"a=b,c", "a=%2", "a=%zz", "=b", "a=%00", "a=b,%=c"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        char variable[64];
        facts.problem = NULL;
        snprintf(variable, sizeof(variable), "OTEL_RESOURCE_ATTRIBUTES=%s", wrong[i]);
        run_facts_read_environment(&facts, variable, strlen(variable) + 1);
        cr_expect_not_null(facts.problem, "%s", wrong[i]);
        cr_expect_eq(facts.run.label_count, 0, "%s", wrong[i]);
    }
}

Test(run_facts, leave_labels_out_that_are_too_long_together)
{
    enum { LONG = 20 << 10 };
    static char variable[2 * LONG + 100] = "OTEL_RESOURCE_ATTRIBUTES=a=";
    size_t len = strlen(variable);
    memset(variable + len, 'x', LONG);
    len += LONG + (size_t)sprintf(variable + len + LONG, ",b=");
    memset(variable + len, 'y', LONG);
    run_facts_read_environment(&facts, variable, len + LONG + 1);
    cr_expect_eq(facts.run.label_count, 1);
    cr_expect_eq(strlen(label("a")), LONG);
    cr_expect_not_null(facts.problem);
}

Test(run_facts, keep_labels_with_a_common_prefix)
{
    const char *labels[] = {"zone=a", "zo=b", "zones=c"};
    struct collect_options own = {.labels = {labels, 3}};
    const struct settings s = {.own = &own};
    run_facts_add_options(&facts, &s);
    cr_expect_str_eq(label("zo"), "b");
    cr_expect_str_eq(label("zone"), "a");
    cr_expect_str_eq(label("zones"), "c");
}

Test(run_facts, from_options_take_precedence)
{
    const char *labels[] = {"env=a", "zone=x=y", "env=b", "empty="};
    struct collect_options own = {.limit = 5, .labels = {labels, 4}};
    const struct settings s = {
        .service = "mine", .host = "here", .build = "9", .own = &own};
    run_facts_add_options(&facts, &s);
    TAKE("OTEL_SERVICE_NAME=shop\0OTEL_RESOURCE_ATTRIBUTES=service.version=1,host.name=h,"
         "env=c,more=d\0DOTNET_GCHeapHardLimit=2");
    cr_expect_str_eq(facts.run.service, "mine");
    cr_expect_str_eq(facts.run.host, "here");
    cr_expect_str_eq(facts.run.build, "9");
    cr_expect_eq(facts.run.limit, 5);
    cr_expect_str_eq(label("env"), "b", "the last of them");
    cr_expect_str_eq(label("zone"), "x=y");
    cr_expect_str_eq(label("empty"), "");
    cr_expect_str_eq(label("more"), "d");
    cr_expect_eq(facts.run.label_count, 4);
}

Test(run_facts, have_the_limit_of_the_runtime)
{
    TAKE("DOTNET_GCHeapHardLimit=C800000");
    cr_expect_eq(facts.run.limit, 0xC800000);
    run_facts_free(&facts);
    run_facts_begin(&facts);
    TAKE("COMPlus_GCHeapHardLimit=0x10000000");
    cr_expect_eq(facts.run.limit, 0x10000000);
    run_facts_free(&facts);
    run_facts_begin(&facts);
    TAKE("DOTNET_GCHeapHardLimit=lots");
    cr_expect_eq(facts.run.limit, HD_UNKNOWN);
}

Test(run_facts, are_read_from_the_downward_api)
{
    static const char labels[] = "app.kubernetes.io/name=\"shop\"\n"
                                 "app.kubernetes.io/version=\"4.2\"\n"
                                 "note=\"a \\\"b\\\" \\\\ \\n \\x41\\u00e9\\U0001f4a9\"\n"
                                 "broken=\"x\n"
                                 "wrong=\"\\q\"\n"
                                 "half=\"\\u12\"\n"
                                 "bare\n"
                                 "=\"x\"\n"
                                 "tier=\"web\"";
    scratch_file(&scratch, "labels", labels, sizeof(labels) - 1);
    scratch_file(&scratch, "name", "shop-7d9f\n", 10);
    scratch_file(&scratch, "namespace", "prod", 4);
    TAKE("POD_NAME=other\0NODE_NAME=node-1");
    run_facts_read_pod(&facts, scratch.folder);
    cr_expect_str_eq(facts.run.service, "shop");
    cr_expect_str_eq(facts.run.build, "4.2");
    cr_expect_str_eq(label("note"), "a \"b\" \\ \n A\xc3\xa9\xf0\x9f\x92\xa9");
    cr_expect_str_eq(label("tier"), "web");
    cr_expect_str_eq(label("k8s.pod.name"), "other", "what is known stays");
    cr_expect_str_eq(label("k8s.namespace.name"), "prod");
    cr_expect_str_eq(label("k8s.node.name"), "node-1");
    cr_expect_eq(facts.run.label_count, 5);
}

static void put(const char *path, const char *text)
{
    scratch_file(&scratch, path, text, strlen(text));
}

Test(run_facts, have_the_limit_of_the_control_group)
{
    static const char *const folders[] = {"proc",
                                          "proc/7",
                                          "sys",
                                          "sys/fs",
                                          "sys/fs/cgroup",
                                          "sys/fs/cgroup/pods",
                                          "sys/fs/cgroup/pods/one",
                                          "proc/7/root",
                                          "proc/7/root/sys",
                                          "proc/7/root/sys/fs",
                                          "proc/7/root/sys/fs/cgroup"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        scratch_folder(&scratch, folders[i]);
    put("proc/7/cgroup", "0::/pods/one\n");
    put("sys/fs/cgroup/pods/one/memory.max", "max\n");
    run_facts_read_group(&facts, scratch.folder, 7);
    cr_expect_eq(facts.run.limit, HD_UNKNOWN);
    put("sys/fs/cgroup/pods/memory.max", "1073741824\n");
    run_facts_read_group(&facts, scratch.folder, 7);
    cr_expect_eq(facts.run.limit, 1 << 30, "that of a group around it");
    /* Its own view, in another container. */
    put("proc/7/root/sys/fs/cgroup/memory.max", "1000\n");
    run_facts_read_group(&facts, scratch.folder, 7);
    cr_expect_eq(facts.run.limit, 1000);
    run_facts_read_group(&facts, scratch.folder, 8);
    cr_expect_eq(facts.run.limit, 1000);
}

Test(run_facts, know_that_version_1_writes_a_number_for_no_limit)
{
    static const char *const folders[] = {"proc",
                                          "proc/7",
                                          "sys",
                                          "sys/fs",
                                          "sys/fs/cgroup",
                                          "sys/fs/cgroup/memory",
                                          "sys/fs/cgroup/memory/a"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        scratch_folder(&scratch, folders[i]);
    put("proc/7/cgroup", "4:cpu,memory:/a\n");
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    run_facts_read_group(&facts, scratch.folder, 7);
    cr_expect_eq(facts.run.limit, HD_UNKNOWN);
    put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4096\n");
    run_facts_read_group(&facts, scratch.folder, 7);
    cr_expect_eq(facts.run.limit, 4096);
}

/* For this process: unreadable facts are not an error. */
Test(run_facts, are_read_from_a_running_process)
{
    struct collect_options own = {.limit = 0};
    struct settings s = {.service = "mine", .own = &own};
    run_facts_free(&facts);
    setenv("OTEL_RESOURCE_ATTRIBUTES", "service.version=7", 1);
    run_facts_of(&facts, &s, 1, HD_UNKNOWN);
    cr_expect_str_eq(facts.run.service, "mine");
    cr_expect_str_eq(facts.run.build, "7");
    run_facts_free(&facts);
    run_facts_of(&facts, &s, INT32_MAX, 1000);
    cr_expect_str_eq(label("process.owner"), "1000");
    cr_expect_str_eq(facts.run.build, "7");
}

/* For a foreign process: each label would be compared with all others. */
Test(run_facts, an_environment_that_is_too_large_has_its_first_labels)
{
    enum { COUNT = 20000 };
    static char all[32 + COUNT * 16];
    struct run_facts f;
    size_t len = (size_t)sprintf(all, "OTEL_RESOURCE_ATTRIBUTES=");
    for (int i = 0; i < COUNT; i++)
        len += (size_t)sprintf(all + len, "a%d=%d,", i, i);
    run_facts_begin(&f);
    run_facts_read_environment(&f, all, len + 1);
    cr_expect_eq(f.run.label_count, 128);
    cr_expect_str_eq(f.run.labels[127].name, "a127");
    cr_expect_not_null(f.problem);
    run_facts_free(&f);
    memset(all + 30, 'x', sizeof(all) - 31);
    memcpy(all, "OTEL_SERVICE_NAME=", 18);
    memset(all + 18, 'x', 12);
    run_facts_begin(&f);
    run_facts_read_environment(&f, all, sizeof(all));
    cr_expect_eq(strlen(f.run.service), 4096);
    run_facts_free(&f);
}
