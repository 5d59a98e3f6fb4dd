/* asked_fleet.h - a fleet that a test fills by hand, and its answer. Global state, because
 * each test has its own process. */
#ifndef ASKED_FLEET_H
#define ASKED_FLEET_H

#include "fleet/answer.h"
#include "fleet/made_runs.h"

#include <stdio.h>
#include <string.h>

static struct hd_fleet *f;
static struct arena arena;
static struct hd_fleet_answer a;
static struct hd_fleet_options opt;
static uint64_t series;

static void begin(void)
{
    f = made_fleet(0, 0);
    hd_fleet_set_default_options(&opt);
    series = 0;
}
static void end(void)
{
    hd_fleet_free(f);
    arena_free(&arena);
}

static void add(struct made_run m)
{
    made_add(f, ++series, m);
}

static const char *host(unsigned i)
{
    static char name[16];
    snprintf(name, sizeof(name), "h%03u", i);
    return name;
}

static void ask(void)
{
    fleet_answer(&a, f, &opt, &arena);
}

#endif
