#include "collect/collect_options.h"

#include "base/options.h"

enum { DEFAULT_SILENCE_MS = 30000 };

bool collect_options_take(struct hd_collect_options *how,
                          const struct hd_collect_options *theirs, struct hd_error *err)
{
    if (!options_take(how, sizeof(*how), OPTIONS_END(struct hd_collect_options, context),
                      theirs, err))
        return false;
    how->silence_ms = how->silence_ms > 0 ? how->silence_ms : DEFAULT_SILENCE_MS;
    return true;
}

bool collect_goes_on(const struct hd_collect_options *how,
                     const struct hd_collect_progress *so_far)
{
    static const struct hd_collect_progress nothing_yet;
    return how->go_on == NULL ||
           how->go_on(how->context, so_far != NULL ? so_far : &nothing_yet);
}
