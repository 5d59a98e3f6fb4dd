/* The suspects in the text of a diff and of a check: what keeps growing, what holds it, and
 * what it usually is; what scores less, and what buffer pools hold. */
#include "base/c_locale.h"
#include "report/phrases.h"
#include "report/text_diff.h"
#include "report/text_growth.h"
#include "report/text_parts.h"

#include <string.h>

enum { MOST_MINOR = 5 };

static const struct column suspect_columns[] = {
    {"#", ALIGN_RIGHT, false},       {"retains", ALIGN_RIGHT, false},
    {"of heap", ALIGN_RIGHT, false}, {"count", ALIGN_RIGHT, false},
    {"trend", ALIGN_LEFT, false},    {"score", ALIGN_RIGHT, false},
    {"type", ALIGN_LEFT, true},
};

/* For who wants to know how the order came about. */
enum { SIZE_COLUMN = 1, SCORE_COLUMN = 5, SUSPECT_COLUMNS = 7 };

/* Remarks stand two blanks apart. */
static void begin_remark(struct text *t)
{
    text_add_string(t, t->len > 0 ? "  " : "");
}

/* What the ranking found growing, if the title is another; what goes along; the rate. */
static void add_remarks(struct text *t, const struct hd_report *r,
                        const struct report_suspect *s)
{
    if (strcmp(s->subject, s->type) != 0) {
        text_add_char(t, '(');
        human_short_name(t, report_shown(r, s->type));
        text_add_char(t, ')');
    }
    if (s->also_count > 0) {
        begin_remark(t);
        text_also(t, r, s);
    }
    if (s->basis == BASIS_TYPE) {
        begin_remark(t);
        text_add_string(t, "held in changing places");
    }
    if (s->per_iteration != HD_UNKNOWN) {
        begin_remark(t);
        text_add_string(t, "exactly ");
        human_count(t, s->per_iteration);
        text_add_string(t, " per iteration");
    } else if (s->step_most > 0) {
        begin_remark(t);
        text_steady(t, s);
    }
}

static void add_score(struct text *t, const struct hd_report *r, double score)
{
    if (score < 0.5)
        text_add_string(t, r->diff.types.bytes_known ? "<1 B" : "<1");
    else if (r->diff.types.bytes_known)
        human_size(t, (uint64_t)(score + 0.5));
    else
        human_count(t, (uint64_t)(score + 0.5));
}

static void add_suspect_row(struct table *t, const struct hd_report *r,
                            const struct report_suspect *s,
                            const struct hd_write_options *opt)
{
    size_t n = r->snapshot_count;
    if (s->rank > 0)
        human_count(&t->content, s->rank);
    table_end_cell(t);
    text_gain(&t->content, r, s);
    table_end_cell(t);
    human_percent(&t->content, text_gain_share(r, s));
    table_end_cell(t);
    human_count(&t->content, s->at[0].count);
    text_add_string(&t->content, " → ");
    human_count(&t->content, s->at[n - 1].count);
    table_end_cell(t);
    human_trend(&t->content, s->at, n);
    table_end_cell(t);
    if (opt->details) {
        add_score(&t->content, r, s->score);
        table_end_cell(t);
    }
    human_name(&t->content, report_shown(r, s->subject));
    table_end_cell(t);
    struct text remarks = {0};
    add_remarks(&remarks, r, s);
    table_remark(t, remarks.data, remarks.len);
    text_free(&remarks);
}

/* "held by  56 % (39–72 %)  [static var ...] → ...": shares of one width, so that the
 * chains of a suspect begin below each other. */
static void add_held_by(struct table *t, const struct report_chains *chains, unsigned width)
{
    enum { SHARE_COLUMNS = 15, INDENT = 4 + 7 + 2 };
    struct text line = {0}, chain = {0}, share = {0};
    for (size_t i = 0; i < chains->len; i++) {
        text_clear(&line);
        text_clear(&chain);
        text_clear(&share);
        text_add_string(&line, i == 0 ? "    held by  " : "             ");
        text_share(&share, &chains->all[i]);
        text_add(&line, share.data, share.len);
        text_chain(&chain, &chains->all[i], true);
        bool fits =
            width == 0 ||
            INDENT + SHARE_COLUMNS + 2 + utf8_columns(chain.data, chain.len) <= width;
        size_t room = fits || chain.len == 0 ? SHARE_COLUMNS + 2 : 2;
        size_t used = utf8_columns(share.data, share.len);
        do
            text_add_char(&line, ' ');
        while (++used < room);
        text_wrap_arrows(&line, chain.data, chain.len, INDENT + used, INDENT, width);
        table_note(t, line.data, line.len);
    }
    if (chains->omitted > 0) {
        text_clear(&line);
        text_add_string(&line, "             ");
        human_percent(&line, chains->omitted_share);
        text_add_string(&line, "  in ");
        human_plural(&line, chains->omitted, "other chain");
        table_note(t, line.data, line.len);
    }
    text_free(&line);
    text_free(&chain);
    text_free(&share);
}

/* "hint     Usually a Timer that ...  docs/hints.md#timer-not-disposed", in the column of
 * the shares of "held by". */
static void add_hint(struct table *t, const struct hint *hint, unsigned width)
{
    static const char head[] = "    hint     ";
    const size_t indent = sizeof(head) - 1;
    struct text line = {0}, words = {0};
    if (hint == NULL)
        return;
    text_add_string(&words, hint->sentence);
    text_add_string(&words, "  ");
    text_hint_place(&words, hint);
    text_add_string(&line, head);
    text_wrap_words(&line, text_string(&words), indent, indent, width);
    table_note(t, line.data, line.len);
    text_free(&line);
    text_free(&words);
}

static void add_others_line(struct table *t, size_t others)
{
    struct text line = {0};
    if (others == 0)
        return;
    text_add_string(&line, "    ");
    human_others(&line, others);
    table_note(t, line.data, line.len);
    text_free(&line);
}

static void add_limit(struct text *t, const struct hd_report *r)
{
    char share[32];
    if (r->options.min_bytes > 0) {
        human_size(t, r->options.min_bytes);
        return;
    }
    c_snprintf(share, sizeof(share), "%g %% of the heap", 100 * r->options.min_share);
    text_add_string(t, share);
}

static void add_limit_line(struct table *t, const struct hd_report *r)
{
    struct text line = {0};
    text_add_string(&line, "— at the latest rate less than ");
    add_limit(&line, r);
    text_add_string(&line, " —");
    table_note(t, line.data, line.len);
    text_free(&line);
}

static void say_no_match(const struct hd_report *r, struct out *o)
{
    struct text t = {0}, why = {0};
    phrase_no_match(&why, r->options.by, r->diff.no_match);
    text_add_string(&t, "None: ");
    human_name(&t, text_string(&why));
    text_add_char(&t, '\n');
    out_text(o, &t);
    text_free(&t);
    text_free(&why);
}

static void say_hidden(const struct hd_report *r, struct out *o)
{
    struct text t = {0};
    text_hidden_suspects(&t, r);
    out_text(o, &t);
    text_free(&t);
}

/* True if there is nothing to rank, after saying so. */
static bool say_none(const struct hd_report *r, struct out *o)
{
    if (r->diff.fit_count < 2) {
        out_string(o, "Inconclusive: fewer than two of the snapshots can be compared.\n");
        return true;
    }
    if (r->diff.no_match != NULL) {
        say_no_match(r, o);
        return true;
    }
    if (r->diff.suspect_count + r->diff.minor_count + r->diff.pooled_count == 0) {
        out_string(o, r->diff.hidden_count > 0 ? "None of what is shown keeps growing.\n"
                      : r->diff.growth.is_open ? "None: no type keeps growing.\n"
                                               : "None: nothing keeps growing.\n");
        return true;
    }
    if (r->diff.suspect_count > 0)
        return false;
    struct text t = {0};
    text_add_string(&t, r->diff.hidden_count > 0 ? "None of what is shown grows by "
                                                 : "None: no ");
    if (r->diff.hidden_count == 0) {
        text_add_string(&t, report_unit(r));
        text_add_string(&t, " grows by ");
    }
    add_limit(&t, r);
    text_add_string(&t, " or more, at its latest rate.\n");
    out_text(o, &t);
    text_free(&t);
    return false;
}

/* A sentence, and what it ends with, within the width. */
static void say(struct out *o, const struct hd_write_options *opt, struct text *words)
{
    struct text line = {0};
    text_wrap_words(&line, text_string(words), 0, 0, opt->width);
    text_add_char(&line, '\n');
    out_text(o, &line);
    text_free(&line);
}

/* No suspect is no acquittal where the growth is not explained, or has only stopped. */
static void say_doubts(const struct hd_report *r, const struct hd_write_options *opt,
                       struct out *o)
{
    struct text t = {0};
    if (r->diff.growth.is_open) {
        text_add_string(&t, "But ");
        phrase_open_growth(&t, r->diff.growth.rest_share);
        text_add_char(&t, '.');
        say(o, opt, &t);
    }
    text_clear(&t);
    if (r->diff.growth.has_stopped) {
        text_add_string(&t, "But ");
        phrase_has_stopped(&t, r->diff.growth.stopped_share);
        text_add_string(&t, " See below.");
        say(o, opt, &t);
    }
    text_free(&t);
}

static const char *basis(const struct hd_report *r)
{
    return r->options.by == HD_BY_HOLDER ? "by growth of the shallow bytes that are held"
           : r->diff.by_graph            ? "what keeps growing, with all that it retains"
           : r->diff.types.bytes_known   ? "by growth of shallow bytes; owners unknown"
                                         : "by growth of counts; bytes and owners unknown";
}

/* Buffers that pools hold are free for use and follow the peak load. */
static void add_pooled(struct table *t, const struct hd_report *r,
                       const struct hd_write_options *opt)
{
    static const char line[] = "— held by buffer pools, not ranked —";
    if (r->diff.pooled_count > 0)
        table_note(t, line, sizeof(line) - 1);
    for (size_t i = 0; i < r->diff.pooled_count; i++)
        add_suspect_row(t, r, &r->diff.pooled[i], opt);
}

/* What has stopped is told in a list of its own. */
static bool has_stopped(const struct hd_report *r, const struct report_suspect *s)
{
    for (size_t i = 0; i < r->diff.stopped_count; i++)
        if (strcmp(r->diff.stopped[i].type, s->type) == 0)
            return true;
    return false;
}

/* What scores less; a few of them. */
static void add_minor(struct table *t, const struct hd_report *r,
                      const struct hd_write_options *opt)
{
    size_t most = r->rows != 0 ? MOST_MINOR : r->diff.minor_count, shown = 0, left = 0;
    for (size_t i = 0; i < r->diff.minor_count; i++) {
        if (has_stopped(r, &r->diff.minor[i]))
            continue;
        if (shown == most) {
            left++;
            continue;
        }
        if (shown++ == 0)
            add_limit_line(t, r);
        add_suspect_row(t, r, &r->diff.minor[i], opt);
    }
    add_others_line(t, left);
}

/* The growth of shallow bytes, or of counts, where owners are unknown. */
static const char *size_title(const struct hd_report *r)
{
    return r->diff.by_graph ? "retains" : r->diff.types.bytes_known ? "bytes" : "objects";
}

static void write_suspects(const struct hd_report *r, const struct hd_write_options *opt,
                           struct out *o)
{
    struct column columns[SUSPECT_COLUMNS];
    struct table t = {.columns = columns};
    for (size_t i = 0; i < SUSPECT_COLUMNS; i++)
        if (i != SCORE_COLUMN || opt->details)
            columns[t.column_count++] = suspect_columns[i];
    columns[SIZE_COLUMN].title = size_title(r);
    columns[t.column_count - 1].title = report_unit(r);
    size_t shown = r->diff.suspects_shown;
    for (size_t i = 0; i < shown; i++) {
        add_suspect_row(&t, r, &r->diff.suspects[i], opt);
        add_held_by(&t, &r->diff.suspects[i].chains, opt->width);
        add_hint(&t, hint_named(r->diff.suspects[i].hint), opt->width);
    }
    add_others_line(&t, r->diff.suspect_count - shown);
    add_minor(&t, r, opt);
    add_pooled(&t, r, opt);
    if (t.len > 0)
        table_print(&t, o, opt->width, opt->color);
    table_free(&t);
}

void text_diff_suspects(const struct hd_report *r, const struct hd_write_options *opt,
                        struct out *o)
{
    bool any = r->diff.suspect_count + r->diff.minor_count + r->diff.pooled_count > 0;
    text_heading(o, opt, "SUSPECTS", any ? basis(r) : NULL);
    bool nothing = say_none(r, o);
    say_doubts(r, opt, o);
    if (!nothing)
        write_suspects(r, opt, o);
    say_hidden(r, o);
    text_stopped(r, opt, o);
}
