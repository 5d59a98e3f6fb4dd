/* JUnit XML: a test suite with one test case per rule. Schema: docs/ci/junit.xsd.
 *
 * The format is that of Ant's task, read by Jenkins, GitLab, Azure Pipelines and others.
 * What is suppressed or undecided is "skipped" with the reason. No times: the same input
 * gives the same bytes. */
#include "base/alloc.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <mxml.h>
#include <stdlib.h>
#include <string.h>

/* Mini-XML escapes what XML needs escaped; characters that XML does not have at all are
 * taken out here. human_name() has made control characters visible before. */
static const char *valid(struct text *t, const char *s)
{
    text_clear(t);
    for (size_t len = strlen(s), i = 0, n; i < len; i += n) {
        const unsigned char *at = (const unsigned char *)s + i;
        n = utf8_length(at, len - i);
        uint32_t code = n > 0 ? utf8_decode(at, n) : 0xFFFD;
        bool none = code == 0xFFFE || code == 0xFFFF || (code < 0x20 && code != '\n');
        text_add_code_point(t, none ? 0xFFFD : code);
        n = n > 0 ? n : 1;
    }
    return text_string(t);
}

static void set(mxml_node_t *node, const char *name, const char *value)
{
    struct text t = {0};
    mxmlElementSetAttr(node, name, valid(&t, value));
    text_free(&t);
}

static void add_content(mxml_node_t *node, const char *content)
{
    struct text t = {0};
    mxmlNewOpaque(node, valid(&t, content));
    text_free(&t);
}

static void add_lines(struct text *t, const struct hd_report *r, size_t begin, size_t end)
{
    struct text holder = {0};
    for (size_t i = begin; i < end; i++) {
        const struct report_rule *f = &r->check.rules[i];
        text_add_string(t, rule_status_names[f->status]);
        text_add_string(t, ": ");
        text_rule_name(t, f);
        text_add_string(t, ": ");
        text_rule(t, r, f);
        text_add_char(t, '\n');
        text_clear(&holder);
        text_rule_holder(&holder, f);
        if (f->status == RULE_FAIL && holder.len > 0) {
            text_add_string(t, "    held by ");
            text_add(t, holder.data, holder.len);
            text_add_char(t, '\n');
        }
    }
    text_free(&holder);
}

/* The outcome of a rule in one line, and all of its findings below it. */
static void add_outcome(mxml_node_t *test, const struct hd_report *r, size_t begin,
                        size_t end, enum rule_status status)
{
    const struct report_rule *worst = &r->check.rules[begin];
    struct text message = {0}, lines = {0};
    size_t shown = begin + report_rows(r, end - begin);
    while (worst->status != status)
        worst++;
    if (worst->subject != NULL) {
        human_name(&message, worst->subject);
        text_add_string(&message, ": ");
    }
    text_rule(&message, r, worst);
    add_lines(&lines, r, begin, shown);
    if (shown < end) {
        human_others(&lines, end - shown);
        text_add_char(&lines, '\n');
    }
    if (status == RULE_FAIL) {
        mxml_node_t *failure = mxmlNewElement(test, "failure");
        set(failure, "message", text_string(&message));
        set(failure, "type", "over-budget");
        add_content(failure, text_string(&lines));
    } else if (status != RULE_PASS) {
        mxml_node_t *skipped = mxmlNewElement(test, "skipped");
        struct text why = {0};
        text_add_string(&why, rule_status_names[status]);
        text_add_string(&why, ": ");
        text_add(&why, message.data, message.len);
        set(skipped, "message", text_string(&why));
        /* Jenkins shows the attribute, GitLab the content. */
        add_content(skipped, text_string(&lines));
        text_free(&why);
    } else {
        add_content(mxmlNewElement(test, "system-out"), text_string(&lines));
    }
    text_free(&message);
    text_free(&lines);
}

/* Rules of one entry differ in what they measure, so their names do. */
static void add_test(mxml_node_t *suite, const struct hd_report *r, size_t begin,
                     size_t end, enum rule_status status)
{
    mxml_node_t *test = mxmlNewElement(suite, "testcase");
    const struct report_rule *rule = &r->check.rules[begin];
    struct text name = {0}, title = {0};
    phrase_rule(&title, rule);
    human_name(&name, text_string(&title));
    text_add_string(&name, " ");
    phrase_limit(&name, rule);
    set(test, "classname", "heapdrift.check");
    set(test, "name", text_string(&name));
    set(test, "time", "0");
    text_free(&name);
    text_free(&title);
    add_outcome(test, r, begin, end, status);
}

static void set_number(mxml_node_t *node, const char *name, size_t n)
{
    char s[24];
    snprintf(s, sizeof(s), "%zu", n);
    mxmlElementSetAttr(node, name, s);
}

/* What is skipped is counted in the suite only: all suites together have no such
 * attribute in the schema that Jenkins checks against (junit-10.xsd). */
static size_t count_skipped(const size_t *by_status)
{
    return by_status[RULE_SUPPRESSED] + by_status[RULE_INCONCLUSIVE];
}

static void set_counts(mxml_node_t *node, const size_t *by_status)
{
    size_t skipped = count_skipped(by_status);
    set(node, "name", "heapdrift");
    set_number(node, "tests", skipped + by_status[RULE_PASS] + by_status[RULE_FAIL]);
    set_number(node, "failures", by_status[RULE_FAIL]);
    set_number(node, "errors", 0);
    set(node, "time", "0");
}

static void add_properties(mxml_node_t *suite, const struct hd_report *r)
{
    mxml_node_t *all = mxmlNewElement(suite, "properties");
    struct text value = {0};
    for (size_t k = 0; k < r->snapshot_count; k++) {
        char name[32];
        mxml_node_t *property = mxmlNewElement(all, "property");
        snprintf(name, sizeof(name), "snapshot.%zu", k + 1);
        set(property, "name", name);
        text_clear(&value);
        human_name(&value, r->snapshots[k].info.path);
        set(property, "value", text_string(&value));
    }
    mxml_node_t *confidence = mxmlNewElement(all, "property");
    set(confidence, "name", "confidence");
    set(confidence, "value", confidence_names[r->diff.confidence]);
    text_free(&value);
}

/* A line per element; text stays with its tags. */
static const char *layout(mxml_node_t *node, int where)
{
    if (where == MXML_WS_AFTER_CLOSE)
        return "\n";
    mxml_node_t *child = mxmlGetFirstChild(node);
    bool holds_elements = child != NULL && mxmlGetType(child) == MXML_ELEMENT;
    bool is_empty = child == NULL;
    return where == MXML_WS_AFTER_OPEN && (holds_elements || is_empty) ? "\n" : NULL;
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    (void)opt;
    mxml_node_t *xml = mxmlNewXML("1.0");
    mxml_node_t *suites = mxmlNewElement(xml, "testsuites");
    size_t by_status[RULE_STATUS_COUNT] = {0};
    for (size_t i = 0, end; i < r->check.rule_count; i = end) {
        end = report_rule_end(r, i);
        by_status[report_rule_status(r, i, end)]++;
    }
    set_counts(suites, by_status);
    mxml_node_t *suite = mxmlNewElement(suites, "testsuite");
    set_counts(suite, by_status);
    set_number(suite, "skipped", count_skipped(by_status));
    add_properties(suite, r);
    for (size_t i = 0, end; i < r->check.rule_count; i = end) {
        end = report_rule_end(r, i);
        add_test(suite, r, i, end, report_rule_status(r, i, end));
    }
    mxmlSetWrapMargin(0);
    char *text = mxmlSaveAllocString(xml, layout);
    out_string(o, text != NULL ? text : "");
    free(text);
    mxmlDelete(xml);
}

const struct writer write_junit = {
    .name = "junit",
    .summary = "JUnit XML, one test case per rule (check)",
    .only_check = true,
    .write = write,
};
