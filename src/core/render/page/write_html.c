/* The page: one file of HTML that needs nothing else, neither a network nor JavaScript. Its
 * policy lets nothing run but the script that was built in (bytes.S), so that no name of a
 * snapshot can. */
#include "base/quantity.h"
#include "document/build.h"
#include "render/page/page.h"
#include "render/writer.h"
#include "report/text_parts.h"
#include "report/view.h"

#include <stdio.h>
#include <string.h>

/* Of types, without JavaScript and on paper. */
enum { STATIC_ROWS = 50 };

/* --- head ------------------------------------------------------------------ */

static void put_between(struct out *o, const char *begin, const char *end)
{
    out_bytes(o, begin, (size_t)(end - begin));
}

static void put_title(const struct document *d, struct out *o)
{
    out_string(o, "<title>");
    for (size_t i = 0; i < d->summary.len; i++)
        html_name(o, d->summary.all[i].text);
    if (d->verdict_len > 0) {
        HTML(o, "{} ", d->verdict[0].label);
        for (size_t i = 0; i < d->verdict[0].words.len; i++)
            html_name(o, d->verdict[0].words.all[i].text);
    }
    out_string(o, d->summary.len + d->verdict_len > 0 ? " · " : "");
    HTML(o, "{}</title>\n", d->title);
}

/* The icon is of the page: a browser that looks for one would ask a server. */
static void put_head(const struct document *d, struct out *o)
{
    out_string(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    put_between(o, page_policy, page_policy_end);
    out_string(o,
               "\">\n<meta name=\"viewport\" content=\"width=device-width, "
               "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
               "<meta name=\"generator\" content=\"");
    HTML(o, "{}\">\n", d->made_by);
    put_title(d, o);
    out_string(o, "<link rel=\"icon\" href=\"data:image/svg+xml,"
                  "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
                  "%3Cpath d='M1 15V11l4-2 4 1 6-8v13z' fill='%23c2410c'/%3E%3C/svg%3E\">\n"
                  "<style>");
    put_between(o, page_style, page_style_end);
    out_string(o, "</style>\n</head>\n");
}

/* --- the banner ------------------------------------------------------------ */

/* What a page begins with: which process, when, what it comes to, how sure that is, and
 * what to do. The words are the document's; which of them are a heading is said here. */

/* The verdict's own; a report without a verdict has none. */
static const char *page_mood(const struct document *d)
{
    switch (d->tone) {
    case DOC_GOOD:
        return "good";
    case DOC_BAD:
        return "bad";
    case DOC_UNSURE:
        return "unsure";
    default:
        return "plain";
    }
}

/* --- where it is from ------------------------------------------------------ */

/* The next of the parts, which have a dot between them. */
static void begin_part(struct out *o, size_t *parts)
{
    out_string(o, (*parts)++ > 0 ? " <span class=\"part\">" : "<span class=\"part\">");
}

static void put_named(struct out *o, size_t *parts, const char *before, const char *name)
{
    if (name == NULL)
        return;
    begin_part(o, parts);
    HTML(o, "{}<bdi>{}</bdi></span>", before, html_of_name(name));
}

static void put_process(struct out *o, size_t *parts, const struct heading_origin *from)
{
    if (from->process == NULL && !from->several && from->pid == HD_UNKNOWN)
        return;
    begin_part(o, parts);
    if (from->process != NULL)
        HTML(o, "<strong><bdi>{}</bdi></strong>", html_of_name(from->process));
    else if (from->several)
        out_string(o, "several processes");
    if (from->pid != HD_UNKNOWN)
        HTML(o, from->process != NULL ? " (pid {})" : "pid {}", as_digits(from->pid));
    out_string(o, "</span>");
}

static void put_snapshots(struct out *o, size_t *parts, const struct hd_report *r)
{
    const size_t n = r->snapshot_count;
    const char *time = r->snapshots[n - 1].info.time;
    char clean[sizeof("2026-11-22 14:05:10")];
    struct text span = {0};
    if (n > 1) {
        heading_add_span(&span, r);
        begin_part(o, parts);
        HTML(o, "{}{}</span>", as_plural(n, "snapshot"), as_text(&span));
        text_free(&span);
    }
    /* A file that says when it was taken says no zone. */
    if (time == NULL || strlen(time) < sizeof(clean) - 1)
        return;
    snprintf(clean, sizeof(clean), "%s", time);
    char *t = strchr(clean, 'T');
    if (t != NULL)
        *t = ' ';
    put_named(o, parts, n > 1 ? "last taken " : "taken ", clean);
}

/* What a reader far from the machine has to know. */
static void put_origin(const struct hd_report *r, struct out *o)
{
    size_t parts = 0;
    struct heading_origin from = {.pid = HD_UNKNOWN};
    out_string(o, "<p class=\"origin\">");
    if (heading_origin(r, &from)) {
        put_process(o, &parts, &from);
        put_named(o, &parts, "on ", from.host);
        put_named(o, &parts, "container ", from.container);
        put_named(o, &parts, ".NET ", from.runtime);
    }
    put_snapshots(o, &parts, r);
    out_string(o, "</p>\n");
}

/* --- the verdict ----------------------------------------------------------- */

/* Of "heapdrift help hint static-collection" the hint; NULL: another command, or none. */
static const char *hint_of(const char *command)
{
    static const char help[] = "heapdrift help hint ";
    bool is_help = command != NULL && strncmp(command, help, sizeof(help) - 1) == 0;
    return is_help ? command + sizeof(help) - 1 : NULL;
}

/* The first line is the heading; what to do about it has its reasons and code below. */
static void put_verdict(const struct document *d, struct page_hints *known, struct out *o)
{
    for (size_t i = 0; i < d->verdict_len; i++) {
        const struct doc_verdict *v = &d->verdict[i];
        const char *hint = hint_of(v->command);
        if (i == 0)
            out_printf(o, "<h1 class=\"verdict %s\">", page_mood(d));
        else
            out_string(o, hint != NULL ? "<div class=\"fix\">\n<p>" : "<p class=\"line\">");
        if (v->label != NULL)
            HTML(o, "<strong class=\"word\">{}</strong> ", v->label);
        HTML(o, "{}", html_of_runs(&v->words));
        out_string(o, i == 0 ? "</h1>\n" : "</p>\n");
        if (hint != NULL)
            page_hint(hint, known, o);
        out_string(o, i > 0 && hint != NULL ? "</div>\n" : "");
    }
    if (d->verdict_len > 0)
        return;
    out_printf(o, "<h1 class=\"verdict %s\">", page_mood(d));
    page_headline(d, o);
    out_string(o, "</h1>\n");
}

static void page_banner(const struct hd_report *r, const struct document *d,
                        struct page_hints *known, struct out *o)
{
    HTML(o, "<header class=\"top\">\n<p class=\"brand\">{}</p>\n", d->title);
    if (r->snapshot_count > 0)
        put_origin(r, o);
    out_printf(o, "<div class=\"banner %s\">\n", page_mood(d));
    put_verdict(d, known, o);
    page_facts(d, o);
    out_string(o, "</div>\n<nav hidden aria-label=\"sections\"></nav>\n</header>\n");
}

/* --- data ------------------------------------------------------------------ */

static void put_data(struct out *o, const char *id, json_t *value)
{
    out_printf(o, "<script type=\"application/json\" id=\"%s\">", id);
    html_json(o, value);
    out_string(o, "</script>\n");
}

/* The page shows types by columns, and of what is no suspect only what stands in it. */
static json_t *report_without(const struct hd_report *r)
{
    struct hd_model m = r->model;
    struct hd_diff diff;
    struct hd_top top;
    if (m.diff != NULL) {
        diff = *m.diff;
        diff.types.shown = 0;
        diff.minor_count = diff.minor_count > STATIC_ROWS ? STATIC_ROWS : diff.minor_count;
        diff.pooled_count =
            diff.pooled_count > STATIC_ROWS ? STATIC_ROWS : diff.pooled_count;
        m.diff = &diff;
    }
    if (m.top != NULL) {
        top = *m.top;
        top.types.shown = 0;
        m.top = &top;
    }
    return report_json(&m);
}

/* --- all of it ------------------------------------------------------------- */

static bool has_types(const struct hd_report *r)
{
    return r->model.diff != NULL || r->model.top != NULL;
}

static bool has_tree(const struct hd_report *r)
{
    return has_types(r) && r->found.tree.len > 0;
}

/* Of the day only: who makes it twice gets the same page. */
static void put_date(int64_t seconds, struct out *o)
{
    char time[CALENDAR_TIME];
    if (seconds > 0 && calendar_time(seconds, time))
        out_printf(o, " · page made on %.*s", (int)(strchr(time, 'T') - time), time);
}

static void put_body(const struct hd_report *r, const struct hd_write_options *opt,
                     struct out *o)
{
    struct document *d = document_of_page(r, opt);
    struct page_hints known = {.len = 0};
    put_head(d, o);
    out_printf(o, "<body class=\"mood-%s\">\n", page_mood(d));
    out_string(o, "<a class=\"skip\" href=\"#main\">Skip to the report</a>\n");
    page_banner(r, d, &known, o);
    out_string(o, "<main id=\"main\">\n");
    page_sections(d, opt, &known, o);
    HTML(o, "</main>\n<footer>{}", d->made_by);
    put_date(opt->made_at, o);
    out_string(o, "</footer>\n");
    document_free(d);
}

static void html_write(const struct hd_report *r, const struct hd_write_options *opt,
                       struct out *o)
{
    struct hd_report shown = *r;
    struct arena sums = {0};
    if (r->options.rows == HD_DEFAULT_ROWS)
        view_cut(&shown, STATIC_ROWS, &sums);
    report_publish(&shown);
    put_body(&shown, opt, o);
    put_data(o, "report-data", report_without(&shown));
    if (has_types(r))
        put_data(o, "types-data", page_types(&shown));
    if (has_tree(r))
        put_data(o, "tree-data", page_tree(&shown));
    out_string(o, "<script>");
    put_between(o, page_script, page_script_end);
    out_string(o, "</script>\n</body>\n</html>\n");
    arena_free(&sums);
}

const struct writer write_html = {
    .name = "html",
    .summary = "a page that a browser opens, with everything in it",
    .write = html_write,
};
