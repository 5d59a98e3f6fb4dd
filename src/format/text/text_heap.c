#include "format/text/text_heap.h"

#include "base/hash.h"

#include <string.h>

/* Names of the sections so far. */
struct text_domain {
    UT_hash_handle hh;
};

/* Whether the section's name is new, which it is from now on no more. */
static bool is_new_domain(struct text_heap *h)
{
    struct text_domain *found;
    HASH_FIND(hh, h->domains, h->open.data, h->open.len, found);
    if (found != NULL)
        return false;
    found = arena_alloc(&h->names, sizeof(*found));
    HASH_ADD_KEYPTR(hh, h->domains, h->open.data, h->open.len, found);
    return true;
}

void text_heap_begin(struct text_heap *h, struct span name, uint64_t version,
                     uint64_t stamp, uint64_t line)
{
    struct hd_snapshot *snap = h->b->snap;
    section_begin(&h->section, h->b->want_graph, builder_account(h->b));
    h->in_section = true;
    h->open = (struct span){arena_strdup(&h->names, name.data, name.len), name.len};
    if (version != 2)
        section_odd(&h->section, WARN_UNKNOWN_VERSION, line);
    if (!is_new_domain(h)) {
        section_odd(&h->section, WARN_REPEATED_DOMAIN, line);
        snap->info.complete = false;
    }
    if (h->sections++ == 0) {
        snap->info.process = builder_string(h->b, name.data, name.len);
        snap->clock = (double)stamp / 1000;
    }
}

void text_heap_end(struct text_heap *h, struct span name, uint64_t line)
{
    if (name.len != h->open.len || memcmp(name.data, h->open.data, name.len) != 0)
        section_odd(&h->section, WARN_DOMAIN_NAME_MISMATCH, line);
    section_end(&h->section, h->b, &h->roots, &h->totals);
    h->in_section = false;
}

/* Ranking and chains start at a root of all roots, even if it holds nothing. */
static void add_lone_root(struct builder *b)
{
    static const char name[] = "[roots]";
    node_id root = b->graph != NULL ? b->graph->node_count : 0;
    builder_node(b, builder_type(b, TYPE_PSEUDO, name, sizeof(name) - 1), 0);
    builder_root(b, root);
}

void text_heap_finish(struct text_heap *h)
{
    enum { MANY_OBJECTS = 1000 };
    struct hd_snapshot *snap = h->b->snap;
    const struct text_totals *totals = &h->totals;
    snap->info.has_graph = true;
    snap->info.has_roots = totals->strong_roots > 0;
    snap->weak_roots = totals->weak_roots;
    if (totals->dangling_references > totals->references / 100)
        snap->info.complete = false;
    if (snap->info.objects > MANY_OBJECTS && h->b->size_base != 10 &&
        !totals->sizes_have_letters)
        builder_warn(h->b, WARN_SIZES_LOOK_DECIMAL, 0);
    if (snap->info.objects > 0 && totals->strong_roots == 0)
        builder_warn(h->b, WARN_NO_ROOTS, 0);
    if (!h->b->want_graph) {
        snap->info.roots = totals->strong_roots;
        memcpy(snap->roots_by_kind, totals->roots_by_kind, sizeof(snap->roots_by_kind));
    } else if (totals->strong_roots > 0) {
        root_set_emit(&h->roots, h->b);
    } else {
        add_lone_root(h->b);
    }
}

void text_heap_free(struct text_heap *h)
{
    section_free(&h->section);
    root_set_free(&h->roots);
    HASH_CLEAR(hh, h->domains);
    arena_free(&h->names);
}
