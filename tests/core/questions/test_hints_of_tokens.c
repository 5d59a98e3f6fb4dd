/* Undisposed linked token sources as in .NET 10: the parent's registrations are a list of
 * nodes, which refer to each other, to their list and to the linked source; that refers to
 * its node, and has its own list after a first registration. */
#include "questions/hinted.h"
#include "ranking/hints.h"

struct shape {
    unsigned parents;
    bool listens; /* a scope registers with the linked source */
    bool in_full; /* nested types have the names of their classes, as in core dumps */
    const char *type;
};

static node_id nested(struct forge *f, const struct shape *s, const char *name)
{
    char full[LONGEST_TYPE];
    snprintf(full, sizeof(full), "%s%s",
             s->in_full ? "System.Threading.CancellationTokenSource+" : "", name);
    return forge_object(f, full, 64);
}

/* A node in a list; before: the previously added node, or 0. */
static node_id add_node(struct forge *f, const struct shape *s, node_id list,
                        node_id before, node_id calls)
{
    node_id node = nested(f, s, "CallbackNode");
    forge_reference(f, node, list);
    forge_reference(f, node, calls);
    if (before != 0) {
        forge_reference(f, node, before);
        forge_reference(f, before, node);
    }
    return node;
}

/* Lists begin at the newest node. */
static struct hd_snapshot *gateway(const struct shape *s, uint32_t requests)
{
    static const char *const variables[] = {"App.Program.Stopping", "App.Program.Second"};
    static const char *const linked_types[] = {"Linked1CancellationTokenSource",
                                               "Linked2CancellationTokenSource"};
    struct forge f = {0};
    node_id lists[2], last[2] = {0, 0};
    for (unsigned p = 0; p < s->parents; p++) {
        node_id source = forge_object(&f, "System.Threading.CancellationTokenSource", 64);
        lists[p] = nested(&f, s, "Registrations");
        forge_reference(&f, source, lists[p]);
        forge_reference(&f, lists[p], source);
        forge_root(&f, HD_ROOT_STATIC, variables[p], source);
    }
    for (uint32_t i = 0; i < requests; i++) {
        node_id linked = nested(&f, s, linked_types[s->parents - 1]);
        for (unsigned p = 0; p < s->parents; p++) {
            last[p] = add_node(&f, s, lists[p], last[p], linked);
            forge_reference(&f, linked, last[p]);
        }
        if (!s->listens)
            continue;
        node_id list = nested(&f, s, "Registrations");
        node_id action = forge_object(&f, "System.Action", 64);
        node_id scope = forge_object(&f, "App.Scope", 600);
        forge_reference(&f, linked, list);
        forge_reference(&f, list, linked);
        forge_reference(&f, list, add_node(&f, s, list, 0, action));
        forge_reference(&f, action, scope);
        forge_reference(&f, scope, linked);
    }
    for (unsigned p = 0; p < s->parents; p++)
        forge_reference(&f, lists[p], last[p]);
    return forge_finish(&f);
}

/* type: the first suspect. With several parents the linked source is next below roots. */
static const struct shape shapes[] = {
    {1, false, false, "CallbackNode"},
    {1, true, false, "Registrations"},
    {2, false, false, "CallbackNode"},
    {2, true, false, "Linked2CancellationTokenSource"},
    {1, false, true, "System.Threading.CancellationTokenSource+CallbackNode"},
    {1, true, true, "System.Threading.CancellationTokenSource+Registrations"},
    {2, false, true, "System.Threading.CancellationTokenSource+CallbackNode"},
    {2, true, true,
     "System.Threading.CancellationTokenSource+Linked2CancellationTokenSource"},
};

Test(hints_of_tokens, a_linked_source_has_its_hint_however_it_is_ranked)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        struct hd_snapshot *snaps[SHOPS];
        for (uint32_t k = 0; k < SHOPS; k++)
            snaps[k] = gateway(&shapes[i], 200 * (k + 1));
        struct hd_report *r = diff_of(snaps, SHOPS, NULL);
        cr_assert_geq(r->diff.suspect_count, 1, "%zu", i);
        const struct hd_suspect *s = &r->diff.suspects[0];
        cr_expect_str_eq(s->type, shapes[i].type, "%zu: %s", i, s->type);
        cr_expect_str_eq(id_of(s->hint), "linked-token-source-not-disposed", "%zu: %s", i,
                         id_of(s->hint));
        hd_report_free(r);
    }
}

/* Sources in a collection, with registrations but not linked. */
Test(hints_of_tokens, other_sources_do_not_get_the_hint)
{
    struct hint_example e = {
        "linked-token-source-not-disposed",
        STATIC("App.Host.all") "System.Threading.CancellationTokenSource",
        "Registrations > CallbackNode > System.Action > App.Scope"};
    struct hd_report *r = example_diff(&e);
    for (size_t i = 0; i < r->diff.suspect_count; i++)
        cr_expect_str_neq(id_of(r->diff.suspects[i].hint), e.id, "%s",
                          r->diff.suspects[i].type);
    hd_report_free(r);
}
