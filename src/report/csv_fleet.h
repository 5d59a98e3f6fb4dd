/* csv_fleet.h - a fleet as a table: a row per suspect, per host, or per suspect and build,
 * as --by asks. */
#ifndef CSV_FLEET_H
#define CSV_FLEET_H

#include "report/report.h"
#include "report/sheet.h"

void csv_fleet(const struct hd_model *m, struct sheet *s);

#endif
