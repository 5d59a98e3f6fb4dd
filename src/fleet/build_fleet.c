/* Document of a fleet: verdict and basis, suspects, their owners and origins; services,
 * rows of --by, runs that were not judged. */
#include "document/build.h"

#include "fleet/report_fleet.h"
#include "heap/place.h"

#include <math.h>
#include <string.h>

/* as_moment() of phrase_moment(): a number that has words of its own. */
#define AS(what)                                                          \
    static void add_##what(struct sentence *to, const struct say_part *p) \
    {                                                                     \
        phrase_##what(&to->words, p->x);                                  \
    }                                                                     \
    static struct say_part as_##what(double x)                            \
    {                                                                     \
        return (struct say_part){.add = add_##what, .x = x};              \
    }
AS(moment)
AS(per_hour)
AS(per_day)
AS(hours_left)

/* --- the head ---------------------------------------------------------------------- */

static struct doc_runs *begin_fact(struct build *b, struct doc_facts *facts,
                                   const char *name)
{
    struct doc_line *l = &doc_fact(b->doc, facts, name)->value;
    l->wraps = true;
    return doc_piece(b->doc, l, "");
}

static void add_window(struct build *b, struct doc_facts *facts)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    const double since = a->rules.since, until = a->rules.until;
    struct doc_runs *to = begin_fact(b, facts, "window");
    SAY(b, to, isnan(since) ? say_words("all that is stored") : as_moment(since));
    if (!isnan(until))
        SAY(b, to, isnan(since) ? " until " : " to ", as_moment(until));
    SAY(b, to, " UTC");
    if (a->snapshots > 0)
        SAY(b, to, "; snapshots from ", as_moment(a->first), " to ", as_moment(a->last));
}

static void add_base(struct build *b, struct doc_facts *facts)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    uint64_t unsure = a->runs[HD_UNSURE], not_judged = a->runs[HD_NOT_JUDGED];
    SAY(b, begin_fact(b, facts, "rests on"), as_plural(a->runs[HD_JUDGED], "judged run"),
        " on ", as_plural(a->hosts_judged, "host"), " of ",
        as_plural(a->service_count, "service"), ", ", as_plural(a->snapshots, "snapshot"));
    if (unsure + not_judged == 0)
        return;
    struct doc_runs *to = begin_fact(b, facts, "no verdict");
    SAY(b, to, as_plural(unsure + not_judged, "run"), ": ", unsure, " unsure, ", not_judged,
        " not judged; alone they count neither as healthy nor as leaking");
    if (a->runs_open > 0)
        SAY(b, to, ", though ", a->runs_open, " ", a->runs_open == 1 ? "shows" : "show",
            " a suspect");
}

static void add_head(struct build *b)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    struct doc_facts *facts = &doc_block(b->doc, s, DOC_FACTS)->facts;
    if (a->rules.service != NULL)
        SAY(b, begin_fact(b, facts, "service"), run_name(a->rules.service));
    add_window(b, facts);
    if (a->limit != HD_UNKNOWN)
        SAY(b, begin_fact(b, facts, "limit"), as_size(a->limit));
    add_base(b, facts);
}

/* --- suspects ------------------------------------------------------------------------ */

static void add_suspect_row(struct build *b, struct doc_table *t,
                            const struct hd_fleet_suspect *s)
{
    build_row(b, t, DOC_ROW);
    b->row->is_suspect = !s->is_few && s->evidence != HD_EVIDENCE_OPEN;
    CELL(b, s->rank);
    CELL(b, s->hosts, " of ", s->of_hosts);
    CELL(b, as_share(s->hosts_share));
    CELL_AS(b, s->per_hour > 0 && b->row->is_suspect ? DOC_MORE : DOC_WORDS,
            as_per_hour(s->per_hour));
    CELL(b, as_per_day(s->per_day));
    CELL(b, as_share(s->score_share));
    CELL(b, as_hours_left(s->hours_left));
    CELL(b, as_share(s->score));
    CELL(b, run_type(s->title));
    if (strcmp(s->title, s->type) != 0)
        REMARK(b, "(", run_type(s->type), ")");
    if (s->service != NULL)
        REMARK(b, "in ", run_name(s->service));
}

/* With which build, and how sure that is. */
static void add_onset(struct build *b, const struct hd_fleet_suspect *s)
{
    struct doc_runs *to = doc_piece(b->doc, build_attached(b, "began"), "");
    switch (s->onset) {
    case HD_ONSET_UNKNOWN:
        SAY(b, to, "the runs do not name their build");
        break;
    case HD_ONSET_NAMED:
        SAY(b, to, "with build ", run_name(s->began_with), ": ");
        phrase_sides(&b->words, s);
        break;
    default:
        SAY(b, to,
            s->onset == HD_ONSET_FIRST
                ? "present since the first recorded build, "
                : "cannot tell which build introduced it; the first that shows it is ",
            run_name(s->first_build));
    }
    SAY(b, to, "; first seen ", as_moment(s->first_seen));
}

/* Adds the basis of a suspect in addition to judged runs, or what it lacks; and the ends of
 * its processes. */
static void add_pool(struct build *b, const struct hd_fleet_suspect *s)
{
    bool is_open = s->evidence == HD_EVIDENCE_OPEN;
    if (is_open)
        phrase_missing(&b->words, s);
    else if (s->evidence == HD_EVIDENCE_POOLED)
        phrase_pool(&b->words, s);
    if (b->words.len > 0)
        ATTACHED(b, is_open ? "missing" : "rests on", "");
    phrase_ends(&b->words, s);
    if (b->words.len > 0 && s->life_hours > 0 && !isinf(s->life_hours))
        ATTACHED(b, "ends", "; from start to limit ", as_hours_left(s->life_hours));
    else if (b->words.len > 0)
        ATTACHED(b, "ends", "");
}

/* The host where it grows fastest, and how many it is on still. */
static void add_worst(struct build *b, const struct hd_fleet_suspect *s)
{
    const struct hd_fleet_host *worst = &s->on[0];
    struct doc_runs *to = doc_piece(b->doc, build_attached(b, "worst"), "");
    SAY(b, to,
        worst->host != NULL ? run_name(worst->host) : say_words("a host without a name"));
    if (!isnan(worst->per_hour))
        SAY(b, to, ", ", as_per_hour(worst->per_hour));
    if (!isnan(worst->score_share))
        SAY(b, to, ", ", as_share(worst->score_share), " of its heap");
    if (s->hosts_still < s->hosts)
        SAY(b, to, "; the newest run shows it on ", s->hosts_still, " of ", s->hosts);
}

/* Adds the types of a path that was formatted as one line, or NULL. */
static void add_line_of_types(struct build *b, const char *label, const char *line)
{
    const char **types;
    if (line == NULL)
        return;
    struct doc_chains *to = &doc_attached(b->doc, b->row, label)->chains;
    size_t n = holder_split(line, &types, &b->doc->arena);
    build_path(b, to, types, n);
}

/* Omits the holder if the chain goes through it. */
static void fleet_add_holder(struct build *b, const struct hd_fleet_suspect *s)
{
    size_t len = s->holder != NULL ? strlen(s->holder) : 0;
    bool is_one = s->chain != NULL && s->holder != NULL &&
                  strncmp(s->chain, s->holder, len) == 0 &&
                  (s->chain[len] == '\0' ||
                   strncmp(s->chain + len, HOLDER_ARROW, strlen(HOLDER_ARROW)) == 0);
    add_line_of_types(b, "held by", is_one ? s->chain : s->holder);
    if (!is_one)
        add_line_of_types(b, "chain", s->chain);
}

/* Adds a link to the page of the run, or the reason why it is missing, if there are
 * pages. */
static void add_page(struct build *b, struct doc_line *l, const struct hd_fleet_suspect *s)
{
    const struct hd_page_of_run *page = NULL;
    for (size_t i = 0; page == NULL && b->page != NULL && i < b->page->page_count; i++)
        page = b->page->pages[i].run == s->run ? &b->page->pages[i] : NULL;
    if (page == NULL)
        return;
    struct doc_runs *to = doc_piece(b->doc, l, "");
    if (page->href == NULL) {
        SAY(b, to, "no page of its run: ", run_quoted(page->why));
        return;
    }
    SAY(b, to, "the page of its worst run");
    l->all[l->len - 1].href =
        arena_printf(&b->doc->arena, "%s#suspect-%u", page->href, (unsigned)s->on[0].rank);
}

static void fleet_add_suspect(struct build *b, struct doc_table *t,
                              const struct hd_fleet_suspect *s)
{
    add_suspect_row(b, t, s);
    fleet_add_holder(b, s);
    add_pool(b, s);
    if (s->evidence != HD_EVIDENCE_OPEN)
        add_onset(b, s);
    if (s->on_count > 0)
        add_worst(b, s);
    build_hint(b, s->hint);
    if (s->command == NULL)
        return;
    /* Link and command that open the worst run. */
    struct doc_line *l = build_attached(b, "open");
    add_page(b, l, s);
    SAY(b, doc_piece(b->doc, l, l->len > 0 ? "  " : ""), run_code(s->command));
}

static struct doc_table *begin_suspects(struct build *b, const char *title,
                                        const char *remark)
{
    enum { WIDTH_FOR_SHARE = 70 };
    static const struct doc_column columns[] = {
        {RIGHT("#")},
        {RIGHT("hosts"), .meaning = "Hosts on which a judged run shows the suspect, of the "
                                    "hosts of the service with a judged run."},
        {RIGHT("share"), .from_width = WIDTH_FOR_SHARE},
        {RIGHT("growth"),
         .meaning = "Median growth of the retained bytes per hour over these hosts."},
        {RIGHT("per day"), .from_width = 90},
        {RIGHT("of heap"), .from_width = WIDTH_FOR_SHARE,
         .meaning = "Median share of the heap over these hosts, by the score."},
        {RIGHT("full in"), .from_width = 80,
         .meaning = "Time until the first of these hosts reaches its memory limit at the "
                    "current growth of its heap."},
        {RIGHT("score"), .is_detail = true,
         .meaning = "Suspects are ranked by this: the share of the hosts multiplied by the "
                    "median share of the heap."},
        {.title = "type", .is_subject = true, .is_title = true}};
    struct doc_table *t = TABLE(b, doc_topic(b->doc, title, remark), columns);
    t->details = "Scores";
    return t;
}

static void fleet_add_suspects(struct build *b)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->suspect_count + a->few_count == 0)
        return;
    struct doc_table *t = begin_suspects(
        b, "Suspects", "by share of the hosts times median share of the heap");
    for (size_t i = 0; i < a->suspects_shown; i++)
        fleet_add_suspect(b, t, &a->suspects[i]);
    build_others(b, t, a->suspect_count - a->suspects_shown);
    if (a->few_count == 0)
        return;
    build_row(b, t, DOC_GROUP);
    CELL(b, "on few hosts only");
    for (size_t i = 0; i < a->few_shown; i++)
        fleet_add_suspect(b, t, &a->suspects[a->suspect_count + i]);
    build_others(b, t, a->few_count - a->few_shown);
}

static void add_open(struct build *b)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->open_count == 0)
        return;
    struct doc_table *t =
        begin_suspects(b, "Not yet suspects",
                       "growth in runs with too little evidence, alone and together");
    for (size_t i = 0; i < a->open_shown; i++)
        fleet_add_suspect(b, t, &a->suspects[a->suspect_count + a->few_count + i]);
    build_others(b, t, a->open_count - a->open_shown);
}

/* --- services ------------------------------------------------------------------------ */

enum { WIDTH_FOR_SOME = 70, WIDTH_FOR_MORE = 100, WIDTH_FOR_ALL = 120 };

/* Three numbers of runs. */
static void add_run_counts(struct build *b, const uint64_t *runs)
{
    for (size_t i = 0; i < HD_JUDGEMENT_COUNT; i++)
        CELL(b, runs[i]);
}

static void add_services(struct build *b)
{
    static const struct doc_column columns[] = {
        {RIGHT("suspects")},
        {RIGHT("hosts")},
        {RIGHT("judged")},
        {RIGHT("unsure")},
        {RIGHT("not judged")},
        {RIGHT("builds"), .from_width = WIDTH_FOR_SOME},
        {RIGHT("full in"), .from_width = WIDTH_FOR_SOME},
        {.title = "service", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->service_count == 0)
        return;
    struct doc_section *topic = doc_topic(b->doc, "Services", "runs by judgement");
    struct doc_table *t = TABLE(b, topic, columns);
    for (size_t i = 0; i < a->services_shown; i++) {
        const struct hd_fleet_service *s = &a->services[i];
        build_row(b, t, DOC_ROW);
        CELL_AS(b, s->suspects > 0 ? DOC_MORE : DOC_WORDS, s->suspects);
        CELL(b, s->hosts);
        add_run_counts(b, s->runs);
        CELL(b, s->builds);
        CELL(b, as_hours_left(s->hours_left));
        CELL(b, run_name(s->service));
    }
    build_others(b, t, a->service_count - a->services_shown);
}

/* --- charts --------------------------------------------------------------------------- */

/* Adds bars of known values, and the numbers for formats that can draw. */
static void add_chart(struct build *b, const double *times, const uint64_t *bytes,
                      size_t count, double most)
{
    enum { TREND_BARS = 12 };
    struct doc_cell *cell = &b->row->cells[b->cell];
    struct hd_tally known[HD_MAX_SNAPSHOTS];
    struct doc_chart *chart = arena_alloc(&b->doc->arena, sizeof(*chart));
    double *x = arena_array(&b->doc->arena, double, count);
    double *y = arena_array(&b->doc->arena, double, count);
    size_t n = 0;
    for (size_t k = 0; k < count; k++) {
        x[k] = times[k];
        y[k] = bytes[k] != HD_UNKNOWN ? (double)bytes[k] : NAN;
        if (bytes[k] != HD_UNKNOWN)
            known[n++] = (struct hd_tally){bytes[k], 0};
    }
    *chart = (struct doc_chart){.x = x, .y = y, .len = count, .most = most};
    cell->chart = n > 1 ? chart : NULL;
    if (n > 1)
        format_trend_of(&b->words, known, n, TREND_BARS);
    CELL(b, "");
}

static double most_of(const uint64_t *bytes, size_t count, double most)
{
    for (size_t k = 0; k < count; k++)
        if (bytes[k] != HD_UNKNOWN && (double)bytes[k] > most)
            most = (double)bytes[k];
    return most;
}

static uint64_t fleet_last_of(const uint64_t *bytes, size_t count)
{
    while (count > 0 && bytes[count - 1] == HD_UNKNOWN)
        count--;
    return count > 0 ? bytes[count - 1] : HD_UNKNOWN;
}

/* --- small multiples ------------------------------------------------- */

/* All hosts of a suspect have one scale, for comparison. Runs have their number for --run,
 * unformatted. */
static void add_multiples_of(struct build *b, struct doc_table *t,
                             const struct hd_fleet_suspect *s)
{
    enum { MAX_MULTIPLES = 24, OPEN_MULTIPLES = 3 };
    size_t shown = s->on_count < MAX_MULTIPLES ? s->on_count : MAX_MULTIPLES;
    double most = 0;
    for (size_t i = 0; i < shown; i++)
        most = most_of(s->on[i].retained, s->on[i].count, most);
    build_row(b, t, DOC_GROUP);
    b->row->is_open = s->rank <= OPEN_MULTIPLES;
    struct doc_runs *to = build_next_cell(b);
    SAY(b, to, "suspect ", s->rank, ": ", run_type(s->title));
    if (s->service != NULL)
        SAY(b, to, " in ", run_name(s->service));
    for (size_t i = 0; i < shown; i++) {
        const struct hd_fleet_host *h = &s->on[i];
        build_row(b, t, DOC_ROW);
        add_chart(b, h->times, h->retained, h->count, most);
        CELL(b, as_per_hour(h->per_hour));
        CELL(b, as_size(fleet_last_of(h->retained, h->count)));
        CELL(b, as_share(h->score_share));
        CELL(b, as_hours_left(h->hours_left));
        CELL(b, run_name(h->build));
        CELL(b, as_id(h->run));
        CELL(b, run_name(h->host));
    }
    build_others(b, t, s->on_count - shown);
}

static void add_multiples(struct build *b)
{
    static const struct doc_column columns[] = {
        {.title = "trend"},
        {RIGHT("growth")},
        {RIGHT("retains")},
        {RIGHT("of heap")},
        {RIGHT("full in"), .from_width = WIDTH_FOR_SOME},
        {.title = "build", .gives_way = true, .from_width = WIDTH_FOR_SOME},
        {RIGHT("run"), .from_width = WIDTH_FOR_SOME},
        {.title = "host", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->suspects_shown + a->few_shown == 0)
        return;
    struct doc_section *s =
        doc_topic(b->doc, "Hosts of each suspect",
                  "what it retains in the worst run of each, fastest first");
    s->only = DOC_ON_DETAILED_LINES | DOC_ON_PAGES;
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < a->suspects_shown; i++)
        add_multiples_of(b, t, &a->suspects[i]);
    for (size_t i = 0; i < a->few_shown; i++)
        add_multiples_of(b, t, &a->suspects[a->suspect_count + i]);
}

/* --- hosts ----------------------------------------------------------- */

static void add_host_row(struct build *b, struct doc_table *t,
                         const struct hd_fleet_host_row *h)
{
    build_row(b, t, DOC_ROW);
    b->row->is_suspect = h->suspects + h->suspects_pooled > 0;
    CELL(b, h->suspects + h->suspects_pooled);
    add_chart(b, h->times, h->bytes, h->count, most_of(h->bytes, h->count, 0));
    CELL(b, as_size(h->heap));
    CELL(b, as_per_hour(h->heap_per_hour));
    CELL(b, as_hours_left(h->hours_left));
    add_run_counts(b, h->runs);
    CELL(b, run_name(h->build));
    CELL(b, run_type(h->title));
    CELL(b, run_name(h->service));
    CELL(b, run_name(h->host));
    if (h->open_subject != NULL)
        REMARK(b, "unsure: ", run_type(h->open_subject));
}

static void add_hosts(struct build *b)
{
    static const struct doc_column columns[] = {
        {RIGHT("suspects")},
        {.title = "trend", .from_width = WIDTH_FOR_MORE},
        {RIGHT("heap")},
        {RIGHT("growth")},
        {RIGHT("full in"), .from_width = WIDTH_FOR_SOME},
        {RIGHT("judged"), .from_width = WIDTH_FOR_ALL},
        {RIGHT("unsure"), .from_width = WIDTH_FOR_ALL},
        {RIGHT("not judged"), .from_width = WIDTH_FOR_ALL},
        {.title = "build", .gives_way = true, .from_width = WIDTH_FOR_ALL},
        {.title = "worst suspect", .gives_way = true, .from_width = WIDTH_FOR_SOME},
        {.title = "service", .gives_way = true},
        {.title = "host", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->host_row_count == 0)
        return;
    struct doc_section *s =
        doc_topic(b->doc, "Hosts", "their newest runs; those with suspects first");
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < a->host_rows_shown; i++)
        add_host_row(b, t, &a->host_rows[i]);
    build_others(b, t, a->host_row_count - a->host_rows_shown);
}

/* --- builds ---------------------------------------------------------- */

static void add_builds_of(struct build *b, struct doc_table *t,
                          const struct hd_fleet_suspect *s)
{
    size_t shown = model_rows(&b->r->model, s->build_count);
    for (size_t i = 0; i < shown; i++) {
        const struct hd_fleet_build_count *c = &s->builds[i];
        build_row(b, t, DOC_ROW);
        CELL(b, s->rank);
        CELL(b, as_moment(c->first_seen));
        CELL(b, c->with, " of ", c->runs);
        CELL(b, as_share(c->runs > 0 ? (double)c->with / (double)c->runs : NAN));
        CELL(b, run_type(s->title));
        CELL(b, run_name(c->build));
        if (s->onset == HD_ONSET_NAMED && s->began_with == c->build)
            REMARK(b, "it began here");
    }
    build_others(b, t, s->build_count - shown);
}

static void add_builds(struct build *b)
{
    static const struct doc_column columns[] = {
        {RIGHT("#")},
        {.title = "first seen", .from_width = WIDTH_FOR_SOME},
        {RIGHT("runs")},
        {RIGHT("share")},
        {.title = "suspect", .gives_way = true, .from_width = WIDTH_FOR_SOME},
        {.title = "build", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->suspects_shown == 0)
        return;
    struct doc_section *s =
        doc_topic(b->doc, "Builds", "of each suspect, in order of time: runs that show it");
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < a->suspects_shown; i++)
        add_builds_of(b, t, &a->suspects[i]);
}

/* --- runs without a verdict ------------------------------------------ */

static void add_unjudged(struct build *b)
{
    static const struct doc_column columns[] = {
        {.title = "host", .gives_way = true},
        {RIGHT("pid"), .from_width = WIDTH_FOR_MORE},
        {RIGHT("run"), .from_width = WIDTH_FOR_SOME},
        {RIGHT("compared"), .from_width = WIDTH_FOR_SOME},
        {.title = "why"},
        {.title = "service", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->unjudged_count == 0)
        return;
    struct doc_section *s = doc_topic(
        b->doc, "No verdict", "runs that alone count neither as healthy nor as leaking");
    s->is_long = true;
    struct doc_table *t = TABLE(b, s, columns);
    for (size_t i = 0; i < a->unjudged_shown; i++) {
        const struct hd_fleet_unjudged *u = &a->unjudged[i];
        build_row(b, t, DOC_ROW);
        CELL(b, run_name(u->host));
        CELL(b, as_id(u->pid));
        CELL(b, as_id(u->series));
        CELL(b, u->compared, " of ", u->recorded);
        CELL(b, phrase_doubt(u->doubt));
        CELL(b, run_name(u->service));
        if (u->why != NULL)
            ATTACHED(b, NULL, run_quoted(u->why));
    }
    build_others(b, t, a->unjudged_count - a->unjudged_shown);
}

/* --- complete document
 * ------------------------------------------------------------------- */

void build_fleet(struct build *b)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    build_summary(b);
    add_head(b);
    if (a->by == HD_FLEET_BY_HOST)
        add_hosts(b);
    fleet_add_suspects(b);
    add_open(b);
    if (a->by == HD_FLEET_BY_BUILD)
        add_builds(b);
    add_multiples(b);
    add_services(b);
    add_unjudged(b);
}
