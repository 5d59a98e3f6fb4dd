/* build_fleet.h - the tables of a fleet, for each other. */
#ifndef BUILD_FLEET_H
#define BUILD_FLEET_H

#include "document/build.h"
#include "report/phrase_fleet.h"

/* Each service and each host by itself; what each suspect does on its hosts, side by side,
 * and build by build. */
void fleet_add_services(struct build *b);
void fleet_add_host_rows(struct build *b);
void fleet_add_multiples(struct build *b);
void fleet_add_builds(struct build *b);

/* A name, a share: "-" where it is unknown. */
void fleet_cell_name(struct build *b, const char *name);
void fleet_cell_share(struct build *b, double share);

/* That there are more rows. */
void fleet_add_others(struct build *b, struct doc_table *t, size_t others);

#endif
