#include "heap/warning.h"

#include "base/alloc.h"

#include <stdlib.h>

const struct warning_text warning_texts[WARN_CODE_COUNT] = {
    [WARN_UNKNOWN_VERSION] = {"unknown-version",
                              "format version is not 2; read as version 2"},
    [WARN_UNKNOWN_TYPE] = {"unknown-type",
                           "type without a name, counted as <unknown type>"},
    [WARN_DANGLING_REFERENCE] = {"dangling-reference",
                                 "reference to an object that is not in the dump; dropped"},
    [WARN_DANGLING_ROOT] = {"dangling-root",
                            "root of an object that is not in the dump; dropped"},
    [WARN_UNKNOWN_CONTAINER] =
        {"unknown-container",
         "static root in a type that is not defined; shown as static ?"},
    [WARN_MISSING_CONTAINER] = {"missing-container",
                                "static root without its type; shown as static ?"},
    [WARN_UNKNOWN_ROOT_KIND] = {"unknown-root-kind", "unknown kind of root; read as other"},
    [WARN_UNKNOWN_ROOT_FLAG] = {"unknown-root-flag", "unknown root flag; ignored"},
    [WARN_REPEATED_TYPE] = {"repeated-type", "type defined twice with the same name"},
    [WARN_REPEATED_DOMAIN] = {"repeated-domain",
                              "two sections of one name: perhaps two dumps in one file"},
    [WARN_DOMAIN_NAME_MISMATCH] = {"domain-name-mismatch",
                                   "a section ends under another name than it began"},
    [WARN_SIZES_LOOK_DECIMAL] = {"sizes-look-decimal",
                                 "no size has a digit a to f; if sizes are decimal, "
                                 "use --size-base=10"},
    [WARN_NO_ROOTS] = {"no-roots", "no root keeps anything alive: chains and reachable "
                                   "sizes are unknown"},
    [WARN_FILTERED] = {"filtered", "the table was made with a filter: types are missing"},
    [WARN_DEAD_OBJECTS_ONLY] =
        {"dead-objects-only",
         "the table lists garbage only (-dead); growth there is no leak"},
    [WARN_BYTES_UNKNOWN] = {"bytes-unknown",
                            "bytes are unknown; only counts can be compared"},
    [WARN_NO_TRAILER] = {"no-trailer",
                         "the end of the file is damaged; everything before it was read"},
    [WARN_SIZE_MISMATCH] = {"size-mismatch",
                            "the sizes of the objects do not add up to the stored total"},
    [WARN_EMPTY_HEAP] = {"empty-heap", "the snapshot holds no objects"},
    [WARN_INCOMPLETE] = {"incomplete", "objects may be missing"},
    [WARN_SAMPLED] = {"sampled",
                      "a sample of the heap: bytes are scaled up, counts are estimates"},
    [WARN_MOSTLY_UNREACHABLE] = {"mostly-unreachable",
                                 "more than half of the objects hang from no root"},
    [WARN_GARBAGE_COUNTED] = {"garbage-counted",
                              "garbage is counted too: what no root reaches cannot be told "
                              "apart without a graph"},
    [WARN_SEVERAL_SNAPSHOTS] = {"several-snapshots",
                                "one of several snapshots in a file; FILE#1 is the first"},
    [WARN_NAMES_BORROWED] =
        {"names-borrowed", "types without names, named as in another snapshot of the same "
                           "process"},
    [WARN_SAME_SNAPSHOT] = {"same-snapshot", "the same as a snapshot before it"},
    [WARN_OUT_OF_ORDER] = {"out-of-order",
                           "not taken later than the snapshot in front of it"},
    [WARN_DIFFERENT_PROCESS] = {"different-process",
                                "from another process than the snapshot before it"},
    [WARN_DIFFERENT_PROGRAM] = {"different-program",
                                "shares no application type with the snapshot before it"},
    [WARN_FEW_SNAPSHOTS] = {"few-snapshots",
                            "fewer than four comparable snapshots cannot tell a leak from "
                            "warm-up"},
    [WARN_FILTERS_DIFFER] = {"filters-differ",
                             "the tables may have been made with different filters"},
    [WARN_FIELDS_UNKNOWN] = {"fields-unknown",
                             "the fields of references are not known here; --fields parts "
                             "nothing"},
    [WARN_NAMES_DIFFER] = {"names-differ",
                           "names static variables by the class that declares them, others "
                           "by the type of their value: they do not line up"},
    [WARN_STORED_SAMPLES] = {"stored-samples",
                             "a digest: chains and survivors are of the samples in it"},
    [WARN_TOTAL_DROPS] = {"total-drops",
                          "less than half of the heap before and after it; left out of the "
                          "ranking"},
    [WARN_NATIVE_MEMORY] =
        {"native-memory", "a type that holds memory outside the heap grows in every step"},
    [WARN_UNEXPLAINED_GROWTH] = {"unexplained-growth",
                                 "the heap keeps growing by what no suspect holds"},
    [WARN_GROWTH_STOPPED] = {"growth-stopped",
                             "what grew has stayed as large; was the load still on?"},
    [WARN_POOL_GROWTH] = {"pool-growth", "buffer pools and threads hold far more"},
    [WARN_NO_SUCH_TYPE] = {"no-such-type", "a --type that matches no row"},
    [WARN_UNUSED_BUDGET] = {"unused-budget", "a budget that matches nothing"},
    [WARN_UNUSED_SUPPRESSION] = {"unused-suppression",
                                 "a suppression that excuses nothing; remove it"},
    [WARN_EXPIRED_SUPPRESSION] = {"expired-suppression",
                                  "a suppression whose day has passed; what it excused "
                                  "counts again"},
    [WARN_DIFFERENT_BASELINE] =
        {"different-baseline",
         "the baseline is of a run of another length; what it accepts is scaled to this "
         "run"},
    [WARN_NO_UNIT] = {"no-unit", "a limit without a unit; write 5MiB, 5% or 5B"},
    [WARN_RUNS_NOT_JUDGED] = {"runs-not-judged",
                              "runs that allow no verdict; they are not called healthy"},
    [WARN_SNAPSHOTS_DAMAGED] = {"snapshots-damaged",
                                "runs with snapshots that cannot be read; those were "
                                "left out"},
    [WARN_HOST_UNKNOWN] = {"host-unknown", "runs that do not tell their host; those of a "
                                           "service count as one host"},
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
