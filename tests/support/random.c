#include "support/random.h"

struct random random_from(uint64_t seed)
{
    /* Spreads small seeds over all bits; an odd factor maps only one seed to 0. */
    const uint64_t golden_ratio = 0x9E3779B97F4A7C15;
    uint64_t state = (seed + 1) * golden_ratio;
    return (struct random){state != 0 ? state : 1};
}

/* G. Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (2003). */
uint64_t random_u64(struct random *r)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return r->state;
}

uint32_t random_below(struct random *r, uint32_t n)
{
    return (uint32_t)((random_u64(r) >> 32) * n >> 32);
}
