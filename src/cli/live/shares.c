#include "cli/live/shares.h"

#include "cli/guard/allocate.h"

#include <math.h>
#include <stdlib.h>

static void forget_unused(struct time_shares *s, double now)
{
    size_t left = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i]->watched == 0 && s->all[i]->rest <= now)
            free(s->all[i]);
        else
            s->all[left++] = s->all[i];
    s->count = left;
}

struct time_share *time_share_of(struct time_shares *s, uint64_t owner, double now)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->all[i]->owner == owner)
            return s->all[i];
    forget_unused(s, now);
    s->all = more(s->all, (s->count + 1) * sizeof(struct time_share *));
    struct time_share *added = zeroed(1, sizeof(*added));
    *added = (struct time_share){.owner = owner, .used = s->turn};
    return s->all[s->count++] = added;
}

static void use(struct time_shares *s, struct time_share *of, double seconds)
{
    s->turn = fmax(s->turn, of->used);
    of->used = s->turn + seconds;
}

void time_share_failed(struct time_shares *s, struct time_share *of, double seconds,
                       double now)
{
    enum { MOST_FAILED = 5 };
    const double share = 20;
    use(s, of, seconds);
    of->failed += of->failed < MOST_FAILED;
    of->rest = now + seconds * fmin(ldexp(1, (int)of->failed) - 1, share - 1);
}

void time_share_succeeded(struct time_shares *s, struct time_share *of, double seconds)
{
    use(s, of, seconds);
    of->failed -= of->failed > 0;
}

void time_shares_free(struct time_shares *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->all[i]);
    free(s->all);
    *s = (struct time_shares){0};
}
