#include "document/document.h"

#include "heapdrift.h"

#include <stdlib.h>
#include <string.h>

struct document *document_new(const char *title)
{
    struct document *d = alloc_zeroed(sizeof(*d));
    d->title = doc_string(d, title);
    d->made_by = "heapdrift " HD_VERSION;
    return d;
}

void document_free(struct document *d)
{
    if (d == NULL)
        return;
    arena_free(&d->arena);
    free(d);
}

const char *doc_string(struct document *d, const char *s)
{
    return s != NULL ? arena_strdup(&d->arena, s, strlen(s)) : NULL;
}

/* Room for one more of len items. What an array leaves behind when it grows is as much as
 * it holds, and goes with the arena. */
static void *more(struct document *d, void *items, size_t len, size_t *cap, size_t size)
{
    enum { FIRST = 2 };
    if (len < *cap)
        return items;
    *cap = *cap > 0 ? 2 * *cap : FIRST;
    void *copy = arena_alloc(&d->arena, array_bytes(*cap, size));
    if (len > 0)
        memcpy(copy, items, len * size);
    return copy;
}

struct doc_section *doc_section(struct document *d, enum doc_section_kind kind)
{
    d->sections =
        more(d, d->sections, d->section_count, &d->section_cap, sizeof(*d->sections));
    struct doc_section *s = &d->sections[d->section_count++];
    s->kind = kind;
    return s;
}

struct doc_section *doc_topic(struct document *d, const char *title, const char *remark)
{
    struct doc_section *s = doc_section(d, DOC_TOPIC);
    s->title = (struct doc_run){DOC_WORDS, title};
    s->remark = remark;
    return s;
}

struct doc_block *doc_block(struct document *d, struct doc_section *s,
                            enum doc_block_kind kind)
{
    s->blocks = more(d, s->blocks, s->block_count, &s->block_cap, sizeof(*s->blocks));
    struct doc_block *b = &s->blocks[s->block_count++];
    b->kind = kind;
    return b;
}

struct doc_fact *doc_fact(struct document *d, struct doc_facts *f, const char *name)
{
    f->all = more(d, f->all, f->len, &f->cap, sizeof(*f->all));
    f->all[f->len].name = doc_string(d, name);
    return &f->all[f->len++];
}

struct doc_row *doc_row(struct document *d, struct doc_table *t, enum doc_row_kind kind)
{
    t->rows = more(d, t->rows, t->row_count, &t->row_cap, sizeof(*t->rows));
    struct doc_row *r = &t->rows[t->row_count++];
    r->kind = kind;
    r->cells = arena_array(&d->arena, struct doc_cell, t->column_count);
    return r;
}

struct doc_runs *doc_remark(struct document *d, struct doc_row *r)
{
    r->remarks = more(d, r->remarks, r->remark_count, &r->remark_cap, sizeof(*r->remarks));
    return &r->remarks[r->remark_count++];
}

struct doc_attached *doc_attached(struct document *d, struct doc_row *r, const char *label)
{
    r->attached =
        more(d, r->attached, r->attached_count, &r->attached_cap, sizeof(*r->attached));
    r->attached[r->attached_count].label = doc_string(d, label);
    return &r->attached[r->attached_count++];
}

struct doc_chain *doc_chain(struct document *d, struct doc_chains *c, size_t frames)
{
    c->all = more(d, c->all, c->len, &c->cap, sizeof(*c->all));
    c->all[c->len].frames = arena_array(&d->arena, struct doc_frame, frames);
    return &c->all[c->len++];
}

struct doc_note *doc_note(struct document *d, struct doc_notes *n)
{
    n->all = more(d, n->all, n->len, &n->cap, sizeof(*n->all));
    return &n->all[n->len++];
}

struct doc_runs *doc_piece(struct document *d, struct doc_line *l, const char *joint)
{
    l->all = more(d, l->all, l->len, &l->cap, sizeof(*l->all));
    l->all[l->len].joint = doc_string(d, joint);
    return &l->all[l->len++].cell.words;
}

struct doc_runs *doc_brief(struct document *d, struct doc_cell *cell, unsigned below)
{
    cell->brief = arena_alloc(&d->arena, sizeof(*cell->brief));
    cell->brief->below = below;
    return &cell->brief->words;
}

/* Most have one run. */
void doc_run(struct document *d, struct doc_runs *to, enum doc_style style,
             const char *text)
{
    if (text[0] == '\0')
        return;
    if (to->len == to->cap) {
        size_t cap = to->cap > 0 ? 2 * (size_t)to->cap : 1;
        struct doc_run *all = arena_array(&d->arena, struct doc_run, cap);
        if (to->len > 0)
            memcpy(all, to->all, to->len * sizeof(*all));
        to->all = all;
        to->cap = (unsigned)cap;
    }
    to->all[to->len++] = (struct doc_run){.style = style, .text = doc_string(d, text)};
}
