/* The facts of each snapshot, or why a file is none. */
#include "report/build.h"

#include <inttypes.h>

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
    human_count(&b->words, count);
    if (bytes != HD_UNKNOWN) {
        text_add_string(&b->words, ", ");
        human_size(&b->words, bytes);
        text_add_string(&b->words, " (");
        human_count(&b->words, bytes);
        text_add_string(&b->words, " bytes)");
    }
    build_end(b, doc_piece(b->doc, &fact->value, ""));
    return fact;
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
    add_name(b, f, "command", s->origin.command);
    add_quoted(b, f, "generation", s->origin.generation);
    add_quoted(b, f, "liveness", s->origin.liveness);
    add_quoted(b, f, "filters", s->origin.filters);
    add_tally(b, f, "objects", info->objects, info->bytes);
    add_tally(b, f, "types", info->types, HD_UNKNOWN);
    add_graph_facts(b, f, s);
    add_quoted(b, f, "sampled",
               info->sampled ? "yes: bytes scale up exactly, counts are estimates" : "");
    add_quoted(b, f, "complete", info->complete ? "" : "no: objects may be missing");
    add_quoted(b, f, "xxh3", sum);
}

static void add_error(struct build *b, struct doc_section *s, const struct hd_error *e)
{
    char place[48] = "";
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
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

void build_info(struct build *b)
{
    for (size_t k = 0; k < b->r->snapshot_count; k++) {
        const struct hd_snapshot_facts *from = &b->r->snapshots[k];
        struct doc_section *s = doc_section(b->doc, DOC_ITEM);
        s->title = (struct doc_run){DOC_NAME, doc_string(b->doc, from->info.path)};
        if (from->error.status != HD_OK)
            add_error(b, s, &from->error);
        else
            add_facts(b, &doc_block(b->doc, s, DOC_FACTS)->facts, from);
        build_notes(b, s, k);
    }
}
