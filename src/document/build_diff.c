/* What grew: what was compared, the suspects, the types by growth, what to run next. */
#include "document/build.h"
#include "heap/place.h"
#include "report/phrases.h"

#include <string.h>

/* Where there is room for more than a screen. */
enum { MORE = DOC_ON_DETAILED_LINES | DOC_ON_PAGES };

/* --- types --------------------------------------------------------------- */

/* "kept" is how many of the first snapshot's instances are certainly still there. */
enum {
    TYPE_COLUMNS = 7,
    KEPT_COLUMN = 4,
    ROOM_FOR_COUNTS = 60,
    ROOM_FOR_TREND = 70,
    ROOM_FOR_STATUS = 90,
    ROOM_FOR_KEPT = 100
};

static bool knows_survivors(const struct hd_report *r)
{
    for (size_t i = 0; i < r->diff.types.len; i++)
        if (r->diff.types.rows[i].survivors != HD_UNKNOWN)
            return true;
    return false;
}

static struct doc_table *add_type_table(struct build *b, struct doc_section *s)
{
    struct doc_column columns[TYPE_COLUMNS] = {
        {.title = "Δcount", .align = DOC_RIGHT},
        {.title = "count", .align = DOC_RIGHT, .from_width = ROOM_FOR_COUNTS},
        {.title = "trend", .from_width = ROOM_FOR_TREND},
        {.title = "Δbytes", .align = DOC_RIGHT},
        {.title = "kept", .align = DOC_RIGHT, .from_width = ROOM_FOR_KEPT},
        {.title = "", .from_width = ROOM_FOR_STATUS},
        {.title = report_unit(b->r), .is_subject = true}};
    bool kept = knows_survivors(b->r);
    if (!kept)
        memmove(&columns[KEPT_COLUMN], &columns[KEPT_COLUMN + 1],
                (TYPE_COLUMNS - KEPT_COLUMN - 1) * sizeof(*columns));
    return build_table(b, s, columns, kept ? TYPE_COLUMNS : TYPE_COLUMNS - 1);
}

/* Where order tells who stayed, some are missed and some are taken for others. */
static const char *how_sure(const struct hd_report *r, const struct hd_type_row *row)
{
    if (r->diff.identity == HD_SAME_BY_EVENTS)
        return "";
    bool about = r->diff.identity != HD_SAME_UNKNOWN || row->survivors_low != HD_UNKNOWN;
    return about ? "≈ " : "≥ ";
}

static void add_kept(struct build *b, const struct hd_type_row *row)
{
    if (row != NULL && row->survivors != HD_UNKNOWN && row->survivors > 0 &&
        row->at[0].count > 0) {
        text_add_string(&b->words, how_sure(b->r, row));
        format_percent(&b->words, (double)row->survivors / (double)row->at[0].count);
    }
    build_cell(b);
}

static void add_change(struct build *b, uint64_t first, uint64_t last)
{
    if (first == last || first == HD_UNKNOWN || last == HD_UNKNOWN)
        build_cell(b);
    else
        build_cell_change(b, last > first);
}

/* row is NULL for a sum. */
static void add_type_row(struct build *b, struct doc_table *t, struct hd_tally first,
                         struct hd_tally last, const struct hd_type_row *row)
{
    build_row(b, t, DOC_ROW);
    format_delta(&b->words, first.count, last.count);
    add_change(b, first.count, last.count);
    format_count(&b->words, first.count);
    text_add_string(&b->words, " → ");
    format_count(&b->words, last.count);
    build_cell(b);
    if (row != NULL)
        build_cell_trend(b, row->at, b->r->snapshot_count);
    else
        build_cell(b);
    format_size_delta(&b->words, first.bytes, last.bytes);
    add_change(b, first.bytes, last.bytes);
    if (t->column_count == TYPE_COLUMNS)
        add_kept(b, row);
    build_cell_words(b, row != NULL ? series_status_names[row->status] : "");
}

static void add_sums_row(struct build *b, struct doc_table *t, const struct hd_sum *sum,
                         const char *name)
{
    add_type_row(b, t, sum->at[0], sum->at[b->r->snapshot_count - 1], NULL);
    build_cell_words(b, name);
}

static void add_others(struct build *b, struct doc_table *t, const struct hd_sum *others,
                       unsigned only)
{
    struct text name = {0};
    if (others->rows == 0)
        return;
    format_others(&name, others->rows);
    add_sums_row(b, t, others, text_string(&name));
    b->row->only = only;
    text_free(&name);
}

/* A screen has the first of them, a page more. */
static void add_type_rows(struct build *b, struct doc_section *s)
{
    const struct hd_type_table *types = &b->r->diff.types;
    const size_t last = b->r->snapshot_count - 1;
    const bool all = types->few == types->shown;
    struct doc_table *t = add_type_table(b, s);
    for (size_t i = 0; i < types->shown; i++) {
        const struct hd_type_row *row = &types->rows[i];
        add_type_row(b, t, row->at[0], row->at[last], row);
        build_cell_type(b, row->type);
        b->row->only = i < types->few ? 0 : MORE;
    }
    add_others(b, t, &types->others, all ? 0 : MORE);
    if (!all)
        add_others(b, t, &types->beyond, DOC_ON_LINES);
    add_sums_row(b, t, &types->sum, phrase_total(types));
}

static const char *order_of_types(struct build *b, size_t shown)
{
    const struct hd_report *r = b->r;
    const char *order = r->options.sort == HD_SORT_NAME ? "by name"
                        : r->options.sort == HD_SORT_RETAINED && r->diff.by_graph
                            ? "by growth of what they retain"
                            : "by growth";
    char note[96];
    snprintf(note, sizeof(note), "%s", order);
    if (shown < r->diff.types.len)
        snprintf(note, sizeof(note), "%s; %zu of %zu, -n 0 for all", order, shown,
                 r->diff.types.len);
    return doc_string(b->doc, note);
}

static void add_types(struct build *b)
{
    static const char *const titles[] = {[HD_BY_TYPE] = "Types",
                                         [HD_BY_NAMESPACE] = "Namespaces",
                                         [HD_BY_MODULE] = "Modules",
                                         [HD_BY_HOLDER] = "Holders"};
    const struct hd_report *r = b->r;
    struct doc_section *s = doc_section(b->doc, DOC_TOPIC);
    s->title = (struct doc_run){DOC_WORDS, titles[r->options.by]};
    s->remark = order_of_types(b, r->diff.types.shown);
    s->brief_remark = order_of_types(b, r->diff.types.few);
    s->is_long = true;
    if (r->diff.types.few == 0 && r->diff.types.len > 0 && r->diff.types.shown > 0)
        s->only = MORE; /* no row has changed */
    if (r->diff.types.len > 0) {
        add_type_rows(b, s);
        return;
    }
    text_add_string(&b->words, "None.");
    build_paragraph(b, s);
}

/* --- next ---------------------------------------------------------------- */

/* Whether a word can be printed as it is, for somebody to paste. */
static bool is_plain(const char *word)
{
    struct text t = {0};
    format_name(&t, word);
    bool plain = strcmp(text_string(&t), word) == 0;
    text_free(&t);
    return plain;
}

/* Whether a command line takes the word for something else: -x, @FILE. */
static bool is_no_file_name(const char *word)
{
    return (word[0] == '-' && word[1] != '\0') || word[0] == '@';
}

/* The command in b->words, on count snapshots; nothing if a path cannot be pasted. */
static void add_next(struct build *b, const char *const *paths, size_t count)
{
    bool plain = true, dashes = false;
    for (size_t i = 0; i < count; i++) {
        plain = plain && is_plain(paths[i]);
        dashes = dashes || is_no_file_name(paths[i]);
    }
    if (dashes)
        text_add_string(&b->words, " --");
    for (size_t i = 0; i < count; i++) {
        text_add_char(&b->words, ' ');
        format_shell_word(&b->words, strcmp(paths[i], "-") == 0 ? "FILE" : paths[i]);
    }
    if (plain) {
        struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
        struct doc_command *next = &doc_block(b->doc, s, DOC_COMMAND)->command;
        next->label = "next";
        next->line = doc_string(b->doc, text_string(&b->words));
        next->names_files = true;
    }
    text_clear(&b->words);
}

void build_next_of(struct build *b, const char *subject)
{
    const struct hd_report *r = b->r;
    const size_t last = r->snapshot_count - 1;
    const char *paths[] = {r->snapshots[0].info.path, r->snapshots[last].info.path};
    struct text word = {0};
    if (subject == NULL || place_is_root(subject) || !is_plain(subject))
        return;
    text_add_string(&word, "--type=");
    text_add_string(&word, subject);
    text_add_string(&b->words, "heapdrift roots ");
    format_shell_word(&b->words, text_string(&word));
    text_free(&word);
    add_next(b, paths, last > 0 ? 2 : 1);
}

/* What began late is found from where it began, if enough was taken since. */
static void add_next_since(struct build *b)
{
    const struct hd_report *r = b->r;
    const size_t since = r->diff.growth.since, left = r->snapshot_count - since;
    const char *paths[SERIES_MAX_SNAPSHOTS];
    if (since == 0 || left < SERIES_ENOUGH_SNAPSHOTS)
        return;
    for (size_t k = 0; k < left; k++)
        paths[k] = r->snapshots[since + k].info.path;
    text_add_string(&b->words, "heapdrift diff");
    add_next(b, paths, left);
}

void build_next(struct build *b)
{
    const struct hd_diff *d = &b->r->diff;
    if (d->suspect_count > 0 && d->suspects[0].chains.len > 0 &&
        b->r->options.by == HD_BY_TYPE)
        build_next_of(b, d->suspects[0].subject);
    else if (d->suspect_count + d->hidden_count == 0 && d->growth.is_open)
        add_next_since(b);
}

static void add_headline(struct build *b)
{
    struct headline h;
    phrase_verdict(&h, b->r);
    build_headline(b, &h);
    headline_free(&h);
}

void build_diff(struct build *b)
{
    add_headline(b);
    build_diff_head(b);
    build_suspects(b);
    build_stopped(b);
    build_native(b);
    add_types(b);
    build_next(b);
}
