/* Text for people. Without a terminal there is no colour and no limit of width. */
#include "report/phrases.h"
#include "report/text_check.h"
#include "report/text_diff.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <string.h>

/* --- top ----------------------------------------------------------------- */

enum { MOST_TOP_COLUMNS = 6 };

static bool has_generations(const struct hd_report *r)
{
    return r->top.types.len > 0 && r->top.types.rows[0].by_generation != NULL;
}

static size_t top_columns(const struct hd_report *r, struct column *columns)
{
    size_t n = 0;
    columns[n++] = (struct column){"count", ALIGN_RIGHT, false};
    columns[n++] = (struct column){"bytes", ALIGN_RIGHT, false};
    columns[n++] = (struct column){"of heap", ALIGN_RIGHT, false};
    columns[n++] = (struct column){"retained", ALIGN_RIGHT, false};
    if (has_generations(r))
        columns[n++] = (struct column){"generation", ALIGN_LEFT, false};
    columns[n++] = (struct column){report_unit(r), ALIGN_LEFT, true};
    return n;
}

/* A terminal narrower than this shows the generation that most objects are in. */
enum { GENERATION_COLUMNS = 120 };

static int largest_generation(const struct tally *by_generation)
{
    int best = 0;
    for (int g = 1; g < GENERATION_COUNT; g++)
        best = by_generation[g].count > by_generation[best].count ? g : best;
    return best;
}

/* "gen2", or "gen1 83 %, gen2 17 %" of the objects; "-" if not known. */
static void add_generations(struct text *t, const struct tally *by_generation,
                            uint64_t count, unsigned width)
{
    size_t before = t->len;
    bool brief = by_generation != NULL && width > 0 && width < GENERATION_COLUMNS;
    int only = brief ? largest_generation(by_generation) : GENERATION_COUNT;
    for (int g = 0; by_generation != NULL && g < GENERATION_COUNT; g++) {
        uint64_t here = by_generation[g].count;
        if (here == 0 || (brief && g != only))
            continue;
        if (t->len > before)
            text_add_string(t, ", ");
        text_add_string(t, generation_names[g]);
        if (here == count)
            continue;
        text_add_char(t, ' ');
        human_percent(t, (double)here / (double)count);
    }
    if (t->len == before)
        text_add_char(t, '-');
}

static void add_top_row(struct table *t, const struct hd_report *r, struct tally tally,
                        const struct report_type *row, const char *name, unsigned width)
{
    human_count(&t->content, tally.count);
    table_end_cell(t);
    human_size(&t->content, tally.bytes);
    table_end_cell(t);
    if (tally.bytes != HD_UNKNOWN && r->top.types.bytes_known &&
        r->top.types.totals[0].bytes > 0)
        human_percent(&t->content,
                      (double)tally.bytes / (double)r->top.types.totals[0].bytes);
    else
        text_add_char(&t->content, '-');
    table_end_cell(t);
    human_size(&t->content, row != NULL ? row->retained : HD_UNKNOWN);
    table_end_cell(t);
    if (has_generations(r)) {
        if (row != NULL)
            add_generations(&t->content, row->by_generation, tally.count, width);
        table_end_cell(t);
    }
    human_name(&t->content, name);
    table_end_cell(t);
}

static void write_top_table(const struct hd_report *r, const struct hd_write_options *opt,
                            struct out *o)
{
    struct column columns[MOST_TOP_COLUMNS];
    struct table t = {.columns = columns, .column_count = top_columns(r, columns)};
    const struct report_table *types = &r->top.types;
    for (size_t i = 0; i < types->shown; i++)
        add_top_row(&t, r, *types->rows[i].at, &types->rows[i],
                    report_shown(r, types->rows[i].type), opt->width);
    if (types->others.rows > 0) {
        struct text name = {0};
        human_others(&name, types->others.rows);
        add_top_row(&t, r, *types->others.at, NULL, text_string(&name), opt->width);
        text_free(&name);
    }
    add_top_row(&t, r, *types->sum.at, NULL, phrase_total(types), opt->width);
    table_print(&t, o, opt->width, opt->color);
    table_free(&t);
}

static void write_top(const struct hd_report *r, const struct hd_write_options *opt,
                      struct out *o)
{
    const struct hd_info *info = &r->snapshots[0].info;
    struct text head = {0};
    human_name(&head, text_file_name(info->path));
    text_add_string(&head, "  ");
    human_plural(&head, r->top.types.totals[0].count, "object");
    text_add_string(&head, ", ");
    human_size(&head, r->top.types.totals[0].bytes);
    if (info->has_roots && info->reachable_objects != HD_UNKNOWN && info->objects > 0 &&
        !r->options.gen2 && !r->options.reachable) {
        text_add_string(&head, ", ");
        human_percent(&head, (double)info->reachable_objects / (double)info->objects);
        text_add_string(&head, " reachable");
    }
    text_add_char(&head, '\n');
    text_selection(&head, r);
    text_add_char(&head, '\n');
    out_text(o, &head);
    text_free(&head);
    write_top_table(r, opt, o);
}

/* --- roots --------------------------------------------------------------- */

static void write_frame(struct text *t, const struct frame *f, bool first, unsigned width)
{
    enum { INDENT = 6 };
    struct text name = {0};
    size_t room = width > 2 * INDENT ? width - INDENT : SIZE_MAX;
    human_frame(&name, f, false);
    human_young(&name, f);
    text_add_string(t, first ? "      " : "    → ");
    if (utf8_columns(name.data, name.len) > room && f->types[0][0] != '[') {
        /* Namespaces go before the middle of a name does. */
        text_clear(&name);
        text_add_string(&name, "…");
        human_frame(&name, f, true);
        human_young(&name, f);
    }
    if (f->types[0][0] == '[')
        human_shorten_name(t, name.data, name.len, room);
    else
        human_shorten(t, name.data, name.len, room);
    text_add_char(t, '\n');
    text_free(&name);
}

static void write_chain(const struct hd_report *r, const struct report_chain *c,
                        size_t number, unsigned width, struct out *o)
{
    struct text t = {0};
    text_add_char(&t, '\n');
    human_count(&t, number);
    text_add_string(&t, ".  ");
    text_share(&t, c);
    text_add_string(&t, "  ");
    text_add_string(&t, root_kind_names[c->chain.kind]);
    if (c->status != CHAIN_UNKNOWN) {
        text_add_string(&t, "  ");
        text_add_string(&t, chain_status_names[c->status]);
    }
    for (size_t k = 0; c->instances != NULL && k < r->snapshot_count; k++) {
        text_add_string(&t, k == 0 ? "  " : " → ");
        human_count(&t, c->instances[k]);
    }
    if (c->address != 0) {
        char address[40];
        snprintf(address, sizeof(address), "  e.g. 0x%" PRIx64, c->address);
        text_add_string(&t, address);
        if (c->generation != GEN_UNKNOWN) {
            text_add_string(&t, " in ");
            text_add_string(&t, generation_names[c->generation]);
        }
    }
    text_add_char(&t, '\n');
    for (size_t i = 0; i < c->chain.frame_count; i++) {
        if (c->frames_omitted > 0 && i == c->omitted_at) {
            text_add_string(&t, "      … ");
            human_count(&t, c->frames_omitted);
            text_add_string(&t, " more\n");
        }
        write_frame(&t, &c->chain.frames[i], i == 0, width);
    }
    out_text(o, &t);
    text_free(&t);
}

static void write_roots(const struct hd_report *r, const struct hd_write_options *opt,
                        struct out *o)
{
    struct text t = {0};
    size_t last = r->snapshot_count - 1;
    human_name(&t, r->roots.matched_count == 1 ? report_shown(r, r->roots.matched[0])
                                               : r->roots.pattern);
    if (r->roots.matched_count > 1) {
        text_add_string(&t, "  (");
        human_count(&t, r->roots.matched_count);
        text_add_string(&t, " types)");
    }
    text_add_string(&t, "  ");
    for (size_t k = 0; k <= last; k++) {
        text_add_string(&t, k > 0 ? " → " : "");
        human_count(&t, r->roots.instances[k].count);
    }
    text_add_string(&t, r->roots.instances[last].count == 1 ? " instance" : " instances");
    if (r->roots.instances[last].bytes != HD_UNKNOWN) {
        text_add_string(&t, ", ");
        human_size(&t, r->roots.instances[last].bytes);
    }
    text_add_string(&t, "\nheld in ");
    human_name(&t, text_file_name(r->snapshots[last].info.path));
    text_add_string(&t, " by");
    if (r->roots.chains.samples < r->roots.chains.instances) {
        text_add_string(&t, " (shares from ");
        human_count(&t, r->roots.chains.samples);
        text_add_string(&t, " sampled instances, 95 % intervals)");
    }
    text_add_string(&t, ":\n");
    text_selection(&t, r);
    out_text(o, &t);
    text_free(&t);
    for (size_t i = 0; i < r->roots.chains.len; i++)
        write_chain(r, &r->roots.chains.all[i], i + 1, opt->width, o);
    if (r->roots.chains.omitted == 0)
        return;
    struct text rest = {0};
    text_add_char(&rest, '\n');
    human_plural(&rest, r->roots.chains.omitted, "other chain");
    text_add_string(&rest, r->roots.chains.omitted == 1 ? " holds " : " hold ");
    human_percent(&rest, r->roots.chains.omitted_share);
    out_text(o, &rest);
    size_t all = r->roots.chains.len + r->roots.chains.omitted;
    if (r->roots.chains.available == all)
        out_printf(o, "; --chains=%zu shows all\n", all);
    else if (r->roots.chains.available > r->roots.chains.len)
        out_printf(o, "; --chains=%zu shows the most frequent\n",
                   r->roots.chains.available);
    else
        out_printf(o, "; no more than %zu can be shown\n", r->roots.chains.available);
    text_free(&rest);
}

/* --- info ---------------------------------------------------------------- */

static const struct column info_columns[] = {{NULL, ALIGN_LEFT, false},
                                             {NULL, ALIGN_LEFT, false}};

static void add_fact(struct table *t, const char *name, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    text_add_string(&t->content, "  ");
    table_cell(t, name);
    human_name(&t->content, value);
    table_end_cell(t);
}

static void add_tally(struct table *t, const char *name, uint64_t count, uint64_t bytes)
{
    text_add_string(&t->content, "  ");
    table_cell(t, name);
    human_count(&t->content, count);
    if (bytes != HD_UNKNOWN) {
        text_add_string(&t->content, ", ");
        human_size(&t->content, bytes);
        text_add_string(&t->content, " (");
        human_count(&t->content, bytes);
        text_add_string(&t->content, " bytes)");
    }
    table_end_cell(t);
}

static void add_graph_facts(struct table *t, const struct report_snapshot *s)
{
    const struct hd_info *info = &s->info;
    if (info->references != HD_UNKNOWN)
        add_tally(t, "references", info->references, HD_UNKNOWN);
    if (info->has_roots) {
        add_tally(t, "roots", info->roots, HD_UNKNOWN);
        for (int k = 0; k < ROOT_KIND_COUNT; k++) {
            char name[40];
            snprintf(name, sizeof(name), "  %s", root_kind_names[k]);
            if (s->roots_by_kind[k] > 0)
                add_tally(t, name, s->roots_by_kind[k], HD_UNKNOWN);
        }
        add_tally(t, "reachable", info->reachable_objects, info->reachable_bytes);
    }
    if (s->weak_roots != HD_UNKNOWN && s->weak_roots > 0)
        add_tally(t, "weak handles", s->weak_roots, HD_UNKNOWN);
    for (int g = 0; info->has_generations && g < GENERATION_COUNT; g++)
        if (s->by_generation[g].count > 0)
            add_tally(t, g == GEN_UNKNOWN ? "no generation" : generation_names[g],
                      s->by_generation[g].count, s->by_generation[g].bytes);
}

static void write_snapshot(const struct hd_report *r, size_t k, struct out *o)
{
    const struct report_snapshot *s = &r->snapshots[k];
    const struct hd_info *info = &s->info;
    struct table t = TABLE_OF(info_columns);
    char pid[24] = "", sum[24] = "";
    if (info->pid != HD_UNKNOWN)
        snprintf(pid, sizeof(pid), "%" PRIu64, info->pid);
    if (info->xxh3 != HD_UNKNOWN)
        snprintf(sum, sizeof(sum), "%016" PRIx64, info->xxh3);
    add_fact(&t, "format", info->format);
    add_fact(&t, "written by", info->producer);
    add_fact(&t, "time", info->time);
    add_fact(&t, "process", info->process);
    add_fact(&t, "pid", pid);
    add_fact(&t, "program", info->program);
    add_fact(&t, "started", info->started);
    add_fact(&t, "host", info->host);
    add_fact(&t, "container", info->container);
    add_fact(&t, "runtime", info->runtime);
    add_fact(&t, "command", s->origin.command);
    add_fact(&t, "generation", s->origin.generation);
    add_fact(&t, "liveness", s->origin.liveness);
    add_fact(&t, "filters", s->origin.filters);
    add_tally(&t, "objects", info->objects, info->bytes);
    add_tally(&t, "types", info->types, HD_UNKNOWN);
    add_graph_facts(&t, s);
    add_fact(&t, "sampled",
             info->sampled ? "yes: bytes scale up exactly, counts are estimates" : "");
    add_fact(&t, "complete", info->complete ? "" : "no: objects may be missing");
    add_fact(&t, "xxh3", sum);
    table_print(&t, o, 0, false);
    table_free(&t);
}

static void put_name(const char *name, struct out *o)
{
    struct text t = {0};
    human_name(&t, name);
    out_text(o, &t);
    text_free(&t);
}

static void write_error(const struct hd_error *e, struct out *o)
{
    out_string(o, "  cannot be used: ");
    if (e->where == HD_AT_LINE)
        out_printf(o, "line %" PRIu64 ": ", e->at);
    else if (e->where == HD_AT_BYTE)
        out_printf(o, "byte 0x%" PRIx64 ": ", e->at);
    if (e->kind != NULL)
        out_printf(o, "%s: ", e->kind);
    put_name(e->message, o);
    out_string(o, "\n");
}

static void write_warning(const struct hd_warning *w, struct out *o)
{
    out_printf(o, "  warning: %s: ", w->code);
    put_name(w->message, o);
    if (w->count != HD_UNKNOWN && w->count > 1)
        out_printf(o, " (%" PRIu64 " times)", w->count);
    if (w->line != HD_UNKNOWN)
        out_printf(o, ", first in line %" PRIu64, w->line);
    out_string(o, "\n");
}

static void write_info(const struct hd_report *r, const struct hd_write_options *opt,
                       struct out *o)
{
    struct text name = {0};
    for (size_t k = 0; k < r->snapshot_count; k++) {
        const struct report_snapshot *s = &r->snapshots[k];
        text_clear(&name);
        human_name(&name, s->info.path);
        out_printf(o, "%s%s%s%s\n", k > 0 ? "\n" : "", opt->color ? "\033[1m" : "",
                   text_string(&name), opt->color ? "\033[0m" : "");
        if (s->error.status != HD_OK)
            write_error(&s->error, o);
        else
            write_snapshot(r, k, o);
        for (size_t i = 0; i < r->warning_count; i++)
            if (r->warnings[i].snapshot == k)
                write_warning(&r->warnings[i], o);
    }
    text_free(&name);
}

/* --- processes ----------------------------------------------------------- */

static void add_name(struct table *t, const char *name)
{
    human_name(&t->content, name != NULL ? name : "-");
    table_end_cell(t);
}

static void write_processes(const struct hd_report *r, const struct hd_write_options *opt,
                            struct out *o)
{
    static const struct column columns[] = {{"pid", ALIGN_RIGHT, false},
                                            {"name", ALIGN_LEFT, false},
                                            {"runtime", ALIGN_LEFT, false},
                                            {"user", ALIGN_LEFT, false},
                                            {"command", ALIGN_LEFT, true}};
    struct table t = TABLE_OF(columns);
    if (r->processes.count == 0) {
        out_string(o, "no .NET process that can be collected from\n");
        return;
    }
    for (size_t i = 0; i < r->processes.count; i++) {
        const struct hd_process *p = &r->processes.all[i];
        char pid[24];
        snprintf(pid, sizeof(pid), "%" PRIu64, p->pid);
        table_cell(&t, pid);
        add_name(&t, p->name);
        add_name(&t, p->runtime);
        add_name(&t, p->user);
        add_name(&t, p->command);
        if (p->problem == NULL)
            continue;
        struct text note = {0};
        text_add_string(&note, "    ");
        human_name(&note, p->problem);
        table_note(&t, note.data, note.len);
        text_free(&note);
    }
    table_print(&t, o, opt->width, opt->color);
    table_free(&t);
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    switch (r->kind) {
    case REPORT_DIFF:
        text_write_diff(r, opt, o);
        break;
    case REPORT_TOP:
        write_top(r, opt, o);
        break;
    case REPORT_ROOTS:
        write_roots(r, opt, o);
        break;
    case REPORT_INFO:
        write_info(r, opt, o);
        break;
    case REPORT_CHECK:
        text_write_check(r, opt, o);
        break;
    case REPORT_PROCESSES:
        write_processes(r, opt, o);
        break;
    case REPORT_KIND_COUNT:
        break;
    }
}

const struct writer write_text = {
    .name = "text",
    .summary = "for people",
    .write = write,
};
