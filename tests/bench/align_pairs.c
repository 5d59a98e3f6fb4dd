/* align-pairs - which object of one snapshot is which of the next, and how long that took.
 *
 *     align-pairs OLDER NEWER [OUT [THREADS]]
 *
 * Prints objects, matches, steps and seconds; OUT gets, for each node of OLDER, the number
 * of the node of NEWER as four bytes, all ones where that is not known. */
#include "heapdrift.h"
#include "identity/align.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
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
    double start = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t steps = same_align(&s, a, b, argc > 4 ? (unsigned)atoi(argv[4]) : 1);
    used = seconds(CLOCK_PROCESS_CPUTIME_ID) - used;
    double took = seconds(CLOCK_MONOTONIC) - start;
    uint32_t found = 0;
    for (uint32_t n = 0; n < s.count; n++)
        found += s.next[n] != NO_NODE;
    printf("objects %" PRIu32 " %" PRIu32 " found %" PRIu32 " steps %" PRIu64
           " seconds %.4f cpu %.4f\n",
           a->graph->node_count, b->graph->node_count, found, steps, took, used);
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
