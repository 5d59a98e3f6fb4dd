/* heapdrift.yml -> rules and suppressions.
 *
 * libyaml reads the file twice: first as events, to find content that must not be built,
 * then as a document, whose nodes have line numbers. */
#include "budget/budgets.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/input.h"
#include "base/quantity.h"
#include "base/say.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <yaml.h>

enum { CONFIG_VERSION = 1, LONGEST_VALUE = 4096 };

/* --- the keys ------------------------------------------------------------ */

static const char *const config_keys[] = {"version", "budgets", "process", "suppress",
                                          NULL};

static const char *const budget_keys[] = {
    "total",     "type", "holder",   "suspects", "max_growth", "max_growth_bytes",
    "max_score", "per",  "optional", NULL};

static const char *const process_budget_keys[] = {"max_growth", "per", NULL};

static const char *const suppression_keys[] = {"type", "holder", "reason", "until", NULL};

/* --- what must not be built ---------------------------------------------- */

static void begin_parser(yaml_parser_t *parser, struct bytes all)
{
    if (!yaml_parser_initialize(parser))
        out_of_memory(0);
    /* An empty input has no address. */
    yaml_parser_set_input_string(parser, all.size > 0 ? all.data : (const uint8_t *)"",
                                 all.size);
}

/* Real budget files lack anchors and directives. */
enum { DEEPEST = 32, MAX_ANCHORS = 100, MAX_DIRECTIVES = 4000 };

struct seen {
    int depth, anchors;
};

static bool is_harmless(struct seen *seen, const yaml_event_t *event, struct hd_error *err)
{
    uint64_t line = event->start_mark.line + 1;
    bool has_zero = false;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        seen->anchors += event->data.scalar.anchor != NULL;
        has_zero =
            memchr(event->data.scalar.value, '\0', event->data.scalar.length) != NULL;
        break;
    case YAML_SEQUENCE_START_EVENT:
        seen->anchors += event->data.sequence_start.anchor != NULL;
        seen->depth++;
        break;
    case YAML_MAPPING_START_EVENT:
        seen->anchors += event->data.mapping_start.anchor != NULL;
        seen->depth++;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        seen->depth--;
        break;
    default:
        break;
    }
    if (seen->depth > DEEPEST)
        return fail_at_line(err, line, "too-deep", "lists and keys are nested too deeply");
    if (seen->anchors > MAX_ANCHORS)
        return fail_at_line(err, line, "too-many", "more than %d anchors (&name)",
                            MAX_ANCHORS);
    if (event->type == YAML_ALIAS_EVENT)
        return fail_at_line(err, line, "wrong-type", "YAML alias unsupported");
    return !has_zero || fail_at_line(err, line, "bad-value", "contains a NUL character");
}

/* False and err, with the line, if lists and keys are nested too deeply, if there are too
 * many anchors or directives (libyaml's time for each grows with the number of open
 * brackets, anchors and directives), if an alias is used, and if a string has a zero byte
 * (it would be cut there). Invalid YAML is left to the parser, which has the messages.
 * Linear. */
static bool is_all_harmless(struct bytes all, struct hd_error *err)
{
    yaml_parser_t parser;
    yaml_event_t event;
    struct seen seen = {0};
    bool ok = true, ends = false;
    /* Percent signs that may begin a line, in any encoding and with any line end that
     * libyaml takes: no limit such as 5% is one, unless the file is UTF-16. */
    static const uint8_t line_ends[] = {'\0', '\r', '\n', 0x85, 0xA8, 0xA9};
    size_t directives = 0;
    for (size_t i = 1; i < all.size; i++)
        directives += all.data[i] == '%' &&
                      memchr(line_ends, all.data[i - 1], sizeof(line_ends)) != NULL;
    if (directives > MAX_DIRECTIVES)
        return fail_at_line(err, 0, "too-many", "more than %d lines that begin with %%",
                            MAX_DIRECTIVES);
    begin_parser(&parser, all);
    while (ok && !ends && yaml_parser_parse(&parser, &event)) {
        ends = event.type == YAML_STREAM_END_EVENT;
        ok = is_harmless(&seen, &event, err);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return ok;
}

/* --- lines and keys ------------------------------------------------------ */

struct config_reader {
    struct hd_budgets *b;
    const char *path;
    yaml_document_t document;
    const yaml_node_t *budgets, *suppress; /* sequences; NULL */
    const yaml_node_t *process;            /* a mapping; NULL */
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

static yaml_node_t *node_at(struct config_reader *r, int index)
{
    return yaml_document_get_node(&r->document, index);
}

static bool bad(struct config_reader *r, uint64_t line, const char *kind, const char *what)
{
    return fail_at_line(r->err, line, kind, "%s", what);
}

/* Fails for a word that is not in a list: the value of a key (""), cut to `most` bytes. */
static bool unknown_word(struct config_reader *r, uint64_t line, const char *kind,
                         const char *key, const char *word, int most, const char *instead,
                         const char *const *words)
{
    struct text list = {0};
    const char *nearest = hd_nearest_word(word, words);
    if (nearest != NULL)
        say(&list, "did you mean ", nearest, "?");
    else
        say(&list, instead);
    for (size_t i = 0; nearest == NULL && words[i] != NULL; i++)
        say(&list, i > 0 ? ", " : "", words[i]);
    fail_at_line(r->err, line, kind, "%s%s%.*s; %s", key, key[0] != '\0' ? ": " : "", most,
                 word, text_string(&list));
    text_free(&list);
    return false;
}

/* Returns the index of a word in a NULL-terminated list, or its length. */
static size_t place_of(const char *word, const char *const *words)
{
    size_t i = 0;
    while (words[i] != NULL && strcmp(words[i], word) != 0)
        i++;
    return i;
}

/* True if every key of a mapping is one of keys, and occurs once. */
static bool check_keys(struct config_reader *r, const yaml_node_t *mapping,
                       const char *const *keys)
{
    const yaml_node_pair_t *first = mapping->data.mapping.pairs.start;
    for (const yaml_node_pair_t *p = first; p < mapping->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = node_at(r, p->key);
        if (key->type != YAML_SCALAR_NODE)
            return bad(r, line_of(key), "bad-key", "a key must be a word");
        if (keys[place_of(scalar(key), keys)] == NULL)
            return unknown_word(r, line_of(key), "unknown-key", "", scalar(key), 60,
                                "allowed here: ", keys);
        for (const yaml_node_pair_t *q = first; q < p; q++)
            if (strcmp(scalar(node_at(r, q->key)), scalar(key)) == 0)
                return fail_at_line(r->err, line_of(key), "duplicate-key",
                                    "%s is already on line %" PRIu64, scalar(key),
                                    line_of(node_at(r, q->key)));
    }
    return true;
}

static bool check_entries(struct config_reader *r, const yaml_node_t *list,
                          const char *const *keys)
{
    if (list == NULL)
        return true;
    for (const yaml_node_item_t *i = list->data.sequence.items.start;
         i < list->data.sequence.items.top; i++) {
        const yaml_node_t *entry = node_at(r, *i);
        if (entry->type != YAML_MAPPING_NODE)
            return bad(r, line_of(entry), "bad-entry",
                       "an entry of a list must have keys, such as \"- type: MyApp.*\"");
        if (!check_keys(r, entry, keys))
            return false;
    }
    return true;
}

/* The value of a key, or NULL. */
static const yaml_node_t *value_of(struct config_reader *r, const yaml_node_t *mapping,
                                   const char *key)
{
    for (const yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
         p < mapping->data.mapping.pairs.top; p++)
        if (strcmp(scalar(node_at(r, p->key)), key) == 0)
            return node_at(r, p->value);
    return NULL;
}

/* *list is NULL without the key; fails if it is not a list. "budgets:" with no value fails,
 * too. */
static bool find_list(struct config_reader *r, const yaml_node_t *root, const char *key,
                      const yaml_node_t **list)
{
    const yaml_node_t *value = value_of(r, root, key);
    *list = value != NULL && value->type == YAML_SEQUENCE_NODE ? value : NULL;
    if (value == NULL || *list != NULL)
        return true;
    if (value->type == YAML_SCALAR_NODE && scalar(value)[0] == '\0')
        return fail_at_line(r->err, line_of(value), "empty-list",
                            "%s is empty; write %s: [] for none", key, key);
    return fail_at_line(r->err, line_of(value), "wrong-type", "%s must be a list", key);
}

/* "native: 50MiB", or "native: {max_growth: 50MiB, per: step}", for each number. */
static bool check_process(struct config_reader *r, const yaml_node_t *root)
{
    const yaml_node_t *process = r->process = value_of(r, root, "process");
    if (process == NULL)
        return true;
    if (process->type != YAML_MAPPING_NODE)
        return bad(r, line_of(process), "wrong-type",
                   "process must have keys, such as \"native: 50MiB\"");
    if (!check_keys(r, process, budget_process_names))
        return false;
    for (const yaml_node_pair_t *p = process->data.mapping.pairs.start;
         p < process->data.mapping.pairs.top; p++) {
        const yaml_node_t *value = node_at(r, p->value);
        if (value->type == YAML_MAPPING_NODE && !check_keys(r, value, process_budget_keys))
            return false;
    }
    return true;
}

/* libyaml does not always have a reason. */
static bool load_document(struct config_reader *r, yaml_parser_t *parser,
                          yaml_document_t *document, bool is_first)
{
    errno = 0;
    if (yaml_parser_load(parser, document))
        return true;
    alloc_blame();
    bool is_unread = is_first && parser->error == YAML_READER_ERROR;
    /* libyaml calls it a character that cannot start any token. */
    bool is_tab = parser->error == YAML_SCANNER_ERROR &&
                  parser->buffer.pointer < parser->buffer.last &&
                  *parser->buffer.pointer == '\t';
    if (is_tab)
        return fail_at_line(r->err, parser->problem_mark.line + 1, "bad-yaml",
                            "a tab; indent with blanks");
    const char *context = is_first ? parser->context : NULL;
    return fail_at_line(r->err, is_unread ? 0 : parser->problem_mark.line + 1, "bad-yaml",
                        "%s%s%s", context != NULL ? context : "",
                        context != NULL ? ", " : "",
                        parser->problem != NULL ? parser->problem : "cannot be read");
}

/* True if there is only one document. */
static bool ends_here(struct config_reader *r, yaml_parser_t *parser)
{
    yaml_document_t second;
    if (!load_document(r, parser, &second, false))
        return false;
    const yaml_node_t *root = yaml_document_get_root_node(&second);
    uint64_t line = root != NULL ? line_of(root) : 0;
    yaml_document_delete(&second);
    return root == NULL ||
           bad(r, line, "second-document", "only one document per file; remove the ---");
}

static bool check_document(struct config_reader *r)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);
    if (root == NULL || (root->type == YAML_SCALAR_NODE && scalar(root)[0] == '\0'))
        return bad(r, 1, "empty-file",
                   "no budgets in it; begin with \"version: 1\" and \"budgets:\"");
    if (root->type != YAML_MAPPING_NODE)
        return bad(r, line_of(root), "wrong-type",
                   "the file must have keys: version, budgets, process, suppress");
    return check_keys(r, root, config_keys) && find_list(r, root, "budgets", &r->budgets) &&
           find_list(r, root, "suppress", &r->suppress) && check_process(r, root) &&
           check_entries(r, r->budgets, budget_keys) &&
           check_entries(r, r->suppress, suppression_keys);
}

/* The document is kept for line numbers of later errors. */
static bool read_lines(struct config_reader *r, struct bytes all)
{
    yaml_parser_t parser;
    begin_parser(&parser, all);
    bool ok = load_document(r, &parser, &r->document, true);
    if (ok && (!check_document(r) || !ends_here(r, &parser))) {
        yaml_document_delete(&r->document);
        ok = false;
    }
    yaml_parser_delete(&parser);
    return ok;
}

/* --- values -------------------------------------------------------------- */

static bool is_text(struct config_reader *r, const yaml_node_t *value)
{
    if (value->type != YAML_SCALAR_NODE)
        return fail_at_line(r->err, line_of(value), "wrong-type",
                            "Expecting STRING, got event: %s_START",
                            value->type == YAML_MAPPING_NODE ? "MAPPING" : "SEQUENCE");
    return value->data.scalar.length <= LONGEST_VALUE ||
           fail_at_line(r->err, line_of(value), "wrong-type", "STRING length > %d: %.*s",
                        LONGEST_VALUE, (int)strcspn(scalar(value), "\n"), scalar(value));
}

static bool are_texts(struct config_reader *r, const yaml_node_t *mapping)
{
    for (const yaml_node_pair_t *p = mapping->data.mapping.pairs.start;
         p < mapping->data.mapping.pairs.top; p++)
        if (!is_text(r, node_at(r, p->value)))
            return false;
    return true;
}

static bool check_list(struct config_reader *r, const yaml_node_t *list, size_t most)
{
    const yaml_node_item_t *items = list->data.sequence.items.start;
    size_t count = (size_t)(list->data.sequence.items.top - items);
    for (size_t i = 0; i < count && i < most; i++)
        if (!are_texts(r, node_at(r, items[i])))
            return false;
    return count <= most ||
           fail_at_line(r->err, line_of(node_at(r, items[most])), "wrong-type",
                        "Excessive entries (%zu max) in sequence.", most);
}

static bool check_process_values(struct config_reader *r)
{
    for (const yaml_node_pair_t *p = r->process->data.mapping.pairs.start;
         p < r->process->data.mapping.pairs.top; p++) {
        const yaml_node_t *value = node_at(r, p->value);
        bool ok =
            value->type == YAML_MAPPING_NODE ? are_texts(r, value) : is_text(r, value);
        if (!ok)
            return false;
    }
    return true;
}

/* In the order of the file. */
static bool check_values(struct config_reader *r)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);
    for (const yaml_node_pair_t *p = root->data.mapping.pairs.start;
         p < root->data.mapping.pairs.top; p++) {
        const yaml_node_t *value = node_at(r, p->value);
        bool ok = value == r->budgets    ? check_list(r, value, BUDGETS_MAX_RULES)
                  : value == r->suppress ? check_list(r, value, BUDGETS_MAX_SUPPRESSIONS)
                  : value == r->process  ? check_process_values(r)
                                         : is_text(r, value);
        if (!ok)
            return false;
    }
    return true;
}

/* Returns the value of a key, valid as long as the document; or NULL. */
static const char *text_of(struct config_reader *r, const yaml_node_t *mapping,
                           const char *key)
{
    const yaml_node_t *value = value_of(r, mapping, key);
    return value != NULL ? scalar(value) : NULL;
}

/* --- entries ------------------------------------------------------------- */

/* Returns the line of a key's value in an entry, or of the entry. */
static uint64_t line_in(struct config_reader *r, const yaml_node_t *entry, const char *key)
{
    const yaml_node_t *value = value_of(r, entry, key);
    return line_of(value != NULL ? value : entry);
}

static const char *config_keep(struct config_reader *r, const char *s)
{
    return arena_strdup(&r->b->arena, s, strlen(s));
}

/* Parses one word of a closed list; the first without the key. */
static bool parse_word(struct config_reader *r, const yaml_node_t *entry, const char *key,
                       const char *const *allowed, size_t *index)
{
    const char *word = text_of(r, entry, key);
    *index = word != NULL ? place_of(word, allowed) : 0;
    return allowed[*index] != NULL ||
           unknown_word(r, line_in(r, entry, key), "bad-value", key, word, 40,
                        "it must be one of: ", allowed);
}

/* Parses which of total, type, holder and suspects the entry has. */
static bool parse_subject(struct config_reader *r, const yaml_node_t *entry,
                          struct rule *rule)
{
    static const char *const any[] = {"any", NULL};
    static const char *const keys[] = {"total", "type", "holder", "suspects"};
    size_t given = 0, index = 0;
    for (size_t i = 0; i < 4; i++) {
        const char *title = text_of(r, entry, keys[i]);
        if (title == NULL)
            continue;
        if (title[0] == '\0')
            return fail_at_line(r->err, line_in(r, entry, keys[i]), "bad-value",
                                "%s: has no value", keys[i]);
        rule->kind = (enum hd_rule_kind)i;
        rule->pattern = title;
        given++;
    }
    if (given != 1)
        return bad(r, line_of(entry), "bad-entry",
                   "a budget must have one of: total, type, holder, suspects");
    bool has_pattern = rule->kind == HD_RULE_TYPE || rule->kind == HD_RULE_HOLDER;
    rule->pattern = has_pattern ? config_keep(r, rule->pattern) : NULL;
    if (has_pattern)
        return true;
    bool is_total = rule->kind == HD_RULE_TOTAL;
    bool ok =
        parse_word(r, entry, keys[rule->kind], is_total ? budget_total_names : any, &index);
    rule->total = is_total ? (enum hd_total)index : rule->total;
    return ok;
}

/* Rejects a limit that the entry must not have. */
static bool config_refuse(struct config_reader *r, const yaml_node_t *entry,
                          const char *key, const char *instead)
{
    return text_of(r, entry, key) == NULL ||
           fail_at_line(r->err, line_in(r, entry, key), "bad-entry",
                        "%s does not fit here; %s", key, instead);
}

/* Adds the rule with this limit, which is the value of a key on that line. */
static bool add_limit_of(struct config_reader *r, const char *value, uint64_t line,
                         const char *key, struct rule *rule)
{
    const char *wrong = limit_parse(value, rule->measure, &rule->limit);
    uint64_t size;
    bool is_size = rule->kind == HD_RULE_TYPE && rule->measure == HD_MEASURE_COUNT &&
                   wrong != NULL && hd_size_from_text(value, &size);
    rule->lacks_unit = wrong == NULL && limit_lacks_unit(value, rule);
    if (wrong != NULL)
        return fail_at_line(r->err, line, "bad-limit", "%s: %.40s: must be %s%s", key,
                            value, wrong,
                            is_size ? "; for bytes write max_growth_bytes" : "");
    return budgets_add_rule(r->b, rule, r->err);
}

/* Adds the rule with this limit, if the entry has it. */
static bool add_limit(struct config_reader *r, const yaml_node_t *entry, const char *key,
                      enum hd_measure measure, struct rule *rule)
{
    const char *value = text_of(r, entry, key);
    if (value == NULL)
        return true;
    rule->measure = measure;
    return add_limit_of(r, value, line_in(r, entry, key), key, rule);
}

static const char *const pers[] = {"total", "step", "iteration", NULL};

static bool parse_budget(struct config_reader *r, const yaml_node_t *entry)
{
    static const char *const bools[] = {"false", "true", NULL};
    struct rule rule = {.entry = r->b->entries, .path = r->path, .line = line_of(entry)};
    size_t per = 0, is_set = 0;
    if (!parse_subject(r, entry, &rule))
        return false;
    if (rule.kind == HD_RULE_SUSPECTS) {
        static const char instead[] = "suspects are limited by max_score";
        if (!config_refuse(r, entry, "max_growth", instead) ||
            !config_refuse(r, entry, "max_growth_bytes", instead) ||
            !config_refuse(r, entry, "optional", "suspects need none") ||
            !config_refuse(r, entry, "per", "a score is about the whole series"))
            return false;
        rule.measure = HD_MEASURE_SCORE;
        rule.limit_is_min_score = text_of(r, entry, "max_score") == NULL;
        return rule.limit_is_min_score
                   ? budgets_add_rule(r->b, &rule, r->err)
                   : add_limit(r, entry, "max_score", HD_MEASURE_SCORE, &rule);
    }
    bool is_total = rule.kind == HD_RULE_TOTAL;
    if (!config_refuse(r, entry, "max_score", "it is for suspects: any") ||
        !parse_word(r, entry, "per", pers, &per) ||
        (is_total && !config_refuse(r, entry, "optional", "a total is always there")) ||
        !parse_word(r, entry, "optional", bools, &is_set) ||
        (is_total &&
         !config_refuse(r, entry, "max_growth_bytes", "write total: bytes and max_growth")))
        return false;
    rule.per = (enum hd_per)per;
    rule.is_optional = is_set == 1;
    if (text_of(r, entry, "max_growth") == NULL &&
        text_of(r, entry, "max_growth_bytes") == NULL)
        return bad(r, line_of(entry), "bad-entry",
                   is_total ? "a budget without a limit; add max_growth"
                            : "a budget without a limit; add max_growth or "
                              "max_growth_bytes");
    bool in_bytes = is_total && rule.total != HD_TOTAL_OBJECTS;
    return add_limit(r, entry, "max_growth", in_bytes ? HD_MEASURE_BYTES : HD_MEASURE_COUNT,
                     &rule) &&
           add_limit(r, entry, "max_growth_bytes", HD_MEASURE_BYTES, &rule);
}

/* A number of the process and its limit. */
static bool parse_process_budget(struct config_reader *r, const yaml_node_t *key,
                                 const yaml_node_t *value)
{
    size_t number = place_of(scalar(key), budget_process_names), per = 0;
    struct rule rule = {.kind = HD_RULE_PROCESS,
                        .process = (enum hd_process_number)number,
                        .pattern = budget_process_names[number],
                        .measure = budget_process_measure((enum hd_process_number)number),
                        .entry = r->b->entries,
                        .path = r->path,
                        .line = line_of(key)};
    if (value->type != YAML_MAPPING_NODE)
        return add_limit_of(r, scalar(value), line_of(value), rule.pattern, &rule);
    if (!parse_word(r, value, "per", pers, &per))
        return false;
    rule.per = (enum hd_per)per;
    if (text_of(r, value, "max_growth") == NULL)
        return bad(r, rule.line, "bad-entry", "a budget without a limit; add max_growth");
    return add_limit(r, value, "max_growth", rule.measure, &rule);
}

static bool parse_process(struct config_reader *r)
{
    if (r->process == NULL)
        return true;
    for (const yaml_node_pair_t *p = r->process->data.mapping.pairs.start;
         p < r->process->data.mapping.pairs.top; p++)
        if (!parse_process_budget(r, node_at(r, p->key), node_at(r, p->value)))
            return false;
    return true;
}

static bool parse_suppression(struct config_reader *r, const yaml_node_t *entry)
{
    const char *type = text_of(r, entry, "type"), *holder = text_of(r, entry, "holder");
    const char *reason = text_of(r, entry, "reason"), *until = text_of(r, entry, "until");
    struct suppression s = {.path = r->path, .line = line_of(entry)};
    if ((type != NULL) == (holder != NULL))
        return bad(r, s.line, "bad-entry", "a suppression must have one of: type, holder");
    s.type = type != NULL ? config_keep(r, type) : NULL;
    s.holder = holder != NULL ? config_keep(r, holder) : NULL;
    if ((type != NULL ? type : holder)[0] == '\0')
        return bad(r, s.line, "bad-value", "a pattern is missing");
    if (reason == NULL || reason[strspn(reason, " \t\n\r\v\f")] == '\0')
        return bad(r, s.line, "no-reason", "a suppression without a reason; add one");
    s.reason = config_keep(r, reason);
    s.expires = until != NULL;
    s.until_text = until != NULL ? config_keep(r, until) : NULL;
    if (until != NULL && !quantity_day(until, &s.until))
        return fail_at_line(r->err, line_in(r, entry, "until"), "bad-date",
                            "until: %.40s: must be a day such as 2026-12-31", until);
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

static bool parse_version(struct config_reader *r)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);
    const char *given = text_of(r, root, "version");
    uint64_t version = 0;
    if (given == NULL)
        return bad(r, line_of(root), "no-version", "add a line \"version: 1\"");
    if (quantity_count(given, &version) && version == CONFIG_VERSION)
        return true;
    return fail_at_line(r->err, line_in(r, root, "version"), "unknown-version",
                        "version: %.40s; heapdrift reads version %d", given,
                        CONFIG_VERSION);
}

static bool parse_entries(struct config_reader *r, const yaml_node_t *list,
                          bool (*take)(struct config_reader *r, const yaml_node_t *entry))
{
    for (const yaml_node_item_t *i = list != NULL ? list->data.sequence.items.start : NULL;
         list != NULL && i < list->data.sequence.items.top; i++)
        if (!take(r, node_at(r, *i)))
            return false;
    return true;
}

static bool read_config(struct config_reader *r, struct bytes all)
{
    if (all.size > BUDGETS_LONGEST_FILE)
        return fail(r->err, HD_TOO_BIG, "a budget file has at most %d bytes",
                    BUDGETS_LONGEST_FILE);
    if (!is_all_harmless(all, r->err) || !read_lines(r, all))
        return false;
    bool ok = check_values(r) && parse_version(r) &&
              parse_entries(r, r->budgets, parse_budget) && parse_process(r) &&
              parse_entries(r, r->suppress, parse_suppression);
    yaml_document_delete(&r->document);
    return ok;
}

bool hd_budgets_read(struct hd_budgets *b, const char *path, struct hd_error *err)
{
    struct input_options opt = {.max_memory = UINT64_C(2) * BUDGETS_LONGEST_FILE};
    struct config_reader r = {
        .b = b, .path = arena_strdup(&b->arena, path, strlen(path)), .err = err};
    struct input *in = input_open(path, &opt, err);
    if (in == NULL)
        return false;
    struct bytes all;
    bool ok = input_all(in, &all, err) && read_config(&r, all);
    input_close(in);
    return ok;
}
