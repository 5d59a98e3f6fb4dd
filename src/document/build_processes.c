/* The processes of this machine that snapshots can be taken of. */
#include "document/build.h"

#include <inttypes.h>
#include <string.h>

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

static void add_name(struct build *b, const char *name)
{
    if (name != NULL)
        build_cell_name(b, name);
    else
        build_cell_words(b, "-");
}

static void add_container(struct build *b, const char *id)
{
    char brief[CONTAINER_DIGITS + 1];
    if (id != NULL)
        snprintf(brief, sizeof(brief), "%s", id);
    add_name(b, id != NULL ? brief : NULL);
}

static void add_numbers(struct build *b, const struct hd_process *p)
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
    add_name(b, p->name);
    if (has.containers)
        add_container(b, p->container);
    if (has.hosts)
        add_name(b, p->host);
    add_numbers(b, p);
    add_name(b, p->runtime);
    add_name(b, p->user);
    add_name(b, p->command);
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
        text_add_string(&b->words, "no .NET process that can be collected from");
        build_paragraph(b, s);
        return;
    }
    const struct columns has = columns_for(list);
    struct doc_table *t = begin_table(b, s, has);
    for (size_t i = 0; i < list->count; i++)
        add_process(b, t, &list->all[i], has);
}
