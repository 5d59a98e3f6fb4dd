/* written.h - reports about a small shop, and the output of writers. */
#ifndef WRITTEN_H
#define WRITTEN_H

#include "heapdrift_fleet.h"
#include "report/report.h"
#include "support/asked.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The report as bytes, with a NUL appended; for free(). opt may be NULL. */
static inline char *written_with(const struct hd_report *r, const char *format,
                                 const struct hd_write_options *opt)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    struct hd_error err = {0};
    cr_assert(hd_report_write(r, format, opt, hd_sink_file(f), &err), "%s", err.message);
    fclose(f);
    cr_assert_eq(strlen(bytes), size, "no NUL inside");
    return bytes;
}

/* With all details. */
static inline char *written(const struct hd_report *r, const char *format)
{
    const struct hd_write_options all = {.size = sizeof(all), .details = true};
    return written_with(r, format, &all);
}

/* True if format number i supports the report. */
static inline bool can_be_written(const struct hd_report *r, size_t i)
{
    return (!hd_format_is_for_check(i) || r->kind == HD_REPORT_CHECK) &&
           (!hd_format_is_for_tree(i) || hd_report_model(r)->tree != NULL) &&
           (!hd_format_is_for_fleet(i) || r->kind == HD_REPORT_FLEET);
}

/* The same for output without NULs. */
static inline void expect_written(const struct hd_report *r, const char *format,
                                  const char *wanted)
{
    char *got = written(r, format);
    cr_expect_str_eq(got, wanted, "%s", got);
    free(got);
}

/* Expects the text to contain the part, or not. */
static inline void expect_part(const char *text, const char *part)
{
    cr_expect(strstr(text, part) != NULL, "no \"%s\" in:\n%s", part, text);
}

static inline void expect_no_part(const char *text, const char *part)
{
    cr_expect(strstr(text, part) == NULL, "\"%s\" in:\n%s", part, text);
}

/* Joins chains that were wrapped into several lines. */
static inline char *unfolded(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0';) {
        size_t blanks = at[0] == '\n' ? strspn(at + 1, " ") : 0;
        bool goes_on = blanks > 8 && strncmp(at + 1 + blanks, "→", strlen("→")) == 0;
        *to++ = goes_on ? ' ' : *at;
        at += goes_on ? 1 + blanks : 1;
    }
    *to = '\0';
    return text;
}

/* Expects the value in the first line with the part, independent of layout. */
static inline void expect_line(const char *text, const char *part, const char *value)
{
    const char *line = strstr(text, part);
    cr_assert_not_null(line, "no \"%s\" in:\n%s", part, text);
    while (line > text && line[-1] != '\n')
        line--;
    const char *found = strstr(line, value);
    cr_expect(found != NULL && found < line + strcspn(line, "\n"),
              "no \"%s\" beside \"%s\" in:\n%s", value, part, text);
}

/* [static var App.Shop.s_orders] -> App.Shop -> App.Order[] -> orders, each with a string;
 * and a string on the stack. */
static inline struct hd_snapshot *shop(uint32_t orders)
{
    struct forge f = {0};
    node_id top = forge_object(&f, "App.Shop", 24);
    node_id array = forge_object(&f, "App.Order[]", 16 + 8 * (uint64_t)orders);
    node_id order = forge_objects(&f, "App.Order", 96, orders);
    node_id string = forge_objects(&f, "System.String", 40, orders + 1);
    forge_reference(&f, top, array);
    for (uint32_t i = 0; i < orders; i++) {
        forge_reference(&f, array, order + i);
        forge_reference(&f, order + i, string + i);
    }
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_orders", top);
    forge_root(&f, HD_ROOT_STACK, NULL, string + orders);
    return forge_finish(&f);
}

/* The type table of such a shop, without a graph. */
static inline struct hd_snapshot *shop_table(uint32_t orders)
{
    struct forge f = {0};
    forge_row(&f, "App.Shop", 1, 24);
    forge_row(&f, "App.Order[]", 1, 16 + 8 * (uint64_t)orders);
    forge_row(&f, "App.Order", orders, 96 * (uint64_t)orders);
    forge_row(&f, "System.String", orders + 1, 40 * (uint64_t)(orders + 1));
    return forge_finish(&f);
}

/* A table of one type. */
static inline struct hd_snapshot *table_of(const char *type, uint64_t count, uint64_t bytes)
{
    struct forge f = {0};
    forge_row(&f, type, count, bytes);
    return forge_finish(&f);
}

enum { SHOPS = 4 };

static inline void open_shops(struct hd_snapshot **snaps)
{
    for (uint32_t k = 0; k < SHOPS; k++)
        snaps[k] = shop(10 * (k + 1));
}

static inline void close_all(struct hd_snapshot **snaps, size_t count)
{
    for (size_t k = 0; k < count; k++)
        hd_snapshot_close(snaps[k]);
}

/* Reports that outlive their snapshots. opt may be NULL, except for roots. */
static inline struct hd_report *diff_of(struct hd_snapshot **snaps, size_t count,
                                        const struct hd_options *opt)
{
    struct hd_error err = {0};
    struct hd_report *r = ask_diff(snaps, count, opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    close_all(snaps, count);
    return r;
}

static inline struct hd_report *shop_diff(const struct hd_options *opt)
{
    struct hd_snapshot *snaps[SHOPS];
    open_shops(snaps);
    return diff_of(snaps, SHOPS, opt);
}

static inline struct hd_report *shop_tree(const struct hd_options *opt)
{
    struct hd_snapshot *snaps[SHOPS];
    struct hd_error err = {0};
    open_shops(snaps);
    struct hd_report *r = ask_tree(snaps, SHOPS, opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    close_all(snaps, SHOPS);
    return r;
}

static inline struct hd_report *shop_table_diff(const struct hd_options *opt)
{
    struct hd_snapshot *snaps[SHOPS];
    for (uint32_t k = 0; k < SHOPS; k++)
        snaps[k] = shop_table(10 * (k + 1));
    return diff_of(snaps, SHOPS, opt);
}

/* Checked against these budgets, or the default; frees b. */
static inline struct hd_report *check_of(struct hd_snapshot **snaps, size_t count,
                                         const struct hd_options *opt, struct hd_budgets *b)
{
    struct hd_error err = {0};
    struct hd_report *r = ask_check(snaps, count, opt, b, &err);
    cr_assert_not_null(r, "%s", err.message);
    close_all(snaps, count);
    hd_budgets_free(b);
    return r;
}

/* One rule that passes, one that fails for a type. */
static inline struct hd_report *shop_check(void)
{
    struct hd_snapshot *snaps[SHOPS];
    struct hd_budgets *b = hd_budgets_new();
    open_shops(snaps);
    cr_assert(hd_budgets_add_option(b, "max-growth", "1GiB", NULL));
    cr_assert(hd_budgets_add_option(b, "budget", "App.Order=5", NULL));
    return check_of(snaps, SHOPS, NULL, b);
}

static inline struct hd_report *top_of(struct hd_snapshot *snap,
                                       const struct hd_options *opt)
{
    struct hd_error err = {0};
    struct hd_report *r = ask_top(snap, opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    hd_snapshot_close(snap);
    return r;
}

static inline struct hd_report *roots_of(struct hd_snapshot *snap, const char *type,
                                         struct hd_options opt)
{
    struct hd_error err = {0};
    opt.types = &type;
    opt.type_count = 1;
    struct hd_report *r = ask_roots(&snap, 1, &opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    hd_snapshot_close(snap);
    return r;
}

/* The instances of types of a heap; closes it. */
static inline struct hd_report *objects_of(struct hd_snapshot *snap, const char *type,
                                           struct hd_options opt)
{
    struct hd_error err = {0};
    opt.types = &type;
    opt.type_count = 1;
    struct hd_report *r = ask_objects(&snap, 1, &opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    hd_snapshot_close(snap);
    return r;
}

/* Static variables of a heap; closes it. */
static inline struct hd_report *statics_of(struct hd_snapshot *snap,
                                           const struct hd_options *opt)
{
    struct hd_error err = {0};
    struct hd_report *r = ask_statics(&snap, 1, opt, &err);
    cr_assert_not_null(r, "%s", err.message);
    hd_snapshot_close(snap);
    return r;
}

/* One object of a heap; closes it. */
static inline struct hd_report *object_of(struct hd_snapshot *snap, uint32_t number,
                                          bool values, const struct hd_options *opt)
{
    struct hd_error err = {0};
    struct hd_comparison *c = hd_comparison_of(&snap, 1, NULL);
    struct hd_object_question ask = {
        .size = sizeof(ask), .by_number = true, .number = number, .values = values};
    struct hd_report *r = hd_report_object(c, opt, &ask, &err);
    cr_assert_not_null(r, "%s", err.message);
    hd_comparison_free(c);
    hd_snapshot_close(snap);
    return r;
}

/* A shop, and a file that is not a snapshot. */
static inline struct hd_report *info_of_two(void)
{
    struct hd_snapshot *snap = shop(10);
    struct hd_info_entry entries[] = {
        {.path = "forged", .snap = snap},
        {.path = "broken.gcdump",
         .error = {.status = HD_BAD_FORMAT,
                   .where = HD_AT_BYTE,
                   .at = 12,
                   .message = "it is | broken"}},
    };
    struct hd_report *r = ask_info(entries, 2);
    hd_snapshot_close(snap);
    return r;
}

#endif
