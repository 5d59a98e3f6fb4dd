/* fleet_tables.h - the parts of a fleet's document that are tables, for build_fleet.c, and
 * what both put into cells. */
#ifndef FLEET_TABLES_H
#define FLEET_TABLES_H

#include "document/build.h"

/* A percentage; "-" for NAN. */
void fleet_share(struct build *b, double share);

/* A last row that says how many are not shown; none for 0. */
void fleet_others(struct build *b, struct doc_table *t, size_t others);

void fleet_services(struct build *b);
void fleet_multiples(struct build *b); /* charts of the hosts of each suspect */
void fleet_hosts(struct build *b);
void fleet_builds(struct build *b);
void fleet_unjudged(struct build *b);

#endif
