/* Untrusted rules, applied to series that are always the same. */
#include "fuzz/memory_file.h"
#include "fuzz/questions.h"
#include "fuzz/series.h"
#include "fuzz/surfaces.h"

static void judge(const struct frame *f, const struct hd_budgets *b)
{
    struct hd_snapshot *snaps[SERIES_STEPS];
    series_open(snaps, (f->head[2] & 1) == 0);
    struct hd_comparison *c = hd_comparison_of(snaps, SERIES_STEPS, NULL);
    struct hd_options opt = question_options(f->head);
    struct hd_error err = {0}, lost = {0};
    struct hd_report *report = hd_report_check(c, &opt, b, &err);
    struct hd_memory baseline = {0};
    if (report != NULL) {
        hd_report_status(report, true);
        if (!hd_report_write_baseline(report, hd_sink_memory(&baseline), &lost))
            question_check_error(&lost);
    }
    question_answer(f->head, report, &err);
    hd_memory_free(&baseline);
    hd_comparison_free(c);
    series_close(snaps);
}

typedef bool reader(struct hd_budgets *b, const char *path, struct hd_error *err);

/* True if the part exists and was accepted. */
static bool take(struct hd_budgets *b, const struct frame *f, size_t i, reader *read)
{
    struct hd_error err = {0};
    if (i >= f->count)
        return false;
    if (read(b, memory_file(i, frame_part(f, i)), &err))
        return true;
    question_check_error(&err);
    return false;
}

/* A program ends at the first error, so incomplete rules are never applied. */
static void judge_by(struct bytes input, reader *first, reader *second)
{
    struct frame f = frame_of(input);
    struct hd_budgets *b = hd_budgets_new();
    hd_budgets_set_time(b, INT64_C(1767225600)); /* 2026-01-01 */
    if (take(b, &f, 0, first) && (f.count == 1 || take(b, &f, 1, second)))
        judge(&f, b);
    hd_budgets_free(b);
}

void surface_budget(struct bytes input)
{
    judge_by(input, hd_budgets_read, hd_budgets_read_baseline);
}

void surface_baseline(struct bytes input)
{
    judge_by(input, hd_budgets_read_baseline, hd_budgets_read);
}
