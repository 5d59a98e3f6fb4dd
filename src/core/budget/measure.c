#include "budget/measure.h"

#include "base/arrays.h"
#include "base/error.h"
#include "heap/names.h"
#include "heap/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the run --------------------------------------------------------------- */

bool evidence_matches(const struct evidence *e, const char *pattern, const char *name)
{
    return e->matches != NULL ? e->matches(e->context, pattern, name)
                              : names_match(pattern, name);
}

bool evidence_shows(const struct evidence *e, const char *name)
{
    return e->shows == NULL || e->shows(e->context, name);
}

double evidence_heap(const struct evidence *e)
{
    const struct hd_diff *d = e->diff;
    const struct series *s = e->types;
    if (s->usable_count == 0)
        return 0;
    size_t last = s->usable[s->usable_count - 1];
    if (!d->types.bytes_known)
        return (double)s->totals[last].count;
    bool reachable = d->by_graph && d->reachable[last].bytes != HD_UNKNOWN;
    return (double)(reachable ? d->reachable[last].bytes : s->totals[last].bytes);
}

/* --- suppressions ------------------------------------------------------------ */

struct suppressed_row {
    const struct series_row *row;
    size_t number; /* of the suppression */
};

static int by_type(const void *a, const void *b)
{
    const struct suppressed_row *x = a, *y = b;
    int order = strcmp(x->row->name, y->row->name);
    if (order != 0)
        return order;
    return (x->number > y->number) - (x->number < y->number);
}

bool suppression_matches_holders(const struct hd_budgets *b, const struct suppression *s)
{
    return s->holder != NULL && !suppression_has_expired(b, s);
}

struct suppression_matches suppression_matches_of(const struct hd_budgets *b,
                                                  const struct evidence *e, bool *used,
                                                  struct arena *a)
{
    struct suppression_matches x = {.b = b, .e = e};
    x.used = used;
    for (size_t i = 0; i < b->suppression_count; i++)
        x.by_holder |= suppression_matches_holders(b, &b->suppressions[i]);
    if (!x.by_holder || e->suppressed == NULL)
        return x;
    size_t most = 0;
    for (size_t i = 0; i < b->suppression_count; i++)
        most += e->suppressed[i].row_count;
    x.rows = arena_array(a, struct suppressed_row, most);
    for (size_t i = 0; i < b->suppression_count; i++)
        for (size_t j = 0; j < e->suppressed[i].row_count; j++)
            x.rows[x.row_count++] = (struct suppressed_row){&e->suppressed[i].rows[j], i};
    qsort(x.rows, x.row_count, sizeof(*x.rows), by_type);
    return x;
}

static bool names_type(const struct evidence *e, const struct suppression *s,
                       const char *type, const char *title)
{
    return s->type != NULL && ((type != NULL && evidence_matches(e, s->type, type)) ||
                               (title != NULL && evidence_matches(e, s->type, title)));
}

const struct suppression *suppression_of_type(const struct suppression_matches *x,
                                              const char *type, const char *title)
{
    for (size_t i = 0; i < x->b->suppression_count; i++) {
        const struct suppression *s = &x->b->suppressions[i];
        if (!suppression_has_expired(x->b, s) && names_type(x->e, s, type, title))
            return s;
    }
    return NULL;
}

size_t suppression_part(const struct hd_budgets *b, const struct evidence *e,
                        const char *holder)
{
    size_t i = 0;
    while (i < b->suppression_count &&
           !(suppression_matches_holders(b, &b->suppressions[i]) &&
             evidence_matches(e, b->suppressions[i].holder, holder)))
        i++;
    return i;
}

static const struct suppression *suppression_of_holder(const struct suppression_matches *x,
                                                       const char *holder)
{
    size_t i = suppression_part(x->b, x->e, holder);
    return i < x->b->suppression_count ? &x->b->suppressions[i] : NULL;
}

/* "[static var App.s_all] → App.Order[]"; false if unknown. row may be NULL. */
static bool add_holder_of(struct text *t, const struct hd_suspect *row)
{
    bool is_known = row != NULL && row->holder != NULL;
    if (is_known)
        holder_join(t, row->holder, row->holder_len);
    return is_known;
}

const struct suppression *suppression_expired(const struct suppression_matches *x,
                                              const char *type, const char *title,
                                              const struct hd_suspect *row)
{
    struct text holder = {0};
    const struct suppression *found = NULL;
    bool is_held = add_holder_of(&holder, row);
    for (size_t i = 0; i < x->b->suppression_count && found == NULL; i++) {
        const struct suppression *s = &x->b->suppressions[i];
        bool fits = names_type(x->e, s, type, title) ||
                    (s->holder != NULL && is_held &&
                     evidence_matches(x->e, s->holder, text_string(&holder)));
        found = fits && suppression_has_expired(x->b, s) ? s : NULL;
    }
    text_free(&holder);
    return found;
}

static bool is_named_before(const void *rows, size_t i, const void *type)
{
    return strcmp(((const struct suppressed_row *)rows)[i].row->name, type) < 0;
}

void suppression_use(const struct suppression_matches *x, const struct suppression *s)
{
    if (x->used != NULL)
        x->used[s - x->b->suppressions] = true;
}

/* --- values -------------------------------------------------------------- */

static uint64_t measure_number_of(struct hd_tally t, enum hd_measure measure)
{
    return measure == HD_MEASURE_BYTES ? t.bytes : t.count;
}

static void add_tallies(struct values *v, const struct series *s, const struct hd_tally *at,
                        const double *noise_share, enum hd_measure measure)
{
    for (size_t k = 0; k < s->count; k++) {
        uint64_t n = measure_number_of(at[k], measure);
        v->unknown |= n == HD_UNKNOWN;
        v->y[k] += (double)n;
        v->noise[k] += noise_share != NULL ? noise_share[k] * (double)n : 0;
    }
}

struct values values_of_row(const struct series *s, const struct series_row *row,
                            enum hd_measure measure)
{
    struct values v = {.unknown = false};
    add_tallies(&v, s, row->at, row->noise_share, measure);
    return v;
}

struct values values_of_total(const struct evidence *e, enum hd_total total)
{
    const struct series *s = e->types;
    struct values v = {.unknown = false};
    enum hd_measure measure =
        total == HD_TOTAL_OBJECTS ? HD_MEASURE_COUNT : HD_MEASURE_BYTES;
    bool reachable = total == HD_TOTAL_REACHABLE_BYTES;
    add_tallies(&v, s, reachable ? e->diff->reachable : s->totals, NULL, measure);
    /* Types are sampled apart, so the squares of their errors add up. */
    for (size_t i = 0; i < s->row_count && !reachable; i++)
        for (size_t k = 0; s->rows[i].noise_share != NULL && k < s->count; k++) {
            double off = s->rows[i].noise_share[k] *
                         (double)measure_number_of(s->rows[i].at[k], measure);
            v.noise[k] += off * off;
        }
    for (size_t k = 0; k < s->count; k++)
        v.noise[k] = !reachable                   ? sqrt(v.noise[k])
                     : e->reachable_noise != NULL ? e->reachable_noise[k]
                                                  : 0;
    return v;
}

/* --- the process --------------------------------------------------------- */

#define FACT(name) (UINT64_C(1) << HD_FACT_##name)

/* The facts that a number is made of, a bit each. */
static const uint64_t facts_of[HD_PROCESS_NUMBER_COUNT] = {
    [HD_PROCESS_SIZE] = FACT(RESIDENT) | FACT(SWAPPED),
    [HD_PROCESS_RESIDENT] = FACT(RESIDENT),
    [HD_PROCESS_PRIVATE] = FACT(PRIVATE),
    [HD_PROCESS_NATIVE] = FACT(RESIDENT) | FACT(SWAPPED) | FACT(OF_GC) | FACT(OF_CODE) |
                          FACT(OF_STACKS) | FACT(OF_FILES) | FACT(OF_SHARED),
    [HD_PROCESS_FRAGMENTED] = FACT(FRAGMENTED),
    [HD_PROCESS_THREADS] = FACT(THREADS),
    [HD_PROCESS_HANDLES] = FACT(SOCKETS) | FACT(REGULAR) | FACT(PIPES) | FACT(OTHERS),
};

static uint64_t known_facts(const struct hd_process_facts *facts,
                            enum hd_process_number number)
{
    return facts->known & facts_of[number];
}

static double sum_of_facts(const struct hd_process_facts *facts,
                           enum hd_process_number number)
{
    uint64_t known = known_facts(facts, number);
    double sum = 0;
    for (int f = 0; f < HD_FACT_COUNT; f++)
        sum += known >> f & 1 ? (double)facts->at[f] : 0;
    return sum;
}

/* Native memory excludes the memory of the collector, so that must be known. */
static double native_memory(const struct hd_snapshot *snap)
{
    uint64_t parts[HD_PART_COUNT];
    uint64_t size = hd_process_parts(&snap->facts, snap->info.bytes, parts);
    bool is_known = size != HD_UNKNOWN && parts[HD_PART_GC] != HD_UNKNOWN;
    return is_known ? (double)parts[HD_PART_NATIVE] : NAN;
}

static double process_number_of(const struct hd_snapshot *snap,
                                enum hd_process_number number)
{
    bool needs_resident = number == HD_PROCESS_SIZE;
    if (number == HD_PROCESS_NATIVE)
        return native_memory(snap);
    if (known_facts(&snap->facts, number) == 0 ||
        (needs_resident && hd_fact(&snap->facts, HD_FACT_RESIDENT) == HD_UNKNOWN))
        return NAN;
    return sum_of_facts(&snap->facts, number);
}

struct values values_of_process(const struct evidence *e, enum hd_process_number number)
{
    const struct series *s = e->types;
    struct values v = {.unknown = false};
    const struct hd_process_facts *like = NULL; /* those of the first that has it */
    for (size_t k = 0; k < s->count; k++)
        v.y[k] = NAN;
    for (size_t i = 0; i < s->usable_count; i++) {
        const struct hd_snapshot *snap = s->snaps[s->usable[i]];
        double n = process_number_of(snap, number);
        if (like == NULL && !isnan(n))
            like = &snap->facts;
        if (!isnan(n) && known_facts(&snap->facts, number) == known_facts(like, number))
            v.y[s->usable[i]] = n;
        else
            v.unknown = true;
    }
    return v;
}

/* --- holders ------------------------------------------------------------- */

static double simple_growth(const struct series *s, const struct hd_tally *at,
                            enum hd_measure measure)
{
    uint64_t first = measure_number_of(at[s->usable[0]], measure);
    uint64_t last = measure_number_of(at[s->usable[s->usable_count - 1]], measure);
    return (double)last - (double)first;
}

/* Holders have objects of the same types, but sampled independently. */
static void measure_add_holder(struct values *v, const struct evidence *e,
                               const struct series_row *row, enum hd_measure measure)
{
    struct values one = values_of_row(e->types, row, measure);
    v->unknown |= one.unknown;
    for (size_t k = 0; k < e->types->count; k++) {
        v->y[k] += one.y[k];
        v->noise[k] = hypot(v->noise[k], one.noise[k]);
    }
}

struct held held_by(const struct evidence *e, const char *pattern, enum hd_measure measure)
{
    struct held h = {.matched = false};
    double most = 0;
    for (size_t i = 0; i < e->holders->row_count; i++) {
        const struct series_row *row = &e->holders->rows[i];
        if (!evidence_matches(e, pattern, row->name))
            continue;
        h.matched = true;
        measure_add_holder(&h.values, e, row, measure);
        double grown = simple_growth(e->types, row->at, measure);
        if (h.most == NULL || grown > most ||
            (grown == most && strcmp(row->name, h.most) < 0)) {
            most = grown;
            h.most = row->name;
        }
    }
    return h;
}

/* --- what is excused ----------------------------------------------------- */

/* Tell the suppression that takes out most. */
struct blame {
    const struct suppression *by;
    double most;
};

static void measure_blame(struct blame *to, const struct suppression_matches *x,
                          const struct suppression *s, double grown)
{
    suppression_use(x, s);
    if (to->by == NULL || grown > to->most)
        *to = (struct blame){s, grown};
}

struct counted counted_of_type(const struct suppression_matches *x,
                               const struct series_row *row, enum hd_measure measure)
{
    const struct series *s = x->e->types;
    struct counted c = {.by = suppression_of_type(x, row->name, NULL)};
    struct blame to = {.by = NULL};
    if (c.by != NULL) {
        suppression_use(x, c.by);
        return c;
    }
    c.values = values_of_row(s, row, measure);
    c.is_unknown = x->by_holder && x->e->suppressed == NULL;
    for (size_t i = search_first(x->rows, 0, x->row_count, is_named_before, row->name);
         i < x->row_count && strcmp(x->rows[i].row->name, row->name) == 0; i++) {
        const struct series_row *part = x->rows[i].row;
        struct values out = values_of_row(s, part, measure);
        for (size_t k = 0; k < s->count; k++) {
            double left =
                c.values.noise[k] * c.values.noise[k] - out.noise[k] * out.noise[k];
            c.values.y[k] -= out.y[k];
            c.values.noise[k] = left > 0 ? sqrt(left) : 0;
        }
        measure_blame(&to, x, &x->b->suppressions[x->rows[i].number],
                      simple_growth(s, part->at, measure));
    }
    c.by = to.by;
    return c;
}

struct counted counted_of_holders(const struct suppression_matches *x, const char *pattern,
                                  enum hd_measure measure)
{
    struct counted c = {.by = NULL};
    struct blame to = {.by = NULL};
    const struct series *holders = x->e->holders;
    for (size_t i = 0; i < holders->row_count; i++) {
        const struct series_row *row = &holders->rows[i];
        if (!evidence_matches(x->e, pattern, row->name))
            continue;
        const struct suppression *s = suppression_of_holder(x, row->name);
        if (s == NULL)
            measure_add_holder(&c.values, x->e, row, measure);
        else
            measure_blame(&to, x, s, simple_growth(x->e->types, row->at, measure));
    }
    c.by = to.by;
    return c;
}

struct counted_score counted_score(const struct suppression_matches *x,
                                   const struct hd_suspect *row)
{
    struct counted_score c = {.score = row->score,
                              .by = suppression_of_type(x, row->type, row->title)};
    if (c.by != NULL) {
        suppression_use(x, c.by);
        c.score = 0;
        return c;
    }
    struct blame to = {.by = NULL};
    struct text holder = {0};
    bool is_held = add_holder_of(&holder, row);
    const struct hd_head only = {is_held ? text_string(&holder) : NULL, row->score};
    const struct hd_head *heads = row->head_count > 0 ? row->heads : &only;
    size_t count = row->head_count > 0 ? row->head_count : 1;
    for (size_t i = 0; x->by_holder && i < count; i++) {
        const struct suppression *s =
            heads[i].holder != NULL ? suppression_of_holder(x, heads[i].holder) : NULL;
        c.is_unknown |= heads[i].holder == NULL;
        if (s == NULL)
            continue;
        c.score -= heads[i].score;
        measure_blame(&to, x, s, heads[i].score);
    }
    text_free(&holder);
    /* Ignore rounding of sums. */
    c.score = c.score > row->score * 1e-9 ? c.score : 0;
    c.by = to.by;
    return c;
}

/* --- growth -------------------------------------------------------------- */

static struct growth between(const struct values *v, size_t first, size_t last,
                             double rounds)
{
    double value = (v->y[last] - v->y[first]) / rounds;
    double noise = (v->noise[last] + v->noise[first]) / rounds;
    return (struct growth){.value = value,
                           .low = value - noise,
                           .high = value + noise,
                           .first = first,
                           .last = last};
}

struct growth growth_of(const struct evidence *e, const struct values *v, enum hd_per per)
{
    const struct series *s = e->types;
    size_t first = s->usable[0], last = s->usable[s->usable_count - 1];
    const uint64_t *rounds = per == HD_PER_ITERATION ? e->opt->iterations : NULL;
    if (per != HD_PER_STEP)
        return between(v, first, last,
                       rounds != NULL ? (double)(rounds[last] - rounds[first]) : 1);
    /* The step that grew most, within the error bounds of all steps. */
    struct growth worst = {.value = -INFINITY, .low = -INFINITY, .high = -INFINITY};
    for (size_t i = 1; i < s->usable_count; i++) {
        first = s->usable[i - 1];
        last = s->usable[i];
        struct growth step = between(v, first, last, (double)(last - first));
        double low = fmax(step.low, worst.low), high = fmax(step.high, worst.high);
        worst = step.value > worst.value ? step : worst;
        worst.low = low;
        worst.high = high;
    }
    return worst;
}

/* --- how long runs are, and one against the other --------------------------------- */

/* Seconds of a script are as long as the machine is slow. */
#define SHORTEST_TIME 10.0

/* Nor is a step that takes a quarter longer, or less, another step. */
#define SAME_PACE 1.25

/* Measures the length of the run: snapshots from the first to the last comparable one,
 * iterations, and seconds, or HD_UNKNOWN. */
static void scale_measure(struct baseline *to, const struct evidence *e)
{
    const double most = 1e12;
    const struct series *s = e->types;
    size_t first = s->usable[0], last = s->usable[s->usable_count - 1];
    const struct hd_snapshot *from = s->snaps[first], *until = s->snaps[last];
    const uint64_t *rounds = e->opt->iterations;
    double span = until->clock - from->clock;
    bool known = from->clock_is_date == until->clock_is_date && span >= 1 && span < most;
    to->snapshots = last - first + 1;
    to->seconds = known ? (uint64_t)(span + 0.5) : HD_UNKNOWN;
    to->iterations = rounds != NULL ? rounds[last] - rounds[first] : HD_UNKNOWN;
}

/* Returns at least amount * a / b, exactly amount if a is b. */
static double times(double amount, double a, double b)
{
    return a == b ? amount : amount * a / b;
}

static double steps_of(const struct baseline *run)
{
    return (double)(run->snapshots - 1);
}

static bool is_known(uint64_t length)
{
    return length != HD_UNKNOWN && length > 0;
}

/* True if the times per step differ clearly; both must be known, and one long enough. */
static bool paces_differ(const struct baseline *then, const struct baseline *now)
{
    if (!is_known(then->seconds) || !is_known(now->seconds))
        return false;
    double before = (double)then->seconds, after = (double)now->seconds;
    double pace = after / before * steps_of(then) / steps_of(now);
    return fmax(before, after) >= SHORTEST_TIME &&
           (pace > SAME_PACE || pace < 1 / SAME_PACE);
}

/* Scales growth from the first to the last snapshot. */
static struct accepted of_whole(const struct baseline *then, const struct baseline *now,
                                double amount)
{
    if (is_known(then->iterations) && is_known(now->iterations)) {
        double a = times(amount, (double)now->iterations, (double)then->iterations);
        return (struct accepted){a, a};
    }
    if (is_known(then->iterations) || is_known(now->iterations))
        return (struct accepted){0, INFINITY};
    double by_steps = times(amount, steps_of(now), steps_of(then));
    if (!paces_differ(then, now))
        return (struct accepted){by_steps, by_steps};
    double by_time = times(amount, (double)now->seconds, (double)then->seconds);
    return (struct accepted){fmin(by_steps, by_time), fmax(by_steps, by_time)};
}

/* Objects and bytes are whole: half an accepted object is one. */
static double whole_number(double x)
{
    const double rounding = 1e-9;
    return x == floor(x) ? x : ceil(x - rounding);
}

struct accepted scale_accepted(const struct baseline *b, const struct evidence *e,
                               uint64_t amount, enum hd_per per)
{
    struct baseline now = {.snapshots = 0};
    if (b->snapshots < 2 || amount == 0)
        return (struct accepted){0, 0};
    scale_measure(&now, e);
    struct accepted a = of_whole(b, &now, (double)amount);
    if (per == HD_PER_STEP) {
        a.least = times(a.least, steps_of(b), steps_of(&now));
        a.most = times(a.most, steps_of(b), steps_of(&now));
    } else if (per == HD_PER_ITERATION) {
        a.least = now.iterations > 0 ? a.least / (double)now.iterations : 0;
        a.most = now.iterations > 0 ? a.most / (double)now.iterations : INFINITY;
        return a;
    }
    return (struct accepted){whole_number(a.least), whole_number(a.most)};
}

bool scale_differs(const struct baseline *b, const struct evidence *e)
{
    struct baseline now = {.snapshots = 0};
    if (b->snapshots < 2)
        return false;
    scale_measure(&now, e);
    return b->snapshots != now.snapshots || b->iterations != now.iterations ||
           (!is_known(b->iterations) && paces_differ(b, &now));
}

/* --- a new baseline ------------------------------------------------------------------ */

/* Rounded up, so that the same growth is accepted as a whole. */
static uint64_t positive(double x)
{
    return x > 0 ? tally_rounded(ceil(x)) : 0;
}

/* count and bytes: NULL if not known. */
static struct hd_accepted baseline_entry(const struct evidence *e,
                                         enum hd_accepted_kind kind, const char *name,
                                         const struct values *count,
                                         const struct values *bytes)
{
    struct hd_accepted a = {.kind = kind, .name = name};
    if (count != NULL) {
        a.count = positive(growth_of(e, count, HD_PER_TOTAL).value);
        a.step_count = positive(growth_of(e, count, HD_PER_STEP).value);
    }
    if (bytes != NULL && !bytes->unknown) {
        a.bytes = positive(growth_of(e, bytes, HD_PER_TOTAL).value);
        a.step_bytes = positive(growth_of(e, bytes, HD_PER_STEP).value);
    }
    return a;
}

static void accept_if_grown(struct baseline *to, struct hd_accepted a)
{
    if (a.count > 0 || a.step_count > 0 || a.bytes > 0 || a.step_bytes > 0 || a.score > 0)
        baseline_add(to, &a);
}

static void accept_types(struct baseline *to, const struct suppression_matches *x)
{
    const struct evidence *e = x->e;
    for (size_t i = 0; i < e->types->row_count; i++) {
        const struct series_row *row = &e->types->rows[i];
        struct counted count = counted_of_type(x, row, HD_MEASURE_COUNT);
        struct counted bytes = counted_of_type(x, row, HD_MEASURE_BYTES);
        struct hd_accepted a =
            baseline_entry(e, HD_ACCEPTED_TYPE, row->name, &count.values, &bytes.values);
        if (e->ranked_of != NULL && e->ranked_of[i] != NOT_RANKED)
            a.score =
                positive(counted_score(x, ranked_row(e->diff, e->ranked_of[i])).score);
        accept_if_grown(to, a);
    }
}

static void accept_holders(struct baseline *to, const struct suppression_matches *x)
{
    const struct hd_budgets *b = x->b;
    for (size_t i = 0; x->e->holders != NULL && i < b->rule_count; i++) {
        const char *pattern = b->rules[i].pattern;
        if (b->rules[i].kind != HD_RULE_HOLDER ||
            baseline_find(to, HD_ACCEPTED_HOLDER, pattern).name != NULL)
            continue;
        struct counted count = counted_of_holders(x, pattern, HD_MEASURE_COUNT);
        struct counted bytes = counted_of_holders(x, pattern, HD_MEASURE_BYTES);
        accept_if_grown(to, baseline_entry(x->e, HD_ACCEPTED_HOLDER, pattern, &count.values,
                                           &bytes.values));
    }
}

static void accept_process(struct baseline *to, const struct evidence *e)
{
    for (enum hd_process_number n = 0; n < HD_PROCESS_NUMBER_COUNT; n++) {
        struct values v = values_of_process(e, n);
        bool counts = budget_process_measure(n) == HD_MEASURE_COUNT;
        if (!v.unknown)
            accept_if_grown(to,
                            baseline_entry(e, HD_ACCEPTED_PROCESS, budget_process_names[n],
                                           counts ? &v : NULL, counts ? NULL : &v));
    }
}

bool accept_growth(struct baseline *to, const struct hd_budgets *b,
                   const struct evidence *e, struct hd_error *err)
{
    const struct series *s = e->types;
    if (s->usable_count == 0)
        return fail(err, HD_USAGE,
                    "no snapshot can be compared, so a baseline cannot be written");
    struct arena scratch = {0};
    struct suppression_matches x = suppression_matches_of(b, e, NULL, &scratch);
    bool is_possible = !x.by_holder || e->suppressed != NULL;
    scale_measure(to, e);
    if (is_possible) {
        for (enum hd_total t = 0; t < HD_TOTAL_COUNT; t++) {
            struct values v = values_of_total(e, t);
            bool counts = t == HD_TOTAL_OBJECTS;
            if (!v.unknown)
                accept_if_grown(to,
                                baseline_entry(e, HD_ACCEPTED_TOTAL, budget_total_names[t],
                                               counts ? &v : NULL, counts ? NULL : &v));
        }
        accept_types(to, &x);
        accept_holders(to, &x);
        accept_process(to, e);
    }
    arena_free(&scratch);
    return is_possible ||
           fail(err, HD_USAGE,
                "a holder is suppressed, but not all snapshots have references, so "
                "a baseline cannot be written");
}
