/* The process apart from its objects: the record of a series, and the columns of its
 * account. */
#include "report/process_account.h"
#include "report/records.h"

#include <math.h>

static const char *part_word(unsigned i)
{
    return hd_process_part_name((enum hd_process_part)i);
}

/* Classes of native memory. */
static const char *class_word(unsigned i)
{
    bool is_class = i == HD_FACT_OF_ARENAS || i == HD_FACT_OF_BRK ||
                    i == HD_FACT_OF_LARGE || i == HD_FACT_OF_SMALL;
    return is_class ? hd_fact_name((enum hd_fact)i) : NULL;
}

/* --- a series ------------------------------------------------------------------------ */

#define T struct hd_process_growth

#define OF_PART(name, part, doc) FIELD(name, SERIES(parts[part]), NEVER_NULL, doc)
static const struct record_field parts_fields[] = {
    OF_PART("objects", HD_PART_OBJECTS, "The heap in use."),
    OF_PART("free", HD_PART_FREE, "Free space between objects."),
    OF_PART("collector", HD_PART_GC, "Memory reserved by the collector."),
    OF_PART("code", HD_PART_CODE, "Compiled code."),
    OF_PART("stacks", HD_PART_STACKS, "Stacks of threads."),
    OF_PART("files", HD_PART_FILES, "Mapped files."),
    OF_PART("native", HD_PART_NATIVE, "Native memory: everything else."),
};
static const RECORD_OF(
    process_parts, NULL, parts_fields,
    "Bytes of each part, one value per snapshot, null if unknown; they sum to `size`.");

static const struct record_field holder_fields[] = {
    FIELD("type", TEXT(holder), NEVER_NULL, "The type."),
    FIELD("first", UINT64(holder_first), NEVER_NULL, "Instances in the first snapshot."),
    FIELD("last", UINT64(holder_last), NEVER_NULL, "Instances in the last snapshot."),
};
static const RECORD_OF(process_holder, NULL, holder_fields,
                       "A type that by its name holds native memory and that grows along; "
                       "null if there is none.");

KNOWN(has_holder, x->holder != NULL)

static const struct record_field growth_fields[] = {
    FIELD("size", SERIES(size), NEVER_NULL,
          "Resident and swapped-out bytes of the process, one value per snapshot; null if "
          "unknown, and where a snapshot was left out of the ranking."),
    FIELD("parts", GROUP(record_process_parts), NEVER_NULL, NULL),
    FIELD("threads", SERIES(threads), NEVER_NULL,
          "Threads, one value per snapshot; null if unknown, and where a snapshot was left "
          "out of the ranking."),
    FIELD("growth", INT64(growth), NEVER_NULL,
          "Bytes gained by the process between the first and the last known size."),
    FIELD("explained", REAL(explained), MAY_BE_NULL,
          "Share of the growth that objects explain; null if the process did not grow.",
          "\"minimum\": 0"),
    FIELD("where", CHOICE(where, part_word, HD_PART_COUNT), MAY_BE_NULL,
          "The part with sustained growth that gained most; null if there is none."),
    FIELD("within", CHOICE(within, class_word, HD_FACT_COUNT), MAY_BE_NULL,
          "The class of native memory that gained most, as in the `process_facts` of "
          "heapdrift-info; null if unknown, and for other parts."),
    FIELD("outside", TRUTH(is_outside), NEVER_NULL,
          "True if parts have sustained growth, and objects explain less than half of the "
          "growth."),
    FIELD("undivided", TRUTH(is_undivided), NEVER_NULL,
          "True if the process has sustained growth, but its division into parts is "
          "unknown."),
    FIELD("hint", TEXT(hint), MAY_BE_NULL,
          "Hint: a section of docs/hints.md; null if there is none.", SCHEMA_HINT),
    FIELD("holder", GROUP(record_process_holder), MAY_BE_NULL, NULL, NULL, has_holder),
};
const RECORD_OF(process_growth, NULL, growth_fields,
                "Growth of the process outside its objects (docs/process.md); null if "
                "fewer than two comparable snapshots have its size.");
#undef T

/* --- the account --------------------------------------------------------------------- */

#define T struct hd_process_row

/* Snapshots of the first and the last value. */
static size_t first_of(const struct hd_model *m)
{
    return m->diff != NULL && m->diff->process != NULL ? m->diff->process->first : 0;
}

static size_t last_of(const struct hd_model *m)
{
    return m->diff != NULL && m->diff->process != NULL ? m->diff->process->last
                                                       : m->snapshot_count - 1;
}

CELLS(first_cell, x->is_count ? HD_CELL_COUNT : HD_CELL_SIZE, .a = x->at[first_of(m)])
CELLS(last_cell, x->is_count ? HD_CELL_COUNT : HD_CELL_SIZE, .a = x->at[last_of(m)])
CELLS(change_cell, x->is_count ? HD_CELL_COUNT_CHANGE : HD_CELL_SIZE_CHANGE,
      .a = x->at[first_of(m)], .b = x->at[last_of(m)])
CELLS(trend_cell, HD_CELL_TREND, .counts = x->at)
CELLS(part_cell, HD_CELL_WORD, .text = x->name)

static struct hd_cell share_cell(const struct hd_model *m, const void *of)
{
    const T *x = of;
    uint64_t whole = m->account[0].at[last_of(m)], part = x->at[last_of(m)];
    bool known = !x->is_count && part != HD_UNKNOWN && whole != HD_UNKNOWN && whole > 0;
    return (struct hd_cell){.kind = known ? HD_CELL_SHARE : HD_CELL_NONE,
                            .share = known ? (double)part / (double)whole : NAN};
}

static const struct record_field account_fields[] = {
    LISTED("first", "first", SIZE, first_cell),
    LISTED("last", "last", SIZE, last_cell),
    LISTED("change", "change", SIZE_CHANGE, change_cell),
    LISTED("trend", "trend", TREND, trend_cell, .file = ""),
    LISTED("share", "share", SHARE, share_cell),
    LISTED("part", "part", WORD, part_cell, .is_subject = true),
};
const struct record record_account_row = {.doc = "A row of the account of a process.",
                                          FIELDS(account_fields),
                                          .lines = "first last change trend@60 part",
                                          .screen =
                                              "first:10 last:10 change:11@60 trend@70 part",
                                          .last_screen = "last:10 share:7@50 part"};
#undef T
