#include "report/text_growth.h"

#include "report/text_parts.h"

#include <math.h>
#include <string.h>

static const struct tally *last_of(const struct hd_report *r, const struct tally *at)
{
    return &at[r->snapshot_count - 1];
}

void text_gain(struct text *t, const struct hd_report *r, const struct report_suspect *s)
{
    if (r->diff.by_graph)
        human_size_signed(t, s->more);
    else if (r->diff.types.bytes_known)
        human_size_delta(t, s->at[0].bytes, last_of(r, s->at)->bytes);
    else
        human_delta(t, s->at[0].count, last_of(r, s->at)->count);
}

double text_gain_share(const struct hd_report *r, const struct report_suspect *s)
{
    const struct tally *last = last_of(r, s->at), *all = last_of(r, r->diff.types.totals);
    if (r->diff.by_graph)
        return s->more_share;
    double gain = r->diff.types.bytes_known ? (double)last->bytes - (double)s->at[0].bytes
                                            : (double)last->count - (double)s->at[0].count;
    double whole = (double)(r->diff.types.bytes_known ? all->bytes : all->count);
    return whole > 0 ? gain / whole : 0;
}

void text_also(struct text *t, const struct hd_report *r, const struct report_suspect *s)
{
    enum { NAMED = 2 };
    size_t named = s->also_count > NAMED + 1 ? NAMED : s->also_count;
    if (s->also_count == 0)
        return;
    text_add_string(t, "(with ");
    for (size_t i = 0; i < named; i++) {
        bool is_last = i + 1 == s->also_count;
        text_add_string(t, i == 0 ? "" : is_last ? " and " : ", ");
        human_short_name(t, report_shown(r, s->also[i]));
    }
    if (named < s->also_count) {
        text_add_string(t, " and ");
        human_count(t, s->also_count - named);
        text_add_string(t, " others");
    }
    text_add_char(t, ')');
}

void text_steady(struct text *t, const struct report_suspect *s)
{
    text_add_string(t, "steady: +");
    human_count(t, s->step_least);
    if (s->step_most > s->step_least) {
        text_add_string(t, "–");
        human_count(t, s->step_most);
    }
    text_add_string(t, " every step");
}

void text_growth_parts(struct text *t, const struct report_growth *g)
{
    text_add_string(t, "suspects ");
    human_size_signed(t, g->suspects);
    if (g->pools != 0) {
        text_add_string(t, ", pools and threads ");
        human_size_signed(t, g->pools);
    }
    text_add_string(t, ", rest ");
    human_size_signed(t, g->rest);
}

void text_stopped_counts(struct text *t, const struct hd_report *r,
                         const struct report_stopped *s)
{
    enum { MOST_VALUES = 6 };
    size_t n = r->snapshot_count;
    bool cut = n > MOST_VALUES;
    for (size_t k = 0; k < n; k++) {
        bool gap = cut && k == MOST_VALUES / 2;
        if (gap)
            k = n - MOST_VALUES / 2;
        if (k > 0)
            text_add_string(t, gap ? " … " : " → ");
        human_count(t, s->count[k]);
    }
}

static const struct column stopped_columns[] = {
    {"gained", ALIGN_RIGHT, false}, {"of heap", ALIGN_RIGHT, false},
    {"count", ALIGN_RIGHT, false},  {"trend", ALIGN_LEFT, false},
    {"type", ALIGN_LEFT, true},
};

/* "1,251 → 2,751" and the bars between, of the snapshots that could be compared. */
static void add_stopped_counts(struct table *t, const struct hd_report *r,
                               const struct report_stopped *s)
{
    struct tally at[SERIES_MAX_SNAPSHOTS];
    size_t n = 0;
    for (size_t k = 0; k < r->snapshot_count; k++)
        if (s->count[k] != HD_UNKNOWN)
            at[n++] = (struct tally){.count = s->count[k]};
    human_count(&t->content, n > 0 ? at[0].count : HD_UNKNOWN);
    text_add_string(&t->content, " → ");
    human_count(&t->content, n > 0 ? at[n - 1].count : HD_UNKNOWN);
    table_end_cell(t);
    human_trend(&t->content, at, n);
    table_end_cell(t);
}

static void add_stopped_row(struct table *t, const struct hd_report *r,
                            const struct report_stopped *s)
{
    human_size_signed(&t->content, (int64_t)(s->growth + 0.5));
    table_end_cell(t);
    human_percent(&t->content, s->share);
    table_end_cell(t);
    add_stopped_counts(t, r, s);
    human_name(&t->content, report_shown(r, s->subject));
    table_end_cell(t);
    struct text type = {0};
    if (strcmp(s->subject, s->type) != 0) {
        text_add_char(&type, '(');
        human_short_name(&type, report_shown(r, s->type));
        text_add_char(&type, ')');
    }
    table_remark(t, type.data, type.len);
    text_free(&type);
}

static void add_stopped_holder(struct table *t, const struct report_stopped *s,
                               unsigned width)
{
    enum { INDENT = 4 + 9 };
    struct text line = {0}, path = {0};
    text_add_string(&line, "    held by  ");
    for (size_t i = 0; i < s->holder_len; i++) {
        text_add_string(&path, i > 0 ? " → " : "");
        human_short_name(&path, s->holder[i]);
    }
    text_wrap_arrows(&line, text_string(&path), path.len, INDENT, INDENT, width);
    if (path.len > 0)
        table_note(t, line.data, line.len);
    text_free(&line);
    text_free(&path);
}

void text_stopped(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    struct table t = TABLE_OF(stopped_columns);
    size_t shown = r->diff.stopped_shown;
    char note[96] = "not growing any more; no suspects";
    if (r->diff.stopped_count == 0)
        return;
    if (shown < r->diff.stopped_count)
        snprintf(note, sizeof(note),
                 "not growing any more; no suspects; %zu of %zu, -n 0 for all", shown,
                 r->diff.stopped_count);
    text_heading(o, opt, "GREW, AND STAYED", note);
    for (size_t i = 0; i < shown; i++) {
        add_stopped_row(&t, r, &r->diff.stopped[i]);
        if (r->diff.suspect_count == 0)
            add_stopped_holder(&t, &r->diff.stopped[i], opt->width);
    }
    table_print(&t, o, opt->width, opt->color);
    table_free(&t);
}
