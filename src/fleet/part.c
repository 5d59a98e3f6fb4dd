/* Parts: what --shard writes and --merge reads. They are added up whole or not at all, and
 * only with their like. */
#include "fleet/part.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/input.h"
#include "base/out.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Longer than any record: of 50 numbers per suspect, and of names. */
enum { MOST_LINE = 64 << 20, MOST_SHARDS = 1000000 };

/* --- to write ---------------------------------------------------------------- */

static json_t *shards(const struct hd_fleet *f)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < f->rules.shards; i++)
        if (f->shards == NULL || f->shards[i])
            json_append(array, json_integer((json_int_t)i + 1));
    return array;
}

json_t *part_header(const struct hd_fleet *f)
{
    const struct hd_fleet_rules *r = &f->rules;
    json_t *o = json_object();
    json_put(o, "heapdrift_part", json_integer(PART_VERSION));
    json_put(o, "tool_version", json_string(HD_VERSION));
    json_put(o, "service", json_string_or_null(r->service));
    json_put(o, "since", json_real_or_null(r->since));
    json_put(o, "until", json_real_or_null(r->until));
    json_put(o, "min_share", json_real_or_null(r->min_share));
    json_put(o, "min_bytes", json_number_or_null(r->min_bytes));
    json_put(o, "min_steady_share", json_real_or_null(r->min_steady_share));
    json_put(o, "min_steady_bytes", json_number_or_null(r->min_steady_bytes));
    json_put(o, "min_span", json_real_or_null(r->min_span));
    json_put(o, "shards", json_integer((json_int_t)r->shards));
    json_put(o, "shard", shards(f));
    return o;
}

/* A sink that hashes what goes by. */
struct hashing {
    XXH3_state_t *state;
    struct hd_sink to;
};

static int write_hashed(void *context, const void *bytes, size_t size)
{
    struct hashing *h = context;
    XXH3_64bits_update(h->state, bytes, size);
    return h->to.write(h->to.context, bytes, size);
}

static json_t *footer(size_t records, uint64_t hash)
{
    json_t *o = json_object();
    char digits[24];
    snprintf(digits, sizeof(digits), "%016" PRIx64, hash);
    json_put(o, "records", json_integer((json_int_t)records));
    json_put(o, "xxh3", json_string(digits));
    return o;
}

static XXH3_state_t *new_hash(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (state == NULL)
        out_of_memory(sizeof(*state));
    XXH3_64bits_reset(state);
    return state;
}

bool hd_fleet_write_part(struct hd_fleet *f, struct hd_sink to, struct hd_error *err)
{
    struct hashing h = {new_hash(), to};
    struct out lines = {.to = {write_hashed, &h}}, end = {.to = to};
    fleet_sort(f);
    json_write_line(part_header(f), &lines);
    out_string(&lines, "\n");
    for (size_t i = 0; i < f->len; i++) {
        json_write_line(part_record(&f->all[i]), &lines);
        out_string(&lines, "\n");
    }
    bool ok = out_finish(&lines, err);
    uint64_t hash = XXH3_64bits_digest(h.state);
    XXH3_freeState(h.state);
    if (!ok)
        return false;
    json_write_line(footer(f->len, hash), &end);
    out_string(&end, "\n");
    return out_finish(&end, err);
}

/* --- to read: the header ------------------------------------------------------- */

static bool damaged(struct hd_error *err, uint64_t line)
{
    return fail_at_line(err, line, NULL, "a part of a fleet, but damaged or cut: %s",
                        line == 1 ? "its header" : "this line");
}

static bool read_rules(const json_t *o, struct hd_fleet_rules *r)
{
    uint64_t parts;
    *r = (struct hd_fleet_rules){0};
    bool ok = part_string(o, "service", &r->service) &&
              part_real(o, "since", NAN, &r->since) &&
              part_real(o, "until", NAN, &r->until) &&
              part_real(o, "min_share", NAN, &r->min_share) &&
              part_number(o, "min_bytes", &r->min_bytes) &&
              part_real(o, "min_steady_share", NAN, &r->min_steady_share) &&
              part_number(o, "min_steady_bytes", &r->min_steady_bytes) &&
              part_real(o, "min_span", 0, &r->min_span) &&
              part_number(o, "shards", &parts) && parts > 0 && parts <= MOST_SHARDS;
    r->shards = (unsigned)parts;
    return ok;
}

static bool same_time(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

/* What two parts differ in, or NULL. */
static const char *difference(const struct hd_fleet_rules *a,
                              const struct hd_fleet_rules *b)
{
    if (fleet_order(a->service, b->service) != 0)
        return "of another service";
    if (!same_time(a->since, b->since) || !same_time(a->until, b->until))
        return "of another window";
    if (!same_time(a->min_share, b->min_share) || a->min_bytes != b->min_bytes ||
        !same_time(a->min_steady_share, b->min_steady_share) ||
        a->min_steady_bytes != b->min_steady_bytes)
        return "ranked by another --min-score or --min-steady";
    if (a->min_span != b->min_span)
        return "judged by another --min-span";
    return a->shards != b->shards ? "of another number of shards" : NULL;
}

static bool take_shards(struct hd_fleet *f, const json_t *list, bool is_first,
                        struct hd_error *err)
{
    uint64_t before = 0;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return damaged(err, 1);
    if (f->shards == NULL && !is_first)
        return fail(err, HD_USAGE, "is given twice: the part before it has all there is");
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
        return fail(err, HD_NOT_A_SNAPSHOT, "is no part that `heapdrift fleet` wrote");
    if (!part_number(o, "heapdrift_part", &version) ||
        !part_string(o, "tool_version", &tool) || tool == NULL)
        return damaged(err, 1);
    if (version != PART_VERSION || strcmp(tool, HD_VERSION) != 0)
        return fail(err, HD_UNSUPPORTED,
                    "was written by heapdrift %.40s, and this is " HD_VERSION
                    ": make all parts with one version",
                    tool);
    if (!read_rules(o, &rules))
        return damaged(err, 1);
    bool is_first = !f->has_rules;
    const char *other = is_first ? NULL : difference(&f->rules, &rules);
    if (other != NULL)
        return fail(err, HD_USAGE, "is %s than the one before it", other);
    if (is_first)
        fleet_take_rules(f, &rules);
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

static bool is_end(const struct part_reader *p, const json_t *o)
{
    char wanted[24];
    snprintf(wanted, sizeof(wanted), "%016" PRIx64, XXH3_64bits_digest(p->hash));
    const char *hash = json_string_value(json_object_get(o, "xxh3"));
    uint64_t records;
    return part_number(o, "records", &records) && records == p->records && hash != NULL &&
           strcmp(hash, wanted) == 0;
}

static bool take_record(struct part_reader *p, const json_t *o)
{
    struct arena scratch = {0};
    struct hd_run_record record;
    bool ok = part_read_record(o, &record, &scratch) || damaged(p->err, p->number);
    ok = ok && hd_fleet_add(p->fleet, &record, p->err);
    p->records += ok;
    arena_free(&scratch);
    return ok;
}

static bool take_value(struct part_reader *p, const json_t *o)
{
    if (p->number == 1)
        return read_header(p->fleet, o, p->err);
    if (p->has_ended || o == NULL)
        return damaged(p->err, p->number);
    if (json_object_get(o, "xxh3") == NULL)
        return take_record(p, o);
    p->has_ended = is_end(p, o);
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
        if (len > MOST_LINE - p->line.len)
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
