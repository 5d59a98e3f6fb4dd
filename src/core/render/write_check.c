/* The findings of a check for display next to the code: annotations of GitHub Actions,
 * JUnit XML, SARIF.
 *
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 * JUnit XML is the format of Ant's task, read by Jenkins, GitLab, Azure Pipelines and
 * others (docs/ci/junit.xsd): a test suite with one test case per rule. Suppressed and
 * undecided rules are "skipped" with the reason. No times: the same input gives the same
 * bytes. SARIF 2.1.0 (OASIS): one result per finding. Its location in the code is unknown;
 * logicalLocations name the type and its holder, and the physical location is the line of
 * the budget, if a file has it. Subset that is written: docs/ci/sarif.json. */
#include "base/hash.h"
#include "base/json.h"
#include "base/out.h"
#include "base/say.h"
#include "render/writer.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Joints before the details of a failure; NULL: the detail is omitted. */
struct joints {
    const char *held_by, *allocated, *fix;
};

/* "type MyApp.*: MyApp.Order: +120 instances ..."; for a failure its holder, the allocating
 * code, and the remedy, if known. */
static void add_finding(struct text *t, const struct hd_model *m,
                        const struct hd_finding *f, struct joints joint)
{
    struct text more = {0};
    text_rule_name(t, f);
    text_add_string(t, ": ");
    text_rule(t, m, f);
    if (f->status != HD_FOUND_FAIL)
        return;
    if (joint.held_by != NULL)
        text_rule_holder(&more, f);
    if (more.len > 0)
        say(t, joint.held_by, as_text(&more));
    text_clear(&more);
    phrase_rule_allocated(&more, m, f);
    if (more.len > 0)
        say(t, joint.allocated, as_text(&more));
    text_clear(&more);
    text_rule_fix(&more, m, f);
    if (more.len > 0)
        say(t, joint.fix, as_text(&more));
    text_free(&more);
}

/* Appends the file of a warning, escaped, and ": ", if it has one. */
static void add_warned_file(struct text *t, const struct hd_model *m,
                            const struct hd_warning *w)
{
    if (w->path != NULL)
        say(t, as_name(text_warned_file(m->snapshots, m->snapshot_count, w)), ": ");
}

/* --- GitHub ------------------------------------------------------------------------ */

/* GitHub shows ten annotations per step. */
enum { MAX_ERRORS = 9 };

/* Escapes characters that would end the line, or a property before the message. */
static void github_add_escaped(struct text *t, const char *s, bool property)
{
    for (; *s != '\0'; s++) {
        char hex[8];
        bool special =
            *s == '%' || *s == '\r' || *s == '\n' || (property && (*s == ':' || *s == ','));
        snprintf(hex, sizeof(hex), "%%%02X", (unsigned)(unsigned char)*s);
        if (special)
            text_add_string(t, hex);
        else
            text_add_char(t, *s);
    }
}

static void add_command(struct text *t, const char *command, const char *path,
                        uint64_t line, const char *title)
{
    struct text name = {0};
    say(t, "::", command, " ");
    if (path != NULL) {
        format_name(&name, text_repository_path(path));
        text_add_string(t, "file=");
        github_add_escaped(t, text_string(&name), true);
        say(t, ",line=", as_digits(line), ",");
    }
    text_add_string(t, "title=");
    github_add_escaped(t, title, true);
    text_add_string(t, "::");
    text_free(&name);
}

static void add_error(struct text *t, const struct hd_model *m, const struct hd_finding *f)
{
    struct text message = {0};
    add_finding(&message, m, f, (struct joints){"\nheld by ", "\nallocated: ", "\nfix: "});
    if (phrase_what_counts(m) != NULL)
        say(&message, "\n", phrase_what_counts(m));
    add_command(t, "error", f->path, f->line, "heapdrift: over budget");
    github_add_escaped(t, text_string(&message), false);
    text_add_char(t, '\n');
    text_free(&message);
}

static void add_warning(struct text *t, const struct hd_model *m,
                        const struct hd_warning *w)
{
    struct text message = {0};
    bool has_line = w->path != NULL && w->line != HD_UNKNOWN;
    if (!has_line)
        add_warned_file(&message, m, w);
    format_name(&message, w->message);
    add_command(t, "warning", has_line ? w->path : NULL, w->line, w->code);
    github_add_escaped(t, text_string(&message), false);
    text_add_char(t, '\n');
    text_free(&message);
}

static void write_annotations(const struct hd_report *r, const struct hd_write_options *opt,
                              struct out *o)
{
    const struct hd_model *m = &r->model;
    struct text t = {0};
    size_t failed = 0;
    (void)opt;
    for (size_t i = 0; i < m->check->rule_count; i++)
        if (m->check->rules[i].status == HD_FOUND_FAIL && failed++ < MAX_ERRORS)
            add_error(&t, m, &m->check->rules[i]);
    if (failed > MAX_ERRORS) {
        add_command(&t, "error", NULL, 0, "heapdrift: over budget");
        say(&t, as_plural(failed - MAX_ERRORS, "more finding"), " in the report\n");
    }
    for (size_t i = 0; i < m->warning_count; i++)
        add_warning(&t, m, &m->warnings[i]);
    out_text(o, &t);
    text_free(&t);
}

const struct writer write_github = {
    .name = "github",
    .summary = "annotations of GitHub Actions (check)",
    .holds = HOLDS_CHECKS,
    .write = write_annotations,
};

/* --- JUnit ------------------------------------------------------------------------- */

/* The outcome of a rule in one line, and all of its findings below it. */
static void add_outcome(struct xml_out *x, const struct hd_model *m, size_t begin,
                        size_t end, enum hd_finding_status status)
{
    const struct hd_finding *worst = &m->check->rules[begin];
    struct text message = {0}, lines = {0}, why = {0};
    size_t shown = begin + model_rows(m, end - begin);
    const char *element = status == HD_FOUND_FAIL   ? "failure"
                          : status == HD_FOUND_PASS ? "system-out"
                                                    : "skipped";
    while (worst->status != status)
        worst++;
    if (worst->title != NULL)
        say(&message, as_name(worst->title), ": ");
    text_rule(&message, m, worst);
    for (size_t i = begin; i < shown; i++) {
        say(&lines, rule_status_names[m->check->rules[i].status], ": ");
        add_finding(&lines, m, &m->check->rules[i],
                    (struct joints){"\n    held by ", "\n    allocated: ", "\n    fix: "});
        text_add_char(&lines, '\n');
    }
    if (shown < end) {
        format_others(&lines, end - shown);
        text_add_char(&lines, '\n');
    }
    if (phrase_what_counts(m) != NULL)
        say(&lines, phrase_what_counts(m), "\n");
    xml_open(x, element);
    if (status == HD_FOUND_FAIL) {
        xml_attribute(x, "message", text_string(&message));
        xml_attribute(x, "type", "over-budget");
    } else if (status != HD_FOUND_PASS) {
        /* Jenkins shows the attribute, GitLab the content. */
        say(&why, rule_status_names[status], ": ", as_text(&message));
        xml_attribute(x, "message", text_string(&why));
    }
    xml_close_with(x, element, text_string(&lines));
    text_free(&why);
    text_free(&message);
    text_free(&lines);
}

/* Rules of an entry measure different things, so their names differ. */
static void add_test(struct xml_out *x, const struct hd_model *m, size_t begin, size_t end,
                     enum hd_finding_status status)
{
    const struct hd_finding *rule = &m->check->rules[begin];
    struct text name = {0}, title = {0};
    phrase_rule(&title, rule);
    say(&name, as_name(text_string(&title)), " ");
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

/* Skipped tests are counted in the suite only: the element for all suites has no such
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

static void write_suite(const struct hd_report *r, const struct hd_write_options *opt,
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
    .write = write_suite,
};

/* --- SARIF ------------------------------------------------------------------------- */

static json_t *string_of(struct text *t)
{
    json_t *s = json_stringn_nocheck(t->len > 0 ? t->data : "", t->len);
    text_free(t);
    return s;
}

static json_t *sarif_name(const char *s)
{
    struct text t = {0};
    format_name(&t, s);
    return string_of(&t);
}

static json_t *message(json_t *text)
{
    return json_pack("{so}", "text", text);
}

/* --- rules --------------------------------------------------------------- */

/* By kind of budget; results refer to this index. */
static const struct {
    const char *id, *summary;
} kinds[] = {
    [HD_RULE_TOTAL] = {"total-growth", "The whole heap grows by more than its budget"},
    [HD_RULE_TYPE] = {"type-growth", "A type grows by more than its budget"},
    [HD_RULE_HOLDER] = {"holder-growth",
                        "The objects below a root grow by more than their budget"},
    [HD_RULE_SUSPECTS] = {"suspect", "A type is ranked as a likely leak"},
    [HD_RULE_PROCESS] = {"process-growth", "The process grows by more than its budget"},
};

enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

/* The process, which is last, only with a budget. */
static size_t kinds_of(const struct hd_check *check)
{
    for (size_t i = 0; i < check->rule_count; i++)
        if (check->rules[i].kind == HD_RULE_PROCESS)
            return KIND_COUNT;
    return HD_RULE_PROCESS;
}

static json_t *driver(const struct hd_check *check)
{
    json_t *rules = json_array();
    for (size_t i = 0; i < kinds_of(check); i++)
        json_append(rules, json_pack("{sss{ss}}", "id", kinds[i].id, "shortDescription",
                                     "text", kinds[i].summary));
    return json_pack("{ssssssso}", "name", "heapdrift", "version", HD_VERSION,
                     "semanticVersion", HD_VERSION, "rules", rules);
}

/* --- results ------------------------------------------------------------- */

/* The chain is a location of its own: a path of types, from the root down. */
static json_t *logical_locations(const struct hd_finding *f)
{
    json_t *all = json_array();
    struct text holder = {0}, name = {0};
    if (f->title != NULL) {
        format_short_name(&name, f->title);
        json_append(all,
                    json_pack("{sososs}", "name", string_of(&name), "fullyQualifiedName",
                              sarif_name(f->title), "kind", "type"));
    }
    text_rule_holder(&holder, f);
    if (holder.len > 0)
        json_append(all, json_pack("{soss}", "fullyQualifiedName", string_of(&holder),
                                   "kind", "rootChain"));
    text_free(&holder);
    return all;
}

/* Escapes all except plain characters (RFC 3986). A relative path remains a relative
 * reference, which readers resolve against the root of the repository; an absolute one
 * needs its scheme (SARIF 3.4.3). */
static json_t *uri(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-._~/";
    struct text t = {0};
    text_add_string(&t, path[0] == '/' ? "file://" : "");
    for (path = text_repository_path(path); *path != '\0'; path++) {
        char escaped[8];
        snprintf(escaped, sizeof(escaped), "%%%02X", (unsigned)(unsigned char)*path);
        if (strchr(plain, *path) != NULL)
            text_add_char(&t, *path);
        else
            text_add_string(&t, escaped);
    }
    return string_of(&t);
}

static json_t *locations(const struct hd_finding *f)
{
    json_t *location = json_object(), *logical = logical_locations(f), *all = json_array();
    if (f->path != NULL)
        json_put(location, "physicalLocation",
                 json_pack("{s{so}s{sI}}", "artifactLocation", "uri", uri(f->path),
                           "region", "startLine", (json_int_t)f->line));
    if (json_array_size(logical) > 0)
        json_put(location, "logicalLocations", logical);
    else
        json_decref(logical);
    if (json_object_size(location) > 0)
        json_append(all, location);
    else
        json_decref(location);
    return all;
}

/* The same finding of two runs has the same one, whatever the numbers. */
static json_t *fingerprints(const struct hd_finding *f)
{
    struct text t = {0};
    char hex[24];
    phrase_rule(&t, f);
    say(&t, "\n", f->title != NULL ? f->title : "");
    /* One title may break a rule in several ways: by objects and by bytes, by the whole
     * and by a step, as two types with one title. */
    if (f->measure == HD_MEASURE_BYTES && f->kind != HD_RULE_TOTAL)
        text_add_string(&t, "\nbytes");
    if (f->per != HD_PER_TOTAL)
        text_add_string(&t, f->per == HD_PER_STEP ? "\nstep" : "\niteration");
    if (f->type != NULL && strcmp(f->type, f->title) != 0)
        say(&t, "\ntype ", f->type);
    snprintf(hex, sizeof(hex), "%016" PRIx64, (uint64_t)XXH3_64bits(t.data, t.len));
    text_free(&t);
    return json_pack("{ss}", "ruleAndSubject/v1", hex);
}

static json_t *suppressions(const struct hd_finding *f)
{
    struct text reason = {0};
    phrase_reason(&reason, f);
    json_t *why = sarif_name(text_string(&reason));
    text_free(&reason);
    return json_pack("[{ssso}]", "kind", "external", "justification", why);
}

/* "level" is for failures only (3.27.10): all other kinds have "none". */
static json_t *result(const struct hd_model *m, const struct hd_finding *f)
{
    static const char *const result_kinds[HD_FINDING_STATUS_COUNT] = {
        [HD_FOUND_PASS] = "pass",
        [HD_FOUND_FAIL] = "fail",
        [HD_FOUND_SUPPRESSED] = "fail",
        [HD_FOUND_INCONCLUSIVE] = "open"};
    bool fails = f->status == HD_FOUND_FAIL || f->status == HD_FOUND_SUPPRESSED;
    struct text t = {0};
    add_finding(&t, m, f, (struct joints){NULL, "\nallocated: ", "\nfix: "});
    json_t *o =
        json_pack("{sssIsssssososo}", "ruleId", kinds[f->kind].id, "ruleIndex",
                  (json_int_t)f->kind, "kind", result_kinds[f->status], "level",
                  fails ? "error" : "none", "message", message(string_of(&t)), "locations",
                  locations(f), "partialFingerprints", fingerprints(f));
    if (f->status == HD_FOUND_SUPPRESSED)
        json_put(o, "suppressions", suppressions(f));
    return o;
}

static json_t *notification(const char *id, const char *level, json_t *words)
{
    return json_pack("{s{ss}ssso}", "descriptor", "id", id, "level", level, "message",
                     message(words));
}

static json_t *invocation(const struct hd_report *r)
{
    const struct hd_model *m = &r->model;
    json_t *notes = json_array();
    const char *counts = phrase_what_counts(m);
    struct text power = {0};
    if (counts != NULL)
        json_append(notes, notification("what-counts", "note", json_string(counts)));
    if (phrase_power_of_verdict(&power, r))
        json_append(notes, notification("would-show", "note", string_of(&power)));
    for (size_t i = 0; i < m->warning_count; i++) {
        const struct hd_warning *w = &m->warnings[i];
        struct text t = {0};
        add_warned_file(&t, m, w);
        format_name(&t, w->message);
        json_append(notes, notification(w->code, "warning", string_of(&t)));
    }
    return json_pack("{sbso}", "executionSuccessful", true, "toolExecutionNotifications",
                     notes);
}

static void write_results(const struct hd_report *r, const struct hd_write_options *opt,
                          struct out *o)
{
    const struct hd_model *m = &r->model;
    json_t *results = json_array();
    (void)opt;
    for (size_t i = 0; i < m->check->rule_count; i++)
        json_append(results, result(m, &m->check->rules[i]));
    json_write(json_pack("{sssss[{s{so}s[o]ssso}]}", "$schema",
                         "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                         "schemas/sarif-schema-2.1.0.json",
                         "version", "2.1.0", "runs", "tool", "driver", driver(m->check),
                         "invocations", invocation(r), "columnKind", "unicodeCodePoints",
                         "results", results),
               o);
}

const struct writer write_sarif = {
    .name = "sarif",
    .summary = "SARIF 2.1.0, for code scanning (check)",
    .holds = HOLDS_CHECKS,
    .write = write_results,
};
