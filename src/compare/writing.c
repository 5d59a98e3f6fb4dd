/* A snapshot as another format. A digest is made of what analyses find, so that comes
 * first; the rest is format/snapshot_writer.h. */
#include "base/error.h"
#include "compare/plan.h"
#include "digest/digest_build.h"
#include "format/open.h"
#include "format/snapshot_writer.h"

/* Nobody else must take the digest for one that was read: it goes when it is written. */
static bool write_built(struct hd_snapshot *snap, const struct snapshot_writer *w,
                        struct hd_sink to, struct hd_losses *lost, struct hd_error *err)
{
    struct plan plan;
    uint64_t sum;
    if (!snapshot_need_graph(snap, err) ||
        !plan_graphs(&plan, &snap, 1, plan_dominators, &snap->read, err))
        return false;
    struct arena scratch = {0};
    snap->digest = digest_build(snap, &scratch);
    if (snapshot_checksum(snap, &sum))
        snap->digest->source_xxh3 = sum;
    bool ok = snapshot_write(snap, w, to, lost, err);
    snap->digest = NULL;
    arena_free(&scratch);
    return ok;
}

bool hd_snapshot_write(struct hd_snapshot *snap, const char *target, struct hd_sink to,
                       struct hd_losses *lost, struct hd_error *err)
{
    const struct snapshot_writer *w = snapshot_writer_named(target);
    if (w == NULL)
        return fail(err, HD_USAGE, "unknown target format: %s", target);
    bool boils = (w->holds & FACT_OWNERS) && snap->digest == NULL && snap->info.has_graph &&
                 !snap->read.tables_only;
    return boils ? write_built(snap, w, to, lost, err)
                 : snapshot_write(snap, w, to, lost, err);
}
