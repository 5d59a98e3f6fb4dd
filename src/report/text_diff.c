/* The text of a diff: what was compared and how sure the result is, heap totals,
 * suspects (text_suspects.c), types by growth, the next command to run. */
#include "report/text_diff.h"

#include "report/heading.h"
#include "report/phrases.h"
#include "report/text_growth.h"
#include "report/text_parts.h"

#include <string.h>

enum { MOST_VALUES = 6, NARROW_VALUES = 2, NARROW_COLUMNS = 100, VALUE_COLUMNS = 110 };

/* --- head ---------------------------------------------------------------- */

static bool is_narrow(unsigned width)
{
    return width > 0 && width < NARROW_COLUMNS;
}

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

static void add_confidence(struct text *t, const struct hd_report *r)
{
    size_t n = r->snapshot_count;
    text_add_string(t, "confidence: ");
    text_add_string(t, confidence_names[r->diff.confidence]);
    if (r->diff.fit_count < n) {
        text_add_string(t, "  (");
        human_count(t, n - r->diff.fit_count);
        text_add_string(t, " left out of the ranking)");
    }
    text_add_char(t, '\n');
}

static void add_head(struct text *t, const struct hd_report *r, unsigned width)
{
    size_t n = r->snapshot_count;
    struct text confidence = {0};
    human_count(t, n);
    text_add_string(t, " snapshots");
    heading_add_span(t, r);
    text_add_string(t, "  ");
    human_name(t, text_file_name(r->snapshots[0].info.path));
    text_add_string(t, n > 2 ? " … " : " → ");
    human_name(t, text_file_name(r->snapshots[n - 1].info.path));
    add_confidence(&confidence, r);
    size_t columns = utf8_columns(t->data, t->len) + strlen("    ") +
                     utf8_columns(confidence.data, confidence.len);
    text_add_string(t, width > 0 && columns > width ? "\n" : "    ");
    text_add(t, confidence.data, confidence.len);
    text_free(&confidence);
    size_t before = t->len;
    heading_add_origin(t, r, width);
    text_add_string(t, t->len > before ? "\n" : "");
}

/* (+977 KiB per step, +5.7 MiB/h), or per iteration if iterations were given. */
static void add_rate(struct text *t, const struct hd_report *r, uint64_t last,
                     uint64_t first)
{
    size_t n = r->snapshot_count;
    uint64_t steps = r->diff.iterations != NULL
                         ? r->diff.iterations[n - 1] - r->diff.iterations[0]
                         : n - 1;
    if (last <= first)
        return;
    if (steps >= 2) {
        text_add_string(t, "  (+");
        human_size(t, (last - first) / steps);
        text_add_string(t, r->diff.iterations != NULL ? " per iteration" : " per step");
    }
    bool hourly = heading_add_rate(t, r, steps >= 2 ? ", " : "  (", first, last);
    text_add_string(t, steps >= 2 || hourly ? ")" : "");
}

static void add_totals(struct text *t, const struct hd_report *r, unsigned width)
{
    bool fits = width == 0 || width >= VALUE_COLUMNS;
    size_t most = fits ? MOST_VALUES : NARROW_VALUES;
    size_t n = r->snapshot_count;
    const struct tally *first = &r->diff.types.totals[0],
                       *last = &r->diff.types.totals[n - 1];
    text_add_string(t, "heap       ");
    add_values(t, r->diff.types.totals, n, most, true);
    if (r->diff.types.bytes_known) {
        text_add_string(t, "   ");
        human_size_delta(t, first->bytes, last->bytes);
        add_rate(t, r, last->bytes, first->bytes);
    }
    text_add_string(t, "\nobjects    ");
    add_values(t, r->diff.types.totals, n, most, false);
    text_add_string(t, "   ");
    human_delta(t, first->count, last->count);
    text_add_char(t, '\n');
    const struct tally *reachable = &r->diff.reachable[n - 1];
    if (reachable->count != HD_UNKNOWN && last->count > 0) {
        text_add_string(t, "reachable  ");
        human_percent(t, (double)reachable->count / (double)last->count);
        text_add_string(t, " of the objects in the last snapshot\n");
    }
    text_selection(t, r);
}

/* Where it went, in exact bytes: the parts sum to the whole. */
static void add_growth(struct text *t, const struct hd_report *r, unsigned width)
{
    static const char head[] = "growth     ";
    const size_t indent = sizeof(head) - 1;
    const struct report_growth *g = &r->diff.growth;
    if (!g->known || g->bytes <= 0)
        return;
    struct text whole = {0}, parts = {0};
    text_add_string(&whole, head);
    human_size_signed(&whole, g->bytes);
    text_add_string(&whole, " reachable, ");
    human_percent(&whole, g->share);
    text_add_string(&whole, " of the heap:");
    text_growth_parts(&parts, g);
    size_t columns =
        utf8_columns(whole.data, whole.len) + 1 + utf8_columns(parts.data, parts.len);
    text_add(t, whole.data, whole.len);
    text_add_char(t, width > 0 && columns > width ? '\n' : ' ');
    for (size_t i = 0; width > 0 && columns > width && i < indent; i++)
        text_add_char(t, ' ');
    text_add(t, parts.data, parts.len);
    text_add_char(t, '\n');
    text_free(&whole);
    text_free(&parts);
}

/* --- types --------------------------------------------------------------- */

/* "kept" is how many of the first snapshot's instances are certainly still there. */
enum { TYPE_COLUMNS = 7, KEPT_COLUMN = 4 };

static struct column type_column(size_t i, const char *unit)
{
    const struct column columns[TYPE_COLUMNS] = {
        {"Δcount", ALIGN_RIGHT, false}, {"count", ALIGN_RIGHT, false},
        {"trend", ALIGN_LEFT, false},   {"Δbytes", ALIGN_RIGHT, false},
        {"kept", ALIGN_RIGHT, false},   {"", ALIGN_LEFT, false},
        {unit, ALIGN_LEFT, true}};
    return columns[i];
}

static void add_sums_row(struct table *t, const struct hd_report *r,
                         const struct report_sum *sum, const char *name)
{
    const struct tally *first = &sum->at[0], *last = &sum->at[r->snapshot_count - 1];
    human_delta(&t->content, first->count, last->count);
    table_end_cell(t);
    human_count(&t->content, first->count);
    text_add_string(&t->content, " → ");
    human_count(&t->content, last->count);
    table_end_cell(t);
    table_cell(t, "");
    human_size_delta(&t->content, first->bytes, last->bytes);
    table_end_cell(t);
    for (size_t c = KEPT_COLUMN; c + 1 < t->column_count; c++)
        table_cell(t, "");
    table_cell(t, name);
}

static void add_kept(struct text *t, const struct report_type *row)
{
    if (row->survivors == HD_UNKNOWN || row->survivors == 0 || row->at[0].count == 0)
        return;
    text_add_string(t, "≥ ");
    human_percent(t, (double)row->survivors / (double)row->at[0].count);
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
    if (t->column_count == TYPE_COLUMNS) {
        add_kept(&t->content, row);
        table_end_cell(t);
    }
    table_cell(t, series_status_names[row->status]);
    human_name(&t->content, report_shown(r, row->type));
    table_end_cell(t);
}

static bool knows_survivors(const struct hd_report *r)
{
    for (size_t i = 0; i < r->diff.types.len; i++)
        if (r->diff.types.rows[i].survivors != HD_UNKNOWN)
            return true;
    return false;
}

static void write_types(const struct hd_report *r, const struct hd_write_options *opt,
                        struct out *o)
{
    static const char *const titles[] = {[HD_BY_TYPE] = "TYPES",
                                         [HD_BY_NAMESPACE] = "NAMESPACES",
                                         [HD_BY_MODULE] = "MODULES",
                                         [HD_BY_HOLDER] = "HOLDERS"};
    size_t shown = r->diff.types.shown;
    const char *order = r->options.sort == HD_SORT_NAME ? "by name"
                        : r->options.sort == HD_SORT_RETAINED && r->diff.by_graph
                            ? "by growth of what they retain"
                            : "by growth";
    char note[96];
    snprintf(note, sizeof(note), "%s", order);
    if (shown < r->diff.types.len)
        snprintf(note, sizeof(note), "%s; %zu of %zu, -n 0 for all", order, shown,
                 r->diff.types.len);
    text_heading(o, opt, titles[r->options.by], note);
    if (r->diff.types.len == 0) {
        out_string(o, "None.\n");
        return;
    }
    struct column columns[TYPE_COLUMNS];
    struct table t = {.columns = columns};
    for (size_t i = 0; i < TYPE_COLUMNS; i++)
        if (i != KEPT_COLUMN || (knows_survivors(r) && !is_narrow(opt->width)))
            columns[t.column_count++] = type_column(i, report_unit(r));
    for (size_t i = 0; i < shown; i++)
        add_type_row(&t, r, &r->diff.types.rows[i]);
    if (shown < r->diff.types.len) {
        struct text name = {0};
        human_others(&name, r->diff.types.others.rows);
        add_sums_row(&t, r, &r->diff.types.others, text_string(&name));
        text_free(&name);
    }
    add_sums_row(&t, r, &r->diff.types.sum, phrase_total(&r->diff.types));
    table_print(&t, o, opt->width, opt->color);
    table_free(&t);
}

/* --- next ---------------------------------------------------------------- */

/* Whether a word can be printed as it is, for somebody to paste. */
static bool is_plain(const char *word)
{
    struct text t = {0};
    human_name(&t, word);
    bool plain = strcmp(text_string(&t), word) == 0;
    text_free(&t);
    return plain;
}

/* Whether a command line takes the word for something else: -x, @FILE. */
static bool is_no_file_name(const char *word)
{
    return (word[0] == '-' && word[1] != '\0') || word[0] == '@';
}

void text_diff_next(const struct hd_report *r, const struct hd_write_options *opt,
                    struct out *o)
{
    if (opt->files_go)
        return;
    const char *files[] = {r->snapshots[0].info.path,
                           r->snapshots[r->snapshot_count - 1].info.path};
    if (r->diff.suspect_count == 0 || r->diff.suspects[0].chains.len == 0 ||
        r->options.by != HD_BY_TYPE)
        return;
    const char *subject = r->diff.suspects[0].subject;
    if (subject[0] == '[' || !is_plain(subject) || !is_plain(files[0]) ||
        !is_plain(files[1]))
        return;
    struct text t = {0}, word = {0};
    text_add_string(&word, "--type=");
    text_add_string(&word, subject);
    text_add_string(&t, "\nnext: heapdrift roots ");
    human_shell_word(&t, text_string(&word));
    if (is_no_file_name(files[0]) || is_no_file_name(files[1]))
        text_add_string(&t, " --");
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        text_add_char(&t, ' ');
        human_shell_word(&t, strcmp(files[i], "-") == 0 ? "FILE" : files[i]);
    }
    text_add_char(&t, '\n');
    out_text(o, &t);
    text_free(&t);
    text_free(&word);
}

void text_diff_head(const struct hd_report *r, const struct hd_write_options *opt,
                    struct out *o)
{
    struct text head = {0};
    add_head(&head, r, opt->width);
    add_totals(&head, r, opt->width);
    add_growth(&head, r, opt->width);
    out_text(o, &head);
    text_free(&head);
}

void text_write_diff(const struct hd_report *r, const struct hd_write_options *opt,
                     struct out *o)
{
    text_diff_head(r, opt, o);
    text_diff_suspects(r, opt, o);
    write_types(r, opt, o);
    text_diff_next(r, opt, o);
}
