/* heapdrift.yml -> rules and suppressions.
 *
 * libcyaml turns the file into structs by a schema and refuses what does not fit; but it
 * knows lines only roughly and forgets them. So the document is composed by libyaml first:
 * that pass finds keys that the same schema does not have, keys that stand twice, and the
 * line of everything. */
#include "budget/budgets.h"
#include "budget/config_guard.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/input.h"
#include "base/quantity.h"
#include "base/text.h"

#include <cyaml/cyaml.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <yaml.h>

enum { CONFIG_VERSION = 1, LONGEST_VALUE = 4096 };

/* --- the schema ---------------------------------------------------------- */

struct config_budget {
    char *total, *type, *holder, *suspects; /* one of them */
    char *max_growth, *max_growth_bytes, *max_score;
    char *per, *optional;
};

struct config_suppression {
    char *type, *holder;
    char *reason, *until;
};

struct config {
    char *version;
    struct config_budget *budgets;
    unsigned budget_count;
    struct config_suppression *suppress;
    unsigned suppress_count;
};

#define TEXT_FIELD(record, name)                                                          \
    CYAML_FIELD_STRING_PTR(#name, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, record, name, \
                           0, LONGEST_VALUE)

static const cyaml_schema_field_t budget_fields[] = {
    TEXT_FIELD(struct config_budget, total),
    TEXT_FIELD(struct config_budget, type),
    TEXT_FIELD(struct config_budget, holder),
    TEXT_FIELD(struct config_budget, suspects),
    TEXT_FIELD(struct config_budget, max_growth),
    TEXT_FIELD(struct config_budget, max_growth_bytes),
    TEXT_FIELD(struct config_budget, max_score),
    TEXT_FIELD(struct config_budget, per),
    TEXT_FIELD(struct config_budget, optional),
    CYAML_FIELD_END};

static const cyaml_schema_field_t suppression_fields[] = {
    TEXT_FIELD(struct config_suppression, type),
    TEXT_FIELD(struct config_suppression, holder),
    TEXT_FIELD(struct config_suppression, reason),
    TEXT_FIELD(struct config_suppression, until), CYAML_FIELD_END};

static const cyaml_schema_value_t budget_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct config_budget, budget_fields)};

static const cyaml_schema_value_t suppression_entry = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, struct config_suppression, suppression_fields)};

static const cyaml_schema_field_t config_fields[] = {
    TEXT_FIELD(struct config, version),
    CYAML_FIELD_SEQUENCE_COUNT("budgets", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                               struct config, budgets, budget_count, &budget_entry, 0,
                               BUDGETS_MOST_RULES),
    CYAML_FIELD_SEQUENCE_COUNT("suppress", CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL,
                               struct config, suppress, suppress_count, &suppression_entry,
                               0, BUDGETS_MOST_SUPPRESSIONS),
    CYAML_FIELD_END};

static const cyaml_schema_value_t config_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct config, config_fields)};

/* --- lines and keys ------------------------------------------------------ */

struct reader {
    struct hd_budgets *b;
    const char *path;
    yaml_document_t document;
    const yaml_node_t *budgets, *suppress; /* sequences; NULL */
    struct hd_error *err;
};

static uint64_t line_of(const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

static const char *scalar(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : "";
}

static yaml_node_t *node_at(struct reader *r, int index)
{
    return yaml_document_get_node(&r->document, index);
}

static bool bad(struct reader *r, uint64_t line, const char *kind, const char *what)
{
    return fail_at_line(r->err, line, kind, "%s", what);
}

static bool unknown_key(struct reader *r, const yaml_node_t *key,
                        const cyaml_schema_field_t *fields)
{
    enum { MOST_KEYS = 16 };
    const char *keys[MOST_KEYS + 1];
    size_t n = 0;
    struct text list = {0};
    for (; fields[n].key != NULL && n < MOST_KEYS; n++) {
        keys[n] = fields[n].key;
        text_add_string(&list, n > 0 ? ", " : "");
        text_add_string(&list, keys[n]);
    }
    keys[n] = NULL;
    const char *nearest = hd_nearest_word(scalar(key), keys);
    if (nearest != NULL)
        fail_at_line(r->err, line_of(key), "unknown-key", "%.60s; did you mean %s?",
                     scalar(key), nearest);
    else
        fail_at_line(r->err, line_of(key), "unknown-key", "%.60s; allowed here: %s",
                     scalar(key), text_string(&list));
    text_free(&list);
    return false;
}

static const cyaml_schema_field_t *field_named(const cyaml_schema_field_t *fields,
                                               const char *key)
{
    for (; fields->key != NULL; fields++)
        if (strcmp(fields->key, key) == 0)
            return fields;
    return NULL;
}

/* Every key of a mapping is one of fields, and there once. */
static bool check_keys(struct reader *r, const yaml_node_t *mapping,
                       const cyaml_schema_field_t *fields)
{
    const yaml_node_pair_t *first = mapping->data.mapping.pairs.start;
    for (const yaml_node_pair_t *p = first; p < mapping->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = node_at(r, p->key);
        if (key->type != YAML_SCALAR_NODE)
            return bad(r, line_of(key), "bad-key", "a key must be a word");
        if (field_named(fields, scalar(key)) == NULL)
            return unknown_key(r, key, fields);
        for (const yaml_node_pair_t *q = first; q < p; q++)
            if (strcmp(scalar(node_at(r, q->key)), scalar(key)) == 0)
                return fail_at_line(r->err, line_of(key), "duplicate-key",
                                    "%s stands on line %" PRIu64 " already", scalar(key),
                                    line_of(node_at(r, q->key)));
    }
    return true;
}

static bool check_entries(struct reader *r, const yaml_node_t *list,
                          const cyaml_schema_field_t *fields)
{
    if (list == NULL)
        return true;
    for (const yaml_node_item_t *i = list->data.sequence.items.start;
         i < list->data.sequence.items.top; i++) {
        const yaml_node_t *entry = node_at(r, *i);
        if (entry->type != YAML_MAPPING_NODE)
            return bad(r, line_of(entry), "bad-entry",
                       "an entry of a list must have keys, such as \"- type: MyApp.*\"");
        if (!check_keys(r, entry, fields))
            return false;
    }
    return true;
}

/* The value of a key, or NULL. */
static const yaml_node_t *value_of(struct reader *r, const yaml_node_t *mapping,
                                   const char *key)
{
    for (const yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
         p < mapping->data.mapping.pairs.top; p++)
        if (strcmp(scalar(node_at(r, p->key)), key) == 0)
            return node_at(r, p->value);
    return NULL;
}

/* NULL where there is none; an error if it is no list. "budgets:" with nothing behind it
 * is an empty list. */
static bool take_list(struct reader *r, const yaml_node_t *root, const char *key,
                      const yaml_node_t **list)
{
    const yaml_node_t *value = value_of(r, root, key);
    *list = value != NULL && value->type == YAML_SEQUENCE_NODE ? value : NULL;
    if (value == NULL || *list != NULL)
        return true;
    if (value->type == YAML_SCALAR_NODE && scalar(value)[0] == '\0')
        return fail_at_line(r->err, line_of(value), "empty-list",
                            "nothing stands below %s; write %s: [] for none", key, key);
    return fail_at_line(r->err, line_of(value), "wrong-type", "%s must be a list", key);
}

/* libyaml does not always tell why it failed. */
static bool load_document(yaml_parser_t *parser, yaml_document_t *document)
{
    errno = 0;
    if (yaml_parser_load(parser, document))
        return true;
    alloc_blame();
    return false;
}

static bool compose(struct reader *r, yaml_parser_t *parser)
{
    if (load_document(parser, &r->document))
        return true;
    uint64_t line = parser->problem_mark.line + 1;
    if (parser->error == YAML_READER_ERROR)
        line = 0;
    fail_at_line(r->err, line, "bad-yaml", "%s%s%s",
                 parser->context != NULL ? parser->context : "",
                 parser->context != NULL ? ", " : "",
                 parser->problem != NULL ? parser->problem : "cannot be read");
    return false;
}

/* Whether there is nothing behind the first document. */
static bool ends_here(struct reader *r, yaml_parser_t *parser)
{
    yaml_document_t second;
    if (!load_document(parser, &second)) {
        fail_at_line(r->err, parser->problem_mark.line + 1, "bad-yaml", "%s",
                     parser->problem != NULL ? parser->problem : "cannot be read");
        return false;
    }
    const yaml_node_t *root = yaml_document_get_root_node(&second);
    uint64_t line = root != NULL ? line_of(root) : 0;
    yaml_document_delete(&second);
    return root == NULL ||
           bad(r, line, "second-document", "one file holds one document; remove the ---");
}

static bool check_document(struct reader *r)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);
    if (root == NULL || (root->type == YAML_SCALAR_NODE && scalar(root)[0] == '\0'))
        return bad(r, 1, "empty-file",
                   "no budgets in it; it begins with \"version: 1\" and \"budgets:\"");
    if (root->type != YAML_MAPPING_NODE)
        return bad(r, line_of(root), "wrong-type",
                   "the file must have keys: version, budgets, suppress");
    return check_keys(r, root, config_fields) &&
           take_list(r, root, "budgets", &r->budgets) &&
           take_list(r, root, "suppress", &r->suppress) &&
           check_entries(r, r->budgets, budget_fields) &&
           check_entries(r, r->suppress, suppression_fields);
}

/* The document stays for the lines of what is found later. */
static bool read_lines(struct reader *r, struct bytes all)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        out_of_memory(0);
    /* An empty input has no address. */
    yaml_parser_set_input_string(&parser, all.size > 0 ? all.data : (const uint8_t *)"",
                                 all.size);
    bool ok = compose(r, &parser);
    if (ok && (!check_document(r) || !ends_here(r, &parser))) {
        yaml_document_delete(&r->document);
        ok = false;
    }
    yaml_parser_delete(&parser);
    return ok;
}

/* --- what libcyaml refuses ----------------------------------------------- */

struct complaint {
    struct text what, line;
};

/* Its first message says what, the first line behind "Backtrace" where. */
static void listen(cyaml_log_t level, void *context, const char *format, va_list args)
{
    struct complaint *c = context;
    char message[512];
    if (level < CYAML_LOG_ERROR)
        return;
    vsnprintf(message, sizeof(message), format, args);
    message[strcspn(message, "\n")] = '\0';
    static const char prefix[] = "Load: ";
    const char *s = strncmp(message, prefix, sizeof(prefix) - 1) == 0
                        ? message + sizeof(prefix) - 1
                        : message;
    const char *line = strstr(s, "(line: ");
    if (strncmp(s, "Backtrace", 9) == 0)
        return;
    if (line != NULL && c->line.len == 0)
        text_add_string(&c->line, line + 7);
    else if (line == NULL && c->what.len == 0)
        text_add_string(&c->what, s);
}

static struct config *load(struct reader *r, struct bytes all)
{
    struct complaint c = {0};
    struct config *config = NULL;
    const cyaml_config_t how = {.log_fn = listen,
                                .log_ctx = &c,
                                .log_level = CYAML_LOG_ERROR,
                                .mem_fn = cyaml_mem,
                                .flags = CYAML_CFG_NO_ALIAS};
    errno = 0;
    cyaml_err_t error = cyaml_load_data(all.data, all.size, &how, &config_schema,
                                        (cyaml_data_t **)&config, NULL);
    if (error != CYAML_OK) {
        alloc_blame();
        uint64_t line = strtoull(text_string(&c.line), NULL, 10);
        fail_at_line(r->err, line, "wrong-type", "%s",
                     c.what.len > 0 ? text_string(&c.what) : cyaml_strerror(error));
        config = NULL;
    }
    text_free(&c.what);
    text_free(&c.line);
    return config;
}

static void unload(struct config *config)
{
    const cyaml_config_t how = {.log_level = CYAML_LOG_ERROR, .mem_fn = cyaml_mem};
    cyaml_free(&how, &config_schema, config, 0);
}

/* --- entries ------------------------------------------------------------- */

/* The line of a key's value in an entry, or of the entry. */
static uint64_t line_in(struct reader *r, const yaml_node_t *entry, const char *key)
{
    const yaml_node_t *value = value_of(r, entry, key);
    return line_of(value != NULL ? value : entry);
}

static const char *keep(struct reader *r, const char *s)
{
    return arena_strdup(&r->b->arena, s, strlen(s));
}

/* One word of a closed list. */
static bool take_word(struct reader *r, const yaml_node_t *entry, const char *key,
                      const char *word, const char *const *allowed, size_t *index)
{
    struct text list = {0};
    for (*index = 0; allowed[*index] != NULL; ++*index) {
        if (strcmp(allowed[*index], word) == 0) {
            text_free(&list);
            return true;
        }
        text_add_string(&list, *index > 0 ? ", " : "");
        text_add_string(&list, allowed[*index]);
    }
    const char *nearest = hd_nearest_word(word, allowed);
    if (nearest != NULL)
        fail_at_line(r->err, line_in(r, entry, key), "bad-value",
                     "%s: %.40s; did you mean %s?", key, word, nearest);
    else
        fail_at_line(r->err, line_in(r, entry, key), "bad-value",
                     "%s: %.40s; it must be one of: %s", key, word, text_string(&list));
    text_free(&list);
    return false;
}

static bool take_limit(struct reader *r, const yaml_node_t *entry, const char *key,
                       const char *value, struct rule *rule)
{
    const char *wrong = limit_parse(value, rule->measure, &rule->limit);
    uint64_t size;
    bool is_size = rule->kind == HD_RULE_TYPE && rule->measure == HD_MEASURE_COUNT &&
                   wrong != NULL && hd_size_from_text(value, &size);
    rule->lacks_unit = wrong == NULL && limit_lacks_unit(value, rule);
    if (wrong == NULL)
        return true;
    return fail_at_line(r->err, line_in(r, entry, key), "bad-limit",
                        "%s: %.40s: must be %s%s", key, value, wrong,
                        is_size ? "; for bytes write max_growth_bytes" : "");
}

/* Which one of total, type, holder and suspects the entry is about. */
static bool take_subject(struct reader *r, const yaml_node_t *entry,
                         const struct config_budget *c, struct rule *rule)
{
    static const char *const any[] = {"any", NULL};
    const char *const subjects[] = {c->total, c->type, c->holder, c->suspects};
    static const char *const keys[] = {"total", "type", "holder", "suspects"};
    size_t given = 0, index = 0;
    for (size_t i = 0; i < 4; i++) {
        if (subjects[i] == NULL)
            continue;
        if (subjects[i][0] == '\0')
            return fail_at_line(r->err, line_in(r, entry, keys[i]), "bad-value",
                                "%s: nothing stands behind it", keys[i]);
        rule->kind = (enum hd_rule_kind)i;
        given++;
    }
    if (given != 1)
        return bad(r, line_of(entry), "bad-entry",
                   "a budget is about one of: total, type, holder, suspects");
    if (c->type != NULL || c->holder != NULL)
        rule->pattern = keep(r, c->type != NULL ? c->type : c->holder);
    if (c->suspects != NULL)
        return take_word(r, entry, "suspects", c->suspects, any, &index);
    if (c->total == NULL)
        return true;
    bool ok = take_word(r, entry, "total", c->total, budget_total_names, &index);
    rule->total = (enum hd_total)index;
    return ok;
}

/* A limit that the entry must not have. */
static bool refuse(struct reader *r, const yaml_node_t *entry, const char *key,
                   const char *value, const char *instead)
{
    return value == NULL || fail_at_line(r->err, line_in(r, entry, key), "bad-entry",
                                         "%s does not fit here; %s", key, instead);
}

static bool add_limit(struct reader *r, const yaml_node_t *entry, const char *key,
                      const char *value, enum hd_measure measure, struct rule *rule)
{
    if (value == NULL)
        return true;
    rule->measure = measure;
    return take_limit(r, entry, key, value, rule) && budgets_add_rule(r->b, rule, r->err);
}

static bool add_suspects(struct reader *r, const yaml_node_t *entry,
                         const struct config_budget *c, struct rule *rule)
{
    static const char instead[] = "suspects are limited by max_score";
    if (!refuse(r, entry, "max_growth", c->max_growth, instead) ||
        !refuse(r, entry, "max_growth_bytes", c->max_growth_bytes, instead) ||
        !refuse(r, entry, "optional", c->optional, "suspects need none") ||
        !refuse(r, entry, "per", c->per, "a score is about the whole series"))
        return false;
    rule->measure = HD_MEASURE_SCORE;
    rule->limit_is_min_score = c->max_score == NULL;
    return rule->limit_is_min_score
               ? budgets_add_rule(r->b, rule, r->err)
               : add_limit(r, entry, "max_score", c->max_score, HD_MEASURE_SCORE, rule);
}

static bool take_budget(struct reader *r, const yaml_node_t *entry,
                        const struct config_budget *c)
{
    static const char *const pers[] = {"total", "step", "iteration", NULL};
    static const char *const bools[] = {"false", "true", NULL};
    struct rule rule = {.entry = r->b->entries, .path = r->path, .line = line_of(entry)};
    size_t per = 0, is_set = 0;
    if (!take_subject(r, entry, c, &rule))
        return false;
    if (rule.kind == HD_RULE_SUSPECTS)
        return add_suspects(r, entry, c, &rule);
    if (!refuse(r, entry, "max_score", c->max_score, "it is for suspects: any"))
        return false;
    if (c->per != NULL && !take_word(r, entry, "per", c->per, pers, &per))
        return false;
    rule.per = (enum hd_per)per;
    bool is_total = rule.kind == HD_RULE_TOTAL;
    if (is_total && !refuse(r, entry, "optional", c->optional, "a total is always there"))
        return false;
    if (c->optional != NULL &&
        !take_word(r, entry, "optional", c->optional, bools, &is_set))
        return false;
    rule.is_optional = is_set == 1;
    if (is_total && !refuse(r, entry, "max_growth_bytes", c->max_growth_bytes,
                            "write total: bytes and max_growth"))
        return false;
    if (c->max_growth == NULL && c->max_growth_bytes == NULL)
        return bad(r, line_of(entry), "bad-entry",
                   is_total ? "a budget without a limit; add max_growth"
                            : "a budget without a limit; add max_growth or "
                              "max_growth_bytes");
    bool in_bytes = is_total && rule.total != HD_TOTAL_OBJECTS;
    return add_limit(r, entry, "max_growth", c->max_growth,
                     in_bytes ? HD_MEASURE_BYTES : HD_MEASURE_COUNT, &rule) &&
           add_limit(r, entry, "max_growth_bytes", c->max_growth_bytes, HD_MEASURE_BYTES,
                     &rule);
}

static bool take_suppression(struct reader *r, const yaml_node_t *entry,
                             const struct config_suppression *c)
{
    struct suppression s = {.path = r->path, .line = line_of(entry)};
    if ((c->type != NULL) == (c->holder != NULL))
        return bad(r, s.line, "bad-entry", "a suppression is about one of: type, holder");
    s.type = c->type != NULL ? keep(r, c->type) : NULL;
    s.holder = c->holder != NULL ? keep(r, c->holder) : NULL;
    if ((c->type != NULL ? s.type : s.holder)[0] == '\0')
        return bad(r, s.line, "bad-value", "a pattern is missing");
    if (c->reason == NULL || c->reason[strspn(c->reason, " \t\n\r\v\f")] == '\0')
        return bad(r, s.line, "no-reason",
                   "a suppression without a reason; say why, for whoever finds it later");
    s.reason = keep(r, c->reason);
    if (c->until != NULL) {
        s.expires = true;
        s.until_text = keep(r, c->until);
        if (!quantity_day(c->until, &s.until))
            return fail_at_line(r->err, line_in(r, entry, "until"), "bad-date",
                                "until: %.40s: must be a day such as 2026-12-31", c->until);
    }
    for (size_t i = 0; i < r->b->suppression_count; i++) {
        const struct suppression *o = &r->b->suppressions[i];
        const char *a = s.type != NULL ? o->type : o->holder;
        if (a != NULL && strcmp(a, s.type != NULL ? s.type : s.holder) == 0)
            return fail_at_line(r->err, s.line, "duplicate-rule",
                                "line %" PRIu64 " suppresses the same; keep one", o->line);
    }
    r->b->suppressions = grow(r->b->suppressions, r->b->suppression_count,
                              &r->b->suppression_cap, sizeof(*r->b->suppressions));
    r->b->suppressions[r->b->suppression_count++] = s;
    return true;
}

static bool take_version(struct reader *r, const struct config *config)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);
    uint64_t version = 0;
    if (config->version == NULL)
        return bad(r, line_of(root), "no-version", "add a line \"version: 1\"");
    if (quantity_count(config->version, &version) && version == CONFIG_VERSION)
        return true;
    return fail_at_line(r->err, line_in(r, root, "version"), "unknown-version",
                        "version: %.40s; this program reads version %d", config->version,
                        CONFIG_VERSION);
}

static bool take_all(struct reader *r, const struct config *config)
{
    if (!take_version(r, config))
        return false;
    for (unsigned i = 0; i < config->budget_count; i++)
        if (!take_budget(r, node_at(r, r->budgets->data.sequence.items.start[i]),
                         &config->budgets[i]))
            return false;
    for (unsigned i = 0; i < config->suppress_count; i++)
        if (!take_suppression(r, node_at(r, r->suppress->data.sequence.items.start[i]),
                              &config->suppress[i]))
            return false;
    return true;
}

static bool read_config(struct reader *r, struct bytes all)
{
    if (all.size > BUDGETS_LONGEST_FILE)
        return fail(r->err, HD_TOO_BIG, "a file of budgets has at most %d bytes",
                    BUDGETS_LONGEST_FILE);
    if (!config_is_harmless(all, r->err) || !read_lines(r, all))
        return false;
    struct config *config = load(r, all);
    bool ok = config != NULL && take_all(r, config);
    if (config != NULL)
        unload(config);
    yaml_document_delete(&r->document);
    return ok;
}

bool hd_budgets_read(struct hd_budgets *b, const char *path, struct hd_error *err)
{
    struct input_options opt = {.max_memory = UINT64_C(2) * BUDGETS_LONGEST_FILE};
    struct reader r = {
        .b = b, .path = arena_strdup(&b->arena, path, strlen(path)), .err = err};
    struct input *in = input_open(path, &opt, err);
    if (in == NULL)
        return false;
    struct bytes all;
    bool ok = input_all(in, &all, err) && read_config(&r, all);
    input_close(in);
    return ok;
}
