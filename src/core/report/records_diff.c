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
NAMES(survivors_unknown)
NAMES(unit)
NAMES(finding_status)
NAMES(verdict)

#define UNIT_SCHEMA "\"enum\": [\"objects\", \"bytes\"]"

/* Common to rows and suspects. */
#define FIELDS_SURVIVORS                                                                   \
    FIELD("survivors", UINT64(survivors), MAY_BE_NULL,                                     \
          "Instances of the first snapshot that survived to the last: a lower bound, "     \
          "because objects are moved. Null if the objects of the two cannot be matched."), \
        FIELD("survivors_low", UINT64(survivors_low), MAY_BE_NULL,                         \
              "Lower end of the 95 % interval of `survivors`, which is an estimate from "  \
              "samples with digests; null if `survivors` is a lower bound."),              \
        FIELD("survivors_high", UINT64(survivors_high), MAY_BE_NULL,                       \
              "Upper end of the 95 % interval of `survivors`; null as survivors_low.")

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
    FIELD("type", TEXT(type), NEVER_NULL, "Canonical name, or the unit of `by`.",
          COLUMN("type", TYPE, type_cell, .title_in = unit_of_rows, .is_subject = true,
                 .page = "type")),
    FIELD("count", COUNTS(at), NEVER_NULL, "Instances, one value per snapshot.",
          COLUMN("count", FROM_TO, count_from_to, .page = "n wide")),
    FIELD("bytes", BYTES(at), NEVER_NULL,
          "Shallow bytes of the instances, one value per snapshot; null if unknown.",
          COLUMN("bytes", SIZE, last_bytes, .page = "n wide")),
    FIELD("status", CHOICE(status, series_status_word, HD_SERIES_STATUS_COUNT), NEVER_NULL,
          "The first that applies: gone (no instance left), growing (still grows at the "
          "end), new (no instance at first), shrinking, steady (never changed), varying.",
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
    FIELD("type", TEXT(type), NEVER_NULL, "Canonical name, or the unit of `by`.",
          COLUMN("type", TYPE, type_cell, .title_in = unit_of_rows, .is_subject = true,
                 .page = "type")),
    FIELD("count", FIRST_COUNT(at), MAY_BE_NULL, "Instances.",
          COLUMN("count", COUNT, last_count, .page = "n middle")),
    FIELD("bytes", FIRST_BYTES(at), MAY_BE_NULL,
          "Shallow bytes of the instances; null if unknown.",
          COLUMN("bytes", SIZE, last_bytes, .page = "n")),
    FIELD("retained", UINT64(retained), MAY_BE_NULL,
          "Bytes that the reachable instances retain together, each object counted once; "
          "null if not computed.",
          COLUMN("retained", SIZE, row_retained, .page = "n middle")),
    FIELD("generations", POINTER(by_generation, record_generations), MAY_BE_NULL,
          "Instances per generation, estimated for a sampled file; null if unknown, with "
          "--reachable and with --by=holder.",
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
    FIELD("first_seen", SIZE(first_seen), NEVER_NULL, "Index of the snapshot, from 0."),
    FIELD("count", SERIES(counts), NEVER_NULL,
          "Objects of the cohort that are alive, one value per snapshot; null before, and "
          "where a snapshot was left out of the ranking."),
};
static const RECORD_OF(cohort, NULL, cohort_fields,
                       "The objects that were first seen in one snapshot.");
#undef T

#define T struct hd_cohorts

/* Returns the cohort of a snapshot: its objects in each later one. */
static json_t *cohort(const T *b, size_t j, const uint64_t *at, const struct record_walk *w)
{
    struct cohort c = {.first_seen = b->snapshot[j]};
    c.counts = c.count;
    for (size_t i = 0, k = 0; i < w->snapshots; i++) {
        bool is_compared = k < b->count && b->snapshot[k] == i;
        c.count[i] = is_compared && k >= j ? at[k - j] : HD_UNKNOWN;
        k += is_compared;
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

VALUE(cohorts_verdict, json_string_or_null(x->accumulates  ? "keeps"
                                           : x->turns_over ? "turns-over"
                                                           : NULL))
KNOWN(accumulates, x->accumulates)

static const struct record_field cohort_table_fields[] = {
    FIELD("verdict", MADE(cohorts_verdict), MAY_BE_NULL,
          "keeps: the objects that were added in every step survived; turns-over: as many "
          "objects die as are added; null: neither can be shown.",
          "\"enum\": [\"keeps\", \"turns-over\", null]"),
    FIELD("came", UINT64(arrived), NEVER_NULL,
          "Objects added in all steps since `since` at the main growth site, counted once "
          "they have existed for `age` snapshots."),
    FIELD("went", UINT64(died), NEVER_NULL, "Objects counted in `came` that have died."),
    FIELD("age", UINT32(age), NEVER_NULL,
          "Snapshots before an object is counted in `came`: usually 0, more if most "
          "objects die young.",
          "\"maximum\": 2"),
    FIELD("chance", REAL(chance), MAY_BE_NULL,
          "Probability of such numbers if half an object died for each one that is added; "
          "1 if nothing contradicts that. Null if unknown.",
          A_SHARE),
    FIELD("cohorts", MADE_RECORDS(cohorts, record_cohort), NEVER_NULL,
          "One entry per comparable snapshot: the objects that were first seen in it. In "
          "the first, all objects."),
    FIELD("since", SIZE(since), MAY_BE_NULL,
          "Index of the snapshot, from 0, after which the added objects survive; `came`, "
          "`went` and `chance` count from there. Null unless `verdict` is keeps.",
          NULL, accumulates),
};
static const RECORD_OF(cohort_table, "births", cohort_table_fields,
                       "Cohorts of the suspect, over all its growth sites: when its "
                       "objects first appeared, and how many survive in each later "
                       "snapshot. Null if that is unknown (see `identity`).");
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
CELLS(suspect_title, HD_CELL_TITLE, .text = x->title)
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
          m->diff->by_graph ? "Retained bytes gained from the first to the last snapshot: "
                              "the objects and everything that only they keep alive."
                            : "Bytes gained from the first to the last snapshot.")
IN_REPORT(const char *, title_of_delta, BY_GRAPH("Δretained", "Δbytes", "Δobjects"))
IN_REPORT(const char *, title_of_retained, BY_GRAPH("retained", "bytes", "bytes"))

KNOWN(is_by_graph, MODEL->diff->by_graph)
VALUE(first_owner, x->chains.len > 0 && x->chains.all->chain.owner != NULL
                       ? record_json(&record_owner, x->chains.all, w)
                       : json_null())
KNOWN(is_sampled, x->allocated != NULL)
VALUE(sites, records_json(&record_site, x->allocated->sites, x->allocated->site_count, w))
VALUE(chains_of, json_string(x->chains.of_survivors ? "stayed" : "all"))

static const struct record_field begin_of_suspect_fields[] = {
    FIELD("rank", SIZE(rank), NULL_AT_ZERO,
          "Position in the ranking, from 1, counted on from `suspects` into `minor`; null "
          "in `pooled`, which is not ranked.",
          ONE_OR_MORE, COLUMN("#", COUNT, suspect_rank)),
    FIELD("type", TEXT(type), NEVER_NULL, "The growing type, or the unit of `by`."),
    FIELD("subject", TEXT(title), NEVER_NULL,
          "Name for a title: a class of the program next to the growing type, or the "
          "static variable that keeps it alive; equals `type` for basis table.",
          COLUMN("suspect", TITLE, suspect_title, .file = "type")),
    FIELD("basis", CHOICE(basis, basis_word, HD_BASIS_TYPE + 1), NEVER_NULL,
          "Unit of the ranking: a place in the tree of owners (graph), a type with "
          "changing owners (type), or a type in type tables (table).",
          COLUMN(
              "basis", WORD, suspect_basis, .is_detail = true, .is_for_pages = true,
              .meaning =
                  "Unit of the ranking. graph: a place in the dominator tree; type: a type "
                  "with different owners over time; table: shallow bytes of a type.")),
    FIELD("score", REAL(score), MAY_BE_NULL,
          "Sustained growth in bytes: retained growth that no growing owner explains "
          "(basis graph), or growth of the instances (table); in objects if a snapshot has "
          "no bytes. Null if unknown.",
          "\"minimum\": 0",
          COLUMN("score", SIZE, NULL, .words = add_score, .is_detail = true,
                 .meaning = "Suspects are ranked by this: retained growth that no growing "
                            "owner explains, at the rate of the second half of the series, "
                            "reduced if it fluctuates.")),
    FIELD("score_share", REAL(score_share), MAY_BE_NULL,
          "`score` as a share of the reachable bytes of the last snapshot (all bytes for "
          "tables, objects if bytes are unknown). Null if `score` is.",
          "\"minimum\": 0",
          COLUMN("of heap", SHARE, score_of_heap, .is_detail = true, .is_for_pages = true)),
    FIELD("tau", REAL(tau), MAY_BE_NULL,
          "Kendall's tau-b of the counts (of the bytes if the growth is in size) against "
          "time, for the group with most of the score: 1 is growth at every step. Null if "
          "unknown.",
          "\"minimum\": -1, \"maximum\": 1",
          COLUMN("tau", COUNT, NULL, .words = add_tau, .is_detail = true,
                 .is_for_pages = true,
                 .meaning = "Steadiness of the growth, from -1 to 1: at 1 every snapshot "
                            "has more than the one before.")),
    FIELD("count", COUNTS(at), NEVER_NULL, "Instances, one value per snapshot.",
          COLUMN("count", COUNT, suspect_last_count)),
    FIELD("bytes", BYTES(at), NEVER_NULL,
          "Shallow bytes of the instances, one value per snapshot."),
    FIELD("retained", SERIES(retained), MAY_BE_NULL,
          "Bytes that the growing instances retain, one value per snapshot, null where a "
          "snapshot was left out of the ranking; null as a whole for basis table.",
          COLUMN("", SIZE, suspect_retained, .title_in = title_of_retained)),
    FIELD("per_iteration", UINT64(per_iteration), MAY_BE_NULL,
          "Instances gained per iteration of the workload; null unless that is one whole "
          "number at every step."),
    FIELD("holder", TEXTS(holder, holder_len), MAY_BE_NULL,
          "Owners of the growing instances in the last snapshot: dominators from below the "
          "root down to the instances, as types; \"…\" replaces those between the first "
          "and the last 16. Null for basis table."),
};
static const RECORD_OF(begin_of_suspect, NULL, begin_of_suspect_fields, NULL);

static const struct record_field end_of_suspect_fields[] = {
    FIELDS_SURVIVORS,
    FIELD("suspect", CHOICE(suspicion, suspicion_word, HD_SUSPECT_AGE + 1), MAY_BE_NULL,
          "Reason for the suspicion. size: the score reaches --min-score; steady: it "
          "reaches --min-steady, and the gain in instances is nearly the same at every "
          "step; age: it reaches --min-steady, and the objects that were added in every "
          "step survived. Null in `minor` and `pooled`.",
          COLUMN("suspect by", WORD, suspect_why, .is_detail = true, .is_for_pages = true,
                 .meaning = "Reason for the suspicion. size: a large score; steady: nearly "
                            "the same gain at every step; age: the objects that were added "
                            "in every step survived.")),
    FIELD("also", TEXTS(also, also_count), NEVER_NULL,
          "Types that are co-retained with this one, largest first: objects shared with "
          "another owner, or other classes in the same store. Their scores are part of "
          "`score`."),
    FIELD("retained_delta", INT64(more), MAY_BE_NULL,
          "Retained bytes of the instances and of `also`, last minus first snapshot; null "
          "for basis table.",
          NULL, is_by_graph),
    FIELD("hint", TEXT(hint), MAY_BE_NULL,
          "Hint for a suspect of this kind: a section of docs/hints.md; null if there is "
          "none, and in `minor` and `pooled`.",
          SCHEMA_HINT),
    FIELD("owner", MADE_RECORD(first_owner, record_owner), MAY_BE_NULL, NULL),
    FIELD("held", SERIES(held), MAY_BE_NULL,
          "Instances of `type` at the growth sites, one value per snapshot, null where a "
          "snapshot was left out of the ranking: the count that text shows if the whole "
          "heap differs. Null as a whole for basis type and table."),
    FIELD("own_bytes", SERIES(own), MAY_BE_NULL,
          "Bytes that belong to this suspect only, one value per snapshot: of nested "
          "suspects the inner one owns them. They sum to `suspects` of `growth.parts`. "
          "Null as a whole for tables, in `minor` and in `pooled`."),
    FIELD("births", POINTER(cohorts, record_cohort_table), MAY_BE_NULL, NULL),
    FIELD("counted_type", TEXT(counted), NEVER_NULL,
          "Type that text, pages and explore count: `subject` if its objects are added "
          "along with those of `type`, else `type`."),
    FIELD("counted", SERIES(counts), NEVER_NULL,
          "Objects of `counted_type`, one value per snapshot, null where a snapshot was "
          "left out of the ranking; for `type` the numbers of `held` if they grow."),
    FIELD("reservation", CHOICE(reservation, reservation_word, HD_RESERVED_LIFETIME + 1),
          MAY_BE_NULL,
          "Reason why a row of `minor` is no suspect although it grew like one: it gains "
          "ever less per unit of load (fills), its owner has one for each type that the "
          "program uses (per-type), or its owner keeps entries by default for longer than "
          "these snapshots span (lifetime). Null for all others."),
};
static const RECORD_OF(end_of_suspect, NULL, end_of_suspect_fields, NULL);

static const struct record_field below_threshold_fields[] = {
    FIELDS_OF(SAME(record_begin_of_suspect)),
    FIELDS_OF(SAME(record_end_of_suspect)),
};
static const RECORD_OF(
    below_threshold, "minor", below_threshold_fields,
    "A type below the threshold of suspects, or pooled; without chains.");

static const struct record_field suspect_fields[] = {
    FIELDS_OF(SAME(record_begin_of_suspect)),
    FIELD("chains", RECORDS(chains.all, chains.len, record_chain), NEVER_NULL,
          "Chains that keep the growing instances alive in the last snapshot, largest "
          "share first, then chains that are gone; empty without a graph."),
    FIELDS_OF(SAME(record_end_of_suspect)),
    FIELD("chains_of", MADE(chains_of), NEVER_NULL,
          "Instances that the chains are from: those that were added after the first "
          "snapshot and survived, if survivors are known; else all. `status` and "
          "`instances` of a chain are always those of all instances.",
          "\"enum\": [\"stayed\", \"all\"]"),
    FIELD("sites", MADE_RECORDS(sites, record_site), MAY_BE_NULL,
          "Code that allocated the objects, from samples of allocations that survived: "
          "methods of the program first, then by samples, at most 10; see `sampling`. Null "
          "if allocations were not sampled.",
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
    FIELD("rank", SIZE(rank), NEVER_NULL, "Position in the ranking, from 1.", ONE_OR_MORE),
    FIELD("type", TEXT(type), NEVER_NULL, "The growing type."),
    FIELD("subject", TEXT(title), NEVER_NULL,
          "The class of the program to which the suspect belongs."),
    FIELD("count", COUNTS(at), NEVER_NULL, "Objects, one value per snapshot."),
    FIELD("retained", SERIES(retained), MAY_BE_NULL,
          "Retained bytes, one value per snapshot; null without references."),
};
const RECORD_OF(marked, "marked", marked_fields, "A suspect.");
#undef T

/* --- causes of growth ------------------------------------------------------------- */

#define T struct hd_growth
static const struct record_field parts_fields[] = {
    FIELD("suspects", SERIES(suspects_at), NEVER_NULL,
          "Bytes of the suspects: the sum of their `own_bytes`."),
    FIELD("pools", SERIES(pools_at), NEVER_NULL,
          "Bytes of buffer pools and of the stores of threads."),
    FIELD("rest", SERIES(rest_at), NEVER_NULL, "Bytes of everything else."),
};
static const RECORD_OF(
    parts, NULL, parts_fields,
    "Bytes by part, one value per snapshot; the parts sum to the reachable heap. Null "
    "where a snapshot was left out of the ranking.");

static const struct record_field growth_fields[] = {
    FIELD("bytes", INT64(bytes), NEVER_NULL,
          "Reachable bytes, last minus first; the sum of `suspects`, `pools` and `rest`."),
    FIELD("share", REAL(share), MAY_BE_NULL,
          "`bytes` as a share of the reachable bytes of the last snapshot; null if these "
          "are unknown."),
    FIELD("suspects", INT64(suspects), NEVER_NULL,
          "Growth of all suspects and of the objects co-retained with them, shown or not."),
    FIELD("pools", INT64(pools), NEVER_NULL,
          "Growth of buffer pools and of the stores of threads."),
    FIELD("rest", INT64(rest), NEVER_NULL, "Growth of everything else."),
    FIELD("explained", REAL(explained), MAY_BE_NULL,
          "Share of the growth that the suspects explain; null if the heap did not grow.",
          A_SHARE),
    FIELD("unexplained", TRUTH(unexplained), NEVER_NULL,
          "True if the rest grew without an explanation; if there are suspects, only if it "
          "is more than half of the growth."),
    FIELD("open_share", REAL(open_share), NEVER_NULL,
          "Unexplained growth of any shape, with or without suspects, as a share of the "
          "heap; 0 if less than 5 %.",
          "\"minimum\": 0"),
    FIELD("since", SIZE(since), NEVER_NULL,
          "Index of the snapshot after which the unexplained growth began."),
    FIELD("pools_share", REAL(pools_share), MAY_BE_NULL,
          "`pools` as a share of the reachable bytes of the last snapshot; null if these "
          "are unknown."),
    FIELD("pools_by_name", TRUTH(pools_by_name), NEVER_NULL,
          "True if a buffer pool is recognized by its name only: the snapshot has no "
          "module that shows its class to be the runtime's."),
    FIELD("parts", GROUP(record_parts), NEVER_NULL, NULL),
};
static const RECORD_OF(growth, NULL, growth_fields,
                       "Growth of the reachable heap by cause, from the first to the last "
                       "ranked snapshot; null without graphs.");
#undef T

#define T struct hd_leveled_off
static const struct record_field leveled_off_fields[] = {
    FIELD("type", TEXT(type), NEVER_NULL, "The type."),
    FIELD("subject", TEXT(title), NEVER_NULL, "Name for a title, as of a suspect."),
    FIELD("count", SERIES(count), NEVER_NULL,
          "Instances that belong to no suspect, one value per snapshot; null where it was "
          "left out of the ranking."),
    FIELD("retained", SERIES(retained), NEVER_NULL,
          "Bytes that these instances retain, one value per snapshot."),
    FIELD("growth", REAL(growth), MAY_BE_NULL,
          "Bytes gained that no other such type explains; null if unknown.",
          "\"minimum\": 0"),
    FIELD(
        "share", REAL(share), MAY_BE_NULL,
        "`growth` as a share of the reachable bytes of the last snapshot; null if unknown.",
        "\"minimum\": 0"),
    FIELD("holder", TEXTS(holder, holder_len), NEVER_NULL,
          "Owners of most of these bytes in the last snapshot, from below the root; \"…\" "
          "as in `holder` of a suspect."),
};
static const RECORD_OF(leveled_off, NULL, leveled_off_fields,
                       "A type that grew and then leveled off.");
#undef T

#define T struct hd_native_memory
static const struct record_field native_memory_fields[] = {
    FIELD("type", TEXT(type), NEVER_NULL, "The type."),
    FIELD("what", TEXT(what), NEVER_NULL,
          "Resource that an instance represents: `loaded assemblies`, `threads`."),
    FIELD("count", COUNTS(at), NEVER_NULL, "Instances, one value per snapshot."),
    FIELD("hint", TEXT(hint), MAY_BE_NULL,
          "Hint: a section of docs/hints.md; null if there is none."),
    FIELD("undecided", TRUTH(is_undecided), NEVER_NULL,
          "True if the growth is too large for a check to pass without a suspect: ten or "
          "more instances over four or more snapshots."),
};
static const RECORD_OF(native_memory, NULL, native_memory_fields,
                       "A type that holds memory outside the snapshots.");
#undef T

#define T struct hd_power
VALUE(power_unit, json_string(MODEL->diff->types.bytes_known ? "bytes" : "objects"))

static const struct record_field power_fields[] = {
    FIELD("steps", SIZE(steps), NEVER_NULL, "Steps between comparable snapshots.",
          ONE_OR_MORE),
    FIELD("large", UINT64(large), NEVER_NULL,
          "Smallest growth that shows by its size, whatever the types."),
    FIELD("unit", MADE(power_unit), NEVER_NULL,
          "Unit of `large`: objects if bytes are unknown.", UNIT_SCHEMA),
    FIELD("objects", UINT64(objects), MAY_BE_NULL,
          "Objects, added at random and retaining `bytes`, of which four of five leaks "
          "show. Null without identity: counts cannot distinguish such leaks from chance."),
    FIELD("objects_even", UINT64(even), MAY_BE_NULL,
          "Objects as in `objects`, added in nearly equal numbers at every step. Null if "
          "no number is sufficient."),
    FIELD(
        "bytes", UINT64(bytes), MAY_BE_NULL,
        "Bytes that these objects retain at least. Null if a leak shows by its size only."),
};
static const RECORD_OF(power, NULL, power_fields,
                       "Smallest leak, over all steps, that these snapshots would show. "
                       "Null with fewer than two comparable snapshots.");
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
KNOWN(are_survivors_unknown, x->survivors_unknown != HD_SURVIVORS_UNKNOWN_NONE)

static const struct record_field totals_fields[] = {
    FIELD("objects", COUNTS(types.totals), NEVER_NULL, "Objects, one value per snapshot."),
    FIELD("bytes", BYTES(types.totals), NEVER_NULL,
          "Shallow bytes, one value per snapshot; null if unknown."),
    FIELD(
        "reachable_objects", COUNTS(reachable), MAY_BE_NULL,
        "Objects on a chain from a root, one value per snapshot; null if unknown for all.",
        NULL, reachable_is_known),
    FIELD("reachable_bytes", BYTES(reachable), MAY_BE_NULL,
          "Shallow bytes of the objects on a chain from a root, one value per snapshot; "
          "null if unknown for all.",
          NULL, reachable_is_known),
};
static const RECORD_OF(totals, NULL, totals_fields,
                       "Sums of all rows, shown or not, one value per snapshot.");

static const struct record_field survivors_unknown_fields[] = {
    FIELD("snapshot", SIZE(survivors_unknown_snapshot), NEVER_NULL,
          "Index, from 0, of the first snapshot without information on the objects of the "
          "one before.",
          ONE_OR_MORE),
    FIELD("reason",
          CHOICE(survivors_unknown, survivors_unknown_word, HD_SURVIVORS_UNKNOWN_COUNT),
          NEVER_NULL,
          "Reason: no session was opened; the process ended the session; the collector "
          "moves more than can be reported without slowing down the process; events or "
          "collections are missing; objects are not at the reported addresses; another "
          "process; an incomplete snapshot; a runtime that never reports survivors."),
};
static const RECORD_OF(
    survivors_unknown, NULL, survivors_unknown_fields,
    "Reason why `identity` is not events although GC events were traced when the snapshots "
    "were taken. Null if it is events, if nothing was traced, or if unknown.");

static const struct record_field begin_of_diff_fields[] = {
    FIELD("iterations", SERIES(iterations), MAY_BE_NULL,
          "Iterations of the workload before each snapshot (--iterations); null if not "
          "given.",
          "\"items\": {\"type\": \"integer\", \"minimum\": 0}"),
    FIELD("confidence", CHOICE(confidence, confidence_word, HD_CONFIDENCE_HIGH + 1),
          NEVER_NULL,
          "Confidence that a leak in this series can be distinguished from warm-up."),
    FIELD("totals", GROUP(record_totals), NEVER_NULL, NULL),
    FIELD("suspects", RECORDS(suspects, suspect_count, record_suspect), NEVER_NULL,
          "Types ranked as likely leaks, the likeliest first; never truncated."),
    FIELD("minor", RECORDS(below_threshold, below_threshold_count, record_below_threshold),
          NEVER_NULL, "Ranked types with a score below --min-score; never truncated."),
    FIELD("pooled", RECORDS(pooled, pooled_count, record_below_threshold), NEVER_NULL,
          "Buffers owned by pools, which are not ranked; never suspects."),
    FIELD("types", RECORDS(types.rows, types.shown, record_row), NEVER_NULL,
          "Types by growth, truncated by --rows."),
};
static const RECORD_OF(begin_of_diff, NULL, begin_of_diff_fields, NULL);

static const struct record_field growth_of_diff_fields[] = {
    FIELD("growth", RECORD(growth, record_growth), MAY_BE_NULL, NULL, NULL,
          growth_is_known),
    FIELD(
        "stopped", RECORDS(leveled_off, leveled_off_count, record_leveled_off), NEVER_NULL,
        "Types that grew by 2 % of the heap or more and then leveled off; without "
        "suspects, and without objects that taking the first snapshot leaves in the heap."),
    FIELD(
        "suspects_hidden", SIZE(hidden_count), NEVER_NULL,
        "Suspects, or the undecided type, hidden by --type, --exclude and --app-only; not "
        "in `suspects`."),
    FIELD("span_seconds", REAL(span_seconds), MAY_BE_NULL,
          "Seconds from the first snapshot to the last; null if the files have no times or "
          "the last is not later."),
    FIELD("bytes_per_hour", REAL(bytes_per_hour), MAY_BE_NULL,
          "Growth of the heap in bytes per hour; negative if it shrinks; null if the span "
          "is unknown or below a minute."),
    FIELD("headline", TEXT(headline), NEVER_NULL,
          "The verdict in one or two sentences, as at the top of text and pages: one line, "
          "short names, no control characters. For people: the numbers are in other keys."),
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
    json_put(o, "beside", between_json(&g->next_to));
    json_put(o, "hint", json_string_or_null(g->hint));
    return o;
}

static const struct record_field end_of_diff_fields[] = {
    FIELD("native", RECORDS(native_memory, native_memory_count, record_native_memory),
          NEVER_NULL,
          "Types with more instances in every snapshot than in the one before that hold "
          "memory outside the snapshots."),
    FIELD("process", POINTER(process, record_process_growth), MAY_BE_NULL, NULL),
    FIELD("free", MADE(free_growth), MAY_BE_NULL,
          "Free space between objects: bytes, blocks and the largest block per snapshot; "
          "`grows`: the heap becomes fragmented; `pinned`: the type of most objects with a "
          "pinned handle in the last snapshot; `beside`: the type of gen2, LOH or POH that "
          "follows most of the free blocks of 4 KiB and more. Null if fewer than two "
          "snapshots have it.",
          "\"type\": [\"object\", \"null\"]"),
    FIELD("identity", CHOICE(identity, identity_source_word, HD_SAME_SOURCE_COUNT),
          MAY_BE_NULL,
          "Method that matches the objects of consecutive snapshots: by the order in which "
          "the collector leaves survivors, also by contents, or by the events of the "
          "collector. Null if they cannot be matched; then the ranking uses counts only."),
    FIELD("untold", GROUP(record_survivors_unknown), MAY_BE_NULL, NULL, NULL,
          are_survivors_unknown),
    FIELD("would_show", RECORD(would_show, record_power), MAY_BE_NULL, NULL, NULL,
          would_show),
    FIELD("time_limit", CHOICE(time_limit, time_limit_word, HD_TIME_LIMIT_COUNT),
          MAY_BE_NULL,
          "Reason why time limits the confidence in suspects: the files have no times "
          "(unknown), the snapshots span less than frameworks keep objects by design "
          "(short), or the process is not three times as old as that (young). Null if "
          "there is none."),
    FIELD(
        "uptime_seconds", REAL(uptime_seconds), MAY_BE_NULL,
        "Age of the process in seconds at the first comparable snapshot; null if unknown."),
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
    FIELD("rule", MADE(rule_words), NEVER_NULL, "The limited quantity.",
          A_STRING ", \"pattern\": \"^(total (bytes|objects|reachable_bytes)|type "
                   ".+|holder .+|suspects any|process "
                   "(size|resident|private|native|fragmented|threads|handles))$\""),
    FIELD("source", MADE(source_words), NEVER_NULL,
          "FILE:LINE of the budget, option, or default.", A_STRING),
    FIELD("subject", TEXT(title), MAY_BE_NULL,
          "The type that the rule applies to; null for totals, holders and if no type "
          "matches."),
    FIELD("limit", MADE(limit_words), NEVER_NULL, "The limit as text.", A_STRING),
    FIELD("observed", MADE(observed_words), MAY_BE_NULL,
          "The observed value less what a baseline accepts, as text; null if unknown.",
          MAYBE_A_STRING),
    FIELD("status", CHOICE(status, finding_status_word, HD_FINDING_STATUS_COUNT),
          NEVER_NULL, "Result of the rule."),
    FIELD("reason", MADE(reason_words), MAY_BE_NULL,
          "Reason of the suppression, of the result inconclusive, or the growth that a "
          "baseline accepted; null otherwise.",
          MAYBE_A_STRING),
    FIELD("limit_value", MADE(limit_value), MAY_BE_NULL,
          "The limit in units; a share is relative to the first snapshot, a score relative "
          "to the heap. Null if unknown.",
          MAYBE_A_NUMBER),
    FIELD("observed_value", MADE(observed_value), MAY_BE_NULL,
          "The growth in units: a mean for rules per iteration, the score for suspects. "
          "Null if unknown.",
          MAYBE_A_NUMBER),
    FIELD("unit", MADE(value_unit), NEVER_NULL, "Unit of both values.",
          "\"enum\": [\"bytes\", \"objects\", \"threads\", \"handles\"]"),
    FIELD("snapshots", MADE(shown_between), NEVER_NULL,
          "Indexes of the two snapshots between which the value was observed.",
          TWO_SNAPSHOTS),
    FIELD("holder", TEXT(holder), MAY_BE_NULL,
          "Owners of the subject, as types from the roots; for a holder rule the path that "
          "grew most. Null if unknown."),
    FIELD("chains", RECORDS(chains.all, chains.len, record_chain), NEVER_NULL,
          "Chains that keep the subject alive in the last snapshot, for the first failed "
          "rules of types and for suspects."),
};
static const RECORD_OF(rule, "rule", rule_fields, "The result of a rule.");

static const struct record_field rule_cells[] = {
    IN_TABLES("status", CHOICE(status, finding_status_word, HD_FINDING_STATUS_COUNT)),
    IN_TABLES("rule", CSV_CELL(add_rule)),
    IN_TABLES("subject", TEXT(title)),
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
          "fail if a rule failed; else inconclusive if a rule could not be decided."),
    FIELD("rules", RECORDS(rules, rule_count, record_rule), NEVER_NULL,
          "Result of each rule, in order; for a rule that applies to many types every one "
          "that failed or is suppressed, or else the one nearest to its limit. Never "
          "truncated.",
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
          "Index of the first snapshot, from 0; 0 includes the objects of the first "
          "snapshot.",
          A_COUNT),
    FIELD("last", MADE(born_last), NEVER_NULL, "Index of the last snapshot.", A_COUNT),
    FIELD("instances", UINT64(chains.instances), NEVER_NULL,
          "Instances of this range that are in the last snapshot.", ONE_OR_MORE),
    FIELD("identity", CHOICE(identity, identity_source_word, HD_SAME_SOURCE_COUNT),
          NEVER_NULL, "Method that matches the objects of consecutive snapshots."),
};
static const RECORD_OF(
    born, NULL, born_fields,
    "With `--born`: the chains are those of instances that were new in one of these "
    "snapshots and are in the last, so their status is unknown. Null without --born.");

static const struct record_field roots_fields[] = {
    FIELD("type", TEXT(pattern), NEVER_NULL,
          "The pattern of --type; several are separated by blanks."),
    FIELD("matched", TEXTS(matched, matched_count), NEVER_NULL,
          "Canonical names that match.", "\"minItems\": 1"),
    FIELD("instances", COUNTS(instances), NEVER_NULL,
          "Instances of the matched types, one value per snapshot."),
    FIELD("chains", RECORDS(chains.all, chains.len, record_chain_of_roots), NEVER_NULL,
          "Groups of root chains, largest share first, truncated by --chains."),
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

#define FIELD_TYPES_OMITTED                                      \
    {                                                            \
        "types_omitted", MADE(types_omitted), NEVER_NULL,        \
            .doc = "Rows of `types` omitted by --rows.", A_COUNT \
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
    "Growth checked against budgets: the keys of diff, then the verdict and its rules.");

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
          "Types by size, truncated by --rows."),
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
                "The types of one snapshot by size. heapdrift reads this file as a "
                "snapshot (table-json).");
#undef T
