/* Annotations of GitHub Actions: workflow commands, one line per failure and warning.
 * https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
#include "render/writer.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <string.h>

/* GitHub shows ten annotations of a step. */
enum { MOST_ERRORS = 9 };

/* What would end the line, or a property in front of the message. */
static void add_escaped(struct text *t, const char *s, bool property)
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
    char number[32];
    struct text name = {0};
    text_add_string(t, "::");
    text_add_string(t, command);
    text_add_char(t, ' ');
    if (path != NULL) {
        text_add_string(t, "file=");
        format_name(&name, text_repository_path(path));
        add_escaped(t, text_string(&name), true);
        snprintf(number, sizeof(number), ",line=%" PRIu64 ",", line);
        text_add_string(t, number);
    }
    text_add_string(t, "title=");
    add_escaped(t, title, true);
    text_add_string(t, "::");
    text_free(&name);
}

static void add_error(struct text *t, const struct hd_model *m, const struct hd_finding *f)
{
    struct text message = {0}, holder = {0}, fix = {0};
    text_rule_name(&message, f);
    text_add_string(&message, ": ");
    text_rule(&message, m, f);
    text_rule_holder(&holder, f);
    if (holder.len > 0) {
        text_add_string(&message, "\nheld by ");
        text_add(&message, holder.data, holder.len);
    }
    text_rule_fix(&fix, m, f);
    if (fix.len > 0) {
        text_add_string(&message, "\nfix: ");
        text_add(&message, fix.data, fix.len);
    }
    if (phrase_what_counts(m) != NULL) {
        text_add_char(&message, '\n');
        text_add_string(&message, phrase_what_counts(m));
    }
    add_command(t, "error", f->path, f->line, "heapdrift: over budget");
    add_escaped(t, text_string(&message), false);
    text_add_char(t, '\n');
    text_free(&message);
    text_free(&holder);
    text_free(&fix);
}

static void add_warning(struct text *t, const struct hd_model *m,
                        const struct hd_warning *w)
{
    struct text message = {0};
    bool has_line = w->path != NULL && w->line != HD_UNKNOWN;
    if (w->path != NULL && !has_line) {
        format_name(&message, text_warned_file(m->snapshots, m->snapshot_count, w));
        text_add_string(&message, ": ");
    }
    format_name(&message, w->message);
    add_command(t, "warning", has_line ? w->path : NULL, w->line, w->code);
    add_escaped(t, text_string(&message), false);
    text_add_char(t, '\n');
    text_free(&message);
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    const struct hd_model *m = &r->model;
    struct text t = {0};
    size_t failed = 0, told = 0;
    (void)opt;
    for (size_t i = 0; i < m->check->rule_count; i++)
        failed += m->check->rules[i].status == HD_FOUND_FAIL;
    for (size_t i = 0; i < m->check->rule_count && told < MOST_ERRORS; i++) {
        if (m->check->rules[i].status != HD_FOUND_FAIL)
            continue;
        add_error(&t, m, &m->check->rules[i]);
        told++;
    }
    if (failed > told) {
        add_command(&t, "error", NULL, 0, "heapdrift: over budget");
        format_plural(&t, failed - told, "more finding");
        text_add_string(&t, " in the report\n");
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
    .write = write,
};
