/* What several kinds of report have: cells, names, notes, and where snapshots are from. */
#include "document/build.h"

#include "heap/names.h"
#include "report/heading.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <string.h>

/* --- words --------------------------------------------------------------- */

static void add_run(struct build *b, struct doc_runs *to, enum doc_style style,
                    const char *text)
{
    build_end(b, to);
    doc_run(b->doc, to, style, text);
}

void build_end(struct build *b, struct doc_runs *to)
{
    doc_run(b->doc, to, DOC_WORDS, text_string(&b->words));
    text_clear(&b->words);
}

void build_words(struct build *b, struct doc_runs *to, const char *words)
{
    text_add_string(&b->words, words);
    build_end(b, to);
}

void build_name(struct build *b, struct doc_runs *to, const char *name)
{
    add_run(b, to, DOC_NAME, name);
}

void build_quoted(struct build *b, struct doc_runs *to, const char *words)
{
    add_run(b, to, DOC_QUOTED, words);
}

void build_file(struct build *b, struct doc_runs *to, size_t snapshot)
{
    build_name(b, to, heading_file(b->r->snapshots, b->r->snapshot_count, snapshot));
}

struct doc_runs *build_break(struct build *b, struct doc_line *l, const char *joint)
{
    struct doc_runs *to = doc_piece(b->doc, l, joint);
    l->all[l->len - 1].breaks = true;
    return to;
}

void build_paragraph(struct build *b, struct doc_section *s)
{
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    build_end(b, doc_piece(b->doc, l, ""));
    l->wraps = true;
}

/* --- tables -------------------------------------------------------------- */

struct doc_table *build_table(struct build *b, struct doc_section *s,
                              const struct doc_column *columns, size_t count)
{
    struct doc_table *t = &doc_block(b->doc, s, DOC_TABLE)->table;
    t->columns = arena_array(&b->doc->arena, struct doc_column, count);
    t->column_count = count;
    for (size_t c = 0; c < count; c++) {
        t->columns[c] = columns[c];
        t->columns[c].title = doc_string(b->doc, columns[c].title);
    }
    return t;
}

void build_row(struct build *b, struct doc_table *t, enum doc_row_kind kind)
{
    b->row = doc_row(b->doc, t, kind);
    b->cell = 0;
}

void build_cell(struct build *b)
{
    build_end(b, &b->row->cells[b->cell++].words);
}

void build_cell_words(struct build *b, const char *words)
{
    text_add_string(&b->words, words);
    build_cell(b);
}

void build_cell_name(struct build *b, const char *name)
{
    build_name(b, &b->row->cells[b->cell++].words, name);
}

/* Names of groups of roots and of variables are nobody's. */
void build_type(struct build *b, struct doc_runs *to, const char *name)
{
    bool library =
        b->r->options.by == HD_BY_TYPE && names_is_framework(name_part(name), NAME_WHOLE);
    add_run(b, to, library ? DOC_LIBRARY_NAME : DOC_NAME, report_shown(b->r, name));
}

void build_cell_type(struct build *b, const char *name)
{
    build_type(b, &b->row->cells[b->cell++].words, name);
}

void build_cell_title(struct build *b, const char *name)
{
    struct text method = {0};
    if (format_method(&method, name, false))
        add_run(b, &b->row->cells[b->cell++].words, DOC_NAME, text_string(&method));
    else
        build_cell_type(b, name);
    text_free(&method);
}

void build_cell_trend(struct build *b, const struct hd_tally *at, size_t count)
{
    enum { FEW = 8, ROOM_FOR_ALL = 120 };
    struct doc_cell *cell = &b->row->cells[b->cell];
    if (count > FEW) {
        format_trend_of(&b->words, at, count, FEW);
        build_end(b, doc_brief(b->doc, cell, ROOM_FOR_ALL));
    }
    format_trend(&b->words, at, count);
    build_cell(b);
}

void build_cell_change(struct build *b, bool grows)
{
    doc_run(b->doc, &b->row->cells[b->cell++].words, grows ? DOC_MORE : DOC_LESS,
            text_string(&b->words));
    text_clear(&b->words);
}

/* --- the verdict ---------------------------------------------------------- */

void build_verdict_tone(struct build *b)
{
    static const enum doc_style styles[] = {
        [HD_TONE_GOOD] = DOC_GOOD, [HD_TONE_UNSURE] = DOC_UNSURE, [HD_TONE_BAD] = DOC_BAD};
    b->doc->is_verdict = true;
    b->doc->tone = styles[report_tone(b->r)];
}

/* Names by themselves: they have to be escaped. */
void build_headline(struct build *b, struct headline *h)
{
    const char *words = doc_string(b->doc, text_string(&h->words));
    size_t at = 0;
    for (size_t i = 0; i <= h->name_count; i++) {
        struct headline_name name = {h->words.len, h->words.len};
        if (i < h->name_count)
            name = h->names[i];
        text_add(&b->words, words + at, name.from - at);
        build_end(b, &b->doc->summary);
        text_add(&b->words, words + name.from, name.to - name.from);
        doc_run(b->doc, &b->doc->summary, DOC_NAME, text_string(&b->words));
        text_clear(&b->words);
        at = name.to;
    }
    b->doc->is_sentence = true;
    build_verdict_tone(b);
}

/* --- where it is from ------------------------------------------------------ */

static void add_fact(struct build *b, struct doc_line *l, const char *joint,
                     const char *words, const char *name)
{
    enum { ID_DIGITS = 12 };
    if (name == NULL)
        return;
    struct doc_runs *to = build_break(b, l, joint);
    bool is_id = strcmp(words, "container ") == 0;
    char *shown =
        arena_strdup(&b->doc->arena, name, is_id ? strnlen(name, ID_DIGITS) : strlen(name));
    build_words(b, to, words);
    build_name(b, to, shown);
}

void build_origin(struct build *b, struct doc_section *s)
{
    enum { BELOW = 2 };
    struct heading_origin from;
    if (!heading_origin(b->r, &from))
        return;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    bool named = from.process != NULL || from.several;
    l->indent = BELOW;
    if (named || from.pid != HD_UNKNOWN) {
        struct doc_runs *to = doc_piece(b->doc, l, "");
        char pid[32];
        snprintf(pid, sizeof(pid), named ? " (pid %" PRIu64 ")" : "pid %" PRIu64, from.pid);
        if (from.process != NULL)
            build_name(b, to, from.process);
        else if (from.several)
            build_words(b, to, "several processes");
        build_words(b, to, from.pid != HD_UNKNOWN ? pid : "");
    }
    add_fact(b, l, " ", "on ", from.host);
    add_fact(b, l, ", ", "container ", from.container);
    add_fact(b, l, ", ", ".NET ", from.runtime);
}

void build_selection(struct build *b, struct doc_section *s)
{
    static const char gen2[] =
        "only objects in gen2, LOH, POH and frozen segments are counted";
    static const char reachable[] = "only objects on a chain from a root are counted";
    const char *said[] = {b->r->options.gen2 ? gen2 : "",
                          b->r->leaves_garbage      ? phrase_no_garbage
                          : b->r->options.reachable ? reachable
                                                    : ""};
    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
        text_add_string(&b->words, said[i]);
        if (said[i][0] != '\0')
            build_paragraph(b, s);
    }
}

/* --- warnings -------------------------------------------------------------- */

static void add_note(struct build *b, struct doc_notes *to, const struct hd_warning *w)
{
    struct doc_note *n = doc_note(b->doc, to);
    n->code = doc_string(b->doc, w->code);
    n->file =
        doc_string(b->doc, text_warned_file(b->r->snapshots, b->r->snapshot_count, w));
    n->message = doc_string(b->doc, w->message);
    n->count = w->count != HD_UNKNOWN ? w->count : 1;
    n->line = w->line != HD_UNKNOWN ? w->line : 0;
}

void build_notes(struct build *b, struct doc_section *s, size_t snapshot)
{
    struct doc_notes *notes = NULL;
    for (size_t i = 0; i < b->r->warning_count; i++) {
        if (b->r->warnings[i].snapshot != snapshot)
            continue;
        if (notes == NULL)
            notes = &doc_block(b->doc, s, DOC_NOTES)->notes;
        add_note(b, notes, &b->r->warnings[i]);
    }
}

/* What no section of its own has said. */
static void build_other_notes(struct build *b)
{
    struct doc_notes *notes = NULL;
    const char *title = b->page != NULL ? "Warnings" : NULL;
    for (size_t i = 0; i < b->r->warning_count; i++) {
        const struct hd_warning *w = &b->r->warnings[i];
        if (b->r->kind == HD_REPORT_INFO && w->snapshot < b->r->snapshot_count)
            continue;
        if (notes == NULL) {
            struct doc_section *s = doc_section(b->doc, title ? DOC_TOPIC : DOC_PLAIN);
            s->title = (struct doc_run){DOC_WORDS, title};
            notes = &doc_block(b->doc, s, DOC_NOTES)->notes;
        }
        notes->is_aside = true;
        add_note(b, notes, w);
    }
}

/* --- all of it ------------------------------------------------------------- */

static struct document *make(const struct hd_report *r, const struct hd_write_options *page)
{
    static const struct {
        const char *title;
        void (*build)(struct build *b);
    } kinds[HD_REPORT_KIND_COUNT] = {
        [HD_REPORT_DIFF] = {"heapdrift", build_diff},
        [HD_REPORT_CHECK] = {"heapdrift check", build_check},
        [HD_REPORT_TOP] = {"heapdrift top", build_top},
        [HD_REPORT_ROOTS] = {"heapdrift roots", build_roots},
        [HD_REPORT_INFO] = {"heapdrift info", build_info},
        [HD_REPORT_PROCESSES] = {"heapdrift ps", build_processes},
        [HD_REPORT_TREE] = {"heapdrift tree", build_tree},
        [HD_REPORT_OBJECT] = {"heapdrift object", build_object},
        [HD_REPORT_FLEET] = {"heapdrift fleet", build_fleet}};
    struct build b = {.r = r, .doc = document_new(kinds[r->kind].title), .page = page};
    kinds[r->kind].build(&b);
    build_other_notes(&b);
    if (page != NULL)
        build_inputs(&b);
    text_free(&b.words);
    return b.doc;
}

struct document *document_of(const struct hd_report *r)
{
    return make(r, NULL);
}

struct document *document_of_page(const struct hd_report *r,
                                  const struct hd_write_options *opt)
{
    return make(r, opt);
}
