/* JUnit XML: a test suite with one test case per rule. Schema: docs/ci/junit.xsd.
 *
 * The format is that of Ant's task, read by Jenkins, GitLab, Azure Pipelines and others.
 * What is suppressed or undecided is "skipped" with the reason. No times: the same input
 * gives the same bytes. */
#include "base/xml_out.h"
#include "render/writer.h"
#include "report/phrases.h"
#include "report/text_parts.h"

static void add_lines(struct text *t, const struct hd_model *m, size_t begin, size_t end)
{
    struct text holder = {0}, fix = {0};
    for (size_t i = begin; i < end; i++) {
        const struct hd_finding *f = &m->check->rules[i];
        text_add_string(t, rule_status_names[f->status]);
        text_add_string(t, ": ");
        text_rule_name(t, f);
        text_add_string(t, ": ");
        text_rule(t, m, f);
        text_add_char(t, '\n');
        text_clear(&holder);
        text_rule_holder(&holder, f);
        if (f->status == HD_FOUND_FAIL && holder.len > 0) {
            text_add_string(t, "    held by ");
            text_add(t, holder.data, holder.len);
            text_add_char(t, '\n');
        }
        text_clear(&fix);
        text_rule_fix(&fix, m, f);
        if (f->status == HD_FOUND_FAIL && fix.len > 0) {
            text_add_string(t, "    fix: ");
            text_add(t, fix.data, fix.len);
            text_add_char(t, '\n');
        }
    }
    text_free(&holder);
    text_free(&fix);
}

/* The outcome of a rule in one line, and all of its findings below it. */
static void add_outcome(struct xml_out *x, const struct hd_model *m, size_t begin,
                        size_t end, enum hd_finding_status status)
{
    const struct hd_finding *worst = &m->check->rules[begin];
    struct text message = {0}, lines = {0};
    size_t shown = begin + model_rows(m, end - begin);
    while (worst->status != status)
        worst++;
    if (worst->subject != NULL) {
        format_name(&message, worst->subject);
        text_add_string(&message, ": ");
    }
    text_rule(&message, m, worst);
    add_lines(&lines, m, begin, shown);
    if (shown < end) {
        format_others(&lines, end - shown);
        text_add_char(&lines, '\n');
    }
    if (phrase_what_counts(m) != NULL) {
        text_add_string(&lines, phrase_what_counts(m));
        text_add_char(&lines, '\n');
    }
    if (status == HD_FOUND_FAIL) {
        xml_open(x, "failure");
        xml_attribute(x, "message", text_string(&message));
        xml_attribute(x, "type", "over-budget");
        xml_close_with(x, "failure", text_string(&lines));
    } else if (status != HD_FOUND_PASS) {
        struct text why = {0};
        text_add_string(&why, rule_status_names[status]);
        text_add_string(&why, ": ");
        text_add(&why, message.data, message.len);
        xml_open(x, "skipped");
        xml_attribute(x, "message", text_string(&why));
        /* Jenkins shows the attribute, GitLab the content. */
        xml_close_with(x, "skipped", text_string(&lines));
        text_free(&why);
    } else {
        xml_open(x, "system-out");
        xml_close_with(x, "system-out", text_string(&lines));
    }
    text_free(&message);
    text_free(&lines);
}

/* Rules of one entry differ in what they measure, so their names do. */
static void add_test(struct xml_out *x, const struct hd_model *m, size_t begin, size_t end,
                     enum hd_finding_status status)
{
    const struct hd_finding *rule = &m->check->rules[begin];
    struct text name = {0}, title = {0};
    phrase_rule(&title, rule);
    format_name(&name, text_string(&title));
    text_add_string(&name, " ");
    phrase_limit(&name, rule);
    xml_open(x, "testcase");
    xml_attribute(x, "classname", "heapdrift.check");
    xml_attribute(x, "name", text_string(&name));
    xml_attribute(x, "time", "0");
    text_free(&name);
    text_free(&title);
    add_outcome(x, m, begin, end, status);
    xml_close(x, "testcase");
}

static void set_number(struct xml_out *x, const char *name, size_t n)
{
    char s[24];
    snprintf(s, sizeof(s), "%zu", n);
    xml_attribute(x, name, s);
}

/* What is skipped is counted in the suite only: all suites together have no such
 * attribute in the schema that Jenkins checks against (junit-10.xsd). */
static size_t count_skipped(const size_t *by_status)
{
    return by_status[HD_FOUND_SUPPRESSED] + by_status[HD_FOUND_INCONCLUSIVE];
}

static void set_counts(struct xml_out *x, const size_t *by_status)
{
    size_t skipped = count_skipped(by_status);
    xml_attribute(x, "name", "heapdrift");
    set_number(x, "tests", skipped + by_status[HD_FOUND_PASS] + by_status[HD_FOUND_FAIL]);
    set_number(x, "failures", by_status[HD_FOUND_FAIL]);
    set_number(x, "errors", 0);
    xml_attribute(x, "time", "0");
}

static void add_property(struct xml_out *x, const char *name, const char *value)
{
    xml_open(x, "property");
    xml_attribute(x, "name", name);
    xml_attribute(x, "value", value);
    xml_close(x, "property");
}

static void add_properties(struct xml_out *x, const struct hd_model *m)
{
    struct text value = {0};
    xml_open(x, "properties");
    for (size_t k = 0; k < m->snapshot_count; k++) {
        char name[32];
        snprintf(name, sizeof(name), "snapshot.%zu", k + 1);
        text_clear(&value);
        format_name(&value, m->snapshots[k].info.path);
        add_property(x, name, text_string(&value));
    }
    add_property(x, "confidence", confidence_names[m->diff->confidence]);
    xml_close(x, "properties");
    text_free(&value);
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    const struct hd_model *m = &r->model;
    (void)opt;
    struct xml_out x = xml_begin(o);
    size_t by_status[HD_FINDING_STATUS_COUNT] = {0};
    for (size_t i = 0, end; i < m->check->rule_count; i = end) {
        end = report_rule_end(m->check, i);
        by_status[report_rule_status(m->check, i, end)]++;
    }
    xml_open(&x, "testsuites");
    set_counts(&x, by_status);
    xml_open(&x, "testsuite");
    set_counts(&x, by_status);
    set_number(&x, "skipped", count_skipped(by_status));
    add_properties(&x, m);
    for (size_t i = 0, end; i < m->check->rule_count; i = end) {
        end = report_rule_end(m->check, i);
        add_test(&x, m, i, end, report_rule_status(m->check, i, end));
    }
    xml_close(&x, "testsuite");
    xml_close(&x, "testsuites");
}

const struct writer write_junit = {
    .name = "junit",
    .summary = "JUnit XML, one test case per rule (check)",
    .holds = HOLDS_CHECKS,
    .write = write,
};
