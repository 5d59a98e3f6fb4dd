#include "fuzz/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY = 2048 };

static size_t make_table(char *to, int step)
{
    return (size_t)snprintf(to, CAPACITY,
                            "type,count,bytes\nMyApp.Order,%d,%d\nSystem.String,%d,4000\n"
                            "MyApp.Cache,1,24\n",
                            10 * step + 10, 240 * step + 240, 100 + step % 2);
}

static size_t make_graph(char *to, int step)
{
    int count = 2 * step + 2;
    int n = snprintf(to, CAPACITY,
                     "a 2 shop.exe 10\nt 1 System.Object[]\nt 2 MyApp.Order\n"
                     "o 100 1 400");
    for (int i = 0; i < count; i++)
        n += snprintf(to + n, CAPACITY - (size_t)n, " %x", 0x200 + i);
    for (int i = 0; i < count; i++)
        n += snprintf(to + n, CAPACITY - (size_t)n, "\no %x 2 40", 0x200 + i);
    return (size_t)(n + snprintf(to + n, CAPACITY - (size_t)n,
                                 "\nr 100 4 0 2\nr 201 3 0\nc shop.exe 20\n"));
}

void series_open(struct hd_snapshot *snaps[SERIES_STEPS], bool graphs)
{
    static char texts[SERIES_STEPS][CAPACITY];
    for (int i = 0; i < SERIES_STEPS; i++) {
        size_t size = graphs ? make_graph(texts[i], i) : make_table(texts[i], i);
        snaps[i] = hd_snapshot_from_memory(texts[i], size, NULL, NULL);
        if (snaps[i] == NULL)
            abort();
    }
}

void series_close(struct hd_snapshot *snaps[SERIES_STEPS])
{
    for (int i = 0; i < SERIES_STEPS; i++)
        hd_snapshot_close(snaps[i]);
}
