/* part.h - the form of a part: a header, a line for each record, and a last line that says
 * how many there are and what they hash to. */
#ifndef PART_H
#define PART_H

#include "base/json_out.h"
#include "fleet/fleet.h"

/* Of this form; records of another version of the program were ranked by other rules. */
enum { PART_VERSION = 1 };

/* The header of a fleet: what records have to have in common, and which shards are there.
 */
json_t *part_header(const struct hd_fleet *f);
json_t *part_record(const struct hd_run_record *r);

/* Fill in *r, which then points into line and a. False if it is no such record. */
bool part_read_record(const json_t *line, struct hd_run_record *r, struct arena *a);

/* A whole number, HD_UNKNOWN for null; false for anything else. */
bool part_number(const json_t *object, const char *key, uint64_t *n);

/* A finite number, `none` for null. */
bool part_real(const json_t *object, const char *key, double none, double *x);

/* A string, NULL for null. */
bool part_string(const json_t *object, const char *key, const char **s);

#endif
