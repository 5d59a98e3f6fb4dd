/* report_json.h - a report as a JSON value, for formats that hold one. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "base/json_out.h"
#include "report/report.h"

/* What --format=json writes, to be freed by the caller. */
json_t *report_json(const struct hd_model *m);

#endif
