/* fleet_options.h - the values of options about weeks and hosts: stores, what a run is
 * called, fleets. For options.c alone, which says what the options are called. */
#ifndef FLEET_OPTIONS_H
#define FLEET_OPTIONS_H

#include "cli/options/options.h"

/* Stores, and who puts snapshots into them. */
option_taker take_store, take_keep, take_max_heap, take_lock;

/* What a run is called. */
option_taker take_service, take_host, take_build, take_label, take_limit;

/* What is asked of a fleet. */
option_taker take_since, take_until, take_fleet_by, take_min_span, take_max_hosts,
    take_min_hosts, take_shard, take_merge, take_save;

#endif
