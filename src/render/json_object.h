/* json_object.h - one object as JSON: what `object` adds to what all results have. */
#ifndef JSON_OBJECT_H
#define JSON_OBJECT_H

#include "base/json_out.h"
#include "report/report.h"

void json_add_object(json_t *o, const struct hd_model *m);

#endif
