/* What stands above a diff and a check: what was compared and how sure the result is, the
 * totals, and where the growth went; and what a page was made of. */
#include "document/build.h"

#include "report/phrases.h"
#include "report/text_parts.h"

static void add_left_out(struct build *b, struct doc_section *s, size_t left_out)
{
    if (left_out == 0)
        return;
    format_plural(&b->words, left_out, "snapshot");
    text_add_string(&b->words, left_out == 1 ? " is" : " are");
    text_add_string(&b->words, " left out of the ranking.");
    build_paragraph(b, s);
}

/* A page says how many they are at its top, and which at its end. */
static void add_compared(struct build *b, struct doc_section *s)
{
    enum { BELOW = 2 };
    const size_t n = b->r->snapshot_count, left_out = n - b->r->diff.usable_count;
    if (b->page != NULL) {
        add_left_out(b, s, left_out);
        return;
    }
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    struct doc_runs *to = doc_piece(b->doc, l, "");
    format_plural(&b->words, n, "snapshot");
    heading_add_span(&b->words, b->r);
    build_end(b, to);
    l->indent = BELOW;
    build_file(b, build_break(b, l, "  "), 0);
    to = build_break(b, l, n > 2 ? " … " : " → ");
    build_file(b, to, n - 1);
    if (left_out == 0)
        return;
    text_add_char(&b->words, '(');
    format_count(&b->words, left_out);
    text_add_string(&b->words, " left out of the ranking)");
    build_end(b, build_break(b, l, "  "));
}

/* --- totals -------------------------------------------------------------- */

/* a → b → c, the middle left out where there are more than most. */
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
        if (bytes)
            format_size(&b->words, at[k].bytes);
        else
            format_count(&b->words, at[k].count);
    }
}

/* The block of facts that the section ends with, or a new one. */
static struct doc_facts *facts_of(struct build *b, struct doc_section *s)
{
    enum { NAME_COLUMNS = sizeof("reachable") - 1 };
    struct doc_block *last = s->block_count > 0 ? &s->blocks[s->block_count - 1] : NULL;
    if (last == NULL || last->kind != DOC_FACTS)
        last = doc_block(b->doc, s, DOC_FACTS);
    last->facts.name_columns = NAME_COLUMNS;
    return &last->facts;
}

static void write_bars(struct build *b, bool bytes)
{
    enum { BARS = 16 };
    struct hd_tally bars[SERIES_MAX_SNAPSHOTS];
    const struct hd_tally *at = b->r->diff.types.totals;
    const size_t n = b->r->snapshot_count;
    if (bytes && !b->r->diff.types.bytes_known)
        return;
    for (size_t k = 0; k < n; k++)
        bars[k].count = bytes ? at[k].bytes : at[k].count;
    format_trend_of(&b->words, bars, n, BARS);
}

/* Where there is no room for more it is the first and the last, with bars. */
static struct doc_line *add_values(struct build *b, struct doc_facts *f, const char *name,
                                   bool bytes)
{
    enum { MOST_VALUES = 6, FEW_VALUES = 2, ROOM_FOR_MOST = 110 };
    struct doc_line *l = &doc_fact(b->doc, f, name)->value;
    write_values(b, MOST_VALUES, bytes);
    build_end(b, doc_piece(b->doc, l, ""));
    if (b->r->snapshot_count <= FEW_VALUES)
        return l;
    write_values(b, FEW_VALUES, bytes);
    build_end(b, doc_brief(b->doc, &l->all[0].cell, ROOM_FOR_MOST));
    build_break(b, l, "  ");
    write_bars(b, bytes);
    build_end(b, doc_brief(b->doc, &l->all[1].cell, ROOM_FOR_MOST));
    return l;
}

static void add_change(struct build *b, struct doc_line *l, uint64_t first, uint64_t last)
{
    struct doc_runs *to = build_break(b, l, "   ");
    doc_run(b->doc, to,
            last > first   ? DOC_MORE
            : last < first ? DOC_LESS
                           : DOC_WORDS,
            text_string(&b->words));
    text_clear(&b->words);
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
        text_add_string(&b->words, "(+");
        format_size(&b->words, (last - first) / steps);
        text_add_string(&b->words, iterations != NULL ? " per iteration" : " per step");
    }
    bool hourly = heading_add_rate(&b->words, b->r, steps >= 2 ? ", " : "(", first, last);
    text_add_string(&b->words, steps >= 2 || hourly ? ")" : "");
    if (b->words.len > 0)
        build_end(b, build_break(b, l, "  "));
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
    const struct hd_info *info = &b->r->snapshots[n - 1].info;
    struct doc_line *l = &doc_fact(b->doc, f, "reachable")->value;
    uint64_t all =
        b->r->leaves_garbage && !b->r->options.gen2 ? info->objects : last->count;
    format_percent(&b->words, (double)reachable->count / (double)all);
    text_add_string(&b->words, " of the objects in the last snapshot");
    build_end(b, doc_piece(b->doc, l, ""));
    l->wraps = true;
}

static void add_part(struct build *b, struct doc_line *l, const char *name, int64_t bytes,
                     const char *end)
{
    text_add_string(&b->words, name);
    format_size_signed(&b->words, bytes);
    text_add_string(&b->words, end);
    build_end(b, build_break(b, l, " "));
}

/* Where it went, in exact bytes: the parts sum to the whole. */
static void add_growth(struct build *b, struct doc_section *s)
{
    const struct hd_growth *g = &b->r->diff.growth;
    if (!g->known || g->bytes <= 0)
        return;
    struct doc_line *l = &doc_fact(b->doc, facts_of(b, s), "growth")->value;
    format_size_signed(&b->words, g->bytes);
    text_add_string(&b->words, " reachable,");
    build_end(b, doc_piece(b->doc, l, ""));
    format_percent(&b->words, g->share);
    text_add_string(&b->words, " of the heap:");
    build_end(b, build_break(b, l, " "));
    add_part(b, l, "suspects ", g->suspects, ",");
    if (g->pools != 0)
        add_part(b, l, "pools and threads ", g->pools, ",");
    add_part(b, l, "rest ", g->rest, "");
}

/* Files know it of the time when they were taken, which nobody can ask for any more. */
static void add_untold(struct build *b, struct doc_section *s)
{
    const struct hd_diff *d = &b->r->diff;
    const char *source = hd_identity_source_name(d->identity);
    if (d->untold == HD_UNTOLD_NOTHING)
        return;
    struct doc_line *l = &doc_fact(b->doc, facts_of(b, s), "survivors")->value;
    text_add_string(&b->words, source != NULL ? "by " : "not known");
    text_add_string(&b->words, source != NULL ? source : "");
    text_add_string(&b->words, "; events missing in snapshot ");
    format_count(&b->words, d->untold_snapshot + 1);
    text_add_string(&b->words, ": ");
    text_add_string(&b->words, hd_untold_words(d->untold));
    build_end(b, doc_piece(b->doc, l, ""));
    l->wraps = true;
}

/* What an all-clear is worth. */
static void add_power(struct build *b, struct doc_section *s)
{
    if (!phrase_power_of_verdict(&b->words, b->r))
        return;
    text_add_char(&b->words, '.');
    build_paragraph(b, s);
}

void build_diff_head(struct build *b)
{
    struct doc_section *s = doc_topic(b->doc, "Heap", NULL);
    add_compared(b, s);
    if (b->page == NULL)
        build_origin(b, s);
    add_totals(b, s);
    add_untold(b, s);
    build_selection(b, s);
    add_growth(b, s);
    add_power(b, s);
}

/* --- inputs, of a page ------------------------------------------------------------- */

/* What a page was made of: the snapshots one by one, the command, the version. */

enum { MOST_COLUMNS = 8 };

/* Which of the columns there are: what no file tells is left out. */
struct known_columns {
    bool process, host, time, reachable;
};

static struct known_columns columns_known(const struct hd_report *r)
{
    struct known_columns t = {0};
    for (size_t k = 0; k < r->snapshot_count; k++) {
        const struct hd_info *info = &r->snapshots[k].info;
        t.process |= info->process != NULL || info->pid != HD_UNKNOWN;
        t.host |= info->host != NULL;
        t.time |= info->time != NULL;
        t.reachable |= info->reachable_objects != HD_UNKNOWN;
    }
    return t;
}

static void add_process(struct build *b, const struct hd_info *info)
{
    struct doc_runs *to = &b->row->cells[b->cell++].words;
    if (info->process != NULL)
        build_name(b, to, info->process);
    if (info->pid == HD_UNKNOWN)
        return;
    char pid[32];
    snprintf(pid, sizeof(pid), "%spid %llu", info->process != NULL ? ", " : "",
             (unsigned long long)info->pid);
    build_words(b, to, pid);
}

/* "incomplete", "sampled", "no references": what makes it less than others. */
static void add_remarks(struct build *b, const struct hd_info *info)
{
    const char *said[] = {info->complete ? "" : "incomplete",
                          info->sampled ? "sampled" : "",
                          info->has_graph ? "" : "a table, without references"};
    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
        if (said[i][0] != '\0')
            build_words(b, doc_remark(b->doc, b->row), said[i]);
}

static void add_input(struct build *b, struct doc_table *t,
                      const struct known_columns *known, const struct hd_info *info)
{
    build_row(b, t, DOC_ROW);
    build_cell_name(b, info->path);
    if (known->time)
        build_cell_known(b, info->time);
    if (known->process)
        add_process(b, info);
    if (known->host)
        build_cell_known(b, info->host);
    format_count(&b->words, info->objects);
    build_cell(b);
    format_size(&b->words, info->bytes);
    build_cell(b);
    if (known->reachable) {
        format_size(&b->words, info->reachable_bytes);
        build_cell(b);
    }
    build_cell_words(b, info->format);
    add_remarks(b, info);
}

static void add_inputs(struct build *b, struct doc_section *s)
{
    const struct known_columns known = columns_known(b->r);
    struct doc_column columns[MOST_COLUMNS] = {{.title = "file", .is_subject = true}};
    size_t n = 1;
    if (known.time)
        columns[n++] = (struct doc_column){.title = "time"};
    if (known.process)
        columns[n++] = (struct doc_column){.title = "process"};
    if (known.host)
        columns[n++] = (struct doc_column){.title = "host"};
    columns[n++] = (struct doc_column){.title = "objects", .align = DOC_RIGHT};
    columns[n++] = (struct doc_column){.title = "bytes", .align = DOC_RIGHT};
    if (known.reachable)
        columns[n++] = (struct doc_column){.title = "reachable", .align = DOC_RIGHT};
    columns[n++] = (struct doc_column){.title = "format"};
    struct doc_table *t = build_table(b, s, columns, n);
    for (size_t k = 0; k < b->r->snapshot_count; k++)
        add_input(b, t, &known, &b->r->snapshots[k].info);
}

static void add_made_by(struct build *b, struct doc_section *s)
{
    struct doc_line *l =
        &doc_fact(b->doc, &doc_block(b->doc, s, DOC_FACTS)->facts, "made by")->value;
    for (size_t i = 0; i < b->page->command_len; i++) {
        text_add_string(&b->words, i > 0 ? " " : "");
        format_shell_word(&b->words, b->page->command[i]);
    }
    struct text words = b->words;
    b->words = (struct text){0};
    build_name(b, doc_piece(b->doc, l, ""), text_string(&words));
    text_free(&words);
}

/* A page has a place for the tree; where there is none it says why. */
static void add_places(struct build *b)
{
    bool may_have = b->r->kind == HD_REPORT_DIFF || b->r->kind == HD_REPORT_CHECK ||
                    b->r->kind == HD_REPORT_TOP;
    if (!may_have)
        return;
    if (b->r->found.tree.len > 0) {
        build_places(b);
        return;
    }
    struct doc_section *s = doc_topic(b->doc, "Where the memory is", NULL);
    text_add_string(
        &b->words,
        "Unknown: retained sizes need references. A table of types has none, and "
        "--tables-only does not read them; snapshots of heapdrift collect and "
        "dotnet-gcdump have them.");
    build_paragraph(b, s);
}

void build_inputs(struct build *b)
{
    add_places(b);
    if (b->r->snapshot_count == 0 || b->r->kind == HD_REPORT_INFO)
        return;
    struct doc_section *s = doc_topic(b->doc, "Inputs", NULL);
    add_inputs(b, s);
    if (b->page->command_len > 0)
        add_made_by(b, s);
}
