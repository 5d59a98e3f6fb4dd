/* A fleet in files, for tests of stores and shards:
 *
 *     make-fleet FOLDER HOSTS SNAPSHOTS
 *
 * FOLDER/host-007/3.gcdump is the fourth snapshot of one process on host-007, an hour
 * after the third. Hosts 1, 2 and 3 of every five leak App.Sessions from their second
 * snapshot on, others have only noise; host 0 of every ten has a cache that is large from
 * the start. The same arguments give the same bytes. */
#include "support/made_heap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIST "System.Collections.Generic.List"

enum { HOUR = 3600, ORDERS = 300, SESSIONS = 40, LEAKED = 60, CACHED = 2000 };

/* 2026-11-01T00:00:00 */
static const double begin = 1793491200;

static const struct item order = {
    .stream = 1,
    .part_count = 2,
    .parts = {{BY_HOLDER, "App.Order", 48, 0, false}, {0, "System.String", 32, 64, false}}};
static const struct item session = {.stream = 2,
                                    .part_count = 3,
                                    .parts = {{BY_HOLDER, "App.Session", 64, 0, false},
                                              {0, "System.String", 40, 40, false},
                                              {0, "System.Byte[]", 256, 512, false}}};
static const struct item price = {
    .stream = 3, .part_count = 1, .parts = {{BY_HOLDER, "App.Price", 40, 0, false}}};

static void add_list(struct made_heap *h, const struct item *item, const char *list,
                     const char *array, const char *holder, uint32_t count)
{
    const struct items all = {.item = item, .count = count};
    node_id made = made_list(h, list, array, &all);
    made_items(h, &all);
    made_static(h, holder, made);
}

static struct hd_snapshot *make(unsigned host, unsigned number)
{
    struct made_heap h;
    uint64_t seed = 1000 + host;
    bool leaks = host % 5 >= 1 && host % 5 <= 3;
    uint32_t noise = (uint32_t)(made_chance(seed, 9, number) % 30);
    made_heap_begin(&h, seed);
    builder_keep_source(&h.builder);
    add_list(&h, &order, LIST "<App.Order>", "App.Order[]", "App.Shop.s_orders",
             ORDERS + noise);
    add_list(&h, &session, LIST "<App.Session>", "App.Session[]", "App.Sessions.s_open",
             SESSIONS + (leaks ? LEAKED * number : noise / 4));
    add_list(&h, &price, LIST "<App.Price>", "App.Price[]", "App.Prices.s_cache",
             host % 10 == 0 ? CACHED : 20);
    return made_heap_finish(&h);
}

/* Further facts from a collector. */
static void describe(struct hd_snapshot *snap, unsigned host, unsigned number)
{
    struct hd_origin origin = {.instance = made_chance(7, 8, host) | 1};
    snprintf(origin.host, sizeof(origin.host), "host-%03u", host);
    snprintf(origin.program, sizeof(origin.program), "/usr/bin/dotnet /app/Shop.dll");
    snprintf(origin.started, sizeof(origin.started), "2026-10-31T%02u:%02u:00",
             host / 60 % 24, host % 60);
    snprintf(origin.runtime, sizeof(origin.runtime), "10.0.12");
    hd_snapshot_set_origin(snap, &origin);
    snap->clock = begin + HOUR * (double)number + host;
    snap->clock_is_date = true;
    snap->info.time = "";
    snap->info.process = "Shop";
    snap->info.pid = 1000 + host;
}

static bool write(struct hd_snapshot *snap, const char *path)
{
    struct hd_error err = {0};
    FILE *to = fopen(path, "w");
    bool ok = to != NULL && hd_snapshot_write(snap, "gcdump", hd_sink_file(to), NULL, &err);
    if ((to != NULL && fclose(to) != 0) || !ok) {
        fprintf(stderr, "%s: %s\n", path, to == NULL ? strerror(errno) : err.message);
        return false;
    }
    return true;
}

static bool make_host(const char *folder, unsigned host, unsigned count)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/host-%03u", folder, host);
    bool ok = mkdir(path, 0777) == 0 || errno == EEXIST;
    for (unsigned k = 0; ok && k < count; k++) {
        struct hd_snapshot *snap = make(host, k);
        describe(snap, host, k);
        snprintf(path, sizeof(path), "%s/host-%03u/%u.gcdump", folder, host, k);
        ok = write(snap, path);
        hd_snapshot_close(snap);
    }
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: make-fleet FOLDER HOSTS SNAPSHOTS\n", stderr);
        return 2;
    }
    unsigned hosts = (unsigned)strtoul(argv[2], NULL, 10);
    unsigned count = (unsigned)strtoul(argv[3], NULL, 10);
    bool ok = mkdir(argv[1], 0777) == 0 || errno == EEXIST;
    for (unsigned host = 0; ok && host < hosts; host++)
        ok = make_host(argv[1], host, count);
    return ok ? 0 : 1;
}
