#include "heap/warning.h"

#include "base/alloc.h"

#include <stdlib.h>

const struct warning_text warning_texts[WARN_CODE_COUNT] = {
    [WARN_UNKNOWN_VERSION] = {"unknown-version",
                              "format version is not 2; read as version 2"},
    [WARN_UNKNOWN_TYPE] = {"unknown-type",
                           "type without a name; counted as <unknown type>"},
    [WARN_DANGLING_REFERENCE] = {"dangling-reference",
                                 "reference to an object missing from the dump; dropped"},
    [WARN_DANGLING_ROOT] = {"dangling-root",
                            "root of an object missing from the dump; dropped"},
    [WARN_UNKNOWN_CONTAINER] = {"unknown-container",
                                "static root in an undefined type; shown as static ?"},
    [WARN_MISSING_CONTAINER] = {"missing-container",
                                "static root without a type; shown as static ?"},
    [WARN_UNKNOWN_ROOT_KIND] = {"unknown-root-kind", "unknown root kind; read as other"},
    [WARN_UNKNOWN_ROOT_FLAG] = {"unknown-root-flag", "unknown root flag; ignored"},
    [WARN_REPEATED_TYPE] = {"repeated-type", "type defined twice with the same name"},
    [WARN_REPEATED_DOMAIN] =
        {"repeated-domain",
         "two sections with the same name: possibly two dumps in one file"},
    [WARN_DOMAIN_NAME_MISMATCH] = {"domain-name-mismatch",
                                   "a section begins and ends under different names"},
    [WARN_SIZES_LOOK_DECIMAL] =
        {"sizes-look-decimal",
         "no size contains a digit from a to f; if sizes are decimal, use --size-base=10"},
    [WARN_NO_ROOTS] =
        {"no-roots",
         "no root keeps anything alive: chains and reachable sizes are unknown"},
    [WARN_FILTERED] = {"filtered", "the table was filtered: types are missing"},
    [WARN_DEAD_OBJECTS_ONLY] =
        {"dead-objects-only",
         "the table lists garbage only (-dead); its growth is not a leak"},
    [WARN_BYTES_UNKNOWN] = {"bytes-unknown",
                            "no sizes in bytes; only counts can be compared"},
    [WARN_NO_TRAILER] = {"no-trailer",
                         "the end of the file is damaged; everything before it was read"},
    [WARN_SIZE_MISMATCH] = {"size-mismatch",
                            "object sizes do not add up to the stored total"},
    [WARN_EMPTY_HEAP] = {"empty-heap", "no objects in the snapshot"},
    [WARN_INCOMPLETE] = {"incomplete", "objects may be missing"},
    [WARN_RUNTIME_MISMATCH] = {"runtime-mismatch",
                               "what was read of the runtime contradicts itself"},
    [WARN_SAMPLED] = {"sampled", "sampled heap: bytes are scaled up, counts are estimates"},
    [WARN_MOSTLY_UNREACHABLE] = {"mostly-unreachable",
                                 "more than half of the objects are unreachable"},
    [WARN_GARBAGE_COUNTED] =
        {"garbage-counted",
         "garbage is included: without a graph, unreachable objects are unknown"},
    [WARN_SEVERAL_SNAPSHOTS] = {"several-snapshots",
                                "one of several snapshots in a file; FILE#1 is the first"},
    [WARN_ORDER_UNKNOWN] =
        {"order-unknown",
         "neither times nor names give an order; name the files in order of time"},
    [WARN_NAMES_BORROWED] =
        {"names-borrowed",
         "types without names; names taken from another snapshot of the same process"},
    [WARN_SAME_SNAPSHOT] = {"same-snapshot", "identical to an earlier snapshot"},
    [WARN_OUT_OF_ORDER] = {"out-of-order", "not taken after the previous snapshot"},
    [WARN_DIFFERENT_PROCESS] = {"different-process",
                                "not from the same process as the previous snapshot"},
    [WARN_DIFFERENT_PROGRAM] = {"different-program",
                                "shares no application type with the previous snapshot"},
    [WARN_FEW_SNAPSHOTS] =
        {"few-snapshots",
         "fewer than four comparable snapshots: cannot tell a leak from warm-up"},
    [WARN_FILTERS_DIFFER] = {"filters-differ", "the tables may have different filters"},
    [WARN_FIELDS_UNKNOWN] = {"fields-unknown",
                             "no field names in this snapshot; --fields has no effect"},
    [WARN_NAMES_DIFFER] = {"names-differ",
                           "names static variables by their declaring class, other "
                           "snapshots by the type of the value: they do not match"},
    [WARN_STORED_SAMPLES] = {"stored-samples",
                             "a digest: chains and survivors are those of its samples"},
    [WARN_TOTAL_DROPS] =
        {"total-drops", "heap is less than half as large as before and after; not ranked"},
    [WARN_NAMES_MISSING] = {"names-missing",
                            "most of its types have no names, so it cannot be compared "
                            "with the others; not ranked"},
    [WARN_NATIVE_MEMORY] = {"native-memory",
                            "a type with memory outside the heap grows in every step"},
    [WARN_UNEXPLAINED_GROWTH] = {"unexplained-growth", "part of the growth is unexplained"},
    [WARN_GROWTH_LEVELED_OFF] = {"growth-stopped",
                                 "grew, then leveled off; was the load still running?"},
    [WARN_POOL_GROWTH] = {"pool-growth", "buffer pools and threads hold much more"},
    [WARN_NO_SUCH_TYPE] = {"no-such-type", "--type matches no row"},
    [WARN_UNUSED_BUDGET] = {"unused-budget", "the budget matches nothing"},
    [WARN_UNUSED_SUPPRESSION] = {"unused-suppression",
                                 "the suppression matches nothing; remove it"},
    [WARN_EXPIRED_SUPPRESSION] = {"expired-suppression",
                                  "the suppression has expired, and no longer applies"},
    [WARN_DIFFERENT_BASELINE] =
        {"different-baseline",
         "the baseline is from a run of another length; it is scaled to this run"},
    [WARN_NO_UNIT] = {"no-unit", "limit without a unit; write 5MiB, 5% or 5B"},
    [WARN_RUNS_NOT_JUDGED] = {"runs-not-judged",
                              "runs that allow no verdict; not counted as healthy"},
    [WARN_SNAPSHOTS_DAMAGED] =
        {"snapshots-damaged",
         "runs with unreadable snapshots; those snapshots were skipped"},
    [WARN_HOST_UNKNOWN] = {"host-unknown",
                           "runs without a host; those of a service count as one host"},
    [WARN_SHARDS_MISSING] = {"shards-missing", "parts are missing"},
};

static struct warning *find_or_add(struct warnings *w, enum warning_code code)
{
    for (size_t i = 0; i < w->len; i++)
        if (w->all[i].code == code)
            return &w->all[i];
    w->all = grow(w->all, w->len, &w->cap, sizeof(*w->all));
    w->all[w->len] = (struct warning){.code = code};
    return &w->all[w->len++];
}

void warnings_add(struct warnings *w, enum warning_code code, uint64_t line)
{
    struct warning *found = find_or_add(w, code);
    if (found->count++ == 0)
        found->line = line;
}

void warnings_add_detail(struct warnings *w, enum warning_code code, const char *detail)
{
    struct warning *found = find_or_add(w, code);
    found->detail = detail;
}

void warnings_take_back(struct warnings *w, enum warning_code code, uint64_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->len; i++) {
        struct warning *found = &w->all[i];
        if (found->code == code)
            found->count -= count < found->count ? count : found->count;
        if (found->code != code || found->count > 0)
            w->all[kept++] = *found;
    }
    w->len = kept;
}

const struct warning *warnings_find(const struct warnings *w, enum warning_code code)
{
    for (size_t i = 0; i < w->len; i++)
        if (w->all[i].code == code)
            return &w->all[i];
    return NULL;
}

void warnings_free(struct warnings *w)
{
    free(w->all);
    *w = (struct warnings){0};
}
