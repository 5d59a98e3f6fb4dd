/* ranking_constants.h - every number of the ranking, with its meaning and reason.
 *
 * Unless a reason is given, a number was chosen on recorded and synthetic series, as the
 * one that found most leaks with the fewest false alarms; docs/accuracy.md has the
 * contribution of each rule, and the series that were held out. Rules: docs/ranking.md.
 * Integer comparisons use a pair ("at least `least_tau` in `of_tau`"), so that rounding
 * cannot decide. How many lines a table shows, and their threshold, is not part of the
 * ranking. */
#ifndef RANKING_CONSTANTS_H
#define RANKING_CONSTANTS_H

/* Shares of the reachable heap: a score from here on is a suspect, whatever its shape; the
 * second for even growth or a place that accumulates. Options move them (suspicion.h),
 * whose default needs a constant. */
#define USUAL_SHARE 0.02
#define USUAL_STEADY_SHARE 0.001

static const struct ranking_constants {
    unsigned enough_snapshots, some_snapshots;
    int least_tau, of_tau;
    double sure_rise, even_step, even_step_of_few, even_pace;
    double large_share, steady_share;
    unsigned fewest_steady, fewest_alike, fewest_rises;
    double most_explained;
    unsigned untypical_owners, covering, of_covering, of_migration, most_migrated;
    unsigned whole_type, title_levels, goes_along;
    unsigned settled_part, swings;
    double open_share, leveled_off_share, leveled_off_warn_share, pools_warn_share;
    unsigned fewest_undecided, fewest_native;
    double turnover, turnover_chance, accumulation_chance;
    unsigned fewest_that_keep, ages, fewest_a_step, few_steps, newcomers, record;
    unsigned late_steps, of_late_steps, mostly, fewest_late_steps;
    double goes_on;
    double size_losses, kept_losses;
    unsigned clock_arrivals;
    double clock_turnover, slows_sigma, slows_to;
    unsigned sure_seconds, long_seconds, old_spans;
    unsigned one_of_queue;
    double queue_deaths;
    unsigned hidden_deaths, of_hidden_deaths;
    double process_least_share, process_gc_share, process_explained, process_part,
        process_least_step, process_goes_on;
    unsigned process_least_bytes, process_brief_bytes, process_brief_seconds,
        process_flat_of, process_opened_of;
    unsigned shows_by_events, shows_by_order, shows_in_three_steps;
    unsigned sure_a_step, sure_snapshots_by_counts;
} rank_by = {
    /* --- snapshots ------------------------------------------------------------------- */

    /* With fewer, warm-up and leak look alike: from this number on a ranking may be
     * confident and a check may pass, since even steps, or repeated ones, are no longer
     * chance, and a rise has a second half to compare with the first. */
    .enough_snapshots = 4,
    /* Two have one difference; three have steps, so that ages, and moves from one place to
     * another, can be recognized. */
    .some_snapshots = 3,

    /* --- a series of numbers --------------------------------------------------------- */

    /* Growth: tau of at least 0.6. One dip in four points passes, two do not. */
    .least_tau = 3,
    .of_tau = 5,
    /* Standard deviations of Mann's statistic: one of a hundred series without a trend. */
    .sure_rise = 2.33,
    /* Even: the smallest rate of a step is half of the largest, and the second half is at
     * least 0.8 times as fast as the first. Four points need the stricter limit for steps,
     * as they may be chance. */
    .even_step = 0.5,
    .even_step_of_few = 0.8,
    .even_pace = 0.8,

    /* --- suspects -------------------------------------------------------------------- */

    .large_share = USUAL_SHARE,
    .steady_share = USUAL_STEADY_SHARE,
    /* New objects: fewer are even by chance; the second for the same number in each
     * step. */
    .fewest_steady = 10,
    .fewest_alike = 12,
    /* Steps in which a suspect by size grows: a single one may be a cache that was filled
     * once. */
    .fewest_rises = 2,

    /* --- owners ---------------------------------------------------------------------- */

    /* Growth that owners explain by more than half is not a finding of its own. */
    .most_explained = 0.5,
    /* An owner whose count grew more than this many times was untypical at first: its share
     * is computed from the second half as well. */
    .untypical_owners = 2,
    /* 4 of 5 objects with a referrer are co-retained with it. */
    .covering = 4,
    .of_covering = 5,
    /* A move: the gain of a path and the loss of another may differ by one in four objects.
     * At most this many paths with a similar loss are examined: one matches, or there are
     * too many to decide. */
    .of_migration = 4,
    .most_migrated = 256,
    /* A type is ranked as a whole if its score is this many times that of its paths. */
    .whole_type = 2,
    /* Depth of the search for the name in a title; a name is co-retained with the site if
     * it gained at least one per this many. */
    .title_levels = 8,
    .goes_along = 2,

    /* --- growth that no suspect explains --------------------------------------------- */

    /* Settled: it moves by at most one part in this many of its growth. */
    .settled_part = 10,
    /* Rises of this size that fell again, before growth counts as swinging. One may have
     * been start-up. */
    .swings = 2,
    /* Shares of the heap: smaller unexplained growth is noise; growth that leveled off is
     * listed; without other findings, reported; and pools, which fill while a program
     * starts. */
    .open_share = 0.05,
    .leveled_off_share = 0.02,
    .leveled_off_warn_share = 0.05,
    .pools_warn_share = 0.1,
    /* Minimum of new objects of a type that rose in each step and yet is not a suspect; and
     * of small objects that hold memory outside the heap. */
    .fewest_undecided = 4,
    .fewest_native = 10,

    /* --- accumulation (ages/cohorts.c) ---------------------------------------------- */

    /* The null hypothesis: half an object leaves for each that arrives (in a steady state,
     * one; half allows for a growing load). Rejected at one in a hundred; plausible for an
     * age from one in twenty. */
    .turnover = 0.5,
    .accumulation_chance = 0.01,
    .turnover_chance = 0.05,
    /* That many arrivals without a departure are enough: (2/3)^12 < accumulation_chance. */
    .fewest_that_keep = 12,
    /* Objects that die young hide a leak: tested for those 0, 1 and 2 snapshots old. */
    .ages = 3,
    /* With fewer arrivals per step, one of `few_steps` intervals may have no survivor by
     * chance. */
    .fewest_a_step = 4,
    .few_steps = 4,
    /* In the last steps, fewer than the mean divided by this are no longer newcomers. */
    .newcomers = 3,
    /* A record exceeds each snapshot before the last 2/5 of the steps by a quarter of the
     * survivors. */
    .record = 4,
    .late_steps = 2,
    .of_late_steps = 5,
    /* Half of a cohort must be there at the end, counting from its arrival; and with fewer
     * than three steps growth may be a burst. */
    .mostly = 2,
    .fewest_late_steps = 3,
    /* A third of the first half's rate, in the second: else it fills. */
    .goes_on = 0.34,
    /* By events: a suspect by its size that loses more than one in ten is a bounded cache;
     * a type that accumulates in the whole heap loses one in twenty at most. */
    .size_losses = 0.1,
    .kept_losses = 0.05,
    /* The load is measured by types with this many births in each step, most of which die.
     * A suspect fills if it gains less per unit of load at the end, by 15 % and two
     * standard errors. */
    .clock_arrivals = 10,
    .clock_turnover = 0.7,
    .slows_sigma = 2,
    .slows_to = 0.85,
    /* A suspect is sure after four minutes: most frameworks keep objects by design for two
     * or three (handlers 130 s, circuits 180 s), and scan once a minute (known_stores.c
     * lists longer ones). Caches fill while a process is younger than three times the
     * series; after twenty minutes, a session, that no longer matters. */
    .sure_seconds = 240,
    .long_seconds = 1200,
    .old_spans = 3,
    /* A queue: at least one departure per eight arrivals, else it may contain a leak; old
     * ones at more than twice the rate of new ones. A leak within turnover loses the new
     * ones: old ones leave at no more than three quarters of their rate. */
    .one_of_queue = 8,
    .queue_deaths = 2,
    .hidden_deaths = 3,
    .of_hidden_deaths = 4,

    /* --- the process (process_growth.c) ----------------------------------------------- */

    /* Chosen on the recordings of docs/process.md. A part of the process grows if it gains
     * 2 MiB and 2 % of its size at first. In all steps but one in six it gains at least an
     * eighth of the mean, and in the later ones half of its gain in the earlier ones,
     * without the first: starts slow down. These limits let all parts grow, each by less
     * than half of the process (at most 0.46 was seen). The memory of the collector swings
     * by its budget, so it must gain a seventh of the process. In 2 of 20 runs of
     * tests/live/shop.sh, five snapshots within a second, native memory of a healthy
     * program rose steadily by 2.4 MiB: below ten seconds the limit is 8 MiB. */
    .process_least_bytes = 2 << 20,
    .process_brief_bytes = 8 << 20,
    .process_brief_seconds = 10,
    .process_least_share = 0.02,
    .process_flat_of = 5,
    .process_least_step = 0.125,
    .process_goes_on = 0.5,
    .process_part = 0.5,
    .process_opened_of = 4,
    .process_gc_share = 0.15,
    /* Objects that explain half of the growth leave the other half for memory co-retained
     * with them. */
    .process_explained = 0.5,

    /* --- what would have shown (confidence.c) ---------------------------------------- */

    /* Leaks of Poisson arrivals of which four in five series show: computed by
     * tests/core/ranking/test_confidence.c, which fails if fewer do. Order identifies three
     * in four of the latest arrivals; each other counts as a departure and an arrival, so
     * that it needs a few more. In a long series ten in three steps are needed, or too many
     * steps lack arrivals. */
    .shows_by_events = 20,
    .shows_by_order = 25,
    .shows_in_three_steps = 10,
    /* An all-clear is sure if a leak of this many objects a step would have shown; by
     * counts alone, from five snapshots on. */
    .sure_a_step = 7,
    .sure_snapshots_by_counts = 5,
};

#endif
