/* Tables of a fleet: services, what --by asks for, the runs that were not judged. */
#include "document/fleet_tables.h"

#include "report/report_fleet.h"

#include <inttypes.h>
#include <math.h>

enum { ROOM_FOR_SOME = 70, ROOM_FOR_MORE = 100, ROOM_FOR_ALL = 120 };
enum { MOST_MULTIPLES = 24, OPEN_MULTIPLES = 3, TREND_BARS = 12 };

/* Three numbers of runs. */
static void add_run_counts(struct build *b, const uint64_t *runs)
{
    for (size_t i = 0; i < HD_JUDGEMENT_COUNT; i++) {
        format_count(&b->words, runs[i]);
        build_cell(b);
    }
}

static void add_subject(struct build *b, const char *subject)
{
    if (subject != NULL)
        build_cell_type(b, subject);
    else
        build_cell_words(b, "-");
}

/* --- services ------------------------------------------------------------------------ */

void fleet_services(struct build *b)
{
    static const struct doc_column columns[] = {
        {.title = "suspects", .align = DOC_RIGHT},
        {.title = "hosts", .align = DOC_RIGHT},
        {.title = "judged", .align = DOC_RIGHT},
        {.title = "unsure", .align = DOC_RIGHT},
        {.title = "not judged", .align = DOC_RIGHT},
        {.title = "builds", .align = DOC_RIGHT, .from_width = ROOM_FOR_SOME},
        {.title = "full in", .align = DOC_RIGHT, .from_width = ROOM_FOR_SOME},
        {.title = "service", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->service_count == 0)
        return;
    struct doc_table *t = build_table(
        b, doc_topic(b->doc, "Services", "runs of each, by what they allow to say"),
        columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < a->services_shown; i++) {
        const struct hd_fleet_service *s = &a->services[i];
        build_row(b, t, DOC_ROW);
        format_count(&b->words, s->suspects);
        if (s->suspects > 0)
            build_cell_change(b, true);
        else
            build_cell(b);
        format_count(&b->words, s->hosts);
        build_cell(b);
        add_run_counts(b, s->runs);
        format_count(&b->words, s->builds);
        build_cell(b);
        phrase_hours_left(&b->words, s->hours_left);
        build_cell(b);
        build_cell_known(b, s->service);
    }
    fleet_others(b, t, a->service_count - a->services_shown);
}

/* --- charts --------------------------------------------------------------------------- */

/* Bars of what is known, and the same as numbers for who can draw. */
static void add_chart(struct build *b, const double *times, const uint64_t *bytes,
                      size_t count, double most)
{
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
    build_cell(b);
}

static double most_of(const uint64_t *bytes, size_t count, double most)
{
    for (size_t k = 0; k < count; k++)
        if (bytes[k] != HD_UNKNOWN && (double)bytes[k] > most)
            most = (double)bytes[k];
    return most;
}

static uint64_t last_of(const uint64_t *bytes, size_t count)
{
    while (count > 0 && bytes[count - 1] == HD_UNKNOWN)
        count--;
    return count > 0 ? bytes[count - 1] : HD_UNKNOWN;
}

static void add_size(struct build *b, uint64_t bytes)
{
    if (bytes != HD_UNKNOWN)
        format_size(&b->words, bytes);
    else
        text_add_char(&b->words, '-');
    build_cell(b);
}

/* What --run takes: to be typed as it is. */
static void add_run(struct build *b, uint64_t run)
{
    char number[32] = "-";
    if (run != HD_UNKNOWN)
        snprintf(number, sizeof(number), "%" PRIu64, run);
    build_cell_words(b, number);
}

/* --- small multiples ------------------------------------------------- */

/* One scale for all hosts of a suspect, so that they can be compared. */
static void add_multiples_of(struct build *b, struct doc_table *t,
                             const struct hd_fleet_suspect *s)
{
    size_t shown = s->on_count < MOST_MULTIPLES ? s->on_count : MOST_MULTIPLES;
    double most = 0;
    for (size_t i = 0; i < shown; i++)
        most = most_of(s->on[i].retained, s->on[i].count, most);
    build_row(b, t, DOC_GROUP);
    b->row->is_open = s->rank <= OPEN_MULTIPLES;
    struct doc_runs *to = &b->row->cells[0].words;
    text_add_string(&b->words, "suspect ");
    format_count(&b->words, s->rank);
    text_add_string(&b->words, ": ");
    build_end(b, to);
    build_type(b, to, s->subject);
    if (s->service != NULL) {
        build_words(b, to, " in ");
        build_name(b, to, s->service);
    }
    for (size_t i = 0; i < shown; i++) {
        const struct hd_fleet_host *h = &s->on[i];
        build_row(b, t, DOC_ROW);
        add_chart(b, h->times, h->retained, h->count, most);
        phrase_per_hour(&b->words, h->per_hour);
        build_cell(b);
        add_size(b, last_of(h->retained, h->count));
        fleet_share(b, h->score_share);
        phrase_hours_left(&b->words, h->hours_left);
        build_cell(b);
        build_cell_known(b, h->build);
        add_run(b, h->run);
        build_cell_known(b, h->host);
    }
    fleet_others(b, t, s->on_count - shown);
}

void fleet_multiples(struct build *b)
{
    enum { MORE = DOC_ON_DETAILED_LINES | DOC_ON_PAGES };
    static const struct doc_column columns[] = {
        {.title = "trend"},
        {.title = "growth", .align = DOC_RIGHT},
        {.title = "retains", .align = DOC_RIGHT},
        {.title = "of heap", .align = DOC_RIGHT},
        {.title = "full in", .align = DOC_RIGHT, .from_width = ROOM_FOR_SOME},
        {.title = "build", .gives_way = true, .from_width = ROOM_FOR_SOME},
        {.title = "run", .align = DOC_RIGHT, .from_width = ROOM_FOR_SOME},
        {.title = "host", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->suspects_shown + a->few_shown == 0)
        return;
    struct doc_section *s =
        doc_topic(b->doc, "Hosts of each suspect",
                  "what it retains in the worst run of each, fastest first");
    s->only = MORE;
    struct doc_table *t = build_table(b, s, columns, sizeof(columns) / sizeof(*columns));
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
    format_count(&b->words, h->suspects + h->suspects_pooled);
    build_cell(b);
    add_chart(b, h->times, h->bytes, h->count, most_of(h->bytes, h->count, 0));
    add_size(b, h->heap);
    phrase_per_hour(&b->words, h->heap_per_hour);
    build_cell(b);
    phrase_hours_left(&b->words, h->hours_left);
    build_cell(b);
    add_run_counts(b, h->runs);
    build_cell_known(b, h->build);
    add_subject(b, h->subject);
    build_cell_known(b, h->service);
    build_cell_known(b, h->host);
    if (h->open_subject != NULL) {
        struct doc_runs *to = doc_remark(b->doc, b->row);
        build_words(b, to, "unsure: ");
        build_type(b, to, h->open_subject);
    }
}

void fleet_hosts(struct build *b)
{
    static const struct doc_column columns[] = {
        {.title = "suspects", .align = DOC_RIGHT},
        {.title = "trend", .from_width = ROOM_FOR_MORE},
        {.title = "heap", .align = DOC_RIGHT},
        {.title = "growth", .align = DOC_RIGHT},
        {.title = "full in", .align = DOC_RIGHT, .from_width = ROOM_FOR_SOME},
        {.title = "judged", .align = DOC_RIGHT, .from_width = ROOM_FOR_ALL},
        {.title = "unsure", .align = DOC_RIGHT, .from_width = ROOM_FOR_ALL},
        {.title = "not judged", .align = DOC_RIGHT, .from_width = ROOM_FOR_ALL},
        {.title = "build", .gives_way = true, .from_width = ROOM_FOR_ALL},
        {.title = "worst suspect", .gives_way = true, .from_width = ROOM_FOR_SOME},
        {.title = "service", .gives_way = true},
        {.title = "host", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->host_row_count == 0)
        return;
    struct doc_table *t = build_table(
        b, doc_topic(b->doc, "Hosts", "their newest runs; those with suspects first"),
        columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < a->host_rows_shown; i++)
        add_host_row(b, t, &a->host_rows[i]);
    fleet_others(b, t, a->host_row_count - a->host_rows_shown);
}

/* --- builds ---------------------------------------------------------- */

static void add_builds_of(struct build *b, struct doc_table *t,
                          const struct hd_fleet_suspect *s)
{
    size_t shown = model_rows(&b->r->model, s->build_count);
    for (size_t i = 0; i < shown; i++) {
        const struct hd_fleet_build_count *c = &s->builds[i];
        bool began = s->onset == HD_ONSET_NAMED && s->began_with == c->build;
        build_row(b, t, DOC_ROW);
        format_count(&b->words, s->rank);
        build_cell(b);
        phrase_moment(&b->words, c->first_seen);
        build_cell(b);
        format_count(&b->words, c->with);
        text_add_string(&b->words, " of ");
        format_count(&b->words, c->runs);
        build_cell(b);
        fleet_share(b, c->runs > 0 ? (double)c->with / (double)c->runs : NAN);
        add_subject(b, s->subject);
        build_cell_known(b, c->build);
        if (began)
            build_words(b, doc_remark(b->doc, b->row), "it began here");
    }
    fleet_others(b, t, s->build_count - shown);
}

void fleet_builds(struct build *b)
{
    static const struct doc_column columns[] = {
        {.title = "#", .align = DOC_RIGHT},
        {.title = "first seen", .from_width = ROOM_FOR_SOME},
        {.title = "runs", .align = DOC_RIGHT},
        {.title = "share", .align = DOC_RIGHT},
        {.title = "suspect", .gives_way = true, .from_width = ROOM_FOR_SOME},
        {.title = "build", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->suspects_shown == 0)
        return;
    struct doc_table *t = build_table(
        b,
        doc_topic(b->doc, "Builds", "of each suspect, in order of time: runs that show it"),
        columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < a->suspects_shown; i++)
        add_builds_of(b, t, &a->suspects[i]);
}

/* --- runs without a verdict ------------------------------------------ */

static void add_run_name(struct build *b, const struct hd_fleet_unjudged *u)
{
    char pid[32];
    build_cell_known(b, u->host);
    snprintf(pid, sizeof(pid), "%" PRIu64, u->pid);
    build_cell_words(b, u->pid != HD_UNKNOWN ? pid : "-");
    add_run(b, u->series);
    format_count(&b->words, u->compared);
    text_add_string(&b->words, " of ");
    format_count(&b->words, u->recorded);
    build_cell(b);
}

void fleet_unjudged(struct build *b)
{
    static const struct doc_column columns[] = {
        {.title = "host", .gives_way = true},
        {.title = "pid", .align = DOC_RIGHT, .from_width = ROOM_FOR_MORE},
        {.title = "run", .align = DOC_RIGHT, .from_width = ROOM_FOR_SOME},
        {.title = "compared", .align = DOC_RIGHT, .from_width = ROOM_FOR_SOME},
        {.title = "why"},
        {.title = "service", .is_subject = true}};
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->unjudged_count == 0)
        return;
    struct doc_section *s = doc_topic(
        b->doc, "No verdict", "runs that alone count neither as healthy nor as leaking");
    s->is_long = true;
    struct doc_table *t = build_table(b, s, columns, sizeof(columns) / sizeof(*columns));
    for (size_t i = 0; i < a->unjudged_shown; i++) {
        const struct hd_fleet_unjudged *u = &a->unjudged[i];
        build_row(b, t, DOC_ROW);
        add_run_name(b, u);
        build_cell_words(b, phrase_doubt(u->doubt));
        build_cell_known(b, u->service);
        if (u->why != NULL) {
            struct doc_line *l = &doc_attached(b->doc, b->row, NULL)->line;
            l->wraps = true;
            build_quoted(b, doc_piece(b->doc, l, ""), u->why);
        }
    }
    fleet_others(b, t, a->unjudged_count - a->unjudged_shown);
}
