/* SARIF 2.1.0 (OASIS): one result per finding of a check. Where it is in the code is not
 * known; logicalLocations name the type and what holds it, and the physical location is
 * the line of the budget, if a file has it. Subset that is written: docs/ci/sarif.json. */
#include "base/hash.h"
#include "base/json_out.h"
#include "render/writer.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

static json_t *string_of(struct text *t)
{
    json_t *s = json_stringn_nocheck(t->len > 0 ? t->data : "", t->len);
    text_free(t);
    return s;
}

static json_t *name_of(const char *s)
{
    struct text t = {0};
    format_name(&t, s);
    return string_of(&t);
}

static json_t *message(json_t *text)
{
    json_t *o = json_object();
    json_put(o, "text", text);
    return o;
}

/* --- rules --------------------------------------------------------------- */

/* By kind of budget, whose number is the index that results refer to. */
static const struct {
    const char *id, *summary;
} kinds[] = {
    [HD_RULE_TOTAL] = {"total-growth", "The whole heap grows by more than its budget"},
    [HD_RULE_TYPE] = {"type-growth", "A type grows by more than its budget"},
    [HD_RULE_HOLDER] = {"holder-growth",
                        "What hangs below a root grows by more than its budget"},
    [HD_RULE_SUSPECTS] = {"suspect", "A type is ranked as a likely leak"},
};

enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

static json_t *driver(void)
{
    json_t *o = json_object(), *rules = json_array();
    for (size_t i = 0; i < KIND_COUNT; i++) {
        json_t *rule = json_object();
        json_put(rule, "id", json_string(kinds[i].id));
        json_put(rule, "shortDescription", message(json_string(kinds[i].summary)));
        json_append(rules, rule);
    }
    json_put(o, "name", json_string("heapdrift"));
    json_put(o, "version", json_string(HD_VERSION));
    json_put(o, "semanticVersion", json_string(HD_VERSION));
    json_put(o, "rules", rules);
    return o;
}

/* --- results ------------------------------------------------------------- */

/* The chain is a location of its own: a path of types, from the root down. */
static json_t *logical_locations(const struct hd_finding *f)
{
    json_t *all = json_array();
    struct text holder = {0};
    if (f->subject != NULL) {
        json_t *type = json_object();
        struct text name = {0};
        format_short_name(&name, f->subject);
        json_put(type, "name", string_of(&name));
        json_put(type, "fullyQualifiedName", name_of(f->subject));
        json_put(type, "kind", json_string("type"));
        json_append(all, type);
    }
    text_rule_holder(&holder, f);
    if (holder.len > 0) {
        json_t *chain = json_object();
        json_put(chain, "fullyQualifiedName", string_of(&holder));
        json_put(chain, "kind", json_string("rootChain"));
        json_append(all, chain);
    }
    text_free(&holder);
    return all;
}

/* What is no plain character is escaped (RFC 3986). A relative path stays a relative
 * reference, which readers take to be from the root of the repository; an absolute one
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
    if (f->path != NULL) {
        json_t *physical = json_object(), *artifact = json_object(),
               *region = json_object();
        json_put(artifact, "uri", uri(f->path));
        json_put(region, "startLine", json_integer((json_int_t)f->line));
        json_put(physical, "artifactLocation", artifact);
        json_put(physical, "region", region);
        json_put(location, "physicalLocation", physical);
    }
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
    text_add_char(&t, '\n');
    text_add_string(&t, f->subject != NULL ? f->subject : "");
    /* One subject may break a rule in several ways: by objects and by bytes, by the whole
     * and by a step, as two types with one title. */
    if (f->measure == HD_MEASURE_BYTES && f->kind != HD_RULE_TOTAL)
        text_add_string(&t, "\nbytes");
    if (f->per != HD_PER_TOTAL)
        text_add_string(&t, f->per == HD_PER_STEP ? "\nstep" : "\niteration");
    if (f->type != NULL && strcmp(f->type, f->subject) != 0) {
        text_add_string(&t, "\ntype ");
        text_add_string(&t, f->type);
    }
    snprintf(hex, sizeof(hex), "%016" PRIx64, (uint64_t)XXH3_64bits(t.data, t.len));
    text_free(&t);
    json_t *o = json_object();
    json_put(o, "ruleAndSubject/v1", json_string(hex));
    return o;
}

static json_t *suppressions(const struct hd_finding *f)
{
    json_t *all = json_array(), *one = json_object();
    json_put(one, "kind", json_string("external"));
    struct text reason = {0};
    phrase_reason(&reason, f);
    json_put(one, "justification", name_of(text_string(&reason)));
    text_free(&reason);
    json_append(all, one);
    return all;
}

/* "level" is for failures only (3.27.10): anything else has "none". */
static json_t *result(const struct hd_model *m, const struct hd_finding *f)
{
    static const char *const result_kinds[HD_FINDING_STATUS_COUNT] = {
        [HD_FOUND_PASS] = "pass",
        [HD_FOUND_FAIL] = "fail",
        [HD_FOUND_SUPPRESSED] = "fail",
        [HD_FOUND_INCONCLUSIVE] = "open"};
    bool fails = f->status == HD_FOUND_FAIL || f->status == HD_FOUND_SUPPRESSED;
    json_t *o = json_object();
    struct text t = {0}, fix = {0};
    text_rule_name(&t, f);
    text_add_string(&t, ": ");
    text_rule(&t, m, f);
    text_rule_fix(&fix, m, f);
    if (f->status == HD_FOUND_FAIL && fix.len > 0) {
        text_add_string(&t, "\nfix: ");
        text_add(&t, fix.data, fix.len);
    }
    text_free(&fix);
    json_put(o, "ruleId", json_string(kinds[f->kind].id));
    json_put(o, "ruleIndex", json_integer((json_int_t)f->kind));
    json_put(o, "kind", json_string(result_kinds[f->status]));
    json_put(o, "level", json_string(fails ? "error" : "none"));
    json_put(o, "message", message(string_of(&t)));
    json_put(o, "locations", locations(f));
    json_put(o, "partialFingerprints", fingerprints(f));
    if (f->status == HD_FOUND_SUPPRESSED)
        json_put(o, "suppressions", suppressions(f));
    return o;
}

static json_t *notification(const char *id, const char *level, json_t *words)
{
    json_t *note = json_object(), *descriptor = json_object();
    json_put(descriptor, "id", json_string(id));
    json_put(note, "descriptor", descriptor);
    json_put(note, "level", json_string(level));
    json_put(note, "message", message(words));
    return note;
}

static json_t *invocation(const struct hd_report *r)
{
    const struct hd_model *m = &r->model;
    json_t *o = json_object(), *notes = json_array();
    const char *counts = phrase_what_counts(m);
    struct text power = {0};
    if (counts != NULL)
        json_append(notes, notification("what-counts", "note", json_string(counts)));
    if (phrase_power_of_verdict(&power, r))
        json_append(notes, notification("would-show", "note", string_of(&power)));
    for (size_t i = 0; i < m->warning_count; i++) {
        const struct hd_warning *w = &m->warnings[i];
        struct text t = {0};
        format_name(&t, w->path != NULL
                            ? text_warned_file(m->snapshots, m->snapshot_count, w)
                            : "");
        text_add_string(&t, w->path != NULL ? ": " : "");
        format_name(&t, w->message);
        json_append(notes, notification(w->code, "warning", string_of(&t)));
    }
    json_put(o, "executionSuccessful", json_true());
    json_put(o, "toolExecutionNotifications", notes);
    return o;
}

static json_t *run(const struct hd_report *r)
{
    const struct hd_model *m = &r->model;
    json_t *o = json_object(), *tool = json_object(), *results = json_array(),
           *invocations = json_array();
    json_put(tool, "driver", driver());
    for (size_t i = 0; i < m->check->rule_count; i++)
        json_append(results, result(m, &m->check->rules[i]));
    json_append(invocations, invocation(r));
    json_put(o, "tool", tool);
    json_put(o, "invocations", invocations);
    json_put(o, "columnKind", json_string("unicodeCodePoints"));
    json_put(o, "results", results);
    return o;
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    (void)opt;
    json_t *whole = json_object(), *runs = json_array();
    json_append(runs, run(r));
    json_put(
        whole, "$schema",
        json_string("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                    "sarif-schema-2.1.0.json"));
    json_put(whole, "version", json_string("2.1.0"));
    json_put(whole, "runs", runs);
    json_write(whole, o);
}

const struct writer write_sarif = {
    .name = "sarif",
    .summary = "SARIF 2.1.0, for code scanning (check)",
    .holds = HOLDS_CHECKS,
    .write = write,
};
