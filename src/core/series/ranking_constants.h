/* ranking_constants.h - every number that the ranking goes by: what it is, and why.
 *
 * Where nothing else is said a number was chosen on recorded and made series, as the one
 * that found most leaks with the fewest false alarms; docs/accuracy.md says which rule is
 * good for what, and on which series none was chosen. Rules: docs/ranking.md. What is
 * compared in whole numbers is a pair ("at least `least_tau` in `of_tau`"), so that no
 * rounding decides. How many lines a table shows, and what is worth one, is no matter of
 * the ranking. */
#ifndef RANKING_CONSTANTS_H
#define RANKING_CONSTANTS_H

/* Of the reachable heap: from here on a score is a suspect, whatever its shape; and one
 * that comes evenly or keeps what it gets. Options move them (suspicion.h), whose default
 * needs a constant. */
#define USUAL_SHARE 0.02
#define USUAL_STEADY_SHARE 0.001

static const struct ranking_constants {
    unsigned enough_snapshots, some_snapshots;
    int least_tau, of_tau;
    double sure_rise, even_step, even_step_of_few, even_pace;
    double large_share, steady_share;
    unsigned fewest_steady, fewest_alike;
    double most_explained;
    unsigned untypical_owners, covering, of_covering, of_migration, most_migrated;
    unsigned whole_type, title_levels, goes_along;
    unsigned settled_part, swings;
    double open_share, stopped_share, stopped_warn_share, pools_warn_share;
    unsigned fewest_undecided, fewest_native;
    double turnover, turnover_chance, keeps_chance;
    unsigned fewest_that_keep, ages, fewest_a_step, few_steps, newcomers, record;
    unsigned late_steps, of_late_steps, mostly, fewest_late_steps;
    double goes_on;
    double size_losses, kept_losses;
    unsigned clock_births;
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

    /* With fewer, warm-up and leak look alike: from so many on a ranking may be confident
     * and a check may pass; chance makes no even steps, nor the same ones twice; and a rise
     * has a second half that can be held against the first. */
    .enough_snapshots = 4,
    /* Two only differ: three have steps, so that ages, and who gains what another loses,
     * can be told. */
    .some_snapshots = 3,

    /* --- a series of numbers --------------------------------------------------------- */

    /* What grows: tau of 0.6 at least. One dip in four points passes, two do not. */
    .least_tau = 3,
    .of_tau = 5,
    /* Standard deviations of Mann's statistic: one of a hundred series without a trend. */
    .sure_rise = 2.33,
    /* Even: the least rate of a step is half of the most, and the second half as fast as
     * the first but for a fifth. In four points chance needs a closer look. */
    .even_step = 0.5,
    .even_step_of_few = 0.8,
    .even_pace = 0.8,

    /* --- suspects -------------------------------------------------------------------- */

    .large_share = USUAL_SHARE,
    .steady_share = USUAL_STEADY_SHARE,
    /* Objects that came: fewer are even by chance; fewer that come in the same numbers in
     * each step do so by chance too. */
    .fewest_steady = 10,
    .fewest_alike = 12,

    /* --- owners ---------------------------------------------------------------------- */

    /* What its owners explain by more than half is their matter: no finding of its own. */
    .most_explained = 0.5,
    /* An owner that is more than so many times as many was untypical at first: its share is
     * taken from the second half as well. */
    .untypical_owners = 2,
    /* 4 of 5 objects that something refers to go along with it. */
    .covering = 4,
    .of_covering = 5,
    /* What one path gains and another loses may differ in one of four objects. So many
     * paths that lost about as much are looked at: one of them is the one, or there are too
     * many to tell. */
    .of_migration = 4,
    .most_migrated = 256,
    /* A type counts as a whole if that scores so many times as much as its paths do. */
    .whole_type = 2,
    /* How deep the name for a title is looked for; it goes along with a head if it gained
     * one for so many of that. */
    .title_levels = 8,
    .goes_along = 2,

    /* --- growth that no suspect explains --------------------------------------------- */

    /* It has settled when it moves by no more than one of so many of what it grew. */
    .settled_part = 10,
    /* So often up as far and back: then it is known what becomes of such a rise. Once may
     * have been the start of the program. */
    .swings = 2,
    /* Of the heap: less that is unexplained is noise; what grew and stayed is listed; if
     * nothing else is found, told; and pools, which fill while a program starts. */
    .open_share = 0.05,
    .stopped_share = 0.02,
    .stopped_warn_share = 0.05,
    .pools_warn_share = 0.1,
    /* More objects of what rose in each step and yet is no suspect; and of what holds
     * memory outside of the heap, each of which is small. */
    .fewest_undecided = 4,
    .fewest_native = 10,

    /* --- what keeps what it gets (ages/births.c) ----------------------------------- */

    /* The hypothesis that is held against it: half an object goes for each that comes (as
     * many in a steady state; half leaves room for a load that grows). It is rejected at
     * one of a hundred; and may hold for an age at one of twenty. */
    .turnover = 0.5,
    .keeps_chance = 0.01,
    .turnover_chance = 0.05,
    /* So many that come, with none that goes, are enough: (2/3)^12 < keeps_chance. */
    .fewest_that_keep = 12,
    /* Objects that die young hide a leak: asked of those 0, 1 and 2 snapshots old. */
    .ages = 3,
    /* Where fewer come at a time one interval of `few_steps` may have left none. */
    .fewest_a_step = 4,
    .few_steps = 4,
    /* In the last steps so many times fewer than the mean are no newcomers any more. */
    .newcomers = 3,
    /* A record is one by a quarter of what stayed, over all but the last 2 of 5 steps. */
    .record = 4,
    .late_steps = 2,
    .of_late_steps = 5,
    /* Of a cohort half has to be there at the end, to have stayed since it came; and three
     * steps are the fewest that look like no burst. */
    .mostly = 2,
    .fewest_late_steps = 3,
    /* A third of the first half's rate, in the second: else it fills. */
    .goes_on = 0.34,
    /* By events: a suspect by its size that loses more than one in ten is a bounded cache;
     * a type that accumulates in the whole heap loses one in twenty at most. */
    .size_losses = 0.1,
    .kept_losses = 0.05,
    /* The load is told by types of which so many come in each step and most go again. What
     * is a suspect gains less per unit of load at the end, by 15 % and two standard errors:
     * then it fills. */
    .clock_births = 10,
    .clock_turnover = 0.7,
    .slows_sigma = 2,
    .slows_to = 0.85,
    /* A suspect is sure after four minutes: most frameworks keep by design for two or three
     * (handlers 130 s, circuits 180 s), and scan once a minute (known_stores.c has what
     * keeps longer). Caches fill while a process is younger than three times the series;
     * after twenty minutes, which is a session, that is no matter any more. */
    .sure_seconds = 240,
    .long_seconds = 1200,
    .old_spans = 3,
    /* A queue: one goes for eight that come, at least, else a leak may be beside it; old
     * ones at more than twice the rate of new ones. A leak among turnover loses the new
     * ones: old ones go at three quarters of their rate, at most. */
    .one_of_queue = 8,
    .queue_deaths = 2,
    .hidden_deaths = 3,
    .of_hidden_deaths = 4,

    /* --- the process (process_growth.c) ----------------------------------------------- */

    /* Chosen on the recordings of docs/process.md. A part of the process grows if it gains
     * 2 MiB and 2 % of its size at first. In all steps but one of six it gains at least an
     * eighth of the mean, and in the later ones half of what it gained in the earlier ones,
     * the first left out: starts slow down. They let all parts grow, none by half of the
     * process (0.46 at most was seen). What the collector keeps swings by its budget, so it
     * has to be a seventh of the process. In 2 of 20 runs of tests/live/shop.sh, five
     * snapshots within a second, native memory of a healthy program rose steadily by 2.4
     * MiB: below ten seconds it has to be 8 MiB. */
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
    /* Objects that explain half of it leave the other half to be what goes with them. */
    .process_explained = 0.5,

    /* --- what would have shown (confidence.c) ---------------------------------------- */

    /* Objects of Poisson arrivals that all stay, of which four of five series show: dealt
     * out by tests/core/ranking/test_confidence.c, which fails if fewer do. Order finds
     * three of four of those that came last; the others count as one that went and one that
     * comes, so that it takes a few more. In a long series it takes ten in three steps, or
     * too many of them have none. */
    .shows_by_events = 20,
    .shows_by_order = 25,
    .shows_in_three_steps = 10,
    /* An all-clear is sure if a leak of so many objects a step would have shown; by counts,
     * which tell no number, from five snapshots on. */
    .sure_a_step = 7,
    .sure_snapshots_by_counts = 5,
};

#endif
