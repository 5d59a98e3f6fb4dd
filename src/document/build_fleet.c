/* A fleet: the verdict and what it rests on, the suspects, who holds them and where they
 * began. Its tables are in fleet_tables.c. */
#include "document/fleet_tables.h"

#include "heap/place.h"
#include "ranking/hints.h"
#include "report/report_fleet.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
    struct doc_runs *to = begin_fact(b, facts, "window");
    text_add_string(&b->words, isnan(a->rules.since) ? "all that is stored" : "");
    if (!isnan(a->rules.since))
        phrase_moment(&b->words, a->rules.since);
    if (!isnan(a->rules.until)) {
        text_add_string(&b->words, isnan(a->rules.since) ? " until " : " to ");
        phrase_moment(&b->words, a->rules.until);
    }
    text_add_string(&b->words, " UTC");
    build_end(b, to);
    if (a->snapshots == 0)
        return;
    text_add_string(&b->words, "; snapshots from ");
    phrase_moment(&b->words, a->first);
    text_add_string(&b->words, " to ");
    phrase_moment(&b->words, a->last);
    build_end(b, to);
}

static void add_base(struct build *b, struct doc_facts *facts)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    struct doc_runs *to = begin_fact(b, facts, "rests on");
    format_plural(&b->words, a->runs[HD_JUDGED], "judged run");
    text_add_string(&b->words, " on ");
    format_plural(&b->words, a->hosts_judged, "host");
    text_add_string(&b->words, " of ");
    format_plural(&b->words, a->service_count, "service");
    text_add_string(&b->words, ", ");
    format_plural(&b->words, a->snapshots, "snapshot");
    build_end(b, to);
    uint64_t unsure = a->runs[HD_UNSURE], not_judged = a->runs[HD_NOT_JUDGED];
    if (unsure + not_judged == 0)
        return;
    to = begin_fact(b, facts, "no verdict");
    format_plural(&b->words, unsure + not_judged, "run");
    text_add_string(&b->words, ": ");
    format_count(&b->words, unsure);
    text_add_string(&b->words, " unsure, ");
    format_count(&b->words, not_judged);
    text_add_string(&b->words, " not judged; alone they count neither as healthy nor as "
                               "leaking");
    if (a->runs_open > 0) {
        text_add_string(&b->words, ", though ");
        format_count(&b->words, a->runs_open);
        text_add_string(&b->words, a->runs_open == 1 ? " shows" : " show");
        text_add_string(&b->words, " a suspect");
    }
    build_end(b, to);
}

static void add_head(struct build *b)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    struct doc_section *s = doc_section(b->doc, DOC_PLAIN);
    struct doc_facts *facts = &doc_block(b->doc, s, DOC_FACTS)->facts;
    if (a->rules.service != NULL)
        build_name(b, begin_fact(b, facts, "service"), a->rules.service);
    add_window(b, facts);
    if (a->limit != HD_UNKNOWN) {
        struct doc_runs *to = begin_fact(b, facts, "limit");
        format_size(&b->words, a->limit);
        build_end(b, to);
    }
    add_base(b, facts);
}

/* --- suspects ------------------------------------------------------------------------ */

enum {
    ROOM_FOR_DAY = 90,
    ROOM_FOR_SHARE = 70,
    ROOM_FOR_BUILD = 110,
    ROOM_FOR_LEFT = 80,
    SUSPECT_COLUMNS = 9
};

void fleet_share(struct build *b, double share)
{
    if (isnan(share))
        text_add_char(&b->words, '-');
    else
        format_percent(&b->words, share);
    build_cell(b);
}

static void add_place(struct build *b, const struct hd_fleet_suspect *s)
{
    if (strcmp(s->subject, s->type) != 0) {
        struct doc_runs *to = doc_remark(b->doc, b->row);
        build_words(b, to, "(");
        build_type(b, to, s->type);
        build_words(b, to, ")");
    }
    if (s->service != NULL) {
        struct doc_runs *to = doc_remark(b->doc, b->row);
        build_words(b, to, "in ");
        build_name(b, to, s->service);
    }
}

static void add_suspect_row(struct build *b, struct doc_table *t,
                            const struct hd_fleet_suspect *s)
{
    build_row(b, t, DOC_ROW);
    b->row->is_suspect = !s->is_few && s->evidence != HD_EVIDENCE_OPEN;
    format_count(&b->words, s->rank);
    build_cell(b);
    format_count(&b->words, s->hosts);
    text_add_string(&b->words, " of ");
    format_count(&b->words, s->of_hosts);
    build_cell(b);
    format_percent(&b->words, s->hosts_share);
    build_cell(b);
    phrase_per_hour(&b->words, s->per_hour);
    if (s->per_hour > 0 && b->row->is_suspect)
        build_cell_change(b, true);
    else
        build_cell(b);
    phrase_per_day(&b->words, s->per_day);
    build_cell(b);
    fleet_share(b, s->score_share);
    phrase_hours_left(&b->words, s->hours_left);
    build_cell(b);
    fleet_share(b, s->score);
    build_cell_type(b, s->subject);
    add_place(b, s);
}

static struct doc_line *attach(struct build *b, const char *label)
{
    struct doc_line *l = &doc_attached(b->doc, b->row, label)->line;
    l->wraps = true;
    return l;
}

/* With which build, and how sure that is. */
static void add_onset(struct build *b, const struct hd_fleet_suspect *s)
{
    struct doc_line *l = attach(b, "began");
    struct doc_runs *to = doc_piece(b->doc, l, "");
    if (s->onset == HD_ONSET_UNKNOWN) {
        text_add_string(&b->words, "the runs do not name their build; first seen ");
    } else if (s->onset == HD_ONSET_NAMED) {
        text_add_string(&b->words, "with build ");
        build_end(b, to);
        build_name(b, to, s->began_with);
        text_add_string(&b->words, ": ");
        phrase_sides(&b->words, s);
        text_add_string(&b->words, "; first seen ");
    } else {
        build_words(b, to,
                    s->onset == HD_ONSET_FIRST
                        ? "present since the first recorded build, "
                        : "with which build cannot be told; the first that shows it "
                          "is ");
        build_name(b, to, s->first_build);
        text_add_string(&b->words, "; first seen ");
    }
    phrase_moment(&b->words, s->first_seen);
    build_end(b, to);
}

/* What it rests on besides judged runs, or lacks; and what became of its processes. */
static void add_pool(struct build *b, const struct hd_fleet_suspect *s)
{
    bool is_open = s->evidence == HD_EVIDENCE_OPEN;
    if (is_open)
        phrase_missing(&b->words, s);
    else if (s->evidence == HD_EVIDENCE_POOLED)
        phrase_pool(&b->words, s);
    if (b->words.len > 0)
        build_end(b, doc_piece(b->doc, attach(b, is_open ? "missing" : "rests on"), ""));
    phrase_ends(&b->words, s);
    if (b->words.len > 0 && s->life_hours > 0 && !isinf(s->life_hours)) {
        text_add_string(&b->words, "; from start to limit ");
        phrase_hours_left(&b->words, s->life_hours);
    }
    if (b->words.len > 0)
        build_end(b, doc_piece(b->doc, attach(b, "ends"), ""));
}

/* The host where it grows fastest, and how many it is on still. */
static void add_worst(struct build *b, const struct hd_fleet_suspect *s)
{
    const struct hd_fleet_host *worst = &s->on[0];
    struct doc_line *l = attach(b, "worst");
    struct doc_runs *to = doc_piece(b->doc, l, "");
    if (worst->host != NULL)
        build_name(b, to, worst->host);
    else
        build_words(b, to, "a host without a name");
    if (!isnan(worst->per_hour)) {
        text_add_string(&b->words, ", ");
        phrase_per_hour(&b->words, worst->per_hour);
    }
    if (!isnan(worst->score_share)) {
        text_add_string(&b->words, ", ");
        format_percent(&b->words, worst->score_share);
        text_add_string(&b->words, " of its heap");
    }
    if (s->hosts_still < s->hosts) {
        text_add_string(&b->words, "; the newest run shows it on ");
        format_count(&b->words, s->hosts_still);
        text_add_string(&b->words, " of ");
        format_count(&b->words, s->hosts);
    }
    build_end(b, to);
}

/* The types of the path that the one line is made of; nothing for NULL. */
static void add_line_of_types(struct build *b, const char *label, const char *line)
{
    const char **types;
    if (line == NULL)
        return;
    struct doc_chains *to = &doc_attached(b->doc, b->row, label)->chains;
    size_t n = holder_split(line, &types, &b->doc->arena);
    build_path(b, to, types, n);
}

/* A chain that goes through the holder says it too. */
static bool leads_through(const char *chain, const char *holder)
{
    size_t len = strlen(holder);
    return strncmp(chain, holder, len) == 0 &&
           (chain[len] == '\0' ||
            strncmp(chain + len, HOLDER_ARROW, strlen(HOLDER_ARROW)) == 0);
}

static void add_holder(struct build *b, const struct hd_fleet_suspect *s)
{
    bool is_one =
        s->chain != NULL && s->holder != NULL && leads_through(s->chain, s->holder);
    add_line_of_types(b, "held by", is_one ? s->chain : s->holder);
    if (!is_one)
        add_line_of_types(b, "chain", s->chain);
}

/* The page of a run beside this one, or why there is none; NULL: nobody made any. */
static const struct hd_page_of_run *page_of(const struct build *b, uint64_t run)
{
    for (size_t i = 0; b->page != NULL && i < b->page->page_count; i++)
        if (b->page->pages[i].run == run)
            return &b->page->pages[i];
    return NULL;
}

static void add_page(struct build *b, struct doc_line *l, const struct hd_fleet_suspect *s)
{
    const struct hd_page_of_run *page = page_of(b, s->run);
    if (page == NULL)
        return;
    struct doc_runs *to = doc_piece(b->doc, l, "");
    if (page->href == NULL) {
        build_words(b, to, "no page of its run: ");
        build_quoted(b, to, page->why);
        return;
    }
    char rank[32];
    struct text href = {0};
    snprintf(rank, sizeof(rank), "#suspect-%u", s->on[0].rank);
    text_add_string(&href, page->href);
    text_add_string(&href, rank);
    doc_run(b->doc, to, DOC_WORDS, "the page of its worst run");
    l->all[l->len - 1].href = doc_string(b->doc, text_string(&href));
    text_free(&href);
}

/* What shows more of it, where it stands worst. */
static void add_evidence(struct build *b, const struct hd_fleet_suspect *s)
{
    if (s->command == NULL)
        return;
    struct doc_line *l = attach(b, "open");
    add_page(b, l, s);
    doc_run(b->doc, doc_piece(b->doc, l, l->len > 0 ? "  " : ""), DOC_CODE, s->command);
}

static void add_suspect(struct build *b, struct doc_table *t,
                        const struct hd_fleet_suspect *s)
{
    add_suspect_row(b, t, s);
    add_holder(b, s);
    add_pool(b, s);
    if (s->evidence != HD_EVIDENCE_OPEN)
        add_onset(b, s);
    if (s->on_count > 0)
        add_worst(b, s);
    build_hint(b, s->hint);
    add_evidence(b, s);
}

void fleet_others(struct build *b, struct doc_table *t, size_t others)
{
    if (others == 0)
        return;
    build_row(b, t, DOC_REST);
    b->row->is_below = true;
    format_others(&b->words, others);
    build_cell(b);
}

static void add_few(struct build *b, struct doc_table *t)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->few_count == 0)
        return;
    build_row(b, t, DOC_GROUP);
    text_add_string(&b->words, "on few hosts: a matter of these");
    build_cell(b);
    for (size_t i = 0; i < a->few_shown; i++)
        add_suspect(b, t, &a->suspects[a->suspect_count + i]);
    fleet_others(b, t, a->few_count - a->few_shown);
}

static struct doc_table *begin_suspects(struct build *b, const char *title,
                                        const char *remark)
{
    static const struct doc_column columns[SUSPECT_COLUMNS] = {
        {.title = "#", .align = DOC_RIGHT},
        {.title = "hosts",
         .align = DOC_RIGHT,
         .meaning = "On how many hosts a judged run shows it, of those of its service with "
                    "a judged run."},
        {.title = "share", .align = DOC_RIGHT, .from_width = ROOM_FOR_SHARE},
        {.title = "growth",
         .align = DOC_RIGHT,
         .meaning = "Median over these hosts of what it retains more, per hour."},
        {.title = "per day", .align = DOC_RIGHT, .from_width = ROOM_FOR_DAY},
        {.title = "of heap",
         .align = DOC_RIGHT,
         .from_width = ROOM_FOR_SHARE,
         .meaning = "Median over these hosts of its share of the heap, by the score."},
        {.title = "full in",
         .align = DOC_RIGHT,
         .from_width = ROOM_FOR_LEFT,
         .meaning =
             "When the first of these hosts reaches its limit of memory, if its heap "
             "goes on growing as it does."},
        {.title = "score",
         .align = DOC_RIGHT,
         .is_detail = true,
         .meaning = "What decides the order: the share of the hosts times the median share "
                    "of the heap."},
        {.title = "type", .is_subject = true, .is_title = true}};
    struct doc_table *t =
        build_table(b, doc_topic(b->doc, title, remark), columns, SUSPECT_COLUMNS);
    t->details = "Scores";
    return t;
}

static void add_suspects(struct build *b)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->suspect_count + a->few_count == 0)
        return;
    struct doc_table *t = begin_suspects(
        b, "Suspects", "by share of the hosts times median share of the heap");
    for (size_t i = 0; i < a->suspects_shown; i++)
        add_suspect(b, t, &a->suspects[i]);
    fleet_others(b, t, a->suspect_count - a->suspects_shown);
    add_few(b, t);
}

static void add_open(struct build *b)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    if (a->open_count == 0)
        return;
    struct doc_table *t =
        begin_suspects(b, "Not yet suspects",
                       "what grows in runs that say too little, alone and together");
    for (size_t i = 0; i < a->open_shown; i++)
        add_suspect(b, t, &a->suspects[a->suspect_count + a->few_count + i]);
    fleet_others(b, t, a->open_count - a->open_shown);
}

void build_fleet(struct build *b)
{
    const struct hd_fleet_answer *a = b->r->fleet;
    build_summary(b);
    add_head(b);
    if (a->by == HD_FLEET_BY_HOST)
        fleet_hosts(b);
    add_suspects(b);
    add_open(b);
    if (a->by == HD_FLEET_BY_BUILD)
        fleet_builds(b);
    fleet_multiples(b);
    fleet_services(b);
    fleet_unjudged(b);
}
