/* What a page was made of: the snapshots one by one, the command, the version. */
#include "document/build.h"

#include "report/text_parts.h"

enum { MOST_COLUMNS = 8 };

/* Which of the columns there are: what no file tells is left out. */
struct telling {
    bool process, host, time, reachable;
};

static struct telling what_is_told(const struct hd_report *r)
{
    struct telling t = {0};
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

static void add_name_or_dash(struct build *b, const char *name)
{
    if (name != NULL)
        build_cell_name(b, name);
    else
        build_cell_words(b, "-");
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

static void add_input(struct build *b, struct doc_table *t, const struct telling *told,
                      const struct hd_info *info)
{
    build_row(b, t, DOC_ROW);
    build_cell_name(b, info->path);
    if (told->time)
        add_name_or_dash(b, info->time);
    if (told->process)
        add_process(b, info);
    if (told->host)
        add_name_or_dash(b, info->host);
    format_count(&b->words, info->objects);
    build_cell(b);
    format_size(&b->words, info->bytes);
    build_cell(b);
    if (told->reachable) {
        format_size(&b->words, info->reachable_bytes);
        build_cell(b);
    }
    build_cell_words(b, info->format);
    add_remarks(b, info);
}

static void add_table(struct build *b, struct doc_section *s)
{
    const struct telling told = what_is_told(b->r);
    struct doc_column columns[MOST_COLUMNS] = {{.title = "file", .is_subject = true}};
    size_t n = 1;
    if (told.time)
        columns[n++] = (struct doc_column){.title = "time"};
    if (told.process)
        columns[n++] = (struct doc_column){.title = "process"};
    if (told.host)
        columns[n++] = (struct doc_column){.title = "host"};
    columns[n++] = (struct doc_column){.title = "objects", .align = DOC_RIGHT};
    columns[n++] = (struct doc_column){.title = "bytes", .align = DOC_RIGHT};
    if (told.reachable)
        columns[n++] = (struct doc_column){.title = "reachable", .align = DOC_RIGHT};
    columns[n++] = (struct doc_column){.title = "format"};
    struct doc_table *t = build_table(b, s, columns, n);
    for (size_t k = 0; k < b->r->snapshot_count; k++)
        add_input(b, t, &told, &b->r->snapshots[k].info);
}

static void add_command(struct build *b, struct doc_section *s)
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
    struct doc_section *s = doc_section(b->doc, DOC_TOPIC);
    s->title = (struct doc_run){DOC_WORDS, "Where the memory is"};
    text_add_string(
        &b->words, "Not known: without references nobody can tell what keeps what alive. A "
                   "table of types has none, and --tables-only does not read them; "
                   "snapshots of heapdrift collect and dotnet-gcdump have them.");
    build_paragraph(b, s);
}

void build_inputs(struct build *b)
{
    add_places(b);
    if (b->r->snapshot_count == 0 || b->r->kind == HD_REPORT_INFO)
        return;
    struct doc_section *s = doc_section(b->doc, DOC_TOPIC);
    s->title = (struct doc_run){DOC_WORDS, "Inputs"};
    add_table(b, s);
    if (b->page->command_len > 0)
        add_command(b, s);
}
