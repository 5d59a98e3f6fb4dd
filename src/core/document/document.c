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

/* Makes room for one more of len items. The old array is as large as its content, and is
 * freed with the arena. */
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

/* One more item, zeroed. */
#define ONE_MORE(d, items, len, cap) \
    ((items) = more(d, items, len, &(cap), sizeof(*(items))), &(items)[(len)++])

struct doc_section *doc_section(struct document *d, enum doc_section_kind kind)
{
    struct doc_section *s = ONE_MORE(d, d->sections, d->section_count, d->section_cap);
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
    struct doc_block *b = ONE_MORE(d, s->blocks, s->block_count, s->block_cap);
    b->kind = kind;
    return b;
}

struct doc_fact *doc_fact(struct document *d, struct doc_facts *f, const char *name)
{
    struct doc_fact *fact = ONE_MORE(d, f->all, f->len, f->cap);
    fact->name = doc_string(d, name);
    return fact;
}

struct doc_row *doc_row(struct document *d, struct doc_table *t, enum doc_row_kind kind)
{
    struct doc_row *r = ONE_MORE(d, t->rows, t->row_count, t->row_cap);
    r->kind = kind;
    r->cells = arena_array(&d->arena, struct doc_cell, t->column_count);
    return r;
}

struct doc_runs *doc_remark(struct document *d, struct doc_row *r)
{
    return ONE_MORE(d, r->remarks, r->remark_count, r->remark_cap);
}

struct doc_attached *doc_attached(struct document *d, struct doc_row *r, const char *label)
{
    struct doc_attached *a = ONE_MORE(d, r->attached, r->attached_count, r->attached_cap);
    a->label = doc_string(d, label);
    return a;
}

struct doc_chain *doc_chain(struct document *d, struct doc_chains *c, size_t frames)
{
    struct doc_chain *chain = ONE_MORE(d, c->all, c->len, c->cap);
    chain->frames = arena_array(&d->arena, struct doc_frame, frames);
    return chain;
}

struct doc_note *doc_note(struct document *d, struct doc_notes *n)
{
    return ONE_MORE(d, n->all, n->len, n->cap);
}

struct doc_runs *doc_piece(struct document *d, struct doc_line *l, const char *joint)
{
    struct doc_piece *piece = ONE_MORE(d, l->all, l->len, l->cap);
    piece->joint = doc_string(d, joint);
    return &piece->cell.words;
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
