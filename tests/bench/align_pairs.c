/* align-pairs - finds the objects of one snapshot in the next, and measures the time.
 *
 *     align-pairs OLDER NEWER [OUT [THREADS]]
 *
 * Prints objects, matches, steps, seconds (wall time, processor time) and the peak memory
 * per object of both; OUT gets, for each node of OLDER, the number of the node in NEWER as
 * four bytes, all ones if unknown. */
#include "heapdrift.h"
#include "identity/same.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Kilobytes, from a line of /proc/self/status. */
static double memory(const char *field)
{
    char line[128];
    double found = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL)
        if (strncmp(line, field, strlen(field)) == 0)
            found = strtod(line + strlen(field) + 1, NULL);
    if (f != NULL)
        fclose(f);
    return found;
}

/* Resets the peak memory. Reads the addresses first, so that their pages of the file do not
 * count. */
static double begin_counting(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    volatile uint64_t sum = 0;
    for (node_id n = 0; n < a->graph->node_count; n++)
        sum += graph_address(a->graph, n);
    for (node_id n = 0; n < b->graph->node_count; n++)
        sum += graph_address(b->graph, n);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f != NULL) {
        fputs("5", f);
        fclose(f);
    }
    return memory("VmRSS");
}

static struct hd_snapshot *read_graph(const char *path)
{
    struct hd_error error = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, &(struct hd_read_options){0}, &error);
    if (snap == NULL) {
        fprintf(stderr, "%s: %s\n", path, error.message);
        exit(2);
    }
    return snap;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s OLDER NEWER [OUT [THREADS]]\n", argv[0]);
        return 2;
    }
    struct hd_snapshot *a = read_graph(argv[1]), *b = read_graph(argv[2]);
    struct same s = {0};
    double before = begin_counting(a, b);
    double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t steps = same_align(&s, a, b, argc > 4 ? (unsigned)atoi(argv[4]) : 1);
    used = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
    double took = seconds(CLOCK_MONOTONIC) - start;
    double bytes = 1024 * (memory("VmHWM") - before);
    uint32_t found = 0;
    for (uint32_t n = 0; n < s.count; n++)
        found += s.next[n] != NO_NODE;
    printf("objects %" PRIu32 " %" PRIu32 " found %" PRIu32 " steps %" PRIu64
           " seconds %.4f processor %.4f bytes each %.1f\n",
           a->graph->node_count, b->graph->node_count, found, steps, took, used,
           bytes / ((double)a->graph->node_count + b->graph->node_count));
    FILE *out = argc > 3 ? fopen(argv[3], "wb") : NULL;
    if (out != NULL) {
        fwrite(s.next, sizeof(*s.next), s.count, out);
        fclose(out);
    }
    same_free(&s);
    hd_snapshot_close(a);
    hd_snapshot_close(b);
    return 0;
}
