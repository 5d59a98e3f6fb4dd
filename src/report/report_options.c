/* What a caller asks for, and what is usual. */
#include "base/options.h"
#include "report/report.h"

#include <string.h>

void hd_set_default_options(struct hd_options *opt, size_t size)
{
    const struct hd_options usual = {.size = size,
                                     .rows = HD_DEFAULT_ROWS,
                                     .min_share = usual_line.share,
                                     .min_steady_share = usual_line.steady_share,
                                     .chains = 3,
                                     .samples = 32,
                                     .depth = HD_USUAL_DEPTH,
                                     .least_kept_share = 0.005};
    memset(opt, 0, size);
    memcpy(opt, &usual, size < sizeof(usual) ? size : sizeof(usual));
}

bool report_options(struct hd_options *ours, const struct hd_options *theirs,
                    struct hd_error *err)
{
    if (theirs != NULL)
        return options_take(ours, sizeof(*ours), OPTIONS_END(struct hd_options, exact),
                            theirs, err);
    *ours = hd_default_options();
    return true;
}
