/* The facts of each snapshot, or why a file is none; and the processes of this machine. */
#include "document/build.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <string.h>

static void add_quoted(struct build *b, struct doc_facts *f, const char *name,
                       const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    struct doc_line *l = &doc_fact(b->doc, f, name)->value;
    build_quoted(b, doc_piece(b->doc, l, ""), value);
}

/* The same for what is a name. */
static void add_name(struct build *b, struct doc_facts *f, const char *name,
                     const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    struct doc_line *l = &doc_fact(b->doc, f, name)->value;
    build_name(b, doc_piece(b->doc, l, ""), value);
}

static struct doc_fact *add_tally(struct build *b, struct doc_facts *f, const char *name,
                                  uint64_t count, uint64_t bytes)
{
    struct doc_fact *fact = doc_fact(b->doc, f, name);
    format_count(&b->words, count);
    if (bytes != HD_UNKNOWN) {
        text_add_string(&b->words, ", ");
        format_size(&b->words, bytes);
        text_add_string(&b->words, " (");
        format_count(&b->words, bytes);
        text_add_string(&b->words, " bytes)");
    }
    build_end(b, doc_piece(b->doc, &fact->value, ""));
    return fact;
}

static void add_survivors(struct build *b, struct doc_facts *f,
                          const struct hd_snapshot_facts *s)
{
    if (s->told_survivors == HD_UNKNOWN && s->untold == HD_UNTOLD_NOTHING)
        return;
    struct doc_fact *fact = doc_fact(b->doc, f, "survivors");
    if (s->told_survivors == HD_UNKNOWN) {
        text_add_string(&b->words, "not told: ");
        text_add_string(&b->words, hd_untold_words(s->untold));
    } else {
        format_count(&b->words, s->told_survivors);
        text_add_string(&b->words, " of the ");
        format_count(&b->words, s->told_of);
        text_add_string(&b->words, " of the snapshot before, as its collector told");
    }
    build_end(b, doc_piece(b->doc, &fact->value, ""));
}

static void add_graph_facts(struct build *b, struct doc_facts *f,
                            const struct hd_snapshot_facts *s)
{
    const struct hd_info *info = &s->info;
    if (info->references != HD_UNKNOWN)
        add_tally(b, f, "references", info->references, HD_UNKNOWN);
    if (info->has_roots) {
        add_tally(b, f, "roots", info->roots, HD_UNKNOWN);
        for (int k = 0; k < HD_ROOT_KIND_COUNT; k++)
            if (s->roots_by_kind[k] > 0)
                add_tally(b, f, root_kind_names[k], s->roots_by_kind[k], HD_UNKNOWN)
                    ->level = 1;
        add_tally(b, f, "reachable", info->reachable_objects, info->reachable_bytes);
    }
    if (s->weak_roots != HD_UNKNOWN && s->weak_roots > 0)
        add_tally(b, f, "weak handles", s->weak_roots, HD_UNKNOWN);
    add_survivors(b, f, s);
    for (int g = 0; info->has_generations && g < HD_GENERATION_COUNT; g++)
        if (s->by_generation[g].count > 0)
            add_tally(b, f, g == HD_GEN_UNKNOWN ? "no generation" : generation_names[g],
                      s->by_generation[g].count, s->by_generation[g].bytes);
}

static void add_facts(struct build *b, struct doc_facts *f,
                      const struct hd_snapshot_facts *s)
{
    const struct hd_info *info = &s->info;
    char pid[24] = "", sum[24] = "";
    if (info->pid != HD_UNKNOWN)
        snprintf(pid, sizeof(pid), "%" PRIu64, info->pid);
    if (info->xxh3 != HD_UNKNOWN)
        snprintf(sum, sizeof(sum), "%016" PRIx64, info->xxh3);
    add_quoted(b, f, "format", info->format);
    add_quoted(b, f, "written by", info->producer);
    add_quoted(b, f, "time", info->time);
    add_name(b, f, "process", info->process);
    add_quoted(b, f, "pid", pid);
    add_name(b, f, "program", info->program);
    add_quoted(b, f, "started", info->started);
    add_name(b, f, "host", info->host);
    add_name(b, f, "container", info->container);
    add_quoted(b, f, "runtime", info->runtime);
    add_quoted(b, f, "processor", info->processor);
    add_name(b, f, "command", s->origin.command);
    add_quoted(b, f, "generation", s->origin.generation);
    add_quoted(b, f, "liveness", s->origin.liveness);
    add_quoted(b, f, "filters", s->origin.filters);
    add_tally(b, f, "objects", info->objects, info->bytes);
    add_tally(b, f, "types", info->types, HD_UNKNOWN);
    add_graph_facts(b, f, s);
    add_quoted(b, f, "sampled",
               info->sampled ? "yes: bytes scale up exactly, counts are estimates" : "");
    add_quoted(b, f, "values", info->redacted ? "redacted" : "");
    add_quoted(b, f, "complete", info->complete ? "" : "no: objects may be missing");
    add_quoted(b, f, "xxh3", sum);
}

static void add_error(struct build *b, struct doc_line *l, const struct hd_error *e)
{
    char place[48] = "";
    struct doc_runs *to = doc_piece(b->doc, l, "");
    if (e->where == HD_AT_LINE)
        snprintf(place, sizeof(place), "line %" PRIu64 ": ", e->at);
    else if (e->where == HD_AT_BYTE)
        snprintf(place, sizeof(place), "byte 0x%" PRIx64 ": ", e->at);
    build_words(b, to, "cannot be used: ");
    build_words(b, to, place);
    if (e->kind != NULL) {
        build_words(b, to, e->kind);
        build_words(b, to, ": ");
    }
    build_quoted(b, to, e->message);
}

/* --- many files ------------------------------------------------------------ */

enum { ROOM_FOR_TIME = 100, ROOM_FOR_FORMAT = 80, ROOM_FOR_REACHABLE = 60 };

static void add_number(struct build *b, uint64_t n, void (*format)(struct text *, uint64_t))
{
    format(&b->words, n);
    build_cell(b);
}

static void add_remark(struct build *b, bool is_so, const char *words)
{
    if (is_so)
        build_words(b, doc_remark(b->doc, b->row), words);
}

/* But for what the remarks say. */
static void add_warnings(struct build *b, size_t snapshot)
{
    for (size_t i = 0; i < b->r->warning_count; i++) {
        const struct hd_warning *w = &b->r->warnings[i];
        bool said = strcmp(w->code, "sampled") == 0 || strcmp(w->code, "incomplete") == 0;
        if (w->snapshot != snapshot || said)
            continue;
        struct doc_line *l = &doc_attached(b->doc, b->row, NULL)->line;
        l->wraps = true;
        struct doc_runs *to = doc_piece(b->doc, l, "");
        build_words(b, to, "warning: ");
        build_words(b, to, w->code);
        build_words(b, to, ": ");
        build_quoted(b, to, w->message);
    }
}

static void add_file(struct build *b, struct doc_table *t, size_t k)
{
    const struct hd_snapshot_facts *from = &b->r->snapshots[k];
    const struct hd_info *info = &from->info;
    bool ok = from->error.status == HD_OK, walked = ok && info->has_roots;
    build_row(b, t, DOC_ROW);
    add_number(b, ok ? info->objects : HD_UNKNOWN, format_count);
    add_number(b, ok ? info->bytes : HD_UNKNOWN, format_size);
    if (walked && info->objects > 0 && info->reachable_objects != HD_UNKNOWN)
        format_percent(&b->words, (double)info->reachable_objects / (double)info->objects);
    else
        text_add_char(&b->words, '-');
    build_cell(b);
    build_quoted(b, &b->row->cells[b->cell++].words,
                 ok && info->time != NULL ? info->time : "-");
    build_cell_words(b, ok && info->format != NULL ? info->format : "-");
    build_quoted(b, &b->row->cells[b->cell++].words, info->path);
    add_remark(b, ok && info->sampled, "sampled");
    add_remark(b, ok && !info->complete, "incomplete");
    if (!ok)
        add_error(b, &doc_attached(b->doc, b->row, NULL)->line, &from->error);
    add_warnings(b, k);
}

/* A line for each; what all of it says is asked for. */
static void add_files(struct build *b)
{
    static const struct doc_column columns[] = {
        {.title = "objects", .align = DOC_RIGHT},
        {.title = "heap", .align = DOC_RIGHT},
        {.title = "reachable", .align = DOC_RIGHT, .from_width = ROOM_FOR_REACHABLE},
        {.title = "time", .from_width = ROOM_FOR_TIME},
        {.title = "format", .from_width = ROOM_FOR_FORMAT},
        {.title = "file", .is_subject = true, .is_title = true}};
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    s->only = DOC_ON_LINES;
    format_plural(&b->words, b->r->snapshot_count, "file");
    text_add_string(&b->words, "; -v shows all");
    build_paragraph(b, s);
    struct heading_origin from;
    if (heading_origin(b->r, &from) && !from.several)
        build_origin(b, s);
    struct doc_table *t = build_table(b, s, columns, sizeof(columns) / sizeof(*columns));
    for (size_t k = 0; k < b->r->snapshot_count; k++)
        add_file(b, t, k);
}

void build_info(struct build *b)
{
    enum { FEW = 2, MORE = DOC_ON_DETAILED_LINES | DOC_ON_PAGES };
    bool many = b->r->snapshot_count > FEW;
    if (many)
        add_files(b);
    for (size_t k = 0; k < b->r->snapshot_count; k++) {
        const struct hd_snapshot_facts *from = &b->r->snapshots[k];
        struct doc_section *s = doc_section(b->doc, DOC_ITEM);
        s->only = many ? MORE : 0;
        s->title = (struct doc_run){DOC_NAME, doc_string(b->doc, from->info.path)};
        if (from->error.status != HD_OK)
            add_error(b, &doc_block(b->doc, s, DOC_PARAGRAPH)->line, &from->error);
        else
            add_facts(b, &doc_block(b->doc, s, DOC_FACTS)->facts, from);
        build_notes(b, s, k);
    }
}

/* --- processes --------------------------------------------------------------------- */

/* The processes of this machine that snapshots can be taken of. */

/* As engines show the id of a container: enough of it to be known by. */
enum { CONTAINER_DIGITS = 12 };

/* What there is to tell of them: a column of which every cell is empty is none. */
struct columns {
    bool containers, hosts;
};

static bool differ(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a != b : strcmp(a, b) != 0;
}

/* Where all run on one machine its name is known. */
static struct columns columns_for(const struct hd_process_list *list)
{
    struct columns needed = {0};
    for (size_t i = 0; i < list->count; i++) {
        needed.containers |= list->all[i].container != NULL;
        needed.hosts |= differ(list->all[i].host, list->all[0].host);
    }
    needed.hosts |= needed.containers;
    return needed;
}

static void add_container(struct build *b, const char *id)
{
    char brief[CONTAINER_DIGITS + 1];
    if (id != NULL)
        snprintf(brief, sizeof(brief), "%s", id);
    build_cell_known(b, id != NULL ? brief : NULL);
}

static void add_usage(struct build *b, const struct hd_process *p)
{
    if (p->memory != HD_UNKNOWN)
        format_size(&b->words, p->memory);
    else
        text_add_char(&b->words, '-');
    build_cell(b);
    if (p->uptime != HD_UNKNOWN)
        format_duration(&b->words, p->uptime);
    else
        text_add_char(&b->words, '-');
    build_cell(b);
}

static void add_process(struct build *b, struct doc_table *t, const struct hd_process *p,
                        struct columns has)
{
    char pid[24];
    build_row(b, t, DOC_ROW);
    snprintf(pid, sizeof(pid), "%" PRIu64, p->pid);
    build_cell_words(b, pid);
    build_cell_known(b, p->name);
    if (has.containers)
        add_container(b, p->container);
    if (has.hosts)
        build_cell_known(b, p->host);
    add_usage(b, p);
    build_cell_known(b, p->runtime);
    build_cell_known(b, p->user);
    build_cell_known(b, p->command);
    if (p->problem == NULL)
        return;
    struct doc_line *l = &doc_attached(b->doc, b->row, NULL)->line;
    l->wraps = true;
    build_quoted(b, doc_piece(b->doc, l, ""), p->problem);
}

/* Eighty columns have room for what tells processes apart and for what they take. What
 * engines run has a container besides, and often a name for it: then the user and the
 * command, which are alike in all of them, need a wider place. */
static struct doc_table *begin_table(struct build *b, struct doc_section *s,
                                     struct columns has)
{
    enum { MOST = 9 };
    struct doc_column columns[MOST];
    size_t n = 0;
    bool more = has.containers;
    columns[n++] = (struct doc_column){.title = "pid", .align = DOC_RIGHT};
    columns[n++] = (struct doc_column){.title = "name", .is_subject = true};
    if (has.containers)
        columns[n++] = (struct doc_column){.title = "container", .from_width = 66};
    if (has.hosts)
        columns[n++] = (struct doc_column){
            .title = "host", .gives_way = true, .from_width = more ? 100 : 80};
    columns[n++] = (struct doc_column){.title = "memory", .align = DOC_RIGHT};
    columns[n++] =
        (struct doc_column){.title = "uptime", .align = DOC_RIGHT, .from_width = 50};
    columns[n++] = (struct doc_column){.title = "runtime", .from_width = 72};
    columns[n++] = (struct doc_column){.title = "user", .from_width = more ? 120 : 80};
    columns[n++] = (struct doc_column){
        .title = "command", .gives_way = true, .from_width = more ? 140 : 100};
    return build_table(b, s, columns, n);
}

void build_processes(struct build *b)
{
    const struct hd_process_list *list = &b->r->processes;
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    if (list->count == 0) {
        text_add_string(&b->words, "no .NET process to collect from");
        build_paragraph(b, s);
        return;
    }
    const struct columns has = columns_for(list);
    struct doc_table *t = begin_table(b, s, has);
    for (size_t i = 0; i < list->count; i++)
        add_process(b, t, &list->all[i], has);
}
