#include "collect/find_target.h"

#include "base/error.h"

#include <inttypes.h>

/* A process that is busy walking its heap does not answer. */
static const struct patience brief = {.silence_ms = 1000};

bool find_target(struct target *t, const struct hd_collect_options *how,
                 struct arena *arena, struct hd_error *err)
{
    if (how->socket != NULL)
        return target_at_socket(t, how->socket, &brief, arena, err);
    if (how->pid > INT32_MAX)
        return fail(err, HD_IO, "there is no process %" PRIu64, how->pid);
    return target_of_process(t, (pid_t)how->pid, &brief, arena, err);
}
