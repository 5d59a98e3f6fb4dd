/* csv_fleet.h - a fleet as a table: a row per suspect, per host, or per suspect and build,
 * as --by asks. */
#ifndef CSV_FLEET_H
#define CSV_FLEET_H

#include "render/csv_writer.h"
#include "report/report.h"

void csv_fleet(const struct hd_model *m, struct csv_writer *s);

#endif
