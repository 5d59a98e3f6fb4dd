/* The processes of this machine that snapshots can be taken of. */
#include "report/build.h"

#include <inttypes.h>

static void add_process(struct build *b, struct doc_table *t, const struct hd_process *p)
{
    const char *names[] = {p->name, p->runtime, p->user, p->command};
    char pid[24];
    build_row(b, t, DOC_ROW);
    snprintf(pid, sizeof(pid), "%" PRIu64, p->pid);
    build_cell_words(b, pid);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i] != NULL)
            build_cell_name(b, names[i]);
        else
            build_cell_words(b, "-");
    if (p->problem == NULL)
        return;
    struct doc_line *l = &doc_attached(b->doc, b->row, NULL)->line;
    build_quoted(b, doc_piece(b->doc, l, ""), p->problem);
}

void build_processes(struct build *b)
{
    static const struct doc_column columns[] = {{.title = "pid", .align = DOC_RIGHT},
                                                {.title = "name"},
                                                {.title = "runtime"},
                                                {.title = "user"},
                                                {.title = "command", .is_subject = true}};
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    if (b->r->processes.count == 0) {
        text_add_string(&b->words, "no .NET process that can be collected from");
        build_paragraph(b, s);
        return;
    }
    struct doc_table *t = build_table(b, s, columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < b->r->processes.count; i++)
        add_process(b, t, &b->r->processes.all[i]);
}
