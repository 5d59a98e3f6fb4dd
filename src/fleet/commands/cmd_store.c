/* The care of a store: bring its tables forward, look whether it is whole. One command with
 * a verb, as an operator of other databases knows it. */
#include "cli/commands/json.h"
#include "cli/options/options.h"
#include "cli/terminal/messages.h"
#include "collect/live/collector.h"
#include "fleet/agent/stored_run.h"
#include "heapdrift_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct store_options {
    bool all; /* check: every digest */
};

/* The document; NULL: text. */
static json_t *store_begin(const struct settings *s, const struct hd_store *store,
                           const char *verb)
{
    struct hd_store_version v = hd_store_version(store);
    if (strcmp(s->format, "json") != 0)
        return NULL;
    json_t *document = json_document("heapdrift-store", hd_store_name(store));
    json_member(document, "verb", json_string(verb));
    json_member(document, "version", json_of_count(v.now));
    json_member(document, "newest_version", json_of_count(v.newest));
    return document;
}

/* Every document has all keys. */
static void end(json_t *document)
{
    static const char *const others[] = {"upgraded_from", "counts", "problems", "sql"};
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (json_object_get(document, others[i]) == NULL)
            json_member(document, others[i], json_null());
    json_end(document);
}

static void put_store(const struct hd_store *store)
{
    hd_put_name(hd_sink_file(stdout), hd_store_name(store));
    fputs(": ", stdout);
}

/* --- upgrade ------------------------------------------------------------- */

static int upgrade(struct settings *s)
{
    struct hd_store *store = open_store_to_upgrade(s);
    if (store == NULL)
        return EXIT_TROUBLE;
    struct hd_store_version v = hd_store_version(store);
    json_t *document = store_begin(s, store, "upgrade");
    if (document != NULL) {
        json_member(document, "upgraded_from",
                    v.found != v.now ? json_of_count(v.found) : json_null());
        end(document);
    } else {
        put_store(store);
        if (v.found == v.now)
            printf("is already of version %u; nothing to do\n", v.now);
        else if (v.found == 0)
            printf("created, version %u\n", v.now);
        else
            printf("upgraded from version %u to %u\n", v.found, v.now);
    }
    hd_store_close(store);
    return EXIT_DONE;
}

/* --- check --------------------------------------------------------------- */

static void put_counts(json_t *document, const struct hd_store_check *c)
{
    const struct {
        const char *key, *words;
        uint64_t n;
    } all[] = {{"series", "series", c->series},
               {"snapshots", "snapshots", c->snapshots},
               {"digests_read", "digests read", c->digests_read},
               {"digest_bytes", "bytes of digests", c->digest_bytes},
               {"types", "types", c->types},
               {"type_rows", "rows of types", c->type_rows},
               {"findings", "findings", c->findings}};
    json_t *counts = document != NULL ? json_made(json_object()) : NULL;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (counts != NULL)
            json_member(counts, all[i].key, json_of_count(all[i].n));
        else
            printf("  %-17s %" PRIu64 "\n", all[i].words, all[i].n);
    if (counts != NULL)
        json_member(document, "counts", counts);
}

static void put_problem(const struct hd_store_problem *p, json_t *list)
{
    if (list == NULL) {
        fputs(p->is_warning ? "warning: " : "error: ", stdout);
        if (p->count > 1 || strncmp(p->message, "the ", 4) != 0)
            printf("%" PRIu64 " ", p->count);
        hd_put_name(hd_sink_file(stdout), p->message);
        fputs("\n", stdout);
        return;
    }
    json_t *o = json_made(json_object());
    json_member(o, "code", json_string(p->code));
    json_member(o, "severity", json_string(p->is_warning ? "warning" : "error"));
    json_member(o, "count", json_of_count(p->count));
    json_member(o, "message", json_of_string(p->message));
    json_add(list, o);
}

static int store_check(struct settings *s)
{
    const struct store_options *own = s->own;
    struct hd_error err = {0};
    const struct hd_store_checking how = {
        .size = sizeof(how), .all = own->all, .max_memory = s->read.max_memory};
    struct hd_store *store = open_store_inside(s);
    struct hd_store_check *c = store != NULL ? hd_store_check(store, &how, &err) : NULL;
    if (c == NULL) {
        if (store != NULL)
            store_trouble(store_url(s), &err);
        hd_store_close(store);
        return EXIT_TROUBLE;
    }
    size_t warnings = 0;
    for (size_t i = 0; i < c->problem_count; i++)
        warnings += c->problems[i].is_warning;
    size_t errors = c->problem_count - warnings;
    json_t *document = store_begin(s, store, "check");
    json_t *list = document != NULL ? json_made(json_array()) : NULL;
    if (list == NULL) {
        put_store(store);
        if (errors > 0)
            printf("%zu error%s", errors, errors == 1 ? "" : "s");
        else
            fputs("no errors", stdout);
        if (warnings > 0)
            printf(", %zu warning%s", warnings, warnings == 1 ? "" : "s");
        printf("; version %u\n", hd_store_version(store).now);
    }
    for (size_t i = 0; i < c->problem_count; i++)
        put_problem(&c->problems[i], list);
    put_counts(document, c);
    if (list != NULL) {
        json_member(document, "problems", list);
        end(document);
    }
    hd_store_check_free(c);
    hd_store_close(store);
    return errors > 0 ? EXIT_OVER : EXIT_DONE;
}

/* --- subcommands --------------------------------------------------------- */

static const struct verb {
    const char *name;
    int (*run)(struct settings *s);
} verbs[] = {{"upgrade", upgrade}, {"check", store_check}};

enum { VERBS = sizeof(verbs) / sizeof(*verbs) };

static const struct verb *find_verb(const char *name)
{
    const char *names[VERBS + 1] = {NULL};
    for (size_t i = 0; i < VERBS; i++) {
        names[i] = verbs[i].name;
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    }
    if (strcmp(name, "grant") == 0) {
        refuse("store grant was removed: docs/store.md (Rights and secrets) has the SQL");
        return NULL;
    }
    const char *nearest = hd_nearest_word(name, names);
    fputs("heapdrift: store has no verb ", stderr);
    put_name(name);
    fprintf(stderr, "; %s%s%s\n", nearest != NULL ? "did you mean " : "",
            nearest != NULL ? nearest : "the verbs are upgrade and check",
            nearest != NULL ? "?" : "");
    return NULL;
}

static int run(struct settings *s)
{
    const struct store_options *own = s->own;
    if (s->operand_count == 0) {
        refuse("store needs a verb: upgrade or check");
        return EXIT_TROUBLE;
    }
    const struct verb *v = find_verb(s->operands[0]);
    if (v == NULL)
        return EXIT_TROUBLE;
    if (strcmp(s->format, "text") != 0 && strcmp(s->format, "json") != 0)
        fprintf(stderr, "heapdrift: --format=%s: store prints text or json\n", s->format);
    else if (s->operand_count > 1)
        refuse("store takes one verb; the store is --store=URL");
    else if (own->all && v->run != store_check)
        refuse("--all is for `heapdrift store check`");
    else
        return v->run(s);
    return EXIT_TROUBLE;
}

OPTIONS_OF(struct store_options);

static const struct option options[] = {
    {"format", 0, GROUP_OUTPUT, ON_STORE, TEXT(FORMAT, s.format),
     .words = WORDS("text", "json"), .help = "text (default) or json"},
    {"all", 0, GROUP_STORE, ON_STORE, FLAG(own.all),
     .help = "check: read every digest, not only some hundred"},
    {.more = collect_rows}};

const struct command cmd_store = {
    .name = "store",
    .bit = ON_STORE,
    .purpose = FOR_FLEETS,
    .operands = "upgrade|check",
    .summary = "upgrade and check a store",
    .description =
        "upgrade  upgrade the tables to the newest version, in one transaction, or create "
        "them.\n"
        "         First replace the programs that record: they use both versions.\n"
        "check    verify the store, read-only. Exit status 1 if it is damaged.",
    .examples =
        {
            {"heapdrift store upgrade", "when all sidecars are of this version"},
            {"heapdrift store check --all --store=/backup/store.db", "after a restore"},
        },
    .options = options,
    .own_size = sizeof(struct store_options),
    .run = run,
};
