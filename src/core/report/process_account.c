#include "report/process_account.h"

#include "report/phrases.h"

#include <string.h>

/* Facts with a row, in their order: below native memory, and after all parts. */
static const struct {
    enum hd_fact fact;
    const char *name;
} classes[] = {{HD_FACT_OF_ARENAS, "arenas of malloc"},
               {HD_FACT_OF_BRK, "[heap] of malloc"},
               {HD_FACT_OF_LARGE, "blocks of 1 MiB and more"},
               {HD_FACT_OF_SMALL, "smaller blocks"}},
  counts[] = {{HD_FACT_THREADS, "threads"},
              {HD_FACT_SOCKETS, "sockets"},
              {HD_FACT_REGULAR, "open files"},
              {HD_FACT_PIPES, "pipes"},
              {HD_FACT_OTHERS, "other descriptors"}};
enum {
    CLASSES = sizeof(classes) / sizeof(*classes),
    COUNTS = sizeof(counts) / sizeof(*counts),
    MAX_ROWS = 1 + HD_PART_COUNT + CLASSES + COUNTS
};

struct account_rows {
    const struct hd_snapshot_facts *snapshots;
    size_t count;
    const bool *is_left_out;
    struct hd_process_row *rows;
    size_t len;
    struct arena *arena;
};

const char *process_account_name(enum hd_fact fact)
{
    for (size_t i = 0; i < CLASSES; i++)
        if (classes[i].fact == fact)
            return classes[i].name;
    for (size_t i = 0; i < COUNTS; i++)
        if (counts[i].fact == fact)
            return counts[i].name;
    return NULL;
}

/* Returns the values of a row, all unknown. */
static uint64_t *begin_values(const struct account_rows *to)
{
    uint64_t *at = arena_array(to->arena, uint64_t, to->count);
    for (size_t k = 0; k < to->count; k++)
        at[k] = HD_UNKNOWN;
    return at;
}

/* Appends the row if any of its values is known. */
static void end_row(struct account_rows *to, struct hd_process_row row)
{
    bool any = false;
    for (size_t k = 0; k < to->count; k++)
        any |= row.at[k] != HD_UNKNOWN;
    if (any)
        to->rows[to->len++] = row;
}

/* The size of the process, and its parts; HD_UNKNOWN of a snapshot that is left out. */
static uint64_t parts_of(const struct account_rows *to, size_t k,
                         uint64_t parts[HD_PART_COUNT])
{
    const struct hd_snapshot_facts *s = &to->snapshots[k];
    if (to->is_left_out != NULL && to->is_left_out[k])
        return HD_UNKNOWN;
    return hd_process_parts(&s->facts, s->info.bytes, parts);
}

static void add_size(struct account_rows *to)
{
    uint64_t *at = begin_values(to), parts[HD_PART_COUNT];
    for (size_t k = 0; k < to->count; k++)
        at[k] = parts_of(to, k, parts);
    end_row(to, (struct hd_process_row){.name = "process", .at = at});
}

static void add_part(struct account_rows *to, enum hd_process_part part)
{
    uint64_t *at = begin_values(to), parts[HD_PART_COUNT];
    for (size_t k = 0; k < to->count; k++)
        if (parts_of(to, k, parts) != HD_UNKNOWN)
            at[k] = parts[part];
    end_row(to, (struct hd_process_row){.name = phrase_part(part), .depth = 1, .at = at});
}

static void add_of_fact(struct account_rows *to, enum hd_fact fact, unsigned depth)
{
    uint64_t *at = begin_values(to), parts[HD_PART_COUNT];
    for (size_t k = 0; k < to->count; k++)
        if (parts_of(to, k, parts) != HD_UNKNOWN)
            at[k] = hd_fact(&to->snapshots[k].facts, fact);
    end_row(to, (struct hd_process_row){.name = process_account_name(fact),
                                        .depth = depth,
                                        .is_count = hd_fact_is_count(fact),
                                        .at = at});
}

size_t process_account_of(const struct hd_snapshot_facts *snapshots, size_t count,
                          const bool *is_left_out, struct hd_process_row **rows,
                          struct arena *a)
{
    struct account_rows to = {.snapshots = snapshots,
                              .count = count,
                              .is_left_out = is_left_out,
                              .rows = arena_array(a, struct hd_process_row, MAX_ROWS),
                              .arena = a};
    *rows = to.rows;
    add_size(&to);
    if (to.len == 0)
        return 0;
    for (enum hd_process_part p = 0; p < HD_PART_COUNT; p++)
        add_part(&to, p);
    for (size_t i = 0; i < CLASSES; i++)
        add_of_fact(&to, classes[i].fact, 2);
    for (size_t i = 0; i < COUNTS; i++)
        add_of_fact(&to, counts[i].fact, 0);
    return to.len;
}

/* The ranking decides which snapshots of a series can be compared. */
void report_add_account(struct hd_report *r)
{
    const struct hd_process_growth *g = r->diff.process;
    bool is_left_out[HD_MAX_SNAPSHOTS] = {false};
    if (r->kind != HD_REPORT_TOP && g == NULL)
        return;
    for (size_t k = 0; g != NULL && k < r->snapshot_count; k++)
        is_left_out[k] = g->size[k] == HD_UNKNOWN;
    r->account_len = process_account_of(r->snapshots, r->snapshot_count, is_left_out,
                                        &r->account, &r->arena);
}
