/* report_fleet.h - what a report of a fleet has besides its answer. */
#ifndef REPORT_FLEET_H
#define REPORT_FLEET_H

#include "report/report.h"

/* Whether nothing is missing: every shard is there, and every run was judged. */
bool report_fleet_is_conclusive(const struct hd_fleet_answer *a);

/* How many rows are shown. */
void report_fleet_cut(struct hd_report *r);

#endif
