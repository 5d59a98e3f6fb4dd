#include "cli/explore/cohorts.h"

#include "cli/explore/grid.h"
#include "cli/explore/view.h"

/* Of more who reads the sentence is told enough. */
enum { MOST_COHORTS = 8, BETWEEN = 2 };

static uint64_t cohort_at(const struct hd_births *b, size_t j, size_t k)
{
    size_t begin = j * b->count - j * (j - 1) / 2; /* behind count, count - 1, ... */
    return b->at[begin + k - j];
}

/* Cell k of a line; line 0 has the numbers of snapshots, line j + 1 is of cohort j. */
static const char *cell_of(const struct hd_births *b, size_t line, size_t k,
                           struct hd_memory *text)
{
    text->size = 0;
    if (line == 0)
        hd_put_count(hd_sink_memory(text), b->snapshot[k] + 1);
    else if (k + 1 >= line)
        hd_put_count(hd_sink_memory(text), cohort_at(b, line - 1, k));
    return text->size > 0 ? text->bytes : "";
}

static const char *name_of(const struct hd_births *b, size_t line, struct hd_memory *text)
{
    text->size = 0;
    if (line > 1) {
        print_to(hd_sink_memory(text), "new in ");
        hd_put_count(hd_sink_memory(text), b->snapshot[line - 1] + 1);
    }
    return line == 0 ? "snapshot" : line == 1 ? "older" : text->bytes;
}

/* Columns of text in column i of all lines, from 0 on: the names, then the snapshots. */
static unsigned width_of(const struct hd_births *b, size_t i)
{
    struct hd_memory text = {0};
    unsigned most = 0;
    for (size_t line = 0; line <= b->count; line++) {
        unsigned wide =
            grid_columns(i == 0 ? name_of(b, line, &text) : cell_of(b, line, i - 1, &text));
        most = wide > most ? wide : most;
    }
    hd_memory_free(&text);
    return most;
}

unsigned cohorts_lines(const struct hd_births *b, unsigned columns)
{
    if (b == NULL || b->count > MOST_COHORTS)
        return 0;
    unsigned all = width_of(b, 0);
    for (size_t i = 1; i <= b->count; i++)
        all += BETWEEN + width_of(b, i);
    return all <= columns ? (unsigned)b->count + 1 : 0;
}

void cohorts_line(const struct hd_births *b, unsigned i, struct hd_sink to)
{
    struct hd_memory text = {0};
    const char *name = name_of(b, i, &text);
    print_to(to, "%s%*s", name, (int)(width_of(b, 0) - grid_columns(name)), "");
    for (size_t k = 0; k < b->count; k++) {
        const char *cell = cell_of(b, i, k, &text);
        print_to(to, "%*s%s", (int)(BETWEEN + width_of(b, k + 1) - grid_columns(cell)), "",
                 cell);
    }
    hd_memory_free(&text);
}
