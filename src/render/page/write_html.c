/* The page: one file of HTML that needs nothing else, neither a network nor JavaScript. Its
 * policy lets nothing run but the script that was built in (bytes.S), so that no name of a
 * snapshot can. */
#include "base/calendar.h"
#include "document/build.h"
#include "render/page/page.h"
#include "render/writer.h"
#include "report/view.h"

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
        html_words(o, d->verdict[0].label);
        out_string(o, " ");
        for (size_t i = 0; i < d->verdict[0].words.len; i++)
            html_name(o, d->verdict[0].words.all[i].text);
    }
    out_string(o, d->summary.len + d->verdict_len > 0 ? " · " : "");
    html_words(o, d->title);
    out_string(o, "</title>\n");
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
    html_words(o, d->made_by);
    out_string(o, "\">\n");
    put_title(d, o);
    out_string(o, "<link rel=\"icon\" href=\"data:image/svg+xml,"
                  "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
                  "%3Cpath d='M1 15V11l4-2 4 1 6-8v13z' fill='%23c2410c'/%3E%3C/svg%3E\">\n"
                  "<style>");
    put_between(o, page_style, page_style_end);
    out_string(o, "</style>\n</head>\n");
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
    out_string(o, "</main>\n<footer>");
    html_words(o, d->made_by);
    put_date(opt->made_at, o);
    out_string(o, "</footer>\n");
    document_free(d);
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
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
    .write = write,
};
