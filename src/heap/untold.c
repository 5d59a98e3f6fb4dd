#include "heap/untold.h"

#include <string.h>

static const struct {
    const char *name, *words;
} reasons[HD_UNTOLD_COUNT] = {
    [HD_UNTOLD_REFUSED] = {"refused", "the process opened no session for it"},
    [HD_UNTOLD_ENDED] = {"ended", "the process ended the session"},
    [HD_UNTOLD_TOO_MUCH] = {"too-much", "its collector moves more than can be told without "
                                        "slowing it down"},
    [HD_UNTOLD_LOST] = {"lost-events", "the process lost events"},
    [HD_UNTOLD_GAPS] = {"gaps", "what the process tells of its collections has gaps"},
    [HD_UNTOLD_MISPLACED] = {"misplaced",
                             "objects are not where the process says they are"},
    [HD_UNTOLD_RESTARTED] = {"restarted", "it is another process"},
    [HD_UNTOLD_INCOMPLETE] = {"incomplete",
                              "the snapshot, or the one before, is incomplete"}};

const char *hd_untold_name(enum hd_untold why)
{
    return (unsigned)why < HD_UNTOLD_COUNT ? reasons[why].name : NULL;
}

const char *hd_untold_words(enum hd_untold why)
{
    return (unsigned)why < HD_UNTOLD_COUNT ? reasons[why].words : NULL;
}

enum hd_untold untold_named(const char *name, size_t len)
{
    for (int i = HD_UNTOLD_NOTHING + 1; i < HD_UNTOLD_COUNT; i++)
        if (strlen(reasons[i].name) == len && memcmp(reasons[i].name, name, len) == 0)
            return (enum hd_untold)i;
    return HD_UNTOLD_NOTHING;
}
