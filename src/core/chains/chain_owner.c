#include "chains/chain_owner.h"

#include "base/hash.h"
#include "heap/names.h"
#include "heap/place.h"
#include "series/type_rank.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- signatures ------------------------------------------------------------- */

/* A chain of types with its repetitions folded.
 *
 * A B A B A C becomes (A B)x2 A C: after every type, for periods 1, 2, 3, if the
 * last p elements equal the p before them, they are dropped and counted as one
 * more repeat. Chains with equal signatures differ only in repeats.
 *
 * Each step knows by which field the element before it leads on to it. Only a signature
 * that parts by fields takes them for a difference. */

static bool repeats_before(const struct signature *s, size_t period)
{
    if (s->len < 2 * period)
        return false;
    for (size_t i = s->len - period; i < s->len; i++)
        if (s->all[i].type != s->all[i - period].type ||
            (s->parts && s->all[i].by != s->all[i - period].by))
            return false;
    return true;
}

void signature_push(struct signature *s, uint32_t type, field_id by)
{
    s->all = grow(s->all, s->len, &s->cap, sizeof(*s->all));
    s->all[s->len++] =
        (struct signature_element){.type = type,
                                   .by = by,
                                   .repeats = {1, 1, 1},
                                   .back = {FIELD_UNSEEN, FIELD_UNSEEN, FIELD_UNSEEN}};
    for (size_t p = 1; p <= SIGNATURE_PERIODS; p++) {
        if (!repeats_before(s, p))
            continue;
        /* Drop the last p elements, which repeat those before them. */
        const struct signature_element *again = &s->all[s->len - p];
        struct signature_element *kept = &s->all[s->len - 2 * p], *last = &kept[p - 1];
        for (size_t i = 0; i < p; i++) {
            if (i > 0)
                kept[i].by = field_seen(kept[i].by, again[i].by);
            for (size_t q = 0; q < SIGNATURE_PERIODS; q++)
                kept[i].back[q] = field_seen(kept[i].back[q], again[i].back[q]);
        }
        last->repeats[p - 1]++;
        last->back[p - 1] = field_seen(last->back[p - 1], again[0].by);
        s->len -= p;
        return;
    }
}

int signature_compare_from(const struct signature *a, size_t i, const struct signature *b,
                           size_t j)
{
    if (a->len - i != b->len - j)
        return a->len - i < b->len - j ? -1 : 1;
    const size_t first = i;
    for (; i < a->len; i++, j++) {
        const struct signature_element *x = &a->all[i], *y = &b->all[j];
        if (x->type != y->type)
            return x->type < y->type ? -1 : 1;
        if (a->parts && i > first && x->by != y->by)
            return x->by < y->by ? -1 : 1;
    }
    return 0;
}

int signature_compare(const struct signature *a, const struct signature *b)
{
    return signature_compare_from(a, 0, b, 0);
}

unsigned signature_pattern(const struct signature *s, size_t i, uint32_t *repeats)
{
    for (unsigned p = SIGNATURE_PERIODS; p >= 1; p--) {
        if (i + p > s->len)
            continue;
        *repeats = s->all[i + p - 1].repeats[p - 1];
        if (*repeats > 1)
            return p;
    }
    *repeats = 1;
    return 1;
}

void signature_free(struct signature *s)
{
    free(s->all);
    *s = (struct signature){0};
}

/* --- plumbing ------------------------------------------------------------------------ */

/* Nested types lack the outer one, as in events. With a * a pattern of docs/names.md,
 * without one the whole name. The first match counts. */
static const struct {
    const char *pattern;
    enum plumbing is;
} table[] = {
    /* timers */
    {"System.Threading.TimerQueueTimer", PLUMBING_TIMER},
    {"TimerQueueTimer", PLUMBING_TIMER},
    {"System.Threading.Timer", PLUMBING_WAY},
    {"System.Threading.TimerHolder", PLUMBING_WAY},
    {"TimerHolder", PLUMBING_WAY},
    {"System.Threading.TimerQueue*", PLUMBING_WAY},
    {"System.Threading.TimerCallback", PLUMBING_WAY},
    {"System.Threading.PeriodicTimer*", PLUMBING_WAY},
    {"System.Timers.Timer", PLUMBING_WAY},

    /* tasks and their awaiters */
    {"System.Threading.Tasks.*", PLUMBING_WAY},
    {"System.Runtime.CompilerServices.*", PLUMBING_WAY},
    {"AsyncStateMachineBox<*", PLUMBING_WAY},
    {"DebugFinalizableAsyncStateMachineBox<*", PLUMBING_WAY},
    {"StateMachineBox<*", PLUMBING_WAY},
    {"DelayPromise*", PLUMBING_WAY},
    {"WhenAllPromise*", PLUMBING_WAY},
    {"CancellationPromise*", PLUMBING_WAY},
    {"ContinuationWrapper", PLUMBING_WAY},
    {"System.Threading.ExecutionContext", PLUMBING_WAY},
    {"System.Threading.AsyncLocal*", PLUMBING_WAY},
    {"*ElementAsyncLocalValueMap", PLUMBING_WAY},
    {"System.Threading.ThreadPoolWorkQueue*", PLUMBING_WAY},
    {"System.Threading.QueueUserWorkItemCallback*", PLUMBING_WAY},
    {"System.Threading.ContextCallback", PLUMBING_WAY},
    {"System.Threading.WaitCallback", PLUMBING_WAY},
    {"System.Threading.SendOrPostCallback", PLUMBING_WAY},
    {"System.Threading.Thread", PLUMBING_WAY},

    /* registrations of cancellation */
    {"System.Threading.CancellationTokenSource+CallbackNode", PLUMBING_REGISTRATION},
    {"System.Threading.CancellationTokenSource*", PLUMBING_TOKEN},
    {"Linked*CancellationTokenSource", PLUMBING_TOKEN},
    {"Registrations", PLUMBING_TOKEN},
    {"CallbackNode", PLUMBING_REGISTRATION},
    {"CallbackNode[]", PLUMBING_WAY},

    /* sockets that wait */
    {"System.Net.Sockets.SocketAsync*", PLUMBING_WAY},
    {"AwaitableSocketAsyncEventArgs", PLUMBING_WAY},
    {"BufferMemoryReceiveOperation", PLUMBING_WAY},

    /* the container of services, and hosts of some services */
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.*CallSite",
     PLUMBING_CALL_SITE},
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceProviderEngineScope",
     PLUMBING_SCOPE},
    {"Entry<Microsoft.Extensions.DependencyInjection.ServiceLookup.ServiceCacheKey,"
     "System.Object>[]",
     PLUMBING_SERVICES},
    {"Microsoft.Extensions.DependencyInjection.ServiceLookup.*", PLUMBING_WAY},
    {"*<Microsoft.Extensions.DependencyInjection.ServiceLookup.*", PLUMBING_WAY},
    {"Microsoft.Extensions.DependencyInjection.ServiceProvider", PLUMBING_WAY},
    {"ServiceAccessor", PLUMBING_WAY},
    {"Microsoft.Extensions.Hosting.*", PLUMBING_WAY},
};

/* Every type of a snapshot is compared with the whole table, and nearly all differ in the
 * letters before a *. */
static bool chain_owner_matches(const char *pattern, const char *type)
{
    size_t i = 0;
    while (pattern[i] == type[i] && pattern[i] != '\0' && pattern[i] != '*')
        i++;
    return pattern[i] == '*' ? names_match(pattern, type) : pattern[i] == type[i];
}

enum plumbing plumbing_of(const char *type)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (chain_owner_matches(table[i].pattern, type))
            return table[i].is;
    return PLUMBING_NONE;
}

const char *const service_names[HD_SERVICE_COUNT] = {
    [HD_SERVICE_SINGLETON] = "singleton", [HD_SERVICE_HELD] = "service"};

struct owner_type {
    const char *name;
    enum plumbing plumbing; /* looked up once for all snapshots */
    bool is_many;           /* more than one object, in some snapshot */
    enum type_rank rank;    /* of all snapshots */
    UT_hash_handle hh;
};

/* --- types ------------------------------------------------------------------- */

static bool begins(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

struct owner_types owner_types_of(struct hd_snapshot *const *snaps, size_t count)
{
    struct owner_types o = {0};
    for (size_t k = 0; k < count; k++) {
        struct own_modules own = own_modules_of(snaps[k]);
        for (type_id t = 0; t < snaps[k]->type_count; t++) {
            const struct type *type = &snaps[k]->types[t];
            if (type->kind == TYPE_UNDEFINED)
                continue;
            struct owner_type *known;
            HASH_FIND_STR(o.by_name, type->name, known);
            if (known == NULL) {
                known = arena_alloc(&o.arena, sizeof(*known));
                *known = (struct owner_type){.name = type->name,
                                             .plumbing = plumbing_of(type->name)};
                HASH_ADD_KEYPTR(hh, o.by_name, known->name, strlen(known->name), known);
            }
            known->is_many |= type->raw.count > 1 || type->tally[SELECT_ALL].count > 1;
            enum type_rank rank = type_rank_of(&own, type);
            known->rank = rank > known->rank ? rank : known->rank;
            /* Most of plumbing has a short name, which a program may use, too. */
            if (type_origin_of(type->module) == ORIGIN_PROGRAM)
                known->plumbing = PLUMBING_NONE;
        }
    }
    return o;
}

void owner_types_free(struct owner_types *o)
{
    HASH_CLEAR(hh, o->by_name);
    arena_free(&o->arena);
}

/* General containers do not identify an owner. */
static bool is_container(const char *name)
{
    static const char *const prefixes[] = {
        "System.Collections.", "System.Action", "System.Func<",       "System.EventHandler",
        "System.Delegate",     "System.Lazy<",  "System.Reflection.", "System.Runtime"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (begins(name, prefixes[i]))
            return true;
    return names_is_unnamed(name) || strcmp(name, "System.Object") == 0 ||
           strcmp(name, "System.String") == 0;
}

static bool is_variable(const char *pseudo_name)
{
    struct place place = place_of(pseudo_name);
    return place_is_variable(&place) ||
           (place.kind == PLACE_TYPE && root_kind_of(pseudo_name) == HD_ROOT_STATIC &&
            strchr(pseudo_name, ' ') != NULL);
}

chain_role owner_role(const struct owner_types *o, enum type_kind kind, const char *name)
{
    static const chain_role of_plumbing[] = {
        [PLUMBING_TIMER] = ROLE_TIMER, [PLUMBING_CALL_SITE] = ROLE_CALL_SITE,
        [PLUMBING_SCOPE] = ROLE_SCOPE, [PLUMBING_SERVICES] = ROLE_SERVICES,
        [PLUMBING_TOKEN] = ROLE_TOKEN, [PLUMBING_REGISTRATION] = ROLE_REGISTRATION};
    struct owner_type *known;
    HASH_FIND_STR(o->by_name, name, known);
    chain_role own = known != NULL && rank_is_own(known->rank) ? ROLE_OWN : 0;
    if (kind == TYPE_PSEUDO)
        return is_variable(name) ? ROLE_VARIABLE | own : 0;
    if (kind != TYPE_OBJECT)
        return 0;
    enum plumbing plumbing = known != NULL ? known->plumbing : plumbing_of(name);
    if (plumbing != PLUMBING_NONE)
        return of_plumbing[plumbing];
    if (strcmp(name, "System.Object[]") == 0)
        return ROLE_ARRAY;
    if (strcmp(name, "System.Collections.Generic.List<System.Object>") == 0)
        return ROLE_LIST;
    bool program = known != NULL && rank_is_program(known->rank);
    if (is_container(name) || (!program && !names_has_namespace(name)))
        return 0;
    bool single = known != NULL && !known->is_many;
    return (chain_role)(ROLE_NAMED | own | (program ? ROLE_PROGRAM : 0) |
                        (single ? ROLE_SINGLE : 0));
}

chain_role *owner_roles(const struct owner_types *o, const struct hd_snapshot *snap,
                        struct arena *a)
{
    chain_role *roles = arena_array(a, chain_role, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++)
        roles[t] = owner_role(o, snap->types[t].kind, snap->types[t].name);
    return roles;
}

/* --- chains ------------------------------------------------------------------ */

bool owner_is_service(const chain_role window[ROLE_WINDOW])
{
    if (!(window[0] & ROLE_NAMED))
        return false;
    return (window[1] & (ROLE_CALL_SITE | ROLE_SERVICES)) != 0 ||
           ((window[1] & ROLE_ARRAY) && (window[2] & ROLE_LIST) &&
            (window[3] & ROLE_SCOPE));
}

bool owner_stands_at(const chain_role window[ROLE_WINDOW])
{
    return (window[0] & (ROLE_VARIABLE | ROLE_SINGLE | ROLE_TIMER | ROLE_SCOPE)) != 0 ||
           owner_is_service(window);
}

static chain_role role_at(const struct signature *s, size_t i, const chain_role *roles)
{
    /* A chain of an unreachable object begins with a group, which is not a type. */
    return s->all[i].type != UINT32_MAX ? roles[s->all[i].type] : 0;
}

static void window_at(const struct signature *s, size_t i, const chain_role *roles,
                      chain_role window[ROLE_WINDOW])
{
    for (size_t up = 0; up < ROLE_WINDOW; up++)
        window[up] = up <= i ? role_at(s, i - up, roles) : 0;
}

size_t owner_in_signature(const struct signature *s, const chain_role *role_of_type,
                          uint32_t wanted)
{
    if (s->len == 0)
        return HD_NO_OWNER;
    size_t last = s->len - 1;
    if (role_at(s, last, role_of_type) & ROLE_TIMER)
        return last;
    for (size_t i = last; wanted != NO_TYPE && i-- > 0;)
        if (s->all[i].type == wanted)
            return i;
    chain_role below = role_at(s, last, role_of_type), under = ROLE_TOKEN;
    size_t token = HD_NO_OWNER;
    for (size_t i = last; i-- > 0;) {
        chain_role window[ROLE_WINDOW];
        window_at(s, i, role_of_type, window);
        if (owner_is_handle(window[0], below, under))
            return token;
        token = window[0] & ROLE_TOKEN ? i : token;
        under = below;
        below = window[0];
        if (s->all[i].type != s->all[last].type && owner_stands_at(window))
            return i;
    }
    return HD_NO_OWNER;
}

/* --- services ---------------------------------------------------------------- */

uint64_t *owner_by_call_sites(const struct hd_snapshot *snap, const bool *is_call_site,
                              struct arena *a)
{
    const struct graph *g = snap->graph;
    struct arena scratch = {0};
    uint64_t *held = arena_array(a, uint64_t, snap->type_count);
    uint64_t *seen = arena_array(&scratch, uint64_t, bits_words(g->node_count));
    for (node_id n = 0; n < g->node_count; n++) {
        if (!is_call_site[g->type[n]])
            continue;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            if (bits_add(seen, g->edge_to[e]))
                held[g->type[g->edge_to[e]]]++;
    }
    arena_free(&scratch);
    return held;
}

bool *owner_singletons(const struct hd_snapshot *snap, const chain_role *role_of_type,
                       struct arena *a)
{
    struct arena scratch = {0};
    bool *is_call_site = arena_array(&scratch, bool, snap->type_count);
    bool *is_singleton = NULL, any = false;
    for (type_id t = 0; t < snap->type_count; t++)
        any |= is_call_site[t] = (role_of_type[t] & ROLE_CALL_SITE) != 0;
    const uint64_t *held = NULL;
    if (any)
        held = snap->digest != NULL ? snap->digest->chains.by_call_sites
                                    : owner_by_call_sites(snap, is_call_site, &scratch);
    if (held != NULL)
        is_singleton = arena_array(a, bool, snap->type_count);
    for (type_id t = 0; held != NULL && t < snap->type_count; t++)
        is_singleton[t] = (role_of_type[t] & ROLE_NAMED) && held[t] > 0 &&
                          held[t] == snap->types[t].raw.count;
    arena_free(&scratch);
    return is_singleton;
}

enum hd_service owner_service(const struct signature *s, size_t i,
                              const chain_role *role_of_type, const bool *is_singleton)
{
    chain_role window[ROLE_WINDOW];
    if (s->all[i].type == UINT32_MAX)
        return HD_SERVICE_NONE;
    if (is_singleton != NULL && is_singleton[s->all[i].type])
        return HD_SERVICE_SINGLETON;
    window_at(s, i, role_of_type, window);
    return owner_is_service(window) ? HD_SERVICE_HELD : HD_SERVICE_NONE;
}
