/* Combines many runs, from a store or from parts. Writes a part instead of a report with
 * --shard. */
#include "cli/commands/output.h"
#include "cli/guard/allocate.h"
#include "cli/guard/trust.h"
#include "cli/options/options.h"
#include "cli/options/settings.h"
#include "cli/terminal/clock.h"
#include "collect/live/collector.h"
#include "fleet/agent/stored_run.h"
#include "heapdrift_fleet.h"
#include "heapdrift_store.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The own options of fleet. */
struct fleet_options {
    enum hd_fleet_by by;
    unsigned shard, shards; /* 0 of 0: all */
    uint64_t max_hosts, min_hosts;
    double max_hosts_share, min_hosts_share; /* -1: it is a number */
    bool max_hosts_given;
    uint64_t min_span_ms;
    uint64_t limit; /* bytes of memory that a process may use; 0: as recorded */
    bool merge;
    struct fleet_pages *pages; /* that own those of the settings; NULL */
};

/* --- pages ------------------------------------------------------------------- */

/* A folder of pages that can be moved, packed and served: index.html is the page of the
 * fleet, run-4711.html the report of the run with that number, in the same window. Names
 * have only numbers. Replaces existing pages of this kind, and no other files. */

/* Nobody opens more, and each takes a second for a large service. */
enum { MAX_PAGES = 50, MAX_NAME = 40 };

struct fleet_pages_page {
    uint64_t run;
    char name[MAX_NAME]; /* "run-4711.html" */
    char *path;
    struct hd_error error; /* why the page is missing */
};

struct fleet_pages {
    char *index;
    struct fleet_pages_page all[MAX_PAGES];
    size_t count;
    struct hd_page_of_run *listed; /* pages and omitted ones */
    size_t listed_count;
};

/* --- the folder ------------------------------------------------------ */

static bool fleet_pages_are_wanted(const struct settings *s)
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
           trouble(path, "is not a page of heapdrift and is not overwritten");
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

/* One page per run: suspects of the same run share it. */
static void fleet_pages_choose(struct fleet_pages *p, const struct hd_fleet_answer *a)
{
    enum { MAX_LISTED = 1000 };
    size_t count = a->suspect_count + a->few_count + a->open_count;
    p->listed = zeroed(count < MAX_LISTED ? count : MAX_LISTED, sizeof(*p->listed));
    for (size_t i = 0; i < count && p->listed_count < MAX_LISTED; i++) {
        uint64_t run = a->suspects[i].run;
        bool is_known = run == HD_UNKNOWN;
        for (size_t k = 0; k < p->listed_count; k++)
            is_known |= p->listed[k].run == run;
        if (is_known)
            continue;
        struct hd_page_of_run *listed = &p->listed[p->listed_count++];
        *listed = (struct hd_page_of_run){.run = run, .why = "the first 50 runs have one"};
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
            p->listed[i].href = page->name;
        } else if (!s->quiet) {
            begin_message("warning", page->name);
            fputs(": no page: ", stderr);
            end_message(page->error.message);
        }
        p->listed[i].why = page->error.message;
    }
    return ok;
}

/* --- complete folder ------------------------------------------------- */

static bool fleet_pages_begin(const struct settings *s)
{
    return mkdir(s->output, 0777) == 0 || errno == EEXIST ||
           trouble(s->output, strerror(errno));
}

static bool fleet_pages_make(struct settings *s, struct hd_store *store,
                             const struct hd_report *report)
{
    const struct hd_fleet_answer *a = hd_report_model(report)->fleet;
    struct fleet_pages *p = zeroed(1, sizeof(*p));
    ((struct fleet_options *)s->own)->pages = p;
    p->index = path_in(s->output, "index.html");
    fleet_pages_choose(p, a);
    if (!is_free(p->index) || !make_all(s, store, p, &a->rules))
        return false;
    s->pages = p->listed;
    s->page_count = p->listed_count;
    s->output = p->index;
    return true;
}

static void fleet_pages_free(struct settings *s)
{
    struct fleet_options *o = s->own;
    struct fleet_pages *p = o->pages;
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->count; i++)
        free(p->all[i].path);
    free(p->listed);
    free(p->index);
    free(p);
    o->pages = NULL;
}

/* --- from a store to a fleet --------------------------------------------------
 *
 * Reads the series of a window, one after the other, each with its chosen digests. */

struct feed {
    struct hd_store *store;
    struct hd_series_list *list;
};

/* Copies the names of a series into one block: those of the list are valid only until the
 * next one. */
static char *own_names(struct hd_run *run)
{
    const char **names[] = {&run->service, &run->host, &run->process, &run->build};
    const size_t count = sizeof(names) / sizeof(*names);
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += *names[i] != NULL ? strlen(*names[i]) + 1 : 0;
    char *own = zeroed(size, 1), *to = own;
    for (size_t i = 0; i < count; i++) {
        size = *names[i] != NULL ? strlen(*names[i]) + 1 : 0;
        *names[i] = size > 0 ? memcpy(to, *names[i], size) : NULL;
        to += size;
    }
    return own;
}

static void done(void *context, struct hd_fleet_series *series)
{
    (void)context;
    for (size_t k = 0; k < series->snapshot_count; k++)
        hd_memory_free(&series->snapshots[k].bytes);
    free(series->own);
}

static bool fleet_next(void *context, struct hd_fleet_series *series, struct hd_error *err)
{
    struct feed *f = context;
    const struct hd_stored_series *from = NULL;
    size_t chosen[HD_MAX_SNAPSHOTS];
    if (!hd_series_next(f->list, &from, err) || from == NULL)
        return false;
    series->id = from->id;
    series->run = from->run;
    series->run.labels = NULL;
    series->run.label_count = 0;
    series->own = own_names(&series->run);
    series->recorded = from->snapshot_count;
    size_t count = store_choose(from, chosen);
    for (size_t k = 0; k < count; k++) {
        const struct hd_stored_snapshot *snap = &from->snapshots[chosen[k]];
        struct hd_fleet_snapshot *to = &series->snapshots[series->snapshot_count++];
        to->taken = snap->taken;
        if (!store_fetch(f->store, snap->id, &to->bytes, &to->error, err)) {
            done(f, series);
            return false;
        }
    }
    return true;
}

/* Compares everything that the rules select. NULL after printing the error. */
static struct hd_fleet *read_store(const struct settings *s, struct hd_store *store,
                                   const struct hd_fleet_rules *rules)
{
    const struct fleet_options *o = s->own;
    struct hd_fleet *fleet = hd_fleet_new(rules);
    struct hd_error err = {0};
    struct hd_store_filter filter = hd_store_everything();
    filter.service = rules->service;
    filter.since = rules->since;
    filter.until = rules->until;
    filter.shard = o->shard;
    filter.shards = o->shards;
    struct feed f = {.store = store, .list = hd_store_series(store, &filter, &err)};
    const struct hd_fleet_how how = {.threads = s->threads,
                                     .max_memory = s->read.max_memory};
    bool ok =
        f.list != NULL &&
        hd_fleet_examine(fleet, (struct hd_fleet_source){fleet_next, done, &f}, &how, &err);
    if (f.list != NULL)
        store_report_left_out(s, f.list);
    hd_series_list_free(f.list);
    if (ok)
        return fleet;
    store_trouble(store_url(s), &err);
    hd_fleet_free(fleet);
    return NULL;
}

/* --- findings ---------------------------------------------------------------------- */

static bool save_record(struct hd_store *store, const struct hd_run_record *r,
                        struct hd_error *err)
{
    struct hd_stored_finding *all = zeroed(r->finding_count, sizeof(*all));
    for (size_t i = 0; i < r->finding_count; i++) {
        const struct hd_run_finding *f = &r->findings[i];
        all[i] =
            (struct hd_stored_finding){.rank = f->rank,
                                       .type = f->type,
                                       .title = f->title,
                                       .holder = f->holder,
                                       .score = f->score,
                                       .score_share = f->score_share,
                                       .per_hour = f->per_hour,
                                       .confidence = hd_confidence_name(r->confidence)};
    }
    bool ok = hd_store_save_findings(store, r->series, r->times[0], r->times[r->count - 1],
                                     all, r->finding_count, err);
    free(all);
    return ok;
}

/* Writes the findings of every record to the store. False after printing the error.
 * Findings of runs that could not be compared are left unchanged. */
static bool fleet_save(struct hd_fleet *fleet, const struct settings *s)
{
    struct hd_error err = {0};
    struct hd_store *store = open_store(s, HD_STORE_WRITE);
    const struct hd_run_record *r;
    bool ok = store != NULL;
    for (size_t i = 0; ok && (r = hd_fleet_record(fleet, i)) != NULL; i++)
        if (r->count > 0)
            ok = save_record(store, r, &err);
    hd_store_close(store);
    if (store != NULL && !ok)
        store_trouble(store_url(s), &err);
    return ok;
}

/* --- what was asked for --------------------------------------------------------------- */

static bool has_format(const struct settings *s)
{
    return s->format != hd_format_name(0);
}

/* A shard is a part; so is what is merged into a file, unless it is to be read. */
static bool writes_part(const struct settings *s)
{
    const struct fleet_options *o = s->own;
    return o->shards > 0 || (o->merge && s->output != NULL && !has_format(s));
}

static bool fits(const struct settings *s)
{
    const struct fleet_options *o = s->own;
    if (o->merge && s->operand_count == 0)
        return refuse("fleet --merge needs parts written by --shard");
    if (!o->merge && s->operand_count > 0)
        return refuse("fleet reads a store, --store=URL; to read parts, add --merge");
    if (o->merge && (s->since != NULL || s->until != NULL || s->service != NULL))
        return refuse("--merge cannot be combined with --since, --until or --service: the "
                      "parts have their own window and services");
    if (o->merge && o->shards > 0)
        return refuse("--shard cannot be combined with --merge");
    if (o->merge && fleet_pages_are_wanted(s) && !store_is_named(s))
        return refuse(
            "pages of runs need the store: add --store=URL, or name a file with -o");
    if (o->shards > 0 && has_format(s))
        return refuse("--shard writes a part: it cannot be combined with --format");
    if (o->shards > 0 && (s->exit_code || o->max_hosts_given))
        return refuse(
            "a part has no verdict: use --exit-code and --max-hosts with --merge");
    return true;
}

/* --- records --------------------------------------------------------- */

static struct hd_fleet *read_parts(const struct settings *s)
{
    struct hd_fleet *f = hd_fleet_new(NULL);
    for (size_t i = 0; i < s->operand_count; i++) {
        struct hd_error err = {0};
        if (hd_fleet_read_part(f, s->operands[i], &err))
            continue;
        print_error(s->operands[i], &err);
        hd_fleet_free(f);
        return NULL;
    }
    return f;
}

static bool find_rules(const struct settings *s, struct hd_fleet_rules *rules)
{
    const struct fleet_options *o = s->own;
    static const double usual_days = 7, day = 24 * 60 * 60;
    struct moment until = {0};
    *rules = (struct hd_fleet_rules){.service = s->service,
                                     .shard = o->shard,
                                     .shards = o->shards,
                                     .min_share = s->options.min_share,
                                     .min_bytes = s->options.min_bytes,
                                     .min_steady_share = s->options.min_steady_share,
                                     .min_steady_bytes = s->options.min_steady_bytes,
                                     .min_span = (double)o->min_span_ms / 1000};
    if (!store_window(s, usual_days * day, &rules->since, &rules->until))
        return false;
    if (s->until != NULL)
        parse_moment(s->until, &until);
    /* Do other shards have the same window whenever they are run? */
    return o->shards <= 1 || until.is_date || getenv("SOURCE_DATE_EPOCH") != NULL ||
           refuse("all parts must cover the same window: give each the same --until, such "
                  "as --until=2026-11-22T00:00Z");
}

/* --- messages -------------------------------------------------------- */

/* Runs with snapshots that cannot be read are named: something is wrong with the store. */
static void report_damage(struct hd_fleet *f)
{
    enum { MAX_LINES = 20 };
    const struct hd_run_record *r;
    size_t n = 0;
    for (size_t i = 0; (r = hd_fleet_record(f, i)) != NULL; i++) {
        if (r->damaged == 0 || n++ >= MAX_LINES)
            continue;
        begin_message("warning", r->run.service != NULL ? r->run.service : "-");
        if (r->run.host != NULL) {
            fputs(" on ", stderr);
            put_name(r->run.host);
        }
        if (r->run.pid != HD_UNKNOWN)
            fprintf(stderr, ", pid %" PRIu64, r->run.pid);
        fprintf(stderr, ": %zu of %zu snapshots cannot be read: ", r->damaged, r->recorded);
        end_message(r->why != NULL ? r->why : "damaged");
    }
    if (n > MAX_LINES)
        fprintf(stderr,
                "heapdrift: warning: %zu more runs with snapshots that cannot be "
                "read\n",
                n - MAX_LINES);
}

/* Whether a suspect is on more hosts than that; those are named. */
static bool is_on_too_many(const struct settings *s, const struct hd_fleet_answer *a)
{
    const struct fleet_options *o = s->own;
    bool any = false;
    for (size_t i = 0; o->max_hosts_given && i < a->suspect_count + a->few_count; i++) {
        const struct hd_fleet_suspect *x = &a->suspects[i];
        double most = o->max_hosts_share >= 0 ? o->max_hosts_share * (double)x->of_hosts
                                              : (double)o->max_hosts;
        if ((double)x->hosts <= most)
            continue;
        any = true;
        if (s->quiet)
            continue;
        begin_message(NULL, x->title);
        fputs(" in ", stderr);
        put_name(x->service != NULL ? x->service : "-");
        fprintf(stderr, " is on %" PRIu64 " of %" PRIu64 " hosts, more than --max-hosts\n",
                x->hosts, x->of_hosts);
    }
    return any;
}

/* --- the answer ------------------------------------------------------ */

static bool write_part(const void *fleet, const struct settings *s, FILE *to,
                       struct hd_error *err)
{
    (void)s;
    return hd_fleet_write_part((struct hd_fleet *)fleet, hd_sink_file(to), err);
}

static int status_of(const struct settings *s, const struct hd_report *report)
{
    const struct hd_fleet_answer *a = hd_report_model(report)->fleet;
    bool too_many = is_on_too_many(s, a);
    if (too_many || (s->exit_code && a->suspect_count > 0))
        return EXIT_OVER;
    if (!s->strict || hd_report_conclusive(report))
        return EXIT_DONE;
    fputs("heapdrift: inconclusive: some runs allow no verdict, or parts are missing; see "
          "the report\n",
          stderr);
    return EXIT_INCONCLUSIVE;
}

static int answer(struct settings *s, struct hd_store *store, struct hd_fleet *f)
{
    const struct fleet_options *o = s->own;
    /* Parts do not name their store, and heapdrift.db would be a guess. */
    struct hd_memory url = {0};
    if (!o->merge || store_is_named(s))
        hd_store_put_public_url(hd_sink_memory(&url), store_url(s));
    struct hd_fleet_options opt;
    hd_fleet_set_default_options(&opt);
    opt.by = o->by;
    opt.limit = o->limit > 0 ? o->limit : HD_UNKNOWN;
    opt.rows = s->options.rows;
    opt.min_hosts_share = o->min_hosts_share;
    opt.min_hosts = o->min_hosts;
    opt.store = url.bytes;
    struct hd_report *report = hd_report_fleet(f, &opt);
    hd_memory_free(&url);
    bool ok = !fleet_pages_are_wanted(s) || fleet_pages_make(s, store, report);
    ok = ok && output_report(s, report, false);
    int status = ok ? status_of(s, report) : EXIT_TROUBLE;
    fleet_pages_free(s);
    hd_report_free(report);
    return status;
}

static int fleet_run(struct settings *s)
{
    const struct fleet_options *o = s->own;
    bool pages = fleet_pages_are_wanted(s) && !writes_part(s);
    struct hd_store *store = NULL;
    struct hd_fleet_rules rules;
    if (!fits(s) ||
        (o->merge && !fleet_pages_are_wanted(s) && !sandbox_enter(&s->sandbox)) ||
        (!o->merge && !find_rules(s, &rules)) || (pages && !fleet_pages_begin(s)) ||
        ((!o->merge || pages) && (store = open_store_inside(s)) == NULL))
        return EXIT_TROUBLE;
    struct hd_fleet *f = o->merge ? read_parts(s) : read_store(s, store, &rules);
    if (f != NULL && !s->quiet)
        report_damage(f);
    int status = EXIT_TROUBLE;
    bool ok = f != NULL && (!s->saves || fleet_save(f, s));
    if (ok && !writes_part(s))
        status = answer(s, store, f);
    else if (ok && output_file(s, s->output, (struct output_how){.write = write_part}, f))
        status = EXIT_DONE;
    hd_store_close(store);
    hd_fleet_free(f);
    return status;
}

/* --- options --------------------------------------------------------- */

/* "3/16" */
static const char *parse_shard(struct settings *s, const struct option *row,
                               const char *value)
{
    struct fleet_options *o = s->own;
    enum { MAX_SHARDS = 100000 };
    unsigned long shard, shards;
    char *end, *after;
    errno = 0;
    shard = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '/' || end[1] < '0' || end[1] > '9')
        return row->wanted;
    shards = strtoul(end + 1, &after, 10);
    if (errno != 0 || *after != '\0' || shard < 1 || shard > shards || shards > MAX_SHARDS)
        return row->wanted;
    o->shard = (unsigned)shard;
    o->shards = (unsigned)shards;
    return NULL;
}

OPTIONS_OF(struct fleet_options);

static const struct option options[] = {
    {"service", 0, GROUP_STORE, ON_FLEET, TEXT(TEXT, s.service),
     .help = "only this service"},
    {"limit", 0, GROUP_STORE, ON_FLEET, SIZE(own.limit),
     .help = "memory limit of a process; default: as recorded"},
    {"since", 0, GROUP_COMPARED, ON_FLEET, TEXT(MOMENT, s.since),
     .help = "start of the window: 7d (default), 12h, 2026-11-15, all"},
    {"until", 0, GROUP_COMPARED, ON_FLEET, TEXT(MOMENT, s.until),
     .wanted = "a time such as 1h, 2026-11-22, 2026-11-22T14:05Z",
     .help = "end of the window; default: now"},
    {"shard", 0, GROUP_COMPARED, ON_FLEET, .kind = OPTION_OTHER, .parse = parse_shard,
     .argument = "I/N", .wanted = "I/N, from 1/1 to N/N, such as 3/16",
     .help = "only shard I of N, written as a part for --merge"},
    {"merge", 0, GROUP_COMPARED, ON_FLEET, FLAG(own.merge),
     .help = "merge the parts given; -o without --format writes a part"},
    {"by", 0, GROUP_SHOWN, ON_FLEET,
     CHOICE(own.by, HD_FLEET_BY_SERVICE, "service", "host", "build"), .argument = "UNIT",
     .usual = "service", .help = ""},
    {"min-hosts", 0, GROUP_RANKING, ON_FLEET, HOSTS(own.min_hosts, own.min_hosts_share),
     .usual = "5%", .help = "hosts that a suspect of the fleet must be on"},
    {"min-span", 0, GROUP_RANKING, ON_FLEET, DURATION(own.min_span_ms, 0), .usual = "24h",
     .help = "shortest run judged on its own; 0 = no minimum"},
    {"save", 0, GROUP_OUTPUT, ON_FLEET, FLAG(s.saves),
     .help = "write the findings to the store, for SQL"},
    {"max-hosts", 0, GROUP_GENERAL, ON_FLEET, HOSTS(own.max_hosts, own.max_hosts_share),
     GIVEN(own.max_hosts_given), .help = "exit with 1 if a suspect is on more hosts"},
    {"strict", 0, GROUP_GENERAL, ON_FLEET, FLAG(s.strict),
     .help = "exit with 3 if a run allows no verdict or a part is missing"},
    {.more = collect_rows}};

const struct command cmd_fleet = {
    .name = "fleet",
    .bit = ON_FLEET,
    .purpose = FOR_FLEETS,
    .operands = "--store=URL",
    .summary = "which service leaks what, and where",
    .description =
        "Rank every run in a store that has snapshots in the window, as diff does, and "
        "add\n"
        "up the results: which service leaks what, on how many hosts, how fast, since "
        "which\n"
        "build, and when the first host runs out of memory. Runs too short for a verdict\n"
        "are judged together. With --exit-code, exit with 1 if there is a suspect.\n"
        "--shard=I/N computes one of N parts, on many machines; --merge combines the "
        "parts.",
    .examples =
        {
            {"heapdrift fleet --since=7d", "the last week in heapdrift.db"},
            {"heapdrift fleet --by=build --service=Shop", "which build it began with"},
            {"heapdrift fleet --format=html -o leaks/",
             "a folder of pages, one per suspect"},
            {"heapdrift fleet --shard=1/4 --until=2026-11-22 -o 1.part",
             "one part of four"},
            {"heapdrift fleet --merge *.part", "all parts together"},
        },
    .options = options,
    .own_size = sizeof(struct fleet_options),
    .owns_format = hd_format_is_for_fleet,
    .run = fleet_run,
};
