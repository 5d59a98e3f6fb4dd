/* Parts, written by --shard and read by --merge: a header, a line per record, and a last
 * line with their number and hash. They are merged completely or not at all, and only if
 * their rules match. Numbers are exact in both directions; unknown ones are null. Lines are
 * untrusted: every number is checked. */
#include "base/error.h"
#include "base/hash.h"
#include "base/input.h"
#include "base/out.h"
#include "base/record.h"
#include "fleet/fleet.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Version of the format and of the ranking rules: other versions cannot be merged. */
enum { PART_VERSION = 2 };

/* Longer than any record: 50 numbers per suspect, and names. */
enum { MAX_LINE = 64 << 20, MAX_SHARDS = 1000000 };

/* --- the records -------------------------------------------------------------- */

NAMES(judgement)
NAMES(doubt)
NAMES(confidence)

#define T struct hd_run_finding
static const struct record_field finding_fields[] = {
    FIELD("rank", UINT32(rank), NEVER_NULL, NULL),
    FIELD("type", TEXT(type), NEVER_NULL, NULL),
    FIELD("subject", TEXT(title), MAY_BE_NULL, NULL),
    FIELD("holder", TEXT(holder), MAY_BE_NULL, NULL),
    FIELD("hint", TEXT(hint), MAY_BE_NULL, NULL),
    FIELD("score", REAL(score), NEVER_NULL, NULL),
    FIELD("score_share", REAL(score_share), NEVER_NULL, NULL),
    FIELD("per_hour", REAL(per_hour), MAY_BE_NULL, NULL),
    FIELD("retained", SERIES(retained), NEVER_NULL, NULL),
    FIELD("chain", TEXT(chain), MAY_BE_NULL, NULL),
};
static const RECORD_OF(finding, NULL, finding_fields, NULL);
#undef T

#define T struct hd_run_record
static const struct record_field run_fields[] = {
    FIELD("series", UINT64(series), MAY_BE_NULL, NULL),
    FIELD("service", TEXT(run.service), MAY_BE_NULL, NULL),
    FIELD("host", TEXT(run.host), MAY_BE_NULL, NULL),
    FIELD("process", TEXT(run.process), MAY_BE_NULL, NULL),
    FIELD("build", TEXT(run.build), MAY_BE_NULL, NULL),
    FIELD("pid", UINT64(run.pid), MAY_BE_NULL, NULL),
    FIELD("started", REAL(run.started), MAY_BE_NULL, NULL),
    FIELD("limit", UINT64(run.limit), MAY_BE_NULL, NULL),
    FIELD("recorded", SIZE(recorded), NEVER_NULL, NULL),
    FIELD("damaged", SIZE(damaged), NEVER_NULL, NULL),
    FIELD("judgement", CHOICE(judgement, judgement_word, HD_JUDGEMENT_COUNT), NEVER_NULL,
          NULL),
    FIELD("doubt", CHOICE(doubt, doubt_word, HD_DOUBT_COUNT), NEVER_NULL, NULL),
    FIELD("why", TEXT(why), MAY_BE_NULL, NULL),
    FIELD("confidence", CHOICE(confidence, confidence_word, HD_CONFIDENCE_HIGH + 1),
          NEVER_NULL, NULL),
    FIELD("times", REALS(times, count), NEVER_NULL, NULL),
    FIELD("heap", SERIES(heap), NEVER_NULL, NULL),
    FIELD("heap_per_hour", REAL(heap_per_hour), MAY_BE_NULL, NULL),
    FIELD("findings", RECORDS(findings, finding_count, record_finding), NEVER_NULL, NULL),
};
static const RECORD_OF(run, NULL, run_fields, NULL);
#undef T

#define T struct hd_fleet_rules
static const struct record_field rules_fields[] = {
    FIELD("service", TEXT(service), MAY_BE_NULL, NULL),
    FIELD("since", REAL(since), MAY_BE_NULL, NULL),
    FIELD("until", REAL(until), MAY_BE_NULL, NULL),
    FIELD("min_share", REAL(min_share), MAY_BE_NULL, NULL),
    FIELD("min_bytes", UINT64(min_bytes), MAY_BE_NULL, NULL),
    FIELD("min_steady_share", REAL(min_steady_share), MAY_BE_NULL, NULL),
    FIELD("min_steady_bytes", UINT64(min_steady_bytes), MAY_BE_NULL, NULL),
    FIELD("min_span", REAL(min_span), MAY_BE_NULL, NULL),
    FIELD("shards", UINT32(shards), NEVER_NULL, NULL),
};
static const RECORD_OF(rules, NULL, rules_fields, NULL);
#undef T

/* --- validation of a line ----------------------------------------------------- */

/* Fills in *r, which then points into line and a. False if the record is invalid. */
static bool parse_record(const json_t *line, struct hd_run_record *r, struct arena *a)
{
    size_t count = json_array_size(json_object_get(line, "times"));
    *r = (struct hd_run_record){.run = hd_unknown_run()};
    bool ok =
        count <= HD_MAX_SNAPSHOTS &&
        record_parse(&record_run, line, r, &(struct record_walk){.snapshots = count}, a) &&
        r->damaged <= r->recorded &&
        (r->judgement == HD_JUDGED) == (r->doubt == HD_DOUBT_NONE);
    for (size_t k = 0; ok && k < r->count; k++)
        ok = !isnan(r->times[k]) && (k == 0 || r->times[k] >= r->times[k - 1]);
    for (size_t i = 0; ok && i < r->finding_count; i++)
        ok = r->findings[i].rank > 0 && !(r->findings[i].score < 0) &&
             !(r->findings[i].score_share < 0);
    return ok;
}

/* --- to write ---------------------------------------------------------------- */

/* A sink that also hashes. */
struct hash_sink {
    XXH3_state_t *state;
    struct hd_sink to;
};

static int write_hashed(void *context, const void *bytes, size_t size)
{
    struct hash_sink *h = context;
    XXH3_64bits_update(h->state, bytes, size);
    return h->to.write(h->to.context, bytes, size);
}

static XXH3_state_t *new_hash(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL)
        out_of_memory(sizeof(*state));
    XXH3_64bits_reset(state);
    return state;
}

/* A line of the part. */
static void put_line(json_t *o, struct out *lines)
{
    json_write_line(o, lines);
    out_string(lines, "\n");
}

bool hd_fleet_write_part(struct hd_fleet *f, struct hd_sink to, struct hd_error *err)
{
    struct hash_sink h = {new_hash(), to};
    struct out lines = {.to = {write_hashed, &h}}, end = {.to = to};
    char digits[24];
    json_t *header = json_object(), *shards = json_array();
    fleet_sort(f);
    json_put(header, "heapdrift_part", json_integer(PART_VERSION));
    json_put(header, "tool_version", json_string(HD_VERSION));
    record_put(header, &record_rules, &f->rules, &(struct record_walk){0});
    for (unsigned i = 0; i < f->rules.shards; i++)
        if (f->shards == NULL || f->shards[i])
            json_append(shards, json_integer((json_int_t)i + 1));
    json_put(header, "shard", shards);
    put_line(header, &lines);
    for (size_t i = 0; i < f->len; i++)
        put_line(record_json(&record_run, &f->all[i],
                             &(struct record_walk){.snapshots = f->all[i].count}),
                 &lines);
    bool ok = out_finish(&lines, err);
    snprintf(digits, sizeof(digits), "%016" PRIx64, XXH3_64bits_digest(h.state));
    XXH3_freeState(h.state);
    if (!ok)
        return false;
    json_t *footer = json_object();
    json_put(footer, "records", json_integer((json_int_t)f->len));
    json_put(footer, "xxh3", json_string(digits));
    put_line(footer, &end);
    return out_finish(&end, err);
}

/* --- to read: the header ------------------------------------------------------- */

static bool damaged(struct hd_error *err, uint64_t line)
{
    return fail_at_line(err, line, NULL, "a fleet part, but damaged or truncated: %s",
                        line == 1 ? "its header" : "this line");
}

static bool same_time(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

/* Returns the difference between two parts, or NULL. */
static const char *difference(const struct hd_fleet_rules *a,
                              const struct hd_fleet_rules *b)
{
    if (fleet_order(a->service, b->service) != 0)
        return "for another service";
    if (!same_time(a->since, b->since) || !same_time(a->until, b->until))
        return "for another window";
    if (!same_time(a->min_share, b->min_share) || a->min_bytes != b->min_bytes ||
        !same_time(a->min_steady_share, b->min_steady_share) ||
        a->min_steady_bytes != b->min_steady_bytes)
        return "with another --min-score or --min-steady";
    if (a->min_span != b->min_span)
        return "with another --min-span";
    return a->shards != b->shards ? "with another number of shards" : NULL;
}

static bool take_shards(struct hd_fleet *f, const json_t *list, bool is_first,
                        struct hd_error *err)
{
    uint64_t before = 0;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return damaged(err, 1);
    if (f->shards == NULL && !is_first)
        return fail(err, HD_USAGE, "is given twice: the previous part is complete");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        uint64_t n = json_is_integer(value) && json_integer_value(value) > 0
                         ? (uint64_t)json_integer_value(value)
                         : 0;
        if (n <= before || n > f->rules.shards)
            return damaged(err, 1);
        if (f->shards != NULL && f->shards[n - 1])
            return fail(err, HD_USAGE, "shard %" PRIu64 " of %u is given twice", n,
                        f->rules.shards);
        if (f->shards != NULL)
            f->shards[n - 1] = true;
        before = n;
    }
    return true;
}

static bool read_header(struct hd_fleet *f, const json_t *o, struct hd_error *err)
{
    uint64_t version;
    const char *tool = NULL;
    struct hd_fleet_rules rules;
    if (!json_is_object(o) || json_object_get(o, "heapdrift_part") == NULL)
        return fail(err, HD_NOT_A_SNAPSHOT, "not a part written by `heapdrift fleet`");
    tool = json_string_value(json_object_get(o, "tool_version"));
    if (!json_parse_uint64(json_object_get(o, "heapdrift_part"), &version) || tool == NULL)
        return damaged(err, 1);
    if (version != PART_VERSION || strcmp(tool, HD_VERSION) != 0)
        return fail(err, HD_UNSUPPORTED,
                    "was written by heapdrift %.40s, and this is " HD_VERSION
                    ": use one version for all parts",
                    tool);
    rules = (struct hd_fleet_rules){0};
    if (!record_parse(&record_rules, o, &rules, &(struct record_walk){0}, NULL) ||
        rules.shards == 0 || rules.shards > MAX_SHARDS)
        return damaged(err, 1);
    rules.min_span = isnan(rules.min_span) ? 0 : rules.min_span;
    bool is_first = !f->has_rules;
    const char *other = is_first ? NULL : difference(&f->rules, &rules);
    if (other != NULL)
        return fail(err, HD_USAGE, "is %s than the previous one", other);
    if (is_first)
        fleet_set_rules(f, &rules);
    return take_shards(f, json_object_get(o, "shard"), is_first, err);
}

/* --- to read: lines -------------------------------------------------------------- */

struct part_reader {
    struct hd_fleet *fleet;
    struct text line; /* without its end */
    uint64_t number;  /* of the line, from 1 */
    XXH3_state_t *hash;
    size_t records;
    bool has_ended; /* the last line was read */
    struct hd_error *err;
};

/* Reads a record, or the last line with their number and hash. */
static bool take_value(struct part_reader *p, const json_t *o)
{
    char wanted[24];
    uint64_t records;
    const json_t *hash = json_object_get(o, "xxh3");
    if (p->number == 1)
        return read_header(p->fleet, o, p->err);
    if (p->has_ended || o == NULL)
        return damaged(p->err, p->number);
    if (hash == NULL) {
        struct arena scratch = {0};
        struct hd_run_record record;
        bool ok = parse_record(o, &record, &scratch) || damaged(p->err, p->number);
        ok = ok && hd_fleet_add(p->fleet, &record, p->err);
        p->records += ok;
        arena_free(&scratch);
        return ok;
    }
    snprintf(wanted, sizeof(wanted), "%016" PRIx64, XXH3_64bits_digest(p->hash));
    p->has_ended = json_parse_uint64(json_object_get(o, "records"), &records) &&
                   records == p->records && json_is_string(hash) &&
                   strcmp(json_string_value(hash), wanted) == 0;
    return p->has_ended || damaged(p->err, p->number);
}

static bool take_line(struct part_reader *p)
{
    p->number++;
    json_t *o = json_loadb(p->line.len > 0 ? p->line.data : "", p->line.len,
                           JSON_REJECT_DUPLICATES, NULL);
    bool ok = take_value(p, o);
    json_decref(o);
    XXH3_64bits_update(p->hash, p->line.data, p->line.len);
    XXH3_64bits_update(p->hash, "\n", 1);
    text_clear(&p->line);
    return ok;
}

static bool take_block(struct part_reader *p, struct bytes block)
{
    const unsigned char *at = block.data, *end = block.data + block.size;
    while (at < end) {
        const unsigned char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((stop != NULL ? stop : end) - at);
        if (len > MAX_LINE - p->line.len)
            return p->number == 0 ? read_header(p->fleet, NULL, p->err)
                                  : damaged(p->err, p->number + 1);
        text_add(&p->line, at, len);
        if (stop != NULL && !take_line(p))
            return false;
        at += len + (stop != NULL);
    }
    return true;
}

static bool read_lines(struct part_reader *p, struct input *in)
{
    struct bytes block = {0};
    do {
        if (!input_next(in, &block, p->err) || !take_block(p, block))
            return false;
    } while (block.size > 0);
    if (p->number == 0)
        return read_header(p->fleet, NULL, p->err);
    return (p->has_ended && p->line.len == 0) || damaged(p->err, p->number + 1);
}

bool hd_fleet_read_part(struct hd_fleet *f, const char *path, struct hd_error *err)
{
    struct hd_error none = {0};
    struct part_reader p = {.fleet = f, .err = err != NULL ? err : &none};
    const struct input_options how = {0};
    struct input *in = input_open(path, &how, p.err);
    if (in == NULL)
        return false;
    p.hash = new_hash();
    bool ok = read_lines(&p, in);
    XXH3_freeState(p.hash);
    text_free(&p.line);
    input_close(in);
    return ok;
}
