/* The text of a diff: what was compared and how sure the result is, heap totals,
 * suspects with what holds them, types by growth, the next command to run. */
#include "report/text_diff.h"

#include "report/text_parts.h"

#include <string.h>

enum { MOST_VALUES = 6, NARROW_VALUES = 2, NARROW_COLUMNS = 110, MOST_MINOR = 5 };

/* --- head ---------------------------------------------------------------------- */

/* a → b → c, the middle left out where there are more than most. */
static void add_values(struct text *t, const struct tally *at, size_t count, size_t most,
                       bool bytes)
{
    bool cut = count > most;
    for (size_t k = 0; k < count; k++) {
        bool gap = cut && k == most / 2;
        if (gap)
            k = count - most / 2;
        if (k > 0)
            text_add_string(t, gap ? " … " : " → ");
        if (bytes)
            human_size(t, at[k].bytes);
        else
            human_count(t, at[k].count);
    }
}

static void add_head(struct text *t, const struct hd_report *r)
{
    size_t n = r->snapshot_count;
    human_count(t, n);
    text_add_string(t, " snapshots  ");
    human_name(t, text_file_name(r->snapshots[0].info.path));
    text_add_string(t, n > 2 ? " … " : " → ");
    human_name(t, text_file_name(r->snapshots[n - 1].info.path));
    text_add_string(t, "    confidence: ");
    text_add_string(t, confidence_names[r->confidence]);
    if (r->fit_count < n) {
        text_add_string(t, "  (");
        human_count(t, n - r->fit_count);
        text_add_string(t, " left out of the ranking)");
    }
    text_add_char(t, '\n');
}

static void add_totals(struct text *t, const struct hd_report *r, unsigned width)
{
    size_t most = width > 0 && width < NARROW_COLUMNS ? NARROW_VALUES : MOST_VALUES;
    size_t n = r->snapshot_count;
    const struct tally *first = &r->totals[0], *last = &r->totals[n - 1];
    text_add_string(t, "heap       ");
    add_values(t, r->totals, n, most, true);
    if (r->bytes_known) {
        text_add_string(t, "   ");
        human_size_delta(t, first->bytes, last->bytes);
        if (n > 2 && last->bytes > first->bytes) {
            text_add_string(t, "  (+");
            human_size(t, (last->bytes - first->bytes) / (n - 1));
            text_add_string(t, " per step)");
        }
    }
    text_add_string(t, "\nobjects    ");
    add_values(t, r->totals, n, most, false);
    text_add_string(t, "   ");
    human_delta(t, first->count, last->count);
    text_add_char(t, '\n');
    const struct tally *reachable = &r->reachable[n - 1];
    if (reachable->count != HD_UNKNOWN && last->count > 0) {
        text_add_string(t, "reachable  ");
        human_percent(t, (double)reachable->count / (double)last->count);
        text_add_string(t, " of the objects in the last snapshot\n");
    }
    text_selection(t, r);
}

/* --- suspects --------------------------------------------------------------------- */

static const struct column suspect_columns[] = {
    {"#", ALIGN_RIGHT, false},       {"score", ALIGN_RIGHT, false},
    {"of heap", ALIGN_RIGHT, false}, {"count", ALIGN_RIGHT, false},
    {"trend", ALIGN_LEFT, false},    {"type", ALIGN_LEFT, true},
};

static void add_suspect_row(struct table *t, const struct hd_report *r,
                            const struct report_suspect *s)
{
    size_t n = r->snapshot_count;
    human_count(&t->content, s->rank);
    table_end_cell(t);
    if (r->bytes_known)
        human_size(&t->content, (uint64_t)(s->score + 0.5));
    else
        human_count(&t->content, (uint64_t)(s->score + 0.5));
    table_end_cell(t);
    human_percent(&t->content, s->score_share);
    table_end_cell(t);
    human_count(&t->content, s->at[0].count);
    text_add_string(&t->content, " → ");
    human_count(&t->content, s->at[n - 1].count);
    table_end_cell(t);
    human_trend(&t->content, s->at, n);
    table_end_cell(t);
    human_name(&t->content, s->type);
    if (s->per_iteration != HD_UNKNOWN) {
        text_add_string(&t->content, "  exactly ");
        human_count(&t->content, s->per_iteration);
        text_add_string(&t->content, " per iteration");
    }
    table_end_cell(t);
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
        for (size_t c = utf8_columns(share.data, share.len); c < SHARE_COLUMNS + 2; c++)
            text_add_char(&line, ' ');
        text_chain(&chain, &chains->all[i], true);
        text_wrap_arrows(&line, chain.data, chain.len, INDENT + SHARE_COLUMNS + 2, INDENT,
                         width);
        table_note(t, line.data, line.len);
    }
    if (chains->omitted > 0) {
        text_clear(&line);
        text_add_string(&line, "             ");
        human_percent(&line, chains->omitted_share);
        text_add_string(&line, chains->omitted == 1 ? "  in 1 other chain" : "  in ");
        if (chains->omitted > 1) {
            human_count(&line, chains->omitted);
            text_add_string(&line, " other chains");
        }
        table_note(t, line.data, line.len);
    }
    text_free(&line);
    text_free(&chain);
    text_free(&share);
}

static void add_others_line(struct table *t, size_t others)
{
    char line[48];
    if (others == 0)
        return;
    snprintf(line, sizeof(line), "    [%zu others]", others);
    table_note(t, line, strlen(line));
}

static void add_limit(struct text *t, const struct hd_report *r)
{
    char share[32];
    if (r->options.min_bytes > 0) {
        human_size(t, r->options.min_bytes);
        return;
    }
    snprintf(share, sizeof(share), "%g %% of the heap", 100 * r->options.min_share);
    text_add_string(t, share);
}

static void add_limit_line(struct table *t, const struct hd_report *r)
{
    struct text line = {0};
    text_add_string(&line, "— below ");
    add_limit(&line, r);
    text_add_string(&line, " —");
    table_note(t, line.data, line.len);
    text_free(&line);
}

/* True if there is nothing to rank, after saying so. */
static bool say_none(const struct hd_report *r, struct out *o)
{
    if (r->fit_count < 2) {
        out_string(o, "Inconclusive: fewer than two of the snapshots can be compared.\n");
        return true;
    }
    if (r->suspect_count + r->minor_count == 0) {
        out_string(o, "None: nothing keeps growing.\n");
        return true;
    }
    if (r->suspect_count > 0)
        return false;
    struct text t = {0};
    text_add_string(&t, "None: nothing keeps growing by ");
    add_limit(&t, r);
    text_add_string(&t, " or more.\n");
    out_text(o, &t);
    text_free(&t);
    return false;
}

static void write_suspects(const struct hd_report *r, const struct hd_write_options *opt,
                           struct out *o)
{
    text_heading(o, opt, "SUSPECTS",
                 r->bytes_known ? "by growth of shallow bytes; owners unknown"
                                : "by growth of counts; bytes and owners unknown");
    if (say_none(r, o))
        return;
    struct table t = TABLE_OF(suspect_columns);
    size_t shown = report_rows(r, r->suspect_count);
    for (size_t i = 0; i < shown; i++) {
        add_suspect_row(&t, r, &r->suspects[i]);
        add_held_by(&t, &r->suspects[i].chains, opt->width);
    }
    add_others_line(&t, r->suspect_count - shown);
    if (r->minor_count > 0)
        add_limit_line(&t, r);
    size_t minor =
        r->options.rows != 0 && r->minor_count > MOST_MINOR ? MOST_MINOR : r->minor_count;
    for (size_t i = 0; i < minor; i++)
        add_suspect_row(&t, r, &r->minor[i]);
    add_others_line(&t, r->minor_count - minor);
    table_print(&t, o, opt->width, opt->color);
    table_free(&t);
}

/* --- types ------------------------------------------------------------------------ */

static const struct column type_columns[] = {
    {"Δcount", ALIGN_RIGHT, false}, {"count", ALIGN_RIGHT, false},
    {"trend", ALIGN_LEFT, false},   {"Δbytes", ALIGN_RIGHT, false},
    {"", ALIGN_LEFT, false},        {"type", ALIGN_LEFT, true},
};

static void add_sums_row(struct table *t, struct text_sums sums, const char *name)
{
    human_delta(&t->content, sums.first_count, sums.last_count);
    table_end_cell(t);
    human_count(&t->content, sums.first_count);
    text_add_string(&t->content, " → ");
    human_count(&t->content, sums.last_count);
    table_end_cell(t);
    table_cell(t, "");
    human_size_delta(&t->content, sums.first_bytes, sums.last_bytes);
    table_end_cell(t);
    table_cell(t, "");
    table_cell(t, name);
}

static void add_type_row(struct table *t, const struct hd_report *r,
                         const struct report_type *row)
{
    size_t last = r->snapshot_count - 1;
    human_delta(&t->content, row->at[0].count, row->at[last].count);
    table_end_cell(t);
    human_count(&t->content, row->at[0].count);
    text_add_string(&t->content, " → ");
    human_count(&t->content, row->at[last].count);
    table_end_cell(t);
    human_trend(&t->content, row->at, r->snapshot_count);
    table_end_cell(t);
    human_size_delta(&t->content, row->at[0].bytes, row->at[last].bytes);
    table_end_cell(t);
    table_cell(t, series_status_names[row->status]);
    human_name(&t->content, row->type);
    table_end_cell(t);
}

static const char *unit_title(const struct hd_report *r)
{
    return r->options.by == HD_BY_NAMESPACE ? "NAMESPACES"
           : r->options.by == HD_BY_MODULE  ? "MODULES"
                                            : "TYPES";
}

static void write_types(const struct hd_report *r, const struct hd_write_options *opt,
                        struct out *o)
{
    size_t shown = report_rows(r, r->type_count);
    char note[96] = "by growth";
    if (shown < r->type_count)
        snprintf(note, sizeof(note), "by growth; %zu of %zu, -n 0 for all", shown,
                 r->type_count);
    text_heading(o, opt, unit_title(r), note);
    if (r->type_count == 0) {
        out_string(o, "None.\n");
        return;
    }
    struct table t = TABLE_OF(type_columns);
    for (size_t i = 0; i < shown; i++)
        add_type_row(&t, r, &r->types[i]);
    if (shown < r->type_count) {
        char name[48];
        snprintf(name, sizeof(name), "[%zu others]", r->type_count - shown);
        add_sums_row(&t, text_sum_rows(r, shown, r->type_count), name);
    }
    add_sums_row(&t, text_sum_rows(r, 0, r->type_count), "[total]");
    table_print(&t, o, opt->width, opt->color);
    table_free(&t);
}

/* --- next ------------------------------------------------------------------------- */

static void write_next(const struct hd_report *r, struct out *o)
{
    if (r->suspect_count == 0 || r->suspects[0].chains.len == 0 ||
        r->options.by != HD_BY_TYPE)
        return;
    struct text t = {0}, word = {0};
    text_add_string(&word, "--type=");
    text_add_string(&word, r->suspects[0].type);
    text_add_string(&t, "\nnext: heapdrift roots ");
    human_shell_word(&t, text_string(&word));
    text_add_char(&t, ' ');
    human_shell_word(&t, r->snapshots[r->snapshot_count - 1].info.path);
    text_add_char(&t, '\n');
    out_text(o, &t);
    text_free(&t);
    text_free(&word);
}

void text_write_diff(const struct hd_report *r, const struct hd_write_options *opt,
                     struct out *o)
{
    struct text head = {0};
    add_head(&head, r);
    add_totals(&head, r, opt->width);
    out_text(o, &head);
    text_free(&head);
    write_suspects(r, opt, o);
    write_types(r, opt, o);
    write_next(r, o);
}
