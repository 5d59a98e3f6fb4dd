#include "score/class_score.h"

#include "score/window.h"

#include <stdio.h>

static const size_t windows[CLASS_WINDOWS] = {4, 5, 6};

/* --- gates ------------------------------------------------------------------------ */

/* In percent of the series of one class. Bursts that stay, slow leaks at random and random
 * walks have no gate: with few snapshots a leak and a series without one can be identical.
 */
struct gate {
    enum class_kind kind;
    enum gate_kind { CULPRIT_FIRST, CULPRIT_SUSPECT, NO_ALARM } what;
    unsigned at_least[CLASS_WINDOWS]; /* 0: no gate */
};

static const struct gate gates[] = {
    {CLASS_SHARING, CULPRIT_FIRST, {90, 90, 95}},
    {CLASS_SHARING, CULPRIT_SUSPECT, {90, 90, 95}},
    {CLASS_TWO_HOLDERS, CULPRIT_FIRST, {90, 90, 95}},
    {CLASS_TWO_HOLDERS, CULPRIT_SUSPECT, {90, 90, 95}},
    {CLASS_ENTRIES, CULPRIT_FIRST, {90, 90, 95}},
    {CLASS_ENTRIES, CULPRIT_SUSPECT, {90, 90, 95}},
    {CLASS_TEN_CLASSES, CULPRIT_FIRST, {90, 90, 95}},
    {CLASS_TEN_CLASSES, CULPRIT_SUSPECT, {90, 90, 95}},
    {CLASS_BUSY, CULPRIT_FIRST, {0, 90, 95}},
    {CLASS_BUSY, CULPRIT_SUSPECT, {0, 90, 95}},
    {CLASS_SHARED_OLD, NO_ALARM, {95, 95, 95}},
    {CLASS_HANDED_OVER, NO_ALARM, {95, 95, 95}},
    {CLASS_FILLING, NO_ALARM, {0, 90, 90}},
    {CLASS_DAY, NO_ALARM, {0, 90, 90}},
    {CLASS_DRAINING, NO_ALARM, {0, 90, 90}},
};
enum { GATES = sizeof(gates) / sizeof(gates[0]) };

static const char *const gate_names[] = {[CULPRIT_FIRST] = "culprit at rank 1",
                                         [CULPRIT_SUSPECT] = "culprit a suspect",
                                         [NO_ALARM] = "no suspect"};

/* --- runs ------------------------------------------------------------------------- */

/* The result for one series. */
struct outcome {
    bool first, suspect, alarm, leveled_off, inconclusive;
};

static struct outcome outcome_of(const struct window *w, const struct judgement *j,
                                 const struct class_series *s)
{
    struct class_truth truth = class_truth(s);
    struct outcome o = {.inconclusive = j->inconclusive};
    o.first = w->ranking.len > 0 && class_is_found(&truth, window_name(w, 0));
    for (size_t i = 0; i < j->suspects; i++) {
        bool culprit = class_nature(s->kind) != CLASS_HEALTHY &&
                       class_is_found(&truth, window_name(w, i));
        o.suspect |= culprit;
        o.alarm |= !culprit;
    }
    for (size_t i = 0; i < j->leveled_off_count; i++)
        o.leveled_off |= class_is_found(&truth, j->leveled_off[i]);
    return o;
}

static bool misses(const struct gate *gate, const struct outcome *o)
{
    return gate->what == CULPRIT_FIRST     ? !o->first
           : gate->what == CULPRIT_SUSPECT ? !o->suspect
                                           : o->alarm;
}

static void print_miss(const struct window *w, const struct class_series *s)
{
    enum { ROWS = 3 };
    printf("  %s, seed %llu, %zu snapshots:\n", class_name(s->kind),
           (unsigned long long)s->seed, s->snapshots);
    for (size_t i = 0; i < w->ranking.len && i < ROWS; i++)
        window_print_row(w, i);
}

/* Lists the first few misses that a gate covers; with -v all. */
static void list_miss(struct class_score *score, const struct window *w,
                      const struct class_series *s, size_t window, const struct outcome *o)
{
    enum { LISTED = 3 };
    bool gated = false, leaks = class_nature(s->kind) == CLASS_LEAK;
    for (size_t i = 0; i < GATES; i++)
        gated |= gates[i].kind == s->kind && gates[i].at_least[window] > 0 &&
                 misses(&gates[i], o);
    if (score->verbose ? gated || (leaks ? !o->first : o->alarm)
                       : gated && score->listed[s->kind][window]++ < LISTED)
        print_miss(w, s);
}

static void add_outcome(struct class_cell *cell, const struct outcome *o)
{
    cell->runs++;
    cell->first += o->first;
    cell->suspect += o->suspect;
    cell->alarm += o->alarm;
    cell->leveled_off += o->leveled_off;
    cell->inconclusive += o->inconclusive;
}

static void run_series(struct class_score *score, const struct class_series *s,
                       size_t window)
{
    struct hd_snapshot *snaps[CLASS_SNAPSHOTS];
    struct window w;
    for (size_t k = 0; k < s->snapshots; k++)
        snaps[k] = class_snapshot(s, k);
    window_begin(&w, snaps, s->snapshots);
    struct judgement j = judge_window(&w);
    struct outcome o = outcome_of(&w, &j, s);
    add_outcome(&score->cells[s->kind][window], &o);
    list_miss(score, &w, s, window, &o);
    window_free(&w);
    for (size_t k = 0; k < s->snapshots; k++)
        hd_snapshot_close(snaps[k]);
}

/* Classes have different noise, otherwise a few seeds would be a few cases. */
void class_score_run(struct class_score *score, uint64_t seeds)
{
    for (enum class_kind kind = 0; kind < CLASS_KINDS; kind++)
        for (size_t i = 0; i < CLASS_WINDOWS; i++)
            for (uint64_t seed = 1; seed <= seeds; seed++) {
                struct class_series s = {.kind = kind,
                                         .seed = seed * CLASS_KINDS + kind,
                                         .snapshots = windows[i]};
                run_series(score, &s, i);
            }
}

/* --- the result ------------------------------------------------------------------- */

static double percent(unsigned part, unsigned whole)
{
    enum { ALL = 100 };
    return whole > 0 ? ALL * (double)part / whole : 0;
}

static void print_cell(bool known, unsigned part, unsigned runs)
{
    if (known)
        printf("  %12.0f", percent(part, runs));
    else
        printf("  %12s", "-");
}

static void print_row(const struct class_score *score, enum class_kind kind, size_t window)
{
    const struct class_cell *c = &score->cells[kind][window];
    bool culprit = class_nature(kind) != CLASS_HEALTHY;
    printf("%-26s  %9zu", window == 0 ? class_name(kind) : "", windows[window]);
    print_cell(culprit, c->first, c->runs);
    print_cell(culprit, c->suspect, c->runs);
    print_cell(true, c->alarm, c->runs);
    print_cell(true, c->leveled_off, c->runs);
    print_cell(true, c->inconclusive, c->runs);
    printf("\n");
}

void class_score_print(const struct class_score *score)
{
    static const char *const headings[] = {[CLASS_HEALTHY] = "healthy",
                                           [CLASS_LEAK] = "leaks",
                                           [CLASS_UNKNOWN] = "nobody can tell"};
    printf("\nHard to tell, %% of %u series each.\n"
           "A false alarm is a suspect that is no culprit.\n\n%-26s  %9s",
           score->cells[0][0].runs, "", "snapshots");
    static const char *const columns[] = {"rank 1", "suspect", "false alarm", "stopped",
                                          "inconcl."};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        printf("  %12s", columns[i]);
    for (enum class_nature nature = CLASS_HEALTHY; nature <= CLASS_UNKNOWN; nature++) {
        printf("\n%s\n", headings[nature]);
        for (enum class_kind kind = 0; kind < CLASS_KINDS; kind++)
            for (size_t i = 0; i < CLASS_WINDOWS; i++)
                if (class_nature(kind) == nature)
                    print_row(score, kind, i);
    }
}

static bool check(const struct class_score *score, const struct gate *gate, size_t window)
{
    const struct class_cell *c = &score->cells[gate->kind][window];
    unsigned good = gate->what == CULPRIT_FIRST     ? c->first
                    : gate->what == CULPRIT_SUSPECT ? c->suspect
                                                    : c->runs - c->alarm;
    double got = percent(good, c->runs);
    bool ok = got >= gate->at_least[window];
    printf("%s: %s, %s, %zu snapshots: %.1f %%, at least %u %%\n", ok ? "ok" : "FAILED",
           gate_names[gate->what], class_name(gate->kind), windows[window], got,
           gate->at_least[window]);
    return ok;
}

void class_score_check(const struct class_score *score, unsigned *passed, unsigned *failed)
{
    for (size_t i = 0; i < GATES; i++)
        for (size_t window = 0; window < CLASS_WINDOWS; window++) {
            if (gates[i].at_least[window] == 0)
                continue;
            bool ok = check(score, &gates[i], window);
            *passed += ok;
            *failed += !ok;
        }
}
