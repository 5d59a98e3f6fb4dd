/* A folder that can be moved, packed and served as it is: index.html is the page of the
 * fleet, run-4711.html what `report` says of the run with that number, in the same window.
 * Names are made of numbers only. What is there is replaced if it is such a page, and left
 * alone if it is anything else. */
#include "fleet/commands/fleet_pages.h"

#include "cli/commands/output.h"
#include "cli/guard/allocate.h"
#include "cli/guard/trust.h"
#include "cli/terminal/clock.h"
#include "fleet/agent/stored_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* More of them nobody opens, and each takes a second of a large service. */
enum { MAX_PAGES = 50, MAX_NAME = 40 };

struct fleet_pages_page {
    uint64_t run;
    char name[MAX_NAME]; /* "run-4711.html" */
    char *path;
    struct hd_error error; /* why there is none */
};

struct fleet_pages {
    char *index;
    struct fleet_pages_page all[MAX_PAGES];
    size_t count;
    struct hd_page_of_run *told; /* of these and of what is left out */
    size_t told_count;
};

/* --- the folder ------------------------------------------------------ */

bool fleet_pages_are_wanted(const struct settings *s)
{
    struct stat st;
    size_t len = s->output != NULL ? strlen(s->output) : 0;
    return strcmp(s->format, "html") == 0 && len > 0 &&
           (s->output[len - 1] == '/' ||
            (stat(s->output, &st) == 0 && S_ISDIR(st.st_mode)));
}

static char *path_in(const char *folder, const char *name)
{
    size_t len = strlen(folder), size = len + strlen(name) + 2;
    char *path = zeroed(size, 1);
    snprintf(path, size, "%s%s%s", folder, len > 0 && folder[len - 1] == '/' ? "" : "/",
             name);
    return path;
}

/* Whether a page of ours may be written there. */
static bool is_free(const char *path)
{
    enum { HEAD = 4096 };
    struct stat st;
    char head[HEAD + 1] = "";
    if (lstat(path, &st) != 0 && errno == ENOENT)
        return true;
    int fd = S_ISREG(st.st_mode) ? trust_open_known(path, &st) : -1;
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (f != NULL) {
        head[fread(head, 1, HEAD, f)] = '\0';
        fclose(f);
    }
    return strstr(head, "<meta name=\"generator\" content=\"heapdrift ") != NULL ||
           trouble(path, "is no page of heapdrift, and stays as it is");
}

/* --- a page ---------------------------------------------------------- */

struct made_page {
    const struct hd_report *report;
    const struct stored_run *run;
    const char *name;
};

static bool write_page(const void *thing, const struct settings *s, FILE *to,
                       struct hd_error *err)
{
    enum { MAX_WORDS = 16 };
    const struct made_page *page = thing;
    struct hd_write_options style = output_style(s, to);
    const char *words[MAX_WORDS] = {"heapdrift", "report"};
    size_t count = 2;
    style.inputs = stored_run_words(page->run, &style.input_count);
    style.inputs_are_options = true;
    for (size_t i = 0; i < style.input_count; i++)
        words[count++] = style.inputs[i];
    words[count++] = "-o";
    words[count++] = page->name;
    style.command = words;
    style.command_len = count;
    report_time(&style.made_at);
    return hd_report_write(page->report, "html", &style, hd_sink_file(to), err);
}

/* As fleet does: what cannot be read is left out. */
static struct hd_comparison *open_good(struct hd_inputs *inputs,
                                       const struct hd_read_options *how)
{
    size_t count, good = 0;
    struct hd_comparison *c = hd_comparison_open(inputs->all, inputs->count, how);
    const struct hd_info_entry *entries = hd_comparison_entries(c, &count);
    for (size_t i = 0; i < count; i++)
        if (entries[i].snap != NULL)
            inputs->all[good++] = inputs->all[i];
    if (good == count)
        return c;
    hd_comparison_free(c);
    inputs->count = good;
    return hd_comparison_open(inputs->all, good, how);
}

/* False if it could not be written; what else is wrong is noted. */
static bool make_page(const struct settings *s, struct hd_store *store,
                      const struct hd_fleet_rules *rules, struct fleet_pages_page *page)
{
    const struct hd_read_options how = {.size = sizeof(how),
                                        .max_memory = s->read.max_memory,
                                        .threads = s->threads,
                                        .reach_later = true,
                                        .across_builds = true};
    struct hd_inputs inputs = {0};
    struct stored_run *run = stored_run_of(store, store_url(s), page->run, rules->since,
                                           rules->until, &page->error);
    bool ok = true;
    if (run == NULL)
        return true;
    stored_run_add(run, &inputs);
    struct hd_comparison *c = open_good(&inputs, &how);
    struct hd_options opt = hd_default_options();
    opt.tree = true;
    opt.min_share = s->options.min_share;
    opt.min_bytes = s->options.min_bytes;
    opt.min_steady_share = s->options.min_steady_share;
    opt.min_steady_bytes = s->options.min_steady_bytes;
    struct hd_report *report = hd_report_diff(c, &opt, &page->error);
    const struct made_page made = {report, run, page->name};
    if (report != NULL)
        ok = is_free(page->path) &&
             output_file(s, page->path, (struct output_how){.write = write_page}, &made);
    hd_report_free(report);
    hd_comparison_free(c);
    hd_inputs_free(&inputs);
    stored_run_free(run);
    return ok;
}

/* --- which ------------------------------------------------------------ */

/* Each run once: suspects of one run share its page. */
static void fleet_pages_choose(struct fleet_pages *p, const struct hd_fleet_answer *a)
{
    enum { MAX_TOLD = 1000 };
    size_t count = a->suspect_count + a->few_count + a->open_count;
    p->told = zeroed(count < MAX_TOLD ? count : MAX_TOLD, sizeof(*p->told));
    for (size_t i = 0; i < count && p->told_count < MAX_TOLD; i++) {
        uint64_t run = a->suspects[i].run;
        bool is_known = run == HD_UNKNOWN;
        for (size_t k = 0; k < p->told_count; k++)
            is_known |= p->told[k].run == run;
        if (is_known)
            continue;
        struct hd_page_of_run *told = &p->told[p->told_count++];
        *told = (struct hd_page_of_run){.run = run, .why = "the first 50 runs have one"};
        if (p->count == MAX_PAGES)
            continue;
        struct fleet_pages_page *page = &p->all[p->count++];
        page->run = run;
        snprintf(page->name, sizeof(page->name), "run-%" PRIu64 ".html", run);
    }
}

static bool make_all(const struct settings *s, struct hd_store *store,
                     struct fleet_pages *p, const struct hd_fleet_rules *rules)
{
    bool ok = true;
    for (size_t i = 0; ok && i < p->count; i++) {
        struct fleet_pages_page *page = &p->all[i];
        page->path = path_in(s->output, page->name);
        ok = make_page(s, store, rules, page);
        if (page->error.status == HD_OK) {
            p->told[i].href = page->name;
        } else if (!s->quiet) {
            begin_message("warning", page->name);
            fputs(": no page: ", stderr);
            end_message(page->error.message);
        }
        p->told[i].why = page->error.message;
    }
    return ok;
}

/* --- all of it ------------------------------------------------------- */

bool fleet_pages_begin(const struct settings *s)
{
    return mkdir(s->output, 0777) == 0 || errno == EEXIST ||
           trouble(s->output, strerror(errno));
}

bool fleet_pages_make(struct settings *s, struct hd_store *store,
                      const struct hd_report *report)
{
    const struct hd_fleet_answer *a = hd_report_model(report)->fleet;
    struct fleet_pages *p = zeroed(1, sizeof(*p));
    ((struct fleet_options *)s->own)->pages = p;
    p->index = path_in(s->output, "index.html");
    fleet_pages_choose(p, a);
    if (!is_free(p->index) || !make_all(s, store, p, &a->rules))
        return false;
    s->pages = p->told;
    s->page_count = p->told_count;
    s->output = p->index;
    return true;
}

void fleet_pages_free(struct settings *s)
{
    struct fleet_options *o = s->own;
    struct fleet_pages *p = o->pages;
    for (size_t i = 0; p != NULL && i < p->count; i++)
        free(p->all[i].path);
    if (p != NULL) {
        free(p->told);
        free(p->index);
    }
    free(p);
    o->pages = NULL;
}
