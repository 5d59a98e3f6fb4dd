/* Build the facts of each snapshot, or why a file is not one; and the processes of this
 * machine. */
#include "document/build.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Adds a fact if it is known. */
static void add_fact(struct build *b, struct doc_facts *f, const char *name,
                     struct say_part (*as)(const char *words), const char *value)
{
    if (value != NULL && value[0] != '\0')
        FACT(b, f, name, as(value));
}

static struct doc_fact *add_tally(struct build *b, struct doc_facts *f, const char *name,
                                  uint64_t count, uint64_t bytes)
{
    if (bytes != HD_UNKNOWN)
        FACT(b, f, name, count, ", ", as_size(bytes), " (", bytes, " bytes)");
    else
        FACT(b, f, name, count);
    return &f->all[f->len - 1];
}

static void add_free_part(struct build *b, struct doc_facts *f, const char *name,
                          uint64_t bytes)
{
    FACT(b, f, name, as_size(bytes), " (", bytes, " bytes)");
    f->all[f->len - 1].level = 1;
}

/* Blocks between objects, and no part of their numbers. */
static void add_free_facts(struct build *b, struct doc_facts *f,
                           const struct hd_process_facts *facts)
{
    uint64_t bytes = hd_fact(facts, HD_FACT_FRAGMENTED),
             blocks = hd_fact(facts, HD_FACT_FREE_BLOCKS),
             largest = hd_fact(facts, HD_FACT_LARGEST_FREE);
    if (bytes == HD_UNKNOWN)
        return;
    if (blocks != HD_UNKNOWN)
        add_tally(b, f, "free", blocks, bytes);
    else
        FACT(b, f, "free", as_size(bytes), " (", bytes, " bytes)");
    if (largest != HD_UNKNOWN)
        add_free_part(b, f, "largest", largest);
    for (enum hd_generation g = HD_GEN0; g <= HD_GEN_POH; g++) {
        uint64_t part = hd_fact(facts, HD_FACT_FREE_GEN0 + (g - HD_GEN0));
        if (part != HD_UNKNOWN && part > 0)
            add_free_part(b, f, generation_names[g], part);
    }
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
    if (s->traced_survivors != HD_UNKNOWN)
        FACT(b, f, "survivors", s->traced_survivors, " of the ", s->traced_objects,
             " of the previous snapshot, as reported by its collector");
    else if (s->survivors_unknown != HD_SURVIVORS_UNKNOWN_NONE)
        FACT(b, f, "survivors",
             "unknown: ", hd_survivors_unknown_words(s->survivors_unknown));
    if (s->sampled != HD_UNKNOWN)
        FACT(b, f, "allocations", as_plural(s->sampled, "sample"), ", with names of ",
             as_plural(s->methods, "method"));
    for (int g = 0; info->has_generations && g < HD_GENERATION_COUNT; g++)
        if (s->by_generation[g].count > 0)
            add_tally(b, f, g == HD_GEN_UNKNOWN ? "no generation" : generation_names[g],
                      s->by_generation[g].count, s->by_generation[g].bytes);
}

static void info_add_facts(struct build *b, struct doc_facts *f,
                           const struct hd_snapshot_facts *s)
{
    const struct hd_info *info = &s->info;
    char pid[24] = "", sum[24] = "";
    if (info->pid != HD_UNKNOWN)
        snprintf(pid, sizeof(pid), "%" PRIu64, info->pid);
    if (info->xxh3 != HD_UNKNOWN)
        snprintf(sum, sizeof(sum), "%016" PRIx64, info->xxh3);
    add_fact(b, f, "format", run_quoted, info->format);
    add_fact(b, f, "written by", run_quoted, info->producer);
    add_fact(b, f, "time", run_quoted, info->time);
    add_fact(b, f, "process", run_name, info->process);
    add_fact(b, f, "pid", run_quoted, pid);
    add_fact(b, f, "program", run_name, info->program);
    add_fact(b, f, "started", run_quoted, info->started);
    add_fact(b, f, "host", run_name, info->host);
    add_fact(b, f, "container", run_name, info->container);
    add_fact(b, f, "runtime", run_quoted, info->runtime);
    add_fact(b, f, "processor", run_quoted, info->processor);
    add_fact(b, f, "command", run_name, s->origin.command);
    add_fact(b, f, "generation", run_quoted, s->origin.generation);
    add_fact(b, f, "liveness", run_quoted, s->origin.liveness);
    add_fact(b, f, "filters", run_quoted, s->origin.filters);
    add_tally(b, f, "objects", info->objects, info->bytes);
    add_free_facts(b, f, &s->facts);
    add_tally(b, f, "types", info->types, HD_UNKNOWN);
    add_graph_facts(b, f, s);
    add_fact(b, f, "sampled", run_quoted,
             info->sampled ? "yes: bytes scale up exactly, counts are estimates" : "");
    add_fact(b, f, "values", run_quoted, info->redacted ? "redacted" : "");
    add_fact(b, f, "complete", run_quoted,
             info->complete ? "" : "no: objects may be missing");
    add_fact(b, f, "xxh3", run_quoted, sum);
    build_process_facts(b, f, s);
}

static void add_error(struct build *b, struct doc_line *l, const struct hd_error *e)
{
    char place[48] = "";
    if (e->where == HD_AT_LINE)
        snprintf(place, sizeof(place), "line %" PRIu64 ": ", e->at);
    else if (e->where == HD_AT_BYTE)
        snprintf(place, sizeof(place), "byte 0x%" PRIx64 ": ", e->at);
    SAY(b, doc_piece(b->doc, l, ""), "cannot be used: ", place,
        e->kind != NULL ? e->kind : "", e->kind != NULL ? ": " : "",
        run_quoted(e->message));
}

/* --- many files ------------------------------------------------------------ */

static void info_add_file(struct build *b, struct doc_table *t, size_t k)
{
    const struct hd_snapshot_facts *from = &b->r->snapshots[k];
    const struct hd_info *info = &from->info;
    bool ok = from->error.status == HD_OK;
    bool walked =
        ok && info->has_roots && info->objects > 0 && info->reachable_objects != HD_UNKNOWN;
    build_row(b, t, DOC_ROW);
    CELL(b, ok ? info->objects : HD_UNKNOWN);
    CELL(b, as_size(ok ? info->bytes : HD_UNKNOWN));
    CELL(b,
         as_share(walked ? (double)info->reachable_objects / (double)info->objects : NAN));
    CELL(b, run_quoted(ok && info->time != NULL ? info->time : "-"));
    CELL(b, as_known(ok ? info->format : NULL));
    CELL(b, run_quoted(info->path));
    if (ok && info->sampled)
        REMARK(b, "sampled");
    if (ok && !info->complete)
        REMARK(b, "incomplete");
    if (!ok)
        add_error(b, &doc_attached(b->doc, b->row, NULL)->line, &from->error);
    for (size_t i = 0; i < b->r->warning_count; i++) {
        const struct hd_warning *w = &b->r->warnings[i];
        bool said = strcmp(w->code, "sampled") == 0 || strcmp(w->code, "incomplete") == 0;
        if (w->snapshot == k && !said)
            ATTACHED(b, NULL, "warning: ", w->code, ": ", run_quoted(w->message));
    }
}

/* A line for each; options show more. */
static void add_files(struct build *b)
{
    static const struct doc_column columns[] = {
        {RIGHT("objects")},
        {RIGHT("heap")},
        {RIGHT("reachable"), .from_width = 60},
        {.title = "time", .from_width = 100},
        {.title = "format", .from_width = 80},
        {.title = "file", .is_subject = true, .is_title = true}};
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    s->only = DOC_ON_LINES;
    PARAGRAPH(b, s, as_plural(b->r->snapshot_count, "file"), "; -v shows all");
    struct heading_origin from;
    if (heading_origin(b->r, &from) && !from.several)
        build_origin(b, s);
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t k = 0; k < b->r->snapshot_count; k++)
        info_add_file(b, t, k);
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
            info_add_facts(b, &doc_block(b->doc, s, DOC_FACTS)->facts, from);
        build_notes(b, s, k);
    }
}

/* --- processes --------------------------------------------------------------------- */

/* The processes of this machine that snapshots can be taken of. */

/* Leaves out a column with only empty cells; if all run on one machine its name is known.
 * Eighty columns hold the distinguishing columns and the sizes. Processes under an engine
 * have a container, too, and often a name for it: then the user and the command, which are
 * alike in all rows, need a wider place. */
static struct doc_table *begin_table(struct build *b, struct doc_section *s)
{
    const struct hd_process_list *list = &b->r->processes;
    bool containers = false, hosts = false;
    for (size_t i = 0; i < list->count; i++) {
        const char *host = list->all[i].host, *first = list->all[0].host;
        containers |= list->all[i].container != NULL;
        hosts |= host == NULL || first == NULL ? host != first : strcmp(host, first) != 0;
    }
    const struct doc_column columns[] = {
        {RIGHT("pid")},
        {.title = "name", .is_subject = true},
        {.title = "container", .from_width = 66, .is_absent = !containers},
        {.title = "host",
         .gives_way = true,
         .from_width = containers ? 100 : 80,
         .is_absent = !hosts && !containers},
        {RIGHT("memory")},
        {RIGHT("uptime"), .from_width = 50},
        {.title = "runtime", .from_width = 72},
        {.title = "user", .from_width = containers ? 120 : 80},
        {.title = "command", .gives_way = true, .from_width = containers ? 140 : 100}};
    return TABLE(b, s, columns);
}

/* The id of a container is shortened as engines do: enough to recognize it. */
static void add_process(struct build *b, struct doc_table *t, const struct hd_process *p)
{
    enum { CONTAINER_DIGITS = 12 };
    char container[CONTAINER_DIGITS + 1];
    snprintf(container, sizeof(container), "%s", p->container != NULL ? p->container : "");
    build_row(b, t, DOC_ROW);
    CELL(b, as_id(p->pid));
    CELL(b, run_name(p->name));
    CELL(b, run_name(p->container != NULL ? container : NULL));
    CELL(b, run_name(p->host));
    CELL(b, as_size(p->memory));
    CELL(b, as_age(p->uptime));
    CELL(b, run_name(p->runtime));
    CELL(b, run_name(p->user));
    CELL(b, run_name(p->command));
    if (p->problem != NULL)
        ATTACHED(b, NULL, run_quoted(p->problem));
}

void build_processes(struct build *b)
{
    const struct hd_process_list *list = &b->r->processes;
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    if (list->count == 0) {
        if (list->name != NULL)
            PARAGRAPH(b, s, "no .NET process is called ", run_name(list->name));
        else
            PARAGRAPH(b, s, "no .NET process to collect from");
        return;
    }
    struct doc_table *t = begin_table(b, s);
    for (size_t i = 0; i < list->count; i++)
        add_process(b, t, &list->all[i]);
}
