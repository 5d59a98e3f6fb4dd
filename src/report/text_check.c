/* The text of a check: the verdict, what was compared, every rule with what was observed
 * and what holds it, the suspects, the next command to run. */
#include "report/text_check.h"

#include "report/phrases.h"
#include "report/text_diff.h"
#include "report/text_parts.h"

enum { INDENT = 4, HELD_BY_INDENT = INDENT + 9 };

static const struct column rule_columns[] = {
    {"", ALIGN_LEFT, false},
    {"observed", ALIGN_RIGHT, false},
    {"limit", ALIGN_RIGHT, false},
    {"rule", ALIGN_LEFT, true},
};

static void add_held_by(struct table *t, const struct report_rule *f, unsigned width)
{
    struct text line = {0}, holder = {0};
    text_rule_holder(&holder, f);
    text_add_string(&line, "    held by  ");
    text_wrap_arrows(&line, text_string(&holder), holder.len, HELD_BY_INDENT,
                     HELD_BY_INDENT, width);
    if (holder.len > 0)
        table_note(t, line.data, line.len);
    text_free(&line);
    text_free(&holder);
}

/* Which numbers show it, between which snapshots. */
static void add_numbers(struct text *t, const struct hd_report *r,
                        const struct report_rule *f)
{
    text_add_string(t, "    ");
    if (f->at != NULL && f->measure == MEASURE_BYTES) {
        human_size(t, f->at[f->first].bytes);
        text_add_string(t, " → ");
        human_size(t, f->at[f->last].bytes);
        text_add_string(t, "  ");
    } else if (f->at != NULL) {
        human_count(t, f->at[f->first].count);
        text_add_string(t, " → ");
        human_count(t, f->at[f->last].count);
        text_add_string(t, "  ");
        human_trend(t, f->at, r->snapshot_count);
        text_add_string(t, "  ");
    }
    human_name(t, text_file_name(r->snapshots[f->first].info.path));
    text_add_string(t, " → ");
    human_name(t, text_file_name(r->snapshots[f->last].info.path));
    text_add_string(t, "  ");
    struct text source = {0};
    phrase_source(&source, f);
    human_name(t, text_string(&source));
    text_free(&source);
}

/* Who reads a failure wants to know why; a pass is one line. */
static void add_notes(struct table *t, const struct hd_report *r,
                      const struct report_rule *f, unsigned width)
{
    struct text line = {0}, reason = {0}, why = {0};
    if (phrase_reason(&why, f)) {
        text_add_string(&line, "    ");
        human_name(&reason, text_string(&why));
        text_wrap_words(&line, text_string(&reason), INDENT, INDENT, width);
        table_note(t, line.data, line.len);
        text_clear(&line);
        text_free(&reason);
    }
    if (f->status == RULE_FAIL) {
        add_numbers(&line, r, f);
        table_note(t, line.data, line.len);
        /* Of a suspect the table below says it. */
        if (!f->is_suspect)
            add_held_by(t, f, width);
    }
    text_free(&line);
    text_free(&why);
}

static void add_rule(struct table *t, const struct hd_report *r,
                     const struct report_rule *f, unsigned width)
{
    table_cell(t, rule_status_names[f->status]);
    if (!phrase_observed(&t->content, f))
        text_add_char(&t->content, '-');
    table_end_cell(t);
    phrase_limit(&t->content, f);
    table_end_cell(t);
    text_rule_name(&t->content, f);
    table_end_cell(t);
    add_notes(t, r, f, width);
}

static void write_rules(const struct hd_report *r, const struct hd_write_options *opt,
                        struct out *o)
{
    struct table t = TABLE_OF(rule_columns);
    struct text others = {0};
    size_t shown = r->check.rules_shown;
    text_heading(o, opt, "RULES", NULL);
    for (size_t i = 0; i < shown; i++)
        add_rule(&t, r, &r->check.rules[i], opt->width);
    if (shown < r->check.rule_count) {
        human_others(&others, r->check.rule_count - shown);
        text_add_string(&others, "  -n 0 for all");
        table_note(&t, others.data, others.len);
    }
    table_print(&t, o, opt->width, opt->color);
    table_free(&t);
    text_free(&others);
}

void text_write_check(const struct hd_report *r, const struct hd_write_options *opt,
                      struct out *o)
{
    static const char *const colors[] = {[HD_PASS] = "\033[1;32m",
                                         [HD_FAIL] = "\033[1;31m",
                                         [HD_INCONCLUSIVE] = "\033[1;33m"};
    struct text verdict = {0};
    text_verdict(&verdict, r);
    out_printf(o, "%s%s%s\n", opt->color ? colors[r->check.verdict] : "",
               text_string(&verdict), opt->color ? "\033[0m" : "");
    text_free(&verdict);
    text_diff_head(r, opt, o);
    write_rules(r, opt, o);
    text_diff_suspects(r, opt, o);
    text_diff_next(r, opt, o);
}
