/* json_fleet.h - a fleet as JSON: what `fleet` adds to what all results have. */
#ifndef JSON_FLEET_H
#define JSON_FLEET_H

#include "base/json_out.h"
#include "report/report.h"

void json_add_fleet(json_t *o, const struct hd_model *m);

#endif
