/* Build the parts that several kinds of report share: cells, names, chains, notes, and the
 * origin of snapshots. */
#include "document/build.h"

#include "heap/names.h"
#include "heap/place.h"
#include "report/object_words.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

/* Kinds of own runs, in addition to styles. */
enum { RUN_TYPE = DOC_LIBRARY_NAME + 1, RUN_FILE };

static void add_own_run(struct sentence *to, const struct say_part *p)
{
    text_add_string(&to->words, p->words);
}

static struct say_part own_run(const char *words, uint64_t what)
{
    return words == NULL
               ? say_words("-")
               : (struct say_part){.add = add_own_run, .words = words, .last = what};
}

struct say_part run_name(const char *name)
{
    return own_run(name, DOC_NAME);
}

struct say_part run_type(const char *type)
{
    return own_run(type, RUN_TYPE);
}

struct say_part run_file(size_t snapshot)
{
    struct say_part p = own_run("", RUN_FILE);
    p.n = snapshot;
    return p;
}

struct say_part run_quoted(const char *words)
{
    return own_run(words, DOC_QUOTED);
}

struct say_part run_code(const char *words)
{
    return own_run(words, DOC_CODE);
}

struct say_part say_if(bool is_so, struct say_part part)
{
    return is_so ? part : say_words("");
}

static struct say_part known(bool is_known, struct say_part part)
{
    return is_known ? part : say_words("-");
}

struct say_part as_known(const char *words)
{
    return known(words != NULL, say_words(words));
}

struct say_part as_share(double share)
{
    return known(!isnan(share), as_percent(share));
}

struct say_part as_id(uint64_t n)
{
    return known(n != HD_UNKNOWN, as_digits(n));
}

struct say_part as_address(uint64_t n)
{
    return known(n != 0, as_hex(n));
}

struct say_part as_age(uint64_t seconds)
{
    return known(seconds != HD_UNKNOWN, as_duration(seconds));
}

static void add_others(struct sentence *to, const struct say_part *p)
{
    format_others(&to->words, p->n);
}

struct say_part as_others(uint64_t n)
{
    return (struct say_part){.add = add_others, .n = n};
}

static void add_root_kind(struct sentence *to, const struct say_part *p)
{
    object_add_root_kind(&to->words, (enum hd_root_kind)p->n);
}

struct say_part as_root_kind(int kind)
{
    return (struct say_part){.add = add_root_kind, .n = (uint64_t)kind};
}

/* Types by the names that people know. Group roots and variables have no type. */
static void add_run_of(struct build *b, struct doc_runs *to, const struct say_part *p)
{
    const struct hd_report *r = b->r;
    if (p->last == RUN_FILE)
        add_run(b, to, DOC_NAME, heading_file(r->snapshots, r->snapshot_count, p->n));
    else if (p->last != RUN_TYPE)
        add_run(b, to, (enum doc_style)p->last, p->words);
    else
        add_run(b, to,
                r->options.by == HD_BY_TYPE &&
                        names_is_framework(name_part(p->words), NAME_WHOLE)
                    ? DOC_LIBRARY_NAME
                    : DOC_NAME,
                report_shown(r, p->words));
}

void build_say(struct build *b, struct doc_runs *to, enum doc_style style,
               const struct say_part *parts)
{
    struct sentence said = {.words = b->words};
    for (const struct say_part *p = parts; p->add != NULL; p++) {
        said.name_count = 0; /* names are runs of their own */
        if (p->add != add_own_run) {
            p->add(&said, p);
            continue;
        }
        b->words = said.words;
        add_run_of(b, to, p);
        said.words = b->words;
    }
    b->words = said.words;
    doc_run(b->doc, to, style, text_string(&b->words));
    text_clear(&b->words);
}

struct doc_runs *build_break(struct build *b, struct doc_line *l, const char *joint)
{
    struct doc_runs *to = doc_piece(b->doc, l, joint);
    l->all[l->len - 1].breaks = true;
    return to;
}

struct doc_runs *build_fact(struct build *b, struct doc_facts *f, const char *name)
{
    return doc_piece(b->doc, &doc_fact(b->doc, f, name)->value, "");
}

struct doc_line *build_attached(struct build *b, const char *label)
{
    struct doc_line *l = &doc_attached(b->doc, b->row, label)->line;
    l->wraps = true;
    return l;
}

struct doc_runs *build_wrapped(struct build *b, struct doc_section *s)
{
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    l->wraps = true;
    return doc_piece(b->doc, l, "");
}

/* --- tables -------------------------------------------------------------- */

struct doc_table *build_table(struct build *b, struct doc_section *s,
                              const struct doc_column *columns, size_t count)
{
    struct doc_table *t = &doc_block(b->doc, s, DOC_TABLE)->table;
    t->columns = arena_array(&b->doc->arena, struct doc_column, count);
    b->absent = 0;
    for (size_t c = 0; c < count; c++) {
        b->absent |= (unsigned)columns[c].is_absent << c;
        if (columns[c].is_absent)
            continue;
        t->columns[t->column_count] = columns[c];
        t->columns[t->column_count++].title = doc_string(b->doc, columns[c].title);
    }
    return t;
}

void build_row(struct build *b, struct doc_table *t, enum doc_row_kind kind)
{
    b->row = doc_row(b->doc, t, kind);
    b->cell = b->column = 0;
}

struct doc_runs *build_next_cell(struct build *b)
{
    bool absent = b->row->kind == DOC_ROW && (b->absent >> b->column++ & 1) != 0;
    b->dropped = (struct doc_cell){0};
    return absent ? &b->dropped.words : &b->row->cells[b->cell++].words;
}

void build_rest(struct build *b, struct doc_table *t, uint64_t left)
{
    if (left == 0)
        return;
    build_row(b, t, DOC_REST);
    CELL(b, "… ", left, " more");
}

void build_others(struct build *b, struct doc_table *t, uint64_t left)
{
    if (left == 0)
        return;
    build_row(b, t, DOC_REST);
    b->row->is_below = true;
    CELL(b, as_others(left));
}

void build_cell_trend(struct build *b, const struct hd_tally *at, size_t count)
{
    enum { FEW = 8, WIDTH_FOR_ALL = 120 };
    if (count > FEW) {
        format_trend_of(&b->words, at, count, FEW);
        build_end(b, doc_brief(b->doc, &b->row->cells[b->cell], WIDTH_FOR_ALL));
    }
    format_trend(&b->words, at, count);
    CELL(b, "");
}

/* --- lists ---------------------------------------------------------------- */

struct doc_table *build_list(struct build *b, struct doc_section *s, const struct record *r)
{
    const struct hd_model *m = &b->r->model;
    struct doc_column columns[MAX_LISTED] = {{0}};
    size_t count = record_list_known(r, r->lines, m, b->listed);
    bool has_subject = false;
    for (size_t i = 0; i < count; i++) {
        const struct column *c = b->listed[i].field->column;
        columns[i] = (struct doc_column){
            .title = column_title(c, m),
            .align = hd_cell_is_number(c->kind) ? DOC_RIGHT : DOC_LEFT,
            .is_subject = c->is_subject,
            .gives_way = c->gives_way,
            .is_title = c->is_title,
            .from_width = i > 0 ? b->listed[i].from_width : 0,
            .is_detail = c->is_detail,
            .is_for_pages = c->is_for_pages,
            .meaning = c->meaning_in != NULL ? c->meaning_in(m) : c->meaning};
        has_subject |= c->is_subject;
    }
    columns[count - 1].is_subject |= !has_subject;
    b->listed_count = count;
    return build_table(b, s, columns, count);
}

static void add_column_words(struct build *b, const struct column *c, const void *of)
{
    struct record_walk w = {.snapshots = b->r->snapshot_count, .context = &b->r->model};
    if (c->brief != NULL) {
        c->brief(&b->words, of, &w);
        if (b->words.len > 0)
            build_end(b, doc_brief(b->doc, &b->row->cells[b->cell], c->brief_below));
    }
    c->words(&b->words, of, &w);
    CELL(b, "");
}

/* Adds a change by its sign; for suspects growth is bad. */
static void add_change(struct build *b, const struct column *column, struct hd_cell c)
{
    bool known = c.a != HD_UNKNOWN && c.b != HD_UNKNOWN;
    enum doc_style style = !known || c.a == c.b ? DOC_WORDS
                           : c.b > c.a          ? DOC_MORE
                                                : DOC_LESS;
    if (column->grows)
        style = b->row->is_suspect ? DOC_MORE : DOC_WORDS;
    CELL_AS(b, style,
            c.kind == HD_CELL_COUNT_CHANGE ? as_change(c.a, c.b)
                                           : as_size_change(c.a, c.b));
}

static void add_cell(struct build *b, const struct column *column, struct hd_cell c)
{
    enum { BAR_COLUMNS = 8 };
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    struct text method = {0};
    switch (c.kind) {
    case HD_CELL_NONE:
        CELL(b, "");
        break;
    case HD_CELL_COUNT:
        CELL(b, c.a);
        break;
    case HD_CELL_SIZE:
        CELL(b, as_size(c.a));
        break;
    case HD_CELL_COUNT_CHANGE:
    case HD_CELL_SIZE_CHANGE:
        add_change(b, column, c);
        break;
    case HD_CELL_FROM_TO:
        CELL(b, c.a, " → ", c.b);
        break;
    case HD_CELL_SHARE:
        CELL(b, as_share(c.share));
        break;
    case HD_CELL_BAR:
        if (!isnan(c.share))
            format_bar(&b->words, c.share, BAR_COLUMNS);
        CELL(b, "");
        break;
    case HD_CELL_TREND:
        build_cell_trend(b, at, hd_cell_trend(&c, b->r->snapshot_count, at));
        break;
    case HD_CELL_OBJECT:
        if (c.a != 0)
            CELL_AS(b, DOC_CODE, as_address(c.a));
        else
            build_place(b, build_next_cell(b), 0, (uint32_t)c.b);
        break;
    case HD_CELL_FIELD:
        build_value(b, build_next_cell(b), c.field);
        break;
    case HD_CELL_ROOT_KIND:
        CELL(b, as_root_kind((int)c.a));
        break;
    case HD_CELL_WORD:
        CELL(b, as_known(c.text));
        break;
    case HD_CELL_QUOTED:
        CELL(b, run_quoted(c.text));
        break;
    case HD_CELL_NAME:
        CELL(b, run_name(c.text));
        break;
    case HD_CELL_TITLE:
        if (format_method(&method, c.text, false))
            CELL(b, run_name(text_string(&method)));
        else
            CELL(b, run_type(c.text));
        text_free(&method);
        break;
    case HD_CELL_TYPE:
        CELL(b, run_type(c.text));
        break;
    }
}

void build_list_row(struct build *b, const void *of)
{
    for (size_t i = 0; i < b->listed_count; i++) {
        const struct column *c = b->listed[i].field->column;
        const void *its = (const char *)of + b->listed[i].offset;
        if (c->words != NULL)
            add_column_words(b, c, its);
        else if (c->cell != NULL)
            add_cell(b, c, c->cell(&b->r->model, its));
        else
            CELL(b, "");
    }
}

struct doc_cell *build_cell_of(struct build *b, const char *key)
{
    b->dropped = (struct doc_cell){0};
    for (size_t i = 0; i < b->listed_count; i++)
        if (strcmp(b->listed[i].field->key, key) == 0)
            return &b->row->cells[i];
    return &b->dropped;
}

/* --- the summary ---------------------------------------------------------- */

/* Names by themselves: they have to be escaped. */
static void summary_add_words(struct build *b, struct doc_runs *to, const struct hd_line *l)
{
    size_t at = 0, len = strlen(l->text);
    for (size_t i = 0; i <= l->name_count; i++) {
        struct hd_span name = {len, len};
        if (i < l->name_count)
            name = l->names[i];
        text_add(&b->words, l->text + at, name.from - at);
        build_end(b, to);
        text_add(&b->words, l->text + name.from, name.to - name.from);
        SAY_AS(b, to, DOC_NAME, "");
        at = name.to;
    }
}

/* A leak is red in a check that passes, too. */
static enum doc_style style_of(const struct hd_summary *s, const char *label)
{
    static const enum doc_style styles[] = {[HD_SEVERITY_GOOD] = DOC_GOOD,
                                            [HD_SEVERITY_UNSURE] = DOC_UNSURE,
                                            [HD_SEVERITY_BAD] = DOC_BAD};
    if (label == NULL || strcmp(label, "FIX") == 0 || strcmp(label, "GREW") == 0 ||
        strcmp(label, "MOST") == 0)
        return DOC_STRONG;
    return strcmp(label, "LEAK") == 0 ? DOC_BAD : styles[s->severity];
}

void build_summary(struct build *b)
{
    static const char see_details[] = "; see -v";
    const struct hd_summary *s = &b->r->summary;
    struct document *d = b->doc;
    d->verdict = arena_array(&d->arena, struct doc_verdict, s->verdict_len);
    for (size_t i = 0; i < s->verdict_len; i++) {
        const struct hd_line *l = &s->verdict[i];
        struct doc_verdict *v = &d->verdict[d->verdict_len++];
        v->label = l->label;
        v->style = style_of(s, l->label);
        v->command = doc_string(d, l->command);
        v->if_brief = l->label == NULL ? see_details : NULL;
        if (l->label != NULL && strcmp(l->label, "FIX") == 0)
            build_marked(b, &v->words, l->text); /* a hint has marks */
        else
            summary_add_words(b, &v->words, l);
    }
    d->verdict_style = s->verdict_len > 0 ? d->verdict[0].style : DOC_WORDS;
    if (s->fact_len == 0)
        return;
    struct doc_facts *f = &doc_block(d, doc_section(d, DOC_PLAIN), DOC_FACTS)->facts;
    for (size_t i = 0; i < s->fact_len; i++) {
        struct doc_fact *fact = doc_fact(d, f, s->facts[i].label);
        struct doc_line *l = &fact->value;
        l->wraps = true;
        fact->if_brief = strcmp(fact->name, "also") == 0 ? see_details : NULL;
        summary_add_words(b, doc_piece(d, l, ""), &s->facts[i]);
        if (s->facts[i].brief != NULL)
            doc_run(d, doc_brief(d, &l->all[0].cell, s->facts[i].brief_below), DOC_QUOTED,
                    s->facts[i].brief);
    }
}

/* --- where it is from ------------------------------------------------------ */

void build_origin(struct build *b, struct doc_section *s)
{
    enum { BELOW = 2, ID_DIGITS = 12 };
    struct heading_origin from;
    if (!heading_origin(b->r, &from))
        return;
    struct doc_line *l = &doc_block(b->doc, s, DOC_PARAGRAPH)->line;
    bool named = from.process != NULL || from.several, has_pid = from.pid != HD_UNKNOWN;
    l->indent = BELOW;
    if (named || has_pid)
        SAY(b, doc_piece(b->doc, l, ""),
            from.process != NULL ? run_name(from.process)
                                 : say_words(from.several ? "several processes" : ""),
            !has_pid ? ""
            : named  ? " (pid "
                     : "pid ",
            say_if(has_pid, as_digits(from.pid)), has_pid && named ? ")" : "");
    if (from.host != NULL)
        PIECE(b, l, " ", "on ", run_name(from.host));
    if (from.container != NULL)
        PIECE(b, l, ", ", "container ",
              run_name(arena_strdup(&b->doc->arena, from.container,
                                    strnlen(from.container, ID_DIGITS))));
    if (from.runtime != NULL)
        PIECE(b, l, ", ", ".NET ", run_name(from.runtime));
}

void build_selection(struct build *b, struct doc_section *s)
{
    if (b->r->options.gen2)
        PARAGRAPH(b, s, "only objects in gen2, LOH, POH and frozen segments count");
    if (b->r->leaves_garbage || b->r->options.reachable)
        PARAGRAPH(b, s,
                  b->r->leaves_garbage ? phrase_no_garbage
                                       : "only reachable objects count");
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

/* Adds notes that no section has shown. */
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

/* --- the document ---------------------------------------------------------- */

struct document *document_of(const struct hd_report *r, const struct hd_write_options *opt,
                             bool is_page)
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
        [HD_REPORT_FLEET] = {"heapdrift fleet", build_fleet},
        [HD_REPORT_OBJECTS] = {"heapdrift object", build_objects},
        [HD_REPORT_STATICS] = {"heapdrift statics", build_statics}};
    struct build b = {.r = r,
                      .doc = document_new(kinds[r->kind].title),
                      .opt = opt,
                      .page = is_page ? opt : NULL};
    kinds[r->kind].build(&b);
    build_other_notes(&b);
    if (is_page)
        build_inputs(&b);
    text_free(&b.words);
    return b.doc;
}

/* --- chains ------------------------------------------------------------------------ */

/* Chains: as ladders with all of their frames, and as a line. */

/* The name of a field is read from a file, so it is quoted. */
static void add_field(struct build *b, struct doc_runs *to, const char *type,
                      const char *field)
{
    struct text t = {0};
    format_field(&t, type, field);
    if (t.len > 0)
        SAY(b, to, run_quoted(text_string(&t)));
    text_free(&t);
}

/* "(A.b → B.a) ×2–9 .c": the names, each with the field that leads to the next, and how
 * often they repeat. */
static void frame_add_types(struct build *b, struct doc_runs *to, const struct hd_frame *f)
{
    bool repeated = f->repeat_max > 1, grouped = repeated && f->type_count > 1;
    bool library = !f->is_program && !place_is_root(f->types[0]);
    enum doc_style style = library ? DOC_LIBRARY_NAME : DOC_NAME;
    SAY(b, to, grouped ? "(" : "");
    for (unsigned i = 0; i < f->type_count; i++) {
        SAY(b, to, i > 0 ? " → " : "");
        doc_run(b->doc, to, style, f->shown[i] != NULL ? f->shown[i] : f->types[i]);
        add_field(b, to, f->types[i], repeated ? f->fields[i] : f->field);
    }
    SAY(b, to, grouped ? ")" : "");
    if (!repeated)
        return;
    SAY(b, to, " ×", f->repeat_min);
    if (f->repeat_max > f->repeat_min)
        SAY(b, to, "–", f->repeat_max);
    if (format_leads_on(f)) {
        SAY(b, to, " ");
        add_field(b, to, f->types[f->type_count - 1], f->field);
    }
}

/* Adds the frames that are shown, each with how many were left out before it. "[static …]"
 * for a kind of root: all its variables are alike. */
static void add_frames(struct build *b, struct doc_chain *to, const struct hd_chain_row *c,
                       const struct report_brief *brief)
{
    size_t omitted = 0;
    for (size_t i = brief->first; i < c->chain.frame_count; i++) {
        const struct hd_frame *f = &c->chain.frames[i];
        if (c->frames_omitted > 0 && i == c->omitted_at)
            omitted += c->frames_omitted;
        if (brief->shown != NULL && !brief->shown[i]) {
            omitted++;
            continue;
        }
        struct doc_frame *frame = &to->frames[to->frame_count++];
        frame->omitted = omitted;
        omitted = 0;
        if (brief->root_by_kind && i == brief->first) {
            frame->is_root = true;
            SAY(b, &frame->name, "[", as_root_kind(c->chain.kind), " …]");
            continue;
        }
        frame_add_types(b, &frame->name, f);
        frame->is_root = place_is_root(f->types[0]);
        frame->generation =
            f->generation <= HD_GEN1 ? generation_names[f->generation] : NULL;
        frame->is_owner = i == c->chain.owner_frame;
        if (frame->is_owner && f->type_count == 1)
            frame->role = service_names[c->chain.service];
    }
}

struct doc_chain *build_ladder(struct build *b, struct doc_chains *to,
                               const struct hd_chain_row *c)
{
    static const struct report_brief whole;
    struct doc_chain *chain = doc_chain(b->doc, to, c->chain.frame_count);
    const char *status = chain_status_names[c->status];
    struct hd_chain_row row = *c;
    if (b->page != NULL)
        row.status = HD_CHAIN_UNKNOWN;
    text_share(&b->words, &row);
    build_end(b, doc_piece(b->doc, &chain->head, ""));
    if (b->page != NULL && status != NULL)
        doc_run(b->doc, doc_piece(b->doc, &chain->head, "  "),
                c->status == HD_CHAIN_NEW || c->status == HD_CHAIN_GROWING ? DOC_BAD
                                                                           : DOC_STRONG,
                status);
    add_frames(b, chain, c, &whole);
    return chain;
}

struct doc_chain *build_chain(struct build *b, struct doc_chains *to,
                              const struct hd_chain_row *c, bool with_share)
{
    const bool all = b->r->options.depth != HD_USUAL_DEPTH || b->r->kind == HD_REPORT_ROOTS;
    struct report_brief brief = report_brief_of(&c->chain, all, &b->doc->arena);
    struct doc_chain *chain = doc_chain(b->doc, to, c->chain.frame_count);
    if (with_share) {
        text_share(&b->words, c);
        build_end(b, doc_piece(b->doc, &chain->head, ""));
    }
    add_frames(b, chain, c, &brief);
    return chain;
}

void build_path(struct build *b, struct doc_chains *to, const char *const *types,
                size_t len)
{
    struct doc_chain *chain = doc_chain(b->doc, to, len);
    for (size_t i = 0; i < len; i++) {
        struct doc_frame *frame = &chain->frames[chain->frame_count++];
        SAY(b, &frame->name, run_type(types[i]));
        frame->is_root = place_is_root(types[i]);
    }
}

void build_holder(struct build *b, struct doc_chains *to, const char *holder)
{
    struct doc_chain *chain = doc_chain(b->doc, to, 1);
    chain->frame_count = 1;
    SAY(b, &chain->frames[0].name, run_quoted(holder));
}
