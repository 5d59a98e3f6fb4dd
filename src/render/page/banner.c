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

/* Of "heapdrift help hint static-collection" the hint; NULL: another command, or none. */
static const char *hint_of(const char *command)
{
    static const char help[] = "heapdrift help hint ";
    bool is_help = command != NULL && strncmp(command, help, sizeof(help) - 1) == 0;
    return is_help ? command + sizeof(help) - 1 : NULL;
}

static void put_words(const struct doc_verdict *v, struct out *o)
{
    if (v->label != NULL) {
        out_string(o, "<strong class=\"word\">");
        html_words(o, v->label);
        out_string(o, "</strong> ");
    }
    page_runs(&v->words, o);
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
        put_words(v, o);
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

void page_banner(const struct hd_report *r, const struct document *d,
                 struct page_hints *known, struct out *o)
{
    out_string(o, "<header class=\"top\">\n<p class=\"brand\">");
    html_words(o, d->title);
    out_string(o, "</p>\n");
    if (r->snapshot_count > 0)
        put_origin(r, o);
    out_printf(o, "<div class=\"banner %s\">\n", page_mood(d));
    put_verdict(d, known, o);
    page_facts(d, o);
    out_string(o, "</div>\n<nav hidden aria-label=\"sections\"></nav>\n</header>\n");
}
