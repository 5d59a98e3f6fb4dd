/* Build the report of a diff: the comparison, the suspects, the types by growth, the next
 * commands; and that of a single snapshot, by size. */
#include "document/build.h"

#include "heap/place.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where there is room for more than a screen. */
enum { MORE = DOC_ON_DETAILED_LINES | DOC_ON_PAGES, WIDTH_FOR_TREND = 70 };

/* --- types --------------------------------------------------------------- */

/* Adds a sum of rows, under a name of ours. */
static void add_sum(struct build *b, struct doc_table *t, struct hd_tally *at, bool is_free,
                    struct say_part name)
{
    struct hd_type_row sum = {.at = at,
                              .is_free = is_free,
                              .retained = HD_UNKNOWN,
                              .survivors = HD_UNKNOWN,
                              .survivors_low = HD_UNKNOWN};
    build_row(b, t, DOC_ROW);
    build_list_row(b, &sum);
    SAY(b, &build_cell_of(b, "type")->words, name);
}

/* Free space is not an object: a row below the total of all types, not included in it. */
static void add_free(struct build *b, struct doc_table *t, bool is_whole)
{
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    bool is_known = false;
    for (size_t k = 0; k < b->r->snapshot_count; k++) {
        const struct hd_process_facts *facts = &b->r->snapshots[k].facts;
        at[k] = (struct hd_tally){hd_fact(facts, HD_FACT_FREE_BLOCKS),
                                  hd_fact(facts, HD_FACT_FRAGMENTED)};
        is_known |= at[k].bytes != HD_UNKNOWN;
    }
    if (is_known && is_whole && b->r->options.by == HD_BY_TYPE && !b->r->options.gen2)
        add_sum(b, t, at, true, say_words("[free]"));
}

static void add_rows(struct build *b, struct doc_section *s,
                     const struct hd_type_table *types, const struct record *r)
{
    struct doc_table *t = build_list(b, s, r);
    for (size_t i = 0; i < types->shown; i++) {
        build_row(b, t, DOC_ROW);
        build_list_row(b, &types->rows[i]);
    }
    if (types->others.rows > 0)
        add_sum(b, t, types->others.at, false, as_others(types->others.rows));
    add_sum(b, t, types->sum.at, false, say_words(phrase_total(types)));
    add_free(b, t, types->is_whole);
}

static void diff_add_types(struct build *b)
{
    static const char *const titles[] = {[HD_BY_TYPE] = "Types",
                                         [HD_BY_NAMESPACE] = "Namespaces",
                                         [HD_BY_MODULE] = "Modules",
                                         [HD_BY_HOLDER] = "Holders"};
    const struct hd_report *r = b->r;
    const size_t shown = r->diff.types.shown, all = r->diff.types.len;
    const char *order = r->options.sort == HD_SORT_NAME ? "by name"
                        : r->options.sort == HD_SORT_RETAINED && r->diff.by_graph
                            ? "by retained growth"
                            : "by growth";
    if (shown < all)
        order = arena_printf(&b->doc->arena, "%s; top %zu of %zu, -n 0 shows all", order,
                             shown, all);
    struct doc_section *s = doc_topic(b->doc, titles[r->options.by], order);
    if (all > 0)
        add_rows(b, s, &r->diff.types, &record_row);
    else
        PARAGRAPH(b, s, "None.");
}

void build_evidence(struct build *b)
{
    const struct hd_options *opt = &b->r->options;
    size_t first = b->doc->section_count;
    /* True if rows were requested, so that lines have them without -v. */
    bool asked = opt->rows != HD_DEFAULT_ROWS || opt->sort != HD_SORT_DEFAULT ||
                 opt->by != HD_BY_TYPE || opt->type_count + opt->exclude_count > 0 ||
                 opt->app_only;
    build_diff_head(b);
    build_process_growth(b);
    build_suspects(b);
    build_sites(b);
    build_leveled_off(b);
    build_native_memory(b);
    if (b->r->kind == HD_REPORT_DIFF)
        diff_add_types(b);
    for (; first < b->doc->section_count; first++) {
        struct doc_section *s = &b->doc->sections[first];
        s->is_long = true;
        if (s->only == 0 && !asked)
            s->only = MORE;
    }
}

void build_diff(struct build *b)
{
    build_summary(b);
    build_evidence(b);
    build_next(b);
}

/* --- growth that leveled off ------------------------------------------------------- */

/* Growth that leveled off: not a suspect, but not certain. Counts and bars are those of the
 * comparable snapshots. */
static void add_leveled_off_row(struct build *b, struct doc_table *t,
                                const struct hd_leveled_off *s)
{
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    size_t n = 0;
    for (size_t k = 0; k < b->r->snapshot_count; k++)
        if (s->count[k] != HD_UNKNOWN)
            at[n++] = (struct hd_tally){.count = s->count[k]};
    build_row(b, t, DOC_ROW);
    CELL(b, as_size_signed((int64_t)(s->growth + 0.5)));
    CELL(b, as_share(s->share));
    CELL(b, n > 0 ? at[0].count : HD_UNKNOWN, " → ", n > 0 ? at[n - 1].count : HD_UNKNOWN);
    build_cell_trend(b, at, n);
    CELL(b, run_type(s->title));
    if (strcmp(s->title, s->type) != 0)
        REMARK(b, "(", run_type(s->type), ")");
    /* Beside suspects it is worth one line. */
    if (b->r->diff.suspect_count == 0 && s->holder_len > 0)
        build_path(b, &doc_attached(b->doc, b->row, "held by")->chains, s->holder,
                   s->holder_len);
}

void build_leveled_off(struct build *b)
{
    static const struct doc_column columns[] = {
        {RIGHT("gained")},
        {RIGHT("of heap"), .from_width = 60},
        {RIGHT("count")},
        {.title = "trend", .from_width = WIDTH_FOR_TREND},
        {.title = "type", .is_subject = true, .is_title = true}};
    const struct hd_diff *d = &b->r->diff;
    const char *note = "not suspects";
    if (d->leveled_off_count == 0)
        return;
    size_t shown = d->leveled_off_shown;
    if (shown < d->leveled_off_count)
        note = arena_printf(&b->doc->arena, "not suspects; top %zu of %zu, -n 0 shows all",
                            shown, d->leveled_off_count);
    struct doc_table *t = TABLE(b, doc_topic(b->doc, "Leveled off", note), columns);
    for (size_t i = 0; i < shown; i++)
        add_leveled_off_row(b, t, &d->leveled_off[i]);
}

/* --- outside the heap -------------------------------------------------------------- */

/* Types that accumulate and hold memory outside every snapshot: number, and usual cause. */
void build_native_memory(struct build *b)
{
    static const struct doc_column columns[] = {
        {RIGHT("count")},
        {.title = "trend", .from_width = WIDTH_FOR_TREND},
        {.title = ""},
        {.title = "type", .is_subject = true, .is_title = true}};
    const struct hd_diff *d = &b->r->diff;
    if (d->native_memory_count == 0)
        return;
    struct doc_section *s =
        doc_topic(b->doc, "Outside the heap",
                  "more in every step; their native memory is in no snapshot");
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < d->native_memory_count; i++) {
        const struct hd_native_memory *n = &d->native_memory[i];
        build_row(b, t, DOC_ROW);
        CELL(b, n->first, " → ", n->last);
        build_cell_trend(b, n->at, b->r->snapshot_count);
        CELL(b, n->what);
        CELL(b, run_type(n->type));
        build_hint(b, n->hint);
    }
}

/* --- one snapshot ------------------------------------------------------------------ */

void build_top(struct build *b)
{
    const struct hd_type_table *types = &b->r->top.types;
    const struct hd_info *info = &b->r->snapshots[0].info;
    build_summary(b);
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    SAY(b, doc_piece(b->doc, l, ""), run_file(0));
    PIECE(b, l, "  ", as_plural(types->totals[0].count, "object"));
    PIECE(b, l, ", ", as_size(types->totals[0].bytes));
    if (info->has_roots && info->reachable_objects != HD_UNKNOWN && info->objects > 0 &&
        !b->r->options.gen2 && (!b->r->options.reachable || b->r->leaves_garbage))
        PIECE(b, l, ", ", as_share((double)info->reachable_objects / (double)info->objects),
              b->r->leaves_garbage ? " of all objects in the file"
                                   : " of the objects reachable");
    build_selection(b, s);
    add_rows(b, s, types, &record_top_row);
}

/* --- what was compared -------------------------------------------------------------- */

/* Build the start and end of a diff and a check. Start: the comparison and its certainty,
 * the totals, the breakdown of growth; end: the next commands, and the inputs of a page. */

/* A page has the number of snapshots at its top, and the list at its end. */
static void head_add_compared(struct build *b, struct doc_section *s)
{
    enum { BELOW = 2 };
    const size_t n = b->r->snapshot_count, left_out = n - b->r->diff.usable_count;
    if (b->page != NULL) {
        if (left_out > 0)
            PARAGRAPH(b, s, as_plural(left_out, "snapshot"), " ",
                      left_out == 1 ? "is" : "are", " left out of the ranking.");
        return;
    }
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    l->indent = BELOW;
    format_plural(&b->words, n, "snapshot");
    heading_add_span(&b->words, b->r);
    build_end(b, doc_piece(b->doc, l, ""));
    PIECE(b, l, "  ", run_file(0));
    PIECE(b, l, n > 2 ? " … " : " → ", run_file(n - 1));
    if (left_out > 0)
        PIECE(b, l, "  ", "(", left_out, " left out of the ranking)");
}

/* --- totals -------------------------------------------------------------- */

/* a → b → c, without the middle if there are more than most. */
static void write_values(struct build *b, size_t most, bool bytes)
{
    const struct hd_tally *at = b->r->diff.types.totals;
    const size_t count = b->r->snapshot_count;
    for (size_t k = 0; k < count; k++) {
        bool gap = count > most && k == most / 2;
        if (gap)
            k = count - most / 2;
        if (k > 0)
            text_add_string(&b->words, gap ? " … " : " → ");
        (bytes ? format_size : format_count)(&b->words, bytes ? at[k].bytes : at[k].count);
    }
}

/* Returns the block of facts at the end of the section, or a new one. */
static struct doc_facts *facts_of(struct build *b, struct doc_section *s)
{
    enum { NAME_COLUMNS = sizeof("reachable") - 1 };
    struct doc_block *last = s->block_count > 0 ? &s->blocks[s->block_count - 1] : NULL;
    if (last == NULL || last->kind != DOC_FACTS)
        last = doc_block(b->doc, s, DOC_FACTS);
    last->facts.name_columns = NAME_COLUMNS;
    return &last->facts;
}

/* Without space for more: the first and the last, with bars. */
static struct doc_line *add_values(struct build *b, struct doc_facts *f, const char *name,
                                   bool bytes)
{
    enum { MAX_VALUES = 6, FEW_VALUES = 2, WIDTH_FOR_MAX = 110, BARS = 16 };
    struct hd_tally bars[SERIES_MAX_SNAPSHOTS];
    const struct hd_tally *at = b->r->diff.types.totals;
    struct doc_line *l = &doc_fact(b->doc, f, name)->value;
    write_values(b, MAX_VALUES, bytes);
    build_end(b, doc_piece(b->doc, l, ""));
    if (b->r->snapshot_count <= FEW_VALUES)
        return l;
    write_values(b, FEW_VALUES, bytes);
    build_end(b, doc_brief(b->doc, &l->all[0].cell, WIDTH_FOR_MAX));
    build_break(b, l, "  ");
    for (size_t k = 0; k < b->r->snapshot_count; k++)
        bars[k].count = bytes ? at[k].bytes : at[k].count;
    if (!bytes || b->r->diff.types.bytes_known)
        format_trend_of(&b->words, bars, b->r->snapshot_count, BARS);
    build_end(b, doc_brief(b->doc, &l->all[1].cell, WIDTH_FOR_MAX));
    return l;
}

static void add_change(struct build *b, struct doc_line *l, uint64_t first, uint64_t last)
{
    SAY_AS(b, build_break(b, l, "   "),
           last > first   ? DOC_MORE
           : last < first ? DOC_LESS
                          : DOC_WORDS,
           "");
}

/* (+977 KiB per step, +5.7 MiB/h), or per iteration if iterations were given. */
static void add_rate(struct build *b, struct doc_line *l, uint64_t first, uint64_t last)
{
    const uint64_t *iterations = b->r->diff.iterations;
    const size_t n = b->r->snapshot_count;
    uint64_t steps = iterations != NULL ? iterations[n - 1] - iterations[0] : n - 1;
    if (last <= first)
        return;
    if (steps >= 2) {
        say(&b->words, "(+", as_size((last - first) / steps),
            iterations != NULL ? " per iteration" : " per step");
    }
    if (heading_add_rate(&b->words, b->r, steps >= 2 ? ", " : "(", first, last) ||
        steps >= 2)
        PIECE(b, l, "  ", ")");
}

static void add_totals(struct build *b, struct doc_section *s)
{
    const size_t n = b->r->snapshot_count;
    const struct hd_tally *first = &b->r->diff.types.totals[0],
                          *last = &b->r->diff.types.totals[n - 1],
                          *reachable = &b->r->diff.reachable[n - 1];
    struct doc_facts *f = facts_of(b, s);
    struct doc_line *heap = add_values(b, f, "heap", true);
    if (b->r->diff.types.bytes_known) {
        format_size_delta(&b->words, first->bytes, last->bytes);
        add_change(b, heap, first->bytes, last->bytes);
        add_rate(b, heap, first->bytes, last->bytes);
    }
    struct doc_line *objects = add_values(b, f, "objects", false);
    format_delta(&b->words, first->count, last->count);
    add_change(b, objects, first->count, last->count);
    if (reachable->count == HD_UNKNOWN || last->count == 0)
        return;
    uint64_t all = b->r->leaves_garbage && !b->r->options.gen2
                       ? b->r->snapshots[n - 1].info.objects
                       : last->count;
    FACT(b, f, "reachable", as_share((double)reachable->count / (double)all),
         " of the objects in the last snapshot");
    f->all[f->len - 1].value.wraps = true;
}

/* The breakdown of growth, in exact bytes: the parts sum to the whole. */
static void head_add_growth(struct build *b, struct doc_section *s)
{
    const struct hd_growth *g = &b->r->diff.growth;
    if (!g->known || g->bytes <= 0)
        return;
    struct doc_line *l = &doc_fact(b->doc, facts_of(b, s), "growth")->value;
    SAY(b, doc_piece(b->doc, l, ""), as_size_signed(g->bytes), " reachable,");
    PIECE(b, l, " ", as_share(g->share), " of the heap:");
    PIECE(b, l, " ", "suspects ", as_size_signed(g->suspects), ",");
    if (g->pools != 0)
        PIECE(b, l, " ", "pools and threads ", as_size_signed(g->pools), ",");
    PIECE(b, l, " ", "rest ", as_size_signed(g->rest));
}

/* For files the reason refers to the time when they were taken, which cannot be changed any
 * more. */
static void add_survivors_unknown(struct build *b, struct doc_section *s)
{
    const struct hd_diff *d = &b->r->diff;
    const char *source = hd_identity_source_name(d->identity);
    if (d->survivors_unknown == HD_SURVIVORS_UNKNOWN_NONE)
        return;
    struct doc_facts *f = facts_of(b, s);
    FACT(b, f, "survivors", source != NULL ? "by " : "not known",
         source != NULL ? source : "", "; events missing in snapshot ",
         d->survivors_unknown_snapshot + 1, ": ",
         hd_survivors_unknown_words(d->survivors_unknown));
    f->all[f->len - 1].value.wraps = true;
}

void build_diff_head(struct build *b)
{
    struct doc_section *s = doc_topic(b->doc, "Heap", NULL);
    head_add_compared(b, s);
    if (b->page == NULL)
        build_origin(b, s);
    add_totals(b, s);
    add_survivors_unknown(b, s);
    build_selection(b, s);
    head_add_growth(b, s);
    /* The power of an all-clear. */
    if (phrase_power_of_verdict(&b->words, b->r))
        PARAGRAPH(b, s, ".");
}

/* --- inputs, of a page ------------------------------------------------------------- */

/* The inputs of a page: the snapshots one by one, the command, the version. */

/* "incomplete", "sampled", "no references" are its limitations. */
static void add_input(struct build *b, struct doc_table *t, const struct hd_info *info)
{
    bool named = info->process != NULL, has_pid = info->pid != HD_UNKNOWN;
    build_row(b, t, DOC_ROW);
    CELL(b, run_name(info->path));
    CELL(b, run_name(info->time));
    CELL(b, say_if(named, run_name(info->process)), named && has_pid ? ", " : "",
         has_pid ? "pid " : "", say_if(has_pid, as_digits(info->pid)));
    CELL(b, run_name(info->host));
    CELL(b, info->objects);
    CELL(b, as_size(info->bytes));
    CELL(b, as_size(info->reachable_bytes));
    CELL(b, info->format);
    if (!info->complete)
        REMARK(b, "incomplete");
    if (info->sampled)
        REMARK(b, "sampled");
    if (!info->has_graph)
        REMARK(b, "a table, without references");
}

/* Columns without any value are left out. */
static void add_inputs(struct build *b, struct doc_section *s)
{
    bool process = false, host = false, time = false, reachable = false;
    for (size_t k = 0; k < b->r->snapshot_count; k++) {
        const struct hd_info *info = &b->r->snapshots[k].info;
        process |= info->process != NULL || info->pid != HD_UNKNOWN;
        host |= info->host != NULL;
        time |= info->time != NULL;
        reachable |= info->reachable_objects != HD_UNKNOWN;
    }
    const struct doc_column columns[] = {{.title = "file", .is_subject = true},
                                         {.title = "time", .is_absent = !time},
                                         {.title = "process", .is_absent = !process},
                                         {.title = "host", .is_absent = !host},
                                         {RIGHT("objects")},
                                         {RIGHT("bytes")},
                                         {RIGHT("reachable"), .is_absent = !reachable},
                                         {.title = "format"}};
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t k = 0; k < b->r->snapshot_count; k++)
        add_input(b, t, &b->r->snapshots[k].info);
}

/* A page has a place for the tree; without one it shows the reason. */
void build_inputs(struct build *b)
{
    bool may_have = b->r->kind == HD_REPORT_DIFF || b->r->kind == HD_REPORT_CHECK ||
                    b->r->kind == HD_REPORT_TOP;
    if (may_have && b->r->found.tree.len > 0)
        build_places(b);
    else if (may_have)
        PARAGRAPH(b, doc_topic(b->doc, "Where the memory is", NULL),
                  "Unknown: retained sizes need references. A table of types has none, and "
                  "--tables-only does not read them; snapshots of heapdrift collect and "
                  "dotnet-gcdump have them.");
    if (b->r->snapshot_count == 0 || b->r->kind == HD_REPORT_INFO)
        return;
    struct doc_section *s = doc_topic(b->doc, "Inputs", NULL);
    add_inputs(b, s);
    struct text command = {0};
    for (size_t i = 0; i < b->page->command_len; i++) {
        text_add_string(&command, i > 0 ? " " : "");
        format_shell_word(&command, b->page->command[i]);
    }
    if (b->page->command_len > 0)
        FACT(b, &doc_block(b->doc, s, DOC_FACTS)->facts, "made by",
             run_name(text_string(&command)));
    text_free(&command);
}

/* --- what to run next -------------------------------------------------------------- */

/* Commands to paste: with the snapshots as they were named, so that a folder stays a
 * folder, and a run of a store a run. */

/* True if a word is printed unchanged, so that it can be pasted. */
static bool is_plain(const char *word)
{
    struct text t = {0};
    format_name(&t, word);
    bool plain = strcmp(text_string(&t), word) == 0;
    text_free(&t);
    return plain;
}

struct names {
    const char *const *all;
    size_t count;
    bool are_options;
};

static bool are_plain(const struct names *of)
{
    for (size_t i = 0; i < of->count; i++)
        if (!is_plain(of->all[i]))
            return false;
    return true;
}

/* True if one looks like an option: -x, @FILE. */
static bool needs_dashes(const struct names *of)
{
    bool dashes = false;
    for (size_t i = 0; i < of->count; i++)
        dashes |= !of->are_options &&
                  ((of->all[i][0] == '-' && of->all[i][1] != '\0') || of->all[i][0] == '@');
    return dashes;
}

static void add_names(struct build *b, const struct names *of)
{
    text_add_string(&b->words, needs_dashes(of) ? " --" : "");
    for (size_t i = 0; i < of->count; i++) {
        text_add_char(&b->words, ' ');
        format_shell_word(&b->words, strcmp(of->all[i], "-") == 0 ? "FILE" : of->all[i]);
    }
}

/* Ends the commands in b->words; one a line. */
static void end_commands(struct build *b, bool names_files)
{
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    struct doc_command *next = &doc_block(b->doc, s, DOC_COMMAND)->command;
    next->label = "next";
    next->lines = doc_string(b->doc, text_string(&b->words));
    next->names_files = names_files;
    text_clear(&b->words);
}

static bool are_stored(const struct build *b)
{
    return b->opt != NULL && b->opt->inputs_are_options;
}

/* Returns the snapshots as the user named them, or else by their paths. */
static struct names inputs_of(struct build *b)
{
    const struct hd_report *r = b->r;
    if (b->opt != NULL && b->opt->input_count > 0)
        return (struct names){b->opt->inputs, b->opt->input_count, are_stored(b)};
    const char **paths = arena_array(&b->doc->arena, const char *, r->snapshot_count);
    for (size_t k = 0; k < r->snapshot_count; k++)
        paths[k] = r->snapshots[k].info.path;
    return (struct names){paths, r->snapshot_count, false};
}

void build_next_of(struct build *b, const char *title)
{
    const struct hd_report *r = b->r;
    const size_t last = r->snapshot_count - 1;
    const char *paths[] = {r->snapshots[0].info.path, r->snapshots[last].info.path};
    const struct names ends =
        are_stored(b) ? inputs_of(b) : (struct names){paths, last > 0 ? 2 : 1, false};
    if (title == NULL || place_is_root(title) || !is_plain(title) || !are_plain(&ends))
        return;
    text_add_string(&b->words, "heapdrift roots ");
    format_shell_word(&b->words, arena_printf(&b->doc->arena, "--type=%s", title));
    add_names(b, &ends);
    end_commands(b, true);
}

/* Growth that began late shows from its start, if enough snapshots follow. */
static bool add_diff_since(struct build *b)
{
    const struct hd_report *r = b->r;
    const size_t since = r->diff.growth.since, left = r->snapshot_count - since;
    const char *paths[SERIES_MAX_SNAPSHOTS];
    if (since == 0 || !report_is_enough(left) || are_stored(b))
        return false;
    for (size_t k = 0; k < left; k++)
        paths[k] = r->snapshots[since + k].info.path;
    const struct names later = {paths, left, false};
    if (!are_plain(&later))
        return false;
    text_add_string(&b->words, "heapdrift diff");
    add_names(b, &later);
    end_commands(b, true);
    return true;
}

/* Suggests to watch under load, and long enough; the process may still run. One in a store
 * is watched already. */
static void add_watch(struct build *b)
{
    enum { FIVE_MINUTES = 5 * 60 }; /* between six snapshots, one apart */
    struct heading_origin from;
    const struct hd_suspect *s = b->r->diff.undecided;
    if (are_stored(b))
        return;
    say(&b->words, "heapdrift watch ");
    if (heading_origin(b->r, &from) && from.pid != HD_UNKNOWN)
        say(&b->words, as_digits(from.pid));
    else
        say(&b->words, "PID");
    /* As many minutes between six snapshots as needed for the objects of a known store to
     * expire. */
    if (s != NULL && s->reservation == HD_RESERVED_LIFETIME)
        say(&b->words, " --interval=", as_digits(s->lifetime.watch / FIVE_MINUTES + 1),
            "m");
    end_commands(b, false);
}

void build_next(struct build *b)
{
    const struct hd_diff *d = &b->r->diff;
    const struct names in = inputs_of(b);
    if (d->usable_count < 2 || d->no_match != NULL)
        return;
    if (d->suspect_count > 0 && are_plain(&in)) {
        text_add_string(&b->words, "heapdrift explore");
        add_names(b, &in);
        if (in.count == 1 ||
            in.are_options) { /* with many names the line would be too long to repeat */
            /* Options end at "--". */
            bool last = !needs_dashes(&in);
            say(&b->words, "\nheapdrift report", last ? "" : " -o leak.html");
            add_names(b, &in);
            text_add_string(&b->words, last ? " -o leak.html" : "");
        }
        end_commands(b, true);
    } else if (d->suspect_count + d->hidden_count == 0 &&
               (d->growth.is_open || b->r->summary.severity == HD_SEVERITY_UNSURE)) {
        if (!d->growth.is_open || hd_diff_is_reserved(d) || !add_diff_since(b))
            add_watch(b);
    }
}
