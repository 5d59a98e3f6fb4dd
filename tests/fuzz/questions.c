#include "fuzz/questions.h"

#include "fuzz/meter.h"
#include "fuzz/output_check.h"
#include "support/rewritten.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a head. */
enum { WHAT, HOW, READING, WRITING };

enum { ALL_TYPES = 1, MAX_SEEN = 6 };

void question_check_error(const struct hd_error *err)
{
    if (err->status == HD_OK || err->message[0] == '\0' ||
        strchr(err->message, '\n') != NULL)
        abort();
}

struct hd_read_options question_reading(const unsigned char head[FRAME_HEAD], size_t size)
{
    unsigned bits = head[READING];
    return (struct hd_read_options){.size = sizeof(struct hd_read_options),
                                    .tables_only = (bits & 1) != 0,
                                    .to_write = true,
                                    .reach_later = (bits & 2) != 0,
                                    .across_builds = (bits & 4) != 0,
                                    .checksum = (bits & 8) != 0,
                                    .plain_names = (bits & 16) != 0,
                                    .size_base = (bits & 32) != 0 ? 10 : 16,
                                    .threads = (bits & 64) != 0 ? 2 : 1,
                                    .max_memory = (bits & 128) != 0 ? meter_limit(size) : 0,
                                    .redact = (head[WRITING] & 32) != 0};
}

struct hd_options question_options(const unsigned char head[FRAME_HEAD])
{
    static const char *const any = "*";
    struct hd_options opt = hd_default_options();
    unsigned bits = head[HOW];
    opt.gen2 = (bits & 1) != 0;
    opt.reachable = (bits & 2) != 0;
    opt.exact = (bits & 4) != 0;
    opt.fields = (bits & 8) != 0;
    opt.tree = (bits & 16) != 0;
    opt.app_only = (bits & 32) != 0;
    opt.holders = (bits & 64) != 0;
    if ((bits & 128) != 0) {
        opt.min_share = opt.min_steady_share = opt.least_kept_share = 0;
        opt.min_bytes = opt.min_steady_bytes = 1;
    }
    opt.by = (enum hd_unit)(head[WRITING] >> 6);
    opt.types = &any;
    opt.type_count = ALL_TYPES;
    return opt;
}

/* --- answers ---------------------------------------------------------------------- */

static struct hd_write_options writing(unsigned bits)
{
    return (struct hd_write_options){.size = sizeof(struct hd_write_options),
                                     .width = (bits & 32) != 0 ? 40 + bits : 0,
                                     .files_go = (bits & 64) != 0,
                                     .details = (bits & 16) != 0,
                                     .ascii = (bits & 128) != 0,
                                     .lines = (bits & 32) != 0 ? 24 : 0};
}

void question_answer(const unsigned char head[FRAME_HEAD], struct hd_report *report,
                     const struct hd_error *err)
{
    if (report == NULL) {
        question_check_error(err);
        return;
    }
    size_t count = 0;
    while (hd_format_name(count) != NULL)
        count++;
    size_t which = head[WRITING] % count;
    struct hd_write_options how = writing(head[WRITING]);
    struct hd_error lost = {0};
    struct output_check check = output_check_of(which, how.ascii);
    if (!hd_report_write(report, hd_format_name(which), &how, output_check_sink(&check),
                         &lost))
        question_check_error(&lost);
    else
        output_check_end(&check);
    hd_report_free(report);
}

/* --- what is asked ----------------------------------------------------------------- */

static void ask_check(const unsigned char head[FRAME_HEAD], struct hd_comparison *c,
                      const struct hd_options *opt)
{
    static const char *const rules[][2] = {{"max-growth", "0%"},
                                           {"max-growth-objects", "0"},
                                           {"budget", "*=0"},
                                           {"max-score", "1%"}};
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        if ((head[WHAT] >> 4 & 1U << i) != 0)
            hd_budgets_add_option(b, rules[i][0], rules[i][1], &err);
    if (head[WHAT] >> 4 == 15)
        hd_budgets_accept(b);
    struct hd_report *report = hd_report_check(c, opt, b, &err);
    struct hd_error lost = {0};
    struct hd_memory baseline = {0};
    if (report != NULL &&
        !hd_report_write_baseline(report, hd_sink_memory(&baseline), &lost))
        question_check_error(&lost);
    hd_memory_free(&baseline);
    question_answer(head, report, &err);
    hd_budgets_free(b);
}

static void look_at(struct hd_objects *o, uint32_t number)
{
    enum { CAPACITY = 8, FIELDS = 16, TEXT = 64 };
    struct hd_object object;
    struct hd_object_fields fields;
    uint32_t chain[CAPACITY];
    size_t skipped, at, count;
    if (!hd_object(o, number, &object))
        return;
    hd_object_chain(o, number, chain, CAPACITY, &skipped, &at);
    hd_object_root(o, number);
    if (hd_object_fields(o, number, number % 4, FIELDS, TEXT, &fields)) {
        struct output_check check = output_check_of_text();
        for (size_t i = 0; i < fields.len; i++)
            hd_put_value(output_check_sink(&check), &fields.all[i]);
        output_check_end(&check);
        hd_object_fields_free(&fields);
    }
    free(hd_object_groups(o, number, HD_REFERS_TO, &count));
    free(hd_object_groups(o, number, HD_REFERRED_BY, &count));
    struct hd_error err = {0};
    struct hd_object_list *same =
        hd_objects_of_type(o, object.type, HD_OBJECTS_BY_SIZE, &err);
    if (same != NULL && hd_object_list_count(same) > 0 &&
        hd_object_list_find(same, hd_object_list_get(same, 0)) != 0)
        abort();
    hd_object_list_free(same);
}

static void ask_objects(const unsigned char head[FRAME_HEAD], struct hd_comparison *c,
                        size_t count, const struct hd_options *opt)
{
    struct hd_error err = {0};
    struct hd_objects *o = hd_objects_open(c, count - 1);
    if (o != NULL && !hd_objects_wait(o, &err))
        question_check_error(&err);
    for (uint32_t i = 0; o != NULL && i < MAX_SEEN; i++)
        look_at(o, i);
    hd_objects_close(o);
    struct hd_object_question ask = {.size = sizeof(ask),
                                     .values = (head[WHAT] & 128) != 0,
                                     .by_number = true,
                                     .number = head[WHAT] >> 4};
    err = (struct hd_error){0};
    question_answer(head, hd_report_object(c, opt, &ask, &err), &err);
}

/* Writes what was read, and reads it again; from gcdump to gcdump nothing may change. */
static void ask_conversion(const unsigned char head[FRAME_HEAD], struct hd_snapshot *snap)
{
    struct hd_target target;
    size_t count = 0;
    while (hd_target(count, &target))
        count++;
    hd_target(head[WRITING] % count, &target);
    struct hd_error err = {0};
    char *bytes;
    size_t len;
    struct hd_snapshot *again = rewritten(snap, target.name, &bytes, &len, &err);
    bool as_read = snap->graph != NULL && (head[READING] & (2 | 4 | 16)) == 0;
    bool is_same_kind = as_read && strcmp(target.name, "gcdump") == 0 &&
                        strcmp(snap->info.format, "gcdump") == 0;
    if (again == NULL) {
        question_check_error(&err);
        if (err.status != HD_USAGE && err.status != HD_TOO_BIG)
            abort();
    } else if (is_same_kind && rewritten_gcdump_differs(snap, again) != NULL) {
        abort();
    } else if (rewritten_gcdump_overflows(again) != NULL &&
               strcmp(target.name, "gcdump") == 0) {
        abort();
    } else if (as_read && target.redacts && rewritten_totals_differ(snap, again) != NULL) {
        abort();
    }
    hd_snapshot_close(again);
    free(bytes);
}

void question_ask(const unsigned char head[FRAME_HEAD], struct hd_snapshot **snaps,
                  size_t count)
{
    enum { CHECK = 1, TREE, ROOTS, TOP, INFO, OBJECTS, CONVERT, INSTANCES, STATICS };
    struct hd_options opt = question_options(head);
    struct hd_read_options how = question_reading(head, 0);
    how.max_memory = 0;
    struct hd_comparison *c = hd_comparison_of(snaps, count, &how);
    struct hd_error err = {0};
    switch (head[WHAT] % 16) {
    case CHECK:
        ask_check(head, c, &opt);
        break;
    case TREE:
        question_answer(head, hd_report_tree(c, &opt, &err), &err);
        break;
    case ROOTS:
        question_answer(head, hd_report_roots(c, &opt, &err), &err);
        break;
    case TOP:
        question_answer(head, hd_report_top(c, &opt, &err), &err);
        break;
    case INFO:
        question_answer(head, hd_report_info(c), &err);
        break;
    case OBJECTS:
        ask_objects(head, c, count, &opt);
        break;
    case INSTANCES:
        question_answer(head, hd_report_objects(c, &opt, &err), &err);
        break;
    case STATICS:
        opt.values = head[WHAT] > 127;
        question_answer(head, hd_report_statics(c, &opt, &err), &err);
        break;
    case CONVERT:
        ask_conversion(head, snaps[count - 1]);
        break;
    default:
        question_answer(head, hd_report_diff(c, &opt, &err), &err);
        break;
    }
    hd_comparison_free(c);
}

void question_ask_parts(const struct frame *f, size_t size,
                        struct hd_snapshot *(*open)(size_t number, struct bytes part,
                                                    const struct hd_read_options *how,
                                                    struct hd_error *err))
{
    struct hd_read_options how = question_reading(f->head, size);
    struct hd_snapshot *snaps[FRAME_PARTS];
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct hd_error err = {0};
        snaps[count] = open(i, frame_part(f, i), &how, &err);
        if (snaps[count] != NULL)
            count++;
        else
            question_check_error(&err);
    }
    if (count > 0)
        question_ask(f->head, snaps, count);
    while (count > 0)
        hd_snapshot_close(snaps[--count]);
}
