#include "series/trend.h"

#include <criterion/criterion.h>
#include <math.h>

/* Exact, from rational arithmetic (Python, math.comb). */
Test(fleet_chance, is_that_of_fisher)
{
    static const struct {
        uint64_t before_with, before_without, since_with, since_without;
        double log_chance;
    } all[] = {
        {1, 3, 3, 1, -1.4152818979931432}, /* the lady tasting tea: 0.2429 */
        {0, 240, 120, 240, -71.005273776772512},  {0, 1000, 1, 1, -6.2166061010848646},
        {5, 95, 30, 70, -13.242359513354096},     {50, 50, 50, 50, -0.5866133353888614},
        {10, 10, 2, 18, -0.00062401090660735292}, {0, 5, 5, 0, -5.5294290875114234},
        {1, 400, 180, 120, -192.17877256875127}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        double got = chance_log(all[i].before_with, all[i].before_without,
                                all[i].since_with, all[i].since_without);
        cr_expect_lt(fabs(got - all[i].log_chance), 1e-9 * fabs(all[i].log_chance) + 1e-12,
                     "%zu: %.17g", i, got);
    }
}

static double choose(unsigned n, unsigned k)
{
    double ways = 1;
    for (unsigned i = 1; i <= k; i++)
        ways = ways * (n - k + i) / i;
    return k > n ? 0 : ways;
}

/* The sum in the definition. */
static double defined(unsigned bw, unsigned bo, unsigned sw, unsigned so)
{
    double sum = 0;
    for (unsigned k = sw; k <= sw + so && k <= sw + bw; k++)
        sum += choose(sw + so, k) * choose(bw + bo, sw + bw - k);
    return sum / choose(bw + bo + sw + so, sw + bw);
}

Test(fleet_chance, is_its_definition_for_every_small_table)
{
    enum { MAX_CELL = 7 };
    for (unsigned i = 0; i < MAX_CELL * MAX_CELL * MAX_CELL * MAX_CELL; i++) {
        unsigned bw = i % MAX_CELL, bo = i / MAX_CELL % MAX_CELL,
                 sw = i / (MAX_CELL * MAX_CELL) % MAX_CELL,
                 so = i / (MAX_CELL * MAX_CELL * MAX_CELL);
        double got = exp(chance_log(bw, bo, sw, so));
        double wanted = bw + bo == 0 || sw + so == 0 ? 1 : defined(bw, bo, sw, so);
        cr_expect_lt(fabs(got - wanted), 1e-12, "%u %u %u %u: %.17g, not %.17g", bw, bo, sw,
                     so, got, wanted);
    }
}

Test(fleet_chance, is_stable_for_very_many_runs)
{
    double p = chance_log(0, 50000, 40000, 10000);
    cr_expect(isfinite(p) && p < -30000, "%g", p);
    cr_expect_eq(chance_log(0, 100000, 0, 100000), 0);
    cr_expect_lt(fabs(exp(chance_log(5000, 45000, 5000, 45000)) - 0.5), 0.01);
    cr_expect(isfinite(chance_log(1000000000, 1000000000, 1000000100, 999999900)));
    cr_expect_leq(chance_log(1000000000, 1000000000, 1000000100, 999999900), 0);
}
