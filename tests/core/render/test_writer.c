#include "render/writer.h"

#include "fleet/made_runs.h"
#include "render/written.h"

#include <criterion/criterion.h>
#include <errno.h>

static const char *const formats[] = {"text",       "json",  "csv",   "tsv",       "md",
                                      "html",       "junit", "sarif", "github",    "folded",
                                      "speedscope", "pprof", "dot",   "prometheus"};
enum {
    FORMATS = sizeof(formats) / sizeof(*formats),
    FOR_ALL = 6,
    FOR_TREES = 9,
    FOR_FLEETS = 13
};

static struct hd_report *two_processes(void)
{
    struct hd_process all[] = {
        {.pid = 7, .name = "shop", .runtime = "10.0.12", .command = "dotnet shop.dll, -x"},
        {.pid = 4711, .problem = "does not answer"}};
    return hd_report_processes(&(struct hd_processes){.all = all, .count = 2});
}

static struct hd_report *small_fleet(void)
{
    struct hd_fleet *f = made_fleet(0, 0);
    made_add(f, 1, (struct made_run){.service = "Shop", .host = "a", .type = "App.Order"});
    struct hd_report *r = hd_report_fleet(f, NULL);
    hd_fleet_free(f);
    return r;
}

static struct hd_report *report_of(enum hd_report_kind kind)
{
    switch (kind) {
    case HD_REPORT_DIFF:
        return shop_diff(NULL);
    case HD_REPORT_TOP:
        return top_of(shop(10), NULL);
    case HD_REPORT_ROOTS:
        return roots_of(shop(10), "System.String", hd_default_options());
    case HD_REPORT_CHECK:
        return shop_check();
    case HD_REPORT_PROCESSES:
        return two_processes();
    case HD_REPORT_TREE:
        return shop_tree(NULL);
    case HD_REPORT_OBJECT:
        return object_of(shop(10), 1, false, NULL);
    case HD_REPORT_FLEET:
        return small_fleet();
    case HD_REPORT_OBJECTS:
        return objects_of(shop(10), "System.String", hd_default_options());
    case HD_REPORT_STATICS:
        return statics_of(shop(10), NULL);
    case HD_REPORT_INFO:
    case HD_REPORT_KIND_COUNT:
        break;
    }
    return info_of_two();
}

Test(writer, formats_are_listed)
{
    for (size_t i = 0; i < FORMATS; i++) {
        cr_expect_str_eq(hd_format_name(i), formats[i]);
        cr_expect_not_null(hd_format_summary(i));
        cr_expect_eq(hd_format_is_for_check(i), i >= FOR_ALL && i < FOR_TREES);
        cr_expect_eq(hd_format_is_for_tree(i), i >= FOR_TREES && i < FOR_FLEETS);
        cr_expect_eq(hd_format_is_for_fleet(i), i >= FOR_FLEETS);
        cr_expect_eq(hd_format_is_binary(i), strcmp(formats[i], "pprof") == 0);
    }
    cr_expect_not(hd_format_is_for_check(FORMATS));
    cr_expect_not(hd_format_is_for_tree(FORMATS));
    cr_expect_not(hd_format_is_for_fleet(FORMATS));
    cr_expect_not(hd_format_is_binary(FORMATS));
    cr_expect_null(hd_format_name(FORMATS));
    cr_expect_null(hd_format_summary(FORMATS));
}

Test(writer, an_unknown_format_is_an_error)
{
    struct hd_report *r = info_of_two();
    struct hd_error err = {0};
    cr_expect_not(hd_report_write(r, "yaml", NULL, hd_sink_file(stdout), &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_not(hd_report_write(r, "yaml", NULL, hd_sink_file(stdout), NULL));
    hd_report_free(r);
}

Test(writer, every_report_can_be_written_in_every_format_without_its_snapshots)
{
    for (int kind = 0; kind < HD_REPORT_KIND_COUNT; kind++) {
        struct hd_report *r = report_of((enum hd_report_kind)kind);
        for (size_t i = 0; i < FORMATS; i++) {
            if (!can_be_written(r, i) || hd_format_is_binary(i))
                continue;
            char *got = written(r, formats[i]);
            size_t len = strlen(got);
            cr_expect(len > 0 && got[len - 1] == '\n', "%d as %s", kind, formats[i]);
            cr_expect(len < 2 || got[len - 2] != '\n' || i == 0, "%d as %s", kind,
                      formats[i]);
            free(got);
        }
        hd_report_free(r);
    }
}

Test(writer, reports_that_a_format_does_not_support_are_refused)
{
    for (int kind = 0; kind < HD_REPORT_KIND_COUNT; kind++) {
        struct hd_report *r = report_of((enum hd_report_kind)kind);
        for (size_t i = 0; i < FORMATS; i++) {
            struct hd_error err = {0};
            if (can_be_written(r, i))
                continue;
            cr_expect_not(hd_report_write(r, formats[i], NULL, hd_sink_file(stdout), &err));
            cr_expect_eq(err.status, HD_USAGE);
            cr_expect_not_null(strstr(err.message, formats[i]), "%s", err.message);
        }
        hd_report_free(r);
    }
}

Test(writer, the_same_report_gives_the_same_bytes)
{
    for (int kind = 0; kind < HD_REPORT_KIND_COUNT; kind++) {
        struct hd_report *one = report_of((enum hd_report_kind)kind);
        struct hd_report *other = report_of((enum hd_report_kind)kind);
        for (size_t i = 0; i < FORMATS; i++) {
            if (!can_be_written(one, i) || hd_format_is_binary(i))
                continue;
            char *bytes = written(one, formats[i]);
            expect_written(other, formats[i], bytes);
            free(bytes);
        }
        hd_report_free(one);
        hd_report_free(other);
    }
}

static void expect_lost(const struct hd_report *r, const char *format, int buffering)
{
    FILE *full = fopen("/dev/full", "w");
    cr_assert_not_null(full);
    setvbuf(full, NULL, buffering, BUFSIZ);
    struct hd_error err = {0};
    cr_expect_not(hd_report_write(r, format, NULL, hd_sink_file(full), &err), "%s", format);
    cr_expect_eq(err.status, HD_IO, "%s", format);
    cr_expect_neq(err.message[0], '\0');
    fclose(full);
}

Test(writer, a_full_disk_is_an_error)
{
    for (int kind = 0; kind < HD_REPORT_KIND_COUNT; kind++) {
        struct hd_report *r = report_of((enum hd_report_kind)kind);
        for (size_t i = 0; i < FORMATS; i++) {
            if (!can_be_written(r, i))
                continue;
            expect_lost(r, formats[i], _IOFBF);
            expect_lost(r, formats[i], _IONBF);
        }
        hd_report_free(r);
    }
}

struct counted {
    size_t calls;
    size_t bytes;
};

static int refuse(void *context, const void *bytes, size_t size)
{
    struct counted *c = context;
    (void)bytes;
    c->calls++;
    c->bytes += size;
    return ENOSPC;
}

Test(writer, a_callback_that_fails_is_not_called_again)
{
    struct hd_snapshot *many[2] = {shop(2000), shop(4000)};
    struct hd_options all = hd_default_options();
    all.by = HD_BY_TYPE;
    struct hd_report *r = diff_of(many, 2, &all);
    for (size_t i = 0; i < FOR_ALL; i++) {
        struct counted c = {0};
        struct hd_error err = {0};
        cr_expect_not(
            hd_report_write(r, formats[i], NULL, (struct hd_sink){refuse, &c}, &err));
        cr_expect_eq(err.status, HD_IO);
        cr_expect_eq(c.calls, 1, "%s: %zu calls", formats[i], c.calls);
    }
    hd_report_free(r);
}

Test(writer, options_of_a_later_version_are_refused)
{
    struct {
        struct hd_write_options known;
        uint64_t more;
    } later = {{.size = sizeof(later)}, 1};
    struct hd_memory got = {0};
    struct hd_error err = {0};
    struct hd_report *r = info_of_two();
    cr_expect_not(hd_report_write(r, "text", &later.known, hd_sink_memory(&got), &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_null(got.bytes, "nothing is written");
    later.more = 0;
    cr_expect(hd_report_write(r, "text", &later.known, hd_sink_memory(&got), NULL));
    hd_memory_free(&got);
    hd_report_free(r);
}

Test(writer, formats_for_checks_accept_only_checks)
{
    for (int kind = 0; kind < HD_REPORT_CHECK; kind++) {
        struct hd_report *r = report_of((enum hd_report_kind)kind);
        for (size_t i = FOR_ALL; i < FORMATS; i++) {
            struct hd_error err = {0};
            cr_expect_not(hd_report_write(r, formats[i], NULL, hd_sink_file(stdout), &err));
            cr_expect_eq(err.status, HD_USAGE);
        }
        hd_report_free(r);
    }
}

Test(writer, processes_are_rows)
{
    struct hd_report *r = two_processes();
    expect_written(r, "csv",
                   "pid,name,runtime,user,command,socket,problem,host,container,started,"
                   "uptime_seconds,memory_bytes\n"
                   "7,shop,10.0.12,,\"dotnet shop.dll, -x\",,,,,,,\n"
                   "4711,,,,,,does not answer,,,,,\n");
    expect_written(r, "text",
                   " pid  name  memory  uptime  runtime  user  command\n"
                   "   7  shop       -       -  10.0.12  -     dotnet shop.dll, -x\n"
                   "4711  -          -       -  -        -     -\n"
                   "    does not answer\n");
    hd_report_free(r);
    const struct hd_processes none = {0}, no_shop = {.name = "Shop*"};
    r = hd_report_processes(&none);
    expect_written(r, "text", "no .NET process to collect from\n");
    hd_report_free(r);
    r = hd_report_processes(&no_shop);
    expect_written(r, "text", "no .NET process is called Shop*\n");
    hd_report_free(r);
}

/* --- forty containers ---------------------------------------------------------------- */

#define CONTAINER "3f2a91c0d2e14b5c6d7e8f901a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d"

enum { MANY = 40 };

static struct hd_report *containers(void)
{
    static struct hd_process all[MANY];
    for (uint64_t i = 0; i < MANY; i++)
        all[i] = (struct hd_process){.pid = 4194304 - MANY + i,
                                     .name = "Shop.Checkout.Service",
                                     .runtime = "10.0.12",
                                     .user = "app",
                                     .command = "dotnet /app/Shop.Checkout.Service.dll "
                                                "--urls=http://+:8080",
                                     .host = "checkout-6d5f9c7b8-x2x4z",
                                     .container = CONTAINER,
                                     .started = "2026-11-22T00:51:24",
                                     .uptime = 86400 * i + 7384,
                                     .memory = (i + 1) << 24};
    all[3] = (struct hd_process){
        .pid = 1,
        .problem =
            "the diagnostics socket belongs to user app; run heapdrift as that user, "
            "or as root (/tmp/dotnet-diagnostic-1-24-socket)"};
    return hd_report_processes(&(struct hd_processes){.all = all, .count = MANY});
}

static struct hd_memory written_in(const struct hd_report *r, unsigned width)
{
    struct hd_memory got = {0};
    const struct hd_write_options how = {.size = sizeof(how), .width = width};
    cr_assert(hd_report_write(r, "text", &how, hd_sink_memory(&got), NULL));
    return got;
}

/* Names are ASCII here, except "…", which has three bytes. */
static size_t widest_line(const char *text)
{
    size_t widest = 0;
    while (*text != '\0') {
        size_t columns = 0;
        for (; *text != '\0' && *text != '\n'; text++)
            columns += ((unsigned char)*text & 0xC0) != 0x80;
        widest = columns > widest ? columns : widest;
        text += *text == '\n';
    }
    return widest;
}

Test(writer, processes_fit_every_width)
{
    struct hd_report *r = containers();
    for (unsigned width = 40; width <= 200; width++) {
        struct hd_memory got = written_in(r, width);
        cr_expect_leq(widest_line(got.bytes), width, "%u:\n%s", width, got.bytes);
        cr_expect_not_null(strstr(got.bytes, " memory"));
        cr_expect_eq(strstr(got.bytes, " 3f2a91c0d2e1 ") != NULL, width >= 66);
        cr_expect_eq(strstr(got.bytes, " checkout-6d5f9c7b8-x2x4z ") != NULL, width >= 100);
        hd_memory_free(&got);
    }
    hd_report_free(r);
}

Test(writer, processes_have_container_uptime_and_memory)
{
    struct hd_report *r = containers();
    struct hd_memory got = written_in(r, 160);
    cr_expect_not_null(
        strstr(got.bytes, "4194265  Shop.Checkout.Service  3f2a91c0d2e1  "
                          "checkout-6d5f9c7b8-x2x4z  32.0 MiB    1 d 2 h  10.0.12  app   "),
        "%s", got.bytes);
    cr_expect_null(strstr(got.bytes, "3f2a91c0d2e14"));
    hd_memory_free(&got);
    cr_assert(hd_report_write(r, "json", NULL, hd_sink_memory(&got), NULL));
    cr_expect_not_null(strstr(got.bytes, "\"container\": \"" CONTAINER "\""));
    cr_expect_not_null(strstr(got.bytes, "\"uptime_seconds\": 93784"));
    cr_expect_not_null(strstr(got.bytes, "\"memory_bytes\": 33554432"));
    cr_expect_not_null(strstr(got.bytes, "\"memory_bytes\": null"));
    hd_memory_free(&got);
    hd_report_free(r);
}
