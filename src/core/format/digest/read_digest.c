/* A digest: who owns what in a heap, without its objects. docs/formats/digest.md.
 *
 * Members are scanned in any order, unknown ones skipped, so that a later version may add
 * some. Types then go through the builder like those of any table; the columns of the file
 * replace the graph. Everything is checked against the types: a digest that was cut or
 * forged is rejected as a whole. Indexes are within their arrays and sums are those of the
 * types, in any forged file. */
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "format/digest/digest_file.h"
#include "format/reader.h"
#include "heap/process_facts.h"
#include "heap/snapshot.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Values of a column as in the file. */
union item {
    uint64_t number; /* HD_UNKNOWN for null */
    double real;
    const char *text; /* NULL for null */
};

struct column {
    bool is_there;
    union item *all; /* malloc'd */
    size_t len, cap;
};

struct digest_reader {
    struct builder *b;
    struct digest_file file;
    struct column columns[DIGEST_MEMBERS];
    bool is_counted[DIGEST_ROW_SETS];
    struct arena scratch; /* for data outside of the digest */
    struct hd_error *err;
};

static enum recognition recognises(struct bytes head)
{
    size_t len = sizeof(DIGEST_BEGIN) - 1;
    return head.size >= len && memcmp(head.data, DIGEST_BEGIN, len) == 0 ? RECOGNISED_YES
                                                                         : RECOGNISED_NO;
}

/* Rejects the digest; always false. */
static bool digest_refuse(struct digest_reader *r, const char *what)
{
    return fail(r->err, HD_BAD_FORMAT, "a digest with inconsistent numbers: %s", what);
}

/* --- members as they are in the file ------------------------------------------- */

static const struct digest_member *find_member(enum digest_group group, const char *name)
{
    const struct digest_member *m = digest_members;
    while (m->name != NULL && (m->group != group || strcmp(m->name, name) != 0))
        m++;
    return m->name != NULL ? m : NULL;
}

/* A member that is known here. */
static struct column *column_of(struct digest_reader *r, enum digest_group group,
                                const char *name)
{
    return &r->columns[find_member(group, name) - digest_members];
}

/* Parses 1 to 16 hexadecimal digits; HD_UNKNOWN if text is not, or is NULL. */
static uint64_t parse_hex(const char *text)
{
    char *end;
    if (text == NULL || text[0] == '\0')
        return HD_UNKNOWN;
    uint64_t n = strtoull(text, &end, 16);
    return *end == '\0' ? n : HD_UNKNOWN;
}

static union item scan_item(struct digest_reader *r, struct json_scan *j,
                            enum digest_coding coding)
{
    union item v = {0};
    if (coding == CODED_REAL)
        v.real = json_scan_real(j);
    else if (coding != CODED_TEXT && coding != CODED_HEX)
        v.number = json_scan_number(j);
    else if (json_scan_string(j))
        v.text = builder_string(r->b, text_string(&j->string), j->string.len);
    if (coding == CODED_HEX)
        v.number = parse_hex(v.text);
    return v;
}

static bool scan_column(struct digest_reader *r, struct json_scan *j, struct column *c,
                        enum digest_coding coding)
{
    struct account *account = builder_account(r->b);
    json_scan_enter(j, '[');
    for (bool first = true; json_scan_more(j, ']', first); first = false) {
        if (c->len == c->cap)
            c->all = account_grow(account, c->all, c->len, &c->cap, sizeof(*c->all));
        if (account_is_over(account))
            return account_fail(account, r->err);
        c->all[c->len++] = scan_item(r, j, coding);
        if (coding != CODED_TEXT && coding != CODED_HEX && coding != CODED_REAL)
            c->len += json_scan_numbers(j, &c->all[c->len].number, c->cap - c->len);
    }
    return json_scan_ok(j);
}

static bool scan_member(struct digest_reader *r, struct json_scan *j,
                        const struct digest_member *m)
{
    struct column *c = &r->columns[m - digest_members];
    void *to = (char *)&r->file + m->offset;
    if (c->is_there)
        return cursor_fail(&j->at, "duplicate member");
    c->is_there = true;
    if (m->rows != ROWS_NONE)
        return scan_column(r, j, c, m->coding);
    if (m->coding == CODED_TRUTH) {
        *(bool *)to = json_scan_truth(j);
        return json_scan_ok(j);
    }
    union item v = scan_item(r, j, m->coding);
    if (m->coding == CODED_TEXT)
        *(const char **)to = v.text;
    else if (m->coding == CODED_REAL)
        *(double *)to = v.real;
    else
        *(uint64_t *)to = v.number;
    return json_scan_ok(j);
}

static bool scan_group(struct digest_reader *r, struct json_scan *j,
                       enum digest_group group)
{
    json_scan_enter(j, '{');
    for (bool first = true; json_scan_more(j, '}', first); first = false) {
        const struct digest_member *m =
            json_scan_name(j) ? find_member(group, text_string(&j->string)) : NULL;
        if (m == NULL)
            json_scan_skip(j);
        else if (!scan_member(r, j, m))
            return false;
    }
    return json_scan_ok(j);
}

static bool scan_groups(struct digest_reader *r, struct json_scan *j)
{
    json_scan_enter(j, '{');
    for (bool first = true; json_scan_more(j, '}', first); first = false) {
        int group = json_scan_name(j) ? 0 : DIGEST_GROUPS;
        while (group < DIGEST_GROUPS &&
               strcmp(digest_group_names[group], text_string(&j->string)) != 0)
            group++;
        if (first) {
            /* The version, in front so that another one need not look like this one. */
            uint64_t version = json_scan_number(j);
            if (json_scan_ok(j) && version != DIGEST_VERSION)
                return fail(r->err, HD_UNSUPPORTED,
                            "a digest of version %" PRIu64
                            "; this heapdrift reads version %d",
                            version, DIGEST_VERSION);
        } else if (group == DIGEST_GROUPS) {
            json_scan_skip(j);
        } else if (!scan_group(r, j, (enum digest_group)group)) {
            return false;
        }
    }
    return json_scan_end(j);
}

/* Missing members are unknown. */
static bool scan(struct digest_reader *r, struct bytes json)
{
    for (const struct digest_member *m = digest_members; m->name != NULL; m++) {
        void *to = (char *)&r->file + m->offset;
        if (m->rows == ROWS_NONE && m->coding == CODED_REAL)
            *(double *)to = NAN;
        else if (m->rows == ROWS_NONE &&
                 (m->coding == CODED_NUMBER || m->coding == CODED_HEX))
            *(uint64_t *)to = HD_UNKNOWN;
    }
    r->file.chains_each = r->file.survivors_each = 0;
    struct json_scan j = json_scan_over(json, r->err);
    bool ok = scan_groups(r, &j);
    json_scan_free(&j);
    return ok;
}

/* --- columns as they are in memory --------------------------------------------- */

/* Returns the upper limit for the numbers of a column. */
static uint64_t limit_of(const struct digest_reader *r, const struct digest_member *m)
{
    const struct digest_file *f = &r->file;
    const size_t *count = f->count;
    const uint64_t limits[] = {
        [KNOWN] = HD_UNKNOWN,
        [BELOW_ROWS] = (uint64_t)count[m->rows] + 1,
        [BELOW_KINDS] = TYPE_UNDEFINED + 1,
        [BELOW_TYPES] = count[ROWS_TYPES],
        [BELOW_CELLS] = (uint64_t)count[ROWS_TYPES] * HD_GENERATION_COUNT,
        [BELOW_GENERATIONS] = HD_GENERATION_COUNT,
        [BELOW_FIELDS] = count[ROWS_FIELDS],
        [BELOW_PLACES] = f->digest.places.len,
        [BELOW_DISTANCES] = 2 * (uint64_t)f->digest.places.len,
        [BELOW_LINKS] = count[ROWS_LINKS],
        [BELOW_NODES] = NO_NODE,
        [BELOW_SURVIVORS_EACH] = f->survivors_each + 1,
        [BELOW_MOMENTS] = count[ROWS_MOMENTS],
        [BELOW_LOST_MOMENTS] = count[ROWS_MOMENTS] > 0 ? count[ROWS_MOMENTS] - 1 : 0,
        [BELOW_TWO] = 2,
    };
    return limits[m->limit];
}

static uint32_t sum_32(uint32_t a, uint64_t b)
{
    return b < UINT32_MAX - a ? a + (uint32_t)b : UINT32_MAX;
}

/* Stores a number in element k, at that address; before: the previous element. Invalid
 * places, ids and offsets become the largest value. */
static void put_coded(const struct digest_reader *r, enum digest_coding coding, uint64_t n,
                      size_t k, char *at, const char *before)
{
    uint64_t sum;
    switch (coding) {
    case CODED_RISE:
        sum = k > 0 ? *(const uint64_t *)before : 0;
        *(uint64_t *)at = n < HD_UNKNOWN - sum ? sum + n : HD_UNKNOWN;
        break;
    case CODED_RISE_32:
        *(uint32_t *)at = sum_32(k > 0 ? *(const uint32_t *)before : 0, n);
        break;
    case CODED_BACK:
        *(uint32_t *)at = n == 0 ? NO_PLACE : (uint32_t)(n <= k ? k - n : k);
        break;
    case CODED_LENGTH:
        ((uint32_t *)at)[1] = sum_32(*(const uint32_t *)at, n);
        break;
    case CODED_AGO:
        *(unsigned char *)at = (unsigned char)(r->file.count[ROWS_MOMENTS] - 1 - n);
        break;
    case CODED_NUMBER_8:
        *(unsigned char *)at = (unsigned char)n;
        break;
    default: /* 32 bits */
        *(uint32_t *)at = sum_32(0, n);
    }
}

/* Stores a column in the file's struct: columns of the digest itself in the snapshot's
 * arena. All columns of the same rows must be as long as the first. */
static bool take_column(struct digest_reader *r, const struct digest_member *m)
{
    enum { MAX_LEN = UINT32_MAX / 4 };
    struct digest_file *f = &r->file;
    const struct column *c = &r->columns[m - digest_members];
    char **to = (char **)((char *)f + m->offset), what[64];
    bool is_kept = m->offset < sizeof(f->digest), is_item = m->coding <= CODED_NUMBER;
    if (m->when == IF_THERE ? !c->is_there : !digest_has(f, m))
        return true;
    if (!r->is_counted[m->rows])
        f->count[m->rows] = c->len;
    r->is_counted[m->rows] = true;
    bool fits = c->is_there && c->len <= MAX_LEN && c->len == f->count[m->rows];
    if (m->limit != ANY) {
        uint64_t limit = limit_of(r, m);
        for (size_t i = 0; fits && i < c->len; i++)
            fits = c->all[i].number < limit ||
                   (m->coding == CODED_ID && c->all[i].number == HD_UNKNOWN);
    }
    if (fits && *to == NULL)
        *to = arena_alloc(is_kept ? &r->b->snap->arena : &r->scratch,
                          array_bytes(c->len + 1, m->stride));
    size_t k = digest_element(m, 0);
    char *at = fits ? *to + k * m->stride + m->within : NULL;
    for (size_t i = 0; fits && i < c->len; i++, k++, at += m->stride)
        if (is_item)
            *(union item *)at = c->all[i];
        else
            put_coded(r, m->coding, c->all[i].number, k, at, at - m->stride);
    if (fits)
        return true;
    c_snprintf(what, sizeof(what), "%s of %s", m->name, digest_group_names[m->group]);
    return digest_refuse(r, what);
}

static bool take_columns(struct digest_reader *r, enum digest_group group)
{
    for (const struct digest_member *m = digest_members; m->name != NULL; m++)
        if (m->group == group && m->rows != ROWS_NONE && !take_column(r, m))
            return false;
    return true;
}

/* --- facts about the snapshot ---------------------------------------- */

static bool parse_info(struct digest_reader *r)
{
    struct hd_snapshot *snap = r->b->snap;
    const struct digest_file *f = &r->file;
    if (!take_columns(r, DIGEST_INFO))
        return false;
    snap->info = f->info;
    snap->info.objects = snap->info.bytes = 0; /* summed up by the builder */
    snap->origin = f->origin;
    snap->clock = f->clock;
    snap->clock_is_date = f->clock_is_date;
    snap->weak_roots = f->weak_roots;
    if (f->facts != NULL)
        process_facts_parse(&snap->facts, f->facts, strlen(f->facts));
    snap->identity.instance = f->instance != HD_UNKNOWN ? f->instance : 0;
    for (size_t i = 0; i < f->count[ROWS_ROOT_KINDS] && i < HD_ROOT_KIND_COUNT; i++)
        snap->roots_by_kind[i] = f->roots_by_kind[i];
    return true;
}

/* Parses warnings; skips those of later versions. */
static bool parse_warnings(struct digest_reader *r)
{
    struct warnings *to = &r->b->snap->warnings;
    if (!take_columns(r, DIGEST_WARNINGS))
        return false;
    for (size_t i = 0; i < r->file.count[ROWS_WARNINGS]; i++) {
        const struct digest_warning *from = &r->file.warnings[i];
        for (int w = 0; from->code != NULL && w < WARN_CODE_COUNT; w++) {
            if (strcmp(warning_texts[w].code, from->code) != 0 ||
                warnings_find(to, (enum warning_code)w) != NULL)
                continue;
            warnings_add_detail(to, (enum warning_code)w, from->detail);
            to->all[to->len - 1].count = from->count;
            to->all[to->len - 1].line = from->line;
        }
    }
    return true;
}

/* Adds a difference to an ascending number; false on overflow. */
static bool add_up(uint64_t *sum, uint64_t more)
{
    if (more == HD_UNKNOWN || more > HD_UNKNOWN - 1 - *sum)
        return false;
    *sum += more;
    return true;
}

/* Adds `more` units to an address. */
static bool add_units(uint64_t *sum, uint64_t more, uint64_t unit)
{
    return unit > 0 && unit <= 8 && more <= (HD_UNKNOWN - 1) / unit &&
           add_up(sum, more * unit);
}

/* --- identity of the process ----------------------------------------- */

static bool parse_sketch(struct digest_reader *r, const struct digest_sketch *from,
                         enum digest_rows rows, struct sketch *to)
{
    struct sketch_builder *all = alloc_zeroed(sizeof(*all));
    uint64_t address = 0;
    bool ok = true;
    for (size_t i = 0; ok && i < r->file.count[rows]; i++) {
        ok = add_units(&address, from->rise[i], from->unit);
        sketch_add(all, address);
    }
    if (r->file.count[rows] > 0)
        *to = sketch_finish(all, &r->b->snap->arena);
    to->is_cut |= from->is_cut;
    free(all);
    return ok || digest_refuse(r, "addresses");
}

static bool parse_identity(struct digest_reader *r)
{
    const struct digest_file *f = &r->file;
    struct identity *to = &r->b->snap->identity;
    return take_columns(r, DIGEST_IDENTITY) &&
           parse_sketch(r, &f->sketch_types, ROWS_SKETCH_TYPES, &to->types) &&
           parse_sketch(r, &f->sketch_tables, ROWS_SKETCH_TABLES, &to->tables) &&
           parse_sketch(r, &f->sketch_blocks, ROWS_SKETCH_BLOCKS, &to->blocks);
}

static bool parse_type_ids(struct digest_reader *r)
{
    struct hd_snapshot *snap = r->b->snap;
    if (!take_columns(r, DIGEST_TYPE_IDS))
        return false;
    size_t count = r->file.count[ROWS_TYPE_IDS];
    snap->type_names = arena_array(&snap->arena, struct type_name, count);
    for (size_t i = 0; i < count; i++) {
        const struct type_name *name = &r->file.type_ids[i];
        if (name->id == HD_UNKNOWN || name->name == NULL)
            return digest_refuse(r, "ids of types");
        snap->type_names[snap->type_name_count++] = *name;
    }
    return true;
}

/* --- types ----------------------------------------------------------- */

static bool add_tally(struct hd_tally *sum, struct hd_tally more)
{
    return add_up(&sum->count, more.count) && add_up(&sum->bytes, more.bytes);
}

/* The parts by generation must sum to the whole. */
static bool add_generations(struct digest_reader *r, const struct digest_type *t,
                            uint32_t raw)
{
    struct hd_tally parts = {0};
    bool ok = true;
    for (enum hd_generation g = HD_GEN0; ok && g < HD_GENERATION_COUNT; g++) {
        const struct hd_tally *part = &t->by_generation[g];
        ok = add_tally(&parts, *part) && (part->count > 0 || part->bytes == 0);
        if (ok)
            builder_objects(r->b, raw, part, g);
    }
    return (ok && parts.count == t->all.count && parts.bytes == t->all.bytes) ||
           digest_refuse(r, "generations");
}

static bool add_type(struct digest_reader *r, size_t i, struct hd_tally *sum)
{
    struct builder *b = r->b;
    const struct digest_file *f = &r->file;
    const struct digest_type *t = &f->types[i];
    enum type_kind kind = (enum type_kind)t->kind;
    struct hd_tally all = t->all;
    if (t->name == NULL || (kind != TYPE_OBJECT && (all.count > 0 || all.bytes > 0)))
        return digest_refuse(r, "types");
    /* names are canonical there, and live as long as the snapshot */
    bool is_canonical = !b->across_builds && b->source == NULL;
    uint32_t raw = builder_type(b, kind, is_canonical ? NULL : t->name,
                                is_canonical ? 0 : strlen(t->name));
    if (is_canonical)
        b->types[raw].name = t->name;
    if (f->full_names != NULL)
        builder_full_name(b, raw, f->full_names[i]);
    size_t number = f->module != NULL ? f->module[i] : SIZE_MAX;
    const char *module = number < f->count[ROWS_MODULES] ? f->modules[number] : NULL;
    if (module != NULL && b->source != NULL)
        builder_module(b, raw, module, strlen(module));
    else
        b->types[raw].module = module;
    all.bytes = all.bytes != HD_UNKNOWN ? all.bytes : 0;
    if (!add_tally(sum, all))
        return digest_refuse(r, "types");
    if (b->snap->info.has_generations)
        return add_generations(r, t, raw);
    return builder_row(b, raw, t->all.count, t->all.bytes) || digest_refuse(r, "types");
}

/* The builder sums objects up; the sums must be those of the file. */
static bool parse_types(struct digest_reader *r)
{
    struct digest_file *f = &r->file;
    struct account *account = builder_account(r->b);
    struct hd_tally sum = {0};
    if (!take_columns(r, DIGEST_TYPES))
        return false;
    for (size_t i = 0; i < f->count[ROWS_TYPES]; i++)
        if (!add_type(r, i, &sum))
            return false;
    if (account_is_over(account))
        return account_fail(account, r->err);
    if (f->info.objects != sum.count ||
        (f->info.bytes != sum.bytes && f->info.bytes != HD_UNKNOWN))
        return digest_refuse(r, "types and totals");
    for (size_t i = 0; f->digest.scaled != NULL && i < f->count[ROWS_TYPES]; i++)
        if (!(f->digest.scaled[i].count_scale >= 0))
            return digest_refuse(r, "multipliers");
    return true;
}

/* --- unreachable objects ------------------------------------------------------- */

static bool is_part_of(const struct hd_tally *part, const struct hd_tally *whole)
{
    return part->count <= whole->count && part->bytes <= whole->bytes;
}

/* Returns the objects of type i in a generation; all if generations are unknown. */
static struct hd_tally tally_of(const struct digest_reader *r, size_t i,
                                enum hd_generation g)
{
    const struct raw_type *t = &r->b->types[i];
    if (r->b->snap->info.has_generations)
        return t->by_generation != NULL ? t->by_generation[g] : (struct hd_tally){0};
    return g == HD_GEN_UNKNOWN ? t->all : (struct hd_tally){0};
}

static bool parse_lost(struct digest_reader *r)
{
    struct digest_file *f = &r->file;
    const struct hd_info *info = &r->b->snap->info;
    size_t cells = array_bytes(f->count[ROWS_TYPES], HD_GENERATION_COUNT);
    struct hd_tally sum = {0};
    if (!column_of(r, DIGEST_LOST, "at")->is_there)
        return info->reachable_objects == HD_UNKNOWN || digest_refuse(r, "reachable");
    if (!take_columns(r, DIGEST_LOST))
        return false;
    f->digest.lost = arena_array(&r->b->snap->arena, struct hd_tally, cells);
    for (size_t i = 0; i < f->count[ROWS_CELLS]; i++) {
        uint32_t cell = f->cells[i].at;
        const struct hd_tally *lost = &f->cells[i].lost;
        if ((i > 0 && cell == f->cells[i - 1].at) || cell >= cells)
            return digest_refuse(r, "unreachable objects");
        struct hd_tally all =
            tally_of(r, cell / HD_GENERATION_COUNT, cell % HD_GENERATION_COUNT);
        if (!is_part_of(lost, &all) || lost->count == 0)
            return digest_refuse(r, "unreachable objects");
        f->digest.lost[cell] = *lost;
        tally_add(&sum, lost);
    }
    return (info->reachable_objects == info->objects - sum.count &&
            info->reachable_bytes == info->bytes - sum.bytes) ||
           digest_refuse(r, "reachable objects");
}

/* --- places -------------------------------------------------------------------- */

/* The sums are below those of the file, which fit 64 bits: each is looked at. */
static bool add_place(struct hd_tally *sum, const struct hd_tally *more,
                      const struct raw_type *t)
{
    if (t->kind != TYPE_OBJECT)
        return more->bytes == 0;
    if (more->count > t->all.count - sum->count || more->bytes > t->all.bytes - sum->bytes)
        return false;
    tally_add(sum, more);
    return true;
}

/* Per type, the objects at places must sum to the reachable ones, in total and for old
 * ones. */
static bool places_are_all(struct digest_reader *r, const struct hd_tally *at,
                           const struct hd_tally *old)
{
    for (size_t i = 0; i < r->file.count[ROWS_TYPES]; i++) {
        const struct raw_type *t = &r->b->types[i];
        struct hd_tally all = t->all, aged = t->old;
        if (t->kind != TYPE_OBJECT)
            continue;
        for (enum hd_generation g = HD_GEN0; g < HD_GENERATION_COUNT; g++) {
            const struct hd_tally *lost = &r->file.digest.lost[i * HD_GENERATION_COUNT + g];
            tally_take(&all, lost);
            if (generation_is_old(g) && r->b->snap->info.has_generations)
                tally_take(&aged, lost);
        }
        if (at[i].count != all.count || at[i].bytes != all.bytes ||
            (old != NULL && (old[i].count != aged.count || old[i].bytes != aged.bytes)))
            return digest_refuse(r, "types and places");
    }
    return true;
}

static bool sum_places(struct digest_reader *r, const struct digest_places *p)
{
    size_t types = r->file.count[ROWS_TYPES];
    struct hd_tally *at = arena_array(&r->scratch, struct hd_tally, types);
    struct hd_tally *old =
        p->old != NULL ? arena_array(&r->scratch, struct hd_tally, types) : NULL;
    for (uint32_t i = 1; i < p->len; i++) {
        type_id t = p->type[i];
        if (p->at[i].count == 0 || !add_place(&at[t], &p->at[i], &r->b->types[t]) ||
            (old != NULL && !add_place(&old[t], &p->old[i], &r->b->types[t])))
            return digest_refuse(r, "types and places");
    }
    return places_are_all(r, at, old);
}

/* Parses names of fields, and the field that holds most of each place. */
static bool parse_fields(struct digest_reader *r, struct digest_places *p)
{
    struct digest *d = &r->file.digest;
    d->field_count = (uint32_t)r->file.count[ROWS_FIELDS];
    for (uint32_t i = 0; i < d->field_count; i++)
        if (d->field_names[i] == NULL)
            return digest_refuse(r, "fields");
    if (p->field == NULL)
        p->held = p->held_of = NULL;
    else if (p->held == NULL || p->held_of == NULL)
        return digest_refuse(r, "fields");
    else
        p->field[0] = NO_FIELD;
    for (uint32_t i = 1; p->field != NULL && i < p->len; i++)
        if (p->held[i] > p->held_of[i] || p->held_of[i] > p->at[i].count)
            return digest_refuse(r, "fields");
    return true;
}

static bool parse_places(struct digest_reader *r)
{
    struct digest_places *p = &r->file.digest.places;
    if (r->file.digest.lost == NULL)
        return digest_refuse(r, "places");
    if (!take_columns(r, DIGEST_FIELDS) || !take_columns(r, DIGEST_PLACES))
        return false;
    p->len = (uint32_t)r->file.count[ROWS_PLACES] + 1;
    p->parent[0] = NO_PLACE;
    p->type[0] = NO_TYPE;
    if (r->file.young != NULL)
        p->old = arena_array(&r->b->snap->arena, struct hd_tally, p->len);
    for (uint32_t i = 1; i < p->len; i++) {
        if (p->parent[i] >= i)
            return digest_refuse(r, "places");
        if (p->old == NULL)
            continue;
        if (!is_part_of(&r->file.young[i], &p->at[i]))
            return digest_refuse(r, "places");
        p->old[i] = p->at[i];
        tally_take(&p->old[i], &r->file.young[i]);
    }
    return sum_places(r, p) && parse_fields(r, p);
}

/* --- references between places ------------------------------------------------- */

/* 2n is n places before, 2n - 1 is n after; NO_PLACE if invalid. */
static uint64_t place_at(uint64_t target, uint64_t distance)
{
    uint64_t n = distance / 2 + distance % 2;
    if (distance % 2 == 1)
        return target + n;
    return n > 0 && n <= target ? target - n : NO_PLACE;
}

static bool parse_sharing(struct digest_reader *r)
{
    struct shared_groups *s = &r->file.digest.sharing;
    const struct digest_places *p = &r->file.digest.places;
    if (!take_columns(r, DIGEST_SHARING))
        return false;
    size_t all = r->file.count[ROWS_REFERRERS];
    uint64_t left = 0;
    s->len = (uint32_t)r->file.count[ROWS_SHARING];
    s->from = arena_array(&r->b->snap->arena, uint32_t, all);
    for (uint32_t g = 0; g < s->len; g++) {
        if (s->target[g] == 0 || s->target[g] >= p->len || s->begin[g + 1] > all)
            return digest_refuse(r, "references");
        if (g == 0 || s->target[g] > s->target[g - 1])
            left = p->at[s->target[g]].count;
        if (s->objects[g] == 0 || s->objects[g] > left)
            return digest_refuse(r, "references");
        left -= s->objects[g];
        for (uint32_t i = s->begin[g]; i < s->begin[g + 1]; i++) {
            uint64_t place = place_at(s->target[g], r->file.distance[i]);
            if (place >= p->len || (i > s->begin[g] && place <= s->from[i - 1]))
                return digest_refuse(r, "references");
            s->from[i] = (uint32_t)place;
        }
    }
    return s->begin[s->len] == all || digest_refuse(r, "references");
}

/* --- samples ------------------------------------------------------------------- */

static bool parse_chain_samples(struct digest_reader *r)
{
    struct digest_chains *c = &r->file.digest.chains;
    const struct digest_places *p = &r->file.digest.places;
    uint64_t at = 0, here = 0;
    c->sample_count = (uint32_t)r->file.count[ROWS_SAMPLES];
    c->node = arena_array(&r->b->snap->arena, node_id, c->sample_count);
    for (size_t i = 0; i < c->sample_count; i++) {
        uint32_t place = c->place[i], rise = r->file.node[i];
        bool first = i == 0 || place > c->place[i - 1];
        at = first ? rise : at + rise;
        here = first ? 1 : here + 1;
        if (place == 0 || place >= p->len || at >= NO_NODE || (!first && rise == 0) ||
            here > c->samples_each || here > p->at[place].count ||
            c->type[c->link[i]] != p->type[place])
            return digest_refuse(r, "samples of chains");
        c->node[i] = (node_id)at;
    }
    return true;
}

static bool parse_chains(struct digest_reader *r)
{
    struct digest_chains *c = &r->file.digest.chains;
    if (r->file.chains_each >= UINT32_MAX)
        return digest_refuse(r, "chains");
    c->samples_each = (uint32_t)r->file.chains_each;
    if (!take_columns(r, DIGEST_CHAINS))
        return false;
    c->link_count = (uint32_t)r->file.count[ROWS_LINKS];
    for (uint32_t i = 0; i < c->link_count; i++)
        if (c->above[i] >= i && c->above[i] != NO_PLACE)
            return digest_refuse(r, "chains");
    if (c->generation == NULL)
        c->generation = memset(arena_alloc(&r->b->snap->arena, (size_t)c->link_count + 1),
                               HD_GEN_UNKNOWN, c->link_count);
    return parse_chain_samples(r);
}

static bool parse_survivors(struct digest_reader *r)
{
    struct digest_survivors *s = &r->file.digest.survivors;
    struct arena *a = &r->b->snap->arena;
    if (r->file.survivors_each >= UINT32_MAX)
        return digest_refuse(r, "survivors");
    s->samples_each = (uint32_t)r->file.survivors_each;
    if (!take_columns(r, DIGEST_SURVIVORS))
        return false;
    size_t n = r->file.count[ROWS_SURVIVORS];
    s->len = (uint32_t)r->file.count[ROWS_SURVIVOR_TYPES];
    s->address = arena_array(a, uint64_t, n);
    if (s->old == NULL)
        s->old = memset(arena_alloc(a, n + 1), 1, n);
    for (uint32_t t = 0; t < s->len; t++) {
        uint64_t address = 0;
        if ((t > 0 && s->type[t] <= s->type[t - 1]) || s->begin[t + 1] > n ||
            s->begin[t + 1] - s->begin[t] > r->b->types[s->type[t]].all.count)
            return digest_refuse(r, "survivors");
        for (uint32_t i = s->begin[t]; i < s->begin[t + 1]; i++) {
            if (r->file.address[i] == 0 ||
                !add_units(&address, r->file.address[i], r->file.address_unit))
                return digest_refuse(r, "addresses");
            s->address[i] = address;
        }
    }
    return s->begin[s->len] == n || digest_refuse(r, "survivors");
}

/* --- ages ---------------------------------------------------------------------- */

/* Validates an age group against the objects at its place that are not in a group yet. */
static bool age_can_be(const struct digest_reader *r, const struct digest_ages *s,
                       uint32_t i, struct hd_tally *left)
{
    const struct digest_places *p = &r->file.digest.places;
    uint32_t place = s->place[i];
    if (place == 0 || place >= p->len || r->b->types[p->type[place]].kind != TYPE_OBJECT)
        return false;
    if (i == 0 || place != s->place[i - 1])
        *left = p->at[place];
    else if (s->born[i] < s->born[i - 1] ||
             (s->born[i] == s->born[i - 1] && s->arrived[i] <= s->arrived[i - 1]))
        return false;
    if (s->arrived[i] == 0 || s->born[i] > s->arrived[i] || s->objects[i] == 0 ||
        s->objects[i] > left->count || s->bytes[i] > left->bytes)
        return false;
    left->count -= s->objects[i];
    left->bytes -= s->bytes[i];
    return true;
}

static bool lost_age_can_be(const struct digest_reader *r, const struct digest_ages *s,
                            uint32_t i, uint64_t *left)
{
    type_id type = s->lost_type[i];
    bool first = i == 0 || type != s->lost_type[i - 1];
    const struct hd_tally *lost = &r->file.digest.lost[(size_t)type * HD_GENERATION_COUNT];
    *left = first ? 0 : *left;
    for (int g = 0; first && g < HD_GENERATION_COUNT; g++)
        *left += lost[g].count;
    if (s->lost_objects[i] == 0 || s->lost_objects[i] > *left ||
        (i > 0 && type < s->lost_type[i - 1]) ||
        (!first && s->lost_born[i] <= s->lost_born[i - 1]))
        return false;
    *left -= s->lost_objects[i];
    return true;
}

static bool parse_ages(struct digest_reader *r)
{
    struct digest_ages *s = &r->file.digest.ages;
    const struct column *moments = column_of(r, DIGEST_AGES, "moment");
    struct hd_tally left = {0};
    uint64_t lost_left = 0;
    if (!moments->is_there)
        return true;
    if (r->file.survivors_unknown != NULL)
        r->b->snap->survivors_unknown = survivors_unknown_named(
            r->file.survivors_unknown, strlen(r->file.survivors_unknown));
    if (moments->len == 0 || moments->len > AGES_MAX)
        return digest_refuse(r, "moments");
    if (!take_columns(r, DIGEST_AGES))
        return false;
    /* A source that a later version may have is unknown, and so are its ages. */
    for (int i = HD_SAME_UNKNOWN + 1;
         r->file.age_source != NULL && i < HD_SAME_SOURCE_COUNT; i++)
        if (strcmp(hd_identity_source_name((enum hd_identity_source)i),
                   r->file.age_source) == 0)
            s->source = (enum hd_identity_source)i;
    s->moment_count = (uint32_t)moments->len;
    s->len = (uint32_t)r->file.count[ROWS_AGES];
    s->lost_len = (uint32_t)r->file.count[ROWS_LOST_AGES];
    if ((s->survivors == HD_UNKNOWN) != (s->of == HD_UNKNOWN) ||
        (s->of != HD_UNKNOWN &&
         (s->survivors > s->of || s->survivors > r->b->snap->info.objects)))
        return digest_refuse(r, "survivors of the previous snapshot");
    bool ok = true;
    for (uint32_t i = 0; ok && i < s->len; i++)
        ok = age_can_be(r, s, i, &left);
    for (uint32_t i = 0; ok && i < s->lost_len; i++)
        ok = lost_age_can_be(r, s, i, &lost_left);
    return ok || digest_refuse(r, "ages");
}

/* Parses sites, which must be ascending by place. */
static bool parse_sites(struct digest_reader *r)
{
    const char *line = r->file.sites;
    if (line == NULL)
        return true;
    const struct allocation_sites *sites =
        allocation_sites_parse(line, strlen(line), &r->b->snap->arena);
    uint32_t count = sites != NULL ? sites->object_count : 0;
    if (sites == NULL ||
        (count > 0 && (sites->objects[0].object == 0 ||
                       sites->objects[count - 1].object >= r->file.digest.places.len)))
        return digest_refuse(r, "sites");
    r->file.digest.sites = sites;
    return true;
}

/* --- the whole file -------------------------------------------------- */

/* As for any other file without requested references. */
static void forget_references(struct hd_snapshot *snap)
{
    snap->info.references = snap->info.roots = HD_UNKNOWN;
    snap->info.reachable_objects = snap->info.reachable_bytes = HD_UNKNOWN;
    snap->info.has_roots = snap->info.has_fields = false;
    memset(snap->roots_by_kind, 0, sizeof(snap->roots_by_kind));
    snap->identity.types = snap->identity.tables = snap->identity.blocks =
        (struct sketch){0};
}

static bool parse_digest(struct digest_reader *r, struct bytes json)
{
    struct hd_snapshot *snap = r->b->snap;
    struct digest *d = &r->file.digest;
    bool has_places = column_of(r, DIGEST_PLACES, "above")->is_there;
    if (d->source_xxh3 == HD_UNKNOWN)
        d->source_xxh3 = XXH3_64bits(json.data, json.size);
    r->file.info.source_xxh3 = d->source_xxh3;
    if (!parse_info(r) || !parse_warnings(r))
        return false;
    if (!r->b->want_graph) {
        forget_references(snap);
        bool ok = parse_type_ids(r) && parse_types(r);
        d->retained = NULL;
        return ok;
    }
    if (!parse_identity(r) || !parse_type_ids(r) || !parse_types(r) || !parse_lost(r))
        return false;
    if (has_places != snap->info.has_roots)
        return digest_refuse(r, "roots and places");
    if (has_places && (!parse_places(r) || !parse_sharing(r) || !parse_chains(r) ||
                       !parse_survivors(r) || !parse_ages(r) || !parse_sites(r)))
        return false;
    if (d->ages.source == HD_SAME_UNKNOWN || snap->info.sampled)
        d->ages = (struct digest_ages){0};
    return true;
}

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct account *account = builder_account(b);
    struct bytes json;
    if (!input_all(in, &json, err))
        return false;
    struct digest_reader *r = alloc_zeroed(sizeof(*r));
    *r = (struct digest_reader){.b = b, .err = err, .scratch = {.account = account}};
    r->file.info = b->snap->info;
    bool ok = scan(r, json) && parse_digest(r, json);
    b->digest = arena_alloc(&b->snap->arena, sizeof(*b->digest));
    *b->digest = r->file.digest;
    for (size_t i = 0; i < DIGEST_MEMBERS; i++) {
        struct column *c = &r->columns[i];
        account_free(account, c->all, c->all != NULL ? c->cap : 0, sizeof(*c->all));
    }
    arena_free(&r->scratch);
    free(r);
    return ok;
}

const struct reader read_digest = {
    .name = "digest",
    .statics = STATICS_BY_TYPE,
    .summary = "digest of a heap: owners without objects, from `heapdrift convert`",
    .recognises = recognises,
    .read = read,
};
