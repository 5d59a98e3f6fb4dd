/* What a page begins with: which process, when, what it comes to, how sure that is, and
 * what to do. The words are the document's; which of them are a heading is said here. */
#include "document/build.h"
#include "render/page/page.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <string.h>

/* --- mood ------------------------------------------------------------------ */

/* The verdict's own; a report without a verdict has none. */
const char *page_mood(const struct document *d)
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

/* Parts with a dot between them. */
struct parts {
    struct out *o;
    size_t count;
};

static void begin_part(struct parts *p)
{
    out_string(p->o, p->count++ > 0 ? " <span class=\"part\">" : "<span class=\"part\">");
}

static void end_part(struct parts *p)
{
    out_string(p->o, "</span>");
}

static void put_named(struct parts *p, const char *before, const char *name)
{
    if (name == NULL)
        return;
    begin_part(p);
    html_words(p->o, before);
    out_string(p->o, "<bdi>");
    html_name(p->o, name);
    out_string(p->o, "</bdi>");
    end_part(p);
}

static void put_process(struct parts *p, const struct heading_origin *from)
{
    if (from->process == NULL && !from->several && from->pid == HD_UNKNOWN)
        return;
    begin_part(p);
    if (from->process != NULL) {
        out_string(p->o, "<strong><bdi>");
        html_name(p->o, from->process);
        out_string(p->o, "</bdi></strong>");
    } else if (from->several) {
        out_string(p->o, "several processes");
    }
    if (from->pid != HD_UNKNOWN)
        out_printf(p->o, from->process != NULL ? " (pid %" PRIu64 ")" : "pid %" PRIu64,
                   from->pid);
    end_part(p);
}

/* "2026-11-22 14:05:10": a file that says when it was taken says no zone. */
static void put_time(struct parts *p, const char *before, const char *time)
{
    char clean[sizeof("2026-11-22 14:05:10")];
    if (time == NULL || strlen(time) < sizeof(clean) - 1)
        return;
    memcpy(clean, time, sizeof(clean) - 1);
    clean[sizeof(clean) - 1] = '\0';
    char *t = strchr(clean, 'T');
    if (t != NULL)
        *t = ' ';
    put_named(p, before, clean);
}

static void put_snapshots(struct parts *p, const struct hd_report *r)
{
    const size_t n = r->snapshot_count;
    struct text words = {0};
    if (n == 0)
        return;
    if (n > 1) {
        format_plural(&words, n, "snapshot");
        heading_add_span(&words, r);
        begin_part(p);
        html_words(p->o, text_string(&words));
        end_part(p);
    }
    put_time(p, n > 1 ? "last taken " : "taken ", r->snapshots[n - 1].info.time);
    text_free(&words);
}

/* What a reader far from the machine has to know. */
static void put_origin(const struct hd_report *r, struct out *o)
{
    struct parts p = {.o = o};
    struct heading_origin from = {.pid = HD_UNKNOWN};
    out_string(o, "<p class=\"origin\">");
    if (heading_origin(r, &from)) {
        put_process(&p, &from);
        put_named(&p, "on ", from.host);
        put_named(&p, "container ", from.container);
        put_named(&p, ".NET ", from.runtime);
    }
    put_snapshots(&p, r);
    out_string(o, "</p>\n");
}

/* --- all of it ------------------------------------------------------------- */

/* What is usually to be done about the first suspect. */
static void put_fix(const char *id, struct page_hints *known, struct out *o)
{
    struct document *hint = id != NULL ? document_of_hint(id) : NULL;
    if (hint == NULL)
        return;
    out_string(o, "<div class=\"fix\">\n<p><strong class=\"word\">Fix</strong> ");
    page_line(&hint->sections[0].blocks[0].line, o);
    out_string(o, "</p>\n");
    page_hint(id, known, o);
    out_string(o, "</div>\n");
    document_free(hint);
}

void page_banner(const struct hd_report *r, const struct document *d,
                 struct page_hints *known, struct out *o)
{
    const struct hd_diff *diff = r->model.diff;
    out_string(o, "<header class=\"top\">\n<p class=\"brand\">");
    html_words(o, d->title);
    out_string(o, "</p>\n");
    if (r->snapshot_count > 0)
        put_origin(r, o);
    out_printf(o, "<div class=\"banner %s\">\n<h1 class=\"verdict %s\">", page_mood(d),
               page_mood(d));
    page_headline(d, o);
    out_string(o, "</h1>\n");
    if (diff != NULL && diff->suspect_count > 0)
        put_fix(diff->suspects[0].hint, known, o);
    if (diff != NULL)
        out_printf(o, "<p class=\"confidence %s\">confidence: <strong>%s</strong></p>\n",
                   hd_confidence_name(diff->confidence),
                   hd_confidence_name(diff->confidence));
    out_string(o, "</div>\n<nav hidden aria-label=\"sections\"></nav>\n</header>\n");
}
