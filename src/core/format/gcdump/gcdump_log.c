#include "format/gcdump/gcdump_log.h"

#include "base/arrays.h"
#include "base/hash.h"
#include "heap/allocation_sites.h"
#include "heap/place.h"
#include "heap/process_facts.h"
#include "heap/survivor_map.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "heapdrift: "

/* The host has a field of its own. */
static const struct {
    const char *key;
    size_t field;
} facts[] = {
    {PREFIX "container ", offsetof(struct hd_info, container)},
    {PREFIX "program ", offsetof(struct hd_info, program)},
    {PREFIX "started ", offsetof(struct hd_info, started)},
    {PREFIX "runtime ", offsetof(struct hd_info, runtime)},
};

static const char instance_key[] = PREFIX "instance ",
                  survivor_map_key[] = PREFIX "same 1 ",
                  survivors_unknown_key[] = PREFIX "same 0 ",
                  process_key[] = PREFIX "process ", sites_key[] = PREFIX "sites 1 ";

/* The rest of the first line that begins with key, of *len bytes; or NULL. */
static const char *find_line(const char *log, const char *key, size_t *len)
{
    size_t key_len = strlen(key);
    for (const char *line = log; *line != '\0'; line += strspn(line, "\r\n")) {
        size_t all = strcspn(line, "\r\n");
        if (strncmp(line, key, key_len) == 0) {
            *len = all - key_len;
            return line + key_len;
        }
        line += all;
    }
    return NULL;
}

static bool has_line(struct text *log, const char *key)
{
    size_t len;
    return find_line(text_string(log), key, &len) != NULL;
}

static void begin_line(struct text *log, const char *key)
{
    if (log->len > 0 && log->data[log->len - 1] != '\n')
        text_add_string(log, "\r\n");
    text_add_string(log, key);
}

/* Appends a fact, on one line. NULL if unknown. */
static void add_fact(struct text *log, const char *key, const char *fact)
{
    if (fact == NULL || has_line(log, key))
        return;
    begin_line(log, key);
    for (; *fact != '\0'; fact++)
        text_add_char(log, iscntrl((unsigned char)*fact) ? '?' : *fact);
    text_add_string(log, "\r\n");
}

void gcdump_facts_write(struct text *log, const struct hd_snapshot *snap)
{
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
        add_fact(log, facts[i].key,
                 *(const char *const *)((const char *)&snap->info + facts[i].field));
    if (snap->identity.instance != 0) {
        char number[24];
        snprintf(number, sizeof(number), "%016" PRIx64, snap->identity.instance);
        add_fact(log, instance_key, number);
    }
    struct text line = {0};
    process_facts_put(&snap->facts, &line);
    if (line.len > 0)
        add_fact(log, process_key, text_string(&line));
    text_free(&line);
    if (snap->survivor_map != NULL) {
        struct text survivors = {0};
        survivor_map_put(snap->survivor_map, &survivors);
        add_fact(log, survivor_map_key, text_string(&survivors));
        text_free(&survivors);
    }
    if (snap->survivors_unknown != HD_SURVIVORS_UNKNOWN_NONE)
        add_fact(log, survivors_unknown_key,
                 hd_survivors_unknown_name(snap->survivors_unknown));
    if (snap->sites != NULL) {
        struct text sites = {0};
        allocation_sites_put(snap->sites, &sites);
        add_fact(log, sites_key, sites.len > 0 ? text_string(&sites) : NULL);
        text_free(&sites);
    }
}

void gcdump_facts_read(struct hd_snapshot *snap, const char *log)
{
    enum { MAX_LEN = 1024 };
    size_t len;
    const char *found;
    if (log == NULL)
        return;
    for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
        const char **fact = (const char **)((char *)&snap->info + facts[i].field);
        found = find_line(log, facts[i].key, &len);
        if (*fact == NULL && found != NULL && len > 0 && len <= MAX_LEN)
            *fact = arena_strdup(&snap->arena, found, len);
    }
    found = find_line(log, instance_key, &len);
    if (found != NULL && len == 16)
        snap->identity.instance = strtoull(found, NULL, 16);
    found = find_line(log, process_key, &len);
    if (found != NULL)
        process_facts_parse(&snap->facts, found, len);
    found = find_line(log, survivor_map_key, &len);
    if (found != NULL)
        snap->survivor_map = survivor_map_parse(found, len, &snap->arena);
    found = find_line(log, survivors_unknown_key, &len);
    if (found != NULL)
        snap->survivors_unknown = survivors_unknown_named(found, len);
    found = find_line(log, sites_key, &len);
    if (found != NULL)
        snap->sites = allocation_sites_parse(found, len, &snap->arena);
}

/* --- ids of types ---------------------------------------------------------------- */

static const char ids_key[] = PREFIX "ids 1 ";

/* Wide enough for 10^5 names; names with equal hashes are ignored. */
static uint64_t name_hash(const char *name)
{
    return XXH3_64bits(name, strlen(name)) & 0xFFFFFFFFFFU;
}

void gcdump_ids_write(struct text *log, const struct hd_snapshot *snap)
{
    uint64_t before = 0;
    if (snap->type_name_count == 0 || has_line(log, ids_key))
        return;
    begin_line(log, ids_key);
    for (size_t i = 0; i < snap->type_name_count; i++) {
        const struct type_name *t = &snap->type_names[i];
        char pair[48];
        snprintf(pair, sizeof(pair), "%" PRIx64 ":%" PRIx64 " ", t->id - before,
                 name_hash(t->name));
        text_add_string(log, pair);
        before = t->id;
    }
    text_add_string(log, "\r\n");
}

struct hashed {
    uint64_t hash;
    const char *name;
};

static bool has_smaller_hash(const void *all, size_t i, const void *hash)
{
    return ((const struct hashed *)all)[i].hash < *(const uint64_t *)hash;
}

/* The names of all types of objects; malloc'd. */
static struct hashed *hash_names(const struct builder *b, size_t *count)
{
    struct hashed *all = alloc_zeroed(array_bytes(b->type_count + 1, sizeof(*all)));
    *count = 0;
    for (size_t i = 0; i < b->type_count; i++)
        if (b->types[i].kind == TYPE_OBJECT && b->types[i].name != NULL)
            all[(*count)++] =
                (struct hashed){name_hash(b->types[i].name), b->types[i].name};
    if (*count > 0)
        qsort(all, *count, sizeof(*all), by_first_number);
    return all;
}

/* Returns the only name with this hash, or NULL. */
static const char *name_hashed(const struct hashed *all, size_t count, uint64_t hash)
{
    size_t at = search_first(all, 0, count, has_smaller_hash, &hash);
    if (at == count || all[at].hash != hash)
        return NULL;
    for (size_t i = at + 1; i < count && all[i].hash == hash; i++)
        if (strcmp(all[i].name, all[at].name) != 0)
            return NULL;
    return all[at].name;
}

/* Parses a number in hex and the character after it; advances *at. */
static bool take_number(const char **at, char after, uint64_t *n)
{
    char *end;
    if (!isxdigit((unsigned char)**at))
        return false;
    *n = strtoull(*at, &end, 16);
    bool ok = *end == after;
    *at = end + ok;
    return ok;
}

void gcdump_ids_read(struct builder *b, const char *log)
{
    struct hd_snapshot *snap = b->snap;
    size_t len, count;
    const char *at = log != NULL ? find_line(log, ids_key, &len) : NULL;
    uint64_t id = 0, step, hash;
    if (at == NULL || snap->type_name_count > 0)
        return;
    enum { SHORTEST_PAIR = 4 };
    struct hashed *names = hash_names(b, &count);
    snap->type_names = arena_array(&snap->arena, struct type_name, len / SHORTEST_PAIR + 1);
    while (take_number(&at, ':', &step) && take_number(&at, ' ', &hash) &&
           step <= UINT64_MAX - id) {
        id += step;
        const char *name = name_hashed(names, count, hash);
        if (name != NULL)
            snap->type_names[snap->type_name_count++] = (struct type_name){id, name};
    }
    free(names);
}

/* --- full names ------------------------------------------------------------------ */

/* Limits: bytes of all lines, bytes per line, and lines read. */
enum { MAX_BYTES = 512 << 10, MAX_LINE = 4096, MAX_LINES = 1 << 16 };

static const char full_key[] = PREFIX "full ";

/* Rejects bytes that would break the line: only deliberately odd programs have them. */
static bool can_be_written(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            return false;
    return !utf8_is_damaged(name);
}

void gcdump_names_write(struct text *log, const struct hd_snapshot *snap)
{
    size_t before = log->len;
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        bool is_used = type->kind == TYPE_PSEUDO || type->raw.count > 0;
        if (type->full_name == NULL || !is_used ||
            (type->kind != TYPE_PSEUDO && strcmp(type->full_name, type->name) == 0))
            continue;
        size_t len = sizeof(full_key) - 1 + strlen(type->name) + 1 +
                     strlen(type->full_name) + strlen("\r\n");
        if (len > MAX_LINE || len > MAX_BYTES - (log->len - before) ||
            !can_be_written(type->name) || !can_be_written(type->full_name))
            continue;
        begin_line(log, full_key);
        text_add_string(log, type->name);
        text_add_char(log, '\t');
        text_add_string(log, type->full_name);
        text_add_string(log, "\r\n");
    }
}

static bool can_be_of(const char *name, const char *full)
{
    struct place place = place_of(name), declared = place_of(full);
    if (!place_is_variable(&place)) {
        /* True if "+Node" occurs in it, at the end of a class name. The class of
         * "Node<A>[]" is "Node", of "<Main>d__5<A>" "<Main>d__5". */
        const char *start = name;
        if (*start == '<' && strchr(start, '>') != NULL)
            start = strchr(start, '>') + 1;
        size_t len = (size_t)(start - name) + strcspn(start, "<[`");
        for (const char *at = full; len > 0 && (at = strchr(at, '+')) != NULL;) {
            at++;
            if (strncmp(at, name, len) == 0 && strchr("<[`+,>", at[len]) != NULL)
                return true; /* or at the end: strchr finds the 0 */
        }
        return false;
    }
    return place.kind == declared.kind && place.field.at != NULL &&
           name_part_equals(place.field, declared.field);
}

struct gcdump_name {
    const char *name, *full;
    UT_hash_handle hh;
};

static void read_full_name(struct gcdump_names *n, struct builder *b, const char *line,
                           size_t len)
{
    const char *tab = memchr(line, '\t', len);
    struct gcdump_name *found;
    if (tab == NULL)
        return;
    const char *name = builder_name(b, line, (size_t)(tab - line));
    const char *full = builder_name(b, tab + 1, len - (size_t)(tab + 1 - line));
    HASH_FIND_STR(n->all, name, found);
    if (found != NULL || !can_be_of(name, full))
        return;
    found = arena_alloc(&n->arena, sizeof(*found));
    *found = (struct gcdump_name){.name = name, .full = full};
    HASH_ADD_KEYPTR(hh, n->all, found->name, strlen(name), found);
}

void gcdump_names_read(struct gcdump_names *n, struct builder *b, const char *log)
{
    unsigned lines = 0;
    n->arena.account = builder_account(b);
    for (const char *line = log; line != NULL && *line != '\0' && lines < MAX_LINES;) {
        size_t len = strcspn(line, "\r\n");
        if (len <= MAX_LINE && strncmp(line, full_key, sizeof(full_key) - 1) == 0) {
            read_full_name(n, b, line + sizeof(full_key) - 1, len - (sizeof(full_key) - 1));
            lines++;
        }
        line += len;
        line += strspn(line, "\r\n");
    }
}

const char *gcdump_names_find(const struct gcdump_names *n, const char *name)
{
    struct gcdump_name *found = NULL;
    if (name != NULL)
        HASH_FIND_STR(n->all, name, found);
    return found != NULL ? found->full : NULL;
}

void gcdump_names_free(struct gcdump_names *n)
{
    HASH_CLEAR(hh, n->all);
    arena_free(&n->arena);
}
