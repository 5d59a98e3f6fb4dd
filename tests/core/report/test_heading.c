#include "report/text_parts.h"

#include "document/build.h"
#include "render/writer.h"
#include "render/written.h"

#include <math.h>

/* A report of `count` snapshots, a minute apart, for hd_report_free(). */
static struct hd_report *report_of(size_t count)
{
    static const struct hd_options none;
    struct hd_report *r = report_new(HD_REPORT_DIFF, &none);
    r->snapshots = arena_array(&r->arena, struct hd_snapshot_facts, count);
    r->snapshot_count = count;
    for (size_t k = 0; k < count; k++) {
        r->snapshots[k].info.pid = HD_UNKNOWN;
        r->snapshots[k].clock = 60.0 * (double)k;
        r->snapshots[k].clock_is_date = true;
    }
    return r;
}

static void expect_span(double seconds, const char *text)
{
    struct hd_report *r = report_of(2);
    struct text t = {0};
    r->snapshots[0].clock = 1000;
    r->snapshots[1].clock = 1000 + seconds;
    heading_add_span(&t, r);
    cr_expect_str_eq(text_string(&t), text);
    text_free(&t);
    hd_report_free(r);
}

Test(heading, a_span_has_two_units_at_most)
{
    expect_span(45, " over 45 s");
    expect_span(60, " over 1 min");
    expect_span(200, " over 3 min 20 s");
    expect_span(7800, " over 2 h 10 min");
    expect_span(7200, " over 2 h");
    expect_span(3601, " over 1 h");
    expect_span(273600, " over 3 d 4 h");
    expect_span(0.2, "");
    expect_span(0, "");
    expect_span(-60, "");
    expect_span(NAN, "");
}

Test(heading, clocks_of_a_machine_and_of_a_calendar_have_no_span)
{
    struct hd_report *r = report_of(2);
    cr_expect_eq(heading_span(r), 60);
    r->snapshots[0].clock_is_date = false;
    cr_expect(isnan(heading_span(r)));
    hd_report_free(r);
}

Test(heading, growth_becomes_a_rate_per_hour)
{
    struct hd_report *r = report_of(4);
    struct text t = {0};
    cr_expect_float_eq(heading_per_hour(r, -30), -600, 1e-9);
    cr_expect(heading_add_rate(&t, r, ", ", 1024, 4096));
    cr_expect_str_eq(text_string(&t), ", +60.0 KiB/h");
    cr_expect_not(heading_add_rate(&t, r, ", ", 4096, 1024), "it shrinks");
    r->snapshots[3].clock = 59;
    cr_expect_not(heading_add_rate(&t, r, ", ", 1024, 4096), "too short to tell");
    cr_expect(isnan(heading_per_hour(r, 30)));
    text_free(&t);
    hd_report_free(r);
}

/* Expects its line in text of this width. */
static void expect_origin(const struct hd_report *r, unsigned width, const char *text)
{
    struct build b = {.r = r, .doc = document_new("test")};
    struct hd_write_options opt = {.width = width};
    struct hd_memory got = {0};
    size_t len = strlen(text);
    struct out o = {.to = hd_sink_memory(&got)};
    build_origin(&b, doc_section(b.doc, DOC_PLAIN));
    write_text.render(b.doc, &opt, &o);
    cr_expect(out_finish(&o, NULL));
    cr_expect(len == 0 ? got.size == 0
                       : got.size == len + 1 && strncmp(got.bytes, text, len) == 0,
              "%s", got.bytes);
    hd_memory_free(&got);
    text_free(&b.words);
    document_free(b.doc);
}

Test(heading, has_facts_that_are_equal_in_all_snapshots)
{
    struct hd_report *r = report_of(2);
    struct hd_info *a = &r->snapshots[0].info, *b = &r->snapshots[1].info;
    expect_origin(r, 0, "");
    a->runtime = "10.0.12";
    expect_origin(r, 0, "");
    a->process = b->process = "Contoso.Orders";
    expect_origin(r, 0, "Contoso.Orders, .NET 10.0.12");
    a->pid = 4711;
    a->host = "web-3";
    a->container = "3f2a91c0d2e14b5c6d7e8f90";
    expect_origin(
        r, 0, "Contoso.Orders (pid 4711) on web-3, container 3f2a91c0d2e1, .NET 10.0.12");
    b->pid = 4712;
    b->host = "web-4";
    expect_origin(r, 0, "Contoso.Orders, container 3f2a91c0d2e1, .NET 10.0.12");
    b->process = "Contoso.Bills";
    expect_origin(r, 0, "several processes, container 3f2a91c0d2e1, .NET 10.0.12");
    a->process = b->process = NULL;
    b->pid = 4711;
    expect_origin(r, 0, "pid 4711, container 3f2a91c0d2e1, .NET 10.0.12");
    hd_report_free(r);
}

Test(heading, a_line_that_is_too_wide_is_broken_between_its_parts)
{
    struct hd_report *r = report_of(2);
    struct hd_info *a = &r->snapshots[0].info;
    a->process = "Contoso.Orders";
    a->host = "web-3.example.com";
    a->container = "3f2a91c0d2e1";
    a->runtime = "10.0.12";
    expect_origin(r, 70,
                  "Contoso.Orders on web-3.example.com, container 3f2a91c0d2e1,\n"
                  "  .NET 10.0.12");
    expect_origin(r, 30,
                  "Contoso.Orders\n  on web-3.example.com,\n"
                  "  container 3f2a91c0d2e1,\n  .NET 10.0.12");
    a->process = "\x1b[31m";
    expect_origin(r, 0,
                  "\\x1b[31m on web-3.example.com, container 3f2a91c0d2e1, .NET 10.0.12");
    hd_report_free(r);
}

/* --- which file ------------------------------------------------------------------- */

Test(heading, a_file_is_named_by_the_part_that_differs)
{
    enum { MAX_FILES = 4 };
    static const struct {
        const char *paths[MAX_FILES], *names[MAX_FILES];
    } cases[] = {{{"3.gcdump"}, {"3.gcdump"}},
                 {{"heaps/1.gcdump", "heaps/2.gcdump"}, {"1.gcdump", "2.gcdump"}},
                 {{"a/3.gcdump", "b/3.gcdump"}, {"a/3.gcdump", "b/3.gcdump"}},
                 {{"/x/a/heap/3.gcdump", "/x/b/heap/3.gcdump", "/x/b/heap/4.gcdump"},
                  {"a/heap/3.gcdump", "b/heap/3.gcdump", "4.gcdump"}},
                 {{"3.gcdump", "b/3.gcdump"}, {"3.gcdump", "b/3.gcdump"}},
                 {{"/3.gcdump", "/b/3.gcdump"}, {"/3.gcdump", "b/3.gcdump"}},
                 {{"a/13.gcdump", "b/3.gcdump"}, {"13.gcdump", "3.gcdump"}},
                 {{"a/3.gcdump", "a/3.gcdump"}, {"3.gcdump", "3.gcdump"}},
                 {{"-", "a/-"}, {"-", "a/-"}}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        size_t count = 0;
        while (count < MAX_FILES && cases[i].paths[count] != NULL)
            count++;
        struct hd_report *r = report_of(count);
        for (size_t k = 0; k < count; k++)
            r->snapshots[k].info.path = cases[i].paths[k];
        for (size_t k = 0; k < count; k++)
            cr_expect_str_eq(heading_file(r->snapshots, count, k), cases[i].names[k],
                             "case %zu: %s", i, cases[i].paths[k]);
        hd_report_free(r);
    }
}
