/* record_output.h - what `record` says on standard output: a line per snapshot as soon as
 * it is stored, or one JSON document at the end (docs/json-schema/heapdrift-record.json).
 */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include "heapdrift_store.h"

/* {0} is text. */
struct record_output {
    bool is_json;
    struct record_output_list *list;
};

void record_output_add(struct record_output *t, const char *path, struct hd_snapshot *snap,
                       const struct hd_recording *how, enum hd_recorded what);
void record_output_failure(struct record_output *t, const char *path,
                           const struct hd_error *err);
void record_output_thinned(struct record_output *t, const struct hd_thinned *done);

/* Write the document, if it is one. store: its name. */
void record_output_end(struct record_output *t, const char *store);

#endif
