/* Growth, size and holders: rows, suspects, causes of growth, rules; diff, check, top and
 * roots. */
#include "report/records.h"

#include "base/say.h"
#include "base/text.h"
#include "report/phrases.h"
#include "report/text_parts.h"

#include <math.h>

NAMES(series_status)
NAMES(confidence)
NAMES(basis)
NAMES(suspicion)
NAMES(reservation)
NAMES(time_limit)
NAMES(identity_source)
NAMES(untold)
NAMES(unit)
NAMES(finding_status)
NAMES(verdict)

#define UNIT_SCHEMA "\"enum\": [\"objects\", \"bytes\"]"

/* Common to rows and suspects. */
#define FIELDS_SURVIVORS                                                                   \
    FIELD("survivors", UINT64(survivors), MAY_BE_NULL,                                     \
          "How many instances of the first snapshot are still there in the last: a lower " \
          "bound, as objects move. Null when objects of the two cannot be told apart."),   \
        FIELD(                                                                             \
            "survivors_low", UINT64(survivors_low), MAY_BE_NULL,                           \
            "Known for digests: then `survivors` is an estimate from samples, with 95 % "  \
            "between this and survivors_high. Null where it is a lower bound."),           \
        FIELD("survivors_high", UINT64(survivors_high), MAY_BE_NULL, "See survivors_low.")

/* --- rows ---------------------------------------------------------------------------- */

#define T struct hd_type_row

/* In the last snapshot; a row without a type is a sum. */
#define LAST x->at[m->snapshot_count - 1]

CELLS(type_cell, x->type != NULL ? HD_CELL_TYPE : HD_CELL_NONE, .text = x->type)
CELLS(count_change, HD_CELL_COUNT_CHANGE, .a = x->at->count, .b = LAST.count)
CELLS(bytes_change, HD_CELL_SIZE_CHANGE, .a = x->at->bytes, .b = LAST.bytes)
CELLS(count_from_to, HD_CELL_FROM_TO, .a = x->at->count, .b = LAST.count)
CELLS(last_count, HD_CELL_COUNT, .a = LAST.count)
CELLS(last_bytes, HD_CELL_SIZE, .a = LAST.bytes)
CELLS(row_trend, x->type != NULL ? HD_CELL_TREND : HD_CELL_NONE, .at = x->at)
CELLS(row_status, x->type != NULL ? HD_CELL_WORD : HD_CELL_NONE,
      .text = series_status_word(x->status))
CELLS(row_retained, HD_CELL_SIZE, .a = x->retained)

static struct hd_cell of_heap(const struct hd_model *m, const void *of)
{
    const T *x = of;
    uint64_t whole = model_table(m)->totals[m->snapshot_count - 1].bytes;
    bool known =
        LAST.bytes != HD_UNKNOWN && whole != HD_UNKNOWN && whole > 0 && !x->is_free;
    return (struct hd_cell){HD_CELL_SHARE,
                            .share = known ? (double)LAST.bytes / (double)whole : NAN};
}

/* Appends how many of the first snapshot's instances certainly survived. With identity by
 * order some survivors are missed and some matches are wrong. */
static void add_kept(struct text *t, const void *of, const struct record_walk *w)
{
    const T *x = of;
    const enum hd_identity_source identity = MODEL->diff->identity;
    bool about = identity != HD_SAME_UNKNOWN || x->survivors_low != HD_UNKNOWN;
    if (x->survivors == HD_UNKNOWN || x->survivors == 0 || x->at->count == 0)
        return;
    say(t,
        identity == HD_SAME_BY_EVENTS ? ""
        : about                       ? "≈ "
                                      : "≥ ",
        as_percent((double)x->survivors / (double)x->at->count));
}

static bool any_survivors(const struct hd_model *m)
{
    for (size_t i = 0; i < model_table(m)->len; i++)
        if (model_table(m)->rows[i].survivors != HD_UNKNOWN)
            return true;
    return false;
}

/* "gen2", or "gen1 83 %, gen2 17 %" of count objects; below 1 % is for programs. */
static void add_generation(struct text *t, const T *x, int g)
{
    enum { SHOWN_FROM = 100 };
    uint64_t here = x->by_generation[g].count, count = x->at->count;
    if (here < count / SHOWN_FROM + (count % SHOWN_FROM != 0))
        return;
    say(t, t->len > 0 ? ", " : "", hd_generation_name((enum hd_generation)g));
    if (here != count)
        say(t, " ", as_percent((double)here / (double)count));
}

/* All with a share; in a narrow place the one with most objects. */
static void add_largest(struct text *t, const void *of, const struct record_walk *w)
{
    const T *x = of;
    int largest = 0;
    (void)w;
    for (int g = 1; x->by_generation != NULL && g < HD_GENERATION_COUNT; g++)
        if (x->by_generation[g].count > x->by_generation[largest].count)
            largest = g;
    if (x->by_generation != NULL && x->by_generation[largest].count > 0)
        add_generation(t, x, largest);
}

static void add_generations(struct text *t, const void *of, const struct record_walk *w)
{
    const T *x = of;
    add_largest(t, of, w);
    bool any = t->len > 0;
    text_clear(t);
    for (int g = 0; any && g < HD_GENERATION_COUNT; g++)
        add_generation(t, x, g);
    text_add_string(t, any || x->type == NULL ? "" : "-");
}

IN_REPORT(const char *, unit_of_rows, hd_unit_name(m->by))
IN_REPORT(bool, any_retained,
          m->diff == NULL && m->top->types.len > 0 &&
              m->top->types.rows[0].retained != HD_UNKNOWN)
IN_REPORT(bool, has_generations,
          m->top->types.len > 0 && m->top->types.rows[0].by_generation != NULL)

static const struct record_field row_fields[] = {
    FIELD("type", TEXT(type), NEVER_NULL, "Canonical name, or what `by` names.",
          COLUMN("type", TYPE, type_cell, .title_in = unit_of_rows, .is_subject = true,
                 .page = "type")),
    FIELD("count", COUNTS(at), NEVER_NULL, "Instances. One number per snapshot.",
          COLUMN("count", FROM_TO, count_from_to, .page = "n wide")),
    FIELD("bytes", BYTES(at), NEVER_NULL,
          "Shallow bytes of the instances; null when unknown. One number per snapshot.",
          COLUMN("bytes", SIZE, last_bytes, .page = "n wide")),
    FIELD("status", CHOICE(status, series_status_word, HD_SERIES_STATUS_COUNT), NEVER_NULL,
          "The first that fits: gone (none left), growing (keeps on), new (none at first), "
          "shrinking, steady (never changed), varying.",
          COLUMN("", WORD, row_status, .page = "word wide")),
    FIELDS_SURVIVORS,
    FIELD_FULL_NAME(full_name),
    LISTED("delta_count", "Δcount", COUNT_CHANGE, count_change, .page = "n"),
    LISTED("delta_bytes", "Δbytes", SIZE_CHANGE, bytes_change, .page = "n middle"),
    LISTED("trend", "trend", TREND, row_trend, .file = "", .page = "spark middle"),
    LISTED("kept", "kept", SHARE, NULL, .words = add_kept, .is_known = any_survivors),
};
const struct record record_row = {
    .name = "row",
    .doc = "One type in every snapshot.",
    FIELDS(row_fields),
    .csv = "type status count bytes",
    .lines = "delta_count count@60 trend@70 delta_bytes kept@100 status@90 type",
    .screen = "delta_count:11 count:19@72 trend@80 delta_bytes:11@40 type",
    .page = "type delta_count trend count delta_bytes bytes status"};

/* Also used for a type of a diff, in the last snapshot. */
static const struct record_field top_row_fields[] = {
    FIELD("type", TEXT(type), NEVER_NULL, "Canonical name, or what `by` names.",
          COLUMN("type", TYPE, type_cell, .title_in = unit_of_rows, .is_subject = true,
                 .page = "type")),
    FIELD("count", FIRST_COUNT(at), MAY_BE_NULL, "Instances.",
          COLUMN("count", COUNT, last_count, .page = "n middle")),
    FIELD("bytes", FIRST_BYTES(at), MAY_BE_NULL,
          "Sum of their shallow sizes, in bytes; null when unknown.",
          COLUMN("bytes", SIZE, last_bytes, .page = "n")),
    FIELD("retained", UINT64(retained), MAY_BE_NULL,
          "Bytes that its reachable instances keep alive together, an object counted once; "
          "null when not computed.",
          COLUMN("retained", SIZE, row_retained, .page = "n middle")),
    FIELD("generations", POINTER(by_generation, record_generations), MAY_BE_NULL,
          "How many of the instances lie in each generation, estimated for a sampled file; "
          "null when not known, with --reachable and with --by=holder.",
          COLUMN("generation", WORD, NULL, .words = add_generations, .brief = add_largest,
                 .brief_below = 120, .is_known = has_generations)),
    FIELD_FULL_NAME(full_name),
    LISTED("of_heap", "of heap", SHARE, of_heap),
    LISTED("share", "share", SHARE, of_heap, .file = ""),
    LISTED("any_retained", "retained", SIZE, row_retained, .is_known = any_retained,
           .file = "retained"),
};
const struct record record_top_row = {
    .name = "row",
    .doc = "One type.",
    FIELDS(top_row_fields),
    .csv = "type count bytes retained",
    .lines = "count bytes of_heap@60 retained@70 generations@100 type",
    .screen = "count:12 bytes:10 share:7@60 any_retained:10@50 type",
    .page = "type count bytes retained"};
#undef LAST
#undef T

/* --- cohorts ---------------------------------------------------------------------- */

struct cohort {
    size_t first_seen;
    uint64_t count[HD_MAX_SNAPSHOTS];
    const uint64_t *counts;
};

#define T struct cohort
static const struct record_field cohort_fields[] = {
    FIELD("first_seen", SIZE(first_seen), NEVER_NULL, "The snapshot, from 0."),
    FIELD("count", SERIES(counts), NEVER_NULL,
          "How many of them are there, one number per snapshot; null before, and where a "
          "snapshot was left out of the ranking."),
};
static const RECORD_OF(cohort, NULL, cohort_fields,
                       "Those that were first seen in one snapshot.");
#undef T

#define T struct hd_births

/* Returns the cohort of one snapshot: its objects in each later one. */
static json_t *cohort(const T *b, size_t j, const uint64_t *at, const struct record_walk *w)
{
    struct cohort c = {.first_seen = b->snapshot[j]};
    c.counts = c.count;
    for (size_t i = 0, k = 0; i < w->snapshots; i++) {
        bool told = k < b->count && b->snapshot[k] == i;
        c.count[i] = told && k >= j ? at[k - j] : HD_UNKNOWN;
        k += told;
    }
    return record_json(&record_cohort, &c, w);
}

static json_t *cohorts(const void *of, const struct record_walk *w)
{
    const T *b = of;
    json_t *array = json_array();
    const uint64_t *at = b->at;
    for (size_t j = 0; j < b->count; at += b->count - j++)
        json_append(array, cohort(b, j, at, w));
    return array;
}

VALUE(births_verdict, json_string_or_null(x->keeps        ? "keeps"
                                          : x->turns_over ? "turns-over"
                                                          : NULL))
KNOWN(keeps, x->keeps)

static const struct record_field births_fields[] = {
    FIELD("verdict", MADE(births_verdict), MAY_BE_NULL,
          "keeps: what came in every step stayed; turns-over: as many go as come; null: "
          "neither can be shown.",
          "\"enum\": [\"keeps\", \"turns-over\", null]"),
    FIELD("came", UINT64(came), NEVER_NULL,
          "Objects that came in all steps since `since`, counted once they had been there "
          "for `age` snapshots; of the main place."),
    FIELD("went", UINT64(went), NEVER_NULL, "The same that went."),
    FIELD("age", UINT32(age), NEVER_NULL, "0 as a rule; more where most objects die young.",
          "\"maximum\": 2"),
    FIELD("chance", REAL(chance), MAY_BE_NULL,
          "How likely such numbers are where half an object goes for each that comes; 1 "
          "where nothing speaks against that.",
          A_SHARE),
    FIELD("cohorts", MADE_RECORDS(cohorts, record_cohort), NEVER_NULL,
          "One for each snapshot that can be compared: objects that were first seen there "
          "in it, or, in the first, were there already."),
    FIELD("since", SIZE(since), MAY_BE_NULL,
          "The snapshot, from 0, after which it keeps what it gets; `came`, `went` and "
          "`chance` are those since then. Null unless it does.",
          NULL, keeps),
};
static const RECORD_OF(
    births, "births", births_fields,
    "Who came when, of what is where it grows, and who of them stayed: the places of the "
    "suspect together. Null where that is not known (see `identity`).");
#undef T

/* --- a row of the ranking ------------------------------------------------------------ */

#define T struct hd_suspect

static struct hd_cell suspect_count(const struct hd_model *m, const void *of)
{
    struct hd_tally at[SERIES_MAX_SNAPSHOTS];
    size_t n = hd_suspect_counts(of, m->snapshot_count, at);
    uint64_t last = ((const T *)of)->at[m->snapshot_count - 1].count;
    return (struct hd_cell){.kind = HD_CELL_FROM_TO,
                            .a = n > 0 ? at[0].count : last,
                            .b = n > 0 ? at[n - 1].count : last};
}

/* Returns the retained size in the last snapshot that could be compared: of its places in
 * the tree, or of its whole type. */
static struct hd_cell suspect_retained(const struct hd_model *m, const void *of)
{
    const T *x = of;
    struct hd_cell c = {.kind = HD_CELL_SIZE, .a = HD_UNKNOWN};
    for (size_t k = m->snapshot_count; c.a == HD_UNKNOWN && k-- > 0;)
        c.a = x->retained != NULL ? x->retained[k] : x->at[k].bytes;
    return c;
}

CELLS(suspect_rank, x->rank > 0 ? HD_CELL_COUNT : HD_CELL_NONE, .a = x->rank)
CELLS(suspect_last_count, HD_CELL_COUNT, .a = x->at[m->snapshot_count - 1].count)
CELLS(suspect_trend, HD_CELL_TREND, .counts = x->counts)
CELLS(suspect_basis, HD_CELL_WORD, .text = basis_word(x->basis))
CELLS(suspect_why, HD_CELL_WORD,
      .text = x->suspicion != HD_SUSPECT_NOT ? suspicion_word(x->suspicion) : "")
CELLS(suspect_title, HD_CELL_TITLE, .text = x->subject)
CELLS(score_of_heap, HD_CELL_SHARE, .share = x->score_share)
CELLS(gain_of_heap, HD_CELL_SHARE, .share = text_gain_share(m->diff, m->snapshot_count, x))

/* For tables the growth of shallow bytes, or of counts. */
static struct hd_cell suspect_gain(const struct hd_model *m, const void *of)
{
    return text_gain_cell(m->diff, m->snapshot_count, of);
}

static void add_score(struct text *t, const void *of, const struct record_walk *w)
{
    const T *x = of;
    bool bytes = MODEL->diff->types.bytes_known;
    uint64_t score = (uint64_t)(x->score + 0.5);
    if (x->score < 0.5)
        say(t, bytes ? "<1 B" : "<1");
    else
        say(t, bytes ? as_size(score) : say_count(score));
}

static void add_tau(struct text *t, const void *of, const struct record_walk *w)
{
    char tau[32];
    (void)w;
    c_snprintf(tau, sizeof(tau), "%.2f", ((const T *)of)->tau);
    text_add_string(t, tau);
}

#define BY_GRAPH(graph, bytes, objects)                                              \
    (m->diff == NULL || (m->diff->types.bytes_known && !m->diff->by_graph) ? (bytes) \
     : m->diff->by_graph                                                   ? (graph) \
                                                                           : (objects))
IN_REPORT(const char *, title_of_gain, BY_GRAPH("retains", "bytes", "objects"))
IN_REPORT(const char *, meaning_of_gain,
          m->diff->by_graph ? "Gained from the first to the last snapshot, including "
                              "everything only these objects keep alive."
                            : "Gained from the first to the last snapshot.")
IN_REPORT(const char *, title_of_delta, BY_GRAPH("Δretained", "Δbytes", "Δobjects"))
IN_REPORT(const char *, title_of_retained, BY_GRAPH("retained", "bytes", "bytes"))

KNOWN(is_by_graph, MODEL->diff->by_graph)
VALUE(first_owner, x->chains.len > 0 && x->chains.all->chain.owner != NULL
                       ? record_json(&record_owner, x->chains.all, w)
                       : json_null())
KNOWN(is_sampled, x->allocated != NULL)
VALUE(sites, records_json(&record_site, x->allocated->sites, x->allocated->site_count, w))
VALUE(chains_of, json_string(x->chains.of_stayed ? "stayed" : "all"))

static const struct record_field begin_of_suspect_fields[] = {
    FIELD("rank", SIZE(rank), NULL_AT_ZERO,
          "Place in the ranking from 1; runs on from `suspects` into `minor`. Null in "
          "`pooled`, which is not ranked.",
          ONE_OR_MORE, COLUMN("#", COUNT, suspect_rank)),
    FIELD("type", TEXT(type), NEVER_NULL,
          "The type, or what `by` names, that was found growing."),
    FIELD("subject", TEXT(subject), NEVER_NULL,
          "The program's own class next to it, to put into a title, or the static variable "
          "that holds it; the same as `type` for basis table.",
          COLUMN("suspect", TITLE, suspect_title, .file = "type")),
    FIELD("basis", CHOICE(basis, basis_word, HD_BASIS_TYPE + 1), NEVER_NULL,
          "What the row was found by: a place in the tree of owners (graph), a whole type "
          "that is held in changing places (type), or type tables alone (table).",
          COLUMN("basis", WORD, suspect_basis, .is_detail = true, .is_for_pages = true,
                 .meaning =
                     "What grows. graph: a place in the dominator tree; type: a whole "
                     "type, held by different owners over time; table: shallow bytes "
                     "of a type.")),
    FIELD("score", REAL(score), MAY_BE_NULL,
          "Growth that keeps on, in bytes: of what the instances retain and no growing "
          "owner explains (basis graph), or of the instances themselves (table); in "
          "objects when bytes are unknown in a snapshot.",
          "\"minimum\": 0",
          COLUMN("score", SIZE, NULL, .words = add_score, .is_detail = true,
                 .meaning =
                     "The order: retained bytes gained that no growing owner above "
                     "explains, at the rate of the second half of the series, reduced "
                     "for growth that goes back and forth.")),
    FIELD("score_share", REAL(score_share), MAY_BE_NULL,
          "`score` as a share of the reachable bytes of the last snapshot (all bytes for "
          "tables, objects when bytes are unknown).",
          "\"minimum\": 0",
          COLUMN("of heap", SHARE, score_of_heap, .is_detail = true, .is_for_pages = true)),
    FIELD("tau", REAL(tau), MAY_BE_NULL,
          "Kendall's tau-b of the counts (or of the bytes, if it grows in size) against "
          "time, of the group with most of the score: 1 is growth at every step.",
          "\"minimum\": -1, \"maximum\": 1",
          COLUMN(
              "tau", COUNT, NULL, .words = add_tau, .is_detail = true, .is_for_pages = true,
              .meaning = "How steadily it grows, from -1 to 1: 1 means that every snapshot "
                         "has more than the one before it.")),
    FIELD("count", COUNTS(at), NEVER_NULL, "Instances. One number per snapshot.",
          COLUMN("count", COUNT, suspect_last_count)),
    FIELD("bytes", BYTES(at), NEVER_NULL,
          "Shallow bytes of the instances. One number per snapshot."),
    FIELD("retained", SERIES(retained), MAY_BE_NULL,
          "Bytes that the growing instances keep alive, one number per snapshot, null "
          "where a snapshot was left out of the ranking; null as a whole for basis table.",
          COLUMN("", SIZE, suspect_retained, .title_in = title_of_retained)),
    FIELD("per_iteration", UINT64(per_iteration), MAY_BE_NULL,
          "Instances gained per iteration of the workload, if that is one whole number at "
          "every step."),
    FIELD("holder", TEXTS(holder, holder_len), MAY_BE_NULL,
          "What owns the growing instances in the last snapshot: dominators from below the "
          "root down to them, as types, \"…\" for those that are left out between the "
          "first and the last 16; null for basis table."),
};
static const RECORD_OF(begin_of_suspect, NULL, begin_of_suspect_fields, NULL);

static const struct record_field end_of_suspect_fields[] = {
    FIELDS_SURVIVORS,
    FIELD("suspect", CHOICE(suspicion, suspicion_word, HD_SUSPECT_AGE + 1), MAY_BE_NULL,
          "Why it is a suspect: its score reaches --min-score (size); or --min-steady, and "
          "its instances are nearly the same number more in every step (steady); or what "
          "came in every step stayed (age). Null in `minor` and `pooled`.",
          COLUMN("suspect by", WORD, suspect_why, .is_detail = true, .is_for_pages = true,
                 .meaning =
                     "Why it is a suspect. size: a large score; steady: nearly the same "
                     "gain in every step; age: what was added in every step is still "
                     "alive.")),
    FIELD("also", TEXTS(also, also_count), NEVER_NULL,
          "Types that go along with it, the weightiest first: what it shares with another "
          "owner, or other classes in the same store. Their scores are part of its score."),
    FIELD("retained_delta", INT64(more), MAY_BE_NULL,
          "Bytes that its instances and those of `also` retain more in the last snapshot "
          "than in the first; null for basis table.",
          NULL, is_by_graph),
    FIELD("hint", TEXT(hint), MAY_BE_NULL,
          "What a suspect of this kind usually is: the name of a section of docs/hints.md; "
          "null when nothing is known, and in `minor` and `pooled`.",
          SCHEMA_HINT),
    FIELD("owner", MADE_RECORD(first_owner, record_owner), MAY_BE_NULL, NULL),
    FIELD("held", SERIES(held), MAY_BE_NULL,
          "Instances of `type` at the places where it grows, one number per snapshot, null "
          "where a snapshot was left out of the ranking: what text counts where the whole "
          "heap tells another story. Null as a whole for basis type and table."),
    FIELD("own_bytes", SERIES(own), MAY_BE_NULL,
          "Bytes per snapshot that are this suspect's and no other's: what lies within a "
          "suspect that lies within it is that one's. Their sum is `suspects` of "
          "`growth.parts`. Null as a whole for tables, in `minor` and in `pooled`."),
    FIELD("births", POINTER(births, record_births), MAY_BE_NULL, NULL),
    FIELD("counted_type", TEXT(counted), NEVER_NULL,
          "What text, pages and explore count of it: objects of `subject` where they come "
          "with those of `type`, else of `type`."),
    FIELD("counted", SERIES(counts), NEVER_NULL,
          "Those objects, one number per snapshot, null where a snapshot was left out of "
          "the ranking; of `type` those of `held`, where they grow in number."),
    FIELD("reservation", CHOICE(reservation, reservation_word, HD_RESERVED_LIFETIME + 1),
          MAY_BE_NULL,
          "Why a row of `minor` is no suspect though it grew like one: it gains ever less "
          "per unit of load (fills), its holder keeps one for each type that the program "
          "uses (per-type), or keeps entries by default for longer than these snapshots "
          "span (lifetime). Null of all others."),
};
static const RECORD_OF(end_of_suspect, NULL, end_of_suspect_fields, NULL);

static const struct record_field minor_fields[] = {
    FIELDS_OF(SAME(record_begin_of_suspect)),
    FIELDS_OF(SAME(record_end_of_suspect)),
};
static const RECORD_OF(
    minor, "minor", minor_fields,
    "A type below the threshold of suspects, or pooled; without chains.");

static const struct record_field suspect_fields[] = {
    FIELDS_OF(SAME(record_begin_of_suspect)),
    FIELD("chains", RECORDS(chains.all, chains.len, record_chain), NEVER_NULL,
          "What holds the growing instances in the last snapshot, largest share first, "
          "then chains that are gone; empty without a graph."),
    FIELDS_OF(SAME(record_end_of_suspect)),
    FIELD("chains_of", MADE(chains_of), NEVER_NULL,
          "Whose chains these are: where it is told who stayed, of the instances that came "
          "after the first snapshot and stayed; else of all. The status and the instances "
          "of a chain are of all.",
          "\"enum\": [\"stayed\", \"all\"]"),
    FIELD("sites", MADE_RECORDS(sites, record_site), MAY_BE_NULL,
          "Which code allocated its objects, by samples of allocations that survive: "
          "methods of the program first, then those with most samples, 10 at most; see "
          "`sampling`. "
          "Null where nobody sampled.",
          NULL, is_sampled),
    FIELD("sampling", POINTER(allocated, record_sampling), MAY_BE_NULL, NULL),
    LISTED("gain", "", SIZE_CHANGE, suspect_gain, .title_in = title_of_gain, .grows = true,
           .meaning_in = meaning_of_gain),
    LISTED("delta", "", SIZE_CHANGE, suspect_gain, .title_in = title_of_delta),
    LISTED("of_heap", "of heap", SHARE, gain_of_heap),
    LISTED("counted_from_to", "count", FROM_TO, suspect_count, .file = "count"),
    LISTED("trend", "trend", TREND, suspect_trend, .file = ""),
    LISTED("title", "", TITLE, suspect_title, .title_in = unit_of_rows, .is_subject = true,
           .is_title = true),
};
const struct record record_suspect = {
    .name = "suspect",
    .doc = "A type ranked as a likely leak.",
    FIELDS(suspect_fields),
    .lines = "rank gain of_heap@60 counted_from_to trend@70 score score_share tau basis "
             "suspect title",
    .screen = "rank:3 delta:11 counted_from_to:19@70 trend@60 subject",
    .last_screen = "rank:3 retained:10 count:11@50 trend@60 subject"};

static const struct record_field marked_fields[] = {
    FIELD("rank", SIZE(rank), NEVER_NULL, "1 is the first.", ONE_OR_MORE),
    FIELD("type", TEXT(type), NEVER_NULL, "What keeps growing."),
    FIELD("subject", TEXT(subject), NEVER_NULL,
          "The class of the program that it is about."),
    FIELD("count", COUNTS(at), NEVER_NULL, "Objects. One number per snapshot."),
    FIELD("retained", SERIES(retained), MAY_BE_NULL,
          "Bytes that are gone with it, one number per snapshot; null without references."),
};
const RECORD_OF(marked, "marked", marked_fields, "A suspect.");
#undef T

/* --- causes of growth ------------------------------------------------------------- */

#define T struct hd_growth
static const struct record_field parts_fields[] = {
    FIELD("suspects", SERIES(suspects_at), NEVER_NULL, "The sum of their `own_bytes`."),
    FIELD("pools", SERIES(pools_at), NEVER_NULL, "Buffer pools and the stores of threads."),
    FIELD("rest", SERIES(rest_at), NEVER_NULL, "Everything else."),
};
static const RECORD_OF(parts, NULL, parts_fields,
                       "Bytes per snapshot, which add up to the reachable heap; null where "
                       "a snapshot was left out of the ranking.");

static const struct record_field growth_fields[] = {
    FIELD("bytes", INT64(bytes), NEVER_NULL,
          "Reachable bytes, last minus first; the sum of `suspects`, `pools` and `rest`."),
    FIELD("share", REAL(share), MAY_BE_NULL,
          "That as a share of the reachable bytes of the last snapshot."),
    FIELD("suspects", INT64(suspects), NEVER_NULL,
          "What all suspects and what goes along with them hold, shown or not."),
    FIELD("pools", INT64(pools), NEVER_NULL,
          "What buffer pools and the stores of threads hold."),
    FIELD("rest", INT64(rest), NEVER_NULL, "Everything else."),
    FIELD("explained", REAL(explained), MAY_BE_NULL,
          "Share of the growth that the suspects explain; null if the heap did not grow.",
          A_SHARE),
    FIELD("unexplained", TRUTH(unexplained), NEVER_NULL,
          "Whether the rest grew and nothing explains it; beside suspects, only if it is "
          "more than half of the growth."),
    FIELD("open_share", REAL(open_share), NEVER_NULL,
          "Growth that nothing explains, whatever its shape and whether there are suspects "
          "or not, as a share of the heap; 0: less than 5 %.",
          "\"minimum\": 0"),
    FIELD("since", SIZE(since), NEVER_NULL,
          "The index of the snapshot after which that began."),
    FIELD("pools_share", REAL(pools_share), MAY_BE_NULL,
          "`pools` as a share of the reachable bytes of the last snapshot."),
    FIELD("pools_by_name", TRUTH(pools_by_name), NEVER_NULL,
          "Whether a buffer pool is one by its name alone: no module says that its class "
          "is the runtime's."),
    FIELD("parts", GROUP(record_parts), NEVER_NULL, NULL),
};
static const RECORD_OF(growth, NULL, growth_fields,
                       "Where the growth of the reachable heap went, from the first to the "
                       "last snapshot that was ranked; null without graphs.");
#undef T

#define T struct hd_stopped
static const struct record_field stopped_fields[] = {
    FIELD("type", TEXT(type), NEVER_NULL, "The type."),
    FIELD("subject", TEXT(subject), NEVER_NULL, "The name for a title, as of a suspect."),
    FIELD("count", SERIES(count), NEVER_NULL,
          "Instances that belong to no suspect. One number per snapshot, null where it was "
          "left out of the ranking."),
    FIELD("retained", SERIES(retained), NEVER_NULL,
          "Bytes that they retain. One number per snapshot."),
    FIELD("growth", REAL(growth), MAY_BE_NULL,
          "Bytes that it gained and no other such type explains.", "\"minimum\": 0"),
    FIELD("share", REAL(share), MAY_BE_NULL,
          "That as a share of the reachable bytes of the last snapshot.", "\"minimum\": 0"),
    FIELD("holder", TEXTS(holder, holder_len), NEVER_NULL,
          "What holds most of it in the last snapshot, from below the root; \"…\" as in "
          "that of a suspect."),
};
static const RECORD_OF(stopped, NULL, stopped_fields,
                       "A type that grew and then stayed as large.");
#undef T

#define T struct hd_native
static const struct record_field native_fields[] = {
    FIELD("type", TEXT(type), NEVER_NULL, "The type."),
    FIELD("what", TEXT(what), NEVER_NULL,
          "What an instance stands for: `loaded assemblies`, `threads`."),
    FIELD("count", COUNTS(at), NEVER_NULL, "Instances, one number per snapshot."),
    FIELD("hint", TEXT(hint), MAY_BE_NULL, "A section of docs/hints.md."),
    FIELD("undecided", TRUTH(is_undecided), NEVER_NULL,
          "Whether it is so much, ten or more over four or more snapshots, that a check "
          "does not pass for want of a suspect."),
};
static const RECORD_OF(native, NULL, native_fields,
                       "What holds memory that no snapshot shows.");
#undef T

#define T struct hd_power
VALUE(power_unit, json_string(MODEL->diff->types.bytes_known ? "bytes" : "objects"))

static const struct record_field power_fields[] = {
    FIELD("steps", SIZE(steps), NEVER_NULL, "Between snapshots that can be compared.",
          ONE_OR_MORE),
    FIELD("large", UINT64(large), NEVER_NULL,
          "From this growth on it shows by its size, whatever it is made of."),
    FIELD("unit", MADE(power_unit), NEVER_NULL,
          "Of `large`: objects where bytes are unknown.", UNIT_SCHEMA),
    FIELD("objects", UINT64(objects), MAY_BE_NULL,
          "So many that come at random and stay, and retain `bytes`: four of five such "
          "leaks show. Null without identity: counts cannot tell them from chance."),
    FIELD("objects_even", UINT64(even), MAY_BE_NULL,
          "The same where nearly as many come in every step. Null where no number is "
          "enough."),
    FIELD("bytes", UINT64(bytes), MAY_BE_NULL,
          "What these objects retain at least. Null where a leak shows by its size only."),
};
static const RECORD_OF(power, NULL, power_fields,
                       "What a leak has to be, over all steps, so that these snapshots "
                       "show it. Null where fewer than two can be compared.");
#undef T

/* --- a diff -------------------------------------------------------------------------- */

#define T struct hd_diff

static bool reachable_is_known(const void *of, const struct record_walk *w)
{
    for (size_t k = 0; k < w->snapshots; k++)
        if (((const T *)of)->reachable[k].count != HD_UNKNOWN)
            return true;
    return false;
}

KNOWN(growth_is_known, x->growth.known)
KNOWN(would_show, x->would_show.steps > 0)
KNOWN(is_untold, x->untold != HD_UNTOLD_NOTHING)

static const struct record_field totals_fields[] = {
    FIELD("objects", COUNTS(types.totals), NEVER_NULL, "Objects. One number per snapshot."),
    FIELD("bytes", BYTES(types.totals), NEVER_NULL,
          "Shallow bytes; null when unknown. One number per snapshot."),
    FIELD("reachable_objects", COUNTS(reachable), MAY_BE_NULL,
          "Objects on a chain from a root, one number per snapshot; null when known for "
          "none.",
          NULL, reachable_is_known),
    FIELD("reachable_bytes", BYTES(reachable), MAY_BE_NULL,
          "Their shallow bytes, likewise.", NULL, reachable_is_known),
};
static const RECORD_OF(totals, NULL, totals_fields,
                       "Sums of all rows, shown or not, one number per snapshot.");

static const struct record_field untold_fields[] = {
    FIELD("snapshot", SIZE(untold_snapshot), NEVER_NULL,
          "The first, from 0, to which nothing was told of the one before.", ONE_OR_MORE),
    FIELD("reason", CHOICE(untold, untold_word, HD_UNTOLD_COUNT), NEVER_NULL,
          "No session was opened; the process ended it; the collector moves more than can "
          "be told without slowing it down; events or collections are missing; objects are "
          "elsewhere; another process; an incomplete snapshot; a runtime that never names "
          "survivors."),
};
static const RECORD_OF(
    untold, NULL, untold_fields,
    "Why `identity` is not events, though somebody listened to the collector when the "
    "snapshots were taken. Null: it is, nobody did, or nobody knows.");

static const struct record_field begin_of_diff_fields[] = {
    FIELD("iterations", SERIES(iterations), MAY_BE_NULL,
          "Iterations of the workload that had run at each snapshot (--iterations); null "
          "when not given.",
          "\"items\": {\"type\": \"integer\", \"minimum\": 0}"),
    FIELD("confidence", CHOICE(confidence, confidence_word, HD_CONFIDENCE_HIGH + 1),
          NEVER_NULL, "How much the series allows to tell a leak from warm-up."),
    FIELD("totals", GROUP(record_totals), NEVER_NULL, NULL),
    FIELD("suspects", RECORDS(suspects, suspect_count, record_suspect), NEVER_NULL,
          "Types ranked as likely leaks, the likeliest first; never cut."),
    FIELD("minor", RECORDS(minor, minor_count, record_minor), NEVER_NULL,
          "Ranked types whose score is below --min-score; never cut."),
    FIELD("pooled", RECORDS(pooled, pooled_count, record_minor), NEVER_NULL,
          "Buffers that pools hold, which are not ranked as suspects."),
    FIELD("types", RECORDS(types.rows, types.shown, record_row), NEVER_NULL,
          "Types by growth; cut by --rows."),
};
static const RECORD_OF(begin_of_diff, NULL, begin_of_diff_fields, NULL);

static const struct record_field growth_of_diff_fields[] = {
    FIELD("growth", RECORD(growth, record_growth), MAY_BE_NULL, NULL, NULL,
          growth_is_known),
    FIELD("stopped", RECORDS(stopped, stopped_count, record_stopped), NEVER_NULL,
          "Types that grew and then stayed as large, by 2 % of the heap or more; no "
          "suspects, and without what the first snapshot itself leaves behind."),
    FIELD(
        "suspects_hidden", SIZE(hidden_count), NEVER_NULL,
        "Suspects that --type, --exclude and --app-only hide: they are not in `suspects`."),
    FIELD("span_seconds", REAL(span_seconds), MAY_BE_NULL,
          "From the first snapshot to the last, if files tell when they were taken and the "
          "last one is later."),
    FIELD("bytes_per_hour", REAL(bytes_per_hour), MAY_BE_NULL,
          "What the heap grows by in an hour at that rate; negative if it shrinks. Null as "
          "well below a minute."),
    FIELD("headline", TEXT(headline), NEVER_NULL,
          "The verdict in a sentence or two, as text and pages begin with it: one line, "
          "names short, without control characters. For people: the numbers are in the "
          "other keys."),
};
static const RECORD_OF(growth_of_diff, NULL, growth_of_diff_fields, NULL);

static json_t *between_json(const struct hd_between *x)
{
    if (x->type == NULL)
        return json_null();
    json_t *o = json_object();
    json_put(o, "type", json_string_or_null(x->type));
    json_put(o, "objects", json_number_or_null(x->count));
    json_put(o, "bytes", json_number_or_null(x->bytes));
    return o;
}

static json_t *free_growth(const void *of, const struct record_walk *w)
{
    const struct hd_free_growth *g = ((const T *)of)->free;
    size_t n = w->snapshots;
    if (g == NULL)
        return json_null();
    json_t *o = json_object();
    json_put(o, "grows", json_boolean(g->is_finding));
    json_put(o, "bytes", json_numbers(g->bytes, n));
    json_put(o, "blocks", json_numbers(g->blocks, n));
    json_put(o, "largest", json_numbers(g->largest, n));
    json_put(o, "pinned", between_json(&g->pinned));
    json_put(o, "beside", between_json(&g->beside));
    json_put(o, "hint", json_string_or_null(g->hint));
    return o;
}

static const struct record_field end_of_diff_fields[] = {
    FIELD("native", RECORDS(native, native_count, record_native), NEVER_NULL,
          "What has more instances in every snapshot than in the one before, and holds "
          "memory that no snapshot shows."),
    FIELD("process", POINTER(process, record_process_growth), MAY_BE_NULL, NULL),
    FIELD("free", MADE(free_growth), MAY_BE_NULL,
          "Free space between objects: bytes, blocks and the largest block per snapshot; "
          "whether it `grows` so that the heap is fragmented; `pinned`, the type of most "
          "objects with a pinned handle in the last snapshot; `beside`, the type of gen2, "
          "LOH or POH that begins behind most of the free blocks of 4 KiB and more. Null: "
          "fewer than two snapshots tell it.",
          "\"type\": [\"object\", \"null\"]"),
    FIELD("identity", CHOICE(identity, identity_source_word, HD_SAME_SOURCE_COUNT),
          MAY_BE_NULL,
          "How it is known which object of one snapshot is which of the next: by the order "
          "in which the collector leaves what survives, with the contents of objects too, "
          "or by what it said itself. Null: not known, and counts alone decide."),
    FIELD("untold", GROUP(record_untold), MAY_BE_NULL, NULL, NULL, is_untold),
    FIELD("would_show", RECORD(would_show, record_power), MAY_BE_NULL, NULL, NULL,
          would_show),
    FIELD("time_limit", CHOICE(time_limit, time_limit_word, HD_TIME_LIMIT_COUNT),
          MAY_BE_NULL,
          "Limit that time puts on the confidence in suspects: the files have no times "
          "(unknown); "
          "the snapshots span less than frameworks keep objects by design (short), or the "
          "process is not three times as old as that (young). Null: nothing."),
    FIELD("uptime_seconds", REAL(uptime_seconds), MAY_BE_NULL,
          "Age of the process at the first snapshot that can be compared."),
};
static const RECORD_OF(end_of_diff, NULL, end_of_diff_fields, NULL);
#undef T

/* --- rules --------------------------------------------------------------------------- */

#define T struct hd_finding

/* The phrase about a finding; null if it is empty. */
#define PHRASE(what, call)                                                          \
    WORDS(add_##what, call(t, x))                                                   \
    static json_t *what##_words(const void *of, const struct record_walk *w)        \
    {                                                                               \
        struct text t = {0};                                                        \
        add_##what(&t, of, w);                                                      \
        json_t *s = t.len > 0 ? json_string_or_null(text_string(&t)) : json_null(); \
        text_free(&t);                                                              \
        return s;                                                                   \
    }
PHRASE(rule, phrase_rule)
PHRASE(source, phrase_source)
PHRASE(limit, phrase_limit)
PHRASE(observed, phrase_observed)
PHRASE(reason, phrase_reason)

/* A number that is usually whole, and fractional only for means and shares, as it is. */
static json_t *amount(double n)
{
    if (!isfinite(n))
        return json_null();
    return n == floor(n) && fabs(n) < 9e15 ? json_integer((json_int_t)n) : json_real(n);
}

VALUE(limit_value, amount(x->limit_value))
VALUE(observed_value, amount(x->observed_value))

VALUE(shown_between, json_pack("[II]", (json_int_t)x->first, (json_int_t)x->last))

VALUE(value_unit, json_string(phrase_unit(x)))
WORDS(add_unit, text_add_string(t, phrase_unit(x)))

#define A_STRING "\"type\": \"string\""
#define MAYBE_A_STRING "\"type\": [\"string\", \"null\"]"
#define MAYBE_A_NUMBER "\"type\": [\"number\", \"null\"]"

static const struct record_field rule_fields[] = {
    FIELD("rule", MADE(rule_words), NEVER_NULL, "What is limited.",
          A_STRING ", \"pattern\": \"^(total (bytes|objects|reachable_bytes)|type "
                   ".+|holder .+|suspects any|process "
                   "(size|resident|private|native|fragmented|threads|handles))$\""),
    FIELD("source", MADE(source_words), NEVER_NULL,
          "FILE:LINE of the budget, option, or default.", A_STRING),
    FIELD("subject", TEXT(subject), MAY_BE_NULL,
          "The type it is about; null for totals, holders and where none matches."),
    FIELD("limit", MADE(limit_words), NEVER_NULL, "What is allowed, for people.", A_STRING),
    FIELD("observed", MADE(observed_words), MAY_BE_NULL,
          "What was seen, less what a baseline accepts, for people; null when it cannot be "
          "known.",
          MAYBE_A_STRING),
    FIELD("status", CHOICE(status, finding_status_word, HD_FINDING_STATUS_COUNT),
          NEVER_NULL, "What became of it."),
    FIELD("reason", MADE(reason_words), MAY_BE_NULL,
          "Of the suppression; why it is inconclusive; what a baseline accepted.",
          MAYBE_A_STRING),
    FIELD("limit_value", MADE(limit_value), MAY_BE_NULL,
          "The limit in units; a share is of the first snapshot, of a score of the heap.",
          MAYBE_A_NUMBER),
    FIELD("observed_value", MADE(observed_value), MAY_BE_NULL,
          "The growth in units; a mean for rules per iteration; the score for suspects.",
          MAYBE_A_NUMBER),
    FIELD("unit", MADE(value_unit), NEVER_NULL, "Of both values.",
          "\"enum\": [\"bytes\", \"objects\", \"threads\", \"handles\"]"),
    FIELD("snapshots", MADE(shown_between), NEVER_NULL,
          "Indexes of the two snapshots between which it was observed.", TWO_SNAPSHOTS),
    FIELD("holder", TEXT(holder), MAY_BE_NULL,
          "What holds it, as types from the roots; of a holder rule the path that grew "
          "most."),
    FIELD("chains", RECORDS(chains.all, chains.len, record_chain), NEVER_NULL,
          "What holds the subject in the last snapshot, for the first failures of types "
          "and for suspects."),
};
static const RECORD_OF(rule, "rule", rule_fields, "What became of a rule.");

static const struct record_field rule_cells[] = {
    IN_TABLES("status", CHOICE(status, finding_status_word, HD_FINDING_STATUS_COUNT)),
    IN_TABLES("rule", CSV_CELL(add_rule)),
    IN_TABLES("subject", TEXT(subject)),
    IN_TABLES("observed", CSV_CELL(add_observed)),
    IN_TABLES("observed_value", REAL(observed_value)),
    IN_TABLES("limit", CSV_CELL(add_limit)),
    IN_TABLES("unit", CSV_CELL(add_unit)),
    IN_TABLES("source", CSV_CELL(add_source)),
    IN_TABLES("reason", CSV_CELL(add_reason)),
};
const struct record record_rule_cells = {
    .name = NULL,
    NULL,
    FIELDS(rule_cells),
    .csv = "status rule subject observed observed_value limit unit source reason"};
#undef T

#define T struct hd_check
static const struct record_field check_fields[] = {
    FIELD("verdict", CHOICE(verdict, verdict_word, HD_INCONCLUSIVE + 1), NEVER_NULL,
          "fail if a rule failed; else inconclusive if one could not be decided."),
    FIELD("rules", RECORDS(rules, rule_count, record_rule), NEVER_NULL,
          "What became of each rule, in order; of a rule for many types every one that "
          "failed or is suppressed, or else the one nearest to its limit. Never cut.",
          "\"minItems\": 1"),
};
static const RECORD_OF(end_of_check, NULL, check_fields, NULL);
#undef T

/* --- why something is alive ---------------------------------------------------------- */

#define T struct hd_roots

KNOWN(has_born, x->born_first > 0)

/* Snapshots count from 0 here, and from 1 in the model. */
VALUE(born_first, json_integer((json_int_t)x->born_first - 1))
VALUE(born_last, json_integer((json_int_t)x->born_last - 1))

static const struct record_field born_fields[] = {
    FIELD("first", MADE(born_first), NEVER_NULL,
          "A snapshot, from 0; 0: what the first snapshot has is meant too.", A_COUNT),
    FIELD("last", MADE(born_last), NEVER_NULL, "The last of them.", A_COUNT),
    FIELD("instances", UINT64(chains.instances), NEVER_NULL,
          "How many of them are in the last snapshot.", ONE_OR_MORE),
    FIELD("identity", CHOICE(identity, identity_source_word, HD_SAME_SOURCE_COUNT),
          NEVER_NULL, "How it is known which object of one snapshot is which of the next."),
};
static const RECORD_OF(
    born, NULL, born_fields,
    "Of `--born`: the chains are those of instances that were new in one of these "
    "snapshots and are in the last, so their status is not known. Else null.");

static const struct record_field roots_fields[] = {
    FIELD("type", TEXT(pattern), NEVER_NULL,
          "The pattern asked for (--type); several are set apart by blanks."),
    FIELD("matched", TEXTS(matched, matched_count), NEVER_NULL,
          "Canonical names that match.", "\"minItems\": 1"),
    FIELD("instances", COUNTS(instances), NEVER_NULL,
          "Instances of the matched types, one number per snapshot."),
    FIELD("chains", RECORDS(chains.all, chains.len, record_chain_of_roots), NEVER_NULL,
          "Groups of root chains, largest share first; cut by --chains."),
};
static const RECORD_OF(begin_of_roots, NULL, roots_fields, NULL);

static const struct record_field end_of_roots_fields[] = {
    FIELD("born", GROUP(record_born), MAY_BE_NULL, NULL, NULL, has_born),
};
static const RECORD_OF(end_of_roots, NULL, end_of_roots_fields, NULL);
#undef T

/* --- documents ----------------------------------------------------------------------- */

#define T struct hd_model

VALUE(types_omitted,
      json_integer((json_int_t)(model_table(x)->len - model_table(x)->shown)))

#define FIELD_TYPES_OMITTED                                        \
    {                                                              \
        "types_omitted", MADE(types_omitted), NEVER_NULL,          \
            .doc = "Rows of `types` that --rows cut off.", A_COUNT \
    }

static const struct record_field diff_fields[] = {
    FIELD_SNAPSHOTS("2"),
    FIELDS_OF(PART_AT(diff, record_begin_of_diff)),
    FIELD_TYPES_OMITTED,
    FIELD_WARNINGS,
    FIELD_BY,
    FIELDS_OF(PART_AT(diff, record_growth_of_diff)),
    FIELD_COUNTS_REACHABLE,
    FIELDS_OF(PART_AT(diff, record_end_of_diff)),
};
const RECORD_OF(diff, "diff", diff_fields,
                "What grew from the first snapshot to the last.");

static const struct record_field check_document_fields[] = {
    FIELDS_OF(SAME(record_diff)),
    FIELDS_OF(PART_AT(check, record_end_of_check)),
};
const RECORD_OF(
    check, "check", check_document_fields,
    "What grew, held against budgets: the keys of diff, then the verdict and its rules.");

static const struct record_field roots_document_fields[] = {
    FIELD_SNAPSHOTS("1"),
    FIELDS_OF(PART_AT(roots, record_begin_of_roots)),
    FIELD_WARNINGS,
    FIELD_COUNTS_REACHABLE,
    FIELDS_OF(PART_AT(roots, record_end_of_roots)),
};
const RECORD_OF(roots, "roots", roots_document_fields,
                "Why instances of a type are alive in the last snapshot.");

#undef T
#define T struct hd_top
static const struct record_field top_fields[] = {
    FIELD("types", RECORDS(types.rows, types.shown, record_top_row), NEVER_NULL,
          "Types by size; cut by --rows."),
};
static const RECORD_OF(top_types, NULL, top_fields, NULL);
#undef T

#define T struct hd_model
static const struct record_field top_document_fields[] = {
    FIELD("snapshot", POINTER(snapshots, record_snapshot), NEVER_NULL, NULL),
    FIELDS_OF(PART_AT(top, record_top_types)),
    FIELD_TYPES_OMITTED,
    FIELD_WARNINGS,
    FIELD_BY,
    FIELD_COUNTS_REACHABLE,
};
const RECORD_OF(top, "top", top_document_fields,
                "What takes the space in one snapshot. Such a file is itself a snapshot "
                "that heapdrift reads (table-json).");
#undef T
