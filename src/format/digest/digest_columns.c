#include "format/digest/digest_columns.h"

#include "base/error.h"
#include "base/json_scan.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- names of members ---------------------------------------------------------- */

const char *const digest_group_names[DIGEST_GROUPS] = {
    [DIGEST_SOURCE] = "source",       [DIGEST_INFO] = "info",
    [DIGEST_ORIGIN] = "origin",       [DIGEST_WARNINGS] = "warnings",
    [DIGEST_TYPES] = "types",         [DIGEST_LOST] = "unreachable",
    [DIGEST_TYPE_IDS] = "type_ids",   [DIGEST_IDENTITY] = "identity",
    [DIGEST_FIELDS] = "fields",       [DIGEST_PLACES] = "places",
    [DIGEST_SHARING] = "sharing",     [DIGEST_CHAINS] = "chains",
    [DIGEST_SURVIVORS] = "survivors", [DIGEST_AGES] = "ages",
};

#define OF(member) offsetof(struct hd_info, member)

const struct digest_fact digest_facts[DIGEST_FACTS] = {
    {"producer", OF(producer)}, {"time", OF(time)},           {"process", OF(process)},
    {"host", OF(host)},         {"container", OF(container)}, {"program", OF(program)},
    {"started", OF(started)},   {"runtime", OF(runtime)},
};

const struct digest_fact digest_numbers[DIGEST_NUMBERS] = {
    {"pid", OF(pid)},
    {"objects", OF(objects)},
    {"bytes", OF(bytes)},
    {"references", OF(references)},
    {"roots", OF(roots)},
    {"reachable_objects", OF(reachable_objects)},
    {"reachable_bytes", OF(reachable_bytes)},
};

const struct digest_fact digest_truths[DIGEST_TRUTHS] = {
    {"has_roots", OF(has_roots)},
    {"has_generations", OF(has_generations)},
    {"sampled", OF(sampled)},
    {"complete", OF(complete)},
    {"holds_garbage", OF(holds_garbage)},
    {"has_fields", OF(has_fields)},
};

#define OF_TABLE(member) offsetof(struct hd_table_origin, member)

const struct digest_fact digest_origins[DIGEST_ORIGINS] = {
    {"command", OF_TABLE(command)},
    {"generation", OF_TABLE(generation)},
    {"liveness", OF_TABLE(liveness)},
    {"filters", OF_TABLE(filters)},
};

const char *const digest_generation_columns[HD_GENERATION_COUNT][2] = {
    [HD_GEN0] = {"gen0_count", "gen0_bytes"},
    [HD_GEN1] = {"gen1_count", "gen1_bytes"},
    [HD_GEN2] = {"gen2_count", "gen2_bytes"},
    [HD_GEN_LOH] = {"loh_count", "loh_bytes"},
    [HD_GEN_POH] = {"poh_count", "poh_bytes"},
    [HD_GEN_FROZEN] = {"frozen_count", "frozen_bytes"},
    [HD_GEN_UNKNOWN] = {"unknown_count", "unknown_bytes"},
};

/* --- columns ------------------------------------------------------------------- */

enum value_kind { NUMBER, REAL, TRUTH, TEXT, NUMBERS, REALS, TEXTS };

struct member {
    enum digest_group group;
    const char *name;
    enum value_kind kind;
};

static const struct member members[] = {
    {DIGEST_SOURCE, "format", TEXT},
    {DIGEST_SOURCE, "xxh3", TEXT},
    {DIGEST_INFO, "producer", TEXT},
    {DIGEST_INFO, "time", TEXT},
    {DIGEST_INFO, "process", TEXT},
    {DIGEST_INFO, "host", TEXT},
    {DIGEST_INFO, "container", TEXT},
    {DIGEST_INFO, "program", TEXT},
    {DIGEST_INFO, "started", TEXT},
    {DIGEST_INFO, "runtime", TEXT},
    {DIGEST_INFO, "pid", NUMBER},
    {DIGEST_INFO, "objects", NUMBER},
    {DIGEST_INFO, "bytes", NUMBER},
    {DIGEST_INFO, "references", NUMBER},
    {DIGEST_INFO, "roots", NUMBER},
    {DIGEST_INFO, "reachable_objects", NUMBER},
    {DIGEST_INFO, "reachable_bytes", NUMBER},
    {DIGEST_INFO, "has_roots", TRUTH},
    {DIGEST_INFO, "has_generations", TRUTH},
    {DIGEST_INFO, "sampled", TRUTH},
    {DIGEST_INFO, "complete", TRUTH},
    {DIGEST_INFO, "holds_garbage", TRUTH},
    {DIGEST_INFO, "has_fields", TRUTH},
    {DIGEST_INFO, "weak_roots", NUMBER},
    {DIGEST_INFO, "roots_by_kind", NUMBERS},
    {DIGEST_INFO, "clock", REAL},
    {DIGEST_INFO, "clock_is_date", TRUTH},
    {DIGEST_INFO, "instance", TEXT},
    {DIGEST_ORIGIN, "command", TEXT},
    {DIGEST_ORIGIN, "generation", TEXT},
    {DIGEST_ORIGIN, "liveness", TEXT},
    {DIGEST_ORIGIN, "filters", TEXT},
    {DIGEST_WARNINGS, "code", TEXTS},
    {DIGEST_WARNINGS, "detail", TEXTS},
    {DIGEST_WARNINGS, "count", NUMBERS},
    {DIGEST_WARNINGS, "line", NUMBERS},
    {DIGEST_TYPES, "name", TEXTS},
    {DIGEST_TYPES, "full_name", TEXTS},
    {DIGEST_TYPES, "module", NUMBERS},
    {DIGEST_TYPES, "modules", TEXTS},
    {DIGEST_TYPES, "kind", NUMBERS},
    {DIGEST_TYPES, "count", NUMBERS},
    {DIGEST_TYPES, "bytes", NUMBERS},
    {DIGEST_TYPES, "gen0_count", NUMBERS},
    {DIGEST_TYPES, "gen0_bytes", NUMBERS},
    {DIGEST_TYPES, "gen1_count", NUMBERS},
    {DIGEST_TYPES, "gen1_bytes", NUMBERS},
    {DIGEST_TYPES, "gen2_count", NUMBERS},
    {DIGEST_TYPES, "gen2_bytes", NUMBERS},
    {DIGEST_TYPES, "loh_count", NUMBERS},
    {DIGEST_TYPES, "loh_bytes", NUMBERS},
    {DIGEST_TYPES, "poh_count", NUMBERS},
    {DIGEST_TYPES, "poh_bytes", NUMBERS},
    {DIGEST_TYPES, "frozen_count", NUMBERS},
    {DIGEST_TYPES, "frozen_bytes", NUMBERS},
    {DIGEST_TYPES, "unknown_count", NUMBERS},
    {DIGEST_TYPES, "unknown_bytes", NUMBERS},
    {DIGEST_TYPES, "scaled_count", NUMBERS},
    {DIGEST_TYPES, "scaled_bytes", NUMBERS},
    {DIGEST_TYPES, "scaled_old_count", NUMBERS},
    {DIGEST_TYPES, "scaled_old_bytes", NUMBERS},
    {DIGEST_TYPES, "count_scale", REALS},
    {DIGEST_TYPES, "retained", NUMBERS},
    {DIGEST_LOST, "at", NUMBERS},
    {DIGEST_LOST, "count", NUMBERS},
    {DIGEST_LOST, "bytes", NUMBERS},
    {DIGEST_TYPE_IDS, "id", NUMBERS},
    {DIGEST_TYPE_IDS, "name", TEXTS},
    {DIGEST_IDENTITY, "types", NUMBERS},
    {DIGEST_IDENTITY, "types_unit", NUMBER},
    {DIGEST_IDENTITY, "types_are_cut", TRUTH},
    {DIGEST_IDENTITY, "tables", NUMBERS},
    {DIGEST_IDENTITY, "tables_unit", NUMBER},
    {DIGEST_IDENTITY, "tables_are_cut", TRUTH},
    {DIGEST_IDENTITY, "blocks", NUMBERS},
    {DIGEST_IDENTITY, "blocks_unit", NUMBER},
    {DIGEST_IDENTITY, "blocks_are_cut", TRUTH},
    {DIGEST_FIELDS, "name", TEXTS},
    {DIGEST_PLACES, "above", NUMBERS},
    {DIGEST_PLACES, "type", NUMBERS},
    {DIGEST_PLACES, "count", NUMBERS},
    {DIGEST_PLACES, "bytes", NUMBERS},
    {DIGEST_PLACES, "young_count", NUMBERS},
    {DIGEST_PLACES, "young_bytes", NUMBERS},
    {DIGEST_PLACES, "field", NUMBERS},
    {DIGEST_PLACES, "held", NUMBERS},
    {DIGEST_PLACES, "held_of", NUMBERS},
    {DIGEST_SHARING, "place", NUMBERS},
    {DIGEST_SHARING, "objects", NUMBERS},
    {DIGEST_SHARING, "from_count", NUMBERS},
    {DIGEST_SHARING, "from", NUMBERS},
    {DIGEST_CHAINS, "samples_each", NUMBER},
    {DIGEST_CHAINS, "above", NUMBERS},
    {DIGEST_CHAINS, "type", NUMBERS},
    {DIGEST_CHAINS, "generation", NUMBERS},
    {DIGEST_CHAINS, "field", NUMBERS},
    {DIGEST_CHAINS, "place", NUMBERS},
    {DIGEST_CHAINS, "node", NUMBERS},
    {DIGEST_CHAINS, "link", NUMBERS},
    {DIGEST_CHAINS, "by_call_sites", NUMBERS},
    {DIGEST_SURVIVORS, "samples_each", NUMBER},
    {DIGEST_SURVIVORS, "type", NUMBERS},
    {DIGEST_SURVIVORS, "samples", NUMBERS},
    {DIGEST_SURVIVORS, "address", NUMBERS},
    {DIGEST_SURVIVORS, "address_unit", NUMBER},
    {DIGEST_SURVIVORS, "size", NUMBERS},
    {DIGEST_SURVIVORS, "old", NUMBERS},
    {DIGEST_AGES, "source", TEXT},
    {DIGEST_AGES, "moment", TEXTS},
    {DIGEST_AGES, "survivors", NUMBER},
    {DIGEST_AGES, "of", NUMBER},
    {DIGEST_AGES, "untold", TEXT},
    {DIGEST_AGES, "place", NUMBERS},
    {DIGEST_AGES, "born", NUMBERS},
    {DIGEST_AGES, "came", NUMBERS},
    {DIGEST_AGES, "objects", NUMBERS},
    {DIGEST_AGES, "bytes", NUMBERS},
    {DIGEST_AGES, "lost_type", NUMBERS},
    {DIGEST_AGES, "lost_born", NUMBERS},
    {DIGEST_AGES, "lost_objects", NUMBERS},
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static size_t find(enum digest_group group, const char *name)
{
    size_t i = 0;
    while (i < MEMBERS && (members[i].group != group || strcmp(members[i].name, name) != 0))
        i++;
    return i;
}

const struct digest_value *digest_value(const struct digest_columns *c,
                                        enum digest_group group, const char *name)
{
    static const struct digest_value none;
    size_t i = find(group, name);
    return i < MEMBERS ? &c->all[i] : &none;
}

/* --- one member ---------------------------------------------------------------- */

static const char *parse_string(struct json_scan *j, struct builder *b)
{
    return json_scan_string(j) ? builder_string(b, text_string(&j->string), j->string.len)
                               : NULL;
}

/* Room for one more. False: over what may be used. */
static bool make_room(struct digest_value *v, enum value_kind kind, struct builder *b,
                      struct hd_error *err)
{
    struct account *account = builder_account(b);
    if (kind == NUMBERS)
        v->numbers =
            account_grow(account, v->numbers, v->len, &v->cap, sizeof(*v->numbers));
    else if (kind == REALS)
        v->reals = account_grow(account, v->reals, v->len, &v->cap, sizeof(*v->reals));
    else
        v->strings =
            account_grow(account, v->strings, v->len, &v->cap, sizeof(*v->strings));
    return !account_is_over(account) || account_fail(account, err);
}

static void parse_element(struct digest_value *v, enum value_kind kind, struct json_scan *j,
                          struct builder *b)
{
    if (kind == NUMBERS) {
        v->numbers[v->len++] = json_scan_number(j);
        v->len += json_scan_numbers(j, &v->numbers[v->len], v->cap - v->len);
    } else if (kind == REALS) {
        v->reals[v->len++] = json_scan_real(j);
    } else {
        v->strings[v->len++] = parse_string(j, b);
    }
}

static bool parse_column(struct digest_value *v, enum value_kind kind, struct json_scan *j,
                         struct builder *b, struct hd_error *err)
{
    json_scan_enter(j, '[');
    for (bool first = true; json_scan_more(j, ']', first); first = false) {
        if (v->len == v->cap && !make_room(v, kind, b, err))
            return false;
        parse_element(v, kind, j, b);
    }
    return json_scan_ok(j);
}

static bool parse_value(struct digest_value *v, enum value_kind kind, struct json_scan *j,
                        struct builder *b, struct hd_error *err)
{
    if (v->is_there)
        return cursor_fail(&j->at, "duplicate member");
    v->is_there = true;
    switch (kind) {
    case NUMBER:
        v->number = json_scan_number(j);
        break;
    case REAL:
        v->real = json_scan_real(j);
        break;
    case TRUTH:
        v->truth = json_scan_truth(j);
        break;
    case TEXT:
        v->text = parse_string(j, b);
        break;
    default:
        return parse_column(v, kind, j, b, err);
    }
    return json_scan_ok(j);
}

/* --- all of them --------------------------------------------------------------- */

static bool parse_group(struct digest_columns *c, enum digest_group group,
                        struct json_scan *j, struct builder *b, struct hd_error *err)
{
    json_scan_enter(j, '{');
    for (bool first = true; json_scan_more(j, '}', first); first = false) {
        size_t i = json_scan_name(j) ? find(group, text_string(&j->string)) : MEMBERS;
        if (i == MEMBERS)
            json_scan_skip(j);
        else if (!parse_value(&c->all[i], members[i].kind, j, b, err))
            return false;
    }
    return json_scan_ok(j);
}

/* It stands in front, so that another version need not look like this one. */
static bool parse_version(struct json_scan *j, struct hd_error *err)
{
    uint64_t version = json_scan_number(j);
    if (!json_scan_ok(j) || version == DIGEST_VERSION)
        return json_scan_ok(j);
    return fail(err, HD_UNSUPPORTED,
                "a digest of version %" PRIu64 "; this heapdrift reads version %d", version,
                DIGEST_VERSION);
}

static enum digest_group group_named(const char *name)
{
    int group = 0;
    while (group < DIGEST_GROUPS && strcmp(digest_group_names[group], name) != 0)
        group++;
    return (enum digest_group)group;
}

static bool parse_all(struct digest_columns *c, struct json_scan *j, struct builder *b,
                      struct hd_error *err)
{
    json_scan_enter(j, '{');
    for (bool first = true; json_scan_more(j, '}', first); first = false) {
        enum digest_group group = DIGEST_GROUPS;
        if (json_scan_name(j))
            group = group_named(text_string(&j->string));
        if (first && !parse_version(j, err))
            return false;
        if (group < DIGEST_GROUPS ? !parse_group(c, group, j, b, err) : false)
            return false;
        if (group == DIGEST_GROUPS && !first)
            json_scan_skip(j);
    }
    return json_scan_end(j);
}

bool digest_columns_read(struct digest_columns *c, struct bytes json, struct builder *b,
                         struct hd_error *err)
{
    struct json_scan j = json_scan_over(json, err);
    c->all = alloc_zeroed(MEMBERS * sizeof(*c->all));
    bool ok = parse_all(c, &j, b, err);
    json_scan_free(&j);
    return ok;
}

void digest_columns_free(struct digest_columns *c, struct builder *b)
{
    struct account *account = builder_account(b);
    for (size_t i = 0; c->all != NULL && i < MEMBERS; i++) {
        struct digest_value *v = &c->all[i];
        account_free(account, v->numbers, v->numbers != NULL ? v->cap : 0,
                     sizeof(*v->numbers));
        account_free(account, v->reals, v->reals != NULL ? v->cap : 0, sizeof(*v->reals));
        account_free(account, v->strings, v->strings != NULL ? v->cap : 0,
                     sizeof(*v->strings));
    }
    free(c->all);
    *c = (struct digest_columns){0};
}
